// A script must show something, a library must export something; nothing is said where the text has other mistakes.

import { describe, expect, it } from 'vitest';
import { compile, type LibrarySource } from '../index.ts';

const codesOf = (source: string, libraries: readonly LibrarySource[] = []): string[] =>
  compile(source, { libraries }).diagnostics.map(({ code, severity }) => `${severity} ${code}`);

const script = (body: string, head = 'indicator("T")', version = 6): string =>
  `//@version=${version}\n${head}\n${body}\n`;

describe('a script without output', () => {
  it.each([
    [5, 'indicator'],
    [6, 'indicator'],
    [5, 'strategy'],
    [6, 'strategy'],
  ])('is refused: v%i, %s', (version, kind) => {
    const source = script('x = ta.sma(close, 3)', `${kind}("T")`, version);
    const { program, diagnostics } = compile(source);
    expect(program).toBeNull();
    expect(diagnostics).toMatchObject([{ code: 'PE149', severity: 'error', message: expect.stringContaining(kind) }]);
    expect(source.slice(diagnostics[0]?.span.start, diagnostics[0]?.span.end)).toBe(`${kind}("T")`);
  });

  it('is refused when there is nothing but its declaration, an input or an empty function', () => {
    for (const body of [
      '',
      'x = input.int(3)',
      'f() => 1',
      'max_bars_back(close, 50)',
      'a = array.new<int>()\na.push(1)',
    ])
      expect(codesOf(script(body)), body).toEqual(['error PE149']);
  });

  it.each([
    'plot(close)',
    'plotshape(true)',
    'plotchar(true)',
    'plotarrow(close)',
    'plotbar(open, high, low, close)',
    'plotcandle(open, high, low, close)',
    'hline(1)',
    'bgcolor(color.red)',
    'barcolor(color.red)',
    'alertcondition(true)',
    'alert("a")',
    'log.info("a")',
    'log.warning("a")',
    'log.error("a")',
    'line.new(0, 1, 1, 2)',
    'label.new(0, 1)',
    'box.new(0, 1, 1, 0)',
    'table.new(position.top_right, 1, 1)',
    'polyline.new(array.new<chart.point>())',
    'runtime.error("a")',
    'if close > open\n    label.new(0, 1)',
    'f() =>\n    log.info("a")\nf()',
    'f() => log.info("a")',
    'f(x) => label.new(bar_index, x)',
  ])('is one no more with %s', (body) => {
    for (const version of [5, 6])
      for (const head of ['indicator("T")', 'strategy("T")'])
        expect(codesOf(script(body, head, version)), `${head}, v${version}`).toEqual([]);
  });

  it('has one in a function of a library', () => {
    const source = '//@version=6\nlibrary("Draw")\nexport mark(float y) =>\n    label.new(bar_index, y)\n';
    const draw = { namespace: 'me', name: 'Draw', version: 1, source };
    expect(codesOf(script('import me/Draw/1\nDraw.mark(close)'), [draw])).toEqual([]);
    expect(codesOf(script('import me/Draw/1 as d\nx = close'), [draw])).toEqual(['error PE149']);
  });

  it('has one where a strategy trades', () => {
    expect(codesOf(script('strategy.entry("L", strategy.long)', 'strategy("T")'))).toEqual([]);
  });

  it('is not told of it where something else is wrong', () => {
    for (const body of ['x = unknown', 'plot(close', 'plot(clsoe)', 'x = ', 'if true\nplot(close)'])
      expect(codesOf(script(body)), body).not.toContain('error PE149');
    expect(codesOf('//@version=6\nx = close\n')).toEqual(['error PE101']);
    expect(codesOf('indicator("T")')).toEqual(['error PE002']);
  });
});

describe('a library', () => {
  it('that exports nothing is refused', () => {
    expect(codesOf(script('f() => 1\nplot(f())', 'library("T")'))).toEqual(['error PE150']);
    expect(codesOf(script('', 'library("T")', 5))).toEqual(['error PE150']);
  });

  it.each([
    'export f(float x) => x',
    'export method f(float x) => x',
    'export type T\n    int x',
    'export enum E\n    a',
    'export const int N = 1',
  ])('needs no output when it has %s', (body) => {
    expect(codesOf(script(body, 'library("T")'))).toEqual([]);
  });
});
