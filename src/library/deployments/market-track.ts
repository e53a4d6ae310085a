// Follows one market and timeframe for all deployments on it: which bar closed last, and whether that was just now.
//
// The stream tells of most closes. After a start, a loss or a gap the bars before are asked for first; then the newest
// closed bar is told, and those that the stream told of meanwhile. A close is fresh when
//
//   - it lies no further from the clock than the grace time, or
//   - it came at the market's own pace: one timeframe after the one before, without a loss between the two. So a clock
//     that is wrong costs the first bar after a start, not every bar.
//
// A bar of a testnet or live account's own venue that comes later than the grace time is never fresh: whether the clock is wrong or
// the venue is behind, nobody knows. Then nothing is opened, exits go on, and an alarm stands until a bar comes on time.
//
// The grace time is below one timeframe: of bars that come in one go only the newest can be fresh.

import { errorText } from '../../errors/error-text.ts';
import { backoffMs } from '../../timing/backoff.ts';
import { BarHistory } from './bar-history.ts';
import type { BarSource, DeploymentAlarms, DeploymentLog, MarketBar, Timers } from './ports.ts';

export interface Closing {
  readonly barTimeMs: number;
  readonly noticedAtMs: number;
  readonly isFresh: boolean;
  /** Why a deployment missed it and the bars before, in words, where it was not for an outage. */
  readonly missedWhy?: string;
}

export interface TrackOptions {
  readonly market: string;
  readonly timeframeMs: number;
  readonly source: BarSource;
  readonly timers: Timers;
  readonly log: DeploymentLog;
  readonly alarms?: DeploymentAlarms | undefined;
  /** In the order of the bars, each at most once. */
  readonly onClosing: (closing: Closing) => void;
  /** The forming bar has changed; every closed bar before it was told. */
  readonly onTick: (bar: MarketBar) => void;
  /** The stream was lost or is back: nobody knows what happened meanwhile. */
  readonly onBreak: () => void;
}

const LATE = 'its bars came late';
/** A signal that is a minute old is acted on too late. */
const MAX_GRACE_MS = 60_000;
/** More than come in while the bars before them are asked for; older ones count as missed. */
const MAX_NOTICED = 100;
/**
 * A busy market has a hundred ticks a second, and a look at the forming bar costs each deployment a message to its thread.
 * The first tick of a bar is told at once, because orders fill at the open; those after it once a second.
 */
const TICK_EVERY_MS = 1000;
const RETRY = { firstMs: 1000, longestMs: 30_000 };
/** Asked for beyond the clock: bars from the future show that the clock is behind. */
const LOOK_AHEAD_BARS = 2;

export const graceMs = (timeframeMs: number): number => Math.min(MAX_GRACE_MS, timeframeMs / 2);

/** However short the bars: a run, its commit and the way to the gateway take their time on a busy machine. */
const MIN_ENTRY_GRACE_MS = 10_000;
/** How long after its moment a fill may still open something: of a close or a tick, since it was noticed. */
export const entryGraceMs = (timeframeMs: number): number => Math.max(MIN_ENTRY_GRACE_MS, graceMs(timeframeMs));

export class MarketTrack {
  readonly history: BarHistory;
  readonly #options: TrackOptions;
  readonly #graceMs: number;
  #fromMs = Number.POSITIVE_INFINITY;
  #stream: { close(): void } | undefined;
  /** Closed bars that the stream told of before those in front of them were known. */
  #noticed: (Closing & { readonly bar: MarketBar })[] = [];
  /** The stream has shown that every bar before this time is closed. */
  #shownMs = Number.NEGATIVE_INFINITY;
  /** Bars come in pace, and too late. */
  #isLate = false;
  #pace: { readonly barTimeMs: number; readonly atMs: number } | undefined;
  #latest: Closing | undefined;
  #isLooking = false;
  #mustLookAgain = false;
  #tries = 0;
  #cancelRetry: (() => void) | undefined;
  #cancelFollow: (() => void) | undefined;
  #isClosed = false;
  #forming: MarketBar | undefined;
  #ticked = { barTimeMs: Number.NaN, atMs: Number.NEGATIVE_INFINITY };
  #cancelTick: (() => void) | undefined;

