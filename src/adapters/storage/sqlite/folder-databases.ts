// Which databases a data folder has, written down in it: one that is gone or empty at the next start must not be made anew
// without a word, for with it the kill switch, the idempotency keys or the wallet's transactions would be forgotten.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StorageError } from '../../../trading/storage-error.ts';
import { type DiskSync, diskSync, replaceDurably } from '../durable-file.ts';

const LIST = 'databases.json';
/** A cache of bars: it is fetched again. */
const NOT_MISSED = new Set(['market.db']);

/** Undefined before the first start of this version has come to its end. */
function listed(dataDir: string): readonly string[] | undefined {
  const path = join(dataDir, LIST);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new StorageError(`${path} cannot be read; check the owner and permissions of the file`, { cause: error });
  }
  try {
    const names: unknown = JSON.parse(text);
    if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return names;
  } catch {
    // Told below.
  }
  throw new StorageError(
    `${path} is damaged; it lists the databases of this folder. If they are all there, remove it: it is made anew`,
  );
}

const isThere = (dataDir: string, name: string): boolean =>
  (statSync(join(dataDir, name), { throwIfNoEntry: false })?.size ?? 0) > 0;

/** Those that were here at the last start and are gone or empty now. */
export const missingDatabases = (dataDir: string): readonly string[] =>
  (listed(dataDir) ?? []).filter((name) => !isThere(dataDir, name));

/** Call before any of them is opened: opening makes what is not there. */
export function assertDatabasesThere(dataDir: string): void {
  const missing = missingDatabases(dataDir);
  if (missing.length === 0) return;
  throw new StorageError(
    `${missing.map((name) => join(dataDir, name)).join(', ')}: missing or empty, but this folder had it at the last ` +
      'start. Restore it from a backup; or, to go on without everything it held, take its name out of ' +
      join(dataDir, LIST),
  );
}

/** Call when all are open: from now on none of them may be missing. */
export async function listDatabases(dataDir: string, sync: DiskSync = diskSync): Promise<void> {
  const before = listed(dataDir) ?? [];
  const present = readdirSync(dataDir).filter(
    (name) => name.endsWith('.db') && !NOT_MISSED.has(name) && isThere(dataDir, name),
  );
  const names = [...new Set([...before, ...present])].sort();
  if (names.join() === before.join()) return;
  await replaceDurably(join(dataDir, LIST), `${JSON.stringify(names)}\n`, sync);
}
