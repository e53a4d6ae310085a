// Testnet and live accounts on a real data folder: sealed, listed, tested, removed; and no secret in any output, log or file.

import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenLiveAccount } from '../../src/composition/live-accounts.ts';
import { freshDataDir, runSignalbox, startGatewayProcess } from '../support/process.ts';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import { commandLineHere, type Printed } from './command-line.ts';

const KEY = 'abcdTheApiKeyOfTheTest0123456789';
const SECRET = 'TheVerySecretTextOfTheTest9876543210';
const CREDENTIALS = [KEY, SECRET];

const expectNoSecretIn = (text: string | Buffer): void => {
  for (const secret of CREDENTIALS) expect(text.includes(secret)).toBe(false);
};

/** A data folder that a start has made. */
async function madeFolder(): Promise<string> {
  const dataDir = freshDataDir();
  const started = await startGatewayProcess({ dataDir });
  await started.stop();
  return dataDir;
}

const linesOf = (text: string): string[][] =>
  text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/ {2,}/));

describe('on one data folder', () => {
  let dataDir: string;
  let cli: ReturnType<typeof commandLineHere>;
  beforeAll(async () => {
    dataDir = await madeFolder();
    cli = commandLineHere({ DATA_DIR: dataDir }, CREDENTIALS);
  });
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  it('the first account makes the key file, and nothing of its credentials is readable anywhere', async () => {
    const input = `${KEY}\n${SECRET}\n`;
    const words = ['accounts', 'add', 'binance:scalp', '--mode', 'live', '--position-mode', 'hedge'];
    const { code, stdout, stderr } = await runSignalbox(
      words,
      { DATA_DIR: dataDir, LOG_LEVEL: 'debug' },
      undefined,
      input,
    );
    expect([code, stderr]).toEqual([0, `(data folder ${dataDir} (Signalbox is not running))\n`]);
    expect(stdout).toContain(`Stored binance:scalp (live), key abcd…, sealed with ${join(dataDir, 'master.key')}.`);
    expect(stdout).toContain(
      'It waits: binance:scalp is a live account and Binance is set to paper; set BINANCE_MODE=live and restart',
    );
    expectNoSecretIn(stdout + stderr);
    expect(statSync(join(dataDir, 'master.key')).mode & 0o777).toBe(0o600);
    for (const name of readdirSync(dataDir)) expectNoSecretIn(readFileSync(join(dataDir, name)));
    expect(await cli.done('audit')).toMatch(/cli +storedAccount/);
    expectNoSecretIn(await cli.done('audit', '--json'));
  });

  it('any number can be at an exchange, and the list shows them beside the paper accounts', async () => {
    await cli.done('accounts', 'add', 'binance:swing', '--mode', 'testnet');
    const other = commandLineHere({ DATA_DIR: dataDir }, ['wxyzAnotherApiKeyOfTheTest', SECRET]);
    await other.done('accounts', 'add', 'binance:main', '--mode', 'live');
    const printed = await cli.run('accounts', 'list');
    expect(printed.code).toBe(0);
    expectNoSecretIn(printed.stdout);
    expect(linesOf(printed.stdout).map((line) => line.slice(0, 4))).toEqual([
      ['binance:main', 'paper', 'none', '-'],
      ['bybit:main', 'paper', 'none', '-'],
      ['mexc:main', 'paper', 'none', '-'],
      ['binance:scalp', 'LIVE', 'stored', 'abcd…'],
      ['binance:swing', 'testnet', 'stored', 'abcd…'],
      ['binance:main', 'LIVE', 'stored', 'wxyz…'],
    ]);
    const reasons = printed.stdout;
    expect(reasons).toContain(
      'binance:scalp is a live account and Binance is set to paper; set BINANCE_MODE=live and restart',
    );
    expect(reasons).toContain('Binance is set to paper, where another account has this name; set BINANCE_MODE=live');
    // Those that are traded are the paper accounts alone.
    expect(
      linesOf(await cli.done('accounts')).map(([exchange, account, mode]) => `${exchange}:${account} ${mode}`),
    ).toEqual([...['binance:main paper', 'bybit:main paper', 'mexc:main paper']]);
  });

  it('a name is taken once, and what the environment has is not stored besides', async () => {
    expect(await cli.refused(1, 'accounts', 'add', 'binance:scalp', '--mode', 'testnet')).toContain(
      'there is an account binance:scalp already',
    );
    const env = { DATA_DIR: dataDir, BYBIT_API_KEY: KEY, BYBIT_API_SECRET: SECRET };
    const withKeys = commandLineHere(env, CREDENTIALS);
    expect(await withKeys.refused(1, 'accounts', 'add', 'bybit:main', '--mode', 'live')).toContain(
      'the environment has credentials for bybit:main already (BYBIT_API_KEY and BYBIT_API_SECRET)',
    );
    expect(await withKeys.refused(1, 'accounts', 'remove', 'bybit:main', '--yes')).toContain(
      'unset BYBIT_API_KEY and BYBIT_API_SECRET to remove it',
    );
  });

  it('test needs the account and its master key', async () => {
    expect(await cli.refused(1, 'accounts', 'test', 'bybit:main')).toContain(
      'no account bybit:main is stored; there are',
    );
    const other = commandLineHere({
      DATA_DIR: dataDir,
      SIGNALBOX_MASTER_KEY: 'another master key!'.replaceAll(' ', '-'),
    });
    expect(await other.refused(1, 'accounts', 'test', 'binance:scalp')).toContain(
      'what is stored for the live account binance:scalp cannot be opened: it was sealed with another master key',
    );
  });

  it('test asks the venue, with these credentials', async () => {
    const asked: unknown[] = [];
    const open: OpenLiveAccount = async ({ account, credentials }) => {
      asked.push([account, credentials]);
      const permissions = async () => ({ canTrade: true, canWithdraw: true, canTransfer: false, ipLocked: false });
      return { venue: createScriptedVenue(), clockOffsetMs: async () => 7, permissions, tryStream: async () => {} };
    };
    const scripted = commandLineHere({ DATA_DIR: dataDir }, [], { binance: open, bybit: open, mexc: open });
    const { code, stdout, stderr } = await scripted.run('accounts', 'test', 'binance:scalp');
    expectNoSecretIn(stdout + stderr);
    expect(asked).toEqual([
      [
        { exchange: 'binance', account: 'scalp', mode: 'live', credentialsFrom: 'stored' },
        { apiKey: KEY, secret: SECRET },
      ],
    ]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('the key of binance:scalp may withdraw')]);
    expect(stdout).toMatch(/clock +7 ms ahead of ours/);
  });

  it('test by the command itself reaches the address that is set, and says in words that nobody answers there', async () => {
    const env = { DATA_DIR: dataDir, BINANCE_BASE_URL: 'http://127.0.0.1:2' };
    const { code, stdout, stderr } = await runSignalbox(['accounts', 'test', 'binance:scalp'], env);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('Binance cannot be reached');
    expectNoSecretIn(stderr);
  });

  it('a key file that others can read, or that is gone, is refused with the remedy, and no new one is made', async () => {
    const path = join(dataDir, 'master.key');
    chmodSync(path, 0o644);
    expect(await cli.refused(1, 'accounts', 'add', 'bybit:main', '--mode', 'live')).toContain(
      `say "chmod 600 ${path}"`,
    );
    chmodSync(path, 0o600);
    const key = readFileSync(path, 'utf8');
    rmSync(path);
    expect(await cli.refused(1, 'accounts', 'add', 'bybit:main', '--mode', 'live')).toContain(
      'there are stored accounts, but not the master key their credentials are sealed with',
    );
    expect(readdirSync(dataDir)).not.toContain('master.key');
    const set = commandLineHere({ DATA_DIR: dataDir, SIGNALBOX_MASTER_KEY: key.trim() }, CREDENTIALS);
    expect(await set.done('accounts', 'add', 'bybit:main', '--mode', 'live')).toContain(
      'sealed with SIGNALBOX_MASTER_KEY',
    );
  });

  it('a running instance is told of, and its log has nothing of the credentials', async () => {
    const started = await startGatewayProcess({ dataDir, env: { LOG_LEVEL: 'debug' } });
    const removed = await runSignalbox(['accounts', 'remove', 'bybit:main', '--yes'], { DATA_DIR: dataDir });
    expect(removed.stdout).toContain('The running instance keeps it until it is restarted.');
    expectNoSecretIn(started.output());
    await started.stop();
  });

  it('remove asks, refuses what is not settled, and takes nothing but the one account', async () => {
    const hasNobody = commandLineHere({ DATA_DIR: dataDir });
    expect((await hasNobody.run('accounts', 'remove', 'binance:scalp')).code).toBe(1);
    settle(
      dataDir,
      `INSERT INTO positions VALUES ('binance', 'live', 'scalp', 'BTCUSDT', 'LONG', '0.5', '1', '0', '0', 1, NULL),
      ('binance', 'live', 'scalp', 'ETHUSDT', 'LONG', '0', '1', '0', '0', 1, NULL),
      ('binance', 'paper', 'swing', 'BTCUSDT', 'LONG', '0.5', '1', '0', '0', 1, NULL)`,
    );
    expect(await cli.refused(1, 'accounts', 'remove', 'binance:scalp', '--yes')).toContain(
      'binance:scalp has not settled everything: open positions in BTCUSDT. Without its credentials nobody here could close',
    );
    expect(await cli.done('accounts', 'remove', 'binance:scalp', '--yes', '--force')).toContain(
      'Removed binance:scalp',
    );
    // What a paper account of the same name holds is not its own.
    expect(await cli.done('accounts', 'remove', 'binance:swing', '--yes')).toContain('Removed binance:swing');
    expect(await cli.refused(1, 'accounts', 'remove', 'binance:swing', '--yes')).toContain(
      'no account binance:swing is stored; there are binance:main',
    );
    expectNoSecretIn(await cli.done('audit', '--json'));
  });
});

