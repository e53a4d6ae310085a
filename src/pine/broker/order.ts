// An order to buy or sell that waits for its price: of strategy.entry(), strategy.order(), strategy.close() or close_all().

import { STAGE, type Stage } from './current-bar.ts';
import { moved } from './grid.ts';
import type { QuietRange } from './quiet-range.ts';
import type { Direction } from './settings.ts';

export type OrderKind = 'entry' | 'order' | 'close' | 'close_all';
export type OcaType = 'none' | 'cancel' | 'reduce';

/** The words of a call, which seldom change from bar to bar. */
export interface OrderWords {
  readonly id: string;
  readonly ocaName: string;
  readonly ocaType: OcaType;
  readonly comment: string;
  readonly alertMessage: string;
  readonly isSilent: boolean;
}

/** The numbers of a call on their ticks and steps, na as NaN. */
export interface OrderNumbers {
  readonly direction: Direction;
  /** NaN: the size that the strategy declares. */
  readonly quantity: number;
  readonly limit: number;
  readonly stop: number;
}

/** What only methods that make the quiet range forget may change; for everybody else it is read-only. */
interface Levels {
  direction: Direction;
  limit: number;
  stop: number;
  isTriggered: boolean;
}

export class Order {
  readonly kind: OrderKind;
  readonly id: string;
  readonly direction: Direction;
  /** Of its own, without what it takes to close an opposite position; NaN until a fill price tells it. */
  quantity: number;
  /** What a priced reversal found open against it when it was placed. */
  carry = 0;
  readonly limit: number;
  readonly stop: number;
  /** Whether the stop of a stop-limit order was reached, so that it is a limit order now. */
  readonly isTriggered: boolean = false;
  words: OrderWords;
  /** The bar it was last placed on. */
  bar: number;
  /** What the account held when it was last placed. */
  heldAtPlacement = 0;
  /** Equity at the last placement: what a default size in percent is taken of. */
  equityAtPlacement = Number.NaN;
  /** Whether the script left the quantity to the strategy's declaration. */
  isByDefault = false;
  /** What others of its group have taken from a size that only a fill price tells. */
  reducedBy = 0;
  /** The run of the script on its bar that placed it last. */
  run = -1;
  /** How far the bar had come when it was placed; the close, unless the script runs after a fill. */
  stage: Stage = STAGE.done;
  /** The bar on which it waits although its level was reached. */
  restsOnBar = -1;
  /** Whether the script gave it twice in one run: such an entry trades its own quantity and turns no position. */
  isRepeated = false;
  /** Of an order to close: where in the script its call stands. */
  site = -1;
  /** Executes at the close of the bar it was placed on. */
  isImmediate = false;

  constructor(kind: OrderKind, words: OrderWords, numbers: OrderNumbers, bar: number) {
    this.kind = kind;
    this.id = words.id;
    this.words = words;
    this.direction = numbers.direction;
    this.quantity = numbers.quantity;
    this.limit = numbers.limit;
    this.stop = numbers.stop;
    this.bar = bar;
  }

  get isMarket(): boolean {
    return Number.isNaN(this.limit) && Number.isNaN(this.stop);
  }

  /** Whether its stop is still to be reached. */
  get isStop(): boolean {
    return !Number.isNaN(this.stop) && !this.isTriggered;
  }

  /** How the list of trades names it. */
  get listedId(): string {
    return this.kind === 'close' ? `Close entry(s) order ${this.id}` : this.id;
  }

  get isClose(): boolean {
    return this.kind === 'close' || this.kind === 'close_all';
  }

  /** The same id again: the order keeps its place among the others. */
  replace(words: OrderWords, numbers: OrderNumbers, bar: number, quiet: QuietRange): void {
    const { direction, quantity, limit, stop } = numbers;
    const levels = levelsOf(this);
    quiet.forget();
    levels.isTriggered = this.isTriggered && stop === this.stop && limit === this.limit;
    levels.direction = direction;
    levels.limit = limit;
    levels.stop = stop;
    this.words = words;
    this.quantity = quantity;
    this.bar = bar;
    this.reducedBy = 0;
  }

  /** Its stop is reached: it is a limit order from here on. */
  trigger(quiet: QuietRange): void {
    quiet.forget();
    levelsOf(this).isTriggered = true;
  }

  /** Takes the prices that reach it from the quiet range; `slack` is what a limit must be passed by. */
  leaveOutOf(quiet: QuietRange, slack: number): void {
    const { isStop, direction, stop, limit } = this;
    if (isStop && direction > 0) quiet.lower(stop);
    else if (isStop) quiet.raise(stop);
    else if (direction > 0) quiet.raise(moved(limit, -slack));
    else quiet.lower(moved(limit, slack));
  }

  /** Whether a price lies at or past its level; `slack` is what a limit must be passed by. */
  isPassedAt(price: number, slack: number): boolean {
    const { direction, limit, stop } = this;
    if (this.isStop) return direction > 0 ? price >= stop : price <= stop;
    return direction > 0 ? price <= moved(limit, -slack) : price >= moved(limit, slack);
  }

  /**
   * The level that a move from one price to another reaches, or NaN. Where the move begins counts: of two orders at one
   * price the second is reached when the first has filled there.
   */
  levelBetween(from: number, to: number, slack: number): number {
    const { direction, limit, stop } = this;
    if (this.isStop) {
      if (direction > 0) return from <= stop && to >= stop ? stop : Number.NaN;
      return from >= stop && to <= stop ? stop : Number.NaN;
    }
    const reach = moved(limit, -direction * slack);
    if (direction > 0) return from >= reach && to <= reach ? limit : Number.NaN;
    return from <= reach && to >= reach ? limit : Number.NaN;
  }
}

const levelsOf = (order: Order): Levels => order;
