// What a search looks for: one number of several markets, the bounds, and an order that never depends on who was done first.

import { describe, expect, it } from 'vitest';
import { FIGURE_NAMES, type Figures } from '../report/figures.ts';
import { byRank, isUsable, meets, type Objective, objectiveValue, type Trial, usualGoal } from './objective.ts';

const of = (figures: Partial<Figures>): number[] => FIGURE_NAMES.map((name) => figures[name] ?? 0);
const LARGEST: Objective = { metric: 'net_profit', goal: 'maximize', combine: 'mean' };
const SMALLEST: Objective = { metric: 'max_drawdown', goal: 'minimize', combine: 'worst' };
const markets = (...values: number[]) => values.map((net_profit) => of({ net_profit, max_drawdown: net_profit }));

describe('the value of several markets', () => {
  it('is their mean, their sum, or the worst of them', () => {
    expect(objectiveValue(LARGEST, markets(1, 2, 6))).toBe(3);
    expect(objectiveValue({ ...LARGEST, combine: 'sum' }, markets(1, 2, 6))).toBe(9);
    expect(objectiveValue({ ...LARGEST, combine: 'worst' }, markets(1, 2, 6))).toBe(1);
    expect(objectiveValue(SMALLEST, markets(1, 2, 6))).toBe(6);
  });

  it('is undefined where one of them has none', () => {
    for (const none of [Number.NaN, Number.POSITIVE_INFINITY])
      expect(objectiveValue(LARGEST, markets(1, none))).toBeNaN();
    expect(objectiveValue(LARGEST, [])).toBeNaN();
  });
});

describe('bounds', () => {
  it('hold on every market, at the bound too, and nothing undefined keeps one', () => {
    const bound = [{ metric: 'net_profit', min: 1, max: 3 } as const];
    expect(meets(bound, markets(1, 3))).toBe(true);
    expect(meets(bound, markets(1, 3.1))).toBe(false);
    expect(meets(bound, markets(0.9, 3))).toBe(false);
    expect(meets(bound, markets(Number.NaN))).toBe(false);
    expect(meets([], markets(Number.NaN))).toBe(true);
  });
});

describe('the order', () => {
  const trial = (candidate: number, value: number, keepsAll = true): Trial => ({
    candidate,
    value,
    meets: keepsAll,
    markets: [],
  });
  const order = (objective: Objective, trials: readonly Trial[]): number[] =>
    trials.toSorted(byRank(objective)).map(({ candidate }) => candidate);
  const TRIALS = [
    trial(0, 1),
    trial(1, Number.NaN),
    trial(2, 5, false),
    trial(3, 2),
    trial(4, 2),
    trial(5, Number.NaN, false),
    trial(6, Number.NaN),
  ];

  it('is by bounds, by having a value, by the value, by place; whatever order they came in', () => {
    expect(order(LARGEST, TRIALS)).toEqual([3, 4, 0, 1, 6, 2, 5]);
    expect(order(LARGEST, TRIALS.toReversed())).toEqual([3, 4, 0, 1, 6, 2, 5]);
    expect(order(SMALLEST, TRIALS.toReversed())).toEqual([0, 3, 4, 1, 6, 2, 5]);
  });

  it('lets nobody be chosen that has no value or keeps no bounds', () => {
    expect(TRIALS.filter(isUsable).map(({ candidate }) => candidate)).toEqual([0, 3, 4]);
  });
});

it('figures of losses are wanted small, all others large', () => {
  expect(FIGURE_NAMES.filter((name) => usualGoal(name) === 'minimize')).toEqual([
    'max_drawdown',
    'max_drawdown_percent',
    'gross_loss',
    'commission_paid',
    'max_consecutive_losses',
    'margin_calls',
  ]);
});
