// What a dry run looks like: that of a pasted alert, and that of the owner's own order.

import { z } from 'zod';
import { EXCHANGES } from '../../exchanges/exchange.ts';
import { LEGS } from '../../trading/books/journal.ts';
import { GATES } from '../../trading/intake/accept-signal.ts';
import { ACTIONS, QUANTITY_TYPES, TIMES_IN_FORCE } from '../../trading/signal.ts';
import { VENUE_MODES } from '../../trading/venue.ts';
import { described, shownAccount } from './schemas.ts';

export const CHECK_ROUTES = ['/webhook', '/webhook/tradingview', '/email-signal'] as const;
export type CheckRoute = (typeof CHECK_ROUTES)[number];
/** No template has so many. */
const MAX_SAMPLES = 100;

export const checkRequestSchema = z.strictObject({
  body: described(z.string(), "What stands in the alert's Message, exactly; for /email-signal the text of the mail"),
  route: described(
    z.enum(CHECK_ROUTES).optional(),
    "Where the alert sends it; when omitted /webhook/tradingview for strategy placeholders' fields, else /webhook",
  ),
  key: described(
    z.string().min(1).max(64).optional(),
    'The label of a webhook key, for a body that holds none; a key in the body counts otherwise',
  ),
  address: described(
    z.union([z.ipv4(), z.ipv6()]).optional(),
    "The address it would come from; one of TradingView's when omitted",
  ),
  at: described(
    z.number().int().min(0).max(8.64e15).optional(),
    'As if it came then, ms since 1970 UTC: for trading windows. Positions, prices and counts are those of now',
  ),
  samples: described(
    z
      .record(z.string().min(1).max(80), z.union([z.string().max(256), z.number(), z.boolean()]))
      .refine((samples) => Object.keys(samples).length <= MAX_SAMPLES, { error: `has more than ${MAX_SAMPLES}` })
      .optional(),
    'What placeholders render as, by their names without braces: {"ticker": "BTCUSDT.P"}',
  ),
});

const codeAndWords = {
  code: described(z.string().nullable(), 'Of the refusal'),
  error: described(z.string().nullable(), 'Why, and what to do'),
};
export const CHECK_GATES = ['size', 'shape', ...GATES] as const;
const OUTCOMES = ['would_trade', 'would_wait', 'would_refuse'] as const;
const outcome = described(
  z.enum(OUTCOMES),
  'would_wait: accepted, and tried again until its venue can be asked or it expires',
);
const amount = z.number().nullable();

const foreseenOrderSchema = z.object({
  leg: described(
    z.enum(LEGS),
    'open and close: what was asked for; close_rest: what a close has left open, never foreseen; flatten: closes the other side first; catch_up_*: what the strategy is missing first',
  ),
  side: z.enum(['BUY', 'SELL']),
  positionSide: z.enum(['LONG', 'SHORT']),
  reduceOnly: z.boolean(),
  type: z.enum(['market', 'limit']),
  quantity: described(z.number(), 'In base currency, on the step of the market'),
  price: described(amount, 'On the tick; null for a market order'),
  timeInForce: z.enum(TIMES_IN_FORCE).nullable(),
  postOnly: z.boolean(),
});

