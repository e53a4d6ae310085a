// An exchange that is set to testnet or live and has no credentials: it is off, says so, and never trades on paper instead.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { build } from '../../src/composition/build.ts';
import { type Config, ConfigError, loadConfig } from '../../src/config.ts';
import { createLog } from '../../src/http/log.ts';

const KEY = `whk_${'k'.repeat(43)}`;
const SIGNAL = { apiKey: KEY, action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
const KEYS = { BINANCE_API_KEY: 'the-api-key-of-a-test', BINANCE_API_SECRET: 'the-secret-of-a-test' };
const log = createLog({ level: 'silent', name: 'test' });

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'signalbox-venues-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const configWith = (env: Record<string, string>): Config =>
  loadConfig(
    { DATA_DIR: dataDir, SERVICES: 'gateway', WEBHOOK_API_KEYS: KEY, ...env },
    { checkAddressEntry: () => undefined },
  );

async function openWith(config: Config) {
  const { app, tearDown } = await build(config, log, { trade: true });
  const peer = { peer: '127.0.0.1' };
  const send = async (fields: object) => {
    const init = { method: 'POST', body: JSON.stringify({ ...SIGNAL, ...fields }) };
    const response = await app.request('/webhook', init, peer);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const accounts = async () => {
    const response = await app.request('/accounts', { headers: { host: 'localhost' } }, peer);
    const { result } = (await response.json()) as { result: { exchange: string; account: string; mode: string }[] };
    return result.map(({ exchange, account, mode }) => `${exchange}:${account} ${mode}`);
  };
  const warnings = async () => {
    const response = await app.request('/ready', { headers: { host: 'localhost' } }, peer);
    return ((await response.json()) as { warnings: string[] }).warnings.filter((each) => each.includes('binance'));
  };
  return { send, accounts, warnings, tearDown };
}

describe.each(['testnet', 'live'] as const)('TRADING_MODE=%s without credentials', (mode) => {
  it('answers 422 with the remedy, for opening and closing, whatever account is named, and trades nothing', async () => {
    const env = { TRADING_MODE: mode, BYBIT_MODE: 'paper', MEXC_MODE: 'paper', PAPER_ACCOUNTS: 'binance:scalp=5000' };
    const gateway = await openWith(configWith(env));
    const tried = [{}, { action: 'CLOSE_LONG' }, { account: 'main' }, { account: 'scalp' }, { account: 'nobody' }];
    for (const fields of tried) {
      const { status, body } = await gateway.send({ exchange: 'binance', ...fields });
      expect([status, body.code]).toEqual([422, 'VENUE_NOT_CONFIGURED']);
      expect(body.error).toBe(
        `Binance is set to ${mode} and has no credentials; set BINANCE_API_KEY and BINANCE_API_SECRET, or say "signalbox accounts add binance:main --mode ${mode}", and restart; nothing was done`,
      );
    }
    expect(await gateway.accounts()).toEqual(['bybit:main paper', 'mexc:main paper']);
    // The others go on.
    expect((await gateway.send({ exchange: 'bybit' })).status).toBe(200);
    await gateway.tearDown();
  });

  it('leaves what paper accounts hold alone, and it is there again on paper', async () => {
    const onPaper = await openWith(configWith({ PAPER_ACCOUNTS: 'binance:scalp=5000' }));
    expect((await onPaper.send({ exchange: 'binance', account: 'scalp' })).status).toBe(200);
    await onPaper.tearDown();
    const real = await openWith(configWith({ TRADING_MODE: mode, BYBIT_MODE: 'paper', MEXC_MODE: 'paper' }));
    expect(await real.accounts()).toEqual(['bybit:main paper', 'mexc:main paper']);
    expect((await real.send({ exchange: 'binance', account: 'scalp', action: 'CLOSE_LONG' })).body.code).toBe(
      'VENUE_NOT_CONFIGURED',
    );
    await real.tearDown();
    const again = await openWith(configWith({}));
    const closed = await again.send({ exchange: 'binance', account: 'scalp', action: 'CLOSE_LONG' });
    expect(closed.body).toMatchObject({ success: true, tradeResult: { mode: 'paper', status: 'Filled' } });
    await again.tearDown();
  });

  it('by its own setting does not start', async () => {
    const config = configWith({ BINANCE_MODE: mode });
    await expect(build(config, log, { trade: true })).rejects.toThrow(ConfigError);
    await expect(build(config, log, { trade: true })).rejects.toThrow('BINANCE_MODE: Binance is set to');
  });
});

describe('a live account whose venue is away at the start', () => {
  const AWAY = {
    ...KEYS,
    BINANCE_MODE: 'live',
    BINANCE_BASE_URL: 'http://127.0.0.1:2',
    CONFIRM_FIRST_LIVE_ORDER: 'no',
  };

  it('is there, answers signals with the reason, and keeps no other account from trading; never on paper', async () => {
    const gateway = await openWith(configWith({ ...AWAY, QUEUE_MODE: 'direct' }));
    expect(await gateway.accounts()).toEqual(['binance:main live', 'bybit:main paper', 'mexc:main paper']);
    const { status, body } = await gateway.send({ exchange: 'binance' });
    expect([status, body.error]).toEqual([500, expect.stringContaining('binance cannot be reached, nothing was sent')]);
    expect((await gateway.send({ exchange: 'bybit' })).status).toBe(200);
    expect(await gateway.warnings()).toContainEqual(
      expect.stringContaining('The live account binance:main cannot be reached'),
    );
    await gateway.tearDown();
  });
});

it('MEXC, which has no testnet, is off under TRADING_MODE=testnet and stops the start by its own setting', async () => {
  const keys = { MEXC_API_KEY: KEYS.BINANCE_API_KEY, MEXC_API_SECRET: KEYS.BINANCE_API_SECRET };
  const gateway = await openWith(configWith({ TRADING_MODE: 'testnet', ...keys }));
  const { status, body } = await gateway.send({ exchange: 'mexc' });
  expect([status, body.code]).toEqual([422, 'VENUE_NOT_CONFIGURED']);
  expect(body.error).toContain('MEXC has no testnet; set MEXC_MODE to paper or live');
  await gateway.tearDown();
  const own = configWith({ MEXC_MODE: 'testnet', ...keys });
  await expect(build(own, log, { trade: true })).rejects.toThrow('MEXC_MODE: MEXC has no testnet');
});
