// `npm run release`: the files of a release, in the folder release: the packed product, the list of what is in it (SBOM), who
// vouches for each of its packages, and the digests of all three. The packed file is installed and tried before.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT } from '../src/builds/source-stamps.ts';
import { checkSignatures, pinnedPackages, type SignatureReport, signatureText } from './registry-signatures.ts';
import { tryInstall } from './try-install.ts';

const MANIFEST = 'package.json';
const LOCK = 'package-lock.json';
export const SUMS = 'SHA256SUMS';

/** From the lock file, not from what is installed: for every processor. */
const SBOM = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];

interface ReleaseOptions {
  /** Nothing is built for it; tests have done so before. */
  readonly isBuilt?: boolean;
  /** The one that npm is set to when left out. */
  readonly registry?: string;
}

interface Release {
  /** The names of the files. */
  readonly files: readonly string[];
  readonly signatures: SignatureReport;
}

/** Refused, before anything is written, where a package is not what the registry vouches for. */
export async function writeRelease(folder: string, options: ReleaseOptions = {}): Promise<Release> {
  const { isBuilt = false, registry = registryOfNpm() } = options;
  const signatures = await checkSignatures(registry, pinnedPackages(readFileSync(join(PROJECT, LOCK), 'utf8')));
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
  const signed = packed.replace(/\.tgz$/, '.signatures.txt');
  writeFileSync(join(folder, signed), signatureText(signatures));
  const sums = [packed, sbom, signed].map((name) => `${digestOf(join(folder, name))}  ${name}\n`);
  writeFileSync(join(folder, SUMS), sums.join(''));
  return { files: [packed, sbom, signed, SUMS], signatures };
}

const registryOfNpm = (): string => execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();

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

async function release(folder: string): Promise<void> {
  const { files, signatures } = await writeRelease(folder);
  const { packages, hasKeys } = signatures;
  console.log(
    hasKeys
      ? `signatures: ${packages.length} packages verified`
      : `signatures: NOT VERIFIED, the registry has no keys to sign with; its digests of ${packages.length} packages are the pinned ones`,
  );
  const { node, seconds } = await tryInstall(join(folder, files[0] ?? ''));
  console.log(`install: npm i -g, a start under Node ${node}, a trade, an end and npm uninstall -g took ${seconds} s`);
  for (const name of files) console.log(`release/${name}`);
}

if (import.meta.main)
  await release(join(PROJECT, 'release')).catch((error: Error) => {
    console.error(`No release: ${error.message}`);
    process.exitCode = 1;
  });
