// Request ids: form, order and resistance to strange clocks.
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRequestIds } from './request-id.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

describe('request ids', () => {
  test('are version 7 UUIDs that strictly increase, whatever the clock does', () => {
    const clock = fc.array(fc.oneof(fc.integer({ min: 0, max: 5 }), fc.nat(2 ** 40)), { minLength: 2, maxLength: 200 });
    fc.assert(
      fc.property(clock, (times) => {
        let turn = 0;
        const next = createRequestIds({ nowMs: () => times[turn++] ?? 0, randomBytes });
        const ids = times.map(() => next());
        for (const [i, id] of ids.entries()) {
          expect(id).toMatch(UUID_V7);
          if (i > 0) expect(id > (ids[i - 1] ?? '')).toBe(true);
          expect(timeOf(id)).toBe(Math.max(...times.slice(0, i + 1)));
        }
      }),
    );
  });

  test('go on into the next millisecond when the counter of a standing clock is used up', () => {
    const allOnes = (size: number) => new Uint8Array(size).fill(0xff);
    const next = createRequestIds({ nowMs: () => 1000, randomBytes: allOnes });
    let last = '';
    for (let i = 0; i < 2 ** 17 + 1; i += 1) {
      const id = next();
      if (id <= last) throw new Error(`${id} follows ${last}`);
      last = id;
    }
    expect(timeOf(last)).toBe(1000);
    const borrowed = next();
    expect(timeOf(borrowed)).toBe(1001);
    expect(borrowed > last).toBe(true);
  });

  test('stay whole at both ends of the 48-bit clock and with fractions of a millisecond', () => {
    const times = [-5, 0, 0.9, 2 ** 48 - 1, 2 ** 60];
    const next = createRequestIds({ nowMs: () => times.shift() ?? 0, randomBytes });
    const ids = [next(), next(), next(), next(), next()];
    expect(ids.map(timeOf)).toEqual([0, 0, 0, 2 ** 48 - 1, 2 ** 48 - 1]);
    for (const id of ids) expect(id).toMatch(UUID_V7);
  });

  test('draw randomness in bulk, not once per id', () => {
    let draws = 0;
    const counted = (size: number) => {
      draws += 1;
      return randomBytes(size);
    };
    const next = createRequestIds({ nowMs: () => 1, randomBytes: counted });
    const ids = new Set(Array.from({ length: 5000 }, next));
    expect(ids.size).toBe(5000);
    expect(draws).toBeLessThan(20);
  });
});
