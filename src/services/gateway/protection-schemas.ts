// The fields that protect a position, as a signal, an alert and the owner send them.

import { z } from 'zod';
import { MAX_HOLD_SECONDS, MAX_TARGETS } from '../../trading/signal.ts';

/** More than any market trades, and few enough digits that every book and row can hold the product of two. */
export const MAX_AMOUNT = 1e15;
/** Closer than this, the spread alone would reach it. */
const MIN_TRAIL_PERCENT = 0.01;
/** With 100 percent a stop could never be reached. */
const MAX_TRAIL_PERCENT = 99;
/** Ten times the price. */
const MAX_PERCENT = 1000;
const MAX_TICKS = 1e9;

const described = <T extends z.ZodType>(schema: T, description: string): T => schema.meta({ description });
const amount = z.number().gt(0).max(MAX_AMOUNT);
const trailPercent = z.number().min(MIN_TRAIL_PERCENT).max(MAX_TRAIL_PERCENT);

const UNITS = {
  price: amount.optional(),
  percent: z.number().gt(0).max(MAX_PERCENT).optional(),
  ticks: z.number().int().gt(0).max(MAX_TICKS).optional(),
};
interface Units {
  readonly price?: unknown;
  readonly percent?: unknown;
  readonly ticks?: unknown;
}
const isOneUnit = ({ price, percent, ticks }: Units): boolean =>
  [price, percent, ticks].filter((given) => given !== undefined).length === 1;
const ONE_UNIT = { error: 'has to say one of price, percent and ticks; send exactly one of them' };
const NO_LEVEL = { error: 'is no level, send a price, or {"price": 60000}, {"percent": 2} or {"ticks": 50}' };

export const levelSchema = z.union([amount, z.strictObject(UNITS).refine(isOneUnit, ONE_UNIT)], NO_LEVEL);
const trailSchema = z.strictObject({ ...UNITS, percent: trailPercent.optional() }).refine(isOneUnit, ONE_UNIT);
const targetSchema = z.strictObject({ ...UNITS, share: z.number().gt(0).max(1) }).refine(isOneUnit, ONE_UNIT);
const targetsSchema = z.array(targetSchema).min(1).max(MAX_TARGETS);
const breakEvenSchema = z.number().int().min(1).max(MAX_TARGETS);
const holdSchema = z.number().int().min(1).max(MAX_HOLD_SECONDS);

const WORDS = {
  trailPercent: 'A trailing stop this far behind the best price, in percent of it',
  stopLoss:
    'Closes at a loss: a price, or {price}, {percent} or {ticks}; percent and ticks count from the average price of the fill',
  takeProfit: 'Closes at a profit: as stopLoss, on the other side',
  trail: 'A trailing stop: {percent} of the best price, or {price} or {ticks} as a price difference',
  activationPrice: 'The trail begins when this price is reached; at once when omitted',
  targets:
    'Up to five levels, the nearest first, each closing a share of what was held after the fill; not with takeProfit',
  breakEvenAfter: 'After so many targets the stop loss moves to the entry price, and never back',
  maxHoldSeconds: 'Closes when it was held so long, counted from the first fill',
};

/** Of an entry. */
export const protectFields = {
  trailPercent: described(trailPercent.optional(), WORDS.trailPercent),
  stopLoss: described(levelSchema.optional(), WORDS.stopLoss),
  takeProfit: described(levelSchema.optional(), WORDS.takeProfit),
  trail: described(trailSchema.optional(), WORDS.trail),
  activationPrice: described(amount.optional(), WORDS.activationPrice),
  targets: described(targetsSchema.optional(), WORDS.targets),
  breakEvenAfter: described(breakEvenSchema.optional(), WORDS.breakEvenAfter),
  maxHoldSeconds: described(holdSchema.optional(), WORDS.maxHoldSeconds),
};

const quotable = z.union([z.number(), z.string().max(64)]);
const quotedUnits = { price: quotable.optional(), percent: quotable.optional(), ticks: quotable.optional() };
const quotedLevel = z.union([quotable, z.strictObject(quotedUnits)]);

/** Of an alert: placeholders render as text. */
export const quotedProtectFields = {
  trailPercent: quotable.optional(),
  stopLoss: quotedLevel.optional(),
  takeProfit: quotedLevel.optional(),
  trail: z.strictObject(quotedUnits).optional(),
  activationPrice: quotable.optional(),
  targets: z
    .array(z.strictObject({ ...quotedUnits, share: quotable }))
    .max(MAX_TARGETS)
    .optional(),
  breakEvenAfter: quotable.optional(),
  maxHoldSeconds: quotable.optional(),
};

/** Of the owner, for a position that is open; null takes a part away. */
export const protectionChangeSchema = z.strictObject({
  trailPercent: described(trailPercent.nullable().optional(), WORDS.trailPercent),
  stopLoss: described(levelSchema.nullable().optional(), WORDS.stopLoss),
  takeProfit: described(levelSchema.nullable().optional(), WORDS.takeProfit),
  trail: described(trailSchema.nullable().optional(), WORDS.trail),
  activationPrice: described(amount.optional(), WORDS.activationPrice),
  targets: described(targetsSchema.nullable().optional(), WORDS.targets),
  breakEvenAfter: described(breakEvenSchema.nullable().optional(), WORDS.breakEvenAfter),
  maxHoldSeconds: described(holdSchema.nullable().optional(), WORDS.maxHoldSeconds),
});

/** What all of them have in common once they are read. */
export type ProtectFields = z.infer<typeof protectionChangeSchema>;
