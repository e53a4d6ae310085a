// A small deterministic futures market: the test sets the prices, and orders, stops, positions and margin follow from them.
//
// There is one account in it, and everybody else is the liquidity at bid and ask (see venue-accounts.ts for venues with several). Market orders take from it, limit orders take
// or rest until the price comes to them, stops wait for the last or the mark price. A new price is worked through in this
// order: resting orders, stops, liquidations.

import { foregroundTimers, type Timers } from '../../../src/timing/timers.ts';
import {
  absolute,
  type Decimal,
  decimal,
  minus,
  type Product,
  plus,
  product,
  rounded,
  smaller,
  times,
  ZERO,
} from '../../../src/trading/decimal.ts';
import { FuturesAccount, type FuturesPosition } from './futures-account.ts';
import {
  type FuturesOrder,
  isOpen,
  type MarketEvent,
  type NewOrder,
  type NewStop,
  type OrderStatus,
  Refusal,
  type Side,
  type StopOrder,
  type Trade,
} from './futures-order.ts';
import { DEFAULT_MARKETS, type MarketSpec } from './market-spec.ts';
import { OrderAdmission } from './order-admission.ts';
import { StopBook } from './stop-book.ts';

export interface Prices {
  readonly last: Decimal;
  readonly mark: Decimal;
  readonly bid: Decimal;
  readonly ask: Decimal;
  /** When bid and ask were so, by the venue's clock; undefined is now, whenever somebody asks. */
  readonly quotedAtMs: number | undefined;
}

/** Decimal texts. What is left out follows from `last`: the mark is the same, bid and ask are a tick away. */
export interface PriceInput {
  readonly last: string;
  readonly mark?: string;
  readonly bid?: string;
  readonly ask?: string;
  /** Of a venue whose prices stand still from then on. */
  readonly quotedAtMs?: number;
}

export interface MatchingMarketOptions {
  readonly nowMs?: () => number;
  readonly timers?: Timers;
  readonly specs?: readonly MarketSpec[];
  /** USDT at the start. */
  readonly wallet?: string;
  readonly makerFee?: string;
  readonly takerFee?: string;
  /** Orders, stops and trades are numbered from here: no two of a venue have one number. */
  readonly idsFrom?: number;
  /** What the venue calls its own order that liquidates a position. */
  readonly liquidationId?: (nowMs: number) => string;
}

const FIRST_ORDER_ID = 4_000_000_001;

export class MatchingMarket {
  readonly specs: ReadonlyMap<string, MarketSpec>;
  readonly account: FuturesAccount;
  /** Every order there was, oldest first. */
  readonly orders: FuturesOrder[] = [];
  readonly stops: StopBook;
  readonly makerFee: Decimal;
  readonly takerFee: Decimal;
  /** Above zero: an order is acknowledged unfilled and matched so many ms later. */
  fillDelayMs = 0;
  readonly nowMs: () => number;
  readonly idsFrom: number;
  readonly #admission: OrderAdmission;
  readonly #timers: Timers;
  readonly #liquidationId: (nowMs: number) => string;
  readonly #prices = new Map<string, Prices>();
  /** How much can still be taken at bid or ask; absent means without end. */
  readonly #liquidity = new Map<string, Decimal>();
  readonly #maxTrade = new Map<string, Decimal>();
  readonly #listeners = new Set<(event: MarketEvent) => void>();
  /** Orders that are acknowledged and not yet matched, and how to take back that they will be. */
  readonly #delayed = new Map<FuturesOrder, () => void>();
  #lastTradeId: number;

