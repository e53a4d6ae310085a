// Session strings: the hours and days at which a market, or a script, is open.
//
//   0930-1600:23456          from 09:30 to 16:00, Monday to Friday (1 = Sunday … 7 = Saturday)
//   0930-1600                every day
//   0900-1200,1300-1600:23456  two periods a day; days count for the periods before them that have none
//   1700-1700:23456          an end that is not after the start: Monday's session starts on Sunday at 17:00
//   24x7, 0000-0000          whole days from midnight

import { PineRuntimeError } from '../runtime-error.ts';
import { localClock, localDay } from './calendar.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, weekdayOf } from './civil.ts';
import type { Zone } from './zone.ts';

/** A run of time of one trading day, from its midnight; negative when it starts on the evening before. */
export interface Segment {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A session string longer than this is no session string. */
const MAX_SESSION_LENGTH = 400;
const ALL_DAYS = '1234567';

export class Session {
  /** By weekday, 1 = Sunday: the segments in order; a day without trading has none. */
  private readonly days: readonly (readonly Segment[])[];

  constructor(days: readonly (readonly Segment[])[]) {
    this.days = days;
  }

  /** The segments of the trading day. */
  segmentsOf(day: number): readonly Segment[] {
    return this.days[weekdayOf(day)] ?? CLOSED;
  }

  isTradingDay(day: number): boolean {
    return this.segmentsOf(day).length > 0;
  }

  /** The segments of the day, or those of the next day that has some: bars do turn up outside of the hours. */
  likelySegments(day: number): readonly Segment[] {
    for (let ahead = 0; ahead < 7; ahead += 1) if (this.isTradingDay(day + ahead)) return this.segmentsOf(day + ahead);
    return WHOLE_DAY;
  }

  /** Whether the session is open at this time by the zone's clock. */
  contains(timeMs: number, zone: Zone): boolean {
    if (Number.isNaN(timeMs)) return false;
    const day = localDay(timeMs, zone);
    const clock = localClock(timeMs, zone);
    return isWithin(this.segmentsOf(day), clock) || isWithin(this.segmentsOf(day + 1), clock - DAY_MS);
  }

  /** The end of the segment that is open at this time; the session must be open. */
  endOf(timeMs: number, zone: Zone): number {
    const day = localDay(timeMs, zone);
    const clock = localClock(timeMs, zone);
    const isToday = isWithin(this.segmentsOf(day), clock);
    const open = isToday ? clock : clock - DAY_MS;
    const segments = this.segmentsOf(isToday ? day : day + 1);
    const { toMs } = segments.find(({ fromMs, toMs: end }) => open >= fromMs && open < end) as Segment;
    return zone.toUtc((isToday ? day : day + 1) * DAY_MS + toMs);
  }
}

/** Also of days so far away that they have no weekday. */
const CLOSED: readonly Segment[] = [];
const WHOLE_DAY: readonly Segment[] = [{ fromMs: 0, toMs: DAY_MS }];

function isWithin(segments: readonly Segment[], clock: number): boolean {
  for (let i = 0; i < segments.length; i += 1) {
    const segment = segments[i] as Segment;
    if (clock >= segment.fromMs && clock < segment.toMs) return true;
  }
  return false;
}

export function parseSession(text: string): Session {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.toLowerCase() === '24x7') return new Session(Array(8).fill(WHOLE_DAY));
  if (trimmed.length > MAX_SESSION_LENGTH) throw badSession(text);
  const days: Segment[][] = Array.from({ length: 8 }, () => []);
  let named = ALL_DAYS;
  // From the right: days count for the periods before them that name none.
  for (const part of trimmed.split(/[,|]/).reverse()) {
    const match = /^\s*(\d{2})(\d{2})-(\d{2})(\d{2})(?::([1-7]+))?\s*$/.exec(part);
    if (match === null) throw badSession(text);
    named = match[5] ?? named;
    const segment = segmentOf(text, match);
    for (const digit of new Set(named)) days[Number(digit)]?.push(segment);
  }
  for (const segments of days) segments.sort((a, b) => a.fromMs - b.fromMs);
  return new Session(days);
}

function segmentOf(text: string, match: RegExpExecArray): Segment {
  const [from, end] = [clockOf(match[1], match[2]), clockOf(match[3], match[4])];
  if (!(from < DAY_MS && end <= DAY_MS)) throw badSession(text);
  // Midnight as an end is the end of the day, not its start.
  const toMs = end === 0 ? DAY_MS : end;
  return { fromMs: from >= toMs ? from - DAY_MS : from, toMs };
}

/** Not a number when the minutes are not minutes. */
function clockOf(hours: string | undefined, minutes: string | undefined): number {
  return Number(minutes) > 59 ? Number.NaN : Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS;
}

function badSession(text: string): PineRuntimeError {
  return new PineRuntimeError(
    `"${text.slice(0, 60)}" is not a session. Write it as "0930-1600:23456" (1 = Sunday), several separated by commas.`,
  );
}
