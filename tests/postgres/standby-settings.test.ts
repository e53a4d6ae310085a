// What processes on one PostgreSQL must have alike, so that a take-over changes no money and shuts no door: whoever differs does not
// stand by, and nobody takes over after a crash with other accounts than the last owner had.

import { once } from 'node:events';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { closeAtEnd } from '../support/close-at-end.ts';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { freshDataDir, type RunningProcess, spawnSignalbox, startGatewayProcess } from '../support/process.ts';
import { INTERNAL_TOKEN, livedUntilTraded, post, STANDBY_KEY, startStandby } from '../support/standby.ts';

let server: PostgresServer;
let databaseUrl: string;
let env: Record<string, string>;

beforeAll(async () => {
  server = await startPostgres();
});

beforeEach(async () => {
  databaseUrl = await server.newDatabase();
  env = {
    DATABASE_URL: databaseUrl,
    WEBHOOK_API_KEYS: STANDBY_KEY,
    INTERNAL_TOKEN,
    LOG_LEVEL: 'error',
    WEBHOOK_RATE_PER_MINUTE: '0',
  };
});

const WARNS = { LOG_LEVEL: 'warn' };

const startWith = (more: Record<string, string> = {}): Promise<RunningProcess> =>
  startGatewayProcess({ env: { ...env, ...more } });

/** The settings of a live account. */
async function liveAccount(): Promise<Record<string, string>> {
  const venue = await startBinance();
  closeAtEnd(() => venue.close());
  venue.market.setPrice('ETHUSDT', '3000');
  const { apiKey, secret } = venue.credentials;
  return {
    ...{ BINANCE_MODE: 'live', BINANCE_BASE_URL: venue.baseUrl, BINANCE_API_KEY: apiKey, BINANCE_API_SECRET: secret },
    CONFIRM_FIRST_LIVE_ORDER: 'no',
  };
}

/** What a process says until it has ended, or until it stands by although it must not. */
async function lastWordsWith(more: Record<string, string>): Promise<string> {
  const child = spawnSignalbox(['start'], { ...env, SERVICES: 'gateway', ...more });
  closeAtEnd(async () => child.kill('SIGKILL'));
  let text = '';
  let isOver = false;
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.once('close', () => {
    isOver = true;
  });
  await expect.poll(() => isOver || text.includes('stands by at'), { timeout: 60_000 }).toBe(true);
  return text;
}

const toldTerms = async (): Promise<string> => {
  const [row] = await server.query('SELECT terms FROM trading.desk_terms', databaseUrl);
  return String(row?.terms);
};

