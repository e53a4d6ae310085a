// The strategy namespace: orders, risk rules, the account's state, and the records of open and closed trades.

import type { TableSource } from '../model.ts';

const WHEN = 'when: series bool = true @v5 {put the call in an if block}';
const ALERT = 'alert_message: series string = "", disable_alert: series bool = false';
const ORDER = `id: series string, direction: series strategy_direction in strategy.long|strategy.short,
    qty: series float = na, limit: series float = na, stop: series float = na,
    oca_name: series string = "", oca_type: input string in strategy.oca.* = strategy.oca.none,
    comment: series string = "", ${ALERT}, ${WHEN}`;
const CLOSE = `qty: series float = na, qty_percent: series float = 100, alert_message: series string = "",
    immediately: series bool = false`;

export const STRATEGY: TableSource = {
  namespace: 'strategy',
  text: `
cash: const string  # Quantities are amounts of money.
fixed: const string  # Quantities are numbers of contracts.
percent_of_equity: const string  # Quantities are percentages of the equity.
long: const strategy_direction  # A buy order.
short: const strategy_direction  # A sell order.
account_currency: simple string  # Currency of the strategy's account.
avg_losing_trade: series float  # Mean loss of the losing trades.
avg_losing_trade_percent: series float  # Mean loss of the losing trades in percent.
avg_trade: series float  # Mean profit of all closed trades.
avg_trade_percent: series float  # Mean profit of all closed trades in percent.
avg_winning_trade: series float  # Mean profit of the winning trades.
avg_winning_trade_percent: series float  # Mean profit of the winning trades in percent.
closedtrades: series int  # Number of closed trades.
equity: series float  # Initial capital plus net profit plus open profit.
eventrades: series int  # Number of closed trades without profit or loss.
grossloss: series float  # Sum of all losses.
grossloss_percent: series float  # Sum of all losses in percent of the initial capital.
grossprofit: series float  # Sum of all gains.
grossprofit_percent: series float  # Sum of all gains in percent of the initial capital.
initial_capital: series float  # Money the strategy started with.
losstrades: series int  # Number of closed trades with a loss.
margin_liquidation_price: series float  # Price at which a margin call would come; na without margin.
max_contracts_held_all: series float  # Largest position held.
max_contracts_held_long: series float  # Largest long position held.
max_contracts_held_short: series float  # Largest short position held.
max_drawdown: series float  # Largest fall of the equity from a peak.
max_drawdown_percent: series float  # Largest fall of the equity from a peak in percent.
max_runup: series float  # Largest rise of the equity from a low.
max_runup_percent: series float  # Largest rise of the equity from a low in percent.
netprofit: series float  # Profit of all closed trades.
netprofit_percent: series float  # Profit of all closed trades in percent of the initial capital.
openprofit: series float  # Profit of the open trades at the present price.
openprofit_percent: series float  # Profit of the open trades in percent of the realized equity.
opentrades: series int  # Number of open trades.
position_avg_price: series float  # Mean entry price of the position; na when flat.
position_entry_name: series string  # Identifier of the order that opened the position.
position_size: series float  # Size of the position: positive long, negative short, 0 flat.
wintrades: series int  # Number of closed trades with a profit.
cancel(id: series string, ${WHEN}) -> void
  # Cancels an order that is not filled yet.
cancel_all(${WHEN}) -> void
  # Cancels all orders that are not filled yet.
close(id: series string, comment: series string = "", ${CLOSE}, disable_alert: series bool = false, ${WHEN}) -> void
close(id: series string, when: series bool, comment: series string = "", ${CLOSE}) -> void | v5
  # Closes the trades of one entry at the market.
close_all(comment: series string = "", alert_message: series string = "", immediately: series bool = false,
    disable_alert: series bool = false, ${WHEN}) -> void
close_all(when: series bool, comment: series string = "", alert_message: series string = "",
    immediately: series bool = false) -> void | v5
  # Closes the whole position at the market.
convert_to_account(value: series float) -> series float
  # Money of the symbol's currency in the account's currency.
convert_to_symbol(value: series float) -> series float
  # Money of the account's currency in the symbol's currency.
default_entry_qty(fill_price: series float) -> series float
  # Quantity an entry would have by default at a price.
entry(${ORDER}) -> void
  # Orders an entry; against an open position it reverses it.
exit(id: series string, from_entry: series string = "", qty: series float = na, qty_percent: series float = 100,
    profit: series float = na, limit: series float = na, loss: series float = na, stop: series float = na,
    trail_price: series float = na, trail_points: series float = na, trail_offset: series float = na,
    oca_name: series string = "", comment: series string = "", comment_profit: series string = "",
    comment_loss: series string = "", comment_trailing: series string = "", alert_message: series string = "",
    alert_profit: series string = "", alert_loss: series string = "", alert_trailing: series string = "",
    disable_alert: series bool = false, ${WHEN}) -> void
  # Orders an exit by target, stop or trailing stop; in v5 a price wins over ticks, in v6 the nearer of both counts.
order(${ORDER}) -> void
  # Orders a purchase or sale without regard to pyramiding or reversal.
`,
};

