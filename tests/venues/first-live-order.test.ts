// The first order with real money: refused until the owner has confirmed the account once, while whatever closes always passes.

import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { commandLineHere } from '../cli/command-line.ts';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import type { EmulatedVenue } from '../support/emulated-venues/emulated-venue.ts';
import { freshDataDir, type RunningProcess, startGatewayProcess } from '../support/process.ts';

let emulated: EmulatedVenue;
let dataDir: string;
let env: Record<string, string>;
let started: RunningProcess;
let apiKey: string | undefined;

beforeEach(async () => {
  emulated = await startBinance();
  emulated.market.setPrice('BTCUSDT', '50000');
  dataDir = freshDataDir();
  const { apiKey: key, secret } = emulated.credentials;
  env = {
    DATA_DIR: dataDir,
    BINANCE_BASE_URL: emulated.baseUrl,
    BINANCE_API_KEY: key,
    BINANCE_API_SECRET: secret,
    BINANCE_MODE: 'live',
  };
  apiKey = undefined;
});
afterEach(async () => {
  await started.stop();
  await emulated.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(more: Record<string, string> = {}): Promise<void> {
  started = await startGatewayProcess({ dataDir, env: { ...env, ...more } });
  apiKey ??= started.apiKey;
}

async function send(fields: object = {}) {
  const signal = { apiKey, exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01, ...fields };
  const response = await fetch(`${started.url}/webhook`, { method: 'POST', body: JSON.stringify(signal) });
  const { code, error } = (await response.json()) as { code?: string; error?: string };
  return { status: response.status, code, error };
}

test('it is refused with the remedy, and passes from the confirmation on, also after a restart', async () => {
  await start();
  const { status, code, error } = await send();
  expect([status, code]).toEqual([422, 'LIVE_NOT_CONFIRMED']);
  expect(error).toContain('say "signalbox accounts confirm binance:main" once');
  expect(emulated.market.orders).toHaveLength(0);
  const cli = commandLineHere(env, ['yes']);
  expect(await cli.done('accounts', 'list')).toContain('NOT CONFIRMED');
  expect(await cli.done('accounts', 'confirm', 'binance:main')).toContain('binance:main may open positions');
  expect(await cli.done('audit')).toContain('confirmedLiveAccounts');
  // The running instance knows it at once. It is no resend: nothing was accepted.
  expect((await send()).status).toBe(200);
  // Whoever reads of it must see whose money it was.
  for (const words of ['trades', 'positions', 'account']) expect(await cli.done(words)).toMatch(/ LIVE /);
  await started.stop();
  await start();
  expect((await send()).status).toBe(200);
  expect(emulated.market.orders).toHaveLength(2);
  expect(await cli.refused(1, 'accounts', 'confirm', 'bybit:main')).toContain(
    'bybit:main is no live account with credentials, it is set to paper in the running instance: there is nothing to confirm',
  );
});

test('what closes passes without it, and so does everything where CONFIRM_FIRST_LIVE_ORDER is no', async () => {
  await start({ CONFIRM_FIRST_LIVE_ORDER: 'no' });
  expect((await send()).status).toBe(200);
  await started.stop();
  await start();
  expect((await send({ action: 'SHORT' })).code).toBe('LIVE_NOT_CONFIRMED');
  expect((await send({ action: 'CLOSE_LONG' })).status).toBe(200);
  expect(emulated.market.orders.map(({ side }) => side)).toEqual(['BUY', 'SELL']);
});

test('the money of a testnet needs nobody’s word', async () => {
  await start({ BINANCE_MODE: 'testnet' });
  expect((await send()).status).toBe(200);
});
