// Tests of reading colors.

import { describe, expect, it } from 'vitest';
import { readColor } from './colors.ts';

describe('a color', () => {
  it('is read from three, six or eight digits, or a name', () => {
    expect(readColor('#abc')).toBe(0xaabbccff);
    expect(readColor('#F23645')).toBe(0xf23645ff);
    expect(readColor('#F2364580')).toBe(0xf2364580);
    expect(readColor('RED')).toBe(0xf23645ff);
    for (const none of ['', '#', '#12345', 'constructor', null, 5]) expect(readColor(none)).toBeNaN();
  });
});
