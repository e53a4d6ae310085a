// Names: what is not declared, declared twice, declared too late, or may not be changed.

import { describe, expect, it } from 'vitest';
import { findingsOf, meaningOf, placesOf, programOf } from './testing/checked.ts';

describe('a name that is not declared', () => {
  it('is reported with the nearest name the script has', () => {
    expect(findingsOf('length = 5\nplot(lenght)')).toEqual(['PE103 2:6 lenght is not declared. Did you mean length?']);
  });

  it('is reported with the nearest built-in', () => {
    expect(findingsOf('plot(clsoe)')).toEqual(['PE103 1:6 clsoe is not declared. Did you mean close?']);
    expect(findingsOf('plot(ta.smaa(close, 5))')).toEqual([
      'PE104 1:6 There is no function ta.smaa(). Did you mean ta.sma?',
    ]);
    expect(findingsOf('plot(syminfo.minticks)')[0]).toContain('Did you mean syminfo.mintick?');
  });

  it('of Pine v4 is reported with what replaced it', () => {
    expect(findingsOf('plot(sma(close, 5))')).toEqual(['PE104 1:6 There is no function sma(). Did you mean ta.sma?']);
    expect(findingsOf('plot(close, color = red)')).toEqual(['PE103 1:21 red is not declared. Did you mean color.red?']);
    expect(findingsOf('plot(iff(true, 1, 2))')[0]).toContain('Use the ?: operator.');
  });

  it('is not mistaken for a distant name of a namespace', () => {
    expect(findingsOf('plot(inner)')).toEqual(['PE103 1:6 inner is not declared.']);
  });

  it('that means something else says what', () => {
    const types = 'type T\n    int x\nenum E\n    a\nf() => 1\n';
    expect(findingsOf(`${types}x = T`)).toEqual([
      'PE122 6:5 T is a type, not a value. Write T.new() for a new object.',
    ]);
    expect(findingsOf(`${types}x = E`)).toEqual([
      'PE122 6:5 E is an enum, not a value. Write one of its members after a dot.',
    ]);
    expect(findingsOf(`${types}x = f`)).toEqual(['PE122 6:5 f is a function, not a value. Write f(…).']);
    expect(findingsOf('x = ta')).toEqual(['PE122 1:5 ta is a namespace, not a value. Write a name of it after a dot.']);
    expect(findingsOf('x = ta.sma')).toEqual(['PE122 1:5 ta.sma is a function, not a value. Write ta.sma(…).']);
    expect(findingsOf('x = 1\ny = x()')).toEqual([
      'PE121 2:5 x is a variable, not a function. Leave out the parentheses.',
    ]);
    expect(placesOf('type T\n    int x\ny = T(1)')).toEqual(['PE121 3:5']);
  });

  it('of another version says so', () => {
    expect(findingsOf('plot(bid)', { version: 5 })[0]).toMatch(/^PE103 1:6/);
    expect(findingsOf('x = text.format_bold', { version: 5 })).toEqual([
      'PE130 1:5 text.format_bold exists only since Pine v6.',
    ]);
  });
});

describe('every mistake is reported once, and none hides another', () => {
  it('a name with a faulty declaration fits everywhere', () => {
    const script = 'x = unknown1\ny = x + "text"\nz = x ? 1 : 2\nplot(ta.sma(x, 5))\nx.push(1)\nx := 5\nplot("a")';
    expect(placesOf(script)).toEqual(['PE103 1:5', 'PE110 7:6']);
  });

  it('a call with a faulty argument is still looked at', () => {
    expect(placesOf('plot(ta.sma(unknown1, "x"))')).toEqual(['PE103 1:13', 'PE110 1:23']);
    expect(placesOf('x = nz(unknown1) + 1\ny = math.max(unknown1, 2) and true')).toEqual(['PE103 1:8', 'PE103 2:14']);
    expect(placesOf('a = array.from(unknown1)\na.push("x")\nb = array.new<Foo>()\nb.push(1)')).toEqual([
      'PE103 1:16',
      'PE105 3:15',
    ]);
  });

  it('a name that is given a value without a declaration is blamed once', () => {
    expect(placesOf('x := 1\nx := 2\nplot(x)')).toEqual(['PE103 1:1']);
  });

  it('the same mistake in two instances of a function is one', () => {
    expect(placesOf('f(x) => x + unknown1\na = f(1)\nb = f(1.5)')).toEqual(['PE103 1:13']);
  });
});

