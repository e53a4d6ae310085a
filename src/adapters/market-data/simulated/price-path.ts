// The random path of one market: a pure function of the second, with exact highs and lows of any stretch of time.

import { hash32, signedUnit } from './hash.ts';

/**
 * Value noise in log price. Each octave is a lattice of random values, one per period, joined by smooth monotone
 * curves; periods grow by four and amplitudes by two, as the moves of a random walk do. Periods are powers of two
 * seconds, so that an aligned block of seconds no longer than a period lies within one curve of that octave: there the
 * extremes are at the ends, which gives a bound for the whole block without looking inside (see `descend`).
 */
const SHORTEST_PERIOD_S = 8;
const OCTAVES = 11;
const LONGEST_PERIOD_S = SHORTEST_PERIOD_S * 4 ** (OCTAVES - 1);
/** Of the shortest octave; the sum of all octaves is then ±48 %, and a day moves by a few per cent. */
const SHORTEST_AMPLITUDE = 0.03 / 128;
/** The flicker from second to second. */
const FLICKER_AMPLITUDE = 0.000_02;
/** Covers the rounding of a bound's sum, so that a block is never passed over by the last bit. */
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

export function createPricePath(marketSeed: number, volatility: number): PricePath {
  const periods = Array.from({ length: OCTAVES }, (_, octave) => SHORTEST_PERIOD_S * 4 ** octave);
  const amplitudes = Array.from({ length: OCTAVES }, (_, octave) => SHORTEST_AMPLITUDE * volatility * 2 ** octave);
  const seeds = Array.from({ length: OCTAVES }, (_, octave) => hash32(marketSeed, octave));
  const flickerSeed = hash32(marketSeed, OCTAVES);
  const flickerAmplitude = FLICKER_AMPLITUDE * volatility;
  /** Room for one block of the shortest period. */
  const values = new Float64Array(SHORTEST_PERIOD_S);
  let low = 0;
  let high = 0;

  /** All values of one block inside one shortest period. The one place where the path is computed: equal to the last bit. */
  function fill(start: number, size: number): void {
    values.fill(0, 0, size);
    for (let octave = 0; octave < OCTAVES; octave++) {
      const period = periods[octave]!;
      const amplitude = amplitudes[octave]!;
      const cell = Math.floor(start / period);
      const left = signedUnit(seeds[octave]!, cell) * amplitude;
      const rise = signedUnit(seeds[octave]!, cell + 1) * amplitude - left;
      const offset = start - cell * period;
      for (let i = 0; i < size; i++) values[i]! += left + rise * smooth((offset + i) / period);
    }
    for (let i = 0; i < size; i++) values[i]! += signedUnit(flickerSeed, start + i) * flickerAmplitude;
  }

  function scan(start: number, size: number): void {
    fill(start, size);
    for (let i = 0; i < size; i++) {
      const value = values[i]!;
      if (value > high) high = value;
      if (value < low) low = value;
    }
  }

  /** Whether an aligned block could hold a value outside what has been seen. */
  function mayExceed(start: number, size: number): boolean {
    let upper = flickerAmplitude + BOUND_SLACK;
    let lower = -upper;
    for (let octave = 0; octave < OCTAVES; octave++) {
      const period = periods[octave]!;
      const amplitude = amplitudes[octave]!;
      if (period < size) {
        upper += amplitude;
        lower -= amplitude;
        continue;
      }
      const cell = Math.floor(start / period);
      const left = signedUnit(seeds[octave]!, cell) * amplitude;
      const rise = signedUnit(seeds[octave]!, cell + 1) * amplitude - left;
      const offset = start - cell * period;
      const first = left + rise * smooth(offset / period);
      const last = left + rise * smooth((offset + size) / period);
      upper += Math.max(first, last);
      lower += Math.min(first, last);
    }
    return upper > high || lower < low;
  }

  function descend(start: number, size: number): void {
    if (size <= SHORTEST_PERIOD_S) {
      scan(start, size);
    } else if (mayExceed(start, size)) {
      descend(start, size / 2);
      descend(start + size / 2, size / 2);
    }
  }

  const at = (second: number): number => {
    fill(second, 1);
    return values[0]!;
  };

  return {
    at,
    extremes(from, to) {
      low = high = at(from);
      if (to - from > SAMPLED_FROM_S)
        for (let i = 1; i < SAMPLES; i++) scan(from + Math.floor(((to - from) * i) / SAMPLES), 1);
      for (let start = from; start < to; ) {
        let size = 1;
        while (size < LONGEST_PERIOD_S && start % (size * 2) === 0 && start + size * 2 <= to) size *= 2;
        descend(start, size);
        start += size;
      }
      return { low, high };
    },
  };
}
