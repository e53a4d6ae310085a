// A picture that Skia draws, on opaque pixels.

import type { Canvas as Surface } from '@napi-rs/canvas';
import { Canvas } from './canvas.ts';
import { skia } from './skia.ts';

export class Picture extends Canvas {
  readonly #surface: Surface;

  constructor(width: number, height: number, background: number) {
    const surface = skia().createCanvas(width, height);
    super(surface.getContext('2d'), width, height);
    this.#surface = surface;
    this.fillRect(0, 0, width, height, background);
  }

  /** In memory of its own, so that it can be handed to another thread. */
  toPng(): Uint8Array {
    return new Uint8Array(this.#surface.toBuffer('image/png'));
  }

  /** Red, green, blue and alpha; row by row from the top. */
  pixels(): Uint8Array {
    return new Uint8Array(this.#surface.data());
  }

  /**
   * Gives the memory of the pixels back, at once. It lies outside the heap and V8 does not know of it: left to the
   * garbage collector, a thread that draws without a pause would grow by megabytes with every picture.
   */
  release(): void {
    this.#surface.width = 1;
    this.#surface.height = 1;
  }
}
