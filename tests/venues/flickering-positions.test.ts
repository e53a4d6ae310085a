// A venue that says for a moment that nothing is held, although something is: the books, the stop at the venue and the closes of a
// position must outlive it. And one that goes on saying so, because the owner has closed by hand: then it is believed.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { tradeByHand } from '../support/emulated-venues/owner.ts';
import { MARKET } from '../support/live-gateway.ts';
import { STOP_VENUES, type StopVenueRow } from '../support/stop-venues.ts';
import { eventually, openStopsGateway, type StopsGateway } from '../support/stops-gateway.ts';

const STOP = 'SELL 0.01 at 49000';
/** What was traded so short a time ago is not compared yet. */
const QUIET_MS = 3000;
const BELIEVED_MS = 30_000;
const ALWAYS = 100_000;

/** A clock that the test moves: of the process under test, not of the venue. */
let aheadMs: number;
const elapsed = performance.now.bind(performance);
beforeEach(() => {
  aheadMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => elapsed() + aheadMs);
});
afterEach(() => vi.restoreAllMocks());

interface Compared {
  readonly agrees: boolean;
  readonly differences: readonly { readonly kind: string; readonly outcome: string; readonly detail: string }[];
}

async function compare(gateway: StopsGateway): Promise<Compared> {
  const { result } = await gateway.ask<{ result: [Compared] }>('/reconciliation', { method: 'POST' });
  return result[0];
}
const outcomes = async (gateway: StopsGateway) =>
  (await compare(gateway)).differences.filter(({ kind }) => kind === 'position').map(({ outcome }) => outcome);

/** As the venue says it where nothing is held; Bybit lists the market all the same, with its position mode. */
const flat = ({ exchange, noPositions }: StopVenueRow): object =>
  exchange === 'bybit'
    ? { retCode: 0, result: { list: [{ symbol: MARKET, positionIdx: 0, side: '', size: '0' }] } }
    : noPositions;

const showFlat = (gateway: StopsGateway, row: StopVenueRow): void =>
  gateway.emulated.faults.answerInstead(row.positions, 200, flat(row), ALWAYS);

/** Long 0.01 with its stop at the venue, traded long enough ago to be compared. */
async function openGuarded(row: StopVenueRow, fields: object = {}): Promise<StopsGateway> {
  const gateway = await openStopsGateway(row, { isHedge: row.exchange === 'mexc' });
  await compare(gateway);
  await gateway.send({ stopLoss: 49000, ...fields });
  await gateway.expectStops(STOP);
  aheadMs += QUIET_MS;
  return gateway;
}

const closeByHand = (gateway: StopsGateway, { exchange }: StopVenueRow, quantity = '0.01'): void =>
  void tradeByHand(gateway.emulated, { exchange, symbol: MARKET, side: 'SELL', quantity, closes: true });

