// A backup as somebody might change it: unpacked, given to a test that changes it, and packed again with hashes that fit.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Manifest } from '../../src/adapters/storage/sqlite/backup/manifest.ts';
import { packTar, unpackTar } from '../../src/adapters/storage/sqlite/backup/tar.ts';

type Writable<T> = { -readonly [K in keyof T]: T[K] };
export type ChangedFile = Writable<Manifest['files'][number]>;

export interface Unpacked {
  /** Whatever a test makes of it. */
  manifest: Writable<Omit<Manifest, 'files'>> & { files: ChangedFile[] };
  readonly files: Map<string, Buffer>;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function unpack(file: string): Promise<Unpacked> {
  const files = new Map<string, Buffer>();
  for await (const { name, content } of unpackTar(once(gunzipSync(readFileSync(file))))) {
    const parts: Uint8Array[] = [];
    for await (const part of content) parts.push(part);
    files.set(name, Buffer.concat(parts));
  }
  const manifest = JSON.parse(String(files.get('manifest.json')));
  files.delete('manifest.json');
  return { manifest, files };
}

/** What the manifest tells of a file that is put in. */
export const toldOf = (name: string, bytes: Uint8Array): ChangedFile => ({
  name,
  bytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});

export async function changeBackup(from: string, to: string, change: (unpacked: Unpacked) => void): Promise<void> {
  const unpacked = await unpack(from);
  change(unpacked);
  const all: [string, Buffer][] = [
    ['manifest.json', Buffer.from(JSON.stringify(unpacked.manifest))],
    ...unpacked.files,
  ];
  const parts: Uint8Array[] = [];
  const files = all.map(([name, bytes]) => ({ name, bytes: bytes.length, content: once(bytes) }));
  for await (const part of packTar(files, Date.parse('2026-11-18'))) parts.push(part);
  writeFileSync(to, gzipSync(Buffer.concat(parts)));
}
