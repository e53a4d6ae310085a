// Tests of the canvas by what is seen on it: areas, edges, gaps, and a budget that ends.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOST_COATS } from './canvas.ts';
import { clipSegment } from './clip-segment.ts';
import { Picture } from './picture.ts';

const BLACK = 0x000000ff;
const WHITE = 0xffffffff;
const NA = Number.NaN;

const black = (width = 20, height = 20) => new Picture(width, height, BLACK);
const red = (canvas: Picture, x: number, y: number) => canvas.pixels()[(y * canvas.width + x) * 4]!;
/** Covered pixels, those in part by their part. */
function covered(canvas: Picture): number {
  const pixels = canvas.pixels();
  let sum = 0;
  for (let at = 0; at < pixels.length; at += 4) sum += pixels[at]! / 255;
  return sum;
}

describe('a rectangle', () => {
  it('covers whole pixels wholly and others in part', () => {
    const canvas = black();
    canvas.fillRect(2, 3, 5.5, 7, WHITE);
    expect([red(canvas, 2, 3), red(canvas, 4, 6), red(canvas, 1, 3), red(canvas, 2, 7)]).toEqual([255, 255, 0, 0]);
    expect(red(canvas, 5, 4)).toBeGreaterThan(110);
    expect(red(canvas, 5, 4)).toBeLessThan(145);
  });

  it('of a transparent color lets through what is behind', () => {
    const canvas = black();
    canvas.fillRect(0, 0, 20, 20, 0xffffff80);
    expect(red(canvas, 5, 5)).toBe(128);
    canvas.fillRect(0, 0, 20, 20, 0xffffff00);
    canvas.fillRect(0, 0, 20, 20, NA);
    expect(red(canvas, 5, 5)).toBe(128);
  });
});

describe('a clip', () => {
  it('keeps everything inside, also a clip in a clip, and ends', () => {
    const canvas = black();
    canvas.clipped({ left: 2, top: 2, right: 8, bottom: 8 }, () =>
      canvas.clipped({ left: 5, top: 5, right: 99, bottom: 6 }, () => {
        canvas.fillRect(-1e9, -1e9, 1e9, 1e9, WHITE);
        canvas.fillShape([-50, -50, 90, -50, 90, 90, -50, 90], WHITE);
        canvas.strokeLine([-9, 5.5, 99, 5.5], { color: WHITE, width: 9 });
        canvas.fillCircle(5, 5, 9, WHITE);
        canvas.write('WWWW', 0, 9, WHITE, '20px sans-serif');
      }),
    );
    expect(covered(canvas)).toBe(3);
    canvas.fillRect(0, 0, 1, 1, WHITE);
    expect(covered(canvas)).toBe(4);
  });

  it('has paint for so many coats, and there is new paint afterwards', () => {
    const canvas = black();
    const box = { left: 0, top: 0, right: 20, bottom: 20 };
    canvas.clipped(box, () => {
      for (let coat = 0; coat < MOST_COATS; coat += 1) canvas.fillRect(0, 0, 20, 20, 0x00ff00ff);
      canvas.fillRect(0, 0, 20, 20, WHITE);
      canvas.strokeLine([0, 5, 20, 5], { color: WHITE });
      canvas.fillShape([0, 0, 20, 0, 20, 20], WHITE);
      canvas.fillCircle(9, 9, 5, WHITE);
      canvas.fillRounded(box, 3, WHITE);
      canvas.write('W', 2, 12, WHITE, '12px sans-serif');
    });
    expect(covered(canvas)).toBe(0);
    canvas.clipped(box, () => canvas.fillRect(0, 0, 20, 20, WHITE));
    expect(covered(canvas)).toBe(400);
  });
});

describe('a line', () => {
  it('through the middles of pixels is one pixel sharp', () => {
    const canvas = black();
    canvas.strokeLine([2, 4.5, 12, 4.5], { color: WHITE });
    expect([3, 4, 5].map((y) => red(canvas, 5, y))).toEqual([0, 255, 0]);
    expect(covered(canvas)).toBeCloseTo(10, 1);
  });

  it('has the area of its length times its width, at any angle', () => {
    for (const width of [1, 2, 4])
      for (let angle = 0; angle < Math.PI; angle += 0.3) {
        const canvas = black(100, 100);
        const [dx, dy] = [Math.cos(angle) * 30, Math.sin(angle) * 30];
        canvas.strokeLine([50 - dx, 50 - dy, 50 + dx, 50 + dy], { color: WHITE, width });
        expect(Math.abs(covered(canvas) / (60 * width) - 1)).toBeLessThan(width === 1 ? 0.3 : 0.1);
      }
  });

  it('of a transparent color is not darker where its pieces meet', () => {
    const canvas = black();
    canvas.strokeLine([2, 4.5, 9.5, 4.5, 15, 4.5], { color: 0xffffff80 });
    const [before, joint, after] = [8, 9, 10].map((x) => red(canvas, x, 4)) as [number, number, number];
    expect([before, after]).toEqual([128, 128]);
    expect(joint).toBeLessThanOrEqual(128);
    expect(joint).toBeGreaterThan(100);
  });

  it('that is dashed or dotted has gaps, also when it comes in short pieces', () => {
    const share = (style: string, points: number[]) => {
      const canvas = black(180, 9);
      canvas.strokeLine(points, { color: WHITE, style });
      return covered(canvas) / 180;
    };
    const pieces = Array.from({ length: 91 }, (_, i) => [i * 2, 4.5]).flat();
    for (const points of [[0, 4.5, 180, 4.5], pieces]) {
      expect(share('solid', points)).toBeCloseTo(1, 1);
      expect(share('dashed', points)).toBeCloseTo(5 / 9, 1);
      expect(share('dotted', points)).toBeCloseTo(1 / 4, 1);
    }
  });

  it('is interrupted where there is no number', () => {
    const canvas = black();
    canvas.strokeLine([2, 4.5, 6, 4.5, NA, NA, 12, 4.5, 16, 4.5], { color: WHITE });
    expect([4, 9, 14].map((x) => red(canvas, x, 4))).toEqual([255, 0, 255]);
  });
});

