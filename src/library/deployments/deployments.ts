// A user's live deployments: made after a trial run, listed, paused, resumed, removed, and kept running across restarts.

import { errorText } from '../../errors/error-text.ts';
import type { Refused, Stopped } from '../script-runner.ts';
import { BarHistory } from './bar-history.ts';
import {
  ANCHOR_BARS,
  type Deployment,
  type DeploymentPlan,
  type LogEntry,
  MAX_IN_ALL,
  MAX_PER_USER,
} from './deployment.ts';
import type { DeploymentStore } from './deployment-store.ts';
import { createDesk } from './desk.ts';
import { createOwnerWatch, NO_OWNER } from './owner-watch.ts';
import type { AlertRunner, Deliveries, DeploymentLog, MarketBars, Owners, ScriptSource, Timers } from './ports.ts';
import { createPost } from './post.ts';

export interface NewDeployment extends Omit<DeploymentPlan, 'revision' | 'name'> {
  /** The current one when left out. */
  readonly revision?: number | undefined;
  /** The script's when left out. */
  readonly name?: string | undefined;
}

export interface Missing {
  readonly kind: 'missing';
  readonly what: 'deployment' | 'script';
}

/** In words with the remedy. unavailable: bars cannot be had just now. */
export interface Declined {
  readonly kind: 'bad-target' | 'bad-market' | 'unavailable' | 'too-many' | 'no-owner';
  readonly reason: string;
}

export interface Found {
  readonly kind: 'found';
  readonly deployment: Deployment;
}

export interface TrialFailed {
  readonly kind: 'trial-failed';
  readonly outcome: Refused | Stopped;
}

export interface Deployments {
  create(userId: string, wanted: NewDeployment): Promise<Found | Missing | Declined | TrialFailed>;
  list(userId: string): Promise<readonly Deployment[]>;
  /** Everybody's, for the operator. */
  all(): Promise<readonly Deployment[]>;
  read(userId: string, id: string): Promise<Found | Missing>;
  /** Takes effect at once: even a run that is under way does not act any more. */
  pause(userId: string, id: string): Promise<Found | Missing>;
  /** Bars that closed before do not act. */
  resume(userId: string, id: string): Promise<Found | Missing | Declined>;
  remove(userId: string, id: string): Promise<{ readonly kind: 'removed' } | Missing>;
  logs(userId: string, id: string, limit: number): Promise<{ kind: 'logs'; logs: readonly LogEntry[] } | Missing>;
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
  readonly runner: AlertRunner;
  readonly market: MarketBars;
  readonly deliveries: Deliveries;
  readonly timers: Timers;
  readonly log: DeploymentLog;
  readonly newId: () => string;
  /** Left out where keys prove nothing. */
  readonly owners?: Owners | undefined;
}

/** No such market or timeframe, or one of which so many bars are too much to ask for: asking again does not help. */
const HOPELESS = new Set(['FeedRefusal', 'RangeError']);
const NO_DEPLOYMENT: Missing = { kind: 'missing', what: 'deployment' };
const NO_SCRIPT: Missing = { kind: 'missing', what: 'script' };
const TOO_MANY = {
  user: `There are ${MAX_PER_USER} deployments of this key already; remove one first.`,
  all: `This Signalbox runs ${MAX_IN_ALL} deployments already, which is all it can; remove one first.`,
};
const FULL: Record<keyof typeof TOO_MANY, Declined> = {
  user: { kind: 'too-many', reason: TOO_MANY.user },
  all: { kind: 'too-many', reason: TOO_MANY.all },
};

