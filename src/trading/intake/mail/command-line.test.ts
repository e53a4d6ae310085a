// The one-line command: which lines are one, which are one gone wrong, and which are just a sentence.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EXCHANGES } from '../../../exchanges/exchange.ts';
import { ACTIONS } from '../../signal.ts';
import { readCommand } from './command-line.ts';

const whole = (fields: object) => ({ fields, faults: [] });
const SIGNAL = { action: 'LONG', quantity: 0.01, symbol: 'BTCUSDT', exchange: 'binance' };

describe('a command', () => {
  test.each([
    ['LONG 0.01 BTCUSDT on binance at 68000 x10', { ...SIGNAL, price: 68000, leverage: 10 }],
    ['close long ETHUSDT 2 bybit', { action: 'CLOSE_LONG', symbol: 'ETHUSDT', quantity: 2, exchange: 'bybit' }],
    ['LONG 0.01 BTCUSDT on binance', SIGNAL],
    ['long 0.01 BTCUSDT binance', SIGNAL],
    ['Long BTCUSDT 0.01 on Binance', SIGNAL],
    ['LONG binance BTCUSDT 0.01', SIGNAL],
    ['LONG 0.01 BTCUSDT on binance @ 68000', { ...SIGNAL, price: 68000 }],
    ['LONG 0.01 BTCUSDT on binance @68000.5', { ...SIGNAL, price: 68000.5 }],
    ['LONG 10x 0.01 BTCUSDT on binance', { ...SIGNAL, leverage: 10 }],
    ['SHORT 1 BTC/USDT mexc', { action: 'SHORT', quantity: 1, symbol: 'BTC/USDT', exchange: 'mexc' }],
    [
      'CLOSE_SHORT 1 BINANCE:BTCUSDT.P binance',
      { action: 'CLOSE_SHORT', quantity: 1, symbol: 'BINANCE:BTCUSDT.P', exchange: 'binance' },
    ],
    [
      'close-short 1 1000PEPEUSDT bybit',
      { action: 'CLOSE_SHORT', quantity: 1, symbol: '1000PEPEUSDT', exchange: 'bybit' },
    ],
    ['LONG 0.01 btcusdt on binance', { ...SIGNAL, symbol: 'btcusdt' }],
    ['LONG -1 BTCUSDT on binance', { ...SIGNAL, quantity: -1 }],
    ['LONG 0.01 BTCUSDT on binance x2.5', { ...SIGNAL, leverage: 2.5 }],
  ])('"%s" is read whole', (line, fields) => {
    expect(readCommand(line)).toEqual(whole(fields));
  });

  test('is read back from every way to write it', () => {
    const amount = fc.integer({ min: 1, max: 10 ** 9 }).map((n) => n / 1000);
    const wish = fc.record({
      action: fc.constantFrom(...ACTIONS),
      exchange: fc.constantFrom(...EXCHANGES),
      symbol: fc.constantFrom('BTCUSDT', 'ETH/USDC', 'SOL_USDT', 'BINANCE:XRPUSDT.P'),
      quantity: amount,
      price: fc.option(amount, { nil: undefined }),
      leverage: fc.option(fc.integer({ min: 1, max: 125 }), { nil: undefined }),
    });
    const style = fc.record({ on: fc.boolean(), spaced: fc.boolean(), lower: fc.boolean(), seed: fc.nat(1000) });
    fc.assert(
      fc.property(wish, style, (wanted, { on, spaced, lower, seed }) => {
        const parts = [`${wanted.quantity}`, wanted.symbol, `${on ? 'on ' : ''}${wanted.exchange}`];
        if (wanted.price !== undefined) parts.push(`at ${wanted.price}`);
        if (wanted.leverage !== undefined) parts.push(spaced ? `x${wanted.leverage}` : `${wanted.leverage}x`);
        const turned = [...parts.slice(seed % parts.length), ...parts.slice(0, seed % parts.length)];
        const action = spaced ? wanted.action.replace('_', ' ') : wanted.action;
        const line = [lower ? action.toLowerCase() : action, ...turned].join(' ');
        const { price, leverage, ...rest } = wanted;
        const fields = {
          ...rest,
          ...(price === undefined ? {} : { price }),
          ...(leverage === undefined ? {} : { leverage }),
        };
        expect(readCommand(line)).toEqual(whole(fields));
      }),
      { numRuns: 300 },
    );
  });
});

