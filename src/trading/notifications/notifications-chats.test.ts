// Notifications to several chats: side by side, in order, outcomes together, and a copy for the owner.

import { beforeEach, describe, expect, test } from 'vitest';
import type { StoredMessage } from '../books/outbox.ts';
import type { NotifyRequest } from '../signal.ts';
import { turn } from '../testing/hurry.ts';
import { NotifierError } from './notifier.ts';
import { type NotificationWorld, openNotificationWorld } from './testing/notification-world.ts';

let world: NotificationWorld;
let clock: NotificationWorld['clock'];
let outbox: NotificationWorld['outbox'];
let sent: NotificationWorld['sent'];
let abandoned: NotificationWorld['abandoned'];
let notifications: NotificationWorld['notifications'];
beforeEach(() => {
  world = openNotificationWorld();
  ({ clock, outbox, sent, abandoned, notifications } = world);
});

const put = (id: number, notify: Partial<NotifyRequest> = {}): StoredMessage =>
  outbox.put(id, { kind: 'notify', notify: { parseMode: 'Plain', ...notify }, summary: `summary ${id}` }, world.nowMs);
const outcome = (id: number, summary = `outcome ${id}`): StoredMessage =>
  outbox.put(id, { kind: 'outcome', summary }, world.nowMs);

describe('chats side by side', () => {
  const refuse = (chatId: string, error: Error) => {
    world.answer = async (message) => {
      if (message.chatId === chatId) throw error;
      return { messageId: 1 };
    };
  };

  test('a chat that hangs holds up no other, nor what comes later for others', async () => {
    const slow = Promise.withResolvers<{ messageId: number }>();
    world.answer = ({ chatId }) => (chatId === 'slow' ? slow.promise : Promise.resolve({ messageId: 1 }));
    for (let id = 1; id <= 20; id++) put(id, { chatId: 'slow' });
    put(21, { chatId: 'quick' });
    world.nowMs += 2000;
    const first = notifications.sweep();
    await turn();
    const second = notifications.sweep();
    await turn();
    expect(outbox.history).toEqual(['delivered 21 message 1']);
    slow.resolve({ messageId: 2 });
    await Promise.all([first, second]);
    expect(outbox.history).toHaveLength(21);
    expect(sent).toHaveLength(21);
  });

  test('when a chat cannot take one now, those behind it wait with it and are not tried', async () => {
    refuse('busy', new NotifierError('slow down', true, 9000));
    for (const id of [1, 2, 3]) put(id, { chatId: 'busy' });
    put(4, { chatId: 'free' });
    world.nowMs += 2000;
    await notifications.sweep();
    expect(sent.map(({ chatId }) => chatId).sort()).toEqual(['busy', 'free']);
    for (const id of [1, 2, 3]) expect(outbox.rows.get(id)?.nextAttemptAtMs).toBe(world.nowMs + 9000);
    world.nowMs += 9000;
    refuse('nobody', new Error());
    await notifications.sweep();
    expect(outbox.history).toEqual(['delivered 4 message 1', ...[1, 2, 3].map((id) => `delivered ${id} message 1`)]);
  });

  test('one that is hopeless does not stop those behind it', async () => {
    world.answer = async ({ text }) => {
      if (text === 'summary 1') throw new NotifierError('chat is not allowed', false);
      return { messageId: 1 };
    };
    for (const id of [1, 2]) put(id, { chatId: 'x' });
    world.nowMs += 2000;
    await notifications.sweep();
    expect(outbox.history).toEqual(['abandoned 1 chat is not allowed', 'delivered 2 message 1']);
    expect(abandoned).toEqual(['1 chat is not allowed']);
  });

  test('no more than 500 wait in memory', async () => {
    world.answer = () => new Promise(() => {});
    for (let id = 1; id <= 600; id++) put(id);
    world.nowMs += 2000;
    for (let i = 0; i < 40; i++) {
      void notifications.sweep();
      await turn();
    }
    expect(outbox.rows.size).toBe(600);
    expect(sent).toHaveLength(1);
  });
});

