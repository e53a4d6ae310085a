// Key values on SQLite keep the promises of their port, and outlive a restart.

import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeKeyValueStore } from '../../../../../tests/ports/key-value-store-suite.ts';
import { testFolder } from '../testing/open-test-storage.ts';
import { openKeyValues } from './testing/open-storage.ts';

describeKeyValueStore('the key values on SQLite', async (choice) => {
  const folder = testFolder();
  const store = openKeyValues({ ...choice, dataDir: folder.dataDir });
  return {
    store,
    async remove() {
      await store.close();
      folder.remove();
    },
  };
});

test('values and their times outlive a restart', async () => {
  const folder = testFolder();
  const dataDir = join(folder.dataDir, 'deep');
  const first = openKeyValues({ dataDir, nowMs: () => 100 });
  await first.put('key:a', 'x', 50);
  await first.close();
  let now = 149;
  const second = openKeyValues({ dataDir, nowMs: () => now });
  expect(await second.get('key:a')).toBe('x');
  now = 150;
  expect(await second.get('key:a')).toBeUndefined();
  await second.close();
  folder.remove();
});

test('two openings of one file see each other, as a command beside the server needs it', async () => {
  const folder = testFolder();
  const options = { dataDir: folder.dataDir, nowMs: () => 0 };
  const [server, command] = [openKeyValues(options), openKeyValues(options)];
  await server.put('key:a', 'x', 50);
  await command.delete('key:a');
  expect(await server.get('key:a')).toBeUndefined();
  await server.close();
  await command.close();
  folder.remove();
});

test('a file that is no database is refused with its path and left as it is; a moved one is not written', async () => {
  const folder = testFolder();
  const { dataDir } = folder;
  const path = join(dataDir, 'scripts.db');
  writeFileSync(path, 'not a database, but somebody may need it');
  expect(() => openKeyValues({ dataDir, nowMs: () => 0 })).toThrow(/scripts\.db is not a SQLite database/);
  renameSync(path, `${path}.old`);
  const store = openKeyValues({ dataDir, nowMs: () => 0 });
  renameSync(path, `${path}.moved`);
  await expect(store.put('key:a', 'x', 1)).rejects.toThrow(/moved, replaced or deleted/);
  await store.close();
  folder.remove();
});
