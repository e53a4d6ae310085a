// notify over a local Bot API: parse modes, templates, limits, allowed chats, and what the answer says.

import { describe, expect, it } from 'vitest';
import { eventually, expectFilled } from '../webhook/answers.ts';
import { type Chat, kindsOf, OTHER_CHAT, OWNER_CHAT, openChat, pause } from './open-chat.ts';

/** Nothing of the owner's own: only what `notify` causes. */
const quietChat = (): Promise<Chat> =>
  openChat({ defaultChat: null, allowedChats: [OWNER_CHAT, OTHER_CHAT, '@news_of_mine', ...MANY_CHATS] });
/** A chat takes few messages at once, so every test has its own. */
const MANY_CHATS = Array.from({ length: 60 }, (_, index) => String(1000 + index));
let chatNumber = 0;
const freshChat = (): string => MANY_CHATS[chatNumber++] as string;
const lastText = ({ botApi }: Chat): string | undefined => botApi.messages.at(-1)?.text;
const sendsOf = ({ botApi }: Chat) => botApi.calls.filter(({ method }) => method === 'sendMessage');

describe('a message', async () => {
  const chat = await quietChat();
  const { gateway, botApi } = chat;
  const notify = (fields: object) => gateway.send({ notify: { chatId: freshChat(), ...fields } });

  it('arrives in the chat, and its number is in the answer', async () => {
    const sent = await notify({ message: 'hello' });
    expectFilled(sent);
    const message = botApi.messages.at(-1);
    expect(message).toMatchObject({ text: 'hello' });
    expect(sent.body.notificationResult).toEqual({ success: true, messageId: message?.messageId });
    expect(await kindsOf(gateway, sent.body.requestId)).toContain('notified');
  });

  it('is literal text unless a parse mode is asked for', async () => {
    const message = '<b>*_x_*</b> [a](b) \\. `';
    await notify({ message });
    expect(sendsOf(chat).at(-1)?.payload).toEqual({ chat_id: expect.any(String), text: message });
    await notify({ message, parseMode: 'Plain' });
    expect(sendsOf(chat).at(-1)?.payload).toEqual({ chat_id: expect.any(String), text: message });
  });

  it.each([
    ['HTML', '<b>up</b> &amp; away', 'up & away'],
    ['Markdown', '*up* \\_ away', 'up _ away'],
    ['MarkdownV2', '*up* \\& __away__\\!', 'up & away!'],
  ])('in %s is read as markup', async (parseMode, message, text) => {
    await notify({ message, parseMode });
    expect(sendsOf(chat).at(-1)?.payload).toMatchObject({ parse_mode: parseMode, text: message });
    expect(lastText(chat)).toBe(text);
  });

  it.each(['HTML', 'Markdown', 'MarkdownV2'])(
    'of our own words is plain text, also when %s was asked for',
    async (parseMode) => {
      await gateway.send({ action: 'CLOSE_SHORT', notify: { chatId: freshChat(), parseMode } });
      expect(sendsOf(chat).at(-1)?.payload).not.toHaveProperty('parse_mode');
      expect(lastText(chat)).toMatch(/^CLOSE_SHORT 0\.01 BTCUSDT on binance \(paper\): Rejected\. /);
    },
  );

  it('of our own words says what a close has made, as the fills of the trade have it, and of an entry nothing', async () => {
    const told = async (fields: object) => {
      const { body } = await gateway.send({
        symbol: 'ETHUSDT',
        quantity: 2,
        ...fields,
        notify: { chatId: freshChat() },
      });
      const { result } = (await gateway.request('GET', `/trades/${body.requestId}`)).body;
      const sum = (name: 'realizedPnl' | 'fee') =>
        result.fills.reduce((all: number, fill: Record<string, number>) => all + (fill[name] ?? 0), 0);
      return { text: lastText(chat), made: sum('realizedPnl'), fee: sum('fee') };
    };
    expect((await told({ action: 'LONG' })).text).toMatch(/^LONG 2 ETHUSDT on binance \(paper\): Filled 2 at [\d.]+$/);
    // A part, and the rest: each what it has made itself.
    for (const quantity of [0.5, 1.5]) {
      const { text, made, fee } = await told({ action: 'CLOSE_LONG', quantity });
      const [, word, amount, paid] =
        /: Filled [\d.]+ at [\d.]+, (profit|loss) ([\d.]+) before fees of ([\d.]+)$/.exec(text ?? '') ?? [];
      expect(word, text).toBe(made < 0 ? 'loss' : 'profit');
      expect(Number(amount)).toBeCloseTo(Math.abs(made), 6);
      expect(Number(paid)).toBeCloseTo(fee, 6);
    }
    // A reversal closes as well.
    await told({ action: 'LONG' });
    expect((await told({ action: 'SHORT' })).text).toMatch(/, (profit|loss) [\d.]+ before fees of [\d.]+$/);
    await told({ action: 'CLOSE_SHORT' });
  });

  it('may go to a public name, in any case', async () => {
    const { body } = await gateway.send({ notify: { chatId: '@News_Of_Mine', message: 'x' } });
    expect(body.notificationResult.success).toBe(true);
  });
});

