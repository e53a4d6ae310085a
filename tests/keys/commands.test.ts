// `signalbox keys` over the real stores, while a server uses them: what a command did holds from the next call on.

import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openAnalysisKeys as openInFile } from '../../src/adapters/storage/json-file/analysis-keys.ts';
import { openAnalysisKeysBeside } from '../../src/adapters/storage/json-file/analysis-keys-beside-owner.ts';
import { openRedis } from '../../src/adapters/storage/redis/open-redis.ts';
import { openAnalysisKeys as openOnSqlite } from '../../src/adapters/storage/sqlite/analysis-keys.ts';
import { openKeyValues } from '../../src/adapters/storage/sqlite/strangers/testing/open-storage.ts';
import type { KeyHost } from '../../src/cli/host.ts';
import { run } from '../../src/cli/testing/fake-host.ts';
import type { AnalysisKeyStore } from '../../src/keys/analysis-key-store.ts';
import { createAnalysisKeys } from '../../src/keys/analysis-keys.ts';
import type { KeyValueStore } from '../../src/keys/key-value-store.ts';
import { createScriptKeys } from '../../src/keys/script-keys.ts';
import { usagePeriod } from '../../src/keys/usage.ts';
import { REDIS_START_TIMEOUT_MS, type RedisServer, startRedis } from '../support/redis-server.ts';

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
}, REDIS_START_TIMEOUT_MS);
afterAll(() => server.kill());

interface Opened<Store> {
  readonly store: Store;
  readonly close: () => Promise<void>;
}
type Open<Store> = () => Promise<Opened<Store>>;

const nowMs = Date.now;
const folder = () => mkdtempSync(join(tmpdir(), 'signalbox-commands-'));
const opened = <Store extends { close(): Promise<void> }>(store: Store) => ({ store, close: () => store.close() });
const redis = () => openRedis({ url: server.url, nowMs });
const analysisKeysOver = (store: AnalysisKeyStore) =>
  createAnalysisKeys({ store, nowMs, randomBytes, usageReset: 'monthly' });
const scriptKeysOver = (store: KeyValueStore) => createScriptKeys({ store, nowMs, randomBytes });

/** The command line as the program has it, over stores of this test. */
function commandOver(analysis?: Open<AnalysisKeyStore>, scripts?: Open<KeyValueStore>) {
  const keyStores: KeyHost = {
    async openAnalysisKeys() {
      if (analysis === undefined) throw new Error('not in this test');
      const { store, close } = await analysis();
      return {
        keys: analysisKeysOver(store),
        period: usagePeriod(nowMs(), 'monthly'),
        where: 'a store',
        running: true,
        close,
      };
    },
    async openScriptKeys() {
      if (scripts === undefined) return undefined;
      const { store, close } = await scripts();
      return { keys: scriptKeysOver(store), where: 'a store', running: true, close };
    },
  };
  return (...argv: string[]) => run(['keys', ...argv], { keyStores });
}

/** One opening for the server and one for each command, over the same place. */
const ANALYSIS: Readonly<Record<'sqlite' | 'redis', () => Open<AnalysisKeyStore>>> = {
  sqlite() {
    const path = join(folder(), 'api_keys.db');
    return async () => opened(openOnSqlite({ path }));
  },
  redis: () => async () => {
    const { analysisKeys, close } = await redis();
    return { store: analysisKeys, close };
  },
};
const SCRIPTS: Readonly<Record<'sqlite' | 'redis', () => Open<KeyValueStore>>> = {
  sqlite() {
    const dataDir = folder();
    return async () => opened(openKeyValues({ dataDir, nowMs }));
  },
  redis: () => async () => {
    const { keyValues, close } = await redis();
    return { store: keyValues, close };
  },
};

