// Expressions as people write them: literals, precedence, calls, history, and what each is read as.

import { describe, expect, it } from 'vitest';
import { parse } from './index.ts';
import { meaningOf } from './testing/read.ts';

describe('a literal', () => {
  it.each([
    ['0', '0'],
    ['42', '42'],
    ['9223372036854775807', '9223372036854776000'],
    ['3.14', '3.14f'],
    ['.5', '0.5f'],
    ['5.', '5f'],
    ['1e3', '1000f'],
    ['6.02E23', '6.02e+23f'],
    ['1.6e-19', '1.6e-19f'],
    ['2e+2', '200f'],
    ['true', 'true'],
    ['false', 'false'],
    ['na', 'na'],
    ['"double"', '"double"'],
    ["'single'", '"single"'],
    [`"it's"`, `"it's"`],
    [`'say "hi"'`, '"say \\"hi\\""'],
    [String.raw`'it\'s'`, `"it's"`],
    [String.raw`"a\"b"`, '"a\\"b"'],
    [String.raw`"line\nnext\tcolumn"`, '"line\\nnext\\tcolumn"'],
    [String.raw`"back\\slash"`, '"back\\\\slash"'],
    [String.raw`"\d+"`, '"d+"'],
    ['""', '""'],
    ['"http://no.comment"', '"http://no.comment"'],
    ['"""one\ntwo"""', '"one\\ntwo"'],
    ["'''a 'b' c'''", `"a 'b' c"`],
    ['"""windows\r\nline"""', '"windows\\nline"'],
    ['"""   indented\n    kept\n"""', '"   indented\\n    kept\\n"'],
    ['"""back\\\\n"""', '"back\\\\n"'],
    ['#ff0000', '#ff0000ff'],
    ['#FF000080', '#ff000080'],
    ['#00000000', '#00000000'],
  ])('%j is read as %s', (source, meaning) => {
    expect(meaningOf(`x = ${source}`)).toBe(`x = ${meaning}`);
  });

  it('keeps the emoji and letters of every alphabet in strings', () => {
    expect(meaningOf('x = "Größe 🚀 日本"')).toBe('x = "Größe 🚀 日本"');
  });
});

describe('precedence', () => {
  it.each([
    ['a + b * c', '(a + (b * c))'],
    ['a * b + c', '((a * b) + c)'],
    ['a - b - c', '((a - b) - c)'],
    ['a / b * c % d', '(((a / b) * c) % d)'],
    ['a + b > c - d', '((a + b) > (c - d))'],
    ['a < b == c > d', '((a < b) == (c > d))'],
    ['a == b != c', '((a == b) != c)'],
    ['a == b and c != d', '((a == b) and (c != d))'],
    ['a and b or c and d', '((a and b) or (c and d))'],
    ['a or b and c', '(a or (b and c))'],
    ['not a and b', '((not a) and b)'],
    ['not a == b', '((not a) == b)'],
    ['not not a', '(not (not a))'],
    ['-a * b', '((- a) * b)'],
    ['-a[1]', '(- a[1])'],
    ['- -a', '(- (- a))'],
    ['a - -b', '(a - (- b))'],
    ['+a', '(+ a)'],
    ['a >= b ? c : d', '((a >= b) ? c : d)'],
    ['a ? b : c ? d : e', '(a ? b : (c ? d : e))'],
    ['a ? b ? c : d : e', '(a ? (b ? c : d) : e)'],
    ['a or b ? c + 1 : d', '((a or b) ? (c + 1) : d)'],
    ['(a + b) * c', '((a + b) * c)'],
    ['((a))', 'a'],
    ['a <= b', '(a <= b)'],
  ])('%s is %s', (source, meaning) => {
    expect(meaningOf(`x = ${source}`)).toBe(`x = ${meaning}`);
  });
});

