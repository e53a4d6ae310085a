// One attempt at a delivery: sends its chat messages, and writes into the outbox what became of them.

import type { Outbox, StoredMessage } from '../books/outbox.ts';
import type { ChatDelivery } from './chat-delivery.ts';
import { type ChatMessage, type Notifier, NotifierError } from './notifier.ts';

export interface DeliverySender {
  /** Never rejects. Returns until when the delivery was postponed, if it was. `onFirst` hears that the first message is there. */
  attempt(delivery: ChatDelivery, onFirst?: (messageId: number | null) => void): Promise<number | undefined>;
  postpone(stored: StoredMessage, untilMs: number): Promise<void>;
}

export interface DeliverySenderParts {
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

/** What became of one chat message: there, hopeless, or perhaps later. */
type Posted = { readonly messageId: number | null } | { readonly hopeless: string };
type Later = { readonly retryAfterMs: number | undefined };

export function createDeliverySender({
  outbox,
  notifier,
  nowMs,
  onFailure,
  onAbandoned,
}: DeliverySenderParts): DeliverySender {
  /** Those that are done with while their message is still in the outbox: they are never sent again. */
  const posted = new Map<number, Map<number, Posted>>();

  const post = async (
    stored: readonly StoredMessage[],
    index: number,
    chatMessage: ChatMessage,
  ): Promise<Posted | Later> => {
    const first = stored[0] as StoredMessage;
    const known = posted.get(first.id)?.get(index);
    if (known) return known;
    const result = await trySending(first, chatMessage);
    if (!('retryAfterMs' in result)) {
      for (const { id } of stored) posted.set(id, (posted.get(id) ?? new Map<number, Posted>()).set(index, result));
    }
    return result;
  };

  const trySending = async (stored: StoredMessage, chatMessage: ChatMessage): Promise<Posted | Later> => {
    try {
      const { messageId } = await notifier.send(chatMessage);
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
    async attempt({ stored, chatMessages }, onFirst) {
      const posting = chatMessages.map(async (chatMessage, index) => {
        const result = await post(stored, index, chatMessage);
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
