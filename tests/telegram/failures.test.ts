// A Bot API that hangs, refuses, stutters, vanishes or lies: the trade does not wait, and the message arrives afterwards.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BOT_TOKEN, type Fault, startBotApi } from '../support/bot-api-server.ts';
import { timed } from '../support/lived-time.ts';
import { eventually, expectFilled } from '../webhook/answers.ts';
import { type Chat, kindsOf, OTHER_CHAT, OWNER_CHAT, openChat, pause } from './open-chat.ts';

const FAILED = { success: false, messageId: null };
/** The owner hears nothing by itself here: only what `notify` causes. */
const quiet = { defaultChat: null, allowedChats: [OWNER_CHAT, OTHER_CHAT] };
const arrivals = (chat: Chat, text: string): number =>
  chat.botApi.messages.filter((message) => message.text === text).length;
const notified = (chat: Chat, requestId: string) =>
  eventually(
    () => kindsOf(chat.gateway, requestId),
    (kinds) => kinds.includes('notified'),
  );

describe.concurrent('a Bot API that hangs', () => {
  it.each(['answer', 'cut'] as const)(
    'holds the answer for one second, and after it lets go (%s) the message is there exactly once',
    async (how) => {
      const chat = await openChat(quiet);
      chat.botApi.outage = { fault: 'hang' };
      const {
        result: sent,
        elapsedMs,
        livedMs,
      } = await timed(() => chat.gateway.send({ notify: { chatId: OWNER_CHAT, message: 'late' } }));
      expectFilled(sent);
      expect(sent.body.notificationResult).toEqual(FAILED);
      expect(elapsedMs).toBeGreaterThan(950);
      expect(livedMs).toBeLessThan(1900);
      await pause(2500);
      expect(chat.botApi.countOf('sendMessage')).toBe(1);
      chat.botApi.outage = undefined;
      chat.botApi.release(how);
      await notified(chat, sent.body.requestId);
      await pause(2500);
      expect(arrivals(chat, 'late')).toBe(1);
    },
  );

  it('holds up neither other chats nor other trades', async () => {
    const chat = await openChat(quiet);
    chat.botApi.fail('sendMessage', 'hang');
    const first = chat.gateway.send({ notify: { chatId: OWNER_CHAT, message: 'stuck' } });
    await eventually(
      () => chat.botApi.hanging(),
      (count) => count === 1,
    );
    const { result, livedMs } = await timed(() =>
      chat.gateway.send({ notify: { chatId: OTHER_CHAT, message: 'free' } }),
    );
    expect(result.body.notificationResult.success).toBe(true);
    expect(livedMs).toBeLessThan(990);
    await first;
  });

  it('is let go after ten seconds by ourselves, and the sweep meanwhile serves other chats', async () => {
    const chat = await openChat(quiet);
    chat.botApi.fail('sendMessage', 'hang', 'reset', 'hang');
    const stuck = await chat.gateway.send({ notify: { chatId: OWNER_CHAT, message: 'stuck' } });
    const other = await chat.gateway.send({ notify: { chatId: OTHER_CHAT, message: 'other' } });
    expect([stuck, other].map(({ body }) => body.notificationResult)).toEqual([FAILED, FAILED]);
    await pause(12_500);
    chat.botApi.release('cut');
    await notified(chat, other.body.requestId);
    await notified(chat, stuck.body.requestId);
    expect([arrivals(chat, 'stuck'), arrivals(chat, 'other')]).toEqual([1, 1]);
  });
});

