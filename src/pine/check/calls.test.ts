// Calls: arguments and defaults of built-ins, user functions and their instances, methods, and generic functions.

import { describe, expect, it } from 'vitest';
import { findingsOf, meaningOf, placesOf, programOf, typeOfName } from './testing/checked.ts';

describe('calls of built-ins', () => {
  it('have a value for every parameter of the version, except for defaults in words', () => {
    expect(meaningOf('x = ta.pivothigh(3, 2)')).toBe('float x = ta.pivothigh(leftbars=3, rightbars=2)');
    expect(meaningOf('x = nz(close)')).toBe('float x = nz(source=close, replacement=0)');
    expect(meaningOf('hline(5)')).toContain('hline(price=5, color=');
    expect(meaningOf('hline(5)')).not.toContain('title');
    expect(meaningOf('a = array.new<int>(2)\nb = array.new_bool()')).toBe(
      'array<int> a = array.new<int>(size=2, initial_value=na:int)\narray<bool> b = array.new_bool(size=0, initial_value=false)',
    );
    expect(meaningOf('b = array.new_bool()', { version: 5 })).toContain('initial_value=na:bool');
    expect(meaningOf('x = chart.point.now()')).toContain('price=close');
  });

  it('say what is wrong with the arguments, at the argument', () => {
    expect(placesOf('x = ta.sma(close)')).toEqual(['PE127 1:5']);
    expect(placesOf('x = ta.sma(close, 5, 6)')).toEqual(['PE123 1:22']);
    expect(placesOf('x = ta.sma(source = close, 5)')).toEqual(['PE124 1:28']);
    expect(placesOf('x = ta.sma(close, len = 5)')).toEqual(['PE126 1:19']);
    expect(placesOf('x = ta.sma(close, "a")')).toEqual(['PE110 1:19']);
    expect(placesOf('plotshape(true, style = location.top)')).toEqual(['PE128 1:17']);
    expect(placesOf('x = array.new()\ny = ta.sma<int>(close, 1)')).toEqual(['PE129 1:5', 'PE129 2:5']);
    expect(placesOf('x = close(1)\ny = f()()')).toContain('PE104 1:5');
  });

  it('know what each version has', () => {
    expect(placesOf('plot(close, transp = 50)')).toEqual(['PE130 1:13']);
    expect(placesOf('plot(close, transp = 50)', { version: 5 })).toEqual([]);
    expect(placesOf('strategy.close("a", when = true)')).toEqual(['PE130 1:21']);
  });

  it('with an argument given twice are wrong since v6, and warned of before', () => {
    expect(placesOf('plot(close, color = color.red, color = color.blue)')).toEqual(['PE125 1:32']);
    expect(programOfWarned()).toBe(true);
  });

  it('take a text from a list only if it is on it', () => {
    expect(placesOf('f = strategy.close_all\n')).toEqual(['PE122 1:5']);
    expect(placesOf('x = request.financial("A", "B", "XX")')).toEqual(['PE128 1:33']);
  });
});

function programOfWarned(): boolean {
  const script = 'plot(close, color = color.red, color = color.blue)';
  return findingsOf(script, { version: 5 })[0]!.includes('the first one counts');
}

