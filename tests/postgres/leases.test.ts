// Leases on a real PostgreSQL: one holder at a time, whatever becomes of holders, connections and the server.

import { type ChildProcess, fork } from 'node:child_process';
import { on, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openLeases } from '../../src/adapters/storage/postgres/leases.ts';
import type { Lease, LeaseHolder, Leases } from '../../src/trading/leases.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import type { LeaseNews } from '../support/lease-child.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';

const CHILD = fileURLToPath(new URL('../support/lease-child.ts', import.meta.url));
/** The lease's 4 s, and what is left to notice its end. */
const REPLACED_WITHIN_MS = 6000;

let server: PostgresServer;
let url = '';
beforeAll(async () => {
  server = await startPostgres();
  url = await server.newDatabase();
});
afterEach(() => server.resume());

async function contender(): Promise<Leases> {
  const leases = await openLeases({ url, onTrouble: () => {} });
  closeAtEnd(() => leases.close());
  return leases;
}

const forever = new AbortController().signal;

async function claimed(leases: Leases, name: string, address = 'here'): Promise<Lease> {
  const lease = await leases.claim(name, { address, stop: forever });
  if (lease === undefined) throw new Error('the claim was given up');
  return lease;
}

/** Looks without a pause, until it is ended, whether two have it at once. */
function watchFor(two: () => readonly (Lease | undefined)[]): { end(): number } {
  let twice = 0;
  const timer = setInterval(() => {
    if (two().filter((lease) => lease !== undefined && lease.remainingMs() > 0).length > 1) twice += 1;
  }, 5);
  return {
    end() {
      clearInterval(timer);
      return twice;
    },
  };
}

async function forked(name: string): Promise<{ child: ChildProcess; next(): Promise<LeaseNews> }> {
  const child = fork(CHILD, [url, name], { execArgv: ['--disable-warning=ExperimentalWarning'] });
  closeAtEnd(async () => child.kill('SIGKILL'));
  // What it tells is kept until it is asked for, however many messages come at once.
  const news = on(child, 'message');
  return { child, next: async () => (await news.next()).value?.[0] as LeaseNews };
}

test('one that is given back before anything was done under it tells of the holder before, and one that is released of a proper end', async () => {
  const leases = await contender();
  const first = await claimed(leases, 'left');
  expect(first.wasReleased).toBe(true);
  await first.release();
  const { child, next } = await forked('left');
  await next();
  child.kill('SIGKILL');
  for (let times = 0; times < 3; times += 1) {
    const after = await claimed(leases, 'left');
    expect(after.wasReleased).toBe(false);
    await after.giveBack();
  }
  await (await claimed(leases, 'left')).release();
  const last = await claimed(leases, 'left');
  expect(last.wasReleased).toBe(true);
  await last.giveBack();
  expect((await claimed(leases, 'left')).wasReleased).toBe(true);
});

test('whoever asks for a lease changes no table of the one that trades, which may be of an older version', async () => {
  const own = await server.newDatabase();
  const open = async (): Promise<void> => (await openLeases({ url: own, onTrouble: () => {} })).close();
  await open();
  await server.query('DROP TABLE trading.archive_mark; DELETE FROM trading.migrations WHERE number >= 3', own);
  await open();
  expect(await server.query("SELECT to_regclass('trading.archive_mark') AS found", own)).toEqual([{ found: null }]);
});

test('of three one has it at a time, with a larger token than all before, and a release hands it over within a second', async () => {
  const contenders = await Promise.all([contender(), contender(), contender()]);
  const tokens: number[] = [];
  const handOversMs: number[] = [];
  let holders = 0;
  let releasedAtMs: number | undefined;
  await Promise.all(
    contenders.map(async (leases) => {
      for (let round = 0; round < 8; round += 1) {
        const lease = await claimed(leases, 'three');
        holders += 1;
        expect(holders).toBe(1);
        if (releasedAtMs !== undefined) handOversMs.push(performance.now() - releasedAtMs);
        tokens.push(lease.token);
        await sleep(Math.random() * 20);
        holders -= 1;
        releasedAtMs = performance.now();
        await lease.release();
        expect(lease.remainingMs()).toBe(0);
      }
    }),
  );
  expect(tokens).toHaveLength(24);
  expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
  expect(Math.max(...handOversMs)).toBeLessThan(1000);
});

