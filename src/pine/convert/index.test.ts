// The converter through its front door: which scripts it takes, what it says of them, and what it leaves as it was.

import { describe, expect, it } from 'vitest';
import { compile } from '../index.ts';
import { type Converted, convert } from './index.ts';

function converted(source: string): Converted {
  const outcome = convert(source);
  if (outcome.kind !== 'converted') throw new Error(JSON.stringify(outcome));
  return outcome;
}

describe('the version', () => {
  it.each([
    [1, '//@version=1\nstudy("x")\nplot(close)\n'],
    [2, '// My script\n// @version = 2\nstudy("x")\nplot(close)\n'],
    [3, 'study("x")\n//@version=3\nplot(close)\n'],
    [4, '//@version=4\r\nstudy("x")\r\nplot(close)\r\n'],
  ])('%i is told by its line, wherever it stands: %j', (version, source) => {
    const { version: found, text } = converted(source);
    expect(found).toBe(version);
    expect(text).toContain('//@version=5');
    expect(text.match(/version/g)).toHaveLength(1);
  });

  it.each([
    [1, 'study("x")\nplot(sma(close, 5))\n'],
    [1, 'strategy("x")\nplot(sma(close, 5))\n'],
    [4, 'study("x")\nplot(sma(close, 5), color=color.red)\n'],
    [4, 'study("x")\nvar x = sma(close, 5)\nplot(x)\n'],
  ])('is %i without a line, by what the script calls: %j', (version, source) => {
    const { version: found, text } = converted(source);
    expect(found).toBe(version);
    expect(text.startsWith('//@version=5\n')).toBe(true);
  });

  it.each([
    ['//@version=5\nindicator("x")\nplot(close)', 'The script is of version 5; only scripts of version 1 to 4'],
    ['//@version=6\nindicator("x")\nplot(close)', 'The script is of version 6; only'],
    ['//@version=99\nindicator("x")', 'The script is of version 99; only'],
    ['//@version=four\nstudy("x")', 'The script is of version four; only'],
    ['indicator("x")\nplot(sma(close, 5))', 'Nothing in the script tells that it is of version 1 to 4.'],
    ['plot(close)', 'Nothing in the script tells'],
    ['sma(a, b) => a + b\nplot(sma(close, 5))', 'Nothing in the script tells'],
    ['', 'Nothing in the script tells'],
    ['x'.repeat(1024 * 1024 + 1), 'The script has 1048577 characters; the most that is read is 1048576.'],
  ])('of %j is none to convert', (source, words) => {
    const outcome = convert(source);
    expect(outcome.kind).toBe('not-old');
    expect(outcome).toMatchObject({ message: expect.stringContaining(words) });
  });

  it('is 5 afterwards, so nothing is converted twice', () => {
    const { text } = converted('//@version=3\nstudy("x")\nplot(rsi(close, 14))\n');
    expect(convert(text)).toMatchObject({ kind: 'not-old', message: expect.stringContaining('of version 5') });
  });
});

describe('a script that cannot be read', () => {
  it('is told with the places of its mistakes', () => {
    const source = '//@version=3\nstudy("x")\nplot(sma(close, 5)\ny = 1 +\n';
    const outcome = convert(source);
    expect(outcome).toMatchObject({ kind: 'unreadable', version: 3 });
    if (outcome.kind !== 'unreadable') return;
    expect(outcome.diagnostics.map(({ code, span }) => [code, span.start])).toEqual([
      ['PE018', source.indexOf('(sma')],
      ['PE017', source.indexOf('\n', source.indexOf('1 +'))],
    ]);
  });

  it('has those places also behind lines that were moved', () => {
    const source = 'study("x")\nx = close > 1 ? 1 :\n    2\ny = sma(close, )\n';
    const outcome = convert(source);
    if (outcome.kind !== 'unreadable') throw new Error(outcome.kind);
    expect(source.slice(outcome.diagnostics[0]!.span.start)).toMatch(/^, \)/);
  });
});

describe('the declaration', () => {
  it.each([
    ['study("x", "y", true)', 'indicator("x", "y", true)'],
    ['study("x", resolution="D", resolution_gaps=true)', 'indicator("x", timeframe="D", timeframe_gaps=true)'],
    ['study("x", linktoseries=true, precision=2)', 'indicator("x", precision=2)'],
    ['study(shorttitle="y", overlay=true)', 'indicator(shorttitle="y", overlay=true, title="y")'],
    ['study()', 'indicator(title="Script")'],
    ['strategy("x", pyramiding=2)', 'strategy("x", pyramiding=2)'],
    ['strategy(overlay=true, initial_capital=5)', 'strategy(overlay=true, initial_capital=5, title="Script")'],
  ])('%s is %s', (old, now) => {
    expect(converted(`//@version=4\n${old}\nplot(close)\n`).text).toBe(`//@version=5\n${now}\nplot(close)\n`);
  });

  it.each([
    ['strategy("x")', 1],
    ['strategy("x", initial_capital=1000)', 0],
    ['study("x")', 0],
    ['study("x", linktoseries=true)', 1],
  ])('%s leaves %i to check', (declaration, count) => {
    const { changes } = converted(`//@version=4\n${declaration}\nplot(close)\n`);
    expect(changes.filter(({ severity }) => severity === 'check')).toHaveLength(count);
  });
});

