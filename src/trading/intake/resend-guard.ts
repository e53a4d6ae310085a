// Remembers bodies that were answered 5xx: charting platforms send those again, and they must not trade twice.

import type { Duplicate, Journal, NewTrade } from '../books/journal.ts';

/** A platform resends three times, five seconds apart; this covers the last one. */
export const RESEND_WINDOW_MS = 20_000;
/** Memory is only used while the disk fails; a bound all the same. */
const MAX_IN_MEMORY = 10_000;

/** Stands before the journal: what could not be remembered on disk is refused from memory. */
export interface ResendGuard extends Pick<Journal, 'accept' | 'duplicateOf'> {
  /** Call before a 5xx leaves. Never rejects. */
  remember(bodyDigest: Uint8Array, requestId: string): Promise<void>;
}

export function createResendGuard(options: {
  journal: Pick<Journal, 'accept' | 'duplicateOf' | 'guardResend'>;
  nowMs: () => number;
  monotonicMs: () => number;
}): ResendGuard {
  const { journal, nowMs, monotonicMs } = options;
  const inMemory = new Map<string, { readonly requestId: string; readonly untilMs: number }>();
  const nameOf = (digest: Uint8Array): string => Buffer.from(digest).toString('hex');

  const recall = (name: string): string | undefined => {
    const known = inMemory.get(name);
    if (known && known.untilMs > monotonicMs()) return known.requestId;
    inMemory.delete(name);
    return undefined;
  };

  const resent = ({ bodyDigest }: NewTrade): Duplicate | undefined => {
    const known = inMemory.size > 0 && bodyDigest ? recall(nameOf(bodyDigest)) : undefined;
    return known === undefined ? undefined : { accepted: false, cause: 'resend', originalRequestId: known };
  };

  return {
    async remember(bodyDigest, requestId) {
      try {
        await journal.guardResend(bodyDigest, requestId, nowMs() + RESEND_WINDOW_MS);
      } catch {
        const name = nameOf(bodyDigest);
        // Taken out first, so that the newest stands last and the oldest is forgotten first.
        inMemory.delete(name);
        if (inMemory.size >= MAX_IN_MEMORY) inMemory.delete(inMemory.keys().next().value as string);
        inMemory.set(name, { requestId, untilMs: monotonicMs() + RESEND_WINDOW_MS });
      }
    },
    accept(trade, windowMs, further) {
      const known = resent(trade);
      return known === undefined ? journal.accept(trade, windowMs, further) : Promise.resolve(known);
    },
    async duplicateOf(trade, windowMs) {
      return resent(trade) ?? journal.duplicateOf(trade, windowMs);
    },
  };
}
