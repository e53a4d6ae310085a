// The text of the analysis key file: how it is written today, and the two older layouts it may still be found in.
//
// Today, one line per key, by the SHA-256 of the raw key:
//   { "<64 hex>": {"key_id", "key_hash", "tier", "calls_used", "calls_limit", "created_at", "last_used"} }
// Older, by the raw key, either at the top or one level down:
//   { "pyn_…": {"tier", …} }      { "keys": { "pyn_…": {"tier", …} } }
// Whatever layout an entry comes in, only the fields above are taken over: nothing of a raw key is ever written again.
// Left out of a file: calls_used is 0, created_at is now, last_used is null. calls_limit is for people: the tier decides.

import { type AnalysisKey, KEY_ID_CHARS } from '../../../keys/analysis-key-store.ts';
import { hashOfKey, isRawAnalysisKey } from '../../../keys/analysis-keys.ts';
import { isTier, publishedLimit, TIERS } from '../../../keys/tiers.ts';

/** Says what is wrong without the text itself, which may hold raw keys. */
export class DamagedKeyFile extends Error {}

const HASH = /^[0-9a-f]{64}$/;
/** Seconds do not reach this before the year 5138, milliseconds passed it in 1973. */
const FIRST_MS = 1e11;
const MS_PER_S = 1000;
const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/;

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject =>
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

/** Every key of the file. Throws DamagedKeyFile when a single thing in it cannot be understood. */
export function readKeyFile(text: string, nowS: number): readonly AnalysisKey[] {
  const keys = new Map<string, AnalysisKey>();
  const ids = new Set<string>();
  const entries = Object.entries(entriesOf(text));
  // Entries by hash first: where an older entry says something else about the same key, the newer layout is right.
  const ordered = [...entries.entries()].sort(([, [a]], [, [b]]) => Number(HASH.test(b)) - Number(HASH.test(a)));
  for (const [position, [name, value]] of ordered) {
    const where = `entry ${position + 1}`;
    const keyHash = hashOf(name, where);
    if (!isObject(value)) throw new DamagedKeyFile(`${where} is no record`);
    if (keys.has(keyHash) || wasEnded(value)) continue;
    const key = keyOf(value, keyHash, where, nowS);
    if (ids.has(key.keyId)) throw new DamagedKeyFile(`${where} has the id of another key`);
    ids.add(key.keyId);
    keys.set(keyHash, key);
  }
  return [...keys.values()];
}

function entriesOf(text: string): JsonObject {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    throw new DamagedKeyFile('it is no JSON');
  }
  if (!isObject(file)) throw new DamagedKeyFile('it does not hold one JSON object');
  if (!('keys' in file)) return file;
  const { keys, version: _version, ...others } = file;
  if (!isObject(keys) || Object.keys(others).length > 0)
    throw new DamagedKeyFile('beside "keys" there is something else');
  return keys;
}

function hashOf(name: string, where: string): string {
  if (HASH.test(name)) return name;
  if (isRawAnalysisKey(name)) return hashOfKey(name);
  throw new DamagedKeyFile(`${where} is named neither by a hash nor by a key`);
}

/** A key that somebody had switched off in an older file must not come back to life. */
const wasEnded = (record: JsonObject): boolean =>
  record.is_active === false || record.active === false || record.revoked === true || isSet(record.revoked_at);

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

function keyOf(record: JsonObject, keyHash: string, where: string, nowS: number): AnalysisKey {
  const { tier, calls_used: callsUsed = 0 } = record;
  if (isSet(record.key_hash) && record.key_hash !== keyHash)
    throw new DamagedKeyFile(`${where} has another key_hash than its name says`);
  if (!isTier(tier)) throw new DamagedKeyFile(`the tier of ${where} is none of ${TIERS.join(', ')}`);
  if (!Number.isSafeInteger(callsUsed) || (callsUsed as number) < 0)
    throw new DamagedKeyFile(`calls_used of ${where} is no whole number`);
  const createdAtS = secondsOf(record.created_at, `created_at of ${where}`) ?? nowS;
  // Calls without a time belong to the time the key was made: it is the oldest they can be.
  const lastUsedS =
    secondsOf(record.last_used, `last_used of ${where}`) ?? ((callsUsed as number) > 0 ? createdAtS : null);
  return {
    keyId: keyHash.slice(0, KEY_ID_CHARS),
    keyHash,
    tier,
    callsUsed: callsUsed as number,
    createdAtS,
    lastUsedS,
  };
}

/** Older files hold seconds, fractions of them, milliseconds or ISO text; a text without a zone means UTC. */
function secondsOf(value: unknown, what: string): number | undefined {
  if (!isSet(value)) return undefined;
  const seconds = Math.floor(msOf(value) / MS_PER_S);
  // Later than that could not be told from milliseconds when it is read again.
  if (!(seconds >= 0 && seconds < FIRST_MS)) throw new DamagedKeyFile(`${what} is no time`);
  return seconds;
}

function msOf(value: unknown): number {
  if (typeof value === 'number') return value < FIRST_MS ? value * MS_PER_S : value;
  const [, day, time, zone = 'Z'] = (typeof value === 'string' ? ISO.exec(value) : null) ?? [];
  return day === undefined ? Number.NaN : Date.parse(time === undefined ? day : `${day}T${time}${zone}`);
}