function settle(dataDir: string, sql: string): void {
  const db = new DatabaseSync(join(dataDir, 'signalbox.db'));
  db.exec(sql);
  db.close();
}

it('a trade without an end keeps its account from being removed', async () => {
  const dataDir = await madeFolder();
  const cli = commandLineHere({ DATA_DIR: dataDir }, CREDENTIALS);
  await cli.done('accounts', 'add', 'binance:main', '--mode', 'testnet');
  const columns = tradeColumns(dataDir);
  for (const [seq, state] of [
    [1, 'accepted'],
    [2, 'filled'],
  ] as const)
    settle(dataDir, columns(seq, state));
  settle(dataDir, 'INSERT INTO open_trades (seq) VALUES (1)');
  expect(await cli.refused(1, 'accounts', 'remove', 'binance:main', '--yes')).toContain('one unfinished trade');
  settle(dataDir, "UPDATE trades SET state = 'expired' WHERE seq = 1; DELETE FROM open_trades");
  await cli.done('accounts', 'remove', 'binance:main', '--yes');
  rmSync(dataDir, { recursive: true, force: true });
});

/** A row of `trades` with something in every column that needs it. */
function tradeColumns(dataDir: string) {
  const db = new DatabaseSync(join(dataDir, 'signalbox.db'));
  const info = db
    .prepare('SELECT name, type FROM pragma_table_info(\'trades\') WHERE "notnull" AND dflt_value IS NULL')
    .all();
  db.close();
  return (seq: number, state: string): string => {
    const given: Record<string, string> = {
      seq: `${seq}`,
      state,
      exchange: 'binance',
      mode: 'testnet',
      request_id: `r-${seq}`,
    };
    const values = info.map(({ name, type }) => `'${given[String(name)] ?? (type === 'INTEGER' ? '1' : 'x')}'`);
    return `INSERT INTO trades (${info.map(({ name }) => name).join()}) VALUES (${values.join()})`;
  };
}

