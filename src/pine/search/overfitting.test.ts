// How much of a best result may be luck: neighbours, spread, the best by luck alone, and what is warned of.

import { describe, expect, it } from 'vitest';
import { FIGURE_NAMES } from '../report/figures.ts';
import { candidatesOf } from './candidates.ts';
import { byRank, type Objective } from './objective.ts';
import { overfittingOf } from './overfitting.ts';

const OBJECTIVE: Objective = { metric: 'net_profit', goal: 'maximize', combine: 'mean' };
const figures = (total_trades: number) => FIGURE_NAMES.map((name) => (name === 'total_trades' ? total_trades : 0));

/** One axis of numbers, or of words, with a value for each place. */
function judged(values: readonly number[], { isOfWords = false, trades = 99, objective = OBJECTIVE } = {}) {
  const axes = [{ title: 'n', values: values.map((_, i) => (isOfWords ? `w${i}` : i)) }];
  const trials = values
    .map((value, candidate) => ({ candidate, value, meets: true, markets: [figures(trades)] }))
    .filter(({ value }) => value !== -999)
    .sort(byRank(objective));
  return overfittingOf({ objective, axes, candidates: candidatesOf(axes, { kind: 'grid' }), trials, best: trials[0]! });
}

describe('neighbours', () => {
  it('are one step away on an axis of numbers', () => {
    expect(judged([1, 4, 10, 6, 2]).neighbours).toEqual({ count: 2, mean: 5, worst: 4 });
    expect(judged([10, 4, 1]).neighbours).toEqual({ count: 1, mean: 4, worst: 4 });
  });

  it('are nobody where the axis is of words, or where they were not tried', () => {
    expect(judged([1, 4, 10, 6], { isOfWords: true }).neighbours).toBeNull();
    expect(judged([1, -999, 10, -999]).neighbours).toBeNull();
  });

  it('tell a steep peak from a hill', () => {
    const steep = expect.stringContaining('steep peak');
    expect(judged([0, 0, 0, 0, 100, 0, 0, 0, 0, 0]).warnings).toContainEqual(steep);
    expect(judged([10, 40, 70, 90, 100, 90, 70, 40, 10, 5]).warnings).not.toContainEqual(steep);
  });
});

describe('the best by luck', () => {
  const spread = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? 1 : -1));

  it('is that of so many normally distributed numbers: 2.5 deviations of a hundred', () => {
    const { bestByLuck, deviation, mean, trials } = judged(spread);
    expect([deviation, mean, trials]).toEqual([1, 0, 100]);
    expect(bestByLuck).toBeCloseTo(2.53, 1);
  });

  it('of ten is 1.5 deviations, and of nine nobody asks', () => {
    expect(judged(spread.slice(0, 10)).bestByLuck).toBeCloseTo(1.57, 1);
    expect(judged(spread.slice(0, 9)).bestByLuck).toBeNull();
  });

  it('begins where a figure is worth nothing, and is not known of figures without such a value', () => {
    expect(judged(spread, { objective: { ...OBJECTIVE, metric: 'profit_factor' } }).bestByLuck).toBeCloseTo(3.53, 1);
    expect(judged(spread, { objective: { ...OBJECTIVE, metric: 'total_trades' } }).bestByLuck).toBeNull();
  });

  it('is warned of when the best is no better, and when it is no better than nothing', () => {
    expect(judged(spread).warnings[0]).toContain('by luck alone; the best here has 1.');
    expect(judged(spread.map((value) => value - 5)).warnings[0]).toBe(
      'Even the best, -4, is no better than not to trade at all.',
    );
  });
});

describe('warnings', () => {
  it.each([
    [0, 'only 0 closed trades'],
    [1, 'only 1 closed trade on'],
    [29, 'only 29 closed trades'],
  ])('tell of %i trades', (trades, words) => {
    expect(judged([1, 2, 1], { trades }).warnings[0]).toContain(words);
  });

  it('tell of a best at either edge, and of nothing in the middle of a hill', () => {
    for (const values of [
      [3, 2, 1],
      [1, 2, 3],
    ])
      expect(judged(values).warnings.join()).toContain('at the edge');
    expect(judged([28, 30, 28, 10], { trades: 30 }).warnings).toEqual([]);
    expect(judged([1, 2], { trades: 30 }).warnings).toEqual([]);
  });
});
