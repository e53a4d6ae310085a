// Channels of the owner: each has its own line, and a channel that is shut neither holds up nor repeats the others.

import { beforeEach, describe, expect, test } from 'vitest';
import { START_MS } from '../../../tests/ports/sample-trades.ts';
import { createHandClock } from '../../timing/testing/hand-clock.ts';
import type { Channel, NoticeTopic } from '../books/outbox.ts';
import { createMemoryChannelOutbox, type MemoryChannelOutbox } from '../testing/memory-channel-outbox.ts';
import { NoticeChannels } from './notice-channels.ts';
import { ChannelRefused, type Notice, NotifierError } from './notifier.ts';
import { createRaisedAlarms, type RaisedAlarms } from './raised-alarms.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const ALL: readonly NoticeTopic[] = ['trades', 'refusals', 'alarms', 'report'];

let nowMs: number;
let outbox: MemoryChannelOutbox;
let alarms: RaisedAlarms;
let told: string[];
let sent: Record<string, Notice[]>;
let answers: Partial<Record<Channel, () => Promise<void>>>;
let lost: string[];
let counted: string[];

const open = (wanted: Partial<Record<Channel, readonly NoticeTopic[]>>, sharedUnits = 100): NoticeChannels =>
  new NoticeChannels({
    channels: Object.entries(wanted).map(([name, topics]) => {
      const channel = name as Channel;
      return {
        topics,
        notifier: {
          channel,
          sharedUnits,
          async send(notice) {
            sent[channel] = [...(sent[channel] ?? []), notice];
            await answers[channel]?.();
          },
        },
      };
    }),
    ...{ outbox, alarms, nowMs: () => nowMs, timers: createHandClock(0).timers },
    count: (channel, result, notices) => void counted.push(`${channel} ${result} ${notices}`),
    onLost: (_, text) => void lost.push(text),
  });
const texts = (channel: Channel): string[] => (sent[channel] ?? []).map(({ text }) => text);
const down = async (): Promise<never> => {
  throw new NotifierError('it could not be reached', true);
};

beforeEach(() => {
  nowMs = START_MS;
  outbox = createMemoryChannelOutbox();
  told = [];
  alarms = createRaisedAlarms({ nowMs: () => nowMs, log: { warn: () => {}, info: () => {} } });
  alarms.sendTo((kind, text) => told.push(`${kind}: ${text}`));
  [sent, answers, lost, counted] = [{}, {}, [], []];
});

describe('a line', () => {
  test('is worked off in order, each notice once', async () => {
    const channels = open({ discord: ALL }, 0);
    for (const text of ['one', 'two', 'three']) outbox.put('discord', text, nowMs);
    await channels.sweep();
    await channels.sweep();
    expect(texts('discord')).toEqual(['one', 'two', 'three']);
    expect(outbox.rows).toEqual([]);
    expect(counted).toEqual(['discord delivered 1', 'discord delivered 1', 'discord delivered 1']);
  });

  test('shares a message among outcomes as far as it is long enough, and never with an alarm', async () => {
    const channels = open({ discord: ALL }, 7);
    outbox.put('discord', 'one', nowMs);
    outbox.put('discord', 'two', nowMs);
    outbox.put('discord', 'six', nowMs);
    outbox.put('discord', 'fire', nowMs, 'alarms');
    outbox.put('discord', 'ten', nowMs);
    await channels.sweep();
    expect(texts('discord')).toEqual(['one\ntwo', 'six', 'fire', 'ten']);
  });

  test('keeps the id of a notice over its repetitions', async () => {
    const channels = open({ webhook: ALL }, 0);
    outbox.put('webhook', 'one', nowMs);
    answers.webhook = down;
    await channels.sweep();
    answers.webhook = async () => {};
    nowMs += MINUTE_MS;
    await channels.sweep();
    const [first, second] = sent.webhook ?? [];
    expect(second?.id).toBe(first?.id);
  });
});

