// What was really seen of one market while its stream of minute bars was followed: how low and how high, and since when.

import type { BarFeed, LiveBar } from '../../market-data/bar-feed.ts';

export interface Extremes {
  readonly low: number;
  readonly high: number;
}

interface Sight extends Extremes {
  readonly atMs: number;
}

const MINUTE_MS = 60_000;
/** What was seen longer ago is forgotten; whoever asks about it is answered from the history. */
const KEPT_MS = 15 * MINUTE_MS;
/** Four a second is the fastest any venue sends. */
const MAX_SIGHTS = 4 * 60 * 15;

export class MarketWatch {
  readonly #nowMs: () => number;
  readonly #stream: { close(): void };
  #sights: Sight[] = [];
  #lastBar: LiveBar | undefined;
  #sinceMs: number | undefined;
  #isLive = false;

  constructor(follow: BarFeed['follow'], market: string, nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#stream = follow(market, MINUTE_MS, {
      onState: (state) => {
        this.#isLive = state === 'live';
        if (this.#isLive) return;
        this.#sinceMs = undefined;
        this.#lastBar = undefined;
      },
      onBar: (bar) => this.#see(bar),
    });
  }

  /** Since when every trade was seen, up to the present; undefined while the stream is lost. */
  get sinceMs(): number | undefined {
    return this.#sinceMs;
  }

  /** Of what was seen in [fromMs, toMs). */
  extremes(fromMs: number, toMs: number): Extremes | undefined {
    return joined(this.#sights.filter(({ atMs }) => atMs >= fromMs && atMs < toMs));
  }

  close(): void {
    this.#stream.close();
  }

  /**
   * A frame tells the last price, and the extremes of its bar so far. Those were traded since the frame before where
   * they grew, or where the bar is new; the first frame after a connection says nothing of when they were. Final bars
   * that come before it are those missed during a loss: long traded, so they are no sight of the present.
   */
  #see(bar: LiveBar): void {
    const atMs = this.#nowMs();
    const before = this.#lastBar;
    if (!this.#isLive || (before === undefined && bar.closed)) return;
    this.#lastBar = bar;
    const isNewBar = before !== undefined && bar.time > before.time;
    const isLower = before !== undefined && (isNewBar || bar.low < before.low);
    const isHigher = before !== undefined && (isNewBar || bar.high > before.high);
    this.#sights.push({ atMs, low: isLower ? bar.low : bar.close, high: isHigher ? bar.high : bar.close });
    // A clock set back would leave a hole that looks like silence: begin anew.
    const newestMs = this.#sights.at(-2)?.atMs ?? atMs;
    if (atMs < newestMs) this.#sights = this.#sights.slice(-1);
    if (this.#sinceMs === undefined || atMs < newestMs) this.#sinceMs = atMs;
    this.#forget(atMs);
  }

  #forget(nowMs: number): void {
    const isTooMany = this.#sights.length > MAX_SIGHTS;
    const [oldest] = this.#sights;
    if (!isTooMany && (oldest === undefined || oldest.atMs >= nowMs - 2 * KEPT_MS)) return;
    const keptFromMs = isTooMany ? (this.#sights[MAX_SIGHTS / 2]?.atMs ?? nowMs) : nowMs - KEPT_MS;
    this.#sights = this.#sights.filter(({ atMs }) => atMs >= keptFromMs);
    if (this.#sinceMs !== undefined) this.#sinceMs = Math.max(this.#sinceMs, keptFromMs);
  }
}

/** The lowest low and the highest high; undefined of nothing. */
export function joined(parts: readonly Extremes[]): Extremes | undefined {
  if (parts.length === 0) return undefined;
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const part of parts) {
    low = Math.min(low, part.low);
    high = Math.max(high, part.high);
  }
  return { low, high };
}
