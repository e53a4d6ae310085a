// Reads what TradingView's strategy placeholders render as one signal (see strategy-order.ts); what is unclear is refused, not guessed.

import type { z } from 'zod';
import { ACTION_MEANING } from '../../trading/action.ts';
import { decimal, ZERO } from '../../trading/decimal.ts';
import type { MailFields } from '../../trading/intake/mail/mail-fields.ts';
import { marketOf } from '../../trading/intake/market-symbol.ts';
import { trimName } from '../../trading/name-spelling.ts';
import type { SignalOrder } from '../../trading/signal.ts';
import {
  changeOf,
  checkOwnQuantity,
  isAbout,
  isSizeOfItsOwn,
  quantityNotOpened,
  quantityOf,
  sizeIgnored,
} from './alert-quantity.ts';
import { type KeylessAlert, keylessAlert, numberOf, yesOrNo } from './alert-values.ts';
import { asSent, type FindSymbol, mapSymbol } from './map-symbol.ts';
import {
  checkShape,
  invalid,
  keylessSignal,
  orderOf,
  type ReadSignal,
  readAlertBody,
  SIGNAL_FIELDS,
} from './read-signal.ts';
import { MAX_AMOUNT, MAX_SYMBOL_CHARS, tradingviewSchema } from './schemas.ts';
import { type PositionSizes, type StrategyOrder, strategyOrder } from './strategy-order.ts';
import { tidyComment } from './tidy-comment.ts';
import { unfilledPlaceholders } from './unfilled-placeholders.ts';
import { unknownFields } from './unknown-fields.ts';

const SNAKE_CASE = {
  market_position: 'marketPosition',
  prev_market_position: 'prevMarketPosition',
  market_position_size: 'marketPositionSize',
  prev_market_position_size: 'prevMarketPositionSize',
} as const;

const ALERT_FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(tradingviewSchema.shape),
  ...Object.keys(SNAKE_CASE),
]);

export function readTradingview(body: Uint8Array, symbols?: FindSymbol): ReadSignal {
  const { apiKey = '', ...read } = readAlert(readAlertBody(body), tradingviewSchema, symbols);
  return { apiKey, ...read };
}

/** The same fields in a mail. */
export const readMailedAlert = (fields: MailFields, symbols?: FindSymbol): ReadAlert =>
  readAlert(fields, keylessAlert, symbols);

/** Whether these fields speak as a strategy's placeholders do, and not as a plain signal. */
export function isAlert(fields: MailFields): boolean {
  const { action } = fields;
  if (typeof action === 'string' && /^\s*(?:buy|sell)\s*$/i.test(action)) return true;
  return Object.keys(fields).some((name) => ALERT_FIELDS.has(name) && !SIGNAL_FIELDS.has(name));
}

type ReadAlert = Omit<ReadSignal, 'apiKey'> & { readonly apiKey: string | undefined };

function readAlert(given: unknown, schema: z.ZodType<KeylessAlert>, symbols: FindSymbol | undefined): ReadAlert {
  const mapped = tidyComment(mapSymbol(given, symbols));
  const { value } = mapped;
  const unknown = unknownFields(value, ALERT_FIELDS);
  const named = withFieldNames(value);
  const unfilled = unfilledPlaceholders(named, ALERT_FIELDS);
  if (unfilled.length > 0) throw invalid([...unfilled, ...unknown.faults]);
  const alert = checkShape(schema, named, unknown.faults);
  const faults: string[] = [];
  const sizes = sizesOf(alert, faults);
  checkOwnQuantity(alert, faults);
  const strategy = strategyOrder(alert, sizes, faults);
  const quantity = quantityOf(alert, strategy, sizes, faults);
  const symbol = symbolOf(alert.symbol ?? alert.ticker, faults);
  if (faults.length > 0) throw invalid(faults);
  // One template serves entries and exits: an exit must not fail over the stops of an entry.
  const closes = strategy !== undefined && ACTION_MEANING[strategy.action].closes;
  const signal = {
    apiKey: alert.apiKey,
    exchange: alert.exchange.toLowerCase(),
    account: alert.account,
    action: strategy?.action,
    symbol,
    quantity,
    // One template serves entries and exits: what sizes an entry says nothing of an exit.
    ...(closes && alert.quantityType !== 'percent_position' ? {} : { quantityType: alert.quantityType }),
    price: numberOf('price', alert.price, faults),
    timeInForce: alert.timeInForce ? alert.timeInForce.toUpperCase() : undefined,
    postOnly: yesOrNo(alert.postOnly),
    cancelAfterSeconds: numberOf('cancelAfterSeconds', alert.cancelAfterSeconds, faults),
    leverage: numberOf('leverage', alert.leverage, faults),
    // Placeholders of these are often empty.
    strategy: (alert.strategy && trimName(alert.strategy)) || undefined,
    comment: alert.comment?.trim() || undefined,
    idempotencyKey: alert.idempotencyKey,
    alertId: typeof alert.alertId === 'number' ? String(alert.alertId) : alert.alertId,
    notify: alert.notify,
    ...(closes ? {} : stopsOf(alert, faults)),
  };
  if (faults.length > 0) throw invalid(faults);
  const warnings = [
    ...[...mapped.warnings, ...unknown.warnings, ...sizeIgnored(alert)],
    ...(strategy?.reverses ? quantityNotOpened(alert, strategy, sizes) : []),
  ];
  const order = {
    ...asSent(orderOf(checkShape(keylessSignal, signal)), mapped),
    ...(strategy?.closesAll && { closesAll: true }),
    ...previousOf(alert, strategy, sizes, faults),
  };
  return { apiKey: alert.apiKey, order, warnings };
}

