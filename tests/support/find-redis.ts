// Finds a redis-server, or fetches Debian's into node_modules/.cache: unpacked there, nothing of the system is changed.

import { globSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fetchPackages, findProgram, isProgram, reasonOf } from './debian-packages.ts';

export interface RedisBinary {
  readonly path: string;
  /** Where the libraries are that came with it. */
  readonly libraries?: string;
}

const HOW_TO_INSTALL =
  'these tests need a real Redis, and there is no redis-server on this machine. Install it so that it is in the PATH: ' +
  '"apt-get install redis-server" on Debian and Ubuntu, "brew install redis" on macOS';

/** There are no skipped tests here: where none can be had, this rejects and says how to install it. */
export async function findRedis(): Promise<RedisBinary> {
  const found = findProgram('redis-server') ?? findProgram('redis-server', '/usr/sbin');
  if (found !== undefined) return { path: found };
  try {
    return await fetchPackages('redis', ['redis-server'], unpackedAt);
  } catch (error) {
    throw new Error(`${HOW_TO_INSTALL}. (Fetching it by apt failed: ${reasonOf(error)})`);
  }
}

function unpackedAt(root: string): RedisBinary | undefined {
  const path = join(root, 'usr/bin/redis-server');
  if (!isProgram(path)) return undefined;
  const libraries = [...new Set(globSync(join(root, '{usr/,}lib/*/*.so*')).map((file) => dirname(file)))];
  return { path, libraries: libraries.join(delimiter) };
}
