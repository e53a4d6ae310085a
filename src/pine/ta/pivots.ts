// Pivots: the bars that stand out among their neighbours, and the levels drawn from a finished period.

import { PineRuntimeError } from '../values/runtime-error.ts';
import { type Direction, ExtremeWindow } from './extreme-window.ts';
import { type Kernel, LONGEST_SERIES_LENGTH } from './kernel.ts';
import { checkedCount } from './length.ts';
import { NumberRing } from './number-ring.ts';

/**
 * A pivot is the extreme of itself, `leftbars` before and `rightbars` after it; it is known `rightbars` later. A bar of
 * the same height to its right takes the pivot from it, one to its left does not. Beyond an na nobody looks: on that side
 * only the bars nearer than the na count.
 */
class Pivot implements Kernel {
  private readonly name: string;
  private readonly longest: number;
  private readonly direction: Direction;
  private readonly window: ExtremeWindow;
  private readonly ring: NumberRing;
  private knownInARow = 0;
  private savedKnownInARow = 0;

  constructor(name: string, longest: number, direction: Direction) {
    this.name = name;
    this.longest = longest;
    this.direction = direction;
    // Sides below zero make no window; `next` refuses them by name.
    this.window = new ExtremeWindow(name, Math.max(longest, 1), direction, 'newest');
    this.ring = new NumberRing(name, Math.max(longest, 1));
  }

  next(source: number, leftBars: number, rightBars: number): number {
    const left = checkedCount(this.name, leftBars, this.longest, 'leftbars');
    const right = checkedCount(this.name, rightBars, this.longest, 'rightbars');
    const extreme = this.window.next(source, left + right + 1);
    this.ring.push(source);
    this.knownInARow = Number.isNaN(source) ? 0 : this.knownInARow + 1;
    if (this.knownInARow > left + right) return this.window.offset === -right ? extreme : Number.NaN;
    return this.ring.pushed > left + right && this.standsOut(left, right) ? this.ring.at(right) : Number.NaN;
  }

  save(): void {
    this.window.save();
    this.ring.save();
    this.savedKnownInARow = this.knownInARow;
  }

  restore(): void {
    this.window.restore();
    this.ring.restore();
    this.knownInARow = this.savedKnownInARow;
  }

  /** Bar by bar outwards, for the rare window with an na in it. */
  private standsOut(left: number, right: number): boolean {
    const height = this.direction * this.ring.at(right);
    if (Number.isNaN(height)) return false;
    for (let ago = right - 1; ago >= 0; ago--) {
      const other = this.direction * this.ring.at(ago);
      if (Number.isNaN(other)) break;
      if (other >= height) return false;
    }
    for (let ago = right + 1; ago <= left + right; ago++) {
      const other = this.direction * this.ring.at(ago);
      if (Number.isNaN(other)) break;
      if (other > height) return false;
    }
    return true;
  }
}

/** ta.pivothigh. Inputs: source, leftbars, rightbars; `longest` is the most bars of both sides and the pivot together. */
export class PivotHigh extends Pivot {
  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    super('pivothigh', longest, 1);
  }
}

/** ta.pivotlow. Inputs: source, leftbars, rightbars. */
export class PivotLow extends Pivot {
  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    super('pivotlow', longest, -1);
  }
}

/** A period's bars, as far as the levels need them. */
interface Period {
  open: number;
  high: number;
  low: number;
  close: number;
}

const newPeriod = (): Period => ({ open: Number.NaN, high: Number.NaN, low: Number.NaN, close: Number.NaN });

function copyPeriod(from: Period, to: Period): void {
  to.open = from.open;
  to.high = from.high;
  to.low = from.low;
  to.close = from.close;
}

/** Writes P, R1, S1, R2, S2, R3, S3, R4, S4, R5, S5 of a period; `open` is that of the period they are drawn on. */
type Formula = (levels: Float64Array, period: Period, open: number) => void;

function setPairs(levels: Float64Array, pivot: number, ...pairs: number[]): void {
  levels.fill(Number.NaN);
  levels[0] = pivot;
  levels.set(pairs, 1);
}

const typical = ({ high, low, close }: Period): number => (high + low + close) / 3;

