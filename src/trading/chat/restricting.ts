// The commands of the owner's chat about what a key, strategy, account or symbol may do: /limits, /pause, /resume, and /kill of one.

import type { Enforced } from '../execution/kill-switch-guard.ts';
import type { SwitchSubject } from '../execution/kill-switch-targets.ts';
import type { KillSwitch } from '../intake/controls.ts';
import { findSubjectOf, type SubjectSights, subjectDoubts } from '../intake/find-subject.ts';
import {
  type LimitPatch,
  type LimitSubject,
  patched,
  type Restriction,
  type Restrictions,
  subjectInWords,
  type TradeLimits,
} from '../intake/restrictions.ts';
import { windowInWords } from '../intake/trading-windows.ts';
import { escapeHtml } from '../notifications/escape.ts';
import type { Asker, Reply } from './confirmations.ts';
import { list } from './render.ts';

/** What is changed after a yes. */
export type RequestedRestriction = { readonly subject: LimitSubject } & (
  | {
      /** Of what is in force at the yes: limits that are set meanwhile stay. */
      readonly patch: LimitPatch;
    }
  | { readonly isPaused: boolean; readonly cancelEntries?: boolean }
  | { readonly killSwitch: KillSwitch }
);

export interface RestrictParts {
  readonly restrictions: Restrictions;
  readonly subjects: SubjectSights;
  /** What came of the last turn of a kill switch; without a subject, of the one over everything. */
  readonly enforced: (subject?: SwitchSubject) => Promise<Enforced>;
  /** How many opening orders of a subject rest at the venues. */
  readonly waitingEntries: (subject: LimitSubject) => number;
}

type Ask = (text: string, change: RequestedRestriction, asker: Asker) => Reply;

const NO_CHANGE = 'Nothing was changed.';
const SUBJECTS = 'key:tv, strategy:ema, account:binance:main or symbol:BTCUSDT';
/** Lists and windows are set where there is room to write them. */
const NUMBERS = {
  largestorder: { limit: 'largestOrder', isWhole: false, most: 1e12 },
  largestposition: { limit: 'largestPosition', isWhole: false, most: 1e12 },
  openpositions: { limit: 'openPositions', isWhole: true, most: 1e6 },
  leverage: { limit: 'leverage', isWhole: true, most: 1000 },
  pricedeviationpercent: { limit: 'priceDeviationPercent', isWhole: false, most: 1000 },
  spreadpercent: { limit: 'spreadPercent', isWhole: false, most: 1000 },
  dailyloss: { limit: 'dailyLoss', isWhole: false, most: 1e12 },
  entriesperday: { limit: 'entriesPerDay', isWhole: true, most: 1e6 },
  cooldownseconds: { limit: 'cooldownSeconds', isWhole: true, most: 604_800 },
  rate: { limit: 'rate', isWhole: true, most: 10_000 },
} as const;
const COUNTS_FROM_ZERO: readonly string[] = ['openPositions', 'entriesPerDay'];
const LIMITS_USAGE = `Use /limits alone to see them, or /limits strategy:ema largestOrder=1000 rate=none with ${Object.values(
  NUMBERS,
)
  .map(({ limit }) => limit)
  .join(', ')}; the command line sets all of them`;

export function createRestrictCommands({ restrictions, subjects, waitingEntries }: RestrictParts, ask: Ask) {
  const find = async (words: readonly string[]): Promise<LimitSubject | string> => {
    const found = await findSubjectOf(words.join(' '), subjects);
    return 'fault' in found ? found.fault : found;
  };
  const pausing =
    (isPaused: boolean) =>
    async (given: readonly string[], asker: Asker): Promise<Reply> => {
      const cancelEntries = isPaused && given.at(-1)?.toLowerCase() === CANCEL_ENTRIES.toLowerCase();
      const words = cancelEntries ? given.slice(0, -1) : given;
      const verb = isPaused ? 'pause' : 'resume';
      if (words.length === 0) return { text: `Use /${verb} with ${SUBJECTS}. ${NO_CHANGE}` };
      const subject = await find(words);
      if (typeof subject === 'string') return { text: `${escapeHtml(subject)}. ${NO_CHANGE}` };
      const name = escapeHtml(subjectInWords(subject));
      const pause = restrictions.find(subject)?.pause;
      const isNew = cancelEntries && pause?.cancelEntries !== true;
      if ((pause !== undefined) === isPaused && !isNew)
        return { text: `${name} ${isPaused ? 'is paused already' : 'is not paused'}.` };
      const effect =
        subject.kind === 'key' ? 'Everything it sends is refused.' : 'New entries are refused, closes pass.';
      const entries = entriesInWords(waitingEntries(subject), cancelEntries);
      const text = isPaused
        ? `Really pause <b>${name}</b>? ${effect}${entries}`
        : `Really let <b>${name}</b> trade again?`;
      return ask(text, { subject, isPaused, cancelEntries }, asker);
    };
  return {
    pause: pausing(true),
    resume: pausing(false),
    async limits(words: readonly string[], asker: Asker): Promise<Reply> {
      if (words.length === 0)
        return { text: list('Limits', restrictions.list().map(restrictionLine), 'Nothing is limited or paused.') };
      const changes = words.filter((word) => word.includes('=') && !word.includes(':'));
      const subject = await find(words.filter((word) => !changes.includes(word)));
      if (typeof subject === 'string') return { text: `${escapeHtml(subject)}. ${NO_CHANGE}` };
      const patch = readPatch(changes);
      if (changes.length === 0 || patch === undefined) return { text: `${LIMITS_USAGE}. ${NO_CHANGE}` };
      const after = escapeHtml(limitsInWords(patched(restrictions.find(subject)?.limits ?? {}, patch)));
      return ask(
        `Really set the limits of <b>${escapeHtml(subjectInWords(subject))}</b> to: ${after}?`,
        { subject, patch },
        asker,
      );
    },
    /** `/kill on strategy:ema flatten`: the words that are not about the effect name whose switch it is. */
    async killOf(words: readonly string[], killSwitch: KillSwitch, asker: Asker): Promise<Reply> {
      const subject = await find(words);
      if (typeof subject === 'string') return { text: `${escapeHtml(subject)}. ${NO_CHANGE}` };
      const name = escapeHtml(subjectInWords(subject));
      const isOn = restrictions.find(subject)?.killSwitch !== undefined;
      if (!killSwitch.active && !isOn) return { text: `The kill switch of ${name} is off. Nothing to change.` };
      const after = killSwitch.active ? `<b>ON</b> (${killSwitch.scope})` : '<b>OFF</b>, so that its signals trade';
      const entries = killSwitch.cancelEntries ? 'Its resting entries are withdrawn.' : 'Its resting entries stay.';
      const flat = killSwitch.flatten ? ' ITS POSITIONS ARE CLOSED at market.' : '';
      const then = killSwitch.active ? `\n${entries}${flat}` : '';
      return ask(`Really turn the kill switch of <b>${name}</b> ${after}?${then}`, { subject, killSwitch }, asker);
    },
  };
}

