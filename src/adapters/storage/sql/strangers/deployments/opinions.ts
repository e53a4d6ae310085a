// The second opinions of deployments, in the strangers' database.

import {
  KEPT_OPINIONS,
  type Opinion,
  type OpinionCounts,
  type OpinionStore,
} from '../../../../../library/deployments/index.ts';
import type { Row, SqlDatabase, SqlReads, SqlValue } from '../../sql.ts';
import { addLogs } from './writes.ts';

/** In the words of the index that finds them. */
const OPEN = `(state IN ('expected', 'arrived') OR (is_gone = 1 AND state <> 'repainted') OR (state = 'missing' AND sent IS NULL))`;
const NAMED = 'deployment_id = ? AND alert_id = ?';

const PUT = `INSERT INTO second_opinions (deployment_id, alert_id, state, bar_time, expected, arrival, request_id, is_gone,
    sent, words, created_at, updated_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (deployment_id, alert_id) DO UPDATE SET state = excluded.state, bar_time = excluded.bar_time,
    expected = excluded.expected, arrival = excluded.arrival, request_id = excluded.request_id,
    is_gone = CASE WHEN second_opinions.is_gone = 1 THEN 1 ELSE excluded.is_gone END,
    sent = excluded.sent, words = excluded.words, updated_at = excluded.updated_at`;

async function select(reads: SqlReads, where: string, ...values: SqlValue[]): Promise<Opinion[]> {
  return (await reads.all(`SELECT * FROM second_opinions WHERE ${where}`, ...values)).map(opinionOf);
}

export function opinionStore({ reads, inOneStep }: SqlDatabase): OpinionStore {
  return {
    find: async (deploymentId, alertId) => (await select(reads, NAMED, deploymentId, alertId))[0],
    open: (deploymentId) => select(reads, `deployment_id = ? AND ${OPEN} ORDER BY place`, deploymentId),
    async hasArrival(deploymentId, requestId) {
      const arrived = 'SELECT 1 FROM second_opinions WHERE deployment_id = ? AND request_id = ?';
      return (await reads.get(arrived, deploymentId, requestId)) !== undefined;
    },
    put: (opinion, { counted, log } = {}) =>
      inOneStep(async (sql) => {
        const { deploymentId } = opinion;
        // Its deployment may have been removed meanwhile, and everything of it.
        if ((await sql.get('SELECT 1 FROM deployments WHERE id = ?', deploymentId)) === undefined) return;
        await sql.run(PUT, ...valuesOf(opinion));
        await sql.run(
          `DELETE FROM second_opinions WHERE deployment_id = ?1 AND place <=
            (SELECT place FROM second_opinions WHERE deployment_id = ?1 ORDER BY place DESC LIMIT 1 OFFSET ?2)`,
          deploymentId,
          KEPT_OPINIONS,
        );
        if (counted !== undefined)
          await sql.run(
            `INSERT INTO opinion_counts (deployment_id, what, count) VALUES (?, ?, 1)
              ON CONFLICT (deployment_id, what) DO UPDATE SET count = opinion_counts.count + 1`,
            ...[deploymentId, counted],
          );
        if (log !== undefined) await addLogs(sql, deploymentId, [log]);
      }),
    remove: (deploymentId, alertId) =>
      inOneStep(async (sql) => {
        await sql.run(`DELETE FROM second_opinions WHERE ${NAMED}`, deploymentId, alertId);
      }),
    async sight(deploymentId) {
      const row = await reads.get(
        `SELECT max(CASE WHEN kind IN ('created', 'resumed') THEN at ELSE 0 END) AS since,
          max(CASE WHEN kind IN ('missed', 'error') THEN bar_time END) AS blind
          FROM deployment_logs WHERE deployment_id = ?`,
        deploymentId,
      );
      return { sinceMs: Number(row?.since ?? 0), blindBarMs: (row?.blind as number | null) ?? undefined };
    },
    list: (deploymentId, limit) => select(reads, 'deployment_id = ? ORDER BY place DESC LIMIT ?', deploymentId, limit),
    async counts(deploymentId) {
      const rows = await reads.all('SELECT what, count FROM opinion_counts WHERE deployment_id = ?', deploymentId);
      return Object.fromEntries(rows.map(({ what, count }) => [what, count])) as OpinionCounts;
    },
  };
}

const valuesOf = (opinion: Opinion): (string | number | null)[] => [
  opinion.deploymentId,
  opinion.alertId,
  opinion.state,
  opinion.barTimeMs,
  opinion.expected && JSON.stringify(opinion.expected),
  opinion.arrival && JSON.stringify(opinion.arrival),
  opinion.arrival?.requestId ?? null,
  opinion.isGone ? 1 : 0,
  opinion.sent,
  opinion.words,
  opinion.createdAtMs,
  opinion.updatedAtMs,
];

const opinionOf = (row: Row): Opinion => ({
  deploymentId: row.deployment_id as string,
  alertId: row.alert_id as string,
  state: row.state as Opinion['state'],
  barTimeMs: row.bar_time as number | null,
  expected: row.expected === null ? null : JSON.parse(row.expected as string),
  arrival: row.arrival === null ? null : JSON.parse(row.arrival as string),
  isGone: row.is_gone === 1,
  sent: row.sent as string | null,
  words: row.words as string,
  createdAtMs: row.created_at as number,
  updatedAtMs: row.updated_at as number,
});
