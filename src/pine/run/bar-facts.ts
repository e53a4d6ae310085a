// The built-in series of time and session (`hour`, `time_close`, `session.ismarket`) as functions of a bar's opening time.
//
// They run on every bar, so a calendar day is taken apart once and remembered. Nothing here is a state of the script:
// the same bar gives the same answer however often and in whatever order it is asked for.

import { BarClock, TradingCalendar, timeframes, type Zone } from '../values/index.ts';
import { civilDate, DAY_MS, HOUR_MS, isoWeek, MINUTE_MS, SECOND_MS, weekdayOf } from '../values/time/civil.ts';
import type { Market } from './market.ts';

export interface BarFact {
  /** Name of the method of BarFacts. */
  readonly method: Exclude<keyof BarFacts, 'prototype'>;
  /** Its arguments: the bar's opening time, and that of the bar before (NaN on the first). */
  readonly needs: 'time' | 'time+previous';
}

const onTime = (method: BarFact['method']): BarFact => ({ method, needs: 'time' });
const onPrevious = (method: BarFact['method']): BarFact => ({ method, needs: 'time+previous' });

/** The built-in variables answered here, by their full name. */
export const BAR_FACTS: Readonly<Record<string, BarFact>> = Object.freeze({
  time_close: onTime('time_close'),
  time_tradingday: onTime('time_tradingday'),
  year: onTime('year'),
  month: onTime('month'),
  weekofyear: onTime('weekofyear'),
  dayofmonth: onTime('dayofmonth'),
  dayofweek: onTime('dayofweek'),
  hour: onTime('hour'),
  minute: onTime('minute'),
  second: onTime('second'),
  'session.ismarket': onTime('session_ismarket'),
  'session.ispremarket': onTime('session_ispremarket'),
  'session.ispostmarket': onTime('session_ispostmarket'),
  'session.isfirstbar': onPrevious('session_isfirstbar'),
  'session.isfirstbar_regular': onPrevious('session_isfirstbar_regular'),
  'session.islastbar': onTime('session_islastbar'),
  'session.islastbar_regular': onTime('session_islastbar_regular'),
});

export class BarFacts {
  private readonly zone: Zone;
  private readonly calendar: TradingCalendar;
  /** The regular hours: those of the chart when it shows no others. */
  private readonly regular: TradingCalendar;
  private readonly isExtended: boolean;
  private readonly isIntraday: boolean;
  private readonly spansDays: boolean;
  private readonly lengthMs: number;
  /** Of bars of a day and longer. */
  private readonly clock: BarClock;

  // The last calendar day that was taken apart.
  private localDay = Number.NaN;
  private yearOfDay = Number.NaN;
  private monthOfDay = Number.NaN;
  private dayOfMonth = Number.NaN;
  private weekOfDay = Number.NaN;

  // The run of time without a break that the last intraday bar was in.
  private segmentStart = Number.NaN;
  private segmentEnd = Number.NaN;

  // The last trading day whose hours were looked up; times from `start` until `nextStart` belong to it.
  private hoursDay = Number.NaN;
  private start = Number.NaN;
  private nextStart = Number.NaN;
  private end = Number.NaN;
  private regularStart = Number.NaN;
  private regularEnd = Number.NaN;

  constructor({ calendar, regular, timeframe }: Market) {
    this.zone = calendar.zone;
    this.calendar = calendar;
    this.regular = regular === null ? calendar : new TradingCalendar(regular, calendar.zone);
    this.isExtended = regular !== null;
    this.isIntraday = timeframes.isIntraday(timeframe);
    this.spansDays = !this.isIntraday && !(timeframe.unit === 'D' && timeframe.multiplier === 1);
    // A tick has no length: it closes when it opens.
    this.lengthMs = timeframes.isTicks(timeframe) ? 0 : timeframes.inSeconds(timeframe) * SECOND_MS;
    this.clock = new BarClock(calendar, timeframe);
  }

  /** The end of the bar. Bars that lie beside the market's hours or grid last as long as their timeframe. */
  time_close(timeMs: number): number {
    if (this.isIntraday) return this.intradayClose(timeMs);
    const end = this.clock.end(timeMs);
    return end > timeMs ? end : timeMs + this.lengthMs;
  }

  /** Midnight UTC of the trading day; of a week or a month, of its last trading day. */
  time_tradingday(timeMs: number): number {
    this.lookUpHours(this.spansDays ? this.time_close(timeMs) - 1 : timeMs);
    return this.hoursDay * DAY_MS;
  }

  year(timeMs: number): number {
    this.takeApart(timeMs);
    return this.yearOfDay;
  }

  month(timeMs: number): number {
    this.takeApart(timeMs);
    return this.monthOfDay;
  }

  weekofyear(timeMs: number): number {
    this.takeApart(timeMs);
    return this.weekOfDay;
  }

  dayofmonth(timeMs: number): number {
    this.takeApart(timeMs);
    return this.dayOfMonth;
  }

  dayofweek(timeMs: number): number {
    return weekdayOf(Math.floor(this.zone.toLocal(timeMs) / DAY_MS));
  }

  hour(timeMs: number): number {
    return partOf(this.zone.toLocal(timeMs), HOUR_MS, 24);
  }

  minute(timeMs: number): number {
    return partOf(this.zone.toLocal(timeMs), MINUTE_MS, 60);
  }

