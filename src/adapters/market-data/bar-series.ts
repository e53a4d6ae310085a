// Makes one series of bars out of the frames of a stream: each bar as it forms, then once as final, none twice and none going backward.
//
// A bar is final when the venue says so. MEXC never does, and after a loss anyone may have missed it: then a bar is final
// once the next one has begun, or its time is over by the venue's clock, and its values are read again from the history.

import type { LiveBar } from '../../market-data/bar-feed.ts';
import type { Bar } from '../../market-data/price-source.ts';
import { foregroundTimers, LONGEST_DELAY_MS } from '../../timing/timers.ts';
import { wait } from '../../timing/wait.ts';
import type { FeedLog, Pacing } from './feed-options.ts';

export interface BarSeriesOptions {
  readonly timeframeMs: number;
  readonly pacing: Pacing;
  readonly nowMs: () => number;
  readonly log: FeedLog;
  /** The venue's history of [fromMs, toMs). */
  readonly history: (fromMs: number, toMs: number) => Promise<readonly Bar[]>;
  readonly emit: (bar: LiveBar) => void;
}

/** After a longer loss the bars before these are missing in the series; whoever needs them reads the history. */
const MAX_SETTLED_BARS = 1_000;
/** Newer bars that wait for an older one to be settled. */
const MAX_HELD = 8;
const SETTLE_TRIES = 2;
/** Volumes that are the same but for the last digit of a division. */
const NEARLY = 1 - 1e-9;

