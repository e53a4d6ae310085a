// /api/deployments: scripts that run at every close of a bar and whose alerts are delivered; each user sees only their own.

import type { KitContext } from '../../http/context.ts';
import { type Endpoint, type EndpointHandler, paramOf } from '../../http/endpoint.ts';
import { readStrict } from '../../http/strict-body.ts';
import {
  type Deployment,
  type Deployments,
  KEPT_LOGS,
  type LogEntry,
  type Target,
  type TradePort,
} from '../../library/deployments/index.ts';
import { runFaultOf } from '../../library/run-fault.ts';
import type { Refused, Stopped } from '../../library/script-runner.ts';
import { createCallWindow } from './call-window.ts';
import { DEPLOYMENT_DOCS, newDeploymentSchema, type WantedTarget } from './deployment-schemas.ts';
import { marketFields } from './market-fields.ts';
import { refusal, type ScriptsRefusal } from './refusal.ts';
import type { Authenticate } from './require-key.ts';
import { noScript } from './script-views.ts';
import { RETRY_LATER, type StorageGuard } from './storage-refusal.ts';

export interface DeploymentRoutesDeps {
  readonly authenticate: Authenticate;
  /** Undefined where no durable database is bound. */
  readonly deployments: Deployments | undefined;
  /** Whose webhook key that is; undefined where no gateway trades. */
  readonly identifyKey?: TradePort['identify'] | undefined;
  readonly stored: StorageGuard;
  readonly monotonicMs: () => number;
}

/** Each asks the venue for bars, and most run a script: more than a person clicks, less than a program can do harm with. */
const STARTS_PER_MINUTE = 30;
const DEFAULT_LOGS = 100;

export function deploymentEndpoints(deps: DeploymentRoutesDeps): readonly Endpoint[] {
  const { authenticate, stored, monotonicMs } = deps;
  const takeStart = createCallWindow({ policy: 'deployments', callsPerMinute: STARTS_PER_MINUTE, monotonicMs });

  async function visit(c: KitContext): Promise<{ userId: string; deployments: Deployments }> {
    const { userId } = await authenticate(c);
    if (deps.deployments === undefined)
      throw refusal('UNAVAILABLE', 'no database for scripts is bound; the operator has to set SCRIPT_DATABASE');
    return { userId, deployments: deps.deployments };
  }

  const create: EndpointHandler = async (c) => {
    const { userId, deployments } = await visit(c);
    const headers = takeStart(userId);
    const { symbol, interval, inputs = {}, targets: wanted, ...rest } = await readStrict(c, newDeploymentSchema);
    const targets = await Promise.all(wanted.map((target) => keyless(target, deps.identifyKey)));
    checkDistinct(targets);
    const plan = { ...rest, ...marketFields(symbol, interval), inputs, targets };
    const outcome = await stored(c, deployments.create(userId, plan));
    if (outcome.kind !== 'found') throw declined(outcome);
    return c.json({ status: 'success', deployment: deploymentView(outcome.deployment) }, 201, headers);
  };

  const list: EndpointHandler = async (c) => {
    const { userId, deployments } = await visit(c);
    const all = await stored(c, deployments.list(userId));
    return c.json({ status: 'success', deployments: all.map(deploymentView) });
  };

  const read: EndpointHandler = async (c) => {
    const { userId, deployments } = await visit(c);
    return answer(c, await stored(c, deployments.read(userId, paramOf(c, 'id'))));
  };

  const remove: EndpointHandler = async (c) => {
    const { userId, deployments } = await visit(c);
    const outcome = await stored(c, deployments.remove(userId, paramOf(c, 'id')));
    if (outcome.kind !== 'removed') throw declined(outcome);
    return c.json({ status: 'success' });
  };

  const pause: EndpointHandler = async (c) => {
    const { userId, deployments } = await visit(c);
    return answer(c, await stored(c, deployments.pause(userId, paramOf(c, 'id'))));
  };

  const resume: EndpointHandler = async (c) => {
    const { userId, deployments } = await visit(c);
    takeStart(userId);
    return answer(c, await stored(c, deployments.resume(userId, paramOf(c, 'id'))));
  };

  const logs: EndpointHandler = async (c) => {
    const { userId, deployments } = await visit(c);
    const outcome = await stored(c, deployments.logs(userId, paramOf(c, 'id'), limitOf(c)));
    if (outcome.kind !== 'logs') throw declined(outcome);
    return c.json({ status: 'success', logs: outcome.logs.map(logView) });
  };

  return [
    { ...DEPLOYMENT_DOCS.create, handler: create },
    { ...DEPLOYMENT_DOCS.list, handler: list },
    { ...DEPLOYMENT_DOCS.read, handler: read },
    { ...DEPLOYMENT_DOCS.pause, handler: pause },
    { ...DEPLOYMENT_DOCS.resume, handler: resume },
    { ...DEPLOYMENT_DOCS.remove, handler: remove },
    { ...DEPLOYMENT_DOCS.logs, handler: logs },
  ];
}

