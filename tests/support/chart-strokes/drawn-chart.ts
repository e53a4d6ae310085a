// A chart of the dashboard as a browser has drawn it: what the layers of the scripts drew on each pane, and by the candles and the axis
// that the library drew beside them, where each bar and each value stands.

import type { Stroke } from '../../../dashboard/chart/testing/recorder.ts';
import type { BarColumns } from '../../../src/pine/index.ts';
import type { CanvasTape } from './canvas-tape.ts';

export interface DrawnPane {
  readonly tape: CanvasTape;
  /** What each layer drew, from its clip to the end of it, in their order. */
  readonly layers: readonly (readonly Stroke[])[];
  /** Everything else, with how many layers came before. */
  readonly others: readonly { readonly stroke: Stroke; readonly layersBefore: number }[];
}

/** The panes that layers have drawn on, from the top. */
export const drawnPanes = (tapes: readonly CanvasTape[]): readonly DrawnPane[] =>
  tapes
    .map(paneOf)
    .filter(({ layers }) => layers.length > 0)
    .toSorted((a, b) => a.tape.top - b.tape.top);

/** A layer first shuts itself in: it keeps what is set, and clips to the whole of its canvas. */
function paneOf(tape: CanvasTape): DrawnPane {
  const layers: (readonly Stroke[])[] = [];
  const others: DrawnPane['others'][number][] = [];
  const { strokes } = tape;
  for (let at = 0; at < strokes.length; at += 1) {
    if (!beginsLayer(tape, at)) {
      others.push({ stroke: strokes[at]!, layersBefore: layers.length });
      continue;
    }
    const end = strokes.findIndex(([name], i) => i > at && name === 'restore');
    layers.push(strokes.slice(at + 1, end).filter(([name]) => name !== 'clip'));
    at = end;
  }
  return { tape, layers, others };
}

function beginsLayer({ strokes, width, height }: CanvasTape, at: number): boolean {
  const names = strokes.slice(at, at + 4).map(([name]) => name);
  if (names.join() !== 'save,begin,rect,clip') return false;
  const [, left, top, right, bottom] = strokes[at + 2]!.map(Number);
  return left === 0 && top === 0 && right === Math.ceil(width) && bottom === Math.ceil(height);
}

/** A straight line through places: of bars, or of values. */
export interface Scale {
  readonly at: (value: number) => number;
  readonly perUnit: number;
  /** How far the farthest place is from it. */
  readonly farthestPx: number;
}

/** By least squares: places are whole pixels, and what they were before is only known from all of them. */
export function scaleThrough(points: readonly (readonly [value: number, px: number])[]): Scale {
  const mean = (side: 0 | 1) => points.reduce((sum, point) => sum + point[side], 0) / points.length;
  const [middle, middlePx] = [mean(0), mean(1)];
  const together = points.reduce((sum, [value, px]) => sum + (value - middle) * (px - middlePx), 0);
  const perUnit = together / points.reduce((sum, [value]) => sum + (value - middle) ** 2, 0);
  const at = (value: number): number => middlePx + (value - middle) * perUnit;
  return { at, perUnit, farthestPx: Math.max(...points.map(([value, px]) => Math.abs(at(value) - px))) };
}

export interface DrawnCandles {
  readonly bars: Scale;
  readonly prices: Scale;
  /** Of each body, as CSS writes it. */
  readonly colors: readonly string[];
  /** How many layers were drawn before the first of them, and before the last. */
  readonly layersBefore: readonly [number, number];
}

/** Of all bars: two pieces of a wick each, then a body each. Columns of volume can be seen through. */
export function drawnCandles({ others }: DrawnPane, { count, high, low }: BarColumns): DrawnCandles {
  const rects = others.filter(({ stroke: [name, , , , , color] }) => name === 'fillRect' && /^#.{6}$/.test(`${color}`));
  if (rects.length !== 3 * count) throw new Error(`${rects.length} pieces of ${count} candles`);
  const boxes = rects.map(({ stroke: [, ...box] }) => box.slice(0, 4).map(Number) as [number, number, number, number]);
  const tops = boxes.slice(0, 2 * count).filter((_, i) => i % 2 === 0);
  const feet = boxes.slice(0, 2 * count).filter((_, i) => i % 2 === 1);
  return {
    bars: scaleThrough(tops.map(([x], i) => [i, x])),
    prices: scaleThrough([
      ...tops.map(([, y], i) => [high[i]!, y] as const),
      ...feet.map(([, y, , height], i) => [low[i]!, y + height - 1] as const),
    ]),
    colors: rects.slice(2 * count).map(({ stroke }) => String(stroke[5])),
    layersBefore: [rects[0]!.layersBefore, rects.at(-1)!.layersBefore],
  };
}

/** How far the words of an axis may stand from the line of the grid that they belong to. */
const WORDS_FROM_LINE_PX = 4;

/** By the lines of the grid across a pane, and the values that the axis beside it writes at them. */
export function gridScale({ tape, others }: DrawnPane, tapes: readonly CanvasTape[]): Scale {
  const lines = others.flatMap(({ stroke: [name, x, y] }) => (name === 'move' && Number(x) <= 0 ? [Number(y)] : []));
  const axes = tapes.filter(({ left, top }) => left >= tape.left + tape.width && Math.abs(top - tape.top) < 1);
  const words = axes.flatMap(({ strokes }) => strokes.filter(([name]) => name === 'text'));
  const points = words.flatMap(([, , y, text]) => {
    const line = lines.find((candidate) => Math.abs(candidate - Number(y)) <= WORDS_FROM_LINE_PX);
    // The middle of a line is half a pixel below where it was put.
    return line === undefined ? [] : [[Number(String(text).replace('−', '-')), line - 0.5] as const];
  });
  if (points.length < 3) throw new Error(`${points.length} values on the axis of a pane, of ${words.length} words`);
  return scaleThrough(points);
}
