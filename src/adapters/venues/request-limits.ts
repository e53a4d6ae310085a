// Keeps our requests within a venue's limits, so that it never has to refuse one: too many, and it bans the address for minutes.
//
// Each limit allows so much within any stretch of its length. What others send with the same key or from the same address shows in
// the venue's own counts, which come with its answers: `learn` takes them in.

import type { Timers } from '../../timing/timers.ts';
import { VenueError } from '../../trading/venue.ts';

export interface RequestLimit {
  readonly name: string;
  readonly most: number;
  readonly windowMs: number;
}

export interface RequestLimitsOptions {
  /** As people write it: Binance. */
  readonly title: string;
  readonly limits: readonly RequestLimit[];
  /** Who cannot be served within this hears so at once: nothing was sent then. */
  readonly maxWaitMs: number;
  readonly monotonicMs: () => number;
  readonly timers: Pick<Timers, 'after'>;
}

type Cost = Readonly<Record<string, number>>;

interface Waiting {
  readonly cost: Cost;
  readonly untilMs: number;
  readonly go: () => void;
  readonly fail: (error: VenueError) => void;
}

/** What was used of one limit, and when. */
class Usage {
  readonly limit: RequestLimit;
  readonly #spent: { readonly atMs: number; readonly amount: number }[] = [];
  #sum = 0;

  constructor(limit: RequestLimit) {
    this.limit = limit;
  }

  /** When so much more may be spent; now or earlier where it may be at once. */
  freeAtMs(amount: number, nowMs: number): number {
    this.#forget(nowMs);
    let over = this.#sum + amount - this.limit.most;
    // More than the limit allows at all goes alone.
    if (amount > this.limit.most) over = this.#sum;
    for (const { atMs, amount: spent } of this.#spent) {
      if (over <= 0) break;
      over -= spent;
      if (over <= 0) return atMs + this.limit.windowMs;
    }
    return nowMs;
  }

  spend(amount: number, nowMs: number): void {
    if (amount <= 0) return;
    this.#spent.push({ atMs: nowMs, amount });
    this.#sum += amount;
  }

  /** The venue has counted so much in its window that began at most one window ago. */
  learn(counted: number, nowMs: number): void {
    this.#forget(nowMs);
    this.spend(counted - this.#sum, nowMs);
  }

  #forget(nowMs: number): void {
    while (this.#spent[0] !== undefined && this.#spent[0].atMs + this.limit.windowMs <= nowMs)
      this.#sum -= this.#spent.shift()?.amount ?? 0;
  }
}

export class RequestLimits {
  readonly #options: RequestLimitsOptions;
  readonly #usages: ReadonlyMap<string, Usage>;
  /** In the order they came. */
  readonly #waiting = new Set<Waiting>();
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #cancelTimer: (() => void) | undefined;

  constructor(options: RequestLimitsOptions) {
    this.#options = options;
    this.#usages = new Map(options.limits.map((limit) => [limit.name, new Usage(limit)]));
  }

  /** Resolves when a request of this cost may be sent; rejects with `not-sent` where that would take too long. */
  take(cost: Cost): Promise<void> {
    const { monotonicMs, maxWaitMs } = this.#options;
    return new Promise<void>((resolve, reject) => {
      this.#waiting.add({ cost, untilMs: monotonicMs() + maxWaitMs, go: resolve, fail: reject });
      this.#pump();
    });
  }

  /** The venue's own count of one limit. */
  learn(name: string, counted: number): void {
    if (Number.isFinite(counted)) this.#usages.get(name)?.learn(counted, this.#options.monotonicMs());
  }

  /** The venue wants silence for so long. */
  pause(pauseMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#options.monotonicMs() + pauseMs);
  }

  /** Whoever waits for a limit holds up those who came later and need the same one: a large request must not starve. */
  #pump(): void {
    const { monotonicMs, timers, title } = this.#options;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const nowMs = monotonicMs();
    const awaited = new Set<string>();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const waiting of [...this.#waiting]) {
      const { cost, untilMs, go, fail } = waiting;
      const names = Object.keys(cost);
      const freeMs = this.#freeAtMs(cost, nowMs);
      if (freeMs > untilMs) {
        this.#waiting.delete(waiting);
        const seconds = Math.ceil((freeMs - nowMs) / 1000);
        fail(new VenueError('not-sent', `${title} takes no more requests for another ${seconds} s; nothing was sent`));
      } else if (freeMs > nowMs || names.some((name) => awaited.has(name))) {
        for (const name of names) awaited.add(name);
        nextMs = Math.min(nextMs, freeMs > nowMs ? freeMs : nextMs);
      } else {
        this.#waiting.delete(waiting);
        for (const [name, amount] of Object.entries(cost)) this.#usages.get(name)?.spend(amount, nowMs);
        go();
      }
    }
    if (nextMs < Number.POSITIVE_INFINITY) this.#cancelTimer = timers.after(nextMs - nowMs, () => this.#pump());
  }

  #freeAtMs(cost: Cost, nowMs: number): number {
    const times = Object.entries(cost).map(
      ([name, amount]) => this.#usages.get(name)?.freeAtMs(amount, nowMs) ?? nowMs,
    );
    return Math.max(this.#pausedUntilMs, nowMs, ...times);
  }
}
