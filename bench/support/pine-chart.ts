// A chart of random but always equal prices, for benchmarks of the Pine engine.

import type { BarColumns } from '../../src/pine/index.ts';

const FIRST_TIME_MS = Date.UTC(2020, 0, 1);
const MINUTE_MS = 60_000;

export function pineChart(count: number): BarColumns {
  const column = () => new Float64Array(count);
  const chart = {
    count,
    time: column(),
    open: column(),
    high: column(),
    low: column(),
    close: column(),
    volume: column(),
  };
  let seed = 42;
  const random = (): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return seed / 0x7fffffff;
  };
  let price = 100;
  for (let i = 0; i < count; i++) {
    const open = price;
    price = Math.max(1, price + (random() - 0.5) * 2);
    chart.time[i] = FIRST_TIME_MS + i * MINUTE_MS;
    chart.open[i] = open;
    chart.close[i] = price;
    chart.high[i] = Math.max(open, price) + random();
    chart.low[i] = Math.max(0.5, Math.min(open, price) - random());
    chart.volume[i] = Math.floor(1000 * random()) + 1;
  }
  return chart;
}
