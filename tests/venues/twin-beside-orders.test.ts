// A paper twin that holds many markets at the venue of its account: it costs the venue little, and no order of the account is refused
// or late because of it.

import { afterEach, expect, test } from 'vitest';
import { EXCHANGES } from '../../src/exchanges/exchange.ts';
import { type FloodedGateway, floodMarket, openFlooded } from '../support/order-flood.ts';

const MARKETS = 12;
const WATCHED_MS = 3_000;
const PRICE_PATHS: Readonly<Record<(typeof EXCHANGES)[number], string>> = {
  binance: '/fapi/v2/ticker/price',
  bybit: '/v5/market/tickers',
  mexc: '/api/v1/contract/ticker',
};
/** Bybit allows 120 requests a second, and its list of all prices is long: there each market is asked for by itself. */
const MOST_A_SECOND = { binance: 2, bybit: MARKETS, mexc: 2 } as const;
const TOO_MANY = /"(?:code|retCode)":(?:-1003|-1015|10006|10018|510)\b/;

let gateway: FloodedGateway | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

test.each(EXCHANGES)('the twin of an account at %s asks for its prices together', async (exchange) => {
  gateway = await openFlooded({ exchange, markets: MARKETS, mode: 'direct', hasTwin: true });
  const { emulated, send, built } = gateway;
  // One that is refused throws, with the reason.
  for (let index = 0; index < MARKETS; index += 1) await send({ symbol: floodMarket(index), quantity: 0.1 });
  await expect.poll(() => twinTrades(built)).toBe(MARKETS);
  const before = emulated.requests.length;
  await new Promise((resolve) => setTimeout(resolve, WATCHED_MS));
  const asked = emulated.requests.slice(before).filter(({ path }) => path === PRICE_PATHS[exchange]);
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.length).toBeLessThanOrEqual((MOST_A_SECOND[exchange] * (WATCHED_MS + 1_000)) / 1_000);
  await send({ symbol: floodMarket(0), quantity: 0.2 });
  const refused = emulated.requests.filter(({ answer }) => TOO_MANY.test(JSON.stringify(answer) ?? ''));
  expect(refused).toEqual([]);
});

async function twinTrades(built: FloodedGateway['built']): Promise<number> {
  const init = { headers: { host: 'localhost' } };
  const response = await built.app.request('/performance/twin', init, { peer: '127.0.0.1' });
  const { result = [] } = (await response.json()) as { result?: readonly { readonly trades: number }[] };
  return result[0]?.trades ?? 0;
}
