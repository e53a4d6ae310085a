// Ids of our own making: version 7 UUIDs from the clock and the randomness handed in.

import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { isScriptId } from './script.ts';
import { newScriptId } from './script-id.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('an id holds the time, the version, the variant and the random bytes', () => {
  const nowMs = () => 0x0123456789ab;
  expect(newScriptId({ nowMs, randomBytes: (size) => new Uint8Array(size) })).toBe(
    '01234567-89ab-7000-8000-000000000000',
  );
  expect(newScriptId({ nowMs, randomBytes: (size) => new Uint8Array(size).fill(0xff) })).toBe(
    '01234567-89ab-7fff-bfff-ffffffffffff',
  );
});

test('ids differ within a millisecond, sort by time, and are ids a client could choose', () => {
  const ids = [1, 1, 1, 2, 3].map((time) => newScriptId({ nowMs: () => time, randomBytes }));
  expect(new Set(ids).size).toBe(5);
  expect(ids.map((id) => id.slice(0, 13))).toEqual([...ids].map((id) => id.slice(0, 13)).sort());
  for (const id of ids) expect(isScriptId(id)).toBe(true);
});

test.each([-1, 0, 0.5, 2 ** 48 - 1, 2 ** 48, Number.MAX_SAFE_INTEGER, Number.NaN, Number.POSITIVE_INFINITY])(
  'a clock at %s still makes a well-formed id',
  (time) => expect(newScriptId({ nowMs: () => time, randomBytes })).toMatch(UUID_V7),
);
