// Whose bars a deployment at a testnet or live account gets, and that bars of two sources are kept apart.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startBybitVenue } from '../../tests/support/emulated-venues/bybit/bybit-venue.ts';
import { STRANGERS } from '../adapters/storage/sqlite/database-files.ts';
import { loadConfig } from '../config.ts';
import { createLog } from '../http/log.ts';
import type { BarSource } from '../library/deployments/index.ts';
import { createRaisedAlarms } from '../trading/notifications/raised-alarms.ts';
import { openAccountBars } from './account-bars.ts';
import type { BarMarket, RealVenue } from './market.ts';
import { createProcessContext } from './process-context.ts';
import { scriptConfigOf } from './script-config.ts';
import { createTeardown } from './teardown.ts';

const log = createLog({ level: 'silent', name: 'test' });
const MINUTE_MS = 60_000;
/** That of MARKET_DATA; it only says that it was asked. */
const market = { archive: { bars: async () => [{ close: -1 }] }, hub: {} } as unknown as BarMarket;

let dataDir: string;
let teardown = createTeardown();
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'signalbox-bars-'));
});
afterEach(async () => {
  await teardown.run();
  teardown = createTeardown();
  rmSync(dataDir, { recursive: true, force: true });
});

async function open(realVenues: readonly RealVenue[], env: Record<string, string> = {}) {
  const loaded = loadConfig({ DATA_DIR: dataDir, ...env }, { checkAddressEntry: () => undefined });
  const config = { ...scriptConfigOf(loaded), realVenues };
  const alarms = createRaisedAlarms({ nowMs: () => 0, log });
  const context = createProcessContext(config, log, { process: 'scripts', alarms });
  return (await openAccountBars({ context, market, teardown })).own;
}

async function venueAt(price: string): Promise<string> {
  const venue = await startBybitVenue();
  teardown.add(() => venue.close());
  venue.market.setPrice('BTCUSDT', price);
  return venue.baseUrl;
}

const closeOf = async (source: unknown): Promise<number | undefined> => {
  const fromMs = Math.floor(Date.now() / MINUTE_MS - 10) * MINUTE_MS;
  const bars = await (source as BarSource).bars('BTCUSDT', MINUTE_MS, fromMs, fromMs + MINUTE_MS);
  return bars[0]?.close;
};

test('a live account and one on testnet have bars of their own address, which are stored apart', async () => {
  const [live, testnet] = [await venueAt('500000'), await venueAt('20000')];
  const ofLive = (await open([{ exchange: 'bybit', mode: 'live', baseUrl: live }])).get('bybit');
  const ofTestnet = (await open([{ exchange: 'bybit', mode: 'testnet', baseUrl: testnet }])).get('bybit');
  expect([ofLive, ofTestnet]).toMatchObject([
    { name: 'bybit', isOwn: true },
    { name: 'bybit testnet', isOwn: true },
  ]);
  for (let turn = 0; turn < 2; turn += 1)
    expect([await closeOf(ofLive), await closeOf(ofTestnet)]).toEqual([500_000, 20_000]);
  const db = new DatabaseSync(join(dataDir, STRANGERS.name));
  const sources = db.prepare('SELECT source FROM bar_series ORDER BY source').all();
  db.close();
  expect(sources).toEqual([{ source: `bybit at ${live}` }, { source: `bybit testnet at ${testnet}` }]);
});

test('one feed serves MARKET_DATA and live accounts of the same exchange, but not where an address was set', async () => {
  const venue = { exchange: 'bybit', mode: 'live', baseUrl: undefined } as const;
  const own = await open([venue], { MARKET_DATA: 'bybit' });
  expect(own.get('bybit')).toMatchObject({ name: 'bybit', isOwn: true });
  expect(await closeOf(own.get('bybit'))).toBe(-1);
  const elsewhere = await open([{ ...venue, baseUrl: await venueAt('500000') }], { MARKET_DATA: 'bybit' });
  expect(await closeOf(elsewhere.get('bybit'))).toBe(500_000);
});

test('a venue without a testnet has none, and says what helps', async () => {
  const own = await open([{ exchange: 'mexc', mode: 'testnet', baseUrl: undefined }]);
  expect(own.get('mexc')).toBe(
    'MEXC is set to testnet and has no testnet; set MEXC_MODE to paper or live, and restart.',
  );
});
