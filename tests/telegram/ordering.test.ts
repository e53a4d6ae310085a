// Orders by the owner's bot: /buy and /sell show what would happen and in whose money, and trade once, after a yes in time.

import { beforeEach, describe, expect, it } from 'vitest';
import { setLimits } from '../limits/provoke.ts';
import { STRANGER } from './open-chat.ts';
import { ask, messagesIn, openBot, press } from './talk.ts';

const chat = await openBot();
const { gateway } = chat;
const trades = async () => (await gateway.request('GET', '/trades?limit=100')).body.result;
const held = async (): Promise<string[]> =>
  (await gateway.request('GET', '/positions')).body.result.map(
    (row: Record<string, unknown>) => `${row.key} ${row.quantity}`,
  );

beforeEach(async () => {
  await gateway.request('PUT', '/admin/kill-switch', { active: false });
  await gateway.request('POST', '/orders/cancel', { all: true });
  await gateway.request('POST', '/positions/close', { all: true });
});

describe('/buy', () => {
  it('shows the order, its stops and whose money it is, and trades after a yes and not before', async () => {
    const before = (await trades()).length;
    const question = await ask(chat, '/buy btcusdt 0.01 stop 10000 target 5% leverage 5 strategy Trend');
    const lines = question.text.split('\n');
    expect(lines[0]).toBe('Really send this order?');
    expect(lines[1]).toBe('PAPER on binance');
    expect(lines[2]).toMatch(/^BUY 0.01 BTCUSDT at market, about [\d.]+, [\d.]+ USDT$/);
    expect(lines.slice(3)).toEqual([
      'Leverage 5',
      expect.stringMatching(/^Binds about [\d.]+ USDT$/),
      'Stop loss at 10000',
      expect.stringMatching(/^Take profit at [\d.]+$/),
      expect.stringMatching(/^Loses about [\d.]+ USDT at its stop, [\d.]+ % of the account$/),
      expect.stringMatching(/^Caution: The stop is [\d.]+ % away from the price/),
    ]);
    expect(question.buttons.map(({ text }) => text)).toEqual(['Yes', 'No']);
    expect((await trades()).length).toBe(before);
    const { shown } = await press(chat, question, 'Yes');
    expect(shown?.text).toMatch(/^Sent: Filled 0.01 at [\d.]+\n[0-9a-f-]{36}$/);
    const [trade] = await trades();
    expect(trade).toMatchObject({ source: 'ticket', keyLabel: `telegram:${question.chatId}`, strategy: 'Trend' });
    expect(await held()).toEqual(['binance:BTCUSDT:LONG 0.01']);
  });

  it('works once: a second press, and a no behind it, do nothing', async () => {
    const question = await ask(chat, '/buy SOLUSDT 2');
    await press(chat, question, 'Yes');
    expect((await press(chat, question, 'Yes')).popup).toContain('answered already');
    expect((await press(chat, question, 'No')).popup).toContain('answered already');
    expect(await held()).toEqual(['binance:SOLUSDT:LONG 2']);
  });

  it('counts for a minute', async () => {
    const question = await ask(chat, '/buy SOLUSDT 2');
    chat.advance(60_000);
    expect((await press(chat, question, 'Yes')).shown?.text).toContain('Too late. Nothing was changed.');
    expect(await held()).toEqual([]);
  });

  it('is answered only by whoever asked, and strangers are not heard at all', async () => {
    const question = await ask(chat, '/buy SOLUSDT 2');
    const other = await press(chat, question, 'Yes', { userId: 4711 });
    expect(other.popup).toContain('Only whoever sent the command can answer.');
    chat.botApi.say('/buy SOLUSDT 2', { chatId: STRANGER, userId: STRANGER });
    expect((await ask(chat, '/buy SOLUSDT 3')).text).toContain('BUY 3 SOLUSDT');
    expect(messagesIn(chat, STRANGER)).toEqual([]);
    expect(await held()).toEqual([]);
  });

  it('takes a limit, an account and a size in money', async () => {
    const question = await ask(chat, '/buy SOLUSDT 500usdt at 50 on bybit');
    expect(question.text).toContain('PAPER on bybit\nBUY 10 SOLUSDT at 50 or better, 500 USDT');
    expect((await press(chat, question, 'Yes')).shown?.text).toMatch(/^Sent: Submitted\n/);
    const [open] = (await gateway.request('GET', '/orders')).body.result;
    expect(open).toMatchObject({ exchange: 'bybit', price: 50, quantity: 10 });
  });
});

describe('/sell', () => {
  it('says what it would close first, and how to do only that', async () => {
    await gateway.send({ symbol: 'SOLUSDT', quantity: 4 });
    const question = await ask(chat, '/sell SOLUSDT 1');
    expect(question.text).toContain(
      'SELL 4 SOLUSDT first, which closes the LONG that is held; write close behind /sell',
    );
    expect(question.text).toContain('SELL 1 SOLUSDT at market');
    await press(chat, question, 'No');
    const close = await ask(chat, '/sell SOLUSDT 50% close');
    expect(close.text).toMatch(/\nSELL 2 SOLUSDT at market/);
    await press(chat, close, 'Yes');
    expect(await held()).toEqual(['binance:SOLUSDT:LONG 2']);
  });
});

describe('what would not trade', () => {
  it('is told with the reason, and there is nothing to press', async () => {
    await gateway.request('PUT', '/admin/kill-switch', { active: true });
    const killed = await ask(chat, '/buy SOLUSDT 2');
    expect(killed.text).toMatch(
      /^It would be refused: trading is disabled by the kill switch[\s\S]*\nNothing was sent\.$/,
    );
    expect(killed.buttons).toEqual([]);
  });

  it('by the time of the yes is not traded', async () => {
    const question = await ask(chat, '/buy SOLUSDT 2');
    await setLimits(gateway, 'symbol', 'SOLUSDT', { largestOrder: 1 });
    expect((await press(chat, question, 'Yes')).shown?.text).toMatch(/^NOT traded: largestOrder of symbol/);
    await setLimits(gateway, 'symbol', 'SOLUSDT', {});
    expect(await held()).toEqual([]);
  });

  it('is a command that is too long to be read whole: its stop may stand at the end', async () => {
    const { text, buttons } = await ask(chat, `/buy SOLUSDT 2${' '.repeat(250)}stop 10`);
    expect(text).toContain('too long');
    expect(buttons).toEqual([]);
  });

  it.each([
    ['/buy', 'Use /buy'],
    ['/buy SOLUSDT', 'Use /buy'],
    ['/buy SOLUSDT lots', 'Use /buy'],
    ['/buy SOLUSDT -1', 'Use /buy'],
    ['/buy SOLUSDT 1 stop', 'Use /buy'],
    ['/buy SOLUSDT 1 stop 5 stop 6', 'Use /buy'],
    ['/buy SOLUSDT 1 sl 5', 'Use /buy'],
    ['/buy SOLUSDT 1 close close', 'Use /buy'],
    ['/buy SOLUSDT 0', 'quantity:'],
    ['/sell SOLUSDT 1 close stop 5', 'stopLoss:'],
    ['/buy SOLUSDT 1 on kraken', 'exchange:'],
  ])('%s asks nothing and tells what would', async (command, words) => {
    const { text, buttons } = await ask(chat, command);
    expect(text).toContain(words);
    expect(text).toContain('Nothing was sent.');
    expect(buttons).toEqual([]);
  });
});
