// Timeframes: `5m`, `4h`, `1d`, `1w` as milliseconds and back, and where a bar starts.

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

const UNIT_MS = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: WEEK_MS } as const;
/** Largest first: text uses the largest unit that divides the timeframe. */
const UNITS = ['w', 'd', 'h', 'm'] as const;

/** Nobody looks at a chart of longer bars than a year. */
const MAX_TIMEFRAME_MS = 52 * WEEK_MS;
/** 1970-01-05, the first Monday on the clock. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

const SHAPE = /^([1-9]\d{0,5})([mhdw])$/;

/** Milliseconds of `1m`, `90m`, `4h`, `1d`, `1w`… A month has no fixed length, so it is no timeframe here. */
export function parseTimeframe(text: string): number {
  const match = SHAPE.exec(text);
  const ms = match ? Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS] : Number.NaN;
  if (!(ms <= MAX_TIMEFRAME_MS))
    throw new RangeError(
      `not a timeframe: ${JSON.stringify(text.slice(0, 20))}; use a number and m, h, d or w, up to 52w, such as 5m or 4h`,
    );
  return ms;
}

const OF_CHARTS = /^(\d*)([HDW]?)$/;

/** The same, also as charts write it: `60` minutes, `1H`, `1D`, `W`. Their `1M` is a month, which is no timeframe here. */
export function parseChartTimeframe(text: string): number {
  const [, count = '', unit = ''] = text === '' ? [] : (OF_CHARTS.exec(text) ?? []);
  if (count === '' && unit === '') return parseTimeframe(text);
  return parseTimeframe(`${count || 1}${unit === '' ? 'm' : unit.toLowerCase()}`);
}

/** The shortest name: 3,600,000 is `1h`, never `60m`. */
export function timeframeText(timeframeMs: number): string {
  const unit = UNITS.find((name) => timeframeMs % UNIT_MS[name] === 0);
  if (unit === undefined || !(timeframeMs > 0) || timeframeMs > MAX_TIMEFRAME_MS)
    throw new RangeError(`not a timeframe: ${timeframeMs} ms; use whole minutes, from 1m to 52w`);
  return `${timeframeMs / UNIT_MS[unit]}${unit}`;
}

/** Start of the bar that holds the moment. Bars are counted in UTC from 1970, whole weeks from a Monday. */
export function barStart(timeMs: number, timeframeMs: number): number {
  const origin = timeframeMs % WEEK_MS === 0 ? FIRST_MONDAY_MS : 0;
  return origin + Math.floor((timeMs - origin) / timeframeMs) * timeframeMs;
}