describe('outcomes', () => {
  test('are left to the sweep, so that no trade waits for them', async () => {
    expect(await notifications.deliver(outcome(1), 1000)).toBe(null);
    expect(sent).toEqual([]);
    world.nowMs += 2000;
    await notifications.sweep();
    expect(sent).toEqual([{ text: 'outcome 1', parseMode: 'Plain' }]);
    expect(outbox.history).toEqual(['delivered 1 message 42']);
  });

  test('that wait share a message, up to what one holds', async () => {
    for (const id of [1, 2, 3]) outcome(id);
    outcome(4, 'x'.repeat(4067));
    outcome(5, 'y');
    world.nowMs += 2000;
    await notifications.sweep();
    expect(sent.map(({ text }) => text)).toEqual(['outcome 1\noutcome 2\noutcome 3', `${'x'.repeat(4067)}\ny`]);
    expect(outbox.rows.size).toBe(0);
  });

  test('exactly as long as a message share one, one unit more do not', async () => {
    outcome(1, 'x'.repeat(2047));
    outcome(2, 'y'.repeat(2048));
    outcome(3, 'z'.repeat(2048));
    world.nowMs += 2000;
    await notifications.sweep();
    expect(sent.map(({ text }) => text.length)).toEqual([4096, 2048]);
  });

  test('that share a message and could not be crossed off are not sent again', async () => {
    for (const id of [1, 2]) outcome(id);
    world.nowMs += 2000;
    outbox.diskFull = true;
    await notifications.sweep();
    outbox.diskFull = false;
    await notifications.sweep();
    expect(sent).toHaveLength(1);
    expect(outbox.history).toEqual(['delivered 1 message 42', 'delivered 2 message 42']);
  });
});

describe('a message with a copy for the owner', () => {
  const both = (id: number): StoredMessage =>
    outbox.put(
      id,
      {
        kind: 'notify',
        notify: { chatId: 'other', message: 'mine', parseMode: 'HTML' },
        summary: 'done',
        tellOwner: true,
      },
      world.nowMs,
    );

  test('is sent to both, and the answer tells of the first', async () => {
    world.answer = async ({ chatId }) => ({ messageId: chatId === 'other' ? 7 : 8 });
    expect(await notifications.deliver(both(1), 1000)).toEqual({ success: true, messageId: 7 });
    expect(sent).toEqual([
      { chatId: 'other', text: 'mine', parseMode: 'HTML' },
      { text: 'done', parseMode: 'Plain' },
    ]);
    expect(outbox.history).toEqual(['delivered 1 message 7']);
  });

  test('that reached one of the two is repeated for the other only', async () => {
    world.answer = async ({ chatId }) => {
      if (chatId === undefined) throw new NotifierError('down', true);
      return { messageId: 7 };
    };
    expect(await notifications.deliver(both(1), 1000)).toEqual({ success: true, messageId: 7 });
    world.answer = async () => ({ messageId: 8 });
    world.nowMs += 2000;
    await notifications.sweep();
    expect(sent.map(({ chatId }) => chatId)).toEqual(['other', undefined, undefined]);
    expect(outbox.history).toEqual(['delivered 1 message 7']);
  });

  test('whose own chat is hopeless still reaches the owner, and the reason is in the history', async () => {
    world.answer = async ({ chatId }) => {
      if (chatId === 'other') throw new NotifierError('chat is not allowed', false);
      return { messageId: 8 };
    };
    expect(await notifications.deliver(both(1), 1000)).toEqual({ success: false, messageId: null });
    expect(sent).toHaveLength(2);
    expect(outbox.history).toEqual(['abandoned 1 chat is not allowed']);
  });

  test("is a success in time even if the owner's chat hangs", async () => {
    world.answer = ({ chatId }) => (chatId === 'other' ? Promise.resolve({ messageId: 7 }) : new Promise(() => {}));
    const delivery = notifications.deliver(both(1), 1000);
    await clock.advance(1000);
    expect(await delivery).toEqual({ success: true, messageId: 7 });
  });
});

test('settling waits for what is being sent, but not longer than it may', async () => {
  const slow = Promise.withResolvers<{ messageId: number }>();
  world.answer = () => slow.promise;
  void notifications.deliver(put(1), 1000);
  let settled = false;
  void notifications.settle(2000).then(() => {
    settled = true;
  });
  await turn();
  expect(settled).toBe(false);
  slow.resolve({ messageId: 1 });
  await turn();
  expect(settled).toBe(true);
  world.answer = () => new Promise(() => {});
  void notifications.deliver(put(2), 1000);
  const stuck = notifications.settle(2000);
  await clock.advance(2000);
  await stuck;
});
