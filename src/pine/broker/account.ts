// What a script can ask of its account: the variables of `strategy.*`, and facts of open and closed trades by their number.

import type { CurrentBar } from './current-bar.ts';
import type { Ledger } from './ledger.ts';
import type { ClosedTrade, Lot } from './lot.ts';
import type { Margin } from './margin.ts';
import type { PointValue } from './point-value.ts';
import type { BrokerMarket, BrokerSettings } from './settings.ts';
import type { Sizing } from './sizing.ts';

type Trade = Pick<
  ClosedTrade,
  | 'entryId'
  | 'entryComment'
  | 'entryBar'
  | 'entryTimeMs'
  | 'entryPrice'
  | 'commission'
  | 'profit'
  | 'profitPercent'
  | 'runup'
  | 'runupPercent'
  | 'drawdown'
  | 'drawdownPercent'
> & { readonly size: number };

const NA = Number.NaN;

/** Names are Pine's, because generated code asks by them. */
export class Account {
  private readonly bar: CurrentBar;
  private readonly ledger: Ledger;
  private readonly margin: Margin;
  private readonly sizing: Sizing;
  private readonly settings: BrokerSettings;
  private readonly market: BrokerMarket;
  private readonly pointValue: PointValue;

  constructor(parts: {
    bar: CurrentBar;
    ledger: Ledger;
    margin: Margin;
    sizing: Sizing;
    settings: BrokerSettings;
    market: BrokerMarket;
    pointValue: PointValue;
  }) {
    this.bar = parts.bar;
    this.ledger = parts.ledger;
    this.margin = parts.margin;
    this.sizing = parts.sizing;
    this.settings = parts.settings;
    this.market = parts.market;
    this.pointValue = parts.pointValue;
  }

  get account_currency(): string {
    return this.market.currency;
  }
  get initial_capital(): number {
    return this.settings.initialCapital;
  }
  get equity(): number {
    return this.ledger.equity(this.bar.mark);
  }
  get netprofit(): number {
    return this.ledger.netProfit;
  }
  get netprofit_percent(): number {
    return this.ofCapital(this.ledger.netProfit);
  }
  get openprofit(): number {
    return this.ledger.openProfit(this.bar.mark);
  }
  get openprofit_percent(): number {
    return (this.openprofit / this.ledger.realizedEquity) * 100;
  }
  get grossprofit(): number {
    return this.ledger.totals.grossProfit;
  }
  get grossprofit_percent(): number {
    return this.ofCapital(this.grossprofit);
  }
  get grossloss(): number {
    return this.ledger.totals.grossLoss;
  }
  get grossloss_percent(): number {
    return this.ofCapital(this.grossloss);
  }
  get closedtrades(): number {
    return this.ledger.closed.length;
  }
  get closedtrades_first_index(): number {
    return 0;
  }
  get opentrades(): number {
    return this.ledger.lots.length;
  }
  get opentrades_capital_held(): number {
    const { marginLong, marginShort } = this.settings;
    if (marginLong === 0 && marginShort === 0) return NA;
    let held = 0;
    for (const { quantity, price } of this.ledger.lots) held += quantity * price * this.pointValue.now;
    return held;
  }
  get wintrades(): number {
    return this.ledger.totals.wins;
  }
  get losstrades(): number {
    return this.ledger.totals.losses;
  }
  get eventrades(): number {
    return this.ledger.totals.evens;
  }
  get avg_trade(): number {
    return this.ledger.totals.closedProfit / this.closedtrades;
  }
  get avg_trade_percent(): number {
    return this.ledger.totals.percent / this.closedtrades;
  }
  get avg_winning_trade(): number {
    return this.grossprofit / this.wintrades;
  }
  get avg_winning_trade_percent(): number {
    return this.ledger.totals.winPercent / this.wintrades;
  }
  get avg_losing_trade(): number {
    return this.grossloss / this.losstrades;
  }
  get avg_losing_trade_percent(): number {
    return this.ledger.totals.lossPercent / this.losstrades;
  }
  get max_contracts_held_all(): number {
    return this.ledger.totals.mostHeld;
  }
  get max_contracts_held_long(): number {
    return this.ledger.totals.mostLong;
  }
  get max_contracts_held_short(): number {
    return this.ledger.totals.mostShort;
  }
  get max_drawdown(): number {
    return this.ledger.totals.maxDrawdown;
  }
  get max_drawdown_percent(): number {
    return this.ledger.totals.maxDrawdownPercent;
  }
  get max_runup(): number {
    return this.ledger.totals.maxRunup;
  }
  get max_runup_percent(): number {
    return this.ledger.totals.maxRunupPercent;
  }
  get position_entry_name(): string | null {
    return this.ledger.lots[0]?.id ?? null;
  }
  get margin_liquidation_price(): number {
    return this.margin.liquidationPrice;
  }

