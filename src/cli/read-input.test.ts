// Standard input, read to its end or refused.

import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { readInput } from './read-input.ts';

const input = (...chunks: (string | Uint8Array)[]) => Readable.from(chunks);

it('is put together from its pieces, letters cut in two included', async () => {
  const [first, second] = [Uint8Array.of(0x61, 0xc3), Uint8Array.of(0xa9, 0x62)];
  expect(new TextDecoder().decode(await readInput(input(first, second), 100))).toBe('aéb');
  expect(await readInput(input(), 100)).toHaveLength(0);
});

it('is refused when it is longer than it may be', async () => {
  await expect(readInput(input('x'.repeat(2 * 1024 * 1024)), 2 * 1024 * 1024)).resolves.toHaveLength(2 * 1024 * 1024);
  await expect(readInput(input('x'.repeat(2 * 1024 * 1024), 'y'), 2 * 1024 * 1024)).rejects.toThrow(
    'Standard input has more than 2 MiB, the limit; is it the right file?',
  );
});
