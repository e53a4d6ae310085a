// What the gateway's bodies look like: the same schemas check requests and describe them in /openapi.json.

import { z } from 'zod';
import { EXCHANGES } from '../../exchanges/exchange.ts';
import { MAX_ACCOUNT_CHARS } from '../../trading/accounts.ts';
import { TRADE_STATUSES } from '../../trading/books/trade-status.ts';
import { SYMBOL_PATTERN } from '../../trading/intake/market-symbol.ts';
import { REFUSED_SENDERS } from '../../trading/intake/refusals.ts';
import { ONE_LINE } from '../../trading/name-spelling.ts';
import {
  ACTIONS,
  MAX_ALERT_ID_CHARS,
  MAX_CANCEL_AFTER_SECONDS,
  MAX_COMMENT_CHARS,
  MAX_STRATEGY_CHARS,
  PARSE_MODES,
  QUANTITY_TYPES,
  TIMES_IN_FORCE,
} from '../../trading/signal.ts';
import { MAX_AMOUNT, protectFields, quotedProtectFields } from './protection-schemas.ts';

/** A chat message cannot be longer, so neither can a template for one. */
const MAX_MESSAGE_LENGTH = 4096;
/** As the specification has it; the TradingView door takes longer spellings of a market that has a name this short. */
export const MAX_SYMBOL_CHARS = 20;
export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const uuid = z
  .string()
  .regex(UUID_PATTERN, { error: 'is not a UUID, send one such as 123e4567-e89b-42d3-a456-426614174000' });
/** Of several trades of one request all but the first have their number behind it. */
const tradeId = z.string().regex(new RegExp(`${UUID_PATTERN.source.slice(0, -1)}(?:\\.\\d{1,3})?$`, 'i'), {
  error: 'is not a request id, send one of GET /trades',
});

export const described = <T extends z.ZodType>(schema: T, description: string): T => schema.meta({ description });
export { MAX_AMOUNT };

export const notifySchema = z.object({
  chatId: described(z.string().min(1).max(64).optional(), 'Target chat; the default chat when omitted'),
  message: described(
    z.string().min(1).max(MAX_MESSAGE_LENGTH).optional(),
    'Your own text; the outcome in words when omitted',
  ),
  parseMode: described(z.enum(PARSE_MODES).default('Plain'), 'Plain sends literal text'),
});

/** Which names there are is decided behind the key; here only that it is one word. */
const accountName = z.string().min(1, { abort: true }).max(MAX_ACCOUNT_CHARS);
const oneLine = (maxChars: number) =>
  z
    .string()
    .min(1, { abort: true })
    .max(maxChars, { abort: true })
    .regex(ONE_LINE, { error: 'has control characters, remove them' });
