// The writes of the deployments, each meant to run inside one transaction.

import {
  type BarOutcome,
  type Created,
  type Deployment,
  type DeploymentEvent,
  KEPT_EVENTS,
  KEPT_LOGS,
  KEPT_QUIET_RUNS,
  type LogEntry,
  MAX_IN_ALL,
  MAX_PER_USER,
  type TickOutcome,
} from '../../../../../library/deployments/index.ts';
import type { ReadLibrary } from '../../../../../library/imported-sources.ts';
import type { Row, Sql } from '../../sql.ts';
import { DEPLOYMENT_COLUMNS, deploymentValues } from './rows.ts';

export interface NewRow {
  readonly deployment: Deployment;
  readonly source: string;
  readonly libraries: readonly ReadLibrary[];
  readonly replacedId: string | undefined;
}

export async function create(sql: Sql, { deployment, source, libraries, replacedId }: NewRow): Promise<Created> {
  const { userId } = deployment;
  const ofThis = 'SELECT count(*) AS count FROM deployments WHERE user_id = ? AND id = ?';
  if ((await countOf(sql, ofThis, userId, deployment.id)) > 0) return { kind: 'known' };
  if (replacedId !== undefined && (await countOf(sql, ofThis, userId, replacedId)) === 0) return { kind: 'gone' };
  const freed = replacedId === undefined ? 0 : 1;
  const ofUser = await countOf(sql, 'SELECT count(*) AS count FROM deployments WHERE user_id = ?', userId);
  if (ofUser - freed >= MAX_PER_USER) return { kind: 'too-many', of: 'user' };
  const inAll = await countOf(sql, 'SELECT count(*) AS count FROM deployments');
  if (inAll - freed >= MAX_IN_ALL) return { kind: 'too-many', of: 'all' };
  const columns = [...DEPLOYMENT_COLUMNS, 'source', 'libraries'];
  await sql.run(
    `INSERT INTO deployments (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    ...deploymentValues(deployment),
    source,
    JSON.stringify(libraries),
  );
  if (replacedId !== undefined) await takePlace(sql, deployment.id, replacedId);
  return { kind: 'created' };
}

async function takePlace(sql: Sql, id: string, replacedId: string): Promise<void> {
  await sql.run('UPDATE deployment_logs SET deployment_id = ? WHERE deployment_id = ?', id, replacedId);
  await sql.run('DELETE FROM deployments WHERE id = ?', replacedId);
}

/** The one place where a bar becomes a bar dealt with: whoever comes second changes nothing. */
const COMMIT_BAR = `UPDATE deployments SET last_bar_time = ?2, anchor = ?3, state = ?4,
    last_run_at = CASE WHEN CAST(?5 AS BIGINT) = 1 THEN ?6 ELSE last_run_at END,
    runs = runs + CAST(?5 AS BIGINT), alerts = alerts + ?7,
    last_error = CASE CAST(?8 AS TEXT) WHEN 'keep' THEN last_error ELSE ?9 END,
    failures = CASE CAST(?8 AS TEXT) WHEN 'keep' THEN failures WHEN 'clear' THEN 0 ELSE failures + 1 END,
    position = CASE WHEN CAST(?10 AS BIGINT) = 1 THEN ?11 ELSE position END, told_position = coalesce(?12, told_position)
  WHERE id = ?1 AND state = 'running' AND last_bar_time < ?2 RETURNING targets`;

export async function commitBar(sql: Sql, id: string, outcome: BarOutcome): Promise<boolean> {
  const { barTimeMs, atMs, hasRun, anchorMs, error, state, events } = outcome;
  const row = await sql.get(
    COMMIT_BAR,
    id,
    barTimeMs,
    anchorMs,
    state,
    hasRun ? 1 : 0,
    atMs,
    events.length,
    error === undefined ? 'keep' : error === null ? 'clear' : 'set',
    error ?? null,
    ...positionOf(outcome),
    outcome.toldPosition ?? null,
  );
  if (row !== undefined && outcome.keptAlertIds !== undefined) {
    // Stored texts are well-formed, and must be found again.
    const kept = outcome.keptAlertIds.map((alertId) => alertId.toWellFormed());
    await sql.run(
      `UPDATE second_opinions SET is_gone = 1 WHERE deployment_id = ? AND bar_time = ? AND expected IS NOT NULL
        AND alert_id NOT IN (SELECT value FROM json_each(?))`,
      ...[id, barTimeMs, JSON.stringify(kept)],
    );
  }
  return addAll(sql, id, row, outcome);
}

const COMMIT_TICK = `UPDATE deployments SET alerts = alerts + ?3,
    position = CASE WHEN CAST(?4 AS BIGINT) = 1 THEN ?5 ELSE position END, told_position = coalesce(?6, told_position)
  WHERE id = ?1 AND state = 'running' AND last_bar_time < ?2 RETURNING targets`;

export async function commitTick(sql: Sql, id: string, outcome: TickOutcome): Promise<boolean> {
  const { barTimeMs, events } = outcome;
  const row = await sql.get(
    COMMIT_TICK,
    id,
    barTimeMs,
    events.length,
    ...positionOf(outcome),
    outcome.toldPosition ?? null,
  );
  return addAll(sql, id, row, outcome);
}

/** Nothing where no row of the deployment was changed. */
async function addAll(sql: Sql, id: string, row: Row | undefined, { events, logs }: TickOutcome): Promise<boolean> {
  if (row === undefined) return false;
  const targets = JSON.parse(row.targets as string) as Deployment['targets'];
  for (const event of events) await addEvent(sql, event, targets);
  if (events.length > 0) await pruneEvents(sql, id);
  await addLogs(sql, id, logs);
  return true;
}

export async function addLogs(sql: Sql, deploymentId: string, entries: readonly LogEntry[]): Promise<void> {
  for (const entry of entries)
    await sql.run(
      `INSERT INTO deployment_logs (deployment_id, at, kind, is_quiet, message, bar_time, event_id, run_ms)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      deploymentId,
      entry.atMs,
      entry.kind,
      isQuiet(entry, entries) ? 1 : 0,
      entry.message,
      entry.barTimeMs ?? null,
      entry.eventId ?? null,
      entry.runMs ?? null,
    );
  await sql.run(
    `DELETE FROM deployment_logs WHERE deployment_id = ?1 AND id <=
      (SELECT id FROM deployment_logs WHERE deployment_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`,
    deploymentId,
    KEPT_LOGS,
  );
  await sql.run(
    `DELETE FROM deployment_logs WHERE deployment_id = ?1 AND is_quiet = 1 AND id <=
      (SELECT id FROM deployment_logs WHERE deployment_id = ?1 AND is_quiet = 1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`,
    deploymentId,
    KEPT_QUIET_RUNS,
  );
}

