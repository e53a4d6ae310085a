// What an order for MEXC must be like, whether it is placed now or when a price is reached: read, checked, and turned from
// contracts into the base currency.
//
// Certain: the fields, the numbers for sides, types and margin, that isolated margin needs a leverage, and that a hedge
// account does not take `reduceOnly`. Assumed: which of the quantity errors goes with which mistake, that more than can be
// closed is refused (2008) and not cut, 600 for `reduceOnly` in a hedge account, and 2022 for a mode that is not the account's.

import { type Decimal, decimal, minus, roundTo, times, ZERO } from '../../../../src/trading/decimal.ts';
import type { NewOrder, TimeInForce } from '../futures-order.ts';
import type { MarketSpec } from '../market-spec.ts';
import type { MatchingMarket } from '../matching-market.ts';
import type { Contracts } from './contracts.ts';
import { MexcRefusal } from './error-codes.ts';
import { closes, type OrderNote, type OrderSide } from './order-row.ts';
import type { Parameters } from './parameters.ts';
import type { Positions } from './positions.ts';

const ONE = decimal(1);
const MAX_ID_LENGTH = 32;
const TIMES_IN_FORCE: Readonly<Record<number, TimeInForce>> = {
  1: 'GTC',
  2: 'GTX',
  3: 'IOC',
  4: 'FOK',
  5: 'IOC',
  6: 'GTC',
};
export const MARKET = 5;
const MARKET_TO_LIMIT = 6;

export interface OrderRequest {
  readonly order: NewOrder;
  readonly note: OrderNote;
}

export class OrderRequests {
  readonly #market: MatchingMarket;
  readonly #contracts: Contracts;
  readonly #positions: Positions;

  constructor(market: MatchingMarket, contracts: Contracts, positions: Positions) {
    this.#market = market;
    this.#contracts = contracts;
    this.#positions = positions;
  }

  /** `typeName` is what the type is called in this request. Throws `MexcRefusal`. */
  read(parameters: Parameters, typeName: 'type' | 'orderType'): OrderRequest {
    const spec = this.#contracts.find(parameters.text('symbol'));
    if (!this.#contracts.allowsOrders(spec.symbol)) throw new MexcRefusal(1002);
    const side = sideOf(parameters);
    const type = parameters.integer(typeName) ?? 0;
    const timeInForce = TIMES_IN_FORCE[type];
    if (timeInForce === undefined) throw new MexcRefusal(2029);
    const externalOid = parameters.text('externalOid') ?? '';
    if (externalOid.length > MAX_ID_LENGTH) throw new MexcRefusal(2030);
    const isBuy = side === 1 || side === 2;
    const order: NewOrder = {
      clientOrderId: externalOid,
      symbol: spec.symbol,
      side: isBuy ? 'BUY' : 'SELL',
      positionSide: this.#positions.sideOf(side === 1 || side === 4),
      quantity: this.#quantity(parameters, spec),
      ...this.#price(parameters, spec, type, isBuy),
      timeInForce,
      reduceOnly: this.#reduceOnly(parameters, side),
    };
    return { order, note: this.#note(parameters, spec, order, side, type) };
  }

  #quantity(parameters: Parameters, spec: MarketSpec): Decimal {
    const volume = parameters.amount('vol') ?? ZERO;
    if (volume <= ZERO) throw new MexcRefusal(2011);
    if (volume % ONE !== 0n) throw new MexcRefusal(2015);
    const quantity = this.#contracts.quantityOf(spec, volume);
    if (quantity > spec.maxQuantity) throw new MexcRefusal(2028);
    return quantity;
  }

  /** A market order has none, whatever is sent; one that becomes a limit has the best price of the other side. */
  #price(parameters: Parameters, spec: MarketSpec, type: number, isBuy: boolean): { readonly price?: Decimal } {
    if (type === MARKET) return {};
    const { bid, ask, mark } = this.#market.prices(spec.symbol);
    if (type === MARKET_TO_LIMIT) return { price: isBuy ? ask : bid };
    const price = parameters.amount('price') ?? ZERO;
    if (price <= ZERO) throw new MexcRefusal(2007);
    if (price % spec.tickSize !== 0n) throw new MexcRefusal(2015);
    if (isBuy && price > times(mark, spec.priceUp)) throw new MexcRefusal(2003);
    if (!isBuy && price < times(mark, spec.priceDown)) throw new MexcRefusal(2004);
    return { price };
  }

