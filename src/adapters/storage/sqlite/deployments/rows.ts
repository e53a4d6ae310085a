// Between rows and records of the deployments: columns in, records out.

import type { Deployment, DeploymentEvent, LogEntry } from '../../../../library/deployments/index.ts';
import type { Row } from '../database.ts';

/** Everything but the source. */
export const DEPLOYMENT_COLUMNS = [
  'id',
  'user_id',
  'script_id',
  'revision',
  'name',
  'symbol',
  'market',
  'interval',
  'timeframe_ms',
  'inputs',
  'targets',
  'state',
  'created_at',
  'anchor',
  'last_run_at',
  'last_bar_time',
  'last_error',
  'failures',
  'runs',
  'alerts',
] as const;

export const deploymentValues = (deployment: Deployment): (string | number | null)[] => [
  deployment.id,
  deployment.userId,
  deployment.scriptId,
  deployment.revision,
  deployment.name,
  deployment.symbol,
  deployment.market,
  deployment.interval,
  deployment.timeframeMs,
  JSON.stringify(deployment.inputs),
  JSON.stringify(deployment.targets),
  deployment.state,
  deployment.createdAtMs,
  deployment.anchorMs,
  deployment.lastRunAtMs,
  deployment.lastBarTimeMs,
  deployment.lastError,
  deployment.failures,
  deployment.runs,
  deployment.alerts,
];

export const deploymentOf = (row: Row): Deployment => ({
  id: row.id as string,
  userId: row.user_id as string,
  scriptId: row.script_id as string,
  revision: row.revision as number,
  name: row.name as string,
  symbol: row.symbol as string,
  market: row.market as string,
  interval: row.interval as string,
  timeframeMs: row.timeframe_ms as number,
  inputs: JSON.parse(row.inputs as string),
  targets: JSON.parse(row.targets as string),
  state: row.state as Deployment['state'],
  createdAtMs: row.created_at as number,
  anchorMs: row.anchor as number,
  lastRunAtMs: row.last_run_at as number | null,
  lastBarTimeMs: row.last_bar_time as number,
  lastError: row.last_error as string | null,
  failures: row.failures as number,
  runs: row.runs as number,
  alerts: row.alerts as number,
});

export const eventOf = (row: Row): DeploymentEvent => ({
  id: row.id as string,
  deploymentId: row.deployment_id as string,
  barTimeMs: row.bar_time as number,
  ordinal: row.ordinal as number,
  message: row.message as string,
  title: row.title as string | null,
  source: row.source as DeploymentEvent['source'],
  createdAtMs: row.created_at as number,
});

export const logOf = (row: Row): LogEntry => ({
  atMs: row.at as number,
  kind: row.kind as LogEntry['kind'],
  message: row.message as string,
  ...(row.bar_time === null ? {} : { barTimeMs: row.bar_time as number }),
  ...(row.event_id === null ? {} : { eventId: row.event_id as string }),
  ...(row.run_ms === null ? {} : { runMs: row.run_ms as number }),
});
