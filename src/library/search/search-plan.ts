// A search as it is asked for: a strategy, the values to try, the markets, and what counts as better. Checked before it begins.

import type { LibrarySource, SearchAxis } from '../../pine/index.ts';
import { type Constraint, candidateCount, type Objective, type SearchMethod } from '../../pine/light.ts';
import type { BacktestMarket } from '../backtest-runner.ts';
import { MAX_WINDOWS, type TimeRange, type WalkForward, windowCount, windowsOf } from './walk-forward.ts';

export interface SearchMarket extends BacktestMarket {
  /** For people: the symbol with its timeframe, or the file. */
  readonly name: string;
  /** Where the prices come from: an exchange, or `simulated`; undefined where nobody said. */
  readonly priceSource?: string | undefined;
}

export interface SearchPlan {
  readonly source: string;
  readonly libraries?: readonly LibrarySource[];
  readonly scriptName: string;
  readonly axes: readonly SearchAxis[];
  /** Inputs that every run has in common, by title. */
  readonly fixed: Readonly<Record<string, unknown>>;
  readonly method: SearchMethod;
  readonly markets: readonly SearchMarket[];
  readonly objective: Objective;
  readonly constraints: readonly Constraint[];
  /** When the strategy may trade. */
  readonly tradeFromMs?: number | undefined;
  readonly tradeToMs?: number | undefined;
  readonly initialCapital?: number | undefined;
  readonly walkForward?: WalkForward | undefined;
  /** How many of the best the result lists. */
  readonly top: number;
  /** Of one backtest. */
  readonly runTimeoutMs: number;
}

/** Each of them takes memory for its bars in every search; a portfolio of more is no test of one strategy. */
export const MAX_MARKETS = 16;
export const DEFAULT_TOP = 20;
/** More rows than this are a file, not a table. */
export const MAX_TOP = 1_000;

/** The search cannot be made as it is asked for; the message names the remedy. */
export class SearchFault extends Error {
  override readonly name = 'SearchFault';
}

/** How many backtests it takes. Throws SearchFault for one that is too large, or that has nothing to do. */
export function checkedBacktests(plan: SearchPlan, maxBacktests: number): number {
  const { axes, method, markets, walkForward } = plan;
  const windows = walkForward === undefined ? 1 : checkedWindows(plan, walkForward);
  const candidates = candidateCount(axes, method);
  const outOfSample = walkForward === undefined ? 0 : windows * markets.length;
  const total = candidates * markets.length * windows + outOfSample;
  if (total <= maxBacktests) return total;
  const parts = [
    `${candidates} combinations`,
    ...(markets.length > 1 ? [`${markets.length} markets`] : []),
    ...(windows > 1 ? [`${windows} windows`] : []),
  ];
  throw new SearchFault(
    `${parts.join(' by ')} are ${total} backtests, and ${maxBacktests} are allowed; use larger steps, fewer values, or a random sample`,
  );
}

function checkedWindows(plan: SearchPlan, walkForward: WalkForward): number {
  const range = commonRange(plan);
  const count = windowCount(range, walkForward);
  if (count >= 1 && count <= MAX_WINDOWS) return count;
  const days = Math.max(0, (range.toMs - range.fromMs) / DAY_MS);
  throw new SearchFault(
    count > MAX_WINDOWS
      ? `these are ${count} windows, and ${MAX_WINDOWS} are allowed; make out-of-sample longer`
      : `the bars that all markets have in common cover ${days.toFixed(1)} days, which is not longer than one in-sample; make it shorter or give more bars`,
  );
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** From where on every market has bars, to where one has none any more, within the time that may be traded in. */
function commonRange({ markets, tradeFromMs, tradeToMs }: SearchPlan): TimeRange {
  const firsts = markets.map(({ bars }) => bars.time[0] ?? Number.POSITIVE_INFINITY);
  const lasts = markets.map(({ bars }) => bars.time[bars.count - 1] ?? Number.NEGATIVE_INFINITY);
  return {
    fromMs: Math.max(...firsts, tradeFromMs ?? Number.NEGATIVE_INFINITY),
    // The last bar belongs to it: its end is not known, its beginning is.
    toMs: Math.min(...lasts.map((timeMs) => timeMs + 1), tradeToMs ?? Number.POSITIVE_INFINITY),
  };
}

/** Undefined of a search that looks at the whole range at once. */
export const planWindows = (plan: SearchPlan) =>
  plan.walkForward === undefined ? undefined : windowsOf(commonRange(plan), plan.walkForward);
