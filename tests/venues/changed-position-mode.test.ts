// An owner who changes the position mode of an account at the venue while it is traded: the next comparison notices it, nothing is
// opened in a mode that nobody asked for, and what is held can be closed in the one that the account has now.

import { describe, expect, test } from 'vitest';
import { decimal } from '../../src/trading/decimal.ts';
import { MARKET } from '../support/live-gateway.ts';
import { STOP_VENUES } from '../support/stop-venues.ts';
import { eventually, openStopsGateway, type StopsGateway } from '../support/stops-gateway.ts';

const compare = (gateway: StopsGateway) => gateway.ask('/reconciliation', { method: 'POST' });

const buyByHand = ({ emulated }: StopsGateway, isHedge: boolean): void =>
  void emulated.market.place({
    ...{ clientOrderId: 'by-hand', symbol: MARKET, side: 'BUY', positionSide: isHedge ? 'LONG' : 'BOTH' },
    ...{ quantity: decimal('0.02'), reduceOnly: false, timeInForce: 'GTC' },
  });

describe.each(STOP_VENUES)('$exchange', (row) => {
  test.each([
    ['one-way', 'hedge'],
    ['hedge', 'one-way'],
  ])('from %s to %s: entries are shut with the reason until it is changed back', async (from, to) => {
    const gateway = await openStopsGateway(row, { isHedge: from === 'hedge' });
    await compare(gateway);
    await row.setMode(gateway.emulated, to === 'hedge');
    await compare(gateway);
    const words = `${row.exchange}:main is shut: it was ${from} when it was opened and is ${to} at the venue now`;
    expect(gateway.alarms()).toContain(words);
    expect(await gateway.outcome()).toMatchObject({ status: 'Rejected', error: expect.stringContaining(words) });
    expect(gateway.orders()).toEqual([]);
    await row.setMode(gateway.emulated, from === 'hedge');
    await compare(gateway);
    expect(gateway.alarms()).not.toContain('is shut');
    expect(await gateway.outcome()).toMatchObject({ status: 'Filled' });
  });

  test.each([
    ['one-way', 'hedge'],
    ['hedge', 'one-way'],
  ])('from %s to %s: what is held is closed as the account is now, and a restart trades it so', async (from, to) => {
    const isHedge = to === 'hedge';
    const gateway = await openStopsGateway(row, { isHedge: from === 'hedge' });
    await compare(gateway);
    await row.setMode(gateway.emulated, isHedge);
    buyByHand(gateway, isHedge);
    await compare(gateway);
    expect(await gateway.booked()).toEqual(['LONG 0.02']);
    const closed = await gateway.outcome({ action: 'CLOSE_LONG', quantity: 0.02 });
    expect(closed).toMatchObject({ status: 'Filled', executedQty: 0.02 });
    expect(gateway.held()).toBe('');
    await gateway.restart();
    await eventually(() => expect(gateway.alarms()).not.toContain('is shut'));
    expect(await gateway.outcome({ stopLoss: 49000 })).toMatchObject({ status: 'Filled' });
    await gateway.expectStops('SELL 0.01 at 49000');
  });
});
