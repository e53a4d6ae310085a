// What still leaves for a venue while another process may take over the desk, over the whole gateway: nothing that changes anything.

import { describe, expect, test } from 'vitest';
import type { Lease, LeaseEnd } from '../../src/trading/leases.ts';
import { MARKET } from '../support/live-gateway.ts';
import { STOP_VENUES, type StopVenueRow } from '../support/stop-venues.ts';
import { eventually, openStopsGateway, type StopsGateway } from '../support/stops-gateway.ts';

const OTHER = 'ETHUSDT';
const LONG_MS = 4_000;
const LAST_SECOND_MS = 1_000;

/** Ends by the word of the test alone. */
function leaseOfTest() {
  const end = Promise.withResolvers<LeaseEnd>();
  const over = async (): Promise<void> => {};
  const lease = { leftMs: LONG_MS, name: 'desk', token: 1, wasReleased: true, ended: end.promise };
  const remainingMs = (): number => held.leftMs;
  const held = Object.assign(lease, { remainingMs, heldMs: () => 0, release: over, giveBack: over }) satisfies Lease;
  return { held, lose: () => end.resolve('lost') };
}

async function openUnderLease(row: StopVenueRow) {
  const { held, lose } = leaseOfTest();
  const gateway = await openStopsGateway(row, { lease: held });
  gateway.emulated.market.setPrice(OTHER, '3000');
  return { gateway, held, lose };
}

const changes = ({ emulated }: StopsGateway): number =>
  emulated.requests.filter(({ method }) => method !== 'GET').length;

describe.concurrent.each(STOP_VENUES)('$exchange', (row) => {
  const path = `/positions/${row.exchange}:${MARKET}:LONG/protection`;
  const moveStop = (gateway: StopsGateway, stopLoss: number) =>
    gateway.ask(path, { method: 'PUT', body: JSON.stringify({ stopLoss }) });

  test('no leverage, no order and no stop in its last second; all of them once, as soon as it is renewed', async () => {
    const { gateway, held } = await openUnderLease(row);
    await gateway.send({ stopLoss: 49_000 });
    await gateway.expectStops('SELL 0.01 at 49000');
    const before = changes(gateway);
    held.leftMs = LAST_SECOND_MS;
    const entry = gateway.outcome({ symbol: OTHER, quantity: 0.5, leverage: 7 });
    await moveStop(gateway, 49_500);
    const asked = gateway.emulated.requests.length;
    await eventually(() => expect(gateway.emulated.requests.length).toBeGreaterThan(asked + 3));
    expect([changes(gateway), gateway.stops()]).toEqual([before, ['SELL 0.01 at 49000']]);
    held.leftMs = LONG_MS;
    expect(await entry).toMatchObject({ status: 'Filled' });
    await gateway.expectStops('SELL 0.01 at 49500');
    expect([gateway.held(), gateway.held(OTHER)]).toEqual(['LONG 0.01', 'LONG 0.5']);
  });

  test('an order that waits there when it is lost is not sent again', async () => {
    const { gateway, held, lose } = await openUnderLease(row);
    gateway.emulated.faults.delay(row.orders, 2_000, 'before');
    const sent = gateway.send();
    await eventually(() => expect(gateway.emulated.requests.some(({ path }) => path === row.orders.path)).toBe(true));
    const before = changes(gateway);
    held.leftMs = 0;
    lose();
    await sent;
    expect(changes(gateway)).toBe(before);
  });
});