test('a server that has lost the last claim, as a replica may in a fail-over, does not give its token again', async () => {
  const first = await claimed(await contender(), 'lost claim');
  await first.release();
  const lost = await claimed(await contender(), 'lost claim');
  await sleep(5);
  await server.query(
    `UPDATE trading.leases SET token = ${first.token}, released = true WHERE name = 'lost claim'`,
    url,
  );
  expect((await claimed(await contender(), 'lost claim')).token).toBeGreaterThan(lost.token);
});

test('it is renewed as long as its holder lives, and nobody else gets it', async () => {
  const [holder, other] = await Promise.all([contender(), contender()]);
  const lease = await claimed(holder, 'renewed');
  const stop = new AbortController();
  const waiting = other.claim('renewed', { address: 'other', stop: stop.signal });
  const untilMs = performance.now() + 5500;
  while (performance.now() < untilMs) {
    expect(lease.remainingMs()).toBeGreaterThan(1000);
    await sleep(50);
  }
  stop.abort();
  expect(await waiting).toBeUndefined();
});

describe('a holder whose process', () => {
  test('is held up is replaced within 6 s, and knows on waking that it has lost the lease', async () => {
    const { child, next } = await forked('held up');
    const first = await next();
    const waiting = claimed(await contender(), 'held up');
    child.kill('SIGSTOP');
    const stoppedAtMs = performance.now();
    const lease = await waiting;
    expect(performance.now() - stoppedAtMs).toBeLessThan(REPLACED_WITHIN_MS);
    expect(lease.token).toBeGreaterThan(first.token as number);
    // It was sent while the process was held up, so that it is answered as early as the process can: with or before the end.
    child.send('what do you have?');
    child.kill('SIGCONT');
    const told = [await next(), await next()];
    expect(told.map((news) => news.remainingMs)).toEqual([0, 0]);
    expect(told).toContainEqual({ ended: 'taken', remainingMs: 0 });
    expect(lease.remainingMs()).toBeGreaterThan(0);
  });

  test('is held up for longer than its lease, and nobody else wants it: it goes on with the same token', async () => {
    const { child, next } = await forked('late');
    const { token } = await next();
    child.kill('SIGSTOP');
    const isFree = `SELECT 1 FROM trading.leases WHERE name = 'late' AND until < clock_timestamp()`;
    await expect.poll(() => server.query(isFree, url), { timeout: REPLACED_WITHIN_MS }).toHaveLength(1);
    child.kill('SIGCONT');
    await expect.poll(() => server.query(isFree, url), { timeout: REPLACED_WITHIN_MS }).toHaveLength(0);
    const told = next();
    child.send('what do you have?');
    const { remainingMs, ended } = await told;
    expect(ended).toBeUndefined();
    expect(remainingMs).toBeGreaterThan(0);
    expect(await server.query(`SELECT token::float8 FROM trading.leases WHERE name = 'late'`, url)).toEqual([
      { token },
    ]);
  });

  test('is killed is replaced within 6 s', async () => {
    const { child, next } = await forked('killed');
    await next();
    const waiting = claimed(await contender(), 'killed');
    child.kill('SIGKILL');
    const killedAtMs = performance.now();
    await waiting;
    expect(performance.now() - killedAtMs).toBeLessThan(REPLACED_WITHIN_MS);
  });
});

