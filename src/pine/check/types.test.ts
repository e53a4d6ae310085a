// Types: what fits where, na, casts, qualifiers, and how the two versions differ.

import { describe, expect, it } from 'vitest';
import { findingsOf, meaningOf, placesOf, programOf, typeOfName, variablesOf } from './testing/checked.ts';

describe('shapes', () => {
  it('int goes where float is asked for, never the reverse', () => {
    expect(meaningOf('float x = 1')).toBe('float x = 1');
    expect(findingsOf('int x = close')).toEqual([
      'PE110 1:9 x is series int and cannot hold series float. Wrap the value in int(), or declare it as float.',
    ]);
    expect(placesOf('x = 0\nx := 1.5')).toEqual(['PE110 2:6']);
    expect(placesOf('x = 0\nx += 0.5')).toEqual(['PE110 2:1']);
    expect(placesOf('string s = 5\nbool b = "x"')).toEqual(['PE110 1:12', 'PE110 2:10']);
  });

  it('na needs a type and takes the shape of its place', () => {
    expect(findingsOf('x = na')).toEqual(['PE109 1:5 The type of x is not known from na. Write "float x = na".']);
    expect(meaningOf('float x = na\nx := na')).toBe('float x = na:float\nx := na:float');
    expect(meaningOf('color c = na\nline l = na\nint i = close > open ? 1 : na')).toBe(
      'color c = na:color\nline l = na:line\nint i = ((close >:float open) ? 1 : na:int)',
    );
    expect(meaningOf('int x = true ? na : na')).toBe('int x = (true ? na:int : na:int)');
    expect(meaningOf('label.new(bar_index, na)')).toContain('y=na:float');
    expect(placesOf('f() => [1, na]\n[a, b] = f()')).toEqual(['PE109 2:5']);
  });

  it('of a function that can only answer na comes from the place of the call', () => {
    expect(meaningOf('f(x) => x > 0 ? na : na\ncolor c = f(close)')).toBe(
      'color c = ((f#(close) ==:item na:na) ? na:color : na:color)',
    );
  });

  it('a bool is never na in v6, and is in v5', () => {
    expect(placesOf('bool b = na')).toEqual(['PE110 1:10']);
    expect(meaningOf('bool b = na', { version: 5 })).toBe('bool b = na:bool');
    expect(placesOf('b = na(close > open)')).toEqual(['PE110 1:8']);
    expect(placesOf('b = na(close > open)', { version: 5 })).toEqual([]);
  });

  it('a number is a condition in v5 only', () => {
    expect(meaningOf('x = bar_index ? 1 : 2', { version: 5 })).toBe('int x = (bool!(bar_index) ? 1 : 2)');
    expect(meaningOf('bool b = 1\nc = not bar_index and 1', { version: 5 })).toContain('bool b = bool!(1)');
    expect(findingsOf('x = bar_index ? 1 : 2')).toEqual([
      'PE115 1:5 A bool is needed here, not series int. Compare it with something, such as "!= 0".',
    ]);
    expect(placesOf('if "x"\n    1\nwhile close\n    1\ny = not 1')).toEqual(['PE115 1:4', 'PE115 3:7', 'PE115 5:9']);
  });

  it('a call without a value cannot be used', () => {
    expect(findingsOf('a = array.new<int>()\nx = a.clear()')).toEqual([
      'PE112 2:5 This has no value that could be used here. Write it on its own line.',
    ]);
    expect(placesOf('x = if true\n    bgcolor(color.red)')).toContain('PE112 1:5');
  });

  it('tuples are taken apart, into as many names', () => {
    expect(placesOf('x = [1, 2]')).toEqual(['PE113 1:5']);
    expect(placesOf('x = ta.bb(close, 5, 2)')).toEqual(['PE113 1:5']);
    expect(placesOf('[a, b] = ta.bb(close, 5, 2)')).toEqual(['PE113 1:1']);
    expect(placesOf('[a, b] = close')).toEqual(['PE113 1:10']);
    expect(placesOf('f() => [1, [2, 3]]\n[a, b] = f()')).toEqual(['PE113 1:12']);
    expect(placesOf('x = 1\nx := [1, 2]')).toEqual(['PE110 2:6']);
    expect(meaningOf('[a, b] = if close > open\n    [1, true]')).toBe(
      '[a, b] = if (close >:float open) { → [1, true] } else { → [na:int, false] }',
    );
  });
});

