// The value libraries by their names in Pine: what the emitter calls for arrays, matrices, maps, text, colors and time.

import { arrayEntries } from './arrays/entries.ts';
import type { ValueEntries, ValueHost } from './entry.ts';
import { FixNanItem, RandomSequence } from './math.ts';
import { matrixEntries } from './matrices/entries.ts';
import { colorEntries, mapEntries, mathEntries, stringEntries, timeEntries } from './plain-entries.ts';
import { TimeCall } from './time/time-call.ts';

export { PineArray } from './arrays/array.ts';
export { ItemArray } from './arrays/item-array.ts';
export { NumberArray } from './arrays/number-array.ts';
export { formatColor, parseColor } from './colors.ts';
export { differentItem, eq, ge, gt, le, lt, ne, sameItem, TOLERANCE } from './compare.ts';
export type { FunctionEntry, MethodEntry, ValueEntries, ValueEntry, ValueFunction, ValueHost } from './entry.ts';
export { PineMap } from './maps.ts';
export { intDivide, remainder } from './math.ts';
export { PineMatrix } from './matrices/matrix.ts';
export { defineEnum, EnumMember, fieldOfNa, PineObject } from './objects.ts';
export { Journal, keepThroughTicks } from './rollback.ts';
export { PineRuntimeError } from './runtime-error.ts';
export { concatenate } from './strings/strings.ts';
export { parseSession, Session } from './time/session.ts';
export type { MarketHours } from './time/time-call.ts';
export * as timeframes from './time/timeframe.ts';
export { BarClock, TradingCalendar } from './time/trading-calendar.ts';
export { type Zone, zoneOf } from './time/zone.ts';

/** Every value function without a state, for one running script. */
export function createValueEntries(host: ValueHost): ValueEntries {
  return Object.freeze({
    ...arrayEntries(host),
    ...matrixEntries(host),
    ...mapEntries(host),
    ...stringEntries(host),
    ...colorEntries(),
    ...mathEntries(host),
    ...timeEntries(host),
  });
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
