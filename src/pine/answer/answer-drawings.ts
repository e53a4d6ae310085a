// Drawings as charting clients read them: `type`, and every corner as a time in seconds and a price, beside our fields.

import type { DrawingRecord, PointRecord } from '../drawings/index.ts';
import type { BarColumns } from '../run/bars.ts';
import { timeframes } from '../values/index.ts';

export type AnswerDrawing = Readonly<Record<string, unknown>>;

/** Of each kind with corners: the names of their places and prices, in the order of t1, p1, t2, p2. */
const CORNERS: Readonly<Record<string, readonly (readonly [place: string, price: string])[]>> = {
  line: [
    ['x1', 'y1'],
    ['x2', 'y2'],
  ],
  box: [
    ['left', 'top'],
    ['right', 'bottom'],
  ],
  label: [['x', 'y']],
};

/** Labels that hang on their bar have no price of their own. */
const PRICE_OF_BAR: Readonly<Record<string, 'high' | 'low'>> = { abovebar: 'high', belowbar: 'low' };

/** `bars` are those of the whole chart, as they were handed in; `timeframe` is theirs as the language writes it. */
export function answerDrawings(
  drawings: readonly DrawingRecord[],
  bars: BarColumns,
  timeframe: string,
): readonly AnswerDrawing[] {
  if (drawings.length === 0) return drawings;
  const chart = new Chart(bars, timeframe);
  return drawings.map((drawing) => {
    const { kind } = drawing;
    if (kind === 'polyline') return { type: kind, ...drawing, ...polylineOf(drawing, chart) };
    return { type: kind, ...drawing, ...cornersOf(drawing, chart) };
  });
}

function cornersOf(drawing: DrawingRecord, chart: Chart): Record<string, number | null> {
  const corners: Record<string, number | null> = {};
  for (const [index, [place, price]] of (CORNERS[drawing.kind] ?? []).entries()) {
    const timeMs = chart.timeMs(drawing[place], drawing.xloc);
    const onBar = PRICE_OF_BAR[String(drawing.yloc)];
    corners[`t${index + 1}`] = secondsOf(timeMs);
    corners[`p${index + 1}`] = onBar === undefined ? (drawing[price] as number | null) : chart.priceAt(timeMs, onBar);
  }
  return corners;
}

/** A polyline names its look differently from every other drawing, so that it is told in their words too. */
function polylineOf(drawing: DrawingRecord, chart: Chart): AnswerDrawing {
  const points = (drawing.points as readonly PointRecord[]).map(({ time, index, price }) => {
    const timeMs = chart.timeMs(drawing.xloc === 'bar_time' ? time : index, drawing.xloc);
    return { time: secondsOf(timeMs), price, index, time_ms: time };
  });
  const { line_color: color, fill_color: bgcolor, line_width: width, line_style: style } = drawing;
  return { points, color, bgcolor, width, style };
}

/** Whole seconds, as charting clients count the bars. */
const secondsOf = (timeMs: number | null): number | null => (timeMs === null ? null : Math.floor(timeMs / 1000));

class Chart {
  readonly #bars: BarColumns;
  readonly #stepMs: number;

  constructor(bars: BarColumns, timeframe: string) {
    this.#bars = bars;
    const seconds = timeframes.inSeconds(timeframes.parseTimeframe(timeframe));
    this.#stepMs = Number.isNaN(seconds) ? 0 : seconds * 1000;
  }

  /** Of a place that is a time or the index of a bar. Beyond the bars there are, time goes on by the timeframe. */
  timeMs(place: unknown, xloc: unknown): number | null {
    if (typeof place !== 'number') return null;
    const { time, count } = this.#bars;
    if (xloc === 'bar_time') return place;
    if (count === 0) return null;
    const index = Math.trunc(place);
    const nearest = Math.min(Math.max(index, 0), count - 1);
    return (time[nearest] as number) + (index - nearest) * this.#stepMs;
  }

  /** Of the bar that a time falls into; beyond the chart, of its nearest bar. */
  priceAt(timeMs: number | null, name: 'high' | 'low'): number | null {
    const { time, count } = this.#bars;
    if (timeMs === null || count === 0) return null;
    let [from, to] = [0, count - 1];
    while (from < to) {
      const middle = (from + to + 1) >> 1;
      if ((time[middle] as number) <= timeMs) from = middle;
      else to = middle - 1;
    }
    return this.#bars[name][from] as number;
  }
}
