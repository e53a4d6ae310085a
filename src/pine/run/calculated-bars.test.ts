// calc_bars_count: a script on the last bars only, in history, live, and in everything a run tells.

import { describe, expect, it } from 'vitest';
import { answerOf, type Bar, barColumns, compile, type Program, ScriptRuntimeError } from '../index.ts';

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2024, 0, 1);

const bars = (count: number): Bar[] =>
  Array.from({ length: count }, (_, i) => {
    const close = 100 + i;
    return { time: START_MS + i * DAY_MS, open: close - 1, high: close + 2, low: close - 2, close, volume: 10 };
  });

function program(body: string, setting = 'calc_bars_count = 4'): Program {
  const { program, diagnostics } = compile(`//@version=6\nindicator("i", ${setting})\n${body}\n`);
  expect(diagnostics).toEqual([]);
  return program as Program;
}

const values = (body: string, setting?: string, count = 10): number[] => [
  ...(program(body, setting)
    .run(barColumns(bars(count)))
    .series.get('it') as Float64Array),
];

const { NaN: na } = Number;

describe('a script with calc_bars_count', () => {
  it('runs on the last bars only and counts them from 0', () => {
    expect(values('plot(bar_index, "it")')).toEqual([na, na, na, na, na, na, 0, 1, 2, 3]);
    expect(values('plot(close, "it")')).toEqual([na, na, na, na, na, na, 106, 107, 108, 109]);
    expect(values('plot(last_bar_index, "it")')).toEqual([na, na, na, na, na, na, 3, 3, 3, 3]);
    expect(values('plot(barstate.isfirst ? 1 : 0, "it")')).toEqual([na, na, na, na, na, na, 1, 0, 0, 0]);
    expect(values('var n = 0\nn += 1\nplot(n, "it")')).toEqual([na, na, na, na, na, na, 1, 2, 3, 4]);
  });

  it('knows nothing of the bars before', () => {
    expect(values('plot(close[1], "it")')).toEqual([na, na, na, na, na, na, na, 106, 107, 108]);
    expect(values('plot(ta.sma(close, 2), "it")')).toEqual([na, na, na, na, na, na, na, 106.5, 107.5, 108.5]);
    expect(values('plot(ta.tr, "it")').slice(6)).toEqual([na, 4, 4, 4]);
    expect(values('plot(ta.obv, "it")').slice(6)).toEqual([na, 10, 20, 30]);
  });

  it('runs on all bars where there are no more than it asks for, or it asks for none', () => {
    const all = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    for (const count of [0, 10, 11, 5_000])
      expect(values('plot(bar_index, "it")', `calc_bars_count = ${count}`)).toEqual(all);
    expect(values('plot(bar_index, "it")', 'calc_bars_count = 9')).toEqual([na, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(values('plot(bar_index, "it")', 'calc_bars_count = 1')).toEqual([...Array(9).fill(na), 0]);
    expect(values('plot(bar_index, "it")', 'calc_bars_count = 4', 0)).toEqual([]);
  });

  it('is followed in v5 and by strategies too', () => {
    for (const head of ['//@version=5\nindicator("i"', '//@version=5\nstrategy("i"', '//@version=6\nstrategy("i"']) {
      const { program: run } = compile(`${head}, calc_bars_count = 2)\nplot(bar_index, "it")`);
      expect([...(run as Program).run(barColumns(bars(4))).plots], head).toEqual([na, na, 0, 1]);
    }
  });

  it('counts the bars that were there when it was started, where that is told', () => {
    const rows = bars(10);
    const run = (liveSinceMs: number, wanted = 4) =>
      program('plot(bar_index)', `calc_bars_count = ${wanted}`).run(barColumns(rows), { liveSinceMs });
    expect([...run(rows[7]!.time).plots]).toEqual([na, na, na, 0, 1, 2, 3, 4, 5, 6]);
    expect([...run(rows[7]!.time - 1).plots]).toEqual([na, na, na, 0, 1, 2, 3, 4, 5, 6]);
    expect([...run(rows[4]!.time).plots]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect([...run(0).plots]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect([...run(rows[9]!.time + 1).plots]).toEqual([na, na, na, na, na, na, 0, 1, 2, 3]);
    expect([...run(rows[7]!.time, 0).plots]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('leaves the bars that were handed in as they are', () => {
    const given = barColumns(bars(6));
    const before = [...given.close];
    program('plot(close)').run(given);
    expect([given.count, ...given.close]).toEqual([6, ...before]);
  });

  it('does not take spare room behind the bars for bars', () => {
    const rows = barColumns(bars(8));
    const { plots } = program('plot(close)').run({ ...rows, count: 6 });
    expect([...plots]).toEqual([na, na, 102, 103, 104, 105]);
  });
});

describe('the result of a script with calc_bars_count', () => {
  it('has a value for every bar handed in, constants and colors too', () => {
    const body = `plot(5, "five", color = close > 107 ? color.red : color.blue)
hline(50, "level")
plotshape(close == 108, "mark")`;
    const { count, series, plotMeta } = program(body).run(barColumns(bars(10)));
    expect(count).toBe(10);
    expect([...(series.get('five') as Float64Array)]).toEqual([na, na, na, na, na, na, 5, 5, 5, 5]);
    expect([...(series.get('mark') as Float64Array)].slice(5)).toEqual([na, 0, 0, 1, 0]);
    // A level is a line across the chart, not something that is calculated bar by bar.
    expect([...(series.get('level') as Float64Array)]).toEqual(Array(10).fill(50));
    const colors = plotMeta.get('five')?.columns.color as Float64Array;
    expect(colors).toHaveLength(10);
    expect([...colors].map((color) => Number.isNaN(color))).toEqual([...Array(6).fill(true), ...Array(4).fill(false)]);
    expect(colors[7]).not.toBe(colors[8]);
  });

  it('goes out as JSON with null for the bars that were left out', () => {
    const chart = barColumns(bars(6));
    const body =
      'plot(bar_index, "it")\nbgcolor(#FF0000, title = "same")\nbgcolor(bar_index == 3 ? na : #00FF00, title = "changing")';
    const { series, plots, count } = answerOf(program(body).run(chart), chart);
    const [red, green] = ['#FF0000', '#00FF00'];
    expect({ series, plots, count }).toEqual({
      series: {
        it: [null, null, 0, 1, 2, 3],
        same: [null, null, red, red, red, red],
        changing: [null, null, green, green, green, null],
      },
      plots: [null, null, 0, 1, 2, 3],
      count: 6,
    });
  });

  it('counts the bars of alerts, logs and drawings as whoever handed them in does', () => {
    const body = `if bar_index == 2
    alert("two")
    log.info("two")
    line.new(bar_index - 1, low, bar_index, high)
    line.new(time[1], low, time, high, xloc = xloc.bar_time)
    label.new(chart.point.now(high), "here")
    box.new(bar_index - 2, high, bar_index + 5, low)
    polyline.new(array.from(chart.point.from_index(0, 1), chart.point.from_index(bar_index, 2), chart.point.from_time(time, 3)))
alertcondition(bar_index == 1, "one", "one")
plot(close)`;
    const rows = bars(10);
    const { alerts, logs, drawings } = program(body).run(barColumns(rows));
    expect(alerts.map(({ message, barIndex, timeMs }) => [message, barIndex, timeMs])).toEqual([
      ['one', 7, rows[7]?.time],
      ['two', 8, rows[8]?.time],
    ]);
    expect(logs.map(({ message, barIndex }) => [message, barIndex])).toEqual([['two', 8]]);
    expect(drawings).toMatchObject([
      { kind: 'line', x1: 7, x2: 8 },
      { kind: 'line', x1: rows[7]?.time, x2: rows[8]?.time },
      { kind: 'label', x: 8 },
      { kind: 'box', left: 6, right: 13 },
      {
        kind: 'polyline',
        points: [
          { index: 6, time: null },
          { index: 8, time: null },
          { index: null, time: rows[8]?.time },
        ],
      },
    ]);
  });

  it('keeps a drawing that is nowhere nowhere', () => {
    const { drawings } = program('if barstate.islast\n    label.new(na, close)\nplot(close)').run(barColumns(bars(10)));
    expect(drawings).toMatchObject([{ kind: 'label', x: null }]);
  });

  it('names the bar of an error by its place too, and the progress counts all bars', () => {
    const progress = new Int32Array(new SharedArrayBuffer(4));
    const failing = program('if bar_index == 3\n    runtime.error("three")\nplot(close)');
    const run = () => failing.run(barColumns(bars(10)));
    expect(run).toThrow(ScriptRuntimeError);
    expect(run).toThrow(expect.objectContaining({ message: 'three', barIndex: 9, line: 4 }));
    program('plot(close)').run(barColumns(bars(10)), { progress });
    expect(progress[0]).toBe(10);
  });
});

describe('a live script with calc_bars_count', () => {
  it('begins with the last bars of its history and leaves out none that come', () => {
    const body = `plot(bar_index, "it")
plot(close[2], "past")
if bar_index == 4
    label.new(bar_index, high)
    alert("four", alert.freq_once_per_bar_close)
alertcondition(bar_index == 5, "five", "five")`;
    const rows = bars(14);
    const live = program(body).open(barColumns(rows.slice(0, 10)));
    expect([...live.result().plots]).toEqual([na, na, na, na, na, na, 0, 1, 2, 3]);
    const seen = rows.slice(10).map((bar) => {
      live.update({ ...bar, close: bar.low });
      const { barIndex, values, alerts } = live.close(bar);
      return [
        barIndex,
        values.get('it'),
        values.get('past'),
        ...alerts.map((alert) => [alert.message, alert.barIndex]),
      ];
    });
    expect(seen).toEqual([
      [10, 4, 108, ['four', 10]],
      [11, 5, 109, ['five', 11]],
      [12, 6, 110],
      [13, 7, 111],
    ]);
    expect(live.drawings()).toMatchObject([{ kind: 'label', x: 10 }]);
    expect(live.result().count).toBe(10);
  });
});