  convert_to_account(value: number): number {
    return value * this.pointValue.rate;
  }
  convert_to_symbol(value: number): number {
    return value / this.pointValue.rate;
  }
  default_entry_qty(fillPrice: number): number {
    return this.sizing.quantityFor(fillPrice, this.equity);
  }

  closedtrades_commission = (number: number) => this.closed(number)?.commission ?? NA;
  closedtrades_entry_bar_index = (number: number) => this.closed(number)?.entryBar ?? NA;
  closedtrades_entry_comment = (number: number) => this.closed(number)?.entryComment ?? null;
  closedtrades_entry_id = (number: number) => this.closed(number)?.entryId ?? null;
  closedtrades_entry_price = (number: number) => this.closed(number)?.entryPrice ?? NA;
  closedtrades_entry_time = (number: number) => this.closed(number)?.entryTimeMs ?? NA;
  closedtrades_exit_bar_index = (number: number) => this.closed(number)?.exitBar ?? NA;
  closedtrades_exit_comment = (number: number) => this.closed(number)?.exitComment ?? null;
  closedtrades_exit_id = (number: number) => this.closed(number)?.exitId ?? null;
  closedtrades_exit_price = (number: number) => this.closed(number)?.exitPrice ?? NA;
  closedtrades_exit_time = (number: number) => this.closed(number)?.exitTimeMs ?? NA;
  closedtrades_max_drawdown = (number: number) => positive(this.closed(number)?.drawdown);
  closedtrades_max_drawdown_percent = (number: number) => positive(this.closed(number)?.drawdownPercent);
  closedtrades_max_runup = (number: number) => this.closed(number)?.runup ?? NA;
  closedtrades_max_runup_percent = (number: number) => this.closed(number)?.runupPercent ?? NA;
  closedtrades_profit = (number: number) => this.closed(number)?.profit ?? NA;
  closedtrades_profit_percent = (number: number) => this.closed(number)?.profitPercent ?? NA;
  closedtrades_size = (number: number) => {
    const trade = this.closed(number);
    return trade === undefined ? NA : trade.quantity * trade.direction;
  };

  opentrades_commission = (number: number) => this.open(number)?.commission ?? NA;
  opentrades_entry_bar_index = (number: number) => this.open(number)?.entryBar ?? NA;
  opentrades_entry_comment = (number: number) => this.open(number)?.entryComment ?? null;
  opentrades_entry_id = (number: number) => this.open(number)?.entryId ?? null;
  opentrades_entry_price = (number: number) => this.open(number)?.entryPrice ?? NA;
  opentrades_entry_time = (number: number) => this.open(number)?.entryTimeMs ?? NA;
  opentrades_max_drawdown = (number: number) => positive(this.open(number)?.drawdown);
  opentrades_max_drawdown_percent = (number: number) => positive(this.open(number)?.drawdownPercent);
  opentrades_max_runup = (number: number) => this.open(number)?.runup ?? NA;
  opentrades_max_runup_percent = (number: number) => this.open(number)?.runupPercent ?? NA;
  opentrades_profit = (number: number) => this.open(number)?.profit ?? NA;
  opentrades_profit_percent = (number: number) => this.open(number)?.profitPercent ?? NA;
  opentrades_size = (number: number) => this.open(number)?.size ?? NA;

  private closed(number: number): ClosedTrade | undefined {
    return this.ledger.closed[number];
  }

  private open(number: number): Trade | undefined {
    const lot = this.ledger.lots[number];
    return lot === undefined ? undefined : this.asTrade(lot);
  }

  /** An open lot as it would stand if it were closed at the present price without a fee. */
  asTrade(lot: Lot): Trade {
    const value = lot.price * lot.quantity * this.pointValue.now;
    const { profit, runup, drawdown } = this.ledger.resultOf(lot, lot.quantity, this.bar.mark, 0);
    const percent = (amount: number): number => (amount / value) * 100;
    return {
      entryId: lot.id,
      entryComment: lot.comment,
      entryBar: lot.bar,
      entryTimeMs: lot.timeMs,
      entryPrice: lot.price,
      commission: lot.fee,
      profit,
      profitPercent: percent(profit),
      runup,
      runupPercent: percent(runup),
      drawdown,
      drawdownPercent: percent(drawdown),
      size: lot.quantity * lot.direction,
    };
  }

  private ofCapital(amount: number): number {
    return (amount / this.settings.initialCapital) * 100;
  }
}

const positive = (drawdown: number | undefined): number => (drawdown === undefined ? NA : Math.abs(drawdown));
