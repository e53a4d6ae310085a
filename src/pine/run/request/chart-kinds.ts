// Bars that are made of other bars, as `ticker.heikinashi()`, `ticker.renko()` and `ticker.linebreak()` ask for them.
//
// Heikin-Ashi bars stand for one bar each. Bricks and lines come when the price has gone far enough: several may come
// with one bar, and they have its time. A brick goes on in its direction by one box, and turns by two.

import { PineRuntimeError } from '../../values/index.ts';
import type { Bar, BarColumns } from '../bars.ts';
import { barColumns } from '../bars.ts';
import type { Modifiers } from '../tickers.ts';
import { barAt } from './resample.ts';

/** Heikin-Ashi bars one after the other; `next` of a bar that is not over does not count for the one after it. */
export class HeikinAshi {
  #open: number;
  #close: number;

  /** Goes on after a Heikin-Ashi bar. */
  constructor(last?: Bar) {
    this.#open = last?.open ?? Number.NaN;
    this.#close = last?.close ?? Number.NaN;
  }

  next(bar: Bar, isClosing: boolean): Bar {
    const close = (bar.open + bar.high + bar.low + bar.close) / 4;
    const open = Number.isNaN(this.#open) ? (bar.open + bar.close) / 2 : (this.#open + this.#close) / 2;
    if (isClosing) {
      this.#open = open;
      this.#close = close;
    }
    return { ...bar, open, close, high: Math.max(bar.high, open, close), low: Math.min(bar.low, open, close) };
  }
}

const listed = (bars: BarColumns): Bar[] => Array.from({ length: bars.count }, (_, place) => barAt(bars, place));

function heikinAshi(bars: BarColumns): BarColumns {
  const maker = new HeikinAshi();
  return barColumns(listed(bars).map((bar) => maker.next(bar, true)));
}

/** The mean true range of the last `length` bars, smoothed as `ta.atr` does; its value at the end is the box. */
function lastAtr(bars: readonly Bar[], length: number): number {
  let atr = Number.NaN;
  let sum = 0;
  for (const [place, { high, low }] of bars.entries()) {
    const before = bars[place - 1]?.close;
    const range =
      before === undefined ? high - low : Math.max(high - low, Math.abs(high - before), Math.abs(low - before));
    if (place < length) sum += range;
    if (place === length - 1) atr = sum / length;
    else if (place >= length) atr = (range + (length - 1) * atr) / length;
  }
  return atr;
}

/** A small box makes thousands of bricks of each bar: they must stay few enough to be computed and kept. */
const MAX_BRICKS = 500_000;

/** The size of a brick; NaN where there are too few bars for the range of so many. */
function boxOf(bars: readonly Bar[], { style, param }: Modifiers): number {
  const size = Number(param ?? Number.NaN);
  const given = Number.isNaN(size) ? 'na' : size;
  if (style === 'ATR') {
    if (size >= 1) return lastAtr(bars, size);
    throw new PineRuntimeError(`ticker.renko() with "ATR" needs a length of at least 1, not ${given}.`);
  }
  if (size > 0) return size;
  throw new PineRuntimeError(`ticker.renko() needs boxes larger than 0, not ${given}.`);
}

/** Bricks of closing prices; the first begins at the first close, on the grid of boxes. */
function renko(bars: BarColumns, modifiers: Modifiers): BarColumns {
  const rows = listed(bars);
  const box = boxOf(rows, modifiers);
  if (!(box > 0)) return barColumns([]);
  const bricks: Bar[] = [];
  let [top, bottom] = [Number.NaN, Number.NaN];
  for (const { time, close, volume } of rows) {
    if (Number.isNaN(top)) {
      bottom = Math.floor(close / box) * box;
      top = bottom;
      continue;
    }
    const ahead = Math.max(close - top, bottom - close) / box;
    if (bricks.length + ahead > MAX_BRICKS)
      throw new PineRuntimeError(
        `Boxes of ${box} are too small for this symbol: they make more than ${MAX_BRICKS} Renko bricks. Ask ticker.renko() for larger ones, or for "ATR".`,
      );
    while (close >= top + box) {
      bricks.push({ time, open: top, high: top + box, low: top, close: top + box, volume });
      [bottom, top] = [top, top + box];
    }
    while (close <= bottom - box) {
      bricks.push({ time, open: bottom, high: bottom, low: bottom - box, close: bottom - box, volume });
      [top, bottom] = [bottom, bottom - box];
    }
  }
  return barColumns(bricks);
}

/** A line goes on when the close leaves the last line, and turns when it leaves the last `lines` of them. */
function lineBreak(bars: BarColumns, { lines }: Modifiers): BarColumns {
  const made: Bar[] = [];
  for (const { time, open, close, volume } of listed(bars)) {
    const last = made.at(-1);
    const recent = made.slice(-Math.max(1, Number(lines)));
    const high = Math.max(...recent.map((line) => line.high));
    const low = Math.min(...recent.map((line) => line.low));
    const line = (from: number): Bar => ({
      ...{ time, open: from, close, volume },
      high: Math.max(from, close),
      low: Math.min(from, close),
    });
    if (last === undefined) made.push(line(open));
    else if (last.close > last.open && close > last.high) made.push(line(last.close));
    else if (last.close <= last.open && close < last.low) made.push(line(last.close));
    else if (close > high || close < low) made.push(line(last.open));
  }
  return barColumns(made);
}

const KINDS: Readonly<Record<string, (bars: BarColumns, settings: Modifiers) => BarColumns>> = {
  heikinashi: heikinAshi,
  renko,
  linebreak: lineBreak,
};

/** The bars of the kind, or null when there is no such kind here. */
export function barsOfKind(bars: BarColumns, settings: Modifiers): BarColumns | null {
  const { type } = settings;
  if (type === undefined || type === null) return bars;
  return Object.hasOwn(KINDS, String(type)) ? KINDS[String(type)]!(bars, settings) : null;
}
