// From a mail to its one signal: the three forms, the subject, what is missing, and what must never trade.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EXCHANGES } from '../../../exchanges/exchange.ts';
import { ACTIONS } from '../../signal.ts';
import type { ParseJson } from './json-blocks.ts';
import { mailIdempotencyKey } from './mail-identity.ts';
import { type MailContent, readMail } from './read-mail.ts';

const parseJson: ParseJson = (text) => {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false, message: 'The body is not valid JSON.' };
  }
};
const read = (mail: MailContent) => readMail(mail, parseJson);
const fieldsOf = (mail: MailContent) => {
  const reading = read(mail);
  return reading.ok ? { ...reading.fields } : reading.faults;
};
const faultsOf = (mail: MailContent): readonly string[] => {
  const reading = read(mail);
  return reading.ok ? [`traded ${JSON.stringify(reading.fields)}`] : reading.faults;
};

const COMMAND = 'LONG 0.01 BTCUSDT on binance';
const SIGNAL = { exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
const LINES = 'exchange: binance\naction: LONG\nsymbol: BTCUSDT\nquantity: 0.01';
const KEY = '123e4567-e89b-42d3-a456-426614174000';

describe('a signal', () => {
  test.each<[string, MailContent, object]>([
    ['a one-line command', { text: COMMAND }, SIGNAL],
    ['a command among polite words', { text: `Hello,\n\n${COMMAND}\n\nThank you\n-- \nAnn` }, SIGNAL],
    ['a command in the subject alone', { subject: COMMAND, text: '' }, SIGNAL],
    ['a command in the subject of a chatty mail', { subject: COMMAND, text: 'as discussed' }, SIGNAL],
    ['the same in subject and text', { subject: COMMAND, text: COMMAND }, SIGNAL],
    [
      'the same market in two spellings',
      { subject: 'LONG 0.01 BTC/USDT on binance', text: COMMAND },
      { ...SIGNAL, symbol: 'BTC/USDT' },
    ],
    ['the same command twice', { text: `${COMMAND}\n${COMMAND}` }, SIGNAL],
    ['a title that agrees', { subject: 'Long BTCUSDT', text: COMMAND }, SIGNAL],
    ['lines', { text: LINES }, SIGNAL],
    [
      'lines in any case and spacing',
      { text: 'Exchange : Binance\nACTION:close long\nSymbol:BTCUSDT\nQuantity: 2\nPrice: 68000.5\nLeverage: 10x' },
      { exchange: 'binance', action: 'CLOSE_LONG', symbol: 'BTCUSDT', quantity: 2, price: 68000.5, leverage: 10 },
    ],
    ['JSON', { text: JSON.stringify(SIGNAL) }, SIGNAL],
    ['JSON over several lines, with words around it', { text: `Hi\n${JSON.stringify(SIGNAL, null, 2)}\nbye` }, SIGNAL],
    ['JSON with a brace in a text', { text: JSON.stringify({ ...SIGNAL, note: '}{"' }) }, { ...SIGNAL, note: '}{"' }],
    [
      'a command and a line with the idempotency key',
      { text: `${COMMAND}\nidempotencyKey: ${KEY}` },
      { ...SIGNAL, idempotencyKey: KEY },
    ],
    [
      'lines with the idempotency key',
      { text: `${LINES}\nIdempotency Key: ${KEY}` },
      { ...SIGNAL, idempotencyKey: KEY },
    ],
    [
      'a command and JSON that says more',
      { subject: COMMAND, text: JSON.stringify({ ...SIGNAL, idempotencyKey: KEY }) },
      { ...SIGNAL, idempotencyKey: KEY },
    ],
    ['HTML alone', { html: `<p>${COMMAND}</p>` }, SIGNAL],
    [
      'HTML beside a text that says nothing',
      { text: 'Your program cannot show this mail.', html: `<p>${COMMAND}</p>` },
      SIGNAL,
    ],
    ['a text beside HTML', { text: COMMAND, html: '<p>LONG 9 BTCUSDT on binance</p>' }, SIGNAL],
    [
      'a command above the mail it answers',
      { text: `${COMMAND}\n\nOn Monday Ann wrote:\n> SHORT 5 ETHUSDT on bybit` },
      SIGNAL,
    ],
    ['unknown names before a colon', { text: `Note: hello\n${LINES}\nPS: bye` }, SIGNAL],
  ])('is %s', (_, mail, fields) => {
    expect(fieldsOf(mail)).toEqual(fields);
  });

  test('is read back from every form of it', () => {
    const amount = fc.integer({ min: 1, max: 10 ** 9 }).map((n) => n / 10_000);
    const wish = fc.record(
      {
        exchange: fc.constantFrom(...EXCHANGES),
        action: fc.constantFrom(...ACTIONS),
        symbol: fc.constantFrom('BTCUSDT', 'ETH/USDC', 'BINANCE:SOLUSDT.P'),
        quantity: amount,
        price: amount,
        leverage: fc.integer({ min: 1, max: 125 }),
      },
      { requiredKeys: ['exchange', 'action', 'symbol', 'quantity'] },
    );
    const around = fc.constantFrom('', 'Hello\n\n', 'Please look at this:\n');
    fc.assert(
      fc.property(wish, around, fc.constantFrom('\n', '\r\n'), (wanted, before, end) => {
        const lines = Object.entries(wanted).map(([name, value]) => `${name}: ${value}`);
        expect(fieldsOf({ text: before + lines.join(end) })).toEqual(wanted);
        expect(fieldsOf({ text: before + JSON.stringify(wanted, null, 1).replaceAll('\n', end) })).toEqual(wanted);
        expect(fieldsOf({ html: lines.map((line) => `<div>${line}</div>`).join('') })).toEqual(wanted);
      }),
      { numRuns: 200 },
    );
  });
});

describe('what is missing', () => {
  test.each([
    ['exchange', 'LONG 0.01 BTCUSDT'],
    ['action', '0.01 BTCUSDT on binance'],
    ['symbol', 'LONG 0.01 on binance'],
    ['quantity', 'LONG BTCUSDT on binance'],
    ...['exchange', 'action', 'symbol', 'quantity'].map((name): [string, string] => [
      name,
      LINES.split('\n')
        .filter((line) => !line.startsWith(name))
        .join('\n'),
    ]),
  ])('%s is named', (field, text) => {
    expect(faultsOf({ text })).toEqual([expect.stringMatching(new RegExp(`^${field}: is missing, add `))]);
  });

  test('is all of it in a mail without a signal', () => {
    for (const mail of [{}, { text: '' }, { text: 'hello' }, { subject: 'hello', text: ' \n ' }, { html: '<p></p>' }])
      expect(faultsOf(mail)).toEqual([expect.stringMatching(/exchange, action, symbol and quantity are missing/)]);
  });

  test('is named for a subject that has nothing behind it', () => {
    expect(faultsOf({ subject: 'LONG BTCUSDT', text: 'see subject' })).toEqual([
      expect.stringMatching(/^exchange: is missing/),
      expect.stringMatching(/^quantity: is missing/),
    ]);
  });

  test('is a value behind the colon', () => {
    expect(faultsOf({ text: LINES.replace('binance', '') })).toEqual([expect.stringMatching(/^exchange: is empty/)]);
  });
});

describe('two signals in one mail', () => {
  test.each<[string, MailContent]>([
    ['two commands', { text: `${COMMAND}\nSHORT 0.01 BTCUSDT on binance` }],
    ['two sizes', { text: `${COMMAND}\nLONG 0.02 BTCUSDT on binance` }],
    ['one with a price and one without', { text: `${COMMAND}\n${COMMAND} at 68000` }],
    ['one with a leverage and one without', { text: `${COMMAND}\n${COMMAND} x5` }],
    ['subject and text', { subject: 'SHORT 0.01 BTCUSDT on binance', text: COMMAND }],
    ['a title that says otherwise', { subject: 'SHORT BTCUSDT', text: COMMAND }],
    ['a title with another market', { subject: 'LONG ETHUSDT', text: COMMAND }],
    ['a command and lines', { text: `SHORT 1 ETHUSDT on bybit\n${LINES}` }],
    ['a command and JSON', { text: `SHORT 1 ETHUSDT on bybit\n${JSON.stringify(SIGNAL)}` }],
    ['two JSON objects', { text: `${JSON.stringify(SIGNAL)}\n${JSON.stringify({ ...SIGNAL, quantity: 2 })}` }],
    [
      'two idempotency keys',
      {
        text: `${JSON.stringify({ ...SIGNAL, idempotencyKey: KEY })}\nidempotencyKey: 00000000-0000-4000-8000-000000000000`,
      },
    ],
    ['two blocks of lines', { text: `${LINES}\n\n${LINES.replace('0.01', '5')}` }],
  ])('are refused: %s', (_, mail) => {
    expect(faultsOf(mail)).toEqual([expect.stringMatching(/two signals|twice with different values/)]);
  });

  test('of which one is not whole are refused too', () => {
    expect(faultsOf({ text: `${COMMAND}\nSHORT ETHUSDT` })).toEqual([
      expect.stringMatching(/^exchange: is missing/),
      expect.stringMatching(/^quantity: is missing/),
    ]);
    expect(faultsOf({ text: `${COMMAND}\nprice: 68000` }).length).toBeGreaterThan(0);
    expect(faultsOf({ text: `${COMMAND}\nLONG 0.01 BTCUSDT on kraken` })[0]).not.toContain('traded');
  });
});

describe('what is not guessed', () => {
  test.each(['1,000.5', '0,5', '1.000,5', '1e3', 'one', '0x10', '１'])('the quantity %s', (text) => {
    expect(faultsOf({ text: LINES.replace('0.01', text) })).toEqual([
      expect.stringContaining('quantity: is not a plain number'),
    ]);
  });

  test('a value that is no choice', () => {
    expect(faultsOf({ text: LINES.replace('LONG', 'buy') })).toEqual([
      expect.stringMatching(/^action: .*write one of LONG/),
    ]);
    expect(faultsOf({ text: LINES.replace('binance', 'kraken') })).toEqual([
      expect.stringMatching(/^exchange: .*write one of binance/),
    ]);
  });

  test('stops on lines of their own', () => {
    const stops = 'stop loss: 60000\ntake-profit: 90000.5\nTrailPercent: 2';
    expect(fieldsOf({ text: `${LINES}\n${stops}` })).toEqual({
      ...{ ...SIGNAL, stopLoss: 60_000, takeProfit: 90_000.5, trailPercent: 2 },
    });
    expect(faultsOf({ text: `${LINES}\nstop loss: soon` })).toEqual([expect.stringMatching(/^stopLoss: /)]);
  });

  test('JSON that is not whole, with the reason', () => {
    expect(faultsOf({ text: '{"action":"LONG"' })).toEqual(['text: the JSON in the mail is not valid JSON']);
    expect(faultsOf({ text: '{“action”:“LONG”}' })).toEqual([expect.stringContaining('curly quotes')]);
    expect(faultsOf({ text: `${JSON.stringify(SIGNAL)} please` })).toEqual([expect.stringContaining('not valid JSON')]);
  });

  test('a mail without end', () => {
    expect(faultsOf({ text: `${COMMAND}\n`.repeat(2001) })).toEqual([expect.stringContaining('more than 2000 lines')]);
    expect(faultsOf({ text: '{}\n'.repeat(17) }).at(-1)).toContain('too many JSON objects');
  });
});

describe('what must not trade', () => {
  test.each<[string, MailContent]>([
    [
      'a mail about solution selling',
      { subject: 'Solution selling', text: 'Close more deals on binance with solution selling. Long term value.' },
    ],
    ['a sentence with all the words', { text: 'we are long BTCUSDT 2 years on binance' }],
    ['a reply to a signal', { subject: `Re: ${COMMAND}`, text: `Done.\n\nOn Monday Ann wrote:\n> ${COMMAND}` }],
    ['a forwarded signal', { subject: `Fwd: ${COMMAND}`, text: `---------- Forwarded message ---------\n${COMMAND}` }],
    ['a signal in a signature', { text: `Hello\n-- \n${COMMAND}` }],
    ['a hidden signal', { html: `<p>Hello</p><p style="display:none">${COMMAND}</p>` }],
    ['an automatic reply', { subject: `Automatic reply: ${COMMAND}`, text: 'I am away.' }],
  ])('%s', (_, mail) => {
    expect(faultsOf(mail)[0]).toMatch(/holds no signal/);
  });

  test('prose of any words', () => {
    const word = fc.constantFrom(
      ...'We are long on this trade and close to a short break BTCUSDT binance 2 years 0.5 selling at price: action exchange'.split(
        ' ',
      ),
    );
    const sentence = fc.array(word, { minLength: 2, maxLength: 14 }).map((words) => `I ${words.join(' ')}.`);
    fc.assert(
      fc.property(fc.array(sentence, { maxLength: 8 }), (lines) => {
        expect(read({ subject: lines[0], text: lines.join('\n'), html: `<p>${lines.join('</p><p>')}</p>` }).ok).toBe(
          false,
        );
      }),
      { numRuns: 500 },
    );
  });

  test('characters of any kind', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(read({ subject: text, text, html: text }).ok).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the key of a mail', () => {
  const MAIL = { messageId: 'a@example.com', keyLabel: 'desk', from: 'me@example.com' };

  test('is a UUID, the same for the same mail', () => {
    expect(mailIdempotencyKey(MAIL)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(mailIdempotencyKey({ ...MAIL, from: 'other@EXAMPLE.com' })).toBe(mailIdempotencyKey(MAIL));
  });

  test('differs with the message id, the label and the domain', () => {
    const keys = [
      MAIL,
      { ...MAIL, messageId: 'b@example.com' },
      { ...MAIL, keyLabel: 'other' },
      { ...MAIL, from: 'me@example.org' },
    ].map(mailIdempotencyKey);
    expect(new Set(keys).size).toBe(4);
  });
});
