// A market for tests: bars that follow from their time alone, so that a server and a test know the same ones.

import type { Bar } from '../../../src/market-data/price-source.ts';
import { barStart } from '../../../src/market-data/timeframe.ts';

export const MINUTE_MS = 60_000;

/** The bar that starts at the moment; prices have one decimal, volumes whole thousandths. */
export function barAt(timeMs: number, timeframeMs: number): Bar {
  const turn = Math.floor(timeMs / timeframeMs) % 1000;
  const open = 50_000 + turn;
  const close = open + (turn % 7) - 3;
  return {
    time: timeMs,
    open,
    high: Math.max(open, close) + 2.5,
    low: Math.min(open, close) - 1.5,
    close,
    volume: 1 + (turn % 50) / 8,
  };
}

/** Every bar whose start lies in [fromMs, toMs), oldest first. */
export function barsBetween(timeframeMs: number, fromMs: number, toMs: number): Bar[] {
  const bars: Bar[] = [];
  for (let timeMs = barStart(fromMs, timeframeMs); timeMs < toMs; timeMs += timeframeMs)
    if (timeMs >= fromMs) bars.push(barAt(timeMs, timeframeMs));
  return bars;
}