describe('user functions', () => {
  it('have one instance per combination of types', () => {
    const { functions } = programOf('f(x) => x + x\na = f(1)\nb = f(2)\nc = f(close)\nd = f(open)\ne = f("s")');
    expect(
      functions.map(
        ({ parameters }) => `${parameters[0]!.type.qualifier} ${JSON.stringify(parameters[0]!.type.shape)}`,
      ),
    ).toEqual([
      'const {"kind":"scalar","name":"int"}',
      'series {"kind":"scalar","name":"float"}',
      'const {"kind":"scalar","name":"string"}',
    ]);
  });

  it('take arguments by place and name, and fill in defaults', () => {
    expect(meaningOf('f(float x, int n = 5, s = close) => x + n + s\na = f(1, s = open)')).toBe(
      'float a = f#(1, 5, open)',
    );
    expect(meaningOf('f(bool b, color c = na) => b ? c : color.red\nx = f(close > 0)')).toContain(', na:color)');
    expect(meaningOf('f(bool b) => b\nx = f(bar_index)', { version: 5 })).toBe('bool x = f#(bool!(bar_index))');
  });

  it('say what is wrong with the arguments', () => {
    const f = 'f(int a, simple string b = "x") => a\n';
    expect(placesOf(`${f}x = f()`)).toEqual(['PE127 2:5']);
    expect(placesOf(`${f}x = f(1, "a", 2)`)).toEqual(['PE123 2:15']);
    expect(placesOf(`${f}x = f(a = 1, "b")`)).toEqual(['PE124 2:14']);
    expect(placesOf(`${f}x = f(1, a = 2)`)).toEqual(['PE125 2:10']);
    expect(placesOf(`${f}x = f(1, bb = "2")`)).toEqual(['PE126 2:10']);
    expect(placesOf(`${f}x = f("1")`)).toEqual(['PE110 2:7']);
    expect(placesOf(`${f}x = f(1, str.tostring(close))`)).toEqual(['PE111 2:10']);
    expect(placesOf('f(x) => x\ny = f([1, 2])')).toEqual(['PE113 2:7']);
    expect(placesOf(`${f}x = f<int>(1)`)).toEqual(['PE129 2:5']);
  });

  it('are chosen by the types of their parameters', () => {
    const forms =
      'size(int x) => "int"\nsize(float x) => "float"\nsize(string x) => "text"\nsize(int x, int y) => "two"\n';
    expect(meaningOf(`${forms}a = size(1)\nb = size(1.5)\nc = size("s")\nd = size(1, 2)`)).toBe(
      'string a = "int"\nstring b = "float"\nstring c = "text"\nstring d = "two"',
    );
    expect(placesOf(`${forms}x = size(true)`)).toEqual(['PE110 5:10']);
    expect(placesOf('f(int x) => 1\nf(int y) => 2')).toEqual(['PE108 2:1']);
  });

  it('are looked at even when nobody calls them', () => {
    expect(placesOf('f(x, int n) =>\n    y = ta.ema(x, n)\n    y + unknown1')).toEqual(['PE103 3:9']);
  });

  it('see what stands above them, at any call', () => {
    const snippet = 'a = bar_index\nf() => a\nif true\n    a = 5\n    x = f()\n    x + a';
    expect(meaningOf(snippet, { mayWarn: true })).toContain('int x = f#()');
  });

  it('cannot call themselves, also not through others', () => {
    expect(findingsOf('f(x) => x > 0 ? f(x - 1) : 0\ny = f(3)')[0]).toContain('f → f');
    expect(findingsOf('f(x) => g(x)\ng(x) => f(x)\ny = g(3)')[0]).toContain('f → g → f');
    expect(findingsOf('f(x) => g(x)\ng(x) => h(x)\nh(x) => f(x)\ny = h(3)')[0]).toContain('f → g → h → f');
  });

  it('have well-formed parameters', () => {
    expect(placesOf('f(x, x) => x')).toEqual(['PE136 1:6']);
    expect(placesOf('f(x = 1, y) => x')).toEqual([]);
    expect(placesOf('f(x = 1, y) => x\nz = f(2)')).toEqual(['PE127 2:5']);
    expect(placesOf('f(int x = "a") => x\ny = f()')).toEqual(['PE110 1:11']);
    expect(placesOf('method f(x) => x')).toEqual(['PE136 1:10']);
  });

  it('return tuples and nothing', () => {
    expect(meaningOf('f() => [close, bar_index]\n[a, b] = f()')).toBe('[a, b] = f#()');
    expect(placesOf('f() => label.delete(label(na))\nx = f()')).toEqual(['PE112 2:5']);
    expect(meaningOf('f() =>\n    [a, b, c] = ta.dmi(3, 3)\n[x, y, z] = f()')).toBe('[x, y, z] = f#()');
  });
});

describe('methods', () => {
  it('of built-in types stand after a dot, one after another', () => {
    expect(meaningOf('a = array.from(1, 2)\nx = a.copy().slice(0, 1).size()')).toBe(
      'array<int> a = array.from(arg=1, arg=2)\nint x = array.size(id=array.slice(id=array.copy(id=a), index_from=0, index_to=1))',
    );
    expect(meaningOf('l = label.new(0, 0)\nl.set_text("x")')).toContain('label.set_text(id=l, text="x")');
    expect(meaningOf('a = array.new<float>()\na.push(na)\na.push(1)')).toContain(
      'value=na:float)\narray.push(id=a, value=1)',
    );
  });

  it('of the script work on any type, as methods and as functions', () => {
    const script =
      'method twice(float x) => x * 2\nmethod twice(string s) => s + s\na = close.twice()\nb = "x".twice()\nc = twice(open)';
    expect(meaningOf(script)).toBe('float a = twice#(close)\nstring b = "xx"\nfloat c = twice#(open)');
  });

  it('that do not exist are reported with the nearest', () => {
    expect(findingsOf('a = array.new<int>()\na.pusj(1)')).toEqual([
      'PE106 2:3 array<int> has no method pusj(). Did you mean push?',
    ]);
    expect(placesOf('f(x) => x\ny = close.f()')).toEqual(['PE121 2:5']);
    expect(placesOf('x = close.foo()')).toEqual(['PE106 1:11']);
    expect(placesOf('a = array.new<int>()\na.push("x")')).toEqual(['PE110 2:8']);
  });
});

describe('generic functions', () => {
  it('take every type of the script', () => {
    const types = 'type P\n    int x\nenum E\n    a\n';
    expect(typeOfName(`${types}x = map.new<E, P>()`, 'x')).toBe('map<E, P>');
    expect(typeOfName(`${types}x = array.new<P>(1, P.new(1)).get(0)`, 'x')).toBe('P');
    expect(typeOfName('x = matrix.new<chart.point>()', 'x')).toBe('matrix<chart.point>');
    expect(typeOfName('int[] x = na', 'x')).toBe('array<int>');
  });

  it('refuse collections in collections and odd keys', () => {
    expect(placesOf('array<array<int>> x = na')).toEqual(['PE129 1:1']);
    expect(placesOf('map<line, int> x = na')).toEqual(['PE129 1:1']);
    expect(placesOf('array x = na\nfloat<int> y = na\nmap<int> z = na')).toEqual([
      'PE129 1:1',
      'PE129 2:1',
      'PE129 3:1',
    ]);
    expect(findingsOf('flaot x = 1')[0]).toContain('Did you mean float?');
  });
});
