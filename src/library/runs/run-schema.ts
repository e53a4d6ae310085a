// The shape of a kept run: what answers have, and what a file of one must have to be read.

import { z } from 'zod';
import { metricsSchema, repaintSchema } from '../run-contract.ts';
import { MAX_NOTE_CHARS } from './kept-run.ts';

const described = <T extends z.ZodType>(schema: T, description: string): T => schema.meta({ description });
const ms = described(z.int(), 'Unix milliseconds');
const digest = described(z.string().regex(/^[0-9a-f]{32}$/, 'is no digest'), 'Half of a SHA-256, in hex');

export const noteSchema = z
  .string()
  .max(MAX_NOTE_CHARS)
  .regex(/^[^\p{Cc}]*$/u, 'has control characters, send one line');

const keptTrade = z.object({
  direction: z.enum(['long', 'short']),
  entryTimeMs: ms,
  entryPrice: z.number(),
  exitTimeMs: described(z.int().nullable(), 'Null while it is open'),
  exitPrice: z.number().nullable(),
  quantity: z.number(),
  profit: z.number().nullable(),
});

const keptSeries = z.object({ symbol: z.string(), timeframe: z.string(), bars: z.int(), digest });

/** Without its trades, as lists have it. */
export const runSummarySchema = z.object({
  id: z.string(),
  atMs: ms,
  note: noteSchema,
  engine: described(z.string(), 'Version of Signalbox that ran it'),
  script: z.object({
    title: z.string(),
    name: described(z.string(), 'The id in the library, or the file'),
    revision: z.int().nullable(),
    digest,
    libraries: z.array(z.object({ name: z.string(), digest })),
  }),
  inputs: described(z.record(z.string(), z.unknown()), 'As they were given, by title'),
  settings: described(
    z.record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null()])),
    'What the strategy declares of its account, with what was said instead',
  ),
  market: z.object({
    symbol: z.string(),
    timeframe: z.string(),
    priceSource: described(
      z.string().optional(),
      'Where the prices come from: an exchange, or simulated; left out where nobody said',
    ),
    fromMs: described(z.int(), 'Start of the first bar'),
    toMs: described(z.int(), 'Start of the last bar'),
    bars: z.int(),
    digest: described(digest, 'Of the bars: the same means the very same bars'),
    infoDigest: described(digest.nullable(), 'Of what was said about the market; null where nothing was'),
    others: described(z.array(keptSeries), 'Bars of other symbols that it requested'),
  }),
  repaint: repaintSchema,
  metrics: metricsSchema,
  tradeCount: z.int(),
  resultDigest: described(digest, 'Of all trades and figures'),
});

export const keptRunSchema = runSummarySchema.extend({
  trades: described(z.array(keptTrade), 'The first 500'),
});

const difference = z.object({ name: z.string(), a: z.unknown(), b: z.unknown() });

export const comparisonSchema = z.object({
  sameResult: z.boolean(),
  sameScript: z.boolean(),
  sameData: z.boolean(),
  sameEngine: z.boolean(),
  script: z.array(difference),
  inputs: z.array(difference),
  settings: z.array(difference),
  market: z.array(difference),
  metrics: z.array(
    z.object({
      name: z.string(),
      a: z.number().nullable(),
      b: z.number().nullable(),
      difference: z.number().nullable(),
    }),
  ),
  firstDifferentTrade: z
    .object({ number: z.int(), a: keptTrade.nullable(), b: keptTrade.nullable() })
    .nullable()
    .meta({ description: 'Null where the kept trades are the same' }),
  partsLater: described(z.boolean(), 'They differ behind the last trade that is kept'),
});
