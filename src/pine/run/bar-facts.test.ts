// Tests of the series of time and session: parts of a date, closes, trading days and the edges of sessions.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PineVersion } from '../builtins/types.ts';
import { parseSession, TradingCalendar, zoneOf } from '../values/index.ts';
import { openLibrary } from '../values/testing/library.ts';
import { BAR_FACTS, BarFacts, TimeframeChange } from './bar-facts.ts';
import { createMarket, type SymbolInfo } from './market.ts';

const NA = Number.NaN;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const newYork = zoneOf('America/New_York');
const NEW_YORK: SymbolInfo = { type: 'stock', timezone: 'America/New_York', session: '0930-1600' };
const EXTENDED: SymbolInfo = { ...NEW_YORK, session: '0400-2000', session_regular: '0930-1600' };
const FOREX: SymbolInfo = { type: 'forex', timezone: 'America/New_York', session: '1700-1700:23456' };
/** A time by the clock of New York, months from 1. 2024-07-01 is a Monday. */
const ny = (year: number, month: number, day: number, hour = 0, minute = 0) =>
  newYork.toUtc(Date.UTC(year, month - 1, day, hour, minute));
const marketOf = (symbol: SymbolInfo, timeframe: string, version: PineVersion = 6) =>
  createMarket(symbol, timeframe, version);
const factsOf = (symbol: SymbolInfo, timeframe: string) => new BarFacts(marketOf(symbol, timeframe));
const iso = (timeMs: number) => new Date(timeMs).toISOString();

describe('the table of bar facts', () => {
  it('names a method for each, which answers a bar and na', () => {
    const facts = factsOf({}, '60');
    for (const [name, { method, needs }] of Object.entries(BAR_FACTS)) {
      const answer = facts[method];
      expect(typeof answer, name).toBe('function');
      expect(answer.length, name).toBe(needs === 'time' ? 1 : 2);
      const type = name.startsWith('session.') ? 'boolean' : 'number';
      for (const time of [0, Date.UTC(2024, 6, 1, 12), NA, -1e15, 1e300, Number.POSITIVE_INFINITY])
        expect(typeof facts[method](time, NA), `${name} of ${time}`).toBe(type);
    }
  });
});

describe('the parts of a date', () => {
  const PARTS = ['year', 'month', 'weekofyear', 'dayofmonth', 'dayofweek', 'hour', 'minute', 'second'] as const;

  it('are those of the exchange', () => {
    const facts = factsOf(NEW_YORK, '60');
    const time = Date.UTC(2024, 0, 1, 3, 4, 5);
    expect(PARTS.map((part) => facts[part](time))).toEqual([2023, 12, 52, 31, 1, 22, 4, 5]);
    expect(PARTS.map((part) => factsOf({}, '60')[part](time))).toEqual([2024, 1, 1, 1, 2, 3, 4, 5]);
    for (const part of PARTS) expect(facts[part](NA), part).toBeNaN();
  });

  it('agree with the functions of the same names at any time, in any order', () => {
    const zones = ['America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC-5'];
    const libraries = zones.map((timezone) => ({
      facts: factsOf({ timezone }, '60'),
      library: openLibrary({ market: { timezone, session: '24x7', timeframe: '60' } }),
    }));
    fc.assert(
      fc.property(fc.nat(3), fc.integer({ min: Date.UTC(1960, 0, 1), max: Date.UTC(2060, 0, 1) }), (at, time) => {
        const { facts, library } = libraries[at]!;
        for (const part of PARTS) expect(facts[part](time), part).toBe(library.call(part, time));
      }),
      { numRuns: 300 },
    );
  });
});

