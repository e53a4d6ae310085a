// The icons of an installed dashboard are the picture of favicon.svg, in the size that the manifest says.

import { readFileSync } from 'node:fs';
import { type Canvas, createCanvas, type Image, loadImage } from '@napi-rs/canvas';
import { expect, test } from 'vitest';
import { drawIcon, ICONS } from '../../build/icons.ts';

/** Edges are smoothed a little differently from machine to machine. */
const ALIKE = 2;

const read = (name: string): Buffer => readFileSync(new URL(`../../dashboard/public/${name}`, import.meta.url));

function pixelsOf(drawn: Canvas | Image): Uint8ClampedArray {
  const canvas = createCanvas(drawn.width, drawn.height);
  const context = canvas.getContext('2d');
  context.drawImage(drawn, 0, 0);
  return context.getImageData(0, 0, drawn.width, drawn.height).data;
}

test.each(ICONS)('$name is as it would be drawn now; if not, run "node build/icons.ts"', async (icon) => {
  const kept = await loadImage(read(icon.name));
  expect([kept.width, kept.height]).toEqual([icon.pixels, icon.pixels]);
  const [stored, drawn] = [pixelsOf(kept), pixelsOf(await drawIcon(icon))];
  const sum = drawn.reduce((total, value, at) => total + Math.abs(value - (stored[at] ?? 0)), 0);
  expect(sum / drawn.length).toBeLessThan(ALIKE);
  // Ground or nothing in its corner, picture in its middle.
  expect(stored[3]).toBe(icon.ground === undefined ? 0 : 255);
  expect(stored[(stored.length / 2 + icon.pixels * 2) | 3]).toBe(255);
});

test('the manifest names them with their sizes', () => {
  const { icons } = JSON.parse(read('manifest.webmanifest').toString()) as { icons: readonly Record<string, string>[] };
  for (const { name, pixels } of ICONS.filter((icon) => icon.name.startsWith('icon-')))
    expect(icons).toContainEqual({
      ...{ src: `/${name}`, sizes: `${pixels}x${pixels}`, type: 'image/png' },
      purpose: name.includes('maskable') ? 'maskable' : 'any',
    });
});
