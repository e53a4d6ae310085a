// The owner's database as a file of the data folder: opened for its stores, or only looked at.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { assertNoDamageFound } from '../found-damage.ts';
import {
  type OwnerStores,
  ownerStoresOn,
  type SettingsStorage,
  settingsStorageOn,
  storedSettings,
} from '../sql/owner/settings.ts';
import { openDatabase } from './database.ts';
import { OWNER } from './database-files.ts';
import { glanceInto, olderGlanceInto } from './glance.ts';
import { openSqlite } from './sql.ts';

export function openSettingsStorage(dataDir: string): SettingsStorage {
  const path = join(dataDir, OWNER.name);
  const database = openSqlite(path, OWNER.migrations);
  const storage = settingsStorageOn(database, glanceInto(database.reader, path));
  return {
    ...storage,
    async probe() {
      assertNoDamageFound(path);
      await storage.probe();
    },
  };
}

/** What is stored, for a command that must not open the database for writing; nothing where there is none. */
export function readStoredSettings(dataDir: string): ReadonlyMap<string, string> {
  const { rows, close } = look(dataDir);
  try {
    return storedSettings({ rows });
  } finally {
    close();
  }
}

/** The same for whoever looks at accounts. */
export function readOwnerStores(dataDir: string): OwnerStores {
  const { rows, close } = look(dataDir);
  return { ...ownerStoresOn({ rows }), close };
}

/** A folder without a database has nothing. */
function look(dataDir: string) {
  const path = join(dataDir, OWNER.name);
  if (!existsSync(path)) return { rows: () => [], close: () => {} };
  const db = openDatabase({ path, readOnly: true });
  return { ...olderGlanceInto(db, path), close: () => db.close() };
}
