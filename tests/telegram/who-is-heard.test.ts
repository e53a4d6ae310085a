// Whom the bot listens to: allowed chats and nobody else, fresh commands and no stale ones, and no garbage.

import { describe, expect, it } from 'vitest';
import { BOT_NAME } from '../support/bot-api-server.ts';
import { eventually } from '../webhook/answers.ts';
import { listen, openChat, STRANGER } from './open-chat.ts';
import { ask, CHATS, freshChat, messagesIn, openBot, pressesOf } from './talk.ts';

describe('who is heard', async () => {
  const chat = await openBot();
  const { botApi, lines } = chat;
  const answersTo = async (say: () => void): Promise<number> => {
    const before = botApi.countOf('sendMessage');
    say();
    // Whatever comes after it was read after it.
    await ask(chat, '/help');
    return botApi.countOf('sendMessage') - before - 1;
  };

  it('not a stranger: no answer, no press, one line in the log for however many tries', async () => {
    const presses = pressesOf(chat).length;
    const count = await answersTo(() => {
      for (let i = 0; i < 5; i++) botApi.say('/kill on', { chatId: STRANGER });
      botApi.press('yes:x', { chatId: STRANGER });
    });
    expect(count).toBe(0);
    expect(pressesOf(chat)).toHaveLength(presses);
    const told = lines.filter(({ fields }) => 'chatId' in fields && fields.chatId === String(STRANGER));
    expect(told).toHaveLength(1);
    expect(told[0]?.message).toContain('TELEGRAM_ALLOWED_CHATS');
  });

  it('not the owner in a chat that is not allowed', async () => {
    expect(await answersTo(() => botApi.say('/status', { chatId: -STRANGER, userId: 1000, type: 'group' }))).toBe(0);
  });

  it('not a bot, nor an administrator who hides behind one', async () => {
    expect(await answersTo(() => botApi.say('/status', { chatId: freshChat(), isBot: true }))).toBe(0);
  });

  it('not small talk, nor a command for another bot', async () => {
    const chatId = freshChat();
    const count = await answersTo(() => {
      for (const text of [
        'hello',
        'please /kill on',
        '/ status',
        '',
        '/status@another_bot',
        '/',
        `/${'x'.repeat(40)}`,
      ]) {
        botApi.say(text, { chatId });
      }
      botApi.say('/unknown', { chatId, type: 'group' });
    });
    expect(count).toBe(0);
  });

  it("a command with this bot's name, and an unknown one in private or by name gets a hint", async () => {
    expect((await ask(chat, `/status@${BOT_NAME}`, { type: 'group' })).text).toContain('Signalbox 1.2.3');
    expect((await ask(chat, `/status@${BOT_NAME.toUpperCase()}`, { type: 'group' })).text).toContain('Signalbox');
    expect((await ask(chat, '/unknown')).text).toBe('Unknown command; /help lists them.');
    expect((await ask(chat, `/constructor@${BOT_NAME}`, { type: 'group' })).text).toContain('Unknown command');
  });

  it('not garbage of any shape', async () => {
    const count = await answersTo(() => {
      const chatId = freshChat();
      for (const update of [
        {},
        { message: null },
        { message: 'x' },
        { message: { text: '/status' } },
        { message: { text: 5, chat: { id: chatId }, from: { id: 1 } } },
        { message: { text: '/status', chat: { id: '1' }, from: { id: 1 } } },
        { message: { text: '/status', chat: { id: chatId } } },
        { callback_query: { id: 1, data: 'yes:x' } },
        { callback_query: { id: '1', from: { id: 1 }, data: 'yes:x' } },
        { edited_message: { text: '/status', chat: { id: chatId }, from: { id: 1 } } },
        { channel_post: { text: '/status', chat: { id: chatId }, from: { id: 1 } } },
        { update_id: 'x', message: { text: '/status', chat: { id: chatId }, from: { id: 1 } } },
      ]) {
        botApi.update(update);
      }
      botApi.say(`/status ${'x'.repeat(100_000)}`, { chatId: STRANGER });
    });
    expect(count).toBe(0);
  });

  it('what was sent while nobody listened, only if it is a minute old at most', async () => {
    const late = await openChat({ allowedChats: CHATS.map(String) });
    const nowS = Math.floor(Date.now() / 1000);
    const [old, fresh] = [freshChat(), freshChat()];
    late.botApi.say('/kill on', { chatId: old, dateS: nowS - 62 });
    late.botApi.say('/kill on', { chatId: fresh, dateS: nowS - 50 });
    listen(late.telegram, late.gateway);
    await eventually(
      () => messagesIn(late, fresh).length,
      (count) => count === 1,
    );
    expect(messagesIn(late, fresh)[0]?.buttons).toHaveLength(2);
    expect(messagesIn(late, old)[0]?.text).toBe('I was away when you sent /kill on. Send it again if it still holds.');
    expect(messagesIn(late, old)[0]?.buttons).toEqual([]);
    // Once it listens, a clock that is wrong by an hour locks nobody out.
    late.gateway.clock.offsetMs = 3_600_000;
    expect((await ask(late, '/status')).text).toContain('Signalbox');
  });
});
