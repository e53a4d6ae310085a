// Tests of a result as the evaluate contract has it.

import { describe, expect, it } from 'vitest';
import { barColumns, compile } from '../index.ts';
import { AlertSite, Alerts } from '../run/alerts.ts';
import { Logs } from '../run/logs.ts';
import { createMarket } from '../run/market.ts';
import type { OutputData } from '../run/output-data.ts';
import { buildResult } from '../run/result.ts';
import { output, plot, programOf } from '../run/testing/outputs.ts';
import { answerOf } from './answer.ts';

const NA = Number.NaN;
const RED = 0xff0000ff;
const GREEN = 0x00ff0080;
const LENGTH_INPUT = {
  title: 'Length',
  type: 'int',
  default: 14,
  value: 20,
  min: 1,
  max: null,
  step: null,
  options: null,
  group: '',
  tooltip: '',
} as const;

function answer(outputs: readonly OutputData[], count = 3) {
  const alerts = new Alerts({ barIndex: () => 2, timeMs: () => 120_000, isClosing: () => true });
  new AlertSite(alerts).next('up', 'freq_all');
  alerts.add({
    message: 'down',
    freq: 'once_per_bar_close',
    barIndex: 2,
    timeMs: 120_000,
    source: 'alertcondition',
    title: 'Down',
  });
  const logs = new Logs({ barIndex: () => 1, mintick: 0.01 });
  logs.write('warning', 7, 'careful');
  return answerOf(
    buildResult({
      program: programOf(outputs),
      outputs,
      alerts,
      logs,
      drawings: [{ kind: 'table', id: 1 }],
      inputs: [LENGTH_INPUT],
      market: createMarket({ ticker: 'BTCUSDT' }, '1D', 6),
      count,
      leftOut: 0,
      broker: null,
      warnings: [],
    }),
    barColumns([]),
  );
}

/** As a client reads it. */
const read = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

describe('the answer', () => {
  it('has every field of the contract but the two that the service adds', () => {
    const MA = { title: 'MA', kind: 'plot', series: ['MA'], color: '#FF0000', linewidth: 1, overlay: false };
    expect(read(answer([plot('MA', [NA, 1.5, 2], { color: RED, linewidth: 1 })]))).toEqual({
      status: 'success',
      series: { MA: [null, 1.5, 2] },
      plots: [null, 1.5, 2],
      plot_meta: { MA },
      events: [],
      trades: [],
      equity: [],
      metrics: {},
      drawings: [{ kind: 'table', type: 'table', id: 1 }],
      alerts: [
        { message: 'up', freq: 'all', bar_index: 2, time: 120_000, source: 'alert' },
        {
          message: 'down',
          freq: 'once_per_bar_close',
          bar_index: 2,
          time: 120_000,
          source: 'alertcondition',
          title: 'Down',
        },
      ],
      inputs: [LENGTH_INPUT],
      logs: [{ level: 'warning', message: 'careful', bar_index: 1, line: 7 }],
      profile: null,
      meta: {
        script_type: 'indicator',
        script_name: 'Test',
        shorttitle: 'Test',
        overlay: false,
        format: 'inherit',
        precision: null,
        scale: null,
        version: 6,
        symbol: 'BTCUSDT',
        timeframe: '1D',
        timezone: 'Etc/UTC',
        dropped_alerts: 0,
        dropped_logs: 0,
        plot_meta: { MA },
      },
      count: 3,
      mode: 'compile',
    });
  });

  it('has null for everything JSON has no number for, and keeps all digits of the others', () => {
    const { series, plots } = answer([plot('A', [Number.POSITIVE_INFINITY, 0.1 + 0.2, 1 / 3])]);
    expect(series.A).toEqual([null, 0.30000000000000004, 1 / 3]);
    expect(plots).toBe(series.A);
    expect(read(answer([plot('A', [NA, 1, 2], { histbase: NA })]).plot_meta)).toMatchObject({ A: { histbase: null } });
  });

  it('has what changes from bar to bar in lists beside the last value', () => {
    const { plot_meta } = answer([
      output('plot', 'A', {}, { series: [1, 2, 3], color: [RED, NA, GREEN] }),
      plot('B', [1, 2, 3]),
      output(
        'fill',
        'F',
        { plot1: 0, plot2: 1, top_color: RED },
        { top_value: [1, NA, 3], bottom_value: [0, 0, 0], bottom_color: [RED, GREEN, GREEN] },
      ),
    ]);
    expect(plot_meta.A).toMatchObject({ color: '#00FF0080', colors: ['#FF0000', null, '#00FF0080'] });
    expect(plot_meta.B).not.toHaveProperty('colors');
    expect(plot_meta.F).toMatchObject({
      plot1: 'A',
      plot2: 'B',
      top_color: '#FF0000',
      top_value: 3,
      top_values: [1, null, 3],
      bottom_value: 0,
      bottom_color: '#00FF0080',
      bottom_colors: ['#FF0000', '#00FF0080', '#00FF0080'],
    });
  });

  it('survives titles that mean something to JavaScript', () => {
    const titles = ['__proto__', 'constructor', 'toString', '1', ''];
    const { series, plot_meta } = answer(titles.map((title) => plot(title, [1, 2, 3])));
    expect(Object.keys(series).toSorted()).toEqual(titles.toSorted());
    expect(Object.keys(plot_meta).toSorted()).toEqual(titles.toSorted());
    expect(Object.keys(JSON.parse(JSON.stringify(series)) as object)).toHaveLength(titles.length);
  });

  it('of a run without bars and without plots is empty', () => {
    const { series, plots, count } = answer([], 0);
    expect([series, plots, count]).toEqual([{}, [], 0]);
  });
});