describe('declarations', () => {
  it('stand above every use', () => {
    expect(placesOf('y = x\nx = 1')).toEqual(['PE107 1:5']);
    expect(placesOf('x = nz(x[1]) + 1')).toEqual(['PE107 1:8']);
    expect(placesOf('x := 2\nx = 1')).toEqual(['PE107 1:1']);
    expect(placesOf('f() => later\nlater = 1\nplot(f())')).toEqual(['PE107 1:8']);
    expect(placesOf('plot(f())\nf() => 1')).toEqual(['PE107 1:6']);
    expect(placesOf('x = T.new()\ntype T\n    int n')).toEqual(['PE107 1:5']);
  });

  it('cannot be repeated in a block, but in an inner one', () => {
    expect(findingsOf('x = 1\nx = 2')).toEqual([
      'PE108 2:1 x is already declared in this block. Write ":=" to give x another value, or choose another name.',
    ]);
    const inner = 'x = 1\nif true\n    x = "a"\n    x := "b"\nplot(x)';
    expect(meaningOf(inner, { mayWarn: true })).toContain('string x = "a"; x := "b"');
  });

  it('may take the name of a built-in variable, namespace or function', () => {
    expect(meaningOf('close = 5\ny = close', { mayWarn: true })).toBe('int close = 5\nint y = close');
    expect(meaningOf('color = color.red\ny = color.new(color, 50)')).toContain('color.new(color=color');
    expect(meaningOf('line = line.new(0, 1, 2, 3)\nline.delete()\nline.delete(line)')).toContain(
      'line.delete(id=line)',
    );
    expect(meaningOf('sma = ta.sma(close, 3)\nplot(sma)')).toContain('series=sma');
  });

  it('end with their block', () => {
    expect(placesOf('if true\n    x = 1\nplot(x)\nfor i = 0 to 1\n    i\nplot(i)')).toEqual(['PE103 3:6', 'PE103 6:6']);
  });

  it('called _ are thrown away and can be repeated', () => {
    expect(meaningOf('[_, up, _] = ta.bb(close, 5, 2)\nfor _ = 0 to 3\n    up')).toContain('[_, up, _] =');
    expect(placesOf('_ = 1\nplot(_)')).toEqual(['PE103 2:6']);
  });
});

describe('what cannot be changed', () => {
  it('is a constant, a parameter, a loop variable, a built-in, or a global from inside a function', () => {
    expect(placesOf('const int x = 1\nx := 2')).toEqual(['PE118 2:1']);
    expect(placesOf('f(x) =>\n    x := 1\n    x\nplot(f(1))')).toEqual(['PE118 2:5']);
    expect(placesOf('for i = 0 to 3\n    i := 5')).toEqual(['PE118 2:5']);
    expect(placesOf('for v in array.from(1)\n    v += 5')).toEqual(['PE118 2:5']);
    expect(placesOf('close := 1')).toEqual(['PE118 1:1']);
    expect(placesOf('g = 0\nf() =>\n    g := 1\n    g\nplot(f())')).toEqual(['PE119 3:5']);
    expect(placesOf('color.red := 1')).toEqual(['PE118 1:1']);
  });

  it('does not count a field, nor a local of the same name', () => {
    const script =
      'type T\n    int n = 0\nvar t = T.new()\nf() =>\n    t.n := 1\n    g = 1\n    g := 2\n    g\ng = 0\nplot(f())';
    expect(placesOf(script)).toEqual([]);
  });
});

describe('the declaration of the script', () => {
  it('is needed once', () => {
    expect(placesOf('indicator("again")')).toEqual(['PE102 1:1']);
    expect(programOf('').title).toBe('T');
  });
});
