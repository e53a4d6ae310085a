// The emulated Binance has bars too, so that our own market data of Binance can live on it.

import { beforeEach, expect, it } from 'vitest';
import { createFeed } from '../../src/adapters/market-data/binance/feed.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import {
  expectRefused,
  type OpenBinance,
  openBinance,
  START_MS,
} from '../support/emulated-venues/binance/open-binance.ts';
import type { SignedClient } from '../support/emulated-venues/binance/signed-client.ts';
import type { EmulatedBinance } from '../support/emulated-venues/binance/venue.ts';
import { createEar } from '../support/venue-servers/open-feed.ts';

const MINUTE_MS = 60_000;

let venue: EmulatedBinance;
let client: SignedClient;
let clock: OpenBinance['clock'];

beforeEach(async () => {
  ({ venue, client, clock } = await openBinance());
});

function move(afterMs: number, price: string): void {
  clock.nowMs = START_MS + afterMs;
  venue.market.setPrice('BTCUSDT', price);
}

function openFeed() {
  const log = { info() {}, warn() {} };
  const wsUrl = `${venue.streamUrl}/market/ws`;
  const time = { nowMs: () => clock.nowMs, monotonicMs: () => clock.nowMs, random: () => 0.5 };
  const feed = createFeed({ restUrl: venue.baseUrl, wsUrl, ...time, log });
  closeAtEnd(async () => feed.close());
  return feed;
}

it('makes bars of the prices that were set', async () => {
  move(10_000, '50200');
  move(20_000, '49900');
  move(MINUTE_MS + 1, '50050');
  const feed = openFeed();
  const bars = await feed.bars('BTCUSDT', MINUTE_MS, START_MS - MINUTE_MS, START_MS + 5 * MINUTE_MS);
  expect(bars).toMatchObject([
    { time: START_MS - MINUTE_MS, open: 50_000, high: 50_000, low: 50_000, close: 50_000, volume: 0 },
    { time: START_MS, open: 50_000, high: 50_200, low: 49_900, close: 49_900, volume: 3 },
    { time: START_MS + MINUTE_MS, open: 49_900, high: 50_050, low: 49_900, close: 50_050, volume: 1 },
  ]);
  expect(await feed.lastPrice('BTCUSDT')).toBe('50050.00');
});

it('follows them with a stream, and ends each bar', async () => {
  const ear = createEar();
  openFeed().follow('BTCUSDT', MINUTE_MS, ear);
  await expect.poll(() => ear.states.at(-1)).toBe('live');
  ear.bars.length = 0;
  move(30_000, '50300');
  move(MINUTE_MS, '50400');
  await expect
    .poll(() => ear.bars.map(({ time, close, closed }) => [time - START_MS, close, closed]))
    .toEqual([
      [0, 50_300, false],
      [0, 50_300, true],
      [MINUTE_MS, 50_400, false],
    ]);
});

it.each([
  [99, 1],
  [100, 2],
  [499, 2],
  [500, 5],
  [1000, 5],
  [1001, 10],
])('weighs more the longer the page is: %i bars', async (limit, weight) => {
  const { headers } = await client.send('GET', `/fapi/v1/klines?symbol=BTCUSDT&interval=1m&limit=${limit}`);
  expect(headers.get('x-mbx-used-weight-1m')).toBe(String(weight));
});

it('refuses what Binance refuses', async () => {
  expectRefused(await client.send('GET', '/fapi/v1/klines?symbol=BTCUSDT&interval=7m'), -1120);
  expectRefused(await client.send('GET', '/fapi/v1/klines?symbol=BTCUSD&interval=1m'), -1121);
  expectRefused(await client.send('GET', '/fapi/v1/klines?symbol=BTCUSDT&interval=1m&limit=1501'), -1130);
  const whole = await client.send('GET', '/fapi/v1/klines?symbol=BTCUSDT&interval=1m');
  expect(whole.body).toHaveLength(500);
  expect(whole.body.at(-1)[0]).toBe(START_MS);
  expect(whole.headers.get('x-mbx-used-weight-1m')).toBe('25');
});
