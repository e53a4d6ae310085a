// What a script can ask the oracle's broker: the variables and functions of strategy.* by their Pine names.

import type { Books, ClosedRow, Row } from './books.ts';
import type { PlainBroker } from './plain-broker.ts';

const NA = Number.NaN;
const sum = (list: readonly ClosedRow[], value: (row: ClosedRow) => number): number =>
  list.reduce((total, row) => total + value(row), 0);

/** A variable by what follows `strategy.`; undefined for one that is not known. */
export function accountVariable(name: string, broker: PlainBroker): unknown {
  const { desk, margin } = broker;
  const { books, terms, mark } = desk;
  const ofCapital = (amount: number): number => (amount / terms.capital) * 100;
  // What a fee has eaten to the last digit of a double is neither won nor lost.
  const isEven = ({ profit, value }: ClosedRow): boolean => Math.abs(profit) < value * 1e-13;
  const wins = books.closed.filter((trade) => trade.profit > 0 && !isEven(trade));
  const losses = books.closed.filter((trade) => trade.profit < 0 && !isEven(trade));
  const won = sum(wins, ({ profit }) => profit);
  const lost = -sum(losses, ({ profit }) => profit);
  const percent = ({ profit, value }: ClosedRow): number => (profit / value) * 100;
  const values: Readonly<Record<string, () => unknown>> = {
    initial_capital: () => terms.capital,
    equity: () => books.equity(mark),
    netprofit: () => books.netProfit,
    netprofit_percent: () => ofCapital(books.netProfit),
    openprofit: () => books.openProfit(mark),
    openprofit_percent: () => (books.openProfit(mark) / books.realized) * 100,
    grossprofit: () => won,
    grossprofit_percent: () => ofCapital(won),
    grossloss: () => lost,
    grossloss_percent: () => ofCapital(lost),
    closedtrades: () => books.closed.length,
    'closedtrades.first_index': () => 0,
    opentrades: () => books.rows.length,
    'opentrades.capital_held': () => capitalHeld(books, broker),
    wintrades: () => wins.length,
    losstrades: () => losses.length,
    eventrades: () => books.closed.length - wins.length - losses.length,
    avg_trade: () => books.closedProfit / books.closed.length,
    avg_trade_percent: () => sum(books.closed, percent) / books.closed.length,
    avg_winning_trade: () => won / wins.length,
    avg_winning_trade_percent: () => sum(wins, percent) / wins.length,
    avg_losing_trade: () => lost / losses.length,
    avg_losing_trade_percent: () => -sum(losses, percent) / losses.length,
    max_contracts_held_all: () => Math.max(books.mostLong, books.mostShort),
    max_contracts_held_long: () => books.mostLong,
    max_contracts_held_short: () => books.mostShort,
    max_drawdown: () => books.maxDrawdown,
    max_drawdown_percent: () => books.maxDrawdownPercent,
    max_runup: () => books.maxRunup,
    max_runup_percent: () => books.maxRunupPercent,
    position_size: () => books.size,
    position_avg_price: () => books.averagePrice,
    position_entry_name: () => books.rows[0]?.id ?? null,
    margin_liquidation_price: () => margin.liquidationPrice,
  };
  return values[name]?.();
}

function capitalHeld(books: Books, { desk: { terms } }: PlainBroker): number {
  if (terms.marginOf(1) === 0 && terms.marginOf(-1) === 0) return NA;
  return books.rows.reduce((total, { left, price }) => total + left * price * terms.market.pointvalue, 0);
}

/** A fact of a trade, such as `closedtrades.profit`, by the number of the trade. */
export function tradeFact(name: string, number: number, broker: PlainBroker): unknown {
  const [list, fact] = name.split('.') as [string, string];
  const { books, mark } = broker.desk;
  const isText = /_(id|comment)$/.test(fact);
  const nothing = isText ? null : NA;
  if (list === 'closedtrades') {
    const closed = books.closed[number];
    return closed === undefined ? nothing : closedFact(closed)[fact];
  }
  const row = books.rows[number];
  if (row === undefined) return nothing;
  const { profit, runup, drawdown, value } = books.resultOf(row, row.left, mark, 0);
  const ofValue = (amount: number): number => (amount / value) * 100;
  return {
    ...entryFacts(row),
    commission: row.fee,
    profit,
    profit_percent: ofValue(profit),
    max_runup: runup,
    max_runup_percent: ofValue(runup),
    max_drawdown: drawdown,
    max_drawdown_percent: ofValue(drawdown),
    size: row.left * row.side,
  }[fact];
}

const entryFacts = (row: Row): Record<string, unknown> => ({
  entry_bar_index: row.bar,
  entry_comment: row.comment,
  entry_id: row.id,
  entry_price: row.price,
  entry_time: row.timeMs,
});

function closedFact(closed: ClosedRow): Record<string, unknown> {
  const { row, quantity, runup, drawdown, profit, value } = closed;
  const ofValue = (amount: number): number => (amount / value) * 100;
  return {
    ...entryFacts(row),
    commission: closed.commission,
    exit_bar_index: closed.exitBar,
    exit_comment: closed.exitComment,
    exit_id: closed.exitId,
    exit_price: closed.exitPrice,
    exit_time: closed.exitTimeMs,
    max_drawdown: drawdown,
    max_drawdown_percent: ofValue(drawdown),
    max_runup: runup,
    max_runup_percent: ofValue(runup),
    profit,
    profit_percent: ofValue(profit),
    size: quantity * row.side,
  };
}
