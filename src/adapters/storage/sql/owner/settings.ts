// Settings, audit and everything else of the owner's database: small, and durable when a promise resolves.

import type { AccessStore } from '../../../../access/access-store.ts';
import type { StoredAccountStore } from '../../../../keys/stored-accounts.ts';
import type { WebhookKeyStore } from '../../../../keys/webhook-keys.ts';
import type { LayoutStore } from '../../../../library/layouts.ts';
import type {
  AuditEntry,
  AuditSearch,
  NumberedAuditEntry,
  SettingsStore,
} from '../../../../trading/intake/controls.ts';
import type { RestrictionStore } from '../../../../trading/intake/restrictions.ts';
import { sameCase } from '../same-case.ts';
import type { Sql, SqlDatabase, SqlReads } from '../sql.ts';
import { createAccessStore } from './access.ts';
import type { Glance } from './glance.ts';
import { createLayoutStore } from './layouts.ts';
import { OwnerSteps } from './owner-steps.ts';
import { createRestrictionStore, restrictionReads } from './restrictions.ts';
import { createStoredAccountStore, storedAccountReads } from './stored-accounts.ts';
import { createWebhookKeyStore } from './webhook-keys.ts';

export interface SettingsStorage {
  readonly settings: SettingsStore;
  readonly webhookKeys: WebhookKeyStore;
  readonly restrictions: RestrictionStore;
  readonly storedAccounts: StoredAccountStore;
  readonly access: AccessStore;
  readonly layouts: LayoutStore;
  /** Where it is kept, for words. */
  readonly path: string;
  /** Keeps what nobody has decided, so it is not in the audit. */
  remember(name: string, value: string, atMs: number): Promise<void>;
  /** The audit in the order of its rows, for whoever copies it. */
  readonly auditRows: AuditRows;
  /** Really reads and writes; for readiness. */
  probe(): Promise<void>;
  /** Waits for the changes that are under way. */
  close(): Promise<void>;
}

export interface AuditRows {
  /** The number of the newest row; 0 where there is none. */
  newest(): Promise<number>;
  /** Oldest first. */
  after(seq: number, limit: number): Promise<readonly NumberedAuditEntry[]>;
  /** Newest first, for whoever looks something up. */
  find(wanted: AuditSearch): Promise<readonly NumberedAuditEntry[]>;
  /** Called soon after every new row. */
  watch(listener: () => void): void;
}

/** The stores, on whichever engine. */
export function settingsStorageOn(database: SqlDatabase, glance: Glance): SettingsStorage {
  const { name: path, reads } = database;
  const steps = new OwnerSteps(database, glance);
  return {
    path,
    async remember(name, value, atMs) {
      await steps.inOneStep(({ sql }) => put(sql, name, value, atMs));
      await glance.refresh();
    },
    settings: {
      ...settingReads(glance),
      ...watched(glance),
      set: (name, value, entry) =>
        steps.changeControls(async ({ sql, audit }) => {
          await put(sql, name, value, entry.atMs);
          await audit(entry);
        }),
      appendAudit: (entry) => steps.inOneStep(({ audit }) => audit(entry)),
      audit: async (limit) =>
        (await reads.all(
          'SELECT at AS "atMs", actor, setting, before, after FROM audit ORDER BY seq DESC LIMIT ?',
          limit,
        )) as unknown as AuditEntry[],
    },
    auditRows: auditRowsOf(reads, steps),
    restrictions: { ...createRestrictionStore(glance, steps), ...watched(glance) },
    storedAccounts: createStoredAccountStore(glance, steps),
    webhookKeys: { ...createWebhookKeyStore(glance, steps), ...watched(glance) },
    access: createAccessStore(reads, steps),
    layouts: createLayoutStore(reads, steps),
    probe: () => steps.inOneStep(({ sql }) => beat(sql)),
    close: () => database.close(),
  };
}

async function put(sql: Sql, name: string, value: string, atMs: number): Promise<void> {
  await sql.run(
    `INSERT INTO settings (name, value, updated_at) VALUES (?, ?, ?)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
    ...[name, value, atMs],
  );
}

async function beat(sql: Sql): Promise<void> {
  await sql.run(`INSERT INTO settings (name, value, updated_at) VALUES ('heartbeat', '', 0)
    ON CONFLICT (name) DO UPDATE SET updated_at = settings.updated_at + 1`);
}

/** For whoever keeps in memory what he has read. */
const watched = (glance: Glance): Pick<Glance, 'watch'> =>
  glance.watch === undefined ? {} : { watch: (listener) => glance.watch?.(listener) };

const settingReads = (glance: Pick<Glance, 'rows'>): Pick<SettingsStore, 'get'> => ({
  get: (name) => glance.rows('settings', { column: 'name', value: name })[0]?.value as string | undefined,
});

const FOUND = `SELECT seq, at AS "atMs", actor, setting, before, after FROM audit
  WHERE seq < ?1 AND (?2 = '' OR instr(lower(concat_ws('\n', actor, setting, before, after)), ?2) > 0)
  ORDER BY seq DESC LIMIT ?3`;

const auditRowsOf = (reads: SqlReads, steps: OwnerSteps): AuditRows => ({
  newest: async () => Number((await reads.get('SELECT coalesce(max(seq), 0) AS seq FROM audit'))?.seq),
  after: async (seq, limit) =>
    (await reads.all(
      'SELECT seq, at AS "atMs", actor, setting, before, after FROM audit WHERE seq > ? ORDER BY seq LIMIT ?',
      seq,
      limit,
    )) as unknown as NumberedAuditEntry[],
  find: async ({ limit, before = Number.MAX_SAFE_INTEGER, search = '' }) =>
    (await reads.all(FOUND, before, sameCase(search), limit)) as unknown as NumberedAuditEntry[],
  watch: (listener) => steps.watchAudit(listener),
});

/** Every setting that is stored, by its name. */
export const storedSettings = (glance: Pick<Glance, 'rows'>): ReadonlyMap<string, string> =>
  new Map(glance.rows('settings').map(({ name, value }) => [String(name), String(value)]));

export interface OwnerStores {
  readonly settings: Pick<SettingsStore, 'get' | 'set'>;
  readonly storedAccounts: StoredAccountStore;
  readonly restrictions: Pick<RestrictionStore, 'list'>;
  close(): void;
}

/** For whoever looks at accounts: nothing can be changed here. */
export function ownerStoresOn(glance: Pick<Glance, 'rows'>): Omit<OwnerStores, 'close'> {
  const refuse = (): never => {
    throw new Error('nothing is changed by whoever only looks');
  };
  return {
    settings: { ...settingReads(glance), set: refuse },
    storedAccounts: { ...storedAccountReads(glance), insert: refuse, remove: refuse },
    restrictions: restrictionReads(glance),
  };
}
