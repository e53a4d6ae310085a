// The mark between two pages: what was given out is read back, and nothing else is.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cursorAt, placeOf } from './script-cursor.ts';

test('a place survives the way to the client and back', () => {
  fc.assert(fc.property(fc.maxSafeNat(), (place) => placeOf(cursorAt(place)) === place));
  expect(placeOf(cursorAt(Number.MAX_SAFE_INTEGER))).toBe(Number.MAX_SAFE_INTEGER);
});

test.each(['', 'a', 'b1', 'a-1', 'a01', 'aA', 'a1 ', 'a1\n', 'azzzzzzzzzzz', `a${'1'.repeat(12)}`, 'a1.5', '1'])(
  '%j is no cursor of ours',
  (cursor) => expect(placeOf(cursor)).toBeUndefined(),
);

test('garbage is no cursor, or is exactly what we would have given out', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((text) => `a${text}`),
      ),
      (text) => {
        const place = placeOf(text);
        expect(place === undefined || cursorAt(place) === text).toBe(true);
      },
    ),
  );
});
