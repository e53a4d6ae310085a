// Rules of paper markets: listed ones as published, others from the size of their price.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EXCHANGES } from '../../../exchanges/exchange.ts';
import { decimal, toNumber } from '../../../trading/decimal.ts';
import { listedRules, rulesFromPrice, venueTerms } from './market-rules.ts';

describe('listed markets', () => {
  test.each(EXCHANGES)('%s lists the large pairs', (exchange) => {
    for (const market of ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT', 'DOGEUSDT'])
      expect(listedRules(exchange, market)?.symbol).toBe(market);
    expect(listedRules(exchange, 'NOSUCHUSDT')).toBeUndefined();
  });

  test('differ by exchange', () => {
    expect(listedRules('binance', 'BTCUSDT')).toMatchObject({
      symbol: 'BTCUSDT',
      tickSize: decimal('0.1'),
      stepSize: decimal('0.001'),
      minQuantity: decimal('0.001'),
      minNotional: decimal('100'),
      maxLeverage: 125,
      maxQuantity: decimal('120'),
      depth: decimal('180000000'),
    });
    expect(listedRules('bybit', 'BTCUSDT')).toMatchObject({ minNotional: decimal('5'), maxLeverage: 100 });
    expect(listedRules('mexc', 'BTCUSDT')).toMatchObject({ stepSize: decimal('0.0001'), minNotional: decimal('0') });
  });
});

test('every exchange has its default leverage and a maker fee below the taker fee', () => {
  expect(EXCHANGES.map((exchange) => venueTerms(exchange).defaultLeverage)).toEqual([20, 10, 20]);
  for (const exchange of EXCHANGES) expect(venueTerms(exchange).makerFee).toBeLessThan(venueTerms(exchange).takerFee);
});

test('derived rules suit the price: ticks of about a ten-thousandth, steps of 0.001 to 1', () => {
  fc.assert(
    fc.property(fc.constantFrom(...EXCHANGES), fc.double({ min: 1e-8, max: 1e7, noNaN: true }), (exchange, price) => {
      const { tickSize, stepSize, minQuantity } = rulesFromPrice(exchange, 'NEWUSDT', price);
      const share = toNumber(tickSize) / price;
      expect(share).toBeGreaterThan(0.99e-5);
      expect(share).toBeLessThan(1.01e-4);
      expect([1, 0.1, 0.01, 0.001]).toContain(toNumber(stepSize));
      expect(minQuantity).toBe(stepSize);
    }),
  );
});
