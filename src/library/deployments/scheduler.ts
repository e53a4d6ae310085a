// Runs each deployment when a bar of its market has closed. Deployments on the same market and timeframe share one stream of bars.

import { errorText } from '../../errors/error-text.ts';
import { createBarRun } from './bar-run.ts';
import type { Deployment } from './deployment.ts';
import type { DeploymentStore } from './deployment-store.ts';
import { FairQueue } from './fair-queue.ts';
import { type Closing, MarketTrack } from './market-track.ts';
import type { AlertRunner, DeploymentLog, MarketBars, Timers } from './ports.ts';
import { RequestedBars } from './requested-bars.ts';

export interface SchedulerOptions {
  readonly store: DeploymentStore;
  readonly runner: AlertRunner;
  readonly market: MarketBars;
  readonly timers: Timers;
  readonly log: DeploymentLog;
  readonly onEvents: () => void;
}

export interface Scheduler {
  /** From now on its bars are run. */
  attach(deployment: Deployment): void;
  detach(id: string): void;
  stop(): Promise<void>;
}

/** The pool of threads serves people who wait for their answers too; half of a small one is left to them. */
const RUNS_AT_ONCE = 2;
/** Bars of one deployment that wait for their run; those that give way are told of as missed. */
const MAX_WAITING_BARS = 100;

/** One market and timeframe with the deployments that run on its bars. */
interface Place {
  readonly track: MarketTrack;
  /** The start of the history of each deployment, by id. */
  readonly anchors: Map<string, number>;
}

export function createScheduler({ store, runner, market, timers, log, onEvents }: SchedulerOptions): Scheduler {
  const places = new Map<string, Place>();
  const placeOf = new Map<string, string>();
  const queue = new FairQueue({ atOnce: RUNS_AT_ONCE, maxWaiting: MAX_WAITING_BARS, timers });
  const requested = new RequestedBars(market);
  const barRun = createBarRun({ store, runner, requested, timers, log, onEvents, onChange: (id) => void refresh(id) });

  function run(id: string, { track }: Place, closing: Closing): void {
    queue.add(id, barRun(id, closing, track.history));
  }

  function openPlace(key: string, { market: name, timeframeMs }: Deployment): Place {
    const onClosing = (closing: Closing): void => {
      for (const id of place.anchors.keys()) run(id, place, closing);
    };
    const track = new MarketTrack({ market: name, timeframeMs, source: market, timers, log, onClosing });
    const place: Place = { track, anchors: new Map() };
    places.set(key, place);
    return place;
  }

  function attach(deployment: Deployment): void {
    const { id, anchorMs, timeframeMs, lastBarTimeMs } = deployment;
    const key = `${deployment.market} ${timeframeMs}`;
    const place = places.get(key) ?? openPlace(key, deployment);
    place.anchors.set(id, anchorMs);
    placeOf.set(id, key);
    place.track.want(anchorMs);
    // A bar that closed between the making of the deployment and this moment.
    const { latest } = place.track;
    if (latest !== undefined && latest.barTimeMs > lastBarTimeMs) run(id, place, latest);
  }

  function detach(id: string): void {
    queue.drop(id);
    requested.forget(id);
    const key = placeOf.get(id);
    const place = key === undefined ? undefined : places.get(key);
    if (key === undefined || place === undefined) return;
    placeOf.delete(id);
    place.anchors.delete(id);
    if (place.anchors.size > 0) return;
    place.track.close();
    places.delete(key);
  }

  /** After its anchor moved or it was stopped: bars that nobody looks at any more are let go. */
  async function refresh(id: string): Promise<void> {
    const found = await store.current(id).catch((error: unknown) => {
      log.warn({ deployment: id, reason: errorText(error) }, 'a deployment cannot be read');
      return undefined;
    });
    if (found === undefined) return;
    if (found.deployment.state !== 'running') return detach(id);
    const place = places.get(placeOf.get(id) ?? '');
    if (place === undefined || !place.anchors.has(id)) return;
    place.anchors.set(id, found.deployment.anchorMs);
    place.track.history.forgetBefore(Math.min(...place.anchors.values()));
  }

  return {
    attach,
    detach,
    async stop() {
      for (const { track } of places.values()) track.close();
      places.clear();
      await queue.stop();
    },
  };
}
