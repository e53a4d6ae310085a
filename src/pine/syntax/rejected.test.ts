// What is not Pine Script: one mistake, one finding, with its code and its place, and the lines around it still read.

import { describe, expect, it } from 'vitest';
import { MAX_DIAGNOSTICS, SYNTAX_CODES } from './diagnostic.ts';
import { MAX_NESTING, MAX_SOURCE_LENGTH, parse } from './index.ts';
import { faultsOf, versioned } from './testing/read.ts';

/** Snippet, then the one finding in it. */
const REJECTED: readonly (readonly [snippet: string, finding: string])[] = [
  // Characters and literals
  ['x = 1 @ 2', 'PE007 1:7'],
  ['x = $a', 'PE007 1:5'],
  ['x = 1;', 'PE007 1:6'],
  ['größe = 1', 'PE007 1:1'],
  ['x = \u00a01', 'PE007 1:5'],
  ['{', 'PE007 1:1'],
  ['x = a\\b', 'PE007 1:6'],
  ['x = `a`', 'PE007 1:5'],
  ['x = a && b', 'PE008 1:7'],
  ['x = a || b', 'PE008 1:7'],
  ['x = !a', 'PE008 1:5'],
  ['x = a === b', 'PE008 1:7'],
  ['x = a !== b', 'PE008 1:7'],
  ['x = "abc', 'PE009 1:5'],
  ["plot(close, 'abc)", 'PE009 1:13'],
  ['x = """abc\ndef', 'PE009 1:5'],
  ['x = #ff', 'PE010 1:5'],
  ['x = #gg0000', 'PE010 1:5'],
  ['x = #ff00001', 'PE010 1:5'],
  ['x = #', 'PE010 1:5'],
  ['3barsDown = 1', 'PE011 1:1'],
  ['x = 0x10', 'PE011 1:5'],
  ['x = 1e', 'PE011 1:5'],
  ['x = 9223372036854775808', 'PE011 1:5'],
  ['x = 1e309', 'PE011 1:5'],
  ['/* text */ x = 1', 'PE012 1:1'],
  ['x = 1 /* to the end', 'PE012 1:7'],
  ['x = a[1].b', 'PE039 1:5'],
  ['x = f(a)[1].b()', 'PE039 1:5'],
  ['x = a[1][2]', 'PE039 1:5'],
  ['x = (a[1]).b[2].c', 'PE039 1:6'],
  // Layout
  ['x = 1\n    y = 2', 'PE013 2:5'],
  ['    x = 1', 'PE013 1:5'],
  ['type T\n    int x\n        int y', 'PE013 3:9'],
  ['if a\n        b\n    c', 'PE014 3:5'],
  ['if a', 'PE015 1:5'],
  ['if a\nb', 'PE015 1:5'],
  ['if a\n    b\nelse\nc', 'PE015 3:5'],
  ['if a\nelse\n    b', 'PE015 1:5'],
  ['while a\nb', 'PE015 1:8'],
  ['for i = 0 to 1\nb', 'PE015 1:15'],
  ['f(x) =>', 'PE015 1:8'],
  ['switch a', 'PE015 1:1'],
  ['type T', 'PE015 1:6'],
  ['enum E\nx = 1', 'PE015 1:6'],
  // Expressions
  ['x = a b', 'PE016 1:7'],
  ['x = 1 2', 'PE016 1:7'],
  ['float median = 0.5\n    * 2', 'PE013 2:5'],
  ['if a\n  b := 1', 'PE016 2:3'],
  ['x = a ? b', 'PE016 1:10'],
  ['f(a b)', 'PE016 1:5'],
  ['x = (a b)', 'PE016 1:8'],
  ['x = 5(1)', 'PE016 1:6'],
  ['x = ', 'PE017 1:4'],
  ['x = a +', 'PE017 1:8'],
  ['x = a + * b', 'PE017 1:9'],
  ['x = a ? : b', 'PE017 1:9'],
  ['x = ()', 'PE017 1:6'],
  ['x = a[]', 'PE017 1:7'],
  ['and b', 'PE017 1:1'],
  ['x = not', 'PE017 1:8'],
  ['if\n    a', 'PE017 1:3'],
  ['x = (a + b', 'PE018 1:5'],
  ['x = f(a', 'PE018 1:6'],
  ['x = a[1', 'PE018 1:6'],
  ['x = f(a[1)', 'PE018 1:8'],
  ['x = f(', 'PE018 1:6'],
  [')', 'PE019 1:1'],
  ['x = a)', 'PE019 1:6'],
  ['x = a]', 'PE019 1:6'],
  ['f(a))', 'PE019 1:5'],
  ['x = ta.', 'PE023 1:7'],
  ['plot(ta.)', 'PE023 1:8'],
  ['x = a. + b', 'PE023 1:6'],
  ['x = a. and b', 'PE023 1:6'],
  ['x = a.if', 'PE023 1:7'],
  ['x = a."b"', 'PE023 1:7'],
  ['x = ta.sma(close, )', 'PE024 1:17'],
  ['x = f(, a)', 'PE024 1:6'],
  ['x = f(a = )', 'PE024 1:9'],
  ['if a = b\n    c', 'PE026 1:6'],
  ['x = (a = b)', 'PE026 1:8'],
  ['x = a + b = c', 'PE026 1:11'],
  ['x = 1 + if a\n    b', 'PE029 1:9'],
  ['f(if a\n    b)', 'PE029 1:3'],
  ['x = []', 'PE028 1:5'],
  // Names, types and variables
  ['var = 1', 'PE020 1:5'],
  ['for 1 = 0 to 2\n    a', 'PE020 1:5'],
  ['f(1) => 2', 'PE020 1:3'],
  ['var if = 1', 'PE021 1:5'],
  ['text = 1', 'PE021 1:1'],
  ['var int range = 1', 'PE021 1:9'],
  ['[as, b] = f()', 'PE021 1:2'],
  ['text(x) => x', 'PE021 1:1'],
  ['f(for) => 1', 'PE021 1:3'],
  ['type while\n    int x', 'PE021 1:6'],
  ['enum E\n    true', 'PE021 2:5'],
  ['type T\n    x', 'PE022 2:5'],
  ['type T\n    x = 1', 'PE022 2:5'],
  ['type T\n    1', 'PE022 2:5'],
  ['int x', 'PE025 1:5'],
  ['var x', 'PE025 1:5'],
  ['float x := 1', 'PE025 1:7'],
  ['series x', 'PE025 1:8'],
  ['array<int> x', 'PE025 1:12'],
  ['a[1] := 2', 'PE027 1:1'],
  ['f(x) := 2', 'PE027 1:1'],
  ['1 := 2', 'PE027 1:1'],
  ['a + b := 2', 'PE027 1:1'],
  ['obj.x = 1', 'PE027 1:1'],
  ['a[1] = 1', 'PE027 1:1'],
  ['f(x) = 1', 'PE027 1:1'],
  ['var [a, b] = f()', 'PE028 1:5'],
  ['[int a, float b] = f()', 'PE028 1:2'],
  ['[a, b] := f()', 'PE028 1:1'],
  // Structures and declarations
  ['if a\n    f(x) => 1', 'PE030 2:5'],
  ['if a\n    type T\n        int x', 'PE030 2:5'],
  ['if a\n    import u/L/1', 'PE030 2:5'],
  ['if a\n    export f() => 1', 'PE030 2:5'],
  ['else\n    a', 'PE031 1:1'],
  ['else if a\n    b', 'PE031 1:1'],
  ['if a\n    b\nc = 1\nelse\n    d', 'PE031 4:1'],
  ['break', 'PE032 1:1'],
  ['if a\n    continue', 'PE032 2:5'],
  ['f(x) =>\n    break', 'PE032 2:5'],
  ['switch a\n    b', 'PE033 2:6'],
  ['switch a\n    => 1\n    b => 2', 'PE033 3:5'],
  ['for i\n    a', 'PE034 1:6'],
  ['for i = 0\n    a', 'PE034 1:10'],
  ['for [i, x] = 0\n    a', 'PE034 1:12'],
  ['import user', 'PE035 1:12'],
  ['import user/Lib', 'PE035 1:16'],
  ['import user/Lib/x', 'PE035 1:17'],
  ['import user/Lib/0', 'PE035 1:17'],
  ['import "user/Lib/1"', 'PE035 1:8'],
  ['export x.y', 'PE036 1:1'],
  ['export import u/L/1', 'PE036 1:1'],
  ['export if a\n    b', 'PE036 1:1'],
  ['x => 1', 'PE038 1:3'],
  ['f.g(x) => 1', 'PE038 1:8'],
];

