// Tests of numbers that fit into a cell.

import { expect, it } from 'vitest';
import { objectiveOf, SEARCH_GOALS, shortMoney } from './search-goals.ts';

it('writes money shorter the more it is', () => {
  expect([0, 56.38, -983.14, 1234.5, -20_500, 3_440_000].map(shortMoney)).toEqual([
    ...['0.0', '+56.4', '−983', '+1.2k', '−20.5k', '+3.4M'],
  ]);
});

it('looks for small drawdowns and large everything else', () => {
  const smallest = SEARCH_GOALS.filter((goal) => objectiveOf(goal).goal === 'minimize');
  expect(smallest.map(({ metric }) => metric)).toEqual(['max_drawdown']);
});
