// What the sender of an accepted signal is told: of one account as it always was, of several with a result for each.

import type { Answer } from '../../http/answer.ts';
import type { Trade } from '../../trading/books/journal.ts';
import { shownMoney } from '../../trading/books/shown-amounts.ts';
import { STATUS_OF } from '../../trading/books/trade-status.ts';
import { toNumber } from '../../trading/decimal.ts';
import type { Dispatched } from '../../trading/execution/dispatch.ts';
import type { CaughtUp, Settled, SizedQuantity } from '../../trading/execution/trade-run.ts';
import type { ProvedCandidate } from '../../trading/intake/accept-signal.ts';
import { isLimitCode } from '../../trading/intake/limit-rules.ts';
import { GATEWAY_ERRORS, type GatewayErrorCode, gatewayShape } from './errors.ts';
import type { AccountResult, TradeResult } from './schemas.ts';

export const isNothingSent = (dispatched: Dispatched): boolean =>
  dispatched.kind === 'settled' && dispatched.settled.nothingPlaced;

export function dispatchedAnswer(candidate: ProvedCandidate, trade: Trade, dispatched: Dispatched): Answer {
  const { requestId, warnings = [] } = candidate;
  const ignored = warnings.length > 0 ? { warnings } : {};
  if (dispatched.kind === 'enqueued') return enqueuedAnswer(requestId, dispatched.why, ignored);
  const tradeResult = resultOf(trade, dispatched);
  if (dispatched.kind === 'queued')
    return { status: 200, body: { success: true, requestId, tradeResult, notificationResult: null, ...ignored } };
  const { settled, notification } = dispatched;
  const results = { tradeResult, notificationResult: notification };
  const refusal = refusalOf(settled);
  if (refusal) return errorAnswer(candidate, refusal, settled.error ?? GATEWAY_ERRORS[refusal].message, results);
  const all = [...warnings, ...(settled.warnings ?? [])];
  return { status: 200, body: { success: true, requestId, ...results, ...(all.length > 0 && { warnings: all }) } };
}

function enqueuedAnswer(requestId: string, why: 'async' | 'deadline', ignored: object): Answer {
  const message =
    why === 'async'
      ? `queued for execution; GET /trades/${requestId} tells the outcome`
      : `still being executed; GET /trades/${requestId} tells the outcome`;
  return { status: 202, body: { success: true, requestId, status: 'Enqueued', message, ...ignored } };
}

function resultOf({ order, mode, account }: Trade, dispatched: Dispatched): TradeResult {
  const limitPrice = order.price === undefined ? 0 : toNumber(order.price);
  if (dispatched.kind !== 'settled')
    return {
      success: true,
      orderId: '',
      status: 'Enqueued',
      executedQty: 0,
      price: limitPrice,
      queued: true,
      mode,
      account,
    };
  const { settled } = dispatched;
  return {
    success: settled.state === 'filled' || settled.state === 'submitted' || settled.state === 'partially_filled',
    orderId: settled.orderId ?? '',
    status: STATUS_OF[settled.state],
    executedQty: toNumber(settled.executedQuantity),
    price: settled.averagePrice === undefined ? limitPrice : toNumber(settled.averagePrice),
    queued: false,
    mode,
    account,
    ...(settled.leverage !== undefined && { leverage: settled.leverage }),
    ...(settled.sized && sizedView(settled.sized)),
    ...(settled.canceled && { canceled: settled.canceled }),
    ...(settled.caughtUp && { catchUp: settled.caughtUp.map(caughtUpView) }),
  };
}

const caughtUpView = ({ clientOrderId, side, executedQuantity, averagePrice }: CaughtUp) => ({
  clientOrderId,
  side,
  executedQty: toNumber(executedQuantity),
  price: averagePrice === undefined ? null : toNumber(averagePrice),
});

const sizedView = ({ requested, quantity, notional }: SizedQuantity) => ({
  requestedQuantity: toNumber(requested),
  quantity: toNumber(quantity),
  notional: notional === undefined ? null : toNumber(shownMoney(notional)),
});

