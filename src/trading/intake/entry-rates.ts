// How many entries a minute somebody may make: counts those of the last minute, for each subject that has a rate.

import type { MaybePromise } from '../../timing/maybe-promise.ts';
import { type LimitRefusal, refusal } from './limit-rules.ts';
import { type Restriction, subjectInWords } from './restrictions.ts';

export const MINUTE_MS = 60_000;

/** An entry that was counted can be given back: a signal that turns out to be a duplicate was none. */
export type EntryTaken = { readonly refused: LimitRefusal } | { giveBack(): void };

export interface EntryRates {
  /** Takes one entry from the rate of each, or from none where one of them has nothing left. */
  take(restrictions: readonly Restriction[]): MaybePromise<EntryTaken>;
  /** What taking one would say now; takes none. */
  refusalOf(restrictions: readonly Restriction[]): MaybePromise<LimitRefusal | undefined>;
}

/** Those that a rate counts for. */
export const withRate = (restrictions: readonly Restriction[]): readonly Restriction[] =>
  restrictions.filter(({ limits }) => limits.rate !== undefined);

export function rateRefusal(subject: Restriction, waitMs: number): LimitRefusal {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  const words = `${subject.limits.rate} entries a minute are allowed, the next one in ${seconds} s`;
  return refusal(subject, 'rate', 'LIMIT_RATE', words);
}

/** Those of this process; never waits. */
export class OwnEntryRates implements EntryRates {
  readonly #nowMs: () => number;
  /** Oldest first; never longer than the rate. */
  readonly #times = new Map<string, number[]>();

  /** The clock must never jump. */
  constructor(monotonicMs: () => number) {
    this.#nowMs = monotonicMs;
  }

  take(restrictions: readonly Restriction[]): EntryTaken {
    const refused = this.refusalOf(restrictions);
    if (refused) return { refused };
    const names = withRate(restrictions).map(subjectInWords);
    const now = this.#nowMs();
    for (const name of names) this.#recent(name, now).push(now);
    return { giveBack: () => this.#giveBack(names, now) };
  }

  refusalOf(restrictions: readonly Restriction[]): LimitRefusal | undefined {
    const now = this.#nowMs();
    for (const subject of withRate(restrictions)) {
      const { rate = 0 } = subject.limits;
      const times = this.#recent(subjectInWords(subject), now);
      if (times.length < rate) continue;
      const [first = now] = times;
      return rateRefusal(subject, first + MINUTE_MS - now);
    }
    return undefined;
  }

  #giveBack(names: readonly string[], takenAtMs: number): void {
    for (const name of names) {
      const times = this.#times.get(name) ?? [];
      const at = times.lastIndexOf(takenAtMs);
      if (at !== -1) times.splice(at, 1);
    }
  }

  #recent(name: string, now: number): number[] {
    const recent = (this.#times.get(name) ?? []).filter((time) => time > now - MINUTE_MS);
    this.#times.set(name, recent);
    return recent;
  }
}