/** What the strategy held before, with its size where that counts the same as the orders here. */
function previousOf(
  alert: KeylessAlert,
  strategy: StrategyOrder | undefined,
  { before, after }: PositionSizes,
  faults: string[],
): Pick<SignalOrder, 'previousPosition'> {
  if (strategy?.before === undefined) return {};
  const { before: position } = strategy;
  const size = before === undefined || position === 'flat' ? ZERO : decimal(Math.abs(before));
  if (size === ZERO || isSizeOfItsOwn(alert)) return { previousPosition: { position } };
  const { quantity, contracts } = alert;
  const sent = [quantity, contracts].flatMap((amount) => numberOf('quantity', amount, faults) ?? []);
  const change = changeOf(alert, strategy, Math.abs(before ?? 0), after);
  const isOwnSize = change !== undefined && sent.some((amount) => !isAbout(amount, change));
  return { previousPosition: isOwnSize ? { position } : { position, size } };
}

/**
 * Charts name a market with its venue and kind, `BINANCE:1000PEPEUSDT.P`, which may be longer than a signal's symbol:
 * then the market's own name stands for it.
 */
function symbolOf(sent: string | undefined, faults: string[]): string | undefined {
  if (sent === undefined || sent.length <= MAX_SYMBOL_CHARS) return sent;
  const market = marketOf(sent);
  if (market !== undefined && market.length <= MAX_SYMBOL_CHARS) return market;
  faults.push('symbol: names no market, send {{ticker}}, which is such as BTCUSDT.P');
  return undefined;
}

const sizesOf = (alert: KeylessAlert, faults: string[]): PositionSizes => ({
  after: positionSize('marketPositionSize', alert.marketPositionSize, faults),
  before: positionSize('prevMarketPositionSize', alert.prevMarketPositionSize, faults),
});

function positionSize(field: string, sent: number | string | undefined, faults: string[]): number | undefined {
  const size = numberOf(field, sent, faults);
  if (size === undefined || Math.abs(size) <= MAX_AMOUNT) return size;
  faults.push(`${field}: is larger than any position, check the placeholder in the alert message`);
  return undefined;
}

function stopsOf(alert: KeylessAlert, faults: string[]) {
  const { trailPercent, stopLoss, takeProfit, trail, activationPrice, targets, breakEvenAfter, maxHoldSeconds } = alert;
  return {
    trailPercent: numberOf('trailPercent', trailPercent, faults),
    stopLoss: levelOf('stopLoss', stopLoss, faults),
    takeProfit: levelOf('takeProfit', takeProfit, faults),
    trail: levelOf('trail', trail, faults),
    activationPrice: numberOf('activationPrice', activationPrice, faults),
    targets: targets?.map((target, index) => levelOf(`targets.${index}`, target, faults)),
    breakEvenAfter: numberOf('breakEvenAfter', breakEvenAfter, faults),
    maxHoldSeconds: numberOf('maxHoldSeconds', maxHoldSeconds, faults),
  };
}

/** A price, or an object of numbers such as {"percent": "2"}; which of them it may have is for the schema to say. */
function levelOf(field: string, value: KeylessAlert['stopLoss'], faults: string[]) {
  if (typeof value !== 'object') return numberOf(field, value, faults);
  return Object.fromEntries(
    Object.entries(value).map(([unit, amount]) => [unit, numberOf(`${field}.${unit}`, amount, faults)]),
  );
}

/** Templates are often written with the placeholders' own names. */
function withFieldNames(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const renamed: Record<string, unknown> = Object.assign(Object.create(null), value);
  for (const [snake, camel] of Object.entries(SNAKE_CASE)) {
    if (snake in renamed && !(camel in renamed)) renamed[camel] = renamed[snake];
  }
  return renamed;
}
