// `time()` and `time_close()` of one call site: the bar of a timeframe, within a session, in a zone.

import { parseSession, type Session } from './session.ts';
import { stepBars } from './step-bars.ts';
import { isDwm, parseTimeframe, type Timeframe } from './timeframe.ts';
import { BarClock, type TimeRange, TradingCalendar } from './trading-calendar.ts';
import { looksLikeZone, type Zone, zoneOf } from './zone.ts';

/** What the chart's symbol says; the arguments of a call stand in for parts of it. */
export interface MarketHours {
  readonly timezone: string;
  readonly session: string;
  /** The chart's own timeframe, meant by an empty timeframe argument. */
  readonly timeframe: string;
}

/** The values of `session.*`, which `syminfo.session` has: the hours of the market itself, as if none were given. */
const OWN_SESSIONS: ReadonlySet<string> = new Set(['regular', 'extended']);

/** A text that is na says as little as an empty one. */
type Text = string | null;

/**
 * Arguments are nearly always the same strings on every bar, so they are resolved only when they change. Bars of a day
 * and longer follow the session of the call; shorter bars stay on the market's own grid and end with the session.
 * A time zone in the place of the session is taken as a time zone, as scripts rely on.
 */
export class TimeCall {
  private readonly market: MarketHours;
  private timeframe: string | null = null;
  private sessionText: string | null = null;
  private zoneText: string | null = null;
  private frame: Timeframe | null = null;
  private calendar: TradingCalendar | null = null;
  private clock: BarClock | null = null;
  private filter: Session | null = null;
  private zone: Zone | null = null;

  constructor(market: MarketHours) {
    this.market = market;
  }

  /** `time(timeframe, session, timezone, …, timeframe_bars_back)`: the start of the bar, or na outside the session. */
  open(timeMs: number, timeframe: Text, session: Text = '', timezone: Text = '', barsBack = 0): number {
    if (!this.isOpen(timeMs, timeframe, session, timezone)) return Number.NaN;
    return barsBack === 0 ? (this.clock as BarClock).start(timeMs) : this.beside(timeMs, barsBack).start;
  }

  /** `time_close(…)`: the end of the bar, or na outside the session. */
  close(timeMs: number, timeframe: Text, session: Text = '', timezone: Text = '', barsBack = 0): number {
    if (!this.isOpen(timeMs, timeframe, session, timezone)) return Number.NaN;
    if (barsBack !== 0) return this.beside(timeMs, barsBack).end;
    const end = (this.clock as BarClock).end(timeMs);
    // A bar of the session ends with it, also inside a bar of the chart.
    if (this.filter === null || isDwm(this.frame as Timeframe)) return end;
    return Math.min(end, this.filter.endOf(timeMs, this.zone as Zone));
  }

  private beside(timeMs: number, barsBack: number): TimeRange {
    return stepBars(this.calendar as TradingCalendar, timeMs, this.frame as Timeframe, barsBack);
  }

  private isOpen(timeMs: number, timeframe: Text, session: Text, timezone: Text): boolean {
    this.resolve(timeframe ?? '', session ?? '', timezone ?? '');
    return !Number.isNaN(timeMs) && (this.filter === null || this.filter.contains(timeMs, this.zone as Zone));
  }

  private resolve(timeframe: string, session: string, timezone: string): void {
    if (timeframe === this.timeframe && session === this.sessionText && timezone === this.zoneText) return;
    const misplaced = timezone === '' && looksLikeZone(session);
    const sessionText = misplaced || OWN_SESSIONS.has(session) ? '' : session;
    const zone = zoneOf((misplaced ? session : timezone) || this.market.timezone);
    const frame = parseTimeframe(timeframe || this.market.timeframe);
    const filter = sessionText === '' ? null : parseSession(sessionText);
    const own = parseSession(this.market.session);
    const calendar = isDwm(frame)
      ? new TradingCalendar(filter ?? own, zone)
      : new TradingCalendar(own, zoneOf(this.market.timezone));
    this.frame = frame;
    this.calendar = calendar;
    this.clock = new BarClock(calendar, frame);
    this.filter = filter;
    this.zone = zone;
    this.timeframe = timeframe;
    this.sessionText = session;
    this.zoneText = timezone;
  }
}
