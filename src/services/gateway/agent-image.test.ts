// Images out of Base64: what goes in comes out to the byte, and nothing else is taken for an image.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readImage } from './agent-image.ts';

const PNG_HEAD = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

test('any bytes behind a known head come out as they were', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (rest, asUrl) => {
      const bytes = Buffer.from([...PNG_HEAD, ...rest]);
      const text = bytes.toString('base64');
      const read = readImage(asUrl ? `data:image/png;charset=utf-8;base64,${text}` : text);
      expect(read).toEqual({ image: { mediaType: 'image/png', bytes } });
    }),
  );
});

test('any text is an image or a fault in words', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.base64String(),
        fc.string().map((text) => `data:${text}`),
      ),
      (text) => {
        const read = readImage(text);
        if ('fault' in read) expect(read.fault).toMatch(/send/);
        else expect(read.image.bytes.length).toBeGreaterThan(2);
      },
    ),
  );
});

test.each(['', '=', '==', 'A', 'AAAAA', 'AA===', 'A=AA', 'AAA=A', 'AA-_'])('%j is no Base64', (text) => {
  expect(readImage(text)).toEqual({ fault: expect.stringMatching('is not Base64') });
});

test('16 MiB of what almost is Base64 are refused', () => {
  expect(readImage(`${'A'.repeat(16 * 1024 * 1024)}!`)).toHaveProperty('fault');
  expect(readImage(`${'A'.repeat(1024)}${'='.repeat(8 * 1024 * 1024)}A`)).toHaveProperty('fault');
  expect(readImage(`${'A'.repeat(8 * 1024 * 1024)}!`)).toHaveProperty('fault');
  expect(readImage(`data:${'a;'.repeat(4 * 1024 * 1024)}`)).toHaveProperty('fault');
  expect(readImage(' '.repeat(8 * 1024 * 1024))).toHaveProperty('fault');
});
