// GET /markets: every market with its rules at each exchange, what it trades at, and where that price comes from.

import { afterAll, describe, expect, it } from 'vitest';
import { createSimulatedMarket } from '../../src/adapters/market-data/simulated/simulated-market.ts';
import { toNumber } from '../../src/trading/decimal.ts';
import type { Venue } from '../../src/trading/venue.ts';
import { openGateway } from '../support/gateway.ts';

interface Listed {
  readonly exchange: string;
  readonly symbol: string;
  readonly lastPrice: number;
  readonly tickSize: number;
}

describe('on the simulated market', async () => {
  const gateway = await openGateway();
  afterAll(() => gateway.close());
  const get = (query = '') => gateway.request('GET', `/markets${query}`);

  it('each exchange lists every market, with rules of its own', async () => {
    const { status, body } = await get();
    expect(status).toBe(200);
    const listed = body.result as readonly Listed[];
    const namesAt = (at: string) => listed.filter(({ exchange }) => exchange === at).map(({ symbol }) => symbol);
    expect(namesAt('binance')).toContain('1000PEPEUSDT');
    expect(namesAt('bybit')).toEqual(namesAt('binance'));
    expect(listed).toContainEqual({
      exchange: 'mexc',
      symbol: 'BTCUSDT',
      tickSize: 0.1,
      stepSize: 0.0001,
      minQuantity: 0.0001,
      minNotional: 0,
      maxQuantity: 120,
      maxLeverage: 200,
      lastPrice: expect.any(Number),
      source: 'simulated',
    });
  });

  it('the rules are those that orders are held to, also where no table has them', async () => {
    const venue = gateway.venues[0] as Venue;
    for (const { symbol, tickSize } of (await get('?exchange=binance')).body.result as readonly Listed[])
      expect([symbol, tickSize]).toEqual([symbol, toNumber((await venue.market(symbol)).tickSize)]);
  });

  it('one market, in any spelling, at one exchange', async () => {
    const { body } = await get('?symbol=BYBIT:ETHUSDT.P&exchange=bybit');
    expect(body.result).toMatchObject([{ exchange: 'bybit', symbol: 'ETHUSDT', maxLeverage: 100 }]);
    expect(body.result).toHaveLength(1);
  });

  it('a market that is not there is told with the nearest names', async () => {
    expect(await get('?symbol=ETHUSD')).toMatchObject({
      status: 422,
      body: { code: 'UNKNOWN_SYMBOL', nearest: ['ETHUSDT'], error: expect.stringContaining('did you mean ETHUSDT?') },
    });
    expect((await get('?symbol=%2F')).body).toMatchObject({ code: 'INVALID_QUERY' });
    expect((await get('?exchange=nasdaq')).body).toMatchObject({ code: 'INVALID_QUERY' });
  });

  it('is not for strangers', async () => {
    expect((await gateway.request('GET', '/markets', undefined, { peer: '198.51.100.1' })).status).toBe(401);
  });
});

it('a market without a price has none, and where its rules go by the price, none of these', async () => {
  const simulated = createSimulatedMarket({ seed: 7, nowMs: Date.now });
  const markets = async () => ['BTCUSDT', 'NEWUSDT'].map((market) => ({ market, lastPrice: undefined }));
  const gateway = await openGateway({ prices: { ...simulated, markets } });
  const { body } = await gateway.request('GET', '/markets?exchange=binance');
  expect(body.result).toMatchObject([
    { symbol: 'BTCUSDT', lastPrice: null, tickSize: 0.1, maxLeverage: 125 },
    { symbol: 'NEWUSDT', lastPrice: null, tickSize: null, stepSize: null, minNotional: null, maxLeverage: null },
  ]);
  await gateway.close();
});
