// Rows as JSON: whatever SQLite can hold comes out as JSON that says the same, within the limits to the byte.

import type { SQLOutputValue } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeRows } from './encode-rows.ts';

const AMPLE = { maxRows: 1000, maxBytes: 1_000_000 };

function decoded(names: readonly string[], rows: SQLOutputValue[][]): unknown {
  const encoded = encodeRows(names, rows, AMPLE);
  if (!encoded.ok) throw new Error(encoded.reason);
  return JSON.parse(Buffer.concat(encoded.json).toString());
}

const value = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.double({ noNaN: true }),
  fc.uint8Array(),
  fc.constant(null),
);

/** What the answer says for a value, in the words of the documentation. */
function told(given: SQLOutputValue): unknown {
  if (typeof given === 'bigint') return Number.isSafeInteger(Number(given)) ? Number(given) : String(given);
  if (typeof given === 'number') return Number.isFinite(given) ? given + 0 : String(given);
  return given instanceof Uint8Array ? Buffer.from(given).toString('hex') : given;
}

describe('rows', () => {
  it('of any values come out as the documentation says', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value), { maxLength: 5 }), (rows) => {
        expect(decoded(['a', 'b'], rows)).toEqual(rows.map(([a, b]) => ({ a: told(a), b: told(b) })));
      }),
      { numRuns: 500 },
    );
  });

  it('with any column names lose no column', () => {
    const names = fc.array(fc.constantFrom('a', 'b', 'a_2', 'a_3', 'a_2_2', '__proto__'), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(names, (given) => {
        const [row] = decoded(given, [given.map((_, index) => BigInt(index))]) as [object];
        expect(Object.values(row).sort()).toEqual(given.map((_, index) => index).sort());
        for (const name of given) expect(Object.keys(row)).toContain(name);
      }),
      { numRuns: 300 },
    );
  });

  it('that are many come in pieces that make one text', () => {
    const rows = Array.from({ length: 900 }, (_, index): SQLOutputValue[] => [BigInt(index), 'x'.repeat(1000)]);
    const encoded = encodeRows(['n', 'text'], rows, AMPLE);
    expect(encoded.ok && encoded.json.length).toBe(4);
    expect(decoded(['n', 'text'], rows)).toEqual(rows.map(([n, text]) => ({ n: Number(n), text })));
  });

  it('may be none', () => {
    expect(decoded(['a'], [])).toEqual([]);
    expect(decoded([], [])).toEqual([]);
  });
});

describe('the limits', () => {
  const row: SQLOutputValue[] = ['\u20ac'];

  it('count rows', () => {
    const limits = { maxRows: 2, maxBytes: 1000 };
    expect(encodeRows(['a'], [row, row], limits)).toMatchObject({ ok: true, rows: 2 });
    expect(encodeRows(['a'], [row, row, row], limits)).toMatchObject({ ok: false });
  });

  it('count every byte of the text, and the last one is one too many', () => {
    const whole = encodeRows(['a'], [row, row], AMPLE);
    const bytes = whole.ok ? Buffer.concat(whole.json).length : 0;
    // A comma is counted for every row, the last one too.
    expect(encodeRows(['a'], [row, row], { maxRows: 9, maxBytes: bytes + 1 })).toMatchObject({ ok: true });
    expect(encodeRows(['a'], [row, row], { maxRows: 9, maxBytes: bytes })).toMatchObject({ ok: false });
  });

  it('stop the reading: not a row is asked for after them', () => {
    let asked = 0;
    function* endless(): Generator<SQLOutputValue[]> {
      for (;;) {
        asked += 1;
        yield row;
      }
    }
    expect(encodeRows(['a'], endless(), { maxRows: 10, maxBytes: 1000 })).toMatchObject({ ok: false });
    expect(asked).toBe(11);
  });
});