  second(timeMs: number): number {
    return partOf(this.zone.toLocal(timeMs), SECOND_MS, 60);
  }

  /** A bar of a day or longer always holds regular hours. */
  session_ismarket(timeMs: number): boolean {
    return !this.isIntraday || this.regular.session.contains(timeMs, this.zone);
  }

  session_ispremarket(timeMs: number): boolean {
    if (!this.isExtended || !this.isIntraday) return false;
    this.lookUpHours(timeMs);
    return timeMs < this.regularStart;
  }

  session_ispostmarket(timeMs: number): boolean {
    if (!this.isExtended || !this.isIntraday) return false;
    this.lookUpHours(timeMs);
    return timeMs >= this.regularEnd;
  }

  /** The first bar of a trading day there is; of the very first bar only the calendar can tell. */
  session_isfirstbar(timeMs: number, previousTimeMs: number): boolean {
    if (!this.isIntraday) return true;
    if (!Number.isNaN(previousTimeMs)) return !this.isSameDay(timeMs, previousTimeMs);
    this.lookUpHours(timeMs);
    return timeMs <= this.start;
  }

  session_isfirstbar_regular(timeMs: number, previousTimeMs: number): boolean {
    if (!this.isIntraday) return true;
    if (!this.session_ismarket(timeMs)) return false;
    if (!Number.isNaN(previousTimeMs))
      return !(this.session_ismarket(previousTimeMs) && this.isSameDay(timeMs, previousTimeMs));
    this.lookUpHours(timeMs);
    return timeMs <= this.regularStart;
  }

  /** By the calendar alone, so that it says the same live and in history; without a trade at the end no bar is last. */
  session_islastbar(timeMs: number): boolean {
    if (!this.isIntraday) return true;
    this.lookUpHours(timeMs);
    return timeMs < this.end && this.time_close(timeMs) >= this.end;
  }

  session_islastbar_regular(timeMs: number): boolean {
    if (!this.isIntraday) return true;
    if (!this.session_ismarket(timeMs)) return false;
    this.lookUpHours(timeMs);
    return this.time_close(timeMs) >= this.regularEnd;
  }

  private intradayClose(timeMs: number): number {
    if (!(timeMs >= this.segmentStart && timeMs < this.segmentEnd)) this.findSegment(timeMs);
    const end = timeMs + this.lengthMs;
    const isCut = timeMs < this.segmentEnd && this.segmentEnd < end;
    return isCut && Number.isInteger((timeMs - this.segmentStart) / this.lengthMs) ? this.segmentEnd : end;
  }

  private findSegment(timeMs: number): void {
    const day = this.calendar.tradingDay(timeMs);
    for (const { fromMs, toMs } of this.calendar.session.likelySegments(day)) {
      this.segmentStart = this.zone.toUtc(day * DAY_MS + fromMs);
      this.segmentEnd = this.zone.toUtc(day * DAY_MS + toMs);
      if (timeMs < this.segmentEnd) return;
    }
  }

  private isSameDay(timeMs: number, otherMs: number): boolean {
    this.lookUpHours(timeMs);
    if (otherMs >= this.start && otherMs < this.nextStart) return true;
    return this.calendar.tradingDay(otherMs) === this.hoursDay;
  }

  private takeApart(timeMs: number): void {
    const day = Math.floor(this.zone.toLocal(timeMs) / DAY_MS);
    if (day === this.localDay) return;
    const { year, month, day: dayOfMonth } = civilDate(day);
    this.localDay = day;
    this.yearOfDay = year;
    this.monthOfDay = month;
    this.dayOfMonth = dayOfMonth;
    this.weekOfDay = isoWeek(day);
  }

  private lookUpHours(timeMs: number): void {
    if (timeMs >= this.start && timeMs < this.nextStart) return;
    const day = this.calendar.tradingDay(timeMs);
    this.hoursDay = day;
    this.start = this.calendar.dayStart(day);
    this.end = this.calendar.dayEnd(day);
    this.nextStart = Math.min(this.end, this.calendar.dayStart(day + 1));
    this.regularStart = this.regular.dayStart(day);
    this.regularEnd = this.regular.dayEnd(day);
  }
}

/** The hour of a day, the minute of an hour, the second of a minute. */
function partOf(localMs: number, unitMs: number, unitsInWhole: number): number {
  const units = Math.floor(localMs / unitMs);
  // Not with %, which on doubles is a slow division.
  return units - Math.floor(units / unitsInWhole) * unitsInWhole;
}

/**
 * `timeframe.change(timeframe)` of one call site: whether a bar is the first of a bar of the timeframe. The first bar of
 * all is none, since nothing changed before it.
 */
export class TimeframeChange {
  private readonly calendar: TradingCalendar;
  private readonly own: string;
  private text: string | null = null;
  private clock: BarClock | null = null;

  constructor({ calendar, hours }: Market) {
    this.calendar = calendar;
    this.own = hours.timeframe;
  }

  next(timeMs: number, previousTimeMs: number, timeframe: string | null = ''): boolean {
    // The text is nearly always the same on every bar.
    if (timeframe !== this.text || this.clock === null) {
      this.clock = new BarClock(this.calendar, timeframes.parseTimeframe(timeframe || this.own));
      this.text = timeframe;
    }
    return previousTimeMs < this.clock.start(timeMs);
  }
}
