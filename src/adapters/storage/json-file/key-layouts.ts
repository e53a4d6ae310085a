// The text of the analysis key file: how it is written today, and the two older layouts it may still be found in.
//
// Today, one line per key, by the SHA-256 of the raw key:
//   { "<64 hex>": {"key_id", "key_hash", "tier", "calls_used", "calls_limit", "created_at", "last_used"} }
// Older, by the raw key, either at the top or one level down:
//   { "pyn_…": {"tier", …} }      { "keys": { "pyn_…": {"tier", …} } }
// Whatever layout an entry comes in, only the fields above are taken over: nothing of a raw key is ever written again.
// What a record may leave out is in stored-key.ts.

import type { AnalysisKey } from '../../../keys/analysis-key-store.ts';
import { hashOfKey, isRawAnalysisKey } from '../../../keys/analysis-keys.ts';
import { publishedLimit } from '../../../keys/tiers.ts';
import { DamagedKeyRecord, KEY_HASH, type KeyRecord, readKeyRecord, wasEnded } from '../stored-key.ts';

const isObject = (value: unknown): value is KeyRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** One key as a line of the file. */
export function keyLine(key: AnalysisKey): string {
  const record = {
    key_id: key.keyId,
    key_hash: key.keyHash,
    tier: key.tier,
    calls_used: key.callsUsed,
    calls_limit: publishedLimit(key.tier),
    created_at: key.createdAtS,
    last_used: key.lastUsedS,
  };
  return `${JSON.stringify(key.keyHash)}: ${JSON.stringify(record)}`;
}

export function printKeyFile(lines: Iterable<string>): string {
  const all = [...lines];
  return all.length === 0 ? '{}\n' : `{\n${all.join(',\n')}\n}\n`;
}

/** Every key of the file. Throws DamagedKeyRecord when a single thing in it cannot be understood. */
export function readKeyFile(text: string, nowS: number): readonly AnalysisKey[] {
  const keys = new Map<string, AnalysisKey>();
  const ids = new Set<string>();
  const entries = Object.entries(entriesOf(text));
  // Entries by hash first: where an older entry says something else about the same key, the newer layout is right.
  const ordered = [...entries.entries()].sort(
    ([, [a]], [, [b]]) => Number(KEY_HASH.test(b)) - Number(KEY_HASH.test(a)),
  );
  for (const [position, [name, value]] of ordered) {
    const where = `entry ${position + 1}`;
    const keyHash = hashOf(name, where);
    if (!isObject(value)) throw new DamagedKeyRecord(`${where} is no record`);
    if (keys.has(keyHash) || wasEnded(value)) continue;
    const key = readKeyRecord(value, keyHash, where, nowS);
    if (ids.has(key.keyId)) throw new DamagedKeyRecord(`${where} has the id of another key`);
    ids.add(key.keyId);
    keys.set(keyHash, key);
  }
  return [...keys.values()];
}

function entriesOf(text: string): KeyRecord {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    throw new DamagedKeyRecord('it is no JSON');
  }
  if (!isObject(file)) throw new DamagedKeyRecord('it does not hold one JSON object');
  if (!('keys' in file)) return file;
  const { keys, version: _version, ...others } = file;
  if (!isObject(keys) || Object.keys(others).length > 0)
    throw new DamagedKeyRecord('beside "keys" there is something else');
  return keys;
}

function hashOf(name: string, where: string): string {
  if (KEY_HASH.test(name)) return name;
  if (isRawAnalysisKey(name)) return hashOfKey(name);
  throw new DamagedKeyRecord(`${where} is named neither by a hash nor by a key`);
}
