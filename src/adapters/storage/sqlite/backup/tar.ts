// Files in one stream and out of it again, in the tar format that every system can unpack without us.

import { StorageError } from '../../../../errors/storage-error.ts';

const BLOCK = 512;
const NAME = { at: 0, bytes: 100 };
const MODE = { at: 100, bytes: 8 };
const OWNER_IDS = [108, 116];
const SIZE = { at: 124, bytes: 12 };
const TIME = { at: 136, bytes: 12 };
const CHECKSUM = { at: 148, bytes: 8 };
const KIND = 156;
const MAGIC = 257;
const PLAIN_FILE = '0';
/** The owner only: it is about keys and money. */
const OWNER_ONLY = 0o600;
/** Eleven octal digits; what is larger is written in binary, as GNU tar does it. */
const LARGEST_IN_DIGITS = 8 ** 11 - 1;
const BINARY = 0x80;

export interface TarFile {
  readonly name: string;
  readonly bytes: number;
  readonly content: AsyncIterable<Uint8Array>;
}

/** The names are ours: short, and without folders. */
export async function* packTar(files: AsyncIterable<TarFile> | Iterable<TarFile>, atMs: number) {
  for await (const { name, bytes, content } of files) {
    yield headerOf(name, bytes, atMs);
    let written = 0;
    for await (const chunk of content) {
      written += chunk.length;
      yield chunk;
    }
    if (written !== bytes) throw new StorageError(`${name} changed while it was packed; try again`);
    yield Buffer.alloc(padding(bytes));
  }
  yield Buffer.alloc(2 * BLOCK);
}

const padding = (bytes: number): number => (BLOCK - (bytes % BLOCK)) % BLOCK;

function headerOf(name: string, bytes: number, atMs: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  if (Buffer.byteLength(name) >= NAME.bytes) throw new Error(`${name} is too long for a tar file`);
  header.write(name, NAME.at);
  const digits = (value: number, { at, bytes: room }: { readonly at: number; readonly bytes: number }): void =>
    void header.write(value.toString(8).padStart(room - 1, '0'), at);
  digits(OWNER_ONLY, MODE);
  for (const at of OWNER_IDS) digits(0, { at, bytes: 8 });
  if (bytes <= LARGEST_IN_DIGITS) digits(bytes, SIZE);
  else {
    header[SIZE.at] = BINARY;
    header.writeBigUInt64BE(BigInt(bytes), SIZE.at + SIZE.bytes - 8);
  }
  digits(Math.floor(atMs / 1000), TIME);
  header.write(PLAIN_FILE, KIND);
  header.write('ustar\u000000', MAGIC);
  header.write(`${checksumOf(header).toString(8).padStart(6, '0')}\0 `, CHECKSUM.at);
  return header;
}

/** With blanks where the sum itself stands. */
function checksumOf(header: Uint8Array): number {
  let sum = 0;
  for (const [at, byte] of header.entries())
    sum += at >= CHECKSUM.at && at < CHECKSUM.at + CHECKSUM.bytes ? 0x20 : byte;
  return sum;
}

/** The content of each must be read to its end before the next is asked for. */
export async function* unpackTar(stream: AsyncIterable<Uint8Array>): AsyncGenerator<TarFile> {
  const reader = new BlockReader(stream);
  for (;;) {
    const header = await reader.take(BLOCK);
    if (header.every((byte) => byte === 0)) break;
    if (Number.parseInt(header.toString('latin1', CHECKSUM.at, CHECKSUM.at + 6), 8) !== checksumOf(header))
      throw damaged();
    const bytes = sizeOf(header);
    const name = header.toString('utf8', NAME.at, header.indexOf(0, NAME.at));
    yield { name, bytes, content: reader.content(bytes) };
    await reader.take(padding(bytes));
  }
  await reader.drain();
}

function sizeOf(header: Buffer): number {
  const isBinary = (header[SIZE.at] ?? 0) === BINARY;
  const bytes = isBinary
    ? Number(header.readBigUInt64BE(SIZE.at + SIZE.bytes - 8))
    : Number.parseInt(header.toString('latin1', SIZE.at, SIZE.at + SIZE.bytes - 1), 8);
  if (!Number.isSafeInteger(bytes)) throw damaged();
  return bytes;
}

const damaged = (): StorageError =>
  new StorageError('the backup is damaged or cut off; take another one, or fetch this one again');

/** Takes as many bytes as are asked for out of pieces of any length. */
class BlockReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #left: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#pieces = stream[Symbol.asyncIterator]();
  }

  /** At most so many, and at least one unless none are asked for. */
  async #some(most: number): Promise<Buffer> {
    while (this.#left.length === 0) {
      const { done, value } = await this.#pieces.next();
      if (done) throw damaged();
      this.#left = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    const taken = this.#left.subarray(0, most);
    this.#left = this.#left.subarray(taken.length);
    return taken;
  }

  async take(bytes: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let missing = bytes; missing > 0; ) {
      const part = await this.#some(missing);
      parts.push(part);
      missing -= part.length;
    }
    return Buffer.concat(parts);
  }

  async *content(bytes: number): AsyncGenerator<Uint8Array> {
    for (let missing = bytes; missing > 0; ) {
      const part = await this.#some(missing);
      missing -= part.length;
      yield part;
    }
  }

  /** What is behind the end is read too: only then is the stream known to be whole. */
  async drain(): Promise<void> {
    while (!(await this.#pieces.next()).done);
  }
}
