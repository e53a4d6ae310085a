// A market and a stretch of time as a command line names them, and how gaps in its bars are shown.

import { parseMoment } from '../market-data/bar-time.ts';
import { parseChartTimeframe } from '../market-data/timeframe.ts';
import { type Args, UsageFault } from './command.ts';
import { column, timeColumn } from './table.ts';

export const GAP_COLUMNS = [
  timeColumn('from', 'from'),
  timeColumn('to', 'to'),
  column('bars', 'bars', { right: true }),
  column('why', 'why'),
];

export const COMPUTED = 'The simulated market computes its bars, so none are kept and none are missing.';

export const count = (value: unknown): string => Number(value).toLocaleString('en-US');

/** A market and a stretch of it, as the command line names them. */
export interface WantedBars {
  readonly symbol: string;
  readonly timeframe: string;
  readonly timeframeMs: number;
  readonly fromMs: number;
  /** Undefined for now. */
  readonly toMs: number | undefined;
  readonly exchange: string | undefined;
}

export function stretchOf({ symbol, timeframe, from, to, exchange }: Args['flags']): WantedBars {
  for (const [name, value] of Object.entries({ symbol, timeframe, from }))
    if (!value) throw new UsageFault(`--${name} is missing.`);
  const fromMs = momentOf(from ?? '', 'from');
  const toMs = to === undefined ? undefined : momentOf(to, 'to');
  if (toMs !== undefined && fromMs >= toMs)
    throw new UsageFault('--from lies after --to; give the earlier moment first.');
  const market = { symbol: symbol ?? '', timeframe: timeframe ?? '' };
  return { ...market, timeframeMs: timeframeMsOf(market.timeframe), fromMs, toMs, exchange };
}

export function timeframeMsOf(text: string): number {
  try {
    return parseChartTimeframe(text);
  } catch (error) {
    throw new UsageFault(`--timeframe: ${(error as RangeError).message}.`);
  }
}

/** Throws a fault of usage for what is none. */
export function momentOf(text: string, flag: string): number {
  const ms = parseMoment(text);
  if (Number.isSafeInteger(ms) && ms >= 0) return ms;
  throw new UsageFault(`--${flag} ${text} is no moment; write it like 2026-01-01 or 2026-01-01T14:30:00Z.`);
}
