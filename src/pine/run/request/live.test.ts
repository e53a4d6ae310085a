// Requests on a live chart: the longer bar moves with every tick, is taken back with it, and ends when its time is over.

import { describe, expect, it } from 'vitest';
import { type Bar, barColumns, compile, type LiveRun, type RunOptions } from '../../index.ts';

const QUARTER_MS = 900_000;
const START_MS = Date.UTC(2024, 0, 1);
const OPTIONS: RunOptions = { symbol: { ticker: 'BTCUSDT' }, timeframe: '15' };

/** A bar of fifteen minutes by its number. */
const bar = (place: number, close: number, more: Partial<Bar> = {}): Bar => ({
  time: START_MS + place * QUARTER_MS,
  ...{ open: 10, high: Math.max(10, close), low: Math.min(10, close), close, volume: 1 },
  ...more,
});

function opened(body: string, history: readonly Bar[], options: Partial<RunOptions> = {}): LiveRun {
  const { program, diagnostics } = compile(`//@version=6\nindicator("x")\n${body}\n`);
  if (program === null) throw new Error(JSON.stringify(diagnostics));
  return program.open(barColumns(history), { ...OPTIONS, ...options });
}

const HOUR = [1, 2, 3, 4].map((close, place) => bar(place, close));
const request = (expression: string, more = '') =>
  `plot(request.security(syminfo.tickerid, "60", ${expression}${more}), "x")`;
const shown = (run: LiveRun, tick: Bar, isClosing = false): number | undefined =>
  (isClosing ? run.close(tick) : run.update(tick)).values.get('x');

describe('a longer bar on a live chart', () => {
  it.each(['', ', lookahead = barmerge.lookahead_on'])('is seen as it stands%s', (more) => {
    const run = opened(request('close', more), HOUR);
    expect(shown(run, bar(4, 50))).toBe(50);
    expect(shown(run, bar(4, 7))).toBe(7);
    expect(shown(run, bar(4, 8), true)).toBe(8);
    expect(shown(run, bar(5, 9))).toBe(9);
  });

  it('has the extremes and the volume of its closed bars and of the last tick alone', () => {
    const run = opened(request('high * 1000 + volume'), HOUR);
    expect(shown(run, bar(4, 90, { volume: 9 }))).toBe(90_009);
    expect(shown(run, bar(4, 20, { volume: 5 }), true)).toBe(20_005);
    expect(shown(run, bar(5, 70, { volume: 2 }))).toBe(70_007);
    expect(shown(run, bar(5, 15, { volume: 3 }), true)).toBe(20_008);
  });

  it('counts once, however many ticks it had', () => {
    const run = opened(`var n = 0\nn += 1\n${request('n')}`, HOUR);
    for (let place = 4; place < 8; place += 1) {
      for (const price of [3, 4, 5]) expect(shown(run, bar(place, price))).toBe(2);
      expect(shown(run, bar(place, 6), true)).toBe(2);
    }
    expect(shown(run, bar(8, 1))).toBe(3);
  });

  it('takes back arrays and averages with the tick', () => {
    const run = opened(`var a = array.new<float>()\na.push(close)\n${request('a.sum() + ta.sma(close, 2)')}`, HOUR);
    expect(shown(run, bar(4, 100))).toBe(104 + 52);
    expect(shown(run, bar(4, 6))).toBe(10 + 5);
    expect(shown(run, bar(4, 8), true)).toBe(12 + 6);
  });

  it('shows with gaps what history would: a value where it ends', () => {
    const run = opened(request('close', ', gaps = barmerge.gaps_on'), HOUR);
    expect([4, 5, 6].map((place) => shown(run, bar(place, place), true))).toEqual([NaN, NaN, NaN]);
    expect(shown(run, bar(7, 7), true)).toBe(7);
    expect(shown(run, bar(8, 8), true)).toBeNaN();
  });

  it('whose last chart bars never came ends as it was last seen', () => {
    const run = opened(request('close[1]', ', lookahead = barmerge.lookahead_on'), HOUR);
    expect(shown(run, bar(4, 5), true)).toBe(4);
    expect(shown(run, bar(5, 6), true)).toBe(4);
    // The quarters at 1:30 and 1:45 are missing.
    expect(shown(run, bar(8, 1))).toBe(6);
  });

  it('that had begun in history goes on from there', () => {
    const run = opened(request('open * 100 + volume'), [...HOUR, bar(4, 5, { open: 7, volume: 40 })]);
    expect(shown(run, bar(5, 5, { volume: 2 }))).toBe(742);
  });
});

