// Analysis keys shared by several processes: nobody counts past a limit, and a key revoked in one is refused in the others.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openAnalysisKeys as openInFile } from '../../src/adapters/storage/json-file/analysis-keys.ts';
import { openRedis } from '../../src/adapters/storage/redis/open-redis.ts';
import { openAnalysisKeys as openOnSqlite } from '../../src/adapters/storage/sqlite/analysis-keys.ts';
import type { AnalysisKeyStore } from '../../src/keys/analysis-key-store.ts';
import { sampleKey } from '../ports/analysis-key-store-suite.ts';
import { REDIS_START_TIMEOUT_MS, type RedisServer, startRedis } from '../support/redis-server.ts';

const PROGRAM = fileURLToPath(new URL('./key-process.ts', import.meta.url));
const CALL = { atS: 1_790_000_000, sinceS: 0, limit: 5000 };
const key = sampleKey(1, { callsUsed: 4999, lastUsedS: CALL.atS });

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
}, REDIS_START_TIMEOUT_MS);
afterAll(() => server.kill());

const freshPath = (name: string) => join(mkdtempSync(join(tmpdir(), 'signalbox-processes-')), name);
type Opened = { readonly store: AnalysisKeyStore; readonly place: string; readonly close: () => Promise<void> };
const OPEN: Readonly<Record<'json' | 'sqlite' | 'redis', () => Promise<Opened>>> = {
  async json() {
    const place = freshPath('api_keys.json');
    const store = await openInFile({ path: place, nowMs: Date.now });
    return { store, place, close: store.close };
  },
  async sqlite() {
    const place = freshPath('api_keys.db');
    const store = openOnSqlite({ path: place });
    return { store, place, close: store.close };
  },
  async redis() {
    const { analysisKeys: store, close, ...rest } = await openRedis({ url: server.url, nowMs: Date.now });
    for (const { keyId } of await store.list(10)) await store.revoke(keyId);
    return { store, place: `redis://${rest.where}`, close };
  },
};

/** Starts processes, lets them go at the same moment, and gives what each printed. */
async function atOnce(
  kind: string,
  place: string,
  ...commands: readonly (readonly [string, string])[]
): Promise<unknown[]> {
  const flags = ['--disable-warning=ExperimentalWarning', PROGRAM, kind, place];
  const started = commands.map((command) =>
    spawn(process.execPath, [...flags, ...command], { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  const printed = started.map(linesOf);
  await Promise.all(printed.map(({ first }) => first));
  for (const { stdin } of started) stdin.write('go\n');
  return Promise.all(printed.map(async ({ rest }) => JSON.parse(await rest)));
}

function linesOf(child: ChildProcess): { first: Promise<void>; rest: Promise<string> } {
  let text = '';
  const { promise: first, resolve } = Promise.withResolvers<void>();
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    if (text.includes('\n')) resolve();
  });
  const rest = once(child, 'close').then(([code]) => {
    if (code !== 0) throw new Error(`a process ended with code ${code} after: ${text}`);
    return text.slice(text.indexOf('\n') + 1);
  });
  return { first: Promise.race([first, rest.then(() => undefined)]), rest };
}

describe.each(['sqlite', 'redis'] as const)('%s', (kind) => {
  test('of a hundred calls of two processes at the last unit of a quota exactly one is counted', async () => {
    const { store, place, close } = await OPEN[kind]();
    await store.add(key);
    const counts = await atOnce(kind, place, ['count', key.keyHash], ['count', key.keyHash]);
    expect(counts.toSorted()).toEqual([0, 1]);
    expect(await store.find(key.keyHash)).toMatchObject({ callsUsed: 5000 });
    await close();
  });
});

describe.each(['json', 'sqlite', 'redis'] as const)('%s', (kind) => {
  test('a key revoked by another process is refused here from then on, and the others are not', async () => {
    const { store, place, close } = await OPEN[kind]();
    await store.add(key);
    await store.add(sampleKey(2));
    expect(await atOnce(kind, place, ['revoke', key.keyId])).toEqual([key]);
    expect(await store.find(key.keyHash)).toBeUndefined();
    expect(await store.count(key.keyHash, CALL)).toEqual({ counted: false, reason: 'missing' });
    expect(await store.count(sampleKey(2).keyHash, CALL)).toMatchObject({ counted: true });
    await close();
  });

  test('of four processes that revoke the same key none fails, and the store goes on counting meanwhile', async () => {
    const { store, place, close } = await OPEN[kind]();
    for (const each of [key, sampleKey(2)]) await store.add(each);
    let isOver = false;
    const counting = (async () => {
      let counted = 0;
      while (!isOver) {
        const end = await store.count(sampleKey(2).keyHash, { ...CALL, limit: undefined });
        if (end.counted) counted += 1;
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      return counted;
    })();
    const four = Array.from({ length: 4 }, () => ['revoke', key.keyId] as const);
    const ends = await atOnce(kind, place, ...four);
    isOver = true;
    const counted = await counting;
    expect(ends.filter((end) => end !== null).length).toBeGreaterThanOrEqual(1);
    expect(await store.list(10)).toMatchObject([{ keyId: sampleKey(2).keyId, callsUsed: counted }]);
    await close();
  });
});
