// How quick the scripts of deployments are, by their own runs, and how much time those of each owner have taken lately.
//
//   unproven ──its trial or the opening of its run was quick──► quick ──a run that takes longer──► slow
//                                                                 ▲                                 │
//                                                                 └── for an hour, and three of its bars, no such run
//
// Quick ones have a thread of their own, on which nobody's slow script holds them up. Who is not proven to be quick runs
// beside the slow ones. A script that was quick and is not any more holds up the quick ones once; an owner with several of
// those is slow as a whole, since a new deployment would otherwise be a new chance to do so.

import type { Deployment } from './deployment.ts';
import type { Timers } from './ports.ts';

type Paced = Pick<Deployment, 'id' | 'userId' | 'timeframeMs'>;

/** What one run took. */
export interface RunCost {
  /** In its thread. */
  readonly runMs: number;
  /** For bars of other markets, which hold a place but no thread. */
  readonly fetchMs: number;
  /** Whether its history was run for it. */
  readonly isOpening: boolean;
}

/** Some hundred times of what a bar of a usual script takes, and enough to open one over tens of thousands of bars. */
export const QUICK_RUN_MS = 500;
export const QUICK_FETCH_MS = 2000;
const SLOW_FOR_MS = 3_600_000;
const SLOW_FOR_BARS = 3;
/** Of an owner, within an hour. */
const MAX_OVERRUNS = 3;
/** After so long half of the time that an owner used is forgotten. */
const HALF_LIFE_MS = 60_000;

interface Pace {
  opensQuickly: boolean;
  slowUntilMs: number;
}

interface Usage {
  usedMs: number;
  atMs: number;
  /** When a script that counted as quick was not. */
  overrunsAtMs: number[];
}

export class RunPaces {
  readonly #timers: Pick<Timers, 'nowMs'>;
  readonly #paces = new Map<string, Pace>();
  readonly #usage = new Map<string, Usage>();

  constructor(timers: Pick<Timers, 'nowMs'>) {
    this.#timers = timers;
  }

  /** With what its trial took, where it has just had one. */
  begin(id: string, trialMs = Number.POSITIVE_INFINITY): void {
    this.#paces.set(id, { opensQuickly: trialMs <= QUICK_RUN_MS, slowUntilMs: Number.NEGATIVE_INFINITY });
  }

  end(id: string): void {
    this.#paces.delete(id);
    // What an owner used outlives his deployments, but not for ever.
    for (const userId of [...this.#usage.keys()])
      if (this.usedMs(userId) < 1 && this.#overrunsOf(userId).length === 0) this.#usage.delete(userId);
  }

  isQuick({ id, userId }: Pick<Paced, 'id' | 'userId'>): boolean {
    const pace = this.#paces.get(id);
    if (pace === undefined || !pace.opensQuickly || this.#timers.nowMs() < pace.slowUntilMs) return false;
    return this.#overrunsOf(userId).length < MAX_OVERRUNS;
  }

  note({ id, userId, timeframeMs }: Paced, { runMs, fetchMs, isOpening }: RunCost): void {
    const nowMs = this.#timers.nowMs();
    const usedMs = this.usedMs(userId) + runMs + fetchMs;
    const overrunsAtMs = this.#overrunsOf(userId);
    const isSlow = runMs > QUICK_RUN_MS || fetchMs > QUICK_FETCH_MS;
    if (isSlow && this.isQuick({ id, userId })) overrunsAtMs.push(nowMs);
    this.#usage.set(userId, { usedMs, atMs: nowMs, overrunsAtMs });
    const pace = this.#paces.get(id);
    if (pace === undefined) return;
    if (isOpening) pace.opensQuickly = !isSlow;
    if (isSlow) pace.slowUntilMs = nowMs + Math.max(SLOW_FOR_MS, SLOW_FOR_BARS * timeframeMs);
  }

  /** What the runs of an owner took lately: the longer ago, the less it counts. */
  usedMs(userId: string): number {
    const usage = this.#usage.get(userId);
    if (usage === undefined) return 0;
    const sinceMs = Math.max(0, this.#timers.nowMs() - usage.atMs);
    return usage.usedMs * 0.5 ** (sinceMs / HALF_LIFE_MS);
  }

  #overrunsOf(userId: string): number[] {
    const nowMs = this.#timers.nowMs();
    return this.#usage.get(userId)?.overrunsAtMs.filter((atMs) => nowMs - atMs < SLOW_FOR_MS) ?? [];
  }
}
