// A process of its own over one of the analysis key stores: it says `ready`, waits for a line, does one thing, and prints the end as JSON.

import { once } from 'node:events';
import { openAnalysisKeysBeside } from '../../src/adapters/storage/json-file/analysis-keys-beside-owner.ts';
import { openRedis } from '../../src/adapters/storage/redis/open-redis.ts';
import { openAnalysisKeys as openOnSqlite } from '../../src/adapters/storage/sqlite/analysis-keys.ts';
import type { AnalysisKeyStore } from '../../src/keys/analysis-key-store.ts';

const CALLS = 50;
const [kind = '', place = '', action = '', key = ''] = process.argv.slice(2);

async function open(): Promise<{ store: AnalysisKeyStore; close: () => Promise<void> }> {
  if (kind === 'redis') {
    const redis = await openRedis({ url: place, nowMs: Date.now });
    return { store: redis.analysisKeys, close: redis.close };
  }
  const store =
    kind === 'sqlite' ? openOnSqlite({ path: place }) : await openAnalysisKeysBeside({ path: place, nowMs: Date.now });
  return { store, close: store.close };
}

/** How many of fifty calls at once were counted. */
async function count(store: AnalysisKeyStore): Promise<number> {
  const call = { atS: 1_790_000_000, sinceS: 0, limit: 5000 };
  const ends = await Promise.all(Array.from({ length: CALLS }, () => store.count(key, call)));
  return ends.filter(({ counted }) => counted).length;
}

const { store, close } = await open();
process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdin.destroy();
const end = action === 'count' ? await count(store) : await store.revoke(key);
process.stdout.write(`${JSON.stringify(end ?? null)}\n`);
await close();
