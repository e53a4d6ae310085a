// Keeps our requests within a venue's limits, so that it never has to refuse one: too many, and it bans the address for minutes.
//
// Each limit allows so much within any stretch of its length. The venue counts a request when it arrives, which nobody here knows; it
// was before the answer, so a request counts from its sending until its answer is a whole stretch old. Then two requests can never be
// closer to each other at the venue than they seem here. What others send with the same key or from the same address shows in the
// venue's own counts, which come with its answers: `learn` takes them in.
//
// Where a limit is short, requests that close or guard a position go first, and a part of the limit is theirs alone, or the others are
// spread evenly: a flood of entries does not make a stop wait.

import type { Timers } from '../../timing/timers.ts';
import { VenueError } from '../../trading/venue.ts';
import { HostSilences, type Silence } from '../host-silences.ts';

export interface RequestLimit {
  readonly name: string;
  readonly most: number;
  readonly windowMs: number;
  /** So much of it is used by urgent requests only. */
  readonly kept?: number;
  /**
   * Once so much is used, requests that are not urgent go one by one, evenly over the window: then room comes evenly too, and an
   * urgent one never waits for a whole window. For limits so small that nothing can be kept.
   */
  readonly pacedAfter?: number;
}

export interface RequestLimitsOptions {
  /** As people write it: Binance. */
  readonly title: string;
  readonly limits: readonly RequestLimit[];
  /** That its host wants, whoever was told so; its own when left out. */
  readonly silence?: Silence;
  /** Who cannot be served within this hears so at once: nothing was sent then. */
  readonly maxWaitMs: number;
  readonly monotonicMs: () => number;
  readonly timers: Pick<Timers, 'after'>;
}

type Cost = Readonly<Record<string, number>>;

/** To be called when the answer of a request is there, or will never be. */
export type Answered = () => void;

interface Waiting {
  readonly cost: Cost;
  readonly isUrgent: boolean;
  readonly untilMs: number;
  readonly go: (answered: Answered) => void;
  readonly fail: (error: VenueError) => void;
}

/** Closer to each other than even: one that was late must not hold up all who come after it. */
const PACE = 0.6;

/** What was used of one limit, and when. */
class Usage {
  readonly limit: RequestLimit;
  /** Of requests that have their answers, in the order of these. */
  readonly #spent: { readonly atMs: number; readonly amount: number }[] = [];
  #sum = 0;
  /** Of requests without an answer yet. */
  #underWay = 0;
  #beganMs = Number.NEGATIVE_INFINITY;

  constructor(limit: RequestLimit) {
    this.limit = limit;
  }

  /** When so much more may be spent, as far as it is known; now or earlier where it may be at once. */
  freeAtMs(amount: number, isUrgent: boolean, nowMs: number): number {
    this.#forget(nowMs);
    const { most: all, kept = 0, windowMs, pacedAfter = all } = this.limit;
    const most = isUrgent ? all : all - kept;
    const used = this.#sum + this.#underWay;
    const pacedMs = isUrgent || used < pacedAfter ? nowMs : this.#beganMs + (PACE * windowMs) / all;
    // More than the limit allows at all goes alone.
    let over = amount > most ? used : used + amount - most;
    if (over <= 0) return pacedMs;
    for (const { atMs, amount: spent } of this.#spent) {
      over -= spent;
      if (over <= 0) return Math.max(atMs + windowMs, pacedMs);
    }
    // One that is under way counts until its answer is a whole window old: before that there is no room, however soon it is answered.
    return nowMs + windowMs;
  }

  begin(amount: number, nowMs: number): void {
    this.#underWay += amount;
    this.#beganMs = nowMs;
  }

  end(amount: number, nowMs: number): void {
    this.#underWay -= amount;
    this.#spend(amount, nowMs);
  }

  /** The venue has counted so much in its window that began at most one window ago. */
  learn(counted: number, nowMs: number): void {
    this.#forget(nowMs);
    this.#spend(counted - this.#sum - this.#underWay, nowMs);
  }

  #spend(amount: number, nowMs: number): void {
    if (amount <= 0) return;
    this.#spent.push({ atMs: nowMs, amount });
    this.#sum += amount;
  }

  #forget(nowMs: number): void {
    while (this.#spent[0] !== undefined && this.#spent[0].atMs + this.limit.windowMs <= nowMs)
      this.#sum -= this.#spent.shift()?.amount ?? 0;
  }
}