describe('orders', () => {
  it.each([
    ['strategy.entry("L", true)', 'strategy.entry("L", strategy.long)'],
    [
      'strategy.entry("L", long=false, when=close > 1)',
      'strategy.entry("L", direction=strategy.short, when=close > 1)',
    ],
    ['strategy.entry("L", strategy.long)', 'strategy.entry("L", strategy.long)'],
    ['strategy.entry("L", 1)', 'strategy.entry("L", strategy.long)'],
    ['strategy.entry("L", 0)', 'strategy.entry("L", strategy.short)'],
    ['strategy.entry("L", bar_index % 2)', 'strategy.entry("L", bar_index % 2 ? strategy.long : strategy.short)'],
    ['strategy.order("L", close > open, 1)', 'strategy.order("L", close > open ? strategy.long : strategy.short, 1)'],
    [
      'strategy.entry("L", true, 1, na, na, "a", strategy.oca.none, "c", close > 1, "m")',
      'strategy.entry("L", strategy.long, 1, na, na, "a", strategy.oca.none, "c", when=close > 1, alert_message="m")',
    ],
    ['strategy.close("L", close > 1)', 'strategy.close("L", when=close > 1)'],
    ['strategy.close_all(close > 1, "c")', 'strategy.close_all(when=close > 1, comment="c")'],
    ['strategy.close_all()', 'strategy.close_all()'],
    ['strategy.cancel("L", close > 1)', 'strategy.cancel("L", when=close > 1)'],
    ['strategy.cancel_all(close > 1)', 'strategy.cancel_all(when=close > 1)'],
    ['strategy.exit("X", "L", stop=1, when=close > 1)', 'strategy.exit("X", "L", stop=1, when=close > 1)'],
  ])('%s is %s', (old, now) => {
    const { text } = converted(`//@version=4\nstrategy("x", initial_capital=1)\n${old}\n`);
    expect(text).toBe(`//@version=5\nstrategy("x", initial_capital=1)\n${now}\n`);
    const errors = compile(text).diagnostics.filter(({ severity, code }) => severity === 'error' && code !== 'PE301');
    expect(errors).toEqual([]);
  });
});

describe('the list of changes', () => {
  it('has the lines of the old script, in their order, with reasons', () => {
    const { changes } = converted(
      'study("x")\n\nx = nz(x[1]) + 1\nplot(x, color=red)\ns = security(tickerid, "D", x)\n',
    );
    expect(changes.map(({ line, what, severity }) => `${line} ${severity}: ${what}`)).toEqual([
      '1 changed: //@version=5 instead of 1',
      '1 changed: study() is indicator()',
      '3 changed: x is declared as int before it is computed from itself',
      '4 changed: red is color.red',
      '5 check: security() looks ahead',
      '5 changed: security() is request.security()',
      '5 changed: tickerid is syminfo.tickerid',
    ]);
    for (const { why } of changes) expect(why).toMatch(/^[A-Z].*\.$/);
  });
});

describe('what nobody asked to change', () => {
  it('stays: comments, blanks, line ends, the byte order mark', () => {
    const old = '\uFEFF// sma(close, 5)\r\n//@version=4\r\nstudy( "x" )   // red\r\n\r\n\tplot( close ) // tr\r\n';
    const now = '\uFEFF// sma(close, 5)\r\n//@version=5\r\nindicator( "x" )   // red\r\n\r\n\tplot( close ) // tr\r\n';
    // The tab makes it a script with a mistake; without it every character must be the same.
    expect(convert(old).kind).toBe('unreadable');
    expect(converted(old.replace('\t', '')).text).toBe(now.replace('\t', ''));
  });

  it('stays where a line is added, with the line ends of the script', () => {
    const { text } = converted('\uFEFFstudy("x")\r\nx = nz(x[1]) + n\r\nplot(x)');
    expect(text).toBe('\uFEFF//@version=5\r\nindicator("x")\r\nint x = na\r\nx := nz(x[1]) + bar_index\r\nplot(x)');
  });

  it.each(['"sma(close, 5) red"', "'n'"])('stays in the text %s', (text) => {
    expect(converted(`//@version=4\nstudy(${text})\nplot(close)`).text).toContain(`indicator(${text})`);
  });
});
