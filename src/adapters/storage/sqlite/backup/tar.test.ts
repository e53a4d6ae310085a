// What is packed can be unpacked here and by the tar of the system, and what is cut off or changed is refused.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packTar, type TarFile, unpackTar } from './tar.ts';

const AT_MS = Date.UTC(2026, 10, 18);
const TEXTS: Readonly<Record<string, string>> = {
  'empty.db': '',
  'one.db': 'x',
  'block.db': 'b'.repeat(512),
  'more.db': 'm'.repeat(513),
};

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const files = (): TarFile[] =>
  Object.entries(TEXTS).map(([name, body]) => ({ name, bytes: body.length, content: once(Buffer.from(body)) }));

async function packed(): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of packTar(files(), AT_MS)) parts.push(part);
  return Buffer.concat(parts);
}

async function unpacked(bytes: Buffer): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { name, content } of unpackTar(once(bytes))) {
    found[name] = '';
    for await (const part of content) found[name] += Buffer.from(part).toString();
  }
  return found;
}

test('comes back as it was', async () => {
  expect(await unpacked(await packed())).toEqual(TEXTS);
});

test('is unpacked by the system without us', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-tar-'));
  writeFileSync(join(folder, 'all.tar'), await packed());
  execFileSync('tar', ['xf', 'all.tar'], { cwd: folder });
  for (const [name, body] of Object.entries(TEXTS)) expect(readFileSync(join(folder, name), 'utf8')).toBe(body);
});

test('a length beyond what digits can tell is written and read', async () => {
  const bytes = 8 ** 11;
  const big = packTar([{ name: 'big.db', bytes, content: once(Buffer.alloc(0)) }], AT_MS);
  const { value: header } = await big.next();
  for await (const file of unpackTar(once(header as Uint8Array))) {
    expect(file.bytes).toBe(bytes);
    break;
  }
});

test('what is cut off or changed is refused', async () => {
  const bytes = await packed();
  await expect(unpacked(bytes.subarray(0, bytes.length - 1024))).rejects.toThrow('damaged or cut off');
  const changed = Buffer.from(bytes);
  changed[0] = 0x41;
  await expect(unpacked(changed)).rejects.toThrow('damaged');
});

test('a file that grows while it is packed is refused', async () => {
  const growing = packTar([{ name: 'a.db', bytes: 1, content: once(Buffer.from('ab')) }], AT_MS);
  await expect(
    (async () => {
      for await (const _ of growing);
    })(),
  ).rejects.toThrow('changed while it was packed');
});
