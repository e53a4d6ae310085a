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

/** What the owner can be told, in the words of the settings such as DISCORD_NOTICES. */
export const NOTICE_TOPICS = ['trades', 'refusals', 'alarms', 'report'] as const;
export type NoticeTopic = (typeof NOTICE_TOPICS)[number];

/** The ways to the owner besides the chat. */
export const CHANNELS = ['discord', 'ntfy', 'mail', 'webhook'] as const;
export type Channel = (typeof CHANNELS)[number];

/** News for the owner, as a channel tells it; the chat is told its daily report so too. */
export interface NoticeMessage {
  readonly kind: 'notice';
  readonly topic: NoticeTopic;
  readonly summary: string;
}

/** The same news for several channels: each has its own row, so that none waits for another. */
export interface ChannelNotice {
  readonly channels: readonly Channel[];
  readonly message: NoticeMessage;
}

export type OutboxMessage = NotifyMessage | OutcomeMessage | NoticeMessage;

export interface StoredMessage {
  readonly id: number;
  readonly seq: number;
  readonly message: OutboxMessage;
  readonly attempts: number;
}

/** What waits for the chat. */
export interface Outbox {
  due(nowMs: number, limit: number): Promise<readonly StoredMessage[]>;
  /** Removes the message and writes the delivery into the trade's history, in one step. */
  delivered(message: StoredMessage, atMs: number, detail: string): Promise<void>;
  postponed(message: StoredMessage, nextAttemptAtMs: number): Promise<void>;
  /** Gives up for good, with the reason in the trade's history. */
  abandoned(message: StoredMessage, atMs: number, reason: string): Promise<void>;
}

/** A row of one channel. */
export interface StoredNotice {
  readonly id: number;
  /** The trade it is about; 0 for what belongs to none. */
  readonly seq: number;
  readonly message: NoticeMessage;
  readonly attempts: number;
  readonly createdAtMs: number;
  readonly nextAttemptAtMs: number;
}

export interface WaitingNotices {
  readonly count: number;
  readonly oldestAtMs: number | undefined;
}

/** What waits for the channels: a line for each, oldest first. */
export interface ChannelOutbox {
  /** One row for each channel, or none at all. */
  add(notice: ChannelNotice, atMs: number): Promise<void>;
  /** The first of the line, whether they are due or not. */
  oldest(channel: Channel, limit: number): Promise<readonly StoredNotice[]>;
  /** Removes them and writes the delivery into the history of their trades, in one step. */
  delivered(channel: Channel, notices: readonly StoredNotice[], atMs: number): Promise<void>;
  postponed(notice: StoredNotice, nextAttemptAtMs: number): Promise<void>;
  /** Gives up for good, with the reason in the history of their trades. */
  abandoned(channel: Channel, notices: readonly StoredNotice[], atMs: number, reason: string): Promise<void>;
  waiting(channel: Channel | 'chat'): Promise<WaitingNotices>;
  /** Whether this day's report was still missing; then it is put up in the same step, for the chat too if it is to have it. */
  addReport(report: DailyReportNotice): Promise<boolean>;
}

export interface DailyReportNotice extends ChannelNotice {
  /** Like 2026-11-16, of the calendar the owner reports by. */
  readonly day: string;
  readonly forChat: boolean;
  readonly atMs: number;
}
