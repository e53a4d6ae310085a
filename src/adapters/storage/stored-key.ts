// One analysis key as another layout or another program stored it, read field by field; what cannot be understood is refused.
//
// Left out of a record: calls_used is 0, created_at is now, last_used is null; a last_used of 0 is none either.
// calls_limit is for people: the tier decides.

import { type AnalysisKey, KEY_ID_CHARS } from '../../keys/analysis-key-store.ts';
import { isTier, TIERS } from '../../keys/tiers.ts';

/** Says what is wrong without the text itself, which may hold raw keys. */
export class DamagedKeyRecord extends Error {}

export type KeyRecord = Readonly<Record<string, unknown>>;

export const KEY_HASH = /^[0-9a-f]{64}$/;
/** Seconds do not reach this before the year 5138, milliseconds passed it in 1973. */
const FIRST_MS = 1e11;
const MS_PER_S = 1000;
const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/;

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

/** A key that somebody had switched off must not come back to life. */
export const wasEnded = (record: KeyRecord): boolean =>
  record.is_active === false || record.active === false || record.revoked === true || isSet(record.revoked_at);

/** `where` names the record in the words of a fault. Throws DamagedKeyRecord. */
export function readKeyRecord(record: KeyRecord, keyHash: string, where: string, nowS: number): AnalysisKey {
  const { tier, calls_used: callsUsed = 0 } = record;
  if (isSet(record.key_hash) && record.key_hash !== keyHash)
    throw new DamagedKeyRecord(`${where} has another key_hash than its name says`);
  if (!isTier(tier)) throw new DamagedKeyRecord(`the tier of ${where} is none of ${TIERS.join(', ')}`);
  if (!Number.isSafeInteger(callsUsed) || (callsUsed as number) < 0)
    throw new DamagedKeyRecord(`calls_used of ${where} is no whole number`);
  const createdAtS = secondsOf(record.created_at, `created_at of ${where}`) ?? nowS;
  const lastUsed = record.last_used === 0 ? null : record.last_used;
  // Calls without a time belong to the time the key was made: it is the oldest they can be.
  const lastUsedS = secondsOf(lastUsed, `last_used of ${where}`) ?? ((callsUsed as number) > 0 ? createdAtS : null);
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
  if (!(seconds >= 0 && seconds < FIRST_MS)) throw new DamagedKeyRecord(`${what} is no time`);
  return seconds;
}

function msOf(value: unknown): number {
  if (typeof value === 'number') return value < FIRST_MS ? value * MS_PER_S : value;
  const [, day, time, zone = 'Z'] = (typeof value === 'string' ? ISO.exec(value) : null) ?? [];
  return day === undefined ? Number.NaN : Date.parse(time === undefined ? day : `${day}T${time}${zone}`);
}
