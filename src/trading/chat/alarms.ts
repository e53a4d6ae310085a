// Passes alarms on to the owner's chat: the same one at most once a minute, and never more than a few in a minute.

import { errorText } from '../../errors/error-text.ts';
import { withoutFolders } from '../../errors/storage-error.ts';
import { switchId, switchInWords } from '../execution/kill-switch-targets.ts';
import type { Controls, KillSwitch } from '../intake/controls.ts';
import type { LimitSubject, Restriction, Restrictions } from '../intake/restrictions.ts';
import { shorten } from '../notifications/fit.ts';
import { NotifierError } from '../notifications/notifier.ts';

export interface Alarms {
  /** `about` is handed on with the text: what a message is about beyond its words. */
  raise(kind: string, text: string, about?: string): void;
  /** News that must not be missed, such as a change of the kill switch: neither joined nor held back. */
  tell(text: string): void;
  /** Trouble as the log tells it. A chat that does not take messages is no news for that chat. */
  trouble(what: string, error: unknown): void;
}

const MINUTE_MS = 60_000;
/** More than this is no longer read, and would use up what the chat takes in a minute. */
const MAX_PER_MINUTE = 10;
/** Kinds hold numbers of ours only where they name one thing; still, nothing may grow without end. */
const MAX_KINDS = 1000;
const MAX_ALARM_UNITS = 1000;

export function createAlarms(options: {
  /** May fail: an alarm is worth one try, the log has it anyway. News that were only told have no kind. */
  send: (text: string, kind: string | undefined, about?: string) => Promise<unknown>;
  monotonicMs: () => number;
  onLost: (error: unknown, text: string) => void;
  /** What is passed on, where it is something else. */
  words?: { readonly sign: string; readonly others: string };
}): Alarms {
  const { send, monotonicMs, onLost, words = { sign: '⚠️', others: 'other alarms' } } = options;
  const lastMs = new Map<string, number>();
  let sentMs: number[] = [];
  let heldBack = 0;

  const raise: Alarms['raise'] = (kind, text, about) => {
    const nowMs = monotonicMs();
    if (nowMs - (lastMs.get(kind) ?? Number.NEGATIVE_INFINITY) < MINUTE_MS) return;
    sentMs = sentMs.filter((atMs) => nowMs - atMs < MINUTE_MS);
    if (sentMs.length >= MAX_PER_MINUTE) {
      heldBack++;
      return;
    }
    if (lastMs.size >= MAX_KINDS) lastMs.clear();
    lastMs.set(kind, nowMs);
    sentMs.push(nowMs);
    const missed = heldBack > 0 ? ` (${heldBack} ${words.others} were held back; the log has them)` : '';
    heldBack = 0;
    passOn(`${shorten(text, MAX_ALARM_UNITS)}${missed}`, kind, about);
  };

  const passOn = (text: string, kind?: string, about?: string): void => {
    const whole = `${words.sign} ${text}`;
    send(whole, kind, about).catch((error) => onLost(error, whole));
  };

  return {
    raise,
    tell: (text) => passOn(text),
    trouble(what, error) {
      if (error instanceof NotifierError) return;
      const reason = withoutFolders(errorText(error));
      raise(what.replace(/\d+/g, '#'), `${capitalised(what)}: ${reason}`);
    },
  };
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Whoever turns a kill switch, the owner hears of it; but not twice when it was turned in the owner's own chat. */
export function watchKillSwitch(options: {
  controls: Pick<Controls, 'watch'>;
  restrictions: Pick<Restrictions, 'watch' | 'list'>;
  tell: (text: string) => void;
  /** Undefined where nobody can turn it. */
  ownActor: string | undefined;
}): void {
  const { controls, restrictions, tell, ownActor } = options;
  /** What was last known of each switch; one that is not there is off. */
  const known = new Map<string, string>();
  const isNews = (killSwitch: KillSwitch | undefined, subject?: LimitSubject): boolean => {
    const id = switchId(subject);
    const before = known.get(id);
    if (killSwitch?.active) known.set(id, killSwitchInWords(killSwitch, subject));
    else known.delete(id);
    return known.get(id) !== before;
  };
  const turned = (killSwitch: KillSwitch = OFF, actor: string | undefined, subject?: LimitSubject): void => {
    if (!isNews(killSwitch, subject)) return;
    const now = killSwitchInWords(killSwitch, subject);
    if (actor === undefined || actor !== ownActor) tell(actor === undefined ? now : `${now}. Turned by ${actor}`);
  };
  for (const row of restrictions.list()) isNews(row.killSwitch, row);
  restrictions.watch((row, actor) => turned(row.killSwitch, actor, row));
  let isFirst = true;
  controls.watch(({ killSwitch }, actor) => {
    // The first call tells what is in force already.
    if (isFirst) isNews(killSwitch);
    else turned(killSwitch, actor);
    isFirst = false;
  });
}

const OFF: KillSwitch = { active: false, scope: 'all' };

/** The one over everything, and those of keys, strategies, accounts and symbols that are on: none may be overlooked. */
export const killSwitchesInWords = (killSwitch: KillSwitch, rows: readonly Restriction[]): string =>
  [
    killSwitchInWords(killSwitch),
    ...rows.flatMap((row) => (row.killSwitch ? [killSwitchInWords(row.killSwitch, row)] : [])),
  ].join('.\n');

/** Without a subject it is the one over everything. */
export function killSwitchInWords({ active, scope, flatten, reason }: KillSwitch, subject?: LimitSubject): string {
  const name = `The ${switchInWords(subject)}`;
  const of = subject ? ' of it' : '';
  if (!active) return `${name} is off: ${subject ? 'its signals' : 'signals'} trade`;
  const what = scope === 'entries' ? 'no new positions, closing works' : `every signal${of} is refused`;
  const closes = flatten ? `, every position${of} is closed` : '';
  return `${name} is ON (${scope}): ${what}${closes}${reason ? ` (${reason})` : ''}`;
}
