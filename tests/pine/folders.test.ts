// The folders of the engine stand above each other like the passes of a compiler: no two of them import each other.

import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const IMPORT = /from '(\.[^']+)'/g;

/** The folder of src/pine that a file is in; files of src/pine itself are the doors of all. */
const folderOf = (path: string): string | null => /^src\/pine\/([^/]+)\//.exec(path)?.[1] ?? null;

it('no two folders of src/pine import each other', () => {
  const files = globSync('src/pine/**/*.ts', { exclude: ['**/*.test.ts', '**/testing/**'] });
  const arrows = new Set<string>();
  for (const file of files)
    for (const [, to = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const [from, into] = [folderOf(file), folderOf(join(dirname(file), to))];
      if (from !== null && into !== null && from !== into) arrows.add(`${from} → ${into}`);
    }
  const circles = [...arrows].filter((arrow) => arrows.has(arrow.split(' → ').toReversed().join(' → ')));
  expect(arrows.size).toBeGreaterThan(20);
  expect(circles).toEqual([]);
});
