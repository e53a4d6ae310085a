// What the body of POST /backtest/batch looks like: checked by it, and described by it in /openapi.json.

import { z } from 'zod';
import { MAX_BATCH_MARKETS, MAX_BATCH_SCRIPTS } from '../../library/search/batch.ts';
import { marketHeadSchema, marketSchema } from './optimize-schema.ts';
import { backtestSchema, sendingBacktestSchema } from './schemas.ts';

const { script, inputs, libraries, timeout_seconds, initial_capital, trade_from, trade_to } = backtestSchema.shape;

const scriptSchema = z.strictObject({
  script,
  name: z.string().min(1).max(200).optional().meta({ description: 'For its rows; its place, from 1, when omitted' }),
  inputs,
  libraries,
});

export const backtestBatchSchema = z.strictObject({
  scripts: z.array(scriptSchema).min(1).max(MAX_BATCH_SCRIPTS).meta({ description: 'Each runs on every market' }),
  markets: z.array(marketSchema).min(1).max(MAX_BATCH_MARKETS).meta({ description: 'Each with its bars' }),
  initial_capital,
  trade_from,
  trade_to,
  timeout_seconds: timeout_seconds.meta({ description: 'Of one backtest; at most RUN_TIMEOUT_S' }),
});

/** The same before bars and values are read. */
export const backtestBatchHeadSchema = backtestBatchSchema.extend({
  scripts: z
    .array(scriptSchema.extend({ inputs: sendingBacktestSchema.shape.inputs }))
    .min(1)
    .max(MAX_BATCH_SCRIPTS),
  markets: z.array(marketHeadSchema).min(1).max(MAX_BATCH_MARKETS),
});