describe('on a live chart', () => {
  it('a series that is first asked for late is as if it had been asked for before', () => {
    const late = `float x = na\nif bar_index >= 9\n    x := request.security(syminfo.tickerid, "60", ta.cum(close))\nplot(x, "x")`;
    const [lately, always] = [opened(late, HOUR), opened(request('ta.cum(close)'), HOUR)];
    for (let place = 4; place < 9; place += 1) {
      expect(shown(lately, bar(place, place), true)).toBeNaN();
      shown(always, bar(place, place), true);
    }
    expect(shown(lately, bar(9, 9))).toBe(shown(always, bar(9, 9)));
    expect(shown(lately, bar(9, 2), true)).toBe(4 + 7 + 2);
  });

  it('bars of another symbol are seen when they are over, and held after the last of them', () => {
    const eth = barColumns([
      { ...bar(0, 100), time: START_MS },
      { ...bar(0, 200), time: START_MS + 4 * QUARTER_MS },
    ]);
    const symbolBars = [{ symbol: 'ETHUSDT', timeframe: '60', bars: eth }];
    const run = opened('plot(request.security("ETHUSDT", "60", close), "x")', HOUR, { symbolBars });
    expect([4, 5, 6].map((place) => shown(run, bar(place, 1), true))).toEqual([100, 100, 100]);
    expect([7, 8, 30].map((place) => shown(run, bar(place, 1), true))).toEqual([200, 200, 200]);
  });

  it('newer bars of another symbol are handed in, and count from the next tick on', () => {
    const hour = (place: number, close: number): Bar => ({ ...bar(0, close), time: START_MS + 4 * place * QUARTER_MS });
    const eth = (...bars: Bar[]) => [{ symbol: 'ETHUSDT', timeframe: '60', bars: barColumns(bars) }];
    const body = 'plot(request.security("ETHUSDT", "120", ta.cum(close)), "x")';
    const run = opened(body, HOUR, { symbolBars: eth(hour(0, 100)) });
    expect(shown(run, bar(7, 1), true)).toBe(100);
    run.handIn(eth(hour(0, 100), hour(1, 150), hour(2, 7)));
    expect(shown(run, bar(8, 1))).toBe(150);
    run.handIn(eth(hour(0, 100), hour(1, 150), hour(2, 7), hour(3, 30)));
    expect(shown(run, bar(14, 1), true)).toBe(150);
    expect(shown(run, bar(15, 1), true)).toBe(180);
  });

  it('a request inside of a request of another symbol goes on however often bars are handed in', () => {
    const hours = (symbol: string, count: number) => ({
      symbol,
      timeframe: '60',
      bars: barColumns(
        Array.from({ length: count }, (_, place) => ({ ...bar(0, place), time: START_MS + 4 * place * QUARTER_MS })),
      ),
    });
    const body = 'f() => request.security("SOLUSDT", "60", close)\nplot(request.security("ETHUSDT", "60", f()), "x")';
    const pair = () => [hours('ETHUSDT', 2), hours('SOLUSDT', 2)];
    const run = opened(body, HOUR, { symbolBars: pair() });
    for (let tick = 0; tick < 450; tick += 1) run.handIn(pair());
    expect(shown(run, bar(8, 1), true)).toBe(1);
  });

  it('newer bars of what a request requests count, though its own are the same', () => {
    const hour = (place: number, close: number): Bar => ({ ...bar(0, close), time: START_MS + 4 * place * QUARTER_MS });
    const of = (symbol: string, ...bars: Bar[]) => ({ symbol, timeframe: '60', bars: barColumns(bars) });
    const eth = of('ETHUSDT', hour(0, 1), hour(1, 2));
    const body = 'f() => request.security("SOLUSDT", "60", close)\nplot(request.security("ETHUSDT", "60", f()), "x")';
    const run = opened(body, HOUR, { symbolBars: [eth, of('SOLUSDT', hour(0, 10))] });
    expect(shown(run, bar(8, 1))).toBe(10);
    run.handIn([eth, of('SOLUSDT', hour(0, 10), hour(1, 20))]);
    expect(shown(run, bar(8, 1), true)).toBe(20);
  });

  it('newer bars of a lower timeframe fill the array of the bar they lie in', () => {
    const five = (from: number, count: number) => {
      const bars = Array.from({ length: count }, (_, i) => ({
        ...bar(0, from + i),
        time: START_MS + (from + i) * 300_000,
      }));
      return [{ symbol: '', timeframe: '5', bars: barColumns(bars) }];
    };
    const body = 'a = request.security_lower_tf("", "5", close)\nplot(a.size() * 1000 + nz(a.sum()), "x")';
    const run = opened(body, HOUR, { symbolBars: five(0, 12) });
    expect(shown(run, bar(4, 1))).toBe(0);
    run.handIn(five(0, 14));
    expect(shown(run, bar(4, 1))).toBe(2000 + 12 + 13);
    run.handIn(five(0, 15));
    expect(shown(run, bar(4, 1), true)).toBe(3000 + 12 + 13 + 14);
  });

  it('a request of the chart itself is its plain value', () => {
    const run = opened('plot(request.security("", "", ta.sma(close, 2)), "x")', HOUR);
    expect(shown(run, bar(4, 10))).toBe(7);
    expect(shown(run, bar(4, 6), true)).toBe(5);
    expect(shown(run, bar(5, 8))).toBe(7);
  });

  it('an error of a requested expression has its place in the script and the bar of the chart', () => {
    const run = opened(`f() => close > 50 ? array.get(array.new<float>(), 1) : close\n${request('f()')}`, HOUR);
    expect(() => run.update(bar(4, 60))).toThrow(expect.objectContaining({ line: 3, barIndex: 4 }));
  });
});

