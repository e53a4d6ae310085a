// A user's live deployments: made after a trial run, listed, paused, resumed, removed, and kept running across restarts.

import { createHash } from 'node:crypto';
import { importsOf, libraryKey } from '../../pine/light.ts';
import { isRead, type ReadLibrary } from '../imported-sources.ts';
import type { Script } from '../script.ts';
import type { StrategyAccount } from '../script-runner.ts';
import { BarHistory } from './bar-history.ts';
import { DeliveryQueue } from './delivery-queue.ts';
import {
  ANCHOR_BARS,
  type Deployment,
  type DeploymentMode,
  type DeploymentPlan,
  type LogEntry,
  MAX_IN_ALL,
  MAX_PER_USER,
  type Target,
} from './deployment.ts';
import type { DeploymentStore } from './deployment-store.ts';
import { createDriftWatch, type DriftWatch } from './drift-watch.ts';
import { type Held, heldBy, removalWords } from './held-position.ts';
import { type FoundOpinions, findOpinions } from './opinions/found-opinions.ts';
import type { OpinionStore } from './opinions/opinion-store.ts';
import { OpinionWatch, withOpinions } from './opinions/opinion-watch.ts';
import { exchangeOf } from './order-signal.ts';
import { createOwnerWatch, NO_OWNER, type OwnerWatch } from './owner-watch.ts';
import type {
  AlertArrivals,
  AlertSender,
  DeploymentAlarms,
  DeploymentLog,
  DeploymentRunner,
  LibraryImports,
  MarketBars,
  MarketRules,
  Owners,
  ScriptSource,
  StrategyBooks,
  Timers,
} from './ports.ts';
import { quantityWarning } from './quantity-warning.ts';
import { Scheduler } from './scheduler.ts';
import type { TradePort } from './targets.ts';
import { toldPositionOf } from './told-position.ts';
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
}

export interface Missing {
  readonly kind: 'missing';
  readonly what: 'deployment' | 'script';
}

export interface Found {
  readonly kind: 'found';
  readonly deployment: Deployment;
}

/** Of one whose exits nobody runs any more. */
export interface Paused extends Found {
  readonly held: Held;
}

export interface Removed {
  readonly kind: 'removed';
  readonly held: Held;
}

/** It was not removed, since nobody would close what it holds. */
export interface StillHolds {
  readonly kind: 'holds';
  readonly reason: string;
}

/** A new one, with what its owner should know of it, in words with the remedy. */
export interface Deployed extends Found {
  readonly warnings: readonly string[];
}

export interface Deployments {
  create(userId: string, wanted: NewDeployment): Promise<Deployed | Missing | Declined | TrialFailed>;
  list(userId: string): Promise<readonly Deployment[]>;
  /** Everybody's, for the operator. */
  all(): Promise<readonly Deployment[]>;
  read(userId: string, id: string): Promise<Found | Missing>;
  /** Takes effect at once: even a run that is under way does not act any more. */
  pause(userId: string, id: string): Promise<Paused | Missing>;
  /** Bars that closed before do not act, but for the exits of a strategy. */
  resume(userId: string, id: string): Promise<Found | Missing | Declined>;
  /** One that holds something only where its owner says that the position is to be kept. */
  remove(userId: string, id: string, isKept?: boolean): Promise<Removed | StillHolds | Missing>;
  logs(userId: string, id: string, limit: number): Promise<{ kind: 'logs'; logs: readonly LogEntry[] } | Missing>;
  /** What became of the alerts that TradingView should send beside it. */
  opinions(userId: string, id: string, limit: number): Promise<FoundOpinions | Missing>;
  /** Follows its bars no longer: the operator paused or removed it. */
  detach(id: string): void;
  /** Takes up what ran before the last stop, and what was not delivered yet. */
  start(): Promise<void>;
  /** Begins nothing new; what is under way ends. */
  stop(): Promise<void>;
}

export interface DeploymentsOptions {
  readonly store: DeploymentStore;
  readonly scripts: ScriptSource;
  /** Left out where no libraries are published. */
  readonly libraries?: LibraryImports | undefined;
  readonly runner: DeploymentRunner;
  readonly market: MarketBars;
  readonly sender: AlertSender;
  readonly timers: Timers;
  readonly log: DeploymentLog;
  readonly newId: () => string;
  /** Left out where there is no key store: then nobody can tell whether a key still works, and none is asked about. */
  readonly owners?: Owners | undefined;
  /** Left out where no gateway trades. */
  readonly books?: StrategyBooks | undefined;
  readonly rules?: MarketRules | undefined;
  readonly alarms?: DeploymentAlarms | undefined;
  readonly opinions: OpinionStore;
  /** What came in there, and what trades; left out where no gateway runs. */
  readonly gateway?: (AlertArrivals & Pick<TradePort, 'trade'>) | undefined;
}