it('the environment and the store together claim main: the start is refused and names both', async () => {
  const dataDir = await madeFolder();
  const cli = commandLineHere({ DATA_DIR: dataDir }, CREDENTIALS);
  await cli.done('accounts', 'add', 'binance:main', '--mode', 'live');
  const env = { DATA_DIR: dataDir, BINANCE_API_KEY: KEY, BINANCE_API_SECRET: SECRET };
  const { code, stdout, stderr }: Printed = await runSignalbox(['start'], env);
  expect(code).toBe(1);
  expect(stderr).toContain('the environment has credentials for binance:main, and others are stored for it');
  expect(stderr).toContain('"signalbox accounts remove binance:main --yes"');
  expectNoSecretIn(stdout + stderr);
  const listed = await commandLineHere(env).run('accounts', 'list');
  expect([listed.code, listed.stderr]).toEqual([1, expect.stringContaining('No start is possible.')]);
  await cli.done('accounts', 'remove', 'binance:main', '--yes');
  rmSync(dataDir, { recursive: true, force: true });
});

it('one API key is one account: a second with it is not added, and no start opens both', async () => {
  const dataDir = await madeFolder();
  const cli = commandLineHere({ DATA_DIR: dataDir }, CREDENTIALS);
  await cli.done('accounts', 'add', 'binance:scalp', '--mode', 'live');
  expect(await cli.refused(1, 'accounts', 'add', 'binance:swing', '--mode', 'live')).toContain(
    'binance:scalp has this API key already: each of the two would take the whole position there for its own',
  );
  // Neither another exchange nor the test network has the same accounts.
  await cli.done('accounts', 'add', 'bybit:scalp', '--mode', 'live');
  await cli.done('accounts', 'add', 'binance:swing', '--mode', 'testnet');
  const env = { DATA_DIR: dataDir, BINANCE_MODE: 'live', BINANCE_API_KEY: KEY, BINANCE_API_SECRET: SECRET };
  const started = await runSignalbox(['start'], env);
  const words = 'binance:main and binance:scalp have the same API key';
  expect([started.code, started.stderr]).toEqual([1, expect.stringContaining(words)]);
  expect(started.stderr).toContain('say "signalbox accounts remove binance:scalp"');
  expectNoSecretIn(started.stdout + started.stderr);
  const doctor = await commandLineHere(env).run('doctor');
  expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining(`fail  accounts: ${words}`)]);
  await cli.done('accounts', 'remove', 'binance:scalp', '--yes');
  const withKeys = commandLineHere(env, CREDENTIALS);
  expect(await withKeys.refused(1, 'accounts', 'add', 'binance:scalp', '--mode', 'live')).toContain(
    'binance:main has this API key already, from the environment',
  );
  rmSync(dataDir, { recursive: true, force: true });
});

describe('on a fresh install', () => {
  it('the first account makes the data folder, also where a start would be refused without it, and the start opens it', async () => {
    const dataDir = join(freshDataDir(), 'new');
    const env = { DATA_DIR: dataDir, BINANCE_MODE: 'testnet' };
    const cli = commandLineHere(env, CREDENTIALS);
    expect(await cli.refused(1, 'accounts', 'list')).toContain('There is no Signalbox instance');
    expect(existsSync(dataDir)).toBe(false);
    const added = await cli.run('accounts', 'add', 'binance:main', '--mode', 'testnet');
    expect([added.code, added.stderr]).toEqual([0, expect.stringContaining(`${dataDir}, made just now`)]);
    expect(linesOf(await cli.done('accounts', 'list'))[0]).toEqual(expect.arrayContaining(['binance:main', 'testnet']));
    const baseUrl = { BINANCE_BASE_URL: 'http://127.0.0.1:9' };
    const started = await startGatewayProcess({ dataDir, env: { BINANCE_MODE: 'testnet', ...baseUrl } });
    expect(started.output()).toContain('testnet money on binance:main');
    expect(started.apiKey).toMatch(/^whk_/);
    await started.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
});
