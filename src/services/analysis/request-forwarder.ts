// The way of a request from its first byte to the bytes of its answer: the event loop receives it and passes it on, and
// reads nothing of it. Whatever is wrong with a body is found in the thread that gets it.

import type { KitContext } from '../../http/context.ts';
import { ClientGone } from '../../http/errors.ts';
import { readBodyPieces } from '../../http/read-body.ts';
import type {
  Answered,
  Caller,
  Drafted,
  NeedsBars,
  NeedsLibraries,
  Rejected,
  RequestKind,
  RequestOutcome,
  RequestProgress,
  RequestRunner,
  RunLimits,
  Split,
  WantedLibraries,
} from '../../library/request-runner.ts';
import { runFaultOf } from '../../library/run-fault.ts';
import type { Refused, Stopped } from '../../library/script-runner.ts';
import type { LibrarySource } from '../../pine/index.ts';
import { BodyMemory, type Hold, LARGE_BODY_LIMIT_BYTES } from './body-memory.ts';
import type { AnalysisErrorCode } from './errors.ts';
import { refusal } from './refusal.ts';
import type { GetRunBars, RunBarsSource } from './run-bars.ts';

export interface RunLine {
  /** How it ended. Never a word of the script. */
  readonly run: 'answer' | 'drawn' | Refused['kind'] | Stopped['kind'];
  /** 0 when the body was refused unread. */
  readonly bars: number;
  readonly ms: number;
  readonly requestId: string;
}

export interface ForwarderDeps {
  readonly runner: RequestRunner;
  readonly limits: RunLimits;
  /** Of all bodies together. */
  readonly maxBodyBytes?: number;
  /** For runs that name a market instead of sending bars. */
  readonly marketBars: RunBarsSource;
  readonly newRunId: () => string;
  readonly monotonicMs: () => number;
  /** Told of every script that ran or waited to. */
  readonly log: (line: RunLine) => void;
}

/** Finds libraries that the sender of a request has published. */
export type FindLibraries = (wanted: WantedLibraries) => Promise<readonly LibrarySource[]>;

/** One request, whether its body has been received or is still on the socket. */
export interface ForwardedRequest {
  readonly kind: RequestKind;
  readonly caller: Caller;
  readonly requestId: string;
  readonly signal: AbortSignal;
  readonly at?: string;
  /** Left out where nobody knows who sends it: then it brings what it imports. */
  readonly findLibraries?: FindLibraries | undefined;
  readonly onProgress?: (progress: RequestProgress) => void;
}

/** What becomes of a request that is not refused. */
export type Passed = Answered | Split | Drafted;

export interface RequestForwarder {
  /** Throws the refusal, before a byte of the body is received where it can be known by then. */
  serve(
    c: KitContext,
    request: Pick<ForwardedRequest, 'kind' | 'caller' | 'findLibraries'>,
    limitBytes?: number,
  ): Promise<Passed>;
  /** The same for bytes that are here already; they are given away. */
  pass(body: Uint8Array, request: ForwardedRequest): Promise<Passed>;
}

/** A fourth of what a small machine has left beside everything else. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** A script takes a second at most as a rule, so a second later is worth a try. */
const RETRY_AFTER_S = '1';
/** Requests that run no script are not told as runs. */
const RUNS: Readonly<Partial<Record<RequestKind, 'answer' | 'drawn'>>> = {
  run: 'answer',
  'run-message': 'answer',
  'preview-chart': 'drawn',
  'preview-indicator': 'drawn',
};

/** `getRunBars` is shared by everybody who loads bars, so that his share of it is one. */
export function createRequestForwarder(deps: ForwarderDeps, getRunBars: GetRunBars): RequestForwarder {
  const { runner, maxBodyBytes = MAX_BODY_BYTES } = deps;
  const bytes = new BodyMemory(maxBodyBytes);
  const ask = createAsk(deps, getRunBars);

  /** Throws where the queue is full: nothing is received for it then. */
  const enter = (caller: Caller, signal: AbortSignal): Hold => {
    const busy = runner.refusal(caller);
    if (busy !== undefined) throw outcomeFault(busy, signal);
    return bytes.hold(caller);
  };

  return {
    async serve(c, { kind, caller, findLibraries }, limitBytes = LARGE_BODY_LIMIT_BYTES) {
      const { signal } = c.req.raw;
      const hold = enter(caller, signal);
      try {
        // Only tried: what somebody says he will send takes no room from others, what he has sent does.
        if (!hold.resize(Math.min(declaredBytes(c), limitBytes))) throw noRoom();
        hold.release();
        const grow = (length: number) => (hold.resize(length) ? undefined : noRoom());
        const body = await readBodyPieces(c, limitBytes, grow);
        return await ask(body, { kind, caller, findLibraries, requestId: c.var.requestId, signal });
      } finally {
        hold.release();
      }
    },

    async pass(body, request) {
      const hold = enter(request.caller, request.signal);
      try {
        if (!hold.resize(body.length)) throw noRoom();
        return await ask([body], request);
      } finally {
        hold.release();
      }
    },
  };
}

