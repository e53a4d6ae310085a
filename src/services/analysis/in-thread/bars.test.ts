// Bars from JSON to columns: every kind of row, and that the reader by hand and the schema agree on all of them.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { barSchema } from '../schemas.ts';
import { barsOf, START_MS } from '../testing/analysis-app.ts';
import { readBarColumns, readBars } from './bars.ts';

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

  it('may carry further fields, which change nothing', () => {
    const rows = [bar({ closed: true }), bar({ time: START_MS + 1, closed: false, vwap: 'x', trades: { count: 3 } })];
    expect(readBars(rows)).toEqual(readBars([bar(), bar({ time: START_MS + 1 })]));
    const odd = JSON.parse('{"time":1,"open":1,"high":1,"low":1,"close":1,"__proto__":{"volume":5}}');
    expect([...readBars([odd]).volume]).toEqual([Number.NaN]);
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
    [
      'a time in nanoseconds',
      [bar({ time: 1.7e18 })],
      'INVALID_FIELD',
      'data.0.time: counts nanoseconds, send milliseconds or seconds since 1970 UTC',
    ],
    [
      'a time in microseconds',
      [bar({ time: 1.7e15 })],
      'INVALID_FIELD',
      'data.0.time: counts microseconds, send milliseconds or seconds since 1970 UTC',
    ],
    ['the first microseconds', [bar({ time: -1e14 })], 'INVALID_FIELD', 'data.0.time: counts microseconds'],
    [
      'dates without dashes',
      [bar({ time: 20240301 }), bar({ time: 20240304 })],
      'INVALID_FIELD',
      'data.0.time: is a date without dashes, send milliseconds or seconds since 1970 UTC',
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
      99_999_999_999_999,
      100_000_000_000_000,
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
      expect((error as { code: string }).code).toMatch(/^(MISSING_FIELD|INVALID_FIELD)$/);
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

describe('bars as columns', () => {
  const rows = barsOf(4);
  const columns = (more: object = {}) => ({
    time: rows.map(({ time }) => time),
    open: rows.map(({ open }) => open),
    high: rows.map(({ high }) => high),
    low: rows.map(({ low }) => low),
    close: rows.map(({ close }) => close),
    volume: rows.map(({ volume }) => volume),
    ...more,
  });

  it('are the same as rows', () => {
    expect(readBarColumns(columns())).toEqual(readBars(rows));
  });

  it('may leave the volume out, or have none, and may count seconds', () => {
    const { volume: _, ...without } = columns({ time: [1_700_000_000, 1_700_000_060, 1_700_000_120, 1_700_000_180] });
    const read = readBarColumns(without);
    expect([...read.volume]).toEqual([Number.NaN, Number.NaN, Number.NaN, Number.NaN]);
    expect(read.time[1]).toBe(1_700_000_060_000);
    expect([...readBarColumns(columns({ volume: [1, null, 3, 4] })).volume]).toEqual([1, Number.NaN, 3, 4]);
  });

  it.each([
    [{ close: undefined }, 'MISSING_FIELD', 'data.close: is missing, send a list of numbers'],
    [{ close: 'x' }, 'INVALID_FIELD', 'data.close: is not a list, send a list of numbers'],
    [{ colour: [] }, 'UNKNOWN_FIELDS', 'data: has unknown fields, remove colour'],
    [{ time: [], open: [], high: [], low: [], close: [], volume: [] }, 'INVALID_FIELD', 'data.time: is empty'],
    [{ close: [1, 2, 3] }, 'INVALID_FIELD', 'data.close: has 3 values, send 4 as in time'],
    [{ volume: [] }, 'INVALID_FIELD', 'data.volume: has 0 values, send 4 as in time'],
    [{ open: [1, '2', 3, 4] }, 'INVALID_FIELD', 'data.open.1: is a number in quotes, drop the quotes'],
    [{ open: [1, null, 3, 4] }, 'INVALID_FIELD', 'data.open.1: is null, send a number'],
    [{ high: [1, 2, 3, Number.POSITIVE_INFINITY] }, 'INVALID_FIELD', 'data.high.3: is too large for a number'],
    [{ volume: [1, 2, 'x', 4] }, 'INVALID_FIELD', 'data.volume.2: is text, send a number without quotes'],
    [{ low: [0, 1, 1000, 3] }, 'INVALID_FIELD', 'data.high.2: high 5 is below low 1000'],
    [{ time: [1, 2, 2, 3] }, 'INVALID_FIELD', 'data.time.2: is the same as that of the bar before'],
    [{ time: [1, 2, 1.7e15, 1.8e15] }, 'INVALID_FIELD', 'data.time.2: counts microseconds, send milliseconds'],
    [{ time: [20240301, 20240302, 20240303, 20240304] }, 'INVALID_FIELD', 'data.time.0: is a date without dashes'],
    [{ time: [1, 3, 2, 4] }, 'INVALID_FIELD', 'data.time.2: is before that of the bar before'],
    [{ time: [1, 2, 3, 1e300] }, 'INVALID_FIELD', 'data.time.3: is too large'],
    [{ time: [[], 2, 3, 4] }, 'INVALID_FIELD', 'data.time.0: is an array, send a number'],
  ])('are refused with %j', (more, code, message) => {
    const fault = () => readBarColumns(columns(more));
    expect(fault).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
  });
});