describe('a mistake', () => {
  it.each(REJECTED)('in %j is found once, at its place', (snippet, finding) => {
    expect(faultsOf(snippet)).toEqual([finding]);
  });

  it.each(REJECTED.filter(([snippet]) => !snippet.includes('"""')))(
    'in %j leaves the lines around it alone',
    (snippet) => {
      const { script, diagnostics } = parse(versioned(`first = 1\n${snippet}\nlast = 2`));
      const names = script.statements.map((statement) => (statement.kind === 'variable' ? statement.name.text : ''));
      expect(names[0]).toBe('first');
      expect(names.at(-1)).toBe('last');
      expect(diagnostics).toHaveLength(1);
    },
  );

  it('says what to do about it', () => {
    const silent = REJECTED.filter(([snippet]) => {
      const [found] = parse(versioned(snippet)).diagnostics;
      return found === undefined || (found.remedy ?? found.message.match(/^Expected .*\.$/)) === null;
    });
    expect(silent.map(([snippet]) => snippet)).toEqual([]);
  });

  it('names the column when a line goes on by accident', () => {
    const [found] = parse(versioned('if a\n  b := 1')).diagnostics;
    expect(found?.remedy).toContain('indented by 2 columns');
  });

  it('in a new word of version 6 is explained in version 5', () => {
    expect(faultsOf('once a\n    b', 5)).toEqual(['PE037 1:1']);
  });

  it('in each of several lines is found in each of them', () => {
    expect(faultsOf('x = \ny = 1\nz = (\nif a = c\n    b = *\nplot(y)')).toEqual([
      'PE017 1:4',
      'PE018 3:5',
      'PE026 4:6',
      'PE017 5:9',
    ]);
  });
});

