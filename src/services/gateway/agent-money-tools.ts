// What a model may look at of money: accounts, performance, closed trades with profit and fees, and orders, over any stretch of time.

import { z } from 'zod';
import { type AgentTool, ToolRefusal } from '../../agent/tool-calls.ts';
import { Refusal } from '../../http/errors.ts';
import type { PricesOf, ShownPrices } from '../../trading/account-prices.ts';
import type { Accounts } from '../../trading/accounts.ts';
import type { AccountReports } from '../../trading/books/account-reports.ts';
import { type FillHistory, type HistoricFill, isClosing } from '../../trading/books/fill-history.ts';
import type { Journal } from '../../trading/books/journal.ts';
import { shownMoney } from '../../trading/books/shown-amounts.ts';
import { toNumber } from '../../trading/decimal.ts';
import { marketOf } from '../../trading/intake/market-symbol.ts';
import { accountFilterSchema, accountReportView } from './account.ts';
import { tool } from './agent-tool.ts';
import { ordersQuerySchema } from './order-schemas.ts';
import { orderStatesOf, orderView } from './orders.ts';
import { type PerformanceDeps, performanceQuerySchema, readPerformance } from './performance.ts';

export interface MoneyToolDeps extends PerformanceDeps {
  readonly accounts: Pick<Accounts, 'list' | 'has'>;
  readonly reports: AccountReports;
  readonly history: FillHistory;
  readonly journal: Pick<Journal, 'orders'>;
  readonly pricesOf: PricesOf<Pick<ShownPrices, 'label'>>;
}

const MAX_LISTED = 100;
const day = z.string().max(40).optional();
const range = {
  from: day.describe('UTC, at or after it, such as 2026-11-01'),
  to: day.describe('UTC, before it, such as 2026-11-08'),
};
const filter = {
  exchange: accountFilterSchema.shape.exchange,
  account: accountFilterSchema.shape.account,
};

export const moneyTools = (deps: MoneyToolDeps): readonly AgentTool[] => [
  accountTool(deps),
  performanceTool(deps),
  closedTradesTool(deps),
  ordersTool(deps),
];

const accountTool = ({ reports, pricesOf }: MoneyToolDeps): AgentTool =>
  tool(
    'get_account',
    'Balance, equity, margin, profits and fees of each account, in USDT. Today is the UTC day; profits are before fees.',
    z.object(filter),
    async (asked) => ({
      rows: (await reports(asked)).map((report) => accountReportView(report, pricesOf(report).label)),
    }),
  );

const performanceTool = (deps: MoneyToolDeps): AgentTool =>
  tool(
    'get_performance',
    'Closed trades, win rate, profit factor, profits, fees and drawdown, in total and in groups, in USDT. net is pnl less fees. live is real money, paper is not: never add them up.',
    z.object({ ...filter, mode: performanceQuerySchema.shape.mode, by: performanceQuerySchema.shape.by, ...range }),
    async (asked) => {
      try {
        const { groups, ...rest } = await readPerformance(deps, readRange(asked));
        return { ...rest, rows: groups };
      } catch (error) {
        throw error instanceof Refusal ? new ToolRefusal(error.message) : error;
      }
    },
  );

const closedTradesTool = ({ accounts, history }: MoneyToolDeps): AgentTool =>
  tool(
    'get_closed_trades',
    'Fills that closed a position or a part of it, newest first, with profit before fees and the fee, in USDT.',
    z.object({ ...filter, ...range, limit: z.number().int().min(1).max(MAX_LISTED).default(20) }),
    async (asked) => {
      const { from = 0, to = Number.POSITIVE_INFINITY } = readRange(asked);
      let newest: HistoricFill[] = [];
      for await (const fills of history.pages(asked)) {
        const fit = fills.filter(
          (fill) => isClosing(fill) && fill.atMs >= from && fill.atMs < to && accounts.has(fill),
        );
        newest = [...fit, ...newest].sort((a, b) => b.atMs - a.atMs).slice(0, asked.limit);
      }
      return { rows: newest.map(closedTradeView) };
    },
  );

const ordersTool = ({ journal }: MoneyToolDeps): AgentTool =>
  tool(
    'get_orders',
    'Orders that were sent to a venue, newest first: limit orders that rest there, and those that have ended, with their price, what filled, and why one was refused.',
    z.object({
      state: ordersQuerySchema.shape.state.describe('open when omitted; all for every one'),
      symbol: z.string().min(1).max(20).optional().describe('A market such as BTCUSDT'),
      strategy: ordersQuerySchema.shape.strategy,
      ...{ ...filter, ...range },
      limit: z.number().int().min(1).max(MAX_LISTED).default(20),
    }),
    async (asked) => {
      const { from: fromMs, to: toMs, state, symbol, ...rest } = readRange(asked);
      const market = symbol === undefined ? undefined : marketOf(symbol);
      if (symbol !== undefined && market === undefined) throw new ToolRefusal('symbol: names no market');
      const orders = await journal.orders({ ...rest, market, states: orderStatesOf(state), fromMs, toMs });
      return { rows: orders.map((sent) => ({ ...orderView(sent), sentAt: new Date(sent.createdAtMs).toISOString() })) };
    },
  );

/** The same moments as GET /performance takes. */
function readRange<T extends { from?: string | undefined; to?: string | undefined }>({ from, to, ...rest }: T) {
  const { shape } = performanceQuerySchema;
  const read = (name: 'from' | 'to', text: string | undefined): number | undefined => {
    const parsed = shape[name].safeParse(text);
    if (!parsed.success) throw new ToolRefusal(`${name}: ${parsed.error.issues[0]?.message}`);
    return parsed.data;
  };
  return { ...rest, from: read('from', from), to: read('to', to) };
}

const closedTradeView = (fill: HistoricFill) => ({
  time: new Date(fill.atMs).toISOString(),
  exchange: fill.exchange,
  account: fill.account,
  mode: fill.mode,
  market: fill.market,
  side: fill.positionSide,
  quantity: toNumber(fill.quantity),
  price: toNumber(fill.price),
  pnl: toNumber(shownMoney(fill.realizedPnl)),
  fee: toNumber(shownMoney(fill.fee)),
  key: fill.keyLabel,
  strategies: fill.shares?.map(({ strategy }) => strategy) ?? [],
});
