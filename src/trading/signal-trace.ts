// The life of one signal in steps, for whoever watches it from outside. To add a step costs next to nothing and never fails; where
// nobody watches there is no trace at all.

/** In the order of a signal's life; all but the first are a part of it. */
export type TraceStep =
  | 'signal'
  | 'gates'
  | 'commit'
  | 'queue'
  | 'execute'
  | 'place order'
  | 'find order'
  | 'outcome'
  | 'notify';

/** What may be known of a step outside: names and numbers, never texts of others and never secrets. */
export type StepFacts = Readonly<Record<string, string | number | boolean | undefined>>;

export interface EndedStep {
  readonly tookMs: number;
  readonly facts?: StepFacts | undefined;
  readonly isFailed?: boolean;
  /** The trace of its sender, as the W3C header `traceparent` names it. */
  readonly traceParent?: string | undefined;
}

export interface SignalTrace {
  /** A clock that never jumps. */
  readonly clockMs: () => number;
  /** The step has ended just now. The request id says whose step it is, of a routed trade too. */
  add(requestId: string, step: TraceStep, ended: EndedStep): void;
}

/** Does the work as a step; without a trace it is only done. */
export function traced<T>(
  trace: SignalTrace | undefined,
  requestId: string,
  step: TraceStep,
  work: () => Promise<T>,
  factsOf: (result: T) => StepFacts = () => ({}),
): Promise<T> {
  return trace === undefined ? work() : asStep(trace, requestId, step, work, factsOf);
}

async function asStep<T>(
  trace: SignalTrace,
  requestId: string,
  step: TraceStep,
  work: () => Promise<T>,
  factsOf: (result: T) => StepFacts,
): Promise<T> {
  const sinceMs = trace.clockMs();
  try {
    const result = await work();
    trace.add(requestId, step, { tookMs: trace.clockMs() - sinceMs, facts: factsOf(result) });
    return result;
  } catch (error) {
    trace.add(requestId, step, { tookMs: trace.clockMs() - sinceMs, isFailed: true });
    throw error;
  }
}
