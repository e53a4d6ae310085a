// Lays live trades over the fills of a backtest: each fill of the script with what was told, sent and filled of it.

import { fillId } from '../deployments/bar-events.ts';
import type { Deployment, DeploymentEvent, LogEntry } from '../deployments/deployment.ts';
import { tradeNameOf } from '../deployments/event-id.ts';
import type { TradeTarget } from '../deployments/order-signal.ts';
import type { ComparedFill, ExpectedFill, LiveFilled, ScriptFill, StrategyTrade, Verdict } from './compared-fill.ts';

export interface LiveFacts {
  readonly deployment: Deployment;
  /** Of the backtest, oldest first. */
  readonly expected: readonly ExpectedFill[];
  /** Fills that were told, oldest first; only so many are kept. */
  readonly events: readonly DeploymentEvent[];
  readonly logs: readonly LogEntry[];
  /** By the key they trade under; empty where nothing is traded. */
  readonly trades: readonly { readonly target: TradeTarget; readonly trades: readonly StrategyTrade[] }[];
}

/** Quantities are cut to the steps of a market; a difference that matters is larger than that. */
const TOLERANCE = 0.01;
const NOT_KNOWN = 'it was never told: Signalbox or the market was away, it came too late, or it is too old to be known';
const NO_SUCH_FILL = 'the backtest has no such fill: bars have changed since, or the script goes by ticks or the clock';
const NOT_OF_THE_SCRIPT = 'no fill of the script: by hand, by a stop of the gateway, or by another sender';
/** Of the statuses of a trade, those after which nothing more comes. */
const OVER = new Set(['Rejected', 'Canceled', 'Expired']);
const FILLED = 'Filled';

export function compareFills(facts: LiveFacts): ComparedFill[] {
  const { deployment, expected, events } = facts;
  const told = new Map(events.map((event) => [event.id, event]));
  const known = new Set<string>();
  const rows = expected.flatMap((fill) => {
    const id = fillId(deployment.id, fill.barTimeMs, fill.place);
    known.add(id);
    return rowsOf(facts, id, fill, told.get(id));
  });
  const unexpected = events.filter(({ id }) => !known.has(id));
  const surprising = unexpected.flatMap((event) => rowsOf(facts, event.id, null, event));
  for (const { id } of unexpected) known.add(id);
  return [...rows, ...surprising, ...foreignTrades(facts, known)].sort((a, b) => a.barTimeMs - b.barTimeMs);
}

/** One row for each key that it trades under, or one where it trades under none. */
function rowsOf(
  facts: LiveFacts,
  id: string,
  fill: ExpectedFill | null,
  event: DeploymentEvent | undefined,
): ComparedFill[] {
  const { deployment, logs, trades } = facts;
  const base = rowBase(fill, event);
  if (fill?.isSilent && event === undefined) return [{ ...base, verdict: 'silent', reason: null }];
  if (trades.length === 0 || deployment.mode === 'dry-run') {
    const verdict = deployment.mode === 'dry-run' && trades.length > 0 ? 'dry-run' : 'told';
    return [{ ...base, ...judged(fill, event, { verdict, reason: null }) }];
  }
  return trades.map(({ target, trades: ofKey }) => {
    const name = tradeNameOf(id, target.keyId);
    const made = ofKey.filter(({ idempotencyKey }) => idempotencyKey === name);
    const [trade] = made;
    const live = filledOf(made);
    const about = { ...base, keyLabel: target.keyLabel, trade: trade === undefined ? null : tradeOf(trade), live };
    const verdict = judged(fill, event ?? (trade === undefined ? undefined : null), tradeVerdict(made, id, logs));
    return { ...about, ...measured(fill, event, live), ...verdict };
  });
}

const EMPTY = { keyLabel: null, trade: null, live: null, delayMs: null, slippage: null, slippageMoney: null };

function rowBase(
  fill: ExpectedFill | null,
  event: DeploymentEvent | undefined,
): Omit<ComparedFill, 'verdict' | 'reason'> {
  const order = event?.order ?? null;
  const told = order === null ? null : { side: order.action, quantity: order.contracts, price: order.price };
  return {
    ...EMPTY,
    barTimeMs: fill?.barTimeMs ?? event?.barTimeMs ?? 0,
    orderId: fill?.id ?? order?.id ?? '',
    expected: fill === null ? null : scriptFill(fill),
    told: told === null || event === undefined ? null : { ...told, atMs: event.createdAtMs },
  };
}

