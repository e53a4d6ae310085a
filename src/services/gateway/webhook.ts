// POST /webhook and POST /webhook/tradingview: read, ask the gates, dispatch, answer.

import { hash } from 'node:crypto';
import type { Answer } from '../../http/answer.ts';
import type { Door } from '../../http/door.ts';
import { rateLimitHeaders } from '../../http/token-bucket.ts';
import { acceptSignal, type Candidate, type GateKeepers } from '../../trading/accept-signal.ts';
import type { QueueMode } from '../../trading/controls.ts';
import { toNumber } from '../../trading/decimal.ts';
import type { Dispatched, Dispatcher } from '../../trading/dispatch.ts';
import type { Refusal as GateRefusal } from '../../trading/gates.ts';
import type { ResendGuard } from '../../trading/resend-guard.ts';
import type { SignalSource } from '../../trading/signal.ts';
import { StorageError, withoutFolders } from '../../trading/storage-error.ts';
import type { Settled } from '../../trading/trade-run.ts';
import { STATUS_OF } from '../../trading/trade-status.ts';
import { GATEWAY_ERRORS, type GatewayErrorCode, gatewayShape } from './errors.ts';
import type { ReadSignal } from './read-signal.ts';
import type { TradeResult } from './schemas.ts';

/** A signal is a few hundred bytes; this leaves room for a long notification text. */
export const WEBHOOK_BODY_LIMIT = 64 * 1024;
const RATE_WINDOW_SECONDS = 60;

export interface WebhookDeps {
  readonly keepers: GateKeepers;
  readonly dispatcher: Dispatcher;
  readonly resends: ResendGuard;
  readonly queueMode: () => QueueMode;
  readonly nowMs: () => number;
  readonly count: (decision: string) => void;
  readonly onFault: (error: unknown, requestId: string) => void;
}

export function createWebhookDoor(
  deps: WebhookDeps,
  source: SignalSource,
  read: (body: Uint8Array) => ReadSignal,
): Door {
  return async (call) => {
    // Faults of shape come first: the kit turns the thrown refusal into its answer.
    const { apiKey, order } = read(call.body);
    const candidate: Candidate = {
      requestId: call.requestId,
      receivedAtMs: deps.nowMs(),
      source,
      apiKey,
      address: call.clientAddress,
      order,
      bodyDigest: order.idempotencyKey === undefined ? hash('sha256', call.body, 'buffer') : undefined,
    };
    const answer = await process(candidate, deps);
    if (answer.status >= 500 && candidate.bodyDigest) await deps.resends.remember(candidate.bodyDigest, call.requestId);
    return answer;
  };
}

async function process(candidate: Candidate, deps: WebhookDeps): Promise<Answer> {
  let accepted = false;
  try {
    const verdict = await acceptSignal(candidate, deps.keepers);
    if ('refused' in verdict) {
      deps.count(verdict.refused.code);
      return refusalAnswer(candidate, verdict.refused);
    }
    accepted = true;
    deps.count('accepted');
    const dispatched = await deps.dispatcher.dispatch(verdict.accepted, deps.queueMode());
    return dispatchedAnswer(candidate, verdict.accepted.account, dispatched);
  } catch (error) {
    deps.onFault(error, candidate.requestId);
    if (error instanceof StorageError && !accepted) {
      return errorAnswer(candidate, 'STORAGE_FAILED', `the signal was not accepted: ${withoutFolders(error.message)}`);
    }
    return errorAnswer(candidate, 'INTERNAL', GATEWAY_ERRORS.INTERNAL.message);
  }
}

function refusalAnswer(candidate: Candidate, { code, message, rate, originalRequestId }: GateRefusal): Answer {
  const extra = originalRequestId === undefined ? {} : { originalRequestId };
  const answer = errorAnswer(candidate, code, message, extra);
  if (!rate) return answer;
  return {
    ...answer,
    headers: rateLimitHeaders(rate, code === 'RATE_LIMITED' ? 'signals' : 'wrong-keys', RATE_WINDOW_SECONDS),
  };
}

function dispatchedAnswer(candidate: Candidate, mode: TradeResult['mode'], dispatched: Dispatched): Answer {
  const { requestId, order } = candidate;
  const limitPrice = order.price === undefined ? 0 : toNumber(order.price);
  if (dispatched.kind === 'enqueued') {
    const message =
      dispatched.why === 'async'
        ? `queued for execution; GET /trades/${requestId} tells the outcome`
        : `still being executed; GET /trades/${requestId} tells the outcome`;
    return { status: 202, body: { success: true, requestId, status: 'Enqueued', message } };
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
    };
    return { status: 200, body: { success: true, requestId, tradeResult, notificationResult: null } };
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
  };
  const results = { tradeResult, notificationResult: notification };
  const refusal = refusalOf(settled);
  if (refusal) return errorAnswer(candidate, refusal, settled.error ?? GATEWAY_ERRORS[refusal].message, results);
  return { status: 200, body: { success: true, requestId, ...results } };
}

function refusalOf(settled: Settled): GatewayErrorCode | undefined {
  if (settled.cause === 'kill-switch') return 'KILL_SWITCH_ACTIVE';
  if (settled.cause === 'venue-unreachable') return 'VENUE_UNREACHABLE';
  if (settled.cause === 'internal') return 'INTERNAL';
  return settled.state === 'rejected' || settled.state === 'expired' || settled.state === 'canceled'
    ? 'ORDER_REJECTED'
    : undefined;
}

function errorAnswer(
  candidate: Candidate,
  code: GatewayErrorCode,
  message: string,
  extra: Record<string, unknown> = {},
): Answer {
  const body = gatewayShape({ code, message, requestId: candidate.requestId, extra });
  return { status: GATEWAY_ERRORS[code].status, body };
}
