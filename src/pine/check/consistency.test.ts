// Warnings about what depends on earlier bars and does not run once on every bar: where there is one, and where none.

import { describe, expect, it } from 'vitest';
import { allEntries } from '../builtins/index.ts';
import { MAX_FINDINGS } from './faults.ts';
import { checkText, findingsOf, placesOf, scriptOf } from './testing/checked.ts';

const V5 = { version: 5 } as const;

describe('a call that keeps a state', () => {
  it('is warned about once, with a remedy, and the script still runs', () => {
    const snippet = 'float x = na\nif close > open\n    x := ta.sma(close, 5)\nplot(x)';
    expect(findingsOf(snippet)).toEqual([
      "PE146 3:10 The function 'ta.sma' should be called on each calculation for consistency: here it does not run once on every bar. Call it outside on every bar, give its result a name, and use the name here.",
    ]);
    const { program, diagnostics } = checkText(scriptOf(snippet));
    expect(program).not.toBeNull();
    expect(diagnostics.map(({ severity, span }) => [severity, span.end - span.start])).toEqual([
      ['warning', 'ta.sma(close, 5)'.length],
    ]);
  });

  it('in a branch of an if, whose first condition always runs and whose others may not', () => {
    expect(
      placesOf('if close > ta.sma(close, 5)\n    x = ta.ema(close, 5)\nelse if ta.rsi(close, 5) > 50\n    y = 1'),
    ).toEqual(['PE146 2:9', 'PE146 3:9']);
    expect(placesOf('x = if close > open\n    1.0\nelse\n    ta.ema(close, 5)\nplot(x)')).toEqual(['PE146 4:5']);
    expect(placesOf('if close > open\n    if true\n        x = ta.ema(close, 5)')).toEqual(['PE146 3:13']);
  });

  it('in an arm of a switch, whose first comparison always runs and whose others may not', () => {
    expect(placesOf('x = switch\n    close > ta.sma(close, 3) => ta.ema(close, 3)\n    => ta.rma(close, 3)')).toEqual([
      'PE146 2:33',
      'PE146 3:8',
    ]);
    expect(placesOf('x = switch bar_index\n    int(ta.sma(1, 3)) => 1\n    int(ta.ema(1, 3)) => 2\n    => 3')).toEqual([
      'PE146 3:9',
    ]);
  });

  it('on either side of a ternary, not in its condition', () => {
    expect(placesOf('x = ta.rsi(close, 3) > 50 ? ta.sma(close, 3) : ta.ema(close, 3)')).toEqual([
      'PE146 1:29',
      'PE146 1:48',
    ]);
    expect(placesOf('x = close > open ? ta.sma(close, 3) : na', V5)).toEqual(['PE146 1:20']);
  });

  it('on the right of and and or since v6, where it is looked at only when it matters', () => {
    const snippet = 'x = ta.cross(close, open) and ta.rising(close, 2)\ny = close > open or ta.falling(close, 2)';
    expect(placesOf(snippet)).toEqual(['PE146 1:31', 'PE146 2:21']);
    expect(placesOf(snippet, V5)).toEqual([]);
    expect(placesOf('x = close > open\nx := x == true and ta.rising(close, 2)')).toEqual(['PE146 2:20']);
  });

  it('in a loop of any kind, also where the loop asks again before every turn', () => {
    expect(placesOf('for i = 0 to 3\n    x = ta.sma(close, 3)')).toEqual(['PE146 2:9']);
    expect(placesOf('for x in array.from(1, 2)\n    y = ta.sma(x, 3)')).toEqual(['PE146 2:9']);
    expect(placesOf('while ta.sma(close, 3) < 0\n    x = ta.ema(close, 3)')).toEqual(['PE146 1:7', 'PE146 2:9']);
    expect(placesOf('for i = int(ta.sma(1, 3)) to int(ta.ema(1, 3))\n    x = i')).toEqual(['PE146 1:34']);
    expect(placesOf('for i = 0 to int(ta.ema(1, 3))\n    x = i', V5)).toEqual([]);
    expect(placesOf('once close > open\n    x = ta.sma(close, 3)')).toEqual(['PE146 2:9']);
  });

  it('as an argument of something else, each of them', () => {
    expect(placesOf('x = close > open ? math.max(ta.sma(ta.rsi(close, 3), 5), 1) : na')).toEqual([
      'PE146 1:29',
      'PE146 1:36',
    ]);
  });

  it('may be fixnan or math.sum', () => {
    expect(placesOf('x = close > open ? fixnan(close) + math.sum(close, 3) : na')).toEqual([
      'PE146 1:20',
      'PE146 1:36',
    ]);
  });
});

