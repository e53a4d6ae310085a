// A canvas as the bytes of a PNG file: always the same bytes for the same picture.

import { deflateSync } from 'node:zlib';
import { type Canvas, CHANNELS } from './canvas.ts';

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const BITS_PER_CHANNEL = 8;
const TRUECOLOR = 2;
/** Good for flat pictures; higher levels take several times as long for a few percent. */
const COMPRESSION_LEVEL = 6;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (let i = 0; i < bytes.length; i += 1) crc = CRC_TABLE[(crc ^ bytes[i]!) & 0xff]! ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

export function encodePng(canvas: Canvas): Uint8Array {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, canvas.width);
  view.setUint32(4, canvas.height);
  header[8] = BITS_PER_CHANNEL;
  header[9] = TRUECOLOR;
  const body = deflateSync(filtered(canvas), { level: COMPRESSION_LEVEL });
  return joined([SIGNATURE, chunk('IHDR', header), chunk('IDAT', body), chunk('IEND', new Uint8Array(0))]);
}

/** In memory of its own: small buffers of Node share theirs, and cannot be handed to another thread. */
function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function chunk(name: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(data.length + 12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  bytes.set(Buffer.from(name, 'latin1'), 4);
  bytes.set(data, 8);
  view.setUint32(8 + data.length, crc32(bytes.subarray(4, 8 + data.length)));
  return bytes;
}

/**
 * Each row as differences to its left neighbours or to the row above, or as it is: whichever has the smallest sum.
 * Charts are flat areas and upright lines; the format's two costlier filters gain nothing on them.
 */
function filtered({ pixels, width, height }: Canvas): Uint8Array {
  const rowBytes = width * CHANNELS;
  const out = new Uint8Array(height * (rowBytes + 1));
  for (let y = 0; y < height; y += 1) {
    const row = y * rowBytes;
    const to = y * (rowBytes + 1);
    const filter = bestFilter(pixels, row, rowBytes);
    out[to] = filter;
    for (let i = 0; i < rowBytes; i += 1)
      out[to + 1 + i] = pixels[row + i]! - predicted(pixels, row, rowBytes, i, filter);
  }
  return out;
}

const NONE = 0;
const SUB = 1;
const UP = 2;

function bestFilter(pixels: Uint8Array, row: number, rowBytes: number): number {
  const sums = [0, 0, 0];
  for (let i = 0; i < rowBytes; i += 1) {
    const value = pixels[row + i]!;
    sums[NONE]! += magnitude(value);
    sums[SUB]! += magnitude(value - predicted(pixels, row, rowBytes, i, SUB));
    sums[UP]! += magnitude(value - predicted(pixels, row, rowBytes, i, UP));
  }
  return sums.indexOf(Math.min(...sums));
}

function predicted(pixels: Uint8Array, row: number, rowBytes: number, i: number, filter: number): number {
  if (filter === SUB) return i < CHANNELS ? 0 : pixels[row + i - CHANNELS]!;
  if (filter === UP) return row === 0 ? 0 : pixels[row - rowBytes + i]!;
  return 0;
}

/** Of a difference as a signed byte. */
const magnitude = (difference: number) => Math.abs((difference << 24) >> 24);
