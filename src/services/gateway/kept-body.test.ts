// What is kept of a body that was refused: what a trader looks for, and never a key, whatever the sender made of it.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keptBody } from './kept-body.ts';

const kept = (body: string | Buffer): string => keptBody(Buffer.from(body));

test('keeps what was to be traded, as it was written', () => {
  const body =
    '{"exchange":"binance","action":"CLOSE_SHORT","symbol":"BINANCE:BTCUSDT.P","quantity":"0.01","price":-68000.5,"leverage":1e1,' +
    '"idempotencyKey":"123e4567-e89b-42d3-a456-426614174000"}';
  expect(JSON.parse(kept(body))).toEqual(JSON.parse(body));
});

test.each([
  ['broken JSON', '{"apiKey":"hunter2","exchange": "binance", "quantity": NaN'],
  ['lines', 'apiKey: hunter2\nexchange: binance\nquantity = a lot'],
  ['a form', 'apiKey=hunter2&exchange=binance&quantity=NaN'],
  ['a mail inside JSON', '{"text":"apiKey: hunter2\\nexchange: binance\\r\\nquantity: ?"}'],
  ['JSON inside a text', '{"text":"{\\"apiKey\\":\\"hunter2\\",\\"exchange\\":\\"binance\\",\\"quantity\\":\\"x\\"}"}'],
])('finds the fields of %s, and tells those whose value it does not keep', (_, body) => {
  expect(JSON.parse(kept(body))).toEqual({ apiKey: '***', exchange: 'binance', quantity: '***' });
});

test('of a body without any field of a signal nothing is kept, and of none that is far too long', () => {
  expect([kept('buy!'), kept(''), kept('{"n":1}'), kept(`${' '.repeat(8192)}{"exchange":"binance"}`)]).toEqual(
    Array(4).fill(''),
  );
});

const KEY = `whk_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7_'.repeat(2).slice(0, 43)}`;
const wide = (text: string): string =>
  [...text].map((char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)).join('');
const encoded = (text: string): string => [...text].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');
const spelled = (text: string): string => [...text].map((char) => `\\u00${char.charCodeAt(0).toString(16)}`).join('');

test.each<[string, (key: string) => string]>([
  ['as it is', (key) => key],
  ['percent-encoded', encoded],
  ['spaced out', (key) => [...key].join(' ')],
  ['full-width', wide],
  ['with escapes', spelled],
  ['with a line end in its midst', (key) => `${key.slice(0, 20)}\n${key.slice(20)}`],
  ['with a quote in its midst', (key) => `${key.slice(0, 20)}\\"${key.slice(20)}`],
])('a key %s is kept in no field, known or not', (_, write) => {
  const names = ['apiKey', 'exchange', 'action', 'symbol', 'ticker', 'quantity', 'idempotencyKey', 'note', 'secret'];
  const bodies = names.flatMap((name) => [
    `{"${name}":"${write(KEY)}"}`,
    `{"${name}":"${write(KEY)}"`,
    `${name}: ${write(KEY)}`,
    `{"${write(KEY)}":"${name}"}`,
  ]);
  for (const body of [...bodies, ...bodies.map((text) => Buffer.from(text, 'utf16le'))])
    expect([
      '',
      ...names.map((name) => `{"${name}":"***"}`),
      '{"exchange":"w"}',
      '{"action":"w"}',
      '{"symbol":"w"}',
      '{"ticker":"w"}',
    ]).toContain(kept(body));
});

test('a random key that is split over all the fields there are leaves too little to guess the rest', () => {
  const names = ['exchange', 'action', 'symbol', 'ticker', 'marketPosition', 'quantity', 'price', 'note'];
  const key = fc.stringMatching(/^[A-Za-z0-9_-]{43}$/);
  fc.assert(
    fc.property(key, fc.integer({ min: 5, max: 20 }), (secret, size) => {
      const pieces = names.map((name, at) => [name, secret.slice(at * size, (at + 1) * size)]);
      const text = kept(JSON.stringify(Object.fromEntries(pieces)));
      const left = pieces.filter(([, piece = '']) => piece.length >= 5 && text.includes(piece));
      expect(left.length * size).toBeLessThan(22);
    }),
  );
});
