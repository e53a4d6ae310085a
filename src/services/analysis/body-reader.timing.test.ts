// Large bodies leave the loop free while they are read.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { createBodyReader } from './body-reader.ts';

const textOf = (bars: number) => {
  const bar = (i: number) => ({ time: 60_000 * i, open: i, high: i + 1.5, low: i - 1.25, close: i, volume: i % 7 });
  return Buffer.from(JSON.stringify({ script: 'x', data: Array.from({ length: bars }, (_, i) => bar(i)) }));
};

it('thirty at once', async () => {
  const read = createBodyReader();
  await read(textOf(6000));
  const bodies = Array.from({ length: 30 }, () => textOf(20_000));
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await Promise.all(bodies.map(read));
  delay.disable();
  // Reading one of them takes ten milliseconds; the median turn must know nothing of it.
  expect(delay.percentile(50) / 1e6).toBeLessThan(5);
});
