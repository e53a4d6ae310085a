// The deliveries of deployments: which are due, and what became of each try.

import type { Delivery, DeploymentStore } from '../../../../../library/deployments/index.ts';
import type { Row, SqlDatabase } from '../../sql.ts';
import { DEPLOYMENT_COLUMNS, deploymentOf, eventOf } from './rows.ts';
import { addLogs } from './writes.ts';

/** No pause is longer: what waits beyond it was postponed by a clock that has been set back since. */
const LONGEST_PAUSE_MS = 900_000;

/** A row of each of the three tables in one; the columns of two of them carry a prefix, because they share names. */
const DELIVERY_COLUMNS = `outbox.id, outbox.target, outbox.attempts,
  ${DEPLOYMENT_COLUMNS.map((name) => `deployments.${name} AS d_${name}`).join(', ')},
  events.id AS e_id, events.deployment_id AS e_deployment_id, events.bar_time AS e_bar_time,
  events.ordinal AS e_ordinal, events.message AS e_message, events.title AS e_title,
  events.source AS e_source, events.filled_order AS e_filled_order, events.created_at AS e_created_at`;

type DeliveryCalls = Pick<DeploymentStore, 'due' | 'nextDueMs' | 'settle' | 'postpone'>;

const DUE = `SELECT ${DELIVERY_COLUMNS}
  FROM deployment_outbox AS outbox JOIN deployment_events AS events ON events.id = outbox.event_id
    JOIN deployments ON deployments.id = outbox.deployment_id
  WHERE (next_attempt_at <= ? OR next_attempt_at > ?)
    AND outbox.id IN (SELECT min(id) FROM deployment_outbox GROUP BY deployment_id, target)
  ORDER BY CASE WHEN outbox.target_kind IN ('trade', 'second-opinion') THEN 0 ELSE 1 END,
    row_number() OVER (PARTITION BY deployments.user_id ORDER BY outbox.id), outbox.id
  LIMIT ?`;

export function deliveryCalls({ reads, inOneStep }: SqlDatabase): DeliveryCalls {
  return {
    async due(nowMs, limit) {
      const rows = await reads.all(DUE, nowMs, nowMs + LONGEST_PAUSE_MS, limit);
      return rows.map(deliveryOf).filter((delivery) => delivery !== undefined);
    },
    async nextDueMs(nowMs) {
      const next = 'SELECT min(next_attempt_at) AS at FROM deployment_outbox WHERE next_attempt_at > ?';
      return ((await reads.get(next, nowMs))?.at as number | null) ?? undefined;
    },
    settle: (delivery, log) =>
      inOneStep(async (sql) => {
        const settled = await sql.run('DELETE FROM deployment_outbox WHERE id = ?', delivery.id);
        // Its deployment may have been removed meanwhile, and its log with it.
        if (settled > 0) await addLogs(sql, delivery.deployment.id, [log]);
      }),
    postpone: (delivery, nextAttemptAtMs, log) =>
      inOneStep(async (sql) => {
        const postponed = await sql.run(
          `UPDATE deployment_outbox SET attempts = attempts + 1, next_attempt_at = ? WHERE id = ?`,
          ...[nextAttemptAtMs, delivery.id],
        );
        if (postponed > 0) await addLogs(sql, delivery.deployment.id, [log]);
      }),
  };
}

/** Undefined where the deployment has no such target any more. */
function deliveryOf(row: Row): Delivery | undefined {
  const deployment = deploymentOf(withPrefix(row, 'd_'));
  const target = deployment.targets[row.target as number];
  if (target === undefined) return undefined;
  const event = eventOf(withPrefix(row, 'e_'));
  return { id: row.id as number, deployment, event, target, attempts: row.attempts as number };
}

/** The columns that carry the prefix, under their own names. */
function withPrefix(row: Row, prefix: string): Row {
  const columns = Object.entries(row).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(columns.map(([name, value]) => [name.slice(prefix.length), value]));
}