function createAsk({ runner, limits, newRunId, monotonicMs, log }: ForwarderDeps, getRunBars: GetRunBars) {
  return async (body: readonly Uint8Array[], request: ForwardedRequest): Promise<Passed> => {
    const { kind, caller, requestId, signal, at, findLibraries, onProgress } = request;
    // The client may have hung up while its body was received.
    if (signal.aborted) throw clientGone();
    let bars = 0;
    const startedMs = monotonicMs();
    const asked = {
      ...{ kind, body, limits, caller, signal, runId: newRunId() },
      ...(at === undefined ? {} : { at }),
      onProgress(progress: RequestProgress) {
        bars = progress.bars ?? bars;
        onProgress?.(progress);
      },
    };
    const found = findLibraries && { libraries: 'ask' as const };
    const first = await runner.request({ ...asked, ...found });
    const libraries = first.kind === 'needs-libraries' ? { libraries: (await findLibraries?.(first)) ?? [] } : found;
    const second =
      first.kind === 'needs-libraries' ? await runner.request({ ...asked, ...libraries, body: [first.body] }) : first;
    const outcome =
      second.kind === 'needs-bars'
        ? await runner.request({ ...asked, ...libraries, body: [second.body], bars: await getRunBars(second, caller) })
        : second;
    const run = runWord(kind, outcome);
    if (run !== undefined) log({ run, bars, ms: Math.round(monotonicMs() - startedMs), requestId });
    if (outcome.kind === 'answered' || outcome.kind === 'split' || outcome.kind === 'draft') return outcome;
    if (outcome.kind === 'needs-bars' || outcome.kind === 'needs-libraries')
      throw new Error('a request that was given what it needs asks for it again');
    throw outcomeFault(outcome, signal);
  };
}

/** 0 where a body does not say its length. */
function declaredBytes(c: KitContext): number {
  const declared = Number(c.req.header('content-length') ?? 0);
  return declared >= 0 ? declared : 0;
}

/** Whether no script even began to wait for its turn. */
const isUnrun = (outcome: RequestOutcome): outcome is Split | Drafted | NeedsBars | NeedsLibraries | Rejected =>
  ['rejected', 'split', 'draft', 'needs-bars', 'needs-libraries'].includes(outcome.kind);

function runWord(kind: RequestKind, outcome: RequestOutcome): RunLine['run'] | undefined {
  const word = RUNS[kind];
  if (word === undefined || isUnrun(outcome)) return undefined;
  return outcome.kind === 'answered' ? word : outcome.kind;
}

const noRoom = (): Error =>
  refusal('BUSY', 'too many large requests are on their way; try again in a moment', {
    headers: { 'retry-after': RETRY_AFTER_S },
  });

export const clientGone = (): ClientGone => new ClientGone('The client left before its script was done.');

/** What to throw for an outcome that is no answer: the caller's faults are refusals, ours an error for the log. */
export function outcomeFault(outcome: Rejected | Refused | Stopped, signal: AbortSignal): Error {
  if (outcome.kind === 'rejected')
    return refusal(outcome.code as AnalysisErrorCode, outcome.message, { extra: outcome.extra ?? {} });
  if (outcome.kind === 'canceled' && signal.aborted) return clientGone();
  const fault = runFaultOf(outcome);
  if (fault instanceof Error) return fault;
  const retry = fault.isPassing && { headers: { 'retry-after': RETRY_AFTER_S } };
  return refusal(fault.code, fault.message, { ...retry, extra: fault.extra ?? {} });
}
