// The script library and its usage counters, in the strangers' database: each write is one transaction, durable when it resolves.

import { type ScriptStore, type ScriptStoreLimits, STORE_LIMITS } from '../../../../../library/script-store.ts';
import type { UsageStore } from '../../../../../library/usage.ts';
import type { Row, SqlDatabase, SqlValue } from '../../sql.ts';
import { draftOf, SUMMARY_COLUMNS, scriptOf, summaryOf, usageOf } from './rows.ts';
import { scriptWrites } from './writes.ts';

export function scriptStore({ reads, inOneStep }: SqlDatabase, limits: ScriptStoreLimits = STORE_LIMITS): ScriptStore {
  const writes = scriptWrites(limits);
  const versionRows = (columns: string, where: string, ...values: SqlValue[]): Promise<Row[]> =>
    reads.all(`SELECT ${columns} FROM scripts JOIN versions USING (user_id, id) WHERE ${where}`, ...values);
  return {
    async list(userId, { limit, below = Number.MAX_SAFE_INTEGER }) {
      const rows = await versionRows(
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
      return (await versionRows(`${SUMMARY_COLUMNS}, content`, where, userId, id)).map(scriptOf)[0];
    },
    async versions(userId, id) {
      const where = 'scripts.user_id = ? AND scripts.id = ? ORDER BY versions.revision DESC';
      return (await versionRows(SUMMARY_COLUMNS, where, userId, id)).map(summaryOf);
    },
    async version(userId, id, revision) {
      const where = 'scripts.user_id = ? AND scripts.id = ? AND versions.revision = ?';
      return (await versionRows(`${SUMMARY_COLUMNS}, content`, where, userId, id, revision)).map(scriptOf)[0];
    },
    async draft(userId) {
      const row = await reads.get('SELECT * FROM drafts WHERE user_id = ?', userId);
      return row && draftOf(row);
    },
    write: (userId, write) => inOneStep((sql) => writes.write(sql, userId, write)),
    remove: (userId, id, precondition) => inOneStep((sql) => writes.remove(sql, userId, id, precondition)),
    writeDraft: (userId, write) => inOneStep((sql) => writes.writeDraft(sql, userId, write)),
  };
}

export const usageStore = ({ reads, inOneStep }: SqlDatabase): UsageStore => ({
  async usage(userId) {
    const row = await reads.get('SELECT * FROM usage WHERE user_id = ?', userId);
    return row && usageOf(row);
  },
  addUsage: (added) =>
    inOneStep(async (sql) => {
      for (const [userId, { calls, firstUsedAtMs, lastUsedAtMs }] of added)
        await sql.run(ADD_USAGE, userId, calls, firstUsedAtMs, lastUsedAtMs);
    }),
});

const ADD_USAGE = `INSERT INTO usage (user_id, calls, first_used_at, last_used_at) VALUES (?, ?, ?, ?)
  ON CONFLICT (user_id) DO UPDATE SET calls = usage.calls + excluded.calls,
    first_used_at = CASE WHEN excluded.first_used_at < usage.first_used_at
      THEN excluded.first_used_at ELSE usage.first_used_at END,
    last_used_at = CASE WHEN excluded.last_used_at > usage.last_used_at
      THEN excluded.last_used_at ELSE usage.last_used_at END`;
