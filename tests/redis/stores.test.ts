// The stores in a real Redis keep the promises of their ports, also between processes and over what others wrote there.

import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openAnalysisKeys } from '../../src/adapters/storage/redis/analysis-keys.ts';
import { connectRedis, type RedisConnection } from '../../src/adapters/storage/redis/connect.ts';
import { openKeyValues } from '../../src/adapters/storage/redis/key-values.ts';
import { openRedis, type RedisStores } from '../../src/adapters/storage/redis/open-redis.ts';
import { StorageError } from '../../src/errors/storage-error.ts';
import { createScriptKeys } from '../../src/keys/script-keys.ts';
import { describeAnalysisKeyStore, sampleKey } from '../ports/analysis-key-store-suite.ts';
import { describeKeyValueStore } from '../ports/key-value-store-suite.ts';
import { REDIS_START_TIMEOUT_MS, type RedisServer, startRedis } from '../support/redis-server.ts';

const CALL = { atS: 1_790_000_000, sinceS: 0, limit: 5000 };
let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
}, REDIS_START_TIMEOUT_MS);
afterAll(() => server.kill());

/** A corner of the server that no other test uses. */
const freshPrefix = () => `test-${randomUUID()}:`;
const connection = (prefix: string): Promise<RedisConnection> => connectRedis({ url: server.url, prefix });

describeAnalysisKeyStore('the analysis keys in Redis', async () => {
  const prefix = freshPrefix();
  const connections: RedisConnection[] = [];
  const open = async (name: string, maxKeys?: number) => {
    const opened = await connection(name);
    connections.push(opened);
    return openAnalysisKeys({ connection: opened, ...(maxKeys === undefined ? {} : { maxKeys }) });
  };
  let store = await open(prefix);
  return {
    store,
    async reopen() {
      await store.close();
      store = await open(prefix);
      return store;
    },
    async remove() {
      await store.close();
      for (const each of connections) await each.close();
    },
    openSmall: (maxKeys) => open(freshPrefix(), maxKeys),
  };
});

describeKeyValueStore('the key values in Redis', async (choice) => {
  const opened = await connection(freshPrefix());
  const store = openKeyValues({ ...choice, connection: opened });
  return {
    store,
    async remove() {
      await store.close();
      await opened.close();
    },
  };
});

