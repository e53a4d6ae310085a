// Which functions the value libraries have, and which of them are methods of their first argument.

import type { PineVersion } from '../builtins/types.ts';
import { createDrawings } from '../drawings/index.ts';
import { tickerEntry } from '../run/tickers.ts';
import { createValueLibrary, Journal, type ValueEntries, type ValueEntry, type ValueHost } from '../values/index.ts';

const SCRATCH_MARKET = { timezone: 'UTC', session: '24x7', timeframe: '1D' };

const hostOf = (version: PineVersion): ValueHost => ({
  version,
  journal: new Journal(),
  mintick: 0.01,
  market: SCRATCH_MARKET,
});

/** Of hosts that run nothing: only names and kinds count. */
const libraries = { 5: createValueLibrary(hostOf(5)), 6: createValueLibrary(hostOf(6)) };
let drawings: ValueEntries | null = null;

function drawingEntries(): ValueEntries {
  const limits = { lines: 1, labels: 1, boxes: 1, polylines: 1 };
  const none = () => 0;
  drawings ??= createDrawings({
    ...hostOf(6),
    limits,
    barIndex: none,
    lastBarIndex: none,
    timeMs: none,
    close: none,
  }).entries;
  return drawings;
}

const find = (version: PineVersion, name: string): ValueEntry | undefined =>
  libraries[version].find(name) ?? tickerEntry(name) ?? drawingEntries()[name];

export const hasEntry = (version: PineVersion, name: string): boolean => find(version, name) !== undefined;

/** The method's name, or null where the entry is a function. */
export function methodOf(version: PineVersion, name: string): string | null {
  const entry = find(version, name);
  return entry?.kind === 'method' ? entry.name : null;
}
