// Bars of a timeframe a venue does not have (45m, 2d), made of the largest ones it has that fit in evenly.

import type { LiveBar } from './bar-feed.ts';
import type { Bar } from './price-source.ts';
import { barStart, DAY_MS } from './timeframe.ts';

/** Longer bars than a day start where the venue likes, weeks excepted: those start on Mondays everywhere. */
const WEEK_MS = 7 * DAY_MS;

/** The venue's own timeframe of which the bars are made: the timeframe itself if the venue has it; undefined if none fits. */
export function baseTimeframe(timeframesMs: readonly number[], timeframeMs: number): number | undefined {
  if (timeframesMs.includes(timeframeMs)) return timeframeMs;
  const fitting = timeframesMs.filter(
    (ms) => ms > 0 && ms < timeframeMs && timeframeMs % ms === 0 && (ms <= DAY_MS || ms % WEEK_MS === 0),
  );
  return fitting.length === 0 ? undefined : Math.max(...fitting);
}

export const joinBars = (first: Bar, next: Bar): Bar => ({
  time: first.time,
  open: first.open,
  high: Math.max(first.high, next.high),
  low: Math.min(first.low, next.low),
  close: next.close,
  volume: first.volume + next.volume,
});

/** Bars of a base timeframe, oldest first, as larger ones. */
export function toLargerBars(bars: readonly Bar[], timeframeMs: number): Bar[] {
  const larger: Bar[] = [];
  for (const bar of bars) {
    const time = barStart(bar.time, timeframeMs);
    const last = larger.at(-1);
    if (last?.time === time) larger[larger.length - 1] = joinBars(last, bar);
    else larger.push({ ...bar, time });
  }
  return larger;
}

export interface LargerBarsOptions {
  readonly timeframeMs: number;
  readonly baseMs: number;
  /** Closed base bars that start in [fromMs, toMs): asked for when the live ones begin in the middle of a larger bar. */
  readonly history: (fromMs: number, toMs: number) => Promise<readonly Bar[]>;
  readonly onBar: (bar: LiveBar) => void;
}

/** Takes base bars in order and without gaps, passes larger ones on. */
export function createLargerBars({ timeframeMs, baseMs, history, onBar }: LargerBarsOptions): (bar: LiveBar) => void {
  let start = Number.NaN;
  /** What is closed of the bar that starts there. */
  let part: Bar | undefined;
  /** Whether `part` begins where the bar begins. Until then nothing is passed on. */
  let whole = false;
  /** The first base bar seen of it. */
  let partFromMs = Number.NaN;
  let loading = false;

  const add = (bar: Bar): void => {
    part = part === undefined ? { ...bar, time: start } : joinBars(part, bar);
  };

  const loadHead = async (untilMs: number): Promise<void> => {
    const from = start;
    loading = true;
    try {
      const head = await history(from, untilMs);
      if (start !== from) return;
      const tail = part;
      part = undefined;
      for (const bar of head) if (bar.time >= from && bar.time < untilMs) add(bar);
      if (tail !== undefined) add(tail);
      whole = true;
    } catch {
      // The next bar asks again; whether the market can be had at all is told by whoever reads its history.
    } finally {
      loading = false;
    }
  };

  return (bar) => {
    const itsStart = barStart(bar.time, timeframeMs);
    if (itsStart !== start) {
      // The last base bars of a silent market may never come: the next larger bar ends the one before.
      if (whole && part !== undefined && itsStart > start) onBar({ ...part, closed: true });
      [start, part, whole, partFromMs] = [itsStart, undefined, bar.time === itsStart, bar.time];
    }
    const isLast = bar.closed && bar.time + baseMs >= start + timeframeMs;
    if (whole) {
      const joined = part === undefined ? { ...bar, time: start } : joinBars(part, bar);
      onBar({ ...joined, closed: isLast });
    } else if (!loading) void loadHead(partFromMs);
    if (bar.closed) add(bar);
    if (isLast) [start, part, whole] = [Number.NaN, undefined, false];
  };
}
