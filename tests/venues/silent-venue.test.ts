// A venue that takes connections and never answers: a start does not wait for it, and what has happened at it meanwhile is booked when it
// is back.

import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import type { EmulatedVenue } from '../support/emulated-venues/emulated-venue.ts';
import { WEBHOOK_KEY } from '../support/live-gateway.ts';
import { freshDataDir, type RunningProcess, startGatewayProcess } from '../support/process.ts';

/** A request without an answer is given up after ten seconds, and a start asks for four things, one after another. */
const TWO_REQUESTS_MS = 20_000;

/** What waits for an answer when the venue is back is given up first. */
const eventually = (check: () => unknown): Promise<unknown> => vi.waitFor(check, { timeout: 90_000, interval: 200 });

let emulated: EmulatedVenue;
let dataDir: string;
let running: RunningProcess | undefined;
beforeEach(async () => {
  emulated = await startBinance();
  emulated.market.setPrice('BTCUSDT', '50000');
  dataDir = freshDataDir();
});
afterEach(async () => {
  await running?.kill();
  await emulated.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(): Promise<string> {
  const { baseUrl, credentials } = emulated;
  const binance = { BINANCE_MODE: 'live', BINANCE_BASE_URL: baseUrl, BINANCE_API_KEY: credentials.apiKey };
  const common = { WEBHOOK_API_KEYS: WEBHOOK_KEY, CONFIRM_FIRST_LIVE_ORDER: 'no', PAPER_TWIN: 'yes' };
  const env = { ...common, ...binance, BINANCE_API_SECRET: credentials.secret, MARKET_DATA: 'simulated' };
  running = await startGatewayProcess({ dataDir, env });
  return running.url;
}

async function send(url: string, fields: object) {
  const body = { apiKey: WEBHOOK_KEY, action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01, ...fields };
  const response = await fetch(`${url}/webhook`, { method: 'POST', body: JSON.stringify(body) });
  return ((await response.json()) as { tradeResult?: { status?: string } }).tradeResult?.status;
}

const ask = async (url: string, path: string): Promise<readonly Readonly<Record<string, unknown>>[]> =>
  ((await (await fetch(`${url}${path}`)).json()) as { result: readonly Readonly<Record<string, unknown>>[] }).result;

const msOf = async (work: Promise<unknown>): Promise<number> => {
  const beganMs = performance.now();
  await work;
  return performance.now() - beganMs;
};

test('a start does not wait for it, others trade, and a stop that has acted there is booked when it answers', async () => {
  let url = '';
  const startIn = (): Promise<number> =>
    msOf(
      start().then((at) => {
        url = at;
      }),
    );
  const usualStartMs = await startIn();
  expect(await send(url, { exchange: 'binance', stopLoss: 49_000 })).toBe('Filled');
  await eventually(() => expect(emulated.market.stops.waiting('BTCUSDT')).toHaveLength(1));
  await running?.stop();
  emulated.market.setPrice('BTCUSDT', '48900');
  await eventually(() => expect(emulated.market.account.heldPositions('BTCUSDT')).toEqual([]));

  emulated.faults.silent = true;
  const silentStartMs = await startIn();
  expect(silentStartMs - usualStartMs).toBeLessThan(TWO_REQUESTS_MS);
  expect((await fetch(`${url}/health`)).status).toBe(200);
  expect(running?.output()).toContain('The live account binance:main cannot be reached');
  expect(await send(url, { exchange: 'bybit' })).toBe('Filled');
  expect(await ask(url, '/positions?exchange=binance')).toHaveLength(1);

  emulated.faults.silent = false;
  await eventually(async () => {
    const filled = (await ask(url, '/trades')).filter(
      (trade) => trade.exchange === 'binance' && trade.status === 'Filled',
    );
    expect(filled.map(({ source }) => source)).toEqual(['stop-loss', 'webhook']);
    expect(await ask(url, '/positions?exchange=binance')).toEqual([]);
  });
  expect(running?.output()).not.toContain('adopted');
}, 180_000);
