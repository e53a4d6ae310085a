// A stop, a size or a limit price that somebody wrote into a mail, or beside its text, is never dropped in silence.

import { describe, expect, it } from 'vitest';
import { expectFaults, expectFilled, freshGateway, KEY_1, tradeCount } from '../webhook/answers.ts';
import { openOffice } from './post-office.ts';

const COMMAND = 'LONG 0.01 BTCUSDT on binance';
const LINES = 'exchange: binance\naction: LONG\nsymbol: BTCUSDT\nquantity: 0.01';
const gateway = await freshGateway();
const post = (body: unknown) => gateway.request('POST', '/email-signal', body);

describe('a line that was meant as a field that matters', () => {
  it.each([
    ...['sl: 5', 'SL: 5', 'stopLossPrice: 5', 'stop: 5', 'stopLoss=5', 'stop loss = 5', 'stopLoss 5', 'SL 5'].map(
      (line) => [line, 'stopLoss: '] as const,
    ),
    ...['* stopLoss: 5', '- SL 60000', '• sl = 5', '1) SL: 5', '"stopLoss": 5,', '**SL**: 5', '🛑 SL 60000'].map(
      (line) => [line, 'stopLoss: '] as const,
    ),
    ...['SL 60000 TP 70000', 'SL@60000', 'SL - 60000', 'SL60000', 'stop loss at 60000', 'Stop 60000', 'sl:'].map(
      (line) => [line, 'stopLoss: '] as const,
    ),
    ...['sl: below the low', 'stop_loss 5', 'Stop-Loss = $60,000', 'stopLos: 5', 'sl：5', 'stop: below 60000'].map(
      (line) => [line, 'stopLoss: '] as const,
    ),
    ...['tp: 5', 'target: 5', 'TP1: 70000', 'TP 1: 70000', 'Target 1 - 70000', 'take profit 70000 USDT'].map(
      (line) => [line, 'takeProfit: '] as const,
    ),
    ...['trailing: 2', 'trailing stop: 2', 'trailing 2%', 'Trailing Stop 2', 'trailPercent = 2'].map(
      (line) => [line, 'trailPercent: '] as const,
    ),
    ...['Size: 5', 'qty: 5', 'amount 5', 'quantity = 5', 'Quantity 5', 'size 0.5 BTC'].map(
      (line) => [line, 'quantity: '] as const,
    ),
    ...['limit: 5', 'limit price: 5', 'price = 5', 'Price 68000', 'entry: 68000', 'Limit 68000'].map(
      (line) => [line, 'price: '] as const,
    ),
    ...['lev: 10', 'leverage 10x', 'Lev = 10'].map((line) => [line, 'leverage: '] as const),
    ...['reduceOnly: true', 'reduce only true', 'Reduce-only', 'reduce_only=yes'].map(
      (line) => [line, 'CLOSE_LONG'] as const,
    ),
    ...['type: limit', 'type limit', 'Order type = limit'].map((line) => [line, 'limit order'] as const),
    ['targets: 70000, 72000', 'takeProfit'] as const,
    [`idempotencyKey = ${KEY_1}`, 'idempotencyKey: '] as const,
  ])('%j is refused with the right form', async (line, right) => {
    const before = await tradeCount(gateway);
    for (const text of [`${LINES}\n${line}`, `${COMMAND}\n\n${line}`, `<p>${COMMAND}</p><p>${line}</p>`]) {
      const sent = await post({ text });
      expect([sent.status, sent.body.code]).toEqual([400, 'INVALID_PAYLOAD']);
      expect(sent.body.error).toContain(right);
    }
    expect(await tradeCount(gateway)).toBe(before);
  });

  it.each(['SL 60000', 'sl: 5', 'LONG BTCUSDT SL 60000', `${COMMAND} stop 60000`])(
    'is found in the subject %j',
    async (subject) => {
      const sent = await post({ subject, text: COMMAND });
      expect([sent.status, sent.body.error]).toEqual([400, expect.stringContaining('"stopLoss: 60000"')]);
    },
  );

  it('is a 554 for a mail server', async () => {
    const office = await openOffice();
    const reply = await office.mail({ text: `${COMMAND}\nsl: 60000` });
    expect(reply).toEqual({ code: 554, text: expect.stringContaining('"stopLoss: 60000"') });
    expect(await tradeCount(office.gateway)).toBe(0);
  });
});

describe('words around a signal', () => {
  it.each([
    'Stop me if I am wrong, 5 minutes are enough',
    'Stop 5 minutes before the close',
    'Target 3 was reached yesterday.',
    'Price action looks good at 68000',
    'Leverage is a risk. Trade with care.',
    'Take profit when you can.',
    'Type your answer below 5 lines',
    'Size matters',
    'Trailing 12 months revenue grew',
    'Limit your risk to 2% of the account',
    'https://example.com/sl?tp=5',
    'Sent from my iPhone',
    'Unsubscribe: https://example.com/unsubscribe?id=5',
    'target: https://example.com/1',
    'Note: this is what we talked about on Monday at 5',
    'TPS report attached',
    'Ann Smith, +49 30 123456',
  ])('do not matter: %j', async (line) => {
    const sent = await post({ text: `Hello,\n${line}\n${COMMAND}\n${line}\n` });
    expectFilled(sent);
  });

  it('are told where they look like a field', async () => {
    const sent = await post({ text: `${LINES}\nmood: breakout\ntime frame = 4h\nNote: see you on Monday\n` });
    expectFilled(sent);
    expect(sent.body.warnings).toEqual([
      'mood: is not known and was ignored',
      'time frame: is not known and was ignored',
    ]);
  });
});

describe('fields beside the text', () => {
  it.each(['stopLoss', 'sl', 'stop_loss', 'quantity', 'qty', 'price', 'limit', 'leverage', 'idempotencyKey', 'apiKey'])(
    '%s belongs into it, so it is refused',
    async (name) => {
      const before = await tradeCount(gateway);
      const sent = await post({ text: COMMAND, [name]: 5 });
      expectFaults(sent, name);
      expect(sent.body.error).toContain('in the text');
      expect(await tradeCount(gateway)).toBe(before);
    },
  );

  it('that nobody knows are told', async () => {
    const sent = await post({ text: COMMAND, to: 'x', attachments: [1] });
    expectFilled(sent);
    expect(sent.body.warnings).toEqual([
      'to: is not known and was ignored',
      'attachments: is not known and was ignored',
    ]);
  });
});
