// When Redis is away, slow, locked or the wrong one: every call is refused soon and in words, and all is well when it is back.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectRedis } from '../../src/adapters/storage/redis/connect.ts';
import { openRedis, type RedisStores } from '../../src/adapters/storage/redis/open-redis.ts';
import { StorageError } from '../../src/errors/storage-error.ts';
import { sampleKey } from '../ports/analysis-key-store-suite.ts';
import { freePort } from '../support/launched-server.ts';
import { timed } from '../support/lived-time.ts';
import { REDIS_START_TIMEOUT_MS, type RedisServer, startRedis } from '../support/redis-server.ts';
import { makeSelfSigned } from '../support/self-signed.ts';

const CALL = { atS: 1_790_000_000, sinceS: 0, limit: 5000 };
const { keyHash, keyId } = sampleKey(1);
const PASSWORD = 'p@ss/word%';
const LIMIT_MS = 3000;
const OPEN_REDIS = new URL('../../src/adapters/storage/redis/open-redis.ts', import.meta.url).href;

const withPassword = (url: string, password: string) =>
  url.replace('redis://', `redis://:${encodeURIComponent(password)}@`);

/** The fault of a call, which must come in time and be fit to be logged. */
async function faultOf(call: () => Promise<unknown>): Promise<string> {
  const { result: fault, livedMs } = await timed(() =>
    call().then(
      () => undefined,
      (error) => error,
    ),
  );
  expect(livedMs).toBeLessThan(LIMIT_MS);
  expect(fault).toBeInstanceOf(StorageError);
  expect(fault.cause).toBeUndefined();
  expect(`${fault.stack} ${JSON.stringify({ ...fault })}`).not.toContain('p@ss');
  return fault.message;
}

const everyCall = ({ analysisKeys, keyValues, probe }: RedisStores) => [
  () => analysisKeys.find(keyHash),
  () => analysisKeys.add(sampleKey(2)),
  () => analysisKeys.count(keyHash, CALL),
  () => analysisKeys.revoke(keyId),
  () => analysisKeys.list(10),
  () => analysisKeys.probe(),
  () => keyValues.get('key:a'),
  () => keyValues.put('key:a', 'x', 1000),
  () => keyValues.delete('key:a'),
  () => keyValues.probe(),
  probe,
];

