// Trading days and bars of a market: when its day, week or sixty minutes began and will end.
//
// A trading day starts where its first segment starts, which may be on the evening before. Intraday bars are counted
// from the start of their segment and end with it. Weeks start on Monday, and belong to the year their Monday lies in.
// Several days, weeks or months in one bar are counted from the start of the year: of days those that are trading days by
// their weekday, which on a market of five days leaves out the weekends. Holidays are not known here, so they count; the
// bars themselves show them.

import { localClock, localDay } from './calendar.ts';
import { civilDate, DAY_MS, dayNumber, mondayOf } from './civil.ts';
import type { Segment, Session } from './session.ts';
import { inSeconds, isIntraday, type Timeframe } from './timeframe.ts';
import type { Zone } from './zone.ts';

export interface TimeRange {
  readonly start: number;
  readonly end: number;
}

interface DayRange {
  readonly first: number;
  readonly last: number;
}

export class TradingCalendar {
  readonly session: Session;
  readonly zone: Zone;

  constructor(session: Session, zone: Zone) {
    this.session = session;
    this.zone = zone;
  }

  /** The trading day of a time, counted from 1970-01-01: the next calendar day once that day's session has begun. */
  tradingDay(timeMs: number): number {
    const day = localDay(timeMs, this.zone);
    const clock = localClock(timeMs, this.zone);
    const next = this.session.likelySegments(day + 1)[0] as Segment;
    return clock - DAY_MS >= next.fromMs ? day + 1 : day;
  }

  /** `time_tradingday`: midnight UTC of the trading day. */
  tradingDayTime(timeMs: number): number {
    return this.tradingDay(timeMs) * DAY_MS;
  }

  dayStart(day: number): number {
    const [first] = this.session.likelySegments(day);
    return this.zone.toUtc(day * DAY_MS + (first as Segment).fromMs);
  }

  dayEnd(day: number): number {
    const last = this.session.likelySegments(day).at(-1) as Segment;
    return this.zone.toUtc(day * DAY_MS + last.toMs);
  }

  /** Start and end of the bar of the timeframe that a time belongs to. */
  barAt(timeMs: number, frame: Timeframe): TimeRange {
    if (frame.unit === 'T') return { start: timeMs, end: timeMs };
    if (isIntraday(frame)) return this.intradayBar(timeMs, inSeconds(frame) * 1000);
    const { first, last } = daysOf(this.tradingDay(timeMs), frame, this.session);
    return {
      start: this.dayStart(this.firstTradingDay(first, last)),
      end: this.dayEnd(this.lastTradingDay(first, last)),
    };
  }

  private intradayBar(timeMs: number, lengthMs: number): TimeRange {
    const day = this.tradingDay(timeMs);
    const segments = this.session.likelySegments(day);
    let at = segments.length - 1;
    while (at > 0 && this.zone.toUtc(day * DAY_MS + (segments[at] as Segment).fromMs) > timeMs) at -= 1;
    const { fromMs, toMs } = segments[at] as Segment;
    const open = this.zone.toUtc(day * DAY_MS + fromMs);
    const close = this.zone.toUtc(day * DAY_MS + toMs);
    const start = open + Math.floor((timeMs - open) / lengthMs) * lengthMs;
    const end = start + lengthMs;
    return { start, end: start < close && close < end ? close : end };
  }

  private firstTradingDay(first: number, last: number): number {
    for (let day = first; day <= last; day += 1) if (this.session.isTradingDay(day)) return day;
    return first;
  }

  private lastTradingDay(first: number, last: number): number {
    for (let day = last; day >= first; day -= 1) if (this.session.isTradingDay(day)) return day;
    return last;
  }
}

/** The calendar days that a bar of days, weeks or months covers. */
function daysOf(day: number, { unit, multiplier }: Timeframe, session: Session): DayRange {
  if (unit === 'W') return weeksOf(day, multiplier);
  const { year, month } = civilDate(day);
  if (unit === 'M') {
    const from = Math.floor((month - 1) / multiplier) * multiplier + 1;
    return { first: dayNumber(year, from, 1), last: dayNumber(year, Math.min(from + multiplier, 13), 1) - 1 };
  }
  if (multiplier === 1) return { first: day, last: day };
  return tradingDaysOf(day, year, multiplier, session);
}

/** Every bar has `count` trading days, the last of the year fewer; days without trading belong to the bar before them. */
function tradingDaysOf(day: number, year: number, count: number, session: Session): DayRange {
  const nextYear = dayNumber(year + 1, 1, 1);
  let first = dayNumber(year, 1, 1);
  let traded = 0;
  for (let next = first; next < nextYear; next += 1) {
    if (!session.isTradingDay(next)) continue;
    if (traded > 0 && traded % count === 0) {
      if (next > day) return { first, last: next - 1 };
      first = next;
    }
    traded += 1;
  }
  return { first, last: nextYear - 1 };
}

/** A bar of weeks ends with its year: the next one begins with the first Monday of January. */
function weeksOf(day: number, count: number): DayRange {
  const monday = mondayOf(day);
  const { year } = civilDate(monday);
  const week = (monday - firstMonday(year)) / 7;
  const first = monday - (week % count) * 7;
  return { first, last: Math.min(first + 7 * count, firstMonday(year + 1)) - 1 };
}

const firstMonday = (year: number): number => mondayOf(dayNumber(year, 1, 7));

/** One timeframe of a calendar, answered from the last bar when the time is still in it. */
export class BarClock {
  private readonly calendar: TradingCalendar;
  private readonly frame: Timeframe;
  private from = Number.NaN;
  private to = Number.NaN;

  constructor(calendar: TradingCalendar, frame: Timeframe) {
    this.calendar = calendar;
    this.frame = frame;
  }

  start(timeMs: number): number {
    if (!(timeMs >= this.from && timeMs < this.to)) this.find(timeMs);
    return this.from;
  }

  end(timeMs: number): number {
    if (!(timeMs >= this.from && timeMs < this.to)) this.find(timeMs);
    return this.to;
  }

  private find(timeMs: number): void {
    if (Number.isNaN(timeMs)) {
      this.from = Number.NaN;
      this.to = Number.NaN;
      return;
    }
    const { start, end } = this.calendar.barAt(timeMs, this.frame);
    this.from = start;
    this.to = end;
  }
}
