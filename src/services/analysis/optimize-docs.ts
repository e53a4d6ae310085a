// The endpoints of a search over inputs, but for what they do: described for /openapi.json and /docs.

import { z } from 'zod';
import type { EndpointDoc } from '../../http/endpoint.ts';
import { statusErrorSchema } from '../../http/status-shape.ts';
import { compileFaultFields, equitySchema, marketFaultFields, tradesSchema } from '../../library/run-contract.ts';
import { FIGURE_NAMES } from '../../pine/light.ts';
import { LARGE_BODY_LIMIT_BYTES } from './body-memory.ts';
import { BODY_FAULTS, EXAMPLE_DATA, KEYED, refused, tierInfoSchema } from './key-docs.ts';
import { BACKTESTS_PER_CALL } from './optimize-cost.ts';
import { optimizeSchema } from './optimize-schema.ts';

const described = <T extends z.ZodType>(schema: T, description: string): T => schema.meta({ description });

const id = described(z.string(), 'Of the search');
export const state = z.enum(['running', 'done', 'canceled', 'stopped']);
const figure = z.number().nullable();
/** Of one backtest. */
export const figures = z.object(Object.fromEntries(FIGURE_NAMES.map((name) => [name, figure])));
const inputs = described(z.record(z.string(), z.unknown()), 'Values by title');
export const progress = z.object({ done: z.int(), total: z.int(), failed: z.int() });
const timeRange = z.object({ from: z.number(), to: z.number() });

const trial = z.object({
  rank: z.int(),
  inputs,
  value: described(figure, 'Of the objective, over all markets'),
  meets_constraints: z.boolean(),
  markets: z.array(z.object({ market: z.string(), figures })),
});
const axis = z.object({ title: z.string(), values: z.array(z.unknown()) });

const overfitting = z.object({
  trials: z.int(),
  mean: figure,
  deviation: figure,
  neighbours: z.object({ count: z.int(), mean: figure, worst: figure }).nullable(),
  best_by_luck: described(figure, 'About what the best of as many worthless settings would reach, spread as these are'),
  warnings: z.array(z.string()),
});

const walkForward = z.object({
  anchored: z.boolean(),
  windows: z.array(
    z.object({
      in_sample: timeRange,
      out_of_sample: timeRange,
      inputs: described(inputs.nullable(), 'The best in sample; null where nothing met the constraints'),
      in_sample_value: figure,
      out_of_sample_value: figure,
    }),
  ),
  efficiency: described(figure, 'What a day out of sample made, by what a day in sample did'),
  value: figure,
  markets: z.array(
    z.object({ market: z.string(), figures: figures.nullable(), trades: tradesSchema, equity: equitySchema }),
  ),
});

export const searchedMarkets = z.array(
  z.object({
    market: z.string(),
    bars: z.int(),
    price_source: z
      .string()
      .optional()
      .meta({ description: 'An exchange, or simulated; left out where it is not known' }),
  }),
);

const result = z.object({
  script_name: z.string(),
  method: z.enum(['grid', 'random']),
  seed: z.number().nullable(),
  objective: z.object({ metric: z.enum(FIGURE_NAMES), goal: z.string(), combine: z.string() }),
  inputs: z.array(axis),
  fixed_inputs: inputs,
  markets: searchedMarkets,
  combinations: z.int(),
  backtests: progress,
  failures: z.array(z.object({ inputs, market: z.string(), reason: z.string() })),
  stopped: described(z.string().nullable(), 'Why it ended early'),
  top: described(z.array(trial), 'The best first; with walk_forward those of the newest in-sample window'),
  heat_map: described(
    z.object({ x: axis, y: axis, values: z.array(z.array(figure)) }).nullable(),
    'Where exactly two inputs vary: a row for each value of y, in it a number for each of x',
  ),
  overfitting: overfitting.nullable(),
  walk_forward: walkForward.nullable(),
});

