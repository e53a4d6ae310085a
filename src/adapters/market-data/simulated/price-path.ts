// The random path of one market: a pure function of the second, with exact highs and lows of any stretch of time.

import { hash32, signedUnit, unit } from './hash.ts';
import { Restlessness } from './restlessness.ts';

/**
 * Value noise in log price. Each octave is a lattice of random values, one per period, joined by smooth monotone
 * curves; periods grow by four and amplitudes by two, as the moves of a random walk do. Periods are powers of two
 * seconds, so that an aligned block of seconds no longer than a period lies within one curve of that octave: there the
 * extremes are at the ends, which gives a bound for the whole block without looking inside (see `#descend`).
 *
 * Two things make it a market and not a sine. *Restlessness* comes in stretches: the lattice values of the shorter octaves
 * are larger or smaller together, by a factor that is drawn anew every few hours, days and weeks (see restlessness.ts). And
 * in some periods of one octave the price does not glide from value to value but *jumps*, within one second somewhere in
 * the period. A jump is a monotone curve too, so the bounds hold.
 */
const SHORTEST_PERIOD_S = 8;
const OCTAVES = 11;
const LONGEST_PERIOD_S = SHORTEST_PERIOD_S * 4 ** (OCTAVES - 1);
/** Of the shortest octave; with the greatest restlessness the sum of all octaves is then ±57 %, and a day moves by a few per cent. */
const SHORTEST_AMPLITUDE = 0.03 / 128;
/** The flicker from second to second. */
const FLICKER_AMPLITUDE = 0.000_02;
/** Octaves up to a period of a day and a half are restless; the longer ones make the level of weeks and months. */
const RESTLESS_OCTAVES = 8;
/** A period of 9 hours, and a price that moves by 1 % from one value to the next on average. */
const JUMP_OCTAVE = 6;
const JUMP_SHARE = 0.25;
/** Covers the rounding in the sum of a bound, so that no block is passed over because of its last bit. */
const BOUND_SLACK = 1e-12;
/** Stretches longer than this are sampled first: a good guess of the extremes lets most blocks be passed over. */
const SAMPLED_FROM_S = 1024;
const SAMPLES = 48;

export interface PricePath {
  /** Natural logarithm of price over anchor at one second. */
  at(second: number): number;
  /** Lowest and highest value of `at` over the seconds in [from, to), which must not be empty. */
  extremes(from: number, to: number): { readonly low: number; readonly high: number };
}

const smooth = (x: number): number => x * x * (3 - 2 * x);
/** For a period without a jump: later than any second of it. */
const NEVER = Number.POSITIVE_INFINITY;

export const createPricePath = (marketSeed: number, volatility: number): PricePath =>
  new NoisePath(marketSeed, volatility);

/** The lowest and the highest value that a search has seen. */
interface Seen {
  low: number;
  high: number;
}

class NoisePath implements PricePath {
  readonly #periods = Array.from({ length: OCTAVES }, (_, octave) => SHORTEST_PERIOD_S * 4 ** octave);
  readonly #amplitudes: readonly number[];
  readonly #seeds: readonly number[];
  readonly #flickerSeed: number;
  readonly #flickerAmplitude: number;
  readonly #restlessness: Restlessness;
  readonly #jumpSeed: number;
  /**
   * The curve of each octave that was looked at last: its period, where it begins, how far it rises, and the second of its
   * jump. Seconds are asked for in order, so most of the eleven curves are the ones of the second before.
   */
  readonly #cells = new Float64Array(OCTAVES).fill(Number.NaN);
  readonly #lefts = new Float64Array(OCTAVES);
  readonly #rises = new Float64Array(OCTAVES);
  readonly #jumps = new Float64Array(OCTAVES);
  /** Room for one block of the shortest period. */
  readonly #values = new Float64Array(SHORTEST_PERIOD_S);

  constructor(marketSeed: number, volatility: number) {
    this.#amplitudes = this.#periods.map((_, octave) => SHORTEST_AMPLITUDE * volatility * 2 ** octave);
    this.#seeds = this.#periods.map((_, octave) => hash32(marketSeed, octave));
    this.#restlessness = new Restlessness(hash32(marketSeed, OCTAVES + 1));
    this.#jumpSeed = hash32(marketSeed, OCTAVES + 2);
    this.#flickerSeed = hash32(marketSeed, OCTAVES);
    this.#flickerAmplitude = FLICKER_AMPLITUDE * volatility;
  }

  at(second: number): number {
    this.#fill(second, 1);
    return this.#values[0]!;
  }