  constructor(options: MatchingMarketOptions = {}) {
    this.nowMs = options.nowMs ?? Date.now;
    this.idsFrom = options.idsFrom ?? 0;
    this.#lastTradeId = this.idsFrom;
    this.#timers = options.timers ?? foregroundTimers;
    this.specs = new Map((options.specs ?? DEFAULT_MARKETS).map((spec) => [spec.symbol, spec]));
    this.makerFee = decimal(options.makerFee ?? '0.0002');
    this.takerFee = decimal(options.takerFee ?? '0.0005');
    this.#liquidationId = options.liquidationId ?? ((nowMs) => `autoclose-${nowMs}`);
    const wallet = decimal(options.wallet ?? '100000');
    this.account = new FuturesAccount(this.specs, wallet, (symbol) => this.prices(symbol).mark);
    this.#admission = new OrderAdmission(this);
    this.stops = new StopBook(this);
  }

  /** Forgets what was still to happen. */
  close(): void {
    for (const takeBack of this.#delayed.values()) takeBack();
    this.#delayed.clear();
    this.#listeners.clear();
  }

  listen(listener: (event: MarketEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  emit(event: MarketEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  spec(symbol: string): MarketSpec {
    const spec = this.specs.get(symbol);
    if (spec === undefined) throw new Error(`there is no market ${symbol}; give it to the market as one of its specs`);
    return spec;
  }

  setPrice(symbol: string, input: string | PriceInput): void {
    const { tickSize } = this.spec(symbol);
    const given: PriceInput = typeof input === 'string' ? { last: input } : input;
    const last = decimal(given.last);
    this.#move(symbol, {
      last,
      mark: given.mark === undefined ? last : decimal(given.mark),
      bid: given.bid === undefined ? minus(last, tickSize) : decimal(given.bid),
      ask: given.ask === undefined ? plus(last, tickSize) : decimal(given.ask),
      quotedAtMs: given.quotedAtMs,
    });
  }

  /** From now on this one's prices are those of the other. */
  follow(other: MatchingMarket): void {
    for (const symbol of other.#prices.keys()) this.#move(symbol, other.prices(symbol));
    other.listen((event) => {
      if (event.type === 'price') this.#move(event.symbol, other.prices(event.symbol));
    });
  }

  #move(symbol: string, prices: Prices): void {
    this.#prices.set(symbol, prices);
    for (const order of this.openOrders(symbol)) this.#match(order);
    this.stops.pricesMoved(symbol);
    this.#liquidate();
    this.emit({ type: 'price', symbol });
  }

  /** Throws before the first price. */
  prices(symbol: string): Prices {
    const prices = this.#prices.get(symbol);
    if (prices === undefined) throw new Refusal('no-price');
    return prices;
  }

  hasPrice(symbol: string): boolean {
    return this.#prices.has(symbol);
  }

  /** From now on only so much can be taken, until this is said again; without a quantity there is no bound. */
  setLiquidity(symbol: string, quantity?: string): void {
    if (quantity === undefined) this.#liquidity.delete(symbol);
    else this.#liquidity.set(symbol, decimal(quantity));
    for (const order of this.openOrders(symbol)) this.#match(order);
  }

  /** From now on no single trade is larger, so that an order fills in several. */
  setMaxTrade(symbol: string, quantity?: string): void {
    if (quantity === undefined) this.#maxTrade.delete(symbol);
    else this.#maxTrade.set(symbol, decimal(quantity));
  }

  nextOrderId(): number {
    return FIRST_ORDER_ID + this.idsFrom + this.orders.length;
  }

  openOrders(symbol?: string): FuturesOrder[] {
    return this.orders.filter((order) => isOpen(order) && (symbol === undefined || order.symbol === symbol));
  }

  /** Throws a `Refusal` where it is not taken; then there is no order. */
  place(request: NewOrder, origin: { stopId?: number; forced?: 'liquidation' } = {}): FuturesOrder {
    this.check(request);
    const nowMs = this.nowMs();
    const order: FuturesOrder = {
      ...request,
      orderId: this.nextOrderId(),
      createdMs: nowMs,
      updatedMs: nowMs,
      stopId: origin.stopId,
      forced: origin.forced,
      trades: [],
      status: 'NEW',
      executed: ZERO,
      executedValue: 0n as Product,
    };
    this.orders.push(order);
    this.emit({ type: 'order', change: 'new', order });
    if (this.fillDelayMs > 0 && origin.forced === undefined) this.#delay(order);
    else this.#enter(order);
    return order;
  }

  /** Says no as `place` would, and changes nothing. */
  check(request: NewOrder): void {
    this.#admission.check(request);
  }

  cancel(order: FuturesOrder): void {
    if (isOpen(order)) this.#end(order, 'CANCELED');
  }

  /** What waits behind `fillDelayMs` meets the market now. */
  matchNow(order: FuturesOrder): void {
    this.#delayed.get(order)?.();
    this.#delayed.delete(order);
    this.#enter(order);
  }

  /** Of a resting order; what it has filled already stays. */
  amend(order: FuturesOrder, change: { readonly quantity: Decimal; readonly price: Decimal }): void {
    this.#admission.checkMargin({ ...order, quantity: minus(change.quantity, order.executed), price: change.price });
    Object.assign(order, change, { updatedMs: this.nowMs() });
    this.#match(order);
  }

  setLeverage(symbol: string, leverage: number): void {
    this.account.settings(symbol).leverage = leverage;
    this.emit({ type: 'leverage', symbol, leverage });
  }

  payFunding(symbol: string, rate: string): void {
    if (this.account.heldPositions(symbol).length === 0) return;
    this.account.payFunding(symbol, decimal(rate), this.nowMs());
    this.emit({ type: 'account', symbol, reason: 'FUNDING_FEE' });
  }

  deposit(amount: string): void {
    this.account.deposit(decimal(amount), this.nowMs());
    this.emit({ type: 'account', symbol: '', reason: 'DEPOSIT' });
  }

  /** What new orders may bind. */
  available(): Decimal {
    return this.#admission.available();
  }

  orderMargin(order: FuturesOrder): Decimal {
    return this.#admission.orderMargin(order);
  }

  /** Whether an order can only make a position smaller: by its word, or in hedge mode by its sides. */
  reduces(order: Pick<NewOrder, 'positionSide' | 'side' | 'reduceOnly'>): boolean {
    return this.#admission.reduces(order);
  }

  /** How much of a position an order of this side can take away, whatever else rests. */
  reducible(order: Pick<NewOrder, 'symbol' | 'positionSide' | 'side'>): Decimal {
    return this.#admission.reducible(order);
  }

  #takePrice(symbol: string, side: Side): Decimal {
    const { bid, ask } = this.prices(symbol);
    return side === 'BUY' ? ask : bid;
  }

  /** The first look at the other side; what cannot rest ends here. */
  #enter(order: FuturesOrder): void {
    if (!isOpen(order)) return;
    if (order.timeInForce !== 'FOK' || this.fillsWhole(order)) this.#match(order, false);
    const rests = order.price !== undefined && (order.timeInForce === 'GTC' || order.timeInForce === 'GTX');
    if (!rests && isOpen(order)) this.#end(order, 'EXPIRED');
  }