const params = z.object({ id: z.string().meta({ examples: ['$SEARCH_ID'] }) });
const ONE_SEARCH = {
  ...KEYED,
  404: refused('NOT_FOUND: this key has no such search, or it is forgotten'),
  503: refused('UNAVAILABLE: the key store does not answer, or the Redis of LONG_JOBS=redis'),
};

export const OPTIMIZE_DOCS = {
  start: {
    method: 'post',
    path: '/optimize',
    summary: 'Search the best inputs of a strategy',
    description: `Begins the search and answers at once; GET /optimize/{id} tells how far it is and, at the end, what it found. A key has one search at a time. Every ${BACKTESTS_PER_CALL} backtests are one call of the quota.`,
    tags: ['Analysis with a key'],
    door: 'analysisKey',
    body: optimizeSchema,
    bodyExample: {
      script:
        '//@version=6\nstrategy("Example")\nlength = input.int(2, "Length", minval = 1)\nif close > ta.sma(close, length)\n    strategy.entry("Long", strategy.long)\nelse\n    strategy.close("Long")',
      vary: { Length: { from: 1, to: 2 } },
      data: EXAMPLE_DATA,
    },
    bodyLimitBytes: LARGE_BODY_LIMIT_BYTES,
    responses: {
      202: {
        description: 'It runs',
        schema: z.object({
          status: z.literal('success'),
          id,
          state,
          backtests: described(z.int(), 'How many it takes'),
          tier_info: tierInfoSchema,
        }),
      },
      400: { description: `${BODY_FAULTS}, SCRIPT_ERROR`, schema: statusErrorSchema.extend(compileFaultFields) },
      ...KEYED,
      408: refused('TIMEOUT'),
      413: refused('PAYLOAD_TOO_LARGE: 16 MiB; TOO_MANY_BARS, SCRIPT_TOO_LARGE'),
      422: {
        description: 'MEMORY_LIMIT, UNKNOWN_SYMBOL, BARS_NOT_ARCHIVED',
        schema: statusErrorSchema.extend(marketFaultFields),
      },
      429: refused('RATE_LIMITED: the calls of the tier are used up; BUSY: a search of this key runs, or too many do'),
      502: refused('MARKET_DATA_UNREACHABLE'),
      503: refused('UNAVAILABLE (the key store, or the archive of bars), STOPPING'),
    },
  },
  look: {
    method: 'get',
    path: '/optimize/{id}',
    summary: 'How far a search is, and what it found',
    description:
      'Not counted. Results are kept for an hour, and no longer than until a restart. With LONG_JOBS=redis they are kept in Redis, and every process with the same Redis shows the search.',
    tags: ['Analysis with a key'],
    door: 'analysisKey',
    params,
    responses: {
      200: {
        description: 'The search',
        schema: z.object({
          status: z.literal('success'),
          id,
          state,
          started_at: described(z.number(), 'ms since 1970 UTC'),
          ended_at: z.number().nullable(),
          progress,
          best: described(trial.nullable(), 'The best so far, while it runs'),
          result: described(result.nullable(), 'Once it has ended, early or not'),
          failure: described(z.string().nullable(), 'Why one that has ended has no result'),
        }),
      },
      ...ONE_SEARCH,
    },
  },
  end: {
    method: 'delete',
    path: '/optimize/{id}',
    summary: 'Cancel a search, or forget one that has ended',
    description:
      'Not counted. What a canceled search found until then can still be read. With LONG_JOBS=redis every process with the same Redis takes the request; the one that runs the search ends it within a second or two.',
    tags: ['Analysis with a key'],
    door: 'analysisKey',
    params,
    responses: {
      200: {
        description: 'Canceled, or forgotten',
        schema: z.object({ status: z.literal('success'), id, state }),
      },
      ...ONE_SEARCH,
    },
  },
} satisfies Record<string, EndpointDoc>;
