// Charts for the scripts of tests/pine/scripts: waves with noise and gaps, always the same, in steps of a cent.

import type { Bar } from '../../src/pine/index.ts';
import { RandomSequence } from './random-sequence.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;

export interface Chart {
  readonly timeframe: string;
  readonly bars: readonly Bar[];
}

/** By name: quarters of an hour over many midnights, days, a market that stands still, and one that has just begun. */
export const CHARTS: Readonly<Record<string, Chart>> = {
  quarters: { timeframe: '15', bars: waves(600, 15 * MINUTE_MS, Date.UTC(2024, 0, 2, 6), 5) },
  days: { timeframe: 'D', bars: waves(400, DAY_MS, Date.UTC(2023, 0, 1), -1) },
  still: { timeframe: '60', bars: still(120) },
  young: { timeframe: '60', bars: waves(3, 60 * MINUTE_MS, Date.UTC(2024, 0, 2), 0) },
};

/** All prices are counted in cents, so that every machine finds the same. */
function waves(count: number, stepMs: number, startMs: number, driftCents: number): Bar[] {
  const random = new RandomSequence(7);
  const cents = (from: number, to: number) => Math.round(random.next(from, to));
  const bars: Bar[] = [];
  let time = startMs;
  let last = 10_000;
  for (let i = 0; i < count; i += 1) {
    const open = random.next(0, 1) < 0.05 ? last + cents(-300, 300) : last;
    const wave = Math.abs((i % 56) - 28) * 11 - 154;
    const close = open + driftCents + wave + cents(-150, 150);
    const high = Math.max(open, close) + cents(0, 100);
    const low = Math.min(open, close) - cents(0, 100);
    const [o, h, l, c] = [open, high, low, close].map((price) => price / 100) as [number, number, number, number];
    bars.push({ time, open: o, high: h, low: l, close: c, volume: cents(100, 5000) });
    last = close;
    time += random.next(0, 1) < 0.02 ? stepMs * 6 : stepMs;
  }
  return bars;
}

function still(count: number): Bar[] {
  const startMs = Date.UTC(2024, 2, 1);
  const price = { open: 10, high: 10, low: 10, close: 10, volume: 0 };
  return Array.from({ length: count }, (_, index) => ({ time: startMs + index * 60 * MINUTE_MS, ...price }));
}
