// What a form of limits changes: only what differs is sent, and what was emptied is taken away.

import type { TradeLimits } from '../../server/setup-answers.ts';
import { NUMBER_LIMITS, type NumberLimit } from './key-words.ts';

export type LimitTexts = Readonly<Record<NumberLimit, string>> & { readonly symbols: string };

/** A text that is no number is sent as it is: the server says what is wrong with it. */
export function limitChanges(now: TradeLimits, texts: LimitTexts): Readonly<Record<string, unknown>> {
  const changes: Record<string, unknown> = {};
  for (const [limit] of NUMBER_LIMITS) {
    const text = texts[limit].trim();
    const wanted = text === '' ? null : numberOf(text);
    if (wanted !== (now[limit] ?? null)) changes[limit] = wanted;
  }
  const symbols = texts.symbols.split(/[\s,]+/).filter((name) => name !== '');
  const before = now.symbols ?? [];
  if (symbols.join() !== before.join()) changes.symbols = symbols.length === 0 ? null : symbols;
  return changes;
}

function numberOf(text: string): number | string {
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
}
