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
} from '../../../../library/deployments/index.ts';
import type { ReadLibrary } from '../../../../library/imported-sources.ts';
import type { queries, Row, Sql } from '../database.ts';
import type { steps } from '../transaction.ts';
import { DEPLOYMENT_COLUMNS, deploymentValues } from './rows.ts';

export interface DeploymentWrites {
  create(deployment: Deployment, source: string, libraries: readonly ReadLibrary[], replacedId?: string): Created;
  commitBar(id: string, outcome: BarOutcome): boolean;
  commitTick(id: string, outcome: TickOutcome): boolean;
  addLogs(deploymentId: string, entries: readonly LogEntry[]): void;
}

/** The open database, as the calls of the store need it. */
export interface Tools {
  readonly sql: Sql;
  readonly all: ReturnType<typeof queries>;
  /** Runs the work as one transaction. */
  readonly inOneStep: ReturnType<typeof steps>;
  readonly writes: DeploymentWrites;
}

export const deploymentWrites = (sql: Sql): DeploymentWrites => new Writes(sql);

class Writes implements DeploymentWrites {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  create(deployment: Deployment, source: string, libraries: readonly ReadLibrary[], replacedId?: string): Created {
    const { userId } = deployment;
    const ofThis = 'SELECT count(*) AS count FROM deployments WHERE user_id = ? AND id = ?';
    if (replacedId !== undefined && this.#count(ofThis, userId, replacedId) === 0) return { kind: 'gone' };
    const freed = replacedId === undefined ? 0 : 1;
    const ofUser = this.#count('SELECT count(*) AS count FROM deployments WHERE user_id = ?', userId);
    if (ofUser - freed >= MAX_PER_USER) return { kind: 'too-many', of: 'user' };
    const inAll = this.#count('SELECT count(*) AS count FROM deployments');
    if (inAll - freed >= MAX_IN_ALL) return { kind: 'too-many', of: 'all' };
    const columns = [...DEPLOYMENT_COLUMNS, 'source', 'libraries'];
    this.#sql(`INSERT INTO deployments (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`).run(
      ...deploymentValues(deployment),
      source,
      JSON.stringify(libraries),
    );
    if (replacedId !== undefined) this.#takePlace(deployment.id, replacedId);
    return { kind: 'created' };
  }

