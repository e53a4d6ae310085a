// Where days and months begin on the axis, for readers west and east of Greenwich, and what they are called there.

import { TickMarkType, type Time, type UTCTimestamp } from 'lightweight-charts';
import { describe, expect, test } from 'vitest';
import { axisTimesOf } from './axis-times.ts';
import { notBehind, weightOf } from './axis-weights.ts';
import { barTime, isByDay } from './bar-times.ts';

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];
const [YEAR, MONTH, DAY, HOUR_12] = [70, 60, 50, 33];
const utc = (text: string): number => Date.parse(`${text}Z`);
const secondsOf = (ms: number): Time => (ms / 1000) as UTCTimestamp;

describe.each([
  ['New York', () => 300, '2026-11-19T05:00'],
  ['London', () => 0, '2026-11-19T00:00'],
  ['Berlin', () => -60, '2026-11-18T23:00'],
  ['Kolkata', () => -330, '2026-11-18T19:00'],
])('for a reader in %s', (_, minutes, midnight) => {
  const weights = (from: string): readonly (readonly [string, number])[] =>
    Array.from({ length: 24 }, (_, hour) => utc(from) + hour * HOUR_MS).map((at) => [
      new Date(at).toISOString().slice(0, 16),
      weightOf(at, at - HOUR_MS, minutes),
    ]);

  test('a day begins with the first bar after midnight there, and noon is the next that counts', () => {
    const byWeight = weights('2026-11-18T12:00').toSorted(([, a], [, b]) => b - a);
    expect(byWeight[0]).toEqual([midnight, DAY]);
    expect(byWeight[1]?.[1]).toBe(HOUR_12);
  });

  test('a month and a year do', () => {
    expect(weights('2026-11-30T12:00').map(([, weight]) => weight)).toContain(MONTH);
    expect(weights('2026-12-31T12:00').map(([, weight]) => weight)).toContain(YEAR);
  });
});

test('bars of a day begin their months with the first of it, wherever they are read', () => {
  const days = Array.from({ length: 20 }, (_, i) => utc('2026-09-20T00:00') + i * DAY_MS);
  const begins = days.filter((at) => weightOf(at, at - DAY_MS, notBehind) === MONTH);
  expect(begins).toEqual([utc('2026-10-01T00:00')]);
});

test('the axis gives each bar its weight, and names bars of a day by the day that they are', () => {
  const { horizon, timeScale, localization } = axisTimesOf(() => true);
  const october = utc('2026-10-01T00:00');
  const points = [october - DAY_MS, october, october + DAY_MS].map((at) => ({
    originalTime: at / 1000,
    timeWeight: 0,
  }));
  horizon.fillWeightsForPoints(points as never, 0);
  expect(points.map(({ timeWeight }) => timeWeight)).toEqual([DAY, MONTH, DAY]);
  const words = (type: TickMarkType) => timeScale.tickMarkFormatter(secondsOf(october), type);
  expect([TickMarkType.Year, TickMarkType.Month, TickMarkType.DayOfMonth].map(words)).toEqual(['2026', 'Oct', '1']);
  expect(localization.timeFormatter(secondsOf(october))).toBe('2026-10-01');
});

test('bars are of days where the last of them begin at midnight of UTC', () => {
  const barsOf = (stepMs: number) => {
    const time = Float64Array.from({ length: 50 }, (_, i) => utc('2026-11-10T00:00') + i * stepMs);
    return { time, count: 49 };
  };
  expect([HOUR_MS, 4 * HOUR_MS, 12 * HOUR_MS, DAY_MS, 7 * DAY_MS].map((step) => isByDay(barsOf(step)))).toEqual([
    ...[false, false, false, true, true],
  ]);
  expect([isByDay(undefined), isByDay({ ...barsOf(DAY_MS), count: 1 })]).toEqual([false, false]);
  expect(barTime(utc('2026-11-10T00:00'), true)).toBe('2026-11-10');
});
