// A user's live deployments: made after a trial run, listed, paused, resumed, removed, and kept running across restarts.

import { BarHistory } from './bar-history.ts';
import { BarSources, type BarSourcesParts, barsInWords } from './bar-sources.ts';
import { DeliveryQueue } from './delivery-queue.ts';
import { type Deployment, type LogEntry, MAX_IN_ALL, MAX_PER_USER } from './deployment.ts';
import type { DeploymentStore } from './deployment-store.ts';
import { createDriftWatch, type DriftWatch } from './drift-watch.ts';
import { type Held, heldBy, removalWords } from './held-position.ts';
import { continuing, type NewDeployment, ownIdOf, type TrialParts, tryDeployment } from './new-deployment.ts';
import { closedAlertIds } from './opinions/closed-alerts.ts';
import { type FoundOpinions, findOpinions } from './opinions/found-opinions.ts';
import type { OpinionStore } from './opinions/opinion-store.ts';
import { OpinionWatch, withOpinions } from './opinions/opinion-watch.ts';
import { takenNameFault } from './opinions/taken-name.ts';
import { createOwnerWatch, NO_OWNER, type OwnerWatch } from './owner-watch.ts';
import type { AlertArrivals, BarSource, DeploymentAlarms, DeploymentLog, Owners, StrategyBooks } from './ports.ts';
import { positionSinceMs } from './position-since.ts';
import { Scheduler } from './scheduler.ts';
import { sharedBookWarning } from './shared-book.ts';
import type { TradePort } from './targets.ts';
import { toldPositionOf } from './told-position.ts';
import { type Declined, recentBars, type TrialFailed } from './trial-run.ts';

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

/** By what was sent under the same key earlier. */
export interface MadeBefore {
  readonly kind: 'made-before';
  readonly id: string;
}

type Creation = Deployed | MadeBefore | Missing | Declined | TrialFailed;

export interface Deployments {
  create(userId: string, wanted: NewDeployment): Promise<Creation>;
  list(userId: string): Promise<readonly Deployment[]>;
  /** Everybody's, for the operator. */
  all(): Promise<readonly Deployment[]>;
  read(userId: string, id: string): Promise<Found | Missing>;
  /** Since when it has held its position; null where it holds none, or nobody knows. */
  positionSinceMs(deployment: Deployment): Promise<number | null>;
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

export interface DeploymentsOptions extends Omit<TrialParts, 'market'>, BarSourcesParts {
  readonly store: DeploymentStore;
  readonly log: DeploymentLog;
  /** Left out where there is no key store: then nobody can tell whether a key still works, and none is asked about. */
  readonly owners?: Owners | undefined;
  /** Left out where no gateway trades. */
  readonly books?: StrategyBooks | undefined;
  readonly alarms?: DeploymentAlarms | undefined;
  readonly opinions: OpinionStore;
  /** What came in there, and what trades; left out where no gateway runs. */
  readonly gateway?: (AlertArrivals & Pick<TradePort, 'trade'>) | undefined;
}

const NO_DEPLOYMENT: Missing = { kind: 'missing', what: 'deployment' };
const TOO_MANY = {
  user: `There are ${MAX_PER_USER} deployments of this key already; remove one first.`,
  all: `This Signalbox runs ${MAX_IN_ALL} deployments already, which is all it can; remove one first.`,
};
const FULL: Record<keyof typeof TOO_MANY, Declined> = {
  user: { kind: 'too-many', reason: TOO_MANY.user },
  all: { kind: 'too-many', reason: TOO_MANY.all },
};

const NOT_DRY =
  'replaces: it trades already, and only a dry run holds nothing that could be lost; pause and remove it by itself.';

export const createDeployments = (options: DeploymentsOptions): Deployments => new LiveDeployments(options);

class LiveDeployments implements Deployments {
  readonly #options: DeploymentsOptions;
  readonly #store: DeploymentStore;
  readonly #sources: BarSources;
  readonly #queue: DeliveryQueue;
  readonly #scheduler: Scheduler;
  readonly #watch: OwnerWatch | undefined;
  readonly #drift: DriftWatch | undefined;
  readonly #opinions: OpinionWatch | undefined;

  constructor(options: DeploymentsOptions) {
    const { store, runner, infoOf, timers, log, owners, books, alarms, opinions, gateway, sender } = options;
    this.#options = options;
    this.#store = store;
    this.#sources = new BarSources(options);
    const lookedAtMs = (id: string) => this.#scheduler.lookedAtMs(id);
    this.#opinions = gateway && new OpinionWatch({ store, opinions, gateway, timers, log, alarms, lookedAtMs });
    this.#queue = new DeliveryQueue(
      this.#opinions ? { ...options, sender: withOpinions(sender, this.#opinions) } : options,
    );
    const told = { onEvents: () => this.#tellEvents(), alertIdsOf: closedAlertIds };
    this.#scheduler = new Scheduler({ store, runner, infoOf, timers, log, alarms, ...told });
    this.#drift = books && createDriftWatch({ store, books, timers, log, alarms });
    this.#watch = owners && createOwnerWatch({ store, owners, timers, log, onPaused: (id) => this.#onKeyEnded(id) });
  }

