// One channel of the owner: delivers its line of the outbox in order, one after the other, until each notice has arrived or is hopeless.
//
//   idle ──► working ──► failing ──► working     (asked again after growing pauses, or when the channel says)
//               ▲            └──► refused         (a setting is wrong: its owner is told, and it is asked every five minutes)
//               └────────────────────┘
//
// The line is in storage and so is the time of the next attempt: a restart changes neither. Only the first of the line is
// tried; a channel that is shut costs one request per pause, however long its line is.

import { errorText } from '../../errors/error-text.ts';
import { type Backoff, backoffMs } from '../../timing/backoff.ts';
import type { ChannelOutbox, NoticeTopic, StoredNotice, WaitingNotices } from '../books/outbox.ts';
import { type ChannelNotifier, ChannelRefused, type Notice, NotifierError } from './notifier.ts';

export interface ChannelParts {
  readonly notifier: ChannelNotifier;
  readonly topics: readonly NoticeTopic[];
  readonly outbox: ChannelOutbox;
  readonly nowMs: () => number;
  /** It does not take notices now, and why. */
  readonly onTrouble: (reason: string) => void;
  /** It takes them again. */
  readonly onRecovery: () => void;
  readonly onDelivered: (count: number) => void;
  readonly onAbandoned: (count: number, reason: string) => void;
}

export interface ChannelState extends WaitingNotices {
  readonly channel: ChannelNotifier['channel'];
  readonly topics: readonly NoticeTopic[];
  readonly state: 'idle' | 'working' | 'failing' | 'refused';
  /** Since the start. */
  readonly lastDeliveredAtMs: number | undefined;
  readonly lastFailure: { readonly atMs: number; readonly error: string } | undefined;
}

const BACKOFF: Backoff = { firstMs: 2000, longestMs: 300_000 };
/** Older news is none. */
const MAX_AGE_MS = 24 * 60 * 60_000;
/** So many are read at a time. */
const BATCH = 50;
/** One failure may be chance; after so many in a row the owner hears of it. */
const FAILURES_TOLD = 4;

export class NoticeChannel {
  readonly #parts: ChannelParts;
  #state: ChannelState['state'] = 'idle';
  #lastDeliveredAtMs: number | undefined;
  #lastFailure: ChannelState['lastFailure'];
  /** Taken by the channel and not yet struck off: never sent again by this process. */
  #unrecorded: readonly StoredNotice[] = [];
  #isBusy = false;
  #isStopped = false;

  constructor(parts: ChannelParts) {
    this.#parts = parts;
  }

  get name(): ChannelNotifier['channel'] {
    return this.#parts.notifier.channel;
  }

  wants(topic: NoticeTopic): boolean {
    return this.#parts.topics.includes(topic);
  }

  /** Works off what is due. Rejects only when storage fails. */
  async sweep(): Promise<void> {
    if (this.#isBusy || this.#isStopped) return;
    this.#isBusy = true;
    try {
      while (!this.#isStopped && (await this.#next()));
    } finally {
      this.#isBusy = false;
    }
  }

  /** What is being sent may still end; nothing further is begun. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Sends it once, past the line; rejects with the reason. */
  async sendNow(notice: Notice): Promise<void> {
    try {
      await this.#parts.notifier.send(notice);
    } catch (error) {
      this.#noteFailure(error);
      throw error;
    }
    this.#noteSuccess();
  }

  async state(): Promise<ChannelState> {
    const { topics, outbox } = this.#parts;
    const waiting = await outbox.waiting(this.name);
    const [lastDeliveredAtMs, lastFailure] = [this.#lastDeliveredAtMs, this.#lastFailure];
    return { channel: this.name, topics, state: this.#state, ...waiting, lastDeliveredAtMs, lastFailure };
  }

  /** Whether there may be more to do now. */
  async #next(): Promise<boolean> {
    const { outbox, notifier, nowMs, onDelivered } = this.#parts;
    await this.#recordDelivered();
    const line = await outbox.oldest(this.name, BATCH);
    const [first] = line;
    if (first === undefined || first.nextAttemptAtMs > nowMs()) return false;
    const tooOld = line.filter(({ createdAtMs }) => nowMs() - createdAtMs > MAX_AGE_MS);
    if (tooOld.length > 0) {
      await this.#giveUp(
        tooOld,
        `not delivered within a day: ${this.#lastFailure?.error ?? 'Signalbox was not running'}`,
      );
      return true;
    }
    const together = sharedMessage(line, notifier.sharedUnits);
    try {
      await notifier.send(noticeOf(together));
    } catch (error) {
      return this.#failed(together, error);
    }
    this.#unrecorded = together;
    this.#noteSuccess();
    onDelivered(together.length);
    await this.#recordDelivered();
    return true;
  }

  async #recordDelivered(): Promise<void> {
    if (this.#unrecorded.length === 0) return;
    await this.#parts.outbox.delivered(this.name, this.#unrecorded, this.#parts.nowMs());
    this.#unrecorded = [];
  }

  async #failed(together: readonly StoredNotice[], error: unknown): Promise<boolean> {
    const { outbox, nowMs, onTrouble } = this.#parts;
    const reason = this.#noteFailure(error);
    if (error instanceof NotifierError && !error.retryable) {
      await this.#giveUp(together, reason);
      return true;
    }
    const [first] = together as readonly [StoredNotice];
    const askedMs = error instanceof NotifierError ? error.retryAfterMs : undefined;
    const pauseMs = askedMs ?? backoffMs(BACKOFF, first.attempts + 1);
    if (this.#state === 'refused' || first.attempts + 1 >= FAILURES_TOLD) onTrouble(reason);
    await outbox.postponed(first, nowMs() + pauseMs);
    return false;
  }

  async #giveUp(notices: readonly StoredNotice[], reason: string): Promise<void> {
    const { outbox, nowMs, onAbandoned } = this.#parts;
    await outbox.abandoned(this.name, notices, nowMs(), reason);
    onAbandoned(notices.length, reason);
  }

  #noteSuccess(): void {
    this.#state = 'working';
    this.#lastDeliveredAtMs = this.#parts.nowMs();
    this.#parts.onRecovery();
  }

  #noteFailure(error: unknown): string {
    const reason = errorText(error);
    this.#state = error instanceof ChannelRefused ? 'refused' : 'failing';
    this.#lastFailure = { atMs: this.#parts.nowMs(), error: reason };
    return reason;
  }
}

/** The first of the line, and those right behind it that fit into the same message. */
function sharedMessage(line: readonly StoredNotice[], sharedUnits: number): readonly StoredNotice[] {
  const [first, ...others] = line as readonly [StoredNotice, ...StoredNotice[]];
  const { topic } = first.message;
  if (topic === 'alarms' || topic === 'report') return [first];
  const together: StoredNotice[] = [first];
  let units = first.message.summary.length;
  for (const next of others) {
    units += 1 + next.message.summary.length;
    if (next.message.topic !== topic || units > sharedUnits) break;
    together.push(next);
  }
  return together;
}

function noticeOf(together: readonly StoredNotice[]): Notice {
  const [first] = together as readonly [StoredNotice];
  return {
    id: `${first.id}-${first.createdAtMs}`,
    topic: first.message.topic,
    text: together.map(({ message }) => message.summary).join('\n'),
    atMs: first.createdAtMs,
  };
}
