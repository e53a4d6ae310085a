// The bars themselves, as candles or as a line of closes, and the band of their volume.

import { faded, isInvisible, readColor } from './colors.ts';
import type { ChartOptions } from './options.ts';
import { drawPath, fillBelow } from './path.ts';
import type { Pane, Scene } from './scene.ts';
import { visible } from './theme.ts';
import type { ValueScale } from './value-scale.ts';

/** The part of a slot that the body of a candle takes, and from how many pixels on it has a body and a wick. */
const BODY_SHARE = 0.7;
const LEAST_BODY_PX = 3;

export interface CandleColumns {
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
}

/** Per slot. */
export interface CandleColors {
  readonly body: Float64Array;
  readonly wick: Float64Array;
  readonly border: Float64Array;
}

export function drawBars(scene: Scene, pane: Pane, options: ChartOptions): void {
  const { theme, bars, slots } = scene;
  const chosen = readColor(options.color);
  const painted = paintedBars(scene);
  if (options.type === 'line') {
    const line = visible(Number.isNaN(chosen) ? theme.line : chosen, theme);
    const colors = painted.map((color) => (Number.isNaN(color) ? line : visible(color, theme)));
    const closes = bars.close.subarray(0, bars.count);
    fillBelow(scene, slots.lasts(closes).map(pane.scale.y), pane.box.bottom, colors);
    drawPath(scene, pane.scale, closes, { colors, width: 1.6 });
    return;
  }
  const up = visible(Number.isNaN(chosen) ? theme.up : chosen, theme);
  const candles = candlesPerSlot(scene, bars);
  const colors = new Float64Array(slots.count);
  for (let slot = 0; slot < slots.count; slot += 1) {
    const own = candles.close[slot]! >= candles.open[slot]! ? up : theme.down;
    colors[slot] = Number.isNaN(painted[slot]!) ? own : visible(painted[slot]!, theme);
  }
  drawCandles(scene, pane.scale, candles, { body: colors, wick: colors, border: colors });
}

/** What barcolor() says, the last call first; NaN where it says nothing. */
export function paintedBars({ slots, contents }: Pick<Scene, 'slots' | 'contents'>): Float64Array {
  const painted = new Float64Array(slots.count).fill(Number.NaN);
  for (const output of contents.price.outputs) {
    if (output.kind !== 'barcolor') continue;
    const colors = output.colors('color', slots);
    for (let slot = 0; slot < slots.count; slot += 1) if (!isInvisible(colors[slot]!)) painted[slot] = colors[slot]!;
  }
  return painted;
}

export function candlesPerSlot({ slots, bars }: Scene, { open, high, low, close }: CandleColumns): CandleColumns {
  const cut = (column: Float64Array) => column.subarray(0, bars.count);
  return {
    open: slots.firsts(cut(open)),
    high: slots.highs(cut(high)),
    low: slots.lows(cut(low)),
    close: slots.lasts(cut(close)),
  };
}

export function drawCandles(scene: Scene, scale: ValueScale, candles: CandleColumns, colors: CandleColors): void {
  const { canvas, slots } = scene;
  const half = halfWidth(slots.spacing, BODY_SHARE);
  const isThin = slots.spacing < LEAST_BODY_PX;
  for (let slot = 0; slot < slots.count; slot += 1) {
    const middle = Math.floor(slots.x(slot));
    const [open, close] = [scale.y(candles.open[slot]!), scale.y(candles.close[slot]!)];
    const [high, low] = [scale.y(candles.high[slot]!), scale.y(candles.low[slot]!)];
    const [wick, body] = [colors.wick[slot]!, colors.body[slot]!];
    // Where there is hardly room, the wick is paler than the body, so that both are still seen.
    const pale = isThin && !Number.isNaN(wick) ? faded(wick, 0.6) : wick;
    const [top, bottom] = [Math.round(Math.min(open, close)), Math.round(Math.max(open, close))];
    canvas.fillRect(middle, Math.round(high), middle + 1, top, pale);
    canvas.fillRect(middle, bottom, middle + 1, Math.max(Math.round(low), bottom + 1), pale);
    canvas.fillRect(middle - half, top, middle + half + 1, Math.max(bottom, top + 1), body);
    const border = colors.border[slot]!;
    if (border !== body && half > 0) outlineRect(scene, middle - half, top, middle + half + 1, bottom, border);
  }
}

function outlineRect({ canvas }: Scene, left: number, top: number, right: number, bottom: number, color: number): void {
  canvas.fillRect(left, top, right, top + 1, color);
  canvas.fillRect(left, bottom - 1, right, bottom, color);
  canvas.fillRect(left, top + 1, left + 1, bottom - 1, color);
  canvas.fillRect(right - 1, top + 1, right, bottom - 1, color);
}

/** Pixels on either side of the middle one, so that bodies and columns are sharp and stand evenly. */
export const halfWidth = (spacing: number, share: number): number => Math.max(Math.floor((spacing * share - 1) / 2), 0);

export function drawVolume(scene: Scene, scale: ValueScale): void {
  const { canvas, theme, bars, slots } = scene;
  const volumes = slots.highs(bars.volume.subarray(0, bars.count));
  const candles = candlesPerSlot(scene, bars);
  const half = halfWidth(slots.spacing, BODY_SHARE);
  for (let slot = 0; slot < slots.count; slot += 1) {
    const middle = Math.floor(slots.x(slot));
    const color = faded(candles.close[slot]! >= candles.open[slot]! ? theme.up : theme.down, 0.55);
    canvas.fillRect(middle - half, scale.y(volumes[slot]!), middle + half + 1, scale.bottom, color);
  }
}
