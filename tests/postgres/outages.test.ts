// A PostgreSQL that is killed, cut off, held up or restarted: what was answered stays, what was refused is not there, and
// nobody waits for ever.

import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SqlDatabase } from '../../src/adapters/storage/sql/sql.ts';
import { StorageError, UnknownOutcomeError } from '../../src/errors/storage-error.ts';
import { addItem, labelsOf, openItems } from '../support/postgres-items.ts';
import { openPostgresProxy } from '../support/postgres-proxy.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';

/** Far longer than the driver's own limits, and far shorter than for ever. */
const WITHIN_MS = 30_000;

let server: PostgresServer;
let database: SqlDatabase;
let schema = '';
beforeAll(async () => {
  server = await startPostgres();
});
beforeEach(async ({ task }) => {
  schema = `of_${task.id.replaceAll(/\W/g, '_')}`;
  database = await openItems(server.url, { schema });
});
afterEach(() => server.resume());

describe('a server that is killed', () => {
  test('under way with steps: what it answered is there, what it refused is not', async () => {
    const fates = new Map<string, 'answered' | 'refused' | 'unknown'>();
    for (let round = 0; round < 3; round += 1) {
      let isAway = false;
      const steps = Array.from({ length: 400 }, async (_, index) => {
        const label = `${round}-${index}`;
        try {
          await addItem(database, label);
          fates.set(label, 'answered');
        } catch (error) {
          expect(error).toBeInstanceOf(StorageError);
          fates.set(label, error instanceof UnknownOutcomeError ? 'unknown' : 'refused');
        }
        if (index === 50 + round * 20) {
          isAway = true;
          await server.kill();
        }
      });
      await Promise.all(steps);
      expect(isAway).toBe(true);
      await server.restart();
    }
    const stored = new Set(await labelsOf(database));
    const all = [...fates];
    expect(all.filter(([label, fate]) => fate === 'answered' && !stored.has(label))).toEqual([]);
    expect(all.filter(([label, fate]) => fate === 'refused' && stored.has(label))).toEqual([]);
    expect(all.filter(([, fate]) => fate === 'answered').length).toBeGreaterThan(150);
    expect(all.filter(([, fate]) => fate === 'refused').length).toBeGreaterThan(0);
  });

  test('in the midst of a step, and is back at once: the step is run again and holds', async () => {
    let times = 0;
    await database.inOneStep(async (sql) => {
      times += 1;
      await sql.run('INSERT INTO items (label) VALUES (?)', `time ${times}`);
      if (times > 1) return;
      await server.kill();
      await server.restart();
    });
    expect(times).toBe(2);
    expect(await labelsOf(database)).toEqual(['time 2']);
  });

  test('and stays away: steps and reads are refused in words at once, and work again when it is back', async () => {
    await addItem(database, 'before');
    await server.kill();
    await expect(addItem(database, 'meanwhile')).rejects.toThrow(/cannot be reached \(ECONNREFUSED\); start it/);
    await expect(labelsOf(database)).rejects.toThrow(/cannot be reached \(ECONNREFUSED\); start it/);
    await server.restart();
    await addItem(database, 'after');
    expect(await labelsOf(database)).toEqual(['before', 'after']);
  });
});

test('a server that is restarted in order is used again without a word, by steps and by reads', async () => {
  await addItem(database, 'before');
  await Promise.all(Array.from({ length: 6 }, () => labelsOf(database)));
  await server.stop();
  await server.restart();
  expect(await labelsOf(database)).toEqual(['before']);
  await addItem(database, 'after');
  expect(await labelsOf(database)).toEqual(['before', 'after']);
});

test('connections that an administrator ends are opened anew', async () => {
  await addItem(database, 'before');
  await labelsOf(database);
  await server.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'signalbox'");
  await addItem(database, 'after');
  expect(await labelsOf(database)).toEqual(['before', 'after']);
});

test('a transaction that the server has given up, and says so to the COMMIT alone, is refused', async () => {
  const proxy = await openPostgresProxy(server.port);
  const through = await openItems(proxy.urlOf(server.url), { schema });
  void proxy.atNextCommit('given up');
  await expect(addItem(through, 'given up')).rejects.toThrow(/failed: the commit was answered by ROLLBACK/);
  await addItem(through, 'after');
  expect(await labelsOf(database)).toEqual(['after']);
});

