// What a strategy declares of its account and its market has of its own, checked elsewhere and read once before the first bar.

export type Direction = 1 | -1;
export type Side = 'all' | 'long' | 'short';

export interface BrokerSettings {
  readonly initialCapital: number;
  readonly quantityType: 'fixed' | 'percent_of_equity' | 'cash';
  readonly quantityValue: number;
  readonly commissionType: 'percent' | 'cash_per_contract' | 'cash_per_order';
  readonly commissionValue: number;
  /** In ticks. */
  readonly slippage: number;
  /** Ticks by which the price must pass a limit before it fills. */
  readonly limitAssumption: number;
  /** Entries in one direction, at least one. */
  readonly pyramiding: number;
  /** Share of a position's value that must be there in money; 0 asks for none. */
  readonly marginLong: number;
  readonly marginShort: number;
  readonly closesAnyEntry: boolean;
  readonly processOrdersOnClose: boolean;
  readonly calcOnOrderFills: boolean;
  /** In percent a year. */
  readonly riskFreeRate: number;
  /** From v6 on the nearer of a price and a distance in ticks counts; before, the price. */
  readonly nearerCounts: boolean;
  /** Orders of bars that open before are not taken. */
  readonly tradeFromMs: number;
  /** Orders of bars that open then or later are not taken. */
  readonly tradeToMs: number;
}

/** What the broker must know of the symbol. */
export interface BrokerMarket {
  readonly pricescale: number;
  readonly minmove: number;
  readonly pointvalue: number;
  readonly mincontract: number;
  readonly currency: string;
  /** The day a time belongs to; risk rules begin anew with it. */
  dayOf(timeMs: number): number;
}

/** When a strategy may trade; open ended where nothing is said. */
export interface TradeRange {
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

type Declared = Readonly<Record<string, unknown>>;

export function brokerSettings(declared: Declared, version: number, range: TradeRange): BrokerSettings {
  const number = (name: string, usual: number): number => {
    const value = declared[name];
    return typeof value === 'number' ? value : usual;
  };
  const text = <T extends string>(name: string, usual: T): T => (declared[name] ?? usual) as T;
  const usualMargin = version >= 6 ? 100 : 0;
  return {
    initialCapital: number('initial_capital', 1_000_000),
    quantityType: text('default_qty_type', 'fixed'),
    quantityValue: number('default_qty_value', 1),
    commissionType: text('commission_type', 'percent'),
    commissionValue: number('commission_value', 0),
    slippage: number('slippage', 0),
    limitAssumption: number('backtest_fill_limits_assumption', 0),
    pyramiding: Math.max(1, number('pyramiding', 0)),
    marginLong: number('margin_long', usualMargin) / 100,
    marginShort: number('margin_short', usualMargin) / 100,
    closesAnyEntry: declared.close_entries_rule === 'ANY',
    processOrdersOnClose: declared.process_orders_on_close === true,
    calcOnOrderFills: declared.calc_on_order_fills === true,
    riskFreeRate: number('risk_free_rate', 2),
    nearerCounts: version >= 6,
    tradeFromMs: range.fromMs ?? Number.NEGATIVE_INFINITY,
    tradeToMs: range.toMs ?? Number.POSITIVE_INFINITY,
  };
}
