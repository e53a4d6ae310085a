// Structures: blocks and their values, loops and their variables, and what may stand in a local scope.

import { describe, expect, it } from 'vitest';
import { findingsOf, meaningOf, placesOf } from './testing/checked.ts';

describe('blocks as values', () => {
  it('end in the value they stand for, with na where a branch is missing', () => {
    expect(meaningOf('x = if close > open\n    y = 1\n    y + 1\nelse if true\n    2.5')).toBe(
      'float x = if (close >:float open) { int y = 1; → (y +:int 1) } else if true { → 2.5 } else { → na:float }',
    );
    expect(meaningOf('b = if close > open\n    true')).toBe(
      'bool b = if (close >:float open) { → true } else { → false }',
    );
    expect(meaningOf('b = if close > open\n    true', { version: 5 })).toContain('else { → na:bool }');
    expect(meaningOf('s = switch\n    close > open => "up"')).toBe(
      'string s = switch { (close >:float open) => { → "up" }; => { → na:string } }',
    );
  });

  it('that nobody asks for have none, and may end in anything', () => {
    expect(meaningOf('if close > open\n    1\nelse\n    "a"')).toBe('if (close >:float open) { 1 } else { "a" }');
    expect(meaningOf('switch\n    true => label.new(0, 0)\n    => 5')).toContain('true => { label.new(');
  });

  it('that end in a declaration or an assignment are worth what was given', () => {
    expect(meaningOf('var a = 0\nx = if true\n    a := 5\nelse\n    b = 6')).toBe(
      'var int a = 0\nint x = if true { a := 5; → a } else { int b = 6; → b }',
    );
    const type = 'type T\n    int n = 0\nvar t = T.new()\n';
    expect(meaningOf(`${type}x = if true\n    t.n := 4`)).toContain('{ t.n := 4; → t.n } else { → na:int }');
  });

  it('agree on a type', () => {
    expect(findingsOf('x = if true\n    1\nelse\n    "a"')).toEqual([
      'PE116 1:5 The blocks end in values of different types: const int and const string. Give all of them the same type.',
    ]);
    expect(placesOf('x = switch 1\n    1 => 1\n    2 => "a"')).toEqual(['PE116 1:5']);
    expect(placesOf('x = switch 1\n    1 => 1\n    => runtime.error("no")')).toEqual(['PE112 1:5']);
  });

  it('of a function are its value where they agree; where they do not, v5 takes them for nothing', () => {
    expect(meaningOf('f(c) =>\n    if c\n        1\n    else\n        2.5\nx = f(close > open)')).toContain(
      'float x = f#(',
    );
    const differing = 'f(c) =>\n    if c\n        1\n    else\n        "a"\n';
    expect(placesOf(`${differing}f(true)`)).toEqual(['PE116 2:5']);
    expect(placesOf(`${differing}f(true)`, { version: 5 })).toEqual([]);
    expect(placesOf(`${differing}x = f(true)`, { version: 5 })).toEqual(['PE112 6:5']);
    const objects = 'f(c) =>\n    if c\n        label.new(0, 0)\n    else\n        line.new(0, 0, 1, 1)\nf(true)';
    expect(placesOf(objects)).toEqual([]);
  });

  it('may be left by break and continue', () => {
    const script =
      'x = for i = 0 to 9\n    if i > 5\n        break\n    else if i > 3\n        continue\n    else\n        i > 2';
    expect(meaningOf(script)).toBe(
      'bool x = for int i = 0 to 9 { → if (i >:int 5) { break; → false } else if (i >:int 3) { continue; → false } else { → (i >:int 2) } } empty false',
    );
  });
});

describe('switch', () => {
  it('compares its arms with the subject', () => {
    expect(meaningOf('x = switch close\n    1 => 1\n    2.5 => 2')).toContain('switch close:float { 1 => ');
    expect(meaningOf('x = switch "a"\n    "a" => 1')).toContain('switch "a":string');
    expect(placesOf('x = switch "a"\n    1 => 1')).toEqual(['PE114 2:5']);
    expect(placesOf('switch\n    5 => 1')).toEqual(['PE115 2:5']);
    expect(meaningOf('switch\n    5 => 1', { version: 5 })).toContain('bool!(5) => { 1 }');
  });
});

describe('loops', () => {
  it('count whole numbers, or fractions when a bound is one', () => {
    expect(meaningOf('for i = 0 to bar_index / 2\n    i')).toBe('for int i = 0 to int(x=(bar_index /:int 2)) { i }');
    expect(meaningOf('x = for i = 0 to 1.5 by 0.5\n    i')).toBe(
      'float x = for float i = 0 to 1.5 by 0.5 { → i } empty na:float',
    );
    expect(placesOf('for i = "a" to 5\n    i')).toEqual(['PE145 1:9']);
  });

  it('go through arrays, matrices and maps', () => {
    expect(meaningOf('for [i, v] in array.from(1.5)\n    v')).toContain('for int i, float v in');
    expect(meaningOf('for r in matrix.new<int>(1, 1, 0)\n    r.size()')).toContain('for array<int> r in');
    expect(meaningOf('for [k, v] in map.new<string, float>()\n    v')).toContain('for string k, float v in');
    expect(placesOf('for k in map.new<string, float>()\n    k')).toEqual(['PE145 1:5']);
    expect(placesOf('for v in close\n    v')).toEqual(['PE145 1:10']);
  });

  it('run while a condition holds, and once', () => {
    expect(meaningOf('while true\n    break\nonce close > open\n    1\nonce\n    2')).toBe(
      'while true { break }\nonce (close >:float open) { 1 }\nonce { 2 }',
    );
  });
});

describe('calls for the global scope', () => {
  it('are refused in blocks and functions', () => {
    expect(placesOf('if true\n    plot(close)\nf() =>\n    hline(1)\n    1\nx = f()')).toEqual([
      'PE120 2:5',
      'PE120 4:5',
    ]);
    expect(findingsOf('if true\n    plot(close)')[0]).toContain("Cannot use 'plot' in local scope.");
  });

  it('do not include inputs, lines and labels', () => {
    expect(placesOf('f() =>\n    label.new(0, 0)\n    input.int(5)\nx = f()')).toEqual([]);
  });
});
