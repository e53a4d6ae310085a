// What stands behind the hash of the performance, as the server is asked.

import { expect, test } from 'vitest';
import { chosenOf } from './chosen.ts';

const NOON = Date.parse('2026-11-17T12:00:00Z');
const chosen = (query: string) => chosenOf(new URLSearchParams(query), 'paper', NOON);
const timeOf = (ms: string | undefined) => (ms === undefined ? undefined : new Date(Number(ms)).toISOString());

test('without a word it is everything of the money in force', () => {
  expect(chosen('')).toMatchObject({ mode: 'paper', day: undefined, from: undefined, to: undefined });
  expect(chosen('mode=live').mode).toBe('live');
  expect(chosen('mode=monopoly').mode).toBe('paper');
});

test('so many days count with today', () => {
  expect(timeOf(chosen('span=1w').from)).toBe('2026-11-11T00:00:00.000Z');
  expect(chosen('span=1w').to).toBeUndefined();
  expect(chosen('span=ages').from).toBeUndefined();
});

test('a day is from its midnight to the next, whatever else is said', () => {
  const { day, from, to } = chosen('day=2026-02-28&span=1w');
  expect([day, timeOf(from), timeOf(to)]).toEqual([
    '2026-02-28',
    '2026-02-28T00:00:00.000Z',
    '2026-03-01T00:00:00.000Z',
  ]);
  expect(chosen('day=yesterday').day).toBeUndefined();
});
