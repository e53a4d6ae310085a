// The quick look and the schema must never disagree on what is right.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { plainSignal } from './plain-signal.ts';
import { signalSchema } from './schemas.ts';

const GOOD = { apiKey: 'whk_x', exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };

it('accepts a plain signal as it is', () => {
  expect(plainSignal(GOOD)).toEqual(signalSchema.parse(GOOD));
});

const odd = fc.oneof(
  fc.constantFrom(null, true, '', 'x', '1', 0, -0, -1, 1, 1.5, 1e15, 1e16, 1e-13, 2 ** 53, 125, Number.NaN, [], {}),
  fc.constantFrom(
    'binance',
    'BYBIT',
    'LONG',
    'long',
    'BTC USDT',
    'BTC/USDT',
    'A'.repeat(20),
    'A'.repeat(21),
    'x'.repeat(257),
  ),
  fc.uuid(),
  fc.double(),
  fc.string(),
);
const body = fc
  .record(
    {
      apiKey: odd,
      exchange: odd,
      action: odd,
      symbol: odd,
      quantity: odd,
      price: odd,
      leverage: odd,
      idempotencyKey: odd,
      notify: odd,
      stopLoss: odd,
      other: odd,
    },
    { requiredKeys: [] },
  )
  .map((fields) => ({ ...GOOD, ...fields }));

it('accepts nothing the schema refuses, and reads the same from it', () => {
  fc.assert(
    fc.property(body, (value) => {
      const plain = plainSignal(value);
      if (plain !== undefined) expect(plain).toEqual(signalSchema.parse(value));
    }),
    { numRuns: 3000 },
  );
});

it.each(['null', '1', '"x"', '[]', '{"__proto__":{}}', '{"stopLoss":1}', '{"notify":{}}', '{"x":1}'])(
  'leaves what holds %s to the schema',
  (text) => {
    const fields = JSON.parse(text);
    const isObject = typeof fields === 'object' && fields !== null && !Array.isArray(fields);
    // Written as text and parsed, so that __proto__ is a field like any other.
    const value = isObject ? JSON.parse(`${JSON.stringify(GOOD).slice(0, -1)},${text.slice(1)}`) : fields;
    expect(plainSignal(value)).toBeUndefined();
  },
);
