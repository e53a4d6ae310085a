// The notifier ports: one message to one chat, and one notice to another channel of the owner.

import type { Channel, NoticeTopic } from '../books/outbox.ts';
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

/** One thing that a channel tells the owner. */
export interface Notice {
  /** The same whenever the notice is sent again, so that a receiver can tell a repetition. */
  readonly id: string;
  readonly topic: NoticeTopic | 'test';
  /** Plain words. */
  readonly text: string;
  readonly atMs: number;
}

export interface ChannelNotifier {
  readonly channel: Channel;
  /** The longest text one message holds, in UTF-16 units; short notices of one topic share it. Zero: each goes alone. */
  readonly sharedUnits: number;
  /** Resolves when the other side has taken it. Must end within seconds. */
  send(notice: Notice): Promise<void>;
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

/** The channel takes nothing until its owner has changed a setting: told at once, and asked again only now and then. */
export class ChannelRefused extends NotifierError {
  override readonly name = 'ChannelRefused';
  constructor(message: string) {
    super(message, true, REFUSED_PAUSE_MS);
  }
}

const REFUSED_PAUSE_MS = 300_000;
