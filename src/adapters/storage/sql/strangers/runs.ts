// The kept runs of users, in the strangers' database: each write is one transaction, on the disk when it resolves.

import { type KeptRun, MAX_KEPT_RUNS } from '../../../../library/runs/kept-run.ts';
import type { RunStore, RunSummary } from '../../../../library/runs/run-store.ts';
import type { Row, Sql, SqlDatabase } from '../sql.ts';

const OF_USER = 'user_id = ? AND id = ?';

export const runStore = ({ reads, inOneStep }: SqlDatabase): RunStore => ({
  add: (userId, { note, trades, ...summary }) =>
    inOneStep(async (sql) => {
      if (!(await makeRoom(sql, userId))) return 'full';
      await sql.run(
        'INSERT INTO kept_runs (user_id, id, note, summary, trades) VALUES (?, ?, ?, ?, ?)',
        ...[userId, summary.id, note, JSON.stringify(summary), JSON.stringify(trades)],
      );
      return 'added';
    }),
  async list(userId) {
    const ofUser = 'SELECT note, summary FROM kept_runs WHERE user_id = ? ORDER BY place DESC';
    return (await reads.all(ofUser, userId)).map(summaryOf);
  },
  async read(userId, id) {
    const row = await reads.get(`SELECT note, summary, trades FROM kept_runs WHERE ${OF_USER}`, userId, id);
    return row && { ...summaryOf(row), trades: JSON.parse(row.trades as string) as KeptRun['trades'] };
  },
  note: (userId, id, note) =>
    inOneStep(async (sql) => (await sql.run(`UPDATE kept_runs SET note = ? WHERE ${OF_USER}`, note, userId, id)) > 0),
  remove: (userId, id) =>
    inOneStep(async (sql) => (await sql.run(`DELETE FROM kept_runs WHERE ${OF_USER}`, userId, id)) > 0),
});

/** False where every run has a note. */
async function makeRoom(sql: Sql, userId: string): Promise<boolean> {
  const row = await sql.get('SELECT count(*) AS runs FROM kept_runs WHERE user_id = ?', userId);
  if ((row?.runs as number) < MAX_KEPT_RUNS) return true;
  const oldest = `SELECT min(place) FROM kept_runs WHERE user_id = ? AND note = ''`;
  return (await sql.run(`DELETE FROM kept_runs WHERE place = (${oldest})`, userId)) > 0;
}

const summaryOf = ({ summary, note }: Row): RunSummary => ({
  ...(JSON.parse(summary as string) as Omit<RunSummary, 'note'>),
  note: note as string,
});
