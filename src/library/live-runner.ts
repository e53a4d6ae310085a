// The port through which scripts run live: opened once over their history, then one bar or one tick at a time.

import type { Bar, BarColumns, LibrarySource, LiveFill, RunResult, SymbolBars, SymbolInfo } from '../pine/index.ts';
import type { Refused, Stopped } from './script-runner.ts';

export interface LiveRequest {
  /** Whose run it is; the same for as long as it goes on. */
  readonly runId: string;
  readonly source: string;
  /** What it imports. */
  readonly libraries?: readonly LibrarySource[];
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly symbol?: SymbolInfo;
  readonly timeframe?: string;
  /** Bars of other symbols and timeframes that it is known to request. */
  readonly symbolBars?: readonly SymbolBars[];
  /** Bars from here on came after the script was started, for scripts that ask for so many bars before that. */
  readonly liveSinceMs?: number;
  /** Orders of earlier bars are not taken: a strategy begins with nothing. */
  readonly tradeFromMs?: number;
  /** What a strategy begins with, instead of what it declares. */
  readonly initialCapital?: number;
  /** What a fill says whose call has no words of its own. */
  readonly orderMessage?: string | undefined;
  /** Where its history begins: a run that began elsewhere is another one. */
  readonly anchorMs: number;
  /** The closed bar before this one; a run that stands elsewhere is opened anew. */
  readonly afterMs: number;
  readonly bar: Bar;
  readonly isClosed: boolean;
  /** It has proven to be quick: it runs where no slow one holds it up, and is ended when it takes a second. */
  readonly isQuick?: boolean;
}

export interface LiveDone {
  readonly kind: 'live';
  readonly scriptType: RunResult['meta']['scriptType'];
  /** Bars of its history, this one included. */
  readonly bars: number;
  /** Whether its history was run for this, because it was not open at the bar before. */
  readonly isReplayed: boolean;
  /** Raised since the tick before. */
  readonly alerts: RunResult['alerts'];
  /** Of this bar so far. */
  readonly fills: readonly LiveFill[];
  /** What a strategy holds, positive long; null of any other script. */
  readonly position: number | null;
  /** Whether ticks of the bar to come can change anything that is told of it. */
  readonly awaitsTicks: boolean;
  readonly runMs: number;
}

export interface LiveRunner {
  /**
   * Goes on with the run where it is open and stands at the bar before; otherwise it is opened by a run over its
   * history, which is asked for only then. A run that is lost is therefore never a wrong result, only a slower one.
   */
  advance(request: LiveRequest, history: () => BarColumns): Promise<LiveDone | Refused | Stopped>;
}
