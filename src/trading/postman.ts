// One attempt to deliver a parcel: sends its letters, and writes into the outbox what became of them.

import type { Parcel } from './letters.ts';
import { type ChatMessage, type Notifier, NotifierError } from './notifier.ts';
import type { Outbox, StoredMessage } from './outbox.ts';

export interface Postman {
  /** Never rejects. Returns until when the parcel was postponed, if it was. `onFirst` hears that the first letter is there. */
  attempt(parcel: Parcel, onFirst?: (messageId: number | null) => void): Promise<number | undefined>;
  postpone(stored: StoredMessage, untilMs: number): Promise<void>;
}

export interface PostmanParts {
  readonly outbox: Outbox;
  readonly notifier: Notifier;
  readonly nowMs: () => number;
  readonly onFailure: (message: StoredMessage, error: unknown) => void;
  readonly onAbandoned?: (message: StoredMessage, reason: string) => void;
}

const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 300_000;
/** About a day of trying. */
const MAX_ATTEMPTS = 300;

/** What became of one letter: there, hopeless, or perhaps later. */
type Posted = { readonly messageId: number | null } | { readonly hopeless: string };
type Later = { readonly retryAfterMs: number | undefined };

export function createPostman({ outbox, notifier, nowMs, onFailure, onAbandoned }: PostmanParts): Postman {
  /** Letters that are done with while their message is still in the outbox: they are never sent again. */
  const posted = new Map<number, Map<number, Posted>>();

  const post = async (
    stored: readonly StoredMessage[],
    index: number,
    letter: ChatMessage,
  ): Promise<Posted | Later> => {
    const first = stored[0] as StoredMessage;
    const known = posted.get(first.id)?.get(index);
    if (known) return known;
    const result = await trySending(first, letter);
    if (!('retryAfterMs' in result)) {
      for (const { id } of stored) posted.set(id, (posted.get(id) ?? new Map<number, Posted>()).set(index, result));
    }
    return result;
  };

  const trySending = async (stored: StoredMessage, letter: ChatMessage): Promise<Posted | Later> => {
    try {
      const { messageId } = await notifier.send(letter);
      return { messageId };
    } catch (error) {
      onFailure(stored, error);
      const fault = error instanceof NotifierError ? error : undefined;
      const isHopeless = fault?.retryable === false || stored.attempts + 1 >= MAX_ATTEMPTS;
      if (isHopeless) return { hopeless: error instanceof Error ? error.message : String(error) };
      return { retryAfterMs: fault?.retryAfterMs };
    }
  };

  const crossOff = async (stored: StoredMessage, results: readonly Posted[]): Promise<void> => {
    const hopeless = results.flatMap((result) => ('hopeless' in result ? [result.hopeless] : [])).join('; ');
    if (hopeless !== '') {
      await outbox.abandoned(stored, nowMs(), hopeless);
      onAbandoned?.(stored, hopeless);
    } else {
      const { messageId } = results[0] as { messageId: number | null };
      await outbox.delivered(stored, nowMs(), messageId === null ? 'delivered' : `message ${messageId}`);
    }
    posted.delete(stored.id);
  };

  /** When it fails the row is still there: the next sweep finds it again. */
  const write = async (stored: StoredMessage, work: Promise<void>): Promise<void> => {
    try {
      await work;
    } catch (storageError) {
      onFailure(stored, storageError);
    }
  };

  return {
    async attempt({ stored, letters }, onFirst) {
      const posting = letters.map(async (letter, index) => {
        const result = await post(stored, index, letter);
        if (index === 0 && 'messageId' in result) onFirst?.(result.messageId);
        return result;
      });
      const results = await Promise.all(posting);
      const later = results.find((result): result is Later => 'retryAfterMs' in result);
      if (later === undefined) {
        for (const one of stored) await write(one, crossOff(one, results as Posted[]));
        return undefined;
      }
      const untilMs = nowMs() + (later.retryAfterMs ?? pauseMsAfter((stored[0] as StoredMessage).attempts));
      for (const one of stored) await write(one, outbox.postponed(one, untilMs));
      return untilMs;
    },
    postpone: (stored, untilMs) => write(stored, outbox.postponed(stored, untilMs)),
  };
}

const pauseMsAfter = (attempts: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempts, 10), LONGEST_PAUSE_MS);
