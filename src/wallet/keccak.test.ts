// Keccak-256 and the checksums of addresses, against published values and against the library that signs.

import fc from 'fast-check';
import { getAddress, keccak256 as theirs } from 'viem';
import { expect, test } from 'vitest';
import { checksumAddress, readAddress } from './address.ts';
import { keccak256 } from './keccak.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

test.each([
  ['', 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
  ['abc', '4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45'],
])('the hash of %j is the published one', (text, expected) => {
  expect(hex(keccak256(Buffer.from(text)))).toBe(expected);
});

test('any bytes hash to what the signing library says, around every block boundary too', () => {
  for (const length of [1, 135, 136, 137, 271, 272, 273])
    expect(`0x${hex(keccak256(new Uint8Array(length).fill(7)))}`).toBe(theirs(new Uint8Array(length).fill(7)));
  const check = (bytes: Uint8Array): void => {
    expect(`0x${hex(keccak256(bytes))}`).toBe(theirs(bytes));
  };
  fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), check), { numRuns: 100 });
});

test('any address gets the capitals the signing library gives it', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (bytes) => {
      const plain = `0x${hex(bytes)}` as const;
      const checked = checksumAddress(plain);
      expect(checked).toBe(getAddress(plain));
      expect(readAddress(plain)).toEqual({ address: checked });
      expect(readAddress(checked)).toEqual({ address: checked });
    }),
    { numRuns: 100 },
  );
});

const GOOD = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

test.each([
  '',
  '0x',
  GOOD.slice(0, -1),
  `${GOOD}0`,
  GOOD.slice(2),
  `${GOOD.slice(0, -1)}g`,
  ` ${GOOD}`,
  `${GOOD}\n`,
  'vitalik.eth',
])('%j is no address', (text) => {
  expect(readAddress(text)).toEqual({ fault: 'is no address, send 0x and 40 hex digits' });
});

test('a mistyped capital is caught, while text in one case has no checksum to check', () => {
  expect(readAddress(GOOD.replace('aA', 'aa'))).toMatchObject({ fault: expect.stringContaining('checksum') });
  expect(readAddress(GOOD.toLowerCase())).toEqual({ address: GOOD });
  expect(readAddress(`0x${GOOD.slice(2).toUpperCase()}`)).toEqual({ address: GOOD });
});
