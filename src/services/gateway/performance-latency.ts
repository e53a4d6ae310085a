// GET /performance/latency: how long trades took from their arrival to their fill, step by step, at each exchange.

import { z } from 'zod';
import { EXCHANGES } from '../../exchanges/exchange.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import {
  durationOf,
  LATENCY_BOUNDS_MS,
  LATENCY_STEPS,
  latencyOf,
  type OrderTimes,
  type OrderTimesHistory,
} from '../../trading/books/order-times.ts';
import { VENUE_MODES } from '../../trading/venue.ts';
import { accountFilterSchema } from './account.ts';
import { rangeOf, timeFilters } from './list-filters.ts';
import { readQuery } from './read-query.ts';
import { ok, refused } from './responses.ts';
import { described } from './schemas.ts';

/** The newest; more of them say nothing else. */
const MAX_TRADES = 50_000;

const latencyQuerySchema = accountFilterSchema.extend({
  mode: described(z.enum(VENUE_MODES).optional(), 'Only accounts of this mode; live is real money'),
  ...timeFilters,
});

export const latencySchema = z.object({
  boundsMs: described(z.array(z.number()), 'The upper ends of the bars of each histogram; the last bar has none'),
  trades: described(z.number().int(), `How many were looked at: the newest ${MAX_TRADES} that fit`),
  steps: z.array(
    z.object({
      exchange: z.enum(EXCHANGES),
      mode: z.enum(VENUE_MODES),
      step: z.enum(LATENCY_STEPS),
      count: z.number().int(),
      p50Ms: z.number(),
      p95Ms: z.number(),
      p99Ms: z.number(),
      maxMs: z.number(),
      counts: described(z.array(z.number().int()), 'One more than there are bounds'),
    }),
  ),
});

export interface LatencyDeps {
  readonly orderTimes: OrderTimesHistory;
}

export const latencyEndpoint = ({ orderTimes }: LatencyDeps): Endpoint => ({
  method: 'get',
  path: '/performance/latency',
  summary: 'How long trades took: received, sent, answered, filled, by exchange',
  description:
    'Of what the journal stores, in whole milliseconds. Orders that wait for their price count until they are answered.',
  tags: ['Trades'],
  query: latencyQuerySchema,
  responses: { ...ok('Steps without a trade are left out', latencySchema), 400: refused('INVALID_QUERY') },
  async handler(c) {
    const query = readQuery(c, latencyQuerySchema);
    const { exchange, account, mode } = query;
    const { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER } = rangeOf(query);
    const times = await orderTimes.list({ exchange, account, mode, fromMs, toMs, limit: MAX_TRADES });
    const result = { boundsMs: [...LATENCY_BOUNDS_MS], trades: times.length, steps: stepsOf(times) };
    return c.json({ success: true, requestId: c.var.requestId, result });
  },
});

const stepsOf = (times: readonly OrderTimes[]): z.infer<typeof latencySchema>['steps'] =>
  EXCHANGES.flatMap((exchange) => VENUE_MODES.map((mode) => ({ exchange, mode }))).flatMap(({ exchange, mode }) => {
    const own = times.filter((each) => each.exchange === exchange && each.mode === mode);
    return LATENCY_STEPS.flatMap((step) => {
      const latency = latencyOf(own.flatMap((each) => durationOf(step, each) ?? []));
      return latency ? [{ exchange, mode, step, ...latency, counts: [...latency.counts] }] : [];
    });
  });