describe('a template', async () => {
  const chat = await quietChat();
  const { gateway } = chat;
  const all =
    '{{action}} {{symbol}} {{exchange}} {{mode}} {{quantity}} {{price}} {{status}} {{executedQty}} {{orderId}} [{{error}}] {{requestId}} {{close}}';

  it('is filled in with the outcome', async () => {
    const { body } = await gateway.send({ symbol: 'BTC_USDT', notify: { chatId: freshChat(), message: all } });
    const { orderId, price } = body.tradeResult;
    expect(lastText(chat)).toBe(
      `LONG BTC_USDT binance paper 0.01 ${price} Filled 0.01 ${orderId} [] ${body.requestId} {{close}}`,
    );
  });

  it('of a refused trade holds the reason, and no price', async () => {
    const { body } = await gateway.send({ action: 'CLOSE_SHORT', notify: { chatId: freshChat(), message: all } });
    expect(lastText(chat)).toBe(
      `CLOSE_SHORT BTCUSDT binance paper 0.01  Rejected 0  [${body.error}] ${body.requestId} {{close}}`,
    );
  });

  it.each([
    ['HTML', '<b>{{symbol}}</b> &lt;{{error}}&gt;'],
    ['Markdown', '*{{symbol}}* <{{error}}>'],
    ['MarkdownV2', '*{{symbol}}* <{{error}}\\>'],
  ])('in %s has its values escaped: a symbol is never markup', async (parseMode, message) => {
    const { body } = await gateway.send({
      action: 'CLOSE_SHORT',
      symbol: 'BTC_USDT',
      notify: { chatId: freshChat(), message, parseMode },
    });
    expect(lastText(chat)).toBe(`BTC_USDT <${body.error}>`);
    expect(sendsOf(chat).at(-1)?.payload.parse_mode).toBe(parseMode);
  });
});

describe('markup that cannot be read', async () => {
  const chat = await quietChat();
  const { gateway } = chat;

  it.each([
    ['HTML', '<b>{{symbol}} <i>', '<b>BTC_USDT <i>'],
    ['Markdown', '*{{symbol}} [x', '*BTC_USDT [x'],
    ['MarkdownV2', '*{{symbol}}* 1.5!', '*BTC_USDT* 1.5!'],
  ])('in %s is sent once more, as plain text without escapes', async (parseMode, message, plain) => {
    const before = sendsOf(chat).length;
    const sent = await gateway.send({ symbol: 'BTC_USDT', notify: { chatId: freshChat(), message, parseMode } });
    expect(sent.body.notificationResult.success).toBe(true);
    const sends = sendsOf(chat).slice(before);
    expect(sends.map(({ payload }) => payload.parse_mode)).toEqual([parseMode, undefined]);
    expect(lastText(chat)).toBe(plain);
  });

  it('is given up when the plain text is refused too', async () => {
    const fault = { code: 400, description: "Bad Request: can't parse entities: whatever" };
    chat.botApi.fail('sendMessage', fault, fault);
    const before = sendsOf(chat).length;
    const { body } = await gateway.send({ notify: { chatId: freshChat(), message: 'x', parseMode: 'HTML' } });
    expect(body.notificationResult).toEqual({ success: false, messageId: null });
    expect(await kindsOf(gateway, body.requestId)).toContain('notification-abandoned');
    await pause(2500);
    expect(sendsOf(chat).length).toBe(before + 2);
  });
});

