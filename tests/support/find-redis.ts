// Finds a redis-server, or fetches Debian's into node_modules/.cache: unpacked there, nothing of the system is changed.

import { execFile } from 'node:child_process';
import { accessSync, constants, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export interface RedisBinary {
  readonly path: string;
  /** Where the libraries are that came with it. */
  readonly libraries?: string;
}

const run = promisify(execFile);
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/signalbox/', import.meta.url));
const UNPACKED = join(CACHE, 'redis');
const STEP_TIMEOUT_MS = 100_000;

const HOW_TO_INSTALL =
  'these tests need a real Redis, and there is no redis-server on this machine. Install it so that it is in the PATH: ' +
  '"apt-get install redis-server" on Debian and Ubuntu, "brew install redis" on macOS';

/** There are no skipped tests here: where none can be had, this rejects and says how to install it. */
export async function findRedis(): Promise<RedisBinary> {
  const installed = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'redis-server'));
  const found = [...installed, '/usr/sbin/redis-server'].find(isProgram);
  if (found !== undefined) return { path: found };
  const cached = unpackedAt(UNPACKED);
  if (cached !== undefined) return cached;
  try {
    await fetchPackages();
  } catch (error) {
    throw new Error(`${HOW_TO_INSTALL}. (Fetching it by apt failed: ${reasonOf(error)})`);
  }
  const fetched = unpackedAt(UNPACKED);
  if (fetched === undefined) throw new Error(`${HOW_TO_INSTALL}. (What apt fetched has no redis-server in it.)`);
  return fetched;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function unpackedAt(root: string): RedisBinary | undefined {
  const path = join(root, 'usr/bin/redis-server');
  if (!isProgram(path)) return undefined;
  const libraries = [...new Set(globSync(join(root, '{usr/,}lib/*/*.so*')).map((file) => dirname(file)))];
  return { path, libraries: libraries.join(delimiter) };
}

/**
 * Downloads the package and what of its dependencies is missing, with lists of its own, so that neither the system's
 * package lists nor its locks are touched; then puts everything in its place with one rename.
 */
async function fetchPackages(): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  const work = mkdtempSync(join(CACHE, 'fetch-'));
  try {
    for (const folder of ['lists/partial', 'archives/partial', 'root'])
      mkdirSync(join(work, folder), { recursive: true });
    const apart = [
      `Dir::State::lists=${join(work, 'lists')}`,
      `Dir::Cache=${work}`,
      `Dir::Cache::archives=${join(work, 'archives')}`,
      'Debug::NoLocking=1',
      // Root would hand the download to a user who may not write here.
      'APT::Sandbox::User=root',
    ].flatMap((setting) => ['-o', setting]);
    await run('apt-get', [...apart, 'update'], { timeout: STEP_TIMEOUT_MS });
    const install = ['install', '-y', '--download-only', '--no-install-recommends', 'redis-server'];
    await run('apt-get', [...apart, ...install], { timeout: STEP_TIMEOUT_MS });
    for (const archive of globSync(join(work, 'archives/*.deb')))
      await run('dpkg', ['-x', archive, join(work, 'root')], { timeout: STEP_TIMEOUT_MS });
    try {
      renameSync(join(work, 'root'), UNPACKED);
    } catch {
      // Another test was quicker; what is there without a program in it is the rest of something else.
      if (unpackedAt(UNPACKED) !== undefined) return;
      rmSync(UNPACKED, { recursive: true, force: true });
      renameSync(join(work, 'root'), UNPACKED);
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const reasonOf = (error: unknown): string => {
  const { stderr, message } = error as Error & { stderr?: string };
  return (stderr?.trim().split('\n').at(-1) || message).slice(0, 300);
};
