// What the limits, pauses and kill switches of keys, strategies, accounts and symbols look like, coming and going.

import { z } from 'zod';
import { EXCHANGES } from '../../exchanges/exchange.ts';
import { MAX_LOCK_SECONDS } from '../../trading/books/limit-facts.ts';
import { SUBJECT_KINDS } from '../../trading/intake/restrictions.ts';
import { DAYS, isZone } from '../../trading/intake/trading-windows.ts';
import { ACTIONS } from '../../trading/signal.ts';
import { killSwitchSchema } from './admin-schemas.ts';
import { described } from './schemas.ts';

const MAX_LIST = 200;
const MAX_WINDOWS = 20;
/** More than anybody trades, and still exact. */
const MAX_MONEY = 1_000_000_000_000;
/** A longer cooldown is a pause. */
const MAX_SECONDS = MAX_LOCK_SECONDS;
const MAX_COUNT = 1_000_000;
/** So many times are kept for each subject. */
const MAX_RATE = 10_000;

/** More than any venue has. */
const MAX_LEVERAGE = 1000;
const MAX_PERCENT = 1000;

const percent = z.number().gt(0).max(MAX_PERCENT);
const money = z.number().gt(0).max(MAX_MONEY);
const list = <T extends z.ZodType>(entry: T) => z.array(entry).min(1).max(MAX_LIST);

const windowSchema = z.strictObject({
  days: described(
    z.array(z.enum(DAYS)).min(1).max(DAYS.length).optional(),
    'On which it begins; every day when omitted',
  ),
  from: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'is no time, write it as 09:30'),
  to: described(
    z.string().regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'is no time, write it as 16:00'),
    'A time that is not after from is of the next day',
  ),
  zone: described(
    z.string().max(64).refine(isZone, 'is no time zone, write one such as Europe/Berlin').optional(),
    'Of the IANA database; UTC when omitted',
  ),
});

export const tradeLimitsSchema = z.strictObject({
  venues: described(list(z.enum(EXCHANGES)).optional(), 'The exchanges it may trade on'),
  symbols: described(list(z.string().min(1).max(20)).optional(), 'The markets it may trade, in any spelling'),
  actions: described(list(z.enum(ACTIONS)).optional(), 'The actions it may send'),
  accounts: described(list(z.string().min(1).max(64)).optional(), 'The accounts it may trade on, as binance:main'),
  largestOrder: described(money.optional(), 'What an entry may be worth, in USDT'),
  largestPosition: described(money.optional(), 'What a position may be worth after an entry, in USDT'),
  openPositions: described(
    z.number().int().min(0).max(MAX_COUNT).optional(),
    'How many may be open, waiting entries included',
  ),
  leverage: described(
    z.number().int().min(1).max(MAX_LEVERAGE).optional(),
    'The highest leverage that an entry may trade with',
  ),
  priceDeviationPercent: described(
    percent.optional(),
    'How far the limit price of an entry may be from the market, in percent: of a buy from the ask, of a sell from the bid',
  ),
  spreadPercent: described(
    percent.optional(),
    'The widest spread that an entry without a limit price may go into, in percent of the middle between bid and ask',
  ),
  dailyLoss: described(
    money.optional(),
    'A realised loss of the UTC day, after fees and without funding, in USDT, that ends the day',
  ),
  entriesPerDay: described(z.number().int().min(0).max(MAX_COUNT).optional(), 'Of a UTC day'),
  cooldownSeconds: described(
    z.number().int().min(1).max(MAX_SECONDS).optional(),
    'Without an entry after a position of the market was closed',
  ),
  lockAfterStops: described(
    z
      .strictObject({ stops: z.number().int().min(1).max(100), seconds: z.number().int().min(1).max(MAX_SECONDS) })
      .optional(),
    'So many stops of a market within so many seconds lock it for as long, from the last of them on',
  ),
  tradingWindows: described(z.array(windowSchema).min(1).max(MAX_WINDOWS).optional(), 'When entries are allowed'),
  rate: described(z.number().int().min(1).max(MAX_RATE).optional(), 'Entries a minute'),
});

const { shape } = tradeLimitsSchema;
const patch = <T extends z.ZodType>(limit: T) => limit.nullish();
/** The same limits; null takes one away. */
export const limitPatchSchema = z.strictObject({
  ...{ venues: patch(shape.venues), symbols: patch(shape.symbols) },
  ...{ actions: patch(shape.actions), accounts: patch(shape.accounts) },
  ...{ largestOrder: patch(shape.largestOrder), largestPosition: patch(shape.largestPosition) },
  ...{ openPositions: patch(shape.openPositions), dailyLoss: patch(shape.dailyLoss) },
  ...{ entriesPerDay: patch(shape.entriesPerDay), cooldownSeconds: patch(shape.cooldownSeconds) },
  ...{ lockAfterStops: patch(shape.lockAfterStops), tradingWindows: patch(shape.tradingWindows) },
  ...{ leverage: patch(shape.leverage), priceDeviationPercent: patch(shape.priceDeviationPercent) },
  ...{ spreadPercent: patch(shape.spreadPercent), rate: patch(shape.rate) },
});

export const removedSchema = {
  removed: described(
    z.array(tradeLimitsSchema.keyof()),
    'The limits that were in force before this change and are not any more',
  ),
};

export const doubtsSchema = {
  warnings: described(
    z.array(z.string()).optional(),
    'What is in force all the same, but may not be meant: a strategy that no signal ever had',
  ),
};

export const pauseSchema = z.strictObject({
  paused: z.boolean(),
  reason: described(z.string().min(1).max(200).nullish(), 'Told to whoever is refused'),
  cancelEntries: described(
    z.boolean().default(false),
    'Withdraw its opening orders that rest at the venues, as a kill switch does: again and again until they confirm it. Otherwise they stay, and may fill while it is paused',
  ),
});

export const waitingSchema = {
  waitingEntries: described(
    z.number().int(),
    'So many of its opening orders rest at the venues still, and may fill: a pause refuses new signals only',
  ),
};

export const restrictionSchema = z.object({
  kind: z.enum(SUBJECT_KINDS),
  name: z.string(),
  limits: tradeLimitsSchema,
  paused: z.boolean(),
  pausedAt: z.number().int().nullable(),
  pauseReason: z.string().nullable(),
  pauseCancelsEntries: described(z.boolean(), 'The pause withdraws opening orders that rest at the venues'),
  killSwitch: described(killSwitchSchema.nullable(), 'null while it is off'),
});

export const subjectParams = z.object({
  kind: z.enum(SUBJECT_KINDS).meta({ examples: ['symbol'] }),
  name: z
    .string()
    .describe(
      'Label or id of a key, name of a strategy, an account as binance:main, a market as BTCUSDT or binance:BTCUSDT',
    )
    .meta({ examples: ['DOGEUSDT'] }),
});
