// Settings, audit and webhook keys in the owner's database: small, and durable when a promise resolves.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AccessStore } from '../../../access/access-store.ts';
import type { StoredAccountStore } from '../../../keys/stored-accounts.ts';
import type { Route, WebhookKey, WebhookKeyStore } from '../../../keys/webhook-keys.ts';
import type { LayoutStore } from '../../../library/layouts.ts';
import type { AuditEntry, SettingsStore } from '../../../trading/intake/controls.ts';
import type { RestrictionStore } from '../../../trading/intake/restrictions.ts';
import { createAccessStore } from './access.ts';
import { openDatabase, openMigrated, queries, type Sql, statements } from './database.ts';
import { OWNER } from './database-files.ts';
import { assertNoDamageFound } from './found-damage.ts';
import { createLayoutStore } from './layouts.ts';
import { createRestrictionStore } from './restrictions.ts';
import { createStoredAccountStore } from './stored-accounts.ts';
import { steps } from './transaction.ts';

export interface SettingsStorage {
  readonly settings: SettingsStore;
  readonly webhookKeys: WebhookKeyStore;
  readonly restrictions: RestrictionStore;
  readonly storedAccounts: StoredAccountStore;
  readonly access: AccessStore;
  readonly layouts: LayoutStore;
  readonly path: string;
  /** Keeps what nobody has decided, so it is not in the audit. */
  remember(name: string, value: string, atMs: number): Promise<void>;
  /** The audit in the order of its rows, for whoever copies it. */
  readonly auditRows: AuditRows;
  /** Really reads and writes; for readiness. */
  probe(): Promise<void>;
  close(): void;
}

export interface AuditRows {
  /** The number of the newest row; 0 where there is none. */
  newest(): Promise<number>;
  /** Oldest first. */
  after(seq: number, limit: number): Promise<readonly (AuditEntry & { readonly seq: number })[]>;
  /** Called soon after every new row. */
  watch(listener: () => void): void;
}

