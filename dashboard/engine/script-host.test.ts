// Tests of a script in its worker: what it draws bar by bar is what it would have drawn over all bars at once.

import { describe, expect, it } from 'vitest';
import { type Bar, barColumns, compile, type RunResult, strategyReport } from '../../src/pine/index.ts';
import { tradesCsv } from '../../src/pine/light.ts';
import { withTail } from './grown-result.ts';
import type { FromWorker, Ran } from './messages.ts';
import { handedOver, ScriptHost } from './script-host.ts';
import { CROSSING_AVERAGES } from './testing/crossing-averages.ts';

const HOUR_MS = 3_600_000;
const bars: readonly Bar[] = Array.from({ length: 60 }, (_, i) => {
  const [open, close] = [100 + 8 * Math.sin(i / 4), 100 + 8 * Math.sin((i + 1) / 4)];
  return {
    time: i * HOUR_MS,
    open,
    close,
    high: Math.max(open, close) + 1,
    low: Math.min(open, close) - 1,
    volume: 10 + i,
  };
});

const SCRIPT = `//@version=6
indicator("All", overlay = true)
plot(ta.sma(close, 5), "Average", close > open ? color.green : color.red)
plot(bar_index < 55 ? 1 : 2, "Late", bar_index < 55 ? color.blue : color.orange)
bgcolor(close > 104 ? color.new(color.teal, 80) : na)
plotcandle(open, high, low, close, "Candles", close > open ? color.lime : color.maroon)
plot(barstate.isconfirmed ? close : na, "Confirmed")
plotshape(ta.cross(close, 100), "Cross", shape.circle, location.belowbar)
if ta.cross(close, 100)
    label.new(bar_index, high, str.tostring(bar_index))
`;

const start = (source: string, list: readonly Bar[], host = new ScriptHost()) => ({
  host,
  answers: host.answer({
    ...{ kind: 'start', source, bars: barColumns(list), timeframe: '60', inputs: {}, symbolBars: [] },
    symbol: { ticker: 'BTCUSDT', mintick: 0.01 },
  }),
});

function ranOf(answers: readonly FromWorker[]): Ran {
  const [first] = answers;
  if (first?.kind !== 'ran') throw new Error(JSON.stringify(first));
  return first;
}

/** What is drawn, in plain values. */
const drawnOf = ({ count, series, plotMeta, drawings }: RunResult) => ({
  ...{ count, drawings },
  series: Object.fromEntries([...series].map(([name, column]) => [name, [...column]])),
  columns: Object.fromEntries(
    [...plotMeta].map(([title, { columns }]) => [
      title,
      Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, [...column]])),
    ]),
  ),
});

describe('a script in its worker', () => {
  it('draws bar by bar what it draws over all bars at once, with ticks in between and a bar that ends unseen', () => {
    const { host, answers } = start(SCRIPT, bars.slice(0, 40));
    let { result } = ranOf(answers);
    for (const [i, bar] of bars.entries()) {
      if (i < 40) continue;
      const half = { ...bar, close: bar.open, high: bar.open, low: bar.open };
      const messages =
        i % 3 === 0
          ? [
              { bar: half, isClosed: false },
              { bar, isClosed: false },
            ]
          : [{ bar, isClosed: true }];
      for (const message of messages)
        for (const said of host.answer({ kind: 'bar', ...message })) {
          if (said.kind !== 'tail') throw new Error(JSON.stringify(said));
          result = withTail(result, said);
        }
    }
    expect(drawnOf(result)).toEqual(drawnOf(ranOf(start(SCRIPT, bars).answers).result));
  });

  it('hands its columns over instead of copying them', () => {
    const { answers } = start(SCRIPT, bars);
    expect(handedOver(answers).length).toBeGreaterThan(5);
    structuredClone(answers, { transfer: handedOver(answers) });
    expect(ranOf(answers).result.series.get('Average')?.length).toBe(0);
  });

  it('says nothing of a bar that is over', () => {
    const { host } = start(SCRIPT, bars);
    expect(host.answer({ kind: 'bar', bar: bars[30]!, isClosed: true })).toEqual([]);
  });

  it('tells where the compiler found something, and where a run ended', () => {
    const [refused] = start('//@version=6\nindicator("X")\nplot(clse)\n', bars).answers;
    expect(refused).toMatchObject({ kind: 'refused', findings: [{ line: 3, column: 6, endLine: 3, endColumn: 10 }] });
    const [failed] = start(
      '//@version=6\nindicator("X")\nif bar_index == 7\n    runtime.error("no")\nplot(close)\n',
      bars,
    ).answers;
    expect(failed).toMatchObject({ kind: 'failed', message: expect.stringContaining('no'), line: 4, barIndex: 7 });
  });

  it('names the bars it misses', () => {
    const source = '//@version=6\nindicator("X")\nplot(request.security("ETHUSDT", "D", close))\n';
    expect(start(source, bars).answers).toMatchObject([
      { kind: 'failed', missing: { symbol: 'ETHUSDT', timeframe: '1D' } },
    ]);
  });

  it('has the trades of a strategy beside its result', () => {
    const source = `//@version=6
strategy("S", overlay = true)
if ta.crossover(close, 100)
    strategy.entry("L", strategy.long)
if ta.crossunder(close, 100)
    strategy.close("L")
plot(close)
`;
    const { strategy, result } = ranOf(start(source, bars).answers);
    expect(result.broker).toBeNull();
    expect(strategy?.trades[0]).toMatchObject({ direction: 'long', entry_bar: expect.any(Number) });
  });

  it('has the trades of a strategy as the same file that the command line writes, and none of another script', () => {
    const { host, answers } = start(CROSSING_AVERAGES, bars);
    expect(ranOf(answers).strategy?.trades.length).toBeGreaterThan(1);
    const columns = barColumns(bars);
    const options = { symbol: { ticker: 'BTCUSDT', mintick: 0.01 }, timeframe: '60' };
    const report = strategyReport(compile(CROSSING_AVERAGES).program!.run(columns, options), columns)!;
    expect(host.answer({ kind: 'trades-csv' })).toEqual([
      { kind: 'trades-csv', text: [...tradesCsv(report)].join('') },
    ]);
    for (const source of ['plot(', SCRIPT]) {
      start(source, bars, host);
      expect(host.answer({ kind: 'trades-csv' })).toEqual([{ kind: 'trades-csv', text: undefined }]);
    }
  });

  it('goes by the inputs that the script has, and leaves out those of a text before', () => {
    const source = '//@version=6\nindicator("I")\nplot(input.int(3, "Kept"), "P")\n';
    const [answer] = new ScriptHost().answer({
      ...{ kind: 'start', source, bars: barColumns(bars), timeframe: '60', symbolBars: [] },
      ...{ symbol: { ticker: 'BTCUSDT' }, inputs: { Kept: 7, Gone: 1 } },
    });
    expect(ranOf([answer!]).result.series.get('P')?.[0]).toBe(7);
  });
});

it('tells how many bars are done, up to all of them', () => {
  const told: number[] = [];
  start(SCRIPT, bars, new ScriptHost(({ done, total }) => told.push(done / total)));
  expect(told.at(-1)).toBe(1);
  start('//@version=6\nindicator("x")\nplot(no)\n', bars, new ScriptHost(() => told.push(Number.NaN)));
  expect(told).not.toContain(Number.NaN);
});
