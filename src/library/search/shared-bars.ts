// Bars put into shared memory: every thread of a search reads the same ones.

import { type BarColumns, emptyColumns } from '../../pine/light.ts';

const COLUMNS = ['time', 'open', 'high', 'low', 'close', 'volume'] as const;

export function sharedBars(bars: BarColumns): BarColumns {
  const { count } = bars;
  const columns = { ...emptyColumns(0), count };
  for (const name of COLUMNS) {
    const shared = new Float64Array(new SharedArrayBuffer(count * Float64Array.BYTES_PER_ELEMENT));
    shared.set(bars[name].subarray(0, count));
    columns[name] = shared;
  }
  return columns;
}
