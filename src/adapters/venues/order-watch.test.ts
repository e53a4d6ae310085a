// Orders that rest are watched: whoever has seen a change first, the listeners are told of it, once.

import { expect, test } from 'vitest';
import { createHandClock } from '../../timing/testing/hand-clock.ts';
import { decimal } from '../../trading/decimal.ts';
import type { OrderReport, OrderStatus } from '../../trading/venue.ts';
import { OrderWatch } from './order-watch.ts';

const ID = 'sbx-1';

const report = (status: OrderStatus, executed: string): OrderReport => ({
  ...{ clientOrderId: ID, orderId: '7', market: 'BTCUSDT', side: 'BUY', positionSide: 'LONG', reduceOnly: false },
  ...{ status, quantity: decimal(1), executedQuantity: decimal(executed), averagePrice: undefined, fills: [] },
});

function open() {
  const { timers } = createHandClock(0);
  const told: string[] = [];
  const venue = { now: report('submitted', '0') };
  const watch: OrderWatch = new OrderWatch({
    ...{ timers, everyMs: 5000, onTrouble: () => expect.unreachable() },
    look: async () => {
      watch.note(venue.now);
      return venue.now;
    },
  });
  watch.listen(({ status }) => told.push(status));
  /** It has become this, and somebody else than the watch is the first to see it. */
  const seenByOthers = (status: OrderStatus, executed: string): void => {
    venue.now = report(status, executed);
    watch.note(venue.now);
  };
  return { watch, told, venue, seenByOthers };
}

test('a fill that somebody else has seen first is told, and once', async () => {
  const { watch, told, seenByOthers } = open();
  seenByOthers('submitted', '0');
  seenByOthers('partially_filled', '0.5');
  await watch.lookAtAll();
  await watch.lookAtAll();
  expect(told).toEqual(['partially_filled']);
});

test('so is the end of an order, although it is watched no more', async () => {
  const { watch, told, seenByOthers } = open();
  seenByOthers('submitted', '0');
  seenByOthers('filled', '1');
  await watch.lookAtAll();
  expect(told).toEqual(['filled']);
});

test('of one that had filled in part when it was first seen, the watch tells at its next look', async () => {
  const { watch, told, seenByOthers } = open();
  seenByOthers('partially_filled', '0.5');
  expect(told).toEqual([]);
  await watch.lookAtAll();
  await watch.lookAtAll();
  expect(told).toEqual(['partially_filled']);
});

test('that an order rests is not told, and one that nobody has seen before is', async () => {
  const { watch, told, venue, seenByOthers } = open();
  seenByOthers('submitted', '0');
  await watch.lookAtAll();
  expect(told).toEqual([]);
  seenByOthers('canceled', '0');
  venue.now = report('filled', '1');
  await watch.look('BTCUSDT', ID);
  expect(told).toEqual(['canceled', 'filled']);
});
