// The little of Binance's spot interface that tests need: two currencies a market, market and limit orders, balances.
//
// It shares its prices with the futures market. Its refusals are those of the spot interface: filters by name (-1013),
// everything the matching engine says under one code (-2010).

import {
  type Decimal,
  decimal,
  minus,
  type Product,
  plus,
  product,
  quotient,
  rounded,
  times,
  toText,
  ZERO,
} from '../../../../src/trading/decimal.ts';
import type { MarketSpec } from '../market-spec.ts';
import type { MatchingMarket } from '../matching-market.ts';
import { refuse } from './errors.ts';
import { money } from './number-text.ts';
import type { Parameters } from './parameters.ts';
import { clientIdOf, sideOf, specOf, timeInForceOf } from './request-order.ts';

interface SpotOrder {
  readonly orderId: number;
  readonly clientOrderId: string;
  readonly symbol: string;
  readonly side: 'BUY' | 'SELL';
  readonly quantity: Decimal;
  readonly price: Decimal | undefined;
  readonly timeInForce: string;
  readonly createdMs: number;
  status: 'NEW' | 'FILLED' | 'CANCELED' | 'EXPIRED';
  executed: Decimal;
  executedValue: Product;
  fee: Decimal;
  updatedMs: number;
}

const FEE = decimal('0.001');

export class SpotWallet {
  /** What is free; what resting orders need is taken out of it. */
  readonly free = new Map<string, Decimal>();
  readonly orders: SpotOrder[] = [];
  readonly #market: MatchingMarket;

  constructor(market: MatchingMarket) {
    this.#market = market;
    this.free.set('USDT', decimal('10000'));
    market.listen((event) => {
      if (event.type === 'price') for (const order of this.#open(event.symbol)) this.#match(order, order.price);
    });
  }

  exchangeInfo(): unknown {
    const symbols = [...this.#market.specs.values()].map((spec) => ({
      symbol: spec.symbol,
      status: 'TRADING',
      baseAsset: spec.base,
      baseAssetPrecision: 8,
      quoteAsset: spec.quote,
      quotePrecision: 8,
      quoteAssetPrecision: 8,
      orderTypes: ['LIMIT', 'MARKET'],
      isSpotTradingAllowed: true,
      isMarginTradingAllowed: false,
      filters: spotFiltersOf(spec),
      permissions: [],
      permissionSets: [['SPOT']],
    }));
    return { timezone: 'UTC', serverTime: this.#market.nowMs(), rateLimits: [], exchangeFilters: [], symbols };
  }

  account(): unknown {
    const locked = this.#locked();
    const assets = new Set([...this.free.keys(), ...locked.keys()]);
    const balances = [...assets].map((asset) => ({
      asset,
      free: money(this.free.get(asset) ?? ZERO),
      locked: money(locked.get(asset) ?? ZERO),
    }));
    return {
      canTrade: true,
      canWithdraw: true,
      canDeposit: true,
      accountType: 'SPOT',
      balances,
      permissions: ['SPOT'],
    };
  }

  place(parameters: Parameters): unknown {
    const order = this.#requested(parameters);
    this.#take(order.side === 'BUY' ? this.#spec(order).quote : this.#spec(order).base, this.#cost(order));
    this.orders.push(order);
    this.#match(order, undefined);
    if (order.status === 'NEW' && (order.price === undefined || order.timeInForce !== 'GTC'))
      this.#end(order, 'EXPIRED');
    return this.#text(order);
  }

  test(parameters: Parameters): unknown {
    this.#requested(parameters);
    return {};
  }

  query(parameters: Parameters): unknown {
    const order = this.#find(parameters);
    if (order === undefined) throw refuse('-2013');
    return this.#text(order);
  }

  cancel(parameters: Parameters): unknown {
    const order = this.#find(parameters);
    if (order?.status !== 'NEW') throw refuse('-2011');
    this.#end(order, 'CANCELED');
    return this.#text(order);
  }

  listOpen(parameters: Parameters): unknown {
    return this.#open(parameters.text('symbol')).map((order) => this.#text(order));
  }

