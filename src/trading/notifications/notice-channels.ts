// The owner's channels besides the chat: who wants what, what is put up for them, and the sweep that delivers it.

import { errorText } from '../../errors/error-text.ts';
import type { Timers } from '../../timing/timers.ts';
import { WorkUnderWay } from '../../timing/work-under-way.ts';
import { CHANNELS, type Channel, type ChannelOutbox, type NoticeTopic } from '../books/outbox.ts';
import { type ChannelState, NoticeChannel } from './notice-channel.ts';
import type { ChannelNotifier } from './notifier.ts';
import type { RaisedAlarms } from './raised-alarms.ts';

export interface NoticeChannelsParts {
  readonly channels: readonly { readonly notifier: ChannelNotifier; readonly topics: readonly NoticeTopic[] }[];
  readonly outbox: ChannelOutbox;
  readonly alarms: Pick<RaisedAlarms, 'raise' | 'stand' | 'over'>;
  readonly nowMs: () => number;
  readonly timers: Timers;
  /** How many notices of a channel came to what end. */
  readonly count: (channel: Channel, result: 'delivered' | 'given up', notices: number) => void;
  /** News that reached no storage and no channel either. */
  readonly onLost: (error: unknown, text: string) => void;
}

export interface Tried {
  readonly channel: Channel;
  /** Absent where the other side has taken it. */
  readonly error?: string;
}

/** At so many rows a turn, rows of a channel that is no longer set are struck off. */
const LEFT_BEHIND = 500;

export class NoticeChannels {
  readonly #parts: NoticeChannelsParts;
  readonly #channels: readonly NoticeChannel[];
  readonly #working = new WorkUnderWay();

  constructor(parts: NoticeChannelsParts) {
    this.#parts = parts;
    this.#channels = parts.channels.map(({ notifier, topics }) => this.#open(notifier, topics));
  }

  #open(notifier: ChannelNotifier, topics: readonly NoticeTopic[]): NoticeChannel {
    const { outbox, alarms, nowMs, count } = this.#parts;
    const { channel } = notifier;
    const kind = alarmOf(channel);
    return new NoticeChannel({
      ...{ notifier, topics, outbox, nowMs },
      onTrouble: (reason) => alarms.stand(kind, `Notices by ${channel} do not arrive: ${reason}`),
      onRecovery: () => alarms.over(kind),
      onDelivered: (notices) => count(channel, 'delivered', notices),
      onAbandoned(notices, reason) {
        count(channel, 'given up', notices);
        alarms.raise(
          `${kind} given up`,
          `${inWords(notices)} by ${channel} ${notices === 1 ? 'was' : 'were'} given up: ${reason}`,
        );
      },
    });
  }

  /** Those that are told this. */
  wanting(topic: NoticeTopic): readonly Channel[] {
    return this.#channels.filter((channel) => channel.wants(topic)).map(({ name }) => name);
  }

  /**
   * Puts news up for every channel that wants them, but for those that the alarm is about. Never rejects: where storage
   * does not take it, each channel gets one try at once, for that may be the very news.
   */
  tell(topic: NoticeTopic, text: string, alarmKind = ''): Promise<void> {
    const channels = this.wanting(topic).filter((channel) => !alarmKind.startsWith(alarmOf(channel)));
    if (channels.length === 0) return Promise.resolve();
    const { outbox, nowMs } = this.#parts;
    const message = { kind: 'notice', topic, summary: text } as const;
    const atMs = nowMs();
    const told = outbox.add({ channels, message }, atMs).catch(async () => {
      const notice = { id: `0-${atMs}`, topic, text, atMs };
      const ways = this.#channels.filter(({ name }) => channels.includes(name));
      await Promise.all(ways.map((way) => way.sendNow(notice).catch((error) => this.#parts.onLost(error, text))));
    });
    return this.#working.track(told);
  }

  /** One look at each line; the owner of the clock calls it about every second. Rejects when storage fails. */
  async sweep(): Promise<void> {
    const swept = await Promise.allSettled(this.#channels.map((channel) => this.#working.track(channel.sweep())));
    const failed = swept.find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  }

  /** Strikes off what waits for channels that are no longer set. */
  async retire(): Promise<void> {
    const { outbox, nowMs } = this.#parts;
    for (const channel of CHANNELS.filter((name) => !this.#channels.some((open) => open.name === name))) {
      for (;;) {
        const left = await outbox.oldest(channel, LEFT_BEHIND);
        if (left.length === 0) break;
        await outbox.abandoned(channel, left, nowMs(), 'the channel is not set any more');
      }
    }
  }

  /** A test notice by every channel. */
  test(text: string): Promise<readonly Tried[]> {
    const atMs = this.#parts.nowMs();
    const notice = { id: `test-${atMs}`, topic: 'test', text, atMs } as const;
    return Promise.all(
      this.#channels.map(async (channel): Promise<Tried> => {
        try {
          await channel.sendNow(notice);
          return { channel: channel.name };
        } catch (error) {
          return { channel: channel.name, error: errorText(error) };
        }
      }),
    );
  }

  states(): Promise<readonly ChannelState[]> {
    return Promise.all(this.#channels.map((channel) => channel.state()));
  }

  /** How many notices have not arrived, in all. */
  async waiting(): Promise<number> {
    const states = await this.states();
    return states.reduce((sum, { count }) => sum + count, 0);
  }

  /** Begins nothing further, and waits for what is being sent, but not for long. */
  async stop(timeoutMs: number): Promise<void> {
    for (const channel of this.#channels) channel.stop();
    await this.#working.settled(timeoutMs, this.#parts.timers);
  }
}

const alarmOf = (channel: Channel): string => `channel ${channel}`;
const inWords = (notices: number): string => (notices === 1 ? 'A notice' : `${notices} notices`);
