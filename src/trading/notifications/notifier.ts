// The notifier port: one message to one chat.

import type { ParseMode } from '../signal.ts';

export interface ChatMessage {
  /** Absent means the notifier's default chat. */
  readonly chatId?: string;
  readonly text: string;
  readonly parseMode: ParseMode;
  /** The same without escapes, for a chat that cannot read the markup; `text` itself when absent. */
  readonly plainText?: string;
}

export interface Notifier {
  /** Resolves with the chat's own number for the message, or null where there is none. Must end within seconds. */
  send(message: ChatMessage): Promise<{ readonly messageId: number | null }>;
}

export class NotifierError extends Error {
  /** False: sending it again will fail again. */
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  constructor(message: string, retryable: boolean, retryAfterMs?: number) {
    super(message);
    this.name = 'NotifierError';
    this.retryable = retryable;
    this.retryAfterMs = retryAfterMs;
  }
}
