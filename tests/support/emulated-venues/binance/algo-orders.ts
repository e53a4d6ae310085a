// Binance's conditional orders, which have an interface of their own since December 2025: the ordinary query, list and
// cancel do not know them. When one triggers, an ordinary order with the same client id appears.

import { type Decimal, decimal, over, toText, ZERO } from '../../../../src/trading/decimal.ts';
import type { NewStop, StopOrder, TimeInForce } from '../futures-order.ts';
import type { MarketSpec } from '../market-spec.ts';
import type { MatchingMarket } from '../matching-market.ts';
import { refuse } from './errors.ts';
import { checkNotional, checkPrice, checkQuantity, pricePrecisionOf, quantityPrecisionOf } from './filters.ts';
import { padded } from './number-text.ts';
import { averagePriceOf } from './order-text.ts';
import type { Parameters } from './parameters.ts';
import {
  CONDITIONAL_TYPES,
  clientIdOf,
  positionSideOf,
  reduceOnlyOf,
  sideOf,
  specOf,
  timeInForceOf,
} from './request-order.ts';
import { isWithin, timeWindowOf } from './time-window.ts';

const MOST_OPEN = 200;
const CALLBACK_PERCENT = { least: decimal('0.1'), most: decimal('10') };

export class AlgoOrders {
  readonly #market: MatchingMarket;
  #lastMadeId = 0;

  constructor(market: MatchingMarket) {
    this.#market = market;
  }