describe('limits', () => {
  it.each([
    ['parentheses', (depth: number) => `x = ${'('.repeat(depth)}1${')'.repeat(depth)}`],
    ['signs', (depth: number) => `x = ${'-'.repeat(depth)}1`],
    ['sums', (depth: number) => `x = 1${' + 1'.repeat(depth)}`],
    ['members', (depth: number) => `x = a${'.b'.repeat(depth)}`],
    ['conditions', (depth: number) => `x = ${'a ? b : '.repeat(depth)}c`],
  ])('hold for %s that lie deep in each other', (_what, make) => {
    const codes = (source: string) => parse(versioned(source)).diagnostics.map(({ code }) => code);
    expect(codes(`if a\n    ${make(MAX_NESTING + 10)}`)).toContain(SYNTAX_CODES.tooDeep);
    expect(codes(`a = 1\n    ${make(MAX_NESTING + 10)}`)).toContain(SYNTAX_CODES.tooDeep);
    expect(codes(make(MAX_NESTING - 10))).not.toContain(SYNTAX_CODES.tooDeep);
    expect(codes(make(MAX_NESTING + 10))).toContain(SYNTAX_CODES.tooDeep);
    expect(codes(make(MAX_NESTING * 20))).toContain(SYNTAX_CODES.tooDeep);
  });

  it('hold for blocks that lie deep in each other', () => {
    const nested = (depth: number) => Array.from({ length: depth }, (_, at) => `${'\t'.repeat(at)}if a`).join('\n');
    const codes = (depth: number) => parse(versioned(`${nested(depth)}\nlast = 1`)).diagnostics.map(({ code }) => code);
    expect(codes(MAX_NESTING - 1)).toEqual(['PE015']);
    expect(codes(MAX_NESTING + 10)).toEqual(['PE005']);
    expect(codes(MAX_NESTING * 2)).toEqual(['PE005']);
  });

  it('let a long chain of "else if" and a long list through', () => {
    const chain = `if a\n    b${'\nelse if a\n    b'.repeat(2000)}`;
    expect(parse(versioned(chain)).diagnostics).toEqual([]);
    expect(parse(versioned(`f(${'a, '.repeat(5000)}b)`)).diagnostics).toEqual([]);
  });

  it('hold for the length of a script', () => {
    const start = versioned('x = 1 //');
    const fits = start.padEnd(MAX_SOURCE_LENGTH, 'x');
    expect(parse(fits).diagnostics).toEqual([]);
    expect(parse(`${fits}x`).diagnostics.map(({ code }) => code)).toEqual(['PE001']);
  });

  it('hold for the number of findings', () => {
    const lines = (count: number) => parse(versioned('x = @\n'.repeat(count))).diagnostics;
    expect(lines(MAX_DIAGNOSTICS)).toHaveLength(MAX_DIAGNOSTICS);
    expect(lines(MAX_DIAGNOSTICS + 1)).toHaveLength(MAX_DIAGNOSTICS + 1);
    expect(lines(MAX_DIAGNOSTICS * 3)).toHaveLength(MAX_DIAGNOSTICS + 1);
    expect(lines(MAX_DIAGNOSTICS * 3).map(({ code }) => code)).toContain('PE006');
  });
});

