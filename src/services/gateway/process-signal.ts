// The road every door shares: the gates' verdict, the trade, and the answer that tells both.

import { StorageError, UnknownOutcomeError, withoutFolders } from '../../errors/storage-error.ts';
import type { Answer } from '../../http/answer.ts';
import { rateLimitHeaders } from '../../http/token-bucket.ts';
import type { Trade } from '../../trading/books/journal.ts';
import { STATUS_OF } from '../../trading/books/trade-status.ts';
import { toNumber } from '../../trading/decimal.ts';
import type { Dispatched, Dispatcher } from '../../trading/execution/dispatch.ts';
import type { Settled } from '../../trading/execution/trade-run.ts';
import type { GateKeepers, ProvedCandidate, Verdict } from '../../trading/intake/accept-signal.ts';
import type { QueueMode } from '../../trading/intake/controls.ts';
import type { Refusal as GateRefusal } from '../../trading/intake/gates.ts';
import type { ResendGuard } from '../../trading/intake/resend-guard.ts';
import { GATEWAY_ERRORS, type GatewayErrorCode, gatewayShape } from './errors.ts';
import type { RefusalMemory } from './remember-refusals.ts';
import type { TradeResult } from './schemas.ts';

const RATE_WINDOW_SECONDS = 60;

export interface SignalDeps {
  readonly keepers: GateKeepers;
  readonly dispatcher: Pick<Dispatcher, 'dispatch'>;
  readonly resends: ResendGuard;
  readonly queueMode: () => QueueMode;
  readonly nowMs: () => number;
  readonly count: (decision: string) => void;
  /** Where refusals are remembered. */
  readonly memory?: RefusalMemory;
  readonly onFault: (error: unknown, requestId: string) => void;
}

export async function processSignal(
  candidate: ProvedCandidate,
  verdict: Promise<Verdict>,
  deps: SignalDeps,
): Promise<Answer> {
  const { answer, nothingSent } = await decide(candidate, verdict, deps);
  if (answer.status >= 500 && !nothingSent && candidate.bodyDigest) {
    await deps.resends.remember(candidate.bodyDigest, candidate.requestId);
  }
  return answer;
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
    const dispatched = await deps.dispatcher.dispatch(verdict.accepted, deps.queueMode());
    const nothingSent = dispatched.kind === 'settled' && dispatched.settled.nothingPlaced;
    return { answer: dispatchedAnswer(candidate, verdict.accepted, dispatched), nothingSent };
  } catch (error) {
    deps.onFault(error, candidate.requestId);
    return faultAnswer(candidate, error, accepted);
  }
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
  return { answer: answer('STORAGE_FAILED', `the signal was not accepted: ${reason}`), nothingSent: true };
}

function refusalAnswer(candidate: ProvedCandidate, { code, message, rate, originalRequestId }: GateRefusal): Answer {
  const extra = originalRequestId === undefined ? {} : { originalRequestId };
  const answer = errorAnswer(candidate, code, message, extra);
  if (!rate) return answer;
  return {
    ...answer,
    headers: rateLimitHeaders(rate, code === 'RATE_LIMITED' ? 'signals' : 'wrong-keys', RATE_WINDOW_SECONDS),
  };
}

function dispatchedAnswer(
  candidate: ProvedCandidate,
  { mode, account }: Pick<Trade, 'mode' | 'account'>,
  dispatched: Dispatched,
): Answer {
  const { requestId, order, warnings = [] } = candidate;
  const ignored = warnings.length > 0 ? { warnings } : {};
  const limitPrice = order.price === undefined ? 0 : toNumber(order.price);
  if (dispatched.kind === 'enqueued') {
    const message =
      dispatched.why === 'async'
        ? `queued for execution; GET /trades/${requestId} tells the outcome`
        : `still being executed; GET /trades/${requestId} tells the outcome`;
    return { status: 202, body: { success: true, requestId, status: 'Enqueued', message, ...ignored } };
  }
  if (dispatched.kind === 'queued') {
    const tradeResult: TradeResult = {
      success: true,
      orderId: '',
      status: 'Enqueued',
      executedQty: 0,
      price: limitPrice,
      queued: true,
      mode,
      account,
    };
    return { status: 200, body: { success: true, requestId, tradeResult, notificationResult: null, ...ignored } };
  }
  const { settled, notification } = dispatched;
  const tradeResult: TradeResult = {
    success: settled.state === 'filled' || settled.state === 'submitted' || settled.state === 'partially_filled',
    orderId: settled.orderId ?? '',
    status: STATUS_OF[settled.state],
    executedQty: toNumber(settled.executedQuantity),
    price: settled.averagePrice === undefined ? limitPrice : toNumber(settled.averagePrice),
    queued: false,
    mode,
    account,
    ...(settled.leverage !== undefined && { leverage: settled.leverage }),
  };
  const results = { tradeResult, notificationResult: notification };
  const refusal = refusalOf(settled);
  if (refusal) return errorAnswer(candidate, refusal, settled.error ?? GATEWAY_ERRORS[refusal].message, results);
  const all = [...warnings, ...(settled.warnings ?? [])];
  return { status: 200, body: { success: true, requestId, ...results, ...(all.length > 0 && { warnings: all }) } };
}

function refusalOf(settled: Settled): GatewayErrorCode | undefined {
  if (settled.cause === 'kill-switch') return 'KILL_SWITCH_ACTIVE';
  if (settled.cause === 'venue-unreachable') return 'VENUE_UNREACHABLE';
  if (settled.cause === 'internal') return 'INTERNAL';
  if (settled.cause === 'opposite-position') return 'OPPOSITE_POSITION';
  if (settled.cause === 'stop-wrong-side') return 'STOP_WRONG_SIDE';
  return settled.state === 'rejected' || settled.state === 'expired' || settled.state === 'canceled'
    ? 'ORDER_REJECTED'
    : undefined;
}

function errorAnswer(
  candidate: ProvedCandidate,
  code: GatewayErrorCode,
  message: string,
  extra: Record<string, unknown> = {},
): Answer {
  const body = gatewayShape({ code, message, requestId: candidate.requestId, extra });
  return { status: GATEWAY_ERRORS[code].status, body };
}