export const foreseenAccountSchema = z.object({
  exchange: z.enum(EXCHANGES),
  account: shownAccount,
  mode: z.enum(VENUE_MODES),
  market: z.string(),
  action: z.enum(ACTIONS),
  outcome,
  ...codeAndWords,
  orders: described(z.array(foreseenOrderSchema), 'In the order in which they would be sent'),
  quantity: described(amount, 'What the signal comes to, in base currency'),
  notional: described(amount, 'What that is worth in USDT, at the price it was worked out with'),
  price: described(amount, 'The highest at which it can be expected to trade: a limit, or about the last price'),
  leverage: described(z.number().int().nullable(), 'What would be set; null: as it is'),
  protection: described(
    z
      .object({
        stopLoss: amount,
        takeProfit: amount,
        targets: z.array(z.object({ price: z.number(), share: z.number() })),
        trailPercent: amount,
        trailAmount: described(amount, 'As a price difference'),
        activationPrice: amount,
        breakEvenAfter: z.number().int().nullable(),
        maxHoldSeconds: z.number().int().nullable(),
      })
      .nullable(),
    'Where its stops would stand, measured from price; they are measured from the fill when there is one',
  ),
  leverageInForce: described(
    amount,
    'Of an entry, once it is sent: what would be set, or what is; null where not known',
  ),
  margin: described(amount, 'What the orders that open something bind, about, in USDT; null where not known'),
  fee: described(amount, "Of all orders, about, in USDT: at the exchange's usual rates, without discounts"),
  equity: described(amount, 'What the account is worth now, in USDT; of an entry'),
  freeMargin: described(amount, 'What new positions may bind there, in USDT; of an entry'),
  risk: described(
    z
      .object({
        loss: described(z.number(), 'In USDT, before fees and a worse price at the stop'),
        percentOfEquity: described(amount, 'The loss in percent of equity'),
        stopDistancePercent: described(z.number(), 'How far the stop is from price, in percent of it'),
      })
      .nullable(),
    'What this order loses at its stop, or at its trail where that begins at once; null without one',
  ),
  cautions: described(
    z.array(z.string()),
    'What may not be meant: a stop that is far, a large part of the account at risk, an order many times its worth, too little margin at a real venue, stops of what is held already that its own would replace. The order is sent all the same',
  ),
  cancels: described(z.array(z.string()), 'The clientOrderIds of resting orders that would be canceled first'),
  cancelsStops: described(z.array(z.string()), 'The ids of stops at the venue that would be taken away first'),
  warnings: z.array(z.string()),
});
export type ForeseenAccount = z.infer<typeof foreseenAccountSchema>;

const readFieldSchema = z.object({
  field: z.string(),
  sent: described(z.string(), 'As JSON; what could be a key is ***'),
  use: z.enum(['read', 'ignored', 'refused']),
  readAs: described(z.string().nullable(), 'What it was taken for, where that can be told by itself'),
  note: described(z.string().nullable(), 'What is wrong with it, and the remedy'),
});
export type ReadField = z.infer<typeof readFieldSchema>;

const readSignalSchema = z.object({
  exchange: z.enum(EXCHANGES),
  account: z.string().nullable(),
  action: z.enum(ACTIONS),
  symbol: z.string(),
  market: z.string(),
  quantity: z.number(),
  quantityType: z.enum(QUANTITY_TYPES),
  closesAll: described(z.boolean(), 'The whole position, whatever quantity says'),
  price: amount,
  timeInForce: z.enum(TIMES_IN_FORCE).nullable(),
  postOnly: z.boolean(),
  cancelAfterSeconds: z.number().int().nullable(),
  leverage: z.number().int().nullable(),
  strategy: z.string().nullable(),
  comment: z.string().nullable(),
  alertId: z.string().nullable(),
  idempotencyKey: z.string().nullable(),
  protect: described(z.record(z.string(), z.string()), 'Stops as they were asked for: a price, 2% or 50ticks'),
});
export type ReadSignalView = z.infer<typeof readSignalSchema>;

export const checkedSchema = z.object({
  outcome,
  status: described(z.number().int(), 'Of the answer that the sender would get'),
  ...codeAndWords,
  route: described(z.enum([...CHECK_ROUTES, '/orders']), 'Where it would be sent'),
  key: described(z.string().nullable(), 'The label of whoever would send it; null for an unknown key'),
  address: described(z.string().nullable(), 'Where it would come from; null where nobody asks'),
  placeholders: described(
    z.array(
      z.object({
        placeholder: z.string(),
        filledBy: described(
          z.enum(['tradingview', 'signalbox']).nullable(),
          'signalbox: in the text of notify; null: nobody knows it',
        ),
        value: described(z.string().nullable(), 'The sample that was put in'),
        example: described(z.string().nullable(), 'What it may render as'),
      }),
    ),
    'Those in the body; one without a value is refused as a real alert is that was not filled in',
  ),
  fields: z.array(readFieldSchema),
  faults: described(z.array(z.string()), 'All that is wrong with the body, each with its remedy'),
  signal: described(readSignalSchema.nullable(), 'As it was read; null where it could not be'),
  gates: described(
    z.array(
      z.object({
        gate: z.enum(CHECK_GATES),
        outcome: z.enum(['passed', 'refused', 'not_reached']),
        ...codeAndWords,
      }),
    ),
    'In the order in which they are asked; the first that refuses gives the answer',
  ),
  accounts: described(z.array(foreseenAccountSchema), 'What would be sent on each account, behind the gates'),
  warnings: described(z.array(z.string()), 'What would be ignored or changed'),
});
export type Checked = z.infer<typeof checkedSchema>;
