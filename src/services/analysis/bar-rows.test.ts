// Rows read straight from bytes: the very numbers that JSON.parse gives, or left to it.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BarRows } from './bar-rows.ts';

function read(text: string): BarRows | undefined {
  const bytes = Buffer.from(text);
  const rows = new BarRows(bytes.length);
  return rows.read(bytes, 0, bytes.length) ? rows : undefined;
}

const rowsOf = (rows: BarRows) => Array.from({ length: rows.length }, (_, i) => rows.row(i));
const row = (more = '') => `{"time":1,"open":2,"high":3,"low":1,"close":2${more}}`;

describe('plain rows', () => {
  it.each([
    row(),
    row(',"volume":5'),
    `${row()},${row(',"volume":0')} , ${row()}`,
    '\n\t{ "close" : -0.5e0 , "time":1 }'.replace('-0.5e0', '-0.5').replace('}', ',"open":1,"low":0,"high":2}'),
    `{"volume":1.25,"low":0,"high":123456789012345,"time":-5,"close":0.000001,"open":-0}`,
  ])('are the numbers of JSON: %s', (text) => {
    const rows = read(text);
    expect(rows && rowsOf(rows)).toEqual(JSON.parse(`[${text}]`));
  });

  it('may have no volume, or null for it', () => {
    const rows = read(`${row()},${row(',"volume":null')},${row(',"volume":7')}`);
    expect([...(rows?.columns().volume ?? [])]).toEqual([Number.NaN, Number.NaN, 7]);
  });

  it('have columns of their own memory, exactly as long as there are rows', () => {
    const columns = read(`${row()},${row()}`)?.columns();
    for (const column of [columns?.time, columns?.high, columns?.volume]) {
      expect(column).toHaveLength(2);
      expect(column?.buffer.byteLength).toBe(16);
    }
  });

  it('have every number as JSON reads it, to the last bit', () => {
    const digits = fc.stringMatching(/^-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,24})?$/);
    const written = fc.oneof(
      digits,
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.maxSafeInteger().map(String),
    );
    fc.assert(
      fc.property(written, (number) => {
        const rows = read(`{"time":1,"open":${number},"high":3,"low":1,"close":2}`);
        // With an exponent it is left to JSON.
        if (/e/.test(number)) expect(rows).toBeUndefined();
        else expect(rows?.columns().open[0]).toBe(JSON.parse(number));
      }),
      { numRuns: 3000 },
    );
  });
});

describe('whatever else stands in a list is left alone', () => {
  it.each([
    '',
    ' ',
    ',',
    `${row()},`,
    `,${row()}`,
    `${row()} ${row()}`,
    `${row()}}`,
    `${row()}]`,
    '{}',
    '[]',
    '1',
    'null',
    '{"time":1,"open":2,"high":3,"low":1}',
    row(',"close":2'),
    row(',"colour":2'),
    row(',"__proto__":2'),
    row(',"volume":"5"'),
    row(',"volume":nul'),
    row(',"volume":true'),
    row(',"volume":[]'),
    row(',"volume":1e5'),
    row(',"volume":+1'),
    row(',"volume":.5'),
    row(',"volume":5.'),
    row(',"volume":05'),
    row(',"volume":-'),
    row(',"volume":NaN'),
    row(',"volume":Infinity'),
    row(',"volume":1 2'),
    row(','),
    row().replace('"time":1', '"time":null'),
    row().replace('"time"', '"tim"'),
    row().replace('"time"', '"times"'),
    row().replace('"time"', 'time'),
    row().replace('"time"', '"t\\u0069me"'),
    row().replace(':1', '=1'),
    row(`,"volume":${'9'.repeat(400)}`),
    row().slice(0, -1),
    row().slice(0, 20),
  ])('%s', (text) => {
    expect(read(text)).toBeUndefined();
  });

  it('and nothing is ever read that JSON refuses, or reads differently', () => {
    const letters = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      ' ',
      '0',
      '1',
      '-',
      '.',
      'e',
      'n',
      '\u00a0',
      't',
    );
    const change = fc.tuple(fc.nat(), fc.constantFrom('insert', 'delete', 'replace'), letters);
    const numbers = fc.tuple(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.option(fc.integer()));
    fc.assert(
      fc.property(
        fc.array(numbers, { minLength: 1, maxLength: 3 }),
        fc.array(change, { maxLength: 2 }),
        (bars, changes) => {
          const made = bars.map(([open, volume]) => ({
            time: 1,
            open,
            high: 3,
            low: 1,
            close: 2,
            ...(volume === null ? {} : { volume }),
          }));
          let text = JSON.stringify(made).slice(1, -1);
          for (const [place, kind, letter] of changes) {
            const at = place % (text.length + 1);
            text = text.slice(0, at) + (kind === 'delete' ? '' : letter) + text.slice(kind === 'insert' ? at : at + 1);
          }
          const rows = read(text);
          if (rows !== undefined) expect(rowsOf(rows)).toEqual(JSON.parse(`[${text}]`));
        },
      ),
      { numRuns: 2000 },
    );
  });
});
