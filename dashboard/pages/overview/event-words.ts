// What happened, in the words and numbers of the lists: the sentences are those of the chat, which names doors and codes to look for.

import type { DeskEvent } from '../../server/live-events.ts';
import { plain } from '../../ui/numbers.ts';
import { OUTCOME_OPTIONS } from '../trades/trade-words.ts';

const OUTCOME_WORDS: Readonly<Record<string, string>> = Object.fromEntries(OUTCOME_OPTIONS);
const OUTCOME = new RegExp(`: (${Object.keys(OUTCOME_WORDS).join('|')})\\b`);
/** Prices and money; ids, years and what somebody wrote are left as they are. */
const AMOUNT = /\b(at|profit|loss|of) (\d{4,}(?:\.\d+)?)(?![\d.]*[-:\w])/g;

/** Its story has the rest. */
export function eventWords({ kind, text }: Pick<DeskEvent, 'kind' | 'text'>): string {
  if (kind === 'refusal') return text.replace(/ at (?:\/[\w/-]+|smtp): /, ': ').replace(/ \([A-Z_]+\)$/, '');
  if (kind !== 'trade') return text;
  return text
    .replace(OUTCOME, (_, status: string) => `: ${OUTCOME_WORDS[status]}`)
    .replace(AMOUNT, (_, word: string, amount: string) => `${word} ${plain(Number(amount))}`);
}
