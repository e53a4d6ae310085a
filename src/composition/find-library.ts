// Whether a user has anything in the library.

import { hasLibrary } from '../adapters/storage/sql/strangers/find-library.ts';
import { lookIntoStrangersAt, type StrangersPlace } from './strangers.ts';

export async function isLibraryIn(place: StrangersPlace, userId: string): Promise<boolean> {
  return (await lookIntoStrangersAt(place, (reads) => hasLibrary(reads, userId))) ?? false;
}
