// Labels below a chart: hours, days, months or years by how much time it shows, each at the bar that begins it.

import { textWidth } from './text.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MONTH = 30.4 * DAY;

/** A step: its length, and the number of the period that a time is in. */
interface Step {
  readonly lengthMs: number;
  readonly period: (timeMs: number) => number;
}

const even = (lengthMs: number): Step => ({ lengthMs, period: (timeMs) => Math.floor(timeMs / lengthMs) });
const months = (count: number): Step => ({
  lengthMs: count * MONTH,
  period: (timeMs) => Math.floor(monthOf(timeMs) / count),
});

const STEPS: readonly Step[] = [
  ...[1, 5, 15, 30].map((count) => even(count * 1000)),
  ...[1, 5, 15, 30].map((count) => even(count * MINUTE)),
  ...[1, 2, 4, 6, 12].map((count) => even(count * HOUR)),
  ...[1, 2, 4, 7, 14].map((count) => even(count * DAY)),
  ...[1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 6000, 12_000].map(months),
];

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** Dates beyond this cannot be written; a bar there gets no label. */
const LATEST_MS = 8.64e15;

const isDate = (timeMs: number) => Math.abs(timeMs) <= LATEST_MS;

function monthOf(timeMs: number): number {
  const date = new Date(timeMs);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

export interface TimeTick {
  /** Index of the bar. */
  readonly index: number;
  readonly text: string;
}

/** Free pixels between two labels. */
const SPACE_PX = 14;
const WIDEST_LABEL = '00 May';

/** All times are UTC. `pxPerBar` says how far apart the bars stand. */
export function timeTicks(time: Float64Array, count: number, pxPerBar: number): TimeTick[] {
  if (count === 0) return [];
  const leastPx = textWidth(WIDEST_LABEL) + SPACE_PX;
  const spanMs = Math.abs(time[count - 1]! - time[0]!) || 1;
  const leastMs = (spanMs / Math.max(count - 1, 1)) * (leastPx / pxPerBar);
  const step = STEPS.find(({ lengthMs }) => lengthMs >= leastMs) ?? STEPS.at(-1)!;
  return thinned(boundaries(time, count, step), pxPerBar, leastPx);
}

const HIGHEST_RANK = 3;

interface Boundary extends TimeTick {
  /** Years go before months, months before days, days before hours. */
  readonly rank: number;
}

/** Bars that begin a period of the step. A chart within one period is labelled at its first bar. */
function boundaries(time: Float64Array, count: number, step: Step): Boundary[] {
  const found: Boundary[] = [];
  for (let i = 1; i < count; i += 1) {
    const [before, now] = [time[i - 1]!, time[i]!];
    if (!isDate(before) || !isDate(now)) continue;
    // No day is in two months: a calendar for each of many thousand bars would take longer than drawing them.
    if (step.lengthMs >= DAY && Math.floor(before / DAY) === Math.floor(now / DAY)) continue;
    if (step.period(before) !== step.period(now)) found.push({ index: i, ...labelOf(before, now, step) });
  }
  if (found.length === 0 && isDate(time[0]!)) found.push({ index: 0, ...labelOf(time[0]! - DAY, time[0]!, step) });
  return found;
}

function labelOf(beforeMs: number, timeMs: number, { lengthMs }: Step): { text: string; rank: number } {
  const date = new Date(timeMs);
  const day = `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
  const isNewYear = monthOf(beforeMs) <= date.getUTCFullYear() * 12 - 1;
  if (isNewYear && lengthMs >= DAY) return { text: String(date.getUTCFullYear()), rank: 3 };
  if (lengthMs >= MONTH) return { text: MONTHS[date.getUTCMonth()]!, rank: 2 };
  const isNewDay = Math.floor(beforeMs / DAY) !== Math.floor(timeMs / DAY);
  if (isNewDay) return { text: day, rank: monthOf(beforeMs) === monthOf(timeMs) ? 1 : 2 };
  return { text: date.toISOString().slice(11, lengthMs < MINUTE ? 19 : 16), rank: 0 };
}

/** The more important labels first, and then whatever still has room. */
function thinned(found: readonly Boundary[], pxPerBar: number, leastPx: number): TimeTick[] {
  const leastBars = leastPx / pxPerBar;
  const kept: Boundary[] = [];
  for (let rank = HIGHEST_RANK; rank >= 0; rank -= 1) {
    let next = 0;
    const sorted = kept.toSorted((a, b) => a.index - b.index);
    let last = Number.NEGATIVE_INFINITY;
    for (const boundary of found) {
      if (boundary.rank !== rank) continue;
      while (next < sorted.length && sorted[next]!.index <= boundary.index) next += 1;
      const before = Math.max(sorted[next - 1]?.index ?? Number.NEGATIVE_INFINITY, last);
      const after = sorted[next]?.index ?? Number.POSITIVE_INFINITY;
      if (boundary.index - before < leastBars || after - boundary.index < leastBars) continue;
      kept.push(boundary);
      last = boundary.index;
    }
  }
  return kept.toSorted((a, b) => a.index - b.index).map(({ index, text }) => ({ index, text }));
}

/** From the first bar to the last, for the head of the chart. */
export function spanText(time: Float64Array, count: number): string {
  if (count === 0 || !isDate(time[0]!) || !isDate(time[count - 1]!)) return '';
  const isLong = time[count - 1]! - time[0]! > 20 * DAY;
  const text = (timeMs: number) =>
    new Date(timeMs)
      .toISOString()
      .slice(0, isLong ? 10 : 16)
      .replace('T', ' ');
  return count === 1 ? `${text(time[0]!)} UTC` : `${text(time[0]!)} to ${text(time[count - 1]!)} UTC`;
}