describe('beside the ports', () => {
  let stores: RedisStores;
  let tool: Redis;
  beforeAll(async () => {
    stores = await openRedis({ url: server.url, nowMs: Date.now });
    tool = new Redis(server.url);
  });
  afterAll(async () => {
    await stores.close();
    tool.disconnect();
  });
  const clear = () => tool.flushall();

  test('a key is one hash with the fields of the specification under our prefix, and no raw key is anywhere', async () => {
    await clear();
    const key = sampleKey(1, { tier: 'pro' });
    await stores.analysisKeys.add(key);
    expect((await tool.keys('*')).sort()).toEqual([`signalbox:analysis-key:${key.keyId}`, 'signalbox:analysis-keys']);
    expect(await tool.hgetall(`signalbox:analysis-key:${key.keyId}`)).toEqual({
      key_id: key.keyId,
      key_hash: key.keyHash,
      tier: 'pro',
      calls_used: '0',
      created_at: String(key.createdAtS),
      last_used: '',
    });
  });

  test('a script key is JSON with key, tier and createdAt under a name that ends in key:{key}, for a year', async () => {
    await clear();
    const keys = createScriptKeys({
      store: stores.keyValues,
      nowMs: Date.now,
      randomBytes: (size) => new Uint8Array(size),
    });
    const record = await keys.create('team');
    const name = `signalbox:api-keys:key:${record.key}`;
    const { key, tier, createdAt } = record;
    expect(JSON.parse((await tool.get(name)) ?? '')).toEqual({ key, tier, createdAt });
    const yearMs = 365 * 86_400_000;
    const lifeMs = await tool.pttl(name);
    expect(lifeMs).toBeGreaterThanOrEqual(yearMs);
    expect(lifeMs).toBeLessThanOrEqual(yearMs + 86_400_000);
    expect(await keys.lookup(record.key)).toEqual(record);
    await tool.del(name);
    expect(await keys.lookup(record.key)).toBeUndefined();
  });

  test('of a hundred calls at the last unit of a quota over two connections exactly one is counted', async () => {
    await clear();
    const other = await openRedis({ url: server.url, nowMs: Date.now });
    const key = sampleKey(1, { callsUsed: 4999, lastUsedS: CALL.atS });
    await stores.analysisKeys.add(key);
    const ends = await Promise.all(
      Array.from({ length: 100 }, (_, at) => (at % 2 ? stores : other).analysisKeys.count(key.keyHash, CALL)),
    );
    expect(ends.filter(({ counted }) => counted)).toHaveLength(1);
    expect(ends.filter((end) => !end.counted && end.reason === 'at-limit')).toHaveLength(99);
    expect(await stores.analysisKeys.find(key.keyHash)).toMatchObject({ callsUsed: 5000 });
    await other.close();
  });

  test('a key revoked over one connection is refused over the other at once', async () => {
    await clear();
    const other = await openRedis({ url: server.url, nowMs: Date.now });
    await stores.analysisKeys.add(sampleKey(1));
    expect(await other.analysisKeys.revoke(sampleKey(1).keyId)).toEqual(sampleKey(1));
    expect(await stores.analysisKeys.find(sampleKey(1).keyHash)).toBeUndefined();
    expect(await stores.analysisKeys.count(sampleKey(1).keyHash, CALL)).toEqual({ counted: false, reason: 'missing' });
    await other.close();
  });

  test('a hash with the same first digits is another key, which is not there', async () => {
    await clear();
    await stores.analysisKeys.add(sampleKey(1));
    const other = `${sampleKey(1).keyId}${'f'.repeat(52)}`;
    expect(await stores.analysisKeys.find(other)).toBeUndefined();
    expect(await stores.analysisKeys.count(other, CALL)).toEqual({ counted: false, reason: 'missing' });
  });

  test('more keys than fit into one round trip are listed whole and in order', async () => {
    await clear();
    const keys = Array.from({ length: 1201 }, (_, at) => sampleKey(at));
    await Promise.all(keys.map((key) => stores.analysisKeys.add(key)));
    expect(await stores.analysisKeys.list(5000)).toEqual(keys);
    expect(await stores.analysisKeys.list(1001)).toEqual(keys.slice(0, 1001));
  });

  const { keyId, keyHash } = sampleKey(1);
  const NAME = `signalbox:analysis-key:${keyId}`;
  test.each([
    ['an unknown tier', ['tier', 'gold']],
    ['a tier that is a part of the list', ['tier', 'free hobby']],
    ['a negative count', ['calls_used', '-1']],
    ['a count in words', ['calls_used', 'many']],
    ['a count beyond all numbers', ['calls_used', '9'.repeat(40)]],
    ['a broken count', ['calls_used', '1.5']],
    ['a time that is none', ['last_used', 'yesterday']],
    ['a birth that is none', ['created_at', '']],
  ])('a key with %s is refused in words, counts nothing, and can be revoked', async (_, [field, value]) => {
    await clear();
    await stores.analysisKeys.add(sampleKey(1));
    await tool.hset(NAME, field as string, value as string);
    const before = await tool.hgetall(NAME);
    const words = new RegExp(`record of key ${keyId} in Redis is damaged; revoke that key and make another`);
    await expect(stores.analysisKeys.find(keyHash)).rejects.toThrow(words);
    await expect(stores.analysisKeys.count(keyHash, CALL)).rejects.toThrow(words);
    await expect(stores.analysisKeys.list(10)).rejects.toThrow(words);
    expect(await tool.hgetall(NAME)).toEqual(before);
    expect(await stores.analysisKeys.revoke(keyId)).toMatchObject({ keyId });
    expect(await stores.analysisKeys.find(keyHash)).toBeUndefined();
    expect(await stores.analysisKeys.list(10)).toEqual([]);
  });

  test('a record without some of its fields is damaged too', async () => {
    await clear();
    await stores.analysisKeys.add(sampleKey(1));
    for (const field of ['key_hash', 'tier', 'calls_used', 'created_at', 'last_used']) {
      await tool.hdel(NAME, field);
      await expect(stores.analysisKeys.find(keyHash)).rejects.toThrow(/is damaged/);
      await expect(stores.analysisKeys.count(keyHash, CALL)).rejects.toThrow(/is damaged/);
    }
  });

  test('something else under a name of ours is refused in words, left as it is, and goes with a revocation', async () => {
    await clear();
    await tool.set(NAME, 'somebody may need it');
    await expect(stores.analysisKeys.find(keyHash)).rejects.toThrow(/something else .* a database of its own/);
    await expect(stores.analysisKeys.count(keyHash, CALL)).rejects.toThrow(StorageError);
    await expect(stores.analysisKeys.add(sampleKey(1))).rejects.toThrow(/already; make another/);
    expect(await tool.get(NAME)).toBe('somebody may need it');
    expect(await stores.analysisKeys.revoke(keyId)).toMatchObject({ keyId });
    await stores.analysisKeys.add(sampleKey(1));
    await clear();
    await tool.set('signalbox:analysis-keys', 'x');
    await expect(stores.analysisKeys.add(sampleKey(1))).rejects.toThrow(/something else/);
    expect(await tool.keys('*')).toEqual(['signalbox:analysis-keys']);
  });

  test('a Redis that has forgotten its scripts is told them again', async () => {
    await clear();
    await stores.analysisKeys.add(sampleKey(1));
    await tool.script('FLUSH');
    expect(await stores.analysisKeys.count(keyHash, CALL)).toMatchObject({ counted: true });
  });

  test('neither a value nor a name of another layout leaks into a fault', async () => {
    await clear();
    const secret = `key:pn_${'ab'.repeat(24)}`;
    await tool.rpush(`signalbox:api-keys:${secret}`, 'x');
    await tool.zadd('signalbox:api-keys-end', 9e15, secret);
    const fault = await stores.keyValues.get(secret).catch((error) => error);
    expect(fault).toBeInstanceOf(StorageError);
    expect(fault.cause).toBeUndefined();
    expect(JSON.stringify([fault.message, { ...fault }, fault.stack])).not.toContain('abab');
  });
});
