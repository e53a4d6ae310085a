// The endpoints of the Analysis API that make keys or need one, but for what they do: described for /openapi.json and /docs.

import { z } from 'zod';
import type { EndpointDoc } from '../../http/endpoint.ts';
import { statusErrorSchema } from '../../http/status-shape.ts';
import { TIERS } from '../../keys/tiers.ts';
import {
  assumedMarketSchema,
  compileFaultFields,
  equitySchema,
  marketFaultFields,
  metricsSchema,
  repaintSchema,
  runtimeFaultFields,
  tradesSchema,
} from '../../library/run-contract.ts';
import { LARGE_BODY_LIMIT_BYTES } from './body-memory.ts';
import {
  backtestSchema,
  createKeySchema,
  previewChartSchema,
  previewIndicatorSchema,
  validateKeySchema,
} from './schemas.ts';

type Responses = EndpointDoc['responses'];

export const refused = (description: string) => ({ description, schema: statusErrorSchema });
const scriptFault = (description: string) => ({ description, schema: statusErrorSchema.extend(compileFaultFields) });

export const BODY_FAULTS = 'INVALID_BODY, MISSING_FIELD, INVALID_FIELD, UNKNOWN_FIELDS';
const tier = z.enum(TIERS);
const keyId = z.string().meta({ description: 'First 12 hex digits of the SHA-256 of the key' });
const calls = {
  calls_used: z.number().int(),
  calls_limit: z
    .union([z.number().int(), z.literal('unlimited')])
    .meta({ description: '0 means no cap, as for the tier free' }),
  calls_remaining: z.union([z.number().int(), z.literal('unlimited')]),
};
const seconds = (description: string) => z.number().int().nullable().meta({ description });
const resetAt = seconds('Unix seconds at which usage starts again; null where it never does');
export const tierInfoSchema = z.object({ tier, ...calls, reset_at: resetAt });
const usageSchema = z.object({
  ...calls,
  created_at: z.number().int().meta({ description: 'Unix seconds' }),
  last_used: seconds('Unix seconds; null until it is used'),
  reset_at: resetAt,
});

const NO_STORE: Responses = { 500: refused('INTERNAL'), 503: refused('UNAVAILABLE: the key store does not answer') };
export const KEYED: Responses = {
  401: refused('UNAUTHORIZED: the key is missing or not known'),
  429: refused('RATE_LIMITED: the calls of the tier are used up; BUSY'),
  ...NO_STORE,
};

export const EXAMPLE_DATA = {
  time: [1_700_000_000_000, 1_700_000_060_000, 1_700_000_120_000],
  open: [100, 101, 102],
  high: [102, 103, 103],
  low: [99, 100, 100],
  close: [101, 102, 101],
  volume: [12, 8, 10],
};

const drawnSchema = z.object({
  status: z.literal('success'),
  chart: z.string().meta({ description: 'A PNG, in base64' }),
  meta: z.record(z.string(), z.unknown()).meta({ description: 'Size, bars, and what the script says of itself' }),
  tier_info: tierInfoSchema,
});

const backtestedSchema = z.object({
  status: z.literal('success'),
  summary: metricsSchema,
  equity_curve: equitySchema,
  trades: tradesSchema,
  meta: z
    .looseObject({
      repaint: repaintSchema,
      market: assumedMarketSchema,
      price_source: z.string().optional().meta({ description: 'Of bars by name: where the prices come from' }),
    })
    .meta({ description: 'The script, its market, how many bars there were, and whether it repaints' }),
  tier_info: tierInfoSchema,
});

const counted = (
  path: string,
  summary: string,
  body: z.ZodType,
  bodyExample: unknown,
  rest: Pick<EndpointDoc, 'description'> & { readonly answers: Responses },
): EndpointDoc => ({
  method: 'post',
  path,
  summary,
  ...(rest.description === undefined ? {} : { description: rest.description }),
  tags: ['Analysis with a key'],
  door: 'analysisKey',
  body,
  bodyExample,
  bodyLimitBytes: LARGE_BODY_LIMIT_BYTES,
  responses: {
    400: scriptFault(`${BODY_FAULTS}, SCRIPT_ERROR`),
    ...KEYED,
    408: refused('TIMEOUT'),
    413: refused('PAYLOAD_TOO_LARGE: 16 MiB; TOO_MANY_BARS, SCRIPT_TOO_LARGE'),
    422: { description: 'RUNTIME_ERROR, MEMORY_LIMIT', schema: statusErrorSchema.extend(runtimeFaultFields) },
    503: refused('UNAVAILABLE (the key store, or the library that draws previews), STOPPING'),
    ...rest.answers,
  },
});

