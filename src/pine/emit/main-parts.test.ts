// A script too long for one function: its parts share variables, histories and states as if they were one.

import { describe, expect, it } from 'vitest';
import { type Bar, barColumns, compile, type Program } from '../index.ts';

const bar = (index: number): Bar => {
  const close = 100 + ((index * 37) % 23);
  return { time: index * 60_000, open: close - 1, high: close + 2, low: close - 3, close, volume: index + 1 };
};
const bars = (count: number) => barColumns(Array.from({ length: count }, (_, index) => bar(index)));

/** Variables of every kind that are made in front and used far behind, with `filling` lines between. */
function scriptOf(filling: number): Program {
  const between = (from: number): string[] =>
    Array.from({ length: filling }, (_, index) => `w${from + index} = ta.sma(close + ${index % 9}, 3) * 2 - open`);
  const { program, diagnostics } = compile(
    [
      '//@version=6',
      'indicator("long")',
      'plain = close - open',
      'var total = 0.0',
      'varip ticks = 0',
      'var list = array.new<float>()',
      '[line, signal, histogram] = ta.macd(close, 3, 5, 2)',
      'changed = 0.0',
      'add(float x) => plain + x',
      ...between(0),
      'total += plain',
      'ticks += 1',
      'list.push(high)',
      'if close > open[1]',
      '    changed := add(close)',
      ...between(filling),
      'plot(plain + plain[1], "plain")',
      'plot(total, "total")',
      'plot(ticks, "ticks")',
      'plot(list.sum(), "list")',
      'plot(line + signal - histogram, "macd")',
      'plot(changed + nz(changed[2]), "changed")',
      ...(filling > 0 ? [`plot(w0 + w${filling}, "w")`] : []),
    ].join('\n'),
  );
  expect(diagnostics).toEqual([]);
  return program!;
}

const partsIn = (program: Program): number => program.code.match(/^function part\d+\(i\)/gm)?.length ?? 0;
const titles = ['plain', 'total', 'ticks', 'list', 'macd', 'changed'];

describe('a long script', () => {
  const short = scriptOf(0);
  const long = scriptOf(400);

  it('is written in parts, a short one is not', () => {
    expect(partsIn(short)).toBe(0);
    expect(partsIn(long)).toBeGreaterThan(3);
  });

  it('computes what the short one does', () => {
    const [one, other] = [short, long].map((program) => program.run(bars(60)).series);
    for (const title of titles) expect(other!.get(title)).toEqual(one!.get(title));
    expect(other!.get('w')!.at(-1)).toBeCloseTo(
      [57, 58, 59].reduce((sum, index) => sum + bar(index).close, 0) * (4 / 3) - 2 * bar(59).open,
      9,
    );
  });

  it('is taken back live like a short one', () => {
    const runs = [short, long].map((program) => program.open(bars(20)));
    for (const run of runs) for (const close of [90, 150, 101]) run.update({ ...bar(20), close });
    const [one, other] = runs.map((run) => [run.close(bar(20)), run.close(bar(21))].map(({ values }) => values));
    for (const place of [0, 1])
      for (const title of titles) expect(other![place]!.get(title)).toBe(one![place]!.get(title));
    expect(other![1]!.get('ticks')).toBe(25);
  });
});
