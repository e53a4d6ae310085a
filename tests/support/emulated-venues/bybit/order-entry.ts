// Bybit's order entry. A yes means only that the order was taken: whether it filled, or was cancelled in the same moment,
// is told by the queries and the stream.

import {
  type Decimal,
  larger,
  minus,
  plus,
  roundTo,
  smaller,
  times,
  toText,
  ZERO,
} from '../../../../src/trading/decimal.ts';
import { cancelAtOnce } from '../cancelled-at-once.ts';
import { type NewOrder, type NewStop, Refusal, type RefusalReason } from '../futures-order.ts';
import type { MarketSpec } from '../market-spec.ts';
import type { MatchingMarket } from '../matching-market.ts';
import {
  idOf,
  isClosed,
  type ListedOrder,
  linkIdOf,
  listedOrders,
  numberOf,
  type OrderNote,
  type OrderNotes,
  symbolOf,
} from './listed-order.ts';
import type { Parameters } from './parameters.ts';
import type { Positions } from './positions.ts';
import { BybitRefusal, type RetCode } from './ret-codes.ts';

const LINK_ID = /^[A-Za-z0-9_-]{1,36}$/;
const TIMES_IN_FORCE = { GTC: 'GTC', IOC: 'IOC', FOK: 'FOK', PostOnly: 'GTX' } as const;
const TRIGGER_PRICES = ['LastPrice', 'MarkPrice', 'IndexPrice'] as const;

/** Why the market refuses, in Bybit's codes. */
const CODES: Readonly<Record<RefusalReason, readonly [RetCode, string?]>> = {
  'insufficient-margin': [110007],
  'nothing-to-reduce': [110017, 'current position is zero, cannot fix reduce-only order qty'],
  'reduced-by-others': [110017, 'orderQty will be truncated to zero.'],
  'over-leverage-bracket': [110090],
  'no-price': [10016],
  'would-take': [10001],
  'would-trigger': [10001],
};

export class OrderEntry {
  readonly #market: MatchingMarket;
  readonly #positions: Positions;
  readonly #notes: OrderNotes;
  /** Of the order that is being placed: those who listen to the market are told of it before `place` returns. */
  #next: OrderNote | undefined;

