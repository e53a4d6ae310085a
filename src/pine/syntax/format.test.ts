// The formatter: regular white space, everything else as it was.

import { describe, expect, it } from 'vitest';
import { format } from './index.ts';

const HEAD = '//@version=6\n';
const formatted = (source: string, head = HEAD): string => format(head + source).text.slice(head.length);

describe('spaces', () => {
  it.each([
    ['x=1', 'x = 1'],
    ['x  :=  a+b*-c', 'x := a + b * -c'],
    ['x=-1', 'x = -1'],
    ['x = - a', 'x = -a'],
    ['x = a - - b', 'x = a - -b'],
    ['x = not( a )', 'x = not (a)'],
    ['x = a?b:c', 'x = a ? b : c'],
    ['f ( a ,b , c=1 )', 'f(a, b, c = 1)'],
    ['x = close [ 1 ]', 'x = close[1]'],
    ['x = f( ) [1]', 'x = f()[1]'],
    ['ta . sma( close,14 )', 'ta.sma(close, 14)'],
    ['x=a<b', 'x = a < b'],
    ['x = array . new < float > ( 1 )', 'x = array.new<float>(1)'],
    ['map < string ,array<int> > m=na', 'map<string, array<int>> m = na'],
    ['float [ ] x=na', 'float[] x = na'],
    ['[ a,b ]=f( )', '[a, b] = f()'],
    ['f(x,int y=1)=>x+y', 'f(x, int y = 1) => x + y'],
    ['import a / b / 1 as c', 'import a/b/1 as c'],
    ['a=1 ,b=2', 'a = 1, b = 2'],
    ['x = [a,-1]', 'x = [a, -1]'],
    ['x = "a  b" // c', 'x = "a  b" // c'],
    ['x = 1//c', 'x = 1 //c'],
  ])('%j becomes %j', (source, expected) => {
    expect(formatted(source)).toBe(`${expected}\n`);
  });
});

describe('lines', () => {
  it.each([
    ['if a\n\tb\n\tif c\n\t\td\nelse\n\te', 'if a\n    b\n    if c\n        d\nelse\n    e'],
    ['for i=0 to - 5 by ( 2 )\n\ta', 'for i = 0 to -5 by (2)\n    a'],
    ['for x in ( a )\n\ta', 'for x in (a)\n    a'],
    ['switch a\n\t1=>b\n\t=>\n\t\tc', 'switch a\n    1 => b\n    =>\n        c'],
    ['x = a +\n  b', 'x = a +\n     b'],
    ['if c\n    x = a\n              + b', 'if c\n    x = a\n         + b'],
    ['f(\na,\n        b\n  )', 'f(\n    a,\n    b\n)'],
    ['f(g(\na\n), h(\nb))', 'f(g(\n    a\n), h(\n    b))'],
    ['x = f(a,\n  g(\n  b\n ))', 'x = f(a,\n    g(\n        b\n    ))'],
    ['s = """a\n  b"""', 's = """a\n  b"""'],
    ['a = 1   \n\n\n\n\nb = 2\n\n\n', 'a = 1\n\n\nb = 2'],
    ['a = 1\r\n\r\nb = 2\r\n', 'a = 1\n\nb = 2'],
  ])('%j becomes %j', (source, expected) => {
    expect(formatted(source)).toBe(`${expected}\n`);
  });

  it('wrap by five columns in version 5, where brackets did not free the indentation', () => {
    expect(formatted('f(\n a)', '//@version=5\n')).toBe('f(\n     a)\n');
  });

  it('end with one line end, and an empty text stays empty', () => {
    expect(formatted('a = 1')).toBe('a = 1\n');
    expect(format('').text).toBe('');
  });
});

describe('comments', () => {
  it.each([
    ['if a\n// about b\n    b', 'if a\n    // about b\n    b'],
    ['if a\n    b\n    // end of the block\nc', 'if a\n    b\n    // end of the block\nc'],
    ['if a\n    if b\n        c\n    // middle\nd', 'if a\n    if b\n        c\n    // middle\nd'],
    ['if a\n    b\n// about c\nc', 'if a\n    b\n// about c\nc'],
    ['f(\n// first\na, // one\n  // second\nb)', 'f(\n    // first\n    a, // one\n    // second\n    b)'],
    ['x = a // why\n  + b', 'x = a // why\n     + b'],
    ['if a\n    b\n    // last', 'if a\n    b\n    // last'],
    ['//#region R\nx = 1\n//#endregion', '//#region R\nx = 1\n//#endregion'],
  ])('%j becomes %j', (source, expected) => {
    expect(formatted(source)).toBe(`${expected}\n`);
  });
});

describe('a script with mistakes', () => {
  it('comes back as it was, with what is wrong', () => {
    const source = `${HEAD}x=1\ny=(`;
    const { text, diagnostics } = format(source);
    expect(text).toBe(source);
    expect(diagnostics.map(({ code }) => code)).toEqual(['PE018']);
  });
});