describe('length', async () => {
  const chat = await quietChat();
  const { gateway, botApi } = chat;
  const notify = (message: string, parseMode = 'Plain') =>
    gateway.send({ action: 'CLOSE_SHORT', notify: { chatId: freshChat(), message, parseMode } });

  it('of 4096 units is sent whole, and what a template adds beyond that is cut with a mark', async () => {
    await notify('x'.repeat(4096));
    expect(lastText(chat)).toBe('x'.repeat(4096));
    await notify(`${'x'.repeat(4084)}{{action}}!!`);
    expect(lastText(chat)).toBe(`${'x'.repeat(4084)}CLOSE_SHORT…`);
  });

  it('is counted in UTF-16 units, and a pair of surrogates is never cut', async () => {
    await notify(`${'🚂'.repeat(2043)}{{action}}`);
    const text = lastText(chat) as string;
    expect(text).toBe(`${'🚂'.repeat(2043)}CLOSE_SHO…`);
    expect(text).toHaveLength(4096);
    await notify(`{{action}}${'🚂'.repeat(2043)}`);
    expect(lastText(chat)).toBe(`CLOSE_SHORT${'🚂'.repeat(2042)}…`);
    expect(lastText(chat)).toHaveLength(4096);
  });

  it.each(['HTML', 'MarkdownV2', 'Markdown'])('in %s counts what is shown, not the marks', async (parseMode) => {
    const [open, close] = parseMode === 'HTML' ? ['<b>', '</b>'] : ['*', '*'];
    await notify(`${open}${'x'.repeat(4070)}${close}{{action}}`, parseMode);
    expect(lastText(chat)).toBe(`${'x'.repeat(4070)}CLOSE_SHORT`);
    await notify(`${open}${'x'.repeat(4070)}{{requestId}}${close}`, parseMode);
    expect(lastText(chat)).toMatch(/^x{4070}[0-9a-f-]{25}…$/);
    expect(botApi.calls.at(-1)?.payload.parse_mode).toBe(parseMode);
  });

  it('half a surrogate in a template does not stop the message', async () => {
    const { body } = await notify('a\ud83d b');
    expect(body.notificationResult.success).toBe(true);
    expect(lastText(chat)).toBe('a\ufffd b');
  });

  it('of nothing but blanks is refused by Telegram, and only the message fails', async () => {
    const { status, body } = await gateway.send({ notify: { chatId: freshChat(), message: ' ' } });
    expect(status).toBe(200);
    expect(body.notificationResult).toEqual({ success: false, messageId: null });
  });
});

