// The script library and its usage counters on SQLite, in the strangers' database: each write is one transaction, durable when it resolves.

import { join } from 'node:path';
import {
  PUBLICATION_LIMITS,
  type PublicationLimits,
  type PublicationStore,
} from '../../../../library/publication-store.ts';
import { type ScriptStore, type ScriptStoreLimits, STORE_LIMITS } from '../../../../library/script-store.ts';
import type { UsageStore } from '../../../../library/usage.ts';
import { openMigrated, queries, statements } from '../database.ts';
import { STRANGERS } from '../database-files.ts';
import { heartbeat, steps } from '../transaction.ts';
import { publicationStore } from './publications.ts';
import { draftOf, SUMMARY_COLUMNS, scriptOf, summaryOf, usageOf } from './rows.ts';
import { scriptWrites } from './writes.ts';

export interface ScriptStorageOptions {
  readonly dataDir: string;
  readonly limits?: ScriptStoreLimits;
  readonly publicationLimits?: PublicationLimits;
  /** How the file is opened; tests look at the connection. */
  readonly open?: typeof openMigrated;
}

export interface ScriptStorage {
  readonly scripts: ScriptStore;
  readonly publications: PublicationStore;
  readonly usage: UsageStore;
  readonly path: string;
  /** Really reads and writes; for readiness. */
  probe(): void;
  close(): void;
}

export function openScriptStorage({
  dataDir,
  limits = STORE_LIMITS,
  publicationLimits = PUBLICATION_LIMITS,
  open = openMigrated,
}: ScriptStorageOptions): ScriptStorage {
  const path = join(dataDir, STRANGERS.name);
  const db = open(path, STRANGERS.migrations);
  const sql = statements(db);
  const all = queries(db, path);
  const inOneStep = steps(db, path);
  const writes = scriptWrites(sql, limits);
  const versionRows = (columns: string, where: string, ...params: (string | number)[]) =>
    all(`SELECT ${columns} FROM scripts JOIN versions USING (user_id, id) WHERE ${where}`, ...params);

  const scripts: ScriptStore = {
    async list(userId, { limit, below = Number.MAX_SAFE_INTEGER }) {
      const rows = versionRows(
        `place, ${SUMMARY_COLUMNS}`,
        `scripts.user_id = ? AND place < ? AND versions.revision = scripts.revision ORDER BY place DESC LIMIT ?`,
        userId,
        below,
        limit,
      );
      return rows.map((row) => ({ place: row.place as number, summary: summaryOf(row) }));
    },
    async read(userId, id) {
      const where = 'scripts.user_id = ? AND scripts.id = ? AND versions.revision = scripts.revision';
      return versionRows(`${SUMMARY_COLUMNS}, content`, where, userId, id).map(scriptOf)[0];
    },
    async versions(userId, id) {
      const where = 'scripts.user_id = ? AND scripts.id = ? ORDER BY versions.revision DESC';
      return versionRows(SUMMARY_COLUMNS, where, userId, id).map(summaryOf);
    },
    async version(userId, id, revision) {
      const where = 'scripts.user_id = ? AND scripts.id = ? AND versions.revision = ?';
      return versionRows(`${SUMMARY_COLUMNS}, content`, where, userId, id, revision).map(scriptOf)[0];
    },
    async draft(userId) {
      return all('SELECT * FROM drafts WHERE user_id = ?', userId).map(draftOf)[0];
    },
    write: async (userId, write) => inOneStep(() => writes.write(userId, write)),
    remove: async (userId, id, precondition) => inOneStep(() => writes.remove(userId, id, precondition)),
    writeDraft: async (userId, write) => inOneStep(() => writes.writeDraft(userId, write)),
  };

  const usage: UsageStore = {
    async usage(userId) {
      return all('SELECT * FROM usage WHERE user_id = ?', userId).map(usageOf)[0];
    },
    addUsage: async (added) =>
      inOneStep(() => {
        for (const [userId, { calls, firstUsedAtMs, lastUsedAtMs }] of added)
          sql(`INSERT INTO usage (user_id, calls, first_used_at, last_used_at) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET calls = calls + excluded.calls,
              first_used_at = min(first_used_at, excluded.first_used_at),
              last_used_at = max(last_used_at, excluded.last_used_at)`).run(userId, calls, firstUsedAtMs, lastUsedAtMs);
      }),
  };

  return {
    scripts,
    publications: publicationStore({ sql, all, inOneStep }, publicationLimits),
    usage,
    path,
    probe: heartbeat(db, path),
    close: () => db.close(),
  };
}
