// A picture in memory: opaque pixels onto which transparent colors are laid, inside a clip.

/** Whole pixels; the right and bottom edges are outside. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export const CHANNELS = 3;
/**
 * How many times over a pane may be painted. A script can ask for hundreds of boxes and lines across the whole chart,
 * one over the other; what comes after this much of them is left out, so that no script can make a chart take seconds.
 */
export const MOST_COATS = 24;
const FULL = 255;

export class Canvas {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue; row by row from the top. */
  readonly pixels: Uint8Array;
  clip: Box;
  /** Pixels that may still be painted. */
  #paint = Number.POSITIVE_INFINITY;

  constructor(width: number, height: number, background: number) {
    this.width = width;
    this.height = height;
    this.pixels = new Uint8Array(width * height * CHANNELS);
    this.clip = { left: 0, top: 0, right: width, bottom: height };
    this.fillRect(0, 0, width, 1, background);
    const rowBytes = width * CHANNELS;
    for (let y = 1; y < height; y += 1) this.pixels.copyWithin(y * rowBytes, 0, rowBytes);
  }

  /** Everything drawn inside stays in the box, and within a budget of paint. */
  clipped(box: Box, draw: () => void): void {
    const before = this.clip;
    this.clip = {
      left: Math.max(before.left, Math.floor(box.left)),
      top: Math.max(before.top, Math.floor(box.top)),
      right: Math.min(before.right, Math.ceil(box.right)),
      bottom: Math.min(before.bottom, Math.ceil(box.bottom)),
    };
    this.#paint = MOST_COATS * this.width * this.height;
    draw();
    this.#paint = Number.POSITIVE_INFINITY;
    this.clip = before;
  }

  /** Takes paint for a number of pixels; false when there is not enough left, and nothing more is to be drawn. */
  spend(pixels: number): boolean {
    this.#paint -= pixels;
    return this.#paint >= 0;
  }

  /** One pixel, covered by a share of 0 to 1. Places outside the clip are left alone. */
  blend(x: number, y: number, color: number, coverage: number): void {
    const { left, top, right, bottom } = this.clip;
    if (x < left || x >= right || y < top || y >= bottom || !this.spend(1)) return;
    this.#mix((y * this.width + x) * CHANNELS, color, coverage);
  }

  /** A rectangle whose edges may lie between pixels; those are covered in part. */
  fillRect(x0: number, y0: number, x1: number, y1: number, color: number): void {
    const { clip, width } = this;
    const [left, right] = [Math.max(x0, clip.left), Math.min(x1, clip.right)];
    const [top, bottom] = [Math.max(y0, clip.top), Math.min(y1, clip.bottom)];
    // Written so that a NaN draws nothing.
    if (!(left < right && top < bottom) || Number.isNaN(color) || !this.spend((right - left) * (bottom - top))) return;
    for (let y = Math.floor(top); y < bottom; y += 1) {
      const rowShare = Math.min(bottom, y + 1) - Math.max(top, y);
      for (let x = Math.floor(left); x < right; x += 1) {
        const share = rowShare * (Math.min(right, x + 1) - Math.max(left, x));
        this.#mix((y * width + x) * CHANNELS, color, share);
      }
    }
  }

  /** The part of one pixel column between two heights, with a color for every row. */
  fillColumn(x: number, y0: number, y1: number, colorAt: (y: number) => number): void {
    const [top, bottom] = [Math.max(Math.min(y0, y1), this.clip.top), Math.min(Math.max(y0, y1), this.clip.bottom)];
    if (!(top < bottom) || !this.spend(0)) return;
    for (let y = Math.floor(top); y < bottom; y += 1)
      this.blend(x, y, colorAt(y + 0.5), Math.min(bottom, y + 1) - Math.max(top, y));
  }

  #mix(at: number, color: number, coverage: number): void {
    const share = ((color & 0xff) / FULL) * coverage;
    if (!(share > 0)) return;
    const { pixels } = this;
    const kept = 1 - share;
    pixels[at] = pixels[at]! * kept + (color >>> 24) * share + 0.5;
    pixels[at + 1] = pixels[at + 1]! * kept + ((color >>> 16) & 0xff) * share + 0.5;
    pixels[at + 2] = pixels[at + 2]! * kept + ((color >>> 8) & 0xff) * share + 0.5;
  }
}
