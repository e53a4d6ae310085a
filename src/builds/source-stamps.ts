// Whether the sources of a build are still as they were when it was made.

import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A source as it was when it was built in: its path from the project's folder, its bytes, and the second it was written. */
export type Stamp = readonly [path: string, bytes: number, second: number];

export const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

export function stampOf(path: string): Stamp {
  const { size, mtimeMs } = statSync(PROJECT + path);
  // Copies of a tree keep whole seconds at best.
  return [path, size, Math.floor(mtimeMs / 1000)];
}

/** A packed product (`npm pack`) is what was built and no source: nobody can have changed one. */
const isPacked = (): boolean => !existsSync(`${PROJECT}src/main.ts`);

/** Throws when one of them is gone. */
export function areAsBuilt(sources: readonly Stamp[]): boolean {
  if (isPacked()) return true;
  return sources.every(([path, bytes, second]) => {
    const now = stampOf(path);
    return now[1] === bytes && now[2] === second;
  });
}
