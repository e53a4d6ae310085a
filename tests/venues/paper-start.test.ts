// On paper nothing of real venues is loaded: neither the library that signs for them nor their adapters, before a trade or after it.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ASKABLE, liveHeapBytes, loadedScripts, processorMs } from '../support/inspector.ts';
import { type RunningProcess, startGatewayProcess } from '../support/process.ts';

/** A start and one trade took 30 MiB and 2.6 s of a busy processor when this was written. */
const MAX_HEAP_BYTES = 60 * 2 ** 20;
const MAX_PROCESSOR_MS = 8_000;

let server: RunningProcess;
beforeAll(async () => {
  server = await startGatewayProcess({ env: { ...ASKABLE, LOG_LEVEL: 'warn' } });
});
afterAll(() => server.kill());

test('a start and a trade on paper load nothing of real venues, and cost what they did', async () => {
  const signal = { apiKey: server.apiKey, exchange: 'mexc', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
  const response = await fetch(`${server.url}/webhook`, { method: 'POST', body: JSON.stringify(signal) });
  expect(await response.json()).toMatchObject({ tradeResult: { status: 'Filled', mode: 'paper' } });
  const loaded = await loadedScripts(server);
  expect(loaded.length).toBeGreaterThan(50);
  expect(loaded.filter((url) => /node_modules\/ccxt\/|\/venues\/(binance|bybit|mexc)\//.test(url))).toEqual([]);
  expect(await liveHeapBytes(server)).toBeLessThan(MAX_HEAP_BYTES);
  expect(await processorMs(server)).toBeLessThan(MAX_PROCESSOR_MS);
});
