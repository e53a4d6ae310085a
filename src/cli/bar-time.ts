// The time of a bar as people write it: milliseconds, seconds or ISO 8601.

const ISO =
  /^([+-]\d{6}|\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?$/i;
const MINUTE_MS = 60_000;

/**
 * Below this a file counts seconds, from it on milliseconds: as seconds it is the year 5138, as milliseconds 1973, and
 * a file whose newest bar is older than that writes dates.
 */
const LEAST_MILLISECONDS = 1e11;

export const countsSeconds = (largest: number): boolean => largest < LEAST_MILLISECONDS;

/** Milliseconds since 1970, or NaN when the text is no date that exists. Without an offset it is UTC. */
export function parseIsoTime(text: string): number {
  const match = ISO.exec(text);
  if (match === null) return Number.NaN;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] = match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // A day that the month does not have would slide into the next one.
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return Number.NaN;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return Number.NaN;
  const offset = offsetMinutes(zone);
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  return date.setUTCHours(Number(hour), Number(minute), Number(second), milliseconds) - offset * MINUTE_MS;
}

function offsetMinutes(zone: string): number {
  const match = /^([+-])(\d\d):?(\d\d)?$/.exec(zone);
  if (match === null) return 0;
  const [, sign, hours, minutes = '0'] = match;
  if (Number(hours) > 14 || Number(minutes) > 59) return Number.NaN;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
