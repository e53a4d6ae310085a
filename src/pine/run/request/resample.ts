// Bars of a longer timeframe, made of shorter ones: the first open, the highest high, the lowest low, the last close, and
// the sum of the volume of all that lie in one bar of the calendar.

import { BarClock, type TradingCalendar, type timeframes } from '../../values/index.ts';
import { BAR_COLUMNS, type Bar, type BarColumns } from '../bars.ts';

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
  const columns = { time: [], open: [], high: [], low: [], close: [], volume: [] } as Record<
    (typeof BAR_COLUMNS)[number],
    number[]
  >;
  let place = -1;
  let start = Number.NaN;
  let end = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < source.count; i += 1) {
    const time = source.time[i]!;
    // What lies behind the end may still be of the same bar: trades after the hours of the market.
    if (time >= end && clock.start(time) !== start) {
      place += 1;
      start = clock.start(time);
      end = clock.end(time);
      columns.time.push(start);
      for (const name of ['open', 'high', 'low', 'close', 'volume'] as const) columns[name].push(source[name][i]!);
      continue;
    }
    if (source.high[i]! > columns.high[place]!) columns.high[place] = source.high[i]!;
    if (source.low[i]! < columns.low[place]!) columns.low[place] = source.low[i]!;
    columns.close[place] = source.close[i]!;
    columns.volume[place] = sum(columns.volume[place]!, source.volume[i]!);
  }
  const { time, open, high, low, close, volume } = columns;
  return {
    count: place + 1,
    time: Float64Array.from(time),
    open: Float64Array.from(open),
    high: Float64Array.from(high),
    low: Float64Array.from(low),
    close: Float64Array.from(close),
    volume: Float64Array.from(volume),
  };
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
