// The commands of the owner's chat that send an order of his own: /buy and /sell show what it would do, and send it after a yes.

import { errorText } from '../../errors/error-text.ts';
import { StorageError } from '../../errors/storage-error.ts';
import { type AccountName, accountInWords, MAIN_ACCOUNT } from '../accounts.ts';
import type { Leg } from '../books/journal.ts';
import { escapeHtml } from '../notifications/escape.ts';
import type { Action } from '../signal.ts';
import type { OrderSide, PositionSide, VenueMode } from '../venue.ts';

/** The fields of an order as POST /orders takes them. */
export type TicketFields = Readonly<Record<string, unknown>>;

/** What an order would do, as far as a chat tells it. */
export interface ForeseenTicket {
  readonly outcome: 'would_trade' | 'would_wait' | 'would_refuse';
  readonly code: string | null;
  readonly error: string | null;
  readonly accounts: readonly {
    readonly exchange: AccountName['exchange'];
    readonly account: string;
    readonly mode: VenueMode;
    readonly market: string;
    readonly orders: readonly {
      readonly leg: Leg;
      readonly side: OrderSide;
      readonly positionSide: PositionSide;
      readonly quantity: number;
      readonly price: number | null;
    }[];
    readonly notional: number | null;
    readonly price: number | null;
    readonly leverage: number | null;
    readonly protection: {
      readonly stopLoss: number | null;
      readonly takeProfit: number | null;
      readonly trailPercent: number | null;
      readonly trailAmount: number | null;
    } | null;
    readonly margin: number | null;
    readonly risk: { readonly loss: number; readonly percentOfEquity: number | null } | null;
    readonly cancels: readonly string[];
    readonly warnings: readonly string[];
    readonly cautions: readonly string[];
  }[];
  readonly warnings: readonly string[];
}

export interface TicketParts {
  readonly tickets: {
    /** Rejects with words where the fields make no order. */
    check(fields: TicketFields, call: TicketCall): Promise<ForeseenTicket>;
    /** The answer as a signal has it. */
    place(fields: TicketFields, call: TicketCall): Promise<{ readonly status: number; readonly body: unknown }>;
  };
  /** The accounts; an order that names no exchange goes to that of the first. */
  readonly venues: readonly AccountName[];
  readonly newRequestId: () => string;
}

export interface TicketCall {
  readonly requestId: string;
  readonly actor: string;
}

/** The order that is sent after a yes. */
export interface RequestedOrder {
  readonly setting: 'order';
  readonly fields: TicketFields;
}

const USAGE =
  'Use /buy BTCUSDT 0.01, or 500usdt or 5% of the account for the size; behind it at 68000 (a limit), stop 66000 or 2%, ' +
  'target 72000, trail 2%, leverage 5, on binance:scalp, strategy trend, and close to close a short only (/sell: a long)';
const NOTHING_SENT = 'Nothing was sent.';

export async function askToOrder(
  side: 'buy' | 'sell',
  words: readonly string[],
  actor: string,
  { tickets, venues, newRequestId }: TicketParts,
): Promise<{ readonly text: string } | { readonly text: string; readonly change: RequestedOrder }> {
  const fields = readTicket(side, words, venues);
  if (fields === undefined) return { text: `${USAGE}. ${NOTHING_SENT}` };
  const told = await tickets.check(fields, { requestId: newRequestId(), actor }).catch((error: unknown) => {
    if (error instanceof StorageError) throw error;
    return errorText(error);
  });
  if (typeof told === 'string') return { text: `${escapeHtml(told)}. ${NOTHING_SENT}` };
  if (told.outcome === 'would_trade')
    return { text: foreseenInWords(told, side), change: { setting: 'order', fields } };
  const why = told.outcome === 'would_refuse' ? 'It would be refused' : 'Its venue cannot be asked now';
  return { text: `${why}: ${escapeHtml(told.error ?? told.code ?? '')}\n${NOTHING_SENT}` };
}

/** After the yes: what became of it. */
export async function orderNow(
  { fields }: RequestedOrder,
  actor: string,
  { tickets, newRequestId }: TicketParts,
): Promise<string> {
  const requestId = newRequestId();
  const { status, body } = await tickets.place(fields, { requestId, actor }).catch((error: unknown) => {
    if (error instanceof StorageError) throw error;
    return { status: 400, body: { error: errorText(error) } };
  });
  const { error, tradeResult } = body as Readonly<Record<string, unknown>>;
  const id = `<code>${escapeHtml(requestId)}</code>`;
  if (status >= 300) return `NOT traded: ${escapeHtml(String(error))}\n${id}`;
  const result = (tradeResult ?? {}) as {
    readonly status?: string;
    readonly executedQty?: number;
    readonly price?: number;
  };
  const filled = result.executedQty ? ` ${result.executedQty} at ${result.price}` : '';
  return `Sent: <b>${escapeHtml(result.status ?? 'Enqueued')}</b>${filled}\n${id}`;
}

const NUMBER = /^\d{1,15}(?:\.\d{1,12})?$/;
const LEVEL = /^(\d{1,15}(?:\.\d{1,12})?)(%|ticks?)?$/i;
const SIZE = /^(\d{1,15}(?:\.\d{1,12})?)(%|usdt)?$/i;
const PLACE = /^([a-z]{1,16})(?::([a-z0-9_-]{1,32}))?$/i;
const CLOSE = 'close';

