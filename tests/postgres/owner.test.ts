// The owner's database on PostgreSQL: the same promises as on SQLite, and what several processes over one database see of each other.

import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type OwnerStorage, openOwnerStorage } from '../../src/adapters/storage/postgres/owner.ts';
import { UnknownOutcomeError } from '../../src/errors/storage-error.ts';
import { createWebhookKeys } from '../../src/keys/webhook-keys.ts';
import { describeAccessStore } from '../ports/access-store-suite.ts';
import { describeAuditRows } from '../ports/audit-rows-suite.ts';
import { describeLayoutStore } from '../ports/layout-store-suite.ts';
import { describeRestrictionStore } from '../ports/restriction-store-suite.ts';
import { describeSettings } from '../ports/settings-suite.ts';
import { describeStoredAccountStore } from '../ports/stored-account-store-suite.ts';
import { describeUsageLedger, USAGE_ENTRY } from '../ports/usage-ledger-suite.ts';
import { describeWebhookKeyStore } from '../ports/webhook-key-store-suite.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';

let server: PostgresServer;
let url: string;
beforeAll(async () => {
  server = await startPostgres();
  url = await server.newDatabase();
});
// Much quicker than another database.
beforeEach(() => server.query('DROP SCHEMA IF EXISTS owner CASCADE', url));

async function openOwner(): Promise<OwnerStorage> {
  const owner = await openOwnerStorage(url);
  closeAtEnd(() => owner.close());
  return owner;
}

/** A transaction of somebody else. */
async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  closeAtEnd(() => client.end());
  return client;
}

/** For a suite that closes it, and opens it again. */
async function opened<T>(part: (owner: OwnerStorage) => T) {
  let owner = await openOwnerStorage(url);
  return {
    part: part(owner),
    beside: async () => part(await openOwner()),
    async reopen() {
      await owner.close();
      owner = await openOwnerStorage(url);
      return part(owner);
    },
    close: () => owner.close(),
  };
}

describeSettings('the settings on PostgreSQL', async () => {
  const { part: settings, ...rest } = await opened((owner) => owner.settings.settings);
  return { settings, ...rest };
});

describeWebhookKeyStore('the webhook key store on PostgreSQL', async () => {
  const { part: webhookKeys, ...rest } = await opened((owner) => owner.settings.webhookKeys);
  return { webhookKeys, ...rest };
});

describeRestrictionStore('the restriction store on PostgreSQL', async () => {
  const { part, ...rest } = await opened((owner) => owner.settings);
  return { ...part, ...rest };
});

describeStoredAccountStore('stored accounts on PostgreSQL', async () => {
  const { part, ...rest } = await opened((owner) => owner.settings);
  return { ...part, ...rest };
});

describeAccessStore('the access store on PostgreSQL', async () => {
  const { part: access, ...rest } = await opened((owner) => owner.settings.access);
  return { access, ...rest };
});

describeLayoutStore('the layout store on PostgreSQL', async () => {
  const { part: layouts, ...rest } = await opened((owner) => owner.settings.layouts);
  return { layouts, ...rest };
});

describeAuditRows('the rows of the audit on PostgreSQL', async () => {
  const { part, ...rest } = await opened((owner) => owner.settings);
  return { ...part, ...rest };
});

describeUsageLedger('the usage ledger on PostgreSQL', async () => {
  const { part: ledger, ...rest } = await opened((owner) => owner.usage.ledger);
  return { ledger, ...rest };
});

const ENTRY = { atMs: 1, actor: 'test', setting: 'killSwitch', before: null, after: '1' };

