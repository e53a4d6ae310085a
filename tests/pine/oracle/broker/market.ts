// The account and the market of the oracle's broker: what strategy() declares, and how prices and quantities are rounded.

/** 1 buys, -1 sells. */
export type Side = 1 | -1;

export interface Market {
  readonly pricescale: number;
  readonly minmove: number;
  readonly pointvalue: number;
  readonly mincontract: number;
}

/** The arguments of strategy() by Pine's names, as the checked program keeps them. */
export type Declared = Readonly<Record<string, unknown>>;

export class Terms {
  readonly market: Market;
  readonly version: number;
  readonly capital: number;
  readonly sizeType: string;
  readonly sizeValue: number;
  readonly feeType: string;
  readonly feeValue: number;
  readonly slippageTicks: number;
  readonly limitTicks: number;
  readonly pyramiding: number;
  readonly closesAny: boolean;
  readonly fillsAtClose: boolean;
  readonly runsOnFills: boolean;
  private readonly margins: Readonly<Record<Side, number>>;

  constructor(declared: Declared, version: number, market: Market) {
    const number = (name: string, usual: number): number => (declared[name] ?? usual) as number;
    const usualMargin = version >= 6 ? 100 : 0;
    this.market = market;
    this.version = version;
    this.capital = number('initial_capital', 1_000_000);
    this.sizeType = (declared.default_qty_type ?? 'fixed') as string;
    this.sizeValue = number('default_qty_value', 1);
    this.feeType = (declared.commission_type ?? 'percent') as string;
    this.feeValue = number('commission_value', 0);
    this.slippageTicks = number('slippage', 0);
    this.limitTicks = number('backtest_fill_limits_assumption', 0);
    this.pyramiding = Math.max(1, number('pyramiding', 0));
    this.closesAny = declared.close_entries_rule === 'ANY';
    this.fillsAtClose = declared.process_orders_on_close === true;
    this.runsOnFills = declared.calc_on_order_fills === true;
    this.margins = { 1: number('margin_long', usualMargin) / 100, [-1]: number('margin_short', usualMargin) / 100 };
  }

  marginOf(side: Side): number {
    return this.margins[side];
  }

  get tick(): number {
    return this.market.minmove / this.market.pricescale;
  }

  /** By how much the price must pass a limit. */
  get limitSlack(): number {
    return this.limitTicks * this.tick;
  }

  /** The tick at or beyond a price, upwards or downwards; a price within a ten-thousandth of one is on it. */
  onTick(price: number, way: Side): number {
    const { pricescale, minmove } = this.market;
    const ticks = (price * pricescale) / minmove;
    const nearest = Math.round(ticks);
    // The number of ticks of a huge price is itself not exact.
    const isOnIt = Math.abs(ticks - nearest) < 1e-4 + Math.abs(ticks) * 1e-15;
    const whole = isOnIt ? nearest : way > 0 ? Math.ceil(ticks) : Math.floor(ticks);
    return (whole * minmove) / pricescale;
  }

  nearestTick(price: number): number {
    const { pricescale, minmove } = this.market;
    return (Math.round((price * pricescale) / minmove) * minmove) / pricescale;
  }

  /** What a buyer or a seller at the market or by a stop gets: slipped first, then on the worse tick. */
  worsePrice(price: number, side: Side): number {
    return this.onTick(price + side * this.slippageTicks * this.tick, side);
  }

  /** So many whole contract steps as fit. */
  wholeSteps(quantity: number): number {
    const steps = quantity / this.market.mincontract;
    const nearest = Math.round(steps);
    // A division is wrong by some units in its last place.
    const isWhole = Math.abs(steps - nearest) < 1e-9 + Math.abs(steps) * 1e-14;
    return inUnits((isWhole ? nearest : Math.floor(steps)) * this.market.mincontract);
  }

  /** The fee of one order. */
  fee(quantity: number, price: number): number {
    if (this.feeType === 'percent') return tenDigits((price * quantity * this.market.pointvalue * this.feeValue) / 100);
    return this.feeType === 'cash_per_contract' ? tenDigits(quantity * this.feeValue) : this.feeValue;
  }

  /** The size of an order that names none, for money of the account and a price to buy or sell at. */
  defaultSize(price: number, equity: number): number {
    if (this.sizeType === 'fixed') return this.wholeSteps(this.sizeValue);
    const budget = this.sizeType === 'cash' ? this.sizeValue : tenDigits((equity * this.sizeValue) / 100);
    const feeRate = this.feeType === 'percent' ? this.feeValue / 100 : 0;
    const size = this.wholeSteps(budget / (price * this.market.pointvalue * (1 + feeRate)));
    return Math.max(0, size);
  }
}

/** The books know hundred-millionths of a contract. */
export const inUnits = (quantity: number): number => Math.round(quantity * 1e8) / 1e8;

/** Money has ten digits. */
export function tenDigits(amount: number): number {
  if (amount === 0) return 0;
  const scale = 10 ** (9 - Math.floor(Math.log10(Math.abs(amount))));
  return Math.round(amount * scale) / scale;
}
