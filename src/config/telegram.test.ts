// The settings of the bot and its chats.

import { describe, expect, it } from 'vitest';
import { faultsOf, load } from './testing/load.ts';

describe('telegram', () => {
  const TOKEN = '123456789:AAbbccddeeffgghhiijj_-kk';

  it('is off without a token, and its chats then only cause a warning', () => {
    expect(load({}).telegram).toEqual({
      token: undefined,
      apiRoot: 'https://api.telegram.org',
      defaultChat: undefined,
      allowedChats: [],
    });
    expect(load({ TELEGRAM_DEFAULT_CHAT: '1' }).warnings.join()).toContain('notifications go to the log');
  });

  it('takes a token, a default chat and a list of chats', () => {
    const env = { TELEGRAM_BOT_TOKEN: TOKEN, TELEGRAM_DEFAULT_CHAT: '42', TELEGRAM_ALLOWED_CHATS: '-100500, @news_1' };
    const { telegram, warnings } = load({ ...env, TELEGRAM_API_ROOT: 'http://127.0.0.1:8081/' });
    expect(telegram).toEqual({
      token: TOKEN,
      apiRoot: 'http://127.0.0.1:8081',
      defaultChat: '42',
      allowedChats: ['-100500', '@news_1'],
    });
    expect(warnings).toEqual([]);
    expect(load({ TELEGRAM_BOT_TOKEN: TOKEN }).warnings.join()).toContain('no chat is allowed');
    expect(load({ TELEGRAM_API_ROOT: 'http://bot.example' }).warnings.join()).toContain('use https');
  });

  it.each(['1:short', `${TOKEN}!`, `bot${TOKEN}`, TOKEN.slice(10), `12 ${TOKEN}`])('%s is no token', (token) => {
    const [fault, ...more] = faultsOf({ TELEGRAM_BOT_TOKEN: token });
    expect(more).toEqual([]);
    expect(fault).toContain('copy it whole from @BotFather');
    expect(fault).not.toContain(token);
  });

  it.each(['0', '01', '+1', '1.5', 'me', '@abc', '@1abcd', '-', '12345678901234567', `@${'a'.repeat(33)}`])(
    '%s is no chat',
    (chat) => {
      expect(faultsOf({ TELEGRAM_DEFAULT_CHAT: chat })).toHaveLength(1);
      expect(faultsOf({ TELEGRAM_ALLOWED_CHATS: `1,${chat}` })[0]).toContain(`"${chat}" is no chat`);
    },
  );

  it('has one default chat', () => {
    expect(faultsOf({ TELEGRAM_DEFAULT_CHAT: '1,2' })[0]).toContain('choose one');
  });
});
