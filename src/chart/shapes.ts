// The shapes that mark bars, around a middle and within a radius.

import { fillPolygon, type Points } from './polygon.ts';
import type { Scene } from './scene.ts';

/** Outlines in units of the radius, y downwards. */
const OUTLINES: Readonly<Record<string, Points>> = {
  triangleup: [0, -1, 1, 0.85, -1, 0.85],
  triangledown: [0, 1, 1, -0.85, -1, -0.85],
  square: [-0.9, -0.9, 0.9, -0.9, 0.9, 0.9, -0.9, 0.9],
  diamond: [0, -1.15, 1.15, 0, 0, 1.15, -1.15, 0],
  flag: [-0.8, -1, 0.9, -1, 0.9, 0.3, -0.45, 0.3, -0.45, 1.1, -0.8, 1.1],
  arrowup: [0, -1.1, 1, 0, 0.4, 0, 0.4, 1.1, -0.4, 1.1, -0.4, 0, -1, 0],
  arrowdown: [0, 1.1, 1, 0, 0.4, 0, 0.4, -1.1, -0.4, -1.1, -0.4, 0, -1, 0],
  labelup: [0, -1.3, 0.5, -0.7, 1, -0.7, 1, 1, -1, 1, -1, -0.7, -0.5, -0.7],
  labeldown: [0, 1.3, 0.5, 0.7, 1, 0.7, 1, -1, -1, -1, -1, 0.7, -0.5, 0.7],
};

export function drawShape(scene: Scene, shape: string, x: number, y: number, radius: number, color: number): void {
  const { canvas, pen } = scene;
  const outline = OUTLINES[shape];
  if (outline !== undefined) {
    fillPolygon(
      canvas,
      outline.map((part, i) => (i % 2 === 0 ? x : y) + part * radius),
      color,
    );
    return;
  }
  if (shape === 'circle') {
    pen.dot(x, y, radius * 0.9, color);
    return;
  }
  const width = Math.max(radius / 2.5, 1.2);
  const reach = radius * 0.85;
  const isUpright = shape === 'cross';
  pen.add(x - reach, isUpright ? y : y - reach, x + reach, isUpright ? y : y + reach, width);
  pen.add(isUpright ? x : x + reach, y - reach, isUpright ? x : x - reach, y + reach, width);
  pen.flush(color);
}
