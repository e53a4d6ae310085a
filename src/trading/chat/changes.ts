// The commands of the owner's chat that change something, only after a yes: the kill switch, the queue mode, orders, positions, stops and refused signals.

import { errorText } from '../../errors/error-text.ts';
import { UnknownOutcomeError, withoutFolders } from '../../errors/storage-error.ts';
import type { Enforced } from '../execution/kill-switch-guard.ts';
import {
  type Controls,
  isRuling,
  type KillSwitch,
  QUEUE_MODES,
  type QueueMode,
  SettingFromEnvironment,
} from '../intake/controls.ts';
import { escapeHtml } from '../notifications/escape.ts';
import { killSwitchesInWords } from './alarms.ts';
import { askToCancel, type CancelParts, cancelNow, type RequestedCancel } from './cancels.ts';
import { type CloseParts, closedLine, createCloseCommands, makeClose, type RequestedClose } from './closing.ts';
import type { Answer, Asker, Confirmations, Reply } from './confirmations.ts';
import { askToOrder, orderNow, type RequestedOrder, type TicketParts } from './ordering.ts';
import { askToResend, type RequestedResend, type ResendParts, resendNow } from './resends.ts';
import { createRestrictCommands, type RequestedRestriction, type RestrictParts, restrictNow } from './restricting.ts';
import { askToMove, type MoveParts, moveStop, type RequestedMove } from './stops.ts';

/** A change the owner wants. */
export type RequestedChange =
  | { readonly setting: 'killSwitch'; readonly value: KillSwitch }
  | { readonly setting: 'queueMode'; readonly value: QueueMode }
  | RequestedCancel
  | RequestedResend
  | { readonly setting: 'restriction'; readonly value: RequestedRestriction }
  | { readonly setting: 'positions'; readonly value: RequestedClose }
  | RequestedMove
  | RequestedOrder;

/** What a press on yes or no led to. */
export interface Pressed {
  readonly kind: Answer<RequestedChange>['kind'];
  readonly text: string;
}

export interface ChangeParts extends CancelParts, CloseParts, ResendParts, MoveParts, RestrictParts, TicketParts {
  readonly controls: Pick<Controls, 'current' | 'set' | 'sources'>;
  readonly confirmations: Confirmations<RequestedChange>;
  /** Under which name a change stands in the audit. */
  readonly actorOf: (chatId: string) => string;
}

export interface Changes {
  kill(words: readonly string[], asker: Asker): Promise<Reply>;
  mode(words: readonly string[], asker: Asker): Reply;
  cancel(words: readonly string[], asker: Asker): Promise<Reply>;
  resend(words: readonly string[], asker: Asker): Promise<Reply>;
  close(words: readonly string[], asker: Asker): Reply;
  flatten(words: readonly string[], asker: Asker): Reply;
  move(words: readonly string[], asker: Asker): Promise<Reply>;
  buy(words: readonly string[], asker: Asker): Promise<Reply>;
  sell(words: readonly string[], asker: Asker): Promise<Reply>;
  /** These take the words as they were written: names have capitals. */
  limits(words: readonly string[], asker: Asker): Promise<Reply>;
  pause(words: readonly string[], asker: Asker): Promise<Reply>;
  resume(words: readonly string[], asker: Asker): Promise<Reply>;
  answer(token: string, from: Asker, yes: boolean): Promise<Pressed>;
}

const KILL_USAGE = 'Use /kill on, /kill on entries or /kill off';
/** What may stand behind /kill on, in any order. */
const KILL_WORDS = ['all', 'entries', 'keep', 'flatten'];
const MODE_USAGE = `Use ${QUEUE_MODES.map((name) => `/mode ${name}`).join(', ')}`;
const NO_CHANGE = 'Nothing was changed.';

const switchesInForce = ({ controls, restrictions }: ChangeParts): string =>
  escapeHtml(killSwitchesInWords(controls.current().killSwitch, restrictions.list()));

export function createChanges(parts: ChangeParts): Changes {
  const { controls, confirmations, actorOf } = parts;
  const ask = (text: string, change: RequestedChange, asker: Asker): Reply => ({
    text,
    confirm: confirmations.ask(asker, change),
  });
  const question = (asked: { text: string; change?: RequestedChange }, asker: Asker): Reply =>
    asked.change ? ask(asked.text, asked.change, asker) : { text: asked.text };
  const inForce = (): string => switchesInForce(parts);
  const ordering =
    (side: 'buy' | 'sell') =>
    async (words: readonly string[], asker: Asker): Promise<Reply> =>
      question(await askToOrder(side, words, actorOf(asker.chatId), parts), asker);

  const askKill = (value: KillSwitch, asker: Asker): Reply => {
    const now = controls.current().killSwitch;
    const isSame = value.active === now.active && (!value.active || hasSameEffect(value, now));
    if (isSame) return { text: `${inForce()}. Nothing to change.` };
    const after = value.active ? `<b>ON</b> (${value.scope})` : '<b>OFF</b>, so that signals trade';
    const entries = value.cancelEntries ? 'Resting entries are withdrawn.' : 'Resting entries stay.';
    const then = value.active ? `\n${entries}${value.flatten ? ' EVERY POSITION IS CLOSED at market.' : ''}` : '';
    return ask(`${inForce()}.\nReally turn it ${after}?${then}`, { setting: 'killSwitch', value }, asker);
  };

  const { killOf, ...restricting } = createRestrictCommands(parts, (text, value, asker) =>
    ask(text, { setting: 'restriction', value }, asker),
  );
  const closing = createCloseCommands(parts, (text, value, asker) => ask(text, { setting: 'positions', value }, asker));

  return {
    ...closing,
    ...restricting,
    async kill([turn, ...rest], asker) {
      if (turn === undefined) return { text: `${inForce()}.\n${KILL_USAGE}` };
      const asked = readKill(turn, rest, `turned on by ${actorOf(asker.chatId)}`);
      if (asked) return asked.of.length > 0 ? killOf(asked.of, asked.value, asker) : askKill(asked.value, asker);
      return { text: `${KILL_USAGE}. ${NO_CHANGE}` };
    },
    mode([wanted, ...more], asker) {
      const { queueMode } = controls.current();
      if (wanted === undefined) return { text: `Queue mode: <b>${queueMode}</b>.\n${MODE_USAGE}` };
      const value = QUEUE_MODES.find((known) => known === wanted);
      if (value === undefined || more.length > 0) return { text: `${MODE_USAGE}. ${NO_CHANGE}` };
      if (value === queueMode) return { text: `The queue mode is ${value} already.` };
      if (isRuling(controls.sources().queueMode))
        return { text: `${escapeHtml(new SettingFromEnvironment('queueMode').message)}. ${NO_CHANGE}` };
      return ask(`Change the queue mode from ${queueMode} to <b>${value}</b>?`, { setting: 'queueMode', value }, asker);
    },
    cancel: async (words, asker) => question(await askToCancel(words, parts), asker),
    resend: async (words, asker) => question(await askToResend(words, parts), asker),
    move: async (words, asker) => question(await askToMove(words, parts), asker),
    buy: ordering('buy'),
    sell: ordering('sell'),
    async answer(token, from, yes) {
      const answer = confirmations.answer(token, from, yes);
      if (answer.kind === 'confirmed')
        return { kind: 'confirmed', text: await makeChange(answer.change, actorOf(from.chatId), parts) };
      return { kind: answer.kind, text: SAID[answer.kind] };
    },
  };
}

