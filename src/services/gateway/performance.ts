// GET /performance: what the fills of a stretch of time came to, in total and by key, strategy, symbol, account, day or tag.

import { z } from 'zod';
import type { Endpoint } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import type { Accounts } from '../../trading/accounts.ts';
import { accountsOf } from '../../trading/books/account-reports.ts';
import { GROUPINGS, type Performance } from '../../trading/books/performance.ts';
import { type PerformanceReports, TooManyFills } from '../../trading/books/performance-reports.ts';
import { shownMoney } from '../../trading/books/shown-amounts.ts';
import { type Decimal, decimal, minus, over, plus, roundTo, toNumber, ZERO } from '../../trading/decimal.ts';
import { accountFilterSchema, noAccount } from './account.ts';
import { daysIn, zoneSchema } from './calendar-days.ts';
import { backwards, moment } from './read-bars-query.ts';
import { readQuery } from './read-query.ts';
import { ok, refused } from './responses.ts';
import { described } from './schemas.ts';

const DEFAULT_GROUPING = 'day';
const modeSchema = z.enum(['paper', 'testnet', 'live']);

export const performanceQuerySchema = accountFilterSchema.extend({
  mode: described(modeSchema.optional(), 'Only accounts of this mode; live is real money'),
  by: described(
    z.enum(GROUPINGS).optional(),
    `What the groups are; ${DEFAULT_GROUPING} when omitted. A trade with two tags counts for both`,
  ),
  zone: described(
    zoneSchema.optional(),
    'The calendar of groups by day: a time zone such as Europe/Berlin; UTC when omitted',
  ),
  from: moment('Fills at or after it; all when omitted').optional(),
  to: moment('Fills before it; up to now when omitted').optional(),
});

const performanceFields = {
  trades: described(z.number().int(), 'Closed trades: fills that reduced a position'),
  wins: described(z.number().int(), 'Of them, those that earned something after fees'),
  losses: described(z.number().int(), 'Of them, those that lost something after fees'),
  winRate: described(z.number().nullable(), 'wins / trades, 0 to 1; null without a trade'),
  profitFactor: described(z.number().nullable(), 'What wins earned over what losses lost; null without a loss'),
  pnl: described(z.number(), 'The sum of realizedPnl over the fills, before fees, in USDT'),
  fees: described(z.number(), 'The sum of the fees of the fills, of opening ones too, in USDT'),
  funding: described(
    z.number().nullable(),
    'What holding cost (negative) or earned, in USDT; null in groups by key, strategy and tag, which share positions',
  ),
  net: described(z.number(), 'pnl - fees, and funding where it is told'),
  expectancy: described(
    z.number().nullable(),
    'What a trade came to on average, after fees, in USDT; null without a trade',
  ),
  maxDrawdown: described(
    z.number(),
    'The deepest fall of the running sum of pnl - fees + funding below its highest point, in USDT',
  ),
  averageHoldingSeconds: described(
    z.number().nullable(),
    'From the average moment of opening to the closing fill; null where no opening is known',
  ),
};

export const performanceSchema = z.object({
  by: z.enum(GROUPINGS),
  archivedBefore: described(
    z.number().int().nullable(),
    'What ended earlier may be archived, and fills before it are not counted; null where nothing was archived',
  ),
  total: described(
    z.object(performanceFields).nullable(),
    'null where the accounts are of several modes, which are not added up: see totals',
  ),
  totals: described(
    z.array(z.object({ mode: modeSchema, ...performanceFields })),
    'One for each mode of the accounts, live first',
  ),
  groups: z.array(
    z.object({
      group: described(
        z.string().nullable(),
        'null is what signals without a strategy traded, and trades without a tag',
      ),
      mode: described(modeSchema, 'A group has accounts of one mode; another mode has one of the same name'),
      ...performanceFields,
    }),
  ),
});

export interface PerformanceDeps {
  readonly accounts: Pick<Accounts, 'list'>;
  readonly performance: PerformanceReports;
}

export const performanceEndpoints = (deps: PerformanceDeps): readonly Endpoint[] => [
  {
    method: 'get',
    path: '/performance',
    summary: 'What trading came to, in total and in groups',
    description:
      'Sums are over the fills that the journal has of the accounts that are open, apart for paper, testnet and live.',
    tags: ['Trades'],
    query: performanceQuerySchema,
    responses: {
      ...ok('Groups of live accounts first, in the order of their names', performanceSchema),
      400: refused('INVALID_QUERY'),
      413: refused('QUERY_TOO_LARGE'),
      422: refused('UNKNOWN_ACCOUNT'),
    },
    async handler(c) {
      const result = await readPerformance(deps, readQuery(c, performanceQuerySchema));
      return c.json({ success: true, requestId: c.var.requestId, result });
    },
  },
];

export async function readPerformance(
  { accounts, performance }: PerformanceDeps,
  {
    by = DEFAULT_GROUPING,
    from = 0,
    to = Number.POSITIVE_INFINITY,
    zone,
    ...filter
  }: z.infer<typeof performanceQuerySchema>,
): Promise<z.infer<typeof performanceSchema>> {
  if (from > to) throw backwards();
  if (accountsOf(accounts, filter).length === 0) throw noAccount(filter);
  try {
    const reports = await performance(filter, {
      by,
      fromMs: from,
      toMs: to,
      dayOf: zone === undefined ? undefined : daysIn(zone),
    });
    const named = (group: string): string | null => (group === '' ? null : group);
    const totals = reports.map(({ mode, total }) => ({ mode, ...performanceView(total) }));
    const [only, ...others] = reports;
    return {
      by,
      archivedBefore: only?.archivedBeforeMs ?? null,
      total: only === undefined || others.length > 0 ? null : performanceView(only.total),
      totals,
      groups: reports.flatMap(({ mode, groups }) =>
        groups.map(({ group, ...of }) => ({ group: named(group), mode, ...performanceView(of) })),
      ),
    };
  } catch (error) {
    throw error instanceof TooManyFills ? new Refusal('QUERY_TOO_LARGE', error.message) : error;
  }
}

const shown = (amount: Decimal): number => toNumber(shownMoney(amount));
const FINEST_RATIO = decimal('0.0001');
const ratio = (part: Decimal, whole: Decimal): number | null =>
  whole === ZERO ? null : toNumber(roundTo(over(part, whole), FINEST_RATIO));

function performanceView(of: Performance) {
  const { trades, wins, losses, pnl, fees, funding, gained, lost, maxDrawdown, averageHoldingMs } = of;
  const count = decimal(trades);
  return {
    trades,
    wins,
    losses,
    winRate: ratio(decimal(wins), count),
    profitFactor: ratio(gained, lost),
    pnl: shown(pnl),
    fees: shown(fees),
    funding: funding === undefined ? null : shown(funding),
    net: shown(plus(minus(pnl, fees), funding ?? ZERO)),
    expectancy: trades === 0 ? null : shown(over(minus(gained, lost), count)),
    maxDrawdown: shown(maxDrawdown),
    averageHoldingSeconds: averageHoldingMs === undefined ? null : Math.round(averageHoldingMs / 1000),
  };
}