/** What may stand behind the size, each with a value, once. */
const OPTIONS: Readonly<Record<string, (value: string) => TicketFields | undefined>> = {
  at: (value) => (NUMBER.test(value) ? { price: Number(value) } : undefined),
  stop: (value) => named('stopLoss', levelOf(value)),
  target: (value) => named('takeProfit', levelOf(value)),
  trail: (value) => named('trail', levelOf(value)),
  leverage: (value) => (/^\d{1,4}$/.test(value) ? { leverage: Number(value) } : undefined),
  strategy: (value) => ({ strategy: value }),
  on: (value) => {
    const [, exchange, account] = PLACE.exec(value.toLowerCase()) ?? [];
    return exchange === undefined ? undefined : { exchange, account: account ?? MAIN_ACCOUNT };
  },
};

const named = (name: string, level: object | undefined): TicketFields | undefined => level && { [name]: level };

function levelOf(text: string): object | undefined {
  const [, number, unit] = LEVEL.exec(text) ?? [];
  if (number === undefined) return undefined;
  const value = Number(number);
  return unit === undefined ? { price: value } : unit === '%' ? { percent: value } : { ticks: value };
}

/** Undefined where a word is not understood: nothing about an order is guessed. */
function readTicket(
  side: 'buy' | 'sell',
  [symbol = '', size = '', ...rest]: readonly string[],
  [first]: TicketParts['venues'],
): TicketFields | undefined {
  const [, number, unit] = SIZE.exec(size) ?? [];
  const isClose = rest.some((word) => word.toLowerCase() === CLOSE);
  const words = rest.filter((word) => word.toLowerCase() !== CLOSE);
  const options = readOptions(words);
  if (number === undefined || options === undefined || rest.length - words.length > 1) return undefined;
  const percent = isClose ? 'percent_position' : 'percent_equity';
  const quantityType = unit === undefined ? undefined : unit === '%' ? percent : 'quote';
  return {
    ...{ exchange: first?.exchange, action: actionOf(side, isClose), symbol: symbol.toUpperCase() },
    ...{ quantity: Number(number), ...(quantityType && { quantityType }), ...options },
  };
}

function readOptions(words: readonly string[]): TicketFields | undefined {
  const seen = new Set<string>();
  let fields: TicketFields = {};
  for (let at = 0; at < words.length; at += 2) {
    const name = (words[at] as string).toLowerCase();
    const value = words[at + 1];
    const read =
      value !== undefined && !seen.has(name) && Object.hasOwn(OPTIONS, name) ? OPTIONS[name]?.(value) : undefined;
    if (read === undefined) return undefined;
    seen.add(name);
    fields = { ...fields, ...read };
  }
  return fields;
}

function actionOf(side: 'buy' | 'sell', isClose: boolean): Action {
  if (side === 'buy') return isClose ? 'CLOSE_SHORT' : 'LONG';
  return isClose ? 'CLOSE_LONG' : 'SHORT';
}

/** Whose money it is stands first. */
const MONEY: Readonly<Record<VenueMode, string>> = { paper: 'PAPER', testnet: 'TESTNET', live: 'LIVE, REAL MONEY' };

type Account = ForeseenTicket['accounts'][number];

function foreseenInWords({ accounts, warnings }: ForeseenTicket, side: 'buy' | 'sell'): string {
  const lines = accounts.flatMap((account) => [
    `<b>${MONEY[account.mode]}</b> on ${escapeHtml(accountInWords(account))}`,
    ...account.orders.map((order) => orderLine(order, account, side)),
    ...restLines(account),
  ]);
  return ['Really send this order?', ...lines, ...warnings.map(escapeHtml)].join('\n');
}

function orderLine(
  { leg, side, positionSide, quantity, price }: Account['orders'][number],
  account: Account,
  asked: string,
): string {
  const what = `${side} ${quantity} ${escapeHtml(account.market)}`;
  if (leg === 'flatten')
    return `${what} first, which closes the ${positionSide} that is held; write ${CLOSE} behind /${asked} to do only that`;
  const money = account.notional === null ? '' : `, ${cents(account.notional)} USDT`;
  if (price !== null) return `${what} at ${price} or better${money}`;
  return `${what} at market${account.price === null ? '' : `, about ${account.price}`}${money}`;
}

function restLines({ leverage, protection, margin, risk, cancels, warnings, cautions }: Account): string[] {
  const { stopLoss = null, takeProfit = null, trailPercent = null, trailAmount = null } = protection ?? {};
  return [
    ...(leverage === null ? [] : [`Leverage ${leverage}`]),
    ...(margin === null ? [] : [`Binds about ${cents(margin)} USDT`]),
    ...(stopLoss === null ? [] : [`Stop loss at ${stopLoss}`]),
    ...(takeProfit === null ? [] : [`Take profit at ${takeProfit}`]),
    ...(trailPercent === null ? [] : [`Trailing stop ${trailPercent}% behind the best price`]),
    ...(trailAmount === null ? [] : [`Trailing stop ${trailAmount} behind the best price`]),
    ...(risk === null ? [] : [`Loses about ${cents(risk.loss)} USDT at its stop${ofAccount(risk.percentOfEquity)}`]),
    ...(cancels.length === 0 ? [] : [`Resting orders that are canceled first: ${cancels.length}`]),
    ...warnings.map(escapeHtml),
    ...cautions.map((caution) => `<b>Caution:</b> ${escapeHtml(caution)}`),
  ];
}

const cents = (amount: number): number => Math.round(amount * 100) / 100;
const ofAccount = (percent: number | null): string => (percent === null ? '' : `, ${cents(percent)} % of the account`);
