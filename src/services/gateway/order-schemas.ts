// What the bodies and queries of /orders look like.

import { z } from 'zod';
import { EXCHANGES } from '../../exchanges/exchange.ts';
import { TRADE_STATUSES } from '../../trading/books/trade-status.ts';
import { MAX_STRATEGY_CHARS } from '../../trading/signal.ts';
import { formatFilter } from './csv.ts';
import { tradeFilters } from './list-filters.ts';
import { described, signalSchema, tradesQuerySchema, wholeText } from './schemas.ts';

const SIDES = ['BUY', 'SELL'] as const;
const POSITION_SIDES = ['LONG', 'SHORT'] as const;
const { exchange, account, symbol, strategy } = tradesQuerySchema.shape;

export const ordersQuerySchema = z.strictObject({
  state: described(
    z.enum(['open', 'all', ...TRADE_STATUSES]).optional(),
    'open when omitted: on the way to the venue, resting there, partly filled, or without a clear answer',
  ),
  exchange,
  account: described(account, 'Only orders of accounts with this name'),
  symbol,
  strategy,
  ...tradeFilters,
  format: formatFilter,
  limit: described(wholeText(1, 500).optional(), '100 when omitted'),
  before: described(z.string().min(1).max(64).optional(), 'The clientOrderId of the last order seen, to page on'),
});

export const cancelRequestSchema = z.strictObject({
  exchange,
  account: described(signalSchema.shape.account, 'Only orders of accounts with this name'),
  symbol,
  side: described(z.enum(SIDES).optional(), 'Of the order'),
  positionSide: described(z.enum(POSITION_SIDES).optional(), 'Of the position that the order opens or reduces'),
  reduceOnly: described(z.boolean().optional(), 'true: only closing orders; false: only opening ones'),
  key: described(z.string().min(1).max(64).optional(), 'Only orders of signals under the key with this label'),
  strategy: described(
    z.string().max(MAX_STRATEGY_CHARS).optional(),
    'Only this strategy; empty: only signals without one',
  ),
  all: described(z.boolean().optional(), 'Every open order; then nothing else is named'),
});

export const orderSchema = z.object({
  clientOrderId: z.string(),
  requestId: described(z.string(), 'Of its trade: GET /trades/{requestId}'),
  orderId: described(z.string().nullable(), "The venue's own id"),
  exchange: z.enum(EXCHANGES),
  mode: z.enum(['paper', 'testnet', 'live']),
  account: z.string(),
  market: z.string(),
  side: z.enum(SIDES),
  positionSide: z.enum(POSITION_SIDES),
  reduceOnly: z.boolean(),
  quantity: z.number(),
  price: described(z.number().nullable(), 'null for a market order'),
  status: z.enum(TRADE_STATUSES),
  executedQty: z.number(),
  averagePrice: z.number().nullable(),
  keyLabel: z.string(),
  strategy: z.string().nullable(),
  receivedAt: described(z.number().int(), 'When its signal came, ms since 1970 UTC'),
  reason: z.string().nullable(),
});

export const canceledOrderSchema = orderSchema.extend({
  outcome: described(
    z.enum(['canceled', 'ended', 'unreachable', 'refused', 'unclear']),
    'canceled; ended before the cancel (status tells how); unreachable or refused: certainly not canceled; unclear: asked, not known',
  ),
  error: described(z.string().nullable(), 'Where it is not canceled: why'),
});
