// Whether bars are those of the timeframe that somebody named: a script over hourly bars that is told "15" asks for other
// bars, knows other sessions and counts other lengths than its user believes, and nothing in its results says so.

import { timeframes } from '../values/index.ts';
import type { BarColumns } from './bars.ts';
import { ODD_TIMEFRAME, type RunWarnings } from './run-warnings.ts';

/** Bars looked at: long before, the distance itself is more frequent than the gaps of nights and weekends. */
const MAX_LOOKED_AT = 1_000;
/** One distance alone may be a gap. */
const MIN_BARS = 3;
const SHORTEST_MONTH_DAYS = 28;
const LONGEST_MONTH_DAYS = 31;
const DAY_MS = 86_400_000;

export function checkNamedTimeframe(frame: timeframes.Timeframe, bars: BarColumns, warnings: RunWarnings): void {
  const { usualMs, shortestMs } = distancesOf(bars);
  const { fromMs, toMs } = lengthOf(frame);
  // Bars may be missing, so that longer distances say nothing as long as there are some of the right length.
  if (bars.count < MIN_BARS || !(usualMs < fromMs || shortestMs > toMs)) return;
  const named = timeframes.formatTimeframe(frame);
  const found = timeframes.fromSeconds(Math.max(1, Math.round(usualMs / 1000)));
  // Bars of a length that no timeframe has are those of the next longer one.
  if (found === named) return;
  warnings.add(
    ODD_TIMEFRAME,
    `The timeframe was named as ${named}, but the bars are those of ${found}.`,
    `Name ${found}, or leave the timeframe out; or bring bars of ${named}. Requests, sessions and timeframe.* go by the name.`,
  );
}

/** What lies between two bars of it, at least and at most. */
function lengthOf(frame: timeframes.Timeframe): { readonly fromMs: number; readonly toMs: number } {
  const { unit, multiplier } = frame;
  if (unit === 'M')
    return { fromMs: multiplier * SHORTEST_MONTH_DAYS * DAY_MS, toMs: multiplier * LONGEST_MONTH_DAYS * DAY_MS };
  const lengthMs = timeframes.inSeconds(frame) * 1000;
  // Several days are counted in days of trading: five of them take a week.
  return { fromMs: lengthMs, toMs: unit === 'D' && multiplier > 1 ? 2 * lengthMs : lengthMs };
}

/** The most frequent distance between two bars, and the shortest; NaN where there is none. */
function distancesOf({ time, count }: BarColumns): { readonly usualMs: number; readonly shortestMs: number } {
  const counts = new Map<number, number>();
  for (let index = 1; index < Math.min(count, MAX_LOOKED_AT); index += 1) {
    const distanceMs = time[index]! - time[index - 1]!;
    counts.set(distanceMs, (counts.get(distanceMs) ?? 0) + 1);
  }
  let [usualMs, most, shortestMs] = [Number.NaN, 0, Number.NaN];
  for (const [distanceMs, times] of counts) {
    if (times > most || (times === most && distanceMs < usualMs)) [usualMs, most] = [distanceMs, times];
    if (!(shortestMs <= distanceMs)) shortestMs = distanceMs;
  }
  return { usualMs, shortestMs };
}