type Outcome = Awaited<ReturnType<Deployments['create']>>;
type NoDeployment = Exclude<Outcome, { kind: 'found' }>;

function answer(c: KitContext, outcome: Outcome): Response {
  if (outcome.kind !== 'found') throw declined(outcome);
  return c.json({ status: 'success', deployment: deploymentView(outcome.deployment) });
}

/** The raw key goes no further than here. */
async function keyless(target: WantedTarget, identify: DeploymentRoutesDeps['identifyKey']): Promise<Target> {
  if (target.type !== 'trade') return target;
  if (identify === undefined)
    throw refusal('INVALID_FIELD', 'targets: nothing trades here: the gateway is not among SERVICES');
  const key = await identify(target.apiKey);
  if (key === undefined)
    throw refusal('INVALID_FIELD', 'targets: apiKey is no webhook key that is known, or it was revoked; send another');
  const { exchange, strategy } = target;
  return { type: 'trade', keyId: key.keyId, keyLabel: key.label, ...definedOnly({ exchange, strategy }) };
}

const definedOnly = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;

/** A target that is named twice would get every alert twice; and under one key an alert trades once, wherever it goes. */
function checkDistinct(targets: readonly Target[]): void {
  const places = targets.map((target) => {
    if (target.type === 'webhook') return JSON.stringify([target.type, target.url]);
    return JSON.stringify(target.type === 'trade' ? [target.type, target.keyId] : Object.values(target));
  });
  if (new Set(places).size < places.length)
    throw refusal('INVALID_FIELD', 'targets: two of them are the same, remove one');
}

function limitOf(c: KitContext): number {
  const text = c.req.query('limit') ?? String(DEFAULT_LOGS);
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > KEPT_LOGS)
    throw refusal('INVALID_FIELD', `limit: must be a whole number from 1 to ${KEPT_LOGS}`);
  return limit;
}

/** Said of another user's deployment in the very same words. */
const noDeployment = (): ScriptsRefusal =>
  refusal('NOT_FOUND', 'there is no such deployment of this key; GET /api/deployments lists those there are');

function declined(outcome: NoDeployment): Error {
  switch (outcome.kind) {
    case 'missing':
      return outcome.what === 'script' ? noScript() : noDeployment();
    case 'bad-target':
      return refusal('INVALID_FIELD', `targets: ${outcome.reason}`);
    case 'bad-market':
      return refusal('INVALID_FIELD', `symbol, interval: ${outcome.reason}`);
    case 'unavailable':
      return refusal('UNAVAILABLE', outcome.reason, RETRY_LATER);
    case 'no-owner':
      return refusal('CONFLICT', outcome.reason);
    case 'too-many':
      return refusal('DEPLOYMENTS_FULL', outcome.reason);
    case 'trial-failed':
      return trialFault(outcome.outcome);
  }
}

function trialFault(outcome: Refused | Stopped): Error {
  const fault = runFaultOf(outcome);
  if (fault instanceof Error) return fault;
  return refusal(fault.code, fault.message, { ...(fault.isPassing && RETRY_LATER), extra: fault.extra ?? {} });
}

const deploymentView = (deployment: Deployment) => ({
  id: deployment.id,
  scriptId: deployment.scriptId,
  revision: deployment.revision,
  name: deployment.name,
  symbol: deployment.symbol,
  interval: deployment.interval,
  inputs: deployment.inputs,
  targets: deployment.targets.map(targetView),
  scriptType: deployment.scriptType,
  mode: deployment.mode,
  orderMessage: deployment.orderMessage,
  state: deployment.state,
  createdAt: deployment.createdAtMs,
  lastRunAt: deployment.lastRunAtMs,
  lastBarTime: deployment.lastBarTimeMs,
  lastError: deployment.lastError,
  runs: deployment.runs,
  alerts: deployment.alerts,
  position: deployment.position,
  drift: deployment.drift,
});

/** A secret is never shown again. */
function targetView(target: Target): object {
  if (target.type !== 'webhook') return target;
  const { type, url, secret, body } = target;
  return { type, url, signed: secret !== undefined, ...(body && { body }) };
}

const logView = ({ atMs, kind, message, barTimeMs, eventId, runMs }: LogEntry) => ({
  at: atMs,
  kind,
  message,
  ...(barTimeMs === undefined ? {} : { barTime: barTimeMs }),
  ...(eventId === undefined ? {} : { eventId }),
  ...(runMs === undefined ? {} : { runMs }),
});
