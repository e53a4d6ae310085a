// The one account of an emulated futures venue: wallet, positions, leverage, margin, and every payment, to the last digit.

import {
  absolute,
  type Decimal,
  decimal,
  larger,
  minus,
  negate,
  over,
  type Product,
  plus,
  product,
  quotient,
  rounded,
  shareOf,
  smaller,
  times,
  ZERO,
} from '../../../src/trading/decimal.ts';
import type { PositionSide, Side } from './futures-order.ts';
import type { LeverageBracket, MarketSpec } from './market-spec.ts';

export type MarginType = 'CROSSED' | 'ISOLATED';
export type PositionMode = 'one-way' | 'hedge';

export interface FuturesPosition {
  readonly symbol: string;
  readonly side: PositionSide;
  /** Below zero when short, in hedge mode too. */
  quantity: Decimal;
  /** Quantity times entry price, exactly. */
  cost: Product;
  /** What is bound to it alone while its market is isolated. */
  isolatedWallet: Decimal;
  realizedPnl: Decimal;
  updatedMs: number;
}

export interface Income {
  readonly id: number;
  readonly type: 'REALIZED_PNL' | 'COMMISSION' | 'FUNDING_FEE' | 'TRANSFER';
  readonly symbol: string;
  readonly amount: Decimal;
  readonly atMs: number;
  /** Empty where no trade made it. */
  readonly tradeId: string;
}

interface SymbolSettings {
  leverage: number;
  marginType: MarginType;
}

const NOTHING = 0n as Product;
export const DEFAULT_LEVERAGE = 20;

export const entryPriceOf = ({ cost, quantity }: FuturesPosition): Decimal =>
  quantity === ZERO ? ZERO : quotient(quantity < 0n ? (-cost as Product) : cost, absolute(quantity));

export const signed = (side: Side, quantity: Decimal): Decimal => (side === 'BUY' ? quantity : negate(quantity));

export class FuturesAccount {
  positionMode: PositionMode = 'one-way';
  multiAssets = false;
  wallet: Decimal;
  readonly income: Income[] = [];
  readonly #specs: ReadonlyMap<string, MarketSpec>;
  readonly #markOf: (symbol: string) => Decimal;
  readonly #settings = new Map<string, SymbolSettings>();
  readonly #positions = new Map<string, FuturesPosition>();

  constructor(specs: ReadonlyMap<string, MarketSpec>, wallet: Decimal, markOf: (symbol: string) => Decimal) {
    this.#specs = specs;
    this.wallet = wallet;
    this.#markOf = markOf;
  }

  settings(symbol: string): SymbolSettings {
    const known = this.#settings.get(symbol);
    if (known !== undefined) return known;
    const fresh: SymbolSettings = { leverage: DEFAULT_LEVERAGE, marginType: 'CROSSED' };
    this.#settings.set(symbol, fresh);
    return fresh;
  }

  /** A side that was never traded is there too, flat. */
  position(symbol: string, side: PositionSide): FuturesPosition {
    const key = `${symbol} ${side}`;
    const known = this.#positions.get(key);
    if (known !== undefined) return known;
    const flat = { symbol, side, quantity: ZERO, cost: NOTHING, isolatedWallet: ZERO, realizedPnl: ZERO, updatedMs: 0 };
    this.#positions.set(key, flat);
    return flat;
  }

  /** Only those that hold something. */
  heldPositions(symbol?: string): FuturesPosition[] {
    return [...this.#positions.values()].filter(
      (position) => position.quantity !== ZERO && (symbol === undefined || position.symbol === symbol),
    );
  }

  /** Books a trade; returns what it realized. In one-way mode a trade larger than the position turns it around. */
  book(
    trade: { symbol: string; positionSide: PositionSide; side: Side; quantity: Decimal; price: Decimal; fee: Decimal },
    tradeId: number,
    nowMs: number,
  ): Decimal {
    const position = this.position(trade.symbol, trade.positionSide);
    const change = signed(trade.side, trade.quantity);
    const isClosing = position.quantity !== ZERO && position.quantity > 0n !== change > 0n;
    const closed = isClosing ? smaller(absolute(change), absolute(position.quantity)) : ZERO;
    const realizedPnl = closed === ZERO ? ZERO : this.#reduce(position, closed, trade.price);
    const opened = minus(absolute(change), closed);
    if (opened !== ZERO) this.#increase(position, signed(trade.side, opened), trade.price);
    position.updatedMs = nowMs;
    this.wallet = minus(plus(this.wallet, realizedPnl), trade.fee);
    this.#note('COMMISSION', trade.symbol, negate(trade.fee), nowMs, String(tradeId));
    if (closed !== ZERO) this.#note('REALIZED_PNL', trade.symbol, realizedPnl, nowMs, String(tradeId));
    return realizedPnl;
  }

