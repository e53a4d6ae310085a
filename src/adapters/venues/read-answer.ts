// Reads the fields of a venue's answers, in which every number is a text. What must be there and is not makes the answer unclear.

import { type Decimal, decimal } from '../../trading/decimal.ts';
import { VenueError } from '../../trading/venue.ts';

export type Fields = Readonly<Record<string, unknown>>;

const NONE: Fields = {};

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : NONE;

/** The venue's own words, if there are any. */
export const wordsOf = (value: unknown): string =>
  typeof value === 'string' && value !== '' ? value : 'no reason given';

/** A moment in ms; undefined for what is none. */
export const momentOf = (value: unknown): number | undefined => {
  const ms = Number(value);
  return Number.isSafeInteger(ms) && ms > 0 ? ms : undefined;
};

/** What `retry-after` says, in seconds; undefined where it does not. */
export function retryAfterMs(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) * 1000 : undefined;
}

/** Reads the fields that must be there. */
export class AnswerReader {
  readonly #title: string;

  constructor(title: string) {
    this.#title = title;
  }

  list(value: unknown): readonly Fields[] {
    return Array.isArray(value) ? value.map(fieldsOf) : this.fail();
  }

  text(value: unknown): string {
    return typeof value === 'string' && value !== '' ? value : this.fail();
  }

  moment(value: unknown): number {
    return momentOf(value) ?? this.fail();
  }

  decimal(value: unknown): Decimal {
    if (typeof value !== 'string') return this.fail();
    try {
      return decimal(value);
    } catch {
      return this.fail();
    }
  }

  /** Whatever was asked for may have been done: only reading it back can tell. */
  fail(): never {
    throw new VenueError('unknown', `${this.#title} gave an answer that makes no sense; check its address`);
  }
}
