// Where days, months and years begin on the chart's axis: in the reader's own zone, and for bars of a day and longer where the bars do.

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];

/** As the charting library counts them: what begins a longer stretch is named before what begins a shorter one. */
const [YEAR, MONTH, DAY, NOTHING] = [70, 60, 50, 0];
const WITHIN_A_DAY = [
  [12 * HOUR_MS, 33],
  [6 * HOUR_MS, 32],
  [3 * HOUR_MS, 31],
  [HOUR_MS, 30],
  [30 * MINUTE_MS, 22],
  [5 * MINUTE_MS, 21],
  [MINUTE_MS, 20],
  [1000, 10],
] as const;

/** So many minutes the reader's clock is behind UTC then, as `Date` counts. */
export type MinutesBehindUtc = (atMs: number) => number;

export const behindUtc: MinutesBehindUtc = (atMs) => new Date(atMs).getTimezoneOffset();
/** For bars of a day and longer: exchanges begin them at midnight of UTC, and that day is their name wherever they are read. */
export const notBehind: MinutesBehindUtc = () => 0;

/** How much begins with a bar, after the one before it. */
export function weightOf(atMs: number, beforeMs: number, minutes: MinutesBehindUtc): number {
  // Read as UTC, these have the date and the time of the reader's clock.
  const [at, before] = [atMs - minutes(atMs) * MINUTE_MS, beforeMs - minutes(beforeMs) * MINUTE_MS];
  if (Math.floor(at / DAY_MS) !== Math.floor(before / DAY_MS)) return weightOfDay(new Date(at), new Date(before));
  return WITHIN_A_DAY.find(([ms]) => Math.floor(at / ms) !== Math.floor(before / ms))?.[1] ?? NOTHING;
}

function weightOfDay(at: Date, before: Date): number {
  if (at.getUTCFullYear() !== before.getUTCFullYear()) return YEAR;
  return at.getUTCMonth() === before.getUTCMonth() ? DAY : MONTH;
}
