// Reads the fields of a venue's answers, in which every number is a text. What must be there and is not makes the answer unclear.

import { type Decimal, decimal } from '../../trading/decimal.ts';
import type { VenuePosition } from '../../trading/venue.ts';
import { type Fields, fieldsOf, momentOf } from '../read-json.ts';
import { senselessAnswer } from './venue-call.ts';

/** No price, quantity or amount of money is larger; what is would be in our books for good. */
const MOST = decimal('1e18');

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

  /** By the names of their markets. A row that cannot be read is left out: one market must not hide the others. */
  byMarket<T>(rows: readonly Fields[], readRow: (row: Fields) => T): ReadonlyMap<string, T> {
    const found = new Map<string, T>();
    for (const row of rows)
      try {
        found.set(this.text(row.symbol), readRow(row));
      } catch {}
    return found;
  }

  moment(value: unknown): number {
    return momentOf(value) ?? this.fail();
  }

  /** A number above zero that is no amount, such as a leverage. */
  positive(value: unknown): number {
    const number = Number(this.text(value));
    return number > 0 && Number.isFinite(number) ? number : this.fail();
  }

  decimal(value: unknown): Decimal {
    if (typeof value !== 'string') return this.fail();
    let read: Decimal;
    try {
      read = decimal(value);
    } catch {
      return this.fail();
    }
    return -MOST < read && read < MOST ? read : this.fail();
  }

  /** Undefined where it is missing or empty. */
  decimalOrNone(value: unknown): Decimal | undefined {
    return value === undefined || value === '' ? undefined : this.decimal(value);
  }

  /** What a position is valued at, in the names of the port; what the venue leaves out is left out. */
  valuation(mark: unknown, unrealized: unknown): Pick<VenuePosition, 'markPrice' | 'unrealizedPnl'> {
    const [markPrice, unrealizedPnl] = [this.decimalOrNone(mark), this.decimalOrNone(unrealized)];
    return { ...(markPrice !== undefined && { markPrice }), ...(unrealizedPnl !== undefined && { unrealizedPnl }) };
  }

  fail(): never {
    throw senselessAnswer(this.#title);
  }
}
