// The kept runs of users on SQLite, in the strangers' database: each write is one transaction, on the disk when it resolves.

import { join } from 'node:path';
import { type KeptRun, MAX_KEPT_RUNS } from '../../../../library/runs/kept-run.ts';
import type { RunStore, RunSummary } from '../../../../library/runs/run-store.ts';
import { openMigrated, queries, type Row, statements } from '../database.ts';
import { STRANGERS } from '../database-files.ts';
import { steps } from '../transaction.ts';

export interface RunStorage {
  readonly runs: RunStore;
  close(): void;
}

const OF_USER = 'user_id = ? AND id = ?';

export function openRunStorage({ dataDir }: { readonly dataDir: string }): RunStorage {
  const path = join(dataDir, STRANGERS.name);
  const db = openMigrated(path, STRANGERS.migrations);
  const sql = statements(db);
  const all = queries(db, path);
  const inOneStep = steps(db, path);

  /** False where every run has a note. */
  const makeRoom = (userId: string): boolean => {
    const count = Number(sql('SELECT count(*) AS runs FROM kept_runs WHERE user_id = ?').get(userId)?.runs);
    if (count < MAX_KEPT_RUNS) return true;
    const { changes } = sql(`DELETE FROM kept_runs WHERE place =
      (SELECT min(place) FROM kept_runs WHERE user_id = ? AND note = '')`).run(userId);
    return Number(changes) > 0;
  };

  const runs: RunStore = {
    add: async (userId, { note, trades, ...summary }) =>
      inOneStep(() => {
        if (!makeRoom(userId)) return 'full';
        sql('INSERT INTO kept_runs (user_id, id, note, summary, trades) VALUES (?, ?, ?, ?, ?)').run(
          ...[userId, summary.id, note, JSON.stringify(summary), JSON.stringify(trades)],
        );
        return 'added';
      }),
    async list(userId) {
      const rows = all('SELECT note, summary FROM kept_runs WHERE user_id = ? ORDER BY place DESC', userId);
      return rows.map(summaryOf);
    },
    async read(userId, id) {
      const [row] = all(`SELECT note, summary, trades FROM kept_runs WHERE ${OF_USER}`, userId, id);
      return row && { ...summaryOf(row), trades: JSON.parse(row.trades as string) as KeptRun['trades'] };
    },
    note: async (userId, id, note) =>
      inOneStep(() => Number(sql(`UPDATE kept_runs SET note = ? WHERE ${OF_USER}`).run(note, userId, id).changes) > 0),
    remove: async (userId, id) =>
      inOneStep(() => Number(sql(`DELETE FROM kept_runs WHERE ${OF_USER}`).run(userId, id).changes) > 0),
  };
  return { runs, close: () => db.close() };
}

const summaryOf = ({ summary, note }: Row): RunSummary => ({
  ...(JSON.parse(summary as string) as Omit<RunSummary, 'note'>),
  note: note as string,
});