  extremes(from: number, to: number): { readonly low: number; readonly high: number } {
    const first = this.at(from);
    const seen = { low: first, high: first };
    if (to - from > SAMPLED_FROM_S)
      for (let i = 1; i < SAMPLES; i++) this.#scan(from + Math.floor(((to - from) * i) / SAMPLES), 1, seen);
    for (let start = from; start < to; ) {
      let size = 1;
      while (size < LONGEST_PERIOD_S && start % (size * 2) === 0 && start + size * 2 <= to) size *= 2;
      this.#descend(start, size, seen);
      start += size;
    }
    return seen;
  }

  /** Looks into an aligned block, halving it until it is short enough to be computed or cannot hold anything new. */
  #descend(start: number, size: number, seen: Seen): void {
    if (size <= SHORTEST_PERIOD_S) {
      this.#scan(start, size, seen);
    } else if (this.#mayExceed(start, size, seen)) {
      this.#descend(start, size / 2, seen);
      this.#descend(start + size / 2, size / 2, seen);
    }
  }

  #scan(start: number, size: number, seen: Seen): void {
    this.#fill(start, size);
    const values = this.#values;
    for (let i = 0; i < size; i++) {
      const value = values[i]!;
      if (value > seen.high) seen.high = value;
      if (value < seen.low) seen.low = value;
    }
  }

  /**
   * Computes all values of one block inside one shortest period. Nothing else computes the path, so that a second has
   * the same price to the last bit however it is asked for.
   */
  #fill(start: number, size: number): void {
    const values = this.#values;
    values.fill(0, 0, size);
    for (let octave = 0; octave < OCTAVES; octave++) {
      const period = this.#periods[octave]!;
      const cell = Math.floor(start / period);
      if (this.#cells[octave] !== cell) this.#enter(octave, cell);
      const left = this.#lefts[octave]!;
      const rise = this.#rises[octave]!;
      const jumpAt = this.#jumps[octave]!;
      const offset = start - cell * period;
      if (jumpAt === NEVER) for (let i = 0; i < size; i++) values[i]! += left + rise * smooth((offset + i) / period);
      else for (let i = 0; i < size; i++) values[i]! += offset + i < jumpAt ? left : left + rise;
    }
    const flickerSeed = this.#flickerSeed;
    const flickerAmplitude = this.#flickerAmplitude;
    for (let i = 0; i < size; i++) values[i]! += signedUnit(flickerSeed, start + i) * flickerAmplitude;
  }

  /** Finds the curve of one period of an octave. */
  #enter(octave: number, cell: number): void {
    const seed = this.#seeds[octave]!;
    const amplitude = this.#amplitudes[octave]!;
    const period = this.#periods[octave]!;
    const isRestless = octave < RESTLESS_OCTAVES;
    const valueAt = (at: number): number =>
      signedUnit(seed, at) * amplitude * (isRestless ? this.#restlessness.at(at * period) : 1);
    const left = valueAt(cell);
    const jumps = octave === JUMP_OCTAVE && unit(this.#jumpSeed, cell) < JUMP_SHARE;
    this.#cells[octave] = cell;
    this.#lefts[octave] = left;
    this.#rises[octave] = valueAt(cell + 1) - left;
    this.#jumps[octave] = jumps ? 1 + Math.floor(unit(this.#jumpSeed, -1 - cell) * (period - 1)) : NEVER;
  }

  /** Whether an aligned block could hold a value outside what has been seen. */
  #mayExceed(start: number, size: number, { low, high }: Seen): boolean {
    let upper = this.#flickerAmplitude + BOUND_SLACK;
    let lower = -upper;
    const restless = this.#restlessness.greatest(start, start + size);
    for (let octave = 0; octave < OCTAVES; octave++) {
      const period = this.#periods[octave]!;
      if (period < size) {
        const amplitude = this.#amplitudes[octave]! * (octave < RESTLESS_OCTAVES ? restless : 1);
        upper += amplitude;
        lower -= amplitude;
        continue;
      }
      const cell = Math.floor(start / period);
      if (this.#cells[octave] !== cell) this.#enter(octave, cell);
      const left = this.#lefts[octave]!;
      const rise = this.#rises[octave]!;
      const jumpAt = this.#jumps[octave]!;
      const offset = start - cell * period;
      const end = offset + size;
      const first = left + rise * (jumpAt === NEVER ? smooth(offset / period) : offset < jumpAt ? 0 : 1);
      const last = left + rise * (jumpAt === NEVER ? smooth(end / period) : end < jumpAt ? 0 : 1);
      upper += Math.max(first, last);
      lower += Math.min(first, last);
    }
    return upper > high || lower < low;
  }
}
