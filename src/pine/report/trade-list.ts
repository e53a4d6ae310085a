// The list of trades of a backtest: the closed ones in the order of their exits, then those that are still open.

import type { Broker, ClosedTrade } from '../broker/index.ts';

/** One row: a part of an entry with the exit that closed it. Money is that of the account, fees are paid. */
export interface ReportTrade {
  readonly direction: 'long' | 'short';
  readonly entryId: string;
  readonly entryComment: string;
  /** Counted over all bars of the chart. */
  readonly entryBar: number;
  readonly entryTimeMs: number;
  readonly entryPrice: number;
  /** Null while it is open. */
  readonly exit: TradeExit | null;
  readonly quantity: number;
  /** What the entry was worth: price by quantity by point value, in the account's currency. */
  readonly value: number;
  /** Fees of both sides; of an open trade those of its entry. */
  readonly commission: number;
  /** Of an open trade, what it would make at the last close. */
  readonly profit: number;
  readonly profitPercent: number;
  /** The best it stood at, 0 or more. */
  readonly runup: number;
  readonly runupPercent: number;
  /** The worst it stood at, 0 or less. */
  readonly drawdown: number;
  readonly drawdownPercent: number;
}

export interface TradeExit {
  readonly id: string;
  readonly comment: string;
  readonly bar: number;
  readonly timeMs: number;
  readonly price: number;
}

/** `leftOut`: bars of the chart before the first that the script calculates, which the broker does not count. */
export function tradeList(broker: Broker, leftOut: number): ReportTrade[] {
  const { ledger, account } = broker;
  const closed = ledger.closed.map((trade) => closedTrade(trade, leftOut));
  const open = ledger.lots.map((lot): ReportTrade => {
    const { entryId, entryComment, entryTimeMs, entryPrice, size, ...figures } = account.asTrade(lot);
    const quantity = Math.abs(size);
    return {
      direction: size < 0 ? 'short' : 'long',
      entryId,
      entryComment,
      entryBar: figures.entryBar + leftOut,
      entryTimeMs,
      entryPrice,
      exit: null,
      quantity,
      value: entryPrice * quantity * lot.pointValue,
      ...moneyOf(figures),
    };
  });
  return [...closed, ...open];
}

function closedTrade(trade: ClosedTrade, leftOut: number): ReportTrade {
  const { entryId, entryComment, entryBar, entryTimeMs, entryPrice, quantity } = trade;
  return {
    direction: trade.direction < 0 ? 'short' : 'long',
    entryId,
    entryComment,
    entryBar: entryBar + leftOut,
    entryTimeMs,
    entryPrice,
    exit: {
      id: trade.exitId,
      comment: trade.exitComment,
      bar: trade.exitBar + leftOut,
      timeMs: trade.exitTimeMs,
      price: trade.exitPrice,
    },
    quantity,
    value: trade.value,
    ...moneyOf(trade),
  };
}

type Money = 'commission' | 'profit' | 'profitPercent' | 'runup' | 'runupPercent' | 'drawdown' | 'drawdownPercent';

const moneyOf = (trade: Pick<ClosedTrade, Money>): Pick<ReportTrade, Money> => ({
  commission: trade.commission,
  profit: trade.profit,
  profitPercent: trade.profitPercent,
  runup: trade.runup,
  runupPercent: trade.runupPercent,
  drawdown: trade.drawdown,
  drawdownPercent: trade.drawdownPercent,
});