export class RequestLimits {
  readonly #options: RequestLimitsOptions;
  readonly #silence: Silence;
  readonly #usages: ReadonlyMap<string, Usage>;
  /** In the order they came. */
  readonly #waiting = new Set<Waiting>();
  #cancelTimer: (() => void) | undefined;

  constructor(options: RequestLimitsOptions) {
    this.#options = options;
    this.#silence = options.silence ?? new HostSilences(options.monotonicMs).of('http://venue');
    this.#usages = new Map(options.limits.map((limit) => [limit.name, new Usage(limit)]));
  }

  /**
   * Resolves when a request of this cost may be sent; rejects with `not-sent` where that would take longer than anybody waits, or
   * longer than this one may (`atMostMs`). What it resolves with must be called when the request is over.
   */
  take(cost: Cost, { isUrgent = false, atMostMs = Number.POSITIVE_INFINITY } = {}): Promise<Answered> {
    const { monotonicMs, maxWaitMs } = this.#options;
    const untilMs = monotonicMs() + Math.max(0, Math.min(maxWaitMs, atMostMs));
    return new Promise<Answered>((resolve, reject) => {
      this.#waiting.add({ cost, isUrgent, untilMs, go: resolve, fail: reject });
      this.#pump();
    });
  }

  /** The venue's own count of one limit. */
  learn(name: string, counted: number): void {
    if (Number.isFinite(counted)) this.#usages.get(name)?.learn(counted, this.#options.monotonicMs());
  }

  /** The venue wants silence for so long. */
  pause(pauseMs: number): void {
    this.#silence.keep(pauseMs);
  }

  /**
   * Whoever waits for a limit holds up those who come after him and need the same one: a large request must not starve. Limits that
   * have room for him he leaves to others, or one that is short would hold up every kind of request.
   */
  #pump(): void {
    const { monotonicMs, timers, title } = this.#options;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const nowMs = monotonicMs();
    const awaited = new Set<string>();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const waiting of this.#inOrder()) {
      const { cost, untilMs, go, fail } = waiting;
      const times = this.#freeTimes(waiting, nowMs);
      const freeMs = Math.max(this.#silence.untilMs(), nowMs, ...times.values());
      if (freeMs > untilMs) {
        this.#waiting.delete(waiting);
        const seconds = Math.ceil((freeMs - nowMs) / 1000);
        fail(new VenueError('not-sent', `${title} takes no more requests for another ${seconds} s; nothing was sent`));
      } else if (freeMs > nowMs || [...times.keys()].some((name) => awaited.has(name))) {
        for (const [name, atMs] of times) if (atMs > nowMs) awaited.add(name);
        nextMs = Math.min(nextMs, freeMs > nowMs ? freeMs : nextMs);
      } else {
        this.#waiting.delete(waiting);
        go(this.#begin(cost));
      }
    }
    if (nextMs < Number.POSITIVE_INFINITY) this.#cancelTimer = timers.after(nextMs - nowMs, () => this.#pump());
  }

  /** The urgent ones first, each kind in the order they came. */
  #inOrder(): readonly Waiting[] {
    const all = [...this.#waiting];
    return [...all.filter(({ isUrgent }) => isUrgent), ...all.filter(({ isUrgent }) => !isUrgent)];
  }

  #begin(cost: Cost): Answered {
    const { monotonicMs } = this.#options;
    const beganMs = monotonicMs();
    for (const [name, amount] of Object.entries(cost)) this.#usages.get(name)?.begin(amount, beganMs);
    return () => {
      const nowMs = monotonicMs();
      for (const [name, amount] of Object.entries(cost)) this.#usages.get(name)?.end(amount, nowMs);
      if (this.#waiting.size > 0) this.#pump();
    };
  }

  /** When each limit that it needs has room for it. */
  #freeTimes({ cost, isUrgent }: Waiting, nowMs: number): ReadonlyMap<string, number> {
    return new Map(
      Object.entries(cost).map(([name, amount]) => [
        name,
        this.#usages.get(name)?.freeAtMs(amount, isUrgent, nowMs) ?? nowMs,
      ]),
    );
  }
}
