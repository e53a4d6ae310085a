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
  expect(await liveHeapBytes(server)).toBeLessThan(MAX_HEAP_BYTES);
  expect(await processorMs(server)).toBeLessThan(MAX_PROCESSOR_MS);
  const loaded = await loadedScripts(server);
  const loadedWith = (words: RegExp): readonly string[] =>
    loaded.filter(({ url, source }) => words.test(url) || words.test(source)).map(({ url }) => url);
  // What was built ahead holds many sources in one file, so the adapters are known by what only they say.
  expect(loadedWith(/openPaperVenue/)).not.toEqual([]);
  expect(loadedWith(/fapiPrivate|v5\/order\/create|planorder\/place/)).toEqual([]);
  expect(loaded.filter(({ url }) => url.includes('/node_modules/ccxt/'))).toEqual([]);
});
