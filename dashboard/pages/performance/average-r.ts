// What trades made on average, measured by what was at risk; those that were entered without a stop are measured by nothing.

import type { ClosedTrade } from '../../server/answers.ts';

export interface AverageR {
  readonly average: number;
  /** Of so many. */
  readonly count: number;
}

/** Undefined where none had a stop. */
export function averageR(trades: readonly Pick<ClosedTrade, 'r'>[]): AverageR | undefined {
  const known = trades.flatMap(({ r }) => (r === null ? [] : [r]));
  return known.length === 0
    ? undefined
    : { average: known.reduce((sum, r) => sum + r, 0) / known.length, count: known.length };
}

/** Of what was closed in parts: all that it made over all that was at risk; undefined where a part had no stop. */
export function wholeR(trades: readonly Pick<ClosedTrade, 'net' | 'atRisk'>[]): number | undefined {
  const sum = (value: (trade: Pick<ClosedTrade, 'net' | 'atRisk'>) => number | null): number =>
    trades.reduce((total, trade) => total + (value(trade) ?? Number.NaN), 0);
  const r = sum(({ net }) => net) / sum(({ atRisk }) => atRisk);
  return Number.isFinite(r) ? r : undefined;
}
