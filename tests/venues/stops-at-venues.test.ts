// Stops that stand at emulated venues, through the whole gateway: placed with the entry, moved and taken away by the owner, found again
// after a restart, and never left behind when what they guard is gone.

import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { MARKET } from '../support/live-gateway.ts';
import { STOP_VENUES } from '../support/stop-venues.ts';
import { eventually, openStopsGateway, type StopsGateway } from '../support/stops-gateway.ts';

/** Stops are looked at every second. */
const LOOKS_MS = 2_500;
/** Well within the five seconds in which a venue still takes a request, on a busy machine too. */
const LATE_MS = 2_500;
const body = (value: object): RequestInit => ({ body: JSON.stringify(value) });

describe.concurrent.each(STOP_VENUES)('$exchange', (row) => {
  const { exchange, stops: placing, cancels } = row;
  const path = `/positions/${exchange}:${MARKET}:LONG/protection`;
  const flatten = (gateway: StopsGateway) =>
    gateway.ask('/admin/kill-switch', { method: 'PUT', ...body({ active: true, scope: 'all', flatten: true }) });
  const closeAll = (gateway: StopsGateway) =>
    gateway.ask('/positions/close', { method: 'POST', ...body({ all: true }) });

  test('the stop of an entry stands at the venue, is moved and taken away by its owner', async () => {
    const gateway = await openStopsGateway(row);
    await gateway.send({ stopLoss: 49000 });
    await gateway.expectStops('SELL 0.01 at 49000');
    await gateway.ask(path, { method: 'PUT', ...body({ stopLoss: 49500 }) });
    await gateway.expectStops('SELL 0.01 at 49500');
    await gateway.ask(path, { method: 'DELETE' });
    await gateway.expectStops();
    expect(gateway.everTaken()).toBe(2);
    expect(gateway.held()).toBe('LONG 0.01');
    expect(gateway.alarms()).toBe('');
  });

  test('a take profit stands beside the stop, and a short has both on its own sides', async () => {
    const gateway = await openStopsGateway(row);
    await gateway.send({ stopLoss: 49000, takeProfit: 51000 });
    await gateway.expectStops('SELL 0.01 at 49000', 'SELL 0.01 at 51000');
    await gateway.send({ action: 'CLOSE_LONG' });
    await gateway.expectStops();
    await gateway.send({ action: 'SHORT', stopLoss: 51000, takeProfit: 49000 });
    await gateway.expectStops('BUY 0.01 at 49000', 'BUY 0.01 at 51000');
  });

  test('what is added to a position is guarded with it', async () => {
    const gateway = await openStopsGateway(row);
    await gateway.send({ stopLoss: 49000 });
    await gateway.send({ quantity: 0.02 });
    await gateway.expectStops('SELL 0.03 at 49000');
    await gateway.send({ action: 'CLOSE_LONG', quantity: 0.01 });
    await gateway.expectStops('SELL 0.02 at 49000');
  });

  test.each<[string, (gateway: StopsGateway) => Promise<unknown>, string]>([
    ['a signal', (gateway) => gateway.send({ action: 'CLOSE_LONG' }), ''],
    ['its owner', closeAll, ''],
    ['the kill switch', flatten, ''],
    ['a reversal', (gateway) => gateway.send({ action: 'SHORT' }), 'SHORT 0.01'],
  ])('no stop is left behind by a close of %s, and none comes again', async (_, close, held) => {
    const gateway = await openStopsGateway(row);
    await gateway.send({ stopLoss: 49000, takeProfit: 51000 });
    await gateway.expectStops('SELL 0.01 at 49000', 'SELL 0.01 at 51000');
    await close(gateway);
    await eventually(() => expect(gateway.held()).toBe(held));
    await gateway.expectStops();
    await wait(LOOKS_MS);
    gateway.trade(48990);
    gateway.trade(51010);
    expect([gateway.everTaken(), gateway.stops(), gateway.held()]).toEqual([2, [], held]);
  });

  test('a stop grows with the fills of its entry', async () => {
    const gateway = await openStopsGateway(row);
    const { market } = gateway.emulated;
    await gateway.send({ price: 49500, stopLoss: 49000 });
    await gateway.expectStops();
    market.setLiquidity(MARKET, '0.004');
    gateway.trade(49499);
    await gateway.expectStops('SELL 0.004 at 49000');
    market.setLiquidity(MARKET);
    await gateway.expectStops('SELL 0.01 at 49000');
  });

  test('a target that is reached leaves a stop for the rest, at the entry price where that was asked for', async () => {
    const gateway = await openStopsGateway(row);
    await gateway.send({
      ...{ quantity: 0.02, stopLoss: 49000, breakEvenAfter: 1 },
      targets: [{ price: 51000, share: 0.5 }],
    });
    await gateway.expectStops('SELL 0.02 at 49000');
    gateway.trade(51000);
    await gateway.expectStops('SELL 0.01 at 50000.1');
    expect(gateway.held()).toBe('LONG 0.01');
  });

  test.each<[string, (faults: StopsGateway['emulated']['faults']) => void]>([
    ['breaks off', (faults) => faults.dropAnswerAfterAccept(cancels)],
    ['breaks off before it', (faults) => faults.dropBefore(cancels)],
    ['is a 502', (faults) => faults.statusAfterAccept(cancels, 502)],
  ])('no stop is left behind where the answer to its cancel %s', async (_, plan) => {
    const gateway = await openStopsGateway(row);
    await gateway.send({ stopLoss: 49000 });
    await gateway.expectStops('SELL 0.01 at 49000');
    plan(gateway.emulated.faults);
    await gateway.send({ action: 'CLOSE_LONG' });
    await gateway.expectStops();
    expect(gateway.everTaken()).toBe(1);
  });

  test('a stop that the venue takes late, when its share is closed, is taken away and spares the next entry', async () => {
    const gateway = await openStopsGateway(row);
    const asked = () =>
      gateway.emulated.requests.filter(({ method, path: each }) => method === placing.method && each === placing.path)
        .length;
    await gateway.send();
    const before = asked();
    gateway.emulated.faults.arriveLate(placing, LATE_MS);
    await gateway.ask(path, { method: 'PUT', ...body({ stopLoss: 49000 }) });
    await eventually(() => expect(asked()).toBe(before + 1));
    expect(await gateway.outcome({ action: 'CLOSE_LONG' })).toMatchObject({ status: 'Filled' });
    expect(await gateway.outcome({ quantity: 0.02 })).toMatchObject({ status: 'Filled' });
    await eventually(() => expect([gateway.held(), gateway.everTaken()]).toEqual(['LONG 0.02', 1]));
    await gateway.expectStops();
    gateway.trade(48990);
    expect([gateway.held(), gateway.everTaken()]).toEqual(['LONG 0.02', 1]);
  });

  test('no stop is left behind by a liquidation', async () => {
    const gateway = await openStopsGateway(row);
    await gateway.send({ quantity: 20, leverage: 20, stopLoss: 10000 });
    await gateway.expectStops('SELL 20 at 10000');
    gateway.trade(45000);
    expect(gateway.held()).toBe('');
    await gateway.ask('/reconciliation', { method: 'POST' });
    await gateway.expectStops();
    expect(await gateway.trades()).toEqual(['webhook LONG 20 Filled', 'liquidation CLOSE_LONG 20 Filled']);
    expect(gateway.everTaken()).toBe(1);
  });

  test('a restart finds what stands, places nothing twice, and takes it away with its share', async () => {
    const gateway = await openStopsGateway(row);
    await gateway.send({ stopLoss: 49000, takeProfit: 51000 });
    await gateway.expectStops('SELL 0.01 at 49000', 'SELL 0.01 at 51000');
    await gateway.restart();
    await wait(LOOKS_MS);
    await gateway.expectStops('SELL 0.01 at 49000', 'SELL 0.01 at 51000');
    expect(gateway.everTaken()).toBe(2);
    await gateway.send({ action: 'CLOSE_LONG' });
    await gateway.expectStops();
    expect(gateway.everTaken()).toBe(2);
    expect(gateway.alarms()).toBe('');
  });

  test('where its owner wants none at the venue they go at the next start, and our own guard closes', async () => {
    const gateway = await openStopsGateway(row);
    await gateway.send({ stopLoss: 49000 });
    await gateway.expectStops('SELL 0.01 at 49000');
    await gateway.restart({ PROTECTION_AT_VENUE: 'no' });
    await gateway.expectStops();
    gateway.trade(48990);
    await eventually(async () => expect(await gateway.trades()).toContain('stop-loss CLOSE_LONG 0.01 Filled'));
    expect([gateway.held(), gateway.everTaken()]).toEqual(['', 1]);
  });

  test('a kill switch that closes nothing leaves the stops, and they act', async () => {
    const gateway = await openStopsGateway(row);
    await gateway.send({ stopLoss: 49000 });
    await gateway.expectStops('SELL 0.01 at 49000');
    await gateway.ask('/admin/kill-switch', { method: 'PUT', ...body({ active: true, scope: 'all' }) });
    await wait(LOOKS_MS);
    await gateway.expectStops('SELL 0.01 at 49000');
    gateway.trade(48990);
    await eventually(async () => expect(await gateway.booked()).toEqual([]));
    expect(await gateway.trades()).toContain('stop-loss CLOSE_LONG 0.01 Filled');
  });

  test('a stop whose answer is lost while we stop is found at the next start, and there is one', async () => {
    const gateway = await openStopsGateway(row);
    await gateway.send();
    gateway.emulated.faults.dropAnswerAfterAccept(placing);
    await gateway.ask(path, { method: 'PUT', ...body({ stopLoss: 49000 }) });
    await gateway.restart();
    await gateway.expectStops('SELL 0.01 at 49000');
    await wait(LOOKS_MS);
    expect(gateway.everTaken()).toBe(1);
    await gateway.send({ action: 'CLOSE_LONG' });
    await gateway.expectStops();
  });

  test('a trail is followed at the venue, in steps and not faster than its pace', async () => {
    const gateway = await openStopsGateway(row);
    await gateway.send({ trailPercent: 2 });
    await gateway.expectStops('SELL 0.01 at 49000');
    const began = Date.now();
    for (let price = 50050; price < 52000; price += 50) {
      gateway.trade(price);
      await wait(150);
    }
    // Further than any step that it may still be behind.
    gateway.trade(53000);
    await gateway.expectStops('SELL 0.01 at 51940');
    expect(gateway.everTaken() - 1).toBeLessThanOrEqual(Math.ceil((Date.now() - began) / 5000) + 1);
    expect(gateway.everTaken()).toBeGreaterThan(1);
    gateway.trade(51930);
    await eventually(async () => expect(await gateway.trades()).toContain('trailing-stop CLOSE_LONG 0.01 Filled'));
    expect(gateway.held()).toBe('');
  });

  test('stops and what they have sent are nobody’s orders in a comparison', async () => {
    const gateway = await openStopsGateway(row);
    const compare = async () => (await gateway.ask('/reconciliation', { method: 'POST' })).result[0];
    await gateway.send({ stopLoss: 49000, takeProfit: 51000 });
    await gateway.expectStops('SELL 0.01 at 49000', 'SELL 0.01 at 51000');
    await eventually(async () =>
      expect(await compare()).toMatchObject({ agrees: true, positions: 1, orders: 0, differences: [] }),
    );
    gateway.trade(49000);
    // Before anybody has looked at the stop.
    await compare();
    await eventually(async () =>
      expect(await compare()).toMatchObject({ agrees: true, positions: 0, differences: [] }),
    );
    expect(await gateway.trades()).toEqual(['webhook LONG 0.01 Filled', 'stop-loss CLOSE_LONG 0.01 Filled']);
  });
});