describe.concurrent('a chat', () => {
  it.each(['666', '-100501', '@elsewhere', '042', '42 ', ' 42', '+42', '42.0', '-42', 'x'.repeat(64)])(
    '%j that is not allowed gets nothing, now or later; the trade goes on and the journal says why',
    async (chatId) => {
      const { gateway, botApi } = await openChat({ defaultChat: null, allowedChats: [OWNER_CHAT] });
      const sent = await gateway.send({ notify: { chatId, message: 'secret' } });
      expectFilled(sent);
      expect(sent.body.notificationResult).toEqual({ success: false, messageId: null });
      const { events } = await gateway.trade(sent.body.requestId);
      expect(events.at(-1)).toMatchObject({
        kind: 'notification-abandoned',
        detail: `chat ${JSON.stringify(chatId)} is not allowed; add it to TELEGRAM_ALLOWED_CHATS if it is yours`,
      });
      await gateway.desk.notifications.sweep();
      expect(botApi.calls).toEqual([]);
    },
  );

  it('that is left out is the default chat, which need not be on the list', async () => {
    const { gateway, botApi } = await openChat({ allowedChats: [] });
    const { body } = await gateway.send({ notify: { message: 'x' } });
    expect(body.notificationResult.success).toBe(true);
    expect(botApi.messages).toMatchObject([{ chatId: OWNER_CHAT, text: 'x' }]);
  });

  it('that is left out where there is no default is a failed notification', async () => {
    const { gateway, botApi } = await openChat({ defaultChat: null });
    const { body } = await gateway.send({ notify: { message: 'x' } });
    expect(body.notificationResult).toEqual({ success: false, messageId: null });
    expect((await gateway.trade(body.requestId)).events.at(-1).detail).toContain('set TELEGRAM_DEFAULT_CHAT');
    expect(botApi.calls).toEqual([]);
  });

  it.each([
    [400, 'Bad Request: chat not found', 'send /start'],
    [403, 'Forbidden: bot was blocked by the user', 'unblock the bot'],
    [403, 'Forbidden: bot was kicked from the supergroup chat', 'add it again'],
    [400, 'Bad Request: message is too long', 'message is too long'],
  ])('that answers %i %s is not tried again', async (code, description, words) => {
    const chat = await quietChat();
    chat.botApi.fail('sendMessage', { code, description });
    const { body } = await chat.gateway.send({ notify: { chatId: OWNER_CHAT, message: 'x' } });
    expect(body.notificationResult).toEqual({ success: false, messageId: null });
    const { events } = await chat.gateway.trade(body.requestId);
    expect(events.at(-1)).toMatchObject({ kind: 'notification-abandoned' });
    expect(events.at(-1).detail).toContain(words);
    await pause(2300);
    expect(sendsOf(chat)).toHaveLength(1);
  });

  it('that moved tells its new number, and is not followed there', async () => {
    const chat = await quietChat();
    const parameters = { migrate_to_chat_id: -100_777 };
    const description = 'Bad Request: group chat was upgraded to a supergroup chat';
    chat.botApi.fail('sendMessage', { code: 400, description, parameters });
    const { body } = await chat.gateway.send({ notify: { chatId: OTHER_CHAT, message: 'x' } });
    expect((await chat.gateway.trade(body.requestId)).events.at(-1).detail).toContain('the group is now -100777');
    expect(sendsOf(chat)).toHaveLength(1);
  });
});

describe.concurrent('the message of a sender', () => {
  it('is told once to the owner when it goes to the owner, and the owner hears the outcome otherwise', async () => {
    const chat = await openChat();
    await chat.gateway.send({ notify: { message: 'mine' } });
    await chat.gateway.send({ notify: { chatId: OWNER_CHAT } });
    await pause(3500);
    expect(chat.texts()).toHaveLength(2);
    await chat.gateway.send({ notify: { chatId: OTHER_CHAT, message: 'theirs' } });
    await eventually(
      () => chat.texts().length,
      (count) => count === 3,
    );
    expect(chat.texts().at(-1)).toMatch(/^LONG 0\.01 BTCUSDT on binance \(paper\): Filled 0\.01 at /);
    expect(chat.texts(OTHER_CHAT)).toEqual(['theirs']);
  });

  it('to a chat that is not allowed still lets the owner hear the outcome', async () => {
    const chat = await openChat();
    const { body } = await chat.gateway.send({ notify: { chatId: '666', message: 'x' } });
    expect(body.notificationResult).toEqual({ success: false, messageId: null });
    expect(chat.texts().filter((text) => text.startsWith('LONG'))).toHaveLength(1);
    expect(await kindsOf(chat.gateway, body.requestId)).toContain('notification-abandoned');
  });

  it("that arrived is a success even if the owner's copy has to wait", async () => {
    const chat = await openChat();
    chat.botApi.outage = { fault: 'hang' };
    const sending = chat.gateway.send({ notify: { chatId: OTHER_CHAT, message: 'theirs' } });
    await eventually(
      () => chat.botApi.hanging(),
      (count) => count === 2,
    );
    chat.botApi.outage = undefined;
    const theirs = chat.botApi.calls.findIndex(({ payload }) => payload.chat_id === OTHER_CHAT);
    expect(theirs).toBeGreaterThanOrEqual(0);
    chat.botApi.release('answer');
    expect((await sending).body.notificationResult.success).toBe(true);
  });
});
