// Timeframes as people write them: as Pine does, or as exchanges do.

import { parseTimeframe, type Timeframe } from '../values/time/timeframe.ts';

/** Exchanges write 1m, 4h, 1d, 1w; Pine writes 1, 240, 1D, 1W. A month is a capital M in both. */
const EXCHANGE_UNITS: Readonly<Record<string, (count: number) => string>> = {
  s: (count) => `${count}S`,
  m: (count) => `${count}`,
  h: (count) => `${count * 60}`,
  d: (count) => `${count}D`,
  w: (count) => `${count}W`,
};

/** As Pine or as exchanges write it. */
export function readTimeframe(text: string): Timeframe {
  const match = /^(\d{1,4})([smhdw])$/.exec(text);
  const pine = match === null ? text : EXCHANGE_UNITS[match[2] as string]?.(Number(match[1]));
  return parseTimeframe(pine ?? text);
}

/** Why a text is no timeframe, in words; undefined when it is one. */
export function timeframeFault(text: string): string | undefined {
  try {
    readTimeframe(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