const scriptFill = ({ direction, quantity, price }: ExpectedFill): ScriptFill => ({
  side: direction > 0 ? 'buy' : 'sell',
  quantity,
  price,
});

interface Judgement {
  readonly verdict: Verdict;
  readonly reason: string | null;
}

/** What came of a trade counts only where backtest and telling agree. Null: it was told, and what it said is forgotten. */
function judged(fill: ExpectedFill | null, event: DeploymentEvent | null | undefined, traded: Judgement): Judgement {
  if (fill === null) return { verdict: 'extra', reason: NO_SUCH_FILL };
  if (event === undefined) return { verdict: 'missing', reason: NOT_KNOWN };
  const order = event?.order;
  if (order && (order.action !== scriptFill(fill).side || isOther(order.contracts, fill.quantity)))
    return { verdict: 'different', reason: `it was told as ${order.action} ${order.contracts} at ${order.price}` };
  return traded;
}

const isOther = (a: number, b: number): boolean => Math.abs(a - b) > TOLERANCE * Math.abs(b);

function tradeVerdict(made: readonly StrategyTrade[], id: string, logs: readonly LogEntry[]): Judgement {
  if (made.length === 0) {
    const ofEvent = logs.filter(({ eventId }) => eventId === id);
    const refused =
      ofEvent.find(({ kind }) => kind === 'abandoned') ?? ofEvent.find(({ kind }) => kind === 'delivery-failed');
    if (refused !== undefined) return { verdict: 'refused', reason: refused.message };
    return { verdict: 'not-sent', reason: 'it waits, or what came of it is too old to be known' };
  }
  if (made.every(({ status }) => status === FILLED)) return { verdict: 'filled', reason: null };
  const over = made.find(({ status }) => OVER.has(status));
  const hasFills = made.some(({ fills }) => fills.length > 0);
  const reason = over === undefined ? null : (over.error ?? over.status);
  if (hasFills) return { verdict: 'partly', reason };
  return over === undefined ? { verdict: 'waiting', reason: null } : { verdict: 'refused', reason };
}

const tradeOf = ({ requestId, status, account }: StrategyTrade) => ({ requestId, status, account });

/** All fills of a signal together, on whichever accounts they were made. */
function filledOf(made: readonly StrategyTrade[]): LiveFilled | null {
  const fills = made.flatMap((trade) => trade.fills);
  const [first] = fills;
  if (first === undefined) return null;
  const quantity = sum(fills.map((fill) => fill.quantity));
  const price = sum(fills.map((fill) => fill.quantity * fill.price)) / quantity;
  const atMs = Math.min(...fills.map((fill) => fill.atMs));
  return { side: first.side, quantity, price, atMs, fee: sum(fills.map(({ fee }) => fee)) };
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Inside of a bar nobody knows when a backtest fills; there the delay is that since it was told. */
function measured(fill: ExpectedFill | null, event: DeploymentEvent | undefined, live: LiveFilled | null) {
  if (fill === null || live === null) return {};
  const sinceMs = fill.moment === 'open' ? fill.barTimeMs : event?.createdAtMs;
  const slippage = (live.price - fill.price) * fill.direction;
  return {
    delayMs: sinceMs === undefined ? null : live.atMs - sinceMs,
    slippage,
    slippageMoney: slippage * live.quantity,
  };
}

/** Trades of the strategy's book that no fill of the script asked for. */
function foreignTrades({ trades }: LiveFacts, known: ReadonlySet<string>): ComparedFill[] {
  return trades.flatMap(({ target, trades: ofKey }) => {
    const own = new Set([...known].map((id) => tradeNameOf(id, target.keyId)));
    return ofKey
      .filter(({ idempotencyKey, fills }) => fills.length > 0 && !own.has(idempotencyKey ?? ''))
      .map(
        (trade): ComparedFill => ({
          ...EMPTY,
          verdict: 'extra',
          reason: NOT_OF_THE_SCRIPT,
          barTimeMs: trade.receivedAtMs,
          orderId: `${trade.source} ${trade.action}`,
          expected: null,
          told: null,
          trade: tradeOf(trade),
          live: filledOf([trade]),
        }),
      );
  });
}
