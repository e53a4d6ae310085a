// The value libraries by their names in Pine: what the emitter calls for arrays, matrices, maps, text, colors and time.

import { arrayEntries } from './arrays/entries.ts';
import type { ValueEntries, ValueEntry, ValueHost } from './entry.ts';
import { FixNanItem } from './math.ts';
import { matrixEntries } from './matrices/entries.ts';
import { colorEntries, mapEntries, mathEntries, stringEntries, timeEntries } from './plain-entries.ts';
import { RandomSequence } from './random.ts';
import { TimeCall } from './time/time-call.ts';

export { PineArray } from './arrays/array.ts';
export { ItemArray } from './arrays/item-array.ts';
export { NumberArray } from './arrays/number-array.ts';
export { formatColor, parseColor } from './colors.ts';
export { differentItem, differentText, eq, ge, gt, le, lt, ne, sameItem, sameText, TOLERANCE } from './compare.ts';
export type { FunctionEntry, MethodEntry, ValueEntries, ValueEntry, ValueFunction, ValueHost } from './entry.ts';
export { PineMap } from './maps.ts';
export { intDivide, remainder } from './math.ts';
export { PineMatrix } from './matrices/matrix.ts';
export { defineEnum, EnumMember, fieldOfNa, PineObject } from './objects.ts';
export { pastOf } from './past.ts';
export { Journal, keepThroughTicks } from './rollback.ts';
export { PineRuntimeError } from './runtime-error.ts';
export { concatenate } from './strings/strings.ts';
export { parseSession, Session } from './time/session.ts';
export type { MarketHours } from './time/time-call.ts';
export * as timeframes from './time/timeframe.ts';
export { BarClock, TradingCalendar } from './time/trading-calendar.ts';
export { type Zone, zoneOf } from './time/zone.ts';

type Family = (host: ValueHost) => ValueEntries;

const plainEntries: Family = (host) => ({ ...mathEntries(host), ...timeEntries(host) });

/** By namespace; what has none is plain. */
const FAMILIES: Readonly<Record<string, Family>> = {
  array: arrayEntries,
  matrix: matrixEntries,
  map: mapEntries,
  str: stringEntries,
  color: colorEntries,
  math: plainEntries,
  timeframe: plainEntries,
};

/** The value functions without a state, for one running script. */
export interface ValueLibrary {
  find(name: string): ValueEntry | undefined;
}

/** A family is made when one of its functions is first asked for: most scripts use few of them. */
export function createValueLibrary(host: ValueHost): ValueLibrary {
  const made = new Map<Family, ValueEntries>();
  return {
    find(name) {
      const dot = name.indexOf('.');
      const family = dot < 0 ? plainEntries : FAMILIES[name.slice(0, dot)];
      if (family === undefined) return undefined;
      const entries = made.get(family) ?? family(host);
      made.set(family, entries);
      return Object.hasOwn(entries, name) ? entries[name] : undefined;
    },
  };
}

/** The value functions that have a state: the emitter makes one per call site. */
export const VALUE_STATES = Object.freeze({
  /** `next(min, max)`; `seed` is the call's argument, or one that the host hands in. */
  'math.random': (seed: number) => new RandomSequence(seed),
  /** `next(value)`, for colors and bools. */
  'fixnan<item>': () => new FixNanItem<unknown>(),
  /** `open(time, timeframe, session, timezone, timeframe_bars_back)`; `bars_back` chooses the time. */
  time: (host: ValueHost) => new TimeCall(host.market),
  /** `close(…)` with the same arguments. */
  time_close: (host: ValueHost) => new TimeCall(host.market),
});
