// One expression: what is let through to the compiler, and where its faults are told.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compile, LineTable } from '../../../pine/index.ts';
import { expressionFault, placedInExpression, scriptOf } from './expression.ts';

describe('an expression', () => {
  it.each([
    'close',
    ' ta.sma(close, 20) - ta.sma(close, 50) ',
    'close > open ? high : low',
    'ta.rsi(\n  close,\n  14\n)',
    'str.length("a), // b") * close[1]',
    "str.length('it is \\') fine') + 1",
    'math.max(high[1], array.get(array.from(1.0, 2.0), 0))',
  ])('is let through and compiles: %s', (text) => {
    expect(expressionFault(text)).toBeUndefined();
    expect(compile(scriptOf(text, 'number')).diagnostics).toEqual([]);
  });

  it.each([
    ['', 'is empty'],
    [' \n ', 'is empty'],
    ['close // ', 'has a comment, remove it'],
    ['close))\nplot((open', 'has a ) too many at character 6'],
    ['close), plot((open)', 'has a ) too many at character 6'],
    ['close, open', 'is a list, send one expression without a comma'],
    ['close, title = "x"', 'is a list'],
    ['(close', 'has a bracket that is not closed, add )'],
    ['close[1', 'has a bracket that is not closed, add ]'],
    ['(close]', 'has a ] too many at character 7'],
    ['"abc', 'has a text that does not end, close it with "'],
    ["'a\nb'", "has a text that does not end, close it with '"],
  ])('is refused: %j', (text, fault) => {
    expect(expressionFault(text)).toContain(fault);
  });

  it('never becomes more than one plot, whatever it holds', () => {
    const pieces = fc.constantFrom(
      ...['close', 'plot(', 'plotshape(', '(', ')', '[', ']', ',', '"', "'", '\\', '//', '\n', '\r', '\n\n', ' '],
      ...['=', ':=', '=>', 'if ', 'for ', 'var ', 'x', '1', ' + ', '?', ':', '@', '\u2028', '\t', 'import a/b/1'],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 14 }), (parts) => {
        const text = parts.join('');
        if (expressionFault(text) !== undefined) return;
        const { program } = compile(scriptOf(text, 'number'));
        if (program !== null) expect(program.checked.outputs).toHaveLength(1);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('a fault', () => {
  const faultsOf = (text: string) => {
    const source = scriptOf(text, 'number');
    const lines = new LineTable(source);
    const diagnostics = compile(source).diagnostics.map(({ span, severity, code, message }) => {
      const [start, end] = [lines.positionAt(span.start), lines.positionAt(span.end)];
      return { ...start, endLine: end.line, endColumn: end.column, severity, code, message };
    });
    const placed = placedInExpression({ kind: 'compile-failed', diagnostics }, text, 'number');
    return placed.kind === 'compile-failed'
      ? placed.diagnostics.map(({ line, column, endLine, endColumn }) => [line, column, endLine, endColumn])
      : [];
  };

  it.each([
    ['clse', [1, 1, 1, 5]],
    ['close + clse', [1, 9, 1, 13]],
    ['ta.sma(\n  clse,\n  20)', [2, 3, 2, 7]],
  ])('of %j is told at its own columns', (text, place) => {
    expect(faultsOf(text)).toContainEqual(place);
  });

  it.each(['close +', 'close\n+\n', 'x = 1', 'close close'])('of %j is told inside it', (text) => {
    const lines = text.split('\n');
    const faults = faultsOf(text);
    expect(faults.length).toBeGreaterThan(0);
    for (const [line, column, endLine, endColumn] of faults as number[][]) {
      expect(line).toBeLessThanOrEqual(lines.length);
      expect(endLine).toBeLessThanOrEqual(lines.length);
      expect(column).toBeLessThanOrEqual((lines[line! - 1] as string).length + 1);
      expect(endColumn).toBeLessThanOrEqual((lines[endLine! - 1] as string).length + 1);
    }
  });

  it('at run time is told at its own columns too', () => {
    const outcome = { kind: 'runtime-error', message: 'x', barIndex: 3, line: 3, column: 12 } as const;
    expect(placedInExpression(outcome, 'close[-1] + 1', 'number')).toMatchObject({ line: 1, column: 6, barIndex: 3 });
    expect(placedInExpression(outcome, 'a\nclose', 'condition')).toMatchObject({ line: 1, column: 1 });
  });
});
