// The chat's notifier, watched: when it last took a message, when and why it last did not, and an alarm while it takes none.

import { errorText } from '../../errors/error-text.ts';
import { type ChatMessage, type Notifier, NotifierError } from './notifier.ts';

export interface Watch {
  readonly state: 'idle' | 'working' | 'failing';
  readonly lastDeliveredAtMs: number | undefined;
  readonly lastFailure: { readonly atMs: number; readonly error: string } | undefined;
}

export interface WatchParts {
  readonly notifier: Notifier;
  readonly nowMs: () => number;
  readonly onTrouble: (reason: string) => void;
  readonly onRecovery: () => void;
}

/** One failure may be chance. */
const FAILURES_TOLD = 4;

export class WatchedNotifier implements Notifier {
  readonly #parts: WatchParts;
  #watch: Watch = { state: 'idle', lastDeliveredAtMs: undefined, lastFailure: undefined };
  #failures = 0;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  get watch(): Watch {
    return this.#watch;
  }

  async send(message: ChatMessage): Promise<{ readonly messageId: number | null }> {
    const { notifier, nowMs, onRecovery } = this.#parts;
    try {
      const sent = await notifier.send(message);
      this.#failures = 0;
      this.#watch = { ...this.#watch, state: 'working', lastDeliveredAtMs: nowMs() };
      onRecovery();
      return sent;
    } catch (error) {
      this.#failed(error);
      throw error;
    }
  }

  /** One message that a chat will never take says nothing about the way to it. */
  #failed(error: unknown): void {
    if (error instanceof NotifierError && !error.retryable) return;
    const reason = errorText(error);
    this.#watch = { ...this.#watch, state: 'failing', lastFailure: { atMs: this.#parts.nowMs(), error: reason } };
    this.#failures++;
    if (this.#failures >= FAILURES_TOLD) this.#parts.onTrouble(reason);
  }
}
