// The endpoints of a batch of backtests, but for what they do: described for /openapi.json and /docs.

import { z } from 'zod';
import type { EndpointDoc } from '../../http/endpoint.ts';
import { backtestBatchSchema } from './backtest-batch-schema.ts';
import { EXAMPLE_DATA, KEYED, refused } from './key-docs.ts';
import { figures, OPTIMIZE_DOCS, progress, searchedMarkets, state } from './optimize-docs.ts';

const { start, look, end } = OPTIMIZE_DOCS;
const params = z.object({ id: z.string().meta({ examples: ['$BATCH_ID'] }) });
const result = z.object({
  markets: searchedMarkets,
  backtests: progress,
  stopped: z.string().nullable().meta({ description: 'Why it ended early' }),
  results: z
    .array(
      z.object({
        script: z.string().meta({ description: 'Its name, or its place from 1' }),
        market: z.string(),
        figures: figures.nullable(),
        fault: z.string().nullable().meta({ description: 'Why it failed; null also where it was not run' }),
      }),
    )
    .meta({ description: 'All markets of the first script, then of the second, and so on' }),
});
const one = {
  ...KEYED,
  404: refused('NOT_FOUND: this key has no such batch, or it is forgotten'),
  503: refused('UNAVAILABLE: the key store does not answer, or the Redis of LONG_JOBS=redis'),
};

export const BACKTEST_BATCH_DOCS = {
  start: {
    ...start,
    path: '/backtest/batch',
    summary: 'Test many strategies on many markets',
    description:
      'Begins a batch and answers at once: every script runs on every market, and GET /backtest/batch/{id} tells how far it is and, at the end, the figures of each. A script that does not compile or fails is a row with its fault. A key has one batch at a time; it costs what a search of as many backtests does.',
    body: backtestBatchSchema,
    bodyExample: {
      scripts: [
        {
          name: 'Up',
          script: '//@version=6\nstrategy("Up")\nif close > open\n    strategy.entry("Long", strategy.long)',
        },
      ],
      markets: [{ symbol: 'BTCUSDT', timeframe: '1m', data: EXAMPLE_DATA }],
    },
    responses: {
      ...start.responses,
      429: refused('RATE_LIMITED: the calls of the tier are used up; BUSY: a batch of this key runs, or too many do'),
    },
  },
  look: {
    ...look,
    path: '/backtest/batch/{id}',
    summary: 'How far a batch is, and what came of it',
    params,
    responses: {
      200: {
        description: 'The batch',
        schema: z.object({
          status: z.literal('success'),
          id: z.string(),
          state,
          started_at: z.number().meta({ description: 'ms since 1970 UTC' }),
          ended_at: z.number().nullable(),
          progress,
          best: z.null().meta({ description: 'Rows are not compared' }),
          result: result.nullable().meta({ description: 'Once it has ended, early or not' }),
          failure: z.string().nullable().meta({ description: 'Why one that has ended has no result' }),
        }),
      },
      ...one,
    },
  },
  end: {
    ...end,
    path: '/backtest/batch/{id}',
    summary: 'Cancel a batch, or forget one that has ended',
    params,
    responses: { ...end.responses, ...one },
  },
} satisfies Record<string, EndpointDoc>;