describe.each(['sqlite', 'redis'] as const)('with the keys in %s', (kind) => {
  test('an analysis key made by a command is admitted by the server, shown with its calls, and refused once revoked', async () => {
    const open = ANALYSIS[kind]();
    const { store, close } = await open();
    const keys = analysisKeysOver(store);
    const command = commandOver(open);
    const made = JSON.parse((await command('create', '--analysis', '--tier', 'pro', '--json')).out);
    const admitted = await keys.admit(made.api_key);
    expect(admitted.ok && (await admitted.done('counted'))).toBe(true);
    expect((await command('list', '--analysis')).out).toMatch(new RegExp(`${made.key_id} +pro +1 of 50000 `));
    expect(await command('revoke', made.key_id, '--analysis')).toMatchObject({ code: 0 });
    expect(await keys.admit(made.api_key)).toMatchObject({ ok: false, code: 'UNAUTHORIZED' });
    expect(await keys.validate(made.api_key)).toBeUndefined();
    await close();
  });

  test('a script key made by a command is known to the server, and not once revoked', async () => {
    const open = SCRIPTS[kind]();
    const { store, close } = await open();
    const keys = scriptKeysOver(store);
    const command = commandOver(undefined, open);
    const made = JSON.parse((await command('create', '--scripts', '--tier', 'team', '--json')).out);
    expect(await keys.lookup(made.api_key)).toMatchObject({
      key: made.api_key,
      tier: 'team',
      createdAt: made.created_at,
    });
    expect(await command('revoke', made.api_key)).toMatchObject({ code: 0 });
    expect(await keys.lookup(made.api_key)).toBeUndefined();
    await close();
  });
});

describe('with the keys in a JSON file', () => {
  test('that a server owns: keys are made, listed and revoked beside it, and count there at once', async () => {
    const path = join(folder(), 'api_keys.json');
    const store = await openInFile({ path, nowMs });
    const keys = analysisKeysOver(store);
    const command = commandOver(async () => opened(await openAnalysisKeysBeside({ path, nowMs })));
    const { apiKey, key } = await keys.mint('team');
    const other = await keys.mint('hobby');
    expect((await command('list', '--analysis')).out).toContain(`${key.keyId}  team`);
    expect(await command('revoke', apiKey)).toMatchObject({ code: 0 });
    expect(await keys.admit(apiKey)).toMatchObject({ ok: false, code: 'UNAUTHORIZED' });
    expect(await keys.admit(other.apiKey)).toMatchObject({ ok: true });
    expect(readFileSync(path, 'utf8')).not.toContain(key.keyHash);
    expect(await command('revoke', apiKey)).toMatchObject({ code: 1 });
    const made = JSON.parse((await command('create', '--analysis', '--tier', 'pro', '--json')).out);
    expect(await keys.validate(made.api_key)).toMatchObject({ keyId: made.key_id, tier: 'pro' });
    expect(readFileSync(path, 'utf8')).not.toContain(made.api_key);
    expect(await command('revoke', made.api_key)).toMatchObject({ code: 0 });
    expect(await keys.validate(made.api_key)).toBeUndefined();
    await store.close();
  });

  test('that nobody owns: the command does everything itself, and the next start knows of it', async () => {
    const path = join(folder(), 'api_keys.json');
    const command = commandOver(async () => opened(await openAnalysisKeysBeside({ path, nowMs })));
    const [kept, ended] = [
      await command('create', '--analysis', '--json'),
      await command('create', '--analysis', '--json'),
    ].map(({ out }) => JSON.parse(out));
    expect(await command('revoke', ended.key_id, '--analysis')).toMatchObject({ code: 0 });
    const store = await openInFile({ path, nowMs });
    expect(await store.list(10)).toMatchObject([{ keyId: kept.key_id }]);
    await store.close();
  });
});

test('a Redis that is away is told with the remedy, and no key is called revoked', async () => {
  const lonely = await startRedis();
  await lonely.kill();
  const command = commandOver(async () => {
    const { analysisKeys, close } = await openRedis({ url: lonely.url, nowMs });
    return { store: analysisKeys, close };
  });
  const { code, err, out } = await command('revoke', '0123456789ab', '--analysis');
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/^Redis at 127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\); start it, or correct REDIS_URL$/);
});
