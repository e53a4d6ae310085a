// How restless a simulated market is at a time: calm and wild stretches follow each other, as they do in real markets.

import { signedUnit } from './hash.ts';

/** It stays the same for 4.5 hours. A power of two, like the periods of the price path. */
const STRETCH_S = 16_384;
/** How many stretches share one draw, and how much the draw counts, as a logarithm: hours, a day and a half, twelve days. */
const LAYERS = [
  { stretches: 1, spread: 0.4 },
  { stretches: 8, spread: 0.3 },
  { stretches: 64, spread: 0.216 },
] as const;
/** 2.5 times the usual; the calmest is the usual divided by it. */
const GREATEST = Math.exp(LAYERS.reduce((sum, { spread }) => sum + spread, 0));
/** A few stretches are asked for again and again; a power of two, so that a slot is found without a division. */
const SLOTS = 16;

export class Restlessness {
  readonly #seed: number;
  readonly #stretches = new Float64Array(SLOTS).fill(Number.NaN);
  readonly #factors = new Float64Array(SLOTS);

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** A factor around 1. */
  at(second: number): number {
    return this.#of(Math.floor(second / STRETCH_S));
  }

  /** No factor of the seconds from `from` to `to`, both included, is greater; exact for short stretches of time. */
  greatest(from: number, to: number): number {
    const first = Math.floor(from / STRETCH_S);
    const last = Math.floor(to / STRETCH_S);
    if (last - first > 1) return GREATEST;
    return Math.max(this.#of(first), this.#of(last));
  }

  #of(stretch: number): number {
    const slot = stretch & (SLOTS - 1);
    if (this.#stretches[slot] === stretch) return this.#factors[slot]!;
    let logarithm = 0;
    for (const [layer, { stretches, spread }] of LAYERS.entries())
      logarithm += spread * signedUnit(this.#seed + layer, Math.floor(stretch / stretches));
    const factor = Math.exp(logarithm);
    this.#stretches[slot] = stretch;
    this.#factors[slot] = factor;
    return factor;
  }
}
