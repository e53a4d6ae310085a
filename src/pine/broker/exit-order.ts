// The bracket of strategy.exit() around one filled entry: a limit, a stop and a trailing stop, of which the first reached fills.
//
// A trailing stop goes through these states:
//
//   waiting ──price reaches `activation`──► armed: `best` follows the best price, the stop stands `offset` behind it
//
// Without an offset, or with one of 0, it fills where it is activated. One without stays armed from bar to bar, one of 0
// must be crossed.

import type { Stage } from './current-bar.ts';
import { moved } from './grid.ts';
import type { Lot } from './lot.ts';
import type { QuietRange } from './quiet-range.ts';
import type { Direction } from './settings.ts';

/** The words of a call, which seldom change from bar to bar. */
export interface ExitWords {
  readonly id: string;
  /** Empty: every entry. */
  readonly fromEntry: string;
  readonly ocaName: string;
  readonly comment: string;
  readonly commentProfit: string;
  readonly commentLoss: string;
  readonly commentTrailing: string;
  readonly alertMessage: string;
  readonly alertProfit: string;
  readonly alertLoss: string;
  readonly alertTrailing: string;
  readonly isSilent: boolean;
}

/** A call as the script made it, na as NaN. */
export interface ExitRequest {
  readonly words: ExitWords;
  readonly quantity: number;
  readonly quantityPercent: number;
  readonly profit: number;
  readonly limit: number;
  readonly loss: number;
  readonly stop: number;
  readonly trailPrice: number;
  readonly trailPoints: number;
  readonly trailOffset: number;
}

export type ExitReason = 'limit' | 'stop' | 'trail';

/** Where the legs of a bracket stand, na as NaN; for everybody but the method that makes the quiet range forget read-only. */
interface ExitLevels {
  limit: number;
  stop: number;
  /** Where the trailing stop is armed. */
  activation: number;
  /** How far behind the best price the trailing stop stands; NaN when the script gives none. */
  offset: number;
}

export class ExitOrder {
  readonly lot: Lot;
  request: ExitRequest;
  /** What it wants of the entry; infinite: whatever others leave. */
  wanted = Number.POSITIVE_INFINITY;
  /** Whether others of its group have taken from that; asked for again, it wants what it is asked for. */
  isReduced = false;
  readonly limit: number = Number.NaN;
  readonly stop: number = Number.NaN;
  readonly activation: number = Number.NaN;
  readonly offset: number = Number.NaN;
  isArmed = false;
  /** The best price since it is armed. */
  best = Number.NaN;
  /** When it was made: the bar and how far that had come; one that came with its entry works at once. */
  readonly bar: number;
  stage: Stage;
  /** Whether it waits to be asked for again, because a turn of its position was refused. */
  isAsleep = false;
  /** Legs that lay on the wrong side of an entry inside the bar: they work from the next bar on. */
  stopRests = false;
  limitRests = false;
  /** The bar on which the script last gave it new prices. */
  askedOnBar: number;
  /** Which leg the last move reached. */
  reached: ExitReason = 'stop';

  constructor(lot: Lot, request: ExitRequest, bar: number, stage: Stage) {
    this.lot = lot;
    this.request = request;
    this.bar = bar;
    this.askedOnBar = bar;
    this.stage = stage;
  }

  /** The script asks for these prices, for the first time or anew. */
  ask(request: ExitRequest, wanted: number, { limit, stop, activation, offset }: ExitLevels, quiet: QuietRange): void {
    const levels = levelsOf(this);
    quiet.forget();
    levels.limit = limit;
    levels.stop = stop;
    levels.activation = activation;
    levels.offset = offset;
    this.request = request;
    this.wanted = wanted;
    this.isReduced = false;
  }

  /** Takes the prices that reach its limit or its stop from the quiet range; `slack` is what a limit must be passed by. */
  leaveOutOf(quiet: QuietRange, slack: number): void {
    const { lot, limit, stop } = this;
    if (lot.direction > 0) {
      quiet.raise(stop);
      quiet.lower(moved(limit, slack));
    } else {
      quiet.lower(stop);
      quiet.raise(moved(limit, -slack));
    }
  }

