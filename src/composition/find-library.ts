// Whether a user has anything in the library of a data folder.

import { hasLibrary } from '../adapters/storage/sql/strangers/find-library.ts';
import { lookIntoStrangers } from '../adapters/storage/sqlite/strangers/look-into-strangers.ts';

export async function isLibraryIn(dataDir: string, userId: string): Promise<boolean> {
  return (await lookIntoStrangers(dataDir, (reads) => hasLibrary(reads, userId))) ?? false;
}
