// Fetches Debian packages into node_modules/.cache: unpacked there, nothing of the system is changed.

import { execFile } from 'node:child_process';
import { accessSync, constants, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/signalbox/', import.meta.url));
const STEP_TIMEOUT_MS = 100_000;

/** The first of this name in the PATH, or in the folders given. */
export function findProgram(name: string, path = process.env.PATH ?? ''): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isProgram);
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Unpacks the packages, and what of their dependencies is missing, into a folder of this name, unless they are there.
 * `look` finds in that folder what was wanted; packages without it are a failure.
 */
export async function fetchPackages<T>(
  name: string,
  packages: readonly string[],
  look: (root: string) => T | undefined,
): Promise<T> {
  const unpacked = join(CACHE, name);
  const cached = look(unpacked);
  if (cached !== undefined) return cached;
  mkdirSync(CACHE, { recursive: true });
  const work = mkdtempSync(join(CACHE, 'fetch-'));
  try {
    const root = await download(work, packages);
    try {
      renameSync(root, unpacked);
    } catch {
      // Another test was quicker; what is there without a program in it is the rest of something else.
      if (look(unpacked) === undefined) {
        rmSync(unpacked, { recursive: true, force: true });
        renameSync(root, unpacked);
      }
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  const fetched = look(unpacked);
  if (fetched === undefined) throw new Error(`what apt fetched for ${packages.join(', ')} has no such program in it`);
  return fetched;
}

/** With package lists of its own, so that neither the system's lists nor its locks are touched. */
async function download(work: string, packages: readonly string[]): Promise<string> {
  const root = join(work, 'root');
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
  const install = ['install', '-y', '--download-only', '--no-install-recommends', ...packages];
  await run('apt-get', [...apart, ...install], { timeout: STEP_TIMEOUT_MS });
  for (const archive of globSync(join(work, 'archives/*.deb')))
    await run('dpkg', ['-x', archive, root], { timeout: STEP_TIMEOUT_MS });
  return root;
}

export const reasonOf = (error: unknown): string => {
  const { stderr, message } = error as Error & { stderr?: string };
  return (stderr?.trim().split('\n').at(-1) || message).slice(0, 300);
};
