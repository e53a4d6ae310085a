// The fills of a strategy bar by bar, in the order and with the places that a live run tells them in.

import type { BarFill } from '../../library/script-runner.ts';
import type { BarColumns, Program, RunOptions } from '../../pine/index.ts';

/** Bars before the moment are its history. */
export function barFills(program: Program, bars: BarColumns, options: RunOptions, sinceMs: number): BarFill[] {
  const { time, open, high, low, close, volume, count } = bars;
  let first = 0;
  while (first < count && time[first]! < sinceMs) first += 1;
  const live = program.open({ ...bars, count: first }, options);
  const found: BarFill[] = [];
  for (let bar = first; bar < count; bar += 1) {
    const values = { open: open[bar]!, high: high[bar]!, low: low[bar]!, close: close[bar]!, volume: volume[bar]! };
    const { fills } = live.close({ time: time[bar]!, ...values });
    for (const [place, { message: _, ...fill }] of fills.entries())
      found.push({ barTimeMs: time[bar]!, place, ...fill });
  }
  return found;
}