const FORMULAS: Readonly<Record<string, Formula>> = {
  Traditional(levels, period) {
    const { high: h, low: l } = period;
    const p = typical(period);
    const third = [p * 2 + (h - 2 * l), p * 2 - (2 * h - l)];
    const fourth = [p * 3 + (h - 3 * l), p * 3 - (3 * h - l)];
    const fifth = [p * 4 + (h - 4 * l), p * 4 - (4 * h - l)];
    setPairs(levels, p, 2 * p - l, 2 * p - h, p + (h - l), p - (h - l), ...third, ...fourth, ...fifth);
  },
  Fibonacci(levels, period) {
    const range = period.high - period.low;
    const p = typical(period);
    const near = [p + 0.382 * range, p - 0.382 * range, p + 0.618 * range, p - 0.618 * range];
    setPairs(levels, p, ...near, p + range, p - range);
  },
  Woodie(levels, { high: h, low: l }, open) {
    const p = (h + l + 2 * open) / 4;
    const third = [h + 2 * (p - l), l - 2 * (h - p)] as const;
    const fourth = [third[0] + (h - l), third[1] - (h - l)];
    setPairs(levels, p, 2 * p - l, 2 * p - h, p + (h - l), p - (h - l), ...third, ...fourth);
  },
  Classic(levels, period) {
    const { high: h, low: l } = period;
    const range = h - l;
    const p = typical(period);
    const far = [p + 2 * range, p - 2 * range, p + 3 * range, p - 3 * range];
    setPairs(levels, p, 2 * p - l, 2 * p - h, p + range, p - range, ...far);
  },
  DM(levels, { open, high, low, close }) {
    const x = close === open ? high + low + 2 * close : close > open ? 2 * high + low + close : 2 * low + high + close;
    setPairs(levels, x / 4, x / 2 - low, x / 2 - high);
  },
  Camarilla(levels, period) {
    const { high, low, close } = period;
    const step = 1.1 * (high - low);
    const pairs = [12, 6, 4, 2].flatMap((part) => [close + step / part, close - step / part]);
    const fifth = (high / low) * close;
    setPairs(levels, typical(period), ...pairs, fifth, 2 * close - fifth);
  },
};

/**
 * ta.pivot_point_levels. Inputs: open, high, low, close of the chart, type, anchor (boolean), developing (boolean).
 * Returns eleven levels in an array that the next call writes again: copy it. The anchor starts a new period: the
 * levels are then those of the period that just ended, and stay; developing ones are those of the bars since the anchor.
 */
export class PivotPointLevels implements Kernel {
  private readonly levels = new Float64Array(11).fill(Number.NaN);
  private readonly period = newPeriod();
  private readonly savedLevels = new Float64Array(11).fill(Number.NaN);
  private readonly savedPeriod = newPeriod();

  next(
    open: number,
    high: number,
    low: number,
    close: number,
    type: string,
    anchor: boolean,
    developing: boolean,
  ): Float64Array {
    const formula = formulaOf(type, developing);
    if (anchor) {
      // On the very first bar no period has ended yet.
      if (!developing && !Number.isNaN(this.period.open)) formula(this.levels, this.period, open);
      this.period.open = Number.NaN;
    }
    this.add(open, high, low, close);
    if (developing) formula(this.levels, this.period, open);
    return this.levels;
  }

  save(): void {
    this.savedLevels.set(this.levels);
    copyPeriod(this.period, this.savedPeriod);
  }

  restore(): void {
    this.levels.set(this.savedLevels);
    copyPeriod(this.savedPeriod, this.period);
  }

  private add(open: number, high: number, low: number, close: number): void {
    const { period } = this;
    const isFirst = Number.isNaN(period.open);
    if (isFirst) period.open = open;
    if (isFirst || high > period.high) period.high = high;
    if (isFirst || low < period.low) period.low = low;
    period.close = close;
  }
}

function formulaOf(type: string, developing: boolean): Formula {
  const formula = Object.hasOwn(FORMULAS, type) ? FORMULAS[type] : undefined;
  if (formula === undefined)
    throw new PineRuntimeError(
      `Invalid value of the 'type' argument ("${type}") in the 'pivot_point_levels' function. Use one of ${Object.keys(FORMULAS).join(', ')}.`,
    );
  if (developing && type === 'Woodie')
    throw new PineRuntimeError(
      'The `developing` parameter of the `ta.pivot_point_levels()` cannot be `true` when `type` is "Woodie". Pass false.',
    );
  return formula;
}
