// The migrations of an earlier version, for tests of what is made of its databases.

import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type DatabaseFile, TRADING } from '../database-files.ts';

/** A folder in this one with the first so many migrations of a database. */
export function earlierMigrations(dataDir: string, count: number, { migrations }: DatabaseFile = TRADING): URL {
  const folder = join(dataDir, 'migrations');
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(migrations).sort().slice(0, count))
    copyFileSync(new URL(name, migrations), join(folder, name));
  return pathToFileURL(`${folder}/`);
}