/** With a delivery to each of the targets. */
async function addEvent(sql: Sql, event: DeploymentEvent, targets: Deployment['targets']): Promise<void> {
  const { id, deploymentId, barTimeMs, ordinal, message, title, source, order, createdAtMs } = event;
  const filled = order && JSON.stringify(order);
  await sql.run(
    `INSERT INTO deployment_events
      (id, deployment_id, bar_time, ordinal, message, title, source, filled_order, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[id, deploymentId, barTimeMs, ordinal, message, title, source, filled, createdAtMs],
  );
  for (const [target, { type }] of targets.entries())
    await sql.run(
      `INSERT INTO deployment_outbox (event_id, deployment_id, target, target_kind, attempts, next_attempt_at)
        VALUES (?, ?, ?, ?, 0, ?)`,
      ...[id, deploymentId, target, type, createdAtMs],
    );
}

/** Those that still wait to be delivered stay, however old they are. */
async function pruneEvents(sql: Sql, deploymentId: string): Promise<void> {
  await sql.run(
    `DELETE FROM deployment_events WHERE deployment_id = ?1 AND place <=
      (SELECT place FROM deployment_events WHERE deployment_id = ?1 ORDER BY place DESC LIMIT 1 OFFSET ?2)
      AND NOT EXISTS (SELECT 1 FROM deployment_outbox WHERE event_id = deployment_events.id)`,
    deploymentId,
    KEPT_EVENTS,
  );
}

async function countOf(sql: Sql, text: string, ...values: string[]): Promise<number> {
  return (await sql.get(text, ...values))?.count as number;
}

/** Whether it is known, and what it is. */
const positionOf = ({ position }: TickOutcome): [number, number | null] => [
  position === undefined ? 0 : 1,
  position ?? null,
];

/** A run that raised nothing; a run with alerts is written together with them. */
const isQuiet = ({ kind }: LogEntry, entries: readonly LogEntry[]): boolean =>
  kind === 'run' && entries.every((entry) => entry.kind === 'run');
