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
  fc.constantFrom('binance', 'BYBIT', 'LONG', 'long', 'BTC USDT', 'BTC/USDT', 'BTCUSDT;', 'BINANCE:BTCUSDT.P'),
  fc.constantFrom('A'.repeat(20), 'A'.repeat(21), 'x'.repeat(256), 'x'.repeat(257)),
  fc.uuid(),
  fc.uuid().map((id) => id.replace('-', '')),
  fc.double(),
  fc.integer({ min: -2, max: 200 }),
  fc.string(),
);
const optional = {
  account: 'main',
  price: 68_000,
  leverage: 10,
  idempotencyKey: '0190c1a2-7b3c-4d5e-8f90-123456789abc',
};
const field = fc.constantFrom(...Object.keys({ ...GOOD, ...optional }));

it('accepts nothing the schema refuses, and reads the same from it', () => {
  let accepted = 0;
  let refused = 0;
  fc.assert(
    // A good signal with one field changed: with more than one, hardly any is still plain.
    fc.property(fc.subarray(Object.entries(optional)), field, odd, (some, changed, value) => {
      const body = { ...GOOD, ...Object.fromEntries(some), [changed]: value };
      const plain = plainSignal(body);
      if (plain === undefined) refused++;
      else accepted++;
      const parsed = signalSchema.safeParse(body);
      if (plain !== undefined) expect(parsed).toEqual({ success: true, data: plain });
    }),
    { numRuns: 5000 },
  );
  expect(accepted).toBeGreaterThan(500);
  expect(refused).toBeGreaterThan(500);
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
