// Tells the owner's chat of refused signals, with a button to send one again where that is possible.

import type { Journal } from '../books/journal.ts';
import type { RefusedSignal } from '../intake/refusals.ts';
import { createAlarms } from './alarms.ts';

export interface RefusalNoticeParts {
  readonly journal: Pick<Journal, 'trade'>;
  /** With the refusal that the button below the message sends again. */
  readonly send: (text: string, resendable: string | undefined) => Promise<unknown>;
  readonly monotonicMs: () => number;
  readonly onLost: (error: unknown, text: string) => void;
}

/** A duplicate has traded: that is no news. */
const DUPLICATE = 'DUPLICATE_SIGNAL';

/** Never rejects. Strangers cannot make us write to the owner: only what came under a known key is told. */
export function createRefusalNotices(parts: RefusalNoticeParts): (refused: RefusedSignal) => Promise<void> {
  const { journal, send, monotonicMs, onLost } = parts;
  const notices = createAlarms({
    send: (text, _, refusalId) => send(text, refusalId),
    ...{ monotonicMs, onLost, words: { sign: 'Refused:', others: 'other refusals' } },
  });
  return async ({ id, keyLabel, door, code, error, signal }) => {
    if (keyLabel === undefined || code === DUPLICATE) return;
    // What was accepted first has an outcome, which the chat is told anyway.
    const wasAccepted = await journal.trade(id).catch(() => undefined);
    if (wasAccepted) return;
    const told = { keyLabel, door, code, error, ...signal?.order };
    notices.raise(`${keyLabel} ${code} ${askedFor(told)} ${error}`, refusalInWords(told), signal && id);
  };
}

export interface ToldRefusal {
  readonly keyLabel: string;
  readonly door: string;
  readonly code: string;
  readonly error: string;
  /** Where it could be read what it asked for. */
  readonly action?: string;
  readonly symbol?: string;
}

const askedFor = ({ action, symbol }: ToldRefusal): string =>
  action === undefined ? 'a signal' : `${action} ${symbol}`;

/** `LONG BTCUSDT of tv at /webhook: the symbol is not allowed (SYMBOL_NOT_ALLOWED)`. */
export const refusalInWords = (told: ToldRefusal): string =>
  `${askedFor(told)} of ${told.keyLabel} at ${told.door}: ${told.error} (${told.code})`;
