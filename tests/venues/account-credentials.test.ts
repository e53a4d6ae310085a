// Credentials of an account over HTTP: the owner alone, over https or on this machine, tried at the venue before they are sealed, and
// in no answer, log or audit afterwards.

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import type { EmulatedVenue } from '../support/emulated-venues/emulated-venue.ts';
import { WEBHOOK_KEY } from '../support/live-gateway.ts';
import { freshDataDir, type RunningProcess, startGatewayProcess } from '../support/process.ts';

const TOKEN = 'the-internal-token-of-this-test-0123456789';
const NOBODY_LISTENS = 'http://127.0.0.1:9';
const RIGHTS = '/sapi/v1/account/apiRestrictions';

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly body: { readonly result?: Record<string, unknown>; readonly code?: string; readonly error?: string };
}

let emulated: EmulatedVenue;
let dataDir: string;
let started: RunningProcess;
beforeAll(async () => {
  emulated = await startBinance();
  emulated.market.setPrice('BTCUSDT', '50000');
});
afterAll(() => emulated.close());
afterEach(() => emulated.faults.clear());

const credentials = () => ({ apiKey: emulated.credentials.apiKey, secret: emulated.credentials.secret });
const account = (more: object = {}) => ({
  ...{ exchange: 'binance', account: 'scalp', mode: 'live', ...credentials(), ...more },
});
const begin = (env: Readonly<Record<string, string>> = {}): Promise<RunningProcess> =>
  startGatewayProcess({
    dataDir,
    env: {
      ...{ BINANCE_BASE_URL: emulated.baseUrl, BYBIT_BASE_URL: NOBODY_LISTENS, WEBHOOK_API_KEYS: WEBHOOK_KEY },
      ...{ INTERNAL_TOKEN: TOKEN, LOG_LEVEL: 'debug', ...env },
    },
  });