export const signalSchema = z.object({
  apiKey: described(z.string().min(1).max(256), 'A webhook key; it travels here and never in a header'),
  exchange: z.enum(EXCHANGES),
  account: described(accountName.optional(), 'The account to trade on, one of GET /accounts; "main" when omitted'),
  action: z.enum(ACTIONS),
  symbol: described(
    z
      .string()
      .min(1, { abort: true })
      .max(MAX_SYMBOL_CHARS, { abort: true })
      .regex(SYMBOL_PATTERN, { error: 'has characters that no market has, use letters, digits and . _ : / -' }),
    'BTCUSDT, BTC/USDT, BTC_USDT and BINANCE:BTCUSDT.P are one market',
  ),
  quantity: described(
    z.number().gt(0).max(MAX_AMOUNT),
    'Order size, in base currency unless quantityType says otherwise',
  ),
  quantityType: described(
    z.enum(QUANTITY_TYPES).optional(),
    'What quantity counts: base currency (when omitted), quote (USDT), percent_equity, risk_percent (needs stopLoss), percent_position (for CLOSE_*)',
  ),
  price: described(z.number().gt(0).max(MAX_AMOUNT).optional(), 'Limit price; a market order when omitted'),
  timeInForce: described(
    z.enum(TIMES_IN_FORCE).optional(),
    'Of a limit order: GTC waits (when omitted), IOC fills what it can at once and the rest expires, FOK fills whole at once or not at all',
  ),
  postOnly: described(z.boolean().optional(), 'Of a limit order: refused where it would trade at once'),
  cancelAfterSeconds: described(
    z.number().int().min(1).max(MAX_CANCEL_AFTER_SECONDS).optional(),
    'Of a limit order: canceled so long after the signal came, unless it has filled',
  ),
  leverage: z.number().int().min(1).optional(),
  strategy: described(
    oneLine(MAX_STRATEGY_CHARS).optional(),
    'Whose share of the position is meant: CLOSE_* and a reversal touch only what signals of the same strategy opened',
  ),
  comment: described(
    oneLine(MAX_COMMENT_CHARS).optional(),
    'Your own words, shown with the trade; line breaks become blanks and what is too long is cut, with a warning',
  ),
  idempotencyKey: described(
    uuid.optional(),
    'A second signal with the same key is a duplicate: within 24 h, or within IDEMPOTENCY_WINDOW_S where that is set',
  ),
  alertId: described(
    oneLine(MAX_ALERT_ID_CHARS).optional(),
    'Your name of this alert, such as long-{{ticker}}-{{timenow}}: a second one under the same key is a duplicate for as long, whichever door it comes through',
  ),
  notify: notifySchema.optional(),
  ...protectFields,
});
export type SignalBody = z.infer<typeof signalSchema>;

const quotable = z.union([z.number(), z.string().max(64)]);
/** Long enough that a placeholder which was not filled in is told as such. */
const position = z.string().max(64);
export const tradingviewSchema = z.object({
  apiKey: signalSchema.shape.apiKey,
  exchange: described(z.string().max(32), '{{exchange}} or the venue to trade on, any case'),
  account: signalSchema.shape.account,
  symbol: described(z.string().max(64).optional(), '{{ticker}}'),
  ticker: z.string().max(64).optional(),
  action: described(z.string().max(32), '{{strategy.order.action}}: buy or sell; or one of the four actions'),
  marketPosition: described(position.optional(), '{{strategy.market_position}}: long, short or flat'),
  prevMarketPosition: described(
    position.optional(),
    '{{strategy.prev_market_position}}: compared with what is held, see TRADINGVIEW_POSITION_CHECK',
  ),
  marketPositionSize: described(
    quotable.optional(),
    '{{strategy.market_position_size}}: needed for a reversal without ownQuantity',
  ),
  prevMarketPositionSize: described(
    quotable.optional(),
    '{{strategy.prev_market_position_size}}: compared with what is held, see TRADINGVIEW_POSITION_CHECK',
  ),
  quantity: described(quotable.optional(), '{{strategy.order.contracts}}'),
  quantityType: signalSchema.shape.quantityType,
  ownQuantity: described(
    z.union([z.boolean(), z.string().max(64)]).optional(),
    'true: quantity is a size of your own, which a reversal opens too; the sizes of the strategy size nothing',
  ),
  contracts: quotable.optional(),
  price: quotable.optional(),
  timeInForce: described(z.string().max(64).optional(), 'As in /webhook, any case; empty counts as absent'),
  postOnly: described(z.union([z.boolean(), z.string().max(64)]).optional(), 'true or false'),
  cancelAfterSeconds: quotable.optional(),
  leverage: quotable.optional(),
  strategy: described(z.string().max(MAX_STRATEGY_CHARS).optional(), 'As in /webhook; empty counts as absent'),
  comment: described(
    z.string().max(MAX_COMMENT_CHARS).optional(),
    '{{strategy.order.comment}}; empty counts as absent',
  ),
  idempotencyKey: z.string().max(64).optional(),
  alertId: described(
    z.union([z.number(), z.string().max(MAX_ALERT_ID_CHARS)]).optional(),
    'As in /webhook, such as long-{{ticker}}-{{timenow}}',
  ),
  notify: notifySchema.optional(),
  ...quotedProtectFields,
});
export type TradingviewBody = z.infer<typeof tradingviewSchema>;