describe('two processes over one database', () => {
  let one: OwnerStorage;
  let other: OwnerStorage;
  beforeEach(async () => {
    one = await openOwner();
    other = await openOwner();
  });
  const set = (owner: OwnerStorage, value: string) => owner.settings.settings.set('killSwitch', value, ENTRY);
  const get = (owner: OwnerStorage) => owner.settings.settings.get('killSwitch');
  const listeners = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE query LIKE 'LISTEN%' OR query LIKE '%controls_version%' AND query NOT LIKE '%pg_stat_activity%'`;

  test('a change by one is seen by the other long before the next look at the version', async () => {
    const delaysMs: number[] = [];
    for (let number = 0; number < 11; number += 1) {
      await set(one, String(number));
      expect(get(one)).toBe(String(number));
      const beganMs = performance.now();
      await expect.poll(() => get(other), { interval: 2 }).toBe(String(number));
      delaysMs.push(performance.now() - beganMs);
    }
    const median = delaysMs.sort((a, b) => a - b)[5];
    expect(median).toBeLessThan(250);
  });

  test('all four tables are seen', async () => {
    const { restrictions, storedAccounts, webhookKeys } = one.settings;
    const account = { exchange: 'binance', account: 'main', mode: 'live', keyStart: 'abcd' } as const;
    await restrictions.put({ kind: 'symbol', name: 'BTCUSDT', limits: { rate: 1 } }, ENTRY);
    await storedAccounts.insert({ ...account, sealedCredentials: 'x', createdAtMs: 1 }, ENTRY);
    await webhookKeys.insert({ keyId: 'a', label: 'b', digest: 'c', createdAtMs: 1 });
    await expect.poll(() => other.settings.webhookKeys.list()).toEqual(webhookKeys.list());
    expect(other.settings.restrictions.list()).toEqual(restrictions.list());
    expect(other.settings.storedAccounts.list()).toEqual(storedAccounts.list());
    expect([other.controls.version(), one.controls.version()]).toEqual([3, 3]);
  });

  test('a change whose word is lost is found by the look at the version', async () => {
    await set(one, 'first');
    await server.query(
      `UPDATE owner.settings SET value = 'second'; UPDATE owner.controls_version SET version = version + 1`,
      url,
    );
    for (const owner of [one, other]) await expect.poll(() => get(owner)).toBe('second');
  });

  test('connections that listen and are cut come back, and hear again', async () => {
    await set(one, 'first');
    await server.query(listeners, url);
    await set(one, 'second');
    expect(get(one)).toBe('second');
    await expect.poll(() => get(other)).toBe('second');
    await set(other, 'third');
    await expect.poll(() => get(one)).toBe('third');
  });

  test('a version that was seen in the database is waited for', async () => {
    await server.query(
      `INSERT INTO owner.settings VALUES ('killSwitch', 'new', 1); UPDATE owner.controls_version SET version = 7`,
      url,
    );
    await other.controls.whenAtLeast(7);
    expect([get(other), other.controls.version()]).toEqual(['new', 7]);
  });

  test('what nobody has decided is read by whoever keeps it, and makes no new version', async () => {
    await one.settings.remember('positionModes', '{}', 1);
    expect(one.settings.settings.get('positionModes')).toBe('{}');
    await one.settings.probe();
    await one.settings.settings.appendAudit(ENTRY);
    await one.settings.access.change((rows) => rows.putPassword({ hash: 'x' }));
    await one.usage.ledger.add(USAGE_ENTRY);
    await one.usage.probe();
    expect(await server.query('SELECT version FROM owner.controls_version', url)).toEqual([{ version: '0' }]);
  });

  test('a step that fails makes no new version', async () => {
    await expect(one.settings.settings.set('killSwitch', '1', { ...ENTRY, atMs: Number.NaN })).rejects.toThrow();
    expect(await server.query('SELECT version FROM owner.controls_version', url)).toEqual([{ version: '0' }]);
  });

  test('two keys of one label that are made at the same moment: one is made, the other refused as taken', async () => {
    const options = { staticKeys: [], nowMs: Date.now, randomBytes };
    const makers = [one, other].map(({ settings }) => createWebhookKeys({ ...options, store: settings.webhookKeys }));
    for (let round = 0; round < 10; round += 1) {
      const label = `label ${round}`;
      const outcomes = await Promise.allSettled(makers.map((keys) => keys.create({ label })));
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const refused = outcomes.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
      expect(refused.reason).toMatchObject({ name: 'KeyError', code: 'LABEL_TAKEN' });
    }
    // The last one may have been made by the other process, of which this one hears a moment later.
    await expect.poll(() => one.settings.webhookKeys.list()).toHaveLength(10);
  });

  test('the database itself has no two active keys of one label', async () => {
    const insert = (id: string, revokedAt: string) =>
      server.query(
        `INSERT INTO owner.webhook_keys (key_id, label, digest, created_at, revoked_at) VALUES ('${id}', 'same', '${id}', 1, ${revokedAt})`,
        url,
      );
    await insert('a', 'NULL');
    await insert('b', '5');
    await expect(insert('c', 'NULL')).rejects.toThrow('webhook_keys_by_active_label');
  });

  test('changes that get into each other’s way are all made, each from what the one before has left', async () => {
    const each = Array.from({ length: 15 }, (_, number) => number);
    const numbers = await Promise.all(
      [one, other].flatMap((owner) => [
        ...each.map(async (number) => void (await set(owner, String(number)))),
        ...each.map(() => owner.settings.layouts.change((rows) => rows.nextRevision())),
      ]),
    );
    const given = numbers.filter((number) => number !== undefined);
    expect(given.sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    expect(await one.settings.auditRows.after(0, 100)).toHaveLength(30);
    expect(await server.query('SELECT version FROM owner.controls_version', url)).toEqual([{ version: '30' }]);
  });

  test('no row of the audit is there before one that has a smaller number', async () => {
    const slow = await connect();
    // As a step of a third process does it.
    await slow.query(`BEGIN; LOCK TABLE owner.controls_version IN SHARE ROW EXCLUSIVE MODE;
      INSERT INTO owner.audit (at, actor, setting) VALUES (1, 'slow', 'x')`);
    const quick = one.settings.settings.appendAudit({ ...ENTRY, actor: 'quick' });
    const waiting = `SELECT count(*) AS n FROM pg_locks WHERE locktype = 'relation' AND NOT granted`;
    await expect.poll(() => server.query(waiting, url)).toEqual([{ n: '1' }]);
    expect(await other.settings.auditRows.newest()).toBe(0);
    await slow.query('COMMIT');
    await quick;
    expect((await other.settings.auditRows.after(0, 10)).map(({ actor }) => actor)).toEqual(['slow', 'quick']);
  });

  test('a change that somebody else’s transaction got into the way of is made again', async () => {
    await set(one, 'first');
    const stranger = await connect();
    await stranger.query(`BEGIN; UPDATE owner.settings SET value = 'theirs'`);
    const change = set(one, 'ours');
    const waiting = `SELECT count(*) AS n FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted`;
    await expect.poll(() => server.query(waiting, url)).toEqual([{ n: '1' }]);
    await stranger.query('COMMIT');
    await change;
    expect(get(one)).toBe('ours');
    expect(await one.settings.auditRows.after(0, 10)).toHaveLength(2);
  });

  test('a change that is stored and cannot be read is told as such, and is in force as soon as it can', async () => {
    const locker = await connect();
    await locker.query('BEGIN; LOCK TABLE owner.stored_accounts IN ACCESS EXCLUSIVE MODE');
    await expect(set(one, 'stored')).rejects.toThrow(UnknownOutcomeError);
    expect(get(one)).toBeUndefined();
    await locker.query('COMMIT');
    await expect.poll(() => get(one)).toBe('stored');
  });
});
