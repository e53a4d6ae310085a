// Names that hide others: which declarations are warned about, as TradingView's compiler was seen to do.

import { describe, expect, it } from 'vitest';
import { findingsOf, placesOf } from './testing/checked.ts';

describe('a variable of a block with the name of one outside', () => {
  it('is warned about in every form of a declaration', () => {
    const snippet = `a = 0.0
b = 0.0
c = 0.0
d = 0.0
i = 0
f(x) =>
    d = x * 2
    d
if close > open
    a = ta.sma(close, 14)
    var b = 2.0
    float c = 3.0
    label.new(bar_index, a + b + c)
for i = 0 to 3
    label.new(i, close)
plot(a + b + c + d + i + f(close))`;
    const hiding = ['PE152 7:5', 'PE152 10:5', 'PE152 11:9', 'PE152 12:11', 'PE152 14:5'];
    expect(placesOf(snippet).filter((place) => place.startsWith('PE15'))).toEqual(hiding);
    expect(placesOf(snippet, { version: 5 }).filter((place) => place.startsWith('PE15'))).toEqual(hiding);
  });

  it('is warned about once, however often its function is called', () => {
    const snippet = 'd = 1\nf(x) =>\n    d = x\n    d\nplot(f(1) + f(close))\nlabel.new(f(2), d)';
    expect(findingsOf(snippet)).toEqual([
      'PE152 3:5 d hides the d outside of this block, which keeps its value. Write ":=" to change that one, or choose another name.',
    ]);
  });

  it('is told in a tuple for each of its names', () => {
    const snippet =
      'm = 0.0\nn = 0.0\nif barstate.isfirst\n    [m, n] = ta.supertrend(3, 10)\n    log.info("{0} {1}", m, n)';
    expect(placesOf(snippet).filter((place) => place.startsWith('PE15'))).toEqual(['PE152 4:6', 'PE152 4:9']);
  });

  it('hides that of a block around it just as well', () => {
    const snippet =
      'k(z) =>\n    w = z * 2\n    if z > 0\n        w = z * 3\n        log.info("{0}", w)\n    w\nplot(k(close))';
    expect(placesOf(snippet)).toEqual(['PE152 4:9']);
    const loops = 'for i = 0 to 1\n    for i = 0 to 2\n        log.info("{0}", i)';
    expect(placesOf(loops)).toEqual(['PE152 2:9']);
  });

  it('hides nothing that is declared further down, and nothing of a block beside it', () => {
    expect(placesOf('g(y) =>\n    e = y * 2\n    e\ne = 1.0\nplot(g(close) + e)')).toEqual([]);
    expect(
      placesOf('if close > open\n    x = 1\n    log.info("{0}", x)\nelse\n    x = 2\n    log.info("{0}", x)'),
    ).toEqual([]);
    expect(placesOf('x = switch\n    close > open => 1\n    => 2\nplot(x)')).toEqual([]);
    expect(placesOf('x = if close > open\n    y = 1\n    y\ny = 2\nplot(x + y)')).toEqual([]);
  });

  it('may be a parameter, or be changed with ":="', () => {
    expect(placesOf('xp = 0.0\nh(xp) => xp * 2\nplot(h(close) + xp)')).toEqual([]);
    expect(placesOf('x = 0.0\nif close > open\n    x := 1\nplot(x)')).toEqual([]);
    expect(
      placesOf('_ = 0.0\nif close > open\n    [_, b] = ta.supertrend(3, 10)\n    log.info("{0}", b)'),
    ).not.toContain('PE152 3:6');
  });

  it('counts types among what is outside, and not functions or namespaces', () => {
    expect(placesOf('type hz\n    int x\nf() =>\n    hz hz = hz.new(1)\n    hz.x\nplot(f())')).toEqual(['PE152 4:8']);
    expect(placesOf('f() =>\n    g = 1\n    g\ng() => 2\nplot(f() + g())')).toEqual([]);
  });

  it('is an error and nothing else where v6 has it so', () => {
    expect(placesOf('f(x) =>\n    x = 1\n    x\nplot(f(2))')).toEqual(['PE108 2:5']);
    expect(placesOf('if true\n    x = 1\n    x = 2\n    log.info("{0}", x)')).toEqual(['PE108 3:5']);
  });
});

describe('a variable with the name of a built-in variable', () => {
  it('is warned about in every block, also the outermost', () => {
    expect(findingsOf('hl2 = 1.0\nplot(hl2)')).toEqual([
      'PE151 1:1 hl2 hides the built-in variable hl2. Choose another name.',
    ]);
    expect(placesOf('var hlc3 = 2.0\nplot(hlc3)', { version: 5 })).toEqual(['PE151 1:5']);
    expect(placesOf('if barstate.isfirst\n    hl2 = 1.0\n    log.info("{0}", hl2)')).toEqual(['PE151 2:5']);
    expect(placesOf('for time = 0 to 2\n    log.info("{0}", time)')).toEqual(['PE151 1:5']);
  });

  it('is an error and nothing else in v6 where the built-in was used above', () => {
    expect(placesOf('if close > open\n    open = 1.0\n    log.info("{0}", open)')).toEqual(['PE108 2:5']);
    expect(placesOf('if close > open\n    open = 1.0\n    log.info("{0}", open)', { version: 5 })).toEqual([
      'PE151 2:5',
    ]);
  });

  it('is not told twice where it also hides one of the script', () => {
    expect(placesOf('hl2 = 1.0\nif barstate.isfirst\n    hl2 = 2.0\n    log.info("{0}", hl2)\nplot(hl2)')).toEqual([
      'PE151 1:1',
      'PE151 3:5',
    ]);
  });

  it('may be a parameter; functions, namespaces and names of another version are no variables', () => {
    expect(placesOf('f(close) => close * 2\nplot(f(1))')).toEqual([]);
    expect(placesOf('nz = 1.0\nstr = "a"\nvwap = 2.0\nplot(nz + vwap)\nlog.info(str)')).toEqual([]);
  });
});