export const KEY_DOCS = {
  chart: counted(
    '/preview/chart',
    'Draw bars, and what a script draws on them',
    previewChartSchema,
    { data: EXAMPLE_DATA, options: { width: 400, height: 200 } },
    { answers: { 200: { description: 'The picture', schema: drawnSchema } } },
  ),
  indicator: counted(
    '/preview/indicator',
    'Draw one expression over bars',
    previewIndicatorSchema,
    { expression: 'ta.sma(close, 2)', data: EXAMPLE_DATA, options: { theme: 'light' } },
    { answers: { 200: { description: 'The picture', schema: drawnSchema } } },
  ),
  backtest: counted(
    '/backtest/quick',
    'Test a strategy',
    backtestSchema,
    {
      script: '//@version=6\nstrategy("Example")\nif close > open\n    strategy.entry("Long", strategy.long)',
      data: EXAMPLE_DATA,
      initial_capital: 10_000,
    },
    {
      description: 'Runs a script that declares itself with strategy(...) and answers with what its orders made.',
      answers: {
        422: {
          description: 'RUNTIME_ERROR, MEMORY_LIMIT, UNKNOWN_SYMBOL, BARS_NOT_ARCHIVED',
          schema: statusErrorSchema.extend({ ...runtimeFaultFields, ...marketFaultFields }),
        },
        502: refused('MARKET_DATA_UNREACHABLE'),
        200: { description: 'What the strategy made', schema: backtestedSchema },
      },
    },
  ),
  createKey: {
    method: 'post',
    path: '/auth/create_key',
    summary: 'Make an API key',
    description: 'The body may be left out. The key is shown this once.',
    tags: ['Keys'],
    door: 'admin',
    body: createKeySchema,
    bodyExample: { tier: 'hobby' },
    responses: {
      200: {
        description: 'The key',
        schema: z.object({
          status: z.literal('success'),
          api_key: z.string().meta({ description: 'pyn_ and 43 characters' }),
          key_id: keyId,
          tier,
          message: z.string(),
        }),
      },
      400: refused(`${BODY_FAULTS}, INVALID_TIER`),
      403: refused('FORBIDDEN: the admin token is missing, wrong, or not set on the server'),
      ...NO_STORE,
    },
  },
  usage: {
    method: 'get',
    path: '/auth/usage',
    summary: 'The usage of a key',
    description: 'Not counted. A key that is used up gets 429 here too; POST /auth/validate still shows its usage.',
    tags: ['Keys'],
    door: 'analysisKey',
    responses: {
      200: {
        description: 'The usage of this month',
        schema: z.object({ status: z.literal('success'), key_id: keyId, tier, usage: usageSchema }),
      },
      ...KEYED,
      429: refused('RATE_LIMITED: the calls of the tier are used up'),
    },
  },
  validate: {
    method: 'post',
    path: '/auth/validate',
    summary: 'Ask about a key',
    description: 'Changes no usage.',
    tags: ['Keys'],
    door: 'public',
    body: validateKeySchema,
    bodyExample: { api_key: '$ANALYSIS_KEY' },
    // A key fits a thousand times; anybody may ask, so no more is read.
    bodyLimitBytes: 64 * 1024,
    responses: {
      200: {
        description: 'The key is known',
        schema: z.object({
          status: z.literal('success'),
          key_id: keyId,
          tier,
          active: z.literal(true),
          rate_limited: z.boolean(),
          tier_info: tierInfoSchema,
        }),
      },
      400: refused(BODY_FAULTS),
      401: refused('INVALID_KEY'),
      ...NO_STORE,
    },
  },
} satisfies Record<string, EndpointDoc>;
