// The port through which scripts are compiled and run away from the event loop, each within its time and its memory.

import type {
  BarColumns,
  Change,
  Completion,
  Diagnostic,
  Hover,
  InputSpec,
  LibrarySource,
  MissingBars,
  OldVersion,
  OrderFill,
  RunResult,
  StrategyReport,
  SymbolBars,
  SymbolInfo,
} from '../pine/index.ts';
import type { RepaintCheck } from './repaint-check.ts';

/** A finding of the compiler with its place; lines and columns count from 1, columns in UTF-16 units. */
export interface ScriptDiagnostic {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly severity: Diagnostic['severity'];
  readonly code: string;
  readonly message: string;
  readonly remedy?: string;
}

interface Limited {
  /** Counts from the moment the script gets a thread; the runner's own limit where it is left out. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface CheckRequest extends Limited {
  readonly source: string;
  readonly libraries?: readonly LibrarySource[];
}

export interface ConvertRequest extends Limited {
  readonly source: string;
}

/** A question about one place in a script, as an offset in UTF-16 units. */
export interface PlaceRequest extends CheckRequest {
  readonly offset: number;
}

export interface RunRequest extends CheckRequest {
  /** Left alone until the outcome is there; copied, unless their buffers are shared ones. */
  readonly bars: BarColumns;
  /** Values by the title of the input. */
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly symbol?: SymbolInfo;
  /** Bars of other symbols and timeframes that the script may request. */
  readonly symbolBars?: readonly SymbolBars[];
  /** Used instead of the one that the symbol names. */
  readonly timeframe?: string;
  /** Where there is neither, the distance between the bars tells it. */
  readonly isTimeframeMeasured?: boolean;
  /** Bars from here on came after the script was started, for scripts that ask for so many bars before that. */
  readonly liveSinceMs?: number;
  /** Of interest are only alerts from this bar on: nothing else comes back but the number of bars. */
  readonly alertsSinceMs?: number;
  /** Orders of a strategy's bars before and from these moments on are not taken. */
  readonly tradeFromMs?: number;
  readonly tradeToMs?: number;
  /** What a strategy begins with, instead of what it declares. */
  readonly initialCapital?: number;
  /** Whether to run it bar by bar besides, and to warn of what it shows of the past and did not show then. */
  readonly checksRepaint?: boolean;
  /** The fills of bars from here on are wanted one by one, as a live run tells them. */
  readonly fillsSinceMs?: number;
  /** Of interest is only what a strategy made: series, drawings and alerts do not come back. */
  readonly wantsOnlyReport?: boolean;
  /** One shared number: how many bars are done, while it runs. */
  readonly progress?: Int32Array;
}

export interface EvaluateRequest extends RunRequest {
  readonly runId: string;
  /** Whether the report of a strategy is wanted beside the answer. */
  readonly wantsReport?: boolean;
}

/** The script did not come to an end of its own; the reason names the remedy. */
export interface Stopped {
  /**
   * timeout: past its deadline. too-large: past its memory. canceled: by the caller, or because the runner closes.
   * busy: too many others wait; try again. failed: a fault of ours.
   */
  readonly kind: 'timeout' | 'too-large' | 'canceled' | 'busy' | 'failed';
  readonly reason: string;
  /** Of a fault of ours, where it happened; for the log, not for callers. */
  readonly detail?: string;
}

/** The script, or what was handed to it, is at fault. */
export type Refused =
  | { readonly kind: 'compile-failed'; readonly diagnostics: readonly ScriptDiagnostic[] }
  /** An input, or the description of the market, has a value it cannot have. */
  | { readonly kind: 'input-fault'; readonly reason: string }
  | {
      readonly kind: 'runtime-error';
      readonly message: string;
      readonly barIndex: number;
      readonly line: number;
      readonly column: number;
      /** What it requested in vain: with these bars it may run. */
      readonly missingBars?: MissingBars;
    };

/** What a strategy goes by when it sizes its orders. */
export interface StrategyAccount {
  readonly initialCapital: number;
  readonly currency: string;
  readonly quantityType: 'fixed' | 'percent_of_equity' | 'cash';
  /** In contracts, percent or money, by its type. */
  readonly quantityValue: number;
}

export interface RunDone {
  readonly kind: 'result';
  /** Its broker is null: the books of a strategy stay in the thread, and the report tells what they come to. */
  readonly result: RunResult;
  /** Of a strategy; null of any other script, and where only alerts are wanted. */
  readonly report: StrategyReport | null;
  readonly warnings: readonly ScriptDiagnostic[];
  readonly runMs: number;
  /** Where the request asks for it. */
  readonly repaint?: RepaintCheck;
  /** Of a strategy, where only alerts are wanted. */
  readonly account?: StrategyAccount;
  /** Where the request asks for them, oldest first. */
  readonly fills?: readonly BarFill[];
}

/** A fill of a strategy's order, with its bar and its place among the fills of it. */
export interface BarFill extends OrderFill {
  readonly barTimeMs: number;
  readonly place: number;
}

export interface Evaluated {
  readonly kind: 'answer';
  /** The answer of the evaluate contract, encoded where it was made: it only has to be passed on. */
  readonly json: Uint8Array;
  readonly warnings: readonly ScriptDiagnostic[];
  /** Where it is wanted, and of a strategy. */
  readonly report?: StrategyReport | null;
  /** Where the request asks for it. */
  readonly repaint?: RepaintCheck;
}

export interface Checked {
  readonly kind: 'checked';
  /** Whether it may run. */
  readonly ok: boolean;
  readonly diagnostics: readonly ScriptDiagnostic[];
  /** What can be set before a run; none while there are errors. */
  readonly inputs: readonly InputSpec[];
  /** What it declares itself to be; known when it may run. */
  readonly scriptType?: RunResult['meta']['scriptType'];
  /** What it calls itself; known when it may run. */
  readonly title?: string;
}

/** A script of version 1 to 4 in version 5. */
export interface ScriptConverted {
  readonly kind: 'converted';
  readonly version: OldVersion;
  readonly text: string;
  /** In the order of the text; lines are those of the old script. */
  readonly changes: readonly Change[];
}

/** There is nothing to convert: the reason says why. */
export interface NotOld {
  readonly kind: 'not-old';
  readonly reason: string;
}

export interface Completed {
  readonly kind: 'completed';
  readonly items: readonly Completion[];
}

export interface Hovered {
  readonly kind: 'hovered';
  /** Null where there is nothing to tell. */
  readonly hover: Hover | null;
}

export interface ScriptRunner {
  run(request: RunRequest): Promise<RunDone | Refused | Stopped>;
  evaluate(request: EvaluateRequest): Promise<Evaluated | Refused | Stopped>;
  check(request: CheckRequest): Promise<Checked | Stopped>;
  /** Waits so long for what is under way, then cancels it; whatever waits is canceled at once. */
  close(waitMs?: number): Promise<void>;
}
