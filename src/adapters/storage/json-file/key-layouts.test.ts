// The text of the key file as properties: what is written is read back, and whatever is read never breaks out or leaks.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AnalysisKey } from '../../../keys/analysis-key-store.ts';
import { TIERS } from '../../../keys/tiers.ts';
import { DamagedKeyRecord } from '../stored-key.ts';
import { keyLine, printKeyFile, readKeyFile } from './key-layouts.ts';

const NOW_S = 1_800_000_000;
/** A key that was used has a time of use: without one its calls would belong to no period. */
const anyKey = fc
  .record({
    keyHash: fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 }),
    tier: fc.constantFrom(...TIERS),
    callsUsed: fc.maxSafeNat(),
    createdAtS: fc.nat(4e9),
    lastUsedS: fc.integer({ min: 1, max: 4e9 }),
  })
  .map(
    (key): AnalysisKey => ({
      ...key,
      keyId: key.keyHash.slice(0, 12),
      lastUsedS: key.callsUsed === 0 ? null : key.lastUsedS,
    }),
  );

test('every list of keys is read back as it was written', () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyKey, { selector: ({ keyId }) => keyId, maxLength: 8 }), (keys) => {
      expect(readKeyFile(printKeyFile(keys.map(keyLine)), NOW_S)).toEqual(keys);
    }),
  );
});

const rawKey = fc
  .string({ unit: fc.constantFrom(...'abcXYZ019_-'), minLength: 1, maxLength: 50 })
  .map((text) => `pyn_${text}`);

function readOrRefuse(text: string): readonly AnalysisKey[] {
  try {
    return readKeyFile(text, NOW_S);
  } catch (error) {
    expect(error).toBeInstanceOf(DamagedKeyRecord);
    expect((error as Error).message).not.toContain('pyn_');
    return [];
  }
}

test('any JSON and any text is read or refused, never anything else', () => {
  fc.assert(fc.property(fc.json(), (text) => void readOrRefuse(text)));
  fc.assert(fc.property(fc.string(), (text) => void readOrRefuse(text)));
});

test('any record by a raw key, in either older layout, is refused or comes out as a sound key without the raw one', () => {
  const field = fc.oneof(fc.jsonValue(), fc.constantFrom(...TIERS), fc.nat(), fc.date().map(String));
  const names = ['tier', 'calls_used', 'created_at', 'last_used', 'key_id', 'is_active', 'api_key'] as const;
  const record = fc.record(Object.fromEntries(names.map((name) => [name, field])), { requiredKeys: [] });
  const sound = fc.record({ tier: fc.constantFrom(...TIERS), calls_used: fc.nat(), created_at: fc.nat() });
  fc.assert(
    fc.property(fc.dictionary(rawKey, fc.oneof(record, sound), { maxKeys: 4 }), fc.boolean(), (records, deep) => {
      const keys = readOrRefuse(JSON.stringify(deep ? { keys: records } : records));
      const text = printKeyFile(keys.map(keyLine));
      for (const raw of Object.keys(records)) expect(text).not.toContain(raw);
      expect(readKeyFile(text, NOW_S)).toEqual(keys);
    }),
  );
});

test('a last use of 0 is none; with calls it is as old as the key', () => {
  const record = (callsUsed: number) => ({
    tier: 'pro',
    calls_used: callsUsed,
    created_at: 1_790_000_000,
    last_used: 0,
  });
  const file = { ['a'.repeat(64)]: record(0), ['b'.repeat(64)]: record(3) };
  const keys = readKeyFile(JSON.stringify(file), NOW_S);
  expect(keys.map(({ lastUsedS }) => lastUsedS)).toEqual([null, 1_790_000_000]);
});
