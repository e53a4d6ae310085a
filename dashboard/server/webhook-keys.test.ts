// A new key gets a label that the server takes and nobody else has.

import { expect, test } from 'vitest';
import { freeLabel, looksWhole } from './webhook-keys.ts';

test.each([
  ['EMA cross', [], 'EMA cross'],
  ['trend/EMA cross (v2)', [], 'trend EMA cross v2'],
  ['EMA', ['EMA'], 'EMA 2'],
  ['EMA', ['EMA', 'EMA 2'], 'EMA 3'],
  ['Größe', [], 'Gr e'],
  ['移動平均', [], 'script'],
  ['static-1', [], 'script static-1'],
  ['x'.repeat(80), [], 'x'.repeat(60)],
] as const)('%s', (name, taken, label) => expect(freeLabel(name, taken)).toBe(label));

test('a whole key is told from a part of one, and from other keys', () => {
  expect(looksWhole(` whk_${'a'.repeat(43)} `)).toBe(true);
  expect(looksWhole('a key of the settings'.replaceAll(' ', '-'))).toBe(true);
  for (const text of ['', 'whk_', `whk_${'a'.repeat(42)}`, `pn_${'a'.repeat(48)}`])
    expect(looksWhole(text)).toBe(false);
});
