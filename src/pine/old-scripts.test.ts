// Scripts of version 1 to 4 through the engine's front door: converted on the fly, with a warning, and places as they were written.

import { describe, expect, it } from 'vitest';
import { barColumns, compile, LineTable, ScriptRuntimeError } from './index.ts';

const bars = barColumns(
  [1, 2, 4, 8].map((close, index) => ({
    ...{ time: index * 60_000, open: 1, high: close + 1, low: 0, close, volume: 1 },
  })),
);

const placesIn = (source: string) => {
  const lines = new LineTable(source);
  return compile(source).diagnostics.map(({ code, span }) => {
    const { line, column } = lines.positionAt(span.start);
    return `${code} ${line}:${column} ${source.slice(span.start, span.end)}`;
  });
};

describe('an old script', () => {
  it('runs, and is warned of by version, count and command', () => {
    const { program, diagnostics } = compile(
      '//@version=3\nstudy("x")\nplot(sma(close, 2), color=red, title="mean")\n',
    );
    expect(diagnostics).toEqual([
      {
        code: 'PE041',
        severity: 'warning',
        message:
          'The script is of version 3 of Pine Script; it was converted to version 5, with 4 changes, 0 of them to check.',
        remedy: 'See them with: signalbox convert FILE.',
        span: { start: 0, end: 12 },
      },
    ]);
    expect([...program!.run(bars).series.get('mean')!]).toEqual([Number.NaN, 1.5, 3, 6]);
    expect(program!.checked.version).toBe(5);
  });

  it('without a version line is one of version 1, and told so at its beginning', () => {
    const source = 'study("x")\nx = nz(x[1]) + 1\nplot(x, "count")\ns = security(tickerid, "D", close)\n';
    const [warning] = compile(source).diagnostics;
    expect(warning).toMatchObject({ code: 'PE041', span: { start: 0, end: 0 } });
    expect(warning!.message).toContain('of version 1 of Pine Script');
    expect(warning!.message).toContain('1 of them to check');
  });

  it('runs live as well', () => {
    const { program } = compile('//@version=2\nstudy("x")\nx = nz(x[1]) + close\nplot(x, "sum")\n');
    const live = program!.open(bars);
    const bar = { time: 240_000, open: 1, high: 2, low: 0, close: 5, volume: 1 };
    expect(live.update(bar).values.get('sum')).toBe(20);
    expect(live.close({ ...bar, close: 10 }).values.get('sum')).toBe(25);
  });

  it('with a mistake has it where it was written, also below lines that were added or moved', () => {
    const source =
      '//@version=2\nstudy("x")\nx = nz(x[1]) + 1\ny = close > 1 ? 2 :\n    3\nplot(sma(close, 2) + missing, transp=50)\n';
    expect(placesIn(source)).toEqual(['PE041 1:1 //@version=2', 'PE103 6:22 missing']);
  });

  it('that cannot be read is told so, with the places of its mistakes alone', () => {
    expect(placesIn('//@version=4\nstudy("x")\nplot(sma(close, 2)\n')).toEqual(['PE018 3:5 (']);
  });

  it('that ends with an error of its own names the line it was written in', () => {
    const source =
      '//@version=4\nstudy("x", resolution="")\nr = rsi(rma(close, 1), rma(open, 1))\na = array.new_float(0)\nplot(r + array.get(a, 5))\n';
    const { program, diagnostics } = compile(source);
    expect(diagnostics.map(({ code }) => code)).toEqual(['PE041']);
    const failing = () => program!.run(bars);
    expect(failing).toThrow(ScriptRuntimeError);
    expect(failing).toThrow(expect.objectContaining({ line: 5, column: 1 }));
  });

  it('that assumes a version by its caller alone is of that version', () => {
    const source = 'study("x")\nplot(sma(close, 2))\n';
    expect(compile(source, { version: 5 }).diagnostics.map(({ code }) => code)).not.toContain('PE041');
    expect(compile(`//@version=4\n${source}`, { version: 6 }).program!.checked.version).toBe(5);
  });
});
