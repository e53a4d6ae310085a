// Trades may leave where their market was flat, and whatever rests on an open position stays.

import { expect, test } from 'vitest';
import { decimal, ZERO } from '../decimal.ts';
import type { HistoricFill } from './fill-history.ts';
import { type OldTrade, SettledTrades } from './settled-trades.ts';

const DAY_MS = 86_400_000;
const BEFORE_MS = 100 * DAY_MS;

interface Filled {
  readonly day: number;
  readonly side: 'BUY' | 'SELL';
  readonly quantity?: string;
  readonly positionSide?: 'LONG' | 'SHORT';
  /** Shares of strategies. */
  readonly strategy?: string;
}

const fillOf = ({ day, side, quantity = '1', positionSide = 'LONG', strategy }: Filled): HistoricFill => ({
  ...{ exchange: 'binance', mode: 'paper', account: 'main', market: 'BTCUSDT', keyLabel: 'k', netted: true },
  ...{ clientOrderId: `c${day}`, fillId: '1', price: decimal('1'), fee: ZERO, realizedPnl: ZERO, atMs: day * DAY_MS },
  ...{ side, positionSide, quantity: decimal(quantity) },
  ...(strategy !== undefined && {
    shares: [{ strategy, quantity: decimal(quantity), realizedPnl: ZERO, fee: ZERO }],
  }),
});

const trade = (seq: number, fills: readonly Filled[], changes: Partial<OldTrade> = {}): OldTrade => ({
  seq,
  receivedAtMs: seq * DAY_MS,
  market: 'BTCUSDT',
  mayLeave: true,
  fills: fills.map(fillOf),
  ...changes,
});
const opened = (seq: number, more: Partial<Filled> = {}) => trade(seq, [{ day: seq, side: 'BUY', ...more }]);
const closed = (seq: number, more: Partial<Filled> = {}) => trade(seq, [{ day: seq, side: 'SELL', ...more }]);

function leaving(trades: readonly OldTrade[], closedMarkets: readonly string[] = []) {
  const settled = new SettledTrades(BEFORE_MS);
  for (const each of trades) settled.add([each]);
  return settled.groups((market) => closedMarkets.includes(market));
}

test('trades leave in groups that begin and end with nothing open', () => {
  expect(leaving([opened(1), opened(2), closed(3, { quantity: '2' }), opened(4), closed(5)])).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
});

test('what is still open stays, with everything since the market was flat', () => {
  expect(leaving([opened(1), closed(2), opened(3), opened(4), closed(5)])).toEqual([[1, 2]]);
});

test('a trade without a fill leaves by itself, and one that must stay does not', () => {
  expect(leaving([trade(1, []), trade(2, [], { mayLeave: false })])).toEqual([[1]]);
});

test('a trade that must stay keeps everything behind it in its market', () => {
  expect(leaving([opened(1), closed(2), { ...opened(3), mayLeave: false }, closed(4), opened(5), closed(6)])).toEqual([
    [1, 2],
  ]);
});

test('strategies that hold against each other are not flat, although their market is', () => {
  const against = [opened(1, { strategy: 'a' }), closed(2, { strategy: 'b' })];
  expect(leaving(against)).toEqual([]);
  const short = { positionSide: 'SHORT' } as const;
  const apart = [closed(3, { strategy: 'a', ...short }), opened(4, { strategy: 'b', ...short })];
  expect(leaving([...against, ...apart])).toEqual([[1, 2, 3, 4]]);
});

test('an order that rested counts when it filled, and holds its group together', () => {
  const rested = trade(1, [
    { day: 2, side: 'BUY' },
    { day: 8, side: 'BUY' },
  ]);
  expect(leaving([rested, closed(3), opened(4), closed(5), closed(9), opened(10)])).toEqual([[1, 3, 4, 5, 9]]);
});

test('fills around the moment itself stay', () => {
  const late = trade(99, [{ day: 100 - 1 / 24, side: 'SELL' }]);
  expect(leaving([opened(98), late])).toEqual([]);
  const early = trade(99, [{ day: 100 - 2 / 24, side: 'SELL' }]);
  expect(leaving([opened(98), early])).toEqual([[98, 99]]);
});

test('a market that was closed beside us leaves when nothing is open in it and nothing was traded since', () => {
  const trades = [opened(1), opened(2), closed(3)];
  expect(leaving(trades, ['BTCUSDT'])).toEqual([[1, 2, 3]]);
  expect(leaving([...trades, { ...opened(99), mayLeave: false }], ['BTCUSDT'])).toEqual([]);
});

test('a market whose close is too young to be looked at keeps its opening, although nothing is open in it', () => {
  const late = trade(99, [{ day: 100 - 1 / 48, side: 'SELL' }]);
  expect(leaving([opened(1), late], ['BTCUSDT'])).toEqual([]);
});

test('a clock that was set back keeps the market: in which order its fills were is not known', () => {
  const earlier = { ...opened(9), fills: [fillOf({ day: 3, side: 'BUY' })] };
  expect(leaving([opened(1), closed(2), trade(8, []), earlier])).toEqual([[8]]);
});
