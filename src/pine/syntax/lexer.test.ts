// Layout: which line begins a statement, which goes on with the one above, and what opens and closes a block.

import { describe, expect, it } from 'vitest';
import { DiagnosticList } from './diagnostic.ts';
import { lex } from './lexer.ts';
import { faultsOf, findingsIn, meaningOf } from './testing/read.ts';

const kinds = (source: string): string =>
  lex(source, new DiagnosticList())
    .tokens.map(({ kind, text }) => (text === '' ? kind.toUpperCase() : text))
    .join(' ');

describe('the tokens of a layout', () => {
  it('make blocks visible', () => {
    expect(kinds('if a\n    b\n    if c\n        d\ne')).toBe(
      'if a NEWLINE INDENT b NEWLINE if c NEWLINE INDENT d NEWLINE DEDENT DEDENT e NEWLINE END',
    );
  });

  it('close every block at the end', () => {
    expect(kinds('if a\n    if b\n        c')).toBe(
      'if a NEWLINE INDENT if b NEWLINE INDENT c NEWLINE DEDENT DEDENT END',
    );
  });

  it('leave out empty lines, comments and a byte order mark', () => {
    expect(kinds('\ufeff\n\n// one\na // two\n   \n    // three\nb')).toBe('a NEWLINE b NEWLINE END');
    expect(kinds('')).toBe('END');
    expect(kinds('// only')).toBe('END');
  });

  it.each(['\n', '\r\n', '\r'])('know the line end %j', (end) => {
    expect(kinds(['if a', '    b', 'c'].join(end))).toBe('if a NEWLINE INDENT b NEWLINE DEDENT c NEWLINE END');
  });

  it('count a tab as four columns', () => {
    expect(kinds('if a\n\tb\n    c\nd')).toBe('if a NEWLINE INDENT b NEWLINE c NEWLINE DEDENT d NEWLINE END');
    expect(kinds('if a\n\tif b\n\t    c\n    \td')).toContain('INDENT c NEWLINE d');
  });
});

describe('a line goes on', () => {
  it.each([1, 2, 3, 5, 6, 7, 9])('when it is indented by %i columns', (columns) => {
    expect(meaningOf(`x = a\n${' '.repeat(columns)}+ b`)).toBe('x = (a + b)');
  });

  it.each([0, 1, 3, 4, 5, 8])('between parentheses with %i columns', (columns) => {
    const indent = ' '.repeat(columns);
    expect(meaningOf(`x = f(\n${indent}a,\n${indent}b\n${indent})`)).toBe('x = f(a, b)');
  });

  it.each([0, 4, 8])('between square brackets with %i columns', (columns) => {
    const indent = ' '.repeat(columns);
    expect(meaningOf(`[a,\n${indent}b] = f()\nx = a[\n${indent}1\n]`)).toBe('[a, b] = f()\nx = a[1]');
  });

  it.each([
    ['x = a +\n    b', 1],
    ['x = a ?\n    b :\n    c', 2],
    ['x = a and\n    b or\n    not\n    c', 3],
    ['x =\n    1', 1],
    ['x :=\n    1', 1],
    ['if a\n    x = b -\n        c', 1],
    ['a = 1,\n     b = 2', 0],
    ['x = f(a +\n    b)', 0],
    // The bracket is the mistake here.
    ['x = f(a,\n    b', 0],
  ])('after an operator or a comma when it is deeper, and a multiple of four is told: %j', (source, told) => {
    const diagnostics = new DiagnosticList();
    const { tokens } = lex(source, diagnostics);
    const block = source.startsWith('if') ? 1 : 0;
    expect(tokens.filter(({ kind }) => kind === 'indent')).toHaveLength(block);
    expect(diagnostics.sorted().map(({ code }) => code)).toEqual(Array(told).fill('PE013'));
  });

  it.each([
    ['x = a ? 1 :\n     b ? 2 :\n     3', 'x = (a ? 1 : (b ? 2 : 3))'],
    ['x = a\n  and b // why\n // a remark\n  and c', 'x = ((a and b) and c)'],
    ['if a\n    x = b\n         + c\n    d', 'if a { x = (b + c); d }'],
    ['f(a,\n  b) =>\n    c = a\n      * b\n    c', 'function f(a, b) { c = (a * b); c }'],
    ['plot(\n    a, // first\n\n    b // second\n)', 'plot(a, b)'],
    ['s = """one\n""" + """two\n"""', 's = ("one\\n" + "two\\n")'],
  ])('%j', (source, meaning) => {
    expect(meaningOf(source)).toBe(meaning);
  });
});

describe('a block', () => {
  it('may be indented by tabs in one place and spaces in another', () => {
    expect(meaningOf('if a\n\tb\nif c\n    d')).toBe('if a { b }\nif c { d }');
  });

  it('may have remarks and empty lines at any column', () => {
    expect(meaningOf('if a\n// left\n\n    b\n  // odd\n    c')).toBe('if a { b; c }');
  });

  it('ends where a line has the column of an earlier one, and nowhere between', () => {
    expect(faultsOf('if a\n        b\n    c')).toEqual(['PE014 3:5']);
  });
});

describe('brackets that are never closed', () => {
  it('do not swallow the lines below', () => {
    expect(faultsOf('x = ta.sma(close, \ny = g(1)\nplot(y)')).toEqual(['PE018 1:11']);
    expect(faultsOf('x = f([a\ny = 1')).toEqual(['PE018 1:7']);
    expect(faultsOf('if f(a\n    b\nc')).toEqual(['PE018 1:5']);
  });
});

describe('the version line', () => {
  it.each(['//@version=6', '// @version=5', '//@version = 6', '//  @version=6 // newest', 'x = 1\n//@version=6'])(
    '%j is understood',
    (line) => expect(findingsIn(`${line}\ny = 1`)).toEqual([]),
  );

  it('is missed, and the script is still read', () => {
    expect(findingsIn('x = \ny = 1')).toEqual(['PE002 1:1', 'PE017 1:4']);
  });

  it.each([1, 2, 3, 4])('of version %i is the only finding', (version) => {
    expect(findingsIn(`//@version=${version}\nstudy(((`)).toEqual(['PE003 1:1']);
  });

  it.each(['0', '7', '66', '', 'six', '6.0', '-5'])('%j is no version', (version) => {
    expect(findingsIn(`x = 1\n//@version=${version}`)).toEqual(['PE004 2:1']);
  });
});
