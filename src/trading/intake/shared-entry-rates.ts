// Entry rates that several processes share: asked of what they have in common, and counted by this process alone while that is away.

import { type MaybePromise, whenKnown } from '../../timing/maybe-promise.ts';
import { type EntryRates, type EntryTaken, OwnEntryRates, rateRefusal, withRate } from './entry-rates.ts';
import type { LimitRefusal } from './limit-rules.ts';
import { type Restriction, subjectInWords } from './restrictions.ts';

/** One subject, by its name, and how many entries of it a minute may have. */
export interface EntryRate {
  readonly name: string;
  readonly rate: number;
}

/** The first of those asked that has nothing left. */
export interface FullRate {
  readonly at: number;
  readonly waitMs: number;
}

/** The entries of the last minute of all processes. Undefined: they cannot be asked now. Answers come in the order of asking. */
export interface SharedEntries {
  /** Takes one of each, or none. */
  take(rates: readonly EntryRate[]): MaybePromise<{ readonly full: FullRate } | { giveBack(): void } | undefined>;
  look(rates: readonly EntryRate[]): MaybePromise<{ readonly full?: FullRate } | undefined>;
}

export class SharedEntryRates implements EntryRates {
  readonly #own: OwnEntryRates;
  readonly #shared: SharedEntries;
  /** Ends with the last signal that still waits for its answer; undefined while none does. */
  #last: Promise<void> | undefined;

  constructor(own: OwnEntryRates, shared: SharedEntries) {
    this.#own = own;
    this.#shared = shared;
  }

  /** Each signal comes here last before the journal: it goes there behind all that came before it, also where only they had to wait. */
  take(restrictions: readonly Restriction[]): MaybePromise<EntryTaken> {
    const subjects = withRate(restrictions);
    const asked = subjects.length === 0 ? undefined : this.#shared.take(subjects.map(rateOf));
    if (asked === undefined && this.#last === undefined) return this.#own.take(subjects);
    const taken = Promise.all([asked, this.#last]).then(([answer]) => this.#taken(subjects, answer));
    const leave = (): void => {
      if (this.#last === ended) this.#last = undefined;
    };
    const ended: Promise<void> = taken.then(leave, leave);
    this.#last = ended;
    return taken;
  }

  refusalOf(restrictions: readonly Restriction[]): MaybePromise<LimitRefusal | undefined> {
    const subjects = withRate(restrictions);
    if (subjects.length === 0) return undefined;
    return whenKnown(this.#shared.look(subjects.map(rateOf)), (answer) =>
      answer === undefined ? this.#own.refusalOf(subjects) : refusalOf(subjects, answer.full),
    );
  }

  /** What the others let pass is counted here too: should they be lost, this process still has its limit. */
  #taken(subjects: readonly Restriction[], answer: Awaited<ReturnType<SharedEntries['take']>>): EntryTaken {
    if (answer === undefined) return this.#own.take(subjects);
    if ('full' in answer) return { refused: refusalOf(subjects, answer.full) as LimitRefusal };
    const own = this.#own.take(subjects);
    return {
      giveBack() {
        answer.giveBack();
        if ('giveBack' in own) own.giveBack();
      },
    };
  }
}

/** Counted by this process alone where nobody shares them. */
export function openEntryRates(monotonicMs: () => number, shared: SharedEntries | undefined): EntryRates {
  const own = new OwnEntryRates(monotonicMs);
  return shared ? new SharedEntryRates(own, shared) : own;
}

const rateOf = (subject: Restriction): EntryRate => ({
  name: subjectInWords(subject),
  rate: subject.limits.rate ?? 0,
});

const refusalOf = (subjects: readonly Restriction[], full: FullRate | undefined): LimitRefusal | undefined =>
  full && rateRefusal(subjects[full.at] as Restriction, full.waitMs);
