// Draws the icons of an installed dashboard from favicon.svg: `node build/icons.ts`, after the picture has changed.

import { readFileSync, writeFileSync } from 'node:fs';
import { type Canvas, createCanvas, loadImage } from '@napi-rs/canvas';

export interface Icon {
  /** Below dashboard/public. */
  readonly name: string;
  readonly pixels: number;
  /** How much of the width the picture takes. */
  readonly share: number;
  /** Without one, what is beside the picture is seen through. */
  readonly ground?: string;
}

/** The colour of the page in light, as the manifest has it. */
const GROUND = '#f6f7f9';

export const ICONS: readonly Icon[] = [
  { name: 'icon-192.png', pixels: 192, share: 1 },
  { name: 'icon-512.png', pixels: 512, share: 1 },
  // Phones cut shapes of their own out of these: the picture stays within the circle that all of them leave, on a ground without holes.
  { name: 'icon-maskable-512.png', pixels: 512, share: 0.7, ground: GROUND },
  { name: 'apple-touch-icon.png', pixels: 180, share: 0.8, ground: GROUND },
];

const PUBLIC = new URL('../dashboard/public/', import.meta.url);

export async function drawIcon({ pixels, share, ground }: Omit<Icon, 'name'>): Promise<Canvas> {
  const canvas = createCanvas(pixels, pixels);
  const context = canvas.getContext('2d');
  if (ground !== undefined) {
    context.fillStyle = ground;
    context.fillRect(0, 0, pixels, pixels);
  }
  const size = pixels * share;
  // In the size it is drawn in: a vector that is made into pixels first would be blurred.
  const svg = readFileSync(new URL('favicon.svg', PUBLIC), 'utf8').replace(
    '<svg ',
    `<svg width="${size}" height="${size}" `,
  );
  const margin = (pixels - size) / 2;
  context.drawImage(await loadImage(Buffer.from(svg)), margin, margin, size, size);
  return canvas;
}

if (import.meta.main)
  for (const icon of ICONS) writeFileSync(new URL(icon.name, PUBLIC), (await drawIcon(icon)).toBuffer('image/png'));
