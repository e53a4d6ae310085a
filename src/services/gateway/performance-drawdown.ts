// GET /performance/drawdown: how the result of trading went over time, and how far it was below its highest point.

import { z } from 'zod';
import type { Endpoint } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { SerialQueue } from '../../timing/serial-queue.ts';
import { accountsOf } from '../../trading/books/account-reports.ts';
import { drawdownSeries } from '../../trading/books/drawdown-series.ts';
import {
  fillsOf,
  type PerformanceReportParts,
  paymentsOf,
  TooManyFills,
} from '../../trading/books/performance-reports.ts';
import { shownMoney } from '../../trading/books/shown-amounts.ts';
import { type Decimal, toNumber } from '../../trading/decimal.ts';
import { VENUE_MODES } from '../../trading/venue.ts';
import { accountFilterSchema, noAccount } from './account.ts';
import { rangeOf, timeFilters } from './list-filters.ts';
import { readQuery } from './read-query.ts';
import { ok, refused } from './responses.ts';
import { described, wholeText } from './schemas.ts';

const DEFAULT_POINTS = 500;
const MAX_POINTS = 5000;

const drawdownQuerySchema = accountFilterSchema.extend({
  mode: described(z.enum(VENUE_MODES).optional(), 'Only accounts of this mode; live is real money'),
  ...timeFilters,
  limit: described(
    wholeText(2, MAX_POINTS).optional(),
    `Points of each mode at most, ${DEFAULT_POINTS} when omitted: where there are more, the last and the deepest of equal stretches of time`,
  ),
});

export const drawdownSchema = z.object({
  mode: z.enum(VENUE_MODES),
  archivedBefore: described(
    z.number().int().nullable(),
    'What is earlier may be archived, and the curve begins there at the earliest; null where nothing was archived',
  ),
  points: described(
    z.array(
      z.object({
        at: z.number().int(),
        net: described(z.number(), 'Profits less fees, with funding, since from, in USDT'),
        drawdown: described(z.number(), 'How far net is below its highest point, which is 0 at first'),
      }),
    ),
    'Oldest first: one for each fill and payment',
  ),
});

export const drawdownEndpoint = (parts: PerformanceReportParts): Endpoint => {
  /** One after another: each may have hundreds of thousands of fills in memory. */
  const turns = new SerialQueue();
  return {
    method: 'get',
    path: '/performance/drawdown',
    summary: 'The result of trading over time, and its drawdown',
    tags: ['Trades'],
    query: drawdownQuerySchema,
    responses: {
      ...ok('One for each mode of the accounts, live first', z.array(drawdownSchema)),
      400: refused('INVALID_QUERY'),
      413: refused('QUERY_TOO_LARGE'),
      422: refused('UNKNOWN_ACCOUNT'),
    },
    async handler(c) {
      const query = readQuery(c, drawdownQuerySchema);
      const result = await turns
        .run(() => drawdownsOf(parts, query))
        .catch((error: unknown) => {
          throw error instanceof TooManyFills ? new Refusal('QUERY_TOO_LARGE', error.message) : error;
        });
      return c.json({ success: true, requestId: c.var.requestId, result });
    },
  };
};

async function drawdownsOf(
  parts: PerformanceReportParts,
  query: z.infer<typeof drawdownQuerySchema>,
): Promise<z.infer<typeof drawdownSchema>[]> {
  const { exchange, account, mode, limit = DEFAULT_POINTS } = query;
  const archivedBeforeMs = await parts.history.completeFromMs();
  const { fromMs: askedMs = 0, toMs = Number.MAX_SAFE_INTEGER } = rangeOf(query);
  const fromMs = Math.max(askedMs, archivedBeforeMs);
  const filter = { exchange, account, mode };
  const open = accountsOf(parts.accounts, filter);
  if (open.length === 0) throw noAccount(filter);
  const fills = await fillsOf(parts, filter);
  const payments = await paymentsOf(parts, filter, { fromMs, toMs });
  const modes = VENUE_MODES.toReversed().filter((each) => open.some((venue) => venue.mode === each));
  return modes.map((each) => {
    const own = <T extends { readonly mode: string }>(rows: readonly T[]): T[] =>
      rows.filter((row) => row.mode === each);
    const points = drawdownSeries(own(fills), own(payments), { fromMs, toMs, limit });
    return {
      mode: each,
      archivedBefore: archivedBeforeMs === 0 ? null : archivedBeforeMs,
      points: points.map(({ atMs, net, drawdown }) => ({ at: atMs, net: money(net), drawdown: money(drawdown) })),
    };
  });
}

const money = (amount: Decimal): number => toNumber(shownMoney(amount));