  #takePlace(id: string, replacedId: string): void {
    this.#sql('UPDATE deployment_logs SET deployment_id = ? WHERE deployment_id = ?').run(id, replacedId);
    this.#sql('DELETE FROM deployments WHERE id = ?').run(replacedId);
  }

  commitBar(id: string, outcome: BarOutcome): boolean {
    const { barTimeMs, atMs, hasRun, anchorMs, error, state, events } = outcome;
    // The one place where a bar becomes a bar dealt with: whoever comes second changes nothing.
    const row = this.#sql(`UPDATE deployments SET last_bar_time = ?2, anchor = ?3, state = ?4,
        last_run_at = iif(?5, ?6, last_run_at), runs = runs + ?5, alerts = alerts + ?7,
        last_error = iif(?8 = 'keep', last_error, ?9),
        failures = CASE ?8 WHEN 'keep' THEN failures WHEN 'clear' THEN 0 ELSE failures + 1 END,
        position = iif(?10, ?11, position), told_position = coalesce(?12, told_position)
      WHERE id = ?1 AND state = 'running' AND last_bar_time < ?2 RETURNING targets`).get(
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
    if (row !== undefined && outcome.keptAlertIds !== undefined)
      this.#sql(`UPDATE second_opinions SET is_gone = 1 WHERE deployment_id = ? AND bar_time = ? AND expected IS NOT NULL
        AND alert_id NOT IN (SELECT value FROM json_each(?))`).run(id, barTimeMs, JSON.stringify(outcome.keptAlertIds));
    return this.#addAll(id, row, outcome);
  }

  commitTick(id: string, outcome: TickOutcome): boolean {
    const { barTimeMs, events } = outcome;
    const row = this.#sql(`UPDATE deployments SET alerts = alerts + ?3, position = iif(?4, ?5, position),
        told_position = coalesce(?6, told_position)
      WHERE id = ?1 AND state = 'running' AND last_bar_time < ?2 RETURNING targets`).get(
      id,
      barTimeMs,
      events.length,
      ...positionOf(outcome),
      outcome.toldPosition ?? null,
    );
    return this.#addAll(id, row, outcome);
  }

  /** Nothing where no row of the deployment was changed. */
  #addAll(id: string, row: Row | undefined, { events, logs }: TickOutcome): boolean {
    if (row === undefined) return false;
    const targets = (JSON.parse(row.targets as string) as unknown[]).length;
    for (const event of events) this.#addEvent(event, targets);
    if (events.length > 0) this.#pruneEvents(id);
    this.addLogs(id, logs);
    return true;
  }

  addLogs(deploymentId: string, entries: readonly LogEntry[]): void {
    for (const entry of entries)
      this.#sql(`INSERT INTO deployment_logs (deployment_id, at, kind, is_quiet, message, bar_time, event_id, run_ms)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)`).run(
        deploymentId,
        entry.atMs,
        entry.kind,
        isQuiet(entry, entries) ? 1 : 0,
        entry.message,
        entry.barTimeMs ?? null,
        entry.eventId ?? null,
        entry.runMs ?? null,
      );
    this.#sql(`DELETE FROM deployment_logs WHERE deployment_id = ?1 AND id <=
      (SELECT id FROM deployment_logs WHERE deployment_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`).run(
      deploymentId,
      KEPT_LOGS,
    );
    this.#sql(`DELETE FROM deployment_logs WHERE deployment_id = ?1 AND is_quiet = 1 AND id <=
      (SELECT id FROM deployment_logs WHERE deployment_id = ?1 AND is_quiet = 1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`).run(
      deploymentId,
      KEPT_QUIET_RUNS,
    );
  }

  /** With a delivery to each of the targets. */
  #addEvent(event: DeploymentEvent, targets: number): void {
    const { id, deploymentId, barTimeMs, ordinal, message, title, source, order, createdAtMs } = event;
    const filled = order && JSON.stringify(order);
    this.#sql(`INSERT INTO deployment_events
      (id, deployment_id, bar_time, ordinal, message, title, source, filled_order, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
      ...[id, deploymentId, barTimeMs, ordinal, message, title, source, filled, createdAtMs],
    );
    for (let target = 0; target < targets; target += 1)
      this.#sql(`INSERT INTO deployment_outbox (event_id, deployment_id, target, attempts, next_attempt_at)
        VALUES (?, ?, ?, 0, ?)`).run(id, deploymentId, target, createdAtMs);
  }

  /** Those that still wait to be delivered stay, however old they are. */
  #pruneEvents(deploymentId: string): void {
    this.#sql(`DELETE FROM deployment_events WHERE deployment_id = ?1 AND place <=
      (SELECT place FROM deployment_events WHERE deployment_id = ?1 ORDER BY place DESC LIMIT 1 OFFSET ?2)
      AND NOT EXISTS (SELECT 1 FROM deployment_outbox WHERE event_id = deployment_events.id)`).run(
      deploymentId,
      KEPT_EVENTS,
    );
  }

  #count(text: string, ...params: string[]): number {
    return this.#sql(text).get(...params)?.count as number;
  }
}

/** Whether it is known, and what it is. */
const positionOf = ({ position }: TickOutcome): [number, number | null] => [
  position === undefined ? 0 : 1,
  position ?? null,
];

/** A run that raised nothing; a run with alerts is written together with them. */
const isQuiet = ({ kind }: LogEntry, entries: readonly LogEntry[]): boolean =>
  kind === 'run' && entries.every((entry) => entry.kind === 'run');
