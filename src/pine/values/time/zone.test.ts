// Tests of zones, calendar fields and timestamps, against Intl at random instants and at every change of the clock.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Zone, zoneOf } from '../index.ts';
import { errorOf, openLibrary } from '../testing/library.ts';
import { civilDate, dayNumber, isoWeek, weekdayOf } from './civil.ts';

const NA = Number.NaN;
const HOUR = 3_600_000;
const ZONES = [
  ...[
    'America/New_York',
    'America/Chicago',
    'America/Los_Angeles',
    'America/Sao_Paulo',
    'Europe/London',
    'Europe/Berlin',
  ],
  ...[
    'Europe/Moscow',
    'Africa/Casablanca',
    'Asia/Tokyo',
    'Asia/Kolkata',
    'Asia/Kathmandu',
    'Asia/Tehran',
    'Asia/Hong_Kong',
  ],
  ...['Australia/Sydney', 'Australia/Lord_Howe', 'Pacific/Auckland', 'Pacific/Apia', 'Etc/UTC'],
];

/** What Intl says about a time in a zone. */
const wall = (() => {
  const formats = new Map<string, Intl.DateTimeFormat>();
  return (timeMs: number, zone: string) => {
    const options = {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      weekday: 'short',
    } as const;
    const format = formats.get(zone) ?? new Intl.DateTimeFormat('en-US', options);
    formats.set(zone, format);
    const parts = Object.fromEntries(format.formatToParts(timeMs).map(({ type, value }) => [type, value]));
    const weekday = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'].indexOf(parts.weekday as string) + 1;
    return [parts.year, parts.month, parts.day, parts.hour, parts.minute, parts.second].map(Number).concat(weekday);
  };
})();

const { call } = openLibrary();
const FIELDS = ['year', 'month', 'dayofmonth', 'hour', 'minute', 'second', 'dayofweek'];
const ours = (timeMs: number, zone: string) => FIELDS.map((field) => call<number>(field, timeMs, zone));
const instant = fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2040, 0, 1) });

describe('zones', () => {
  it('show what Intl shows, from 1990 to 2040', () => {
    fc.assert(
      fc.property(instant, fc.constantFrom(...ZONES), (timeMs, zone) => {
        expect(ours(timeMs, zone)).toEqual(wall(timeMs, zone));
      }),
      { numRuns: 1500 },
    );
  });

  it('show it to the millisecond around every change of the clock', () => {
    for (const name of ['America/New_York', 'Africa/Casablanca', 'Australia/Lord_Howe', 'Pacific/Apia']) {
      const zone = zoneOf(name);
      for (const change of changesOf(zone, 2009, 2013))
        for (const timeMs of [change - 1000, change - 1, change, change + 1, change + 1000])
          expect(ours(timeMs, name), `${name} ${timeMs}`).toEqual(wall(timeMs, name));
    }
    expect(changesOf(zoneOf('America/New_York'), 2010, 2012)).toEqual([
      Date.UTC(2010, 2, 14, 7),
      Date.UTC(2010, 10, 7, 6),
      Date.UTC(2011, 2, 13, 7),
      Date.UTC(2011, 10, 6, 6),
    ]);
  });

  it('find the time of a clock: of two the first, of a skipped one the later', () => {
    const zone = zoneOf('America/New_York');
    expect(zone.toUtc(Date.UTC(2024, 6, 1, 9, 30))).toBe(Date.UTC(2024, 6, 1, 13, 30));
    expect(zone.toUtc(Date.UTC(2024, 10, 3, 1, 30))).toBe(Date.UTC(2024, 10, 3, 5, 30));
    expect(zone.toUtc(Date.UTC(2024, 10, 3, 2, 0))).toBe(Date.UTC(2024, 10, 3, 7, 0));
    expect(zone.toUtc(Date.UTC(2024, 2, 10, 2, 30))).toBe(Date.UTC(2024, 2, 10, 7, 30));
    expect(zone.toUtc(Date.UTC(2024, 2, 10, 3, 0))).toBe(Date.UTC(2024, 2, 10, 7, 0));
  });

  it('come back to the same clock', () => {
    fc.assert(
      fc.property(instant, fc.constantFrom(...ZONES), (timeMs, name) => {
        const zone = zoneOf(name);
        const back = zone.toUtc(zone.toLocal(timeMs));
        expect(zone.toLocal(back)).toBe(zone.toLocal(timeMs));
        expect(back).toBeLessThanOrEqual(timeMs);
      }),
      { numRuns: 500 },
    );
  });

  it('are named by offsets too', () => {
    const offset = (name: string) => zoneOf(name).offsetAt(0) / HOUR;
    expect(
      ['UTC', 'GMT', 'UTC-5', 'UTC+05:30', 'GMT+0530', 'GMT+3', '-03:00', 'UTC+530', 'UTC-10'].map(offset),
    ).toEqual([0, 0, -5, 5.5, 5.5, 3, -3, 5.5, -10]);
    for (const name of ['', 'UTC+19', 'UTC+5:99', 'New York', 'utc5', 'UTC5'])
      expect(
        errorOf(() => zoneOf(name)),
        name,
      ).toContain(`Unknown time zone "${name}"`);
  });

  it('stay calm at the ends of time and at na', () => {
    const zone = zoneOf('America/New_York');
    for (const timeMs of [-8.64e15, 8.64e15, 1e300]) expect(Number.isFinite(zone.offsetAt(timeMs))).toBe(true);
    expect(ours(NA, 'America/New_York')).toEqual(FIELDS.map(() => NA));
    expect(call('year', Date.UTC(2024, 0, 1), 'America/New_York')).toBe(2023);
    expect(zone.toUtc(NA)).toBeNaN();
  });
});

