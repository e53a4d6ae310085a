// Leverages that a venue leaves out or garbles: nothing is sent by them, and no market is traded without its bound.

import { expect, test } from 'vitest';
import { decimal } from '../../trading/decimal.ts';
import { readMarkets as readBybitMarkets } from './bybit/markets.ts';
import { readMarkets as readMexcMarkets } from './mexc/markets.ts';
import { OpeningTermsReader } from './mexc/opening-terms.ts';
import type { VenueMarket } from './venue-adapter.ts';
import type { VenueClient } from './venue-client.ts';

const answering = (body: unknown) => ({ send: async () => body }) as unknown as VenueClient;

const GARBLED: readonly [string, unknown][] = [
  ['is missing', undefined],
  ['is empty', ''],
  ['is zero', '0'],
  ['is no number', 'high'],
];

test.each(GARBLED)('MEXC is sent no order whose leverage %s in its own answer', async (_, leverage) => {
  const terms = (positionType: string) => ({ positionType, openType: '1', leverage });
  const reader = new OpeningTermsReader(answering({ data: [terms('1'), terms('2')] }), () => 0);
  const size = decimal(1);
  const market: VenueMarket = {
    ...{ symbol: 'BTCUSDT', venueSymbol: 'BTC_USDT', tickSize: size, stepSize: size },
    ...{ minQuantity: size, minNotional: size, maxLeverage: 100 },
  };
  await expect(reader.of(market, 'LONG')).rejects.toThrow('MEXC gave an answer that makes no sense');
});

test.each(GARBLED)('a market whose highest leverage %s is not traded', async (_, maxLeverage) => {
  const bybit = (leverage: unknown) => ({
    ...{ symbol: 'BTCUSDT', contractType: 'LinearPerpetual', status: 'Trading', priceFilter: { tickSize: '0.1' } },
    lotSizeFilter: { qtyStep: '0.001', minOrderQty: '0.001', maxOrderQty: '100' },
    leverageFilter: { maxLeverage: leverage },
  });
  const mexc = (leverage: unknown) => ({
    ...{ symbol: 'BTC_USDT', baseCoin: 'BTC', quoteCoin: 'USDT', settleCoin: 'USDT', state: '0' },
    ...{ contractSize: '0.0001', priceUnit: '0.1', volUnit: '1', minVol: '1', maxVol: '1000', maxLeverage: leverage },
  });
  const bybitOf = (leverage: unknown) => readBybitMarkets(answering({ result: { list: [bybit(leverage)] } }));
  const mexcOf = (leverage: unknown) => readMexcMarkets(answering({ data: [mexc(leverage)] }));
  for (const read of [bybitOf, mexcOf]) {
    expect((await read('100')).markets.get('BTCUSDT')?.maxLeverage).toBe(100);
    const { markets, unreadable } = await read(maxLeverage);
    expect([markets.has('BTCUSDT'), unreadable.has('BTCUSDT')]).toEqual([false, true]);
  }
});
