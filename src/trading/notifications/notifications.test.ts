// Notifications: within their budget, again until they arrive, given up when hopeless, and never sent twice.

import { beforeEach, describe, expect, test } from 'vitest';
import { START_MS } from '../../../tests/ports/sample-trades.ts';
import type { StoredMessage } from '../books/outbox.ts';
import type { NotifyRequest } from '../signal.ts';
import { turn } from '../testing/hurry.ts';
import { NotifierError } from './notifier.ts';
import { type NotificationWorld, openNotificationWorld } from './testing/notification-world.ts';

const DAY_MS = 86_400_000;

let world: NotificationWorld;
let clock: NotificationWorld['clock'];
let outbox: NotificationWorld['outbox'];
let sent: NotificationWorld['sent'];
let failures: NotificationWorld['failures'];
let notifications: NotificationWorld['notifications'];
beforeEach(() => {
  world = openNotificationWorld();
  ({ clock, outbox, sent, failures, notifications } = world);
});

function put(id: number, notify: Partial<NotifyRequest> = {}, attempts = 0): StoredMessage {
  const message = { kind: 'notify', notify: { parseMode: 'Plain', ...notify }, summary: `summary ${id}` } as const;
  const stored = { ...outbox.put(id, message, world.nowMs), attempts };
  outbox.rows.set(id, { ...stored, nextAttemptAtMs: world.nowMs + 2000 });
  return stored;
}

describe('a delivery', () => {
  test('answers with the number of the message and crosses it off', async () => {
    expect(await notifications.deliver(put(1), 1000)).toEqual({ success: true, messageId: 42 });
    expect(outbox.history).toEqual(['delivered 1 message 42']);
    expect(clock.waiting).toBe(0);
  });

  test('without a number is a success too', async () => {
    world.answer = async () => ({ messageId: null });
    expect(await notifications.deliver(put(1), 1000)).toEqual({ success: true, messageId: null });
    expect(outbox.history).toEqual(['delivered 1 delivered']);
  });

  test('sends the own text in its own form, else the summary as plain text', async () => {
    await notifications.deliver(put(1, { chatId: '-1', message: '<b>x</b>', parseMode: 'HTML' }), 1000);
    await notifications.deliver(put(2, { chatId: '-2', parseMode: 'HTML' }), 1000);
    expect(sent).toEqual([
      { chatId: '-1', text: '<b>x</b>', parseMode: 'HTML' },
      { chatId: '-2', text: 'summary 2', parseMode: 'Plain' },
    ]);
  });

  test('takes no longer than its budget and goes on in the background', async () => {
    const slow = Promise.withResolvers<{ messageId: number }>();
    world.answer = () => slow.promise;
    const delivery = notifications.deliver(put(1), 1000);
    await clock.advance(1000);
    expect(await delivery).toEqual({ success: false, messageId: null });
    expect(outbox.history).toEqual([]);
    slow.resolve({ messageId: 7 });
    await turn();
    expect(outbox.history).toEqual(['delivered 1 message 7']);
  });

  test('that fails never rejects, is told, and comes again', async () => {
    world.answer = () => Promise.reject(new Error('no connection'));
    expect(await notifications.deliver(put(1), 1000)).toEqual({ success: false, messageId: null });
    expect(failures).toHaveLength(1);
    expect(outbox.rows.get(1)).toMatchObject({ attempts: 1, nextAttemptAtMs: START_MS + 2000 });
  });
});

