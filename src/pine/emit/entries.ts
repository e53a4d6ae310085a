// Which functions the value libraries have, and which of them are methods of their first argument.

import type { PineVersion } from '../builtins/types.ts';
import { createDrawings } from '../drawings/index.ts';
import { createTickerEntries } from '../run/tickers.ts';
import { createValueEntries, Journal, type ValueEntries, type ValueHost } from '../values/index.ts';

const SCRATCH_MARKET = { timezone: 'UTC', session: '24x7', timeframe: '1D' };
const known = new Map<PineVersion, ValueEntries>();

/** The entries of a host that runs nothing: only their names and kinds count. */
function entriesOf(version: PineVersion): ValueEntries {
  const found = known.get(version);
  if (found !== undefined) return found;
  const host: ValueHost = { version, journal: new Journal(), mintick: 0.01, market: SCRATCH_MARKET };
  const limits = { lines: 1, labels: 1, boxes: 1, polylines: 1 };
  const none = () => 0;
  const drawings = createDrawings({ ...host, limits, barIndex: none, timeMs: none, close: none });
  const fresh = { ...createValueEntries(host), ...drawings.entries, ...createTickerEntries() };
  known.set(version, fresh);
  return fresh;
}

export const hasEntry = (version: PineVersion, name: string): boolean => Object.hasOwn(entriesOf(version), name);

/** The method's name, or null where the entry is a function. */
export function methodOf(version: PineVersion, name: string): string | null {
  const entry = entriesOf(version)[name];
  return entry?.kind === 'method' ? entry.name : null;
}
