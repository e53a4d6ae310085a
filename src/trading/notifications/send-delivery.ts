// One attempt at a delivery: sends its chat messages, and writes into the outbox what became of them.

import { errorText } from '../../errors/error-text.ts';
import { type Backoff, backoffMs } from '../../timing/backoff.ts';
import type { Outbox, StoredMessage } from '../books/outbox.ts';
import type { ChatDelivery } from './chat-delivery.ts';
import { type ChatMessage, type Notifier, NotifierError } from './notifier.ts';

export interface DeliverySenderParts {
  readonly outbox: Outbox;
  readonly notifier: Notifier;
  readonly nowMs: () => number;
  readonly onFailure: (message: StoredMessage, error: unknown) => void;
  readonly onAbandoned?: (message: StoredMessage, reason: string) => void;
}

const BACKOFF: Backoff = { firstMs: 2000, longestMs: 300_000 };
/** About a day of trying. */
const MAX_ATTEMPTS = 300;

/** What became of one chat message: there, hopeless, or perhaps later. */
type Posted = { readonly messageId: number | null } | { readonly hopeless: string };
type Later = { readonly retryAfterMs: number | undefined };

export class DeliverySender {
  readonly #parts: DeliverySenderParts;
  /** Those that are done with while their message is still in the outbox: they are never sent again. */
  readonly #posted = new Map<number, Map<number, Posted>>();

  constructor(parts: DeliverySenderParts) {
    this.#parts = parts;
  }

  /** Never rejects. Returns until when the delivery was postponed, if it was. `onFirst` hears that the first message is there. */
  async attempt(
    { stored, chatMessages }: ChatDelivery,
    onFirst?: (messageId: number | null) => void,
  ): Promise<number | undefined> {
    const posting = chatMessages.map(async (chatMessage, index) => {
      const result = await this.#post(stored, index, chatMessage);
      if (index === 0 && 'messageId' in result) onFirst?.(result.messageId);
      return result;
    });
    const results = await Promise.all(posting);
    const later = results.find((result): result is Later => 'retryAfterMs' in result);
    if (later === undefined) {
      for (const one of stored) await this.#write(one, this.#crossOff(one, results as Posted[]));
      return undefined;
    }
    const pauseMs = later.retryAfterMs ?? backoffMs(BACKOFF, (stored[0] as StoredMessage).attempts + 1);
    const untilMs = this.#parts.nowMs() + pauseMs;
    for (const one of stored) await this.postpone(one, untilMs);
    return untilMs;
  }

  postpone(stored: StoredMessage, untilMs: number): Promise<void> {
    return this.#write(stored, this.#parts.outbox.postponed(stored, untilMs));
  }

  async #post(stored: readonly StoredMessage[], index: number, chatMessage: ChatMessage): Promise<Posted | Later> {
    const first = stored[0] as StoredMessage;
    const known = this.#posted.get(first.id)?.get(index);
    if (known) return known;
    const result = await this.#trySending(first, chatMessage);
    if ('retryAfterMs' in result) return result;
    for (const { id } of stored) {
      const ofMessage = this.#posted.get(id) ?? new Map<number, Posted>();
      this.#posted.set(id, ofMessage.set(index, result));
    }
    return result;
  }

  async #trySending(stored: StoredMessage, chatMessage: ChatMessage): Promise<Posted | Later> {
    try {
      const { messageId } = await this.#parts.notifier.send(chatMessage);
      return { messageId };
    } catch (error) {
      this.#parts.onFailure(stored, error);
      const fault = error instanceof NotifierError ? error : undefined;
      const isHopeless = fault?.retryable === false || stored.attempts + 1 >= MAX_ATTEMPTS;
      return isHopeless ? { hopeless: errorText(error) } : { retryAfterMs: fault?.retryAfterMs };
    }
  }

  async #crossOff(stored: StoredMessage, results: readonly Posted[]): Promise<void> {
    const { outbox, nowMs, onAbandoned } = this.#parts;
    const hopeless = results.flatMap((result) => ('hopeless' in result ? [result.hopeless] : [])).join('; ');
    if (hopeless !== '') {
      await outbox.abandoned(stored, nowMs(), hopeless);
      onAbandoned?.(stored, hopeless);
    } else {
      const { messageId } = results[0] as { messageId: number | null };
      await outbox.delivered(stored, nowMs(), messageId === null ? 'delivered' : `message ${messageId}`);
    }
    this.#posted.delete(stored.id);
  }

  /** When it fails the row is still there: the next sweep finds it again. */
  async #write(stored: StoredMessage, work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (storageError) {
      this.#parts.onFailure(stored, storageError);
    }
  }
}
