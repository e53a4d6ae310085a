// Encrypts a stream of any length with a passphrase, in chunks: what was cut off, exchanged or changed is found at once.
//
//   head   8 letters, the cost of scrypt, a salt of 16 bytes
//   chunk  65,536 bytes of AES-256-GCM, the last one fewer, each with its 16 bytes of proof
//
// The salt makes a key that no other file has, so the number of a chunk can be its nonce. The last byte of the nonce says whether
// it is the last chunk: without that a file that ends behind a whole chunk would look complete. The head is under every proof.

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { StorageError } from '../../../../errors/storage-error.ts';
import { slowKey } from '../../../../keys/sealed-text.ts';

const LETTERS = Buffer.from('SBXSEAL1');
const SALT_BYTES = 16;
const HEAD_BYTES = LETTERS.length + 1 + SALT_BYTES;
const CHUNK_BYTES = 65_536;
const PROOF_BYTES = 16;
const NONCE_BYTES = 12;
const CIPHER = 'aes-256-gcm';
/** Powers of two: 64 MiB for a guess, and at most 256 MiB for a file that says more. */
const COST = 16;
const MAX_COST = 18;

export const isSealedStream = (head: Uint8Array): boolean => LETTERS.equals(head.subarray(0, LETTERS.length));

function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeBigUInt64BE(BigInt(number), 3);
  nonce[NONCE_BYTES - 1] = isLast ? 1 : 0;
  return nonce;
}

/** The key of a passphrase takes long to make, on purpose; a test may want a quick one. */
type MakeKey = typeof slowKey;

export async function* seal(
  stream: AsyncIterable<Uint8Array>,
  passphrase: string,
  makeKey: MakeKey = slowKey,
): AsyncGenerator<Uint8Array> {
  const salt = randomBytes(SALT_BYTES);
  const head = Buffer.concat([LETTERS, Buffer.from([COST]), salt]);
  const key = await makeKey(passphrase, COST, salt);
  yield head;
  let number = 0;
  for await (const { chunk, isLast } of chunksOf(stream, CHUNK_BYTES)) {
    const cipher = createCipheriv(CIPHER, key, nonceOf(number, isLast)).setAAD(head);
    yield Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()]);
    number += 1;
  }
}

export async function* unseal(
  stream: AsyncIterable<Uint8Array>,
  passphrase: string,
  makeKey: MakeKey = slowKey,
): AsyncGenerator<Uint8Array> {
  const pieces = stream[Symbol.asyncIterator]();
  const { head, rest } = await headOf(pieces);
  const cost = head[LETTERS.length] ?? 0;
  if (!isSealedStream(head) || cost < COST || cost > MAX_COST)
    throw new StorageError('the file is no encrypted backup of this version; start the version that made it');
  const key = await makeKey(passphrase, cost, head.subarray(LETTERS.length + 1));
  let number = 0;
  for await (const { chunk, isLast } of chunksOf(rest, CHUNK_BYTES + PROOF_BYTES)) {
    yield opened(chunk, { key, nonce: nonceOf(number, isLast), head, isFirst: number === 0 });
    number += 1;
  }
}

interface ChunkKey {
  readonly key: Buffer;
  readonly nonce: Buffer;
  readonly head: Buffer;
  readonly isFirst: boolean;
}

function opened(chunk: Buffer, { key, nonce, head, isFirst }: ChunkKey): Buffer {
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: PROOF_BYTES })
      .setAAD(head)
      .setAuthTag(chunk.subarray(-PROOF_BYTES));
    return Buffer.concat([decipher.update(chunk.subarray(0, -PROOF_BYTES)), decipher.final()]);
  } catch {
    throw new StorageError(
      isFirst
        ? 'the passphrase is wrong, or the backup is damaged; try the passphrase again, or take another backup'
        : 'the backup is damaged or cut off; take another one, or fetch this one again',
    );
  }
}

async function headOf(pieces: AsyncIterator<Uint8Array>) {
  let read: Buffer = Buffer.alloc(0);
  while (read.length < HEAD_BYTES) {
    const { done, value } = await pieces.next();
    if (done) throw new StorageError('the backup is cut off; take another one, or fetch this one again');
    read = Buffer.concat([read, value]);
  }
  async function* rest(): AsyncGenerator<Uint8Array> {
    yield read.subarray(HEAD_BYTES);
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value;
  }
  return { head: read.subarray(0, HEAD_BYTES), rest: rest() };
}

/** All of the same length but the last, which may be shorter or empty; there is always a last one. */
async function* chunksOf(stream: AsyncIterable<Uint8Array>, bytes: number) {
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const piece of stream) {
    parts.push(piece);
    length += piece.length;
    if (length <= bytes) continue;
    const all = Buffer.concat(parts);
    let at = 0;
    // One byte more at least: a chunk that nothing follows is the last one.
    for (; all.length - at > bytes; at += bytes) yield { chunk: all.subarray(at, at + bytes), isLast: false };
    parts = [all.subarray(at)];
    length = all.length - at;
  }
  yield { chunk: Buffer.concat(parts), isLast: true };
}
