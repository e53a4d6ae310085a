// Makes a backup: copies of the databases at one moment, checked, packed into one file, and read back before it gets its name.

import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { StorageError } from '../../../../errors/storage-error.ts';
import { besideOf, diskSync, fileFaultInWords } from '../../durable-file.ts';
import { copyDatabases } from '../database-copies.ts';
import { settleCopy } from '../database-facts.ts';
import { type BackupFile, MANIFEST, type Manifest, manifestOf } from './manifest.ts';
import { readBackup } from './read-backup.ts';
import { seal } from './sealed-stream.ts';
import { packTar, type TarFile } from './tar.ts';

export interface BackupSource {
  /** What it is called in the backup, without a folder. */
  readonly name: string;
  readonly path: string;
  readonly isDatabase: boolean;
}

export interface BackupOptions {
  readonly dataDir: string;
  readonly sources: readonly BackupSource[];
  readonly leftOut: readonly string[];
  readonly to: string;
  /** Encrypts it; undefined leaves it readable for whoever has the file. */
  readonly passphrase: string | undefined;
  readonly withBars: boolean;
  readonly version: string;
  readonly nowMs: () => number;
}

export interface MadeBackup {
  readonly file: string;
  readonly bytes: number;
  readonly manifest: Manifest;
}

const OWNER_ONLY = 0o600;
const SCRATCH = /^\.backup-(\d+)-/;
/** How a folder for copies begins: one whose process is gone is removed by the next backup. */
export const scratchName = (what = ''): string => `.backup-${process.pid}-${what}`;
/** What an instance needs besides to go on trading while the copy is made. */
const SPARE_BYTES = 256 * 1024 * 1024;

export async function writeBackup(options: BackupOptions): Promise<MadeBackup> {
  const { to, dataDir, sources } = options;
  if (existsSync(to)) throw new StorageError(`${to} is there already; name another file with --to, or move it away`);
  await removeLeftovers(dataDir);
  assertRoom(dataDir, sources);
  // In the data folder: there the same secrets are readable already, and on the disk of the backups they may not be.
  const scratch = await mkdtemp(join(dataDir, scratchName()));
  try {
    const files = await copyAll(scratch, options);
    const { version, leftOut, nowMs } = options;
    const madeAt = new Date(nowMs()).toISOString();
    return await packInto(to, scratch, manifestOf({ version, madeAt, files, leftOut }), options);
  } catch (error) {
    throw fileFaultInWords(error, to);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Copies of a backup that was killed half-way. */
async function removeLeftovers(dataDir: string): Promise<void> {
  for (const name of readdirSync(dataDir)) {
    const pid = SCRATCH.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(dataDir, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function assertRoom(dataDir: string, sources: readonly BackupSource[]): void {
  const bytes = sources.map(({ path }) => statSync(path).size).reduce((sum, size) => sum + size, 0);
  const { bavail, bsize } = statfsSync(dataDir);
  if (bavail * bsize >= bytes + SPARE_BYTES) return;
  const needed = Math.ceil((bytes + SPARE_BYTES) / 1024 / 1024);
  throw new StorageError(
    `a backup copies the databases within ${dataDir} first and needs ${needed} MiB there, of which trading keeps some; free some space`,
  );
}

async function copyAll(scratch: string, options: BackupOptions): Promise<readonly BackupFile[]> {
  const { sources, withBars } = options;
  const copyOf = (name: string): string => join(scratch, name);
  const databases = sources.filter(({ isDatabase }) => isDatabase);
  await copyDatabases(databases.map(({ name, path }) => ({ from: path, to: copyOf(name) })));
  for (const { name, path, isDatabase } of sources) if (!isDatabase) await copyFile(path, copyOf(name));
  const files: BackupFile[] = [];
  for (const { name, isDatabase } of sources) {
    await chmod(copyOf(name), OWNER_ONLY);
    const database = isDatabase ? { database: settleCopy(copyOf(name), { withBars }) } : {};
    files.push({ name, bytes: statSync(copyOf(name)).size, sha256: await digestOf(copyOf(name)), ...database });
  }
  return files;
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
}

async function packInto(to: string, scratch: string, manifest: Manifest, options: BackupOptions): Promise<MadeBackup> {
  const { passphrase, nowMs } = options;
  await mkdir(dirname(to), { recursive: true });
  const beside = besideOf(to);
  // What a crash has left of an earlier attempt.
  await rm(beside, { force: true });
  try {
    const target = createWriteStream(beside, { flags: 'wx', mode: OWNER_ONLY, flush: true });
    const packed = packTar(filesIn(scratch, manifest), nowMs());
    if (passphrase === undefined) await pipeline(packed, createGzip(), target);
    else await pipeline(packed, createGzip(), (zipped: AsyncIterable<Uint8Array>) => seal(zipped, passphrase), target);
    await assertReadable(beside, manifest, passphrase);
    await rename(beside, to);
    await diskSync.folder(dirname(to));
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
  return { file: to, bytes: statSync(to).size, manifest };
}

function* filesIn(scratch: string, manifest: Manifest): Generator<TarFile> {
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  yield { name: MANIFEST, bytes: text.length, content: once(text) };
  for (const { name, bytes } of manifest.files) yield { name, bytes, content: createReadStream(join(scratch, name)) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Byte for byte what was checked before it was packed. */
async function assertReadable(path: string, manifest: Manifest, passphrase: string | undefined): Promise<void> {
  const read = await readBackup({ file: path, passphrase, onFile: drain });
  if (JSON.stringify(read) !== JSON.stringify(manifest))
    throw new StorageError('the backup does not read as it was written; check the disk it is on');
}

async function drain(_: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _chunk of content);
}
