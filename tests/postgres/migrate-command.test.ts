// `signalbox migrate` as a person runs it: on an instance that has traded, on one of an old version, killed again and again.

import { hash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { openTradingStorage } from '../../src/adapters/storage/postgres/trading.ts';
import { openMigrated } from '../../src/adapters/storage/sqlite/database.ts';
import { OWNER, STRANGERS, TRADING } from '../../src/adapters/storage/sqlite/database-files.ts';
import { markMoved } from '../../src/adapters/storage/sqlite/moved-folder.ts';
import { openDeploymentStorage } from '../../src/adapters/storage/sqlite/strangers/testing/open-storage.ts';
import { copyToPostgres, copyToSqliteFolder } from '../../src/composition/instance-copies.ts';
import { type CommandLine, commandLineHere, signalWords } from '../cli/command-line.ts';
import { DEPLOYMENT, LOG } from '../ports/deployment-store-suite.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { makeOldFolder } from '../support/old-folder.ts';
import { POSTGRES_PASSWORD, type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { preparedDataDir } from '../support/prepared-data-dir.ts';
import {
  freshDataDir,
  type RunningProcess,
  runSignalbox,
  spawnSignalbox,
  startGatewayProcess,
} from '../support/process.ts';
import { Random } from '../support/random.ts';
import { fillEveryTable } from '../support/rows-of-every-kind.ts';
import { storedRows } from '../support/stored-rows.ts';
import { cases } from '../support/thorough.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});

const MARK = 'moved-to-postgresql.json';
const whereOf = (url: string): string => url.replace(/^.*@/, '');

describe('an instance that has traded', () => {
  let running: RunningProcess;
  let cli: CommandLine;
  let dataDir: string;
  let url: string;

  beforeAll(async () => {
    running = await startGatewayProcess();
    ({ dataDir } = running);
    cli = commandLineHere({ DATA_DIR: dataDir });
    url = await server.newDatabase();
    await cli.done(...signalWords(running.apiKey as string));
    await cli.done('stops', 'set', 'binance:BTCUSDT:LONG', '--stop-loss', '10%');
  });

  test('is not moved while it runs', async () => {
    expect(await cli.refused(1, 'migrate', '--to', url)).toMatch(/another Signalbox .* is using/);
    await running.stop();
  });

  test('is moved, says what stays in the folder, and never shows the password', async () => {
    mkdirSync(join(dataDir, 'archive'));
    const text = await cli.done('migrate', '--to', url);
    expect(text).toContain(`is moved to PostgreSQL at ${whereOf(url)}: trading (`);
    expect(text).toMatch(/In the folder stay .*the archive files in archive, the bars of exchanges/);
    expect(text).not.toContain(POSTGRES_PASSWORD);
    expect(readFileSync(join(dataDir, MARK), 'utf8')).not.toContain(POSTGRES_PASSWORD);
    const trading = await openTradingStorage({ url, nowMs: Date.now, onDeath: () => {} });
    closeAtEnd(() => trading.close());
    const [position] = await trading.journal.positions();
    expect(position).toMatchObject({ exchange: 'binance', market: 'BTCUSDT', side: 'LONG' });
    expect((await trading.protection.protections.load()).protections).toHaveLength(1);
  });

  test('trades no more by its files: start and commands name the remedy and the way back', async () => {
    const words = new RegExp(`are in PostgreSQL at ${whereOf(url)} .*set DATABASE_URL.*moved-to-postgresql\\.json`);
    const started = await runSignalbox(['start'], { DATA_DIR: dataDir });
    expect([started.code, `${started.stdout}${started.stderr}`]).toEqual([1, expect.stringMatching(words)]);
    for (const command of ['positions', 'backup']) expect(await cli.refused(1, command)).toMatch(words);
    expect(await cli.refused(1, 'migrate', '--to', url)).toMatch(/already, so nothing was done. Set DATABASE_URL/);
  });

  test('trades on in PostgreSQL, and goes back to files with all of it by a backup', async () => {
    const inPostgres = commandLineHere({ DATA_DIR: dataDir, DATABASE_URL: url });
    const again = await startGatewayProcess({ dataDir, env: { DATABASE_URL: url } });
    await inPostgres.done(...signalWords(running.apiKey as string));
    expect(await inPostgres.done('positions')).toMatch(/BTCUSDT +LONG +0\.02/);
    expect((await inPostgres.json('archive')).body.result.database).toBe('postgresql');
    const file = join(dataDir, 'running.tar.gz');
    await inPostgres.done('backup', '--to', file);
    await again.stop();
    const to = join(freshDataDir(), 'data');
    await commandLineHere({ DATA_DIR: to }).done('restore', file);
    expect(await commandLineHere({ DATA_DIR: to }).done('positions')).toMatch(/BTCUSDT +LONG +0\.02/);
  });

  test('goes back to the files as they were by removing the mark', async () => {
    await rm(join(dataDir, MARK));
    expect(await cli.done('positions')).toMatch(/BTCUSDT +LONG +0\.01/);
  });
});

test('an address that is wrong, or leads nowhere, is told without its password, and nothing is marked', async () => {
  const dataDir = await preparedDataDir();
  const cli = commandLineHere({ DATA_DIR: dataDir });
  const secret = 'hidden-word';
  const nowhere = await cli.refused(1, 'migrate', '--to', `postgres://me:${secret}@127.0.0.1:1/box`);
  expect(nowhere).toContain('127.0.0.1:1/box cannot be reached (ECONNREFUSED)');
  const wrong = await cli.refused(1, 'migrate', '--to', `mysql://me:${secret}@host/box`);
  expect(wrong).toContain('is no address of a PostgreSQL');
  const denied = await cli.refused(1, 'migrate', '--to', server.urlOf('postgres', 'postgres', secret));
  expect(denied).toContain('refuses the user name or password');
  for (const told of [nowhere, wrong, denied]) expect(told).not.toContain(secret);
  expect(await cli.refused(1, 'migrate')).toContain('with --to, or set DATABASE_URL');
  expect(existsSync(join(dataDir, MARK))).toBe(false);
  expect(await commandLineHere({ DATA_DIR: freshDataDir() }).refused(1, 'migrate', '--to', server.url)).toContain(
    'no Signalbox instance',
  );
});

test('DATABASE_URL serves as the address, and a move killed just before its end is ended', async () => {
  const dataDir = await preparedDataDir();
  const url = await server.newDatabase();
  const beforeUse = async (where: string): Promise<void> => {
    await markMoved(dataDir, where, 1);
    throw new Error('killed');
  };
  await expect(copyToPostgres({ dataDir, url, beforeUse })).rejects.toThrow('killed');
  const open = () => openTradingStorage({ url, nowMs: Date.now, onDeath: () => {} });
  await expect(open()).rejects.toThrow(/in part/);
  const { body } = await commandLineHere({ DATA_DIR: dataDir, DATABASE_URL: url }).json('migrate');
  expect(body).toMatchObject({ where: whereOf(url), folder: dataDir });
  expect(body.rowsFoundThere).toBeGreaterThan(0);
  await (await open()).close();
});

test('a folder of version 0.2.0 is brought to the shape of today first, and its secrets are sealed', async () => {
  const secret = 'the-clear-secret-of-a-hook';
  const dataDir = await preparedDataDir();
  const { deployments, close } = openDeploymentStorage({ dataDir });
  const targets = [{ type: 'webhook', url: 'https://example.com/hook', secret } as const];
  await deployments.create({ ...DEPLOYMENT, targets }, 'source', LOG);
  await close();
  makeOldFolder(dataDir);
  expect(existsSync(join(dataDir, 'deployments.db'))).toBe(true);
  const url = await server.newDatabase();
  expect(await commandLineHere({ DATA_DIR: dataDir }).run('migrate', '--to', url)).toMatchObject({
    code: 0,
    stderr: '',
  });
  const [row] = await server.query('SELECT id, targets FROM strangers.deployments', url);
  expect(row).toMatchObject({ id: DEPLOYMENT.id });
  expect(String(row?.targets)).toContain('https://example.com/hook');
  expect(String(row?.targets)).not.toContain(secret);
  expect(existsSync(join(dataDir, 'master.key'))).toBe(true);
});

describe('a backup of an instance in PostgreSQL', () => {
  let dataDir: string;
  let url: string;
  let file: string;
  /** What a restore changes itself: it throws the kill switch, writes that down, and ends the sessions. */
  const OF_THE_RESTORE = ['settings', 'audit', 'sessions', 'sqlite_sequence', 'migrations'];

  beforeAll(async () => {
    dataDir = await preparedDataDir();
    await fillEveryTable(join(dataDir, TRADING.name), 3);
    const db = new DatabaseSync(join(dataDir, TRADING.name));
    db.exec(`UPDATE desk_event_epochs SET id = 'run ' || first_seq`);
    db.close();
    url = await server.newDatabase();
    await commandLineHere({ DATA_DIR: dataDir }).done('migrate', '--to', url);
    file = join(dataDir, 'of-postgresql.tar.gz');
    const made = await commandLineHere({ DATA_DIR: dataDir, DATABASE_URL: url }).done('backup', '--to', file);
    expect(made).toMatch(/was read back: it is whole[\s\S]*signalbox\.db \(\d+ rows\)/);
  });

  test('leaves nothing else behind, and is restored into files', async () => {
    expect(readdirSync(dataDir).filter((name) => name.startsWith('.'))).toEqual([]);
    const to = join(freshDataDir(), 'data');
    await commandLineHere({ DATA_DIR: to }).done('restore', file);
    expect(contentOf(to, ...OF_THE_RESTORE)).toEqual(contentOf(dataDir, ...OF_THE_RESTORE));
    const db = new DatabaseSync(join(to, OWNER.name));
    const [killSwitch] = db.prepare("SELECT value FROM settings WHERE name LIKE '%kill%'").all();
    db.close();
    expect(String(killSwitch?.value)).toContain('restored from a backup');
  });

  test('is restored into an empty PostgreSQL, with the kill switch on, and into no other', async () => {
    const to = join(freshDataDir(), 'data');
    const full = commandLineHere({ DATA_DIR: to, DATABASE_URL: url });
    expect(await full.refused(1, 'restore', file)).toContain('holds an instance already');
    expect(existsSync(to)).toBe(false);
    const empty = await server.newDatabase();
    // As a restore leaves it that was killed between the folder and the database.
    await commandLineHere({ DATA_DIR: `${to}-killed` }).done('restore', file);
    const again = commandLineHere({ DATA_DIR: `${to}-killed`, DATABASE_URL: empty });
    expect(await again.refused(1, 'restore', file)).toContain(
      `"signalbox migrate --data-dir ${to}-killed" goes on with it`,
    );
    const text = await commandLineHere({ DATA_DIR: to, DATABASE_URL: empty }).done('restore', file);
    expect(text).toContain(`Its databases were moved to PostgreSQL at ${whereOf(empty)}`);
    const back = freshDataDir();
    await copyToSqliteFolder({ url: empty, folder: back, withTwins: true });
    expect(contentOf(back, ...OF_THE_RESTORE)).toEqual(contentOf(dataDir, ...OF_THE_RESTORE));
    const [killSwitch] = await server.query(`SELECT value FROM owner.settings WHERE name LIKE '%kill%'`, empty);
    expect(String(killSwitch?.value)).toContain('restored from a backup');
    expect(await commandLineHere({ DATA_DIR: to }).refused(1, 'positions')).toContain('are in PostgreSQL');
  });
});

/** Of each table a digest of its rows as PostgreSQL can hold them: they are long. */
const contentOf = (folder: string, ...without: string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(storedRows(folder, 'migrations', ...without)).map(([table, rows]) => [
      table,
      `${rows.length} ${hash('sha256', JSON.stringify(rows).replaceAll('\\\\u0000', '\uFFFD'))}`,
    ]),
  );

describe('killed at any moment', () => {
  const KILLS = cases(60);
  /** By a seed, so that the moments are the same in each run, as far as a clock can say so. */
  const random = new Random(5);
  let dataDir: string;
  beforeAll(async () => {
    dataDir = freshDataDir();
    for (const { name, migrations } of [TRADING, OWNER, STRANGERS]) {
      openMigrated(join(dataDir, name), migrations).close();
      await fillEveryTable(join(dataDir, name), 400);
    }
    const db = new DatabaseSync(join(dataDir, TRADING.name));
    db.exec(`UPDATE desk_event_epochs SET id = 'run ' || first_seq`);
    db.close();
  });

  const rowsIn = async (url: string): Promise<number> => {
    const nothingYet = () => [{ rows: 0 }];
    const counted = 'SELECT coalesce(sum(row_count), 0) AS rows FROM signalbox_move.progress';
    const [found] = await server.query(counted, url).catch(nothingYet);
    return Number(found?.rows);
  };

  /** Whether it was killed before its end. */
  async function killOnce(url: string): Promise<boolean> {
    const child = spawnSignalbox(['migrate'], { DATA_DIR: dataDir, DATABASE_URL: url });
    const gone = once(child, 'close');
    // Not while Node only starts: a kill then shows nothing.
    while (child.exitCode === null && (await rowsIn(url)) === 0) await sleep(5);
    await Promise.race([sleep(random.between(0, 1500)), gone]);
    child.kill('SIGKILL');
    await gone;
    expect([null, 0]).toContain(child.exitCode);
    return child.exitCode === null;
  }

  /** As often as it takes until one comes to its end before it is killed, or all kills are done. */
  async function moveKilled(mostKills: number): Promise<number> {
    const url = await server.newDatabase();
    let kills = 0;
    let rows = 0;
    while (kills < mostKills && (await killOnce(url))) {
      kills += 1;
      const now = await rowsIn(url);
      expect(now).toBeGreaterThanOrEqual(rows);
      rows = now;
    }
    if (!existsSync(join(dataDir, MARK))) {
      const { body } = await commandLineHere({ DATA_DIR: dataDir, DATABASE_URL: url }).json('migrate');
      expect(body.rowsFoundThere).toBeGreaterThanOrEqual(rows);
    }
    const back = freshDataDir();
    await copyToSqliteFolder({ url, folder: back, withTwins: false });
    expect(contentOf(back)).toEqual(contentOf(dataDir));
    await rm(join(dataDir, MARK));
    return kills;
  }

  test(`${KILLS} times, it goes on each time, and every row is there once`, async () => {
    for (let kills = 0; kills < KILLS; ) kills += await moveKilled(KILLS - kills);
  });
});
