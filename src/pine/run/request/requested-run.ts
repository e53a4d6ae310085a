// What the engine does for a request: runs the program of an expression over other bars, all at once or bar by bar.

import type { Bar, BarColumns } from '../bars.ts';
import type { SymbolInfo } from '../market-symbol.ts';
import type { EmittedRequest } from '../script.ts';

/** The newest bar of the script's own chart as it stands: what makes every requested bar grow. */
export interface ChartTick {
  readonly bar: Bar;
  readonly closeMs: number;
  readonly isClosing: boolean;
}

export interface RequestedRun {
  runHistory(): void;
  /** `chart` has the bars of the script's chart that have closed. */
  goLive(chart: BarColumns): void;
  /** Returns the slot of the bar in the columns; without a tick nothing that it requests itself grows. */
  runLive(bar: Bar, state: { readonly isNew: boolean; readonly isClosing: boolean }, tick: ChartTick | null): number;
  /** Columns and items hold one value per bar and element of the expression; numbers are in columns. */
  readonly runtime: {
    readonly columns: readonly Float64Array[];
    readonly items: readonly unknown[][];
    /** What the expression requests itself. */
    readonly requests: { renew(): void } | null;
  };
}

export type StartRun = (
  request: EmittedRequest,
  bars: BarColumns,
  market: { readonly symbol: SymbolInfo; readonly timeframe: string },
) => RequestedRun;