export function openSettingsStorage(dataDir: string): SettingsStorage {
  const path = join(dataDir, OWNER.name);
  const db = openMigrated(path, OWNER.migrations);
  const sql = statements(db);
  const all = queries(db, path);
  const inOneStep = steps(db, path);
  const audit = new Audit(sql);
  const appendAudit = (entry: AuditEntry): void => audit.append(entry);
  /** A step that others wait for. It is on disk when the promise resolves, and whoever watches the audit hears of it then. */
  const change = async <T>(work: () => T): Promise<T> => audit.toldAfter(() => inOneStep(work));

  const put = (name: string, value: string, atMs: number): void => {
    sql(`INSERT INTO settings (name, value, updated_at) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`).run(name, value, atMs);
  };

  return {
    path,
    remember: (name, value, atMs) => change(() => put(name, value, atMs)),
    settings: {
      get: (name) => all('SELECT value FROM settings WHERE name = ?', name)[0]?.value as string | undefined,
      set: (name, value, entry) =>
        change(() => {
          put(name, value, entry.atMs);
          appendAudit(entry);
        }),
      appendAudit: (entry) => change(() => appendAudit(entry)),
      audit: async (limit) =>
        all(
          'SELECT at AS atMs, actor, setting, before, after FROM audit ORDER BY seq DESC LIMIT ?',
          limit,
        ) as unknown as AuditEntry[],
    },
    auditRows: auditRowsOf(all, audit),
    restrictions: createRestrictionStore({ sql, all, inOneStep: change, appendAudit }),
    storedAccounts: createStoredAccountStore({ sql, all, inOneStep: change, appendAudit }),
    access: createAccessStore({ sql, all, inOneStep: change, appendAudit }),
    layouts: createLayoutStore({ sql, all, inOneStep: change }),
    webhookKeys: {
      list: () => all('SELECT * FROM webhook_keys ORDER BY created_at, key_id').map(keyOf),
      insert: (key, audit) =>
        change(() => {
          sql(`INSERT INTO webhook_keys (label, routes, digest, previous_digest, previous_valid_until,
            created_at, rotated_at, revoked_at, key_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(...columnsOf(key));
          if (audit) appendAudit(audit);
        }),
      update: (key, audit) =>
        change(() => {
          sql(`UPDATE webhook_keys SET label = ?, routes = ?, digest = ?, previous_digest = ?,
            previous_valid_until = ?, created_at = ?, rotated_at = ?, revoked_at = ? WHERE key_id = ?`).run(
            ...columnsOf(key),
          );
          if (audit) appendAudit(audit);
        }),
    },
    async probe() {
      assertNoDamageFound(path);
      await change(() => {
        sql(`INSERT INTO settings (name, value, updated_at) VALUES ('heartbeat', '', 0)
          ON CONFLICT DO UPDATE SET updated_at = updated_at + 1`).run();
      });
    },
    close: () => db.close(),
  };
}

/** Writes entries as parts of steps, and tells whoever watches when such a step is on disk. */
class Audit {
  readonly #sql: Sql;
  readonly #listeners: (() => void)[] = [];
  #hasNew = false;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  watch(listener: () => void): void {
    this.#listeners.push(listener);
  }

  append({ atMs, actor, setting, before, after }: AuditEntry): void {
    this.#sql('INSERT INTO audit (at, actor, setting, before, after) VALUES (?, ?, ?, ?, ?)').run(
      ...[atMs, actor, setting, before, after],
    );
    this.#hasNew = true;
  }

  /** A step that fails has nothing to tell. */
  toldAfter<T>(step: () => T): T {
    this.#hasNew = false;
    const result = step();
    // In a turn of their own: what they do is not the concern of whoever made the change.
    if (this.#hasNew)
      setImmediate(() => {
        for (const listener of this.#listeners) listener();
      });
    return result;
  }
}

const auditRowsOf = (all: ReturnType<typeof queries>, audit: Audit): AuditRows => ({
  newest: async () => Number(all('SELECT coalesce(max(seq), 0) AS seq FROM audit')[0]?.seq),
  after: async (seq, limit) =>
    all(
      'SELECT seq, at AS atMs, actor, setting, before, after FROM audit WHERE seq > ? ORDER BY seq LIMIT ?',
      seq,
      limit,
    ) as unknown as (AuditEntry & { readonly seq: number })[],
  watch: (listener) => audit.watch(listener),
});

/** What is stored, for a command that must not open the database for writing; nothing where there is none. */
export function readStoredSettings(dataDir: string): ReadonlyMap<string, string> {
  const path = join(dataDir, OWNER.name);
  if (!existsSync(path)) return new Map();
  const db = openDatabase({ path, readOnly: true });
  try {
    const rows = queries(db, path)('SELECT name, value FROM settings');
    return new Map(rows.map(({ name, value }) => [String(name), String(value)]));
  } finally {
    db.close();
  }
}

export interface OwnerStores {
  readonly settings: Pick<SettingsStore, 'get' | 'set'>;
  readonly storedAccounts: StoredAccountStore;
  readonly restrictions: Pick<RestrictionStore, 'list'>;
  close(): void;
}

/** The same for whoever looks at accounts: nothing can be changed here, and a folder without a database has none. */
export function readOwnerStores(dataDir: string): OwnerStores {
  const refuse = (): never => {
    throw new Error('nothing is changed by whoever only looks');
  };
  const path = join(dataDir, OWNER.name);
  const stored = existsSync(path) ? openDatabase({ path, readOnly: true }) : undefined;
  const all: ReturnType<typeof queries> = stored === undefined ? () => [] : queries(stored, path);
  const has = (table: string): boolean => all('SELECT 1 FROM sqlite_master WHERE name = ?', table).length > 0;
  const parts = { sql: refuse, all, inOneStep: refuse, appendAudit: refuse };
  return {
    settings: {
      get: (name) => all('SELECT value FROM settings WHERE name = ?', name)[0]?.value as string | undefined,
      set: refuse,
    },
    // A folder that an older version has left.
    storedAccounts: has('stored_accounts')
      ? createStoredAccountStore(parts)
      : { list: () => [], insert: refuse, remove: refuse },
    restrictions: has('restrictions') ? createRestrictionStore(parts) : { list: () => [] },
    close: () => stored?.close(),
  };
}

type Column = string | number | null;

const columnsOf = (key: WebhookKey): Column[] => [
  key.label,
  key.routes ? JSON.stringify(key.routes) : null,
  key.digest,
  key.previousDigest ?? null,
  key.previousValidUntilMs ?? null,
  key.createdAtMs,
  key.rotatedAtMs ?? null,
  key.revokedAtMs ?? null,
  key.keyId,
];

function keyOf(row: Record<string, unknown>): WebhookKey {
  const routes = (value: unknown): Route[] | undefined =>
    value === null ? undefined : (JSON.parse(value as string) as Route[]);
  const maybe = (value: unknown): number | undefined => (value as number | null) ?? undefined;
  return {
    keyId: row.key_id as string,
    label: row.label as string,
    routes: routes(row.routes),
    digest: row.digest as string,
    previousDigest: (row.previous_digest as string | null) ?? undefined,
    previousValidUntilMs: maybe(row.previous_valid_until),
    createdAtMs: row.created_at as number,
    rotatedAtMs: maybe(row.rotated_at),
    revokedAtMs: maybe(row.revoked_at),
  };
}
