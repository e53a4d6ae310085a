// Tests of a curve with fewer points: nothing that stands out is lost.

import { expect, it } from 'vitest';
import { thinned } from './curve-points.ts';

const curve = (values: readonly number[]) => values.map((value, at) => ({ at, value }));

it('leaves a short curve as it is', () => {
  const short = curve([1, 2, 3]);
  expect(thinned(short, 3)).toBe(short);
});

it('keeps the ends, every peak and every trough, in the order of time', () => {
  const values = Array.from({ length: 5_000 }, (_, at) => Math.sin(at / 40));
  values[1_234] = 99;
  values[3_456] = -99;
  const thin = thinned(curve(values), 200);
  expect(thin.length).toBeLessThanOrEqual(200);
  expect(thin[0]?.at).toBe(0);
  expect(thin.at(-1)?.at).toBe(4_999);
  expect(thin).toContainEqual({ at: 1_234, value: 99 });
  expect(thin).toContainEqual({ at: 3_456, value: -99 });
  expect(thin.map(({ at }) => at)).toEqual(thin.map(({ at }) => at).toSorted((a, b) => a - b));
});
