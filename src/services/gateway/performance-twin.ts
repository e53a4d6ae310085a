// GET /performance/twin: what each testnet or live account came to beside its paper twin, and what made the gap between the two.

import { z } from 'zod';
import { EXCHANGES } from '../../exchanges/exchange.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import type { Accounts } from '../../trading/accounts.ts';
import { accountsOf } from '../../trading/books/account-reports.ts';
import { TooManyFills } from '../../trading/books/performance-reports.ts';
import { toNumber } from '../../trading/decimal.ts';
import type { GapPart, ShownGap } from '../../trading/twin/twin-gap.ts';
import type { TwinReport, TwinReports } from '../../trading/twin/twin-reports.ts';
import { accountFilterSchema, noAccount } from './account.ts';
import { backwards, moment } from './read-bars-query.ts';
import { readQuery } from './read-query.ts';
import { ok, refused } from './responses.ts';
import { described } from './schemas.ts';

const twinQuerySchema = accountFilterSchema.extend({
  strategy: described(
    z.string().max(64).optional(),
    'Only the shares of this strategy; empty means signals without one',
  ),
  from: moment('Trades accepted at or after it; all when omitted').optional(),
  to: moment('Trades accepted before it; up to now when omitted').optional(),
});

const part = (description: string) => described(z.number(), `${description}, in USDT`);

const gapSchema = z.object({
  live: part('What the trades of the account are worth at the last prices, after fees and with funding'),
  twin: part('The same of its twin'),
  gap: part('live - twin'),
  parts: z.object({
    delay: part('The market moved between the acceptance of the signal and the sending of the order'),
    spread: part('Crossing from the middle of the market to its other side cost more (negative) or less than on paper'),
    impact: part('The fill was beyond the best price by more (negative) or less than on paper'),
    fees: part('The venue took more (negative) or less than on paper'),
    funding: part('Holding cost more (negative) or less than on paper; 0 where the venue does not tell it'),
    partialFill: part('One of the two filled less than the other, and the market went on'),
    refusal: part('One of the two filled nothing at all, and the market went on'),
    unmarked: part('What cannot be split, because the best prices of a moment could not be had'),
    other: part('What only one of the two did: stops, liquidations, trades from before a restart'),
  } satisfies Record<GapPart, z.ZodType>),
});

export const twinReportSchema = z.object({
  exchange: z.enum(EXCHANGES),
  account: z.string(),
  mode: z.enum(['paper', 'testnet', 'live']),
  since: described(
    z.string().nullable(),
    'When the first trade with a twin was accepted, of those that are not archived; null before that',
  ),
  trades: described(z.number().int(), 'Trades of that time with a twin'),
  result: described(gapSchema.nullable(), 'In cents that add up; null while the price of a market is missing'),
  warnings: described(z.array(z.string()), 'What to know of these numbers, such as that something was traded by hand'),
});

export interface TwinDeps {
  readonly accounts: Pick<Accounts, 'list'>;
  readonly twins: TwinReports;
}

export const performanceTwinEndpoints = ({ accounts, twins }: TwinDeps): readonly Endpoint[] => [
  {
    method: 'get',
    path: '/performance/twin',
    summary: 'The gap between real accounts and their paper twins, split into what made it',
    description: 'Empty where no account has a twin: set PAPER_TWIN, and trade on a testnet or live account.',
    tags: ['Trades'],
    query: twinQuerySchema,
    responses: {
      ...ok('Accounts with a twin, main first at each exchange', z.array(twinReportSchema)),
      400: refused('INVALID_QUERY'),
      413: refused('QUERY_TOO_LARGE'),
      422: refused('UNKNOWN_ACCOUNT'),
    },
    async handler(c) {
      const { from = 0, to = Number.POSITIVE_INFINITY, strategy, ...filter } = readQuery(c, twinQuerySchema);
      if (from > to) throw backwards();
      if (accountsOf(accounts, filter).length === 0) throw noAccount(filter);
      const reports = await twins(filter, { fromMs: from, toMs: to, strategy }).catch((error: unknown) => {
        throw error instanceof TooManyFills ? new Refusal('QUERY_TOO_LARGE', error.message) : error;
      });
      return c.json({ success: true, requestId: c.var.requestId, result: reports.map(twinReportView) });
    },
  },
];

function twinReportView(report: TwinReport): z.infer<typeof twinReportSchema> {
  const { exchange, account, mode, sinceMs, trades, gap, warnings } = report;
  const since = sinceMs === undefined ? null : new Date(sinceMs).toISOString();
  const result = gap === undefined ? null : gapView(gap);
  return { exchange, account, mode, since, trades, result, warnings: [...warnings] };
}

function gapView({ live, twin, gap, parts }: ShownGap): z.infer<typeof gapSchema> {
  const shown = Object.entries(parts).map(([name, amount]) => [name, toNumber(amount)]);
  return {
    ...{ live: toNumber(live), twin: toNumber(twin), gap: toNumber(gap) },
    parts: Object.fromEntries(shown) as Record<GapPart, number>,
  };
}
