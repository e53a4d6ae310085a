// Finds the sources of everything a script imports, imports of imports included, wherever libraries are kept.

import type { LibrarySource } from '../pine/index.ts';
import { importsOf, type LibraryName, libraryKey, MAX_IMPORTED_CHARS, MAX_IMPORTED_LIBRARIES } from '../pine/light.ts';

/** Where libraries are looked up, by user and name. */
export interface LibraryLookup {
  read(userId: string, library: LibraryName): Promise<{ readonly source: string } | undefined>;
  versions(userId: string, namespace: string, name: string): Promise<readonly LibraryName[]>;
}

/** A library whose source is at hand. */
export type ReadLibrary = LibrarySource & { readonly source: string };

/**
 * What is not there is not told here: the compiler names it at the import. So that it can name what there is instead, the
 * other versions of it come along without their sources, and so does what is beyond the limits.
 */
export async function importedSources(
  store: LibraryLookup,
  userId: string,
  imports: readonly LibraryName[],
): Promise<LibrarySource[]> {
  const read = new Map<string, LibrarySource>();
  const unread = new Map<string, LibrarySource>();
  const looked = new Set<string>();
  const waiting = [...imports];
  let chars = 0;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const key = libraryKey(next);
    if (looked.has(key)) continue;
    looked.add(key);
    const found = read.size < MAX_IMPORTED_LIBRARIES ? await store.read(userId, next) : undefined;
    if (found !== undefined && chars + found.source.length <= MAX_IMPORTED_CHARS) {
      read.set(key, { ...next, source: found.source });
      chars += found.source.length;
      waiting.push(...importsOf(found.source));
    } else
      for (const { namespace, name, version } of await store.versions(userId, next.namespace, next.name))
        unread.set(libraryKey({ namespace, name, version }), { namespace, name, version, source: null });
  }
  return [...new Map([...read, ...[...unread].filter(([key]) => !read.has(key))]).values()];
}

export const isRead = (library: LibrarySource): library is ReadLibrary => library.source !== null;