/** After the yes: what became of it, in words. */
async function makeChange(change: RequestedChange, actor: string, parts: ChangeParts): Promise<string> {
  try {
    if (change.setting === 'orders') return await cancelNow(change, actor, parts);
    if (change.setting === 'refusal') return await resendNow(change, parts);
    if (change.setting === 'restriction') return await restricted(change.value, actor, parts);
    if (change.setting === 'positions') return await makeClose(change.value, actor, parts);
    if (change.setting === 'stops') return await moveStop(change, parts);
    if (change.setting === 'order') return await orderNow(change, actor, parts);
    await parts.controls.set(change.setting, change.value, actor);
  } catch (error) {
    return notStored(error);
  }
  return change.setting === 'killSwitch'
    ? `Done. ${switchesInForce(parts)}.${consequences(await parts.enforced())}`
    : `Done. The queue mode is ${change.value}.`;
}

function notStored(error: unknown): string {
  const doubt = error instanceof UnknownOutcomeError ? '. The next start may find it all the same' : '';
  return `NOT done, it could not be stored: ${escapeHtml(withoutFolders(errorText(error)))}${doubt}`;
}

/** `on flatten`, `on strategy:ema entries`, `off`: the words that are not about the effect name whose switch it is. */
function readKill(
  turn: string,
  rest: readonly string[],
  reason: string,
): { readonly of: readonly string[]; readonly value: KillSwitch } | undefined {
  const isOfOne = rest.some((word) => word.includes(':'));
  const of = isOfOne ? rest.filter((word) => !KILL_WORDS.includes(word.toLowerCase())) : [];
  const words = rest.filter((word) => !of.includes(word)).map((word) => word.toLowerCase());
  const isClear = words.every((word, at) => KILL_WORDS.includes(word) && words.indexOf(word) === at);
  if (turn.toLowerCase() === 'on' && isClear && !(words.includes('all') && words.includes('entries'))) {
    const scope = words.includes('entries') ? 'entries' : 'all';
    const effect = { cancelEntries: !words.includes('keep'), flatten: words.includes('flatten') };
    return { of, value: { active: true, scope, ...effect, reason } };
  }
  return turn.toLowerCase() === 'off' && words.length === 0
    ? { of, value: { active: false, scope: 'all' } }
    : undefined;
}

async function restricted(change: RequestedRestriction, actor: string, parts: RestrictParts): Promise<string> {
  const said = await restrictNow(change, actor, parts);
  if ('patch' in change) return said;
  if ('killSwitch' in change) return `${said}${consequences(await parts.enforced(change.subject))}`;
  const done = consequences(await parts.enforced({ ...change.subject, isPause: true }));
  const waiting = change.isPaused ? parts.waitingEntries(change.subject) : 0;
  return `${said}${done}${waiting > 0 ? `\nEntries that wait at the venue and may still fill: ${waiting}.` : ''}`;
}

const hasSameEffect = (a: KillSwitch, b: KillSwitch): boolean =>
  a.scope === b.scope && !a.cancelEntries === !b.cancelEntries && !a.flatten === !b.flatten;

/** What throwing the switch has done to orders and positions; nothing where it did nothing. */
function consequences({ canceled, closed }: Enforced): string {
  const gone = canceled.filter(({ outcome }) => outcome === 'canceled').length;
  const left = canceled.filter(({ outcome }) => outcome !== 'canceled' && outcome !== 'ended').length;
  const lines = [
    ...(gone > 0 ? [`Entries withdrawn: ${gone}.`] : []),
    ...(left > 0 ? [`NOT withdrawn yet: ${left}; it is tried again.`] : []),
    ...closed.map(closedLine),
  ];
  return lines.map((line) => `\n${line}`).join('');
}

const SAID = {
  declined: NO_CHANGE,
  'not-yours': 'Only whoever sent the command can answer.',
  used: 'This was answered already.',
  expired: `Too late. ${NO_CHANGE} Send the command again.`,
};
