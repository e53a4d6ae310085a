// GET /account: what each account is worth, what it has earned, and how much of it is in use.

import { z } from 'zod';
import { EXCHANGES } from '../../exchanges/exchange.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import type { PricesOf, ShownPrices } from '../../trading/account-prices.ts';
import type { AccountFilter, AccountReport, AccountReports } from '../../trading/books/account-reports.ts';
import { shownMoney } from '../../trading/books/shown-amounts.ts';
import { type Decimal, decimal, roundTo, toNumber } from '../../trading/decimal.ts';
import { positionModeSchema } from './accounts.ts';
import { readQuery } from './read-query.ts';
import { ok, refused } from './responses.ts';
import { described, signalSchema } from './schemas.ts';

/** The filter of everything that is told per account. */
export const accountFilterSchema = z.strictObject({
  exchange: described(z.enum(EXCHANGES).optional(), 'Only this exchange'),
  account: described(signalSchema.shape.account, 'Only accounts with this name'),
});

const money = (description: string) =>
  described(z.number().nullable(), `${description}, in USDT; null while the price of a position is missing`);
const sum = (description: string) => described(z.number(), `${description}, in USDT`);

export const accountReportSchema = z.object({
  exchange: z.enum(EXCHANGES),
  account: z.string(),
  mode: z.enum(['paper', 'testnet', 'live']),
  positionMode: positionModeSchema,
  balance: money('The money after every fill so far, without what open positions would gain or lose'),
  equity: money('Balance and unrealised profit together'),
  usedMargin: money('Bound by positions and resting orders'),
  freeMargin: money('Equity less used margin: what new positions may bind'),
  unrealizedPnl: money('What open positions would gain or lose at the last prices, before fees'),
  realizedToday: sum('Profit and loss of what was closed on this UTC day, before fees'),
  realizedTotal: sum('The same over everything ever traded on the account'),
  feesToday: sum('Fees of the fills of this UTC day'),
  feesTotal: sum('Fees of all fills'),
  fundingToday: sum('What holding positions cost (negative) or earned on this UTC day'),
  fundingTotal: sum('The same over everything ever held on the account'),
  leverageInUse: described(
    z.number().nullable(),
    'The worth of all open positions over the equity; null while one of them is not known, or there is no equity',
  ),
  prices: described(z.string(), 'Where prices come from; "simulated" is not a real market'),
});

export interface AccountDeps {
  readonly reports: AccountReports;
  readonly pricesOf: PricesOf<Pick<ShownPrices, 'label'>>;
}

export const accountReportEndpoints = ({ reports, pricesOf }: AccountDeps): readonly Endpoint[] => [
  {
    method: 'get',
    path: '/account',
    summary: 'What each account is worth and has earned',
    tags: ['Trades'],
    query: accountFilterSchema,
    responses: {
      ...ok('Accounts, main first at each exchange', z.array(accountReportSchema)),
      400: refused('INVALID_QUERY'),
      422: refused('UNKNOWN_ACCOUNT'),
    },
    async handler(c) {
      const filter = readQuery(c, accountFilterSchema);
      const found = await reports(filter);
      if (found.length === 0) throw noAccount(filter);
      const result = found.map((report) => accountReportView(report, pricesOf(report).label));
      return c.json({ success: true, requestId: c.var.requestId, result });
    },
  },
];

export function noAccount({ exchange, account, mode }: AccountFilter): Refusal {
  const who = exchange === undefined ? 'no exchange has an' : `${exchange} has no`;
  const name = account === undefined ? '' : ` "${account}"`;
  const where = mode === undefined ? '' : ` in mode ${mode}`;
  return new Refusal('UNKNOWN_ACCOUNT', `account: ${who} account${name}${where}; GET /accounts lists them`);
}

const shown = (amount: Decimal): number => toNumber(shownMoney(amount));
const shownOrNull = (amount: Decimal | undefined): number | null => (amount === undefined ? null : shown(amount));
const HUNDREDTH = decimal('0.01');

export function accountReportView(report: AccountReport, prices: string): z.infer<typeof accountReportSchema> {
  const { exchange, account, mode, positionMode, money, today, total, leverageInUse } = report;
  return {
    exchange,
    account,
    mode,
    positionMode: positionMode ?? null,
    balance: shownOrNull(money?.balance),
    equity: shownOrNull(money?.equity),
    usedMargin: shownOrNull(money?.marginInUse),
    freeMargin: shownOrNull(money?.available),
    unrealizedPnl: shownOrNull(money?.unrealizedPnl),
    realizedToday: shown(today.realizedPnl),
    realizedTotal: shown(total.realizedPnl),
    feesToday: shown(today.fees),
    feesTotal: shown(total.fees),
    fundingToday: shown(today.funding),
    fundingTotal: shown(total.funding),
    leverageInUse: leverageInUse === undefined ? null : toNumber(roundTo(leverageInUse, HUNDREDTH)),
    prices,
  };
}
