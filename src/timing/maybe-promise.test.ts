// A value that is there goes on in the same turn; one that comes goes on when it has come.

import { expect, test } from 'vitest';
import { whenKnown } from './maybe-promise.ts';

test('a value that is there goes on at once', () => {
  expect(whenKnown(1, (value) => value + 1)).toBe(2);
});

test('a value that comes later goes on then, and its fault is passed on', async () => {
  const later = whenKnown(Promise.resolve(1), (value) => value + 1);
  expect(later).toBeInstanceOf(Promise);
  expect(await later).toBe(2);
  await expect(whenKnown(Promise.reject(new Error('lost')), () => 1)).rejects.toThrow('lost');
});
