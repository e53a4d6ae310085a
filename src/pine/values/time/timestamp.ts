// `timestamp` in its two forms: numbers of a calendar date in a zone, and a date written as text.

import { PineRuntimeError } from '../runtime-error.ts';
import { DAY_MS, dayNumber, HOUR_MS, MINUTE_MS, SECOND_MS } from './civil.ts';
import { type Zone, zoneOf } from './zone.ts';

/** The time at which the zone's clock shows these numbers; numbers beyond their range carry over. */
export function timestamp(
  zone: Zone,
  year: number,
  month: number,
  day: number,
  hour = 0,
  minute = 0,
  second = 0,
): number {
  const clock = hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS;
  return zone.toUtc(dayNumber(year, month, day) * DAY_MS + clock);
}

const CLOCK = String.raw`(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?`;
const OFFSET = String.raw`(Z|(?:UTC|GMT)?[+-]\d{1,2}:?(?:\d{2})?|UTC|GMT)`;
const TAIL = String.raw`(?:[T ,]+${CLOCK})?(?:\s*${OFFSET})?$`;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** 2020-02-20T13:30:45+02:00 and shorter. */
const ISO = new RegExp(String.raw`^(\d{4})-(\d{1,2})-(\d{1,2})${TAIL}`, 'i');
/** Thu, 20 Feb 2020 13:30:45 GMT+0200 and shorter. */
const DAY_FIRST = new RegExp(String.raw`^(?:[a-z]{3,9},?\s+)?(\d{1,2})\s+([a-z]{3,9})\.?,?\s+(\d{4})${TAIL}`, 'i');
/** Feb 20 2020 13:30:45 and shorter. */
const MONTH_FIRST = new RegExp(String.raw`^([a-z]{3,9})\.?\s+(\d{1,2}),?\s+(\d{4})${TAIL}`, 'i');

/** The time of a written date; without a zone in the text it is in UTC. */
export function parseDate(text: string): number {
  const trimmed = text.trim();
  const iso = ISO.exec(trimmed);
  if (iso !== null) return timeOf(text, iso[1], Number(iso[2]), iso[3], iso);
  const dayFirst = DAY_FIRST.exec(trimmed);
  if (dayFirst !== null) return timeOf(text, dayFirst[3], monthOf(dayFirst[2]), dayFirst[1], dayFirst);
  const monthFirst = MONTH_FIRST.exec(trimmed);
  if (monthFirst !== null) return timeOf(text, monthFirst[3], monthOf(monthFirst[1]), monthFirst[2], monthFirst);
  throw badDate(text);
}

/** 0 when there is no such month. */
const monthOf = (name = '') => MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;

function timeOf(
  text: string,
  year: string | undefined,
  month: number,
  day: string | undefined,
  match: RegExpExecArray,
) {
  const [hour, minute, second] = [Number(match[4] ?? 0), Number(match[5] ?? 0), Number(match[6] ?? 0)];
  const lastDay = dayNumber(Number(year), month + 1, 1) - dayNumber(Number(year), month, 1);
  const fits = month >= 1 && month <= 12 && Number(day) >= 1 && Number(day) <= lastDay;
  if (!fits || hour > 24 || minute > 59 || second > 59) throw badDate(text);
  const offset = (match[7] ?? 'UTC').toUpperCase();
  const zone = zoneOf(offset === 'Z' ? 'UTC' : offset);
  return timestamp(zone, Number(year), month, Number(day), hour, minute, second);
}

function badDate(text: string): PineRuntimeError {
  return new PineRuntimeError(
    `"${text}" is not a date. Write it as "2020-02-20T13:30:45+02:00" or "20 Feb 2020 13:30 GMT+0200".`,
  );
}
