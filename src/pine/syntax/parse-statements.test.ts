// Statements, structures and declarations: every construct of the language and what it is read as.

import { describe, expect, it } from 'vitest';
import { meaningOf } from './testing/read.ts';

describe('variables', () => {
  it.each([
    ['x = 1'],
    ['int x = 1'],
    ['var x = 0'],
    ['varip int x = 0'],
    ['var float x = na'],
    ['series float x = close'],
    ['simple int x = 1'],
    ['const string x = "a"'],
    ['input int x = 1'],
    ['const x = 1'],
    ['array<float> x = na'],
    ['var map<string, float> m = na'],
    ['matrix<int> m = na'],
    ['Lib.Point p = na'],
    ['array<Lib.Point> p = na'],
    ['chart.point p = na'],
    ['x := 2'],
    ['x += 1'],
    ['x -= 1'],
    ['x *= 2'],
    ['x /= 2'],
    ['x %= 2'],
    ['obj.x := 1'],
    ['obj.inner.x += 1'],
    ['arr.get(0).x := 1'],
    ['[a, b] = f()'],
    ['[_, b, _] = f()'],
    ['[a] = f()'],
    ['export int MAX = 10'],
    ['export const float PHI = 1.6f'],
  ])('%s', (source) => {
    expect(meaningOf(source.replace('1.6f', '1.6'))).toBe(source);
  });

  it('with brackets are arrays', () => {
    expect(meaningOf('int[] x = na\nvar Lib.T[] y = na')).toBe('array<int> x = na\nvar array<Lib.T> y = na');
  });

  it('may stand several on a line', () => {
    expect(meaningOf('a = 1, b = 2, c := a + b, plot(c)')).toBe('a = 1\nb = 2\nc := (a + b)\nplot(c)');
  });
});

describe('structures', () => {
  it.each([
    ['if a\n    b', 'if a { b }'],
    ['if a\n    b\nelse\n    c', 'if a { b } else { c }'],
    [
      'if a\n    b\nelse if c\n    d\nelse if e\n    f\nelse\n    g',
      'if a { b } else if c { d } else if e { f } else { g }',
    ],
    ['if a\n    if b\n        c\n    else\n        d', 'if a { if b { c } else { d } }'],
    ['if (a)\n    b', 'if a { b }'],
    ['x = if a\n    1\nelse\n    2', 'x = if a { 1 } else { 2 }'],
    ['x := if a\n    1', 'x := if a { 1 }'],
    ['[p, q] = if a\n    [1, 2]\nelse\n    [3, 4]', '[p, q] = if a { [1, 2] } else { [3, 4] }'],
    ['for i = 0 to 10\n    f(i)', 'for i = 0 to 10 { f(i) }'],
    ['for i = 10 to 0 by 2\n    f(i)', 'for i = 10 to 0 by 2 { f(i) }'],
    ['for i = a - 1 to array.size(b) - 1\n    f(i)', 'for i = (a - 1) to (array.size(b) - 1) { f(i) }'],
    ['x = for i = 0 to 1\n    i', 'x = for i = 0 to 1 { i }'],
    ['for x in arr\n    f(x)', 'for x in arr { f(x) }'],
    ['for [i, x] in arr\n    f(x)', 'for [i, x] in arr { f(x) }'],
    ['for [key, value] in map\n    f(key)', 'for [key, value] in map { f(key) }'],
    ['for to in by\n    to', 'for to in by { to }'],
    ['while a < 10\n    a += 1', 'while (a < 10) { a += 1 }'],
    ['while true\n    if a\n        break\n    continue', 'while true { if a { break }; continue }'],
    ['switch a\n    1 => b\n    2 => c\n    => d', 'switch a { 1 => { b }; 2 => { c }; => { d } }'],
    ['switch\n    a > b => 1\n    => 2', 'switch { (a > b) => { 1 }; => { 2 } }'],
    [
      'x = switch m\n    "a" => 1\n    "b" =>\n        y = 2\n        y',
      'x = switch m { "a" => { 1 }; "b" => { y = 2; y } }',
    ],
    ['switch\n    f(x) => y := 1, z := 2', 'switch { f(x) => { y := 1; z := 2 } }'],
    [
      'for i = 0 to 1\n    switch i\n        0 => break\n        => continue',
      'for i = 0 to 1 { switch i { 0 => { break }; => { continue } } }',
    ],
    ['once\n    f()', 'once { f() }'],
    ['once close > open\n    f()', 'once (close > open) { f() }'],
    ['once (a)\n    f()', 'once a { f() }'],
  ])('%j', (source, meaning) => {
    expect(meaningOf(source)).toBe(meaning);
  });

  it('know "once" as a name in version 5', () => {
    expect(meaningOf('once = 1\nonce(2)', 5)).toBe('once = 1\nonce(2)');
  });
});

describe('declarations', () => {
  it.each([
    ['f() => 1', 'function f() { 1 }'],
    ['f(x, y) => x + y', 'function f(x, y) { (x + y) }'],
    ['f(x, y = 1) =>\n    z = x * y\n    z', 'function f(x, y = 1) { z = (x * y); z }'],
    [
      'f(int x, simple float y, series string z = "a") => x',
      'function f(int x, simple float y, series string z = "a") { x }',
    ],
    ['f(array<float> a, int[] b, Lib.T c) => a', 'function f(array<float> a, array<int> b, Lib.T c) { a }'],
    ['f(x) => a = x, b = a, [a, b]', 'function f(x) { a = x; b = a; [a, b] }'],
    ['f(x) => switch x\n    1 => 2\n    => 3', 'function f(x) { switch x { 1 => { 2 }; => { 3 } } }'],
    ['f(series, type) => series + type', 'function f(series, type) { (series + type) }'],
    ['method add(Point this, float d) => this.x + d', 'method add(Point this, float d) { (this.x + d) }'],
    ['export f(float x) => x', 'export function f(float x) { x }'],
    ['export method f(array<int> x) =>\n    x', 'export method f(array<int> x) { x }'],
    [
      'type P\n    int x\n    float y = 1.5\n    varip array<int> z',
      'type P { int x; float y = 1.5f; varip array<int> z }',
    ],
    ['export type P\n    Lib.T t\n    float[] y = na', 'export type P { Lib.T t; array<float> y = na }'],
    ['enum E\n    up\n    down = "Down"', 'enum E { up; down = "Down" }'],
    ['export enum E\n    a', 'export enum E { a }'],
    ['import user/Lib/1', 'import user/Lib/1'],
    ['import TradingView/ta/7 as tv', 'import TradingView/ta/7 as tv'],
    ['import Some-One/my_Lib2/12 as x', 'import Some-One/my_Lib2/12 as x'],
  ])('%j', (source, meaning) => {
    expect(meaningOf(source)).toBe(meaning);
  });
});
