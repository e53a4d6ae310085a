// The lowest and highest value of whole days of a price path, kept once they were found: a long chart of days asks for thousands.

import type { PricePath } from './price-path.ts';

export const DAY_S = 86_400;
/** About fourteen markets with thirteen years each, and ten megabytes. */
const MAX_KEPT_DAYS = 65_536;

export type Extremes = ReturnType<PricePath['extremes']>;

export class DayExtremes {
  readonly #maxDays: number;
  /** By path, the one that was begun first in front. */
  readonly #paths = new Map<PricePath, Map<number, Extremes>>();
  #count = 0;

  constructor(maxDays = MAX_KEPT_DAYS) {
    this.#maxDays = maxDays;
  }

  /** How many days are kept. */
  get size(): number {
    return this.#count;
  }

  /** Over the seconds in [from, to); from the days that are kept, where they are whole days. */
  of(path: PricePath, from: number, to: number): Extremes {
    if (from % DAY_S !== 0 || to % DAY_S !== 0) return path.extremes(from, to);
    let { low, high } = this.#day(path, from / DAY_S);
    for (let day = from / DAY_S + 1; day < to / DAY_S; day++) {
      const other = this.#day(path, day);
      low = Math.min(low, other.low);
      high = Math.max(high, other.high);
    }
    return { low, high };
  }

  #day(path: PricePath, day: number): Extremes {
    const known = this.#paths.get(path)?.get(day);
    if (known) return known;
    const found = path.extremes(day * DAY_S, (day + 1) * DAY_S);
    if (this.#count >= this.#maxDays) this.#forgetOldest();
    const days = this.#paths.get(path) ?? new Map<number, Extremes>();
    this.#paths.set(path, days.set(day, found));
    this.#count++;
    return found;
  }

  #forgetOldest(): void {
    const [oldest] = this.#paths;
    if (oldest === undefined) return;
    this.#paths.delete(oldest[0]);
    this.#count -= oldest[1].size;
  }
}
