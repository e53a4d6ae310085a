// The port through which requests are answered away from the event loop: their bytes go in unread, those of the answer come out.

import type { LibrarySource } from '../pine/index.ts';
import type { BarColumns, LibraryName } from '../pine/light.ts';
import type { SpaceFound, SpaceRequest } from './backtest-runner.ts';
import type { Caller } from './caller.ts';
import type { Drawn, DrawRequest, NotDrawn } from './chart-drawing.ts';
import type {
  Checked,
  CheckRequest,
  Completed,
  ConvertRequest,
  Evaluated,
  EvaluateRequest,
  Hovered,
  NotOld,
  PlaceRequest,
  Refused,
  RunDone,
  RunRequest,
  ScriptConverted,
  Stopped,
} from './script-runner.ts';
import type { BatchDraft } from './search/batch.ts';
import type { SearchDraft } from './search/search-draft.ts';

export type { Caller, CallerClass } from './caller.ts';

export interface RunLimits {
  readonly maxBars: number;
  /** UTF-16 units, of the script and of each library. */
  readonly maxScriptChars: number;
  readonly runTimeoutMs: number;
}

/** What is to be done with a body; the first word of each is that of its endpoint. */
export type RequestKind =
  | ('run' | 'run-batch' | 'run-message')
  | ('preview-chart' | 'preview-indicator' | 'backtest-quick' | 'backtest-batch' | 'optimize')
  | ('lsp-completion' | 'lsp-hover' | 'lsp-diagnostics' | 'lsp-convert');

/** What a thread is told of a request. */
export interface RequestBody {
  readonly kind: RequestKind;
  /** In the pieces it came in, and given away: the sender has them no more. */
  readonly body: readonly Uint8Array[];
  readonly limits: RunLimits;
  readonly runId: string;
  /** Where the request stands in the body of its sender, for the words: `requests.3`. */
  readonly at?: string;
  /** Those that it needed when it was first looked at. */
  readonly bars?: GivenBars;
  /** Libraries that its sender has published. `ask`: they can be had; a list: what it needed when it was first looked at. */
  readonly libraries?: 'ask' | readonly LibrarySource[];
}

/** Bars of a market, for a run that named it. */
export interface GivenBars {
  readonly symbol: string;
  readonly timeframe: string;
  /** Where they come from. */
  readonly source: string;
  readonly columns: BarColumns;
}

/** What is known of a request before it is answered; each note adds to those before. */
export interface RequestProgress {
  /** The id of a socket's message, where it has one. */
  readonly id?: string | number | null;
  readonly bars?: number;
  /** Its own time limit, which counts from here. */
  readonly timeoutMs?: number;
}

export interface Answered {
  readonly kind: 'answered';
  /** One JSON object. */
  readonly json: Uint8Array;
}

/** The body of a batch, cut into those of its requests. */
export interface Split {
  readonly kind: 'split';
  readonly bodies: readonly Uint8Array[];
}

/** The body asks for a search or a batch: it is begun by whoever passed it on, and runs on all threads. */
export interface Drafted {
  readonly kind: 'draft';
  readonly draft: SearchDraft | BatchDraft;
}

/** The request names a market instead of sending bars: it is to be asked again with them. */
export interface NeedsBars {
  readonly kind: 'needs-bars';
  /** The plain name of the market. */
  readonly symbol: string;
  readonly timeframeMs: number;
  /** How many, the newest that are final. */
  readonly count: number;
  /** As it came. */
  readonly body: Uint8Array;
}

/** The request imports libraries that it does not bring: it is to be asked again with those that can be found. */
export interface NeedsLibraries extends WantedLibraries {
  readonly kind: 'needs-libraries';
  /** As it came. */
  readonly body: Uint8Array;
}

export interface WantedLibraries {
  readonly imports: readonly LibraryName[];
  /** Whether the names of all others are wanted too, for somebody who types an import. */
  readonly wantsNames: boolean;
}

/** The body is at fault: a code of the service's table. */
export interface Rejected {
  readonly kind: 'rejected';
  readonly code: string;
  /** Where it is left out, the service's table of errors speaks. */
  readonly message?: string | undefined;
  /** Fields of the answer besides code and message. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

export type RequestOutcome = Answered | Split | Drafted | NeedsBars | NeedsLibraries | Rejected | Refused | Stopped;

/** The engine answers at once; tests hand in ones that take their time. */
type Soon<T> = T | Promise<T>;

/** What a thread has for its requests: the engine itself. */
export interface ScriptEngine {
  evaluate(request: EvaluateRequest): Soon<Evaluated | Refused | Stopped>;
  run(request: RunRequest): Soon<RunDone | Refused | Stopped>;
  space(request: SpaceRequest): Soon<SpaceFound | Refused | Stopped>;
  draw(request: DrawRequest): Soon<Drawn | NotDrawn | Refused | Stopped>;
  check(request: CheckRequest): Soon<Checked | Stopped>;
  complete(request: PlaceRequest): Soon<Completed | Stopped>;
  hover(request: PlaceRequest): Soon<Hovered | Stopped>;
  convert(request: ConvertRequest): Soon<ScriptConverted | NotOld | Refused | Stopped>;
}

/** What happens to a request inside a thread. */
export type HandleRequest = (
  request: RequestBody,
  engine: ScriptEngine,
  tell: (progress: RequestProgress) => void,
) => Promise<RequestOutcome>;

export interface RequestRunner {
  /** Why a request of this caller would not be taken now: asked before its body is received. */
  refusal(caller: Caller): Stopped | undefined;
  request(
    request: RequestBody & {
      readonly caller: Caller;
      readonly signal?: AbortSignal;
      readonly onProgress?: (progress: RequestProgress) => void;
    },
  ): Promise<RequestOutcome>;
}

/** Compiles a script of somebody's, in the share of threads that his class has. */
export interface ScriptChecker {
  check(request: CheckRequest & { readonly caller?: Caller }): Promise<Checked | Stopped>;
}

/** Runs a script on behalf of somebody, in that class's share of the threads. */
export interface CallerRunner {
  runFor(caller: Caller, request: RunRequest): Promise<RunDone | Refused | Stopped>;
}
