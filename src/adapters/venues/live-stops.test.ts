// Stops that wait at a real venue are looked after until their order is told, whatever an older answer says of them later; and how long
// what the venue does not show may still appear.

import { expect, test } from 'vitest';
import { createHandClock } from '../../timing/testing/hand-clock.ts';
import { decimal } from '../../trading/decimal.ts';
import { type OrderReport, type StopRequest, VenueError, type VenueStop } from '../../trading/venue.ts';
import { LiveStops } from './live-stops.ts';
import { SentTimes } from './sent-times.ts';

const EVERY_MS = 5000;
const REQUEST: StopRequest = {
  ...{ clientStopId: 'sbx-1s', market: 'BTCUSDT', kind: 'stop', positionSide: 'LONG' },
  ...{ quantity: decimal(1), triggerPrice: decimal(97) },
};

/** A venue that lists its stops when the test says so, and a watch of orders that tells what the test says. */
function opened(place = async (): Promise<void> => {}) {
  const clock = createHandClock(0);
  const { nowMs: monotonicMs, timers } = clock;
  const lists: ((stops: readonly VenueStop[]) => void)[] = [];
  const looked: string[] = [];
  const listeners: ((report: OrderReport) => void)[] = [];
  const never = () => Promise.reject(new Error('nobody asks this'));
  const stops = new LiveStops({
    ...{ title: 'Venue', timers, everyMs: EVERY_MS, sent: new SentTimes({ mayAppearForMs: 1000, monotonicMs }) },
    adapter: {
      ...{ place, find: never, cancel: never },
      waiting: () => new Promise((resolve) => lists.push(resolve)),
    },
    markets: { find: async (symbol) => ({ symbol }) as never },
    watch: {
      listen(listener) {
        listeners.push(listener);
        return () => {};
      },
      look: async (_, id) => void looked.push(id),
    },
    inMode: (send) => send('one-way'),
    onTrouble: (what, error) => {
      throw new Error(what, { cause: error });
    },
  });
  const tellOrderOf = (clientOrderId: string): void => {
    for (const listener of listeners) listener({ clientOrderId } as OrderReport);
  };
  return { stops, clock, lists, looked, tellOrderOf };
}

test('one that waits is asked about every few seconds', async () => {
  const { stops, clock, lists } = opened();
  await stops.place(REQUEST);
  for (const count of [1, 2, 3]) {
    await clock.advance(EVERY_MS);
    expect(lists).toHaveLength(count);
    lists.at(-1)?.([{ ...REQUEST, state: 'waiting' }]);
    await clock.settle();
  }
});

test('one whose order is told while the venue is asked is not looked after again, although the answer shows it waiting', async () => {
  const { stops, clock, lists, looked, tellOrderOf } = opened();
  await stops.place(REQUEST);
  await clock.advance(EVERY_MS);
  expect(lists).toHaveLength(1);
  tellOrderOf(REQUEST.clientStopId);
  lists[0]?.([{ ...REQUEST, state: 'waiting' }]);
  await clock.advance(10 * EVERY_MS);
  stops.ring(REQUEST.clientStopId);
  await clock.settle();
  expect({ questions: lists.length, looked, timers: clock.waiting }).toEqual({ questions: 1, looked: [], timers: 0 });
});

test('one that may be there stays looked after, whatever is said of the attempt to send it again; one that was refused does not', async () => {
  const failures = [new VenueError('unknown', 'no answer'), new VenueError('rejected', 'refused')];
  const lost = opened(() => Promise.reject(failures.shift()));
  await expect(lost.stops.place(REQUEST)).rejects.toThrow('no answer');
  await expect(lost.stops.place(REQUEST)).rejects.toThrow('refused');
  await lost.clock.advance(EVERY_MS);
  const refused = opened(() => Promise.reject(new VenueError('rejected', 'refused')));
  await expect(refused.stops.place(REQUEST)).rejects.toThrow('refused');
  await refused.clock.advance(EVERY_MS);
  expect([lost.lists.length, refused.lists.length]).toEqual([1, 0]);
});

test('after a take-over whatever is not shown may still appear for as long as ever, also what was sent here long before', async () => {
  const { nowMs: monotonicMs, advance } = createHandClock(0);
  const sent = new SentTimes({ mayAppearForMs: 1000, monotonicMs });
  const areOver = () => ['sent here', 'sent by another process'].map((id) => sent.isOver(id));
  sent.note('sent here');
  await advance(1001);
  expect(areOver()).toEqual([true, true]);
  sent.takeOver();
  await advance(1000);
  expect(areOver()).toEqual([false, false]);
  await advance(1);
  expect(areOver()).toEqual([true, true]);
});
