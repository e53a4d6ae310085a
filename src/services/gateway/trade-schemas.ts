// What a trade looks like, in a list and with its whole story.

import { z } from 'zod';
import { EXCHANGES } from '../../exchanges/exchange.ts';
import { LEGS } from '../../trading/books/journal.ts';
import { TRADE_STATUSES } from '../../trading/books/trade-status.ts';
import { ACTIONS, QUANTITY_TYPES, STRATEGY_POSITIONS, TIMES_IN_FORCE } from '../../trading/signal.ts';
import { described, shownAccount } from './schemas.ts';
import { noteFields } from './trade-notes.ts';

export const tradeSchema = z.object({
  requestId: z.string(),
  receivedAt: described(z.number().int(), 'ms since 1970 UTC'),
  source: z.string(),
  keyLabel: z.string(),
  exchange: z.enum(EXCHANGES),
  mode: z.enum(['paper', 'testnet', 'live']),
  account: shownAccount,
  action: z.enum(ACTIONS),
  symbol: z.string(),
  market: z.string(),
  quantity: z.number(),
  quantityType: z.enum(QUANTITY_TYPES),
  price: z.number().nullable(),
  timeInForce: described(z.enum(TIMES_IN_FORCE).nullable(), 'null for a market order'),
  postOnly: z.boolean(),
  cancelAfterSeconds: z.number().int().nullable(),
  leverage: z.number().int().nullable(),
  strategy: z.string().nullable(),
  comment: z.string().nullable(),
  idempotencyKey: z.string().nullable(),
  alertId: z.string().nullable(),
  prevMarketPosition: described(
    z.enum(STRATEGY_POSITIONS).nullable(),
    'What the strategy held before the order, as the alert said it',
  ),
  prevMarketPositionSize: described(
    z.number().nullable(),
    'How much, times the multiplier of the account; null where it cannot be compared',
  ),
  status: z.enum(TRADE_STATUSES),
  orderId: z.string().nullable(),
  executedQty: z.number(),
  averagePrice: z.number().nullable(),
  error: z.string().nullable(),
  realizedPnl: described(z.number(), 'What its fills have made by closing something, before fees'),
  fees: described(z.number(), 'Of its fills'),
  ...noteFields,
});

export const tradeDetailSchema = tradeSchema.extend({
  accounts: described(
    z.array(
      tradeSchema.pick({
        requestId: true,
        exchange: true,
        account: true,
        status: true,
        executedQty: true,
        averagePrice: true,
        error: true,
      }),
    ),
    'The trades of its signal, where that is traded on several accounts',
  ).optional(),
  orders: z.array(
    z.object({
      clientOrderId: z.string(),
      leg: described(
        z.enum(LEGS),
        'open and close are what the signal asked for; close_rest closes what a close has left open; flatten gives up the other side first; catch_up_close and catch_up_open bring the strategy to what it held before the signal',
      ),
      side: z.enum(['BUY', 'SELL']),
      positionSide: z.enum(['LONG', 'SHORT']),
      reduceOnly: z.boolean(),
      quantity: z.number(),
      price: z.number().nullable(),
      status: z.enum(TRADE_STATUSES),
      orderId: z.string().nullable(),
      executedQty: z.number(),
      averagePrice: z.number().nullable(),
      reason: z.string().nullable(),
    }),
  ),
  fills: z.array(
    z.object({
      fillId: z.string(),
      clientOrderId: z.string(),
      quantity: z.number(),
      price: z.number(),
      fee: z.number(),
      realizedPnl: z.number(),
      at: z.number().int(),
    }),
  ),
  events: z.array(z.object({ at: z.number().int(), kind: z.string(), detail: z.string().nullable() })),
});
