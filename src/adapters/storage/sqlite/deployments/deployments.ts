// The deployments on SQLite, in the strangers' database: each write is one transaction, on the disk when it resolves.

import { join } from 'node:path';
import type { Deployment, DeploymentStore, Letter } from '../../../../library/deployments/index.ts';
import { keepDatabasePrivate } from '../../durable-file.ts';
import { openMigrated, queries, type Row, statements } from '../database.ts';
import { STRANGERS } from '../database-files.ts';
import { heartbeat, steps } from '../transaction.ts';
import { DEPLOYMENT_COLUMNS, deploymentOf, eventOf, logOf } from './rows.ts';
import { deploymentWrites } from './writes.ts';

/** No pause is longer: what waits beyond it was postponed by a clock that has been set back since. */
const LONGEST_PAUSE_MS = 900_000;

export interface DeploymentStorageOptions {
  readonly dataDir: string;
  /** How the file is opened; tests look at the connection. */
  readonly open?: typeof openMigrated;
}

export interface DeploymentStorage {
  readonly deployments: DeploymentStore;
  readonly path: string;
  /** Really writes; for readiness. */
  probe(): void;
  close(): void;
}

const COLUMNS = DEPLOYMENT_COLUMNS.join(', ');
const OF_USER = 'user_id = ? AND id = ?';

export function openDeploymentStorage({ dataDir, open = openMigrated }: DeploymentStorageOptions): DeploymentStorage {
  const path = join(dataDir, STRANGERS.name);
  const db = open(path, STRANGERS.migrations);
  // The secrets of webhooks are in it.
  keepDatabasePrivate(path);
  const sql = statements(db);
  const all = queries(db, path);
  const inOneStep = steps(db, path);
  const writes = deploymentWrites(sql);
  const select = (where: string, ...params: (string | number)[]): Deployment[] =>
    all(`SELECT ${COLUMNS} FROM deployments WHERE ${where}`, ...params).map(deploymentOf);
  const inNames = (row: Row, prefix: string): Row =>
    Object.fromEntries(
      Object.entries(row).flatMap(([name, value]) =>
        name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
      ),
    );

  const letterOf = (row: Row): Letter | undefined => {
    const deployment = deploymentOf(inNames(row, 'd_'));
    const target = deployment.targets[row.target as number];
    if (target === undefined) return undefined;
    return {
      id: row.letter as number,
      deployment,
      event: eventOf(inNames(row, 'e_')),
      target,
      attempts: row.attempts as number,
    };
  };

  const deployments: DeploymentStore = {
    create: async (deployment, source, log) =>
      inOneStep(() => {
        const created = writes.create(deployment, source);
        if (created.kind === 'created') writes.addLogs(deployment.id, [log]);
        return created;
      }),
    list: async (userId) => select('user_id = ? ORDER BY place DESC', userId),
    read: async (userId, id) => select(OF_USER, userId, id)[0],
    remove: async (userId, id) =>
      inOneStep(() => Number(sql(`DELETE FROM deployments WHERE ${OF_USER}`).run(userId, id).changes) > 0),
    async logs(userId, id, limit) {
      if (select(OF_USER, userId, id).length === 0) return undefined;
      return all('SELECT * FROM deployment_logs WHERE deployment_id = ? ORDER BY id DESC LIMIT ?', id, limit).map(
        logOf,
      );
    },
    pause: async (userId, id, log, reason) =>
      inOneStep(() => {
        const { changes } = sql(
          `UPDATE deployments SET state = 'paused', last_error = coalesce(?, last_error) WHERE ${OF_USER}`,
        ).run(reason ?? null, userId, id);
        if (Number(changes) > 0) writes.addLogs(id, [log]);
        return select(OF_USER, userId, id)[0];
      }),
    resume: async (userId, id, lastBarTimeMs, log) =>
      inOneStep(() => {
        const { changes } = sql(`UPDATE deployments SET state = 'running', failures = 0, last_error = NULL,
          last_bar_time = max(last_bar_time, ?) WHERE ${OF_USER}`).run(lastBarTimeMs, userId, id);
        if (Number(changes) > 0) writes.addLogs(id, [log]);
        return select(OF_USER, userId, id)[0];
      }),

    all: async () => select('1 ORDER BY place DESC'),
    running: async () => select("state = 'running' ORDER BY place"),
    async current(id) {
      const [row] = all(`SELECT ${COLUMNS}, source FROM deployments WHERE id = ?`, id);
      return row && { deployment: deploymentOf(row), source: row.source as string };
    },
    commitBar: async (id, outcome) => inOneStep(() => writes.commitBar(id, outcome)),

    async due(nowMs, limit) {
      const rows = all(
        `SELECT outbox.id AS letter, outbox.target, outbox.attempts,
          ${DEPLOYMENT_COLUMNS.map((name) => `deployments.${name} AS d_${name}`).join(', ')},
          events.id AS e_id, events.deployment_id AS e_deployment_id, events.bar_time AS e_bar_time,
          events.ordinal AS e_ordinal, events.message AS e_message, events.title AS e_title,
          events.source AS e_source, events.created_at AS e_created_at
        FROM deployment_outbox AS outbox JOIN deployment_events AS events ON events.id = outbox.event_id
          JOIN deployments ON deployments.id = outbox.deployment_id
        WHERE (next_attempt_at <= ?1 OR next_attempt_at > ?1 + ${LONGEST_PAUSE_MS}) AND NOT EXISTS
          (SELECT 1 FROM deployment_outbox AS before WHERE before.deployment_id = outbox.deployment_id
            AND before.target = outbox.target AND before.id < outbox.id)
        ORDER BY outbox.id LIMIT ?2`,
        nowMs,
        limit,
      );
      return rows.map(letterOf).filter((letter) => letter !== undefined);
    },
    async nextDueMs(nowMs) {
      const [row] = all('SELECT min(next_attempt_at) AS at FROM deployment_outbox WHERE next_attempt_at > ?', nowMs);
      return (row?.at as number | null) ?? undefined;
    },
    settle: async (letter, log) =>
      inOneStep(() => {
        const { changes } = sql('DELETE FROM deployment_outbox WHERE id = ?').run(letter.id);
        // Its deployment may have been removed meanwhile, and its log with it.
        if (Number(changes) > 0) writes.addLogs(letter.deployment.id, [log]);
      }),
    postpone: async (letter, nextAttemptAtMs, log) =>
      inOneStep(() => {
        const { changes } = sql(
          `UPDATE deployment_outbox SET attempts = attempts + 1, next_attempt_at = ? WHERE id = ?`,
        ).run(nextAttemptAtMs, letter.id);
        if (Number(changes) > 0) writes.addLogs(letter.deployment.id, [log]);
      }),
  };

  return {
    deployments,
    path,
    probe: heartbeat(db, path),
    close: () => db.close(),
  };
}
