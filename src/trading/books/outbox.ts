// The outbox port: messages committed together with the step that caused them, delivered afterwards until they arrive.

import type { NotifyRequest } from '../signal.ts';
import type { TemplateValues } from './outcome-values.ts';

/** What a sender asked for with `notify`. */
export interface NotifyMessage {
  readonly kind: 'notify';
  readonly notify: NotifyRequest;
  /** The outcome in words, used when the sender gave no message of its own. */
  readonly summary: string;
  /** For the placeholders of the sender's message, when it has some. */
  readonly values?: TemplateValues;
  /** The owner's chat is told the summary too: the sender's message goes elsewhere. */
  readonly tellOwner?: true;
}

/** An outcome nobody asked to be told, for the owner's chat. */
export interface OutcomeMessage {
  readonly kind: 'outcome';
  readonly summary: string;
}

export type OutboxMessage = NotifyMessage | OutcomeMessage;

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
