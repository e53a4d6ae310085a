// Places behind the hash.

import { expect, test } from 'vitest';
import { linkTo, linkWith, placeOf } from './places.ts';

test.each([
  ['', 'overview', []],
  ['#', 'overview', []],
  ['#/', 'overview', []],
  ['#/trades', 'trades', []],
  ['#/trades/01a1.2', 'trades', ['01a1.2']],
  ['#/trades/a%2Fb', 'trades', ['a/b']],
  ['#/trades/%E0%A4%A', 'trades', ['%E0%A4%A']],
])('%j is %s with %j', (hash, page, rest) => {
  expect(placeOf(hash)).toMatchObject({ page, rest });
});

test('a link leads to its place, whatever its words are', () => {
  for (const word of ['a/b', 'ü?#&', '100%']) expect(placeOf(linkTo('positions', word)).rest).toEqual([word]);
  expect(placeOf('#/trades?status=Filled').query.get('status')).toBe('Filled');
});

test('a link within a place changes what it names and leaves the rest', () => {
  const place = placeOf('#/signals?outcome=refused&market=BTCUSDT');
  expect(linkWith(place, { market: undefined, key: 'a b' })).toBe('#/signals?outcome=refused&key=a+b');
  expect(linkWith(place, { market: undefined, outcome: undefined })).toBe('#/signals');
});
