// Times as people read them: in the reader's own zone, relative only within the last hour, with UTC for whoever asks.

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const two = (value: number): string => String(value).padStart(2, '0');

/** `14:02:11`. */
export function clockTime(atMs: number): string {
  const at = new Date(atMs);
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** `2026-11-17`. */
export function day(atMs: number): string {
  const at = new Date(atMs);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** The time alone where that was today, with its day before it otherwise. */
export const dayAndTime = (atMs: number, nowMs: number): string =>
  day(atMs) === day(nowMs) ? clockTime(atMs) : `${day(atMs)} ${clockTime(atMs).slice(0, 5)}`;

/** `12 s ago`, `5 min ago`; a time of day from an hour on. */
export function ago(atMs: number, nowMs: number): string {
  const passedMs = nowMs - atMs;
  if (passedMs < 5 * SECOND_MS) return 'now';
  if (passedMs < MINUTE_MS) return `${Math.floor(passedMs / SECOND_MS)} s ago`;
  return passedMs < HOUR_MS ? `${Math.floor(passedMs / MINUTE_MS)} min ago` : dayAndTime(atMs, nowMs);
}

export const inUtc = (atMs: number): string => `${new Date(atMs).toISOString().replace('T', ' ').slice(0, 23)} UTC`;

/** `18 ms`, `1.2 s`, `3 min`, `2 h 5 min`, `4 d 3 h`. */
export function lasting(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  if (ms < MINUTE_MS) return `${(ms / SECOND_MS).toFixed(ms < 10 * SECOND_MS ? 1 : 0)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  const [large, small, largeMs, smallMs] = ms < DAY_MS ? ['h', 'min', HOUR_MS, MINUTE_MS] : ['d', 'h', DAY_MS, HOUR_MS];
  const rest = Math.floor((ms % Number(largeMs)) / Number(smallMs));
  return `${Math.floor(ms / Number(largeMs))} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`;
}
