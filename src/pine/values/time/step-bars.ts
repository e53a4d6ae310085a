// Bars before and after a bar of a timeframe, as the hours of the market would have them.

import { PineRuntimeError } from '../runtime-error.ts';
import { DAY_MS } from './civil.ts';
import type { Timeframe } from './timeframe.ts';
import type { TimeRange, TradingCalendar } from './trading-calendar.ts';

/** As far as history can be asked for. */
const MAX_STEPS = 5000;
/** A session opens at least once in a week; eight days reach its next segment from anywhere. */
const MAX_DAYS = 8;

/** The bar `count` bars before the bar of a time, or after it when negative. */
export function stepBars(calendar: TradingCalendar, timeMs: number, frame: Timeframe, count: number): TimeRange {
  if (!(Math.abs(count) <= MAX_STEPS))
    throw new PineRuntimeError(`A time can be asked for up to ${MAX_STEPS} bars away; ${count} is too many.`);
  const direction = count > 0 ? -1 : 1;
  // Ticks have no length: beside a tick is the tick itself.
  if (frame.unit === 'T') return calendar.barAt(timeMs, frame);
  let bar = calendar.barAt(timeMs, frame);
  for (let step = 0; step < Math.abs(count); step += 1) bar = calendar.barAt(nextTime(calendar, bar, direction), frame);
  return bar;
}

/** A time within the next bar in the direction. */
function nextTime(calendar: TradingCalendar, bar: TimeRange, direction: 1 | -1): number {
  const { session, zone } = calendar;
  const beside = direction > 0 ? bar.end : bar.start - 1;
  // Around the clock the next millisecond is the next bar's; with hours the market has to open first.
  if (session.contains(beside, zone)) return beside;
  const from = calendar.tradingDay(direction > 0 ? bar.end - 1 : bar.start);
  for (let away = 0; away <= MAX_DAYS; away += 1) {
    const day = from + away * direction;
    const segments = session.segmentsOf(day);
    for (const { fromMs, toMs } of direction > 0 ? segments : segments.toReversed()) {
      const edge = direction > 0 ? zone.toUtc(day * DAY_MS + fromMs) : zone.toUtc(day * DAY_MS + toMs) - 1;
      if (direction > 0 ? edge >= bar.end : edge < bar.start) return edge;
    }
  }
  throw new PineRuntimeError('The session never opens, so there is no bar beside this one.');
}
