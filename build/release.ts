// `npm run release`: the files of a release, in the folder release: the packed product, the list of what is in it (SBOM)
// and the digests of both.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT } from '../src/builds/source-stamps.ts';

const MANIFEST = 'package.json';
const LOCK = 'package-lock.json';
export const SUMS = 'SHA256SUMS';

/** From the lock file, not from what is installed: for every processor. */
const SBOM = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];

/** `isBuilt`: nothing is built for it; tests have done so before. Gives the names of the files. */
export function writeRelease(folder: string, { isBuilt = false } = {}): readonly string[] {
  mkdirSync(folder, { recursive: true });
  const npm = (args: readonly string[], cwd = PROJECT): string =>
    execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const scripts = isBuilt ? ['--ignore-scripts'] : [];
  const packed =
    npm(['pack', '--silent', '--pack-destination', folder, ...scripts])
      .trim()
      .split('\n')
      .at(-1) ?? '';
  const sbom = packed.replace(/\.tgz$/, '.cdx.json');
  inFolderWithoutDevelopment((product) => writeFileSync(join(folder, sbom), npm(SBOM, product)));
  const sums = [packed, sbom].map((name) => `${digestOf(join(folder, name))}  ${name}\n`);
  writeFileSync(join(folder, SUMS), sums.join(''));
  return [packed, sbom, SUMS];
}

interface Manifest {
  devDependencies?: unknown;
}

interface LockFile {
  readonly packages: Record<string, Manifest & { readonly dev?: boolean }>;
}

/** npm's own `--omit dev` also leaves out what the product shares with a package for development. */
function inFolderWithoutDevelopment(work: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-sbom-'));
  try {
    const manifest = JSON.parse(readFileSync(join(PROJECT, MANIFEST), 'utf8')) as Manifest;
    const lock = JSON.parse(readFileSync(join(PROJECT, LOCK), 'utf8')) as LockFile;
    const packages = Object.entries(lock.packages).filter(([, { dev }]) => dev !== true);
    for (const root of [manifest, lock.packages[''] as Manifest]) delete root.devDependencies;
    writeFileSync(join(folder, MANIFEST), JSON.stringify(manifest));
    writeFileSync(join(folder, LOCK), JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }));
    work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const digestOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

if (import.meta.main) for (const name of writeRelease(join(PROJECT, 'release'))) console.log(`release/${name}`);
