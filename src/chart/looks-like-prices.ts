// Tells whether the values of a script belong beside the bars, as those of an average do, or on a scale of their own.

import type { BarColumns, RunResult } from '../pine/index.ts';

/** So many of the values must lie within the bars' range, or as far again above or below it. */
const LEAST_SHARE = 0.8;

export function looksLikePrices({ series, plotMeta }: RunResult, bars: BarColumns): boolean {
  const [values] = series.values();
  const [first] = plotMeta.values();
  // Shapes stand at the bars; whether there is one is no price.
  if (values === undefined || first?.kind === 'plotshape') return true;
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < bars.count; i += 1) {
    lowest = Math.min(lowest, bars.low[i] as number);
    highest = Math.max(highest, bars.high[i] as number);
  }
  const span = highest - lowest;
  let [known, inside] = [0, 0];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    known += 1;
    if (value >= lowest - span && value <= highest + span) inside += 1;
  }
  return known > 0 && inside >= known * LEAST_SHARE;
}
