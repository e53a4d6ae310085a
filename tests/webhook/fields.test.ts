// The rows of the field tables of POST /webhook that hold words, at their boundaries.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import { expectFault, expectFaults, expectFilled, expectRefusal, KEY_1 } from './answers.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openGateway({ venues: [createScriptedVenue('binance', 'hedge')] });
});
afterAll(() => gateway.close());

describe('apiKey', () => {
  it.each([
    ['missing', undefined, 'missing'],
    ['null', null, 'send a string'],
    ['empty', '', 'at least 1'],
    ['a number', 5, 'double quotes'],
    ['an object', {}, 'send a string'],
    ['257 characters', 'k'.repeat(257), 'at most 256'],
  ])('that is %s is 400', (_, value, words) => expectFault(gateway, 'apiKey', value, words));

  it('of 256 characters is well formed, and wrong', async () => {
    expectRefusal(await gateway.send({ apiKey: 'k'.repeat(256) }), 'AUTHENTICATION_FAILED');
  });
});

describe('exchange', () => {
  it.each(['binance', 'bybit', 'mexc'])('%s is traded', async (exchange) => {
    expectFilled(await gateway.send({ exchange }));
  });

  it.each([
    [undefined],
    [null],
    [''],
    ['kraken'],
    ['Binance'],
    ['BINANCE'],
    [' binance'],
    ['constructor'],
    [1],
    [['binance']],
  ])('%j is 400 and names the three', (value) => expectFault(gateway, 'exchange', value, 'binance, bybit, mexc'));
});

describe('action', () => {
  it.each(['LONG', 'SHORT', 'CLOSE_LONG', 'CLOSE_SHORT'])('%s is understood', async (action) => {
    await gateway.send({ exchange: 'binance', action: action.replace('CLOSE_', ''), quantity: 1 });
    const sent = await gateway.send({ exchange: 'binance', action, quantity: 0.1 });
    expectFilled(sent);
    expect((await gateway.trade(sent.body.requestId)).action).toBe(action);
  });

  it.each([[undefined], [null], [''], ['long'], ['Long'], ['BUY'], ['buy'], ['CLOSE'], ['LONG '], [0], ['toString']])(
    '%j is 400 and names the four',
    (value) => expectFault(gateway, 'action', value, 'LONG, SHORT, CLOSE_LONG, CLOSE_SHORT'),
  );
});

describe('symbol', () => {
  it.each([
    ['missing', undefined, 'missing'],
    ['null', null, 'send a string'],
    ['a number', 1, 'double quotes'],
    ['no characters', '', 'at least 1'],
    ['21 characters', 'A'.repeat(21), 'at most 20'],
  ])('that is %s is 400', (_, value, words) => expectFault(gateway, 'symbol', value, words));

  it.each(['A', 'Z', 'AB', 'A'.repeat(19), 'A'.repeat(20)])('%s has a length that is allowed', async (symbol) => {
    expectFilled(await gateway.send({ symbol, quantity: 1 }));
  });

  it.each([
    ['BTCUSDT'],
    ['btcusdt'],
    ['BTC/USDT'],
    ['BTC_USDT'],
    ['BTC-USDT'],
    ['BTCUSDT.P'],
    ['BINANCE:BTCUSDT'],
    ['BINANCE:BTCUSDT.P'],
    ['BTC/USDT:USDT'],
  ])('%s is the market BTCUSDT, and is kept as it was spelled', async (symbol) => {
    const sent = await gateway.send({ symbol });
    expectFilled(sent);
    expect(await gateway.trade(sent.body.requestId)).toMatchObject({ symbol, market: 'BTCUSDT' });
  });

  it('may hold digits', async () => {
    expectFilled(await gateway.send({ symbol: '1000PEPEUSDT', quantity: 1000 }));
  });

  it.each([
    ' ',
    'BTC USDT',
    'BTC\tUSDT',
    'BTCUSDT\n',
    'BTC%2FUSDT',
    "BTC'--",
    'BTC"',
    'BTC$',
    'BTC#',
    'BTC@X',
    'BTC+X',
    'BTC,ETH',
    'BTC;X',
    'BTC\\X',
    'BTC*',
    'BTC(X)',
    'БТС',
    'BTC\u0000',
    'BTC€',
    '🚀',
  ])('%j has a character that no market has', (symbol) =>
    expectFault(gateway, 'symbol', symbol, 'letters, digits and . _ : / -'),
  );

  it('a placeholder that was not filled in is told as such', () =>
    expectFault(gateway, 'symbol', '{{ticker}}', '{{ticker}} was not filled in'));

  it.each([':', '/', '...', '-', '_', 'BTC//USDT', ':BTC:'])('%j names no market', (symbol) =>
    expectFault(gateway, 'symbol', symbol, 'names no market'),
  );
});