describe('trying again', () => {
  const pauseAfter = async (attempts: number, error: Error = new NotifierError('busy', true)): Promise<number> => {
    world.answer = () => Promise.reject(error);
    put(1, {}, attempts);
    world.nowMs += DAY_MS;
    await notifications.sweep();
    return (outbox.rows.get(1)?.nextAttemptAtMs ?? Number.NaN) - world.nowMs;
  };

  test.each([
    [0, 2000],
    [1, 4000],
    [5, 64_000],
    [8, 300_000],
    [298, 300_000],
  ])('after %i failures before this one pauses %i ms', async (attempts, pauseMs) => {
    expect(await pauseAfter(attempts)).toBe(pauseMs);
  });

  test('waits as long as the chat asks for', async () => {
    expect(await pauseAfter(0, new NotifierError('slow down', true, 17_000))).toBe(17_000);
  });

  test('is given up when it is hopeless, with the reason', async () => {
    await pauseAfter(0, new NotifierError('chat not found', false));
    expect(outbox.history).toEqual(['abandoned 1 chat not found']);
  });

  test('is given up after 300 attempts', async () => {
    await pauseAfter(299);
    expect(outbox.history).toEqual(['abandoned 1 busy']);
  });

  test('a sweep takes only what is due, no more than 20, oldest first', async () => {
    for (let id = 1; id <= 25; id++) put(id);
    await notifications.sweep();
    expect(sent).toEqual([]);
    world.nowMs += 2000;
    await notifications.sweep();
    expect(sent.map(({ text }) => text)).toEqual(Array.from({ length: 20 }, (_, i) => `summary ${i + 1}`));
    await notifications.sweep();
    expect(outbox.rows.size).toBe(0);
  });

  test('one that fails does not hold up the others', async () => {
    world.answer = async ({ text }) => {
      if (text === 'summary 1') throw new NotifierError('chat not found', false);
      return { messageId: 1 };
    };
    for (const id of [1, 2, 3]) put(id);
    world.nowMs += 2000;
    await notifications.sweep();
    expect(outbox.history).toEqual(['abandoned 1 chat not found', 'delivered 2 message 1', 'delivered 3 message 1']);
  });
});

describe('never twice', () => {
  const texts = (): string[] => sent.map(({ text }) => text).sort();

  test('when sweeps overlap because the chat is slow', async () => {
    const slow = Promise.withResolvers<{ messageId: number }>();
    world.answer = ({ text }) => (text === 'summary 1' ? slow.promise : Promise.resolve({ messageId: 2 }));
    for (const id of [1, 2, 3]) put(id);
    world.nowMs += 2000;
    const first = notifications.sweep();
    await turn();
    const second = notifications.sweep();
    await turn();
    slow.resolve({ messageId: 1 });
    await Promise.all([first, second]);
    expect(texts()).toEqual(['summary 1', 'summary 2', 'summary 3']);
  });

  test('when a sweep meets a delivery that is under way', async () => {
    const slow = Promise.withResolvers<{ messageId: number }>();
    world.answer = ({ text }) => (text === 'summary 2' ? slow.promise : Promise.resolve({ messageId: 2 }));
    put(1);
    const delivery = notifications.deliver(put(2), 1000);
    await clock.advance(1000);
    await delivery;
    world.nowMs += 3000;
    const sweep = notifications.sweep();
    slow.resolve({ messageId: 1 });
    await sweep;
    await turn();
    expect(texts()).toEqual(['summary 1', 'summary 2']);
  });

  test('when a delivery is asked for while a sweep has the message', async () => {
    const slow = Promise.withResolvers<{ messageId: number }>();
    world.answer = () => slow.promise;
    const stored = put(1);
    world.nowMs += 2000;
    const sweep = notifications.sweep();
    await turn();
    expect(await notifications.deliver(stored, 1000)).toEqual({ success: false, messageId: null });
    slow.resolve({ messageId: 1 });
    await sweep;
    expect(sent).toHaveLength(1);
  });

  test('when it arrived but could not be crossed off', async () => {
    outbox.diskFull = true;
    expect(await notifications.deliver(put(1), 1000)).toEqual({ success: true, messageId: 42 });
    expect(failures).toHaveLength(1);
    outbox.diskFull = false;
    world.nowMs += 2000;
    await notifications.sweep();
    expect(sent).toHaveLength(1);
    expect(outbox.history).toEqual(['delivered 1 message 42']);
  });
});

test('a failure that cannot be put down is told and found again later', async () => {
  outbox.diskFull = true;
  world.answer = () => Promise.reject(new Error('no connection'));
  await notifications.deliver(put(1), 1000);
  expect(failures).toHaveLength(2);
  [outbox.diskFull, world.nowMs] = [false, world.nowMs + 2000];
  world.answer = async () => ({ messageId: 1 });
  await notifications.sweep();
  expect(outbox.history).toEqual(['delivered 1 message 1']);
});
