// The published libraries that a script imports, for the checker of this page: asked for again only when its imports change.

import { useEffect, useState } from 'preact/hooks';
import type { LibrarySource } from '../../src/pine/index.ts';
import { importsOf, libraryKey } from '../../src/pine/light.ts';
import { ask } from './ask.ts';

const NONE: readonly LibrarySource[] = [];

export function useImportedLibraries(source: string, key: string): readonly LibrarySource[] {
  const [libraries, setLibraries] = useState(NONE);
  const wanted = importsOf(source).map(libraryKey).sort().join(' ');
  useEffect(() => {
    if (wanted === '') {
      setLibraries(NONE);
      return;
    }
    const asking = new AbortController();
    const script = wanted
      .split(' ')
      .map((name, index) => `import ${name} as l${index}`)
      .join('\n');
    ask<{ libraries: readonly LibrarySource[] }>('/api/libraries/resolve', {
      ...{ method: 'POST', key, body: { script }, signal: asking.signal },
    }).then(
      (answer) => setLibraries(answer.libraries),
      // The checker then says that the library is missing, and where.
      () => {},
    );
    return () => asking.abort();
  }, [wanted, key]);
  return libraries;
}
