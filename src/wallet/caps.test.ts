// Caps as people write them: by chain and token, each once, and what is wrong with the others.

import { expect, test } from 'vitest';
import { readCaps } from './caps.ts';
import { TOKEN } from './testing/fake-chain.ts';

test('are read by chain and token, whatever the capitals of an address', () => {
  const { caps, faults } = readCaps(['ethereum:native=5', `polygon:${TOKEN.toLowerCase()}=0`]);
  expect([...caps]).toEqual([
    ['ethereum:native', 5n],
    [`polygon:${TOKEN}`, 0n],
  ]);
  expect(faults).toEqual([]);
});

test.each(['ethereum=5', 'bitcoin:native=5', 'ethereum:native', 'ethereum:native=1.5', 'ethereum:0x12=5', ''])(
  'are none: %s',
  (entry) => {
    const { caps, faults } = readCaps([entry]);
    expect([caps.size, faults.length]).toEqual([0, 1]);
    expect(faults[0]).toContain('chain:token=amount');
  },
);

test('are not twice for one token', () => {
  expect(readCaps(['ethereum:native=5', 'ethereum:native=6']).faults).toEqual([
    expect.stringContaining('names the same token again'),
  ]);
});
