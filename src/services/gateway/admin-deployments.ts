// /admin/deployments: the operator lists, reads, pauses, resumes and removes everybody's live deployments.

import { z } from 'zod';
import { type Audit, actorOf } from '../../http/audit.ts';
import type { KitContext } from '../../http/context.ts';
import { type Endpoint, paramOf } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import {
  type Declined,
  type Deployment,
  type DeploymentOperator,
  type HeldDeployment,
  KEPT_LOGS,
  KEPT_OPINIONS,
  logLineSchema,
  logView,
  opinionsFields,
  opinionsView,
  type StillHolds,
  type TradedAccount,
} from '../../library/deployments/index.ts';
import { answer, TAGS } from './admin-answers.ts';
import { readQuery } from './read-query.ts';
import { ok, refused } from './responses.ts';

export interface AdminDeploymentDeps {
  /** Undefined where this process keeps no deployments. */
  readonly operator: DeploymentOperator | undefined;
  /** Told of every change, before its answer leaves. */
  readonly audit: Audit;
}

const PATH = '/admin/deployments';
const params = z.object({ id: z.string().meta({ examples: ['$DEPLOYMENT_ID'] }) });
const deploymentSchema = z.object({
  id: z.string(),
  userId: z.string().describe('whose library it belongs to; keys renew --scripts --user takes it'),
  name: z.string(),
  symbol: z.string(),
  interval: z.string(),
  state: z.enum(['running', 'paused', 'failed']),
  reason: z.string().nullable().describe('why it does not run, or what went wrong last'),
  targets: z.array(z.string()).describe('kinds of targets; a webhook with its host, a trade with the label of its key'),
  createdAt: z.number(),
  lastRunAt: z.number().nullable(),
  lastBarTime: z.number().describe('start of the newest bar that is dealt with'),
  runs: z.number(),
  alerts: z.number(),
  scriptId: z.string(),
  revision: z.number(),
  scriptType: z.enum(['indicator', 'strategy']),
  inputs: z.record(z.string(), z.unknown()),
  initialCapital: z.number().nullable().describe('what it begins with; null: what the script declares'),
  mode: z.enum(['dry-run', 'trade']).describe('whether its trade targets trade'),
  tradesOn: z
    .array(
      z.object({ exchange: z.string(), account: z.string(), mode: z.enum(['paper', 'testnet', 'live']).nullable() }),
    )
    .nullable()
    .describe(
      'the accounts that its orders go to, in a dry run those that they would; mode is null where there is no such account; empty where it trades nothing; null where nobody can tell: each alert names its own, or the gateway cannot be asked',
    ),
  position: z.number().nullable().describe('what the script holds by its own books, positive long'),
  positionSince: z.number().nullable().describe('when that position was opened; null where nobody knows'),
  drift: z.string().nullable().describe('where the books that a strategy trades into hold something else than it does'),
  barsFrom: z
    .string()
    .nullable()
    .describe(
      'where its bars come from: simulated, an exchange, or a testnet as in "bybit testnet"; null before its first start here',
    ),
});
/** Of one whose exits nobody runs any more. */
const leftSchema = deploymentSchema.extend({
  held: z
    .array(z.object({ strategy: z.string(), account: z.string().nullable(), quantity: z.number() }))
    .describe('what its strategy still holds, positive long; account is null where the books cannot be read'),
  note: z.string().nullable().describe('the same in words, with the way to close it; null where nothing is held'),
});
const removeQuery = z.strictObject({
  keep: z.enum(['true', 'false']).optional().describe('true: removes it although it holds a position, which stays'),
});
const opinionsQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(KEPT_OPINIONS).optional().describe('20 when left out'),
});
const DEFAULT_OPINIONS = 20;
const logsQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(KEPT_LOGS).optional().describe('100 when left out'),
});
const DEFAULT_LOGS = 100;
const missing = { 404: refused('DEPLOYMENT_NOT_FOUND') };

function operatorOf(operator: DeploymentOperator | undefined): DeploymentOperator {
  if (operator !== undefined) return operator;
  throw new Refusal('DEPLOYMENT_NOT_FOUND', 'this Signalbox keeps no deployments; SERVICES and SCRIPT_DATABASE say so');
}

/** What became of the alerts that TradingView should send beside a script. */
export function opinionAdminEndpoints({ operator }: Pick<AdminDeploymentDeps, 'operator'>): readonly Endpoint[] {
  const handler = async (c: KitContext): Promise<Response> => {
    const { limit = DEFAULT_OPINIONS } = readQuery(c, opinionsQuery);
    const found = await operatorOf(operator).opinions(paramOf(c, 'id'), limit);
    if (found === undefined) throw new Refusal('DEPLOYMENT_NOT_FOUND');
    return answer(c, opinionsView(found));
  };
  return [
    {
      method: 'get',
      path: `${PATH}/{id}/opinions`,
      summary: "What became of TradingView's own alerts of a deployed script, newest first",
      tags: TAGS,
      params,
      query: opinionsQuery,
      responses: {
        ...ok('The text to paste into TradingView, counts and opinions', z.object(opinionsFields)),
        400: refused('INVALID_QUERY'),
        ...missing,
      },
      handler,
    },
  ];
}

