// The oracle of order knows what a reversal has moved that ended between its two orders.

import { expect, test } from 'vitest';
import { replay } from './as-if-in-order.ts';

const filled = (action: string, quantity: number) => ({
  ...{ name: `${action} ${quantity}`, action, quantity },
  ...{ state: 'filled', executedQuantity: quantity },
});
const half = (action: string, quantity: number) => ({
  ...{ ...filled(action, quantity), state: 'rejected', executedQuantity: 0 },
  isHalfReversed: true,
});

test('half of a reversal closes what was held the other way, and opens nothing', () => {
  expect(replay([filled('LONG', 3), half('SHORT', 2)])).toMatchObject({ faults: [], position: '' });
  expect(replay([filled('LONG', 3), half('SHORT', 2), filled('SHORT', 2)])).toMatchObject({ position: 'SHORT 2' });
});

test('the first half takes what all strategies together hold the other way, and is its own strategy’s', () => {
  const others = (trade: ReturnType<typeof filled>) => ({ ...trade, strategy: 'other' });
  const { faults, position, shares } = replay([others(filled('LONG', 1)), half('SHORT', 3)]);
  expect([faults, position, Object.fromEntries(shares)]).toEqual([[], '', { other: 1, '': -1 }]);
  // A close whose second order would have opened the others' side again.
  const close = replay([filled('LONG', 3), others(filled('SHORT', 2)), half('CLOSE_LONG', 3)]);
  expect([close.faults, close.position]).toEqual([[], '']);
});

test('half of a reversal without anything to reverse is a fault', () => {
  for (const trades of [
    [half('SHORT', 2)],
    [filled('SHORT', 3), half('SHORT', 2)],
    [filled('LONG', 3), half('CLOSE_LONG', 3)],
  ])
    expect(replay(trades).faults).toEqual([expect.stringContaining('has nothing that it could have closed')]);
});
