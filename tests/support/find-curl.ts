// Finds curl, or fetches Debian's into node_modules/.cache: unpacked there, nothing of the system is changed.

import { globSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fetchPackages, findProgram, isProgram, reasonOf } from './debian-packages.ts';

const HOW_TO_INSTALL =
  'these tests run curl lines, and there is no curl on this machine. Install it so that it is in the PATH: ' +
  '"apt-get install curl" on Debian and Ubuntu, "brew install curl" on macOS';

/** The environment in which a shell finds curl and the libraries it came with. */
export async function curlEnvironment(): Promise<Record<string, string>> {
  const PATH = process.env.PATH ?? '';
  if (findProgram('curl') !== undefined) return { PATH };
  try {
    const { folder, libraries } = await fetchPackages('curl', ['curl'], unpackedAt);
    return { PATH: `${folder}${delimiter}${PATH}`, LD_LIBRARY_PATH: libraries };
  } catch (error) {
    throw new Error(`${HOW_TO_INSTALL}. (Fetching it by apt failed: ${reasonOf(error)})`);
  }
}

function unpackedAt(root: string) {
  if (!isProgram(join(root, 'usr/bin/curl'))) return undefined;
  const libraries = [...new Set(globSync(join(root, '{usr/,}lib/*/*.so*')).map((file) => dirname(file)))];
  return { folder: join(root, 'usr/bin'), libraries: libraries.join(delimiter) };
}
