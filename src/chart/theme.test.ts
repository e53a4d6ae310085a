// Tests of the colors of a chart: whatever a script chooses can be seen, and words can be read.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { between, contrast, faded, isInvisible } from './colors.ts';
import { legible, THEME, THEMES, visible } from './theme.ts';

const anyColor = fc.integer({ min: 0, max: 0xffffffff });

describe('a color of a script', () => {
  it('can be seen on either theme, and keeps its transparency', () => {
    fc.assert(
      fc.property(anyColor, fc.constantFrom(...THEMES), (color, name) => {
        const theme = THEME[name];
        const seen = visible(color, theme);
        expect(contrast(seen, theme.background)).toBeGreaterThanOrEqual(theme.leastContrast);
        expect(seen & 0xff).toBe(color & 0xff);
        expect(contrast(legible(color, theme), theme.background)).toBeGreaterThanOrEqual(3);
        expect(legible(color, theme) & 0xff).toBe(0xff);
      }),
    );
  });

  it('is left as it is where it can be seen, and na stays na', () => {
    expect(visible(0xff9800ff, THEME.dark)).toBe(0xff9800ff);
    expect(visible(0xfdd835ff, THEME.light)).toBe(0xfdd835ff);
    expect(visible(Number.NaN, THEME.light)).toBeNaN();
    expect(legible(Number.NaN, THEME.light)).toBe(THEME.light.faint);
  });
});

describe('the colors of a theme', () => {
  it.each(THEMES)('stand out from the background of the %s one', (name) => {
    const { background, faint, ink, up, down, line, grid, frame } = THEME[name];
    for (const color of [up, down, line]) expect(contrast(color, background)).toBeGreaterThan(3);
    for (const color of [faint, ink]) expect(contrast(color, background)).toBeGreaterThan(4.5);
    expect(contrast(grid, background)).toBeLessThan(contrast(frame, background));
  });
});

describe('mixing', () => {
  it('goes from one color to the other', () => {
    expect(between(0xff000000, 0x0000ffff, 0)).toBe(0xff000000);
    expect(between(0xff000000, 0x0000ffff, 1)).toBe(0x0000ffff);
    expect(between(0x000000ff, 0xffffffff, 0.5)).toBe(0x808080ff);
  });

  it('fades a color down to nothing', () => {
    expect(faded(0x112233ff, 0.5)).toBe(0x11223380);
    expect([faded(0xffffffff, 0), 0x11223301, Number.NaN].map(isInvisible)).toEqual([true, false, true]);
  });
});
