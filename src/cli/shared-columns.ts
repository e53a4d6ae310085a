// Columns of bars in memory that threads share: a script reads them where they are, nothing is copied.

import type { BarColumns } from '../pine/index.ts';

const NAMES = ['time', 'open', 'high', 'low', 'close', 'volume'] as const;

export function sharedColumns(capacity: number): BarColumns {
  const memory = new SharedArrayBuffer(NAMES.length * capacity * Float64Array.BYTES_PER_ELEMENT);
  const column = (index: number): Float64Array =>
    new Float64Array(memory, index * capacity * Float64Array.BYTES_PER_ELEMENT, capacity);
  return {
    count: 0,
    time: column(0),
    open: column(1),
    high: column(2),
    low: column(3),
    close: column(4),
    volume: column(5),
  };
}

/** The same bars with room for more. */
export function grownColumns(columns: BarColumns, capacity: number): BarColumns {
  const grown = sharedColumns(capacity);
  for (const name of NAMES) grown[name].set(columns[name]);
  return grown;
}