  /** Of the transaction: a long entry is sold. */
  get direction(): Direction {
    return this.lot.direction > 0 ? -1 : 1;
  }

  get hasTrail(): boolean {
    return !Number.isNaN(this.activation);
  }

  /** Where the trailing stop stands, or NaN while it is not armed. */
  get trailStop(): number {
    return this.isArmed ? this.best - this.lot.direction * this.offset : Number.NaN;
  }

  /** Whether any leg can fill on a bar with these extremes; a trailing stop must be walked through to know. */
  mayFillBetween(low: number, high: number, slack: number): boolean {
    if (this.hasTrail) return true;
    if (this.lot.direction > 0) return low <= this.stop || high >= moved(this.limit, slack);
    return high >= this.stop || low <= moved(this.limit, -slack);
  }

  /** Which leg has its level at or behind a price, as at the open of a bar. */
  passedAt(price: number, slack: number): ExitReason | null {
    if (this.isAsleep) return null;
    const side = this.lot.direction;
    if (!Number.isNaN(this.stop) && (this.stop - price) * side >= 0) return 'stop';
    if (this.offset > 0) {
      if (this.isArmed && (this.trailStop - price) * side >= 0) return 'trail';
    } else if (this.isArmed || (price - this.activation) * side >= 0) return 'trail';
    if (!Number.isNaN(this.limit) && (price - moved(this.limit, side * slack)) * side >= 0) return 'limit';
    return null;
  }

  /** The level that a move reaches first, or NaN; `reached` says which it was. */
  levelBetween(from: number, to: number, slack: number): number {
    if (this.isAsleep) return Number.NaN;
    const side = this.lot.direction;
    let level = Number.NaN;
    // A move of no length is where another order has just filled at this very price.
    if ((to - from) * side >= 0) {
      const passes = (price: number, by: number): boolean => {
        const reach = moved(price, side * by);
        return (from - reach) * side <= 0 && (to - reach) * side >= 0;
      };
      if (!this.limitRests && passes(this.limit, slack)) {
        level = this.limit;
        this.reached = 'limit';
      }
      if (!(this.offset > 0) && passes(this.activation, 0)) {
        // Of two at one price the trailing stop comes before the limit.
        if (Number.isNaN(level) || (this.activation - moved(level, side * slack)) * side <= 0) {
          level = this.activation;
          this.reached = 'trail';
        }
      }
      if (to !== from || !Number.isNaN(level)) return level;
    }
    const passes = (price: number): boolean => (from - price) * side >= 0 && (to - price) * side <= 0;
    if (!this.stopRests && passes(this.stop)) {
      level = this.stop;
      this.reached = 'stop';
    }
    const trail = this.trailStop;
    if (this.offset > 0 && passes(trail) && (Number.isNaN(level) || (trail - level) * side > 0)) {
      level = trail;
      this.reached = 'trail';
    }
    return level;
  }

  /** An entry inside the bar has just filled: levels that it has behind it already are not reached on this bar. */
  beginInsideBar(): void {
    const { price, direction } = this.lot;
    this.stopRests = (this.stop - price) * direction >= 0;
    this.limitRests = (price - this.limit) * direction >= 0;
  }

  beginBar(price: number): void {
    this.stopRests = false;
    this.limitRests = false;
    this.follow(price);
  }

  /** The price moved that far. */
  follow(price: number): void {
    // One of 0 is never armed by an older peak: it looks at the price that is there.
    if (!this.hasTrail || this.offset === 0) return;
    const side = this.lot.direction;
    if (!this.isArmed && (price - this.activation) * side >= 0) {
      this.isArmed = true;
      this.best = price;
    } else if (this.isArmed && (price - this.best) * side > 0) this.best = price;
  }
}

const levelsOf = (exit: ExitOrder): ExitLevels => exit;