describe.concurrent('a Bot API that asks to wait', () => {
  it('is left alone by this chat for as long as it says, and other chats go on', async () => {
    const chat = await openChat(quiet);
    const parameters = { retry_after: 4 };
    chat.botApi.fail('sendMessage', { code: 429, description: 'Too Many Requests: retry after 4', parameters });
    const first = await chat.gateway.send({ notify: { chatId: OWNER_CHAT, message: 'first' } });
    const second = await chat.gateway.send({ notify: { chatId: OWNER_CHAT, message: 'second' } });
    const other = await chat.gateway.send({ notify: { chatId: OTHER_CHAT, message: 'other' } });
    expect(first.body.notificationResult).toEqual(FAILED);
    expect(second.body.notificationResult).toEqual(FAILED);
    expect(other.body.notificationResult.success).toBe(true);
    await notified(chat, first.body.requestId);
    await notified(chat, second.body.requestId);
    const [held, ...later] = chat.botApi.calls.filter(({ payload }) => payload.chat_id === OWNER_CHAT);
    expect(later).toHaveLength(2);
    for (const { atMs } of later) expect(atMs - (held?.atMs ?? 0)).toBeGreaterThan(3990);
  });

  it('is left to the outbox when that is long, without a second of waiting', async () => {
    const chat = await openChat(quiet);
    chat.botApi.fail('sendMessage', { code: 429, description: 'Too Many Requests', parameters: { retry_after: 3600 } });
    await chat.gateway.send({ notify: { chatId: OWNER_CHAT, message: 'x' } });
    const { result, livedMs } = await timed(() => chat.gateway.send({ notify: { chatId: OWNER_CHAT, message: 'y' } }));
    expectFilled(result);
    expect(livedMs).toBeLessThan(950);
    expect(chat.botApi.countOf('sendMessage')).toBe(1);
    chat.gateway.clock.offsetMs = 3_590_000;
    expect(await chat.gateway.data.outbox.due(Date.now() + 3_590_000, 10)).toEqual([]);
    expect(await chat.gateway.data.outbox.due(Date.now() + 3_605_000, 10)).toHaveLength(2);
  });

  it.each([undefined, -1, 'soon', 1e300, 0])('for %s s is asked again all the same', async (retryAfter) => {
    const chat = await openChat(quiet);
    const parameters = { retry_after: retryAfter };
    chat.botApi.fail('sendMessage', { code: 429, description: 'Too Many Requests', parameters });
    const { body } = await chat.gateway.send({ notify: { chatId: OWNER_CHAT, message: 'x' } });
    expect(body.notificationResult).toEqual(FAILED);
    expect(await kindsOf(chat.gateway, body.requestId)).not.toContain('notification-abandoned');
    expect(await chat.gateway.data.outbox.due(Date.now() + 86_400_000, 10)).toHaveLength(1);
  });
});

describe.concurrent('a failed call', () => {
  const FAULTS: readonly [string, Fault][] = [
    ['500', { code: 500, description: 'Internal Server Error' }],
    ['502 with a page', 'html'],
    ['half an answer', 'garbage'],
    ['null', 'null'],
    ['a cut connection', 'reset'],
    ['a redirect', 'redirect'],
    ['a refused token', { code: 401, description: 'Unauthorized' }],
  ];
  it.each(FAULTS)('(%s) is repeated later, and the message arrives once', async (_, fault) => {
    const chat = await openChat(quiet);
    chat.botApi.fail('sendMessage', fault);
    const sent = await chat.gateway.send({ notify: { chatId: OWNER_CHAT, message: 'again' } });
    expectFilled(sent);
    expect(sent.body.notificationResult).toEqual(FAILED);
    await notified(chat, sent.body.requestId);
    expect(arrivals(chat, 'again')).toBe(1);
    expect(chat.gateway.troubles.join()).toContain('was not delivered');
  });

  it('whose message was taken but never confirmed is repeated: better twice than never', async () => {
    const chat = await openChat(quiet);
    chat.botApi.fail('sendMessage', 'lost');
    const { body } = await chat.gateway.send({ notify: { chatId: OWNER_CHAT, message: 'twice' } });
    await notified(chat, body.requestId);
    expect(arrivals(chat, 'twice')).toBe(2);
  });
});