describe('a filled shape', () => {
  it('has the area of the shape', () => {
    const canvas = black(60, 60);
    canvas.fillShape([10, 10, 50, 20, 30, 50], WHITE);
    expect(Math.abs(covered(canvas) - 700)).toBeLessThan(4);
    const circle = black(60, 60);
    circle.fillCircle(30, 30, 20, WHITE);
    expect(Math.abs(covered(circle) - Math.PI * 400)).toBeLessThan(4);
  });

  it('may cross itself without counting twice', () => {
    const canvas = black();
    canvas.fillShape([2, 2, 10, 2, 10, 10, 2, 10, 2, 2, 10, 2, 10, 10, 2, 10], 0xffffff80);
    expect(red(canvas, 5, 5)).toBe(128);
  });

  it('changes from its color at the top to that at the bottom, and keeps them beyond', () => {
    const canvas = black(10, 100);
    const gradient = { top: 20, bottom: 80, topColor: WHITE, bottomColor: BLACK };
    canvas.fillShape([0, 0, 10, 0, 10, 100, 0, 100], gradient);
    const [above, middle, below] = [10, 50, 90].map((y) => red(canvas, 5, y)) as [number, number, number];
    expect([above, below]).toEqual([255, 0]);
    expect(Math.abs(middle - 127)).toBeLessThan(5);
  });
});

describe('numbers that are none', () => {
  const wild = fc.oneof(
    fc.constantFrom(NA, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300, -1e300, 0, -0, 5e-324),
    fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  );

  it('never break a tool', () => {
    fc.assert(
      fc.property(fc.array(wild, { minLength: 6, maxLength: 6 }), wild, (points, width) => {
        const canvas = black();
        const [a, b, c, d] = points as [number, number, number, number];
        canvas.fillRect(a, b, c, d, WHITE);
        for (const style of ['solid', 'dashed', 'dotted']) canvas.strokeLine(points, { color: WHITE, width: 2, style });
        canvas.fillCircle(a, b, width, WHITE);
        canvas.fillRounded({ left: a, top: b, right: c, bottom: d }, 3, WHITE);
        canvas.fillShape(points, WHITE);
        canvas.fillShape(points, { top: a, bottom: b, topColor: WHITE, bottomColor: BLACK });
        canvas.write('x', a, b, WHITE, '11px sans-serif');
        expect(canvas.pixels()).toHaveLength(1600);
      }),
      { numRuns: 200 },
    );
  });

  it('far away do not bend a line: it crosses the picture where it should', () => {
    const canvas = black(100, 100);
    canvas.strokeLine([-1e12, -1e12, 1e12, 1e12], { color: WHITE, width: 3 });
    for (const at of [5, 50, 95]) expect(red(canvas, at, at)).toBe(255);
    expect(red(canvas, 70, 30)).toBe(0);
  });

  it('leave a clipped line inside the box and its margin', () => {
    const box = { left: 0, top: 0, right: 20, bottom: 10 };
    fc.assert(
      fc.property(fc.tuple(wild, wild, wild, wild), (segment) => {
        const clipped = clipSegment(segment, box, 2);
        if (clipped === undefined) return;
        const slack = 1e-3 + Math.max(...segment.map(Math.abs)) * 1e-12;
        for (const x of [clipped[0], clipped[2]]) expect(x >= -2 - slack && x <= 22 + slack).toBe(true);
        for (const y of [clipped[1], clipped[3]]) expect(y >= -2 - slack && y <= 12 + slack).toBe(true);
      }),
    );
  });
});

it('a picture that was given back has no pixels any more', () => {
  const canvas = black(1200, 600);
  canvas.release();
  expect(canvas.pixels()).toHaveLength(4);
});
