// What every handler of a request gets inside a thread, and the bytes it answers with.

import type {
  Answered,
  GivenBars,
  RequestBody,
  RequestOutcome,
  RequestProgress,
  RunLimits,
  ScriptEngine,
} from '../../../library/request-runner.ts';

export interface HandlerCall {
  /** The body as JSON. */
  readonly value: unknown;
  /** The same as it came. */
  readonly bytes: Uint8Array;
  readonly limits: RunLimits;
  readonly runId: string;
  /** Where the request stands in the body of its sender; empty for one that is a body of its own. */
  readonly at: string;
  /** Where the request was asked for once already, the bars that it needed. */
  readonly bars: GivenBars | undefined;
  /** Those that its sender has published; see RequestBody. */
  readonly libraries: RequestBody['libraries'];
  readonly engine: ScriptEngine;
  readonly tell: (progress: RequestProgress) => void;
}

/** Throws a refusal for a body at fault. */
export type Handler = (call: HandlerCall) => RequestOutcome | Promise<RequestOutcome>;

const encoder = new TextEncoder();

/** In memory of its own, so that it can be handed to the event loop. */
export const answered = (answer: object): Answered => ({
  kind: 'answered',
  json: encoder.encode(JSON.stringify(answer)),
});
