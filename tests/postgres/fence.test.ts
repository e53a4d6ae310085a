// The fence: whoever has lost the lease stores nothing any more, however late it finds out.

import pg from 'pg';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { fenced } from '../../src/adapters/storage/postgres/fence.ts';
import { openLeases } from '../../src/adapters/storage/postgres/leases.ts';
import { openTradingStorage, type TradingStorage } from '../../src/adapters/storage/postgres/trading.ts';
import type { InOneStep, Sql } from '../../src/adapters/storage/sql/sql.ts';
import { FencedError } from '../../src/errors/storage-error.ts';
import { DESK_LEASE, type Lease, type Leases } from '../../src/trading/leases.ts';
import { newTrade } from '../ports/sample-trades.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { addItem, labelsOf, openItems } from '../support/postgres-items.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';

let server: PostgresServer;
let url = '';
beforeAll(async () => {
  server = await startPostgres();
});
beforeEach(async () => {
  url = await server.newDatabase();
});

async function contender(): Promise<Leases> {
  const leases = await openLeases({ url, onTrouble: () => {} });
  closeAtEnd(() => leases.close());
  return leases;
}

const claimed = async (leases: Leases): Promise<Lease> =>
  (await leases.claim(DESK_LEASE, { address: 'here', stop: new AbortController().signal })) as Lease;

interface Owner {
  readonly lease: Lease;
  readonly data: TradingStorage;
  readonly fencings: readonly FencedError[];
}

async function owner(leases: Leases): Promise<Owner> {
  const lease = await claimed(leases);
  const fencings: FencedError[] = [];
  const onFenced = (error: FencedError): void => void fencings.push(error);
  const data = await openTradingStorage({ url, nowMs: Date.now, onDeath: () => {}, lease, onFenced });
  closeAtEnd(() => data.close());
  return { lease, data, fencings };
}

const signal = (signalId: string) => ({
  ...{ signalId, timestampMs: 1, symbol: 'BTCUSDT', signalType: 'LONG', source: 'api' as const, decision: 'stored' },
});
const signalsOf = async (prefix: string): Promise<number> => {
  const [row] = await server.query(
    `SELECT count(*)::int AS count FROM trading.trade_signals WHERE signal_id LIKE '${prefix}%'`,
    url,
  );
  return row?.count as number;
};
const tradeCount = async (): Promise<number> =>
  (await server.query('SELECT count(*)::int AS count FROM trading.trades', url))[0]?.count as number;

test('of an owner that was replaced nothing is stored any more, and whoever opened its storage is told once', async () => {
  const [first, second] = [await contender(), await contender()];
  const old = await owner(first);
  await old.data.signals.add(signal('before'));
  await old.lease.release();
  const present = await owner(second);
  const late = [
    old.data.signals.add(signal('late')),
    old.data.journal.accept(newTrade(), 1000),
    old.data.journal.probe(),
  ];
  for (const write of late) await expect(write).rejects.toBeInstanceOf(FencedError);
  await expect(old.data.signals.add(signal('later'))).rejects.toThrow(/another process has taken over/);
  expect(old.fencings).toHaveLength(1);
  await present.data.signals.add(signal('present'));
  expect([await signalsOf('before'), await signalsOf('late'), await signalsOf('present')]).toEqual([1, 0, 1]);
  expect(await tradeCount()).toBe(0);
  expect(present.fencings).toEqual([]);
});

test.each<[how: string, work: (sql: Sql) => Promise<unknown>]>([
  ['by the database', (sql) => sql.run("INSERT INTO items (label) VALUES ('of the next owner')")],
  [
    'by its own look',
    async (sql) => {
      if ((await sql.get('SELECT label FROM items')) !== undefined) throw new Error('there is one already');
    },
  ],
])(
  'a write of an owner that was replaced, refused %s for what the next owner has written, is told of that one',
  async (_, work) => {
    const { name, token, release } = await claimed(await contender()).then((lease) => ({
      ...{ name: lease.name, token: lease.token },
      release: () => lease.release(),
    }));
    const items = await openItems(url);
    const inOneStep = fenced(items.inOneStep, { schema: 'trading', name, token });
    await release();
    await claimed(await contender());
    await addItem(items, 'of the next owner');
    await expect(inOneStep(work)).rejects.toBeInstanceOf(FencedError);
  },
);

