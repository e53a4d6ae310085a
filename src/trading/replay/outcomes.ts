// What became of every signal and of every decision of the desk, in the past or in a replay, in a form that can be compared.

import { accountInWords } from '../accounts.ts';
import type { BookedFill } from '../books/journal.ts';
import type { FillShare } from '../books/strategy-book.ts';
import { toText, ZERO } from '../decimal.ts';
import type { RecordedPast, RecordedTrade } from './recorded-past.ts';
import { isOwnDecision, shareOf } from './timeline.ts';

export interface Outcome {
  readonly atMs: number;
  /** The request id; absent for what the desk decided by itself, which has another id in a replay. */
  readonly requestId?: string;
  /** What was to be traded, in words. */
  readonly what: string;
  /** How it ended, in words for people. */
  readonly words: string;
  /** Everything that must be the same, to the last digit and to the second. */
  readonly facts: string;
}

/** By what they are known in the past and in a replay: the id, or the how-manieth of its kind in its position. */
export function outcomesOf(
  { trades, refusals }: Pick<RecordedPast, 'trades' | 'refusals'>,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): ReadonlyMap<string, Outcome> {
  const outcomes = new Map<string, Outcome>();
  const counts = new Map<string, number>();
  for (const each of trades) {
    const { trade } = each;
    const own = isOwnDecision(trade) ? `${trade.source} ${shareOf(trade)}` : undefined;
    const count = (counts.get(own ?? '') ?? 0) + 1;
    if (own) counts.set(own, count);
    if (trade.receivedAtMs >= fromMs && trade.receivedAtMs < toMs)
      outcomes.set(own ? `${own} ${count}` : trade.requestId, outcomeOf(each, own === undefined, toMs));
  }
  for (const { id, receivedAtMs, code, keyLabel, body } of refusals) {
    if (keyLabel === undefined || outcomes.has(id) || receivedAtMs < fromMs || receivedAtMs >= toMs) continue;
    outcomes.set(id, {
      atMs: receivedAtMs,
      requestId: id,
      what: bodyInWords(body),
      words: `refused: ${code}`,
      facts: code,
    });
  }
  return outcomes;
}

function outcomeOf({ trade, orders }: RecordedTrade, isNamed: boolean, toMs: number): Outcome {
  const { order } = trade;
  const before = (fills: readonly BookedFill[]): readonly BookedFill[] => fills.filter(({ atMs }) => atMs < toMs);
  const isOver = orders.every(({ fills, updatedAtMs }) => updatedAtMs < toMs && before(fills).length === fills.length);
  const state = isOver ? trade.state : 'open';
  const size =
    order.quantityType === undefined ? toText(order.quantity) : `${toText(order.quantity)} ${order.quantityType}`;
  const name = order.strategy === undefined ? '' : ` of ${order.strategy}`;
  const by = isNamed ? '' : `${trade.source}: `;
  const facts = orders.map(({ leg, side, positionSide, quantity, price, fills, state: ended }) => ({
    ...{ leg, side, positionSide, quantity: toText(quantity), price: price && toText(price) },
    state: isOver ? ended : 'open',
    fills: before(fills).map(fillFacts),
  }));
  return {
    atMs: trade.receivedAtMs,
    ...(isNamed && { requestId: trade.requestId }),
    what: `${by}${order.action} ${size} ${order.market} on ${accountInWords({ ...trade, exchange: order.exchange })}${name}`,
    words: wordsOf(trade, state),
    facts: JSON.stringify({ state, facts }),
  };
}

const SECOND_MS = 1000;

const byStrategy = (a: FillShare, b: FillShare): number =>
  a.strategy < b.strategy ? -1 : Number(a.strategy > b.strategy);

const fillFacts = ({ quantity, price, fee, realizedPnl, atMs, shares }: BookedFill) => [
  ...[quantity, price, fee, realizedPnl].map(toText),
  Math.floor(atMs / SECOND_MS),
  // In which order they stand is no part of what happened: earlier versions had another one after a restart.
  ...(shares ?? [])
    .toSorted(byStrategy)
    .map((share) => [share.strategy, toText(share.quantity), toText(share.realizedPnl)]),
];

function wordsOf({ executedQuantity, averagePrice, error }: RecordedTrade['trade'], state: string): string {
  if (executedQuantity > ZERO)
    return `${state} ${toText(executedQuantity)}${averagePrice === undefined ? '' : ` at ${toText(averagePrice)}`}`;
  return error === undefined ? state : `${state}: ${error}`;
}

/** What is kept of a refused body: `LONG 0.01 BTCUSDT on binance`, as far as it is there. */
function bodyInWords(body: string): string {
  if (body === '') return '';
  const { action, quantity, symbol, ticker, exchange } = JSON.parse(body) as Readonly<Record<string, unknown>>;
  const words = [action, quantity, symbol ?? ticker].filter((word) => word !== undefined);
  return [...words, ...(exchange === undefined ? [] : ['on', exchange])].join(' ');
}
