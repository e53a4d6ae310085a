// The deployments on SQLite, in the strangers' database: each write is one transaction, on the disk when it resolves.

import { join } from 'node:path';
import type { Deployment, DeploymentStore, OpinionStore } from '../../../../library/deployments/index.ts';
import { keepDatabasePrivate } from '../../durable-file.ts';
import { openMigrated, queries, statements } from '../database.ts';
import { STRANGERS } from '../database-files.ts';
import { heartbeat, steps } from '../transaction.ts';
import { deliveryCalls } from './deliveries.ts';
import { opinionStore } from './opinions.ts';
import { DEPLOYMENT_COLUMNS, deploymentOf, eventOf, logOf } from './rows.ts';
import { deploymentWrites, type Tools } from './writes.ts';

export interface DeploymentStorageOptions {
  readonly dataDir: string;
  /** How the file is opened; tests look at the connection. */
  readonly open?: typeof openMigrated;
}

export interface DeploymentStorage {
  readonly deployments: DeploymentStore;
  readonly opinions: OpinionStore;
  /** Stores other targets, and leaves nothing of those before in the file. */
  setTargets(changes: readonly Pick<Deployment, 'id' | 'targets'>[]): void;
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
  // Strangers' scripts are in it, and the sealed secrets of their webhooks.
  keepDatabasePrivate(path);
  const sql = statements(db);
  const tools: Tools = { sql, all: queries(db, path), inOneStep: steps(db, path), writes: deploymentWrites(sql) };
  return {
    deployments: { ...ownerCalls(tools), ...operatorCalls(tools), ...deliveryCalls(tools) },
    opinions: opinionStore(tools),
    setTargets(changes) {
      db.exec('PRAGMA secure_delete = ON');
      // In one step: a page that is written for one would otherwise go into the log with what another had before.
      tools.inOneStep(() => {
        for (const { id, targets } of changes)
          sql('UPDATE deployments SET targets = ? WHERE id = ?').run(JSON.stringify(targets), id);
      });
      db.exec('PRAGMA secure_delete = OFF');
      // Until then the file itself has the pages as they were.
      db.exec('PRAGMA wal_checkpoint(PASSIVE)');
    },
    path,
    probe: heartbeat(db, path),
    close: () => db.close(),
  };
}

const select = ({ all }: Tools, where: string, ...params: (string | number)[]): Deployment[] =>
  all(`SELECT ${COLUMNS} FROM deployments WHERE ${where}`, ...params).map(deploymentOf);

type OwnerCalls = Pick<DeploymentStore, 'create' | 'list' | 'read' | 'remove' | 'logs' | 'pause' | 'resume'>;

/** What a user does with deployments of his own. */
function ownerCalls(tools: Tools): OwnerCalls {
  const { sql, all, inOneStep, writes } = tools;
  return {
    create: async (deployment, source, log, libraries = [], replacedId) =>
      inOneStep(() => {
        const created = writes.create(deployment, source, libraries, replacedId);
        if (created.kind === 'created') writes.addLogs(deployment.id, [log]);
        return created;
      }),
    list: async (userId) => select(tools, 'user_id = ? ORDER BY place DESC', userId),
    read: async (userId, id) => select(tools, OF_USER, userId, id)[0],
    remove: async (userId, id) =>
      inOneStep(() => Number(sql(`DELETE FROM deployments WHERE ${OF_USER}`).run(userId, id).changes) > 0),
    async logs(userId, id, limit) {
      if (select(tools, OF_USER, userId, id).length === 0) return undefined;
      const rows = all('SELECT * FROM deployment_logs WHERE deployment_id = ? ORDER BY id DESC LIMIT ?', id, limit);
      return rows.map(logOf);
    },
    pause: async (userId, id, log, reason) =>
      inOneStep(() => {
        const { changes } = sql(
          `UPDATE deployments SET state = 'paused', last_error = coalesce(?, last_error) WHERE ${OF_USER}`,
        ).run(reason ?? null, userId, id);
        if (Number(changes) > 0) writes.addLogs(id, [log]);
        return select(tools, OF_USER, userId, id)[0];
      }),
    resume: async (userId, id, lastBarTimeMs, log) =>
      inOneStep(() => {
        const { changes } = sql(`UPDATE deployments SET state = 'running', failures = 0, last_error = NULL,
          last_bar_time = max(last_bar_time, ?) WHERE ${OF_USER}`).run(lastBarTimeMs, userId, id);
        if (Number(changes) > 0) writes.addLogs(id, [log]);
        return select(tools, OF_USER, userId, id)[0];
      }),
  };
}

type OperatorCalls = Pick<
  DeploymentStore,
  'all' | 'running' | 'current' | 'commitBar' | 'commitTick' | 'eventIds' | 'orderEvents' | 'setDrift' | 'setBarsFrom'
>;

/** What is asked and written about deployments whoever they belong to. */
function operatorCalls(tools: Tools): OperatorCalls {
  const { sql, all, inOneStep, writes } = tools;
  return {
    all: async () => select(tools, '1 ORDER BY place DESC'),
    running: async () => select(tools, "state = 'running' ORDER BY place"),
    async current(id) {
      const [row] = all(`SELECT ${COLUMNS}, source, libraries FROM deployments WHERE id = ?`, id);
      if (row === undefined) return undefined;
      const libraries = JSON.parse(row.libraries as string);
      return { deployment: deploymentOf(row), source: row.source as string, libraries };
    },
    commitBar: async (id, outcome) => inOneStep(() => writes.commitBar(id, outcome)),
    commitTick: async (id, outcome) => inOneStep(() => writes.commitTick(id, outcome)),
    async eventIds(id, barTimeMs) {
      const rows = all('SELECT id FROM deployment_events WHERE deployment_id = ? AND bar_time = ?', id, barTimeMs);
      return new Set(rows.map((row) => row.id as string));
    },
    async orderEvents(id) {
      const of = "deployment_id = ? AND source = 'order' ORDER BY place";
      return all(`SELECT * FROM deployment_events WHERE ${of}`, id).map(eventOf);
    },
    setDrift: async (id, drift, log) =>
      inOneStep(() => {
        const { changes } = sql('UPDATE deployments SET drift = ? WHERE id = ?').run(drift, id);
        if (Number(changes) > 0) writes.addLogs(id, [log]);
      }),
    setBarsFrom: async (id, barsFrom) =>
      inOneStep(() => void sql('UPDATE deployments SET bars_from = ? WHERE id = ?').run(barsFrom, id)),
  };
}