  /** Whether all of it would trade at this moment. */
  fillsWhole(request: NewOrder): boolean {
    return this.#fillable({ ...request, executed: ZERO, forced: undefined }) >= request.quantity;
  }

  #fillable(order: NewOrder & Pick<FuturesOrder, 'executed' | 'forced'>): Decimal {
    const best = this.#takePrice(order.symbol, order.side);
    const reaches = order.price === undefined || (order.side === 'BUY' ? order.price >= best : order.price <= best);
    if (!reaches) return ZERO;
    const open = minus(order.quantity, order.executed);
    const allowed = this.reduces(order) ? smaller(open, this.reducible(order)) : open;
    // The venue closes a liquidated position itself, whoever is there to take it.
    return order.forced === undefined ? smaller(allowed, this.#liquidity.get(order.symbol) ?? allowed) : allowed;
  }

  /** A taker trades at bid or ask, an order that has rested at its own price. */
  #match(order: FuturesOrder, hasRested = true): void {
    if (!isOpen(order) || this.#delayed.has(order)) return;
    const best = this.#takePrice(order.symbol, order.side);
    const price = hasRested && order.price !== undefined ? order.price : best;
    let left = this.#fillable(order);
    const known = this.#liquidity.get(order.symbol);
    if (known !== undefined && order.forced === undefined) this.#liquidity.set(order.symbol, minus(known, left));
    while (left > ZERO) {
      const quantity = smaller(left, this.#maxTrade.get(order.symbol) ?? left);
      this.#trade(order, quantity, price, hasRested);
      left = minus(left, quantity);
    }
    if (isOpen(order) && this.reduces(order) && this.reducible(order) === ZERO) this.#end(order, 'EXPIRED');
  }

  #trade(order: FuturesOrder, quantity: Decimal, price: Decimal, maker: boolean): void {
    const nowMs = this.nowMs();
    const fee = rounded(product(times(quantity, price), maker ? this.makerFee : this.takerFee));
    const tradeId = ++this.#lastTradeId;
    const { symbol, positionSide, side, orderId } = order;
    const realizedPnl = this.account.book({ symbol, positionSide, side, quantity, price, fee }, tradeId, nowMs);
    const trade: Trade = { tradeId, orderId, price, quantity, fee, realizedPnl, maker, atMs: nowMs };
    order.trades.push(trade);
    order.executed = plus(order.executed, quantity);
    order.executedValue = (order.executedValue + product(quantity, price)) as Product;
    order.status = order.executed === order.quantity ? 'FILLED' : 'PARTIALLY_FILLED';
    order.updatedMs = nowMs;
    this.emit({ type: 'order', change: 'trade', order, trade });
    this.emit({ type: 'account', symbol, reason: 'ORDER' });
    if (!isOpen(order)) this.stops.orderEnded(order);
    this.#dropNeedless(symbol);
  }