/** What can be asked of a trade by its number; closed trades have an exit too. */
const trade = (state: string) => `
commission(trade_num: series int) -> series float
  # Fees paid for the ${state} trade.
entry_bar_index(trade_num: series int) -> series int
  # Bar index of the ${state} trade's entry.
entry_comment(trade_num: series int) -> series string
  # Comment of the ${state} trade's entry.
entry_id(trade_num: series int) -> series string
  # Identifier of the ${state} trade's entry order.
entry_price(trade_num: series int) -> series float
  # Price of the ${state} trade's entry.
entry_time(trade_num: series int) -> series int
  # Time of the ${state} trade's entry.
max_drawdown(trade_num: series int) -> series float
  # Largest loss the ${state} trade went through.
max_drawdown_percent(trade_num: series int) -> series float
  # Largest loss the ${state} trade went through in percent.
max_runup(trade_num: series int) -> series float
  # Largest gain the ${state} trade went through.
max_runup_percent(trade_num: series int) -> series float
  # Largest gain the ${state} trade went through in percent.
profit(trade_num: series int) -> series float
  # Profit of the ${state} trade.
profit_percent(trade_num: series int) -> series float
  # Profit of the ${state} trade in percent.
size(trade_num: series int) -> series float
  # Size of the ${state} trade: positive long, negative short.
`;

export const CLOSED_TRADES: TableSource = {
  namespace: 'strategy.closedtrades',
  text: `
first_index: series int | v6  # Number of the oldest trade still on record.
exit_bar_index(trade_num: series int) -> series int
  # Bar index of the closed trade's exit.
exit_comment(trade_num: series int) -> series string
  # Comment of the closed trade's exit.
exit_id(trade_num: series int) -> series string
  # Identifier of the closed trade's exit order.
exit_price(trade_num: series int) -> series float
  # Price of the closed trade's exit.
exit_time(trade_num: series int) -> series int
  # Time of the closed trade's exit.
${trade('closed')}`,
};

export const OPEN_TRADES: TableSource = {
  namespace: 'strategy.opentrades',
  text: `
capital_held: series float  # Money bound by the open trades; na without margin.
${trade('open')}`,
};

const RISK_ALERT = 'alert_message: simple string = ""';

export const RISK: TableSource = {
  namespace: 'strategy.risk',
  text: `
allow_entry_in(value: simple string in strategy.direction.*) -> void | global
  # Limits entries to one direction; entries in the other only close.
max_cons_loss_days(count: simple int, ${RISK_ALERT}) -> void | global
  # Stops trading after that many days of loss in a row.
max_drawdown(value: simple float, type: simple string in strategy.cash|strategy.percent_of_equity, ${RISK_ALERT}) -> void | global
  # Stops trading after a fall of the equity by that much.
max_intraday_filled_orders(count: simple int, ${RISK_ALERT}) -> void | global
  # Stops trading for the day after that many filled orders.
max_intraday_loss(value: simple float, type: simple string in strategy.cash|strategy.percent_of_equity, ${RISK_ALERT})
    -> void | global
  # Stops trading for the day after a loss of that much.
max_position_size(contracts: simple float) -> void | global
  # Limits the size of the position that entries may reach.
`,
};

export const STRATEGY_CONSTANTS: readonly TableSource[] = [
  {
    namespace: 'strategy.commission',
    text: `
cash_per_contract: const string  # Commission is money per contract.
cash_per_order: const string  # Commission is money per order.
percent: const string  # Commission is a percentage of the order's value.
`,
  },
  {
    namespace: 'strategy.direction',
    text: `
all: const string  # Entries in both directions.
long: const string  # Long entries only.
short: const string  # Short entries only.
`,
  },
  {
    namespace: 'strategy.oca',
    text: `
cancel: const string  # A fill cancels the other orders of the group.
none: const string  # The order stands alone.
reduce: const string  # A fill reduces the other orders of the group.
`,
  },
];
