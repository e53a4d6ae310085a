// The calendar functions: year, month, hour and so on of a time in a zone; na of a time is na.

import { civilDate, DAY_MS, HOUR_MS, isoWeek, MINUTE_MS, SECOND_MS, weekdayOf } from './civil.ts';
import type { Zone } from './zone.ts';

/** The day of the local calendar, counted from 1970-01-01. */
export function localDay(timeMs: number, zone: Zone): number {
  return Math.floor(zone.toLocal(timeMs) / DAY_MS);
}

/** Milliseconds since local midnight by the clock. */
export function localClock(timeMs: number, zone: Zone): number {
  const local = zone.toLocal(timeMs);
  return local - Math.floor(local / DAY_MS) * DAY_MS;
}

export function year(timeMs: number, zone: Zone): number {
  return civilDate(localDay(timeMs, zone)).year;
}

export function month(timeMs: number, zone: Zone): number {
  return civilDate(localDay(timeMs, zone)).month;
}

export function dayOfMonth(timeMs: number, zone: Zone): number {
  return civilDate(localDay(timeMs, zone)).day;
}

/** 1 = Sunday … 7 = Saturday. */
export function dayOfWeek(timeMs: number, zone: Zone): number {
  return weekdayOf(localDay(timeMs, zone));
}

/** The ISO week. */
export function weekOfYear(timeMs: number, zone: Zone): number {
  return isoWeek(localDay(timeMs, zone));
}

export function hour(timeMs: number, zone: Zone): number {
  return Math.floor(localClock(timeMs, zone) / HOUR_MS);
}

export function minute(timeMs: number, zone: Zone): number {
  return unitOf(localClock(timeMs, zone), MINUTE_MS);
}

export function second(timeMs: number, zone: Zone): number {
  return unitOf(localClock(timeMs, zone), SECOND_MS);
}

/** The minutes within the hour, or the seconds within the minute. */
function unitOf(clock: number, unitMs: number): number {
  const units = Math.floor(clock / unitMs);
  return units - Math.floor(units / 60) * 60;
}