describe('calls, members and history', () => {
  it.each([
    ['f()', 'f()'],
    ['ta.sma(close, 14)', 'ta.sma(close, 14)'],
    ['plot(close, title = "C", color=color.red)', 'plot(close, title = "C", color = color.red)'],
    ['f(a = 1, 2)', 'f(a = 1, 2)'],
    ['na(x)', 'na(x)'],
    ['int(close)', 'int(close)'],
    ['close[1]', 'close[1]'],
    ['close[bar_index % 10 + 1]', 'close[((bar_index % 10) + 1)]'],
    ['(high + low)[2]', '(high + low)[2]'],
    ['f()[1]', 'f()[1]'],
    ['ta.sma(close, 10)[1]', 'ta.sma(close, 10)[1]'],
    ['obj.field[1]', 'obj.field[1]'],
    ['(obj[1]).field', 'obj[1].field'],
    ['a.b.c.d', 'a.b.c.d'],
    ['syminfo.type', 'syminfo.type'],
    ['arr.get(0).price', 'arr.get(0).price'],
    ['"text".length()', '"text".length()'],
    ['array.new<float>(10, 0.0)', 'array.new<float>(10, 0f)'],
    ['array.new<Lib.Point>()', 'array.new<Lib.Point>()'],
    ['map.new<string, float>()', 'map.new<string, float>()'],
    ['matrix.new<int>(2, 3, 0)', 'matrix.new<int>(2, 3, 0)'],
    ['array.new<array<int>>()', 'array.new<array<int>>()'],
    ['array.new<int[]>()', 'array.new<array<int>>()'],
    ['array.new_float(3)', 'array.new_float(3)'],
    ['request.security("", "D", [open, close[1]])', 'request.security("", "D", [open, close[1]])'],
    ['Point.new(x = 1).copy()', 'Point.new(x = 1).copy()'],
    ['f(-1, not a, b ? c : d)', 'f((- 1), (not a), (b ? c : d))'],
    ['input.int(14, "Length", options = [1, 2])', 'input.int(14, "Length", options = [1, 2])'],
  ])('%s is %s', (source, meaning) => {
    expect(meaningOf(`x = ${source}`)).toBe(`x = ${meaning}`);
  });

  it.each([
    ['a < b', '(a < b)'],
    ['a < b and c > d', '((a < b) and (c > d))'],
    ['a < b > c', '((a < b) > c)'],
    ['f(a < b, c > d)', 'f((a < b), (c > d))'],
    ['a<b ? c : d', '((a < b) ? c : d)'],
  ])('a bracket that compares is not taken for types: %s', (source, meaning) => {
    expect(meaningOf(`x = ${source}`)).toBe(`x = ${meaning}`);
  });

  it.each(['to', 'by', 'in', 'type', 'enum', 'method', 'import', 'export', 'once', 'series', 'simple', 'const'])(
    '%s stays a name where it is not a word of the language',
    (word) => {
      expect(meaningOf(`${word} = 1\nx = ${word} + ${word}[1]`)).toBe(`${word} = 1\nx = (${word} + ${word}[1])`);
      expect(meaningOf(`${word} := 2`)).toBe(`${word} := 2`);
    },
  );
});

describe('spans', () => {
  it('cover exactly the text of each part', () => {
    const source = '//@version=6\nx = ta.sma(close, len + 1)[2]';
    const [statement] = parse(source).script.statements;
    const texts: string[] = [];
    const show = ({ span }: { span: { start: number; end: number } }) => texts.push(source.slice(span.start, span.end));
    if (statement?.kind !== 'variable' || statement.value.kind !== 'history') throw new Error('not as expected');
    show(statement);
    show(statement.name);
    show(statement.value);
    show(statement.value.operand);
    show(statement.value.offset);
    if (statement.value.operand.kind === 'call') statement.value.operand.arguments.forEach(show);
    const all = 'ta.sma(close, len + 1)[2]';
    expect(texts).toEqual([`x = ${all}`, 'x', all, 'ta.sma(close, len + 1)', '2', 'close', 'len + 1']);
  });
});
