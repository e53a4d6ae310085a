// /api/deployments: scripts that run at every close of a bar and whose alerts are delivered; each user sees only their own.

import type { KitContext } from '../../http/context.ts';
import { type Endpoint, type EndpointHandler, paramOf } from '../../http/endpoint.ts';
import { readStrict } from '../../http/strict-body.ts';
import {
  type Deployment,
  type Deployments,
  type Held,
  KEPT_LOGS,
  logView,
  opinionSettings,
  type Target,
} from '../../library/deployments/index.ts';
import { runFaultOf } from '../../library/run-fault.ts';
import type { Refused, Stopped } from '../../library/script-runner.ts';
import { createCallWindow } from './call-window.ts';
import { DEPLOYMENT_DOCS, newDeploymentSchema, type WantedTarget } from './deployment-schemas.ts';
import { type DeploymentRoutesDeps, limitOf, noDeployment, visitOf } from './deployment-visit.ts';
import { marketFields } from './market-fields.ts';
import { opinionEndpoints } from './opinions.ts';
import { refusal } from './refusal.ts';
import { noScript } from './script-views.ts';
import { RETRY_LATER } from './storage-refusal.ts';

/** Each asks the venue for bars, and most run a script: more than a person clicks, less than a program can do harm with. */
const STARTS_PER_MINUTE = 30;

export function deploymentEndpoints(deps: DeploymentRoutesDeps): readonly Endpoint[] {
  const { stored, monotonicMs } = deps;
  const visit = visitOf(deps);
  const takeStart = createCallWindow({ policy: 'deployments', callsPerMinute: STARTS_PER_MINUTE, monotonicMs });

  const { viewOf, answer } = viewing(stored);

  const create: EndpointHandler = async (c) => {
    const { userId, deployments } = await visit(c);
    const headers = takeStart(userId);
    const { symbol, interval, inputs = {}, targets: wanted, ...rest } = await readStrict(c, newDeploymentSchema);
    const targets = await Promise.all(wanted.map((target) => keyless(target, deps.identifyKey)));
    checkDistinct(targets);
    const plan = { ...rest, ...marketFields(symbol, interval), inputs, targets };
    const outcome = await stored(c, deployments.create(userId, plan));
    if (outcome.kind !== 'found') throw declined(outcome);
    const { deployment, warnings } = outcome;
    return c.json({ status: 'success', deployment: deploymentView(deployment, null), warnings }, 201, headers);
  };

  const remove: EndpointHandler = async (c) => {
    const { userId, deployments } = await visit(c);
    const outcome = await stored(c, deployments.remove(userId, paramOf(c, 'id'), isKept(c)));
    if (outcome.kind === 'holds') throw refusal('CONFLICT', outcome.reason);
    if (outcome.kind !== 'removed') throw declined(outcome);
    return c.json({ status: 'success', ...heldView(outcome.held) });
  };

  const pause: EndpointHandler = async (c) => {
    const { userId, deployments } = await visit(c);
    const outcome = await stored(c, deployments.pause(userId, paramOf(c, 'id')));
    if (outcome.kind !== 'found') throw declined(outcome);
    const deployment = await viewOf(c, deployments, outcome.deployment);
    return c.json({ status: 'success', deployment, ...heldView(outcome.held) });
  };

  const resume: EndpointHandler = async (c) => {
    const { userId, deployments } = await visit(c);
    takeStart(userId);
    return answer(c, deployments, await stored(c, deployments.resume(userId, paramOf(c, 'id'))));
  };

  return [
    { ...DEPLOYMENT_DOCS.create, handler: create },
    ...readingEndpoints(deps),
    { ...DEPLOYMENT_DOCS.pause, handler: pause },
    { ...DEPLOYMENT_DOCS.resume, handler: resume },
    { ...DEPLOYMENT_DOCS.remove, handler: remove },
    ...opinionEndpoints(deps),
  ];
}

/** What changes nothing. */
function readingEndpoints(deps: DeploymentRoutesDeps): readonly Endpoint[] {
  const { stored } = deps;
  const visit = visitOf(deps);
  const { viewOf, answer } = viewing(stored);

  const list: EndpointHandler = async (c) => {
    const { userId, deployments } = await visit(c);
    const all = await stored(c, deployments.list(userId));
    const views = all.map((deployment) => viewOf(c, deployments, deployment));
    return c.json({ status: 'success', deployments: await Promise.all(views) });
  };

  const read: EndpointHandler = async (c) => {
    const { userId, deployments } = await visit(c);
    return answer(c, deployments, await stored(c, deployments.read(userId, paramOf(c, 'id'))));
  };

  const logs: EndpointHandler = async (c) => {
    const { userId, deployments } = await visit(c);
    const outcome = await stored(c, deployments.logs(userId, paramOf(c, 'id'), limitOf(c, KEPT_LOGS)));
    if (outcome.kind !== 'logs') throw declined(outcome);
    return c.json({ status: 'success', logs: outcome.logs.map(logView) });
  };

  return [
    { ...DEPLOYMENT_DOCS.list, handler: list },
    { ...DEPLOYMENT_DOCS.read, handler: read },
    { ...DEPLOYMENT_DOCS.logs, handler: logs },
  ];
}

