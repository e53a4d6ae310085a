// One analysis key as a Redis hash: which fields it has, and what to say when somebody else wrote into it.

import { StorageError } from '../../../errors/storage-error.ts';
import { type AnalysisKey, KEY_ID_CHARS } from '../../../keys/analysis-key-store.ts';
import { DEFAULT_TIER, isTier } from '../../../keys/tiers.ts';

/** In the order in which every script and command gives them. */
export const FIELDS = ['key_id', 'key_hash', 'tier', 'calls_used', 'created_at', 'last_used'] as const;

const HASH = /^[0-9a-f]{64}$/;
const WHOLE = /^\d{1,16}$/;

/** The name under which a key is kept; it holds nothing of the raw key but what its id shows. */
export const recordName = (keyId: string): string => `analysis-key:${keyId}`;
export const keyIdOf = (keyHash: string): string => keyHash.slice(0, KEY_ID_CHARS);

export const printRecord = (key: AnalysisKey): string[] => [
  key.keyId,
  key.keyHash,
  key.tier,
  String(key.callsUsed),
  String(key.createdAtS),
  key.lastUsedS === null ? '' : String(key.lastUsedS),
];

export const damagedRecord = (keyId: string): StorageError =>
  new StorageError(`the record of key ${keyId} in Redis is damaged; revoke that key and make another`);

/** Undefined when there is no such record. Throws when a single field cannot be trusted: such a key must not get in. */
export function readRecord(keyId: string, fields: readonly unknown[]): AnalysisKey | undefined {
  if (fields.every((field) => field === null || field === undefined)) return undefined;
  const [id, keyHash, tier, callsUsed, createdAtS, lastUsedS] = fields;
  if (id !== keyId || typeof keyHash !== 'string' || !HASH.test(keyHash) || keyIdOf(keyHash) !== keyId || !isTier(tier))
    throw damagedRecord(keyId);
  return {
    keyId,
    keyHash,
    tier,
    callsUsed: wholeNumber(callsUsed, keyId),
    createdAtS: wholeNumber(createdAtS, keyId),
    // A time of 0 was never a use; some tools write it for none.
    lastUsedS: lastUsedS === '' || lastUsedS === '0' ? null : wholeNumber(lastUsedS, keyId),
  };
}

function wholeNumber(field: unknown, keyId: string): number {
  const value = typeof field === 'string' && WHOLE.test(field) ? Number(field) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw damagedRecord(keyId);
  return value;
}

/** What is left of a record that was revoked: a damaged one can be revoked too, and what it was does not matter then. */
export function remainsOf(keyId: string, fields: readonly unknown[]): AnalysisKey {
  try {
    const key = readRecord(keyId, fields);
    if (key !== undefined) return key;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
  }
  return { keyId, keyHash: '', tier: DEFAULT_TIER, callsUsed: 0, createdAtS: 0, lastUsedS: null };
}
