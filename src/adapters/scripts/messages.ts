// What the pool and its threads say to each other.

import type { Backtested, BacktestsRequest, SpaceFound, SpaceRequest } from '../../library/backtest-runner.ts';
import type { Drawn, DrawRequest, NotDrawn } from '../../library/chart-drawing.ts';
import type { LiveDone, LiveRequest } from '../../library/live-runner.ts';
import type { RequestBody, RequestOutcome, RequestProgress } from '../../library/request-runner.ts';
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
} from '../../library/script-runner.ts';
import type { BarColumns } from '../../pine/light.ts';

type Sent<T> = Omit<T, 'timeoutMs' | 'signal' | 'caller'>;

/** The next bar of a run that is open, or, with its history, of one that is not. */
export interface LiveJob extends LiveRequest {
  readonly kind: 'live';
  readonly history?: BarColumns | undefined;
}

/** The run is not open, or not at the bar before: send its history. */
export interface NotOpen {
  readonly kind: 'not-open';
}

/** For the engine. */
export type ScriptJob =
  | LiveJob
  | ({ readonly kind: 'run' } & Sent<RunRequest>)
  | ({ readonly kind: 'evaluate' } & Sent<EvaluateRequest>)
  | ({ readonly kind: 'backtests' } & Sent<BacktestsRequest>)
  | ({ readonly kind: 'space' } & Sent<SpaceRequest>)
  | ({ readonly kind: 'draw' } & Sent<DrawRequest>)
  | ({ readonly kind: 'check' } & Sent<CheckRequest>)
  | ({ readonly kind: 'convert' } & Sent<ConvertRequest>)
  | ({ readonly kind: 'complete' | 'hover' } & Sent<PlaceRequest>);

/** A request as it came, whose bytes change hands. */
export interface RequestJob {
  readonly kind: 'request';
  readonly request: RequestBody;
}

export type Job = ScriptJob | RequestJob;

/** A fault of ours inside the thread, in words. */
export interface Failed {
  readonly kind: 'failed';
  readonly reason: string;
  /** The stack, for the log. */
  readonly detail: string;
}
/** The thread itself ran into the end of its stack or of its memory. */
export interface Overgrown {
  readonly kind: 'too-large';
  readonly reason: string;
}

export type ScriptOutcome =
  | RunDone
  | LiveDone
  | NotOpen
  | Evaluated
  | Backtested
  | SpaceFound
  | Drawn
  | NotDrawn
  | Checked
  | Completed
  | Hovered
  | ScriptConverted
  | NotOld
  | Refused
  | Failed
  | Overgrown;
export type Outcome = ScriptOutcome | RequestOutcome;

/** What a thread tells of a request while it is at it. */
export interface Note {
  readonly progress: RequestProgress;
}

export interface Report {
  readonly outcome: Outcome;
  /** Heap and buffers the thread still holds. */
  readonly heldBytes: number;
}

/** What a thread is for: in a service it warms up before its first job; for a command it does what it is asked and nothing else. */
export type ThreadDuty = 'service' | 'command';

/** The first message of a thread: everything is loaded. */
export const READY = 'ready';
