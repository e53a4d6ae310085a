// The trades of one strategy with their fills, out of the journal, for the comparison of a deployment with its backtest.

import type { Journal, Trade, TradeDetail } from '../../trading/books/journal.ts';
import { STATUS_OF } from '../../trading/books/trade-status.ts';
import { toNumber } from '../../trading/decimal.ts';

export interface StrategyTradesQuestion {
  readonly strategy: string;
  readonly market?: string | undefined;
  readonly sinceMs: number;
}

/** Twice the fills that a deployment remembers; the oldest of more are left out. */
const MAX_TRADES = 2_000;
const PAGE = 200;

type Books = Pick<Journal, 'trades' | 'trade'>;

/** Oldest first, as plain data: it crosses a process. */
export async function strategyTrades(journal: Books, question: StrategyTradesQuestion) {
  const found: Trade[] = [];
  for (let before: string | undefined; found.length < MAX_TRADES; ) {
    const page = await journal.trades({
      limit: PAGE,
      strategy: question.strategy,
      ...(question.market === undefined ? {} : { market: question.market }),
      ...(before === undefined ? {} : { beforeRequestId: before }),
    });
    const wanted = page.filter(({ receivedAtMs }) => receivedAtMs >= question.sinceMs);
    found.push(...wanted);
    if (page.length < PAGE || wanted.length < page.length) break;
    before = page.at(-1)?.requestId;
  }
  const views = [];
  for (const trade of found.reverse()) {
    const detail = await journal.trade(trade.requestId);
    if (detail !== undefined) views.push(view(trade, detail));
  }
  return views;
}

/** For a comparison, not for an order: numbers are exact enough. */
function view(trade: Trade, { orders, fills }: TradeDetail) {
  const { requestId, receivedAtMs, source, order, account, state, error = null } = trade;
  const sides = new Map(orders.map(({ clientOrderId, side }) => [clientOrderId, side]));
  return {
    ...{ requestId, receivedAtMs, source, error },
    idempotencyKey: order.idempotencyKey ?? null,
    account: `${order.exchange}:${account}`,
    status: STATUS_OF[state],
    action: order.action,
    fills: fills.map((fill) => ({
      atMs: fill.atMs,
      side: sides.get(fill.clientOrderId) === 'SELL' ? ('sell' as const) : ('buy' as const),
      quantity: toNumber(fill.quantity),
      price: toNumber(fill.price),
      fee: toNumber(fill.fee),
    })),
  };
}