describe('nothing is said', () => {
  it('outside of blocks', () => {
    expect(placesOf('x = ta.sma(close, 3)\n[a, b, d] = ta.macd(x, 3, 5, 2)\nplot(ta.ema(x + a, 3))')).toEqual([]);
  });

  it('where the condition is known before the first bar', () => {
    const input = 'kind = input.string("a")\non = input.bool(true)\n';
    expect(placesOf(`${input}x = on ? ta.sma(close, 3) : ta.ema(close, 3)`)).toEqual([]);
    expect(placesOf(`${input}x = on and ta.rising(close, 3)`)).toEqual([]);
    expect(placesOf(`${input}if on or timeframe.isdaily\n    x = ta.sma(close, 3)`)).toEqual([]);
    expect(placesOf(`${input}x = switch kind\n    "a" => ta.sma(close, 3)\n    => ta.ema(close, 3)`)).toEqual([]);
  });

  it('where a variable of the condition is given only what is known before the first bar', () => {
    const known = 'n = 10\nif input.bool(true)\n    n := 20\nm = n * 2\n';
    expect(placesOf(`${known}x = m > 30 ? ta.sma(close, 3) : ta.ema(close, 3)`)).toEqual([]);
    const late = 'n = 10\nif close > open\n    n := 20\nm = n * 2\n';
    expect(placesOf(`${late}x = m > 30 ? ta.sma(close, 3) : ta.ema(close, 3)`)).toHaveLength(2);
    expect(placesOf(`${known}k = 1\nk := bar_index\nx = k > 3 ? ta.sma(close, m) : na`)).toEqual(['PE146 7:13']);
  });

  it('about functions that keep nothing of earlier bars', () => {
    const calls = ['math.max(1, 2)', 'nz(close[1])', 'ta.tr(true)', 'math.random()', 'ta.obv', 'na(close)'];
    expect(placesOf(`if close > open\n    x = str.tostring(${calls.join(' == ')})`).length).toBeGreaterThan(0);
    for (const call of calls) expect(placesOf(`if close > open\n    x = ${call}`), call).toEqual([]);
    expect(placesOf('if close > open\n    label.new(bar_index, close)\n    alert("up")')).toEqual([]);
  });

  it('about what a request works out on the bars of its own chart, except for its arguments', () => {
    expect(placesOf('x = close > open ? request.security("A", "D", close) : na')).toEqual([]);
  });

  it('about other built-ins than these', () => {
    const names = allEntries().flatMap((entry) =>
      entry.kind === 'function' && entry.namespace !== 'ta' && entry.overloads.some(({ stateful }) => stateful)
        ? [entry.name]
        : [],
    );
    expect(names.filter((name) => !name.startsWith('request.')).toSorted()).toEqual([
      'alert',
      'fixnan',
      'math.random',
      'math.sum',
    ]);
  });
});

