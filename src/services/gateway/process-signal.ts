// The road every door shares: the gates' verdict, the trade, and the answer that tells both.

import { OvertakenError, StorageError, UnknownOutcomeError, withoutFolders } from '../../errors/storage-error.ts';
import type { Answer } from '../../http/answer.ts';
import { rateLimitHeaders } from '../../http/token-bucket.ts';
import type { Dispatched, Dispatcher } from '../../trading/execution/dispatch.ts';
import type { GateKeepers, ProvedCandidate, Verdict } from '../../trading/intake/accept-signal.ts';
import type { AcceptedSignal } from '../../trading/intake/accepted-signal.ts';
import type { QueueMode } from '../../trading/intake/controls.ts';
import type { Refusal as GateRefusal } from '../../trading/intake/gates.ts';
import type { ResendGuard } from '../../trading/intake/resend-guard.ts';
import { type SignalTrace, traced } from '../../trading/signal-trace.ts';
import { GATEWAY_ERRORS, type GatewayErrorCode } from './errors.ts';
import type { FindSymbol } from './map-symbol.ts';
import type { RefusalMemory } from './remember-refusals.ts';
import { dispatchedAnswer, type Ended, errorAnswer, isNothingSent, routedAnswer } from './signal-answers.ts';

const RATE_WINDOW_SECONDS = 60;

export interface SignalDeps {
  readonly keepers: GateKeepers;
  readonly dispatcher: Pick<Dispatcher, 'dispatch'>;
  readonly resends: Pick<ResendGuard, 'remember'>;
  readonly queueMode: () => QueueMode;
  readonly nowMs: () => number;
  readonly count: (decision: string) => void;
  /** The owner's own names for markets. */
  readonly symbols?: FindSymbol;
  /** Those of the settings, which no text that is stored may hold. */
  readonly knownKeys?: readonly string[];
  /** Hears the address of every call of a webhook, whatever becomes of it. */
  readonly noteCaller?: (address: string) => void;
  /** Where refusals are remembered. */
  readonly memory?: RefusalMemory;
  readonly onFault: (error: unknown, requestId: string) => void;
  readonly trace?: SignalTrace | undefined;
}

export async function processSignal(
  candidate: ProvedCandidate,
  verdict: Promise<Verdict>,
  deps: SignalDeps,
  /** The trace of its sender, where there is one and somebody watches. */
  traceParent?: string,
): Promise<Answer> {
  const { trace } = deps;
  const asked = trace ? traced(trace, candidate.requestId, 'gates', () => verdict, decisionOf) : verdict;
  const { answer, nothingSent } = await decide(candidate, asked, deps);
  if (trace) traceSignal(candidate, answer, traceParent, deps);
  if (answer.status >= 500 && !nothingSent && candidate.bodyDigest) {
    await deps.resends.remember(candidate.bodyDigest, candidate.requestId);
  }
  return answer;
}

const decisionOf = (verdict: Verdict) => ({ decision: 'refused' in verdict ? verdict.refused.code : 'accepted' });

/** The whole of it as far as its sender waits; what goes on behind the answer is a part of the same trace. */
function traceSignal(
  candidate: ProvedCandidate,
  { status }: Answer,
  traceParent: string | undefined,
  deps: SignalDeps,
) {
  const { requestId, receivedAtMs, source, order } = candidate;
  const { exchange, market, action } = order;
  const facts = { source, exchange, market, action, strategy: order.strategy, status };
  deps.trace?.add(requestId, 'signal', {
    tookMs: deps.nowMs() - receivedAtMs,
    facts,
    isFailed: status >= 500,
    traceParent,
  });
}

interface Decided {
  readonly answer: Answer;
  /** Certainly no order left: a platform that sends the signal again after a 5xx does what its user wants. */
  readonly nothingSent: boolean;
}

async function decide(candidate: ProvedCandidate, asked: Promise<Verdict>, deps: SignalDeps): Promise<Decided> {
  let accepted = false;
  try {
    const verdict = await asked;
    if ('refused' in verdict) {
      deps.count(verdict.refused.code);
      return { answer: refusalAnswer(candidate, verdict.refused), nothingSent: true };
    }
    accepted = true;
    deps.count('accepted');
    const mode = deps.queueMode();
    const first = deps.dispatcher.dispatch(verdict.accepted, mode);
    if (verdict.further.length > 0) return await decideAll(candidate, verdict, first, mode, deps);
    const dispatched = await first;
    return {
      answer: dispatchedAnswer(candidate, verdict.accepted, dispatched),
      nothingSent: isNothingSent(dispatched),
    };
  } catch (error) {
    deps.onFault(error, candidate.requestId);
    return faultAnswer(candidate, error, accepted);
  }
}

/** All accounts at once: none waits for another, and a fault on one leaves the others as they are. */
async function decideAll(
  candidate: ProvedCandidate,
  { accepted, further }: Extract<Verdict, { readonly accepted: AcceptedSignal }>,
  first: Promise<Dispatched>,
  mode: QueueMode,
  { dispatcher, onFault }: SignalDeps,
): Promise<Decided> {
  const others = further.map((trade) => ended(trade, dispatcher.dispatch(trade, mode)));
  const all = await Promise.all([ended(accepted, first), ...others]);
  function ended(trade: AcceptedSignal, dispatched: Promise<Dispatched>): Promise<Ended> {
    return dispatched.then(
      (outcome) => ({ trade, dispatched: outcome }),
      (error) => {
        onFault(error, trade.requestId);
        return { trade, failed: true as const };
      },
    );
  }
  const nothingSent = all.every((each) => 'dispatched' in each && isNothingSent(each.dispatched));
  return { answer: routedAnswer(candidate, all as [Ended, ...Ended[]]), nothingSent };
}

function faultAnswer(candidate: ProvedCandidate, error: unknown, accepted: boolean): Decided {
  const answer = (code: GatewayErrorCode, message: string): Answer => errorAnswer(candidate, code, message);
  if (accepted || !(error instanceof StorageError)) {
    return { answer: answer('INTERNAL', GATEWAY_ERRORS.INTERNAL.message), nothingSent: false };
  }
  const reason = withoutFolders(error.message);
  if (error instanceof UnknownOutcomeError) {
    const remedy = `GET /trades/${candidate.requestId} tells it when storage works again`;
    const words = `it is not known whether the signal was accepted: ${reason}; ${remedy}`;
    return { answer: answer('STORAGE_UNKNOWN', words), nothingSent: false };
  }
  const code = error instanceof OvertakenError ? 'TRY_AGAIN' : 'STORAGE_FAILED';
  return { answer: answer(code, `the signal was not accepted: ${reason}`), nothingSent: true };
}

function refusalAnswer(
  candidate: ProvedCandidate,
  { code, message, rate, originalRequestId, nearest }: GateRefusal,
): Answer {
  const extra = { ...(originalRequestId !== undefined && { originalRequestId }), ...(nearest && { nearest }) };
  const answer = errorAnswer(candidate, code, message, extra);
  if (!rate) return answer;
  return {
    ...answer,
    headers: rateLimitHeaders(rate, code === 'RATE_LIMITED' ? 'signals' : 'wrong-keys', RATE_WINDOW_SECONDS),
  };
}
