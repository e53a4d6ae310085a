// Tests of the search for scripts that repaint: honest ones are left in peace, others are named with their line.

import { describe, expect, it } from 'vitest';
import { barColumns, compile, LineTable } from '../index.ts';
import { findRepaint, repaintFindings } from './index.ts';

const BARS = barColumns(
  Array.from({ length: 40 }, (_, index) => {
    const open = 100 + Math.sin(index) * 5;
    const close = 100 + Math.cos(index * 2) * 5;
    const high = Math.max(open, close) + 1;
    return { time: index * 60_000, open, high, low: Math.min(open, close) - 1, close, volume: 10 };
  }),
);

function reportOf(body: string) {
  const source = `//@version=6\nindicator("i")\n${body}\n`;
  const { program } = compile(source);
  const lines = new LineTable(source);
  const { compared, outputs, suspects } = findRepaint(program!, BARS);
  const lineOf = (start: number): number => lines.positionAt(start).line;
  return {
    compared,
    outputs: outputs.map(({ name, span, count, barIndex }) => ({ name, line: lineOf(span.start), count, barIndex })),
    suspects: suspects.map(({ span }) => lineOf(span.start)),
  };
}

describe('findRepaint', () => {
  it('finds nothing in scripts that only look back', () => {
    const body =
      'plot(ta.ema(close, 5), "ema")\nplot(ta.pivothigh(2, 2), "pivot")\nplotshape(ta.crossover(close, open), "x")';
    expect(reportOf(body)).toEqual({ compared: 39, outputs: [], suspects: [] });
  });

  it('names a plot that shows something else once its bar is old, with its line and how often', () => {
    const { outputs, suspects } = reportOf('last = barstate.islast\nplot(close, "close")\nplot(last ? 1 : 0, "mark")');
    // As history the last bar alone is the last one; live each bar was when it closed.
    expect(outputs).toEqual([{ name: 'mark', line: 5, count: 38, barIndex: 1 }]);
    expect(suspects).toEqual([3]);
  });

  it('names what is different live than in history', () => {
    expect(reportOf('plot(barstate.isrealtime ? high : low, "p")').outputs).toEqual([
      { name: 'p', line: 3, count: 39, barIndex: 1 },
    ]);
  });

  it('takes an na for a value of its own', () => {
    expect(reportOf('plot(barstate.ishistory ? na : 1, "p")').outputs).toEqual([
      { name: 'p', line: 3, count: 39, barIndex: 1 },
    ]);
  });

  it('says nothing of a chart of one bar', () => {
    const { program } = compile('//@version=6\nindicator("i")\nplot(close)\n');
    expect(findRepaint(program!, { ...BARS, count: 1 })).toEqual({
      compared: 0,
      outputs: [],
      trade: null,
      suspects: [],
    });
  });

  it('says it in words, with the line to look at', () => {
    const source = '//@version=6\nindicator("i")\nlast = barstate.islast\nplot(last ? 1 : 0, "mark")\n';
    const { compared, lines, warnings } = repaintFindings(compile(source).program!, BARS);
    expect([compared, lines]).toEqual([39, [3]]);
    const [warning, ...rest] = warnings;
    expect(rest).toEqual([]);
    expect(warning).toMatchObject({ code: 'PE401', severity: 'warning' });
    expect(warning?.message).toContain('"mark" repaints: on 38 of 39 bars');
    expect(warning?.message).toContain('first on bar 1 (1 then, 0 now)');
    expect(warning?.remedy).toContain('Line 3: barstate.islast');
  });

  it.each([
    ['without a version line', 'study("i")\nlast = barstate.islast\nplot(last ? 1 : 0, "mark")\n', 2],
    ['of version 4', '//@version=4\nstudy("i")\nlast = barstate.islast\nplot(last ? 1 : 0, "mark")\n', 3],
    [
      'that is made longer',
      'study("i")\na = 0.0\na := nz(a[1]) + 1\nlast = barstate.islast\nplot(last ? 1 : 0, "mark")',
      4,
    ],
  ])('names the lines of an old script %s as its user wrote them', (_, source, line) => {
    const { lines, warnings } = repaintFindings(compile(source).program!, BARS);
    expect(lines).toEqual([line]);
    expect(warnings[0]?.remedy).toContain(`Line ${line}: barstate.islast`);
    const { start, end } = warnings[0]!.span;
    expect(source.slice(start, end)).toBe('plot(last ? 1 : 0, "mark")');
  });

  it('compares the trades of a strategy', () => {
    const strategy = (condition: string) =>
      `//@version=6\nstrategy("s")\nif ${condition}\n    strategy.entry("L", strategy.long)\nelse\n    strategy.close("L")\n`;
    const honest = compile(strategy('close > open')).program!;
    expect(findRepaint(honest, BARS)).toMatchObject({ trade: null });
    expect(repaintFindings(honest, BARS)).toEqual({ compared: 39, warnings: [], lines: [] });
    const sly = compile(strategy('barstate.isrealtime ? close > open : close < open')).program!;
    expect(findRepaint(sly, BARS).trade).toBe(1);
    expect(repaintFindings(sly, BARS).warnings[0]?.message).toContain('from trade 1 on');
  });

  const NEVER_LEFT = 'if bar_index == 30\n    strategy.entry("L", strategy.long';
  it.each<[string, string, number]>([
    [
      'the quantity of a trade',
      'if close > open\n    strategy.entry("L", strategy.long, qty = barstate.isrealtime ? 2 : 1)\nelse\n    strategy.close("L")',
      2,
    ],
    [
      'the quantity of a later trade',
      'if bar_index % 10 == 2\n    strategy.entry("L", strategy.long, qty = barstate.isrealtime and bar_index > 20 ? 2 : 1)\nif bar_index % 10 == 5\n    strategy.close("L")',
      3,
    ],
    ['an entry that is still open', `${NEVER_LEFT}, qty = barstate.isrealtime ? 2 : 1)`, 1],
    [
      'the direction of one',
      'if bar_index == 30\n    strategy.entry("L", barstate.isrealtime ? strategy.short : strategy.long)',
      1,
    ],
    ['the bar of one', 'if bar_index == (barstate.isrealtime ? 31 : 30)\n    strategy.entry("L", strategy.long)', 1],
    ['whether there is one', `${NEVER_LEFT})\nif barstate.isrealtime and bar_index == 35\n    strategy.close_all()`, 1],
    [
      'one behind trades that do not',
      `if bar_index == 3\n    strategy.entry("A", strategy.long)\nif bar_index == 6\n    strategy.close_all()\nif bar_index == 30 and barstate.isrealtime\n    strategy.entry("L", strategy.long)`,
      2,
    ],
  ])('finds a strategy that repaints nothing but %s', (_, body, trade) => {
    const { program } = compile(`//@version=6\nstrategy("s")\n${body}\n`);
    expect(findRepaint(program!, BARS)).toMatchObject({ outputs: [], trade });
    expect(repaintFindings(program!, BARS).warnings[0]?.message).toContain(`from trade ${trade} on`);
  });

  it('says nothing of an honest entry that is still open', () => {
    const { program } = compile(`//@version=6\nstrategy("s", pyramiding = 2)\n${NEVER_LEFT}, qty = close / 7)\n`);
    expect(findRepaint(program!, BARS)).toMatchObject({ trade: null, suspects: [] });
  });
});
