// The examples of the API description: each is a body that its endpoint accepts, so that a copied curl line works.

import { expect, test } from 'vitest';
import { readTradingview } from './read-tradingview.ts';
import { GATEWAY_ROUTES } from './routes.ts';

const WITH_BODY = GATEWAY_ROUTES.filter((route) => route.body !== undefined).map((route) => ({
  name: `${route.method.toUpperCase()} ${route.path}`,
  route,
}));

test.each(WITH_BODY)('the example of $name is accepted', ({ route }) => {
  expect(route.bodyExample).toBeDefined();
  expect(route.body?.safeParse(route.bodyExample)).toMatchObject({ success: true });
});

test('the example for TradingView is read as the signal it looks like', () => {
  const example = GATEWAY_ROUTES.find(({ path }) => path === '/webhook/tradingview')?.bodyExample;
  const { order } = readTradingview(Buffer.from(JSON.stringify(example)));
  expect(order).toMatchObject({ exchange: 'binance', action: 'LONG', market: 'BTCUSDT' });
});