  #reduce(position: FuturesPosition, closed: Decimal, price: Decimal): Decimal {
    const whole = absolute(position.quantity);
    const isLong = position.quantity > 0n;
    const costOfClosed = shareOf(position.cost, closed, whole);
    const proceeds = product(isLong ? closed : negate(closed), price);
    const realizedPnl = rounded((proceeds - costOfClosed) as Product);
    position.isolatedWallet = over(times(position.isolatedWallet, minus(whole, closed)), whole);
    position.quantity = isLong ? minus(position.quantity, closed) : plus(position.quantity, closed);
    position.cost = position.quantity === ZERO ? NOTHING : ((position.cost - costOfClosed) as Product);
    position.realizedPnl = plus(position.realizedPnl, realizedPnl);
    return realizedPnl;
  }

  #increase(position: FuturesPosition, change: Decimal, price: Decimal): void {
    position.cost = (position.cost + product(change, price)) as Product;
    position.quantity = plus(position.quantity, change);
    const { leverage, marginType } = this.settings(position.symbol);
    if (marginType !== 'ISOLATED') return;
    position.isolatedWallet = plus(position.isolatedWallet, over(times(absolute(change), price), decimal(leverage)));
  }

  /** Longs pay a positive rate to shorts. */
  payFunding(symbol: string, rate: Decimal, nowMs: number): void {
    for (const position of this.heldPositions(symbol)) {
      const amount = negate(rounded(product(times(position.quantity, this.#markOf(symbol)), rate)));
      this.wallet = plus(this.wallet, amount);
      this.#note('FUNDING_FEE', symbol, amount, nowMs, '');
    }
  }

  deposit(amount: Decimal, nowMs: number): void {
    this.wallet = plus(this.wallet, amount);
    this.#note('TRANSFER', '', amount, nowMs, '');
  }

  #note(type: Income['type'], symbol: string, amount: Decimal, atMs: number, tradeId: string): void {
    this.income.push({ id: this.income.length + 1, type, symbol, amount, atMs, tradeId });
  }

  notional(position: FuturesPosition): Decimal {
    return times(position.quantity, this.#markOf(position.symbol));
  }

  unrealizedPnl(position: FuturesPosition): Decimal {
    return rounded((product(position.quantity, this.#markOf(position.symbol)) - position.cost) as Product);
  }

  initialMargin(position: FuturesPosition): Decimal {
    return over(absolute(this.notional(position)), decimal(this.settings(position.symbol).leverage));
  }

  maintenanceMargin(position: FuturesPosition): Decimal {
    const value = absolute(this.notional(position));
    const { maintenanceRate, maintenanceDeduction } = this.bracketOf(position.symbol, value);
    return minus(times(value, maintenanceRate), maintenanceDeduction);
  }

  bracketOf(symbol: string, notional: Decimal): LeverageBracket {
    const { brackets } = this.#specs.get(symbol)!;
    return brackets.find(({ notionalCap }) => notional < notionalCap) ?? brackets.at(-1)!;
  }

  /** The largest notional that the leverage of a market allows. */
  maxNotional(symbol: string, leverage: number): Decimal {
    const allowed = this.#specs.get(symbol)!.brackets.filter(({ maxLeverage }) => maxLeverage >= leverage);
    return allowed.at(-1)?.notionalCap ?? ZERO;
  }

  totalUnrealizedPnl(): Decimal {
    return this.heldPositions().reduce((sum, position) => plus(sum, this.unrealizedPnl(position)), ZERO);
  }

  /** What new positions may bind, before resting orders are counted. */
  availableBeforeOrders(): Decimal {
    let available = this.wallet;
    for (const position of this.heldPositions()) {
      const isIsolated = this.settings(position.symbol).marginType === 'ISOLATED';
      if (isIsolated) available = minus(available, position.isolatedWallet);
      else available = plus(minus(available, this.initialMargin(position)), this.unrealizedPnl(position));
    }
    return available;
  }

  /** Whether what backs the position no longer covers its maintenance margin. */
  isBankrupt(position: FuturesPosition): boolean {
    if (this.settings(position.symbol).marginType === 'ISOLATED')
      return plus(position.isolatedWallet, this.unrealizedPnl(position)) <= this.maintenanceMargin(position);
    return this.#crossMargin() <= this.#crossMaintenance();
  }

  /** The mark price at which it is liquidated if nothing else changes; zero where no price does it. */
  liquidationPrice(position: FuturesPosition): Decimal {
    const isIsolated = this.settings(position.symbol).marginType === 'ISOLATED';
    const surplus = isIsolated
      ? minus(plus(position.isolatedWallet, this.unrealizedPnl(position)), this.maintenanceMargin(position))
      : minus(this.#crossMargin(), this.#crossMaintenance());
    const { maintenanceRate } = this.bracketOf(position.symbol, absolute(this.notional(position)));
    const isLong = position.quantity > 0n;
    const perUnit = isLong ? minus(decimal(1), maintenanceRate) : plus(decimal(1), maintenanceRate);
    const distance = over(surplus, times(absolute(position.quantity), perUnit));
    const mark = this.#markOf(position.symbol);
    return larger(ZERO, isLong ? minus(mark, distance) : plus(mark, distance));
  }

  #crossPositions(): FuturesPosition[] {
    return this.heldPositions().filter(({ symbol }) => this.settings(symbol).marginType === 'CROSSED');
  }

  #crossMargin(): Decimal {
    const bound = this.heldPositions().reduce((sum, { isolatedWallet }) => plus(sum, isolatedWallet), ZERO);
    return this.#crossPositions().reduce((sum, one) => plus(sum, this.unrealizedPnl(one)), minus(this.wallet, bound));
  }

  #crossMaintenance(): Decimal {
    return this.#crossPositions().reduce((sum, one) => plus(sum, this.maintenanceMargin(one)), ZERO);
  }
}