describe.each(STOP_VENUES)('$exchange', (row) => {
  test('a position that is not shown over a whole comparison keeps its books and its stop', async () => {
    const gateway = await openGuarded(row);
    showFlat(gateway, row);
    const { agrees, differences } = await compare(gateway);
    expect(agrees).toBe(false);
    expect(differences).toMatchObject([
      {
        outcome: 'open',
        detail: expect.stringMatching(/our books had 0.01, the venue has 0;.* believed when .* for 30 seconds/),
      },
    ]);
    expect(await gateway.booked()).toEqual(['LONG 0.01']);
    await gateway.expectStops(STOP);
    gateway.emulated.faults.clear();
    expect(await compare(gateway)).toMatchObject({ agrees: true });
    // It begins anew: the looks between the two have agreed.
    aheadMs += BELIEVED_MS;
    showFlat(gateway, row);
    expect(await outcomes(gateway)).toEqual(['open']);
    gateway.emulated.faults.clear();
    expect(await compare(gateway)).toMatchObject({ agrees: true });
    expect(gateway.alarms()).toBe('');
    expect(gateway.everTaken()).toBe(1);
    await gateway.expectStops(STOP);
  });

  test('a position that is really closed by hand is believed to be gone after 30 seconds, and its stop is removed', async () => {
    const gateway = await openGuarded(row);
    closeByHand(gateway, row);
    expect(await outcomes(gateway)).toEqual(['open']);
    expect(await gateway.booked()).toEqual(['LONG 0.01']);
    aheadMs += BELIEVED_MS;
    expect(await outcomes(gateway)).toEqual(['adopted']);
    expect(await gateway.booked()).toEqual([]);
    await gateway.expectStops();
    expect(gateway.alarms()).toContain('our books had 0.01, the venue has 0; the venue');
    expect(await gateway.trades()).toEqual(['webhook LONG 0.01 Filled']);
  });

  test('what was closed by hand in a market that is traded all the time is believed to be gone as soon as in a quiet one', async () => {
    const gateway = await openGuarded(row);
    closeByHand(gateway, row, '0.004');
    expect(await outcomes(gateway)).toEqual(['open']);
    aheadMs += BELIEVED_MS / 2;
    await gateway.send({ quantity: 0.002 });
    aheadMs += QUIET_MS;
    expect(await outcomes(gateway)).toEqual(['open']);
    expect(await gateway.booked()).toEqual(['LONG 0.012']);
    aheadMs += BELIEVED_MS / 2 - QUIET_MS;
    expect(await outcomes(gateway)).toEqual(['adopted']);
    expect(await gateway.booked()).toEqual(['LONG 0.008']);
  });

  test('a restart at a venue that shows nothing leaves the books and the stop standing', async () => {
    const gateway = await openGuarded(row);
    showFlat(gateway, row);
    await gateway.restart();
    expect(await outcomes(gateway)).toEqual(['open']);
    expect(await gateway.booked()).toEqual(['LONG 0.01']);
    await gateway.expectStops(STOP);
    gateway.emulated.faults.clear();
    expect(await compare(gateway)).toMatchObject({ agrees: true });
    expect(gateway.alarms()).toBe('');
    expect(gateway.everTaken()).toBe(1);
    await gateway.expectStops(STOP);
  });

  test('a position that was really closed while nobody looked is believed to be gone after 30 seconds too', async () => {
    const gateway = await openGuarded(row);
    await gateway.stop();
    closeByHand(gateway, row);
    await gateway.restart();
    expect(await gateway.booked()).toEqual(['LONG 0.01']);
    await outcomes(gateway);
    aheadMs += BELIEVED_MS;
    await eventually(async () => {
      await compare(gateway);
      expect(await gateway.booked()).toEqual([]);
    });
    await gateway.expectStops();
  });

  test.each(['failover', 'direct', 'async'])(
    'a close (%s) waits for a position that is not shown, and takes no stop away meanwhile',
    async (queueMode) => {
      const gateway = await openGuarded(row);
      const body = JSON.stringify({ mode: queueMode });
      await gateway.ask('/admin/queue-mode', { method: 'PUT', body });
      showFlat(gateway, row);
      const { requestId, tradeResult } = await gateway.send({ action: 'CLOSE_LONG' });
      expect(tradeResult?.status).not.toBe('Filled');
      expect([gateway.held(), gateway.stops()]).toEqual(['LONG 0.01', [STOP]]);
      expect(await gateway.booked()).toEqual(['LONG 0.01']);
      const becomes = (status: string) =>
        eventually(async () => expect(await gateway.ask(`/trades/${requestId}`)).toMatchObject({ result: { status } }));
      // Whoever waits for the answer is told to send it again; the others need not.
      if (queueMode === 'direct') {
        await becomes('Rejected');
        expect(await gateway.ask(`/trades/${requestId}`)).toMatchObject({
          result: { error: expect.stringContaining('does not show the position for certain, nothing was sent') },
        });
        expect(gateway.stops()).toEqual([STOP]);
        gateway.emulated.faults.clear();
        await gateway.outcome({ action: 'CLOSE_LONG' });
      } else {
        gateway.emulated.faults.clear();
        await becomes('Filled');
      }
      expect(gateway.held()).toBe('');
      await gateway.expectStops();
    },
  );

  test('a close waits for it also while an order of its market has no answer', async () => {
    const gateway = await openGuarded(row);
    const nobodyKnows = { status: 502, text: '' };
    gateway.emulated.faults.plan(row.orders, { type: 'answer', when: 'before', reply: nobodyKnows });
    expect(await gateway.outcome({ price: 40000, strategy: 'other' })).toMatchObject({ status: 'Unknown' });
    showFlat(gateway, row);
    const closing = gateway.outcome({ action: 'CLOSE_LONG' });
    await eventually(() => expect(gateway.built().gateway?.desk.backlog()).toBe(1));
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect([gateway.held(), gateway.stops(), await gateway.booked()]).toEqual(['LONG 0.01', [STOP], ['LONG 0.01']]);
    gateway.emulated.faults.clear();
    expect(await closing).toMatchObject({ status: 'Filled' });
    expect(gateway.held()).toBe('');
  });

  test('what nobody could look at for a while is not believed by two empty answers', async () => {
    const gateway = await openGuarded(row);
    showFlat(gateway, row);
    expect(await outcomes(gateway)).toEqual(['open']);
    aheadMs += 10 * 60_000;
    expect(await outcomes(gateway)).toEqual(['open']);
    expect([gateway.stops(), await gateway.booked()]).toEqual([[STOP], ['LONG 0.01']]);
  });

  test('a close of a position that was closed by hand is refused when that is believed', async () => {
    const gateway = await openGuarded(row);
    closeByHand(gateway, row);
    const closing = gateway.outcome({ action: 'CLOSE_LONG' });
    await eventually(() => expect(gateway.built().gateway?.desk.backlog()).toBe(1));
    aheadMs += BELIEVED_MS;
    expect(await closing).toMatchObject({ status: 'Rejected', error: expect.stringContaining('there is no long') });
    expect(await gateway.booked()).toEqual([]);
    await gateway.expectStops();
  });

  test('our own guard closes a position that is not shown as soon as it is, and keeps the stop at the venue until then', async () => {
    const gateway = await openGuarded(row, { maxHoldSeconds: 2 });
    showFlat(gateway, row);
    await eventually(() => expect(gateway.alarms()).toContain('was held for 2 seconds and is being closed'));
    await eventually(() => expect(gateway.built().gateway?.desk.backlog()).toBe(1));
    // Longer than it takes to ask for the position and to take a stop away.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect([gateway.held(), gateway.stops()]).toEqual(['LONG 0.01', [STOP]]);
    gateway.emulated.faults.clear();
    await eventually(() => expect(gateway.held()).toBe(''));
    await gateway.expectStops();
    await eventually(async () => expect(await gateway.booked()).toEqual([]));
  });

  // On a hedge account a short position is one of its own.
  if (row.exchange === 'mexc') return;
  test('what would turn a position that is not shown waits for it, and turns all of it', async () => {
    const gateway = await openGuarded(row);
    showFlat(gateway, row);
    const turning = gateway.outcome({ action: 'SHORT' });
    await eventually(() => expect(gateway.built().gateway?.desk.backlog()).toBe(1));
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(gateway.held()).toBe('LONG 0.01');
    gateway.emulated.faults.clear();
    expect(await turning).toMatchObject({ status: 'Filled' });
    expect(gateway.held()).toBe('SHORT 0.01');
  });
});