describe('a command gone wrong', () => {
  const faultsOf = (line: string): string[] =>
    (readCommand(line)?.faults ?? []).map((fault) => fault.split(':')[0] as string);

  test.each([
    ['LONG 0.01 BTCUSDT', ['exchange']],
    ['LONG BTCUSDT on binance', ['quantity']],
    ['LONG 0.01 on binance', ['symbol']],
    ['0.01 BTCUSDT on binance', ['action']],
    ['LONG BTCUSDT', ['exchange', 'quantity']],
    ['LONG 2', ['exchange', 'symbol']],
    ['close BTCUSDT 1 on binance', ['action']],
    ['LONG 0.01 BTC on binance', ['text', 'symbol']],
    ['LONG 0.01 BTCUSDT on kraken', ['text', 'text', 'exchange']],
    ['LONG 0.01 BTCUSDT on binance please', ['text']],
    ['LONG 0.01 BTCUSDT on binance.', ['text', 'text', 'exchange']],
    ['LONG 0.01 BTCUSDT on binance at market', ['text', 'text']],
    ['LONG 0.01 0.02 BTCUSDT on binance', ['quantity']],
    ['LONG 0.01 BTCUSDT ETHUSDT on binance', ['symbol']],
    ['LONG 0.01 BTCUSDT on binance on bybit', ['exchange']],
    ['LONG 0.01 BTCUSDT on binance x2 x3', ['leverage']],
    ['LONG 0.01 BTCUSDT on binance at 1 at 2', ['price']],
    ['LONG SHORT 0.01 BTCUSDT on binance', ['text']],
    ['LONG 0.01 BTCUSDT on binance LONG', ['text']],
    ['LONG BTCUSDT 2 years on binance', ['text']],
    ['Close long BTCUSDT positions before lunch', ['text', 'text', 'text', 'exchange', 'quantity']],
  ])('"%s" is told what is wrong: %j', (line, fields) => {
    expect(faultsOf(line)).toEqual(fields);
  });

  test.each(['1,000.5', '0,5', '1.000,5', '1.000.000', "1'000", '1e3', '+1', '.5', '5.', '$5', '1_000', '5%'])(
    'the number %s is not guessed',
    (text) => {
      expect(readCommand(`LONG ${text} BTCUSDT on binance`)?.faults).toEqual([
        expect.stringContaining('quantity: is not a plain number'),
      ]);
      expect(readCommand(`LONG 1 BTCUSDT on binance at ${text}`)?.faults).toEqual([
        expect.stringContaining('price: is not a plain number'),
      ]);
    },
  );

  test('no fault repeats a word of the mail', () => {
    expect(JSON.stringify(readCommand('LONG 0.01 BTCUSDT on binance whk_secretsecretsecret')?.faults)).not.toContain(
      'secret',
    );
  });
});

describe('a sentence', () => {
  test.each([
    '',
    'we are long BTCUSDT 2 years on binance',
    'I would long 0.01 BTCUSDT on binance',
    'Long time no see',
    'solution selling',
    'Short and sweet',
    'Close the door',
    'Close long before you leave',
    'Long term holders on binance bought 2',
    'Re: LONG 0.01 BTCUSDT on binance',
    'Fwd: LONG 0.01 BTCUSDT on binance',
    '> LONG 0.01 BTCUSDT on binance',
    '- LONG 0.01 BTCUSDT on binance',
    '"LONG 0.01 BTCUSDT on binance"',
    'LONG, 0.01 BTCUSDT on binance',
    'LONG: 0.01 BTCUSDT on binance',
    'do not LONG 0.01 BTCUSDT on binance',
    'buy 0.01 BTCUSDT on binance',
    'LONGER 0.01 BTCUSDT on binance',
    'BTCUSDT 68000',
    'long',
    'binance',
    `LONG 0.01 BTCUSDT on binance${' x10'.repeat(60)}`,
  ])('"%s" is prose', (line) => {
    expect(readCommand(line)).toBeUndefined();
  });

  test('is never read as a whole command, whatever words it has', () => {
    const command = ['long', '0.5', 'BTCUSDT', 'on', 'binance', 'at', '68000', 'x10'];
    const words =
      'we are long short close binance bybit BTCUSDT on at 2 years x10 10x the of 0.5 68000 and @ solution selling'.split(
        ' ',
      );
    let whole = 0;
    // A good command with a piece cut out and up to two words put in its place.
    const place = fc.nat(command.length);
    const changed = fc.array(fc.constantFrom(...words), { maxLength: 2 });
    fc.assert(
      fc.property(place, fc.nat(3), changed, (at, cut, put) => {
        const sentence = command.toSpliced(at, cut, ...put);
        const read = readCommand(sentence.join(' '));
        if (read === undefined || read.faults.length > 0) return;
        whole++;
        // Every word has its place: no more words than a command can have, the action first, nothing twice.
        expect(sentence.join(' ')).toMatch(/^(close )?(long|short) /);
        expect(sentence.filter((word) => /^(we|are|years|the|of|and|solution|selling)$/.test(word))).toEqual([]);
        expect(sentence.filter((word) => word === 'BTCUSDT')).toHaveLength(1);
        expect(sentence.filter((word) => /^(binance|bybit)$/.test(word))).toHaveLength(1);
        expect(sentence.filter((word) => /^(x10|10x)$/.test(word)).length).toBeLessThan(2);
      }),
      { numRuns: 2000 },
    );
    expect(whole).toBeGreaterThan(100);
  });

  test('of any characters is read without an error', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 250 }), (line) => {
        expect(readCommand(line)?.faults.length ?? 1).toBeGreaterThan(0);
      }),
      { numRuns: 1000 },
    );
  });
});
