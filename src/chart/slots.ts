// Places along the chart: one per bar while bars are at least a pixel apart, else one per pixel for many bars.
//
// Whatever is drawn goes through here, so that the time a chart takes depends on its width and not on its bars.

/** Wider bars look like a wall; a chart of a few bars stands in the middle instead. */
const WIDEST_BAR_PX = 40;
/** Room that outputs moved into the future may take, as a share of the bars there are; and for charts of a few bars. */
const FUTURE_SHARE = 0.25;
const LEAST_FUTURE_BARS = 30;

/** Bars in view on a chart that can be moved. */
export interface View {
  /** Bars, with those of the future; whether in view or not. */
  readonly bars: number;
  /** The first bar in view, and the one behind the last. */
  readonly from: number;
  readonly to: number;
  /** The middle of bar 0, which may be far outside. */
  readonly xOfFirst: number;
  readonly pxPerBar: number;
}

export class Slots {
  /** Bars, with those of the future. */
  readonly bars: number;
  /** The first bar in view, and the one behind the last. */
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly pxPerBar: number;
  /** Pixels from one slot to the next, at least 1. */
  readonly spacing: number;
  readonly left: number;

  private constructor({ bars, from, to, xOfFirst, pxPerBar }: View, count: number, emptySpacing: number) {
    this.bars = bars;
    this.from = from;
    this.to = to;
    this.count = count;
    this.pxPerBar = pxPerBar;
    this.spacing = count === 0 ? emptySpacing : ((to - from) * pxPerBar) / count;
    this.left = xOfFirst + (from - 0.5) * pxPerBar;
  }

  /** All bars between two edges, in the middle where they are few. */
  static all(bars: number, futureBars: number, left: number, right: number): Slots {
    const width = right - left;
    const all = (bars + Math.min(Math.max(futureBars, 0), Math.max(bars * FUTURE_SHARE, LEAST_FUTURE_BARS))) | 0;
    const pxPerBar = Math.min(width / Math.max(all, 1), WIDEST_BAR_PX);
    const count = Math.min(all, Math.max(Math.floor(width), 1));
    const xOfFirst = left + (width - pxPerBar * all) / 2 + pxPerBar / 2;
    return new Slots({ bars: all, from: 0, to: all, xOfFirst, pxPerBar }, count, WIDEST_BAR_PX);
  }

  /** The bars in view of a chart that is moved and zoomed by somebody else. */
  static inView(view: View): Slots {
    const [from, to] = [Math.max(view.from, 0), Math.max(Math.min(view.to, view.bars), 0)];
    const seen = Math.max(to - from, 0);
    const count = Math.min(seen, Math.max(Math.floor(seen * view.pxPerBar), 1));
    return new Slots({ ...view, from, to: from + seen }, count, view.pxPerBar);
  }

  /** The middle of a slot. */
  x(slot: number): number {
    return this.left + (slot + 0.5) * this.spacing;
  }

  /** The middle of a bar, whether there is one at that index or not. */
  xOfBar(index: number): number {
    return this.left + (index - this.from + 0.5) * this.pxPerBar;
  }

  /** The bar at a place, whether there is one or not. */
  barAt(x: number): number {
    return Math.round((x - this.left) / this.pxPerBar - 0.5) + this.from;
  }

  /** First bar of a slot; the one of slot `count` is the end. */
  first(slot: number): number {
    return this.from + Math.floor((slot * (this.to - this.from)) / this.count);
  }

  /** Whether many bars share a slot. */
  get isCrowded(): boolean {
    return this.count < this.to - this.from;
  }

  /** Per slot, one number of its bars; bars beyond the column count as NaN. */
  reduce(column: Float64Array, start: number, step: (kept: number, value: number) => number): Float64Array {
    const reduced = new Float64Array(this.count);
    let i = this.first(0);
    for (let slot = 0; slot < this.count; slot += 1) {
      let kept = start;
      const end = Math.min(this.first(slot + 1), column.length);
      for (; i < end; i += 1) kept = step(kept, column[i]!);
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

  /** Per slot the first, the lowest, the highest and the last number of its bars, looked for in one go. */
  outline(column: Float64Array): readonly [Float64Array, Float64Array, Float64Array, Float64Array] {
    const none = () => new Float64Array(this.count).fill(Number.NaN);
    const [firsts, lows, highs, lasts] = [none(), none(), none(), none()];
    let i = this.first(0);
    for (let slot = 0; slot < this.count; slot += 1) {
      let [first, low, high, last] = [Number.NaN, Number.NaN, Number.NaN, Number.NaN];
      const end = Math.min(this.first(slot + 1), column.length);
      for (; i < end; i += 1) {
        const value = column[i]!;
        if (Number.isNaN(value)) continue;
        if (Number.isNaN(first)) first = low = high = value;
        else if (value < low) low = value;
        else if (value > high) high = value;
        last = value;
      }
      firsts[slot] = first;
      lows[slot] = low;
      highs[slot] = high;
      lasts[slot] = last;
    }
    return [firsts, lows, highs, lasts];
  }

  /** The value farthest from a base. */
  farthest(column: Float64Array, base: number): Float64Array {
    return this.reduce(column, Number.NaN, (kept, value) =>
      Math.abs(kept - base) >= Math.abs(value - base) || Number.isNaN(value) ? kept : value,
    );
  }
}

/** A column as it is shown: moved by `offset` bars, only the last `showLast` of them, no longer than the chart. */
export function shown(column: Float64Array, bars: number, offset: number, showLast: number): Float64Array {
  if (offset === 0 && showLast >= column.length && column.length <= bars) return column;
  const moved = new Float64Array(bars).fill(Number.NaN);
  const first = Math.max(0, column.length - showLast);
  for (let i = first; i < column.length; i += 1)
    if (i + offset >= 0 && i + offset < bars) moved[i + offset] = column[i]!;
  return moved;
}
