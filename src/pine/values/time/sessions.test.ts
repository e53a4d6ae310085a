// Tests of sessions, timeframes, trading days and the bars of `time()`, across changes of the clock.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BarClock, Journal, parseSession, TradingCalendar, timeframes, VALUE_STATES, zoneOf } from '../index.ts';
import { errorOf, openLibrary } from '../testing/library.ts';

const NA = Number.NaN;
const MINUTE = 60_000;
const DAY = 86_400_000;
const newYork = zoneOf('America/New_York');
const utc = zoneOf('UTC');
/** A time by the clock of New York, months from 1. */
const ny = (year: number, month: number, day: number, hour = 0, minute = 0) =>
  newYork.toUtc(Date.UTC(year, month - 1, day, hour, minute));
const iso = (timeMs: number) => new Date(timeMs).toISOString();

describe('session strings', () => {
  it('are open from the start up to the end, on their days', () => {
    const session = parseSession('0930-1600:23456');
    const at = (day: number, hour: number, minute: number) => session.contains(ny(2024, 7, day, hour, minute), newYork);
    expect([at(1, 9, 29), at(1, 9, 30), at(1, 15, 59), at(1, 16, 0)]).toEqual([false, true, true, false]);
    expect([at(5, 12, 0), at(6, 12, 0), at(7, 12, 0)]).toEqual([true, false, false]);
    expect(session.contains(NA, newYork)).toBe(false);
    for (const timeMs of [1e300, -1e300, Number.POSITIVE_INFINITY])
      expect(session.contains(timeMs, newYork)).toBeTypeOf('boolean');
  });

  it('belong to the day on which they end when they run through the night', () => {
    const session = parseSession('1700-1700:23456');
    const at = (day: number, hour: number, minute = 0) => session.contains(ny(2024, 7, day, hour, minute), newYork);
    expect([at(7, 16, 59), at(7, 17), at(8, 3), at(12, 16, 59), at(12, 17), at(13, 12)]).toEqual([
      false,
      true,
      true,
      true,
      false,
      false,
    ]);
    const night = parseSession('2000-0400:2');
    const open = (day: number, hour: number) => night.contains(ny(2024, 7, day, hour), newYork);
    expect([open(7, 20), open(8, 3), open(8, 4), open(8, 20)]).toEqual([true, true, false, false]);
  });

  it('may have several periods; days count for those before them', () => {
    const session = parseSession('0900-1200,1300-1600:2,1000-1100:7');
    const at = (day: number, hour: number) => session.contains(Date.UTC(2024, 6, day, hour), utc);
    expect([at(1, 9), at(1, 12), at(1, 13), at(2, 9), at(6, 10), at(6, 9)]).toEqual([
      true,
      false,
      true,
      false,
      true,
      false,
    ]);
  });

  it('know the whole day, and every day when none is named', () => {
    for (const text of ['24x7', '', '0000-0000', '0000-0000:1234567', '0000-2400'])
      for (let day = 0; day < 7; day += 1)
        expect(parseSession(text).contains(day * DAY + DAY - 1, utc), text).toBe(true);
    expect(parseSession('2200-0000:2').contains(Date.UTC(2024, 6, 1, 23), utc)).toBe(true);
  });

  it('are refused when they are none', () => {
    for (const text of [
      '0930',
      '930-1600',
      '0930-1660',
      '2500-1600',
      '0930-2500',
      '0930-1600:8',
      '0930-1600:',
      ':23',
      '0930-1600,',
      'x'.repeat(500),
    ])
      expect(
        errorOf(() => parseSession(text)),
        text,
      ).toContain('is not a session');
  });

  it('follow the clock through the weeks in which it changes', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(ny(2024, 3, 8), ny(2024, 11, 1), ny(2023, 3, 10)),
        fc.nat(7 * 24 * 60),
        (start, minutes) => {
          const timeMs = start + minutes * MINUTE;
          const parts = new Intl.DateTimeFormat('en-US', {
            timeZone: 'America/New_York',
            hourCycle: 'h23',
            weekday: 'short',
            hour: 'numeric',
            minute: 'numeric',
          }).formatToParts(timeMs);
          const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
          const clock = Number(part('hour')) * 60 + Number(part('minute'));
          const weekday = !['Sat', 'Sun'].includes(part('weekday'));
          expect(parseSession('0930-1600:23456').contains(timeMs, newYork)).toBe(
            weekday && clock >= 570 && clock < 960,
          );
          const evening = clock >= 1020;
          const open = evening ? !['Fri', 'Sat'].includes(part('weekday')) : weekday;
          expect(parseSession('1700-1700:23456').contains(timeMs, newYork)).toBe(open);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('timeframes', () => {
  const { parseTimeframe, inSeconds, fromSeconds, formatTimeframe } = timeframes;

  it('are read and written', () => {
    const seconds = (text: string) => inSeconds(parseTimeframe(text));
    expect(['1', '60', '240', '1440', '15S', 'S', 'D', '1D', '3D', 'W', '2W', 'M', '3M', '12M'].map(seconds)).toEqual([
      60, 3600, 14_400, 86_400, 15, 1, 86_400, 86_400, 259_200, 604_800, 1_209_600, 2_628_003, 7_884_009, 31_536_036,
    ]);
    expect(seconds('10T')).toBeNaN();
    expect(['D', '60', '15S', '3M'].map((text) => formatTimeframe(parseTimeframe(text)))).toEqual([
      '1D',
      '60',
      '15S',
      '3M',
    ]);
    for (const text of ['', '0', '1H', '4h', '-5', '1441', '60S', '367D', '54W', '13M', 'd', '1.5', '5X'])
      expect(
        errorOf(() => parseTimeframe(text)),
        text,
      ).toContain('Invalid timeframe');
  });

  it('are found for a number of seconds, or the next longer one', () => {
    const cases: [number, string][] = [
      [0, '1S'],
      [1, '1S'],
      [2, '5S'],
      [45, '45S'],
      [46, '1'],
      [60, '1'],
      [61, '2'],
      [3600, '60'],
      [86_340, '1439'],
      [86_341, '1D'],
      [86_400, '1D'],
      [604_799, '7D'],
      [604_800, '1W'],
      [604_801, '8D'],
      [2_628_003, '1M'],
      [31_622_400, '366D'],
      [31_622_401, '12M'],
      [1e12, '12M'],
    ];
    for (const [seconds, expected] of cases) expect(fromSeconds(seconds), `${seconds}`).toBe(expected);
    expect(errorOf(() => fromSeconds(NA))).toContain("'na'");
  });

  it('say what kind they are', () => {
    const kinds = (text: string) => {
      const frame = parseTimeframe(text);
      const { isTicks, isSeconds, isMinutes, isIntraday, isDaily, isWeekly, isMonthly, isDwm } = timeframes;
      return [isTicks, isSeconds, isMinutes, isIntraday, isDaily, isWeekly, isMonthly, isDwm]
        .map((is) => Number(is(frame)))
        .join('');
    };
    expect(['1T', '5S', '60', 'D', 'W', 'M'].map(kinds)).toEqual([
      '10010000',
      '01010000',
      '00110000',
      '00001001',
      '00000101',
      '00000011',
    ]);
  });

  it('are asked for by name, the chart its own when empty', () => {
    const { call } = openLibrary();
    expect([
      call('timeframe.in_seconds', 'D'),
      call('timeframe.in_seconds'),
      call('timeframe.from_seconds', 60),
    ]).toEqual([86_400, 3600, '1']);
  });
});

describe('trading days and bars', () => {
  const forex = new TradingCalendar(parseSession('1700-1700:23456'), newYork);
  const stocks = new TradingCalendar(parseSession('0930-1600:23456'), newYork);
  const crypto = new TradingCalendar(parseSession('24x7'), utc);
  const bar = (calendar: TradingCalendar, timeMs: number, frame: string) => {
    const { start, end } = calendar.barAt(timeMs, timeframes.parseTimeframe(frame));
    return [iso(start), iso(end)];
  };

  it('start at 17:00 in New York for currencies, winter and summer', () => {
    for (const [month, day] of [
      [1, 15],
      [7, 15],
      [3, 11],
      [11, 4],
    ] as const) {
      expect(bar(forex, ny(2024, month, day, 3), 'D')).toEqual([
        iso(ny(2024, month, day - 1, 17)),
        iso(ny(2024, month, day, 17)),
      ]);
      expect(forex.tradingDayTime(ny(2024, month, day - 1, 17))).toBe(Date.UTC(2024, month - 1, day));
      expect(forex.tradingDayTime(ny(2024, month, day, 16, 59))).toBe(Date.UTC(2024, month - 1, day));
    }
  });

  it('start with the session for stocks and at midnight around the clock', () => {
    expect(bar(stocks, ny(2024, 7, 1, 12), 'D')).toEqual([iso(ny(2024, 7, 1, 9, 30)), iso(ny(2024, 7, 1, 16))]);
    expect(bar(crypto, Date.UTC(2024, 6, 1, 12), '1D')).toEqual([
      '2024-07-01T00:00:00.000Z',
      '2024-07-02T00:00:00.000Z',
    ]);
  });

  it('make weeks from Monday and months from their first trading day', () => {
    expect(bar(forex, ny(2024, 7, 3, 3), 'W')).toEqual([iso(ny(2024, 6, 30, 17)), iso(ny(2024, 7, 5, 17))]);
    expect(bar(forex, ny(2024, 6, 30, 17), 'W')).toEqual([iso(ny(2024, 6, 30, 17)), iso(ny(2024, 7, 5, 17))]);
    expect(bar(crypto, Date.UTC(2024, 6, 7, 23), 'W')).toEqual([
      '2024-07-01T00:00:00.000Z',
      '2024-07-08T00:00:00.000Z',
    ]);
    expect(bar(stocks, ny(2024, 6, 12, 12), 'M')).toEqual([iso(ny(2024, 6, 3, 9, 30)), iso(ny(2024, 6, 28, 16))]);
    expect(bar(crypto, Date.UTC(2024, 4, 12), '3M')).toEqual(['2024-04-01T00:00:00.000Z', '2024-07-01T00:00:00.000Z']);
    expect(bar(crypto, Date.UTC(2024, 4, 12), '12M')).toEqual(['2024-01-01T00:00:00.000Z', '2025-01-01T00:00:00.000Z']);
    expect(bar(crypto, Date.UTC(2024, 11, 12), '5M')).toEqual(['2024-11-01T00:00:00.000Z', '2025-01-01T00:00:00.000Z']);
  });

  it('count several days and weeks from the start of the year', () => {
    expect(bar(crypto, Date.UTC(2024, 0, 5), '3D')).toEqual(['2024-01-04T00:00:00.000Z', '2024-01-07T00:00:00.000Z']);
    expect(bar(crypto, Date.UTC(2024, 11, 31), '5D')).toEqual(['2024-12-31T00:00:00.000Z', '2025-01-01T00:00:00.000Z']);
    expect(bar(crypto, Date.UTC(2024, 0, 10), '2W')).toEqual(['2024-01-01T00:00:00.000Z', '2024-01-15T00:00:00.000Z']);
    // Fifty-two Mondays lie in 2020, the first on January 6; the week of New Year's Day is the last of them.
    expect(bar(crypto, Date.UTC(2021, 0, 1), '2W')).toEqual(['2020-12-21T00:00:00.000Z', '2021-01-04T00:00:00.000Z']);
    // Fifty-three lie in 2018, so the last bar of two weeks has one.
    expect(bar(crypto, Date.UTC(2019, 0, 6), '2W')).toEqual(['2018-12-31T00:00:00.000Z', '2019-01-07T00:00:00.000Z']);
  });

  it('count weekdays alone on a market of five days, holidays included', () => {
    const utc = new TradingCalendar(parseSession('0000-0000:23456'), zoneOf('UTC'));
    const at = (day: number) => bar(utc, Date.UTC(2024, 0, day, 12), '3D').map((time) => time.slice(0, 10));
    // January 1 is a Monday and a holiday; Thursday, Friday and the Monday after them are the second bar.
    expect([1, 3].map(at)).toEqual([
      ['2024-01-01', '2024-01-04'],
      ['2024-01-01', '2024-01-04'],
    ]);
    expect([4, 8].map(at)).toEqual([
      ['2024-01-04', '2024-01-09'],
      ['2024-01-04', '2024-01-09'],
    ]);
    expect(at(9)).toEqual(['2024-01-09', '2024-01-12']);
    // 2022 begins with a Saturday: its first bar with the Monday.
    expect(bar(utc, Date.UTC(2022, 0, 4), '2D')).toEqual(['2022-01-03T00:00:00.000Z', '2022-01-05T00:00:00.000Z']);
  });

  it('count intraday bars from the session and end them with it', () => {
    expect(bar(stocks, ny(2024, 7, 1, 10, 29), '60')).toEqual([
      iso(ny(2024, 7, 1, 9, 30)),
      iso(ny(2024, 7, 1, 10, 30)),
    ]);
    expect(bar(stocks, ny(2024, 7, 1, 15, 45), '60')).toEqual([iso(ny(2024, 7, 1, 15, 30)), iso(ny(2024, 7, 1, 16))]);
    expect(bar(stocks, ny(2024, 7, 1, 14), '240')).toEqual([iso(ny(2024, 7, 1, 13, 30)), iso(ny(2024, 7, 1, 16))]);
    expect(bar(forex, ny(2024, 7, 1, 22), '240')).toEqual([iso(ny(2024, 7, 1, 21)), iso(ny(2024, 7, 2, 1))]);
    expect(bar(crypto, Date.UTC(2024, 6, 1, 12, 0, 22), '15S')).toEqual([
      '2024-07-01T12:00:15.000Z',
      '2024-07-01T12:00:30.000Z',
    ]);
    const lunch = new TradingCalendar(parseSession('0900-1130,1230-1500:23456'), zoneOf('Asia/Tokyo'));
    const tokyo = (hour: number, minute: number) => Date.UTC(2024, 6, 1, hour - 9, minute);
    expect(bar(lunch, tokyo(11, 10), '60')).toEqual([iso(tokyo(11, 0)), iso(tokyo(11, 30))]);
    expect(bar(lunch, tokyo(13, 40), '60')).toEqual([iso(tokyo(13, 30)), iso(tokyo(14, 30))]);
    expect(bar(crypto, 5, '1T')).toEqual([iso(5), iso(5)]);
  });

  it('give an answer outside the hours too', () => {
    expect(bar(stocks, ny(2024, 7, 1, 8, 15), '60')).toEqual([iso(ny(2024, 7, 1, 7, 30)), iso(ny(2024, 7, 1, 8, 30))]);
    expect(bar(stocks, ny(2024, 7, 6, 12), 'D')).toEqual([iso(ny(2024, 7, 6, 9, 30)), iso(ny(2024, 7, 6, 16))]);
    expect(bar(new TradingCalendar(parseSession('0930-1600:2'), utc), Date.UTC(2024, 6, 3, 12), 'W')[0]).toBe(
      '2024-07-01T09:30:00.000Z',
    );
  });

  it('hold every time of the session within their own start and end', () => {
    const frames = fc.constantFrom('1', '7', '60', '240', '15S', 'D', '3D', 'W', '2W', 'M', '3M');
    fc.assert(
      fc.property(
        fc.integer({ min: ny(2023, 1, 1), max: ny(2025, 1, 1) }),
        frames,
        fc.constantFrom(forex, stocks, crypto),
        (timeMs, frame, calendar) => {
          fc.pre(calendar.session.contains(timeMs, calendar.zone));
          const { start, end } = calendar.barAt(timeMs, timeframes.parseTimeframe(frame));
          expect(start).toBeLessThanOrEqual(timeMs);
          expect(end).toBeGreaterThan(timeMs);
          expect(calendar.barAt(start, timeframes.parseTimeframe(frame))).toEqual({ start, end });
          const clock = new BarClock(calendar, timeframes.parseTimeframe(frame));
          expect([clock.start(timeMs), clock.end(timeMs), clock.start(end - 1), clock.end(start)]).toEqual([
            start,
            end,
            start,
            end,
          ]);
        },
      ),
      { numRuns: 400 },
    );
  });
});

describe('time and time_close', () => {
  const market = { timezone: 'America/New_York', session: '0930-1600:23456', timeframe: '30' };
  const host = { version: 6, journal: new Journal(), mintick: 0.01, market } as const;
  const time = VALUE_STATES.time(host);
  const at = ny(2024, 7, 1, 10, 30);

  it('give the bar of a timeframe, or of the chart when it is empty', () => {
    expect([time.open(at, 'D'), time.close(at, 'D')]).toEqual([ny(2024, 7, 1, 9, 30), ny(2024, 7, 1, 16)]);
    expect([time.open(at, ''), time.close(at, '')]).toEqual([at, at + 30 * MINUTE]);
    expect([time.open(at, '60'), time.open(NA, 'D')]).toEqual([at, NA]);
  });

  it('are na outside the session of the call', () => {
    expect(time.open(at, '30', '1000-1100')).toBe(at);
    expect(time.open(at, '30', '1100-1200')).toBeNaN();
    expect(time.close(at, '30', '1000-1100:7')).toBeNaN();
    expect(time.open(at, '30', '1430-1500', 'UTC')).toBe(at);
  });

  it('start days with the session and in the zone of the call', () => {
    expect(time.open(at, 'D', '1000-1100')).toBe(ny(2024, 7, 1, 10));
    expect(time.open(at, 'D', '0000-0000', 'Asia/Tokyo')).toBe(Date.UTC(2024, 5, 30, 15));
    expect(VALUE_STATES.time_close(host).close(at, 'D', '0000-0000', 'UTC')).toBe(Date.UTC(2024, 6, 2));
  });

  it('take a zone in the place of the session', () => {
    const around = VALUE_STATES.time({ ...host, market: { ...market, session: '24x7', timezone: 'UTC' } });
    expect(around.open(at, 'D', 'America/New_York')).toBe(ny(2024, 7, 1));
    expect(around.open(at, 'D', 'UTC-4')).toBe(ny(2024, 7, 1));
  });

  it('step back and forward by bars of the timeframe, over nights and weekends', () => {
    const open = (timeframe: string, back: number) => iso(time.open(at, timeframe, '', '', back));
    expect([open('D', 1), open('D', -1), open('D', 6)]).toEqual([
      iso(ny(2024, 6, 28, 9, 30)),
      iso(ny(2024, 7, 2, 9, 30)),
      iso(ny(2024, 6, 21, 9, 30)),
    ]);
    expect([open('W', 1), open('M', 1), open('M', -1)]).toEqual([
      iso(ny(2024, 6, 24, 9, 30)),
      iso(ny(2024, 6, 3, 9, 30)),
      iso(ny(2024, 8, 1, 9, 30)),
    ]);
    expect([open('60', 1), open('60', 2), open('60', -6)]).toEqual([
      iso(ny(2024, 7, 1, 9, 30)),
      iso(ny(2024, 6, 28, 15, 30)),
      iso(ny(2024, 7, 2, 9, 30)),
    ]);
    expect(iso(time.close(at, '60', '', '', 2))).toBe(iso(ny(2024, 6, 28, 16)));
    expect([time.open(at, '1T', '', '', 3), time.open(NA, 'D', '', '', 3)]).toEqual([at, NA]);
    for (const back of [5001, -5001, NA]) expect(errorOf(() => time.open(at, 'D', '', '', back))).toContain('too many');
    const around = VALUE_STATES.time({ ...host, market: { ...market, session: '24x7', timezone: 'UTC' } });
    expect(iso(around.open(Date.UTC(2024, 2, 1), '240', '', '', 1))).toBe('2024-02-29T20:00:00.000Z');
    expect(iso(around.open(Date.UTC(2024, 2, 1), 'D', '', '', 5000))).toBe(iso(Date.UTC(2024, 2, 1) - 5000 * DAY));
  });

  it('go forward by as many bars as they went back', () => {
    const markets = fc.constantFrom(
      '0930-1600:23456',
      '1700-1700:23456',
      '24x7',
      '0900-1130,1230-1500:23456',
      '0930-1600:2',
    );
    fc.assert(
      fc.property(markets, fc.constantFrom('60', '45', 'D', 'W', 'M'), fc.nat(40), (session, frame, count) => {
        const call = VALUE_STATES.time({ ...host, market: { ...market, session } });
        const there = call.open(at, frame, '', '', count);
        fc.pre(parseSession(session).contains(at, newYork));
        expect(call.open(there, frame, '', '', -count)).toBe(call.open(at, frame));
        if (count > 0) expect(there).toBeLessThan(call.open(at, frame));
      }),
      { numRuns: 200 },
    );
  });

  it('name what they cannot read', () => {
    expect(errorOf(() => time.open(at, '4H'))).toContain('Invalid timeframe "4H"');
    expect(errorOf(() => time.open(at, 'D', '9-5'))).toContain('is not a session');
    expect(errorOf(() => time.open(at, 'D', '', 'Nowhere'))).toContain('Unknown time zone');
  });
});
