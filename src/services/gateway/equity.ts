// GET /equity: how the worth of each account went over time.

import { z } from 'zod';
import { EXCHANGES } from '../../exchanges/exchange.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import type { PricesOf, ShownPrices } from '../../trading/account-prices.ts';
import type { EquityCurve, EquityCurves } from '../../trading/books/equity-curves.ts';
import { shownMoney } from '../../trading/books/shown-amounts.ts';
import { toNumber } from '../../trading/decimal.ts';
import { accountFilterSchema, noAccount } from './account.ts';
import { asksForCsv, type CsvRow, type CsvTable, csvAnswer, formatFilter, MAX_CSV_ROWS, orCsv } from './csv.ts';
import { backwards, moment } from './read-bars-query.ts';
import { readQuery } from './read-query.ts';
import { ok, refused } from './responses.ts';
import { described, wholeText } from './schemas.ts';

const DEFAULT_POINTS = 500;
/** Of each account. A chart has fewer pixels. */
const MAX_POINTS = 5_000;

export const equityQuerySchema = accountFilterSchema.extend({
  from: moment('Points at or after it; all when omitted').optional(),
  to: moment('Points before it; up to now when omitted').optional(),
  limit: described(
    wholeText(1, MAX_POINTS).optional(),
    `Points of each account at most, ${DEFAULT_POINTS} when omitted, as CSV all: where there are more, the last one of each of so many equal stretches of time`,
  ),
  format: formatFilter,
});

export const equityCurveSchema = z.object({
  exchange: z.enum(EXCHANGES),
  account: z.string(),
  mode: z.enum(['paper', 'testnet', 'live']),
  prices: described(z.string(), 'Where prices come from now; "simulated" is not a real market'),
  points: described(
    z.array(z.object({ at: z.number().int(), equity: z.number(), balance: z.number() })),
    'Oldest first; at is ms since 1970, the amounts are in USDT',
  ),
});

export interface EquityDeps {
  readonly equity: Pick<EquityCurves, 'curves'>;
  readonly pricesOf: PricesOf<Pick<ShownPrices, 'label'>>;
}

export const equityEndpoints = ({ equity, pricesOf }: EquityDeps): readonly Endpoint[] => [
  {
    method: 'get',
    path: '/equity',
    summary: 'The worth of each account over time',
    description: 'Sampled every five minutes and a few seconds after every fill, and kept for 400 days.',
    tags: ['Trades'],
    query: equityQuerySchema,
    responses: orCsv({
      ...ok('A curve for each account', z.array(equityCurveSchema)),
      400: refused('INVALID_QUERY'),
      422: refused('UNKNOWN_ACCOUNT'),
    }),
    async handler(c) {
      const { from = 0, to = Number.MAX_SAFE_INTEGER, limit, format, ...filter } = readQuery(c, equityQuerySchema);
      if (from > to) throw backwards();
      const isCsv = asksForCsv(c, format);
      const most = limit ?? (isCsv ? MAX_CSV_ROWS : DEFAULT_POINTS);
      const curves = await equity.curves(filter, { fromMs: from, toMs: to, limit: most });
      if (curves.length === 0) throw noAccount(filter);
      if (isCsv) return csvAnswer(c, equityTable(curves));
      const result = curves.map((curve) => curveView(curve, pricesOf(curve).label));
      return c.json({ success: true, requestId: c.var.requestId, result });
    },
  },
];

/** A row for each point, account by account. */
function equityTable(curves: readonly EquityCurve[]): CsvTable {
  const rows = (curve: EquityCurve): CsvRow[] => {
    const { exchange, account, mode, points } = curveView(curve, '');
    return points.map((point) => ({ exchange, account, mode, ...point }));
  };
  const columns = ['exchange', 'account', 'mode', 'at', 'equity', 'balance'];
  async function* pages() {
    for (const curve of curves) yield rows(curve);
  }
  return { name: 'equity', columns, times: ['at'], pages: pages() };
}

const curveView = (
  { exchange, account, mode, points }: EquityCurve,
  prices: string,
): z.infer<typeof equityCurveSchema> => ({
  exchange,
  account,
  mode,
  prices,
  points: points.map(({ atMs, equity, balance }) => ({
    at: atMs,
    equity: toNumber(shownMoney(equity)),
    balance: toNumber(shownMoney(balance)),
  })),
});