  /** Must be made before anybody else listens to the market. */
  constructor(market: MatchingMarket, positions: Positions, notes: OrderNotes) {
    this.#market = market;
    this.#positions = positions;
    this.#notes = notes;
    market.listen((event) => {
      if (this.#next === undefined || (event.type !== 'order' && event.type !== 'stop')) return;
      notes.set(event.type === 'order' ? event.order.orderId : event.stop.stopId, this.#next);
      this.#next = undefined;
    });
  }

  create(parameters: Parameters): object {
    parameters.checkCategory();
    const spec = parameters.spec(this.#market.specs);
    try {
      return inBybitCodes(() => {
        const order = this.#read(parameters, spec);
        if (order.reduceOnly && !this.#market.reduces(order)) throw new BybitRefusal(110017);
        this.#next = this.#noteOf(parameters, spec, order);
        const isConditional = parameters.text('triggerPrice') !== undefined;
        const listed = isConditional ? this.#placeConditional(order, parameters) : this.#place(order, spec);
        return { orderId: idOf(listed), orderLinkId: linkIdOf(listed) };
      });
    } finally {
      this.#next = undefined;
    }
  }

  cancel(parameters: Parameters): object {
    const listed = this.#find(parameters, 'order not exists or too late to cancel');
    this.#cancel(listed);
    return { orderId: idOf(listed), orderLinkId: linkIdOf(listed) };
  }

  cancelAll(parameters: Parameters): object {
    parameters.checkCategory();
    const symbol = parameters.text('symbol');
    if (symbol === undefined && parameters.text('settleCoin') === undefined)
      throw new BybitRefusal(10001, 'Missing some parameters that must be filled in, symbol or settleCoin or baseCoin');
    const open = listedOrders(this.#market).filter(
      (listed) => !isClosed(listed) && (symbol === undefined || symbolOf(listed) === symbol),
    );
    for (const listed of open) this.#cancel(listed);
    return { list: open.map((listed) => ({ orderId: idOf(listed), orderLinkId: linkIdOf(listed) })), success: '1' };
  }

  amend(parameters: Parameters): object {
    const listed = this.#find(parameters, 'order not exists or too late to replace');
    const { order } = listed;
    if (order?.price === undefined) throw new BybitRefusal(110001, 'order not exists or too late to replace');
    const spec = this.#market.spec(order.symbol);
    const quantity = parameters.amount('qty') ?? order.quantity;
    const price = parameters.amount('price') ?? order.price;
    checkQuantity(quantity, spec.maxQuantity, spec);
    this.#checkPrice(price, order.side, spec);
    if (quantity === order.quantity && price === order.price)
      throw new BybitRefusal(10001, 'order not modified: nothing to change');
    if (quantity <= order.executed) throw new BybitRefusal(110064);
    inBybitCodes(() => this.#market.amend(order, { quantity, price }));
    return { orderId: idOf(listed), orderLinkId: linkIdOf(listed) };
  }

  #read(parameters: Parameters, spec: MarketSpec): NewOrder {
    const side = parameters.word('side', ['Buy', 'Sell']) === 'Buy' ? 'BUY' : 'SELL';
    const isMarket = parameters.word('orderType', ['Market', 'Limit']) === 'Market';
    const force = parameters.word('timeInForce', ['GTC', 'IOC', 'FOK', 'PostOnly'], 'GTC');
    const quantity = parameters.amount('qty') ?? ZERO;
    checkQuantity(quantity, isMarket ? spec.maxMarketQuantity : spec.maxQuantity, spec);
    const price = isMarket ? undefined : (parameters.amount('price') ?? ZERO);
    if (price !== undefined) this.#checkPrice(price, side, spec);
    return {
      clientOrderId: this.#freshLinkId(parameters),
      symbol: spec.symbol,
      side,
      positionSide: this.#positions.sideOf(spec.symbol, parameters.integer('positionIdx')),
      quantity,
      ...(price === undefined ? {} : { price }),
      timeInForce: isMarket ? 'IOC' : TIMES_IN_FORCE[force],
      reduceOnly: parameters.flag('reduceOnly') || parameters.flag('closeOnTrigger'),
    };
  }

  #freshLinkId(parameters: Parameters): string {
    const linkId = parameters.text('orderLinkId');
    if (linkId === undefined) return '';
    if (!LINK_ID.test(linkId)) throw new BybitRefusal(10001, 'params error: OrderLinkId invalid');
    const isUsed = listedOrders(this.#market).some((listed) => linkIdOf(listed) === linkId);
    if (isUsed) throw new BybitRefusal(110072);
    return linkId;
  }

  #checkPrice(price: Decimal, side: NewOrder['side'], spec: MarketSpec): void {
    if (price < spec.minPrice || price > spec.maxPrice || price % spec.tickSize !== 0n)
      throw new BybitRefusal(10001, 'Price invalid');
    const { mark } = this.#market.prices(spec.symbol);
    const isTooFar = side === 'BUY' ? price > times(mark, spec.priceUp) : price < times(mark, spec.priceDown);
    if (isTooFar) throw new BybitRefusal(110003);
  }

  #noteOf(parameters: Parameters, spec: MarketSpec, { side, price }: NewOrder): OrderNote {
    const { last, mark } = this.#market.prices(spec.symbol);
    const boundPrice = roundTo(times(mark, side === 'BUY' ? spec.priceUp : spec.priceDown), spec.tickSize);
    const takeProfit = parameters.amount('takeProfit');
    const stopLoss = parameters.amount('stopLoss');
    const base = price ?? last;
    this.#checkExit('TakeProfit', takeProfit, side, base);
    this.#checkExit('StopLoss', stopLoss, side, base);
    return {
      ...(price === undefined ? { boundPrice } : {}),
      ...(takeProfit === undefined ? {} : { takeProfit }),
      ...(stopLoss === undefined ? {} : { stopLoss }),
      closeOnTrigger: parameters.flag('closeOnTrigger'),
      lastPriceOnCreated: last,
    };
  }

  #checkExit(kind: 'TakeProfit' | 'StopLoss', exit: Decimal | undefined, side: NewOrder['side'], base: Decimal): void {
    if (exit === undefined || exit === ZERO) return;
    const mustBeHigher = (side === 'BUY') === (kind === 'TakeProfit');
    if (mustBeHigher ? exit > base : exit < base) return;
    const words = `${side === 'BUY' ? 'Buy' : 'Sell'} position should ${mustBeHigher ? 'higher' : 'lower'} than`;
    throw new BybitRefusal(10001, `${kind}:${toText(exit)} set for ${words} base_price:${toText(base)}??LastPrice`);
  }

  /** What only reduces is cut to what is left to reduce. */
  #place(asked: NewOrder, spec: MarketSpec): ListedOrder {
    const reduces = this.#market.reduces(asked);
    if (!reduces) this.#checkNotional(asked, spec);
    if (this.#market.openOrders(asked.symbol).length >= spec.maxOpenOrders) throw new BybitRefusal(110020);
    const room = reduces ? this.#roomToReduce(asked) : asked.quantity;
    const order = room > ZERO ? { ...asked, quantity: smaller(asked.quantity, room) } : asked;
    try {
      return { order: this.#market.place(order) };
    } catch (error) {
      if (!(error instanceof Refusal) || error.reason !== 'would-take') throw error;
      return { order: cancelAtOnce(this.#market, order) };
    }
  }

  #roomToReduce(order: NewOrder): Decimal {
    const resting = this.#market
      .openOrders(order.symbol)
      .filter((other) => this.#market.reduces(other) && other.side === order.side)
      .filter(({ positionSide }) => positionSide === order.positionSide);
    const spoken = resting.reduce((sum, { quantity, executed }) => plus(sum, minus(quantity, executed)), ZERO);
    return larger(ZERO, minus(this.#market.reducible(order), spoken));
  }

  #checkNotional({ quantity, price, symbol }: NewOrder, { minNotional, quote }: MarketSpec): void {
    const value = times(quantity, price ?? this.#market.prices(symbol).last);
    if (value < minNotional)
      throw new BybitRefusal(110094, `Order does not meet minimum order value ${toText(minNotional)}${quote}`);
  }

  #placeConditional(order: NewOrder, parameters: Parameters): ListedOrder {
    const spec = this.#market.spec(order.symbol);
    const triggerPrice = parameters.amount('triggerPrice') ?? ZERO;
    if (triggerPrice === ZERO || triggerPrice % spec.tickSize !== 0n)
      throw new BybitRefusal(10001, 'TriggerPrice invalid');
    const direction = parameters.integer('triggerDirection');
    if (direction !== 1 && direction !== 2) throw new BybitRefusal(10001, 'TriggerDirection invalid');
    const by = parameters.word('triggerBy', TRIGGER_PRICES, 'LastPrice');
    if (this.#market.stops.waiting(order.symbol).length >= spec.maxOpenStops) throw new BybitRefusal(110009);
    if (!this.#market.reduces(order)) this.#checkNotional(order, spec);
    const { clientOrderId, ...rest } = order;
    const stop: NewStop = {
      ...rest,
      clientStopId: clientOrderId,
      triggerPrice,
      triggerBy: by === 'LastPrice' ? 'LAST' : 'MARK',
      waitsFor: direction === 1 ? 'rise' : 'fall',
      venueType: 'Stop',
    };
    this.#checkNotReached(stop, by);
    return { stop: this.#market.placeStop(stop) };
  }

  #checkNotReached({ symbol, triggerPrice, waitsFor, triggerBy }: NewStop, by: string): void {
    const { last, mark } = this.#market.prices(symbol);
    const price = triggerBy === 'LAST' ? last : mark;
    const text = `trigger_price[${toText(triggerPrice)}]`;
    if (waitsFor === 'rise' && triggerPrice <= price)
      throw new BybitRefusal(110092, `expect Rising, but ${text} <= current[${toText(price)}]??${by}`);
    if (waitsFor === 'fall' && triggerPrice >= price)
      throw new BybitRefusal(110093, `expect Falling, but ${text} >= current[${toText(price)}]??${by}`);
  }

  #find(parameters: Parameters, unknown: string): ListedOrder {
    parameters.checkCategory();
    const { symbol } = parameters.spec(this.#market.specs);
    const id = parameters.text('orderId');
    const linkId = parameters.text('orderLinkId');
    if (id === undefined && linkId === undefined)
      throw new BybitRefusal(10001, 'params error: orderId or orderLinkId is required');
    const found = listedOrders(this.#market).find(
      (listed) => symbolOf(listed) === symbol && (id === undefined ? linkIdOf(listed) === linkId : idOf(listed) === id),
    );
    if (found === undefined || isClosed(found)) throw new BybitRefusal(110001, unknown);
    return found;
  }

  #cancel(listed: ListedOrder): void {
    const number = numberOf(listed);
    this.#notes.set(number, { ...(this.#notes.get(number) ?? { lastPriceOnCreated: ZERO }), isCancelledByUser: true });
    if (listed.order !== undefined) this.#market.cancel(listed.order);
    else if (listed.stop !== undefined) this.#market.stops.cancel(listed.stop);
  }
}

function checkQuantity(quantity: Decimal, most: Decimal, { stepSize, minQuantity }: MarketSpec): void {
  if (quantity === ZERO || quantity % stepSize !== 0n) throw new BybitRefusal(10001, 'Qty invalid');
  if (quantity < minQuantity) throw new BybitRefusal(10001, 'The number of contracts exceeds minimum limit allowed');
  if (quantity > most)
    throw new BybitRefusal(10001, 'The number of contracts exceeds maximum limit allowed: too large');
}

function inBybitCodes<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const [code, text] = CODES[error.reason];
    throw new BybitRefusal(code, text);
  }
}
