// Looks into answers whose form nobody vouches for: a missing part is undefined, never an exception.

import { plainWords } from './plain-words.ts';

export type Fields = Readonly<Record<string, unknown>>;

const NONE: Fields = {};

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : NONE;

export const listOf = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined);

/** The venue's own words, if there are any; they go to senders, logs and alarms. */
export const wordsOf = (value: unknown): string =>
  (typeof value === 'string' && plainWords(value)) || 'no reason given';

/** A moment in ms; undefined for what is none. */
export const momentOf = (value: unknown): number | undefined => {
  const ms = typeof value === 'string' ? Number(value) : value;
  return Number.isSafeInteger(ms) && (ms as number) > 0 ? (ms as number) : undefined;
};
