// The past beside its replay: what is chance in it makes no difference.

import { expect, test } from 'vitest';
import { decimal, toText, ZERO } from '../decimal.ts';
import { compare } from './comparison.ts';
import { recordedOrder, recordedPast, recordedTrade } from './testing/recorded.ts';

const FROM_MS = 10_500;

/** A market whose position is closed at this moment. */
const closed = (market: string, realizedPnl: string, atMs: number) => {
  const amounts = { quantity: decimal('1'), price: decimal('1'), fee: ZERO, realizedPnl: decimal(realizedPnl) };
  const fill = { clientOrderId: market, fillId: market, feeAsset: 'USDT', ...amounts, atMs };
  const order = recordedOrder({ side: 'SELL', positionSide: 'LONG', fills: [fill] });
  return recordedTrade({ requestId: market, receivedAtMs: atMs, order: { market } }, [order]);
};

interface Moments {
  readonly gainMs: number;
  readonly lossMs: number;
}

/** After a loss of 3: a gain of 5 and a loss of 3. The fall is 3 where the gain comes first, or 6. */
const pastOf = ({ gainMs, lossMs }: Moments) =>
  recordedPast({
    trades: [closed('AAAUSDT', '-3', FROM_MS), closed('BBBUSDT', '5', gainMs), closed('CCCUSDT', '-3', lossMs)],
  });

function figures(past: Moments, replayed: Moments) {
  const pasts = { past: pastOf(past), replayed: pastOf(replayed), refused: new Map<string, string>() };
  const { total } = compare(pasts, { fromMs: FROM_MS, toMs: 60_000 });
  return [total.past, total.replayed].map(({ trades, maxDrawdown }) => [trades, toText(maxDrawdown)]);
}

test('two markets that fill in one second make one drawdown, whichever was first', () => {
  const [past, replayed] = figures({ gainMs: 20_100, lossMs: 20_101 }, { gainMs: 20_300, lossMs: 20_200 });
  expect(past).toEqual([3, '3']);
  expect(replayed).toEqual(past);
});

test('two that fill in different seconds make another one, where the order is another', () => {
  expect(figures({ gainMs: 20_000, lossMs: 21_000 }, { gainMs: 21_000, lossMs: 20_999 })).toEqual([
    [3, '3'],
    [3, '6'],
  ]);
});

test('of the second in which the stretch begins only what is not before it counts', () => {
  const lossMs = 30_000;
  expect(figures({ gainMs: FROM_MS + 400, lossMs }, { gainMs: FROM_MS - 1, lossMs })).toEqual([
    [3, '3'],
    [2, '6'],
  ]);
});
