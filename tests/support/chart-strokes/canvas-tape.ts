// What a page in a real browser draws on its canvases: every stroke of the last time each was drawn anew, in pixels of the page.

import type { Page } from 'playwright-core';
import type { Stroke } from '../../../dashboard/chart/testing/recorder.ts';

export interface CanvasTape {
  /** Where the canvas stands on the page. */
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** From its own corner. Those that keep and give back what is set are among them: save, restore and clip. */
  readonly strokes: readonly Stroke[];
}

/** Before the page is loaded. */
export const recordCanvases = (page: Page): Promise<unknown> => page.addInitScript(recordInPage);

/** Of every canvas inside of the elements that the selector finds. */
export const canvasTapes = (page: Page, selector: string): Promise<readonly CanvasTape[]> =>
  page.evaluate(`globalThis.canvasTapesOf(${JSON.stringify(selector)})`);

/** What is used of the browser's own types, which the tests do not have. */
interface Context {
  readonly canvas: object;
  readonly fillStyle: string | object;
  readonly strokeStyle: string | object;
  readonly lineWidth: number;
  readonly font: string;
  readonly globalCompositeOperation: string;
  getTransform(): { readonly a: number; readonly d: number; readonly e: number; readonly f: number };
}
interface DrawnOn {
  getBoundingClientRect(): Omit<CanvasTape, 'strokes'>;
}
type Method = (this: Context, ...values: unknown[]) => object | undefined;
interface Browser {
  readonly CanvasRenderingContext2D: { readonly prototype: Record<string, Method> };
  readonly CanvasGradient: { readonly prototype: Record<string, (this: object, ...stop: unknown[]) => void> };
  readonly devicePixelRatio: number;
  readonly document: { querySelectorAll(selector: string): Iterable<DrawnOn> };
}

/** Runs in the page, so it has nothing but what stands in it. */
function recordInPage(): void {
  const browser = globalThis as unknown as Browser;
  const tapes = new WeakMap<object, (string | number)[][]>();
  const gradients = new WeakMap<object, { readonly ends: readonly number[]; readonly stops: string[] }>();
  const draw = browser.CanvasRenderingContext2D.prototype;

  /** A number of a call in pixels of the page: x and y are places, w and h lengths, and o is whatever else. */
  const inPixels = (context: Context, kind: string | undefined, given: unknown): number => {
    const value = Number(given);
    const { a, d, e, f } = context.getTransform();
    const px = { x: a * value + e, y: d * value + f, w: a * value, h: d * value }[kind ?? 'o'];
    return px === undefined ? value : px / browser.devicePixelRatio;
  };
  const paintOf = (context: Context, paint: string | object): readonly (string | number)[] => {
    if (typeof paint === 'string') return [paint];
    const { ends, stops } = gradients.get(paint) ?? { ends: [], stops: [] };
    return ['gradient', ...ends.map((end, i) => inPixels(context, 'xy'[i % 2], end)), ...stops];
  };
  const note = (context: Context, ...stroke: (string | number)[]): void => {
    const tape = tapes.get(context.canvas) ?? [];
    tapes.set(context.canvas, tape);
    tape.push(stroke);
  };
  /** Around the browser's own method, which draws as ever. */
  const listen = (name: string, hear: (context: Context, values: readonly unknown[]) => void): void => {
    const own = draw[name]!;
    draw[name] = function (this: Context, ...values) {
      hear(this, values);
      return own.apply(this, values);
    };
  };

  const SHAPES: Readonly<Record<string, readonly [name: string, kinds: string]>> = {
    ...{ save: ['save', ''], restore: ['restore', ''], clip: ['clip', ''] },
    ...{ beginPath: ['begin', ''], closePath: ['close', ''], moveTo: ['move', 'xy'], lineTo: ['line', 'xy'] },
    ...{ rect: ['rect', 'xywh'], roundRect: ['round', 'xywhw'], arc: ['arc', 'xywoo'] },
  };
  for (const [method, [name, kinds]] of Object.entries(SHAPES))
    listen(method, (context, values) =>
      note(context, name, ...values.map((value, i) => inPixels(context, kinds[i], value))),
    );
  listen('fill', (context) => note(context, 'fill', ...paintOf(context, context.fillStyle)));
  listen('stroke', (context) => {
    const width = inPixels(context, 'w', context.lineWidth);
    note(context, 'stroke', ...paintOf(context, context.strokeStyle), width);
  });
  listen('fillRect', (context, box) => {
    // So the library begins a picture anew.
    if (context.globalCompositeOperation === 'copy') tapes.delete(context.canvas);
    else
      note(
        context,
        'fillRect',
        ...box.map((value, i) => inPixels(context, 'xywh'[i], value)),
        ...paintOf(context, context.fillStyle),
      );
  });
  listen('fillText', (context, [text, x, y]) => {
    const px = inPixels(context, 'w', Number(/([\d.]+)px/.exec(context.font)?.[1]));
    const at = [inPixels(context, 'x', x), inPixels(context, 'y', y)];
    note(context, 'text', ...at, String(text), px, ...paintOf(context, context.fillStyle));
  });
  listen('setLineDash', (context, [parts]) =>
    note(context, 'dash', ...(parts as readonly number[]).map((part) => inPixels(context, 'w', part))),
  );
  const begin = draw.createLinearGradient!;
  draw.createLinearGradient = function (this: Context, ...ends) {
    const gradient = begin.apply(this, ends)!;
    gradients.set(gradient, { ends: ends.map(Number), stops: [] });
    return gradient;
  };
  const stop = browser.CanvasGradient.prototype.addColorStop!;
  browser.CanvasGradient.prototype.addColorStop = function (this: object, share, color) {
    gradients.get(this)?.stops.push(`${share} ${color}`);
    stop.call(this, share, color);
  };

  Object.assign(globalThis, {
    canvasTapesOf: (selector: string) =>
      [...browser.document.querySelectorAll(`:is(${selector}) canvas`)].map((canvas) => {
        const { left, top, width, height } = canvas.getBoundingClientRect();
        return { left, top, width, height, strokes: tapes.get(canvas) ?? [] };
      }),
  });
}
