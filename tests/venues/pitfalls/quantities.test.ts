// Numbers on their way to a venue: on its steps and ticks, in its contracts, as plain digits, and with the minimum named.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decimal } from '../../../src/trading/decimal.ts';
import { DEFAULT_MARKETS } from '../../support/emulated-venues/market-spec.ts';
import { LIVE_VENUES, type LiveGateway, MARKET, openLiveGateway } from '../../support/live-gateway.ts';

const TINY = 'PEPEUSDT';
/** A market in which JavaScript writes prices as 1.2e-7. */
const TINY_SPEC = {
  ...DEFAULT_MARKETS[2]!,
  ...{ symbol: TINY, base: 'PEPE', tickSize: decimal('0.00000001'), minPrice: decimal('0.00000001') },
};

describe.each(LIVE_VENUES)('$exchange', (row) => {
  let gateway: LiveGateway;
  beforeEach(async () => {
    gateway = await openLiveGateway(row, { venue: { specs: [...DEFAULT_MARKETS, TINY_SPEC] } });
    gateway.emulated.market.setPrice(TINY, '0.0000002');
  });
  afterEach(() => gateway.close());
  const sent = (): readonly string[] =>
    gateway.emulated.requests
      .filter(({ method, path }) => method === row.orders.method && path === row.orders.path)
      .map(({ rawQuery, body }) => rawQuery + body);

  test('a quantity between two steps is cut, never rounded up, and a price goes to the next tick', async () => {
    await gateway.send({ quantity: 0.02999999, price: 49000.123 });
    const [order] = gateway.emulated.market.orders;
    // MEXC counts contracts of 0.0001.
    expect(order).toMatchObject({
      quantity: decimal(row.exchange === 'mexc' ? '0.0299' : '0.029'),
      price: decimal('49000.1'),
    });
    if (row.exchange === 'mexc') expect(sent()[0]).toMatch(/"vol":"?299"?[,}]/);
  });

  test('prices and quantities are sent as plain digits, however small or large', async () => {
    await gateway.send({ symbol: TINY, quantity: 28_000_000, price: 0.00000019 });
    expect(gateway.emulated.market.orders).toMatchObject([{ price: decimal('0.00000019') }]);
    expect(sent()).toHaveLength(1);
    expect(sent()[0]).not.toMatch(/(price|qty|quantity|vol)[":=]+[\d.]*e/i);
  });

  test('an order that is worth too little is refused with the minimum, and a position so small can be closed', async () => {
    const answer = await gateway.send({ quantity: row.exchange === 'mexc' ? 0.00009 : 0.001 });
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer)).toMatch(row.exchange === 'mexc' ? /0\.0001\b/ : /\b100\b/);
    expect(sent()).toEqual([]);
    await gateway.send({ quantity: 0.003 });
    await gateway.send({ action: 'CLOSE_LONG', quantity: 0.002 });
    expect(await gateway.send({ action: 'CLOSE_LONG', quantity: 0.001 })).toMatchObject({
      tradeResult: { status: 'Filled', executedQty: 0.001 },
    });
    expect(gateway.held(MARKET)).toBe('');
  });
});
