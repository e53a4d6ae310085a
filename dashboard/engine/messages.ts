// What a page and the worker of a script say to each other. A worker has one script; a page that wants another starts another.

import type {
  Bar,
  BarColumns,
  InputSpec,
  LibrarySource,
  MissingBars,
  RunResult,
  StrategyAnswer,
  SymbolBars,
  SymbolInfo,
} from '../../src/pine/index.ts';

export interface StartMessage {
  readonly kind: 'start';
  readonly source: string;
  /** Those that are over; the one that forms comes by itself. */
  readonly bars: BarColumns;
  readonly symbol: SymbolInfo;
  /** As the language writes it. */
  readonly timeframe: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** The published libraries that it imports. */
  readonly libraries?: readonly LibrarySource[];
  /** Bars of other symbols and timeframes that the script asked for before. */
  readonly symbolBars: readonly SymbolBars[];
}

export interface BarMessage {
  readonly kind: 'bar';
  readonly bar: Bar;
  readonly isClosed: boolean;
}

/** Asks for the trades of the last run as a file. */
export interface CsvQuestion {
  readonly kind: 'trades-csv';
}

export type ToWorker = StartMessage | BarMessage | CsvQuestion;

/** Places count from 1. */
export interface Finding {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly severity: string;
  readonly message: string;
  readonly remedy?: string;
}

/** A run without the books of a strategy, which stay in the worker; what they come to stands beside it. */
export interface Ran {
  readonly kind: 'ran';
  readonly result: RunResult;
  readonly strategy: StrategyAnswer | null;
  readonly inputs: readonly InputSpec[];
  readonly findings: readonly Finding[];
}

/** What one tick made of the newest bar. */
export interface LiveTail {
  readonly kind: 'tail';
  readonly barIndex: number;
  readonly values: ReadonlyMap<string, number>;
  readonly looks: ReadonlyMap<string, Readonly<Record<string, number>>>;
  readonly drawings: RunResult['drawings'];
  readonly isClosed: boolean;
}

/** The compiler found errors. */
export interface Refused {
  readonly kind: 'refused';
  readonly findings: readonly Finding[];
}

/** The script ended with an error of its own, or asked for bars that nobody has handed in. */
export interface Failed {
  readonly kind: 'failed';
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  readonly barIndex?: number;
  readonly missing?: MissingBars;
}

/** In the columns of `signalbox backtest --trades`. */
export interface TradesCsv {
  readonly kind: 'trades-csv';
  /** Undefined where there are no books of a strategy. */
  readonly text: string | undefined;
}

/** Each message to the worker is answered by one list of these. */
export type FromWorker = Ran | LiveTail | Refused | Failed | TradesCsv;

/** Told between, while a run over all bars goes on. */
export interface Progress {
  readonly kind: 'progress';
  readonly done: number;
  readonly total: number;
}