export const shownAccount = described(z.string(), 'The account it was traded on, such as main');

export const tradeResultSchema = z.object({
  success: z.boolean(),
  orderId: z.string(),
  status: z.enum(TRADE_STATUSES),
  executedQty: z.number(),
  price: z.number(),
  queued: z.boolean(),
  mode: z.enum(['paper', 'testnet', 'live']),
  account: shownAccount,
  leverage: described(z.number().int().optional(), 'The leverage in force, where the signal asked for one'),
  canceled: described(
    z.array(z.string()).readonly().optional(),
    'The clientOrderIds of resting orders that were canceled because of this close or reversal',
  ),
  catchUp: described(
    z
      .array(
        z.object({
          clientOrderId: z.string(),
          side: z.enum(['BUY', 'SELL']),
          executedQty: z.number(),
          price: z.number().nullable(),
        }),
      )
      .readonly()
      .optional(),
    'What was sent first, because the strategy held something else here than it said (TRADINGVIEW_POSITION_CHECK=catch_up)',
  ),
  requestedQuantity: described(z.number().optional(), 'As sent, where quantityType was sent'),
  quantity: described(z.number().optional(), 'What that came to in base currency, on the step of the market'),
  notional: described(
    z.number().nullable().optional(),
    'What that is worth in USDT, at the price it was worked out with',
  ),
});
export type TradeResult = z.infer<typeof tradeResultSchema>;

/** One account of a signal that is traded on several. */
export const accountResultSchema = tradeResultSchema.extend({
  tradeId: described(
    z.string(),
    'For GET /trades/{requestId}: the request id, with .2, .3 … behind it from the second account on',
  ),
  exchange: z.enum(EXCHANGES),
  error: z.string().nullable(),
  code: described(z.string().nullable(), 'Of the refusal on this account'),
});
export type AccountResult = z.infer<typeof accountResultSchema>;

export const notificationResultSchema = z.object({ success: z.boolean(), messageId: z.number().int().nullable() });

const warnings = described(
  z.array(z.string()).optional(),
  'What was ignored or changed: unknown fields, a position that differs from what the alert says, a quantity between two steps, a price between two ticks, a leverage above what the market allows',
);

export const tradeSuccessSchema = z.object({
  success: z.literal(true),
  requestId: z.string(),
  tradeResult: tradeResultSchema.nullable(),
  tradeResults: described(z.array(accountResultSchema).optional(), 'Every account, where the key routes to several'),
  notificationResult: notificationResultSchema.nullable(),
  warnings,
});

export const enqueuedSchema = z.object({
  success: z.literal(true),
  requestId: z.string(),
  status: z.literal('Enqueued'),
  message: z.string(),
  warnings,
});

export const errorSchema = z.object({
  success: z.literal(false),
  requestId: z.string(),
  error: described(z.string(), 'What is wrong and what to do'),
  code: described(z.string(), 'One stable word per refusal'),
  faults: described(z.array(z.string()).optional(), 'Each fault by itself, where error tells of several'),
});

export const answerOf = <T extends z.ZodType>(result: T) =>
  z.object({ success: z.literal(true), requestId: z.string(), result });

export const wholeText = (from: number, to: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, { error: `is not a whole number, send ${from} to ${to}` })
    .transform(Number)
    .pipe(z.number().min(from).max(to));

export const tradesQuerySchema = z.strictObject({
  limit: wholeText(1, 500).optional(),
  before: described(tradeId.optional(), 'The request id of a trade: only those accepted before it'),
  exchange: z.enum(EXCHANGES).optional(),
  account: described(accountName.optional(), 'Only trades of accounts with this name'),
  symbol: signalSchema.shape.symbol.optional(),
  strategy: described(
    z.string().max(MAX_STRATEGY_CHARS).optional(),
    'Only this strategy; empty: only signals without one',
  ),
  alertId: described(oneLine(MAX_ALERT_ID_CHARS).optional(), 'Only trades of this alert'),
  status: z.enum(TRADE_STATUSES).optional(),
});