describe('a server', () => {
  test.each(['kill', 'stop'] as const)('that is restarted (%s) does not make two holders', async (how) => {
    const name = `restarted by ${how}`;
    const [holder, other] = await Promise.all([contender(), contender()]);
    const first = await claimed(holder, name);
    let second: Lease | undefined;
    const waiting = claimed(other, name).then((lease) => {
      second = lease;
    });
    const seen = watchFor(() => [first, second]);
    await server[how]();
    await server.restart();
    const outcome = await Promise.race([first.ended, sleep(5000).then(() => 'kept')]);
    if (outcome === 'kept') await first.release();
    await waiting;
    expect(second?.token).toBeGreaterThan(first.token);
    expect(seen.end()).toBe(0);
  });

  test('that does not answer for too long: its holder does nothing until the row says who has it, and never two have it', async () => {
    const contenders = await Promise.all([contender(), contender(), contender()]);
    const [holder, ...others] = contenders;
    const first = await claimed(holder as Leases, 'silent');
    const won: Lease[] = [];
    const waiting = others.map((each) => claimed(each, 'silent').then((lease) => won.push(lease)));
    const seen = watchFor(() => [first, ...won]);
    server.pause();
    await expect.poll(() => first.remainingMs(), { timeout: 4500 }).toBe(0);
    await sleep(500);
    expect([first.remainingMs(), won]).toEqual([0, []]);
    server.resume();
    // Either may be the first to ask; whoever it is has it alone.
    const kept = expect.poll(() => first.remainingMs() > 0, { timeout: 5000 }).toBe(true);
    const isKept = await Promise.race([kept.then(() => true), first.ended.then(() => false)]);
    if (isKept) await first.release();
    else expect(await first.ended).toBe('taken');
    await Promise.race(waiting);
    expect(won).toHaveLength(1);
    await won[0]?.release();
    await Promise.all(waiting);
    expect(won[0]?.token).toBeGreaterThan(first.token);
    expect(won[1]?.token).toBeGreaterThan(won[0]?.token as number);
    expect(seen.end()).toBe(0);
  });

  test('that cuts all connections again and again leaves the lease with its holder', async () => {
    const [holder, other] = await Promise.all([contender(), contender()]);
    const lease = await claimed(holder, 'cut');
    const stop = new AbortController();
    const waiting = other.claim('cut', { address: 'other', stop: stop.signal });
    for (let round = 0; round < 12; round += 1) {
      await server.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'signalbox'");
      await sleep(400);
      expect(lease.remainingMs()).toBeGreaterThan(0);
    }
    stop.abort();
    expect(await waiting).toBeUndefined();
  });
});

describe('a renewal whose time is over, at the moment of a claim', () => {
  /** The row is held by another transaction, behind which the next renewal waits; what it does to the row is done when it ends. */
  async function renewalBehind(name: string, statement: string): Promise<{ lease: Lease; end(): Promise<void> }> {
    const lease = await claimed(await contender(), name);
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query(
      `BEGIN; UPDATE trading.leases SET until = clock_timestamp() WHERE name = '${name}'; ${statement}`,
    );
    const waits = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE leases SET until%'`;
    await expect.poll(() => server.query(waits, url), { interval: 5 }).toHaveLength(1);
    return {
      lease,
      async end() {
        await other.query('COMMIT');
        await other.end();
      },
    };
  }

  test('comes first: whoever claims gets nothing', async () => {
    const { lease, end } = await renewalBehind('renewed first', 'SELECT 1');
    const stop = new AbortController();
    const waiting = (await contender()).claim('renewed first', { address: 'other', stop: stop.signal });
    await end();
    await expect.poll(() => lease.remainingMs()).toBeGreaterThan(2500);
    stop.abort();
    expect(await waiting).toBeUndefined();
  });

  test('comes second: its holder has lost it', async () => {
    const taken = `UPDATE trading.leases SET token = token + 1, until = clock_timestamp() + interval '4 s' WHERE name = 'claimed first'`;
    const { lease, end } = await renewalBehind('claimed first', taken);
    await end();
    expect(await lease.ended).toBe('taken');
  });
});

