// Bars of a longer timeframe, made of shorter ones: the first open, the highest high, the lowest low, the last close, and
// the sum of the volume of all that lie in one bar of the calendar.

import { BarClock, type TradingCalendar, type timeframes } from '../../values/index.ts';
import { BAR_COLUMNS, type Bar, type BarColumns, barColumns } from '../bars.ts';

/** The bar of both, of which the second comes later. */
export function joined(first: Bar, second: Bar): Bar {
  return {
    time: first.time,
    open: first.open,
    high: Math.max(first.high, second.high),
    low: Math.min(first.low, second.low),
    close: second.close,
    volume: sum(first.volume, second.volume),
  };
}

/** Volume that is not known adds nothing. */
function sum(a: number, b: number): number {
  if (Number.isNaN(a)) return b;
  return Number.isNaN(b) ? a : a + b;
}

/** The last bar may be one that is not over yet. */
export function resample(source: BarColumns, calendar: TradingCalendar, frame: timeframes.Timeframe): BarColumns {
  const clock = new BarClock(calendar, frame);
  const rows: Bar[] = [];
  for (let from = 0, to = 0; from < source.count; from = to) {
    const startMs = clock.start(source.time[from]!);
    to = lastOf(source, from, clock) + 1;
    rows.push(wholeOf(source, from, to, startMs));
  }
  return barColumns(rows);
}

/** The last place that lies in the same bar as the first. */
function lastOf({ time, count }: BarColumns, first: number, clock: BarClock): number {
  const startMs = clock.start(time[first]!);
  const endMs = clock.end(time[first]!);
  let last = first;
  while (last + 1 < count && time[last + 1]! < endMs) last += 1;
  // What lies behind the end may still be of the same bar: trades after the hours of the market.
  while (last + 1 < count && clock.start(time[last + 1]!) === startMs) last += 1;
  return last;
}

/** One bar of several. The extremes are looked for in a loop of their own each: half of a long chart's time goes here. */
function wholeOf(source: BarColumns, from: number, to: number, time: number): Bar {
  const { high, low, volume } = source;
  let [top, bottom, total] = [high[from]!, low[from]!, volume[from]!];
  for (let i = from + 1; i < to; i += 1) if (high[i]! > top) top = high[i]!;
  for (let i = from + 1; i < to; i += 1) if (low[i]! < bottom) bottom = low[i]!;
  for (let i = from + 1; i < to; i += 1) total += volume[i]!;
  if (Number.isNaN(total)) total = volume.subarray(from, to).reduce(sum);
  return { time, open: source.open[from]!, high: top, low: bottom, close: source.close[to - 1]!, volume: total };
}

/** The bars from `from` up to but without `to`. */
export function barsBetween(bars: BarColumns, from: number, to: number): BarColumns {
  const part = (column: Float64Array) => column.subarray(from, to);
  return {
    count: to - from,
    time: part(bars.time),
    open: part(bars.open),
    high: part(bars.high),
    low: part(bars.low),
    close: part(bars.close),
    volume: part(bars.volume),
  };
}

export function barAt(bars: BarColumns, place: number): Bar {
  const [time, open, high, low, close, volume] = BAR_COLUMNS.map((name) => bars[name][place]!);
  return { time: time!, open: open!, high: high!, low: low!, close: close!, volume: volume! };
}
