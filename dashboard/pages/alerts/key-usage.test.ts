// The usage of analysis and script keys, in words.

import { expect, test } from 'vitest';
import { callsWords, runsWords, shareUsed } from './key-usage.ts';

const analysis = (callsUsed: number, callsLimit: number | null) => ({
  ...{ keyId: 'abc', tier: 'hobby' as const, callsUsed, callsLimit, callsLeft: null },
  ...{ createdAt: 1, lastUsedAt: null, resetAt: null },
});

test('calls stand against the quota where there is one', () => {
  expect([callsWords(analysis(12, 5000)), shareUsed(analysis(12, 5000))]).toEqual(['12 of 5,000', 0.0024]);
  expect([callsWords(analysis(3, null)), shareUsed(analysis(3, null))]).toEqual(['3, no cap', undefined]);
  // A tier may have become smaller since.
  expect(shareUsed(analysis(60_000, 5000))).toBe(1);
});

test('runs stand against how many a minute are let in', () => {
  const key = { keyStart: 'pn_12', userId: 'u', tier: 'free' as const, createdAt: 1, expiresAt: 2, lastUsedAt: null };
  expect(runsWords({ ...key, callsUsed: 1200, callsPerMinute: 30 })).toBe('1,200, 30 a minute at most');
  expect(runsWords({ ...key, callsUsed: null, callsPerMinute: 30 })).toBe('not counted, 30 a minute at most');
});