export function createDeployments(options: DeploymentsOptions): Deployments {
  const { store, scripts, runner, market, deliveries, timers, log, newId, owners } = options;
  const post = createPost({ store, deliveries, timers, log, owners });
  const desk = createDesk({ store, runner, market, timers, log, onEvents: post.kick });
  const watch = owners && createOwnerWatch({ store, owners, timers, log, onPaused: desk.detach });

  const entry = (kind: LogEntry['kind'], message: string): LogEntry => ({ atMs: timers.nowMs(), kind, message });

  /** The closed bars up to the newest, or why there are none. */
  async function recentBars(name: string, timeframeMs: number): Promise<BarHistory | Declined> {
    const history = new BarHistory({ market: name, timeframeMs, source: market });
    const nowMs = timers.nowMs();
    try {
      // Two more on either side: the forming bar, and a clock that is a little wrong.
      await history.catchUp(Math.max(0, nowMs - (ANCHOR_BARS + 2) * timeframeMs), nowMs + 2 * timeframeMs);
    } catch (error) {
      const reason = errorText(error);
      if (HOPELESS.has((error as Error).name)) return { kind: 'bad-market', reason };
      return {
        kind: 'unavailable',
        reason: `The bars of ${name} cannot be read just now (${reason}); try again later.`,
      };
    }
    if (history.newest !== undefined) return history;
    const reason = `${name} shows no closed bar of this interval yet; check the clock of the machine, or try again later.`;
    return { kind: 'unavailable', reason };
  }

  async function create(userId: string, wanted: NewDeployment): Promise<Found | Missing | Declined | TrialFailed> {
    const { scriptId, revision, name, symbol, market: marketName, interval, timeframeMs, inputs, targets } = wanted;
    // Before the costly part; the store looks again in the step that counts.
    if ((await store.list(userId)).length >= MAX_PER_USER) return FULL.user;
    const fault = targets.map((target) => deliveries.faultOf(target)).find((words) => words !== undefined);
    if (fault !== undefined) return { kind: 'bad-target', reason: fault };
    const script = await (revision === undefined
      ? scripts.read(userId, scriptId)
      : scripts.version(userId, scriptId, revision));
    if (script === undefined) return NO_SCRIPT;
    const history = await recentBars(marketName, timeframeMs);
    if (!(history instanceof BarHistory)) return history;
    const newestMs = history.newest?.time as number;
    // A thousand years of bars would begin before the first moment there is.
    const anchorMs = Math.max(0, newestMs - ANCHOR_BARS * timeframeMs);
    const bars = history.columns(anchorMs, newestMs);
    if (bars === undefined) throw new Error('the newest bar is not in its own history');
    const request = { source: script.content, bars, inputs, symbol: { ticker: symbol }, timeframe: interval };
    const outcome = await runner.run({ ...request, alertsSinceMs: newestMs });
    if (outcome.kind !== 'result') return { kind: 'trial-failed', outcome };
    const deployment: Deployment = {
      id: newId(),
      userId,
      scriptId,
      revision: script.revision,
      name: name ?? script.name,
      symbol,
      market: marketName,
      interval,
      timeframeMs,
      inputs,
      targets,
      state: 'running',
      createdAtMs: timers.nowMs(),
      anchorMs,
      lastRunAtMs: null,
      lastBarTimeMs: newestMs,
      lastError: null,
      failures: 0,
      runs: 0,
      alerts: 0,
    };
    const words = `Deployed revision ${script.revision}; its first bar is the next that closes.`;
    const created = await store.create(deployment, script.content, entry('created', words));
    if (created.kind === 'too-many') return FULL[created.of];
    desk.attach(deployment);
    return { kind: 'found', deployment };
  }

  async function resume(userId: string, id: string): Promise<Found | Missing | Declined> {
    const before = await store.read(userId, id);
    if (before === undefined) return NO_DEPLOYMENT;
    if (before.state === 'running') return { kind: 'found', deployment: before };
    if (owners !== undefined && !(await owners.isOwned(userId))) return { kind: 'no-owner', reason: NO_OWNER };
    const history = await recentBars(before.market, before.timeframeMs);
    if (!(history instanceof BarHistory)) return history;
    const lastBarTimeMs = Math.max(before.lastBarTimeMs, history.newest?.time ?? 0);
    const words = 'Resumed; bars that closed meanwhile do not act.';
    const deployment = await store.resume(userId, id, lastBarTimeMs, entry('resumed', words));
    if (deployment === undefined) return NO_DEPLOYMENT;
    desk.attach(deployment);
    return { kind: 'found', deployment };
  }

  return {
    create,
    resume,
    list: (userId) => store.list(userId),
    all: () => store.all(),
    detach: desk.detach,
    async read(userId, id) {
      return foundOf(await store.read(userId, id));
    },
    async pause(userId, id) {
      const before = await store.read(userId, id);
      if (before === undefined || before.state === 'paused') return foundOf(before);
      const deployment = await store.pause(userId, id, entry('paused', 'Paused; nothing runs until it is resumed.'));
      if (deployment !== undefined) desk.detach(id);
      return foundOf(deployment);
    },
    async remove(userId, id) {
      if (!(await store.remove(userId, id))) return NO_DEPLOYMENT;
      desk.detach(id);
      return { kind: 'removed' };
    },
    async logs(userId, id, limit) {
      const logs = await store.logs(userId, id, limit);
      return logs === undefined ? NO_DEPLOYMENT : { kind: 'logs', logs };
    },
    async start() {
      await watch?.start();
      for (const deployment of await store.running()) desk.attach(deployment);
      post.kick();
    },
    async stop() {
      await watch?.stop();
      await desk.stop();
      await post.stop();
    },
  };
}

const foundOf = (deployment: Deployment | undefined): Found | Missing =>
  deployment === undefined ? NO_DEPLOYMENT : { kind: 'found', deployment };
