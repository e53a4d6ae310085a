// The published libraries that a script imports, for the checker of this page: asked for again only when its imports change.

import { useEffect, useState } from 'preact/hooks';
import type { LibrarySource } from '../../src/pine/index.ts';
import { importsOf, libraryKey } from '../../src/pine/light.ts';
import { ask } from './ask.ts';

const NONE: readonly LibrarySource[] = [];

/** As import lines have them, in one order; empty where there is none. */
const wantedBy = (source: string): string => importsOf(source).map(libraryKey).sort().join(' ');

/** With those that they import themselves. Without the user's key there are none: libraries are the user's own. */
export async function importedLibraries(
  source: string,
  key: string | undefined,
  signal?: AbortSignal,
): Promise<readonly LibrarySource[]> {
  const wanted = wantedBy(source);
  if (wanted === '' || key === undefined) return NONE;
  const script = wanted
    .split(' ')
    .map((name, index) => `import ${name} as l${index}`)
    .join('\n');
  const question = { method: 'POST', effect: 'none', key, body: { script }, ...(signal && { signal }) } as const;
  return (await ask<{ libraries: readonly LibrarySource[] }>('/api/libraries/resolve', question)).libraries;
}

export function useImportedLibraries(source: string, key: string | undefined): readonly LibrarySource[] {
  const [libraries, setLibraries] = useState(NONE);
  const wanted = wantedBy(source);
  useEffect(() => {
    const asking = new AbortController();
    importedLibraries(source, key, asking.signal).then(
      setLibraries,
      // The checker then says that the library is missing, and where.
      () => {},
    );
    return () => asking.abort();
  }, [wanted, key]);
  return libraries;
}
