// What a run says where its bars are not those of the timeframe that was named, and that it says nothing where they may be.

import { expect, it } from 'vitest';
import { barColumns, compile } from '../index.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const { program } = compile('//@version=6\nindicator("i")\nplot(close)\n');

const barsAt = (times: readonly number[]) =>
  barColumns(times.map((time) => ({ time, open: 1, high: 1, low: 1, close: 1, volume: 1 })));
const every = (distanceMs: number, count = 30) => Array.from({ length: count }, (_, index) => index * distanceMs);
const warningsOf = (times: readonly number[], timeframe?: string, period?: string) =>
  program!.run(barsAt(times), { ...(timeframe && { timeframe }), ...(period && { symbol: { period } }) }).warnings;

it.each<[named: string, distanceMs: number, found: string]>([
  ['15', HOUR_MS, '60'],
  ['240', HOUR_MS, '60'],
  ['1', DAY_MS, '1D'],
  ['1D', HOUR_MS, '60'],
  ['1D', 7 * DAY_MS, '1W'],
  ['1W', DAY_MS, '1D'],
  ['1M', 7 * DAY_MS, '1W'],
  ['30S', MINUTE_MS, '1'],
])('%s over bars that are %d ms apart is told, with what they are', (named, distanceMs, found) => {
  const [warning, ...rest] = warningsOf(every(distanceMs), named);
  expect(rest).toEqual([]);
  expect(warning).toMatchObject({
    ...{ code: 'PE405', severity: 'warning', line: 2 },
    message: `The timeframe was named as ${named}, but the bars are those of ${found}.`,
    remedy: expect.stringContaining(`Name ${found}, or leave the timeframe out`),
  });
});

it('the period of a symbol is a name too', () => {
  expect(warningsOf(every(HOUR_MS), undefined, '15')).toMatchObject([{ code: 'PE405' }]);
  expect(warningsOf(every(HOUR_MS), undefined, '1h')).toEqual([]);
});

const inSessions = [0, 1, 2, 3].flatMap((day) => every(HOUR_MS, 7).map((time) => time + day * DAY_MS));
const weekdays = every(DAY_MS, 40).filter((time) => new Date(time).getUTCDay() % 6 !== 0);
const months = Array.from({ length: 14 }, (_, month) => Date.UTC(2023, month, 1));

it.each<[string, readonly number[], string | undefined]>([
  ['the right name', every(15 * MINUTE_MS), '15'],
  ['no name', every(HOUR_MS), undefined],
  ['a market that sleeps at night', inSessions, '60'],
  ['a market of weekdays', weekdays, '1D'],
  ['five days of trading, which are a week', every(7 * DAY_MS), '5D'],
  ['months', months, '1M'],
  ['bars that are missing here and there', [0, 3, 5, 9, 10, 14, 17].map((minute) => minute * MINUTE_MS), '1'],
  ['a length that no timeframe has', every(90_000), '2'],
  ['ticks, which have no length', every(1000), '1T'],
  ['two bars, whose distance may be a gap', every(HOUR_MS, 2), '15'],
])('nothing is told of %s', (_, times, timeframe) => {
  expect(warningsOf(times, timeframe)).toEqual([]);
});

it('three bars are enough to tell', () => {
  expect(warningsOf(every(HOUR_MS, 3), '15')).toHaveLength(1);
});
