// Random charts for the fuzzers: walks with ties, gaps, still bars and missing volume; and garbage ticks for live bars.

import type { Bar } from '../../../src/pine/run/bars.ts';
import { RandomSequence } from '../random-sequence.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2024, 0, 30, 20);

export function randomBars(seed: number, count: number): Bar[] {
  const random = new RandomSequence(seed);
  const bars: Bar[] = [];
  let price = random.next(50, 150);
  for (let i = 0; i < count; i += 1) {
    const bar = randomBar(random, price, START_MS + i * HOUR_MS);
    bars.push(bar);
    price = bar.close;
  }
  return bars;
}

/** Prices on a grid of quarters, so that equal ones happen. */
function randomBar(random: RandomSequence, last: number, time: number): Bar {
  const quarter = (value: number) => Math.max(0.25, Math.round(value * 4) / 4);
  const isStill = random.next(0, 1) < 0.1;
  const open = quarter(random.next(0, 1) < 0.8 ? last : last + random.next(-5, 5));
  const close = isStill ? open : quarter(open + random.next(-4, 4));
  const high = isStill ? open : quarter(Math.max(open, close) + random.next(0, 2));
  const low = isStill ? open : quarter(Math.min(open, close) - random.next(0, 2));
  const amount = random.next(0, 1);
  const volume = amount < 0.05 ? Number.NaN : amount < 0.1 ? 0 : Math.round(random.next(1, 1000));
  return { time, open, high, low, close, volume };
}

/** What a live bar may look like before it closes: nothing like its end. */
export function garbageTicks(random: RandomSequence, bar: Bar): Bar[] {
  const count = Math.floor(random.next(0, 4));
  return Array.from({ length: count }, () => randomBar(random, bar.close * random.next(0.2, 3), bar.time));
}
