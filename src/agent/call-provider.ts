// Asks one provider within its time: retries what is worth retrying, heeds its circuit breaker, and accounts for every call.

import { backoffMs } from '../timing/backoff.ts';
import { foregroundTimers } from '../timing/timers.ts';
import { wait } from '../timing/wait.ts';
import { untilAborted } from '../timing/with-timeout.ts';
import type { CircuitBreaker, CircuitState, Passage } from './circuit-breaker.ts';
import { tokensOfRequest, tokensOfText } from './estimate-tokens.ts';
import {
  type FaultKind,
  ModelFault,
  type ModelProvider,
  type ModelReply,
  type ModelRequest,
} from './model-provider.ts';
import { costInNanoUsd, type Price } from './prices.ts';
import { isFailing, type UsageEntry } from './usage-ledger.ts';

/** Before a retry when the provider names no time; half of it is chance, so that many callers do not come together. */
const RETRY_PAUSE = { firstMs: 500, longestMs: 500 };

export interface CallContext {
  readonly requestId: string;
  readonly door: UsageEntry['door'];
  /** Aborted when the caller hung up, or with a ModelFault as the reason. */
  readonly signal: AbortSignal;
  /** Given when the reply is wanted piece by piece. */
  readonly out?: TextOut | undefined;
}

/** Where the text of one reply goes out. What is said cannot be taken back: from then on nobody else may be asked. */
export interface TextOut {
  readonly said: boolean;
  say(text: string): void;
}

export interface CallerParts {
  readonly provider: ModelProvider;
  readonly breaker: CircuitBreaker;
  /** Undefined when nobody knows it. */
  readonly price: Price | undefined;
  /** For all tries together; of a reply that comes piece by piece, for each silence. */
  readonly timeoutMs: number;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly random: () => number;
  /** Told of every call that was made. */
  readonly account: (entry: UsageEntry) => Promise<void>;
}

export interface ProviderCaller {
  readonly provider: ModelProvider;
  readonly circuit: () => CircuitState;
  /** Rejects with ModelFault. */
  call(request: ModelRequest, context: CallContext): Promise<ModelReply>;
}

type Ended = ModelReply | ModelFault;

/** The fault that an aborted signal stands for. */
export const abortFault = (signal: AbortSignal): ModelFault =>
  signal.reason instanceof ModelFault ? signal.reason : new ModelFault('canceled', 'the caller hung up');

export function createProviderCaller(parts: CallerParts): ProviderCaller {
  const { provider, breaker, timeoutMs, monotonicMs, random } = parts;

  /** One call of the provider, accounted for. */
  async function oneTry(request: ModelRequest, context: CallContext, budgetMs: number): Promise<Ended> {
    const startedMs = monotonicMs();
    let chars = 0;
    const limits = { signal: context.signal, budgetMs, timeoutMs };
    const ended = await within(limits, (signal, alive) =>
      provider.ask(request, {
        signal,
        ...(context.out && {
          onPart: (text) => {
            // What comes after the end is nobody's: the fault is told, and perhaps another already speaks.
            if (signal.aborted) return;
            alive();
            chars += text.length;
            if (text !== '') context.out?.say(text);
          },
        }),
      }),
    ).then(checkReply, faultOf);
    await parts.account(entryOf(parts, { request, context, ended, chars, ms: monotonicMs() - startedMs }));
    return ended;
  }

  /** Not a third time: a second failure in a row is no accident, and the next provider waits. */
  async function tryTwice(request: ModelRequest, context: CallContext): Promise<Ended> {
    const deadlineMs = monotonicMs() + timeoutMs;
    const first = await oneTry(request, context, timeoutMs);
    if (!(first instanceof ModelFault) || !first.retryable || context.out?.said) return first;
    const pauseMs = first.retryAfterMs ?? backoffMs(RETRY_PAUSE, 1, random);
    // A wait that ends with the time has no try behind it.
    if (pauseMs >= deadlineMs - monotonicMs()) return first;
    await wait(pauseMs, { stop: context.signal, timers: foregroundTimers });
    if (context.signal.aborted) return abortFault(context.signal);
    return oneTry(request, context, deadlineMs - monotonicMs());
  }

  return {
    provider,
    circuit: breaker.state,
    async call(request, context) {
      if (context.signal.aborted) throw abortFault(context.signal);
      const entered = breaker.enter();
      if ('waitMs' in entered) throw leftAlone(entered.waitMs);
      let ended: Ended;
      try {
        ended = await tryTwice(request, context);
      } catch (error) {
        entered.passage.released();
        throw error;
      }
      settle(entered.passage, ended);
      if (ended instanceof ModelFault) throw ended;
      return ended;
    },
  };
}

