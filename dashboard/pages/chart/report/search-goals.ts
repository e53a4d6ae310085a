// What a parameter search may look for, in the words of a trader.

import { type FigureName, type Objective, usualGoal } from '../../../../src/pine/light.ts';
import { fixed, signed } from '../../../ui/numbers.ts';

export interface SearchGoal {
  readonly metric: FigureName;
  readonly words: string;
  readonly show: (value: number) => string;
  /** Short enough for a cell. */
  readonly short: (value: number) => string;
  /** Below it money was lost, above it was won; undefined where the figure does not tell. */
  readonly even?: number;
}

const money = (value: number): string => signed(value);
const ratio = (value: number): string => fixed(value, 3);
const shortRatio = (value: number): string => fixed(value, 2);

/** `+56.4`, `+983`, `+1.2k`, `+3.4M`. */
export function shortMoney(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e6) return `${signed(value / 1e6, 1)}M`;
  if (size >= 1e3) return `${signed(value / 1e3, 1)}k`;
  return signed(value, size >= 100 ? 0 : 1);
}

export const SEARCH_GOALS: readonly SearchGoal[] = [
  { metric: 'net_profit', words: 'Net profit', show: money, short: shortMoney, even: 0 },
  { metric: 'profit_factor', words: 'Profit factor', show: ratio, short: shortRatio, even: 1 },
  { metric: 'sharpe_ratio', words: 'Sharpe ratio', show: ratio, short: shortRatio, even: 0 },
  { metric: 'sortino_ratio', words: 'Sortino ratio', show: ratio, short: shortRatio, even: 0 },
  {
    metric: 'max_drawdown',
    words: 'Smallest max drawdown',
    show: (value) => fixed(-value),
    short: (value) => shortMoney(-value),
  },
  { metric: 'return_over_drawdown', words: 'Net profit / max drawdown', show: ratio, short: shortRatio, even: 0 },
  { metric: 'percent_profitable', words: 'Won, %', show: (value) => fixed(value), short: (value) => fixed(value, 1) },
  { metric: 'expectancy', words: 'Expectancy', show: money, short: shortMoney, even: 0 },
];

export const objectiveOf = ({ metric }: SearchGoal): Objective => ({
  ...{ metric, goal: usualGoal(metric), combine: 'mean' },
});
