// A process that waits takes over a desk in the midst of a trailing stop, while the one before it does not know that yet.

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openLeases } from '../../src/adapters/storage/postgres/leases.ts';
import { openTradingStorage } from '../../src/adapters/storage/postgres/trading.ts';
import { foregroundTimers } from '../../src/timing/timers.ts';
import { decimal } from '../../src/trading/decimal.ts';
import { DeskOwner } from '../../src/trading/desk-owner.ts';
import { DESK_LEASE, type Lease, type Leases } from '../../src/trading/leases.ts';
import { hurry, passTime, passTimeUntil } from '../../src/trading/testing/hurry.ts';
import { createSurvivingVenue } from '../../src/trading/testing/surviving-venue.ts';
import { createTestClock, openTestDesk, slowly, type TestDesk } from '../../src/trading/testing/test-desk.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { startPostgres } from '../support/postgres-server.ts';

const MARKET = 'BTCUSDT';

test('the stop fires once: what the old owner decides is not stored, so nothing of it is sent', async () => {
  hurry();
  const { url } = await startPostgres();
  const venue = createSurvivingVenue(() => 1);
  const clock = createTestClock();
  let price = '100';
  const prices = { lastPrice: async () => price, range: async () => ({ low: price, high: '110' }) };
  const contender = async (): Promise<Leases> => {
    const leases = await openLeases({ url, onTrouble: () => {} });
    closeAtEnd(() => leases.close());
    return leases;
  };
  const open = async (lease: Lease, onFenced: () => void): Promise<TestDesk> => {
    const data = await openTradingStorage({ url, nowMs: Date.now, onDeath: () => {}, lease, onFenced });
    closeAtEnd(() => data.close());
    const protection = { store: data.protection.protections, pricesOf: () => prices };
    // Its own clock lies to it, as that of a machine which was paused does.
    const paused = { remainingMs: () => 4000 };
    const opened = await openTestDesk({ ...slowly(data), venues: [venue.connect()], protection, lease: paused, clock });
    await passTime(opened.desk.start({ afterCrash: true }));
    return opened;
  };

  const first = await (await contender()).claim(DESK_LEASE, { address: 'first', stop: new AbortController().signal });
  let isFenced = false;
  const old = await open(first as Lease, () => {
    isFenced = true;
  });
  const order = {
    market: MARKET,
    symbol: MARKET,
    quantity: decimal('3'),
    protect: { trail: { unit: 'percent' as const, value: decimal('2') } },
  };
  await passTime(old.trade('direct', { order }));
  expect(venue.held(MARKET)).toBe('LONG 3');
  price = '110';
  clock.advance(5000);
  await old.desk.protections.look();

  let present: TestDesk | undefined;
  const owner = new DeskOwner({
    ...{ leases: await contender(), address: 'second', timers: foregroundTimers },
    async open(lease, onFenced) {
      present = await open(lease, onFenced);
      const { desk } = present;
      return { stop: () => passTime(desk.stop(0)), abandon: () => desk.abandon() };
    },
    onTrouble: (_, error) => expect.fail(String(error)),
  });
  owner.start();
  await sleep(300);
  expect(owner.state).toBe('waiting');
  // The old owner does not notice.
  await first?.release();
  await expect.poll(() => owner.state).toBe('owning');

  price = '107';
  clock.advance(5000);
  await Promise.all([old, present as TestDesk].map(({ desk }) => desk.protections.look()));
  await passTimeUntil(() => venue.held(MARKET) === '');
  for (let round = 0; round < 3; round += 1)
    await Promise.all([old, present as TestDesk].map(({ desk }) => desk.protections.look()));
  expect(isFenced).toBe(true);
  expect(venue.orders().map(({ reduceOnly, status }) => [reduceOnly, status])).toEqual([
    [false, 'filled'],
    [true, 'filled'],
  ]);
  expect(venue.faults).toEqual([]);
  await passTime(old.desk.abandon());
  await owner.stop();
});
