// Reads the PNG files of the tests back into pixels, written against the format and not against the encoder.

import { crc32, inflateSync } from 'node:zlib';

const CHANNELS = 4;

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly chunks: readonly string[];
  /** Red, green, blue and alpha; row by row. */
  readonly pixels: Uint8Array;
  /** 0xRRGGBB. */
  at(x: number, y: number): number;
}

export function readPng(bytes: Uint8Array): Picture {
  const file = Buffer.from(bytes);
  if (file.subarray(0, 8).toString('latin1') !== '\x89PNG\r\n\x1a\n') throw new Error('not a PNG file');
  const chunks: string[] = [];
  const data: Buffer[] = [];
  let [width, height] = [0, 0];
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at);
    const name = file.toString('latin1', at + 4, at + 8);
    const body = file.subarray(at + 8, at + 8 + length);
    if (file.readUInt32BE(at + 8 + length) !== crc32(file.subarray(at + 4, at + 8 + length)))
      throw new Error(`the checksum of ${name} is wrong`);
    chunks.push(name);
    if (name === 'IHDR') {
      [width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)];
      if (body.subarray(8).toString('hex') !== '0806000000')
        throw new Error('not 8 bits of red, green, blue and alpha');
    }
    if (name === 'IDAT') data.push(body);
    at += length + 12;
  }
  const pixels = unfiltered(inflateSync(Buffer.concat(data)), width * CHANNELS, height);
  const at = (x: number, y: number) => {
    const i = (y * width + x) * CHANNELS;
    return (pixels[i]! << 16) | (pixels[i + 1]! << 8) | pixels[i + 2]!;
  };
  return { width, height, chunks, pixels, at };
}

/** Undoes the filter of each row: what its bytes are told from is the one to the left, above, and above that one. */
function unfiltered(raw: Buffer, rowBytes: number, height: number): Uint8Array {
  if (raw.length !== (rowBytes + 1) * height) throw new Error(`${raw.length} bytes of pixels are too many or too few`);
  const pixels = new Uint8Array(rowBytes * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (rowBytes + 1)]!;
    for (let i = 0; i < rowBytes; i += 1) {
      const to = y * rowBytes + i;
      const left = i >= CHANNELS ? pixels[to - CHANNELS]! : 0;
      const up = y > 0 ? pixels[to - rowBytes]! : 0;
      const corner = i >= CHANNELS && y > 0 ? pixels[to - rowBytes - CHANNELS]! : 0;
      const guesses = [0, left, up, (left + up) >> 1, nearestOf(left, up, corner)];
      pixels[to] = raw[y * (rowBytes + 1) + 1 + i]! + guesses[filter]!;
    }
  }
  return pixels;
}

function nearestOf(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
