// Entry prices, profits and fees through the front door: exact over many fills and restarts, shown as fine as the venue counts.

import { expect, test } from 'vitest';
import { createReports, type ReportParts } from '../../src/trading/chat/reports.ts';
import { decimal, toText } from '../../src/trading/decimal.ts';
import { type WrittenMarket, writtenMarket } from '../protection/written-market.ts';
import type { Sent, TestGateway } from '../support/gateway.ts';
import { expectFilled, freshGateway } from '../webhook/answers.ts';

const rowsOf = async (gateway: TestGateway, query: string): Promise<Record<string, string>[]> =>
  (await gateway.request('POST', '/query', { query })).body.results;

const positionsOf = async (gateway: TestGateway): Promise<Sent['body'][]> =>
  (await gateway.request('GET', '/positions')).body.result;

/** The sum of price times quantity over the quantity, in units of 10^-12, rounded once. */
function exactAverage(fills: readonly { price: number; executedQty: number }[]): bigint {
  const cost = fills.reduce((sum, { price, executedQty }) => sum + decimal(price) * decimal(executedQty), 0n);
  const quantity = fills.reduce((sum, { executedQty }) => sum + decimal(executedQty), 0n);
  return (2n * cost + quantity) / (2n * quantity);
}

async function fillAt(gateway: TestGateway, market: WrittenMarket, price: number, fields: Record<string, unknown>) {
  market.trade(price);
  const sent = await gateway.send(fields);
  expectFilled(sent);
  return sent.body.tradeResult;
}

test('an entry price of many fills does not drift, over restarts, in answers, in SQL and at the venue', async () => {
  const market = writtenMarket(3000);
  let gateway = await freshGateway({ prices: market });
  const fills: { price: number; executedQty: number }[] = [];
  for (let number = 0; number < 30; number++) {
    const quantity = [0.011, 0.013, 0.017][number % 3] as number;
    fills.push(await fillAt(gateway, market, 3000 + number * 0.37, { symbol: 'ETHUSDT', quantity }));
    const exact = exactAverage(fills);
    const [row] = await rowsOf(gateway, 'SELECT entry_price FROM positions');
    expect(row?.entry_price).toBe(toText(exact as ReturnType<typeof decimal>));
    const [position] = await positionsOf(gateway);
    // The tick of ETHUSDT is 0.01, so four places are shown.
    expect(position.entryPrice).toBe(Math.round(Number(exact) / 1e8) / 1e4);
    const [held] = await (gateway.venues[0] as (typeof gateway.venues)[number]).positions('ETHUSDT');
    expect(held?.entryPrice).toBe(exact);
    if (number % 10 === 9) {
      await gateway.close();
      gateway = await freshGateway({ prices: market, dataDir: gateway.dataDir });
    }
  }
});

test('profits and fees are shown to eight places, and a part that is sold leaves the entry price alone', async () => {
  const market = writtenMarket(0.012345);
  const gateway = await freshGateway({ prices: market });
  const pepe = { symbol: '1000PEPEUSDT' };
  const fills = [
    await fillAt(gateway, market, 0.0123451, { ...pepe, quantity: 1001 }),
    await fillAt(gateway, market, 0.0123457, { ...pepe, quantity: 2002 }),
  ];
  const [before] = await positionsOf(gateway);
  expect(before.entryPrice).toBe(Math.round(Number(exactAverage(fills)) / 1e3) / 1e9);
  const sold = await gateway.send({ ...pepe, action: 'CLOSE_LONG', quantity: 7 });
  const [after] = await positionsOf(gateway);
  expect(after.entryPrice).toBe(before.entryPrice);
  const { fills: told } = await gateway.trade(sold.body.requestId);
  const amounts = [after.unrealizedPnl, after.realizedPnl, after.fees, told[0].fee, told[0].realizedPnl];
  expect(amounts.every((amount: number) => Number(amount.toFixed(8)) === amount)).toBe(true);
  expect(amounts.filter((amount: number) => amount !== 0).length).toBeGreaterThanOrEqual(4);
});

test('the chat shows the same digits', async () => {
  const market = writtenMarket(96_337);
  const gateway = await freshGateway({ prices: market });
  await fillAt(gateway, market, 96_337.1, { quantity: 0.002 });
  await fillAt(gateway, market, 96_337.3, { quantity: 0.004 });
  const [position] = await positionsOf(gateway);
  expect(String(position.entryPrice)).toMatch(/^\d+\.\d{3}$/);
  const { journal } = gateway.data;
  const { protections } = gateway.desk;
  const parts = { journal, pricesOf: () => market, venues: gateway.venues, protections } as unknown as ReportParts;
  const text = await createReports(parts).positions?.([]);
  expect(text).toContain(`in at ${position.entryPrice}, now`);
  expect(text).not.toMatch(/\.\d{9}/);
});
