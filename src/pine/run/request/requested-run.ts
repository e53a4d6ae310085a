// What the engine does for a request: runs the program of an expression over other bars, all at once or bar by bar.

import type { Bar, BarColumns } from '../bars.ts';
import type { SymbolInfo } from '../market-symbol.ts';
import type { EmittedRequest } from '../script.ts';

export interface RequestedRun {
  runHistory(): void;
  goLive(): void;
  /** Returns the slot of the bar in the columns. */
  runLive(bar: Bar, state: { readonly isNew: boolean; readonly isClosing: boolean }): number;
  /** Columns and items hold one value per bar and element of the expression; numbers are in columns. */
  readonly runtime: { readonly columns: readonly Float64Array[]; readonly items: readonly unknown[][] };
}

export type StartRun = (
  request: EmittedRequest,
  bars: BarColumns,
  market: { readonly symbol: SymbolInfo; readonly timeframe: string },
) => RequestedRun;
