// `npm run release`: the files of a release, in the folder release: the packed product, the list of what is in it (SBOM)
// and the digests of both.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../src/builds/source-stamps.ts';

export const SUMS = 'SHA256SUMS';

/** From the lock file, not from what is installed: for every processor, and without packages for development. */
const SBOM = [
  'sbom',
  '--package-lock-only',
  '--omit',
  'dev',
  '--sbom-format',
  'cyclonedx',
  '--sbom-type',
  'application',
];

/** `isBuilt`: nothing is built for it; tests have done so before. Gives the names of the files. */
export function writeRelease(folder: string, { isBuilt = false } = {}): readonly string[] {
  mkdirSync(folder, { recursive: true });
  const npm = (args: readonly string[]): string =>
    execFileSync('npm', args, { cwd: PROJECT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const scripts = isBuilt ? ['--ignore-scripts'] : [];
  const packed =
    npm(['pack', '--silent', '--pack-destination', folder, ...scripts])
      .trim()
      .split('\n')
      .at(-1) ?? '';
  const sbom = packed.replace(/\.tgz$/, '.cdx.json');
  writeFileSync(join(folder, sbom), npm(SBOM));
  const sums = [packed, sbom].map((name) => `${digestOf(join(folder, name))}  ${name}\n`);
  writeFileSync(join(folder, SUMS), sums.join(''));
  return [packed, sbom, SUMS];
}

const digestOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

if (import.meta.main) for (const name of writeRelease(join(PROJECT, 'release'))) console.log(`release/${name}`);
