// What a search looks for: one figure, as large or as small as it gets, within bounds of others; over several markets as one number.

import { FIGURE_NAMES, type FigureName } from '../report/figures.ts';

export const GOALS = ['maximize', 'minimize'] as const;
export type Goal = (typeof GOALS)[number];

export const COMBINATIONS = ['mean', 'worst', 'sum'] as const;
export type Combination = (typeof COMBINATIONS)[number];

export interface Objective {
  readonly metric: FigureName;
  readonly goal: Goal;
  /** How the figures of several markets become one. */
  readonly combine: Combination;
}

/** A bound that every market has to keep; what has no such figure does not keep it. */
export interface Constraint {
  readonly metric: FigureName;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

const SMALLER_IS_BETTER: readonly FigureName[] = [
  'max_drawdown',
  'max_drawdown_percent',
  'gross_loss',
  'commission_paid',
  'max_consecutive_losses',
  'margin_calls',
];

/** What a figure is usually wanted to be. */
export const usualGoal = (metric: FigureName): Goal => (SMALLER_IS_BETTER.includes(metric) ? 'minimize' : 'maximize');

/** What a setting without any merit has, of figures that have such a value. */
export const WORTHLESS: Readonly<Partial<Record<FigureName, number>>> = {
  net_profit: 0,
  net_profit_percent: 0,
  total_profit: 0,
  profit_factor: 1,
  sharpe_ratio: 0,
  sortino_ratio: 0,
  return_over_drawdown: 0,
  avg_trade: 0,
  avg_trade_percent: 0,
  expectancy: 0,
  cagr: 0,
};

/** The figures of one run, in the order of FIGURE_NAMES. */
export type FigureList = readonly number[];

export const figureOf = (figures: FigureList, name: FigureName): number => figures[FIGURE_NAMES.indexOf(name)]!;

/** Of one candidate over all markets; NaN where one of them has no such figure. */
export function objectiveValue({ metric, goal, combine }: Objective, markets: readonly FigureList[]): number {
  const values = markets.map((figures) => figureOf(figures, metric));
  if (values.length === 0 || !values.every(Number.isFinite)) return Number.NaN;
  if (combine === 'worst') return goal === 'maximize' ? Math.min(...values) : Math.max(...values);
  const sum = values.reduce((total, value) => total + value, 0);
  return combine === 'sum' ? sum : sum / values.length;
}

export const meets = (constraints: readonly Constraint[], markets: readonly FigureList[]): boolean =>
  constraints.every(({ metric, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }) =>
    markets.every((figures) => figureOf(figures, metric) >= min && figureOf(figures, metric) <= max),
  );

/** One candidate after its backtests. */
export interface Trial {
  /** Its place among the candidates. */
  readonly candidate: number;
  readonly markets: readonly FigureList[];
  /** NaN where it is undefined. */
  readonly value: number;
  readonly meets: boolean;
}

/**
 * Negative where the first is better: whoever keeps the constraints, then whoever has a value, then the better value,
 * and of equals the one that stands first among the candidates. So the order is the same whoever was done first.
 */
export function byRank({ goal }: Objective): (a: Trial, b: Trial) => number {
  const sign = goal === 'maximize' ? -1 : 1;
  return (a, b) =>
    Number(b.meets) - Number(a.meets) ||
    Number(Number.isNaN(a.value)) - Number(Number.isNaN(b.value)) ||
    (a.value === b.value || Number.isNaN(a.value) ? 0 : sign * (a.value - b.value)) ||
    a.candidate - b.candidate;
}

/** Whether a candidate may be chosen at all. */
export const isUsable = ({ meets: keepsAll, value }: Trial): boolean => keepsAll && !Number.isNaN(value);
