// How long a venue wants to be left alone, whatever stands in its header.

import { expect, test } from 'vitest';
import { MAX_SILENCE_MS } from './host-silences.ts';
import { retryAfterMs } from './read-response.ts';

const NOW_MS = Date.parse('2026-01-01T00:00:00Z');

test.each([
  ['30', 30_000],
  ['0', 0],
  ['31536000', MAX_SILENCE_MS],
  ['9'.repeat(400), MAX_SILENCE_MS],
  ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
  ['Fri, 01 Jan 2027 00:00:00 GMT', MAX_SILENCE_MS],
  ['Wed, 31 Dec 2025 00:00:00 GMT', undefined],
  ['-5', undefined],
  ['1.5', undefined],
  ['', undefined],
  ['soon', undefined],
  ['Infinity', undefined],
])('retry-after: %s', (header, ms) => {
  expect(retryAfterMs(new Headers({ 'retry-after': header }), NOW_MS)).toBe(ms);
});

test('no such header', () => {
  expect(retryAfterMs(new Headers(), NOW_MS)).toBeUndefined();
});