  #reduceOnly(parameters: Parameters, side: OrderSide): boolean {
    const asked = parameters.flag('reduceOnly');
    const mode = parameters.integer('positionMode');
    if (mode !== undefined && mode !== this.#positions.positionMode()) throw new MexcRefusal(2022);
    if (asked && this.#positions.mode === 'hedge') throw new MexcRefusal(600);
    return this.#positions.mode === 'one-way' && (asked || closes(side));
  }

  #note(parameters: Parameters, spec: MarketSpec, order: NewOrder, side: OrderSide, type: number): OrderNote {
    const openType = parameters.integer('openType');
    if (openType !== 1 && openType !== 2) throw new MexcRefusal(2002);
    const { mark } = this.#market.prices(spec.symbol);
    const bound = times(mark, order.side === 'BUY' ? spec.priceUp : spec.priceDown);
    const stopLoss = parameters.amount('stopLossPrice') ?? ZERO;
    const takeProfit = parameters.amount('takeProfitPrice') ?? ZERO;
    return {
      side,
      type,
      openType,
      leverage: closes(side) ? 0 : this.#leverage(parameters, spec, openType),
      ...(order.price === undefined ? { boundPrice: roundTo(bound, spec.tickSize) } : {}),
      ...(stopLoss === ZERO ? {} : { stopLoss }),
      ...(takeProfit === ZERO ? {} : { takeProfit }),
      positionId: 0,
    };
  }

  #leverage(parameters: Parameters, spec: MarketSpec, openType: number): number {
    const asked = parameters.integer('leverage');
    if (asked === undefined && openType === 1) throw new MexcRefusal(2006);
    const leverage = asked ?? this.#market.account.settings(spec.symbol).leverage;
    if (leverage < 1 || leverage > spec.brackets[0]!.maxLeverage) throw new MexcRefusal(2006);
    return leverage;
  }

  /** What is held must have the margin and the leverage of what is added to it. */
  checkAgainstHeld({ order, note }: OrderRequest): void {
    const held = this.#positions.current(order.symbol, order.positionSide);
    if (held === undefined || closes(note.side)) return;
    const { leverage, marginType } = this.#market.account.settings(order.symbol);
    if ((marginType === 'ISOLATED') !== (note.openType === 1)) throw new MexcRefusal(2027);
    if (leverage !== note.leverage) throw new MexcRefusal(2021);
  }

  /** What closes must find so much to close that no other order speaks for. */
  checkClosable({ order }: OrderRequest, positionId: number | undefined): void {
    const held = this.#positions.current(order.symbol, order.positionSide);
    const isItsSide = held !== undefined && (held.positionType === 1) === (order.side === 'SELL');
    if (!isItsSide || (positionId !== undefined && positionId !== held.positionId)) throw new MexcRefusal(2009);
    if (order.quantity > minus(held.quantity, this.#positions.frozen(held))) throw new MexcRefusal(2008);
  }

  /** For whoever places it: the settings that an opening order brings along. */
  applySettings({ order, note }: OrderRequest): void {
    const settings = this.#market.account.settings(order.symbol);
    settings.marginType = note.openType === 1 ? 'ISOLATED' : 'CROSSED';
    if (settings.leverage !== note.leverage) this.#market.setLeverage(order.symbol, note.leverage);
  }
}

function sideOf(parameters: Parameters): OrderSide {
  const side = parameters.integer('side');
  if (side !== 1 && side !== 2 && side !== 3 && side !== 4) throw new MexcRefusal(2001);
  return side;
}