/** One deployment, and what it did. */
function readingEndpoints(operator: DeploymentOperator | undefined): readonly Endpoint[] {
  const the = () => operatorOf(operator);
  return [
    {
      method: 'get',
      path: PATH,
      summary: 'List the live deployments of all users',
      tags: TAGS,
      responses: ok('Deployments, newest first', z.array(deploymentSchema)),
      handler: async (c) => {
        const all = await (operator?.list() ?? []);
        return answer(c, await Promise.all(all.map((deployment) => viewOf(the(), deployment))));
      },
    },
    {
      method: 'get',
      path: `${PATH}/{id}`,
      summary: 'One deployment',
      tags: TAGS,
      params,
      responses: { ...ok('The deployment', deploymentSchema), ...missing },
      handler: async (c) => {
        const deployment = await the().read(paramOf(c, 'id'));
        if (deployment === undefined) throw new Refusal('DEPLOYMENT_NOT_FOUND');
        return answer(c, await viewOf(the(), deployment));
      },
    },
    {
      method: 'get',
      path: `${PATH}/{id}/logs`,
      summary: 'What a deployment did, newest first',
      tags: TAGS,
      params,
      query: logsQuery,
      responses: { ...ok('Lines', z.array(logLineSchema)), 400: refused('INVALID_QUERY'), ...missing },
      handler: async (c) => {
        const { limit = DEFAULT_LOGS } = readQuery(c, logsQuery);
        const logs = await the().logs(paramOf(c, 'id'), limit);
        if (logs === undefined) throw new Refusal('DEPLOYMENT_NOT_FOUND');
        return answer(c, logs.map(logView));
      },
    },
  ];
}

export function deploymentAdminEndpoints({ operator, audit }: AdminDeploymentDeps): readonly Endpoint[] {
  const the = () => operatorOf(operator);

  const changing =
    (what: 'paused' | 'resumed' | 'removed', change: (id: string, c: KitContext) => Promise<Changed>) =>
    async (c: KitContext): Promise<Response> => {
      const id = paramOf(c, 'id');
      const outcome = await change(id, c);
      if (outcome === undefined) throw new Refusal('DEPLOYMENT_NOT_FOUND');
      if ('kind' in outcome)
        throw new Refusal(outcome.kind === 'holds' ? 'DEPLOYMENT_HOLDS' : 'KEY_CONFLICT', outcome.reason);
      const deployment = 'held' in outcome ? outcome.deployment : outcome;
      const { userId, name } = deployment;
      const changed = { id, userId, name, change: what };
      const isGone = what === 'removed';
      const actor = actorOf(c);
      audit({ actor, setting: 'deployment', before: isGone ? changed : null, after: isGone ? null : changed });
      const view = await viewOf(the(), deployment, isGone);
      return answer(c, 'held' in outcome ? { ...view, ...heldView(outcome.held) } : view);
    };

  return [
    ...readingEndpoints(operator),
    {
      method: 'post',
      path: `${PATH}/{id}/pause`,
      summary: 'Pause a deployment at once',
      tags: TAGS,
      params,
      responses: { ...ok('The deployment, and what it holds', leftSchema), ...missing },
      handler: changing('paused', (id) => the().pause(id)),
    },
    {
      method: 'post',
      path: `${PATH}/{id}/resume`,
      summary: 'Resume a deployment; bars that closed meanwhile do not act',
      tags: TAGS,
      params,
      responses: {
        ...ok('The deployment', deploymentSchema),
        ...missing,
        409: refused('KEY_CONFLICT: no key opens its library, or its bars are not those of the venue it trades at'),
      },
      handler: changing('resumed', (id) => the().resume(id)),
    },
    {
      method: 'delete',
      path: `${PATH}/{id}`,
      summary: 'Remove a deployment with all it has sent and logged',
      tags: TAGS,
      params,
      query: removeQuery,
      responses: {
        ...ok('The deployment as it was, and what it holds', leftSchema),
        400: refused('INVALID_QUERY'),
        ...missing,
        409: refused('DEPLOYMENT_HOLDS: it holds a position'),
      },
      handler: changing('removed', (id, c) => the().remove(id, readQuery(c, removeQuery).keep === 'true')),
    },
  ];
}

type Changed = Deployment | HeldDeployment | Declined | StillHolds | undefined;

/** Neither the secret of a webhook nor the rest of its address, which may hold one. */
function targetWords(target: Deployment['targets'][number], mode: Deployment['mode']): string {
  if (target.type === 'second-opinion') return `second opinion on ${target.keyLabel}`;
  if (target.type === 'trade') return `trade under ${target.keyLabel}${mode === 'dry-run' ? ' (dry run)' : ''}`;
  return target.type === 'webhook' ? `webhook ${URL.parse(target.url)?.host ?? ''}`.trim() : target.type;
}

async function viewOf(operator: DeploymentOperator, deployment: Deployment, isGone = false) {
  const [positionSinceMs, tradesOn] = await Promise.all([
    isGone ? null : operator.positionSinceMs(deployment),
    operator.tradedAccounts(deployment),
  ]);
  return deploymentView(deployment, positionSinceMs, tradesOn);
}

const deploymentView = (
  deployment: Deployment,
  positionSinceMs: number | null,
  tradesOn: readonly TradedAccount[] | null,
) => ({
  id: deployment.id,
  userId: deployment.userId,
  name: deployment.name,
  symbol: deployment.symbol,
  interval: deployment.interval,
  state: deployment.state,
  reason: deployment.lastError,
  targets: deployment.targets.map((target) => targetWords(target, deployment.mode)),
  createdAt: deployment.createdAtMs,
  lastRunAt: deployment.lastRunAtMs,
  lastBarTime: deployment.lastBarTimeMs,
  runs: deployment.runs,
  alerts: deployment.alerts,
  scriptId: deployment.scriptId,
  revision: deployment.revision,
  scriptType: deployment.scriptType,
  inputs: deployment.inputs,
  initialCapital: deployment.initialCapital,
  mode: deployment.mode,
  tradesOn,
  position: deployment.position,
  positionSince: positionSinceMs,
  drift: deployment.drift,
  barsFrom: deployment.barsFrom,
});

const heldView = ({ shares, note }: HeldDeployment['held']) => ({ held: shares, note });