const NO_DEPLOYMENT: Missing = { kind: 'missing', what: 'deployment' };
const NO_SCRIPT: Missing = { kind: 'missing', what: 'script' };
const NO_EXCHANGE =
  'Say where the orders of this strategy go: give the trade target an exchange, or the symbol its venue, as BINANCE:BTCUSDT.';
const TOO_MANY = {
  user: `There are ${MAX_PER_USER} deployments of this key already; remove one first.`,
  all: `This Signalbox runs ${MAX_IN_ALL} deployments already, which is all it can; remove one first.`,
};
const FULL: Record<keyof typeof TOO_MANY, Declined> = {
  user: { kind: 'too-many', reason: TOO_MANY.user },
  all: { kind: 'too-many', reason: TOO_MANY.all },
};

export const createDeployments = (options: DeploymentsOptions): Deployments => new LiveDeployments(options);

class LiveDeployments implements Deployments {
  readonly #options: DeploymentsOptions;
  readonly #store: DeploymentStore;
  readonly #queue: DeliveryQueue;
  readonly #scheduler: Scheduler;
  readonly #watch: OwnerWatch | undefined;
  readonly #drift: DriftWatch | undefined;
  readonly #opinions: OpinionWatch | undefined;

  constructor(options: DeploymentsOptions) {
    const { store, runner, market, timers, log, owners, books, alarms, opinions, gateway, sender } = options;
    this.#options = options;
    this.#store = store;
    const lookedAtMs = (id: string) => this.#scheduler.lookedAtMs(id);
    this.#opinions = gateway && new OpinionWatch({ store, opinions, gateway, timers, log, alarms, lookedAtMs });
    this.#queue = new DeliveryQueue(
      this.#opinions ? { ...options, sender: withOpinions(sender, this.#opinions) } : options,
    );
    this.#scheduler = new Scheduler({ store, runner, market, timers, log, onEvents: () => this.#tellEvents() });
    this.#drift = books && createDriftWatch({ store, books, timers, log, alarms });
    this.#watch = owners && createOwnerWatch({ store, owners, timers, log, onPaused: (id) => this.#onKeyEnded(id) });
  }

  async create(userId: string, wanted: NewDeployment): Promise<Deployed | Missing | Declined | TrialFailed> {
    const { sender, newId } = this.#options;
    // Before the costly part; the store looks again in the step that counts.
    if ((await this.#store.list(userId)).length >= MAX_PER_USER) return FULL.user;
    const fault = wanted.targets.map((target) => sender.faultOf(target)).find((words) => words !== undefined);
    if (fault !== undefined) return { kind: 'bad-target', reason: fault };
    const script = await this.#scriptOf(userId, wanted);
    if (script === undefined) return NO_SCRIPT;
    const history = await recentBars(this.#options, wanted.market, wanted.timeframeMs);
    if (!(history instanceof BarHistory)) return history;
    const newestMs = history.newest?.time as number;
    // A thousand years of bars would begin before the first moment there is.
    const anchorMs = Math.max(0, newestMs - ANCHOR_BARS * wanted.timeframeMs);
    const libraries = (await this.#options.libraries?.sourcesOf(userId, importsOf(script.content))) ?? [];
    const trial = await trialRun(this.#options, { ...script, libraries }, { ...wanted, userId }, history, anchorMs);
    if (trial.kind === 'trial-failed') return trial;
    const { scriptType } = trial;
    const isNowhere = (each: Target) => isForGateway(each) && !exchangeOf(each, wanted);
    if (scriptType === 'strategy' && wanted.targets.some(isNowhere)) return { kind: 'bad-target', reason: NO_EXCHANGE };
    const pinned = libraries.filter(isRead);
    const deployment: Deployment = {
      digest: digestOf(script.content, pinned),
      imports: pinned.map(libraryKey),
      ...planOf(wanted, script, scriptType),
      id: newId(),
      userId,
      scriptType,
      state: 'running',
      createdAtMs: this.#options.timers.nowMs(),
      anchorMs,
      lastRunAtMs: null,
      lastBarTimeMs: newestMs,
      lastError: null,
      failures: 0,
      runs: 0,
      alerts: 0,
      position: null,
      toldPosition: null,
      drift: null,
    };
    const warnings = [...trial.warnings, ...this.#quantityWarnings(wanted, trial.account, history)];
    const words = [`Deployed revision ${script.revision}; its first bar is the next that closes.`, ...warnings].join(
      ' ',
    );
    const created = await this.#store.create(deployment, script.content, this.#entry('created', words), pinned);
    if (created.kind === 'too-many') return FULL[created.of];
    this.#scheduler.attach(deployment, { trialMs: trial.runMs });
    return { kind: 'found', deployment, warnings };
  }

  list(userId: string): Promise<readonly Deployment[]> {
    return this.#store.list(userId);
  }

  all(): Promise<readonly Deployment[]> {
    return this.#store.all();
  }

  async read(userId: string, id: string): Promise<Found | Missing> {
    return foundOf(await this.#store.read(userId, id));
  }

  async pause(userId: string, id: string): Promise<Paused | Missing> {
    const before = await this.#store.read(userId, id);
    if (before === undefined) return NO_DEPLOYMENT;
    const entry = this.#entry('paused', 'Paused; nothing runs until it is resumed.');
    const deployment = before.state === 'paused' ? before : await this.#store.pause(userId, id, entry);
    if (deployment === undefined) return NO_DEPLOYMENT;
    this.#scheduler.detach(id);
    return { kind: 'found', deployment, held: await heldBy(this.#options.books, deployment) };
  }

  async resume(userId: string, id: string): Promise<Found | Missing | Declined> {
    const { owners } = this.#options;
    const before = await this.#store.read(userId, id);
    if (before === undefined) return NO_DEPLOYMENT;
    if (before.state === 'running') return { kind: 'found', deployment: before };
    if (owners !== undefined && !(await owners.isOwned(userId))) return { kind: 'no-owner', reason: NO_OWNER };
    const history = await recentBars(this.#options, before.market, before.timeframeMs);
    if (!(history instanceof BarHistory)) return history;
    const newestMs = history.newest?.time ?? 0;
    // What a strategy left meanwhile is made up: its bars are dealt with when they were run.
    const hasExits = toldPositionOf(before) !== null;
    const meanwhile = hasExits
      ? 'of bars that closed meanwhile only exits act'
      : 'bars that closed meanwhile do not act';
    const lastBarTimeMs = hasExits ? before.lastBarTimeMs : Math.max(before.lastBarTimeMs, newestMs);
    const entry = this.#entry('resumed', `Resumed; ${meanwhile}.`);
    const deployment = await this.#store.resume(userId, id, lastBarTimeMs, entry);
    if (deployment === undefined) return NO_DEPLOYMENT;
    this.#scheduler.attach(deployment, { pausedUntilMs: newestMs });
    return { kind: 'found', deployment };
  }

  async remove(userId: string, id: string, isKept = false): Promise<Removed | StillHolds | Missing> {
    const deployment = await this.#store.read(userId, id);
    if (deployment === undefined) return NO_DEPLOYMENT;
    const held = await heldBy(this.#options.books, deployment);
    if (held.note !== null && !isKept) return { kind: 'holds', reason: removalWords(held.note) };
    if (!(await this.#store.remove(userId, id))) return NO_DEPLOYMENT;
    this.#scheduler.detach(id);
    return { kind: 'removed', held };
  }

  async logs(userId: string, id: string, limit: number): ReturnType<Deployments['logs']> {
    const logs = await this.#store.logs(userId, id, limit);
    return logs === undefined ? NO_DEPLOYMENT : { kind: 'logs', logs };
  }

  async opinions(userId: string, id: string, limit: number): ReturnType<Deployments['opinions']> {
    const deployment = await this.#store.read(userId, id);
    return deployment === undefined ? NO_DEPLOYMENT : findOpinions(this.#options.opinions, deployment, limit);
  }

  detach(id: string): void {
    this.#scheduler.detach(id);
  }

  async start(): Promise<void> {
    await this.#watch?.start();
    for (const deployment of await this.#store.running()) this.#scheduler.attach(deployment);
    this.#drift?.start();
    this.#opinions?.start();
    this.#queue.kick();
  }

  async stop(): Promise<void> {
    await this.#watch?.stop();
    await this.#drift?.stop();
    await this.#scheduler.stop();
    await this.#queue.stop();
    await this.#opinions?.stop();
  }

  #quantityWarnings(plan: NewDeployment, account: StrategyAccount | undefined, history: BarHistory): readonly string[] {
    const { rules } = this.#options;
    const lastPrice = history.newest?.close;
    if (account === undefined || rules === undefined || lastPrice === undefined) return [];
    const { market } = plan;
    const exchanges = new Set(plan.targets.filter(isForGateway).map((target) => exchangeOf(target, plan)));
    return [...exchanges].flatMap((exchange) => {
      const found = exchange === undefined ? undefined : rules.rulesOf(exchange, market, lastPrice);
      const sized = found && { exchange: exchange as string, market, lastPrice, rules: found };
      return (sized && quantityWarning(account, sized)) ?? [];
    });
  }

  #onKeyEnded(id: string): void {
    this.#scheduler.detach(id);
    this.#drift?.kick();
  }

  #tellEvents(): void {
    this.#queue.kick();
    this.#drift?.kick();
  }

  #scriptOf(userId: string, { scriptId, revision }: NewDeployment): Promise<Script | undefined> {
    const { scripts } = this.#options;
    return revision === undefined ? scripts.read(userId, scriptId) : scripts.version(userId, scriptId, revision);
  }

  #entry(kind: LogEntry['kind'], message: string): LogEntry {
    return { atMs: this.#options.timers.nowMs(), kind, message };
  }
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

const foundOf = (deployment: Deployment | undefined): Found | Missing =>
  deployment === undefined ? NO_DEPLOYMENT : { kind: 'found', deployment };