  /** Resting orders that only reduce, of a position that is gone, are taken away by the venue. */
  #dropNeedless(symbol: string): void {
    for (const order of this.openOrders(symbol))
      if (order.price !== undefined && this.reduces(order) && this.reducible(order) === ZERO)
        this.#end(order, 'EXPIRED');
    this.stops.positionChanged(symbol);
  }

  #end(order: FuturesOrder, status: OrderStatus): void {
    order.status = status;
    order.updatedMs = this.nowMs();
    this.emit({ type: 'order', change: 'end', order });
    this.stops.orderEnded(order);
  }

  #liquidate(): void {
    for (const position of this.account.heldPositions())
      if (position.quantity !== ZERO && this.account.isBankrupt(position)) this.#takeOver(position);
  }

  #takeOver(position: FuturesPosition): void {
    for (const order of this.openOrders(position.symbol)) this.cancel(order);
    this.place(
      {
        clientOrderId: this.#liquidationId(this.nowMs()),
        symbol: position.symbol,
        side: position.quantity > 0n ? 'SELL' : 'BUY',
        positionSide: position.side,
        quantity: absolute(position.quantity),
        timeInForce: 'IOC',
        reduceOnly: position.side === 'BOTH',
      },
      { forced: 'liquidation' },
    );
  }

  #delay(order: FuturesOrder): void {
    const enter = (): void => {
      this.#delayed.delete(order);
      this.#enter(order);
    };
    this.#delayed.set(order, this.#timers.after(this.fillDelayMs, enter));
  }

  /** As if the margin of what is held there were gone: the venue closes it itself. */
  liquidate(symbol: string): void {
    for (const position of this.account.heldPositions(symbol)) this.#takeOver(position);
  }

  placeStop(request: NewStop): StopOrder {
    return this.stops.place(request);
  }
}
