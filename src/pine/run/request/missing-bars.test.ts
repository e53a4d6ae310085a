// What a script is told that requests bars nobody handed in: the remedy, as it can be typed.

import { expect, it } from 'vitest';
import { barColumns, compile, type RunOptions } from '../../index.ts';

const HOUR_MS = 3_600_000;
const flat = (count: number, stepMs: number) =>
  barColumns(
    Array.from({ length: count }, (_, i) => ({ time: i * stepMs, open: 1, high: 1, low: 1, close: 1, volume: 1 })),
  );

function run(expression: string, options: RunOptions) {
  const { program } = compile(`//@version=6\nindicator("x")\nplot(array.size(${expression}))\n`);
  return program!.run(flat(2, HOUR_MS), { timeframe: '60', ...options });
}

const SHORTER = 'request.security_lower_tf("", "5", close)';

it.each([
  ['without a name', {}, 'There are :60 (the chart).'],
  ['with a name', { symbol: { ticker: 'BTCUSDT' } }, 'There are BTCUSDT:60.'],
])('shorter bars of a chart %s are asked for as the command line takes them', (_, options, there) => {
  expect(() => run(SHORTER, options)).toThrow(
    "There are no bars of the chart's own symbol at 5, and none they could be made of. Hand them in: --bars :5=FILE.csv",
  );
  expect(() => run(SHORTER, options)).toThrow(there);
  // What `--bars :5=FILE.csv` hands in.
  const symbolBars = [{ symbol: '', timeframe: '5', bars: flat(24, HOUR_MS / 12) }];
  expect([...run(SHORTER, { ...options, symbolBars }).plots]).toEqual([12, 12]);
});

it('bars of another symbol are asked for by its name', () => {
  const other = 'request.security_lower_tf("ETHUSDT", "5", close)';
  expect(() => run(other, {})).toThrow(
    'There are no bars of ETHUSDT:5, and none they could be made of. Hand them in: --bars ETHUSDT:5=FILE.csv',
  );
});
