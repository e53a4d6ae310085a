// What a step of a trade tells, and whom: the sender who asked with `notify`, the owner's chat, and the owner's channels.

import { accountWithMode } from '../accounts.ts';
import { ACTION_MEANING } from '../action.ts';
import { type BookedFill, isFinal, type Trade, type TradeState } from '../books/journal.ts';
import type { NoticeMessage, OutboxMessage } from '../books/outbox.ts';
import type { TemplateValues } from '../books/outcome-values.ts';
import { shownMoney } from '../books/shown-amounts.ts';
import { STATUS_OF } from '../books/trade-status.ts';
import { type Decimal, negate, plus, toText, ZERO } from '../decimal.ts';
import type { SignalOrder } from '../signal.ts';
import type { OrderSide } from '../venue.ts';
import { inReadingOrder } from './escape.ts';
import { hasPlaceholders } from './template.ts';

/** What fills have made by closing something, and what they cost. */
export interface Earned {
  readonly realizedPnl: Decimal;
  readonly fees: Decimal;
}

/** For the strategy where the position is divided, else for the whole position. */
export function earnedBy(fills: readonly BookedFill[], strategy: string | undefined): Earned {
  const parts = fills.map((fill) => fill.shares?.find((share) => share.strategy === strategy) ?? fill);
  return {
    realizedPnl: parts.map(({ realizedPnl }) => realizedPnl).reduce(plus, ZERO),
    fees: parts.map(({ fee }) => fee).reduce(plus, ZERO),
  };
}

/** Where a trade goes with this step. */
export interface Outcome {
  readonly from: TradeState;
  readonly to: TradeState;
  readonly orderId: string | undefined;
  readonly executedQuantity: Decimal;
  readonly averagePrice: Decimal | undefined;
  readonly error: string | undefined;
  /** Orders that were sent first, so that the strategy held what it was said to hold. */
  readonly caughtUp?: readonly { readonly side: OrderSide; readonly executedQuantity: Decimal }[];
  readonly earned: Earned;
}

/** Undefined when neither the sender of the signal nor the owner is to be told of this step. */
export function outcomeMessage(
  trade: Trade,
  outcome: Outcome,
  ownerChat: string | undefined,
): OutboxMessage | undefined {
  const { notify } = trade.order;
  const { from, to } = outcome;
  if (to === 'accepted' || to === 'sending' || to === from) return undefined;
  const forOwner = ownerChat !== undefined && isForOwner(outcome);
  // A custom text is sent once, at the first outcome; without one, every change of status is told.
  const isFirst = from === 'accepted' || from === 'sending';
  if (!notify || (notify.message !== undefined && !isFirst)) {
    return forOwner ? { kind: 'outcome', summary: summaryOf(trade, outcome) } : undefined;
  }
  const ownerIsTold = notify.chatId === undefined || notify.chatId === ownerChat;
  return {
    kind: 'notify',
    notify,
    summary: summaryOf(trade, outcome),
    ...(notify.message !== undefined && hasPlaceholders(notify.message) ? { values: valuesOf(trade, outcome) } : {}),
    ...(forOwner && !ownerIsTold ? { tellOwner: true as const } : {}),
  };
}

/** What the owner's channels are told: the outcome in plain words, whatever text the sender of the signal wrote. */
export function outcomeNotice(trade: Trade, outcome: Outcome): NoticeMessage | undefined {
  return isForOwner(outcome) ? { kind: 'notice', topic: 'trades', summary: summaryOf(trade, outcome) } : undefined;
}

/** A trade nobody knows the outcome of is told at once, and again when it is known. */
const isForOwner = ({ from, to }: Outcome): boolean => to !== from && (isFinal(to) || to === 'unknown');

/** `LONG 0.5 BTCUSDT on binance:main (LIVE) by trend`. */
export function signalInWords({ mode, account, order }: Trade): string {
  const by = order.strategy === undefined ? '' : ` by ${order.strategy}`;
  return `${order.action} ${sizeInWords(order)} ${order.symbol} on ${accountWithMode({ exchange: order.exchange, account, mode })}${by}`;
}

/** The step in plain words, wherever it is told. */
export function summaryOf(trade: Trade, outcome: Outcome): string {
  const { order } = trade;
  const { to, executedQuantity, averagePrice, error, caughtUp = [] } = outcome;
  const made = earnedInWords(order, outcome);
  const filled = averagePrice ? ` ${toText(executedQuantity)} at ${toText(averagePrice)}${made}` : '';
  const comment = order.comment === undefined ? '' : ` (${order.comment})`;
  const first = caughtUp.map((each) => `${each.side} ${toText(each.executedQuantity)}`).join(' and ');
  const catchUp = first === '' ? '' : `, after ${first} to catch up with its strategy`;
  return inReadingOrder(
    `${signalInWords(trade)}: ${STATUS_OF[to]}${filled}${catchUp}${error ? `. ${error}` : ''}${comment}`,
  );
}

/** Nothing of what only opens. */
function earnedInWords({ action }: SignalOrder, { earned: { realizedPnl, fees } }: Outcome): string {
  if (realizedPnl === ZERO && !ACTION_MEANING[action].closes) return '';
  const isLoss = realizedPnl < ZERO;
  const amount = shownMoney(isLoss ? negate(realizedPnl) : realizedPnl);
  return `, ${isLoss ? 'loss' : 'profit'} ${toText(amount)} before fees of ${toText(shownMoney(fees))}`;
}

/** `0.5`, `100 USDT of`, `2 % (risk) of`. */
function sizeInWords({ quantity, quantityType = 'base' }: SignalOrder): string {
  const amount = toText(quantity);
  const words = {
    base: '',
    quote: ' USDT of',
    percent_equity: ' % of equity in',
    risk_percent: ' % at risk in',
    percent_position: ' % of',
  };
  return `${amount}${words[quantityType]}`;
}

function valuesOf({ mode, account, order, requestId }: Trade, outcome: Outcome): TemplateValues {
  const price = outcome.averagePrice ?? order.price;
  return {
    action: order.action,
    symbol: order.symbol,
    exchange: order.exchange,
    mode,
    account,
    strategy: inReadingOrder(order.strategy ?? ''),
    comment: inReadingOrder(order.comment ?? ''),
    quantity: toText(order.quantity),
    price: price === undefined ? '' : toText(price),
    status: STATUS_OF[outcome.to],
    executedQty: toText(outcome.executedQuantity),
    orderId: outcome.orderId ?? '',
    error: inReadingOrder(outcome.error ?? ''),
    requestId,
  };
}
