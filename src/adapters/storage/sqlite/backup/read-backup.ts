// Reads a backup from its first byte to its last: every file is there once, and is what the manifest says.

import { createHash } from 'node:crypto';
import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { StorageError } from '../../../../errors/storage-error.ts';
import { fileFaultInWords } from '../../durable-file.ts';
import { MANIFEST, type Manifest, readManifest } from './manifest.ts';
import { isSealedStream, unseal } from './sealed-stream.ts';
import { type TarFile, unpackTar } from './tar.ts';

export interface ReadOptions {
  readonly file: string;
  readonly passphrase: string | undefined;
  /** Whoever can write where backups lie could put one of his own in the place of an encrypted one: only its owner's word lets it in. */
  readonly allowUnencrypted?: boolean;
  /** Looks at what is in it before anything else is read; throws where that will not do. */
  readonly onManifest?: (manifest: Manifest) => void;
  /** Must read the content to its end. What it makes of it counts only when all of the backup has been read. */
  readonly onFile: (name: string, content: AsyncIterable<Uint8Array>) => Promise<void>;
}

/** No manifest comes near it: a file that says more is none of ours. */
const MAX_MANIFEST_BYTES = 1024 * 1024;

/** What the name of an encrypted backup ends in. */
export const SEALED_ENDING = '.sealed';

/** Whether it needs a passphrase. */
export function isEncrypted(file: string): boolean {
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? new StorageError(`there is no file ${file}; name the backup`)
      : fileFaultInWords(error, file);
  }
  try {
    const head = Buffer.alloc(8);
    readSync(fd, head);
    return isSealedStream(head);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EISDIR'
      ? new StorageError(`${file} is a folder; name one of the backups in it`)
      : fileFaultInWords(error, file);
  } finally {
    closeSync(fd);
  }
}

export async function readBackup(options: ReadOptions): Promise<Manifest> {
  const { onManifest, onFile } = options;
  try {
    let manifest: Manifest | undefined;
    const read = new Set<string>();
    for await (const file of unpackTar(bytesOf(options))) {
      if (manifest === undefined) {
        manifest = await takeManifest(file);
        onManifest?.(manifest);
      } else {
        await checkFile(file, manifest, onFile);
        read.add(file.name);
      }
    }
    if (manifest === undefined || manifest.files.some(({ name }) => !read.has(name)))
      throw new StorageError('the backup is cut off; take another one, or fetch this one again');
    return manifest;
  } catch (error) {
    throw inWords(error, options.file);
  }
}

async function* bytesOf(options: ReadOptions): AsyncGenerator<Uint8Array> {
  const { file, passphrase } = options;
  const isSealed = isEncrypted(file);
  if (!isSealed) assertMayBeUnencrypted(options);
  if (isSealed && passphrase === undefined) throw new StorageError(`${file} is encrypted; give its passphrase`);
  const source: AsyncIterable<Uint8Array> = createReadStream(file);
  const gunzip = createGunzip();
  // A failure shows itself to whoever reads the end of the pipe.
  pipeline(isSealed ? unseal(source, passphrase as string) : source, gunzip).catch(() => {});
  yield* gunzip as AsyncIterable<Uint8Array>;
}

function assertMayBeUnencrypted({ file, passphrase, allowUnencrypted = false }: ReadOptions): void {
  const why =
    passphrase !== undefined
      ? 'there is a passphrase for it'
      : file.endsWith(SEALED_ENDING) && `its name ends in ${SEALED_ENDING}`;
  if (allowUnencrypted || why === false) return;
  throw new StorageError(
    `${file} is not encrypted although ${why}, so somebody may have put it in the place of yours; take another one, or say ` +
      '--unencrypted if you know that it is yours',
  );
}

async function takeManifest({ name, bytes, content }: TarFile): Promise<Manifest> {
  if (name !== MANIFEST || bytes > MAX_MANIFEST_BYTES)
    throw new StorageError('the file is no backup of Signalbox; name one that "signalbox backup" has made');
  const parts: Uint8Array[] = [];
  for await (const part of content) parts.push(part);
  return readManifest(Buffer.concat(parts).toString('utf8'));
}

async function checkFile({ name, bytes, content }: TarFile, { files }: Manifest, onFile: ReadOptions['onFile']) {
  const known = files.find((file) => file.name === name);
  if (known === undefined || known.bytes !== bytes)
    throw new StorageError(`the backup holds ${name}, of which its manifest says something else; take another backup`);
  const hash = createHash('sha256');
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      hash.update(chunk);
      yield chunk;
    }
  }
  await onFile(name, hashed());
  if (hash.digest('hex') !== known.sha256)
    throw new StorageError(`${name} in the backup is damaged; take another backup`);
}

function inWords(error: unknown, file: string): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code.startsWith('Z_') || code === 'ERR_ZLIB')
    return new StorageError(`${file} is damaged, cut off, or no backup of Signalbox; take another one`, {
      cause: error,
    });
  return fileFaultInWords(error, file);
}
