// What is read of an answer: how long a venue wants to be left alone, whatever stands in its header; and a body that has no end is cut
// off, with words that do not hold its address, which may be a signed one.

import { expect, test } from 'vitest';
import { MAX_SILENCE_MS } from './host-silences.ts';
import { AnswerTooLong, readText, retryAfterMs } from './read-response.ts';

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

const ofMiB = (size: number): Response => {
  const response = new Response(Buffer.alloc(size * 1024 * 1024, 'x'));
  Object.defineProperty(response, 'url', { value: 'https://venue.test/positions?signature=abc' });
  return response;
};

test('an answer is read whole, up to the longest that there is', async () => {
  expect(await readText(ofMiB(16))).toHaveLength(16 * 1024 * 1024);
  await expect(readText(ofMiB(17))).rejects.toEqual(new AnswerTooLong('an answer of more than 16 MiB was cut off'));
});