describe('the quotient of two ints', () => {
  it('is cut where a whole number is needed, and keeps its fraction elsewhere', () => {
    const script =
      'len = input.int(9)\nhalf = len / 2\na = ta.sma(close, half)\nb = ta.sma(close, len / 2 + 1)\nint c = half';
    expect(meaningOf(script).split('\n').slice(1)).toEqual([
      'float half = (len /:int 2)',
      'float a = ta.sma(source=close, length=int(x=half))',
      'float b = ta.sma(source=close, length=int(x=((len /:int 2) +:float 1)))',
      'float c = half',
    ]);
    expect(meaningOf('x = close[bar_index / 2]')).toBe('float x = close[int(x=(bar_index /:int 2))]');
    expect(placesOf('x = ta.sma(close, close / 2)')).toEqual(['PE110 1:19']);
  });

  it('of two constants is truncated in v5', () => {
    expect(meaningOf('x = 5 / 2', { version: 5 })).toBe('int x = (5 int-quotient:int 2)');
    expect(meaningOf('x = 5 / 2')).toBe('float x = (5 /:int 2)');
    expect(typeOfName('x = bar_index / 2', 'x', { version: 5 })).toBe('series float');
  });
});

describe('qualifiers', () => {
  it('come from the values', () => {
    expect(typeOfName('x = 5', 'x')).toBe('const int');
    expect(typeOfName('x = input.int(5)', 'x')).toBe('input int');
    expect(typeOfName('x = syminfo.mintick', 'x')).toBe('simple float');
    expect(typeOfName('x = close', 'x')).toBe('series float');
    expect(typeOfName('x = 1 + input.int(5) * 2', 'x')).toBe('input int');
    expect(typeOfName('x = chart.is_standard ? 1 : 2', 'x')).toBe('simple int');
    expect(typeOfName('x = if close > open\n    1\nelse\n    2', 'x')).toBe('series int');
    expect(typeOfName('x = switch input.string("a")\n    "a" => 1\n    => 2', 'x')).toBe('input int');
    expect(typeOfName('f(a, b) => a + b\nx = f(1, 2)', 'x')).toBe('const int');
    expect(typeOfName('f(a, b) => a + b\nx = f(1, close)', 'x')).toBe('series float');
  });

  it('are checked against what is asked for', () => {
    expect(placesOf('const float x = close')).toEqual(['PE111 1:17']);
    expect(placesOf('simple int x = bar_index')).toEqual(['PE111 1:16']);
    expect(typeOfName('series int x = 5', 'x')).toBe('series int');
    expect(placesOf('series int x = 5\nplot(ta.ema(close, x))')).toEqual(['PE111 2:20']);
    expect(placesOf('plot(ta.ema(close, bar_index))')).toEqual(['PE111 1:20']);
    expect(placesOf('simple int x = 1\nif close > open\n    x := 2')).toEqual(['PE111 3:10']);
    expect(placesOf('const array<int> a = array.new<int>()')).toEqual([]);
  });

  it('a changed variable is as late known as the latest it is given, and since v6 simple at the earliest', () => {
    const changed = (lines: string) => `l = 5\nn = input.int(7)\n${lines}\nplot(ta.ema(close, l))`;
    expect(placesOf(changed('if chart.is_standard\n    l := math.max(l, n)'))).toEqual([]);
    expect(placesOf(changed('if close > open\n    l := n'))).toEqual(['PE111 5:20']);
    expect(placesOf(changed('l := 6'))).toEqual([]);
    expect(placesOf('t = "a"\nt := "b"\nplot(close, t)')).toEqual(['PE111 3:13']);
    expect(placesOf(changed('for i = 0 to 1\n    l := 6'))).toEqual(['PE111 5:20']);
    expect(placesOf(changed('l := 6'), { version: 5 })).toEqual([]);
    expect(placesOf('var l = 0\nl += 1\nplot(ta.ema(close, l))')).toEqual(['PE111 3:20']);
    expect(typeOfName('var x = 5\nx := 6', 'x')).toBe('series int');
  });

  it('a var that is never changed stays what it was declared with', () => {
    expect(typeOfName('var g = "Group"\nx = input.int(5, group = g)', 'g')).toBe('const string');
  });
});

describe('constants', () => {
  it('are known on variables that never change', () => {
    const variables = variablesOf(programOf('a = 2\nb = a * 3\nvar c = "x"\nd = 1\nd := 2\ne = close'));
    expect(['a', 'b', 'c', 'd', 'e'].map((name) => variables.get(name)?.constant)).toEqual([
      2,
      6,
      'x',
      undefined,
      undefined,
    ]);
  });

  it('are known through functions', () => {
    expect(meaningOf('add(a, b) => a + b\nplot(close, title = add(add("A", " "), "b"))')).toContain('title="A b"');
    expect(meaningOf('f(n) =>\n    m = n * 2\n    m > 5 ? m : -m\nx = f(4)')).toContain('int x = 8');
  });

  it('of display can be added and taken away', () => {
    expect(meaningOf('plot(close, display = display.all - display.status_line)')).toContain(
      'display="data_window+pane+pine_screener+price_scale"',
    );
    expect(meaningOf('plot(close, display = display.pane + display.data_window - display.pane)')).toContain(
      'display="data_window"',
    );
  });
});

