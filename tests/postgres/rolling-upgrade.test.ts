// Two processes that share a PostgreSQL are updated one after the other: one of the next version stands by for an owner of this one,
// takes over and changes the tables, and nothing that was accepted is lost; what is left of this version refuses, and does no harm.

import { once } from 'node:events';
import { expect, test } from 'vitest';
import { MAIN } from '../support/loaded-files.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { startGatewayProcess } from '../support/process.ts';
import { INTERNAL_TOKEN, listAt, livedUntilTraded, post, STANDBY_KEY, startStandby } from '../support/standby.ts';
import { changedBy } from '../support/venue-chaos/broken-product.ts';

const NEWER = /was written by a newer Signalbox \(migration 0\d+-next\.sql\); start that version/;
const POLL = { timeout: 60_000, interval: 100 };

/** This version with one migration more. */
const NEXT_VERSION = changedBy([
  {
    path: 'src/adapters/storage/migration-files.ts',
    from: 'export function readMigrations(folder: URL): readonly Migration[] {',
    to: `export function readMigrations(folder: URL): readonly Migration[] {
      const known = readKnown(folder);
      if (!folder.pathname.endsWith('/postgres/migrations/trading/')) return known;
      const sql = "ALTER TABLE trades ADD COLUMN next_version text NOT NULL DEFAULT 'new'";
      const number = known.length + 1;
      const name = String(number).padStart(4, '0') + '-next.sql';
      return [...known, { number, name, sql, digest: createHash('sha256').update(sql).digest('hex') }];
    }
    function readKnown(folder: URL): readonly Migration[] {`,
  },
]);

test('the next version takes over, migrates, and loses nothing; this one refuses from then on, whether it is started, wakes or stood by', async () => {
  const server = await startPostgres();
  const databaseUrl = await server.newDatabase();
  const env = {
    ...{ DATABASE_URL: databaseUrl, WEBHOOK_API_KEYS: STANDBY_KEY, INTERNAL_TOKEN, QUEUE_MODE: 'async' },
    ...{ LOG_LEVEL: 'error', WEBHOOK_RATE_PER_MINUTE: '0' },
  };
  const isMigrated = async (): Promise<boolean> => {
    const found = `SELECT 1 FROM information_schema.columns WHERE table_schema = 'trading' AND column_name = 'next_version'`;
    return (await server.query(found, databaseUrl)).length > 0;
  };
  const owner = await startGatewayProcess({ env });
  const old = await startStandby(env);
  const next = await startStandby({ ...env, ...NEXT_VERSION }, MAIN);
  expect(await isMigrated()).toBe(false);

  // Accepted by the owner a moment before it stands still; so does the other one of this version, so that the next one is first.
  const names = Array.from({ length: 30 }, (_, n) => `signal ${n}`);
  const answers = await Promise.all(names.map((name, n) => post((n % 2 === 0 ? owner : next).url, name)));
  old.child.kill('SIGSTOP');
  owner.child.kill('SIGSTOP');
  expect(new Set(answers)).toEqual(new Set([202]));
  await livedUntilTraded(next.url, 'after the migration');
  expect(await isMigrated()).toBe(true);
  const tradedAt = async (url: string): Promise<string[]> =>
    ((await listAt(url, '/trades?limit=100')) ?? []).map(({ alertId, status }) => `${alertId} ${status}`).sort();
  const expected = [...names, 'after the migration'].map((name) => `${name} Filled`).sort();
  await expect.poll(() => tradedAt(next.url), POLL).toEqual(expected);

  // The old owner wakes: it has lost the desk, and writes nothing.
  const ended = once(owner.child, 'exit');
  owner.child.kill('SIGCONT');
  await ended;
  expect([owner.child.exitCode, owner.output()]).toEqual([1, expect.stringContaining('belongs to another process')]);
  // Started again it says why it does not begin, and does not stand by.
  await expect(startGatewayProcess({ env, dataDir: owner.dataDir })).rejects.toThrow(NEWER);
  // The one that stands by passes on, and refuses when it is its turn: nothing is traded by a program that does not know the tables.
  old.child.kill('SIGCONT');
  await expect.poll(() => post(old.url, 'signal 0'), POLL).toBe(409);
  const gone = once(old.child, 'exit');
  await next.kill();
  await gone;
  expect([old.child.exitCode, old.output()]).toEqual([1, expect.stringMatching(NEWER)]);

  const again = await startGatewayProcess({ env: { ...env, ...NEXT_VERSION }, dataDir: next.dataDir, program: MAIN });
  expect(await tradedAt(again.url)).toEqual(expected);
  // The last owner that traded was killed, and nobody has traded since.
  expect(await (await fetch(`${again.url}/ready`)).text()).toContain('it was not stopped properly');
  await again.stop();
});
