// A deployment that somebody wants, before there is one: its targets, its script and its market are looked at, and it is tried.

import { createHash } from 'node:crypto';
import { importsOf, libraryKey } from '../../pine/light.ts';
import { isRead, type ReadLibrary } from '../imported-sources.ts';
import type { Script } from '../script.ts';
import type { StrategyAccount } from '../script-runner.ts';
import { BarHistory } from './bar-history.ts';
import {
  ANCHOR_BARS,
  type Deployment,
  type DeploymentMode,
  type DeploymentPlan,
  opinionTargetOf,
  type Target,
} from './deployment.ts';
import { uuidOf } from './event-id.ts';
import { alertNameOf } from './opinions/alert-id.ts';
import { exchangeOf } from './order-signal.ts';
import type {
  AlertSender,
  BarSource,
  DeploymentRunner,
  LibraryImports,
  MarketBar,
  MarketInfo,
  MarketRules,
  ScriptSource,
  Timers,
} from './ports.ts';
import { quantityWarning } from './quantity-warning.ts';
import { type Declined, recentBars, type TrialFailed, trialRun } from './trial-run.ts';

export interface NewDeployment
  extends Omit<DeploymentPlan, 'revision' | 'name' | 'mode' | 'orderMessage' | 'initialCapital'> {
  /** The current one when left out. */
  readonly revision?: number | undefined;
  /** The script's when left out. */
  readonly name?: string | undefined;
  /** Orders of a strategy are a dry run when left out; the alerts of an indicator trade. */
  readonly mode?: DeploymentMode | undefined;
  readonly orderMessage?: string | undefined;
  /** What the script declares when left out. */
  readonly initialCapital?: number | undefined;
  /** The id of a dry run whose place it takes: it is removed in the same step, and its log goes on. */
  readonly replaces?: string | undefined;
  /** However often it is sent under it, one is made. */
  readonly idempotencyKey?: string | undefined;
}

export interface TrialParts {
  readonly scripts: ScriptSource;
  /** Left out where no libraries are published. */
  readonly libraries?: LibraryImports | undefined;
  readonly runner: DeploymentRunner;
  readonly market: BarSource;
  readonly infoOf: MarketInfo;
  readonly sender: AlertSender;
  readonly timers: Timers;
  readonly newId: () => string;
  /** Left out where nobody knows what exchanges ask of an order. */
  readonly rules?: MarketRules | undefined;
}

/** It works, and can be stored. */
export interface Tried {
  readonly kind: 'tried';
  readonly deployment: Deployment;
  readonly source: string;
  readonly libraries: readonly ReadLibrary[];
  /** What its owner should know of it, in words with the remedy. */
  readonly warnings: readonly string[];
  readonly trialMs: number;
}

const NO_EXCHANGE =
  'Say where the orders of this strategy go: give the trade target an exchange, or the symbol its venue, as BINANCE:BTCUSDT.';
