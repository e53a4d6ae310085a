// Digests of what decides a run and of what comes of it: the same digest means the same bytes.

import { createHash } from 'node:crypto';
import type { BarColumns, StrategyAnswer } from '../../pine/index.ts';

/** Half of SHA-256: nobody meets two that are alike by chance, and it fits into a line. */
const DIGEST_CHARS = 32;
/** Sums in another order differ in the last digits of a double; no trade does. */
const SIGNIFICANT_DIGITS = 12;

export const textDigest = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, DIGEST_CHARS);

/** Of the bars themselves, however they were written in a file. */
export function barsDigest({ count, time, open, high, low, close, volume }: BarColumns): string {
  const hash = createHash('sha256');
  for (const column of [time, open, high, low, close, volume]) {
    const used = column.subarray(0, count);
    hash.update(new Uint8Array(used.buffer, used.byteOffset, used.byteLength));
  }
  return hash.digest('hex').slice(0, DIGEST_CHARS);
}

/** By sorted names, so that the order in which somebody wrote them does not count; undefined of nothing. */
export function fieldsDigest(fields: object): string | null {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  if (known.length === 0) return null;
  return textDigest(JSON.stringify(known.sort(([a], [b]) => (a < b ? -1 : 1))));
}

export const resultDigest = ({ trades, metrics }: Pick<StrategyAnswer, 'trades' | 'metrics'>): string =>
  textDigest(JSON.stringify({ trades, metrics }, (_, value) => (typeof value === 'number' ? rounded(value) : value)));

const rounded = (value: number): number => Number(value.toPrecision(SIGNIFICANT_DIGITS));