test('a batch that is under way is whole before anybody else has the lease', async () => {
  const [first, second] = [await contender(), await contender()];
  const old = await owner(first);
  const blocker = new pg.Client({ connectionString: url });
  await blocker.connect();
  await blocker.query('BEGIN; LOCK TABLE trading.trade_signals IN EXCLUSIVE MODE');
  const underWay = old.data.signals.add(signal('under way'));
  await expect
    .poll(async () => await server.query("SELECT 1 FROM pg_locks WHERE NOT granted AND mode = 'RowExclusiveLock'", url))
    .not.toEqual([]);
  await old.lease.release();
  let isTaken = false;
  const taken = claimed(second).then((lease) => {
    isTaken = true;
    return lease;
  });
  // Longer than several tries of whoever waits.
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(isTaken).toBe(false);
  await blocker.query('COMMIT');
  await blocker.end();
  await underWay;
  await taken;
  expect(await signalsOf('under way')).toBe(1);
  await expect(old.data.signals.add(signal('late'))).rejects.toBeInstanceOf(FencedError);
});

test('a take-over in the midst of many writes: after it not one more of the old owner is there', async () => {
  const contenders = [await contender(), await contender()];
  let present = await owner(contenders[0] as Leases);
  for (let round = 1; round <= 8; round += 1) {
    const { data, lease, fencings } = present;
    const prefix = `of-${lease.token}-`;
    let written = 0;
    const writing = (async () => {
      for (let index = 0; fencings.length === 0; index += 1) {
        const batch = Array.from({ length: 5 }, (_, at) => data.signals.add(signal(`${prefix}${index}.${at}`)));
        for (const each of await Promise.allSettled(batch)) if (each.status === 'fulfilled') written += 1;
      }
    })();
    await expect.poll(() => written).toBeGreaterThan(20);
    // As at a release that comes too early, or a pause that nobody noticed: the old owner goes on.
    await lease.release();
    present = await owner(contenders[round % 2] as Leases);
    const atTakeOver = await signalsOf(prefix);
    await writing;
    expect(await signalsOf(prefix)).toBe(atTakeOver);
    expect(atTakeOver).toBe(written);
  }
});

test('renewals are not in the way of writes: none has to be run twice', async () => {
  const { data, lease } = await owner(await contender());
  const rollbacks = async (): Promise<number> =>
    (
      await server.query(
        'SELECT xact_rollback::int AS count FROM pg_stat_database WHERE datname = current_database()',
        url,
      )
    )[0]?.count as number;
  const before = await rollbacks();
  const untilMs = performance.now() + 3500;
  for (let index = 0; performance.now() < untilMs; index += 1) await data.signals.add(signal(`busy-${index}`));
  expect(lease.remainingMs()).toBeGreaterThan(2000);
  await data.close();
  expect(await rollbacks()).toBe(before);
});

test.each([
  ['a renewal does not keep a write out that began before it', 'UPDATE trading.leases SET until = until', 'held'],
  ['a take-over does', 'UPDATE trading.leases SET token = token + 1', 'overtaken'],
])('of what is committed between the moment of a write and its look at the lease, %s', async (_, change, outcome) => {
  const { name, token } = await claimed(await contender());
  const items = await openItems(url);
  let tries = 0;
  const laterLook: InOneStep = (work) =>
    items.inOneStep(async (sql) => {
      tries += 1;
      // The moment of the write is that of its first question.
      await sql.get('SELECT label FROM items');
      await server.query(change, url);
      return work(sql);
    });
  const write = fenced(laterLook, { schema: 'trading', name, token })((sql) =>
    sql.run("INSERT INTO items (label) VALUES ('late')"),
  );
  const found = await write.then(
    () => 'held',
    (error) => (error instanceof FencedError ? 'overtaken' : error),
  );
  expect(found).toBe(outcome);
  // Whoever was overtaken is told after a second look; a renewal must not cost one.
  expect(tries).toBe(outcome === 'held' ? 1 : 2);
  expect(await labelsOf(items)).toEqual(outcome === 'held' ? ['late'] : []);
});
