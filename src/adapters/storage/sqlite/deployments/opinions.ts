// The second opinions of deployments on SQLite, in the strangers' database.

import {
  KEPT_OPINIONS,
  type Opinion,
  type OpinionCounts,
  type OpinionStore,
} from '../../../../library/deployments/index.ts';
import type { Row } from '../database.ts';
import type { Tools } from './writes.ts';

/** In the words of the index that finds them. */
const OPEN = `(state IN ('expected', 'arrived') OR (is_gone = 1 AND state <> 'repainted') OR (state = 'missing' AND sent IS NULL))`;
const NAMED = 'deployment_id = ? AND alert_id = ?';

export function opinionStore({ sql, all, inOneStep, writes }: Tools): OpinionStore {
  return {
    async find(deploymentId, alertId) {
      const [row] = all(`SELECT * FROM second_opinions WHERE ${NAMED}`, deploymentId, alertId);
      return row && opinionOf(row);
    },
    open: async (deploymentId) =>
      all(`SELECT * FROM second_opinions WHERE deployment_id = ? AND ${OPEN} ORDER BY place`, deploymentId).map(
        opinionOf,
      ),
    hasArrival: async (deploymentId, requestId) =>
      all('SELECT 1 FROM second_opinions WHERE deployment_id = ? AND request_id = ?', deploymentId, requestId).length >
      0,
    put: async (opinion, { counted, log } = {}) =>
      inOneStep(() => {
        const { deploymentId } = opinion;
        // Its deployment may have been removed meanwhile, and everything of it.
        if (sql('SELECT 1 FROM deployments WHERE id = ?').get(deploymentId) === undefined) return;
        sql(`INSERT INTO second_opinions (deployment_id, alert_id, state, bar_time, expected, arrival, request_id, is_gone,
            sent, words, created_at, updated_at)
          VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
          ON CONFLICT (deployment_id, alert_id) DO UPDATE SET state = ?3, bar_time = ?4, expected = ?5, arrival = ?6,
            request_id = ?7, is_gone = max(is_gone, ?8), sent = ?9, words = ?10, updated_at = ?12`).run(
          ...valuesOf(opinion),
        );
        sql(`DELETE FROM second_opinions WHERE deployment_id = ?1 AND place <=
          (SELECT place FROM second_opinions WHERE deployment_id = ?1 ORDER BY place DESC LIMIT 1 OFFSET ?2)`).run(
          deploymentId,
          KEPT_OPINIONS,
        );
        if (counted !== undefined)
          sql(`INSERT INTO opinion_counts (deployment_id, what, count) VALUES (?, ?, 1)
            ON CONFLICT DO UPDATE SET count = count + 1`).run(deploymentId, counted);
        if (log !== undefined) writes.addLogs(deploymentId, [log]);
      }),
    remove: async (deploymentId, alertId) =>
      inOneStep(() => void sql(`DELETE FROM second_opinions WHERE ${NAMED}`).run(deploymentId, alertId)),
    async sight(deploymentId) {
      const [row] = all(
        `SELECT max(iif(kind IN ('created', 'resumed'), at, 0)) AS since,
          max(iif(kind IN ('missed', 'error'), bar_time, NULL)) AS blind FROM deployment_logs WHERE deployment_id = ?`,
        deploymentId,
      );
      return { sinceMs: Number(row?.since ?? 0), blindBarMs: (row?.blind as number | null) ?? undefined };
    },
    list: async (deploymentId, limit) =>
      all('SELECT * FROM second_opinions WHERE deployment_id = ? ORDER BY place DESC LIMIT ?', deploymentId, limit).map(
        opinionOf,
      ),
    async counts(deploymentId) {
      const rows = all('SELECT what, count FROM opinion_counts WHERE deployment_id = ?', deploymentId);
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
