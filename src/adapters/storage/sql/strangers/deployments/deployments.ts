// The deployments in the strangers' database: each write is one transaction, on the disk when it resolves.

import type { Deployment, DeploymentStore } from '../../../../../library/deployments/index.ts';
import type { Sql, SqlDatabase, SqlReads, SqlValue } from '../../sql.ts';
import { deliveryCalls } from './deliveries.ts';
import { DEPLOYMENT_COLUMNS, deploymentOf, eventOf, logOf } from './rows.ts';
import { addLogs, commitBar, commitTick, create } from './writes.ts';

const COLUMNS = DEPLOYMENT_COLUMNS.join(', ');
const OF_USER = 'user_id = ? AND id = ?';

export const deploymentStore = (db: SqlDatabase): DeploymentStore => ({
  ...ownerCalls(db),
  ...operatorCalls(db),
  ...deliveryCalls(db),
});

async function select(reads: SqlReads, where: string, ...values: SqlValue[]): Promise<Deployment[]> {
  return (await reads.all(`SELECT ${COLUMNS} FROM deployments WHERE ${where}`, ...values)).map(deploymentOf);
}

async function readOne(reads: SqlReads, userId: string, id: string): Promise<Deployment | undefined> {
  return (await select(reads, OF_USER, userId, id))[0];
}

type OwnerCalls = Pick<DeploymentStore, 'create' | 'list' | 'read' | 'remove' | 'logs' | 'pause' | 'resume'>;

/** What a user does with deployments of his own. */
function ownerCalls({ reads, inOneStep }: SqlDatabase): OwnerCalls {
  return {
    create: (deployment, source, log, libraries = [], replacedId) =>
      inOneStep(async (sql) => {
        const created = await create(sql, { deployment, source, libraries, replacedId });
        if (created.kind === 'created') await addLogs(sql, deployment.id, [log]);
        return created;
      }),
    list: (userId) => select(reads, 'user_id = ? ORDER BY place DESC', userId),
    read: (userId, id) => readOne(reads, userId, id),
    remove: (userId, id) =>
      inOneStep(async (sql) => (await sql.run(`DELETE FROM deployments WHERE ${OF_USER}`, userId, id)) > 0),
    async logs(userId, id, limit) {
      if ((await readOne(reads, userId, id)) === undefined) return undefined;
      const ofOne = 'SELECT * FROM deployment_logs WHERE deployment_id = ? ORDER BY id DESC LIMIT ?';
      return (await reads.all(ofOne, id, limit)).map(logOf);
    },
    pause: (userId, id, log, reason) =>
      inOneStep(async (sql) => {
        const paused = await sql.run(
          `UPDATE deployments SET state = 'paused', last_error = coalesce(?, last_error) WHERE ${OF_USER}`,
          ...[reason ?? null, userId, id],
        );
        if (paused > 0) await addLogs(sql, id, [log]);
        return readOne(sql, userId, id);
      }),
    resume: (userId, id, lastBarTimeMs, log) =>
      inOneStep(async (sql) => {
        const resumed = await sql.run(
          `UPDATE deployments SET state = 'running', failures = 0, last_error = NULL,
            last_bar_time = CASE WHEN last_bar_time > ?1 THEN last_bar_time ELSE ?1 END WHERE user_id = ?2 AND id = ?3`,
          ...[lastBarTimeMs, userId, id],
        );
        if (resumed > 0) await addLogs(sql, id, [log]);
        return readOne(sql, userId, id);
      }),
  };
}

type OperatorCalls = Pick<
  DeploymentStore,
  'all' | 'running' | 'current' | 'commitBar' | 'commitTick' | 'eventIds' | 'orderEvents' | 'setDrift' | 'setBarsFrom'
>;

/** What is asked and written about deployments whoever they belong to. */
function operatorCalls({ reads, inOneStep }: SqlDatabase): OperatorCalls {
  return {
    all: () => select(reads, 'TRUE ORDER BY place DESC'),
    running: () => select(reads, "state = 'running' ORDER BY place"),
    async current(id) {
      const row = await reads.get(`SELECT ${COLUMNS}, source, libraries FROM deployments WHERE id = ?`, id);
      if (row === undefined) return undefined;
      const libraries = JSON.parse(row.libraries as string);
      return { deployment: deploymentOf(row), source: row.source as string, libraries };
    },
    commitBar: (id, outcome) => inOneStep((sql) => commitBar(sql, id, outcome)),
    commitTick: (id, outcome) => inOneStep((sql) => commitTick(sql, id, outcome)),
    async eventIds(id, barTimeMs) {
      const ofBar = 'SELECT id FROM deployment_events WHERE deployment_id = ? AND bar_time = ?';
      return new Set((await reads.all(ofBar, id, barTimeMs)).map((row) => row.id as string));
    },
    async orderEvents(id) {
      const of = "deployment_id = ? AND source = 'order' ORDER BY place";
      return (await reads.all(`SELECT * FROM deployment_events WHERE ${of}`, id)).map(eventOf);
    },
    setDrift: (id, drift, log) =>
      inOneStep(async (sql) => {
        if ((await sql.run('UPDATE deployments SET drift = ? WHERE id = ?', drift, id)) > 0)
          await addLogs(sql, id, [log]);
      }),
    setBarsFrom: (id, barsFrom) =>
      inOneStep(async (sql) => void (await sql.run('UPDATE deployments SET bars_from = ? WHERE id = ?', barsFrom, id))),
  };
}

/** Stores other targets, and leaves nothing of those before in files where the engine can see to that. */
export function setTargets(
  { inOneStep, overwriting = inOneStep }: SqlDatabase,
  changes: readonly Pick<Deployment, 'id' | 'targets'>[],
): Promise<void> {
  // In one step: a page that is written for one would otherwise go into the log with what another had before.
  return overwriting(async (sql) => {
    for (const change of changes) await changeTargets(sql, change);
  });
}

/** With those of the deliveries that wait. */
async function changeTargets(sql: Sql, { id, targets }: Pick<Deployment, 'id' | 'targets'>): Promise<void> {
  await sql.run('UPDATE deployments SET targets = ? WHERE id = ?', JSON.stringify(targets), id);
  const ofTarget = 'UPDATE deployment_outbox SET target_kind = ? WHERE deployment_id = ? AND target = ?';
  for (const [target, { type }] of targets.entries()) await sql.run(ofTarget, type, id, target);
  const gone = 'UPDATE deployment_outbox SET target_kind = NULL WHERE deployment_id = ? AND target >= ?';
  await sql.run(gone, id, targets.length);
}