describe('operators', () => {
  it('take numbers, texts and equal kinds', () => {
    expect(meaningOf('x = "a" + "b"\ny = 1 + 2.0\nz = #000000 == #FFFFFF\nw = true != false')).toBe(
      [
        'string x = ("a" +:string "b")',
        'float y = (1 +:float 2.0)',
        'bool z = (255 ==:item 4294967295)',
        'bool w = (true !=:item false)',
      ].join('\n'),
    );
  });

  it('compare with na itself in v5 only', () => {
    expect(meaningOf('v = 1 == na', { version: 5 })).toBe('bool v = (1 ==:int na:int)');
    expect(findingsOf('v = 1 == na')).toEqual([
      'PE114 1:5 "==" does not take const int and na. Ask na() whether there is a value.',
    ]);
  });

  it('tell lines and labels apart, and no other objects since v6', () => {
    const lines = 'a = line.new(0, 0, 1, 1)\nb = box.new(0, 1, 1, 0)\nx = a == a\n';
    expect(placesOf(lines)).toEqual([]);
    expect(placesOf(`${lines}y = b == b\nz = a != b`)).toEqual(['PE114 4:5', 'PE114 5:5']);
    expect(placesOf(`${lines}y = b == b`, { version: 5 })).toEqual([]);
  });

  it('refuse the rest, with a remedy where there is one', () => {
    expect(findingsOf('x = "a" + 1')).toEqual([
      'PE114 1:5 "+" does not take const string and const int. Turn the other side into text with str.tostring().',
    ]);
    expect(placesOf('a = "x" < "y"\nb = true + 1\nc = -"x"\nd = color.red == 1\ne = "x" == true')).toEqual([
      'PE114 1:5',
      'PE114 2:5',
      'PE114 3:5',
      'PE114 4:5',
      'PE114 5:5',
    ]);
    expect(placesOf('x = true ? 1 : "a"')).toEqual(['PE116 1:5']);
  });

  it('and and or look at the right side only when they must since v6', () => {
    const lazy = (version: 5 | 6) => {
      const [, declared] = programOf('x = close > open and high > low', { version }).main.statements;
      return declared?.kind === 'declare' && declared.value.kind === 'binary' && declared.value.lazy;
    };
    expect([lazy(5), lazy(6)]).toEqual([false, true]);
  });
});

describe('history', () => {
  it('is kept as deep as constants ask, and of anything else without a bound', () => {
    const variables = variablesOf(
      programOf('a = close\nb = a[1] + a[5]\nc = b[bar_index]\nn = 3\nd = a[n]\ne = open\nf = e[20000]'),
    );
    expect(['a', 'b', 'c', 'e'].map((name) => variables.get(name)?.history)).toEqual([5, 'any', 0, 'any']);
  });

  it('reads series of every kind', () => {
    expect(placesOf('x = (high + low)[1]\ny = ta.sma(close, 3)[2]\nvar l = array.new<int>()\nz = l[1]')).toEqual([]);
  });

  it('refuses what has none', () => {
    expect(placesOf('x = close[1][2]')).toEqual(['PE039 1:5']);
    expect(placesOf('x = (close[1])[2]')).toEqual([]);
    expect(placesOf('x = close[-1]')).toEqual(['PE117 1:11']);
    expect(placesOf('x = close[1.5]\ny = close["a"]')).toEqual(['PE117 2:11']);
    expect(placesOf('x = 5[1]\ny = color.red[1]')).toEqual(['PE117 1:5', 'PE117 2:5']);
    expect(placesOf('x = 5[1]', { version: 5 })).toEqual([]);
    expect(placesOf('x = [1, 2][1]')).toContain('PE117 1:5');
  });

  it('of a field is read through the earlier object since v6', () => {
    const type = 'type T\n    float p\nvar t = T.new(1.0)\n';
    expect(placesOf(`${type}x = t.p[1]`)).toEqual(['PE117 4:5']);
    expect(placesOf(`${type}x = t.p[1]`, { version: 5 })).toEqual([]);
    expect(placesOf(`${type}x = (t[1]).p`)).toEqual([]);
  });
});
