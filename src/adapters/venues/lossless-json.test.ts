// Numbers of a venue's answer as they were written.

import { expect, test } from 'vitest';
import { parseLossless } from './lossless-json.ts';

test('a number keeps every digit it was written with, wherever it stands', () => {
  const text =
    '{"orderId":8389765906012345678,"price":0.00000123,"list":[1e-7,-0.10],"text":"1","yes":true,"none":null}';
  expect(parseLossless(text)).toEqual({
    ...{ orderId: '8389765906012345678', price: '0.00000123', list: ['1e-7', '-0.10'] },
    ...{ text: '1', yes: true, none: null },
  });
});

test('what is no JSON throws', () => {
  expect(() => parseLossless('<html>')).toThrow();
});