export function refusalOf(settled: Pick<Settled, 'state' | 'cause'>): GatewayErrorCode | undefined {
  if (isLimitCode(settled.cause)) return settled.cause;
  if (settled.cause === 'kill-switch') return 'KILL_SWITCH_ACTIVE';
  if (settled.cause === 'venue-unreachable') return 'VENUE_UNREACHABLE';
  if (settled.cause === 'internal') return 'INTERNAL';
  if (settled.cause === 'opposite-position') return 'OPPOSITE_POSITION';
  if (settled.cause === 'stop-wrong-side') return 'STOP_WRONG_SIDE';
  if (settled.cause === 'cannot-size') return 'CANNOT_SIZE';
  if (settled.cause === 'unknown-symbol') return 'UNKNOWN_SYMBOL';
  if (settled.cause === 'order-too-large') return 'ORDER_TOO_LARGE';
  if (settled.cause === 'stale-data') return 'STALE_DATA';
  if (settled.cause === 'limits-unread') return 'TRY_AGAIN';
  if (settled.cause === 'position-differs') return 'POSITION_DIFFERS';
  return settled.state === 'rejected' || settled.state === 'expired' || settled.state === 'canceled'
    ? 'ORDER_REJECTED'
    : undefined;
}

export function errorAnswer(
  candidate: ProvedCandidate,
  code: GatewayErrorCode,
  message: string,
  extra: Record<string, unknown> = {},
): Answer {
  const body = gatewayShape({ code, message, requestId: candidate.requestId, extra });
  return { status: GATEWAY_ERRORS[code].status, body };
}

/** What became of a trade on one of several accounts; `failed` is a fault of ours. */
export type Ended =
  | { readonly trade: Trade; readonly dispatched: Dispatched }
  | { readonly trade: Trade; readonly failed: true };

/**
 * Several accounts: 200 as soon as one of them has or may have an order, whatever became of the others; an error only
 * where certainly none has, and then it is that of the first account.
 */
export function routedAnswer(candidate: ProvedCandidate, ended: readonly [Ended, ...Ended[]]): Answer {
  const { requestId } = candidate;
  const [first] = ended;
  const enqueued = ended.map((each) =>
    'dispatched' in each && each.dispatched.kind === 'enqueued' ? each.dispatched : undefined,
  );
  const warnings = [...(candidate.warnings ?? []), ...ended.flatMap(warningsOf)];
  const told = warnings.length > 0 ? { warnings } : {};
  if (enqueued.every((each) => each !== undefined)) return enqueuedAnswer(requestId, enqueued[0]?.why ?? 'async', told);
  const tradeResults = ended.map(accountResult);
  const { tradeId: _, exchange: __, error, code, ...tradeResult } = tradeResults[0] as AccountResult;
  const settled = 'dispatched' in first && first.dispatched.kind === 'settled' ? first.dispatched : undefined;
  const results = { tradeResult, tradeResults, notificationResult: settled?.notification ?? null };
  if (ended.every((each) => 'dispatched' in each && isNothingSent(each.dispatched)))
    return errorAnswer(
      candidate,
      (code ?? 'ORDER_REJECTED') as GatewayErrorCode,
      error ?? 'nothing was placed',
      results,
    );
  return { status: 200, body: { success: true, requestId, ...results, ...told } };
}

/** Each with its account, since they may differ. */
function warningsOf(ended: Ended): readonly string[] {
  if (!('dispatched' in ended) || ended.dispatched.kind !== 'settled') return [];
  const { account } = ended.trade;
  return (ended.dispatched.settled.warnings ?? []).map((warning) => `${account}: ${warning}`);
}

export function accountResult(ended: Ended): AccountResult {
  const { trade } = ended;
  const of = { tradeId: trade.requestId, exchange: trade.order.exchange };
  if ('failed' in ended) {
    const { mode, account } = trade;
    const unknown = {
      success: false,
      orderId: '',
      status: 'Unknown',
      executedQty: 0,
      price: 0,
      queued: false,
    } as const;
    return { ...unknown, mode, account, ...of, error: GATEWAY_ERRORS.INTERNAL.message, code: 'INTERNAL' };
  }
  const { dispatched } = ended;
  const settled = dispatched.kind === 'settled' ? dispatched.settled : undefined;
  const code = settled && refusalOf(settled);
  return { ...resultOf(trade, dispatched), ...of, error: settled?.error ?? null, code: code ?? null };
}