/** The times at which the zone's offset changes, seen hour by hour. */
function changesOf(zone: Zone, fromYear: number, toYear: number): number[] {
  const changes: number[] = [];
  for (let timeMs = Date.UTC(fromYear, 0, 1); timeMs < Date.UTC(toYear, 0, 1); timeMs += HOUR / 2)
    if (zone.offsetAt(timeMs) !== zone.offsetAt(timeMs - HOUR / 2)) changes.push(timeMs);
  return changes;
}

describe('the calendar', () => {
  it('counts days as Date does', () => {
    fc.assert(
      fc.property(fc.integer({ min: -200_000, max: 200_000 }), (day) => {
        const date = new Date(day * 86_400_000);
        const civil = civilDate(day);
        expect(civil).toEqual({ year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() });
        expect(dayNumber(civil.year, civil.month, civil.day)).toBe(day);
        expect(weekdayOf(day)).toBe(date.getUTCDay() + 1);
      }),
      { numRuns: 500 },
    );
  });

  it('counts ISO weeks', () => {
    const weeks: [number, number, number, number][] = [
      [2020, 12, 31, 53],
      [2021, 1, 3, 53],
      [2021, 1, 4, 1],
      [2024, 12, 30, 1],
      [2024, 12, 29, 52],
      [2026, 1, 1, 1],
    ];
    for (const [year, month, day, week] of weeks) {
      expect(isoWeek(dayNumber(year, month, day))).toBe(week);
      expect(call('weekofyear', Date.UTC(year, month - 1, day), 'UTC')).toBe(week);
    }
  });
});

describe('timestamp', () => {
  const market = { timezone: 'America/New_York', session: '0930-1600:23456', timeframe: 'D' };
  const { call: inNewYork } = openLibrary({ market });
  const stamp = (...values: unknown[]) => inNewYork('timestamp', ...values);

  it('takes numbers in the zone of the exchange or in one that is named', () => {
    expect(stamp(2024, 7, 1)).toBe(Date.UTC(2024, 6, 1, 4));
    expect(stamp(2024, 1, 15, 9, 30, 15)).toBe(Date.UTC(2024, 0, 15, 14, 30, 15));
    expect(stamp('UTC-3', 2024, 7, 1, 12)).toBe(Date.UTC(2024, 6, 1, 15));
    expect(stamp('Asia/Kolkata', 2024, 7, 1)).toBe(Date.UTC(2024, 5, 30, 18, 30));
  });

  it('carries numbers over that are beyond their range, and is na of na', () => {
    expect(stamp('UTC', 2024, 14, 1)).toBe(Date.UTC(2025, 1, 1));
    expect(stamp('UTC', 2024, 1, 0, 25)).toBe(Date.UTC(2024, 0, 1, 1));
    expect(stamp('UTC', 2024, NA, 1)).toBeNaN();
    expect(stamp(2024)).toBeNaN();
  });

  it('reads written dates, in UTC unless they say otherwise', () => {
    const cases: [string, number][] = [
      ['2020-02-20', Date.UTC(2020, 1, 20)],
      ['2020-02-20T13:30', Date.UTC(2020, 1, 20, 13, 30)],
      ['2020-02-20 13:30:45', Date.UTC(2020, 1, 20, 13, 30, 45)],
      ['2020-02-20T13:30:45+02:00', Date.UTC(2020, 1, 20, 11, 30, 45)],
      ['2020-02-20T13:30:45.123Z', Date.UTC(2020, 1, 20, 13, 30, 45)],
      ['20 Feb 2020', Date.UTC(2020, 1, 20)],
      ['20 Feb 2020 13:30 GMT+0200', Date.UTC(2020, 1, 20, 11, 30)],
      ['Thu, 20 Feb 2020 13:30:45 +0000', Date.UTC(2020, 1, 20, 13, 30, 45)],
      ['Feb 01 2020 22:10:05', Date.UTC(2020, 1, 1, 22, 10, 5)],
      ['01 Jan 2020 00:00 -0500', Date.UTC(2020, 0, 1, 5)],
      ['January 1, 2020', Date.UTC(2020, 0, 1)],
    ];
    for (const [text, expected] of cases) expect(stamp(text), text).toBe(expected);
  });

  it('refuses what is no date', () => {
    for (const text of [
      '',
      'tomorrow',
      '2020-13-01',
      '2021-02-29',
      '30 Feb 2020',
      '2020-02-20T25:00',
      '2020-02-20T10:61',
      '20 Foo 2020',
      '2020-02-00',
    ])
      expect(
        errorOf(() => stamp(text)),
        text,
      ).toContain('is not a date');
  });
});
