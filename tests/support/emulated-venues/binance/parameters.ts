// The parameters of a Binance request: query and form body together, read strictly, refused in the venue's words.

import { type Decimal, decimal } from '../../../../src/trading/decimal.ts';
import { refuse } from './errors.ts';

const DECIMAL_SHAPE = /^[0-9]{1,20}(\.[0-9]{1,20})?$/;
const DECIMAL_RANGE = '^([0-9]{1,20})(\\.[0-9]{1,20})?$';

export class Parameters {
  readonly #values = new Map<string, string>();

  /** A parameter in both places counts as the query says; one twice in the same place is refused. */
  constructor(rawQuery: string, body: string) {
    for (const text of [body, rawQuery]) {
      const given = new Map<string, string>();
      for (const [name, value] of new URLSearchParams(text)) {
        if (given.has(name)) throw refuse('-1101');
        given.set(name, value);
      }
      for (const [name, value] of given) this.#values.set(name, value);
    }
  }

  /** An empty one counts as not sent, as the venue has it. */
  text(name: string): string | undefined {
    const value = this.#values.get(name);
    return value === '' ? undefined : value;
  }

  has(name: string): boolean {
    return this.text(name) !== undefined;
  }

  requiredText(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw refuse('-1102', name);
    return value;
  }

  /** No sign, no exponent. */
  decimal(name: string): Decimal | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (!DECIMAL_SHAPE.test(value)) throw refuse('-1100', name, DECIMAL_RANGE);
    return decimal(value);
  }

  requiredDecimal(name: string): Decimal {
    this.requiredText(name);
    return this.decimal(name)!;
  }

  integer(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (!/^[0-9]{1,20}$/.test(value)) throw refuse('-1100', name, '^[0-9]{1,20}$');
    return Number(value);
  }

  requiredInteger(name: string): number {
    this.requiredText(name);
    return this.integer(name)!;
  }

  /** The venue reads the words whatever their case. */
  flag(name: string): boolean | undefined {
    const value = this.text(name)?.toLowerCase();
    if (value === undefined) return undefined;
    if (value !== 'true' && value !== 'false') throw refuse('-1102', name);
    return value === 'true';
  }

  /** The decimals that were written, trailing zeros too. */
  decimalsOf(name: string): number {
    return this.text(name)?.split('.')[1]?.length ?? 0;
  }

  /** How many rows a list may have. */
  limit(byDefault: number, most: number): number {
    const limit = this.integer('limit') ?? byDefault;
    if (limit < 1 || limit > most) throw refuse('-1130', 'limit');
    return limit;
  }
}
