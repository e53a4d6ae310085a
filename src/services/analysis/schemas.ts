// What the bodies of the free routes look like: the same schemas check requests and describe them in /openapi.json.

import { z } from 'zod';
import type { SymbolInfo } from '../../pine/index.ts';

/** The contract's; a batch is a row of charts, not a load test. */
export const MAX_BATCH = 8;
/** The contract's; a script that imports more is no script of a person. */
const MAX_LIBRARIES = 32;
/** Scripts have a few dozen inputs; the engine tells about each that does not fit. */
const MAX_INPUTS = 1000;
/** The year 9999 has ended: a later time was sent in micro- or nanoseconds. */
export const MAX_TIME_MS = 253_402_300_799_999;
/** Names of markets, timeframes and libraries are shorter. */
const MAX_NAME_CHARS = 400;

export const MODES = ['auto', 'interpret', 'compile'] as const;

const described = <T extends z.ZodType>(schema: T, description: string): T => schema.meta({ description });
const name = z.string().max(MAX_NAME_CHARS);

export const barSchema = z.strictObject({
  time: described(
    z.number().min(-MAX_TIME_MS, { abort: true }).max(MAX_TIME_MS),
    'When the bar opens, in ms or s since 1970 UTC, the same in all bars',
  ),
  open: z.number(),
  high: z.number(),
  low: z.number(),
  close: z.number(),
  volume: described(z.number().nullable().optional(), 'Unknown when omitted or null'),
});

const text = name.nullish();
const figure = z.number().nullish();
/** Every field the engine knows, and no other: the compiler compares the two. */
const symbolFields = {
  ticker: described(text, 'BTCUSDT, or BINANCE:BTCUSDT'),
  tickerid: text,
  prefix: text,
  root: text,
  description: text,
  type: described(text, 'crypto, stock, futures, forex, index, fund'),
  timezone: described(text, 'Of the exchange, such as America/New_York'),
  session: described(text, '24x7, or hours such as 0930-1600'),
  session_regular: text,
  period: described(text, 'The timeframe: 60 or 1h, 1D or 1d'),
  mintick: figure,
  pricescale: figure,
  minmove: figure,
  pointvalue: figure,
  mincontract: figure,
  currency: text,
  basecurrency: text,
  volumetype: text,
  country: text,
  sector: text,
  industry: text,
  isin: text,
  current_contract: text,
  expiration_date: figure,
  employees: figure,
  shareholders: figure,
  shares_outstanding_float: figure,
  shares_outstanding_total: figure,
} satisfies Record<keyof SymbolInfo, z.ZodType>;

const librariesSchema = z
  .array(
    z.strictObject({
      namespace: name.min(1),
      name: name.min(1),
      version: z.number().int().min(1),
      source: z.string(),
    }),
  )
  .max(MAX_LIBRARIES);

export const evaluateSchema = z.strictObject({
  script: described(z.string(), 'The source in Pine, version 5 or 6'),
  data: described(z.array(barSchema).min(1), 'The bars, oldest first'),
  symbol: described(name.optional(), 'The ticker, where symbol_info does not say it'),
  timeframe: described(
    name.optional(),
    'As Pine (60, 1D) or exchanges (1h, 1d) write it; symbol_info.period when omitted, else the usual distance of the bars',
  ),
  mode: described(z.enum(MODES).optional(), 'Accepted for older clients: one engine serves all'),
  inputs: described(z.record(z.string(), z.unknown()).optional(), 'Values of the inputs by title'),
  profiler: described(z.boolean().optional(), 'Accepted; there is no profile yet'),
  libraries: described(librariesSchema.optional(), 'What the script imports, as namespace/name/version'),
  timeout_seconds: described(z.number().gt(0).optional(), 'At most RUN_TIMEOUT_S'),
  symbol_info: described(z.strictObject(symbolFields).optional(), 'The market, in the names of syminfo.*'),
});

/** Only looked at from outside: the rows are read by hand, because a schema takes eight times as long for them. */
const listOfBars = z.custom<readonly unknown[]>((value) => Array.isArray(value), {
  error: ({ input }) => `is ${input === undefined ? 'missing' : 'not a list'}, send a list of bars`,
});
/** As it stands: a schema would drop a key named __proto__ instead of refusing it. */
const inputValues = z.custom<Readonly<Record<string, unknown>>>(
  (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length <= MAX_INPUTS,
  { error: `is not usable, send an object of at most ${MAX_INPUTS} values by title` },
);

/** The request before its bars are read. */
export const evaluateHeadSchema = evaluateSchema.extend({ data: listOfBars, inputs: inputValues.optional() });
export type EvaluateHead = z.infer<typeof evaluateHeadSchema>;

/** The requests are checked one by one: a fault in one leaves the others alone. */
export const batchHeadSchema = z.strictObject({ requests: z.array(z.unknown()).min(1).max(MAX_BATCH) });
export const batchSchema = z.strictObject({ requests: z.array(evaluateSchema).min(1).max(MAX_BATCH) });

export const sourceSchema = z.strictObject({
  source: described(z.string(), 'The script as it stands in the editor'),
  libraries: librariesSchema.optional(),
});
const fromZero = z.number().int().min(0);
export const placeSchema = sourceSchema.extend({
  line: described(fromZero, 'Counted from 0'),
  character: described(fromZero, 'Counted from 0, in UTF-16 units'),
});

export const errorSchema = z.object({
  status: z.literal('error'),
  code: described(z.string(), 'One stable word per refusal'),
  message: described(z.string(), 'What is wrong and what to do'),
});
