// The language's timeframes as people write them: 60 is 1h, 15 is 15m, D is 1D.

const MINUTES_PER_HOUR = 60;

/** What it does not know it leaves as it is. */
export function timeframeText(timeframe: string): string {
  const [, digits = '', unit = ''] = /^(\d*)([TSDWM]?)$/.exec(timeframe) ?? [];
  if (digits === '' && unit === '') return timeframe;
  const count = digits === '' ? 1 : Number(digits);
  if (unit === 'S') return `${count}s`;
  if (unit !== '') return `${count}${unit}`;
  return count % MINUTES_PER_HOUR === 0 ? `${count / MINUTES_PER_HOUR}h` : `${count}m`;
}
