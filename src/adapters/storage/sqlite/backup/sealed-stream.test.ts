// An encrypted stream opens with its passphrase alone, and whatever was cut off, exchanged or changed is refused.

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { isSealedStream, seal, unseal } from './sealed-stream.ts';

const PASSPHRASE = 'four words in a row';
const HEAD_BYTES = 25;
const CHUNK_BYTES = 65_536;
const SEALED_CHUNK_BYTES = CHUNK_BYTES + 16;

async function* pieces(bytes: Buffer, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

async function all(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

const text = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, index) => (index * 7) % 251));
const quickKey = async (passphrase: string, cost: number, salt: Buffer): Promise<Buffer> =>
  createHash('sha256').update(`${passphrase} ${cost}`).update(salt).digest();
const sealed = (bytes: Buffer): Promise<Buffer> => all(seal(pieces(bytes, 10_007), PASSPHRASE, quickKey));
const opened = (bytes: Buffer, passphrase = PASSPHRASE): Promise<Buffer> =>
  all(unseal(pieces(bytes, 9_973), passphrase, quickKey));

test.each([0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES])(
  '%i bytes come back',
  async (length) => {
    const file = await sealed(text(length));
    expect(isSealedStream(file)).toBe(true);
    expect(file.includes(text(64))).toBe(false);
    expect((await opened(file)).equals(text(length))).toBe(true);
  },
);

test('another passphrase opens nothing', async () => {
  await expect(opened(await sealed(text(10)), 'four words in a rov')).rejects.toThrow('the passphrase is wrong');
});

test('the same text is never encrypted to the same bytes', async () => {
  expect((await sealed(text(10))).equals(await sealed(text(10)))).toBe(false);
});

test('what was cut off, also behind a whole chunk, exchanged, repeated or changed is found', async () => {
  const file = await sealed(text(3 * CHUNK_BYTES + 5));
  const chunk = (index: number): Buffer =>
    file.subarray(HEAD_BYTES + index * SEALED_CHUNK_BYTES, HEAD_BYTES + (index + 1) * SEALED_CHUNK_BYTES);
  const head = file.subarray(0, HEAD_BYTES);
  const flipped = Buffer.from(file);
  flipped[file.length - 1] = (flipped[file.length - 1] ?? 0) ^ 1;
  const broken = {
    cut: file.subarray(0, -1),
    'cut behind a chunk': Buffer.concat([head, chunk(0), chunk(1), chunk(2)]),
    exchanged: Buffer.concat([head, chunk(1), chunk(0), chunk(2), chunk(3)]),
    repeated: Buffer.concat([head, chunk(0), chunk(1), chunk(1), chunk(2), chunk(3)]),
    longer: Buffer.concat([file, Buffer.from('more')]),
    flipped,
  };
  for (const [how, bytes] of Object.entries(broken)) await expect(opened(bytes), how).rejects.toThrow(/damaged/);
  await expect(opened(file.subarray(0, 20))).rejects.toThrow('cut off');
});

test('a head that asks for more memory than a machine has is refused before any is taken', async () => {
  const file = await sealed(text(10));
  file[8] = 30;
  await expect(opened(file)).rejects.toThrow('no encrypted backup of this version');
});
