// A quick look at a signal: most are plainly right, and those need no schema. Whatever is not plain goes to the schema,
// which then says what is wrong; this check may only ever accept what the schema accepts, and a test holds the two together.

import { EXCHANGES } from '../../exchanges/exchange.ts';
import { MAX_ACCOUNT_CHARS } from '../../trading/accounts.ts';
import { SYMBOL_PATTERN } from '../../trading/intake/market-symbol.ts';
import { ONE_LINE } from '../../trading/name-spelling.ts';
import {
  ACTIONS,
  MAX_ALERT_ID_CHARS,
  MAX_COMMENT_CHARS,
  MAX_STRATEGY_CHARS,
  QUANTITY_TYPES,
} from '../../trading/signal.ts';
import { MAX_AMOUNT, type SignalBody, UUID_PATTERN } from './schemas.ts';

const FIELDS = new Set([
  ...['apiKey', 'exchange', 'account', 'action', 'symbol', 'quantity', 'price', 'leverage', 'idempotencyKey'],
  ...['strategy', 'comment', 'quantityType', 'alertId'],
]);
const exchanges: ReadonlySet<unknown> = new Set(EXCHANGES);
const actions: ReadonlySet<unknown> = new Set(ACTIONS);
const quantityTypes: ReadonlySet<unknown> = new Set(QUANTITY_TYPES);

export function plainSignal(value: unknown): SignalBody | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const field in value) if (!FIELDS.has(field)) return undefined;
  const {
    apiKey,
    exchange,
    account,
    action,
    symbol,
    quantity,
    price,
    leverage,
    strategy,
    comment,
    idempotencyKey,
    quantityType,
    alertId,
  } = value as Partial<SignalBody>;
  const plain =
    isText(apiKey, 256) &&
    exchanges.has(exchange) &&
    (account === undefined || isText(account, MAX_ACCOUNT_CHARS)) &&
    actions.has(action) &&
    isText(symbol, 20) &&
    SYMBOL_PATTERN.test(symbol) &&
    isAmount(quantity) &&
    (price === undefined || isAmount(price)) &&
    (leverage === undefined || (Number.isSafeInteger(leverage) && leverage >= 1)) &&
    // What else it needs beside it is looked at by whoever reads the order.
    (quantityType === undefined || quantityTypes.has(quantityType)) &&
    isLineOrAbsent(strategy, MAX_STRATEGY_CHARS) &&
    isLineOrAbsent(comment, MAX_COMMENT_CHARS) &&
    isLineOrAbsent(alertId, MAX_ALERT_ID_CHARS) &&
    (idempotencyKey === undefined || (typeof idempotencyKey === 'string' && UUID_PATTERN.test(idempotencyKey)));
  return plain ? (value as SignalBody) : undefined;
}

const isText = (value: unknown, maxLength: number): value is string =>
  typeof value === 'string' && value.length >= 1 && value.length <= maxLength;

/** With braces in it, it may be a placeholder that was not filled in, which is not plain. */
const isLineOrAbsent = (value: unknown, maxLength: number): boolean =>
  value === undefined || (isText(value, maxLength) && !value.includes('{{') && ONE_LINE.test(value));

const isAmount = (value: unknown): boolean => typeof value === 'number' && value > 0 && value <= MAX_AMOUNT;