describe('a connection that is cut at the COMMIT', () => {
  const cut = async () => {
    const proxy = await openPostgresProxy(server.port);
    return { proxy, through: await openItems(proxy.urlOf(server.url), { schema }) };
  };
  const addCounted = (into: SqlDatabase) => {
    const counted = { times: 0 };
    const step = into.inOneStep(async (sql) => {
      counted.times += 1;
      await sql.run('INSERT INTO items (label) VALUES (?)', `time ${counted.times}`);
      return counted.times;
    });
    return Object.assign(step, { counted });
  };

  test('whose answer is lost: the result stands, and the work is not run again', async () => {
    const { proxy, through } = await cut();
    void proxy.atNextCommit('answer lost');
    const step = addCounted(through);
    expect(await step).toBe(1);
    expect(step.counted.times).toBe(1);
    expect(await labelsOf(database)).toEqual(['time 1']);
  });

  test('before the server has it: the work is run again', async () => {
    const { proxy, through } = await cut();
    void proxy.atNextCommit('lost');
    expect(await addCounted(through)).toBe(2);
    expect(await labelsOf(database)).toEqual(['time 2']);
  });

  test('and the server gets it late: it is waited for, and nothing is there twice', async () => {
    const { proxy, through } = await cut();
    void proxy.atNextCommit('late');
    expect(await addCounted(through)).toBe(1);
    expect(await labelsOf(database)).toEqual(['time 1']);
  });

  test('also of the second and third step of a writer', async () => {
    const { proxy, through } = await cut();
    await addItem(through, 'first');
    void proxy.atNextCommit('answer lost');
    await addItem(through, 'second');
    void proxy.atNextCommit('lost');
    await addItem(through, 'third');
    expect(await labelsOf(database)).toEqual(['first', 'second', 'third']);
  });

  test('and the server is killed with it and comes back: the outcome is what its disk says', async () => {
    const { proxy, through } = await cut();
    let back: Promise<void> | undefined;
    void proxy.atNextCommit('lost', () => {
      back = server.kill().then(() => server.restart());
    });
    const label = await addCounted(through);
    await back;
    expect(await labelsOf(database)).toEqual([`time ${label}`]);
  });

  test('and the server stays away: nobody can say, and that is what is told', { timeout: WITHIN_MS }, async () => {
    const { proxy, through } = await cut();
    let gone: Promise<void> | undefined;
    void proxy.atNextCommit('answer lost', () => {
      gone = server.kill();
    });
    const error = await addCounted(through).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnknownOutcomeError);
    expect((error as Error).message).toMatch(/lost in the moment of a commit, and only it knows whether that holds/);
    await gone;
    await server.restart();
  });
});

test('a process that is held up in the midst of a step keeps others out for seconds only', async () => {
  await addItem(database, 'before');
  const rival = await openItems(server.url, { schema });
  const goesOn = Promise.withResolvers<void>();
  let times = 0;
  const holding = database.inOneStep(async (sql) => {
    times += 1;
    await sql.run('UPDATE items SET count = count + 1');
    if (times === 1) await goesOn.promise;
  });
  const add = () =>
    rival.inOneStep((sql) => sql.run('UPDATE items SET count = count + 10')).catch((error: Error) => error.message);
  try {
    await expect.poll(add, { timeout: 15_000 }).toBe(1);
  } finally {
    goesOn.resolve();
    await holding;
  }
  expect(times).toBe(2);
  expect(await database.reads.get('SELECT count FROM items')).toEqual({ count: 11 });
});

test('a read that is under way when its database is closed is not waited for', async () => {
  const slow = database.reads.get('SELECT pg_sleep(20)');
  const outcome = slow.catch((error: Error) => error.message);
  const runs = "SELECT 1 FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(20)' AND state = 'active'";
  await expect.poll(() => server.query(runs)).toHaveLength(1);
  await database.close();
  // Far shorter than a read may take.
  const late = new Promise((resolve) => setTimeout(resolve, 3000, 'nothing yet'));
  expect(await Promise.race([outcome, late])).toBe('storage is closed');
});

describe('a server that hangs', () => {
  test('gives every step and every read an answer within seconds, and works when it goes on', {
    timeout: WITHIN_MS,
  }, async () => {
    await addItem(database, 'before');
    await labelsOf(database);
    server.pause();
    const asked = [
      ...Array.from({ length: 20 }, (_, index) => addItem(database, `meanwhile ${index}`)),
      ...Array.from({ length: 20 }, () => labelsOf(database)),
    ];
    const outcomes = await Promise.allSettled(asked);
    for (const outcome of outcomes) {
      expect(outcome.status).toBe('rejected');
      expect(String((outcome as PromiseRejectedResult).reason)).toMatch(
        /does not answer in time|more than it can answer/,
      );
    }
    server.resume();
    await addItem(database, 'after');
    expect(await labelsOf(database)).toEqual(['before', 'after']);
  });

  test('is told to whoever opens it', { timeout: WITHIN_MS }, async () => {
    server.pause();
    await expect(openItems(server.url)).rejects.toThrow(
      /does not answer in time; see whether it is overloaded or cut off/,
    );
  });

  test('at the COMMIT leaves the outcome unknown; when it goes on, a next step comes after that one', {
    timeout: WITHIN_MS,
  }, async () => {
    const proxy = await openPostgresProxy(server.port);
    const through = await openItems(proxy.urlOf(server.url), { schema });
    await addItem(through, 'before');
    void proxy.atNextCommit('answer lost', () => server.pause());
    await expect(addItem(through, 'unknown')).rejects.toThrow(UnknownOutcomeError);
    server.resume();
    await addItem(through, 'after');
    const labels = await labelsOf(database);
    expect([
      ['before', 'after'],
      ['before', 'unknown', 'after'],
    ]).toContainEqual(labels);
    await server.stop();
    await server.restart();
    expect(await labelsOf(database)).toEqual(labels);
  });
});