  async create(userId: string, asked: NewDeployment): Promise<Creation> {
    const ownId = ownIdOf(userId, asked);
    const before = ownId && (await this.#store.read(userId, ownId));
    if (before) return { kind: 'made-before', id: before.id };
    const replaced = await this.#replacedBy(userId, asked);
    if (replaced !== undefined && 'kind' in replaced) return replaced;
    const wanted = continuing(asked, replaced);
    // Before the costly part; the store looks again in the step that counts.
    if ((await this.#store.list(userId)).length - (replaced ? 1 : 0) >= MAX_PER_USER) return FULL.user;
    const market = this.#sources.of(wanted);
    if (typeof market === 'string') return { kind: 'foreign-bars', reason: market };
    const tried = await tryDeployment({ ...this.#options, market }, userId, wanted);
    if (tried.kind === 'no-script') return { kind: 'missing', what: 'script' };
    if (tried.kind !== 'tried') return tried;
    const others = (await this.#store.all()).filter(({ id }) => id !== replaced?.id);
    const taken = takenNameFault(userId, wanted.targets, others);
    if (taken !== undefined) return { kind: 'bad-target', reason: taken };
    const { deployment, source, libraries, trialMs } = tried;
    const shared = sharedBookWarning(deployment, others);
    const warnings = shared === undefined ? tried.warnings : [...tried.warnings, shared];
    const first = `Deployed revision ${deployment.revision} on ${barsInWords(market.name)}; its first bar is the next that closes.`;
    const place = replaced ? ['It takes the place of a dry run, whose log stands before this line.'] : [];
    const entry = this.#entry('created', [first, ...place, ...warnings].join(' '));
    const created = await this.#store.create(deployment, source, entry, libraries, replaced?.id);
    if (created.kind === 'known') return { kind: 'made-before', id: deployment.id };
    if (created.kind === 'gone') return NO_DEPLOYMENT;
    if (created.kind === 'too-many') return FULL[created.of];
    if (replaced !== undefined) this.#scheduler.detach(replaced.id);
    this.#scheduler.attach(deployment, market, { trialMs });
    return { kind: 'found', deployment, warnings };
  }

  /** Undefined where it takes nobody's place. */
  async #replacedBy(userId: string, { replaces }: NewDeployment): Promise<Deployment | Missing | Declined | undefined> {
    if (replaces === undefined) return undefined;
    const found = await this.#store.read(userId, replaces);
    if (found === undefined) return NO_DEPLOYMENT;
    return found.mode === 'trade' ? { kind: 'not-dry', reason: NOT_DRY } : found;
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

  async positionSinceMs(deployment: Deployment): Promise<number | null> {
    return positionSinceMs(deployment, await this.#store.orderEvents(deployment.id));
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
    const market = this.#sources.of(before);
    if (typeof market === 'string') return { kind: 'foreign-bars', reason: market };
    const history = await recentBars({ ...this.#options, market }, before.market, before.timeframeMs);
    if (!(history instanceof BarHistory)) return history;
    const newestMs = history.newest?.time ?? 0;
    // What a strategy left meanwhile is made up: its bars are dealt with when they were run.
    const hasExits = toldPositionOf(before) !== null;
    const meanwhile = hasExits
      ? 'of bars that closed meanwhile only exits act'
      : 'bars that closed meanwhile do not act';
    const lastBarTimeMs = hasExits ? before.lastBarTimeMs : Math.max(before.lastBarTimeMs, newestMs);
    const entry = this.#entry('resumed', `Resumed; ${meanwhile}.`);
    await this.#noteBars(before, market);
    const deployment = await this.#store.resume(userId, id, lastBarTimeMs, entry);
    if (deployment === undefined) return NO_DEPLOYMENT;
    this.#scheduler.attach(deployment, market, { pausedUntilMs: newestMs });
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
    for (const deployment of await this.#store.running()) {
      const market = this.#sources.of(deployment);
      if (typeof market === 'string') {
        await this.#pauseForeign(deployment, market);
        continue;
      }
      await this.#noteBars(deployment, market);
      this.#scheduler.attach(deployment, market);
    }
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

  /** On paper MARKET_DATA may have changed since it last ran. */
  async #noteBars({ id, barsFrom }: Deployment, { name }: BarSource): Promise<void> {
    if (barsFrom !== name) await this.#store.setBarsFrom(id, name);
  }

  /** The settings were changed since it was made: not a bar of the wrong market is run. */
  async #pauseForeign({ userId, id, name }: Deployment, reason: string): Promise<void> {
    const { log, alarms } = this.#options;
    await this.#store.pause(userId, id, this.#entry('paused', `Paused. ${reason}`), reason);
    log.warn({ deployment: id, user: userId, reason }, 'a deployment is paused: it has no bars of its own venue');
    alarms?.raise(`paused deployment ${id}`, `The deployment "${name}" is paused. ${reason}`);
  }

  #onKeyEnded(id: string): void {
    this.#scheduler.detach(id);
    this.#drift?.kick();
  }

  #tellEvents(): void {
    this.#queue.kick();
    this.#drift?.kick();
  }

  #entry(kind: LogEntry['kind'], message: string): LogEntry {
    return { atMs: this.#options.timers.nowMs(), kind, message };
  }
}

const foundOf = (deployment: Deployment | undefined): Found | Missing =>
  deployment === undefined ? NO_DEPLOYMENT : { kind: 'found', deployment };
