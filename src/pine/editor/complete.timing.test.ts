// Completion answers while somebody types.

import { expect, it } from 'vitest';
import { quickestMs } from '../../../tests/support/quickest.ts';
import { complete } from './index.ts';

/** 20 ms of a core of its own; one that is shared with other programs is about half as quick. */
const LIMIT_MS = 50;

it('a script of 300 lines is completed before anybody notices', () => {
  const part = (i: number) =>
    `f${i}(float x, int n = 5) =>\n    y = ta.sma(x, n)\n    y + ${i}\nv${i} = f${i}(close) + ta.ema(close, 9)\nplot(v${i}, "p${i}")\n`;
  const source = `//@version=6\nindicator("x")\n${Array.from({ length: 60 }, (_, i) => part(i)).join('')}x = v`;
  expect(source.split('\n').length).toBeGreaterThan(300);
  expect(quickestMs(() => complete(source, source.length), LIMIT_MS)).toBeLessThan(LIMIT_MS);
});
