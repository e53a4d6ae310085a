// The days of a time zone, for whoever looks at a calendar of his own.

import { z } from 'zod';
import { ZoneClock } from '../../trading/chat/zone-clock.ts';

const isZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
};

export const zoneSchema = z
  .string()
  .min(1)
  .max(64)
  .refine(isZone, { error: 'is no time zone, send one such as Europe/Berlin, America/New_York or UTC' });

/** Every clock on earth shows a new day at a quarter of an hour of UTC; to ask the calendar is slow. */
const QUARTER_MS = 900_000;

export function daysIn(zone: string): (ms: number) => string {
  const clock = new ZoneClock(zone);
  const known = new Map<number, string>();
  return (ms) => {
    const quarter = Math.floor(ms / QUARTER_MS);
    const day = known.get(quarter) ?? clock.at(quarter * QUARTER_MS).day;
    known.set(quarter, day);
    return day;
  };
}
