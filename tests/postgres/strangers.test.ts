// The strangers' database on PostgreSQL: its stores keep the promises of their ports, with several processes on it too, and
// under the role that the script process has, which can do nothing else.

import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createScriptRole } from '../../src/adapters/storage/postgres/script-role.ts';
import { lookIntoStrangers, openStrangers } from '../../src/adapters/storage/postgres/strangers.ts';
import { beat } from '../../src/adapters/storage/sql/heartbeat.ts';
import type { SqlDatabase } from '../../src/adapters/storage/sql/sql.ts';
import { deploymentStore, setTargets } from '../../src/adapters/storage/sql/strangers/deployments/deployments.ts';
import { opinionStore } from '../../src/adapters/storage/sql/strangers/deployments/opinions.ts';
import { hasLibrary } from '../../src/adapters/storage/sql/strangers/find-library.ts';
import { keyValueStore } from '../../src/adapters/storage/sql/strangers/key-values.ts';
import { runStore } from '../../src/adapters/storage/sql/strangers/runs.ts';
import { publicationStore } from '../../src/adapters/storage/sql/strangers/scripts/publications.ts';
import { scriptStore, usageStore } from '../../src/adapters/storage/sql/strangers/scripts/scripts.ts';
import { MAX_PER_USER } from '../../src/library/deployments/index.ts';
import { type ScriptWrite, STORE_LIMITS } from '../../src/library/script-store.ts';
import {
  DEPLOYMENT,
  type DeploymentRows,
  describeDeployments,
  eventAt,
  LOG,
  outcomeAt,
} from '../ports/deployment-store-suite.ts';
import { describeKeyValueStore } from '../ports/key-value-store-suite.ts';
import { describeLibraryBytes } from '../ports/library-bytes-suite.ts';
import { describeOpinions } from '../ports/opinion-store-suite.ts';
import { describePublications } from '../ports/publication-store-suite.ts';
import { describeRunStore } from '../ports/run-store-suite.ts';
import { describeScriptStore } from '../ports/script-store-suite.ts';
import { describeUsageStore } from '../ports/usage-store-suite.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';

const schema = 'strangers';
/** What is left as it is between tests. */
const OF_THE_DRIVER = ['migrations', 'writer_marks'];
let server: PostgresServer;
let url: string;
/** The same database for the script process. */
let roleUrl: string;
let emptyAll: string;
beforeAll(async () => {
  server = await startPostgres();
  url = await server.newDatabase();
  expect(await lookIntoStrangers(url, async () => 'there')).toBeUndefined();
  roleUrl = await createScriptRole({ url }).address();
  const tables = await server.query(`SELECT tablename AS name FROM pg_tables WHERE schemaname = '${schema}'`, url);
  emptyAll = tables
    .filter(({ name }) => !OF_THE_DRIVER.includes(String(name)))
    .map(({ name }) => `DELETE FROM ${schema}.${name};`)
    .join(' ');
});

/** The schema without a row, opened as often as a test has processes. */
interface TestSchema {
  readonly db: SqlDatabase;
  another(): Promise<SqlDatabase>;
  reopen(): Promise<SqlDatabase>;
  close(): Promise<void>;
}

async function openSchema(): Promise<TestSchema> {
  await server.query(emptyAll, url);
  const opened: SqlDatabase[] = [];
  const another = async (): Promise<SqlDatabase> => {
    const db = await openStrangers(roleUrl);
    opened.push(db);
    return db;
  };
  const close = async (): Promise<void> => void (await Promise.all(opened.splice(0).map((db) => db.close())));
  return {
    db: await another(),
    another,
    async reopen() {
      await close();
      return another();
    },
    close,
  };
}

describeScriptStore('the script store on PostgreSQL', async (limits) => {
  const { db, another, reopen, close } = await openSchema();
  const beside = scriptStore(await another(), limits);
  return {
    store: scriptStore(db, limits),
    another: () => beside,
    reopen: async () => scriptStore(await reopen(), limits),
    close,
  };
});

describeUsageStore('the usage store on PostgreSQL', async () => {
  const { db, reopen, close } = await openSchema();
  return { store: usageStore(db), reopen: async () => usageStore(await reopen()), close };
});

describePublications('published libraries on PostgreSQL', async (limits) => {
  const { db, another, reopen, close } = await openSchema();
  const beside = publicationStore(await another(), limits);
  return {
    store: publicationStore(db, limits),
    scripts: scriptStore(db),
    another: () => beside,
    reopen: async () => publicationStore(await reopen(), limits),
    close,
  };
});

describeLibraryBytes('the bytes of libraries on PostgreSQL', async (limits, publicationLimits) => {
  const { db, close } = await openSchema();
  return {
    scripts: scriptStore(db, limits),
    publications: publicationStore(db, publicationLimits),
    reads: db.reads,
    close,
  };
});

const TABLES: Readonly<Record<DeploymentRows, string>> = {
  deployments: 'deployments',
  events: 'deployment_events',
  deliveries: 'deployment_outbox',
  logs: 'deployment_logs',
};

describeDeployments('deployments on PostgreSQL', async () => {
  const { db, reopen, close } = await openSchema();
  return {
    store: deploymentStore(db),
    setTargets: (changes) => setTargets(db, changes),
    count: async (rows) => (await db.reads.get(`SELECT count(*) AS rows FROM ${TABLES[rows]}`))?.rows as number,
    reopen: async () => deploymentStore(await reopen()),
    close,
  };
});

describeOpinions('second opinions on PostgreSQL', async () => {
  const { db, reopen, close } = await openSchema();
  const storesOf = (of: SqlDatabase) => ({ deployments: deploymentStore(of), opinions: opinionStore(of) });
  return { ...storesOf(db), reopen: async () => storesOf(await reopen()), close };
});

