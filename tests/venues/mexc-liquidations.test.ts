// Liquidations at MEXC: what it closes itself may have the name of something else that it closes in the same moment.

import { expect, test } from 'vitest';
import { MARKET } from '../support/live-gateway.ts';
import { STOP_VENUES } from '../support/stop-venues.ts';
import { eventually, openStopsGateway } from '../support/stops-gateway.ts';

const MEXC = STOP_VENUES.filter(({ exchange }) => exchange === 'mexc');

test.each(MEXC)('both sides of an account at $exchange that are liquidated at once are two trades', async (row) => {
  let frozenMs: number | undefined;
  const venue = { nowMs: () => frozenMs ?? Date.now() };
  const gateway = await openStopsGateway(row, { isHedge: true, venue });
  await gateway.outcome({ quantity: 0.02 });
  await gateway.outcome({ action: 'SHORT' });
  frozenMs = Date.now();
  gateway.emulated.market.liquidate(MARKET);
  frozenMs = undefined;
  const compare = () => gateway.ask('/reconciliation', { method: 'POST' });
  await eventually(async () => {
    await compare();
    expect((await gateway.trades()).slice(2).toSorted()).toEqual([
      'liquidation CLOSE_LONG 0.02 Filled',
      'liquidation CLOSE_SHORT 0.01 Filled',
    ]);
  });
  expect([gateway.held(), await gateway.booked()]).toEqual(['', []]);
  await gateway.restart();
  await compare();
  expect(await gateway.trades()).toHaveLength(4);
});
