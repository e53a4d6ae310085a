// The fields of a strategy's alert as they come: numbers and yes or no may be quoted, because placeholders are.

import type { z } from 'zod';
import { tradingviewSchema } from './schemas.ts';

/** Of a mail, whose sender may be known in another way. */
export const keylessAlert = tradingviewSchema.partial({ apiKey: true });
export type KeylessAlert = z.infer<typeof keylessAlert>;

/** What is neither is left for the schema to refuse. */
export const yesOrNo = (value: boolean | string | undefined): boolean | string | undefined =>
  value === 'true' ? true : value === 'false' ? false : value || undefined;

export function numberOf(field: string, value: number | string | undefined, faults: string[]): number | undefined {
  if (value === undefined || typeof value === 'number') return value;
  const text = value.trim();
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text);
  const what = /^nan$/i.test(text) ? 'rendered as NaN: the plot or placeholder was empty' : 'is not a number';
  faults.push(`${field}: ${what}, check the placeholder in the alert message`);
  return undefined;
}