describe('idempotencyKey', () => {
  it.each([
    [null],
    [''],
    ['abc'],
    ['123e4567e89b42d3a456426614174000'],
    ['{123e4567-e89b-42d3-a456-426614174000}'],
    ['123e4567-e89b-42d3-a456-42661417400'],
    ['123e4567-e89b-42d3-a456-4266141740000'],
    ['123e4567-e89b-42d3-a456-42661417400g'],
    [' 123e4567-e89b-42d3-a456-426614174000'],
    ['123e4567-e89b-42d3-a456-426614174000\n'],
    ['urn:uuid:123e4567-e89b-42d3-a456-426614174000'],
  ])('%j is 400', (value) =>
    expectFault(gateway, 'idempotencyKey', value, typeof value === 'string' ? 'is not a UUID' : 'send a string'),
  );

  it.each([
    KEY_1,
    'ABCDEFAB-E89B-42D3-A456-426614174000',
    '01890a5d-ac96-774b-bcce-b302099a8057',
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
  ])('%s is a UUID', async (idempotencyKey) => expectFilled(await gateway.send({ idempotencyKey })));
});

describe('notify', () => {
  it.each([
    ['null', null, ['notify']],
    ['text', 'yes', ['notify']],
    ['true', true, ['notify']],
    ['a list', [], ['notify']],
    ['a numeric chat', { chatId: 12345 }, ['notify.chatId']],
    ['an empty chat', { chatId: '' }, ['notify.chatId']],
    ['a chat of 65 characters', { chatId: '1'.repeat(65) }, ['notify.chatId']],
    ['an empty message', { message: '' }, ['notify.message']],
    ['a numeric message', { message: 1 }, ['notify.message']],
    ['a message of 4097 characters', { message: 'x'.repeat(4097) }, ['notify.message']],
    ['another parse mode', { parseMode: 'html' }, ['notify.parseMode']],
    ['a null parse mode', { parseMode: null }, ['notify.parseMode']],
    ['three faults', { chatId: 1, message: 2, parseMode: 3 }, ['notify.chatId', 'notify.message', 'notify.parseMode']],
  ])('that is %s is 400', async (_, notify, fields) => expectFaults(await gateway.send({ notify }), ...fields));

  it.each([
    ['empty', {}],
    ['a chat', { chatId: '-1001234567890' }],
    ['a message of 4096 characters', { message: 'x'.repeat(4096) }],
    ['Plain', { parseMode: 'Plain' }],
    ['HTML', { parseMode: 'HTML' }],
    ['Markdown', { parseMode: 'Markdown' }],
    ['MarkdownV2', { parseMode: 'MarkdownV2' }],
    ['with unknown fields', { silent: true }],
  ])('that is %s is taken', async (_, notify) => expectFilled(await gateway.send({ notify })));
});

describe('several faults', () => {
  it('are all listed in one answer, each with its remedy', async () => {
    const sent = await gateway.send({
      apiKey: undefined,
      exchange: 'nyse',
      action: 'buy',
      symbol: 'BTC USDT',
      quantity: '1',
      price: 0,
      leverage: 1.5,
      idempotencyKey: 'x',
      notify: { parseMode: 'x' },
    });
    expectFaults(
      sent,
      ...[
        'apiKey',
        'exchange',
        'action',
        'symbol',
        'quantity',
        'price',
        'leverage',
        'idempotencyKey',
        'notify.parseMode',
      ],
    );
  });

  it('of sizes are listed together', async () => {
    expectFaults(await gateway.send({ quantity: 1e-13, price: 1e-13 }), 'quantity', 'price');
  });

  it.each(['stopLoss', 'takeProfit', 'trailPercent'])('include %s where there is nothing to protect', async (field) => {
    const sent = await gateway.send({ action: 'CLOSE_LONG', [field]: 1 });
    expectFaults(sent, field);
    expect(sent.body.error).toContain('remove it from CLOSE_LONG');
  });
});
