// What a run says of orders that the account could not pay: how many there were, and nothing where all were paid.

import { expect, it } from 'vitest';
import { barColumns, compile } from '../index.ts';

const BARS = barColumns(
  Array.from({ length: 8 }, (_, i) => ({ time: i * 60_000, open: 10, high: 10, low: 10, close: 10, volume: 1 })),
);

/** An account of 100 that buys so many contracts at 10, on each of the first bars. */
function warningsOf(contracts: number, orders: number, more = '') {
  const { program } = compile(`//@version=6
strategy("S", initial_capital = 100${more})
if bar_index < ${orders}
    strategy.entry("L", strategy.long, ${contracts})
`);
  return program!.run(BARS).warnings;
}

it.each([
  [11, 1, '1 order was not filled: the account could not pay it.'],
  [11, 3, '3 orders were not filled: the account could not pay them.'],
])('%d contracts, ordered %d times, are told', (contracts, orders, message) => {
  const [warning, ...rest] = warningsOf(contracts, orders);
  expect(rest).toEqual([]);
  expect(warning).toMatchObject({ code: 'PE404', severity: 'warning', message, line: 2 });
  expect(warning?.remedy).toContain('initial_capital');
});

it('what can be paid is not told, nor what needs less margin, nor an entry too many', () => {
  expect(warningsOf(10, 1)).toEqual([]);
  expect(warningsOf(10, 8)).toEqual([]);
  expect(warningsOf(1, 3)).toEqual([]);
  expect(warningsOf(11, 3, ', margin_long = 50')).toEqual([]);
});
