// What the owner's chat shows: status, positions, orders, trades and signals as short HTML messages, every value escaped.

import { accountWithMode } from '../accounts.ts';
import type { SentOrder, Trade } from '../books/journal.ts';
import type { Position } from '../books/position.ts';
import { unrealizedPnl } from '../books/position.ts';
import { shownAverage, shownMoney } from '../books/shown-amounts.ts';
import type { SignalRecord } from '../books/signal-store.ts';
import { STATUS_OF } from '../books/trade-status.ts';
import { type Decimal, minus, toText, ZERO } from '../decimal.ts';
import type { MappedSymbol } from '../intake/symbol-map.ts';
import { escapeHtml } from '../notifications/escape.ts';
import { MAX_MESSAGE_UNITS, shorten } from '../notifications/fit.ts';
import type { VenuePosition } from '../venue.ts';

/** One line each; a phone shows no more at a glance, and a reason can be long. */
const MAX_REASON_UNITS = 200;

/** A heading and its lines, as many as one message holds; what is left out is counted. */
export function list(heading: string, lines: readonly string[], empty: string): string {
  const head = `<b>${escapeHtml(heading)}</b>`;
  if (lines.length === 0) return `${head}\n${escapeHtml(empty)}`;
  const more = (left: number): string => `\n… and ${left} more`;
  let text = head;
  for (const [index, line] of lines.entries()) {
    const longer = `${text}\n${line}`;
    const left = lines.length - index;
    // Markup only ever makes a text shorter, so its raw length is a safe measure.
    if (longer.length + (left > 1 ? more(left).length : 0) > MAX_MESSAGE_UNITS) return text + more(left);
    text = longer;
  }
  return text;
}

export const symbolLine = ({ symbol, market, exchange, account }: MappedSymbol): string =>
  escapeHtml(
    `${symbol} → ${market}${exchange === undefined ? '' : ` on ${exchange}`}${account === undefined ? '' : `, account ${account}`}`,
  );

export function positionLine(
  position: Position,
  mark: Decimal | undefined,
  tick: Decimal | undefined,
  there?: Pick<VenuePosition, 'leverage' | 'liquidationPrice'>,
): string {
  const { market, side, quantity, entryPrice } = position;
  const { leverage, liquidationPrice: liquidation } = there ?? {};
  const what = `<b>${escapeHtml(market)}</b> ${side} ${toText(quantity)} on ${accountWithMode(position)}`;
  const worth =
    mark === undefined ? '' : `, now ${toText(mark)}, ${signed(shownMoney(unrealizedPnl(position, mark)))} USDT`;
  return `${what}, in at ${toText(shownAverage(entryPrice, tick))}${worth}${leverage === undefined ? '' : `, ${leverage}x`}${liquidation === undefined ? '' : `, liquidated at ${toText(liquidation)}`}`;
}

export function tradeLine(trade: Trade): string {
  const { order, account, receivedAtMs, executedQuantity, averagePrice, error } = trade;
  const where = accountWithMode({ exchange: order.exchange, account, mode: trade.mode });
  const what = `${order.action} ${toText(order.quantity)} ${escapeHtml(order.symbol)} on ${where}`;
  const filled = averagePrice ? ` ${toText(executedQuantity)} at ${toText(averagePrice)}` : '';
  const reason = error === undefined ? '' : `. ${escapeHtml(shorten(error, MAX_REASON_UNITS))}`;
  return `${timeOf(receivedAtMs)} ${what}: <b>${STATUS_OF[trade.state]}</b>${filled}${reason}`;
}

export function orderLine({ trade, order }: Pick<SentOrder, 'trade' | 'order'>): string {
  const where = accountWithMode({ ...trade, exchange: trade.order.exchange });
  const what = `${order.reduceOnly ? 'closes' : 'opens'} ${order.positionSide}`;
  const at = order.price === undefined ? 'at market' : `at ${toText(order.price)}`;
  const filled = order.executedQuantity > ZERO ? `, ${toText(order.executedQuantity)} filled` : '';
  const market = escapeHtml(trade.order.market);
  const line = `<b>${market}</b> ${order.side} ${toText(order.quantity)} ${at}, ${what} on ${where}`;
  return `${timeOf(trade.receivedAtMs)} ${line}: ${STATUS_OF[order.state]}${filled}\n<code>${order.clientOrderId}</code>`;
}

export function signalLine({ timestampMs, symbol, signalType, source, decision }: SignalRecord): string {
  const what = `${escapeHtml(signalType)} ${escapeHtml(symbol)} from ${escapeHtml(source)}`;
  return `${timeOf(timestampMs)} ${what}: <b>${escapeHtml(decision)}</b>`;
}

export interface NotifierLine {
  readonly channel: string;
  readonly state: string;
  readonly count: number;
  readonly lastDeliveredAtMs: number | undefined;
  readonly lastFailure: { readonly atMs: number; readonly error: string } | undefined;
}

export function notifierLine({ channel, state, count, lastDeliveredAtMs, lastFailure }: NotifierLine): string {
  const delivered = lastDeliveredAtMs === undefined ? '' : `, last delivered ${timeOf(lastDeliveredAtMs)}`;
  const isShut = state === 'failing' || state === 'refused';
  const why = isShut && lastFailure ? `. ${escapeHtml(shorten(lastFailure.error, MAX_REASON_UNITS))}` : '';
  return `<b>${escapeHtml(channel)}</b> ${state}, ${count} waiting${delivered}${why}`;
}

export const signed = (amount: Decimal): string =>
  amount < ZERO ? `−${toText(minus(ZERO, amount))}` : `+${toText(amount)}`;

/** UTC, to the second. A time that no calendar has is shown as a number. */
export function timeOf(atMs: number): string {
  const time = new Date(atMs);
  return Number.isNaN(time.getTime()) ? String(atMs) : time.toISOString().slice(5, 19).replace('T', ' ');
}
