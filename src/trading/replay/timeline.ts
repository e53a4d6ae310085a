// The past as a row of events in the order they had, each with the moment at which a replay lets it happen again.
//
// A signal is two events for each of its trades: it passes the gates when it was received, and its trade is executed when
// its first order was about to be sent, so that it meets the account and the price it met. What the desk decided by itself
// (a stop that was reached, a limit order that filled, an order whose time was over) is an event too, but only says when
// to look: whether anything happens is up to the desk that replays.

import { ACTION_MEANING } from '../action.ts';
import type { Trade } from '../books/journal.ts';
import { NAMELESS, shareInWords } from '../books/strategy-book.ts';
import { accountOf } from '../execution/trade-run.ts';
import type { RefusedSignal } from '../intake/refusals.ts';
import { OWNER, PROTECTION_SOURCES, type SignalSource } from '../signal.ts';
import { amongSwitches } from './gate-order.ts';
import type { RecordedOrder, RecordedPast, RecordedTrade } from './recorded-past.ts';
import type { ReplayEvent } from './replay-event.ts';

/** Whose closes the kill switch's own are labelled as. */
export const KILL_SWITCH = 'kill switch';
const protective: ReadonlySet<string> = new Set(PROTECTION_SOURCES);
export const isProtective = ({ source }: Pick<Trade, 'source'>): boolean => protective.has(source);
/** The doors of senders. */
const SENT: ReadonlySet<string> = new Set<SignalSource>(['webhook', 'tradingview', 'email', 'script', 'ticket']);
/** Nobody sent it: a stop, the kill switch or the venue itself, which decide it again in a replay. */
export const isOwnDecision = ({ source, keyLabel }: Pick<Trade, 'source' | 'keyLabel'>): boolean =>
  source === OWNER ? isOfKillSwitch(keyLabel) : !SENT.has(source);
/** The one over everything, or that of a key, a strategy, an account or a symbol, which is named behind it. */
const isOfKillSwitch = (label: string): boolean => label === KILL_SWITCH || label.startsWith(`${KILL_SWITCH} of `);

/** At the same moment a control is turned first, and what was received passes the gates before anything is executed. */
const RANK: Readonly<Record<ReplayEvent['kind'], number>> = {
  control: 0,
  match: 1,
  stop: 2,
  due: 3,
  signal: 4,
  refused: 4,
  close: 5,
  cancel: 5,
  turn: 6,
  guard: 7,
};

export function timelineOf(past: RecordedPast): readonly ReplayEvent[] {
  const events: ReplayEvent[] = [];
  const trades = new Map(past.trades.map((each) => [each.trade.requestId, each]));
  for (const entry of past.audit) events.push({ kind: 'control', atMs: entry.atMs, entry });
  for (const changed of past.stopChanges) events.push({ kind: 'guard', atMs: changed.atMs, changed });
  for (const own of signalsOf(past.trades)) {
    const [{ trade }] = own;
    const atMs = trade.receivedAtMs;
    if (isProtective(trade)) events.push({ kind: 'stop', atMs, share: shareOf(trade) });
    else if (SENT.has(trade.source)) events.push({ kind: 'signal', atMs, trades: own }, ...own.map(turnOf));
    else if (trade.source === OWNER)
      events.push(...own.map((each): ReplayEvent => ({ kind: 'close', atMs: turnAtMs(each), trade: each })));
    else events.push({ kind: 'match', atMs: liquidatedAtOf(own[0]), account: accountOf(trade) });
    for (const each of own) events.push(...laterEvents(each));
  }
  for (const refused of past.refusals)
    if (!trades.has(refused.id)) events.push({ kind: 'refused', atMs: receivedAtOf(refused), refused });
  return amongSwitches(
    events.sort((a, b) => a.atMs - b.atMs || RANK[a.kind] - RANK[b.kind]),
    trades,
  );
}

/**
 * A venue tells of a liquidation a moment after it: by its fill the replay looks over the same seconds. One that was found
 * late, because Signalbox was down, is found as late again.
 */
function liquidatedAtOf({ trade: { receivedAtMs }, orders }: RecordedTrade): number {
  const filledMs = orders[0]?.fills[0]?.atMs ?? receivedAtMs;
  return receivedAtMs - filledMs < TOLD_WITHIN_MS ? filledMs : receivedAtMs;
}

const TOLD_WITHIN_MS = 1000;

/** A refusal is written down when its answer has left. Its id, a UUID of version 7, tells when the request came. */
function receivedAtOf({ id, receivedAtMs }: RefusedSignal): number {
  const ms = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
  return ms <= receivedAtMs && ms > receivedAtMs - LONGEST_ANSWER_MS ? ms : receivedAtMs;
}

const LONGEST_ANSWER_MS = 600_000;

/** The trades of one request stand together, the first of them first. */
function signalsOf(trades: readonly RecordedTrade[]): readonly (readonly [RecordedTrade, ...RecordedTrade[]])[] {
  const signals = new Map<string, [RecordedTrade, ...RecordedTrade[]]>();
  for (const each of trades) {
    const [requestId = ''] = each.trade.requestId.split('.');
    const known = signals.get(requestId);
    if (known) known.push(each);
    else signals.set(requestId, [each]);
  }
  return [...signals.values()];
}

const turnOf = (each: RecordedTrade): ReplayEvent => ({
  ...{ kind: 'turn', atMs: turnAtMs(each), requestId: each.trade.requestId },
});

/** When its turn in its lane had come. */
export const turnAtMs = ({ trade, orders: [first], updatedAtMs }: RecordedTrade): number =>
  Math.max(trade.receivedAtMs, first?.createdAtMs ?? updatedAtMs);

/** What became of its orders after its turn. */
function laterEvents({ trade, orders, cancels }: RecordedTrade): readonly ReplayEvent[] {
  const account = accountOf(trade);
  const matches = orders.flatMap((order) =>
    restingFillsOf(order).map(({ atMs }) => ({ kind: 'match', atMs, account }) as const),
  );
  const resting = orders.findLast(({ price }) => price !== undefined);
  if (resting === undefined) return matches;
  const { clientOrderId } = resting;
  const asked = cancels.flatMap(({ atMs, detail }): readonly ReplayEvent[] => {
    if (detail.startsWith(`by the ${KILL_SWITCH}`)) return [];
    if (detail.startsWith(BY_TIME)) return [{ kind: 'due', atMs, clientOrderId }];
    return [{ kind: 'cancel', atMs, clientOrderId, by: detail.replace(/^by /, '') }];
  });
  return [...matches, ...asked];
}

const BY_TIME = 'by Signalbox';

/** Fills that came after its venue had taken it. */
export const restingFillsOf = ({ price, placedAtMs, fills }: RecordedOrder) =>
  price === undefined || placedAtMs === undefined ? [] : fills.filter(({ atMs }) => atMs > placedAtMs);

/** The share of a position that a closing trade closes, in words. */
export const shareOf = ({ account, order }: Trade): string => {
  const side = ACTION_MEANING[order.action].positionSide;
  const { exchange, market, strategy = NAMELESS } = order;
  return shareInWords({ exchange, account, market, side, strategy });
};

/** Trades that had no outcome when the past was read. */
export const isUnderWay = ({ trade: { state } }: RecordedTrade): boolean => state === 'accepted' || state === 'sending';