export const positionsQuerySchema = z.strictObject({
  exchange: z.enum(EXCHANGES).optional(),
  account: described(accountName.optional(), 'Only positions of accounts with this name'),
  symbol: signalSchema.shape.symbol.optional(),
  strategy: described(
    z.string().max(MAX_STRATEGY_CHARS).optional(),
    'Only positions in which this strategy has a share; empty: in which signals without one have',
  ),
});

/** The year 9999 has ended: a later time was sent in micro- or nanoseconds. */
const MAX_TIMESTAMP_MS = 253_402_300_799_999;
const timestamp = described(
  z.number().min(0, { abort: true }).max(MAX_TIMESTAMP_MS, { abort: true }).int(),
  'ms since 1970 UTC',
);
const source = oneLine(64);

export const newSignalSchema = z.object({
  symbol: signalSchema.shape.symbol,
  signal_type: described(
    z
      .string()
      .min(1, { abort: true })
      .max(32, { abort: true })
      .regex(/^[A-Za-z0-9_]+$/, { error: 'has characters that are not allowed, use letters, digits and _' }),
    'A word of yours, such as LONG',
  ),
  timestamp: described(timestamp.optional(), 'ms since 1970 UTC; now when omitted'),
  source: described(source.optional(), 'Who says so; "api" when omitted'),
});
export const storedSignalSchema = z.object({ signalId: z.string() });

export const signalsQuerySchema = z.strictObject({
  limit: described(wholeText(1, 100).optional(), '10 when omitted'),
  symbol: described(signalSchema.shape.symbol.optional(), 'Any spelling of the market'),
  source: described(source.optional(), 'Exactly this source'),
  alertId: described(oneLine(MAX_ALERT_ID_CHARS).optional(), 'Only signals of this alert, duplicates among them'),
  // Not only our own UUIDs: records that were inserted through /query may have other ids.
  before: described(z.string().min(1).max(64).optional(), 'The signal_id of the last record seen, to page on'),
});
export const refusalsQuerySchema = z.strictObject({
  limit: described(wholeText(1, 100).optional(), '10 when omitted'),
  code: described(z.string().min(1).max(64).optional(), 'Only this code, such as INVALID_PAYLOAD'),
  key: described(z.string().min(1).max(64).optional(), 'Only signals under the key with this label'),
  door: described(z.string().min(1).max(64).optional(), 'Only this door, such as /webhook'),
  sender: described(z.enum(REFUSED_SENDERS).optional(), 'Only signals under a known key, or only those under none'),
  before: described(z.string().min(1).max(64).optional(), 'The id of the last one seen, to page on'),
});
export const refusalSchema = z.object({
  id: described(z.string(), 'The request id of the answer'),
  receivedAt: timestamp,
  door: described(z.string(), 'The path it came by, or "smtp"'),
  key: described(z.string().nullable(), 'Label of the key; null for an unknown one'),
  address: z.string().nullable(),
  status: z.number().int(),
  code: z.string(),
  error: z.string(),
  faults: z.array(z.string()),
  body: described(z.string(), 'The fields of a signal that were in it, as JSON; values that could be a secret are ***'),
  alertId: z.string().nullable(),
  resendable: described(
    z.boolean(),
    'Whether POST /refusals/{id}/resend knows what it asked for; it must be young too',
  ),
  resentAs: described(
    z.string().nullable(),
    'The request under which it was sent again; GET /trades/{requestId} tells the rest',
  ),
});
export const signalRecordSchema = z.object({
  signal_id: z.string(),
  timestamp,
  symbol: z.string(),
  signal_type: z.string(),
  source: z.string(),
  decision: described(
    z.string(),
    '"accepted", the code of the refusal, or "stored" for what came through POST /signals',
  ),
  alert_id: described(z.string().optional(), 'The alertId it carried'),
});
