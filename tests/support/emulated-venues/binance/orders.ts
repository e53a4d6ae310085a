// Binance's ordinary orders: new, tested, amended, asked for, listed and cancelled. Conditional orders are not among them.
//
// A client order id must be unique among the OPEN orders alone: one that has filled or ended may be used again, and two
// market orders with one id are two trades. The venue's refusal of a duplicate is therefore no protection from doubling.

import { ZERO } from '../../../../src/trading/decimal.ts';
import { type FuturesOrder, isOpen, type NewOrder } from '../futures-order.ts';
import type { MatchingMarket } from '../matching-market.ts';
import { refuse } from './errors.ts';
import { checkPrice, checkQuantity } from './filters.ts';
import { newOrderText, orderText, tradeText } from './order-text.ts';
import type { Parameters } from './parameters.ts';
import { requestedOrder, specOf } from './request-order.ts';
import { isWithin, timeWindowOf } from './time-window.ts';

const DAY_MS = 86_400_000;
/** An order that ended without a trade is forgotten after this, every other one after the second. */
const KEPT_UNFILLED_MS = 3 * DAY_MS;
const KEPT_MS = 90 * DAY_MS;
/** Trades are listed for six months. */
const TRADES_KEPT_MS = 180 * DAY_MS;

export class BinanceOrders {
  /** Above zero: an order can only be asked for so long after it was taken, as happens when the venue is busy. */
  queryDelayMs = 0;
  readonly #market: MatchingMarket;
  #lastMadeId = 0;

  constructor(market: MatchingMarket) {
    this.#market = market;
  }

