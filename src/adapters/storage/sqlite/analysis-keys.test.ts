// Analysis keys on SQLite keep the promises of their port, with hashes only, and two programs may share the file.

import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { describeAnalysisKeyStore, sampleKey } from '../../../../tests/ports/analysis-key-store-suite.ts';
import { openAnalysisKeys } from './analysis-keys.ts';
import { testFolder } from './testing/open-test-storage.ts';

describeAnalysisKeyStore('the analysis keys on SQLite', async () => {
  const folder = testFolder();
  const path = join(folder.dataDir, 'api_keys.db');
  let store = openAnalysisKeys({ path });
  return {
    store,
    async reopen() {
      await store.close();
      store = openAnalysisKeys({ path });
      return store;
    },
    async remove() {
      await store.close();
      folder.remove();
    },
    openSmall: async (maxKeys) => openAnalysisKeys({ path: `${path}.small`, maxKeys }),
  };
});

test('two openings of one file never count past the limit, and a key revoked in one is gone in the other', async () => {
  const folder = testFolder();
  const path = join(folder.dataDir, 'api_keys.db');
  const [one, other] = [openAnalysisKeys({ path }), openAnalysisKeys({ path })];
  const key = sampleKey(1);
  await one.add(key);
  const ends = await Promise.all(
    Array.from({ length: 20 }, (_, at) => (at % 2 ? one : other).count(key.keyHash, { atS: 1, sinceS: 0, limit: 7 })),
  );
  expect(ends.filter(({ counted }) => counted)).toHaveLength(7);
  await other.revoke(key.keyId);
  expect(await one.find(key.keyHash)).toBeUndefined();
  await one.close();
  await other.close();
  folder.remove();
});

test('a count to a file that was moved away is refused', async () => {
  const folder = testFolder();
  const path = join(folder.dataDir, 'api_keys.db');
  const store = openAnalysisKeys({ path });
  await store.add(sampleKey(1));
  renameSync(path, `${path}.moved`);
  const count = () => store.count(sampleKey(1).keyHash, { atS: 1, sinceS: 0, limit: 7 });
  await expect(count()).rejects.toThrow(/moved, replaced or deleted.*put it back/);
  renameSync(`${path}.moved`, path);
  expect(await count()).toMatchObject({ counted: true, key: { callsUsed: 1 } });
  await store.close();
  expect(readFileSync(path).includes(sampleKey(1).keyHash)).toBe(true);
  folder.remove();
});

test('a key whose tier somebody made up does not get in without a limit, and can be revoked', async () => {
  const folder = testFolder();
  const path = join(folder.dataDir, 'api_keys.db');
  const store = openAnalysisKeys({ path });
  const { keyHash, keyId } = sampleKey(1);
  await store.add(sampleKey(1));
  const tool = new DatabaseSync(path);
  tool.exec("UPDATE analysis_keys SET tier = 'gold'");
  tool.close();
  await expect(store.find(keyHash)).rejects.toThrow(/unknown tier; revoke it/);
  await expect(store.count(keyHash, { atS: 1, sinceS: 0, limit: 1 })).rejects.toThrow(/unknown tier/);
  expect(await store.revoke(keyId)).toMatchObject({ keyId });
  expect(await store.find(keyHash)).toBeUndefined();
  await store.close();
  folder.remove();
});
