// What the body of POST /optimize looks like: checked by it, and described by it in /openapi.json.

import { z } from 'zod';
import { DEFAULT_TOP, MAX_MARKETS } from '../../library/search/search-plan.ts';
import { COMBINATIONS, FIGURE_NAMES, GOALS, MAX_SEED } from '../../pine/light.ts';
import { backtestSchema, sendingBacktestSchema } from './schemas.ts';

/** A hundred rows with all figures of sixteen markets are a megabyte. */
const MAX_TOP = 100;
/** Whoever needs more bounds than this describes one setting, not a search. */
const MAX_CONSTRAINTS = 10;
/** A sample is as large as the largest search of any tier at most; which one may be made, the tier says. */
const MAX_SAMPLES = 1_000_000;
/** Longer than any archive. */
const MAX_DAYS = 36_500;

const described = <T extends z.ZodType>(schema: T, description: string): T => schema.meta({ description });

const scalar = z.union([z.number(), z.boolean(), z.string()]);
/** How one input is varied. */
export const variationSchema = z.union([
  z.literal('all'),
  z.array(scalar).min(1),
  z.strictObject({ from: z.number(), to: z.number(), step: z.number().gt(0).optional() }),
]);

const metric = z.enum(FIGURE_NAMES);
const days = z.number().gt(0).max(MAX_DAYS);

const ownFields = {
  method: described(z.enum(['grid', 'random']).default('grid'), 'All combinations, or a sample of them'),
  samples: described(z.int().min(1).max(MAX_SAMPLES).optional(), 'With random: how many, all of them different'),
  seed: described(z.int().min(0).max(MAX_SEED).default(1), 'With random: the same seed draws the same sample'),
  objective: described(metric.default('net_profit'), 'The figure that decides'),
  goal: described(z.enum(GOALS).optional(), 'What is better; as usual for the figure when omitted'),
  combine: described(z.enum(COMBINATIONS).default('mean'), 'How the figures of several markets become one'),
  constraints: described(
    z
      .array(z.strictObject({ metric, min: z.number().optional(), max: z.number().optional() }))
      .max(MAX_CONSTRAINTS)
      .default([]),
    'Bounds that every market has to keep; whatever does not ranks behind whatever does',
  ),
  min_trades: described(z.int().min(0).optional(), 'Short for a constraint: so many closed trades at least'),
  walk_forward: described(
    z
      .strictObject({
        in_sample_days: days,
        out_of_sample_days: days,
        anchored: described(z.boolean().default(false), 'Whether every in-sample begins with the first bar and grows'),
      })
      .optional(),
    'The best of each window is tried on the days that follow it',
  ),
  top: described(z.int().min(1).max(MAX_TOP).default(DEFAULT_TOP), 'How many of the best are listed'),
};

const { symbol, timeframe, symbol_info, symbol_bars, script, inputs, libraries, timeout_seconds } =
  backtestSchema.shape;
const { initial_capital, trade_from, trade_to } = backtestSchema.shape;
const { data, symbol_bars: symbolBarsHead } = sendingBacktestSchema.shape;

export const marketSchema = z.strictObject({
  data: described(backtestSchema.shape.data, 'The bars, oldest first, as rows or columns; or send bars'),
  bars: backtestSchema.shape.bars,
  symbol,
  timeframe,
  symbol_info,
  symbol_bars,
});

export const optimizeSchema = z.strictObject({
  script,
  vary: described(
    z.record(z.string(), variationSchema),
    'By title or variable of an input: {from, to, step}, a list of values, or "all" of its choices',
  ),
  inputs: described(inputs, 'Values of inputs that are not varied, by title or variable'),
  ...ownFields,
  markets: described(
    z.array(marketSchema).min(1).max(MAX_MARKETS).optional(),
    'Several markets, each with its bars; a single one may be sent beside script instead',
  ),
  ...marketSchema.shape,
  libraries,
  initial_capital,
  trade_from,
  trade_to,
  timeout_seconds: described(timeout_seconds, 'Of one backtest; at most RUN_TIMEOUT_S'),
});

/** The same before bars and names are read. */
export const marketHeadSchema = marketSchema.extend({ data: data.optional(), symbol_bars: symbolBarsHead });
export type MarketHead = z.infer<typeof marketHeadSchema>;
export const optimizeHeadSchema = optimizeSchema.extend({
  ...marketHeadSchema.shape,
  markets: z.array(marketHeadSchema).min(1).max(MAX_MARKETS).optional(),
  inputs: sendingBacktestSchema.shape.inputs,
  // As it stands, for the same reason: a schema would drop a key named __proto__ instead of refusing it.
  vary: z.custom<Readonly<Record<string, unknown>>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    {
      error: ({ input }) =>
        `is ${input === undefined ? 'missing' : 'no object'}, send {"Length": {"from": 5, "to": 50}}`,
    },
  ),
});
export type OptimizeHead = z.infer<typeof optimizeHeadSchema>;
