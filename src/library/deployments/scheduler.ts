// Runs each deployment when a bar of its market has closed, and on ticks where they can change anything. Deployments on the same
// market and timeframe share one stream of bars.

import { errorText } from '../../errors/error-text.ts';
import { type BarRunParts, createBarRun, type IsCurrent } from './bar-run.ts';
import { BarWatch } from './bar-watch.ts';
import type { Deployment } from './deployment.ts';
import type { DeploymentStore } from './deployment-store.ts';
import { FairQueue, type Member, type Task } from './fair-queue.ts';
import { type Closing, MarketTrack } from './market-track.ts';
import type {
  BarSource,
  DeploymentAlarms,
  DeploymentLog,
  DeploymentRunner,
  MarketBar,
  MarketInfo,
  Timers,
} from './ports.ts';
import { RequestedBars } from './requested-bars.ts';
import { RunPaces } from './run-pace.ts';
import { createTickRun } from './tick-run.ts';

export interface SchedulerOptions {
  readonly store: DeploymentStore;
  readonly runner: DeploymentRunner;
  readonly infoOf: MarketInfo;
  readonly timers: Timers;
  readonly log: DeploymentLog;
  readonly alarms?: DeploymentAlarms | undefined;
  readonly onEvents: () => void;
  readonly alertIdsOf: BarRunParts['alertIdsOf'];
}

/** Each kind has one thread: while one runs in it, the others read what they need. Who is slow holds up fewer of them. */
const PLACES = { quick: 4, slow: 2 };
const PAUSED = 'the deployment did not run';
/** Bars of one deployment that wait for their run; those that give way are told of as missed. */
const MAX_WAITING_BARS = 100;

interface Attachment {
  /** What its trial took, where it has just had one. */
  readonly trialMs?: number;
  /** The newest bar that closed before it was resumed: of bars up to there only exits act. */
  readonly pausedUntilMs?: number;
}

/** One market and timeframe of one source, with the deployments that run on its bars. */
interface Place {
  readonly track: MarketTrack;
  /** Bars of other markets come from where its own come. */
  readonly requested: RequestedBars;
  readonly barRun: ReturnType<typeof createBarRun>;
  readonly tickRun: ReturnType<typeof createTickRun>;
  /** The start of the history of each deployment, by id. */
  readonly anchors: Map<string, number>;
  /** As it was last told. */
  forming: MarketBar | undefined;
  /** When its price or a close was last told. */
  lookedAtMs: number | undefined;
}

