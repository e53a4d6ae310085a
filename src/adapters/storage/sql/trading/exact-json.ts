// Orders and stops as JSON text that keeps their amounts exact: each amount is an object with its digits.

import { type Decimal, decimal, toText } from '../../../../trading/decimal.ts';

export const exactJson = (value: object): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? { decimal: toText(part as Decimal) } : part));

export const fromExactJson = (text: string): unknown =>
  JSON.parse(text, (_, part) => (typeof part?.decimal === 'string' ? decimal(part.decimal) : part));