describe('a function of the script', () => {
  const branch = (call: string) => `if close > open\n    x = ${call}`;

  it('is warned about where it is called, when it keeps a state or reads its own past', () => {
    expect(findingsOf(`f(s) => ta.sma(s, 3)\n${branch('f(close)')}`)[0]).toContain("The function 'f' should");
    expect(placesOf(`f(s) => s[1]\n${branch('f(close)')}`)).toEqual(['PE146 3:9']);
    expect(placesOf(`f(s) =>\n    y = s * 2\n    y[1]\n${branch('f(close)')}`)).toEqual(['PE146 5:9']);
    expect(placesOf(`f(s) => (s + 1)[1]\ng(s) => f(s)\n${branch('g(close)')}`)).toEqual(['PE146 4:9']);
    expect(placesOf(`method f(float s) => s[1]\n${branch('close.f()')}`)).toEqual(['PE146 3:9']);
    expect(placesOf(`v = close * 2\nf() => v[1]\n${branch('f()')}`)).toEqual(['PE146 4:9']);
    expect(placesOf(`f() => bar_index[1]\n${branch('f()')}`)).toEqual(['PE146 3:9']);
  });

  it('is not, when its value is made of this bar or of the prices of the chart', () => {
    expect(placesOf(`f(s) => s[0] + 1\n${branch('f(close)')}`)).toEqual([]);
    expect(placesOf(`f() => close[1]\n${branch('f()')}`)).toEqual([]);
    expect(placesOf(`v = close * 2\nf() => v\n${branch('f()')}`)).toEqual([]);
    expect(placesOf(`f() =>\n    var n = 0\n    n += 1\n    n\n${branch('f()')}`)).toEqual([]);
  });

  it('is judged by its conditions with the values it is called with, and told once', () => {
    const choose =
      'f(string kind, float s) =>\n    switch kind\n        "a" => ta.sma(s, 3)\n        => ta.ema(s, 3)\n';
    expect(placesOf(`${choose}x = f(input.string("a"), close)\ny = f("b", open)`)).toEqual([]);
    expect(placesOf(`${choose}x = f(close > open ? "a" : "b", close)\ny = f(str.tostring(close), open)`)).toEqual([
      'PE146 3:16',
      'PE146 4:12',
    ]);
  });

  it('starts anew: what is around its call does not count inside of it', () => {
    expect(placesOf(`f(s) =>\n    a = ta.sma(s, 3)\n    a\n${branch('f(close)')}`)).toEqual(['PE146 5:9']);
  });

  it('of a library counts where it is called, and its own text is not told', () => {
    const source =
      '//@version=6\nlibrary("L")\nexport f(float s) => s > 1 ? ta.sma(s, 3) : s\nexport g(float s) => s * 2';
    const libraries = [{ namespace: 'me', name: 'L', version: 1, source }];
    const use = 'import me/L/1 as l\n';
    expect(placesOf(`${use}x = l.f(close)`, { libraries })).toEqual([]);
    expect(placesOf(`${use}x = close > open ? l.f(close) + l.g(close) : na`, { libraries })).toEqual(['PE146 2:20']);
  });
});

describe('the past of a variable', () => {
  it('of a block that does not run once on every bar is warned about at every reading', () => {
    expect(findingsOf('if close > open\n    v = close\n    x = v[1]')).toEqual([
      'PE147 3:9 v belongs to a block that does not run once on every bar: its earlier values are those of its last runs. Declare it outside of the block, and read its past there.',
    ]);
    expect(placesOf('for i = 0 to 3\n    var v = 0.0\n    v := v[1] + v[2]')).toEqual(['PE147 3:10', 'PE147 3:17']);
    expect(
      placesOf('f(s) =>\n    if s > 1\n        v = s * 2\n        v[1]\n    else\n        s\nplot(f(close))'),
    ).toEqual(['PE147 4:9']);
  });

  it('of the script, of a function or of a branch that is known beforehand is not', () => {
    expect(placesOf('v = close\nif close > open\n    x = v[1] + close[1]')).toEqual([]);
    expect(placesOf('f(s) =>\n    v = s * 2\n    v[1] + s[1]\nplot(f(close))')).toEqual([]);
    expect(placesOf('if input.bool(true)\n    v = close\n    x = v[1]')).toEqual([]);
    expect(placesOf('if close > open\n    v = close\n    x = v[0]')).toEqual([]);
  });
});

it('warnings never keep a script from running, however many there are', () => {
  const lines = Array.from({ length: MAX_FINDINGS + 50 }, (_, n) => `    v${n} = ta.sma(close, ${n + 1})`);
  const { program, diagnostics } = checkText(scriptOf(`if close > open\n${lines.join('\n')}`));
  expect(program).not.toBeNull();
  expect(diagnostics).toHaveLength(MAX_FINDINGS + 1);
  expect(diagnostics.at(-1)).toMatchObject({ code: 'PE100', severity: 'warning' });
});

it('a warning in a function of a library is no mistake of it', () => {
  const source = '//@version=5\nlibrary("L")\nexport f(float s) => nz(source = s, replacement = 1, source = 2)';
  const libraries = [{ namespace: 'me', name: 'L', version: 1, source }];
  expect(placesOf('import me/L/1 as l\nx = l.f(close)', { libraries })).toEqual([]);
});
