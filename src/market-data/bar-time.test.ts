// Times in ISO 8601: the quick way reads what the thorough one reads, or leaves it to it.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseIsoTime, plainIsoTime } from './bar-time.ts';

const plain = (text: string): number => plainIsoTime(new TextEncoder().encode(text), 0, text.length);

it.each([
  '2024-03-01T14:30:00Z',
  '2024-03-01 14:30:00',
  '2024-02-29T23:59:59+00:00',
  '2021-06-25T09:30:00-04:00',
  '1969-12-31T00:00:00Z',
  '0100-01-01T00:00:00Z',
  '9999-12-31T23:59:59-14:59',
])('%s is read the quick way', (text) => {
  expect(plain(text)).toBe(parseIsoTime(text));
  expect(plain(text)).not.toBeNaN();
});

it.each([
  '2024-03-01',
  '2024-03-01T14:30Z',
  '2024-03-01T14:30:00.123Z',
  '0001-01-01T00:00:00Z',
  '2023-02-29T00:00:00Z',
  '2024-13-01T00:00:00Z',
  '2024-00-01T00:00:00Z',
  '2024-01-00T00:00:00Z',
  '2024-01-32T00:00:00Z',
  '2024-01-01T24:00:00Z',
  '2024-01-01T00:60:00Z',
  '2024-01-01T00:00:60Z',
  '2024-01-01T00:00:00+15:00',
  '2024-01-01T00:00:00+0100',
  '2024-01-01T00:00:00 UTC',
  '2o24-01-01T00:00:00Z',
  '2024/01/01 00:00:00',
  '',
])('%j is left to the other', (text) => {
  expect(plain(text)).toBeNaN();
});

it('never differs from the thorough way where it reads at all', () => {
  const letter = fc.constantFrom(...'0123456789-:TZ+. ');
  const end = fc.constantFrom('', 'Z', '+00:00', '+05:30', '-14:59', '+15:00', '-04:60');
  const day = { min: new Date('0050-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true };
  const whole = fc.tuple(fc.date(day), end).map(([date, zone]) => date.toISOString().replace(/\.\d{3}Z$/, zone));
  const near = fc.tuple(whole, fc.nat(24), letter).map(([text, at, char]) => {
    return text.slice(0, at) + char + text.slice(at + 1);
  });
  let read = 0;
  let left = 0;
  fc.assert(
    fc.property(fc.oneof(whole, near, fc.string({ unit: letter, maxLength: 26 })), (text) => {
      const quick = plain(text);
      if (Number.isNaN(quick)) left++;
      else read++;
      if (!Number.isNaN(quick)) expect(quick).toBe(parseIsoTime(text));
    }),
    { numRuns: 5000 },
  );
  expect(read).toBeGreaterThan(1000);
  expect(left).toBeGreaterThan(1000);
});