describe('the answer of a script', () => {
  const SCRIPT = `//@version=6
indicator("Whole", overlay = true)
price = plot(close, color = close > open ? #00FF00 : #FF0000)
mean = plot(ta.sma(close, 2), "Mean", linewidth = 2, style = plot.style_area)
fill(price, mean, color.new(#0000FF, 80), "Between")
hline(100, "Level")
plotshape(close > open, "Up", shape.triangleup, location.belowbar)
plotcandle(open, high, low, close, "Candle")
alertcondition(close > open, "Rise", "{{ticker}} {{close}} {{plot(\\"Mean\\")}} {{interval}}")
if close > open
    alert("up at " + str.tostring(close))
log.info("bar {0} in {1}", bar_index, syminfo.timezone)
if timeframe.change("W")
    log.warning("a new week")
`;

  /** Three days from Saturday, 2024-07-06 on. */
  const BARS = barColumns(
    [99, 102, 101].map((close, day) => ({
      time: Date.UTC(2024, 6, 6 + day),
      open: 100 + day,
      high: 105,
      low: 95,
      close,
      volume: 10,
    })),
  );

  function run() {
    const { program, diagnostics } = compile(SCRIPT);
    if (program === null) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
    return answerOf(program.run(BARS, { symbol: { ticker: 'X:BTCUSDT' } }), BARS);
  }

  it('has its series, what they look like, its alerts and its log', () => {
    const { series, plot_meta, alerts, logs } = run();
    expect(series).toEqual({
      Plot: [99, 102, 101],
      Mean: [null, 100.5, 101.5],
      Level: [100, 100, 100],
      Up: [0, 1, 0],
      'Candle: open': [100, 101, 102],
      'Candle: high': [105, 105, 105],
      'Candle: low': [95, 95, 95],
      'Candle: close': [99, 102, 101],
      Between: ['#0000FF33', '#0000FF33', '#0000FF33'],
    });
    expect(plot_meta).toMatchObject({
      Plot: { kind: 'plot', color: '#FF0000', colors: ['#FF0000', '#00FF00', '#FF0000'], linewidth: 1, overlay: true },
      Mean: { color: '#2962FF', linewidth: 2, style: 'area' },
      Between: { kind: 'fill', plot1: 'Plot', plot2: 'Mean', color: '#0000FF33' },
      Level: { kind: 'hline', price: 100, linestyle: 'dashed' },
      Up: { kind: 'plotshape', style: 'triangleup', location: 'belowbar' },
      Candle: { kind: 'plotcandle', series: ['Candle: open', 'Candle: high', 'Candle: low', 'Candle: close'] },
    });
    expect(alerts.map(({ message, source, bar_index }) => [message, source, bar_index])).toEqual([
      ['up at 102', 'alert', 1],
      ['BTCUSDT 102 100.5 1D', 'alertcondition', 1],
    ]);
    expect(logs.map(({ level, message, bar_index, line }) => [level, message, bar_index, line])).toEqual([
      ['info', 'bar 0 in Etc/UTC', 0, 12],
      ['info', 'bar 1 in Etc/UTC', 1, 12],
      ['info', 'bar 2 in Etc/UTC', 2, 12],
      ['warning', 'a new week', 2, 14],
    ]);
  });
});
