// Highest and lowest: of a window, where they stand, of all time, and whether values go on rising or falling.

import { type Direction, ExtremeWindow } from './extreme-window.ts';
import { type Kernel, LONGEST_SERIES_LENGTH, TOLERANCE } from './kernel.ts';
import { checkedLength, fixedLength } from './length.ts';

/** ta.highest. Inputs: source, length. Na where the source is; of what came before an na nothing counts. */
export class Highest extends ExtremeWindow {
  constructor(longest: number = LONGEST_SERIES_LENGTH, name = 'highest') {
    super(name, longest, 1);
  }
}

/** ta.lowest. Inputs: source, length. */
export class Lowest extends ExtremeWindow {
  constructor(longest: number = LONGEST_SERIES_LENGTH, name = 'lowest') {
    super(name, longest, -1);
  }
}

class ExtremeBars implements Kernel {
  private readonly window: ExtremeWindow;

  constructor(name: string, longest: number, direction: Direction) {
    this.window = new ExtremeWindow(name, longest, direction);
  }

  next(source: number, length: number): number {
    this.window.next(source, length);
    return this.window.offset;
  }

  save(): void {
    this.window.save();
  }

  restore(): void {
    this.window.restore();
  }
}

/** ta.highestbars. Inputs: source, length. Zero or negative; the oldest of equal bars, and 0 where the source is na. */
export class HighestBars extends ExtremeBars {
  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    super('highestbars', longest, 1);
  }
}

/** ta.lowestbars. Inputs: source, length. */
export class LowestBars extends ExtremeBars {
  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    super('lowestbars', longest, -1);
  }
}

/** ta.range. Inputs: source, length. The highest less the lowest of the last `length` values; ignores na. */
export class Range implements Kernel {
  private readonly longest: number;
  private readonly highest: ExtremeWindow;
  private readonly lowest: ExtremeWindow;
  private length: number;

  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    this.longest = fixedLength('range', longest);
    this.length = this.longest;
    this.highest = new ExtremeWindow('range', longest, 1);
    this.lowest = new ExtremeWindow('range', longest, -1);
  }

  next(source: number, length: number): number {
    if (length !== this.length) this.length = checkedLength('range', length, this.longest);
    if (!Number.isNaN(source)) {
      this.highest.push(source);
      this.lowest.push(source);
    }
    return this.highest.extreme(this.length) - this.lowest.extreme(this.length);
  }

  save(): void {
    this.highest.save();
    this.lowest.save();
  }

  restore(): void {
    this.highest.restore();
    this.lowest.restore();
  }
}

/**
 * Whether the last `length` changes from bar to bar all went one way: seen on TradingView's charts, where its manual
 * only asks the newest value to be beyond the others. A change from or to an na is none, and is passed over.
 */
class Run implements Kernel {
  private readonly name: string;
  private readonly longest: number;
  private readonly direction: Direction;
  private length: number;
  private previous = Number.NaN;
  private steps = 0;
  private savedPrevious = Number.NaN;
  private savedSteps = 0;

  constructor(name: string, longest: number, direction: Direction) {
    this.name = name;
    this.longest = fixedLength(name, longest);
    this.length = this.longest;
    this.direction = direction;
  }

  next(source: number, length: number): boolean {
    if (length !== this.length) this.length = checkedLength(this.name, length, this.longest);
    const change = this.direction * (source - this.previous);
    this.previous = source;
    if (change > TOLERANCE) this.steps++;
    else if (!Number.isNaN(change)) this.steps = 0;
    return this.steps >= this.length;
  }

  save(): void {
    this.savedPrevious = this.previous;
    this.savedSteps = this.steps;
  }

  restore(): void {
    this.previous = this.savedPrevious;
    this.steps = this.savedSteps;
  }
}

/** ta.rising. Inputs: source, length. Returns a boolean. */
export class Rising extends Run {
  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    super('rising', longest, 1);
  }
}

/** ta.falling. Inputs: source, length. Returns a boolean. */
export class Falling extends Run {
  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    super('falling', longest, -1);
  }
}

class AllTimeExtreme implements Kernel {
  private readonly direction: Direction;
  private value = Number.NaN;
  private savedValue = Number.NaN;

  constructor(direction: Direction) {
    this.direction = direction;
  }

  next(source: number): number {
    // Written so that the first value replaces na, and na replaces nothing.
    if (!Number.isNaN(source) && !(this.direction * (this.value - source) >= 0)) this.value = source;
    return this.value;
  }

  save(): void {
    this.savedValue = this.value;
  }

  restore(): void {
    this.value = this.savedValue;
  }
}

/** ta.max. Inputs: source. Of all time. */
export class Max extends AllTimeExtreme {
  constructor() {
    super(1);
  }
}

/** ta.min. Inputs: source. Of all time. */
export class Min extends AllTimeExtreme {
  constructor() {
    super(-1);
  }
}