it('a field right after "[]" is one only since v6', () => {
  expect(parse('//@version=5\nx = a[1].b').diagnostics).toEqual([]);
  expect(parse('//@version=5\nx = a[1][2]').diagnostics.map(({ code }) => code)).toEqual(['PE039']);
});

describe('strings that go on over lines', () => {
  const found = (text: string) => parse(versioned(text)).diagnostics.map(({ code, severity }) => `${severity} ${code}`);

  it('are read where the script is right with them, with a warning', () => {
    expect(found('x = "a\n  b"')).toEqual(['warning PE040']);
    expect(found('if a\n    x = f("a\n    b", 1)\n    y = 2')).toEqual(['warning PE040']);
    expect(found('x = "a\n\tb" + \'c\n\n d\'')).toEqual(['warning PE040', 'warning PE040']);
  });

  it('are a forgotten quote otherwise, at its line', () => {
    expect(found('x = "a\nb"')).toEqual(['error PE009', 'error PE009']);
    expect(found('if a\n    x = "a\n    y = 2')).toEqual(['error PE009']);
    expect(found('x = "a\n\n')).toEqual(['error PE009']);
  });
});

describe('the table of codes', () => {
  it('is counted: PE001 to PE041, none twice', () => {
    const codes = Object.values(SYNTAX_CODES);
    expect(codes).toEqual(Array.from({ length: 41 }, (_, index) => `PE${String(index + 1).padStart(3, '0')}`));
  });

  it('has a test for each of its codes', () => {
    const elsewhere = ['PE001', 'PE002', 'PE003', 'PE004', 'PE005', 'PE006', 'PE037', 'PE040', 'PE041'];
    const shown = new Set([...elsewhere, ...REJECTED.map(([, finding]) => finding.slice(0, 5))]);
    expect(Object.values(SYNTAX_CODES).filter((code) => !shown.has(code))).toEqual([]);
  });
});