describe.concurrent('an outage', () => {
  it('of a while holds no trade up, and everything arrives afterwards, once and in order', async () => {
    const chat = await openChat(quiet);
    await chat.botApi.close();
    const numbers = [1, 2, 3, 4, 5, 6];
    for (const number of numbers) {
      const { result, livedMs } = await timed(() =>
        chat.gateway.send({ notify: { chatId: OWNER_CHAT, message: `n${number}` } }),
      );
      expectFilled(result);
      expect(livedMs).toBeLessThan(1900);
    }
    await chat.botApi.reopen();
    await eventually(
      () => chat.botApi.messages.length,
      (count) => count === numbers.length,
    );
    expect(chat.texts()).toEqual(numbers.map((number) => `n${number}`));
    await pause(1500);
    expect(chat.botApi.messages).toHaveLength(numbers.length);
  });

  it('that outlives the process is made up for by the next one', async () => {
    const botApi = await startBotApi();
    const before = await openChat({ ...quiet, botApi });
    botApi.outage = { fault: 'reset' };
    const { body } = await before.gateway.send({ notify: { chatId: OWNER_CHAT, message: 'kept {{status}}' } });
    expect(body.notificationResult).toEqual(FAILED);
    await before.close();
    botApi.outage = undefined;
    const after = await openChat({ ...quiet, botApi, dataDir: before.gateway.dataDir });
    await notified(after, body.requestId);
    expect(after.texts()).toEqual(['kept Filled']);
    await after.close();
    await botApi.close();
  });

  it('while stopping does not hold the stop up, and nothing is lost', async () => {
    const botApi = await startBotApi();
    const before = await openChat({ ...quiet, botApi });
    botApi.outage = { fault: 'hang' };
    const { body } = await before.gateway.send({ notify: { chatId: OWNER_CHAT, message: 'kept' } });
    const { livedMs } = await timed(() => before.close());
    expect(livedMs).toBeLessThan(3500);
    botApi.outage = undefined;
    const after = await openChat({ ...quiet, botApi, dataDir: before.gateway.dataDir });
    await notified(after, body.requestId);
    expect(arrivals(after, 'kept')).toBe(1);
    await after.close();
    await botApi.close();
  });
});

describe.concurrent('a flood', () => {
  it('to one chat is sent at the pace the chat takes, each message once', async () => {
    const chat = await openChat(quiet);
    const signals = Array.from({ length: 12 }, (_, index) => index);
    const { livedMs } = await timed(() =>
      Promise.all(signals.map((index) => chat.gateway.send({ notify: { chatId: OWNER_CHAT, message: `m${index}` } }))),
    );
    expect(livedMs).toBeLessThan(2000);
    const limitMs = performance.now() + 30_000;
    while (chat.botApi.messages.length < signals.length && performance.now() < limitMs) await pause(50);
    expect(chat.texts().toSorted()).toEqual(signals.map((index) => `m${index}`).toSorted());
    const times = chat.botApi.calls.map(({ atMs }) => atMs);
    // Five at once are fine, then one a second: within any five seconds there are no more than ten.
    for (const atMs of times) {
      expect(times.filter((other) => other >= atMs && other < atMs + 4900).length).toBeLessThanOrEqual(10);
    }
  });
});

describe('the token', () => {
  it('is in no answer, no row, no log line and no error, however the call fails', async () => {
    const chat = await openChat({ ...quiet, listen: true });
    const faults: Fault[] = [
      'reset',
      'redirect',
      'garbage',
      { code: 404, description: `Not Found: /bot${BOT_TOKEN}/x` },
    ];
    const answers: unknown[] = [];
    for (const fault of [...faults, { code: 400, description: `odd ${BOT_TOKEN}` }]) {
      chat.botApi.fail('sendMessage', fault);
      chat.botApi.fail('getUpdates', fault);
      const { body } = await chat.gateway.send({ notify: { chatId: OTHER_CHAT, message: 'x' } });
      answers.push(body, await chat.gateway.trade(body.requestId));
    }
    await chat.botApi.close();
    const { body } = await chat.gateway.send({ notify: { chatId: OTHER_CHAT, message: 'x' } });
    answers.push(body, await chat.gateway.trade(body.requestId));
    await chat.close();
    const secret = BOT_TOKEN.split(':')[1] as string;
    expect(JSON.stringify(answers)).not.toContain(secret);
    expect(chat.gateway.troubles.length).toBeGreaterThan(4);
    expect(JSON.stringify([chat.gateway.troubles, chat.lines])).not.toContain(secret);
    for (const file of readdirSync(chat.gateway.dataDir)) {
      expect(readFileSync(join(chat.gateway.dataDir, file)).includes(secret)).toBe(false);
    }
  });

  it('that is wrong costs only the messages, and says what to do', async () => {
    const chat = await openChat({ ...quiet, token: '1:wrongwrongwrongwrongwrong', listen: true });
    const sent = await chat.gateway.send({ notify: { chatId: OWNER_CHAT, message: 'x' } });
    expectFilled(sent);
    expect(sent.body.notificationResult).toEqual(FAILED);
    expect(chat.gateway.troubles.join()).toContain('copy it again from @BotFather');
    await eventually(
      () => chat.lines.length,
      (count) => count > 0,
    );
    expect(JSON.stringify(chat.lines)).toContain('copy it again from @BotFather');
  });
});