type Outcome = Awaited<ReturnType<Deployments['create' | 'read']>>;
type NoDeployment = Exclude<Outcome, { kind: 'found' }>;

const sentTwice = (deploymentId: string): string =>
  `this was deployed before, under the same idempotencyKey: it is the deployment ${deploymentId}`;

function viewing(stored: DeploymentRoutesDeps['stored']) {
  const viewOf = async (c: KitContext, deployments: Deployments, deployment: Deployment) =>
    deploymentView(deployment, await stored(c, deployments.positionSinceMs(deployment)));
  return {
    viewOf,
    async answer(c: KitContext, deployments: Deployments, outcome: Outcome): Promise<Response> {
      if (outcome.kind !== 'found') throw declined(outcome);
      return c.json({ status: 'success', deployment: await viewOf(c, deployments, outcome.deployment) });
    },
  };
}

/** Whether a position is to stay where it is without anybody who closes it. */
function isKept(c: KitContext): boolean {
  const text = c.req.query('keep') ?? 'false';
  if (text !== 'true' && text !== 'false') throw refusal('INVALID_FIELD', 'keep: must be true or false');
  return text === 'true';
}

/** Where nobody runs the exits any more. */
const heldView = ({ shares, note }: Held) => ({ held: shares, note });

/** The raw key goes no further than here. */
async function keyless(target: WantedTarget, identify: DeploymentRoutesDeps['identifyKey']): Promise<Target> {
  if (target.type !== 'trade' && target.type !== 'second-opinion') return target;
  if (identify === undefined)
    throw refusal('INVALID_FIELD', 'targets: nothing trades here: the gateway is not among SERVICES');
  const key = await identify(target.apiKey);
  if (key === undefined)
    throw refusal('INVALID_FIELD', 'targets: apiKey is no webhook key that is known, or it was revoked; send another');
  const { exchange, strategy } = target;
  const kept = { keyId: key.keyId, keyLabel: key.label, ...definedOnly({ exchange, strategy }) };
  return target.type === 'trade'
    ? { type: 'trade', ...kept }
    : { type: 'second-opinion', ...kept, ...opinionSettings(target) };
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
  const opinions = targets.filter(({ type }) => type === 'second-opinion').length;
  if (opinions > 1) throw refusal('INVALID_FIELD', 'targets: has two second opinions, remove one');
  if (opinions > 0 && targets.some(({ type }) => type === 'trade'))
    throw refusal(
      'INVALID_FIELD',
      "targets: a second opinion runs beside TradingView's alerts, which trade; remove the trade target",
    );
}

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
    case 'foreign-bars':
    case 'not-dry':
      return refusal('CONFLICT', outcome.reason);
    case 'made-before':
      return refusal('DUPLICATE_DEPLOYMENT', sentTwice(outcome.id), { extra: { deploymentId: outcome.id } });
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

const deploymentView = (deployment: Deployment, positionSinceMs: number | null) => ({
  id: deployment.id,
  scriptId: deployment.scriptId,
  revision: deployment.revision,
  digest: deployment.digest,
  imports: deployment.imports,
  name: deployment.name,
  symbol: deployment.symbol,
  interval: deployment.interval,
  inputs: deployment.inputs,
  targets: deployment.targets.map(targetView),
  scriptType: deployment.scriptType,
  mode: deployment.mode,
  orderMessage: deployment.orderMessage,
  initialCapital: deployment.initialCapital,
  state: deployment.state,
  createdAt: deployment.createdAtMs,
  lastRunAt: deployment.lastRunAtMs,
  lastBarTime: deployment.lastBarTimeMs,
  lastError: deployment.lastError,
  runs: deployment.runs,
  alerts: deployment.alerts,
  position: deployment.position,
  positionSince: positionSinceMs,
  drift: deployment.drift,
  barsFrom: deployment.barsFrom,
});

/** A secret is never shown again. */
function targetView(target: Target): object {
  if (target.type !== 'webhook') return target;
  const { type, url, secret, body } = target;
  return { type, url, signed: secret !== undefined, ...(body && { body }) };
}
