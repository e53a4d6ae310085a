// Calendar arithmetic on whole days since 1970-01-01, without time zones and without Date objects.

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export interface CivilDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  /** 1 to 31. */
  readonly day: number;
}

/** Days of 400 years: the calendar repeats after them. */
const DAYS_PER_ERA = 146_097;
/** Days from 0000-03-01 to 1970-01-01. Years are counted from March, so that the leap day is their last. */
const EPOCH_SHIFT = 719_468;

/** The day number of a date. Months beyond 1..12 and days beyond the month carry over. */
export function dayNumber(year: number, month: number, day: number): number {
  const months = year * 12 + (month - 1);
  const marchMonths = months - 2;
  const marchYear = Math.floor(marchMonths / 12);
  const monthFromMarch = marchMonths - marchYear * 12;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * monthFromMarch + 2) / 5);
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_PER_ERA + dayOfEra - EPOCH_SHIFT + (day - 1);
}

export function civilDate(days: number): CivilDate {
  const shifted = days + EPOCH_SHIFT;
  const era = Math.floor(shifted / DAYS_PER_ERA);
  const dayOfEra = shifted - era * DAYS_PER_ERA;
  const leaps = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1,
  };
}

/** 1 = Sunday … 7 = Saturday, as the language counts. */
export function weekdayOf(days: number): number {
  // Not with %, which on doubles is a slow division; this runs on every bar.
  const sinceSunday = days + 4;
  return sinceSunday - Math.floor(sinceSunday / 7) * 7 + 1;
}

/** The Monday of the day's week. */
export function mondayOf(days: number): number {
  const sinceMonday = days + 3;
  return Math.floor(sinceMonday / 7) * 7 - 3;
}

/** The ISO week: weeks start on Monday, and week 1 holds the first Thursday of the year. */
export function isoWeek(days: number): number {
  const thursday = mondayOf(days) + 3;
  const newYear = dayNumber(civilDate(thursday).year, 1, 1);
  return Math.floor((thursday - newYear) / 7) + 1;
}
