// Local time where clocks are changed: the minute that is left out, the one that comes twice, and zones far from UTC.

import { describe, expect, test } from 'vitest';
import { clockText, dayBefore, ZoneClock } from './zone-clock.ts';

const utc = (text: string): number => Date.parse(text);

test.each([
  ['UTC', '2026-11-16T00:00:00Z', { day: '2026-11-16', minutes: 0 }],
  ['UTC', '2026-11-15T23:59:59.999Z', { day: '2026-11-15', minutes: 1439 }],
  ['Europe/Berlin', '2026-11-16T17:00:00Z', { day: '2026-11-16', minutes: 1080 }],
  ['Pacific/Kiritimati', '2026-11-16T10:00:00Z', { day: '2026-11-17', minutes: 0 }],
  ['Asia/Kathmandu', '2026-11-16T00:00:00Z', { day: '2026-11-16', minutes: 345 }],
])('in %s at %s', (zone, at, shown) => {
  expect(new ZoneClock(zone).at(utc(at))).toEqual(shown);
});

describe('the first moment of a minute', () => {
  test.each([
    ['UTC', '2026-11-16', 1080, '2026-11-16T18:00:00Z'],
    ['Pacific/Kiritimati', '2026-11-16', 0, '2026-11-15T10:00:00Z'],
    ['Pacific/Pago_Pago', '2026-11-16', 1439, '2026-11-17T10:59:00Z'],
    ['America/New_York', '2026-11-16', 1080, '2026-11-16T23:00:00Z'],
    // 29 March 2026: 02:00 becomes 03:00, so 02:30 is left out.
    ['Europe/Berlin', '2026-03-29', 119, '2026-03-29T00:59:00Z'],
    ['Europe/Berlin', '2026-03-29', 150, '2026-03-29T01:00:00Z'],
    ['Europe/Berlin', '2026-03-29', 180, '2026-03-29T01:00:00Z'],
    // 25 October 2026: 03:00 becomes 02:00, so 02:30 comes twice.
    ['Europe/Berlin', '2026-10-25', 150, '2026-10-25T00:30:00Z'],
    ['Europe/Berlin', '2026-10-25', 180, '2026-10-25T02:00:00Z'],
    // Samoa had no 30 December 2011.
    ['Pacific/Apia', '2011-12-30', 600, '2011-12-30T10:00:00Z'],
  ])('in %s, %s at minute %i', (zone, day, minutes, at) => {
    expect(new Date(new ZoneClock(zone).firstMs({ day, minutes })).toISOString()).toBe(new Date(at).toISOString());
  });
});

test('days and hours in words', () => {
  expect(dayBefore('2026-03-01')).toBe('2026-02-28');
  expect(dayBefore('2027-01-01')).toBe('2026-12-31');
  expect([0, 61, 1439].map(clockText)).toEqual(['00:00', '01:01', '23:59']);
});