describe('a holder that another has replaced, and that does not know it yet', () => {
  /** Nobody renews in between: the time of the first is over for as long as it takes the second to claim. */
  async function replaced(name: string): Promise<{ old: Leases; first: Lease; present: Leases; second: Lease }> {
    const [old, present] = await Promise.all([contender(), contender()]);
    // Its last holder has not released it, so that giving it back is another statement than releasing it.
    await server.query(`INSERT INTO trading.leases VALUES ('${name}', '', 0, clock_timestamp(), false)`, url);
    const first = await claimed(old, name);
    let second: Lease | undefined;
    const claiming = claimed(present, name).then((lease) => {
      second = lease;
    });
    const runOut = `UPDATE trading.leases SET until = clock_timestamp() WHERE name = '${name}' AND token = ${first.token}`;
    await expect.poll(() => server.query(runOut, url).then(() => second), { interval: 5 }).toBeDefined();
    await claiming;
    return { old, first, present, second: second as unknown as Lease };
  }

  test.each(['release', 'giveBack'] as const)('takes nothing from that one by %s', async (how) => {
    const name = `replaced, then ${how}`;
    const { first, second } = await replaced(name);
    await first[how]();
    const row = `SELECT token::float8, released, until > clock_timestamp() AS lasts FROM trading.leases WHERE name = '${name}'`;
    expect(await server.query(row, url)).toEqual([{ token: second.token, released: false, lasts: true }]);
    await second.release();
  });

  test('does not tell its terms in place of those of that one', async () => {
    const { old, first, present, second } = await replaced('replaced, then tells');
    await present.tell(second, 'of the present one');
    await old.tell(first, 'of the old one');
    expect(await present.told(second.name)).toEqual({ token: second.token, text: 'of the present one' });
    await second.release();
  });
});

describe('a clock of the database that jumps', () => {
  const shift = (name: string, by: string) =>
    server.query(`UPDATE trading.leases SET until = until + interval '${by}' WHERE name = '${name}'`, url);

  test('ahead: of a holder that lives, and that nobody wants to replace, nothing is taken', async () => {
    const lease = await claimed(await contender(), 'ahead');
    // Its end is an hour ago by the clock as it is now.
    await shift('ahead', '-1 hour');
    const isAhead = `SELECT 1 FROM trading.leases WHERE name = 'ahead' AND until > clock_timestamp()`;
    await expect.poll(() => server.query(isAhead, url), { timeout: 3000 }).toHaveLength(1);
    expect(lease.remainingMs()).toBeGreaterThan(2500);
  });

  test('back: a holder that died is replaced as soon as otherwise, and one that lives is not', async () => {
    const { child, next } = await forked('back');
    await next();
    const waiting = claimed(await contender(), 'back');
    await shift('back', '1 hour');
    await sleep(REPLACED_WITHIN_MS);
    expect(await Promise.race([waiting, 'nobody'])).toBe('nobody');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await shift('back', '1 hour');
    const jumpedAtMs = performance.now();
    await waiting;
    expect(performance.now() - jumpedAtMs).toBeLessThan(REPLACED_WITHIN_MS);
  });
});

test('whoever watches is told who has it, where that one is reached, and when nobody has it', async () => {
  const [holder, other] = await Promise.all([contender(), contender()]);
  const told: (LeaseHolder | undefined)[] = [];
  const end = other.watch('watched', (each) => void told.push(each));
  await expect.poll(() => told).toEqual([undefined]);
  const lease = await claimed(holder, 'watched', 'http://10.0.0.1:8080');
  await expect.poll(() => told.at(-1)).toEqual({ address: 'http://10.0.0.1:8080', token: lease.token });
  await lease.release();
  await expect.poll(() => told.at(-1)).toBeUndefined();
  end();
  await claimed(holder, 'watched');
  expect(told).toHaveLength(3);
});

test('a server that is away is told to whoever opened the leases, and the claim goes on', async () => {
  const troubles: string[] = [];
  const leases = await openLeases({ url, onTrouble: ({ message }) => void troubles.push(message) });
  closeAtEnd(() => leases.close());
  await server.kill();
  const waiting = claimed(leases, 'later');
  await expect.poll(() => troubles.join()).toMatch(/cannot be reached \(ECONNREFUSED\); start it/);
  await server.restart();
  expect((await waiting).remainingMs()).toBeGreaterThan(0);
});
