// Fees that Binance takes in something else than USDT: a fill is booked whatever its fee was paid in.

import { expect, test } from 'vitest';
import { STOP_VENUES } from '../support/stop-venues.ts';
import { eventually, openStopsGateway } from '../support/stops-gateway.ts';

const BINANCE = STOP_VENUES.filter(({ exchange }) => exchange === 'binance');

test.each([
  ['the credits of accounts in Europe, a dollar each', 'BNFCR', '0.2500005'],
  ['an asset that has no price', 'NOCOIN', '0'],
])('%s', async (_, asset, fee) => {
  const [row] = BINANCE;
  if (row === undefined) throw new Error('no row of Binance');
  const gateway = await openStopsGateway(row);
  const { faults } = gateway.emulated;
  // The stream is silent, so that fills are read.
  faults.loseEvents = 10;
  faults.changeAnswer(
    row.fills,
    (text) => text.replaceAll('"commissionAsset":"USDT"', `"commissionAsset":"${asset}"`),
    10,
  );
  await gateway.send();
  await eventually(async () => expect(await gateway.trades()).toEqual(['webhook LONG 0.01 Filled']));
  const { result } = await gateway.ask('/trades');
  const { result: trade } = await gateway.ask<{ readonly result: { readonly fills: readonly object[] } }>(
    `/trades/${result[0]?.requestId}`,
  );
  expect(trade.fills).toMatchObject([{ fee: Number(fee) }]);
  expect(await gateway.booked()).toEqual(['LONG 0.01']);
});
