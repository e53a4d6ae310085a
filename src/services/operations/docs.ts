// The operations' endpoints but for what they do, described for /openapi.json and /docs.

import { z } from 'zod';
import type { EndpointDoc } from '../../http/endpoint.ts';

const modeSchema = z
  .string()
  .describe('The most that a trade can be: paper, testnet (play money of an exchange) or live (real money)');

const healthSchema = z.object({
  success: z.literal(true),
  requestId: z.string(),
  status: z.literal('healthy'),
  version: z.string().describe('of the interface'),
  release: z.string().describe('of the product'),
  environment: z.string(),
  mode: modeSchema,
  venues: z
    .record(z.string(), z.string())
    .describe('What a trade at each exchange would be: paper, testnet, live or off'),
  prices: z
    .string()
    .describe(
      'What trades go by: MARKET_DATA on paper, its own exchange for a testnet or live account; several with commas',
    ),
  websocket: z.boolean(),
});

const readySchema = z.object({
  success: z.boolean(),
  requestId: z.string(),
  status: z.enum(['ready', 'not ready']),
  mode: modeSchema,
  checks: z.record(z.string(), z.string()).meta({ description: '`ok`, `off`, `away`, or what is wrong, in words' }),
  warnings: z.array(z.string()),
  settings: z.array(z.object({ name: z.string(), value: z.string(), source: z.string() })),
});

const open = (path: string, summary: string, responses: EndpointDoc['responses']): EndpointDoc => ({
  method: 'get',
  path,
  door: 'public',
  summary,
  tags: ['Operations'],
  responses,
});

export const OPERATIONS_DOCS = {
  health: open('/health', 'Is the process alive; touches nothing', {
    200: { description: 'It is', schema: healthSchema },
  }),
  ready: open('/ready', 'Can it take signals; really reads and writes its storage', {
    200: { description: 'Every check is ok', schema: readySchema },
    503: { description: 'A check failed, with its reason', schema: readySchema },
  }),
  metrics: {
    ...open('/metrics', 'Prometheus metrics; for loopback clients or with the internal token', {
      200: { description: 'Text in the Prometheus format', mediaType: 'text/plain' },
      401: { description: 'UNAUTHORIZED' },
    }),
    door: 'loopback',
  },
  openApi: open('/openapi.json', 'This description', {
    200: { description: 'OpenAPI 3.1', schema: z.looseObject({ openapi: z.literal('3.1.0') }) },
  }),
  docs: open('/docs', 'This description, for people', {
    200: { description: 'A web page', mediaType: 'text/html' },
  }),
} satisfies Record<string, EndpointDoc>;