  #requested(parameters: Parameters): SpotOrder {
    const spec = specOf(this.#market, parameters);
    const side = sideOf(parameters);
    const type = parameters.requiredText('type');
    if (type !== 'MARKET' && type !== 'LIMIT') throw refuse('-1116');
    const isMarket = type === 'MARKET';
    const quantity = parameters.requiredDecimal('quantity');
    const price = isMarket ? undefined : parameters.requiredDecimal('price');
    const timeInForce = isMarket ? 'GTC' : timeInForceOf(parameters);
    checkFilters(spec, quantity, price, price ?? this.#best(spec.symbol, side));
    const clientOrderId = clientIdOf(parameters, 'newClientOrderId') ?? `spot-${this.orders.length + 1}`;
    if (this.#open().some((order) => order.clientOrderId === clientOrderId))
      throw refuse('-2010', 'Duplicate order sent.');
    const nowMs = this.#market.nowMs();
    const common = { orderId: this.orders.length + 1, clientOrderId, symbol: spec.symbol, side, quantity, price };
    const traded = { executed: ZERO, executedValue: 0n as Product, fee: ZERO };
    const order: SpotOrder = { ...common, ...traded, timeInForce, status: 'NEW', createdMs: nowMs, updatedMs: nowMs };
    const asset = side === 'BUY' ? spec.quote : spec.base;
    if ((this.free.get(asset) ?? ZERO) < this.#cost(order))
      throw refuse('-2010', 'Account has insufficient balance for requested action.');
    return order;
  }

  /** What an order takes out of the free balance, in the currency that it pays with. */
  #cost({ side, quantity, price, symbol }: SpotOrder): Decimal {
    return side === 'SELL' ? quantity : rounded(product(quantity, price ?? this.#best(symbol, side)));
  }

  #match(order: SpotOrder, atPrice: Decimal | undefined): void {
    const best = this.#best(order.symbol, order.side);
    const reaches = order.price === undefined || (order.side === 'BUY' ? order.price >= best : order.price <= best);
    if (!reaches) return;
    const paid = this.#cost(order);
    const price = atPrice ?? best;
    const { base, quote } = this.#spec(order);
    const value = rounded(product(order.quantity, price));
    order.executed = order.quantity;
    order.executedValue = product(order.quantity, price);
    order.status = 'FILLED';
    order.updatedMs = this.#market.nowMs();
    // The fee is kept back from what the order gets.
    order.fee = times(order.side === 'BUY' ? order.quantity : value, FEE);
    if (order.side === 'BUY') {
      this.#take(base, minus(order.fee, order.quantity));
      this.#take(quote, minus(value, paid));
    } else this.#take(quote, minus(order.fee, value));
  }

  #end(order: SpotOrder, status: 'CANCELED' | 'EXPIRED'): void {
    const { base, quote } = this.#spec(order);
    order.status = status;
    order.updatedMs = this.#market.nowMs();
    this.#take(order.side === 'BUY' ? quote : base, minus(ZERO, this.#cost(order)));
  }

  #take(asset: string, amount: Decimal): void {
    this.free.set(asset, minus(this.free.get(asset) ?? ZERO, amount));
  }

  #locked(): Map<string, Decimal> {
    const locked = new Map<string, Decimal>();
    for (const order of this.#open()) {
      const asset = order.side === 'BUY' ? this.#spec(order).quote : this.#spec(order).base;
      locked.set(asset, plus(locked.get(asset) ?? ZERO, this.#cost(order)));
    }
    return locked;
  }

  #open(symbol?: string): SpotOrder[] {
    return this.orders.filter((order) => order.status === 'NEW' && (symbol === undefined || order.symbol === symbol));
  }

  #find(parameters: Parameters): SpotOrder | undefined {
    const { symbol } = specOf(this.#market, parameters);
    const [orderId, clientId] = [parameters.integer('orderId'), parameters.text('origClientOrderId')];
    if (orderId === undefined && clientId === undefined) throw refuse('-1104', 'origClientOrderId', 'orderId');
    return this.orders.findLast(
      (order) =>
        order.symbol === symbol &&
        (orderId === undefined ? order.clientOrderId === clientId : order.orderId === orderId),
    );
  }

  #spec({ symbol }: SpotOrder): MarketSpec {
    return this.#market.spec(symbol);
  }

  #best(symbol: string, side: 'BUY' | 'SELL'): Decimal {
    const { bid, ask } = this.#market.prices(symbol);
    return side === 'BUY' ? ask : bid;
  }

  #text(order: SpotOrder): Record<string, unknown> {
    const { base, quote } = this.#spec(order);
    const isFilled = order.status === 'FILLED';
    const price = isFilled ? money(quotient(order.executedValue, order.executed)) : '0.00000000';
    const commissionAsset = order.side === 'BUY' ? base : quote;
    const fill = {
      price,
      qty: money(order.executed),
      commission: money(order.fee),
      commissionAsset,
      tradeId: order.orderId,
    };
    return {
      symbol: order.symbol,
      orderId: order.orderId,
      orderListId: -1,
      clientOrderId: order.clientOrderId,
      transactTime: order.updatedMs,
      price: money(order.price ?? ZERO),
      origQty: money(order.quantity),
      executedQty: money(order.executed),
      cummulativeQuoteQty: money(rounded(order.executedValue)),
      status: order.status,
      timeInForce: order.timeInForce,
      type: order.price === undefined ? 'MARKET' : 'LIMIT',
      side: order.side,
      time: order.createdMs,
      updateTime: order.updatedMs,
      isWorking: true,
      fills: isFilled ? [fill] : [],
    };
  }
}

function checkFilters(spec: MarketSpec, quantity: Decimal, price: Decimal | undefined, value: Decimal): void {
  if (quantity < spec.minQuantity || quantity % spec.stepSize !== 0n) throw refuse('-1013', 'LOT_SIZE');
  if (price !== undefined && (price < spec.minPrice || price % spec.tickSize !== 0n))
    throw refuse('-1013', 'PRICE_FILTER');
  if (times(quantity, value) < spec.minNotional) throw refuse('-1013', 'NOTIONAL');
}

function spotFiltersOf(spec: MarketSpec): unknown[] {
  const [minPrice, maxPrice, tickSize] = [spec.minPrice, spec.maxPrice, spec.tickSize].map(toText);
  const [minQty, maxQty, stepSize] = [spec.minQuantity, spec.maxQuantity, spec.stepSize].map(toText);
  return [
    { filterType: 'PRICE_FILTER', minPrice, maxPrice, tickSize },
    { filterType: 'LOT_SIZE', minQty, maxQty, stepSize },
    { filterType: 'NOTIONAL', minNotional: toText(spec.minNotional), applyMinToMarket: true },
  ];
}
