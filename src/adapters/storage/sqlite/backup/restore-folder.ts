// Makes a data folder out of a backup: beside its place, checked to the last row, and only then under its name.

import { accessSync, constants, createWriteStream, existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { StorageError } from '../../../../errors/storage-error.ts';
import { diskSync, fileFaultInWords } from '../../durable-file.ts';
import { isMigrationKnown, readFacts } from '../database-facts.ts';
import { isDataFolder } from '../find-instance.ts';
import { lockDataDir } from '../instance-lock.ts';
import type { Manifest } from './manifest.ts';
import { readBackup } from './read-backup.ts';

export interface RestoreOptions {
  readonly file: string;
  readonly to: string;
  /** Moves what is there aside; without it only an empty place will do. */
  readonly replace: boolean;
  /** What else there is to do with a place that is taken, in words. */
  readonly insteadOfReplacing?: string;
  readonly passphrase: string | undefined;
  readonly allowUnencrypted: boolean;
  readonly nowMs: () => number;
  /** What is done with the folder before it gets its name. */
  readonly prepare: (folder: string, manifest: Manifest) => Promise<void>;
}

export interface RestoredFolder {
  readonly manifest: Manifest;
  readonly folder: string;
  /** Where that is which was here before. */
  readonly aside: string | undefined;
}

const OWNER_ONLY = 0o600;

export async function restoreFolder(options: RestoreOptions): Promise<RestoredFolder> {
  const folder = resolve(options.to);
  assertFree(folder, options);
  // An instance that runs on what is there must not lose it.
  const lock = isDataFolder(folder) ? lockDataDir(folder) : undefined;
  let scratch: string | undefined;
  try {
    await mkdir(dirname(folder), { recursive: true });
    scratch = await mkdtemp(join(dirname(folder), `.${basename(folder)}-restore-`));
    const manifest = await unpackInto(scratch, options);
    await options.prepare(scratch, manifest);
    await diskSync.folder(scratch);
    const aside = await moveAside(folder, options.nowMs());
    await rename(scratch, folder);
    await diskSync.folder(dirname(folder));
    return { manifest, folder, aside };
  } catch (error) {
    if (scratch !== undefined) await rm(scratch, { recursive: true, force: true });
    throw mountFault(error, folder) ?? parentFault(error, folder) ?? fileFaultInWords(error, folder);
  } finally {
    lock?.release();
  }
}

const isEmpty = (folder: string): boolean => !existsSync(folder) || readdirSync(folder).length === 0;

function assertFree(folder: string, { replace, insteadOfReplacing }: RestoreOptions): void {
  if (replace || isEmpty(folder)) return;
  const instead = insteadOfReplacing === undefined ? '' : `. ${insteadOfReplacing}`;
  throw new StorageError(
    `${folder} is not empty, so nothing was done; name another folder with --to, or say --replace, which moves it aside${instead}`,
  );
}

async function unpackInto(scratch: string, { file, passphrase, allowUnencrypted }: RestoreOptions): Promise<Manifest> {
  const manifest = await readBackup({
    ...{ file, passphrase, allowUnencrypted, onManifest: assertKnown },
    onFile: (name, content) =>
      pipeline(content, createWriteStream(join(scratch, name), { flags: 'wx', mode: OWNER_ONLY, flush: true })),
  });
  for (const { name, database } of manifest.files) {
    if (database === undefined) continue;
    if (JSON.stringify(readFacts(join(scratch, name))) !== JSON.stringify(database))
      throw new StorageError(`${name} in the backup does not hold what its manifest says; take another backup`);
  }
  return manifest;
}

function assertKnown({ version, files }: Manifest): void {
  for (const { name, database } of files)
    if (database !== undefined && !isMigrationKnown(name, database.migration))
      throw new StorageError(
        `the backup was made by a newer Signalbox (${version}), which this one cannot read; install that version and restore it there`,
      );
}

/** Never deleted: it may be the only copy of what happened since the backup. */
async function moveAside(folder: string, atMs: number): Promise<string | undefined> {
  if (isEmpty(folder)) return undefined;
  const stamp = new Date(atMs).toISOString().replaceAll(':', '-').replace(/\.\d+/, '');
  const aside = `${folder}.before-restore-${stamp}`;
  await rename(folder, aside);
  return aside;
}

/** The root of a disk or of a container's volume has its name from elsewhere. */
function mountFault(error: unknown, folder: string): StorageError | undefined {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (!['EBUSY', 'EXDEV'].includes(code)) return undefined;
  return new StorageError(
    `${folder} is where a disk or volume is mounted, and cannot be exchanged in one step; ${withinIt(folder)}`,
    { cause: error },
  );
}

const withinIt = (folder: string): string =>
  `restore into a folder within it (--to ${join(folder, 'restored')}) and set DATA_DIR to that`;

/** A service may write its data folder and not the one that it is in, which is root's: "check the owner" would lead nowhere. */
function parentFault(error: unknown, folder: string): StorageError | undefined {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (!['EACCES', 'EPERM', 'EROFS'].includes(code) || !isWritable(folder) || isWritable(dirname(folder)))
    return undefined;
  return new StorageError(
    `${folder} lies in a folder that this user cannot write, and cannot be exchanged in one step; restore as root and give the files ` +
      `to the user of the service then (chown -R), or ${withinIt(folder)}`,
    { cause: error },
  );
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
