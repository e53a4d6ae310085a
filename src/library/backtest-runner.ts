// The port through which a search runs its backtests: many of one script in one go, of each only figures, and all cores at once.

import type {
  BarColumns,
  InputSpace,
  InputVariation,
  LibrarySource,
  RunResult,
  StrategyReport,
  SymbolBars,
  SymbolInfo,
} from '../pine/index.ts';
import type { Caller } from './caller.ts';
import type { Refused, Stopped } from './script-runner.ts';

/** What a backtest runs on. */
export interface BacktestMarket {
  /** In shared memory, so that no thread gets a copy of its own. */
  readonly bars: BarColumns;
  readonly symbol?: SymbolInfo;
  readonly timeframe?: string;
  /** Bars of other symbols and timeframes that the script may request. */
  readonly symbolBars?: readonly SymbolBars[];
}

export interface Backtest {
  /** Which of the markets. */
  readonly market: number;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Orders of bars before and from these moments on are not taken. */
  readonly tradeFromMs?: number | undefined;
  readonly tradeToMs?: number | undefined;
  /** Bars from here on are not there at all. */
  readonly barsToMs?: number | undefined;
}

interface SearchedScript {
  readonly source: string;
  readonly libraries?: readonly LibrarySource[];
}

interface JobLimits {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** The house itself when left out. */
  readonly caller?: Caller;
}

export interface BacktestsRequest extends SearchedScript, JobLimits {
  readonly markets: readonly BacktestMarket[];
  readonly backtests: readonly Backtest[];
  /** What each begins with, instead of what the script declares. */
  readonly initialCapital?: number;
  /** Whether trades and equity are wanted besides: they are what takes memory. */
  readonly wantsReports?: boolean;
}

/** The numbers stand in the order of FIGURE_NAMES. A script that throws on some inputs is no fault of the others. */
export type BacktestOutcome =
  | { readonly figures: readonly number[]; readonly report?: StrategyReport }
  | { readonly fault: string };

export interface Backtested {
  readonly kind: 'backtested';
  /** One for each backtest, in their order. */
  readonly outcomes: readonly BacktestOutcome[];
}

/** Asks which values a search has to try. */
export interface SpaceRequest extends SearchedScript, JobLimits {
  /** By title or variable of the input. */
  readonly varied: Readonly<Record<string, InputVariation>>;
  readonly fixed?: Readonly<Record<string, unknown>>;
}

export interface SpaceFound {
  readonly kind: 'space';
  readonly space: InputSpace;
  readonly scriptType: RunResult['meta']['scriptType'];
  readonly scriptName: string;
}

export interface BacktestRunner {
  /** How many jobs can run at the same time. */
  readonly threads: number;
  backtests(request: BacktestsRequest): Promise<Backtested | Refused | Stopped>;
  space(request: SpaceRequest): Promise<SpaceFound | Refused | Stopped>;
}
