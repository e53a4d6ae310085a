// Exits right behind orders of which the venue has not told the end: every one closes what it was to close, and nothing of others.

import { describe, expect, test } from 'vitest';
import { MARKET } from '../support/live-gateway.ts';
import { STOP_VENUES } from '../support/stop-venues.ts';
import { eventually, openStopsGateway } from '../support/stops-gateway.ts';

const ASYNC = { settings: { QUEUE_MODE: 'async' } };

describe.each(STOP_VENUES)('$exchange', (row) => {
  test('an exit right behind an entry that is matched a moment after it was acknowledged', async () => {
    const gateway = await openStopsGateway(row, ASYNC);
    gateway.emulated.market.fillDelayMs = 1000;
    await gateway.send();
    await gateway.send({ action: 'CLOSE_LONG' });
    await eventually(async () =>
      expect(await gateway.trades()).toEqual(['webhook LONG 0.01 Filled', 'webhook CLOSE_LONG 0.01 Filled']),
    );
    expect([gateway.held(), gateway.orders(), await gateway.booked()]).toEqual([
      '',
      ['BUY 0.01 FILLED', 'SELL 0.01 FILLED'],
      [],
    ]);
  });

  test('an exit of a strategy whose limit entry has just filled, before its report is booked', async () => {
    const gateway = await openStopsGateway(row, ASYNC);
    await gateway.outcome({ strategy: 'b' });
    await gateway.outcome({ strategy: 'a', price: 49_000 });
    const { faults, market } = gateway.emulated;
    // What tells of the fill is late; the exit is not.
    faults.delay(row.order, 1500, 'before', 1);
    market.setPrice(MARKET, '48900');
    await gateway.send({ strategy: 'a', action: 'CLOSE_LONG' });
    const ends = ['webhook LONG 0.01 Filled b', 'webhook LONG 0.01 Filled a', 'webhook CLOSE_LONG 0.01 Filled a'];
    await eventually(async () => expect(await gateway.trades()).toEqual(ends));
    expect([gateway.held(), await gateway.booked()]).toEqual(['LONG 0.01', ['LONG 0.01']]);
  });
});