  constructor(options: TrackOptions) {
    this.#options = options;
    this.#graceMs = graceMs(options.timeframeMs);
    this.history = new BarHistory(options);
  }

  /** The last close that was told. */
  get latest(): Closing | undefined {
    return this.#latest;
  }

  /** A deployment wants the bars from here on; the first call starts the track. */
  want(fromMs: number): void {
    this.#fromMs = Math.min(this.#fromMs, fromMs);
    if (this.#stream !== undefined || this.#isClosed) return;
    this.#follow();
    this.#lookNow();
  }

  #follow(): void {
    const { market, timeframeMs, source } = this.#options;
    try {
      this.#stream = source.follow(market, timeframeMs, {
        onState: (state) => this.#onState(state),
        onBar: (bar) => this.#onBar(bar),
        onRefused: (_, message) => this.#onRefused(message),
      });
    } catch (error) {
      this.#stream = { close: () => {} };
      this.#onRefused(errorText(error));
    }
  }

  /** The place of somebody else may become free, and a market that is suspended may come back. */
  #onRefused(reason: string): void {
    const { market, timeframeMs, timers, log } = this.#options;
    if (this.#isClosed) return;
    log.warn({ market, timeframeMs, reason }, 'a market of deployments is not followed; trying again');
    this.#cancelFollow = timers.after(RETRY.longestMs, () => this.#follow());
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelRetry?.();
    this.#cancelFollow?.();
    this.#cancelTick?.();
    this.#stream?.close();
    if (this.#isLate) this.#options.alarms?.over(this.#alarm);
  }

  #onState(state: 'connecting' | 'live' | 'reconnecting'): void {
    this.#pace = undefined;
    this.#options.onBreak();
    // The stream may never tell of bars that closed while it was away, so they are asked for.
    if (state === 'live') this.#lookNow();
  }

  #onBar(bar: MarketBar & { readonly closed: boolean }): void {
    if (this.#isClosed) return;
    const { timeframeMs } = this.#options;
    this.#shownMs = Math.max(this.#shownMs, bar.closed ? bar.time + timeframeMs : bar.time);
    if (bar.closed) this.#onClosed(bar);
    else this.#onForming(bar);
    if (!(this.history.toMs >= this.#shownMs)) this.#look();
  }

  #onClosed(bar: MarketBar): void {
    const { timeframeMs, timers, log, market } = this.#options;
    const nowMs = timers.nowMs();
    const before = this.#pace;
    const isInPace = before?.barTimeMs === bar.time - timeframeMs && nowMs - before.atMs >= timeframeMs / 2;
    const offMs = nowMs - (bar.time + timeframeMs);
    const isOnTime = Math.abs(offMs) <= this.#graceMs;
    if (isInPace && !isOnTime)
      log.warn({ market, offMs }, 'bars close at another time than the clock says; set the clock of this machine');
    if (isInPace || isOnTime) this.#noteDelay(offMs);
    this.#pace = { barTimeMs: bar.time, atMs: nowMs };
    const closing = { barTimeMs: bar.time, noticedAtMs: nowMs, isFresh: isOnTime || (isInPace && !this.#isLate) };
    // A bar that comes late is first compared with the others that came late: of those only the newest may be fresh.
    if (closing.isFresh && this.history.append(bar)) this.#tell(closing);
    else this.#notice({ ...closing, bar });
  }

  /** Of bars that came one after the other; what an outage held up is told otherwise. */
  #noteDelay(offMs: number): void {
    const { market, source, alarms } = this.#options;
    const wasLate = this.#isLate;
    this.#isLate = source.isOwn && offMs > this.#graceMs;
    if (wasLate && !this.#isLate) alarms?.over(this.#alarm);
    if (!this.#isLate) return;
    alarms?.raise(
      this.#alarm,
      `The bars of ${market} come late from ${source.name}, more than ${this.#graceMs / 1000} s after their end: deployments open nothing on them, and only leave. Look at the clock of this machine, and whether ${source.name} has trouble.`,
    );
  }

  get #alarm(): string {
    const { source, market, timeframeMs } = this.#options;
    return `late bars of ${source.name} ${market} ${timeframeMs}`;
  }

  #onForming({ time, open, high, low, close, volume }: MarketBar): void {
    const { timers } = this.#options;
    this.#forming = { time, open, high, low, close, volume };
    const sinceMs = timers.nowMs() - this.#ticked.atMs;
    if (time !== this.#ticked.barTimeMs || sinceMs >= TICK_EVERY_MS) this.#tellForming();
    else this.#cancelTick ??= timers.after(TICK_EVERY_MS - Math.max(0, sinceMs), () => this.#tellForming());
  }

  #tellForming(): void {
    this.#cancelTick?.();
    this.#cancelTick = undefined;
    const bar = this.#forming;
    if (bar === undefined || bar.time !== this.history.toMs) return;
    this.#ticked = { barTimeMs: bar.time, atMs: this.#options.timers.nowMs() };
    this.#options.onTick(bar);
  }

  #notice(noticed: Closing & { readonly bar: MarketBar }): void {
    if (noticed.barTimeMs < this.history.toMs) return;
    this.#noticed.push(noticed);
    if (this.#noticed.length > MAX_NOTICED) this.#noticed.shift();
  }

  #lookNow(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    this.#tries = 0;
    this.#look();
  }

  /** One look at a time, and after a fruitless one a pause. */
  #look(): void {
    if (this.#isClosed || this.#cancelRetry !== undefined) return;
    if (this.#isLooking) {
      this.#mustLookAgain = true;
      return;
    }
    this.#isLooking = true;
    this.#mustLookAgain = false;
    void this.#catchUp().then((isDone) => {
      this.#isLooking = false;
      if (this.#isClosed) return;
      if (isDone) this.#tries = 0;
      else this.#retryLater();
      if (this.#mustLookAgain) this.#look();
    });
  }

  #retryLater(): void {
    this.#tries += 1;
    this.#cancelRetry = this.#options.timers.after(backoffMs(RETRY, this.#tries), () => {
      this.#cancelRetry = undefined;
      this.#look();
    });
  }

  /** Whether everything is known that the stream has shown to be closed. */
  async #catchUp(): Promise<boolean> {
    const { timeframeMs, timers, log, market } = this.#options;
    const untilMs = Math.max(timers.nowMs(), this.#shownMs) + LOOK_AHEAD_BARS * timeframeMs;
    try {
      await this.history.catchUp(this.#fromMs, untilMs);
    } catch (error) {
      log.warn({ market, timeframeMs, reason: errorText(error) }, 'the bars of a market cannot be read; trying again');
    }
    if (this.#isClosed) return true;
    // Even without an answer: what the stream told may follow what is known without a gap.
    this.#tellNoticed();
    this.#tellNewest();
    return this.history.toMs >= Math.max(this.#shownMs, 0);
  }

  #tellNoticed(): void {
    const waiting = this.#noticed.sort((a, b) => a.barTimeMs - b.barTimeMs);
    while (waiting[0] !== undefined && this.history.append(waiting[0].bar)) {
      const { bar: _, ...closing } = waiting.shift() as (typeof waiting)[0];
      if (closing.isFresh) this.#tell(closing);
    }
  }

  /** The stream did not tell of it, or too late: then the clock decides alone. */
  #tellNewest(): void {
    const { timeframeMs, timers } = this.#options;
    const newest = this.history.newest;
    if (newest === undefined) return;
    const nowMs = timers.nowMs();
    const isFresh = Math.abs(nowMs - (newest.time + timeframeMs)) <= this.#graceMs;
    const why = this.#isLate ? { missedWhy: LATE } : {};
    this.#tell({ barTimeMs: newest.time, noticedAtMs: nowMs, isFresh, ...why });
  }

  #tell(closing: Closing): void {
    if (this.#latest !== undefined && closing.barTimeMs <= this.#latest.barTimeMs) return;
    this.#latest = closing;
    // What fills at the open of the next bar comes too late as well.
    if (this.#options.source.isOwn && !closing.isFresh) this.#options.onBreak();
    this.#options.onClosing(closing);
  }
}
