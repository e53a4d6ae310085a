// Long polling through outages, conflicts and garbage: a command runs once, the log says what to do, a stop is at once.

import { describe, expect, it } from 'vitest';
import { type Fault, startBotApi } from '../support/bot-api-server.ts';
import { timed } from '../support/lived-time.ts';
import { eventually } from '../webhook/answers.ts';
import { type Chat, openChat, pause } from './open-chat.ts';

const answered = (chat: Chat, count: number) =>
  eventually(
    () => chat.texts().length,
    (found) => found >= count,
  );
const reasons = (chat: Chat): string[] =>
  chat.lines.flatMap(({ fields }) => ('reason' in fields ? [String(fields.reason)] : []));

describe.concurrent('polling', () => {
  it('asks for messages and presses only, and acknowledges what it has read', async () => {
    const chat = await openChat({ listen: true });
    chat.botApi.say('/help');
    await answered(chat, 1);
    await eventually(
      () => chat.botApi.calls.filter(({ method }) => method === 'getUpdates').at(-1)?.payload.offset,
      (offset) => offset === 7001,
    );
    const { payload } = chat.botApi.calls.find(({ method }) => method === 'getUpdates') ?? {};
    expect(payload.allowed_updates).toEqual(['message', 'callback_query']);
  });

  it('runs a command once, also when its answer fails or the same update comes again', async () => {
    const chat = await openChat({ listen: true });
    chat.botApi.fail('sendMessage', 'reset');
    chat.botApi.say('/help');
    chat.botApi.update({ update_id: 7000, message: { text: '/status', date: 0, chat: { id: 42 }, from: { id: 42 } } });
    chat.botApi.say('/stops');
    await answered(chat, 1);
    await pause(300);
    expect(chat.texts()).toEqual(['Stops\nNo stops.']);
    expect(chat.lines.map(({ message }) => message)).toEqual(['an answer did not reach its chat']);
  });

  const FAULTS: readonly [string, Fault, string][] = [
    [
      'another program',
      { code: 409, description: 'Conflict: terminated by other getUpdates request' },
      'another program reads the commands of this bot; stop it, or give each program a bot of its own',
    ],
    [
      'a webhook',
      { code: 409, description: "Conflict: can't use getUpdates method while webhook is active" },
      'this bot has a webhook, so it gets no commands here; remove it (deleteWebhook) or use another bot',
    ],
    ['a server error', { code: 500, description: 'oops' }, 'the Bot API failed: 500 oops'],
    ['garbage', 'garbage', 'the Bot API did not answer (invalid-json)'],
    ['null', 'null', 'the Bot API gave an answer that makes no sense; check TELEGRAM_API_ROOT'],
    ['a cut connection', 'reset', 'the Bot API did not answer (ECONNRESET)'],
    [
      'a wrong token',
      { code: 401, description: 'Unauthorized' },
      'Telegram does not accept the bot token; copy it again from @BotFather',
    ],
  ];
  it.each(FAULTS)('meets %s: one line with the remedy, and commands work again after it', async (_, fault, reason) => {
    const chat = await openChat({ listen: true });
    chat.botApi.say('/help');
    await answered(chat, 1);
    chat.botApi.fail('getUpdates', fault, fault);
    chat.botApi.say('/help');
    await answered(chat, 2);
    await eventually(
      () => chat.lines.length,
      (count) => count > 0,
    );
    chat.botApi.say('/help');
    await answered(chat, 3);
    await pause(100);
    expect(reasons(chat)).toEqual([reason]);
    expect(chat.lines.map(({ message }) => message)).toEqual([
      'no commands from Telegram for now',
      'Telegram answers again',
    ]);
  });

  it('asks less and less often while nobody answers', async () => {
    const botApi = await startBotApi();
    botApi.outage = { fault: 'reset' };
    const chat = await openChat({ botApi, listen: true });
    await eventually(
      () => botApi.calls.length,
      (count) => count >= 3,
    );
    await pause(1500);
    // At 0, 1, 3 and 7 s.
    expect(botApi.calls).toHaveLength(3);
    const [first = 0, second = 0, third = 0] = botApi.calls.map(({ atMs }) => atMs);
    expect(second - first).toBeGreaterThanOrEqual(990);
    expect(third - second).toBeGreaterThanOrEqual(1990);
    await chat.close();
    await botApi.close();
  });

  it('waits as long as it is asked to', async () => {
    const chat = await openChat({ listen: true });
    chat.botApi.fail('getUpdates', { code: 429, description: 'Too Many Requests', parameters: { retry_after: 3 } });
    await eventually(
      () => chat.botApi.countOf('getUpdates'),
      (count) => count >= 1,
    );
    await pause(2500);
    expect(chat.botApi.countOf('getUpdates')).toBe(1);
    chat.botApi.say('/help');
    await answered(chat, 1);
  });

  it('does not spin when the server answers at once with nothing or with nonsense', async () => {
    const chat = await openChat({ listen: true });
    await eventually(
      () => chat.botApi.countOf('getUpdates'),
      (count) => count >= 2,
    );
    const before = chat.botApi.countOf('getUpdates');
    for (let i = 0; i < 10; i++) chat.botApi.update({ update_id: i % 2 === 0 ? 1.5 : 'x' });
    await pause(2500);
    expect(chat.botApi.countOf('getUpdates') - before).toBeLessThanOrEqual(4);
  });

  it('stops at once, in the middle of a poll', async () => {
    const chat = await openChat({ listen: true });
    await eventually(
      () => chat.botApi.countOf('getUpdates'),
      (count) => count >= 2,
    );
    chat.telegram.deafen();
    expect((await timed(() => chat.telegram.close())).livedMs).toBeLessThan(1000);
    const polls = chat.botApi.countOf('getUpdates');
    chat.botApi.say('/help');
    await pause(500);
    expect(chat.botApi.countOf('getUpdates')).toBe(polls);
    expect(chat.texts()).toEqual([]);
  });

  it('stops at once, in the middle of a pause after a failure', async () => {
    const chat = await openChat({ listen: true });
    chat.botApi.outage = { fault: 'reset' };
    await pause(1500);
    expect((await timed(() => chat.telegram.close())).livedMs).toBeLessThan(1000);
  });
});