/** The word behind /pause that withdraws what rests at the venues, as it is called everywhere. */
const CANCEL_ENTRIES = 'cancelEntries';

/** Nobody should think that a pause holds back what waits at a venue already. */
function entriesInWords(count: number, cancelEntries: boolean): string {
  if (count === 0) return '';
  const which = count === 1 ? '1 of its entries waits' : `${count} of its entries wait`;
  const then = cancelEntries
    ? `${count === 1 ? 'is' : 'are'} withdrawn`
    : `may still fill; write ${CANCEL_ENTRIES} behind it to withdraw ${count === 1 ? 'it' : 'them'}`;
  return ` ${which} at the venue and ${then}.`;
}

/** Undefined where a word names no limit, or its value is none. */
function readPatch(words: readonly string[]): LimitPatch | undefined {
  const patch: Record<string, number | null> = {};
  for (const word of words) {
    const [name = '', value = ''] = word.toLowerCase().split('=');
    const known = Object.hasOwn(NUMBERS, name) ? NUMBERS[name as keyof typeof NUMBERS] : undefined;
    if (known === undefined) return undefined;
    const number = (known.isWhole ? /^\d{1,9}$/ : /^\d{1,13}(\.\d{1,8})?$/).test(value) ? Number(value) : Number.NaN;
    const least = COUNTS_FROM_ZERO.includes(known.limit) ? 0 : Number.MIN_VALUE;
    if (value !== 'none' && !(number >= least && number <= known.most)) return undefined;
    patch[known.limit] = value === 'none' ? null : number;
  }
  return patch;
}

/** After the yes. */
export async function restrictNow(change: RequestedRestriction, actor: string, parts: RestrictParts): Promise<string> {
  const { restrictions } = parts;
  const { subject } = change;
  if ('patch' in change) await restrictions.changeLimits(subject, ({ limits }) => patched(limits, change.patch), actor);
  if ('isPaused' in change && change.isPaused) await restrictions.pause(subject, change, actor);
  else if ('isPaused' in change) await restrictions.resume(subject, actor);
  else if ('killSwitch' in change) await restrictions.turnKillSwitch(subject, change.killSwitch, actor);
  const row = restrictions.find(subject);
  const doubts = row === undefined ? [] : await subjectDoubts(row, parts.subjects);
  return [`Done. ${restrictionLine(row ?? { ...subject, limits: {} })}`, ...doubts.map(escapeHtml)].join('\n');
}

export function restrictionLine(row: Restriction): string {
  const { limits, pause, killSwitch } = row;
  const state = [
    ...(killSwitch ? [`<b>KILL SWITCH ON</b> (${killSwitch.scope})`] : []),
    ...(pause ? [`<b>PAUSED</b>${pause.reason ? ` (${escapeHtml(pause.reason)})` : ''}`] : []),
  ];
  const said = state.length > 0 ? state.join(', ') : 'trades';
  return `${escapeHtml(subjectInWords(row))}: ${said}. Limits: ${escapeHtml(limitsInWords(limits))}`;
}

function limitsInWords({ tradingWindows, lockAfterStops, ...others }: TradeLimits): string {
  const words = [
    ...Object.entries(others).map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(' ') : value}`),
    ...(lockAfterStops ? [`lockAfterStops ${lockAfterStops.stops} in ${lockAfterStops.seconds} s`] : []),
    ...(tradingWindows ? [`tradingWindows ${tradingWindows.map(windowInWords).join('; ')}`] : []),
  ];
  return words.length > 0 ? words.join(', ') : 'none';
}
