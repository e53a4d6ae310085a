// Analysis keys in Redis, for several processes: every change is one script, so that no two of them can disagree.
//
// A key is the hash `analysis-key:<key id>`; the sorted set `analysis-keys` holds all ids by the second they were made.
// How durable a resolved call is, Redis decides: with `appendonly yes` a crash of it loses a second of counted calls.

import { StorageError } from '../../../errors/storage-error.ts';
import type { AnalysisKey, AnalysisKeyStore, CountedCall, CountResult } from '../../../keys/analysis-key-store.ts';
import { TIERS } from '../../../keys/tiers.ts';
import { createCallsInFlight } from './calls-in-flight.ts';
import { type RedisConnection, redisScript } from './connect.ts';
import { damagedRecord, FIELDS, keyIdOf, printRecord, readRecord, recordName, remainsOf } from './key-record.ts';

/** Some 200 MB in Redis. */
const MAX_KEYS = 1_000_000;
const ORDER = 'analysis-keys';
/** Records read in one round trip, so that a long list holds up nobody else. */
const RECORDS_AT_ONCE = 500;

const QUOTED_FIELDS = FIELDS.map((name) => `'${name}'`).join(', ');

/** KEYS: record, order. ARGV: the six fields, the most keys. Everything is looked at before anything is written. */
const ADD = redisScript(`
if redis.call('EXISTS', KEYS[1]) == 1 or redis.call('ZSCORE', KEYS[2], ARGV[1]) then return 'taken' end
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[7]) then return 'full' end
for at, name in ipairs({${QUOTED_FIELDS}}) do redis.call('HSET', KEYS[1], name, ARGV[at]) end
redis.call('ZADD', KEYS[2], ARGV[5], ARGV[1])
return 'added'`);

/**
 * The rule of countCall. KEYS: record. ARGV: key hash, time of the call, start of the period, limit or nothing, the tiers
 * with a blank on each side. Numbers are written with all their digits; Lua would round long ones.
 */
const COUNT = redisScript(`
local key = redis.call('HMGET', KEYS[1], ${QUOTED_FIELDS})
if not key[2] and redis.call('EXISTS', KEYS[1]) == 0 then return {'missing'} end
if key[2] and key[2] ~= ARGV[1] then return {'missing'} end
for at = 1, 6 do if not key[at] then return {'damaged'} end end
local tier, used, made, last = key[3], key[4], key[5], key[6]
if not string.find(tier, '^%a+$') or not string.find(ARGV[5], ' ' .. tier .. ' ', 1, true) then return {'damaged'} end
if not string.find(used, '^%d+$') or not string.find(made, '^%d+$') or not string.find(last, '^%d*$') then return {'damaged'} end
if #made > 15 or #last > 15 or tonumber(used) >= 9007199254740991 then return {'damaged'} end
local before = 0
if last ~= '' and tonumber(last) >= tonumber(ARGV[3]) then before = tonumber(used) end
if ARGV[4] ~= '' and before >= tonumber(ARGV[4]) then return {'at-limit'} end
key[4] = string.format('%.0f', before + 1)
key[6] = ARGV[2]
redis.call('HSET', KEYS[1], 'calls_used', key[4], 'last_used', key[6])
return {'counted', unpack(key)}`);

/** KEYS: record, order. ARGV: key id. */
const REVOKE = redisScript(`
local isHash = redis.call('TYPE', KEYS[1]).ok == 'hash'
local key = isHash and redis.call('HMGET', KEYS[1], ${QUOTED_FIELDS}) or {}
local listed = redis.call('ZREM', KEYS[2], ARGV[1])
if redis.call('DEL', KEYS[1]) + listed == 0 then return false end
for at = 1, 6 do key[at] = key[at] or '' end
return key`);

const TIER_WORDS = ` ${TIERS.join(' ')} `;

export interface AnalysisKeysOptions {
  readonly connection: RedisConnection;
  readonly maxKeys?: number;
}

export function openAnalysisKeys({ connection, maxKeys = MAX_KEYS }: AnalysisKeysOptions): AnalysisKeyStore {
  const { where, run, script } = connection;
  const calls = createCallsInFlight(`the analysis keys in Redis at ${where}`);

  async function add(key: AnalysisKey): Promise<void> {
    if (keyIdOf(key.keyHash) !== key.keyId)
      throw new StorageError(`${key.keyId} is not the id of that key; make another`);
    const end = await script(ADD, [recordName(key.keyId), ORDER], [...printRecord(key), maxKeys]);
    if (end === 'taken')
      throw new StorageError(`Redis at ${where} holds a key with the id ${key.keyId} already; make another`);
    if (end === 'full') throw new StorageError(`Redis at ${where} holds ${maxKeys} keys already; revoke some`);
  }

  async function count(keyHash: string, { atS, sinceS, limit }: CountedCall): Promise<CountResult> {
    const keyId = keyIdOf(keyHash);
    const args = [keyHash, atS, sinceS, limit ?? '', TIER_WORDS];
    const [end, ...fields] = (await script(COUNT, [recordName(keyId)], args)) as string[];
    if (end === 'missing' || end === 'at-limit') return { counted: false, reason: end };
    const key = end === 'counted' ? readRecord(keyId, fields) : undefined;
    if (key === undefined) throw damagedRecord(keyId);
    return { counted: true, key };
  }

  async function find(keyHash: string): Promise<AnalysisKey | undefined> {
    const keyId = keyIdOf(keyHash);
    const fields = await run((redis) => redis.hmget(recordName(keyId), ...FIELDS));
    const key = readRecord(keyId, fields);
    return key?.keyHash === keyHash ? key : undefined;
  }

  async function revoke(keyId: string): Promise<AnalysisKey | undefined> {
    const fields = (await script(REVOKE, [recordName(keyId), ORDER], [keyId])) as unknown[] | null;
    return fields === null ? undefined : remainsOf(keyId, fields);
  }

  async function list(limit: number): Promise<readonly AnalysisKey[]> {
    const ids = limit > 0 ? await run((redis) => redis.zrange(ORDER, 0, `${limit - 1}`)) : [];
    const keys: AnalysisKey[] = [];
    for (let at = 0; at < ids.length; at += RECORDS_AT_ONCE) {
      const some = ids.slice(at, at + RECORDS_AT_ONCE);
      const records = await run((redis) => Promise.all(some.map((id) => redis.hmget(recordName(id), ...FIELDS))));
      // One that was revoked meanwhile is simply no longer there.
      for (const [index, id] of some.entries()) keys.push(...[readRecord(id, records[index] ?? [])].filter(isThere));
    }
    return keys;
  }

  return {
    find: (keyHash) => calls.run(() => find(keyHash)),
    add: (key) => calls.run(() => add(key)),
    count: (keyHash, call) => calls.run(() => count(keyHash, call)),
    revoke: (keyId) => calls.run(() => revoke(keyId)),
    list: (limit) => calls.run(() => list(limit)),
    probe: () => calls.run(() => connection.probe().then(() => undefined)),
    close: () => calls.close(),
  };
}

const isThere = (key: AnalysisKey | undefined): key is AnalysisKey => key !== undefined;
