// Bars, runs and pictures for the tests of the charts.

import { type Bar, type BarColumns, barColumns, compile, type RunResult } from '../../pine/index.ts';
import { type ChartModel, type ChartOptions, DEFAULT_CHART } from '../index.ts';
import type { Picture } from '../picture.ts';

const HOUR_MS = 3_600_000;
export const START_MS = Date.UTC(2024, 0, 1);

/** A walk that is the same in every run. */
export function walk(count: number, over: { start?: number; stepMs?: number; swing?: number } = {}): BarColumns {
  const { start = 100, stepMs = HOUR_MS, swing = 0.01 } = over;
  let [seed, price] = [7, start];
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  return barsOf(count, (i) => {
    const open = price;
    const close = open * (1 + (random() - 0.5) * swing * 2);
    price = close;
    const high = Math.max(open, close) * (1 + (random() * swing) / 2);
    const low = Math.min(open, close) * (1 - (random() * swing) / 2);
    return { time: START_MS + i * stepMs, open, high, low, close, volume: 50 + random() * 1000 };
  });
}

export function barsOf(count: number, bar: (index: number) => Partial<Bar>): BarColumns {
  const flat = { open: 10, high: 10, low: 10, close: 10, volume: 0 };
  return barColumns(Array.from({ length: count }, (_, i) => ({ time: START_MS + i * HOUR_MS, ...flat, ...bar(i) })));
}

export function runScript(
  bars: BarColumns,
  lines: string,
  declaration = 'indicator("Test", overlay = true)',
): RunResult {
  const { program, diagnostics } = compile(`//@version=6\n${declaration}\n${lines}\n`);
  if (program === null) throw new Error(diagnostics.map(({ message }) => message).join('; '));
  return program.run(bars);
}

export function modelOf(bars: BarColumns, result?: RunResult, options: Partial<ChartOptions> = {}): ChartModel {
  return { bars, options: { ...DEFAULT_CHART, ...options }, ...(result && { result }) };
}

export interface Place {
  readonly x: number;
  readonly y: number;
}

/** Places of a color, 0xRRGGBB, up to two steps per channel. */
export function placesOf(canvas: Picture, color: number): Place[] {
  const [pixels, { width }] = [canvas.pixels(), canvas];
  const [red, green, blue] = [color >> 16, (color >> 8) & 0xff, color & 0xff];
  const places: Place[] = [];
  for (let at = 0; at < pixels.length; at += 4) {
    if (Math.abs(pixels[at]! - red) > 2 || Math.abs(pixels[at + 1]! - green) > 2) continue;
    if (Math.abs(pixels[at + 2]! - blue) <= 2) places.push({ x: (at / 4) % width, y: Math.floor(at / 4 / width) });
  }
  return places;
}