describe('a strategy that requests a longer timeframe', () => {
  it('sees the same at each close whether ticks came before it or not, and as a run over all bars', () => {
    const source = `//@version=6
strategy("s")
hour = request.security(syminfo.tickerid, "60", ta.sma(close, 2))
if close > hour
    strategy.entry("L", strategy.long)
if close < hour
    strategy.close("L")
plot(hour, "x")
`;
    const { program } = compile(source);
    const bars = Array.from({ length: 40 }, (_, place) => bar(place, 10 + Math.round(8 * Math.sin(place))));
    const live = (hasTicks: boolean) => {
      const run = program!.open(barColumns(bars.slice(0, 4)), OPTIONS);
      const values = bars.slice(4).map((each) => {
        if (hasTicks) run.update({ ...each, high: 10, low: 10, close: 10 });
        if (hasTicks) run.update(each);
        return run.close(each).values.get('x');
      });
      return { values, trades: run.broker!.ledger.closed.map(({ entryBar, exitBar }) => [entryBar, exitBar]) };
    };
    const quiet = live(false);
    expect(live(true)).toEqual(quiet);
    expect(quiet.trades.length).toBeGreaterThan(3);
    const whole = program!.run(barColumns(bars), { ...OPTIONS, liveSinceMs: bars[4]!.time });
    expect([...whole.series.get('x')!.slice(4)]).toEqual(quiet.values);
  });
});
