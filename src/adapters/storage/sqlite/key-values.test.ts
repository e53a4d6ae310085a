// Key values on SQLite keep the promises of their port, and outlive a restart.

import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeKeyValueStore } from '../../../../tests/ports/key-value-store-suite.ts';
import { openKeyValues } from './key-values.ts';
import { testFolder } from './testing/open-test-storage.ts';

describeKeyValueStore('the key values on SQLite', async (choice) => {
  const folder = testFolder();
  const store = openKeyValues({ ...choice, path: join(folder.dataDir, 'script-keys.db') });
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
  const path = join(folder.dataDir, 'deep', 'script-keys.db');
  const first = openKeyValues({ path, nowMs: () => 100 });
  await first.put('key:a', 'x', 50);
  await first.close();
  let now = 149;
  const second = openKeyValues({ path, nowMs: () => now });
  expect(await second.get('key:a')).toBe('x');
  now = 150;
  expect(await second.get('key:a')).toBeUndefined();
  await second.close();
  folder.remove();
});

test('two openings of one file see each other, as a command beside the server needs it', async () => {
  const folder = testFolder();
  const options = { path: join(folder.dataDir, 'script-keys.db'), nowMs: () => 0 };
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
  const path = join(folder.dataDir, 'script-keys.db');
  writeFileSync(path, 'not a database, but somebody may need it');
  expect(() => openKeyValues({ path, nowMs: () => 0 })).toThrow(/script-keys\.db is not a SQLite database/);
  renameSync(path, `${path}.old`);
  const store = openKeyValues({ path, nowMs: () => 0 });
  renameSync(path, `${path}.moved`);
  await expect(store.put('key:a', 'x', 1)).rejects.toThrow(/moved, replaced or deleted/);
  await store.close();
  folder.remove();
});