async function ask(method: string, path: string, body?: unknown, headers: object = {}): Promise<Answered> {
  const response = await fetch(`${started.url}${path}`, {
    method,
    headers: { 'x-internal-auth-key': TOKEN, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text) };
}
const add = (more: object = {}, headers: object = {}) => ask('POST', '/admin/accounts', account(more), headers);
const storedNames = async () => {
  const { accounts } = (await ask('GET', '/admin/accounts')).body.result as {
    accounts: readonly { account: string; exchange: string; credentialsFrom: string }[];
  };
  return accounts.filter((row) => row.credentialsFrom === 'stored').map((row) => `${row.exchange}:${row.account}`);
};
const expectNoSecretIn = (...texts: string[]): void => {
  for (const text of texts) {
    expect(text).not.toContain(emulated.credentials.secret);
    expect(text).not.toContain(emulated.credentials.apiKey);
  }
};
/** Everything that is on the disk, sealed or not. */
const everyFile = (): string[] => readdirSync(dataDir).map((name) => readFileSync(join(dataDir, name), 'latin1'));

describe('while an instance runs', () => {
  beforeEach(async () => {
    dataDir = freshDataDir();
    started = await begin();
  });
  afterEach(async () => {
    await started.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('are tried, sealed, listed as waiting, and trade after a restart and the owner’s word; nothing shows them again', async () => {
    const added = await add();
    expect(added).toMatchObject({
      status: 201,
      body: {
        result: {
          ...{ exchange: 'binance', account: 'scalp', mode: 'live', sealedWith: 'master.key in the data folder' },
          keyStart: emulated.credentials.apiKey.slice(0, 4),
          next: expect.stringMatching(/^It waits: .* Binance is set to paper; set BINANCE_MODE=live and restart/),
          tested: { positionMode: 'one-way', permissions: { canWithdraw: false } },
        },
      },
    });
    expect(await storedNames()).toEqual(['binance:scalp']);
    const audit = await ask('GET', '/admin/audit');
    expect(audit.body.result).toMatchObject([
      { setting: 'storedAccount', before: null, after: { exchange: 'binance', account: 'scalp', mode: 'live' } },
    ]);
    const listed = await ask('GET', '/admin/accounts');
    expectNoSecretIn(added.text, audit.text, listed.text, started.output(), ...everyFile());
    await started.stop();
    started = await begin({ BINANCE_MODE: 'live' });
    const name = { exchange: 'binance', account: 'scalp' };
    expect((await ask('POST', '/admin/accounts/confirm', name)).status).toBe(200);
    const order = { apiKey: WEBHOOK_KEY, ...name, action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
    expect(await ask('POST', '/webhook', order)).toMatchObject({
      status: 200,
      body: { tradeResult: { mode: 'live' } },
    });

    const held = await ask('DELETE', '/admin/accounts/binance/scalp');
    expect(held).toMatchObject({ status: 409, body: { code: 'ACCOUNT_CONFLICT' } });
    expect(held.body.error).toMatch(/open positions in BTCUSDT.*or send force=true/);
    expect(await storedNames()).toEqual(['binance:scalp']);
    const removed = await ask('DELETE', '/admin/accounts/binance/scalp?force=true');
    expect(removed).toMatchObject({ status: 200, body: { result: { next: expect.stringContaining('Restart') } } });
    expect(storedRows()).toEqual([]);
    expect(await ask('DELETE', '/admin/accounts/binance/scalp')).toMatchObject({
      ...{ status: 422, body: { code: 'UNKNOWN_ACCOUNT' } },
    });
    expectNoSecretIn(started.output(), removed.text);
  }, 120_000);

  test('a key that may withdraw, a wrong secret and a venue that is away store nothing', async () => {
    emulated.faults.answerInstead(
      { method: 'GET', path: RIGHTS },
      200,
      { enableWithdrawals: true, enableReading: true },
      10,
    );
    expect(await add()).toMatchObject({
      ...{ status: 422, body: { code: 'ACCOUNT_REFUSED', error: expect.stringContaining('may withdraw') } },
    });
    emulated.faults.clear();
    const wrong = await add({ secret: 'another-secret-of-this-test' });
    expect(wrong).toMatchObject({ status: 422, body: { code: 'ACCOUNT_REFUSED' } });
    expect(wrong.text).not.toContain('another-secret-of-this-test');
    expect(await add({ positionMode: 'hedge' })).toMatchObject({
      ...{ status: 422, body: { code: 'ACCOUNT_REFUSED', error: expect.stringContaining('is to be hedge') } },
    });
    expect(await add({ exchange: 'bybit' })).toMatchObject({
      ...{ status: 500, body: { code: 'VENUE_UNREACHABLE', error: expect.stringMatching(/^nothing was stored: /) } },
    });
    expect(await storedNames()).toEqual([]);
    expect(readdirSync(dataDir)).not.toContain('master.key');
    expectNoSecretIn(started.output());
  }, 120_000);

  test('plain http from elsewhere is refused with the remedy, whoever asks; TLS before it is not', async () => {
    const proxied = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'http' };
    const refused = await add({}, proxied);
    expect(refused).toMatchObject({ status: 403, body: { code: 'INSECURE_CONNECTION' } });
    expect(refused.body.error).toMatch(/TLS.*signalbox accounts add/);
    // Nobody has said that whoever says so is to be trusted.
    expect(await add({}, { ...proxied, 'x-forwarded-proto': 'https' })).toMatchObject({ status: 403 });
    expect((await add({}, { 'x-internal-auth-key': 'wrong' })).status).toBe(401);
    expect(await storedNames()).toEqual([]);
    await started.stop();
    started = await begin({ TRUSTED_PROXIES: '127.0.0.1' });
    expect(await add({}, proxied)).toMatchObject({ status: 403 });
    expect(await add({}, { ...proxied, 'x-forwarded-proto': 'https' })).toMatchObject({ status: 201 });
  }, 120_000);

  test('what is taken is told, and bodies that are none are refused without a word of the secret', async () => {
    expect((await add()).status).toBe(201);
    expect(await add()).toMatchObject({
      ...{ status: 409, body: { code: 'ACCOUNT_CONFLICT', error: expect.stringContaining('choose another name') } },
    });
    expect(await add({ account: 'swing' })).toMatchObject({
      ...{ status: 409, body: { error: expect.stringContaining('binance:scalp has this API key already') } },
    });
    const { apiKey, secret } = credentials();
    const bodies = [
      { ...account(), secret: `${secret} ` },
      { ...account(), apiKey: 'short', secret },
      { ...account(), account: 'My Account' },
      { ...account(), account: 'bybit' },
      { ...account(), exchange: 'mexc', mode: 'testnet' },
      { ...account(), mode: 'paper' },
      { ...account(), more: secret },
      `{"apiKey": "${apiKey}", "secret": ${secret}}`,
      `{"apiKey": "${apiKey}", "secret": "${secret}", "secret": "${secret}"}`,
    ];
    for (const body of bodies) {
      const refused = await ask('POST', '/admin/accounts', body);
      expect([refused.status, refused.text]).toEqual([400, expect.not.stringContaining(secret)]);
    }
    expect(await storedNames()).toEqual(['binance:scalp']);
    expectNoSecretIn(started.output());
  }, 120_000);
});

function storedRows(): unknown[] {
  const db = new DatabaseSync(join(dataDir, 'settings.db'), { readOnly: true });
  const rows = db.prepare('SELECT exchange, account FROM stored_accounts').all();
  db.close();
  return rows;
}
