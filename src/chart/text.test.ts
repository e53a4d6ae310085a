// Tests of the words on a chart.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Canvas } from './canvas.ts';
import { GLYPHS } from './glyphs.ts';
import { capHeight, drawText, fitText, hasGlyph, lineHeight, type TextSize, textWidth } from './text.ts';

const ASCII = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i));
const SIZES: readonly TextSize[] = ['small', 'large'];

function ink(text: string, size: TextSize = 'small') {
  const canvas = new Canvas(60, 30, 0x000000ff);
  drawText(canvas, text, 10, 10, 0xffffffff, size);
  const lit = [...canvas.pixels.keys()].filter((at) => at % 3 === 0 && canvas.pixels[at]! > 40);
  return lit.map((at) => ({ x: (at / 3) % 60, y: Math.floor(at / 3 / 60) }));
}

const isInside = ({ x, y }: { x: number; y: number }, character: string, size: TextSize) =>
  x >= 10 && x <= 10 + textWidth(character, size) && y >= 10 && y <= 10 + lineHeight(size);

describe('the font', () => {
  it('has every character of ASCII and nothing else', () => {
    expect(Object.keys(GLYPHS).toSorted()).toEqual(ASCII.toSorted());
  });

  it('draws each of them differently', () => {
    for (const size of SIZES) {
      const pictures = ASCII.map((character) => JSON.stringify(ink(character, size)));
      expect(new Set(pictures).size).toBe(ASCII.length);
    }
  });

  it('keeps every glyph inside its width and its line', () => {
    for (const size of SIZES)
      for (const character of ASCII)
        expect(ink(character, size).filter((place) => !isInside(place, character, size))).toEqual([]);
  });

  it('has digits of one width, so that numbers stand in columns', () => {
    for (const size of SIZES) expect(new Set([...'0123456789'].map((digit) => textWidth(digit, size))).size).toBe(1);
  });

  it('is larger in the large size', () => {
    expect(capHeight('large')).toBeGreaterThan(capHeight('small'));
    expect(textWidth('Chart', 'large')).toBeGreaterThan(textWidth('Chart', 'small'));
  });

  it('writes accents as their letter, and a box for what it does not have', () => {
    expect(ink('é')).toEqual(ink('e'));
    expect(ink('—')).toEqual(ink('-'));
    expect(ink('漢')).toEqual(ink('🚀'));
    expect(ink('漢').length).toBeGreaterThan(10);
    expect([hasGlyph('★'), hasGlyph('漢'), hasGlyph('')]).toEqual([true, false, false]);
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
    expect(fitText('Bollinger Bands', 60)).toMatch(/^Bol.*\.\.$/);
    expect(fitText('Bollinger Bands', 3)).toBe('');
  });

  it('of a million letters takes no longer than one that fills the chart', () => {
    expect(textWidth(fitText('W'.repeat(1_000_000), 800))).toBeLessThanOrEqual(800);
  });
});
