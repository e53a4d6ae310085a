// The time of a bar as people write it: in ISO 8601, or counted in milliseconds or seconds.

import { isCompactDate, unitsPerMs } from './time-unit.ts';

const ISO =
  /^([+-]\d{6}|\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?$/i;
const MINUTE_MS = 60_000;

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

const COUNTED = /^\d{1,16}$/;

/** A moment as a person writes it: 2024-03-01, 2024-03-01T14:30:00Z, or ms or s since 1970. NaN when it is none of them. */
export function parseMoment(text: string): number {
  if (!COUNTED.test(text)) return parseIsoTime(text);
  const count = Number(text);
  return isCompactDate(count) ? Number.NaN : Math.round(count / unitsPerMs(count));
}

const SPACE = 32;
const PLUS = 43;
const DASH = 45;
const ZERO = 48;
const COLON = 58;
const UPPER_T = 84;
const UPPER_Z = 90;
const SECONDS_END = '2024-03-01T14:30:00'.length;
const OFFSET_CHARS = '+01:00'.length;

/** The same for the way nearly every file writes it, from its bytes; NaN also for a time that is written otherwise. */
export function plainIsoTime(bytes: Uint8Array, start: number, end: number): number {
  const between = bytes[start + 10];
  if (bytes[start + 4] !== DASH || bytes[start + 7] !== DASH || (between !== UPPER_T && between !== SPACE))
    return Number.NaN;
  if (end - start < SECONDS_END || bytes[start + 13] !== COLON || bytes[start + 16] !== COLON) return Number.NaN;
  const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2);
  const month = twoDigits(bytes, start + 5);
  const day = twoDigits(bytes, start + 8);
  const hour = twoDigits(bytes, start + 11);
  const minute = twoDigits(bytes, start + 14);
  const second = twoDigits(bytes, start + 17);
  // Years below 100 are others to Date.UTC.
  if (!(year >= 100 && month >= 1 && month <= 12 && day >= 1)) return Number.NaN;
  if (!(day <= 28 || day <= lastDay(year, month))) return Number.NaN;
  if (!(hour <= 23 && minute <= 59 && second <= 59)) return Number.NaN;
  return Date.UTC(year, month - 1, day, hour, minute, second) - plainOffsetMs(bytes, start + SECONDS_END, end);
}

const lastDay = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();

function plainOffsetMs(bytes: Uint8Array, at: number, end: number): number {
  if (at === end || (at + 1 === end && bytes[at] === UPPER_Z)) return 0;
  const sign = bytes[at];
  if (end - at !== OFFSET_CHARS || bytes[at + 3] !== COLON || (sign !== PLUS && sign !== DASH)) return Number.NaN;
  const hours = twoDigits(bytes, at + 1);
  const minutes = twoDigits(bytes, at + 4);
  if (!(hours <= 14 && minutes <= 59)) return Number.NaN;
  return (sign === DASH ? -1 : 1) * (hours * 60 + minutes) * MINUTE_MS;
}

function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at]! - ZERO;
  const ones = bytes[at + 1]! - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

function offsetMinutes(zone: string): number {
  const match = /^([+-])(\d\d):?(\d\d)?$/.exec(zone);
  if (match === null) return 0;
  const [, sign, hours, minutes = '0'] = match;
  if (Number(hours) > 14 || Number(minutes) > 59) return Number.NaN;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
