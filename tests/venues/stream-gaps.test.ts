// A stream of an account that was cut and came back, over the whole gateway: what the venue did meanwhile is looked for at once.

import { describe, expect, test } from 'vitest';
import { MARKET } from '../support/live-gateway.ts';
import { timed } from '../support/lived-time.ts';
import { STOP_VENUES } from '../support/stop-venues.ts';
import { eventually, openStopsGateway } from '../support/stops-gateway.ts';

/** The stream is opened again after half a second, two looks are three seconds apart; by itself an account is compared each minute. */
const WELL_BELOW_A_MINUTE_MS = 20_000;

describe.concurrent.each(STOP_VENUES)('$exchange', (row) => {
  test('a liquidation in the gap is booked right after it, not with the next minute', async () => {
    const gateway = await openStopsGateway(row, { venue: { wallet: '100' } });
    const { market, faults, requests } = gateway.emulated;
    expect(await gateway.outcome({ leverage: 20 })).toMatchObject({ status: 'Filled' });
    // The comparison of the start is over.
    await eventually(async () =>
      expect((await gateway.ask('/reconciliation')).result[0]).toMatchObject({ agrees: true }),
    );
    const before = requests.length;
    faults.refusedStreams = '/';
    faults.cutStreams();
    market.setPrice(MARKET, '40000');
    expect(gateway.held()).toBe('');
    faults.refusedStreams = undefined;
    const isBooked = async () => expect(await gateway.trades()).toContain('liquidation CLOSE_LONG 0.01 Filled');
    const { livedMs } = await timed(() => eventually(isBooked));
    expect(livedMs).toBeLessThan(WELL_BELOW_A_MINUTE_MS);
    expect(await gateway.booked()).toEqual([]);
    expect(requests.length - before).toBeLessThan(60);
  });
});
