// Tests of the words on a chart: widths that hold, letters that are there, and text that fits.

import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { cssFont, type Font, fontOfSize, SMALL, systemFamilies, TITLE } from './fonts.ts';
import { Picture } from './picture.ts';
import { skia } from './skia.ts';
import { capHeight, drawText, fitText, lineHeight, textWidth } from './text.ts';

beforeAll(() => void skia());

const MARGIN = 10;
const ASCII = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i));

/** Where a text leaves ink, from its own left edge and the top of its capitals. */
function ink(text: string, font: Font = SMALL): { x: number; y: number }[] {
  const canvas = new Picture(textWidth(text, font) + 2 * MARGIN, 60, 0x000000ff);
  drawText(canvas, text, MARGIN, MARGIN, 0xffffffff, font);
  const pixels = canvas.pixels();
  const lit = Array.from({ length: pixels.length / 4 }, (_, i) => i).filter((i) => pixels[i * 4]! > 40);
  return lit.map((i) => ({ x: (i % canvas.width) - MARGIN, y: Math.floor(i / canvas.width) - MARGIN }));
}

describe('the fonts', () => {
  it('draw every letter of ASCII differently, inside its width and its line', () => {
    for (const font of [SMALL, TITLE, fontOfSize('huge')]) {
      // A capital I and a small l are one stroke each.
      expect(new Set(ASCII.map((letter) => JSON.stringify(ink(letter, font)))).size).toBeGreaterThan(ASCII.length - 3);
      for (const letter of ASCII)
        for (const { x, y } of ink(letter, font))
          expect(x >= -2 && x <= textWidth(letter, font) + 1 && y >= -font.px / 2 && y <= lineHeight(font)).toBe(true);
    }
  });

  it('have capitals as high as is said', () => {
    for (const font of [SMALL, TITLE, fontOfSize('huge')]) {
      const rows = ink('H', font).map(({ y }) => y);
      expect(Math.abs(Math.max(...rows) - Math.min(...rows) + 1 - capHeight(font))).toBeLessThanOrEqual(1);
      expect(Math.abs(Math.min(...rows))).toBeLessThanOrEqual(1);
    }
  });

  /** How a sign looks in the fonts that come with us alone, as on a machine without any. */
  const bundled = (sign: string) => {
    const canvas = new Picture(40, 40, 0x000000ff);
    canvas.write(sign, MARGIN, 2 * MARGIN, 0xffffffff, cssFont(SMALL, sign, []));
    return Buffer.from(canvas.pixels()).toString('base64');
  };

  // U+E000 belongs to nobody: what is drawn for it stands for every letter that no font has.
  it.each([...'éßŁąПжλΩữ▲▼●■◆★✓✖→←≥≤∞−…•🚀📈🐻🔥✅❌'])('have %s on every machine', (sign) => {
    expect(bundled(sign)).not.toBe(bundled('\ue000'));
    expect(bundled(sign)).not.toBe(bundled(' '));
    expect(ink(sign).length).toBeGreaterThan(2);
  });

  it('have a twin for signs that are not among them', () => {
    expect(ink('✗')).toEqual(ink('✖'));
    expect(bundled('漢')).toBe(bundled('\ue000'));
  });

  it('draw an emoji of several code points as one', () => {
    expect(textWidth('👨‍👩‍👧')).toBeLessThan(1.5 * textWidth('🚀'));
    expect(textWidth('🇩🇪')).toBeLessThan(1.5 * textWidth('🚀'));
  });

  it('ask the machine for what they do not have, plain faces first', () => {
    const found = ['Noto Emoji', 'DejaVu Serif', 'Signalbox emoji', 'Noto Sans CJK JP', 'Inter', 'Zapf', 'A"b'];
    expect(systemFamilies(found)).toEqual(['Noto Sans CJK JP', 'Zapf', 'DejaVu Serif']);
    expect(systemFamilies(Array.from({ length: 500 }, (_, i) => `Face ${i}`))).toHaveLength(40);
    expect(cssFont(SMALL, '漢', ['Noto Sans CJK JP'])).toMatch(/"Noto Sans CJK JP"$/);
    expect(cssFont(SMALL, 'Plain é – €', ['Noto Sans CJK JP'])).toBe('11px "Signalbox latin 400"');
  });

  it.each([
    ['tiny', 9],
    ['huge', 20],
    ['auto', 11],
    [13, 13],
    [1, 8],
    [400, 28],
    [0, 11],
    [Number.NaN, 11],
    ['constructor', 11],
    [undefined, 11],
  ])('have the size that a script asks for, within reason: %s', (size, px) => {
    expect(fontOfSize(size)).toEqual({ px, isBold: false });
  });
});

describe('a width', () => {
  it('is that of the ink, give or take the room around letters', () => {
    for (const text of ['61540.13', 'Bollinger Bands', 'WWWW', 'iiii', '🚀🚀', 'Привет']) {
      const columns = ink(text).map(({ x }) => x);
      const drawn = Math.max(...columns) - Math.min(...columns) + 1;
      expect(Math.abs(textWidth(text) - drawn)).toBeLessThanOrEqual(4);
    }
  });

  it('grows with the size and the weight', () => {
    expect(textWidth('Chart', TITLE)).toBeGreaterThan(textWidth('Chart'));
    expect(textWidth('Chart', { px: 14, isBold: false })).toBeLessThan(textWidth('Chart', TITLE));
    expect(textWidth('')).toBe(0);
  });
});

describe('a text that must fit', () => {
  it('is no wider than its room and never longer than it was', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'WiIl.é漢🚀 g_'), maxLength: 60 }),
        fc.integer({ min: -5, max: 300 }),
        (text, width) => {
          const fitted = fitText(text, width);
          expect(fitted === '' || textWidth(fitted) <= width).toBe(true);
        },
      ),
    );
  });

  it('is left as it is where there is room', () => {
    expect(fitText('Bollinger Bands', 200)).toBe('Bollinger Bands');
    expect(fitText('Bollinger Bands', 60)).toMatch(/^Bol.*…$/);
    expect(fitText('Bollinger Bands', 3)).toBe('');
  });

  it('of a million letters is as long as the chart is wide', () => {
    expect(textWidth(fitText('W'.repeat(1_000_000), 800))).toBeLessThanOrEqual(800);
  });
});