describe('a channel that is shut', () => {
  test('holds up no other, and only the first of its line is tried', async () => {
    const channels = open({ discord: ALL, ntfy: ALL }, 0);
    answers.discord = down;
    for (const channel of ['discord', 'ntfy'] as const)
      for (const text of ['one', 'two']) outbox.put(channel, text, nowMs);
    await channels.sweep();
    expect(texts('ntfy')).toEqual(['one', 'two']);
    expect(texts('discord')).toEqual(['one']);
    answers.discord = async () => {};
    nowMs += 2000;
    await channels.sweep();
    expect(texts('discord')).toEqual(['one', 'one', 'two']);
    expect(texts('ntfy')).toEqual(['one', 'two']);
  });

  test('is asked after growing pauses, up to five minutes, and a new start goes on with them', async () => {
    const pauses: number[] = [];
    answers.discord = down;
    outbox.put('discord', 'one', nowMs);
    for (let attempt = 0; attempt < 10; attempt++) {
      await open({ discord: ALL }).sweep();
      const [row] = outbox.rows;
      pauses.push((row?.nextAttemptAtMs ?? 0) - nowMs);
      nowMs = (row?.nextAttemptAtMs ?? 0) - 1;
      await open({ discord: ALL }).sweep();
      expect(sent.discord).toHaveLength(attempt + 1);
      nowMs += 1;
    }
    expect(pauses.map((ms) => ms / 1000)).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  });

  test('is left alone as long as it asks for', async () => {
    const channels = open({ discord: ALL });
    answers.discord = async () => {
      throw new NotifierError('it answered 429', true, 7300);
    };
    outbox.put('discord', 'one', nowMs);
    await channels.sweep();
    nowMs += 7299;
    await channels.sweep();
    expect(sent.discord).toHaveLength(1);
    nowMs += 1;
    await channels.sweep();
    expect(sent.discord).toHaveLength(2);
  });

  test('is an alarm after a few failures, told once, which ends when it takes notices again', async () => {
    const channels = open({ discord: ALL, ntfy: ALL });
    answers.discord = down;
    outbox.put('discord', 'one', nowMs);
    for (let attempt = 1; attempt <= 6; attempt++) {
      await channels.sweep();
      expect(told).toHaveLength(attempt < 4 ? 0 : 1);
      nowMs = outbox.rows.find(({ channel }) => channel === 'discord')?.nextAttemptAtMs ?? 0;
    }
    expect(told[0]).toBe('channel discord: Notices by discord do not arrive: it could not be reached');
    nowMs += DAY_MS / 2;
    expect(alarms.current()).toHaveLength(1);
    expect((await channels.states())[0]).toMatchObject({ state: 'failing', count: 1 });
    answers.discord = async () => {};
    await channels.sweep();
    expect(alarms.current()).toEqual([]);
    expect((await channels.states())[0]).toMatchObject({ state: 'working', count: 0, lastDeliveredAtMs: nowMs });
  });

  test('that refuses is told at once with the remedy, and asked every five minutes at most', async () => {
    const channels = open({ discord: ALL });
    answers.discord = async () => {
      throw new ChannelRefused('it answered 404. Set DISCORD_WEBHOOK_URL');
    };
    outbox.put('discord', 'one', nowMs);
    for (let second = 0; second < 300; second++) {
      await channels.sweep();
      outbox.put('discord', `news ${second}`, nowMs);
      nowMs += 1000;
    }
    expect(sent.discord).toHaveLength(1);
    expect(told).toEqual([
      'channel discord: Notices by discord do not arrive: it answered 404. Set DISCORD_WEBHOOK_URL',
    ]);
    expect((await channels.states())[0]?.state).toBe('refused');
    await channels.sweep();
    expect(sent.discord).toHaveLength(2);
  });

  test('gets nothing that is older than a day, and that is an alarm', async () => {
    const channels = open({ discord: ALL });
    answers.discord = down;
    outbox.put('discord', 'old', nowMs);
    outbox.put('discord', 'young', nowMs + 1);
    await channels.sweep();
    answers.discord = async () => {};
    nowMs += DAY_MS + 1;
    await channels.sweep();
    expect(texts('discord').slice(1)).toEqual(['young']);
    expect(outbox.history[0]).toContain('discord gave up, not delivered within a day: it could not be reached');
    expect(told.at(-1)).toContain('A notice by discord was given up');
    expect(counted).toContain('discord given up 1');
  });
});

test('a notice that no channel will ever take is given up, and those behind it are sent', async () => {
  const channels = open({ discord: ALL }, 0);
  outbox.put('discord', 'bad', nowMs);
  outbox.put('discord', 'good', nowMs);
  answers.discord = async () => {
    if (sent.discord?.length === 1) throw new NotifierError('it answered 400', false);
  };
  await channels.sweep();
  expect(outbox.history).toEqual(['discord gave up, it answered 400: bad', 'discord delivered: good']);
});

test('what a channel took while the disk was full is struck off later and not sent again', async () => {
  const channels = open({ discord: ALL });
  outbox.put('discord', 'one', nowMs);
  outbox.diskFull = true;
  await expect(channels.sweep()).rejects.toThrow('disk full');
  outbox.diskFull = false;
  await channels.sweep();
  expect(texts('discord')).toEqual(['one']);
  expect(outbox.rows).toEqual([]);
});

describe('news', () => {
  test('are put up for the channels that want them, and for no other', async () => {
    const channels = open({ discord: ['trades', 'alarms'], ntfy: ['alarms'], mail: ['report'] });
    await channels.tell('alarms', 'fire');
    await channels.tell('refusals', 'no');
    expect(outbox.rows.map(({ channel, message }) => `${channel} ${message.summary}`)).toEqual([
      'discord fire',
      'ntfy fire',
    ]);
    expect(channels.wanting('trades')).toEqual(['discord']);
  });

  test('about a channel are not for that channel', async () => {
    const channels = open({ discord: ALL, ntfy: ALL });
    await channels.tell('alarms', 'discord is shut', 'channel discord given up');
    expect(outbox.rows.map(({ channel }) => channel)).toEqual(['ntfy']);
  });

  test('that storage does not take are sent at once, each channel by itself', async () => {
    const channels = open({ discord: ALL, ntfy: ALL });
    outbox.diskFull = true;
    answers.discord = down;
    await channels.tell('alarms', 'the disk is full');
    expect(texts('ntfy')).toEqual(['the disk is full']);
    expect(lost).toEqual(['the disk is full']);
  });
});

test('what waits for a channel that is no longer set is struck off', async () => {
  outbox.put('ntfy', 'one', nowMs);
  outbox.put('discord', 'two', nowMs);
  await open({ discord: ALL }).retire();
  expect(outbox.rows.map(({ channel }) => channel)).toEqual(['discord']);
  expect(outbox.history).toEqual(['ntfy gave up, the channel is not set any more: one']);
});

test('a test says of each channel what became of it', async () => {
  const channels = open({ discord: ALL, ntfy: [] });
  answers.ntfy = down;
  expect(await channels.test('hello')).toEqual([
    { channel: 'discord' },
    { channel: 'ntfy', error: 'it could not be reached' },
  ]);
  expect(sent.discord?.[0]).toMatchObject({ topic: 'test', text: 'hello' });
});
