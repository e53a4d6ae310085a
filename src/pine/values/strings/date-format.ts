// Times as text by a pattern such as "yyyy-MM-dd HH:mm", in a zone.

import { PineRuntimeError } from '../runtime-error.ts';
import { localClock, localDay } from '../time/calendar.ts';
import { civilDate, dayNumber, HOUR_MS, isoWeek, MINUTE_MS, weekdayOf } from '../time/civil.ts';
import type { Zone } from '../time/zone.ts';

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Times have whole milliseconds up to here, some 270,000 years; beyond it there is no calendar. */
const MAX_TIME_MS = 8.64e15;

/** What `str.format_time` uses without a pattern. */
export const ISO_PATTERN = "yyyy-MM-dd'T'HH:mm:ssZ";

export function formatDate(timeMs: number, pattern: string, zone: Zone): string {
  if (!(Math.abs(timeMs) <= MAX_TIME_MS)) return 'NaN';
  const pieces = pattern.match(/'(?:[^']|'')*'?|([a-zA-Z])\1*|[^a-zA-Z']+/g) ?? [];
  return pieces.map((piece) => pieceOf(piece, timeMs, zone)).join('');
}

function pieceOf(piece: string, timeMs: number, zone: Zone): string {
  if (piece === "''") return "'";
  if (piece.startsWith("'")) return piece.replace(/^'|'$/g, '').replaceAll("''", "'");
  if (!/^[a-zA-Z]/.test(piece)) return piece;
  return dateField(piece, timeMs, zone) ?? clockField(piece, timeMs, zone) ?? zoneField(piece, timeMs, zone);
}

const padded = (value: number, length: number) => `${value}`.padStart(length, '0');

function dateField(piece: string, timeMs: number, zone: Zone): string | null {
  const { length } = piece;
  const today = localDay(timeMs, zone);
  const { year, month, day } = civilDate(today);
  const weekday = weekdayOf(today);
  switch (piece[0]) {
    case 'G':
      return year > 0 ? 'AD' : 'BC';
    case 'y':
      return length === 2 ? padded(year % 100, 2) : padded(year, length);
    case 'Y': {
      const weekYear = civilDate(today - ((weekday + 5) % 7) + 3).year;
      return length === 2 ? padded(weekYear % 100, 2) : padded(weekYear, length);
    }
    case 'M':
    case 'L':
      return length < 3 ? padded(month, length) : (MONTHS[month - 1] as string).slice(0, length === 3 ? 3 : 20);
    case 'w':
      return padded(isoWeek(today), length);
    case 'W':
      return padded(Math.ceil((day + ((weekdayOf(today - day + 1) + 5) % 7)) / 7), length);
    case 'D':
      return padded(today - dayNumber(year, 1, 1) + 1, length);
    case 'd':
      return padded(day, length);
    case 'F':
      return padded(Math.ceil(day / 7), length);
    case 'E':
      return (WEEKDAYS[weekday - 1] as string).slice(0, length < 4 ? 3 : 20);
    case 'u':
      return padded(((weekday + 5) % 7) + 1, length);
    default:
      return null;
  }
}

function clockField(piece: string, timeMs: number, zone: Zone): string | null {
  const { length } = piece;
  const clock = localClock(timeMs, zone);
  const hour = Math.floor(clock / HOUR_MS);
  switch (piece[0]) {
    case 'a':
      return hour < 12 ? 'AM' : 'PM';
    case 'H':
      return padded(hour, length);
    case 'k':
      return padded(hour || 24, length);
    case 'K':
      return padded(hour % 12, length);
    case 'h':
      return padded(hour % 12 || 12, length);
    case 'm':
      return padded(Math.floor(clock / MINUTE_MS) % 60, length);
    case 's':
      return padded(Math.floor(clock / 1000) % 60, length);
    case 'S':
      return padded(Math.floor(clock) % 1000, length);
    default:
      return null;
  }
}

function zoneField(piece: string, timeMs: number, zone: Zone): string {
  const minutes = Math.round(zone.offsetAt(timeMs) / MINUTE_MS);
  const sign = minutes < 0 ? '-' : '+';
  const hours = padded(Math.floor(Math.abs(minutes) / 60), 2);
  const rest = padded(Math.abs(minutes) % 60, 2);
  if (piece[0] === 'Z') return `${sign}${hours}${rest}`;
  if (piece[0] === 'z') return minutes === 0 ? 'GMT' : `GMT${sign}${hours}:${rest}`;
  if (piece[0] !== 'X' || piece.length > 3)
    throw new PineRuntimeError(
      `"${piece.slice(0, 20)}" is not a date field. Use fields such as yyyy, MM, dd, HH, mm, ss; put text in quotes.`,
    );
  if (minutes === 0) return 'Z';
  return `${sign}${hours}${piece.length === 1 ? '' : piece.length === 2 ? rest : `:${rest}`}`;
}