async function eventually<T>(look: () => Promise<T>): Promise<T> {
  const deadlineMs = performance.now() + 30_000;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (performance.now() > deadlineMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

describe('a Redis that goes away', () => {
  let server: RedisServer;
  let stores: RedisStores;
  const states: (string | undefined)[] = [];
  beforeAll(async () => {
    server = await startRedis(['--requirepass', PASSWORD]);
    stores = await openRedis({
      url: withPassword(server.url, PASSWORD),
      nowMs: Date.now,
      onState: (fault) => states.push(fault?.message),
    });
    await stores.analysisKeys.add(sampleKey(1));
  }, REDIS_START_TIMEOUT_MS);
  afterAll(async () => {
    await stores.close();
    server.resume();
    await server.kill();
  });

  test('killed with calls under way: all of them are refused in time, and so is every call from then on', async () => {
    server.pause();
    const underWay = Array.from({ length: 50 }, () => faultOf(() => stores.analysisKeys.count(keyHash, CALL)));
    await server.kill();
    await Promise.all(underWay);
    for (const call of everyCall(stores))
      expect(await faultOf(call)).toMatch(
        /^Redis at 127\.0\.0\.1:\d+ cannot be reached.*; start it, or correct REDIS_URL$/,
      );
    expect(states).toHaveLength(1);
  });

  test('while it is away refusals come at once and nothing is kept for later', async () => {
    const { livedMs } = await timed(() =>
      Promise.all(Array.from({ length: 1000 }, () => faultOf(() => stores.keyValues.put('key:late', 'x', 1000)))),
    );
    expect(livedMs).toBeLessThan(1000);
  });

  test('back again, everything works by itself, and what was refused did not happen', async () => {
    await server.restart();
    expect(await eventually(() => stores.analysisKeys.find(keyHash))).toEqual(sampleKey(1));
    expect(await stores.keyValues.get('key:late')).toBeUndefined();
    expect(await stores.analysisKeys.count(keyHash, CALL)).toMatchObject({ counted: true, key: { callsUsed: 1 } });
    await stores.probe();
    expect(states).toEqual([expect.stringMatching(/^Redis at/), undefined]);
  });

  test('it hangs: calls are refused in time, and go on when it does', async () => {
    server.pause();
    expect(await faultOf(() => stores.analysisKeys.find(keyHash))).toMatch(/does not answer in time|cannot be reached/);
    server.resume();
    expect(await eventually(() => stores.analysisKeys.find(keyHash))).toMatchObject({ callsUsed: 1 });
  });

  test('it was not there at the start either: the stores come to life when it does', async () => {
    await server.kill();
    const early = await openRedis({ url: withPassword(server.url, PASSWORD), nowMs: Date.now });
    for (const call of everyCall(early)) expect(await faultOf(call)).toMatch(/cannot be reached \(ECONNREFUSED\)/);
    await server.restart();
    expect(await eventually(() => early.analysisKeys.find(keyHash))).toMatchObject({ keyId });
    await early.close();
  });

  test('closed while it is away: calls say so, and the process can end', async () => {
    await server.kill();
    const url = withPassword(server.url, PASSWORD);
    const lonely = await openRedis({ url, nowMs: Date.now });
    await lonely.close();
    await lonely.close();
    expect(await faultOf(lonely.probe)).toMatch(/is closed; start Signalbox again/);
    const program = `const { openRedis } = await import(${JSON.stringify(OPEN_REDIS)});
      await (await openRedis({ url: ${JSON.stringify(url)}, nowMs: Date.now })).close();`;
    const node = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program];
    await promisify(execFile)(process.execPath, node, { timeout: 20_000 });
    await server.restart();
  });
});

describe('a Redis that refuses', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis(['--requirepass', PASSWORD, '--databases', '4']);
  }, REDIS_START_TIMEOUT_MS);
  afterAll(() => server.kill());

  async function faultWith(url: string): Promise<string> {
    const stores = await openRedis({ url, nowMs: Date.now });
    const faults = new Set<string>();
    for (const call of everyCall(stores)) faults.add(await faultOf(call));
    await stores.close();
    expect(faults.size).toBe(1);
    return [...faults].join();
  }

  test('a wrong password is told in words, and no password is', async () => {
    const words = /refuses the user name or password; correct REDIS_URL$/;
    expect(await faultWith(withPassword(server.url, `${PASSWORD}!`))).toMatch(words);
    expect(await faultWith(withPassword(server.url, PASSWORD).replace('//:', '//nobody:'))).toMatch(words);
    expect(await faultWith(server.url)).toMatch(words);
  });

  test('the right one opens the database of the address, and that one alone', async () => {
    const url = `${withPassword(server.url, PASSWORD)}/3`;
    const stores = await openRedis({ url, nowMs: Date.now });
    await stores.analysisKeys.add(sampleKey(1));
    const tool = new Redis(withPassword(server.url, PASSWORD));
    expect(await tool.keys('*')).toEqual([]);
    await tool.select(3);
    expect(await tool.keys('*')).toHaveLength(2);
    tool.disconnect();
    await stores.close();
  });

  test('a database it does not have is refused; the first one is not used instead', async () => {
    expect(await faultWith(`${withPassword(server.url, PASSWORD)}/9`)).toMatch(/no such database; correct the number/);
    const tool = new Redis(withPassword(server.url, PASSWORD));
    expect(await tool.keys('*')).toEqual([]);
    tool.disconnect();
  });

  test('a user that may only read, a full Redis and a replica are told apart', async () => {
    const url = withPassword(server.url, PASSWORD);
    const tool = new Redis(url);
    await tool.call('ACL', 'SETUSER', 'reader', 'on', '>p@ss', '~*', '+@read', '+@connection');
    const reader = await openRedis({ url: server.url.replace('//', '//reader:p%40ss@'), nowMs: Date.now });
    expect(await reader.analysisKeys.find(keyHash)).toBeUndefined();
    expect(await faultOf(() => reader.analysisKeys.add(sampleKey(1)))).toMatch(/allow it all commands on the names/);
    await reader.close();
    const stores = await openRedis({ url, nowMs: Date.now });
    await tool.config('SET', 'maxmemory', '1');
    expect(await faultOf(() => stores.analysisKeys.add(sampleKey(1)))).toMatch(/is full; raise its maxmemory/);
    await tool.config('SET', 'maxmemory', '0');
    await tool.call('REPLICAOF', '127.0.0.1', '1');
    expect(await faultOf(stores.probe)).toMatch(/is a replica and takes no writes/);
    await tool.call('REPLICAOF', 'NO', 'ONE');
    await eventually(stores.probe);
    await stores.close();
    tool.disconnect();
  });
});

