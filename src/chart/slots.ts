// Places along the chart: one per bar while bars are at least a pixel apart, else one per pixel for many bars.
//
// Whatever is drawn goes through here, so that the time a chart takes depends on its width and not on its bars.

/** Wider bars look like a wall; a chart of a few bars stands in the middle instead. */
const WIDEST_BAR_PX = 40;
/** Room that outputs moved into the future may take, as a share of the bars there are; and for charts of a few bars. */
const FUTURE_SHARE = 0.25;
const LEAST_FUTURE_BARS = 30;

export class Slots {
  /** Bars, with those of the future. */
  readonly bars: number;
  readonly count: number;
  readonly pxPerBar: number;
  /** Pixels from one slot to the next, at least 1. */
  readonly spacing: number;
  readonly left: number;

  constructor(bars: number, futureBars: number, left: number, right: number) {
    const width = right - left;
    this.bars = (bars + Math.min(Math.max(futureBars, 0), Math.max(bars * FUTURE_SHARE, LEAST_FUTURE_BARS))) | 0;
    this.pxPerBar = Math.min(width / Math.max(this.bars, 1), WIDEST_BAR_PX);
    this.count = Math.min(this.bars, Math.max(Math.floor(width), 1));
    const used = this.pxPerBar * this.bars;
    this.spacing = this.count === 0 ? WIDEST_BAR_PX : used / this.count;
    this.left = left + (width - used) / 2;
  }

  /** The middle of a slot. */
  x(slot: number): number {
    return this.left + (slot + 0.5) * this.spacing;
  }

  /** The middle of a bar, whether there is one at that index or not. */
  xOfBar(index: number): number {
    return this.left + (index + 0.5) * this.pxPerBar;
  }

  /** First bar of a slot; the one of slot `count` is the end. */
  first(slot: number): number {
    return Math.floor((slot * this.bars) / this.count);
  }

  /** Per slot, one number of its bars; bars beyond the column count as NaN. */
  reduce(column: Float64Array, start: number, step: (kept: number, value: number) => number): Float64Array {
    const reduced = new Float64Array(this.count);
    for (let slot = 0; slot < this.count; slot += 1) {
      let kept = start;
      const end = Math.min(this.first(slot + 1), column.length);
      for (let i = this.first(slot); i < end; i += 1) kept = step(kept, column[i]!);
      reduced[slot] = kept;
    }
    return reduced;
  }

  lasts(column: Float64Array): Float64Array {
    return this.reduce(column, Number.NaN, (kept, value) => (Number.isNaN(value) ? kept : value));
  }

  firsts(column: Float64Array): Float64Array {
    return this.reduce(column, Number.NaN, (kept, value) => (Number.isNaN(kept) ? value : kept));
  }

  highs(column: Float64Array): Float64Array {
    return this.reduce(column, Number.NaN, (kept, value) => (kept >= value || Number.isNaN(value) ? kept : value));
  }

  lows(column: Float64Array): Float64Array {
    return this.reduce(column, Number.NaN, (kept, value) => (kept <= value || Number.isNaN(value) ? kept : value));
  }

  /** The value farthest from a base. */
  farthest(column: Float64Array, base: number): Float64Array {
    return this.reduce(column, Number.NaN, (kept, value) =>
      Math.abs(kept - base) >= Math.abs(value - base) || Number.isNaN(value) ? kept : value,
    );
  }
}

/** A column as it is shown: moved by `offset` bars, only the last `showLast` of them, as long as the chart. */
export function shown(column: Float64Array, bars: number, offset: number, showLast: number): Float64Array {
  if (offset === 0 && showLast >= column.length && column.length === bars) return column;
  const moved = new Float64Array(bars).fill(Number.NaN);
  const first = Math.max(0, column.length - showLast);
  for (let i = first; i < column.length; i += 1)
    if (i + offset >= 0 && i + offset < bars) moved[i + offset] = column[i]!;
  return moved;
}
