// The shapes that mark bars, around a middle and within a radius.

import type { LineLook } from './canvas.ts';
import type { Points } from './clip-segment.ts';
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
  const outline = OUTLINES[shape];
  const width = Math.max(radius / 2.5, 1.2);
  const reach = radius * 0.85;
  if (outline !== undefined) {
    const points = outline.map((part, i) => (i % 2 === 0 ? x : y) + part * radius);
    scene.canvas.fillShape(points, color);
  } else if (shape === 'circle') scene.canvas.fillCircle(x, y, radius * 0.9, color);
  else if (shape === 'cross') drawCross(scene, x, y, reach, { color, width });
  else drawDiagonals(scene, x, y, reach, { color, width });
}

export function drawCross({ canvas }: Scene, x: number, y: number, reach: number, look: LineLook): void {
  const none = Number.NaN;
  canvas.strokeLine([x - reach, y, x + reach, y, none, none, x, y - reach, x, y + reach], look);
}

function drawDiagonals({ canvas }: Scene, x: number, y: number, reach: number, look: LineLook): void {
  const [left, right, top, bottom] = [x - reach, x + reach, y - reach, y + reach];
  canvas.strokeLine([left, top, right, bottom, Number.NaN, Number.NaN, right, top, left, bottom], look);
}