describe('an address', () => {
  test.each([
    ['nothing', ''],
    ['a word', 'redis'],
    ['another protocol', 'http://:p@ss@127.0.0.1:6379'],
    ['no host', 'redis://'],
    ['a port that is none', 'redis://:p@ss@127.0.0.1:port'],
    ['a database that is none', 'redis://:p@ss@127.0.0.1:6379/keys'],
    ['options', 'redis://:p@ss@127.0.0.1:6379/0?family=6'],
    ['a broken escape', 'redis://:p@ss%@127.0.0.1:6379'],
  ])('with %s is refused at once, without repeating it', async (_, url) => {
    const words = await faultOf(() => openRedis({ url, nowMs: Date.now }));
    expect(words).toMatch(/^REDIS_URL (?:is|has) .+; .*(?:write|end)/);
  });

  test('where something else listens is refused in time', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    const { result: connection, livedMs } = await timed(() => connectRedis({ url: `redis://127.0.0.1:${port}` }));
    expect(livedMs).toBeLessThan(LIMIT_MS);
    await faultOf(connection.probe);
    await connection.close();
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
});

describe('rediss', () => {
  let server: RedisServer;
  const { certificate, privateKey } = makeSelfSigned();
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-tls-'));
    const [certPath, keyPath] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    writeFileSync(certPath, certificate);
    writeFileSync(keyPath, privateKey, { mode: 0o600 });
    const files = ['--tls-cert-file', certPath, '--tls-key-file', keyPath, '--tls-auth-clients', 'no'];
    server = await startRedis([...files, '--requirepass', PASSWORD]);
  }, REDIS_START_TIMEOUT_MS);
  afterAll(() => server.kill());
  const url = () => withPassword(server.url, PASSWORD).replace('redis:', 'rediss:');

  test('works with a certificate that is trusted', async () => {
    const stores = await openRedis({ url: url(), ca: certificate, nowMs: Date.now });
    await stores.keyValues.put('key:a', 'x', 1000);
    expect(await stores.keyValues.get('key:a')).toBe('x');
    await stores.close();
  });

  test('a certificate nobody vouches for is not trusted, and plain text gets nowhere', async () => {
    const stores = await openRedis({ url: url(), nowMs: Date.now });
    expect(await faultOf(stores.probe)).toMatch(
      /cannot be trusted \([A-Z_]+\); correct REDIS_URL, or name its authority/,
    );
    await stores.close();
    const plain = await openRedis({ url: withPassword(server.url, PASSWORD), nowMs: Date.now });
    await faultOf(plain.probe);
    await plain.close();
  });

  test('an address where nobody listens is told as such', async () => {
    const nobody = await openRedis({ url: `rediss://127.0.0.1:${await freePort()}`, nowMs: Date.now });
    expect(await faultOf(nobody.probe)).toMatch(/cannot be reached \(ECONNREFUSED\)/);
    await nobody.close();
  });
});
