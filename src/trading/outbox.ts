// The outbox port: messages committed together with the step that caused them, delivered afterwards until they arrive.

import type { NotifyRequest } from './signal.ts';

export interface OutboxMessage {
  readonly kind: 'notify';
  readonly notify: NotifyRequest;
  /** The outcome in words, used when the sender gave no message of its own. */
  readonly summary: string;
}

export interface StoredMessage {
  readonly id: number;
  readonly seq: number;
  readonly message: OutboxMessage;
  readonly attempts: number;
}

export interface Outbox {
  due(nowMs: number, limit: number): Promise<readonly StoredMessage[]>;
  /** Removes the message and writes the delivery into the trade's history, in one step. */
  delivered(message: StoredMessage, atMs: number, detail: string): Promise<void>;
  postponed(message: StoredMessage, nextAttemptAtMs: number): Promise<void>;
  /** Gives up for good, with the reason in the trade's history. */
  abandoned(message: StoredMessage, atMs: number, reason: string): Promise<void>;
}