export async function tryDeployment(
  parts: TrialParts,
  userId: string,
  wanted: NewDeployment,
): Promise<Tried | Declined | TrialFailed | { readonly kind: 'no-script' }> {
  const fault = wanted.targets.map((target) => parts.sender.faultOf(target)).find((words) => words !== undefined);
  if (fault !== undefined) return { kind: 'bad-target', reason: fault };
  const script = await scriptOf(parts, userId, wanted);
  if (script === undefined) return { kind: 'no-script' };
  const history = await recentBars(parts, wanted.market, wanted.timeframeMs);
  if (!(history instanceof BarHistory)) return history;
  const newest = history.newest as MarketBar;
  // A thousand years of bars would begin before the first moment there is.
  const anchorMs = Math.max(0, newest.time - ANCHOR_BARS * wanted.timeframeMs);
  const imported = (await parts.libraries?.sourcesOf(userId, importsOf(script.content))) ?? [];
  const trial = await trialRun(parts, { ...script, libraries: imported }, { ...wanted, userId }, history, anchorMs);
  if (trial.kind === 'trial-failed') return trial;
  const { scriptType, account, runMs: trialMs } = trial;
  const isNowhere = (each: Target) => isForGateway(each) && !exchangeOf(each, wanted);
  if (scriptType === 'strategy' && wanted.targets.some(isNowhere)) return { kind: 'bad-target', reason: NO_EXCHANGE };
  const libraries = imported.filter(isRead);
  const deployment: Deployment = {
    digest: digestOf(script.content, libraries),
    imports: libraries.map(libraryKey),
    ...planOf(wanted, script, scriptType),
    ...{
      id: ownIdOf(userId, wanted) ?? parts.newId(),
      userId,
      scriptType,
      state: 'running',
      createdAtMs: parts.timers.nowMs(),
      anchorMs,
    },
    ...{ lastRunAtMs: null, lastBarTimeMs: newest.time, lastError: null, failures: 0, runs: 0, alerts: 0 },
    ...{ position: null, toldPosition: null, drift: null, barsFrom: parts.market.name },
  };
  const warnings = [...trial.warnings, ...quantityWarnings(parts, wanted, account, newest.close)];
  return { kind: 'tried', deployment, source: script.content, libraries, warnings, trialMs };
}

/** The same for whatever one user sends under one key, so that the second of two is found by its id. */
export const ownIdOf = (userId: string, { idempotencyKey }: NewDeployment): string | undefined =>
  idempotencyKey && uuidOf(`${userId}\ndeployed under ${idempotencyKey.toLowerCase()}`);

/** TradingView's alerts go on under the name that they have, which may be made of the id of the one before. */
export function continuing(wanted: NewDeployment, replaced: Deployment | undefined): NewDeployment {
  const before = replaced && opinionTargetOf(replaced.targets);
  if (replaced === undefined || before === undefined) return wanted;
  const alertName = alertNameOf(before, replaced);
  const named = (target: Target): Target =>
    target.type === 'second-opinion' && target.alertName === undefined ? { ...target, alertName } : target;
  return { ...wanted, targets: wanted.targets.map(named) };
}

function scriptOf(
  { scripts }: TrialParts,
  userId: string,
  { scriptId, revision }: NewDeployment,
): Promise<Script | undefined> {
  return revision === undefined ? scripts.read(userId, scriptId) : scripts.version(userId, scriptId, revision);
}

function quantityWarnings(
  { rules }: TrialParts,
  plan: NewDeployment,
  account: StrategyAccount | undefined,
  lastPrice: number,
): readonly string[] {
  if (account === undefined || rules === undefined) return [];
  const { market } = plan;
  const exchanges = new Set(plan.targets.filter(isForGateway).map((target) => exchangeOf(target, plan)));
  return [...exchanges].flatMap((exchange) => {
    const found = exchange === undefined ? undefined : rules.rulesOf(exchange, market, lastPrice);
    const sized = found && { exchange: exchange as string, market, lastPrice, rules: found };
    return (sized && quantityWarning(account, sized)) ?? [];
  });
}

/** What was asked for, with the revision and name it gets where none was named. */
function planOf(wanted: NewDeployment, script: Script, scriptType: Deployment['scriptType']): DeploymentPlan {
  const {
    scriptId,
    symbol,
    market,
    interval,
    timeframeMs,
    inputs,
    targets,
    orderMessage = null,
    initialCapital = null,
  } = wanted;
  const { revision } = script;
  const { name = script.name, mode = scriptType === 'strategy' ? 'dry-run' : 'trade' } = wanted;
  const where = { symbol, market, interval, timeframeMs };
  return { scriptId, revision, name, ...where, inputs, targets, mode, orderMessage, initialCapital };
}

/** The same for the same code, whatever it is called where it is kept. */
function digestOf(source: string, libraries: readonly ReadLibrary[]): string {
  const parts = [source, ...libraries.map((one) => [libraryKey(one), one.source])];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Whether its orders must say where they go. */
const isForGateway = (target: Target): target is Extract<Target, { readonly exchange?: string | undefined }> =>
  target.type === 'trade' || target.type === 'second-opinion';
