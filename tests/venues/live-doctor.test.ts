// `signalbox doctor --live` against emulated venues: what is well, what is not, each with its remedy; and no order is sent.

import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXCHANGE_ROWS } from '../../src/exchanges/exchange.ts';
import { decimal } from '../../src/trading/decimal.ts';
import { commandLineHere } from '../cli/command-line.ts';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import { startBybitVenue } from '../support/emulated-venues/bybit/bybit-venue.ts';
import type { EmulatedVenue } from '../support/emulated-venues/emulated-venue.ts';
import { startMexcVenue } from '../support/emulated-venues/mexc/mexc-venue.ts';
import { preparedDataDir } from '../support/prepared-data-dir.ts';

const VENUES = [
  {
    exchange: 'binance',
    start: startBinance,
    order: 'Binance would take an order of 0.003 BTCUSDT; it was only a test',
  },
  { exchange: 'bybit', start: startBybitVenue, order: 'Bybit has no test orders' },
  { exchange: 'mexc', start: startMexcVenue, order: 'MEXC has no test orders' },
] as const;

describe.each(VENUES)('$exchange', ({ exchange, start, order }) => {
  let emulated: EmulatedVenue;
  let dataDir: string;
  let env: Record<string, string>;

  beforeEach(async () => {
    emulated = await start();
    emulated.market.setPrice('BTCUSDT', '50000');
    dataDir = await preparedDataDir();
    const prefix = exchange.toUpperCase();
    env = {
      DATA_DIR: dataDir,
      SERVICES: 'gateway',
      [`${prefix}_MODE`]: 'live',
      [`${prefix}_BASE_URL`]: emulated.baseUrl,
      [`${prefix}_API_KEY`]: emulated.credentials.apiKey,
      [`${prefix}_API_SECRET`]: emulated.credentials.secret,
    };
  });
  afterEach(async () => {
    await emulated.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('an account that is well is asked everything, and nothing is traded', async () => {
    const cli = commandLineHere(env);
    const told = await cli.done('doctor', '--live');
    const name = `${exchange}:main (LIVE)`;
    for (const words of [
      `ok    accounts: ${exchange}:main is LIVE (key ${emulated.credentials.apiKey.slice(0, 4)}…, environment)`,
      `ok    ${name}: its venue answers; its clock is `,
      `ok    ${name}: the key is valid: a balance of `,
      `ok    ${name}: the key may trade: `,
      `ok    ${name}: the markets are read: BTCUSDT has tick 0.1, `,
      `ok    ${name}: BTCUSDT is traded on cross margin, so a position that loses takes from the whole account`,
      `ok    ${name}: BTCUSDT is bid at `,
      `ok    ${name}: ${order}`,
      `ok    ${name}: the stream of the account opens`,
      `warn  ${name}: ${exchange}:main (LIVE) has no limit for the size of its orders and for leverage`,
      `Remedy: say "signalbox limits set account:${exchange}:main --largest-order 500 --leverage 3", with numbers of your own`,
      `warn  ${name}: it opens nothing until its owner has confirmed it`,
      `Remedy: say "signalbox accounts confirm ${exchange}:main" once`,
      'warn  prices: charts and backtests go by simulated prices',
      `Remedy: set MARKET_DATA=${exchange} and start again`,
    ])
      expect(told).toContain(words);
    expect(told).not.toContain(emulated.credentials.secret);
    expect(emulated.market.orders).toHaveLength(0);
    await cli.done('accounts', 'confirm', `${exchange}:main`, '--yes');
    const flags = ['--largest-order', '500', '--leverage', '3'];
    await cli.done('limits', 'set', `account:${exchange}:main`, ...flags);
    // MEXC tells its markets once in five seconds.
    if (exchange === 'mexc') return;
    const again = await cli.done('doctor', '--live');
    expect(again).not.toContain('accounts confirm');
    expect(again).not.toContain('has no limit');
  });

  describe('of a limit of leverage', () => {
    const { title } = EXCHANGE_ROWS[exchange];
    const rule = `${exchange}:main (LIVE): the limit of leverage is 3; an entry that names none trades with what its market has at ${title}, and is refused where that is more`;
    const askedWith = async (set: (market: EmulatedVenue['market']) => void): Promise<string> => {
      const cli = commandLineHere(env);
      await cli.done('limits', 'set', `account:${exchange}:main`, '--largest-order', '500', '--leverage', '3');
      emulated.market.setPrice('ETHUSDT', '3000');
      set(emulated.market);
      return cli.done('doctor', '--live');
    };

    test('warns where a market that is held, or one that was never touched, stands above it', async () => {
      const told = await askedWith((market) => {
        market.setLeverage('ETHUSDT', 7);
        market.place({
          ...{ clientOrderId: 'owner', symbol: 'ETHUSDT', side: 'BUY', positionSide: 'BOTH', reduceOnly: false },
          ...{ quantity: decimal('0.1'), timeInForce: 'GTC' },
        });
      });
      expect(told).toContain(`warn  ${rule}: BTCUSDT has 20x, ETHUSDT has 7x`);
      const remedy = `name a leverage in every alert ("leverage": 3), or set it at ${title} for each market that you trade`;
      expect(told).toContain(`Remedy: ${remedy}`);
    });

    test('says what it counts for where none does', async () => {
      expect(await askedWith((market) => market.setLeverage('BTCUSDT', 3))).toContain(`ok    ${rule}\n`);
    });
  });

  test('a wrong secret fails with the remedy, and the exit code says so', async () => {
    const wrong = { ...env, [`${exchange.toUpperCase()}_API_SECRET`]: 'not-the-secret-of-this-key' };
    const { code, stdout } = await commandLineHere(wrong).run('doctor', '--live');
    expect(code).toBe(1);
    expect(stdout).toMatch(new RegExp(`fail {2}${exchange}:main \\(LIVE\\): the key: `));
    expect(stdout).toContain('is it one for live, may it trade futures, and from this address?');
  });

  test('a venue that does not answer fails once, not with every question', async () => {
    await emulated.close();
    const { code, stdout } = await commandLineHere(env).run('doctor', '--live');
    expect([code, stdout.match(/^fail/gm)]).toEqual([1, ['fail']]);
    expect(stdout).toContain('the clock: ');
    expect(stdout).toMatch(/cannot be reached: it takes no connections \(ECONNREFUSED\)/);
    expect(stdout).toMatch(/Remedy: look whether .* has an outage .* and whether a firewall or a proxy/);
    expect(stdout).not.toContain('look at its key');
  });

  test('a venue that hangs up is told in words, with the same remedy', async () => {
    emulated.faults.dropBefore({ path: '/*' }, 1000);
    const { stdout } = await commandLineHere(env).run('doctor', '--live');
    expect(stdout).toContain('closed the connection before it had answered (UND_ERR_SOCKET)');
    expect(stdout).toContain('has an outage');
    expect(stdout).not.toContain('look at its key');
  });

  test('without --live nobody is asked', async () => {
    const asked = emulated.requests.length;
    expect(await commandLineHere(env).done('doctor')).toContain(`accounts: ${exchange}:main is LIVE`);
    expect(emulated.requests.length).toBe(asked);
  });
});

test('where the venue refuses our time, the remedy is the clock of this machine', async () => {
  const emulated = await startBinance();
  emulated.market.setPrice('BTCUSDT', '50000');
  const words = { code: -1021, msg: 'Timestamp for this request is outside of the recvWindow.' };
  emulated.faults.answerInstead({ method: 'GET', path: '/fapi/v3/account' }, 400, words, 100);
  const dataDir = await preparedDataDir();
  const { apiKey, secret } = emulated.credentials;
  const keys = { BINANCE_API_KEY: apiKey, BINANCE_API_SECRET: secret, BINANCE_BASE_URL: emulated.baseUrl };
  const env = { DATA_DIR: dataDir, SERVICES: 'gateway', BINANCE_MODE: 'live', ...keys };
  const { code, stdout } = await commandLineHere(env).run('doctor', '--live');
  expect([code, stdout]).toEqual([1, expect.stringContaining('the key: Binance: Timestamp for this request')]);
  expect(stdout).toContain('Remedy: let this machine set its clock by NTP');
  expect(stdout).not.toContain('look at its key');
  await emulated.close();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('the key of an account', () => {
  test('that may withdraw fails, with what to do about it', async () => {
    const emulated = await startBinance();
    emulated.market.setPrice('BTCUSDT', '50000');
    emulated.permissions.enableWithdrawals = true;
    emulated.permissions.ipRestrict = false;
    const dataDir = await preparedDataDir();
    const { apiKey, secret } = emulated.credentials;
    const keys = { BINANCE_API_KEY: apiKey, BINANCE_API_SECRET: secret, BINANCE_BASE_URL: emulated.baseUrl };
    const env = { DATA_DIR: dataDir, SERVICES: 'gateway', BINANCE_MODE: 'live', ...keys };
    const { code, stdout } = await commandLineHere(env).run('doctor', '--live');
    expect(code).toBe(1);
    expect(stdout).toContain(
      'fail  binance:main (LIVE): the account is not opened with this key (may trade: yes, may withdraw: yes, may transfer: no, locked to addresses: no)',
    );
    expect(stdout).toContain('Remedy: the key of binance:main may withdraw');
    const allowed = await commandLineHere({ ...env, ALLOW_WITHDRAWAL_KEYS: 'yes' }).run('doctor', '--live');
    expect(allowed.code).toBe(0);
    expect(allowed.stdout).toContain('Remedy: the key of binance:main works from any address');
    await emulated.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('where it is stored is opened with the master key, and plain doctor says where that fails', async () => {
    const dataDir = await preparedDataDir();
    const env = { DATA_DIR: dataDir, SERVICES: 'gateway', SIGNALBOX_MASTER_KEY: 'the-master-key-of-a-test' };
    const added = commandLineHere(env, ['the-api-key-of-a-test', 'the-secret-of-a-test']);
    await added.done('accounts', 'add', 'binance:scalp', '--mode', 'live');
    expect(await added.done('doctor')).toContain('ok    accounts: SIGNALBOX_MASTER_KEY opens the stored credentials');
    const other = commandLineHere({ ...env, SIGNALBOX_MASTER_KEY: 'another-key-than-that' });
    const { code, stdout } = await other.run('doctor');
    expect([code, stdout]).toEqual([1, expect.stringContaining('it was sealed with another master key')]);
    const live = await commandLineHere(env).run('doctor', '--live');
    expect([live.code, live.stdout]).toEqual([1, expect.stringContaining('live account that could be asked')]);
    rmSync(dataDir, { recursive: true, force: true });
  });
});