interface TimeLimits {
  readonly signal: AbortSignal;
  readonly budgetMs: number;
  readonly timeoutMs: number;
}

/** Ends with the work, the time or the signal, whichever is first, even if the work heeds neither. */
async function within<T>(
  { signal, budgetMs, timeoutMs }: TimeLimits,
  work: (signal: AbortSignal, alive: () => void) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const isLate = (): void =>
    ending.abort(
      new ModelFault('timeout', `no answer within ${timeoutMs / 1000} s; raise AGENT_TIMEOUT_S if the model is slow`),
    );
  const isAborted = (): void => ending.abort(abortFault(signal));
  let timer = setTimeout(isLate, Math.max(0, budgetMs));
  const alive = (): void => {
    clearTimeout(timer);
    timer = setTimeout(isLate, timeoutMs);
  };
  signal.addEventListener('abort', isAborted, { once: true });
  try {
    return await untilAborted(work(ending.signal, alive), ending.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', isAborted);
  }
}

/** A reply without a text and without a tool call is of no use, so it counts as a fault and the next provider is asked. */
function checkReply(reply: ModelReply): Ended {
  if (reply.text.trim() !== '' || reply.toolRequests.length > 0) return reply;
  const counted = reply.tokens === undefined ? {} : { tokens: reply.tokens };
  if (reply.finish !== 'length') return new ModelFault('malformed', 'it answered with nothing', counted);
  return new ModelFault('request', 'all of maxTokens was used before a word was written; raise maxTokens', counted);
}

const faultOf = (error: unknown): ModelFault =>
  error instanceof ModelFault ? error : new ModelFault('malformed', 'its answer could not be read');

function leftAlone(waitMs: number): ModelFault {
  const when = waitMs > 0 ? `it is asked again in ${Math.ceil(waitMs / 1000)} s` : 'one call is trying it just now';
  return new ModelFault('unreachable', `left alone after failures in a row; ${when}`);
}

function settle(passage: Passage, ended: Ended): void {
  if (!(ended instanceof ModelFault)) passage.succeeded();
  else if (ended.kind === 'canceled') passage.released();
  else if (isFailing(ended.kind)) passage.failed(ended.retryAfterMs);
  else passage.succeeded();
}

interface Call {
  readonly request: ModelRequest;
  readonly context: CallContext;
  readonly ended: Ended;
  /** Of text that came piece by piece. */
  readonly chars: number;
  readonly ms: number;
}

/** Hung up on: the provider has worked, and counts what it did. An error it sent itself costs nothing. */
const HUNG_UP: readonly FaultKind[] = ['canceled', 'timeout'];

function entryOf({ provider, price, nowMs }: CallerParts, { request, context, ended, chars, ms }: Call): UsageEntry {
  const outcome = ended instanceof ModelFault ? ended.kind : 'ok';
  const counted = ended.tokens;
  const worked = outcome === 'ok' || chars > 0 || HUNG_UP.includes(outcome);
  const estimated = counted === undefined && worked;
  const written = ended instanceof ModelFault ? chars : ended.text.length;
  const guess = { tokensIn: tokensOfRequest(request), tokensOut: tokensOfText(written) };
  const { tokensIn, tokensOut } = counted ?? (estimated ? guess : { tokensIn: 0, tokensOut: 0 });
  return {
    atMs: nowMs(),
    requestId: context.requestId,
    door: context.door,
    provider: provider.name,
    model: provider.model,
    outcome,
    tokensIn,
    tokensOut,
    costNanoUsd: price === undefined ? null : costInNanoUsd({ tokensIn, tokensOut }, price),
    estimated,
    ms: Math.round(ms),
  };
}