  place(parameters: Parameters): unknown {
    if (parameters.requiredText('algoType') !== 'CONDITIONAL') throw refuse('-1130', 'algoType');
    const request = this.#requested(parameters);
    const open = this.#market.stops.waiting();
    if (open.some(({ clientStopId }) => clientStopId === request.clientStopId)) throw refuse('-4116');
    if (open.filter(({ symbol }) => symbol === request.symbol).length >= MOST_OPEN) throw refuse('-4045');
    if (request.quantity === undefined) this.#checkCloses(request, open);
    return algoText(this.#market.placeStop(request), this.#market.spec(request.symbol));
  }

  #requested(parameters: Parameters): NewStop {
    const spec = specOf(this.#market, parameters);
    const side = sideOf(parameters);
    const venueType = parameters.requiredText('type');
    if (!CONDITIONAL_TYPES.includes(venueType)) throw refuse('-1116');
    const positionSide = positionSideOf(this.#market, parameters);
    const isLimit = venueType === 'STOP' || venueType === 'TAKE_PROFIT';
    const timeInForce: TimeInForce = !isLimit
      ? 'IOC'
      : parameters.has('timeInForce')
        ? timeInForceOf(parameters)
        : 'GTC';
    const price = isLimit ? checkPrice(spec, parameters) : undefined;
    const isTakeProfit = venueType.startsWith('TAKE_PROFIT');
    const common = {
      clientStopId: clientIdOf(parameters, 'clientAlgoId') ?? `algo-${++this.#lastMadeId}`,
      symbol: spec.symbol,
      side,
      positionSide,
      triggerBy: workingTypeOf(parameters),
      waitsFor: isTakeProfit === (side === 'SELL') ? ('rise' as const) : ('fall' as const),
      timeInForce,
      venueType,
      ...(price === undefined ? {} : { price }),
      ...this.#trigger(parameters, spec, venueType),
    };
    if (parameters.flag('closePosition') === true) return { ...common, ...wholePosition(parameters, venueType) };
    const reduceOnly = reduceOnlyOf(this.#market, parameters);
    const quantity = checkQuantity(spec, parameters, !isLimit);
    if (!this.#market.reduces({ positionSide, side, reduceOnly }))
      checkNotional(this.#market, spec.symbol, quantity, price ?? common.triggerPrice);
    return { ...common, reduceOnly, quantity };
  }

  /** The venue does not hold trigger prices to the tick, only to the decimals. */
  #trigger(parameters: Parameters, spec: MarketSpec, type: string): Pick<NewStop, 'triggerPrice' | 'callbackRate'> {
    if (type !== 'TRAILING_STOP_MARKET') {
      const triggerPrice = parameters.requiredDecimal('triggerPrice');
      if (triggerPrice === ZERO) throw refuse('-4006');
      if (parameters.decimalsOf('triggerPrice') > pricePrecisionOf(spec)) throw refuse('-1111');
      return { triggerPrice };
    }
    const percent = parameters.requiredDecimal('callbackRate');
    if (percent < CALLBACK_PERCENT.least || percent > CALLBACK_PERCENT.most) throw refuse('-2007');
    const { last, mark } = this.#market.prices(spec.symbol);
    const watched = workingTypeOf(parameters) === 'MARK' ? mark : last;
    return { triggerPrice: parameters.decimal('activatePrice') ?? watched, callbackRate: over(percent, decimal(100)) };
  }

  /** There must be a position, and only one stop and one take profit of this kind on it. */
  #checkCloses(request: NewStop, open: readonly StopOrder[]): void {
    if (this.#market.reducible(request) === ZERO) throw refuse('-4509');
    const isTaken = open.some(
      (stop) =>
        stop.quantity === undefined &&
        stop.symbol === request.symbol &&
        stop.side === request.side &&
        stop.positionSide === request.positionSide &&
        stop.venueType === request.venueType,
    );
    if (isTaken) throw refuse('-4130');
  }

  query(parameters: Parameters): unknown {
    const stop = this.#find(parameters);
    if (stop === undefined) throw refuse('-2013');
    return algoText(stop, this.#market.spec(stop.symbol));
  }

  cancel(parameters: Parameters): unknown {
    const stop = this.#find(parameters);
    if (stop === undefined || stop.status !== 'NEW') throw refuse('-2011');
    this.#market.stops.cancel(stop);
    return { algoId: stop.stopId, clientAlgoId: stop.clientStopId, code: '200', msg: 'success' };
  }

  cancelAll(parameters: Parameters): unknown {
    const { symbol } = specOf(this.#market, parameters);
    for (const stop of this.#market.stops.waiting(symbol)) this.#market.stops.cancel(stop);
    return { code: 200, msg: 'The operation of cancel all open order is done.' };
  }

  listOpen(parameters: Parameters): unknown {
    const symbol = parameters.has('symbol') ? specOf(this.#market, parameters).symbol : undefined;
    return this.#market.stops.waiting(symbol).map((stop) => algoText(stop, this.#market.spec(stop.symbol)));
  }

  listAll(parameters: Parameters): unknown {
    const spec = specOf(this.#market, parameters);
    const limit = parameters.limit(500, 1000);
    const window = timeWindowOf(parameters, this.#market.nowMs());
    const fromId = parameters.integer('algoId') ?? 0;
    const found = this.#market.stops.all.filter(
      ({ symbol, createdMs, stopId }) => symbol === spec.symbol && isWithin(createdMs, window) && stopId >= fromId,
    );
    return found.slice(-limit).map((stop) => algoText(stop, spec));
  }

  #find(parameters: Parameters): StopOrder | undefined {
    const [algoId, clientAlgoId] = [parameters.integer('algoId'), parameters.text('clientAlgoId')];
    if (algoId === undefined && clientAlgoId === undefined) throw refuse('-1104', 'clientAlgoId', 'algoId');
    return this.#market.stops.all.findLast(({ stopId, clientStopId }) =>
      algoId === undefined ? clientStopId === clientAlgoId : stopId === algoId,
    );
  }
}

function workingTypeOf(parameters: Parameters): 'MARK' | 'LAST' {
  const value = parameters.text('workingType') ?? 'CONTRACT_PRICE';
  if (value !== 'MARK_PRICE' && value !== 'CONTRACT_PRICE') throw refuse('-4031', value);
  return value === 'MARK_PRICE' ? 'MARK' : 'LAST';
}

function wholePosition(parameters: Parameters, type: string): { readonly reduceOnly: boolean } {
  if (type !== 'STOP_MARKET' && type !== 'TAKE_PROFIT_MARKET') throw refuse('-4136', type);
  if (parameters.has('quantity')) throw refuse('-4137');
  if (parameters.has('reduceOnly')) throw refuse('-1106', 'reduceonly');
  return { reduceOnly: true };
}

export function algoText(stop: StopOrder, spec: MarketSpec): Record<string, unknown> {
  const price = (value: Decimal | undefined): string => padded(value ?? ZERO, pricePrecisionOf(spec));
  const isTrailing = stop.callbackRate !== undefined;
  return {
    algoId: stop.stopId,
    clientAlgoId: stop.clientStopId,
    algoType: 'CONDITIONAL',
    orderType: stop.venueType,
    symbol: stop.symbol,
    side: stop.side,
    positionSide: stop.positionSide,
    timeInForce: stop.quantity === undefined ? 'GTE_GTC' : stop.price === undefined ? 'GTC' : stop.timeInForce,
    quantity: padded(stop.quantity ?? ZERO, quantityPrecisionOf(spec)),
    algoStatus: stop.status,
    actualOrderId: stop.order === undefined ? '' : String(stop.order.orderId),
    actualPrice: price(stop.order === undefined ? undefined : averagePriceOf(stop.order)),
    triggerPrice: price(isTrailing ? undefined : stop.triggerPrice),
    price: price(stop.price),
    icebergQuantity: null,
    selfTradePreventionMode: 'EXPIRE_MAKER',
    workingType: stop.triggerBy === 'MARK' ? 'MARK_PRICE' : 'CONTRACT_PRICE',
    priceMatch: 'NONE',
    closePosition: stop.quantity === undefined,
    priceProtect: false,
    reduceOnly: stop.reduceOnly,
    ...(isTrailing
      ? { activatePrice: price(stop.triggerPrice), callbackRate: toText(over(stop.callbackRate!, decimal('0.01'))) }
      : {}),
    createTime: stop.createdMs,
    updateTime: stop.updatedMs,
    triggerTime: stop.triggeredMs,
    goodTillDate: 0,
  };
}