  place(parameters: Parameters): unknown {
    const kind = parameters.text('newOrderRespType') ?? 'ACK';
    if (kind !== 'ACK' && kind !== 'RESULT') throw refuse('-1136');
    const order = this.#market.place(this.#checked(parameters));
    return newOrderText(order, this.#market.spec(order.symbol), kind === 'ACK');
  }

  /** Every check of `place`, and no order. */
  test(parameters: Parameters): unknown {
    this.#market.check(this.#checked(parameters));
    return {};
  }

  #checked(parameters: Parameters): NewOrder {
    const request = this.#sized(requestedOrder(this.#market, parameters, () => `venue-${++this.#lastMadeId}`));
    const open = this.#market.openOrders(request.symbol);
    if (open.some(({ clientOrderId }) => clientOrderId === request.clientOrderId)) throw refuse('-4116');
    if (open.length >= this.#market.spec(request.symbol).maxOpenOrders) throw refuse('-2025');
    if (request.timeInForce === 'FOK' && !this.#market.fillsWhole(request)) throw refuse('-5021');
    return request;
  }

  /** A reduce-only order is made as small as the position; in hedge mode one that is larger is refused. */
  #sized(request: NewOrder): NewOrder {
    const held = this.#market.reducible(request);
    if (!this.#market.reduces(request) || held === ZERO || request.quantity <= held) return request;
    if (request.positionSide !== 'BOTH') throw refuse('-2022');
    return { ...request, quantity: held };
  }

  amend(parameters: Parameters): unknown {
    const spec = specOf(this.#market, parameters);
    const order = this.#find(parameters);
    if (order === undefined || !isOpen(order) || order.price === undefined) throw refuse('-2013');
    const change = { quantity: checkQuantity(spec, parameters, false), price: checkPrice(spec, parameters) };
    if (change.quantity === order.quantity && change.price === order.price) throw refuse('-5027');
    if (change.quantity <= order.executed) this.#market.cancel(order);
    else this.#market.amend(order, change);
    return orderText(order, spec);
  }

  query(parameters: Parameters): unknown {
    const spec = specOf(this.#market, parameters);
    const order = this.#find(parameters);
    if (order === undefined || !this.#isVisible(order)) throw refuse('-2013');
    return orderText(order, spec);
  }

  cancel(parameters: Parameters): unknown {
    const spec = specOf(this.#market, parameters);
    const order = this.#find(parameters);
    if (order === undefined || !isOpen(order)) throw refuse('-2011');
    this.#market.cancel(order);
    return orderText(order, spec);
  }

  cancelAll(parameters: Parameters): unknown {
    const { symbol } = specOf(this.#market, parameters);
    for (const order of this.#market.openOrders(symbol)) this.#market.cancel(order);
    return { code: 200, msg: 'The operation of cancel all open order is done.' };
  }

  listOpen(parameters: Parameters): unknown {
    const symbol = parameters.has('symbol') ? specOf(this.#market, parameters).symbol : undefined;
    const open = this.#market.openOrders(symbol).filter((order) => this.#isVisible(order));
    return open.map((order) => orderText(order, this.#market.spec(order.symbol)));
  }

  listAll(parameters: Parameters): unknown {
    const spec = specOf(this.#market, parameters);
    const limit = parameters.limit(500, 1000);
    const window = timeWindowOf(parameters, this.#market.nowMs());
    const fromId = parameters.integer('orderId');
    const orders = this.#market.orders.filter(
      (order) =>
        order.symbol === spec.symbol &&
        this.#isVisible(order) &&
        (fromId === undefined ? isWithin(order.createdMs, window) : order.orderId >= fromId),
    );
    const page = fromId === undefined ? orders.slice(-limit) : orders.slice(0, limit);
    return page.map((order) => orderText(order, spec));
  }

  listTrades(parameters: Parameters): unknown {
    const spec = specOf(this.#market, parameters);
    const limit = parameters.limit(500, 1000);
    const fromId = parameters.integer('fromId');
    const isWindowed = parameters.has('startTime') || parameters.has('endTime');
    if (fromId !== undefined && isWindowed) throw refuse('-1128');
    const window = timeWindowOf(parameters, this.#market.nowMs());
    const orderId = parameters.integer('orderId');
    const found = this.#market.orders
      .filter((order) => order.symbol === spec.symbol && (orderId === undefined || order.orderId === orderId))
      .flatMap((order) => order.trades.map((trade) => ({ order, trade })))
      .filter(({ trade }) => trade.atMs >= this.#market.nowMs() - TRADES_KEPT_MS)
      .filter(({ trade }) => (fromId === undefined ? isWithin(trade.atMs, window) : trade.tradeId >= fromId))
      .sort((a, b) => a.trade.tradeId - b.trade.tradeId);
    // Without a start the newest are told, with one the oldest: whoever pages goes on from the last he got.
    const page = fromId === undefined && !parameters.has('startTime') ? found.slice(-limit) : found.slice(0, limit);
    return page.map(({ order, trade }) => tradeText(order, trade, spec));
  }

  /** Orders that the venue itself has placed. */
  listForced(parameters: Parameters): unknown {
    const limit = parameters.limit(50, 100);
    const window = timeWindowOf(parameters, this.#market.nowMs());
    const symbol = parameters.text('symbol');
    return this.#market.orders
      .filter(({ forced, createdMs }) => forced !== undefined && isWithin(createdMs, window))
      .filter((order) => symbol === undefined || order.symbol === symbol)
      .slice(-limit)
      .map((order) => orderText(order, this.#market.spec(order.symbol)));
  }

  /** Of several orders with one client id, the last. */
  #find(parameters: Parameters): FuturesOrder | undefined {
    const [orderId, clientOrderId] = [parameters.integer('orderId'), parameters.text('origClientOrderId')];
    if (orderId === undefined && clientOrderId === undefined) throw refuse('-1104', 'origClientOrderId', 'orderId');
    const symbol = parameters.text('symbol');
    return this.#market.orders.findLast(
      (order) =>
        order.symbol === symbol &&
        (orderId === undefined ? order.clientOrderId === clientOrderId : order.orderId === orderId),
    );
  }

  #isVisible(order: FuturesOrder): boolean {
    const ageMs = this.#market.nowMs() - order.createdMs;
    if (ageMs < this.queryDelayMs) return false;
    const endedUnfilled = !isOpen(order) && order.trades.length === 0;
    return ageMs <= (endedUnfilled ? KEPT_UNFILLED_MS : KEPT_MS);
  }
}