export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #places = new Map<string, Place>();
  readonly #placeOf = new Map<string, string>();
  readonly #members = new Map<string, Member>();
  readonly #paces: RunPaces;
  /** By deployment, the newest bar that closed before it was resumed. */
  readonly #pausedUntil = new Map<string, number>();
  readonly #queue: FairQueue;
  readonly #watch = new BarWatch();
  /** Deployments for which a look at the forming bar waits for its turn. */
  readonly #ticking = new Set<string>();

  constructor(options: SchedulerOptions) {
    const { timers } = options;
    this.#options = options;
    this.#paces = new RunPaces(timers);
    this.#queue = new FairQueue({ places: PLACES, maxWaiting: MAX_WAITING_BARS, timers, paces: this.#paces });
  }

  /** From now on its bars are run. */
  attach(deployment: Deployment, source: BarSource, { trialMs, pausedUntilMs }: Attachment = {}): void {
    const { id, userId, anchorMs, timeframeMs, lastBarTimeMs } = deployment;
    const key = `${source.name} ${source.isOwn} ${deployment.market} ${timeframeMs}`;
    const place = this.#places.get(key) ?? this.#openPlace(key, deployment, source);
    place.anchors.set(id, anchorMs);
    this.#placeOf.set(id, key);
    this.#members.set(id, { id, userId, timeframeMs, isTrading: isTrading(deployment) });
    this.#paces.begin(id, trialMs);
    this.#watch.begin(id, this.#options.timers.nowMs());
    if (pausedUntilMs !== undefined) this.#pausedUntil.set(id, pausedUntilMs);
    place.track.want(anchorMs);
    // A bar that closed between the making of the deployment and this moment.
    const { latest } = place.track;
    if (latest !== undefined && latest.barTimeMs > lastBarTimeMs) this.#run(id, place, latest);
  }

  detach(id: string): void {
    this.#queue.drop(id);
    this.#ticking.delete(id);
    this.#watch.end(id);
    this.#paces.end(id);
    this.#members.delete(id);
    this.#pausedUntil.delete(id);
    const key = this.#placeOf.get(id);
    const place = key === undefined ? undefined : this.#places.get(key);
    if (key === undefined || place === undefined) return;
    this.#placeOf.delete(id);
    place.requested.forget(id);
    place.anchors.delete(id);
    if (place.anchors.size > 0) return;
    place.track.close();
    this.#places.delete(key);
  }

  /** When the market of a deployment was last seen to move; undefined where it is not followed, or has not moved yet. */
  lookedAtMs(id: string): number | undefined {
    return this.#places.get(this.#placeOf.get(id) ?? '')?.lookedAtMs;
  }

  async stop(): Promise<void> {
    for (const { track } of this.#places.values()) track.close();
    this.#places.clear();
    await this.#queue.stop();
  }

  #openPlace(key: string, { market, timeframeMs }: Deployment, source: BarSource): Place {
    const { timers, log, alarms } = this.#options;
    const requested = new RequestedBars(source);
    const parts = {
      ...{ ...this.#options, requested, paces: this.#paces, watch: this.#watch },
      onChange: (id: string) => void this.#refresh(id),
    };
    const told = {
      onClosing: (closing: Closing): void => {
        place.lookedAtMs = timers.nowMs();
        for (const id of place.anchors.keys()) this.#run(id, place, closing);
      },
      onTick: (bar: MarketBar): void => {
        place.forming = bar;
        place.lookedAtMs = timers.nowMs();
        for (const id of place.anchors.keys()) this.#tick(id, place);
      },
      onBreak: (): void => {
        for (const id of place.anchors.keys()) this.#watch.begin(id, timers.nowMs());
      },
    };
    const track = new MarketTrack({ market, timeframeMs, source, timers, log, alarms, ...told });
    const runs = { requested, barRun: createBarRun(parts), tickRun: createTickRun(parts) };
    const place: Place = { track, ...runs, anchors: new Map(), forming: undefined, lookedAtMs: undefined };
    this.#places.set(key, place);
    return place;
  }

  #run(id: string, { track, barRun }: Place, closing: Closing): void {
    const isOfPause = closing.barTimeMs <= (this.#pausedUntil.get(id) ?? Number.NEGATIVE_INFINITY);
    const own = isOfPause ? { ...closing, isFresh: false, missedWhy: PAUSED } : closing;
    this.#add(id, barRun(id, own, track.history, this.#isCurrent(id)));
  }

  /** One at a time for each deployment: it looks at the bar as it is when its turn comes. */
  #tick(id: string, place: Place): void {
    const nowMs = this.#options.timers.nowMs();
    this.#watch.notice(id, (place.forming as MarketBar).time, nowMs);
    if (this.#ticking.has(id) || !this.#watch.awaitsTicks(id)) return;
    this.#ticking.add(id);
    const look = place.tickRun(id, nowMs, () => place.forming as MarketBar, place.track.history, this.#isCurrent(id));
    this.#add(id, () => {
      this.#ticking.delete(id);
      return look();
    });
  }

  /** Until it is detached, though it may be attached again. */
  #isCurrent(id: string): IsCurrent {
    const member = this.#members.get(id);
    return () => this.#members.get(id) === member;
  }

  #add(id: string, task: Task): void {
    const member = this.#members.get(id);
    if (member !== undefined) this.#queue.add(member, task);
  }

  /** After its anchor moved or it was stopped: bars that nobody looks at any more are let go. */
  async #refresh(id: string): Promise<void> {
    const { store, log } = this.#options;
    const found = await store.current(id).catch((error: unknown) => {
      log.warn({ deployment: id, reason: errorText(error) }, 'a deployment cannot be read');
      return undefined;
    });
    if (found === undefined) return;
    if (found.deployment.state !== 'running') return this.detach(id);
    const place = this.#places.get(this.#placeOf.get(id) ?? '');
    if (place === undefined || !place.anchors.has(id)) return;
    place.anchors.set(id, found.deployment.anchorMs);
    place.track.history.forgetBefore(Math.min(...place.anchors.values()));
  }
}

const isTrading = ({ mode, targets }: Deployment): boolean =>
  mode === 'trade' && targets.some(({ type }) => type === 'trade');