export class BarSeries {
  readonly #options: BarSeriesOptions;
  readonly #held = new Map<number, { bar: LiveBar; eventMs: number }>();
  #forming: LiveBar | undefined;
  #lastFinalMs: number | undefined;
  #lastEventMs = Number.NEGATIVE_INFINITY;
  #isSettling = false;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: BarSeriesOptions) {
    this.#options = options;
  }

  take(bar: LiveBar, eventMs: number): void {
    const { timeframeMs } = this.#options;
    // A bar that starts later than the moment of its own message would lock out every bar until then.
    if (this.#closed || bar.time > eventMs + timeframeMs) return;
    if (this.#isSettling) this.#hold(bar, eventMs);
    else this.#accept(bar, eventMs);
  }

  /** The stream is lost: what it said about order no longer counts, and nothing is known of what forms. */
  interrupt(): void {
    clearTimeout(this.#timer);
    this.#lastEventMs = Number.NEGATIVE_INFINITY;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#held.clear();
  }

  #hold(bar: LiveBar, eventMs: number): void {
    const known = this.#held.get(bar.time);
    if (known !== undefined && (known.bar.closed || known.eventMs > eventMs)) return;
    this.#held.set(bar.time, { bar, eventMs });
    if (this.#held.size > MAX_HELD) this.#held.delete(Math.min(...this.#held.keys()));
  }

  #accept(bar: LiveBar, eventMs: number): void {
    const { timeframeMs, emit } = this.#options;
    const isOld = this.#lastFinalMs !== undefined && bar.time <= this.#lastFinalMs;
    if (isOld || bar.time < (this.#forming?.time ?? 0) || eventMs < this.#lastEventMs) return;
    this.#lastEventMs = eventMs;
    const dueMs = this.#forming?.time ?? (this.#lastFinalMs === undefined ? bar.time : this.#lastFinalMs + timeframeMs);
    if (bar.time > dueMs) {
      this.#hold(bar, eventMs);
      void this.#settle(Math.max(dueMs, bar.time - MAX_SETTLED_BARS * timeframeMs), bar.time, true);
      return;
    }
    clearTimeout(this.#timer);
    if (bar.closed) this.#finish(bar);
    else {
      this.#forming = bar;
      emit(bar);
      this.#watchEnd(bar, eventMs - this.#options.nowMs());
    }
  }

  #finish(bar: Bar): void {
    this.#forming = undefined;
    this.#lastFinalMs = bar.time;
    this.#options.emit({ ...bar, closed: true });
  }

  /** By the venue's clock: ours may be wrong by minutes. */
  #watchEnd(bar: LiveBar, venueAheadMs: number, extraMs = 0): void {
    const { timeframeMs, pacing, nowMs } = this.#options;
    const endMs = bar.time + timeframeMs + pacing.closeGraceMs + extraMs;
    // A timer longer than 24 days fires at once; every later frame sets it anew anyway.
    const delayMs = Math.min(Math.max(0, endMs - (nowMs() + venueAheadMs)), LONGEST_DELAY_MS);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#forming !== bar || this.#isSettling) return;
      if (nowMs() + venueAheadMs < endMs) this.#watchEnd(bar, venueAheadMs, extraMs);
      else
        void this.#settle(bar.time, bar.time + timeframeMs, false).then((done) => {
          if (!done && this.#forming === bar && !this.#closed)
            this.#watchEnd(bar, venueAheadMs, extraMs + 10 * pacing.closeGraceMs);
        });
    }, delayMs);
    this.#timer.unref();
  }

  /** Makes every bar of [fromMs, toMs) final. False when the history could not be read and nothing newer presses. */
  async #settle(fromMs: number, toMs: number, isPressing: boolean): Promise<boolean> {
    this.#isSettling = true;
    clearTimeout(this.#timer);
    const seen = this.#forming;
    const bars = await this.#readFinal(fromMs, toMs, seen);
    this.#isSettling = false;
    if (this.#closed) return true;
    const isDone = bars !== undefined || isPressing;
    if (isDone) {
      const final = new Map((bars ?? []).map((bar) => [bar.time, bar]));
      if (seen !== undefined && isStaler(final.get(seen.time), seen)) final.set(seen.time, seen);
      for (const bar of [...final.values()].sort((a, b) => a.time - b.time))
        if (bar.time >= fromMs && bar.time < toMs) this.#finish(withoutFlag(bar));
      this.#forming = undefined;
      this.#lastFinalMs = toMs - this.#options.timeframeMs;
    }
    const waiting = [...this.#held.values()].sort((a, b) => a.bar.time - b.bar.time || a.eventMs - b.eventMs);
    this.#held.clear();
    for (const { bar, eventMs } of waiting) {
      if (this.#isSettling) this.#hold(bar, eventMs);
      else this.#acceptHeld(bar, eventMs);
    }
    return isDone;
  }

  /** Held frames were in order when they came, and one of them may have been noted already. */
  #acceptHeld(bar: LiveBar, eventMs: number): void {
    this.#lastEventMs = Math.min(this.#lastEventMs, eventMs);
    this.#accept(bar, eventMs);
  }

  async #readFinal(fromMs: number, toMs: number, seen: LiveBar | undefined): Promise<readonly Bar[] | undefined> {
    const { history, pacing, log, timeframeMs } = this.#options;
    try {
      for (let tries = 1; ; tries += 1) {
        await wait(pacing.confirmDelayMs, { timers: foregroundTimers });
        if (this.#closed) return undefined;
        const bars = await history(fromMs, toMs);
        const isBehind =
          seen !== undefined &&
          isStaler(
            bars.find(({ time }) => time === seen.time),
            seen,
          );
        if (!isBehind || tries >= SETTLE_TRIES) return bars;
      }
    } catch (error) {
      const fields = { reason: (error as Error).message, bars: (toMs - fromMs) / timeframeMs };
      if (!this.#closed)
        log.warn(fields, 'bars that ended could not be read again; the stream tells what it saw of them');
      return undefined;
    }
  }
}

/** Whether the history has not yet caught up with what the stream has shown of the bar. */
const isStaler = (bar: Bar | undefined, seen: Bar): boolean =>
  bar === undefined || bar.high < seen.high || bar.low > seen.low || bar.volume < seen.volume * NEARLY;

const withoutFlag = ({ time, open, high, low, close, volume }: Bar): Bar => ({ time, open, high, low, close, volume });
