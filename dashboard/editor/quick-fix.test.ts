// Quick fixes against what the checker really says: each makes its finding go away.

import { expect, test } from 'vitest';
import { compile } from '../../src/pine/index.ts';
import { quickFixOf } from './quick-fix.ts';

const HEAD = '//@version=6\nindicator("t")\n';

const fixed = (source: string): string | undefined => {
  const [finding] = compile(source).diagnostics;
  const fix = finding && quickFixOf(source, finding);
  return fix && source.slice(0, fix.from) + fix.insert + source.slice(fix.to);
};

test.each([
  ['plot(ta.atrr(14))', 'plot(ta.atr(14))'],
  ['plot(atr(14))', 'plot(ta.atr(14))'],
  ['plot(clsoe)', 'plot(close)'],
  ['plot(close, color=color.rde)', 'plot(close, color=color.red)'],
  ['plot(close, colr=color.red)', 'plot(close, color=color.red)'],
  ['plot(close>open&&open>low ? 1 : 0)', 'plot(close>open and open>low ? 1 : 0)'],
  ['plot(close > open || open > low ? 1 : 0)', 'plot(close > open or open > low ? 1 : 0)'],
  ['plot(close === open ? 1 : 0)', 'plot(close == open ? 1 : 0)'],
  ['x = close\nx = open\nplot(x)', 'x = close\nx := open\nplot(x)'],
])('%s becomes %s and has no error', (before, after) => {
  expect(fixed(HEAD + before)).toBe(HEAD + after);
  expect(compile(HEAD + after).program).not.toBeNull();
});

test('a script without a version gets one', () => {
  expect(fixed('indicator("t")\nplot(close)')).toBe('//@version=6\nindicator("t")\nplot(close)');
});

test('what names no remedy offers nothing', () => {
  expect(fixed(`${HEAD}x := 1`)).toBeUndefined();
  expect(fixed(`${HEAD}import me/Foo/1`)).toBeUndefined();
});
