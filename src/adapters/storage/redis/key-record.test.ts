// The record of an analysis key in Redis: what is printed is read back, and a last use of 0 is none.

import { expect, test } from 'vitest';
import { sampleKey } from '../../../../tests/ports/analysis-key-store-suite.ts';
import { printRecord, readRecord } from './key-record.ts';

test('a key is read back as it was printed', () => {
  for (const key of [sampleKey(1), sampleKey(2, { callsUsed: 7, lastUsedS: 1_790_000_000 })])
    expect(readRecord(key.keyId, printRecord(key))).toEqual(key);
});

test('a last use of 0 is none', () => {
  const key = sampleKey(1);
  expect(readRecord(key.keyId, [...printRecord(key).slice(0, 5), '0'])).toEqual(key);
});
