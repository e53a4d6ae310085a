// Whether a market takes an order: what it may reduce, the margin it needs, and the size that its leverage allows.

import {
  absolute,
  type Decimal,
  decimal,
  larger,
  minus,
  over,
  plus,
  times,
  ZERO,
} from '../../../src/trading/decimal.ts';
import type { FuturesAccount } from './futures-account.ts';
import { type FuturesOrder, type NewOrder, Refusal } from './futures-order.ts';

/** What admission needs of its market. */
interface Surroundings {
  readonly account: FuturesAccount;
  prices(symbol: string): { readonly bid: Decimal; readonly ask: Decimal };
  openOrders(symbol?: string): FuturesOrder[];
}

export class OrderAdmission {
  readonly #market: Surroundings;

  constructor(market: Surroundings) {
    this.#market = market;
  }

  /** Throws a `Refusal` where the order is not taken. */
  check(request: NewOrder): void {
    const { bid, ask } = this.#market.prices(request.symbol);
    const { price, side } = request;
    if (this.reduces(request)) this.#checkReducible(request);
    const takes = price !== undefined && (side === 'BUY' ? price >= ask : price <= bid);
    if (request.timeInForce === 'GTX' && takes) throw new Refusal('would-take');
    this.checkMargin(request);
  }

  checkMargin(request: NewOrder): void {
    const margin = this.#marginOf(request);
    if (margin === ZERO) return;
    if (margin > this.available()) throw new Refusal('insufficient-margin');
    const { account } = this.#market;
    const { symbol, positionSide } = request;
    const held = absolute(account.notional(account.position(symbol, positionSide)));
    const value = plus(held, this.#openingValue(request));
    if (value > account.maxNotional(symbol, account.settings(symbol).leverage))
      throw new Refusal('over-leverage-bracket');
  }

  #checkReducible(request: NewOrder): void {
    const held = this.reducible(request);
    if (held === ZERO) throw new Refusal('nothing-to-reduce');
    const resting = this.#market
      .openOrders(request.symbol)
      .filter(
        (order) => this.reduces(order) && order.side === request.side && order.positionSide === request.positionSide,
      );
    const spoken = resting.reduce((sum, { quantity, executed }) => plus(sum, minus(quantity, executed)), ZERO);
    if (spoken >= held) throw new Refusal('reduced-by-others');
  }

  available(): Decimal {
    const bound = this.#market.openOrders().reduce((sum, order) => plus(sum, this.orderMargin(order)), ZERO);
    return larger(ZERO, minus(this.#market.account.availableBeforeOrders(), bound));
  }

  orderMargin(order: FuturesOrder): Decimal {
    return this.#marginOf({ ...order, quantity: minus(order.quantity, order.executed) });
  }

  reduces({ positionSide, side, reduceOnly }: Pick<NewOrder, 'positionSide' | 'side' | 'reduceOnly'>): boolean {
    if (positionSide === 'BOTH') return reduceOnly;
    return (positionSide === 'LONG') === (side === 'SELL');
  }

  reducible({ symbol, positionSide, side }: Pick<NewOrder, 'symbol' | 'positionSide' | 'side'>): Decimal {
    const { quantity } = this.#market.account.position(symbol, positionSide);
    const reduces = side === 'SELL' ? quantity > 0n : quantity < 0n;
    return reduces ? absolute(quantity) : ZERO;
  }

  #marginOf(request: NewOrder): Decimal {
    return over(this.#openingValue(request), decimal(this.#market.account.settings(request.symbol).leverage));
  }

  /** What an order adds to a position; nothing as far as it takes away from one. */
  #openingValue(request: NewOrder): Decimal {
    if (this.reduces(request)) return ZERO;
    const { bid, ask } = this.#market.prices(request.symbol);
    const opening = larger(ZERO, minus(request.quantity, this.reducible(request)));
    return times(opening, request.price ?? (request.side === 'BUY' ? ask : bid));
  }
}
