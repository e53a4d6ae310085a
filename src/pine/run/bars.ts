// Bars in columns, as the engine reads them.

export interface Bar {
  /** Opening time in ms. */
  readonly time: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  /** NaN where it is not known. */
  readonly volume: number;
}

/** The first `count` places of each column are the bars, oldest first. */
export interface BarColumns {
  readonly count: number;
  readonly time: Float64Array;
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
  readonly volume: Float64Array;
}

export const BAR_COLUMNS = ['time', 'open', 'high', 'low', 'close', 'volume'] as const;

export function emptyColumns(capacity: number): BarColumns {
  const column = () => new Float64Array(capacity);
  return {
    count: 0,
    time: column(),
    open: column(),
    high: column(),
    low: column(),
    close: column(),
    volume: column(),
  };
}

export function barColumns(rows: readonly Bar[]): BarColumns {
  const columns = { ...emptyColumns(rows.length), count: rows.length };
  for (const name of BAR_COLUMNS) {
    const column = columns[name];
    for (let i = 0; i < rows.length; i += 1) column[i] = rows[i]![name];
  }
  return columns;
}
