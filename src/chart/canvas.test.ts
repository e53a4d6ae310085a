// Tests of the canvas and its tools: rectangles, clips, lines, dots and filled shapes.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Canvas, MOST_COATS } from './canvas.ts';
import { fillPolygon } from './polygon.ts';
import { clipSegment, Stroker } from './stroke.ts';

const WHITE = 0xffffffff;
const black = (width = 20, height = 20) => new Canvas(width, height, 0x000000ff);
const red = (canvas: Canvas, x: number, y: number) => canvas.pixels[(y * canvas.width + x) * 3]!;
const sum = (canvas: Canvas) => canvas.pixels.reduce((total, value) => total + value, 0) / 3 / 255;

describe('a rectangle', () => {
  it('covers whole pixels fully and those at its edges in part', () => {
    const canvas = black();
    canvas.fillRect(2.5, 3, 5, 4.25, WHITE);
    expect([2, 3, 4, 5].map((x) => red(canvas, x, 3))).toEqual([128, 255, 255, 0]);
    expect(red(canvas, 3, 4)).toBe(64);
  });

  it('lays a transparent color over what is there', () => {
    const canvas = black();
    canvas.fillRect(0, 0, 20, 20, 0xff000080);
    expect([...canvas.pixels.subarray(0, 3)]).toEqual([128, 0, 0]);
    canvas.fillRect(0, 0, 20, 20, 0xff000080);
    expect([...canvas.pixels.subarray(0, 3)]).toEqual([192, 0, 0]);
  });

  it('stays inside the clip, and the clip ends with its block', () => {
    const canvas = black();
    canvas.clipped({ left: 5, top: 5, right: 8, bottom: 7 }, () => canvas.fillRect(-1e9, -1e9, 1e9, 1e9, WHITE));
    expect(sum(canvas)).toBe(6);
    canvas.fillRect(0, 0, 1, 1, WHITE);
    expect(sum(canvas)).toBe(7);
  });
});

describe('the paint of a clip', () => {
  const box = { left: 0, top: 0, right: 20, bottom: 20 };

  it('ends after so many coats, and there is new paint afterwards', () => {
    const canvas = black();
    canvas.clipped(box, () => {
      for (let coat = 0; coat < MOST_COATS; coat += 1) canvas.fillRect(0, 0, 20, 20, 0x00ff00ff);
      canvas.fillRect(0, 0, 20, 20, WHITE);
      canvas.blend(0, 0, WHITE, 1);
      new Stroker(canvas).line(0, 5, 20, 5, WHITE);
      fillPolygon(canvas, [0, 0, 20, 0, 20, 20], WHITE);
    });
    expect([...canvas.pixels.subarray(0, 3)]).toEqual([0, 255, 0]);
    expect(sum(canvas)).toBeCloseTo(400 / 3);
    canvas.clipped(box, () => canvas.fillRect(0, 0, 20, 20, WHITE));
    expect(sum(canvas)).toBe(400);
  });
});

describe('a line', () => {
  it('through the middles of pixels is one pixel sharp', () => {
    const canvas = black();
    new Stroker(canvas).line(2.5, 4.5, 9.5, 4.5, WHITE);
    expect([3, 4, 5].map((y) => red(canvas, 5, y))).toEqual([0, 255, 0]);
  });

  it('has about the area of its length times its width, at any angle', () => {
    for (const width of [1, 2, 4])
      for (let angle = 0; angle < Math.PI; angle += 0.3) {
        const canvas = black(100, 100);
        const [dx, dy] = [Math.cos(angle) * 30, Math.sin(angle) * 30];
        new Stroker(canvas).line(50 - dx, 50 - dy, 50 + dx, 50 + dy, WHITE, width);
        const ends = Math.PI * (width / 2) ** 2;
        expect(Math.abs(sum(canvas) - (60 * width + ends))).toBeLessThan(6 + width * 2);
      }
  });

  it('of a transparent color is not darker where its pieces meet', () => {
    const canvas = black();
    const pen = new Stroker(canvas);
    pen.add(2.5, 4.5, 9.5, 4.5);
    pen.add(9.5, 4.5, 15.5, 4.5);
    pen.flush(0xffffff80);
    expect([8, 9, 10].map((x) => red(canvas, x, 4))).toEqual([128, 128, 128]);
  });

  it('that is dashed has gaps, also when it comes in short pieces', () => {
    const whole = black(100, 9);
    new Stroker(whole).line(0, 4.5, 100, 4.5, WHITE, 1, 'dashed');
    const pieces = black(100, 9);
    const pen = new Stroker(pieces);
    for (let x = 0; x < 100; x += 2) pen.add(x, 4.5, x + 2, 4.5, 1, 'dashed');
    pen.flush(WHITE);
    for (const canvas of [whole, pieces]) {
      const row = Array.from({ length: 90 }, (_, x) => red(canvas, x, 4));
      expect(row.filter((value) => value === 0).length).toBeGreaterThan(20);
      expect(row.filter((value) => value === 255).length).toBeGreaterThan(30);
    }
  });
});

describe('a filled shape', () => {
  it('has the area of the shape', () => {
    const canvas = black(60, 60);
    fillPolygon(canvas, [10, 10, 50, 20, 30, 50], WHITE);
    expect(Math.abs(sum(canvas) - 700)).toBeLessThan(8);
  });

  it('may cross itself without counting twice', () => {
    const canvas = black();
    fillPolygon(canvas, [2, 2, 10, 2, 10, 10, 2, 10, 2, 2, 10, 2, 10, 10, 2, 10], 0xffffff80);
    expect(red(canvas, 5, 5)).toBe(128);
  });

  it('outside or at the edge of the clip draws only what is inside', () => {
    const canvas = black();
    fillPolygon(canvas, [-50, -50, 5, -50, 5, 5, -50, 5], WHITE);
    expect(sum(canvas)).toBe(25);
  });
});

describe('numbers that are none', () => {
  const wild = fc.oneof(
    fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300, -1e300, 0, -0, 5e-324),
    fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  );

  it('never break a tool, and are drawn in bounded time', () => {
    fc.assert(
      fc.property(fc.array(wild, { minLength: 6, maxLength: 6 }), wild, (points, width) => {
        const canvas = black();
        const [a, b, c, d] = points as [number, number, number, number];
        canvas.fillRect(a, b, c, d, WHITE);
        canvas.fillColumn(3, a, b, () => WHITE);
        const pen = new Stroker(canvas);
        for (const style of ['solid', 'dashed', 'dotted']) pen.line(a, b, c, d, WHITE, 2, style);
        pen.dot(a, b, Math.min(Math.abs(width), 10), WHITE);
        fillPolygon(canvas, points, WHITE);
      }),
      { numRuns: 300 },
    );
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
