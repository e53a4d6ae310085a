// Bars from JSON to columns: every kind of row, and that the reader by hand and the schema agree on all of them.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBars } from './bars.ts';
import { barSchema } from './schemas.ts';
import { barsOf, START_MS } from './testing/analysis-app.ts';

const bar = (more: object = {}) => ({ time: START_MS, open: 1, high: 2, low: 1, close: 2, volume: 5, ...more });
const timesOf = (...times: number[]) => [...readBars(times.map((time) => bar({ time }))).time];

describe('bars', () => {
  it('become columns as they stand', () => {
    const columns = readBars([bar(), bar({ time: START_MS + 1, volume: 7 })]);
    expect(columns.count).toBe(2);
    expect([...columns.time]).toEqual([START_MS, START_MS + 1]);
    expect([...columns.high]).toEqual([2, 2]);
    expect([...columns.volume]).toEqual([5, 7]);
  });

  it('may leave the volume out, or have none', () => {
    const { volume: _, ...without } = bar();
    expect([...readBars([without, bar({ time: START_MS + 1, volume: null })]).volume]).toEqual([
      Number.NaN,
      Number.NaN,
    ]);
  });

  it('count seconds below a hundred billion, and milliseconds from there', () => {
    expect(timesOf(1_700_000_000, 1_700_000_060)).toEqual([1_700_000_000_000, 1_700_000_060_000]);
    expect(timesOf(99_999_999_999)).toEqual([99_999_999_999_000]);
    expect(timesOf(100_000_000_000)).toEqual([100_000_000_000]);
    expect(timesOf(1_700_000_000.25)).toEqual([1_700_000_000_250]);
  });

  it('decide that once, by the time farthest from 1970', () => {
    expect(timesOf(0, 50_000_000_000, 1_700_000_000_000)).toEqual([0, 50_000_000_000, 1_700_000_000_000]);
    expect(timesOf(-1_000_000_000, 0, 60)).toEqual([-1_000_000_000_000, 0, 60_000]);
    expect(timesOf(-200_000_000_000, 60)).toEqual([-200_000_000_000, 60]);
  });
});

describe('a bar at fault is told with its index', () => {
  it.each([
    ['nothing at all', [], 'INVALID_FIELD', 'data: is empty, send at least one bar'],
    ['null', [bar(), null], 'INVALID_FIELD', 'data.1: is null, send an object'],
    ['a list', [[1, 2, 3, 4, 5]], 'INVALID_FIELD', 'data.0: is an array, send an object'],
    ['a number', [5], 'INVALID_FIELD', 'data.0: is a number, send an object'],
    ['no close', [{ ...bar(), close: undefined }], 'MISSING_FIELD', 'data.0.close: is missing, add a number'],
    ['a price of null', [bar({ open: null })], 'INVALID_FIELD', 'data.0.open: is null, send a number'],
    ['a price in quotes', [bar({ low: '1' })], 'INVALID_FIELD', 'data.0.low: is a number in quotes'],
    ['an endless price', [bar({ high: Number.POSITIVE_INFINITY })], 'INVALID_FIELD', 'data.0.high: is too large'],
    ['a volume in quotes', [bar({ volume: '5' })], 'INVALID_FIELD', 'data.0.volume: is a number in quotes'],
    ['an endless volume', [bar({ volume: Number.NEGATIVE_INFINITY })], 'INVALID_FIELD', 'data.0.volume: '],
    ['a time in words', [bar({ time: '2024-03-01' })], 'INVALID_FIELD', 'data.0.time: is text, send a number'],
    ['a time in nanoseconds', [bar({ time: 1.7e18 })], 'INVALID_FIELD', 'data.0.time: is too large'],
    [
      'another field',
      [bar(), bar({ time: START_MS + 1, vwap: 1 })],
      'UNKNOWN_FIELDS',
      'data.1: has unknown fields, remove vwap',
    ],
    [
      'a prototype',
      [JSON.parse('{"time":1,"open":1,"high":1,"low":1,"close":1,"__proto__":{"volume":5}}')],
      'UNKNOWN_FIELDS',
      'data.0: has unknown fields, remove __proto__',
    ],
    [
      'a high below its low',
      [bar({ high: 0.5 })],
      'INVALID_FIELD',
      'data.0: high 0.5 is below low 1, correct or remove',
    ],
    ['the same time twice', [bar(), bar()], 'INVALID_FIELD', 'data.1.time: is the same as that of the bar before'],
    [
      'times less than a millisecond apart',
      [bar(), bar({ time: START_MS + 0.25 })],
      'INVALID_FIELD',
      'data.1.time: is the same',
    ],
    [
      'times in disorder',
      [...barsOf(7), bar({ time: START_MS })],
      'INVALID_FIELD',
      'data.7.time: is before that of the bar before, sort',
    ],
  ])('%s', (_, rows, code, message) => {
    expect(() => readBars(rows)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
  });

  it('wherever the list stands', () => {
    expect(() => readBars([1], 'requests.3.data')).toThrow('requests.3.data.0: is a number');
  });
});

it('the reader and the schema agree on every row', () => {
  const value = fc.oneof(
    fc.double(),
    fc.constantFrom(
      0,
      -1,
      1,
      Number.POSITIVE_INFINITY,
      253_402_300_799_999,
      253_402_300_800_000,
      null,
      undefined,
      '1',
      true,
      [],
      {},
    ),
  );
  const field = fc.constantFrom('time', 'open', 'high', 'low', 'close', 'volume', '__proto__', 'toString', 'extra');
  const changes = fc.array(fc.tuple(field, value), { maxLength: 3 });
  const isBar = (row: unknown): boolean => {
    try {
      readBars([row]);
      return true;
    } catch (error) {
      expect((error as { code: string }).code).toMatch(/^(MISSING_FIELD|INVALID_FIELD|UNKNOWN_FIELDS)$/);
      return false;
    }
  };
  fc.assert(
    fc.property(changes, (list) => {
      const row = Object.fromEntries([...Object.entries(bar()), ...list]);
      // As JSON has it: a field without a value is no field.
      const sent = Object.fromEntries(Object.entries(row).filter(([, given]) => given !== undefined));
      const parsed = barSchema.safeParse(sent);
      const wanted = parsed.success && parsed.data.high >= parsed.data.low;
      expect(isBar(sent)).toBe(wanted);
    }),
    { numRuns: 1000 },
  );
});