describeRunStore('kept runs on PostgreSQL', async () => {
  const { db, reopen, close } = await openSchema();
  return { store: runStore(db), reopen: async () => runStore(await reopen()), close };
});

describeKeyValueStore('the key values on PostgreSQL', async (choice) => {
  const { db, close } = await openSchema();
  return { store: keyValueStore(db, choice), remove: close };
});

const ANN = 'a'.repeat(32);
const WRITE: ScriptWrite = { id: 'x', text: { name: 'x', content: '1' }, atMs: 1, precondition: 'none' };
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('a library', () => {
  test('is found by what a user has in it, and nobody has one without', async () => {
    const { db, close } = await openSchema();
    onTestFinished(close);
    await usageStore(db).addUsage(new Map([[ANN, { calls: 1, firstUsedAtMs: 1, lastUsedAtMs: 1 }]]));
    expect([await hasLibrary(db.reads, ANN), await hasLibrary(db.reads, 'b'.repeat(32))]).toEqual([true, false]);
    expect(await lookIntoStrangers(url, (reads) => hasLibrary(reads, ANN))).toBe(true);
  });
});

describe('two processes on one database', () => {
  let both: readonly [SqlDatabase, SqlDatabase];
  beforeEach(async () => {
    const { db, another, close } = await openSchema();
    onTestFinished(close);
    both = [db, await another()];
  });

  /** The call so often in each of them, all at once; what each was told. Whoever is told to try again does. */
  const race = async <T>(times: number, call: (db: SqlDatabase, number: number) => Promise<T>): Promise<T[]> => {
    const untilDone = async (db: SqlDatabase, number: number): Promise<T> => {
      for (;;) {
        try {
          return await call(db, number);
        } catch (error) {
          if (!/changes of the same rows at once; try again/.test(String(error))) throw error;
        }
      }
    };
    const all = both.map((db, at) => Promise.all(numbers(times).map((n) => untilDone(db, n + at * times))));
    return (await Promise.all(all)).flat();
  };

  test('no user gets more scripts than the limit, and the bytes add up', async () => {
    const limits = { ...STORE_LIMITS, scriptsPerUser: 5 };
    const told = await race(8, (db, n) => scriptStore(db, limits).write(ANN, { ...WRITE, id: `s${n}` }));
    expect(told.map(({ kind }) => kind).sort()).toEqual([...Array(11).fill('too-many'), ...Array(5).fill('written')]);
    const [{ reads }] = both;
    expect(await reads.all('SELECT place FROM scripts ORDER BY place')).toEqual(numbers(5).map((place) => ({ place })));
    expect(await reads.get('SELECT last_place, stored_bytes FROM libraries')).toEqual({
      last_place: 5,
      stored_bytes: 5,
    });
  });

  test('revisions of one script have no gap, and none is given twice', async () => {
    const told = await race(10, (db) => scriptStore(db).write(ANN, WRITE));
    const revisions = told.map((outcome) => (outcome.kind === 'written' ? outcome.record.revision : outcome.kind));
    expect(revisions.sort((a, b) => Number(a) - Number(b))).toEqual(numbers(20));
    expect(await scriptStore(both[1]).versions(ANN, 'x')).toHaveLength(20);
  });

  test('no user gets more deployments than the limit', async () => {
    const told = await race(MAX_PER_USER, (db, n) =>
      deploymentStore(db).create({ ...DEPLOYMENT, id: `d${n}` }, 'source', LOG),
    );
    expect(told.filter(({ kind }) => kind === 'created')).toHaveLength(MAX_PER_USER);
    expect(await deploymentStore(both[0]).list(ANN)).toHaveLength(MAX_PER_USER);
  });

  test('a bar is dealt with once, and each of its deliveries is settled once', async () => {
    await deploymentStore(both[0]).create(DEPLOYMENT, 'source', LOG);
    const outcome = outcomeAt(60_000, { events: [eventAt(60_000)] });
    const dealt = await race(4, (db) => deploymentStore(db).commitBar('d1', outcome));
    expect(dealt.filter(Boolean)).toEqual([true]);
    const due = await deploymentStore(both[1]).due(60_000, 9);
    expect(due).toHaveLength(DEPLOYMENT.targets.length);
    const sent = { ...LOG, message: 'sent' };
    await race(4, async (db) => {
      for (const delivery of due) await deploymentStore(db).settle(delivery, sent);
    });
    const logs = await deploymentStore(both[0]).logs(ANN, 'd1', 99);
    expect(logs?.filter(({ message }) => message === 'sent')).toHaveLength(due.length);
    expect(await deploymentStore(both[0]).due(60_000, 9)).toEqual([]);
  });

  test('usage, heartbeats and the number of keys are exact', async () => {
    await race(10, (db) => usageStore(db).addUsage(new Map([[ANN, { calls: 1, firstUsedAtMs: 1, lastUsedAtMs: 1 }]])));
    expect((await usageStore(both[0]).usage(ANN))?.calls).toBe(20);
    await race(5, (db) => beat(db));
    expect(await both[0].reads.get('SELECT beats FROM heartbeat')).toEqual({ beats: 10 });
    const told = await race(4, (db, n) =>
      keyValueStore(db, { nowMs: () => 1, maxEntries: 5 })
        .put(`key:${n}`, 'x', 1000)
        .then(() => 'stored')
        .catch((error: Error) => {
          if (error.message.includes('holds 5 keys')) return error.message;
          throw error;
        }),
    );
    expect(told.filter((each) => each === 'stored')).toHaveLength(5);
    expect(told.find((each) => each !== 'stored')).toMatch(/^schema strangers of PostgreSQL .* holds 5 keys already/);
  });
});
