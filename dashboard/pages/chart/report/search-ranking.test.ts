// Tests of the runs of a search by rank, and of the field of cells.

import { describe, expect, it } from 'vitest';
import { candidatesOf, FIGURE_NAMES, type Figures, type Objective } from '../../../../src/pine/light.ts';
import type { RunOutcome } from '../../../engine/search-messages.ts';
import { distanceFromEven, heatFieldOf, rankingOf, shareOf } from './search-ranking.ts';

const NET: Objective = { metric: 'net_profit', goal: 'maximize', combine: 'mean' };
const ran = (figures: Partial<Figures>): RunOutcome => ({
  figures: FIGURE_NAMES.map((name) => figures[name] ?? (name === 'total_trades' ? 10 : 0)),
});
const axis = (title: string, values: readonly number[]) => ({ title, values });

describe('the ranking', () => {
  const outcomes = [
    ran({ net_profit: 1 }),
    undefined,
    ran({ net_profit: 9, total_trades: 0 }),
    { fault: 'no' },
    ran({ net_profit: 5 }),
  ];

  it('has the best first, too few trades last, and nothing of what has not run', () => {
    expect(rankingOf(outcomes, NET, 1).map(({ candidate }) => candidate)).toEqual([4, 0, 2]);
    expect(rankingOf(outcomes, NET, 0).map(({ candidate }) => candidate)).toEqual([2, 4, 0]);
  });
});

describe('the field', () => {
  const axes = [axis('a', [1, 2]), axis('b', [10, 20, 30]), axis('c', [7, 8])];
  const candidates = candidatesOf(axes, { kind: 'grid' });
  const outcomes = candidates.map(([a, b, c]) => ran({ net_profit: 100 * a! + 10 * b! + c! }));
  const ranking = rankingOf(outcomes, NET, 1);
  const profits = (cells: ReturnType<typeof heatFieldOf>['cells']) =>
    cells.map((row) => row.map((trial) => trial?.value));

  it('has in every cell the best over the other inputs', () => {
    const { columns, rows, cells } = heatFieldOf(axes, candidates, ranking, { x: 1, y: 0 });
    expect([columns, rows].map((side) => side.map(({ label }) => label))).toEqual([
      ['10', '20', '30'],
      ['1', '2'],
    ]);
    expect(profits(cells)).toEqual([
      [1, 11, 21],
      [101, 111, 121],
    ]);
  });

  it('of one input is one row', () => {
    expect(profits(heatFieldOf(axes, candidates, ranking, { x: 2, y: undefined }).cells)).toEqual([[120, 121]]);
  });

  it('puts neighbours together where there are too many', () => {
    const { columns, cells } = heatFieldOf(axes, candidates, ranking, { x: 1, y: 2 }, 2);
    expect(columns.map(({ label }) => label)).toEqual(['10 to 20', '30']);
    expect(profits(cells)).toEqual([
      [110, 120],
      [111, 121],
    ]);
  });

  it('is empty where nothing has run or nothing counts', () => {
    const few = rankingOf(outcomes, NET, 11);
    expect(profits(heatFieldOf(axes, candidates, few, { x: 0, y: 2 }).cells).flat()).toEqual(
      new Array(4).fill(undefined),
    );
  });
});

it('is hot where it is best, whichever way that is', () => {
  expect([10, 15, 20].map((value) => shareOf(value, 20, 10))).toEqual([0, 0.5, 1]);
  expect([10, 15, 20].map((value) => shareOf(value, 10, 20))).toEqual([1, 0.5, 0]);
  expect(shareOf(3, 3, 3)).toBe(1);
});

it('is the stronger the farther it is from even, lost or won', () => {
  const known = [-40, -10, 0, 20];
  expect(known.map((value) => distanceFromEven(value, 0, known))).toEqual([1, 0.25, 0, 0.5]);
  expect(distanceFromEven(1.5, 1, [0, 1.5])).toBe(0.5);
  expect(distanceFromEven(0, 0, [0])).toBe(0);
});
