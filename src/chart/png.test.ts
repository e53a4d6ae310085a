// Tests of the PNG encoder: what comes out is a PNG file, and has the pixels that went in.

import { crc32 as systemCrc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Canvas } from './canvas.ts';
import { crc32, encodePng } from './png.ts';
import { readPng } from './testing/read-png.ts';

const canvasOf = (width: number, height: number, bytes: Uint8Array) => {
  const canvas = new Canvas(width, height, 0x000000ff);
  canvas.pixels.set(bytes.subarray(0, canvas.pixels.length));
  return canvas;
};

describe('a PNG file', () => {
  it('holds every pixel of the canvas, whatever the pixels are', () => {
    const sized = fc
      .tuple(fc.integer({ min: 1, max: 24 }), fc.integer({ min: 1, max: 24 }))
      .chain(([width, height]) =>
        fc.tuple(
          fc.constant(width),
          fc.constant(height),
          fc.uint8Array({ minLength: width * height * 3, maxLength: width * height * 3 }),
        ),
      );
    fc.assert(
      fc.property(sized, ([width, height, bytes]) => {
        const picture = readPng(encodePng(canvasOf(width, height, bytes)));
        expect([picture.width, picture.height]).toEqual([width, height]);
        expect(Buffer.compare(picture.pixels, bytes)).toBe(0);
      }),
      { numRuns: 100 },
    );
  });

  it('has a header, data and an end, in this order', () => {
    expect(readPng(encodePng(new Canvas(3, 2, 0x11223344))).chunks).toEqual(['IHDR', 'IDAT', 'IEND']);
  });

  it('of a flat picture is small', () => {
    expect(encodePng(new Canvas(1200, 600, 0x131722ff)).length).toBeLessThan(5000);
  });

  it('has the checksums of the format', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(crc32(bytes)).toBe(systemCrc32(bytes));
      }),
    );
  });
});