describe('time_close', () => {
  const closeOf = (symbol: SymbolInfo, timeframe: string, time: number) =>
    iso(factsOf(symbol, timeframe).time_close(time));

  it('is the end of the bar, and never beyond the session', () => {
    expect(closeOf({}, '60', Date.UTC(2024, 6, 1, 12))).toBe('2024-07-01T13:00:00.000Z');
    expect(closeOf({}, '1D', Date.UTC(2024, 6, 1))).toBe('2024-07-02T00:00:00.000Z');
    expect(closeOf({}, '1M', Date.UTC(2024, 1, 1))).toBe('2024-03-01T00:00:00.000Z');
    expect(closeOf(NEW_YORK, '60', ny(2024, 7, 1, 15, 30))).toBe('2024-07-01T20:00:00.000Z');
    expect(closeOf(NEW_YORK, '1D', ny(2024, 7, 1, 9, 30))).toBe('2024-07-01T20:00:00.000Z');
    expect(closeOf(NEW_YORK, '1W', ny(2024, 7, 1, 9, 30))).toBe('2024-07-05T20:00:00.000Z');
    expect(closeOf(FOREX, '1D', ny(2024, 6, 30, 17))).toBe('2024-07-01T21:00:00.000Z');
    expect(factsOf({}, '60').time_close(NA)).toBeNaN();
  });

  it('of a bar before a break is the break, and of a tick the tick', () => {
    const tokyo = { timezone: 'Asia/Tokyo', session: '0900-1130,1230-1500' };
    const at = (hour: number, minute: number) => Date.UTC(2024, 6, 1, hour - 9, minute);
    expect(closeOf(tokyo, '60', at(11, 0))).toBe(iso(at(11, 30)));
    expect(closeOf(tokyo, '60', at(12, 30))).toBe(iso(at(13, 30)));
    expect(closeOf(tokyo, '60', at(14, 30))).toBe(iso(at(15, 0)));
    expect(closeOf({}, '1T', 5)).toBe(iso(5));
  });

  it('of a bar beside the hours or the grid comes its own length after its opening', () => {
    expect(closeOf(NEW_YORK, '60', ny(2024, 7, 1, 8))).toBe(iso(ny(2024, 7, 1, 9)));
    expect(closeOf({}, '240', Date.UTC(2024, 6, 1, 2))).toBe('2024-07-01T06:00:00.000Z');
    expect(closeOf({}, '240', Date.UTC(2024, 6, 1, 22))).toBe('2024-07-02T02:00:00.000Z');
    expect(closeOf({}, '420', Date.UTC(2024, 6, 1, 21))).toBe('2024-07-02T00:00:00.000Z');
    // Daily bars stamped with midnight UTC, where the day of New York opens at 13:30.
    expect(closeOf(NEW_YORK, '1D', Date.UTC(2024, 6, 2))).toBe('2024-07-03T00:00:00.000Z');
  });

  it('of a bar on the grid is where the calendar ends it, in any order', () => {
    const markets = [NEW_YORK, EXTENDED, FOREX, {}].flatMap((symbol) =>
      ['5', '60', '240'].map((timeframe) => marketOf(symbol, timeframe)),
    );
    const clocks = markets.map((market) => ({ market, facts: new BarFacts(market) }));
    fc.assert(
      fc.property(
        fc.nat(clocks.length - 1),
        fc.integer({ min: Date.UTC(2022, 0, 1), max: Date.UTC(2025, 0, 1) }),
        (at, time) => {
          const { market, facts } = clocks[at]!;
          const { start, end } = market.calendar.barAt(time, market.timeframe);
          if (market.calendar.session.contains(start, market.calendar.zone)) expect(facts.time_close(start)).toBe(end);
          expect(facts.time_tradingday(time)).toBe(market.calendar.tradingDayTime(time));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('lies after the opening, whatever the market', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(NEW_YORK, EXTENDED, FOREX, {}),
        fc.constantFrom('15S', '1', '60', '240', '1D', '3D', '1W', '1M', '12M'),
        fc.integer({ min: Date.UTC(2022, 0, 1), max: Date.UTC(2025, 0, 1) }),
        (symbol, timeframe, time) => {
          expect(factsOf(symbol, timeframe).time_close(time)).toBeGreaterThan(time);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('time_tradingday', () => {
  const dayOf = (symbol: SymbolInfo, timeframe: string, time: number) =>
    iso(factsOf(symbol, timeframe).time_tradingday(time)).slice(0, 10);

  it('is the day that an evening session belongs to', () => {
    expect(dayOf(FOREX, '60', ny(2024, 6, 30, 17))).toBe('2024-07-01');
    expect(dayOf(FOREX, '60', ny(2024, 7, 1, 16))).toBe('2024-07-01');
    expect(dayOf(FOREX, '60', ny(2024, 7, 1, 17))).toBe('2024-07-02');
    expect(dayOf(FOREX, '1D', ny(2024, 6, 30, 17))).toBe('2024-07-01');
    expect(dayOf({}, '60', Date.UTC(2024, 6, 1, 23))).toBe('2024-07-01');
  });

  it('of a longer bar is its last trading day', () => {
    expect(dayOf(NEW_YORK, '1W', ny(2024, 7, 1, 9, 30))).toBe('2024-07-05');
    expect(dayOf({}, '1W', Date.UTC(2024, 6, 1))).toBe('2024-07-07');
    expect(dayOf(NEW_YORK, '1M', ny(2024, 6, 3, 9, 30))).toBe('2024-06-28');
  });
});

describe('the session of a bar', () => {
  it('is the market, before it, or after it', () => {
    const facts = factsOf(EXTENDED, '30');
    const at = (hour: number, minute = 0) => {
      const time = ny(2024, 7, 1, hour, minute);
      return [facts.session_ispremarket(time), facts.session_ismarket(time), facts.session_ispostmarket(time)];
    };
    const [pre, market, post] = [
      [true, false, false],
      [false, true, false],
      [false, false, true],
    ];
    expect([at(4), at(9), at(9, 30), at(15, 30), at(16), at(19, 30)]).toEqual([pre, pre, market, market, post, post]);
  });

  it('has nothing before and after the market unless the symbol says so', () => {
    const facts = factsOf(NEW_YORK, '30');
    const time = ny(2024, 7, 1, 8);
    expect([facts.session_ispremarket(time), facts.session_ismarket(time), facts.session_ispostmarket(time)]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('is the market on bars of a day or more', () => {
    const facts = factsOf(EXTENDED, '1D');
    const time = ny(2024, 7, 1, 4);
    expect([facts.session_ispremarket(time), facts.session_ismarket(time), facts.session_ispostmarket(time)]).toEqual([
      false,
      true,
      false,
    ]);
    expect(facts.session_isfirstbar(time, NA) && facts.session_islastbar(time)).toBe(true);
    expect(facts.session_isfirstbar_regular(time, NA) && facts.session_islastbar_regular(time)).toBe(true);
  });
});

describe('the first and the last bar of a session', () => {
  /** For each bar of a list the facts that hold, F and L of the session, f and l of its regular part. */
  function edges(symbol: SymbolInfo, timeframe: string, times: readonly number[]): string[] {
    const facts = factsOf(symbol, timeframe);
    return times.map((time, i) => {
      const previous = times[i - 1] ?? NA;
      return [
        facts.session_isfirstbar(time, previous) ? 'F' : '',
        facts.session_isfirstbar_regular(time, previous) ? 'f' : '',
        facts.session_islastbar(time) ? 'L' : '',
        facts.session_islastbar_regular(time) ? 'l' : '',
      ].join('');
    });
  }

  it('are those of the day around the clock', () => {
    const start = Date.UTC(2024, 6, 1);
    const hours = Array.from({ length: 26 }, (_, i) => start + i * HOUR);
    expect(edges({}, '60', hours)).toEqual(['Ff', ...Array(22).fill(''), 'Ll', 'Ff', '']);
  });

  it('are those of the exchange’s hours', () => {
    const day = (date: number) =>
      [9.5, 10.5, 11.5, 12.5, 13.5, 14.5, 15.5].map((hour) => ny(2024, 7, date) + hour * HOUR);
    expect(edges(NEW_YORK, '60', [...day(1), ...day(2)])).toEqual([
      ...['Ff', '', '', '', '', '', 'Ll'],
      ...['Ff', '', '', '', '', '', 'Ll'],
    ]);
  });

  it('differ from those of the regular part where there is more', () => {
    const bars = [4, 8, 9, 9.5, 12, 15.5, 16, 19.5].map((hour) => ny(2024, 7, 1) + hour * HOUR);
    expect(edges(EXTENDED, '30', bars)).toEqual(['F', '', '', 'f', '', 'l', '', 'L']);
  });

  it('take the first bar there is, and the last only by the calendar', () => {
    const bars = [ny(2024, 7, 1, 15, 30), ny(2024, 7, 2, 10, 30), ny(2024, 7, 2, 14, 30), ny(2024, 7, 3, 9, 30)];
    expect(edges(NEW_YORK, '60', bars)).toEqual(['Ll', 'Ff', '', 'Ff']);
  });

  it('are none of the bars beside the hours, but for the first of a day there is', () => {
    const bars = [8.5, 9.5, 15.5, 16.5, 20.5].map((hour) => ny(2024, 7, 1) + hour * HOUR);
    expect(edges(NEW_YORK, '60', bars)).toEqual(['F', 'f', 'Ll', '', '']);
  });

  it('of a market through the night are at the evening', () => {
    const bars = [16, 17, 18, 40, 41].map((hour) => ny(2024, 7, 1) + hour * HOUR);
    expect(edges(FOREX, '60', bars)).toEqual(['Ll', 'Ff', '', 'Ll', 'Ff']);
  });

  it('keep to the clock on days on which it changes', () => {
    for (const [month, day] of [
      [3, 11],
      [11, 4],
    ] as const) {
      const calendar = new TradingCalendar(parseSession('0930-1600:23456'), newYork);
      const [first, last] = [ny(2024, month, day, 9, 30), ny(2024, month, day, 15, 30)];
      expect(calendar.tradingDay(first)).toBe(calendar.tradingDay(last));
      expect(edges(NEW_YORK, '60', [ny(2024, month, day - 3, 15, 30), first, last])).toEqual(['Ll', 'Ff', 'Ll']);
    }
  });
});

describe('timeframe.change', () => {
  const changes = (symbol: SymbolInfo, own: string, timeframe: string, times: readonly number[]) => {
    const site = new TimeframeChange(marketOf(symbol, own));
    return times.map((time, i) => site.next(time, times[i - 1] ?? NA, timeframe));
  };
  const hours = (start: number, ...each: number[]) => each.map((hour) => start + hour * HOUR);

  it('holds on the first bar of a new bar of the timeframe, not on the first of all', () => {
    const start = Date.UTC(2024, 6, 1);
    expect(changes({}, '60', 'D', hours(start, 0, 1, 23, 24, 25, 48))).toEqual([
      false,
      false,
      false,
      true,
      false,
      true,
    ]);
    expect(changes({}, '60', '240', hours(start, 3, 4, 5, 7, 8))).toEqual([false, true, false, false, true]);
    expect(changes({}, '60', 'W', [start, start + 6 * DAY, start + 7 * DAY])).toEqual([false, false, true]);
  });

  it('follows the trading day of the market', () => {
    expect(changes(FOREX, '60', 'D', hours(ny(2024, 7, 1), 15, 16, 17, 18))).toEqual([false, false, true, false]);
  });

  it('holds on every bar of a timeframe that is not longer than the chart’s', () => {
    const days = [0, 1, 2].map((day) => Date.UTC(2024, 6, 1) + day * DAY);
    expect(changes({}, '1D', '60', days)).toEqual([false, true, true]);
    expect(changes({}, '1D', '', days)).toEqual([false, true, true]);
  });

  it('takes another timeframe at any time, and is asked about one bar any number of times', () => {
    const site = new TimeframeChange(marketOf({}, '60'));
    const [before, time] = hours(Date.UTC(2024, 6, 1), 3, 4) as [number, number];
    expect(['D', '240', 'D', '240', '240'].map((frame) => site.next(time, before, frame))).toEqual([
      false,
      true,
      false,
      true,
      true,
    ]);
    expect(site.next(NA, before, 'D')).toBe(false);
    expect(() => site.next(time, before, 'never')).toThrow('Invalid timeframe');
  });
});