describe('a process does not stand by', () => {
  test('over the folder of the owner, or at its address, and is told so in words', async () => {
    const owner = await startWith();
    const [overFolder, atAddress] = await Promise.all([
      lastWordsWith({ DATA_DIR: owner.dataDir }),
      lastWordsWith({ DATA_DIR: freshDataDir(), PROCESS_URL: owner.url }),
    ]);
    expect(overFolder).toContain(
      `another Signalbox (process ${owner.child.pid} at ${owner.url}) is using ${owner.dataDir}; stop it first, or give this one its ` +
        'own folder with DATA_DIR',
    );
    expect(atAddress).toContain(
      `Another Signalbox trades on the database of DATABASE_URL and says that it is reached at ${owner.url}, which is the address of ` +
        'this one too, so nothing could be passed on. Set PROCESS_URL on both, each to where the other one reaches it.',
    );
    await owner.stop();
  });

  test('with an account on paper that the owner trades live, and nobody takes over with it after a crash', async () => {
    const live = await liveAccount();
    const owner = await startWith(live);
    await expect(startWith()).rejects.toThrow(
      /BINANCE_MODE: paper here, and live, with BINANCE_API_KEY, at the Signalbox that owns the desk/,
    );
    await owner.kill();
    await expect(startWith()).rejects.toThrow(
      /BINANCE_MODE: paper here, and live at the last process .* not stopped properly.*LEAVE_POSITIONS=binance:main:live/s,
    );
    // With its settings it goes on; and what was stopped properly may begin with whatever its owner wants.
    await (await startWith(live)).stop();
    const paper = await startWith(WARNS);
    await expect
      .poll(paper.output)
      .toContain('BINANCE_MODE is paper, and was live at the last process that owned this desk');
    await paper.stop();
  });

  test('if it could never take over: what the owner holds is not open with its settings, or a mode has no credentials', async () => {
    const owner = await startWith(await liveAccount());
    expect(await post(owner.url, 'a', { quantity: 0.01 })).toBe(200);
    await expect(startWith()).rejects.toThrow(/binance:main \(LIVE\) has open positions in ETHUSDT, and is not open/);
    await expect(startWith({ BINANCE_MODE: 'live' })).rejects.toThrow(/Binance is set to live and has no credentials/);
    expect(await post(owner.url, 'b', { quantity: 0.01, action: 'CLOSE_LONG' })).toBe(200);
    await owner.stop();
  });

  test('with another INTERNAL_TOKEN or master key, other WEBHOOK_API_KEYS, SERVICES or settings that guard it; the order of keys does not matter', async () => {
    const other = `whk_${'o'.repeat(43)}`;
    const masterKey = 'm'.repeat(40);
    env = { ...env, WEBHOOK_API_KEYS: `${STANDBY_KEY},${other}`, SIGNALBOX_MASTER_KEY: masterKey };
    const owner = await startWith();
    // Accounts that are sealed with the one key could not be opened with another, or with none.
    for (const theirs of ['', 'n'.repeat(40)])
      await expect(startWith({ SIGNALBOX_MASTER_KEY: theirs })).rejects.toThrow(
        /SIGNALBOX_MASTER_KEY or master\.key: not the same as at the Signalbox that owns the desk/,
      );
    await expect(startWith({ INTERNAL_TOKEN: 'x'.repeat(32) })).rejects.toThrow(
      /INTERNAL_TOKEN: not the same as at the Signalbox that owns the desk/,
    );
    await expect(startWith({ WEBHOOK_API_KEYS: STANDBY_KEY })).rejects.toThrow(
      /WEBHOOK_API_KEYS: not the same as at the Signalbox that owns the desk/,
    );
    await expect(startWith({ SERVICES: 'gateway,scripts' })).rejects.toThrow(
      /SERVICES: gateway and scripts here, and gateway at the Signalbox/,
    );
    const guards = {
      ...{
        IP_ALLOWLIST: '10.0.0.1',
        TRUSTED_PROXIES: '10.0.0.2',
        SIGNAL_MAX_AGE_S: '61',
        IDEMPOTENCY_WINDOW_S: '3600',
        PROTECTION_AT_VENUE: 'no',
      },
      ...{ DRAWDOWN_LIMIT_PERCENT: '1', DRAWDOWN_FREEZES_WALLET: 'yes', UNPROTECTED_POSITIONS: 'close' },
      ...{ STALE_QUOTE_S: '60', MAX_PRICE_THROUGH_PERCENT: '0', MAX_SPREAD_PERCENT: '0' },
      ...{ CONFIRM_FIRST_LIVE_ORDER: 'no', ALLOW_WITHDRAWAL_KEYS: 'yes', TRADINGVIEW_POSITION_CHECK: 'refuse' },
      ...{ QUEUE_MODE: 'direct', WEBHOOK_RATE_PER_MINUTE: '7', PAPER_TWIN: 'yes', PAPER_POSITION_MODE: 'hedge' },
      ...{ PAPER_BALANCE: '5', PAPER_ACCOUNTS: 'binance:scalp=5000', MARKET_SEED: '7', SIMULATED_SYMBOLS: 'NEWUSDT=1' },
      ...{ MARKET_DATA: 'bybit', DEPLOYMENT_WEBHOOK_ALLOW: '10.0.0.1:80', SMTP_ALLOWED_SENDERS: '@example.com' },
      ...{ SMTP_AUTH_POLICY: 'off', SMTP_MAX_AGE_S: '10', WALLET_MAX_VALUE_WEI: '1', WALLET_DAILY_LIMIT_WEI: '2' },
      ...{ WALLET_CAPS: 'ethereum:native=1', WALLET_MAX_PRICE_IMPACT_BPS: '1' },
      ...{ WALLET_ALLOWED_CONTRACTS: `0x${'1'.repeat(40)}`, BYBIT_BASE_URL: 'http://127.0.0.1:9' },
    };
    const refusal = await startWith(guards).catch(String);
    for (const name of Object.keys(guards))
      expect(refusal).toContain(`${name}: not the same as at the Signalbox that owns the desk`);
    const standby = await startStandby({ ...env, WEBHOOK_API_KEYS: `${other},${STANDBY_KEY}` });
    const terms = await toldTerms();
    // A slow hash with a salt: whoever reads the row learns nothing of them cheaply.
    expect(JSON.parse(terms)).toMatchObject({
      token: expect.stringMatching(/^scrypt\$32768\$/),
      keys: expect.stringMatching(/^scrypt\$32768\$/),
      masterKey: expect.stringMatching(/^scrypt\$32768\$/),
    });
    for (const secret of [INTERNAL_TOKEN, STANDBY_KEY, other, masterKey]) expect(terms).not.toContain(secret);
    await owner.kill();
    await livedUntilTraded(standby.url, 'a');
    expect(await toldTerms()).not.toBe(terms);
    await standby.stop();
    // Nobody else has to agree: what is not as it was is told.
    const changed = await startWith({ ...WARNS, DRAWDOWN_LIMIT_PERCENT: '1', SIMULATED_SYMBOLS: 'NEWUSDT=1' });
    for (const words of ['DRAWDOWN_LIMIT_PERCENT is 1, and was 0', 'SIMULATED_SYMBOLS is NEWUSDT=1, and was not set'])
      await expect.poll(changed.output).toContain(`${words} at the last process that owned this desk`);
    await changed.stop();
  });

  test('beside an owner of an older version only what that one has told must be alike', async () => {
    const owner = await startWith({ IP_ALLOWLIST: '10.0.0.1' });
    const { guards, ...rest } = JSON.parse(await toldTerms()) as { guards: Record<string, string> };
    const told = Object.fromEntries(Object.entries(guards).filter(([name]) => name === 'IP_ALLOWLIST'));
    expect(Object.keys(guards).length).toBeGreaterThan(Object.keys(told).length);
    const older = JSON.stringify({ ...rest, guards: told }).replaceAll("'", "''");
    await server.query(`UPDATE trading.desk_terms SET terms = '${older}'`, databaseUrl);
    await expect(startWith({ DRAWDOWN_LIMIT_PERCENT: '1' })).rejects.toThrow(
      /attention\.\n\s*- IP_ALLOWLIST: not the same[^-]*$/,
    );
    const standby = await startStandby({ ...env, IP_ALLOWLIST: '10.0.0.1', DRAWDOWN_LIMIT_PERCENT: '1' });
    await standby.stop();
    await owner.stop();
  });
});

test('after a crash an account may be left by its name; one on paper becomes live after a proper stop alone', async () => {
  const live = await liveAccount();
  await (await startWith(live)).kill();
  await (await startWith({ LEAVE_POSITIONS: 'binance:main:live' })).kill();
  await expect(startWith(live)).rejects.toThrow(/BINANCE_MODE: live here, and paper at the last process/);
});

test('one that stands by looks again when it takes over, and leaves the desk as it found it', async () => {
  const owner = await startWith();
  const standby = await startStandby(env);
  await server.query(`UPDATE trading.desk_terms SET terms = replace(terms, '"paper"', '"live"')`, databaseUrl);
  const gone = once(standby.child, 'exit');
  await owner.kill();
  await gone;
  expect(standby.child.exitCode).toBe(1);
  expect(standby.output()).toMatch(/BINANCE_MODE: paper here, and live at the Signalbox/);
  expect(await server.query('SELECT released FROM trading.leases', databaseUrl)).toEqual([{ released: false }]);
});
