// Pacing: bursts, then Telegram's rates; a chat that asked to wait is left alone, and no chat waits for another.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { NotifierError } from '../../../trading/notifications/notifier.ts';
import { createPacing, type Pacing } from './pacing.ts';

let pacing: Pacing;
let startMs: number;
let sentMs: number[];
let refused: NotifierError[];

beforeEach(() => {
  vi.useFakeTimers();
  startMs = Date.now();
  [sentMs, refused] = [[], []];
  pacing = createPacing({ monotonicMs: () => Date.now() });
});
afterEach(() => void vi.useRealTimers());

const send = (chatId: string, count = 1): void => {
  for (let i = 0; i < count; i++) {
    pacing.turn(chatId).then(
      () => sentMs.push(Date.now() - startMs),
      (error) => refused.push(error),
    );
  }
};
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('a private chat', () => {
  test('takes five at once, then one a second', async () => {
    send('42', 9);
    await pass(10_000);
    expect(sentMs).toEqual([0, 0, 0, 0, 0, 1000, 2000, 3000, 4000]);
    expect(refused).toEqual([]);
  });

  test('has its burst again after a rest', async () => {
    send('42', 5);
    await pass(5000);
    send('42', 5);
    await pass(0);
    expect(sentMs.slice(5)).toEqual([5000, 5000, 5000, 5000, 5000]);
  });

  test('refuses what would wait longer than five seconds, with the time to come again', async () => {
    send('42', 11);
    await pass(0);
    expect(refused).toHaveLength(1);
    expect(refused[0]).toMatchObject({ retryable: true, retryAfterMs: 6000 });
    await pass(10_000);
    expect(sentMs).toHaveLength(10);
  });
});

describe('a group or a channel', () => {
  test.each(['-100500', '@news'])('%s takes twenty in any minute and no more', async (chatId) => {
    for (let second = 0; second < 180; second++) {
      send(chatId);
      await pass(1000);
    }
    expect(sentMs.filter((atMs) => atMs < 60_000).length).toBeGreaterThanOrEqual(19);
    for (const fromMs of sentMs) {
      expect(sentMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + 60_000).length).toBeLessThanOrEqual(20);
    }
  });
});

describe('all chats together', () => {
  test('take thirty a second', async () => {
    for (let chat = 1; chat <= 100; chat++) send(String(chat));
    await pass(0);
    expect(sentMs).toHaveLength(30);
    await pass(1000);
    expect(sentMs).toHaveLength(60);
    await pass(2000);
    expect(sentMs).toHaveLength(100);
  });

  test('do not wait for one that has to', async () => {
    send('42', 10);
    send('43', 5);
    await pass(0);
    expect(sentMs).toHaveLength(10);
  });
});

describe('a chat that asked to wait', () => {
  test('is refused at once until then, others are not, and it goes on afterwards', async () => {
    pacing.hold('42', 4000);
    send('42');
    send('43');
    await pass(0);
    expect(sentMs).toEqual([0]);
    expect(refused[0]).toMatchObject({ retryable: true, retryAfterMs: 4000 });
    await pass(3999);
    send('42');
    await pass(0);
    expect(refused[1]).toMatchObject({ retryAfterMs: 1 });
    await pass(1);
    send('42');
    await pass(0);
    expect(sentMs).toEqual([0, 4000]);
  });

  test('stops those that were waiting for their turn', async () => {
    send('42', 8);
    await pass(500);
    pacing.hold('42', 60_000);
    await pass(10_000);
    expect(sentMs).toHaveLength(5);
    expect(refused).toHaveLength(3);
  });

  test('keeps the longer of two waits', async () => {
    pacing.hold('42', 9000);
    pacing.hold('42', 1000);
    send('42');
    await pass(0);
    expect(refused[0]).toMatchObject({ retryAfterMs: 9000 });
  });
});

test('a refusal is one the outbox understands', async () => {
  pacing.hold('42', 1000);
  await expect(pacing.turn('42')).rejects.toBeInstanceOf(NotifierError);
});
