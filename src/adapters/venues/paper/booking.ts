// Steps of the books: an order placed, filled or canceled changes the account at once and yields the entry to commit.

import { entryPriceOf, increase, reduce } from '../../../trading/books/holding.ts';
import {
  type Decimal,
  larger,
  minus,
  negate,
  productText,
  smaller,
  times,
  toText,
  ZERO,
} from '../../../trading/decimal.ts';
import type { FundingPayment, OrderReport, OrderRequest, PositionSide } from '../../../trading/venue.ts';
import type { Account, MarketBook, RestingOrder } from './account.ts';
import type { PaperEntry, PaperPositionRow } from './ledger.ts';
import { impactOf } from './market-depth.ts';
import type { PaperMarket } from './market-rules.ts';
import { fillRow, orderRow, type PaperFill, type PaperOrder, reportOf } from './order.ts';
import {
  checkHeldTier,
  checkMargin,
  checkOrder,
  checkTakes,
  money,
  opposes,
  opposesReason,
  rejected,
} from './order-checks.ts';

/** One step: what must be on disk, and what may be said once it is. */
export interface Booking {
  readonly entry: PaperEntry;
  readonly report: OrderReport;
}

/** What a request comes to: its answer, once its entry is on disk. Without an entry nothing changes. */
export type Change<T> =
  | { readonly answer: T; readonly entry?: undefined }
  | {
      readonly answer: T;
      readonly market: string;
      readonly entry: PaperEntry;
      /** Further steps that follow from the first; watchers hear of them. */
      readonly consequences?: readonly Booking[];
    };

export const orderChange = ([own, ...consequences]: readonly [Booking, ...Booking[]]): Change<OrderReport> => ({
  answer: own.report,
  market: own.report.market,
  entry: own.entry,
  consequences,
});

/**
 * Half the distance between bid and ask, as a share of the price: a market order pays it, rounded outward to the tick and
 * at least one tick. Half a basis point is what liquid markets cost; thin ones cost more in reality.
 */
const HALF_SPREAD_DIVISOR = 20_000n;

/** What a taker pays (BUY) or gets (SELL) on average for this much while the last trade was at `last`. */
export function takerPrice(side: 'BUY' | 'SELL', last: Decimal, quantity: Decimal, rules: PaperMarket): Decimal {
  const { tickSize: tick, depth } = rules;
  const away = last / HALF_SPREAD_DIVISOR;
  const distance = (away > tick ? away : tick) + impactOf(last, times(quantity, last), depth);
  if (side === 'BUY') return roundUp(last + distance, tick);
  const price = last - distance;
  return (price < tick ? tick : price - (price % tick)) as Decimal;
}

function roundUp(value: bigint, tick: Decimal): Decimal {
  const over = value % tick;
  return (over === 0n ? value : value - over + tick) as Decimal;
}

/** However deep an order walks into the book, it never pays more than its limit. */
const withinLimit = (side: 'BUY' | 'SELL', average: Decimal, limit: Decimal | undefined): Decimal =>
  limit === undefined ? average : side === 'BUY' ? smaller(average, limit) : larger(average, limit);

const NOT_CROSSED = 'the market was not at the limit price, and the order was not to wait; nothing was filled';

/** The order's own booking first, then those of orders that it leaves without a position to reduce. */
export function bookOrder(
  account: Account,
  book: MarketBook,
  request: OrderRequest,
  last: Decimal,
  atMs: number,
): readonly [Booking, ...Booking[]] {
  const quantity = checkOrder(account, book, request, last);
  const { side, price } = request;
  const { takerFee, makerFee } = account.settings.terms;
  const best = takerPrice(side, last, ZERO, book.rules);
  const takes = price === undefined || (side === 'BUY' ? price >= best : price <= best);
  checkTakes(request, takes, best);
  const market = withinLimit(side, takerPrice(side, last, quantity, book.rules), price);
  const mayWait = request.timeInForce === undefined || request.timeInForce === 'GTC';
  if (!request.reduceOnly && (takes || mayWait))
    checkMargin(account, book, quantity, takes ? market : price, takes ? takerFee : makerFee);
  const order: PaperOrder = {
    clientOrderId: request.clientOrderId,
    orderId: account.takeOrderId(),
    market: request.market,
    side,
    positionSide: request.positionSide,
    reduceOnly: request.reduceOnly,
    status: 'submitted',
    quantity,
    price,
    executedQuantity: ZERO,
    averagePrice: undefined,
    reason: undefined,
    createdAtMs: atMs,
    updatedAtMs: atMs,
  };
  if (takes) return fill(account, book, order, { quantity, price: market, feeRate: takerFee, atMs, insert: true });
  if (!mayWait) return [booking(account, { ...order, status: 'expired', reason: NOT_CROSSED }, { insert: true })];
  account.rest(book, order);
  return [booking(account, order, { insert: true })];
}

/** A resting order whose price the market has passed: filled at its limit, or canceled when nothing may be traded any more. */
export function bookMatch(
  account: Account,
  book: MarketBook,
  resting: RestingOrder,
  atMs: number,
): readonly [Booking, ...Booking[]] {
  const { order } = resting;
  if (order.price === undefined) throw new Error(`order ${order.orderId} rests without a price`);
  if (!order.reduceOnly && opposes(account, book, order.positionSide))
    return [bookCancel(account, book, resting, atMs, opposesReason(book, order.positionSide))];
  const held = book[order.positionSide].holding.quantity;
  if (order.reduceOnly && held === ZERO) return [bookCancel(account, book, resting, atMs, NOTHING_LEFT)];
  account.unrest(book, resting);
  const quantity = order.reduceOnly && order.quantity > held ? held : order.quantity;
  const feeRate = account.settings.terms.makerFee;
  return fill(account, book, order, { quantity, price: order.price, feeRate, atMs, insert: false });
}

const NOTHING_LEFT = 'the position this order was to reduce is closed';

export function bookCancel(
  account: Account,
  book: MarketBook,
  resting: RestingOrder,
  atMs: number,
  reason?: string,
): Booking {
  account.unrest(book, resting);
  return booking(account, { ...resting.order, status: 'canceled', reason, updatedAtMs: atMs }, { insert: false });
}

/** A lower leverage binds more margin for what is open, which must be there. */
export function bookLeverage(account: Account, book: MarketBook, leverage: number): Change<void> {
  const before = { leverage: book.leverage, available: account.available() };
  if (before.leverage === leverage) return { answer: undefined };
  if (leverage > before.leverage) checkHeldTier(book, leverage);
  account.setLeverage(book, leverage);
  const after = account.available();
  const market = book.rules.symbol;
  if (after < ZERO && after < before.available) {
    account.setLeverage(book, before.leverage);
    throw rejected(
      `leverage ${leverage} would bind ${money(negate(after))} USDT more than is available: reduce positions and orders in ${market} first`,
    );
  }
  const row = { ...account.settings.name, market, leverage };
  return { answer: undefined, market, entry: { account: account.nextRow(), leverage: row } };
}

/** Orders of the venue itself, which nobody has sent. */
export const LIQUIDATION_PREFIX = 'liquidation-';

/** The venue closes one side of a position, whole, for its own fee; never for more than the account has left. */
export function bookLiquidation(
  account: Account,
  book: MarketBook,
  positionSide: PositionSide,
  price: Decimal,
  atMs: number,
): readonly [Booking, ...Booking[]] {
  const { quantity } = book[positionSide].holding;
  const orderId = account.takeOrderId();
  const order: PaperOrder = {
    clientOrderId: `${LIQUIDATION_PREFIX}${orderId}`,
    orderId,
    market: book.rules.symbol,
    side: positionSide === 'LONG' ? 'SELL' : 'BUY',
    positionSide,
    reduceOnly: true,
    status: 'submitted',
    quantity,
    price: undefined,
    executedQuantity: ZERO,
    averagePrice: undefined,
    reason: undefined,
    createdAtMs: atMs,
    updatedAtMs: atMs,
  };
  account.setMark(book, price);
  const worth = larger(account.equity(), ZERO);
  const fee = smaller(times(times(quantity, price), account.settings.terms.liquidationFee), worth);
  return fill(account, book, order, { quantity, price, feeRate: ZERO, fee, atMs, insert: true });
}

/** What holding costs or earns at a funding time, all positions of the account in one step. */
export function bookFunding(account: Account, payments: readonly FundingPayment[], atMs: number): PaperEntry {
  for (const { amount } of payments) account.settle(amount);
  // The payments and the word that this time is done are one entry: it is paid once, whatever happens in between.
  account.matchedUntilMs = atMs;
  const { name } = account.settings;
  const funding = payments.map(({ market, side, quantity, price, rate, amount }) => ({
    ...{ ...name, market, side, atMs },
    ...{ quantity: toText(quantity), price: toText(price), rate: toText(rate), amount: toText(amount) },
  }));
  return { account: account.nextRow(), funding };
}

interface FillTerms {
  readonly quantity: Decimal;
  readonly price: Decimal;
  readonly feeRate: Decimal;
  /** Instead of the rate. */
  readonly fee?: Decimal;
  readonly atMs: number;
  readonly insert: boolean;
}

/** A paper order fills in one piece, so its running number is always 1. */
function fill(
  account: Account,
  book: MarketBook,
  order: PaperOrder,
  terms: FillTerms,
): readonly [Booking, ...Booking[]] {
  const { quantity, price, atMs, insert } = terms;
  const { holding } = book[order.positionSide];
  const after = order.reduceOnly
    ? reduce(holding, order.positionSide, quantity, price)
    : { holding: increase(holding, quantity, price), realizedPnl: ZERO };
  const fee = terms.fee ?? times(times(quantity, price), terms.feeRate);
  account.settle(minus(after.realizedPnl, fee));
  account.setHolding(book, order.positionSide, after.holding);
  const partly = quantity < order.quantity;
  const filled: PaperOrder = {
    ...order,
    status: partly ? 'canceled' : 'filled',
    reason: partly ? NOTHING_LEFT : undefined,
    executedQuantity: quantity,
    averagePrice: price,
    updatedAtMs: atMs,
  };
  const { realizedPnl } = after;
  const paperFill: PaperFill = { fillId: `${order.orderId}-1`, quantity, price, fee, realizedPnl, atMs };
  const own = booking(account, filled, { insert, fill: paperFill, position: positionRow(account, book, order) });
  return after.holding.quantity === ZERO ? [own, ...cancelOrphans(account, book, order.positionSide, atMs)] : [own];
}

/** Without its position a reduce-only order would wait to cut the next one: it goes with the position it was made for. */
function cancelOrphans(account: Account, book: MarketBook, side: PositionSide, atMs: number): Booking[] {
  return [...book.resting.values()]
    .filter(({ order }) => order.reduceOnly && order.positionSide === side)
    .map((resting) => bookCancel(account, book, resting, atMs, NOTHING_LEFT));
}

function positionRow(account: Account, book: MarketBook, order: PaperOrder): PaperPositionRow {
  const { holding } = book[order.positionSide];
  return {
    ...account.settings.name,
    market: order.market,
    side: order.positionSide,
    quantity: toText(holding.quantity),
    entryPrice: toText(entryPriceOf(holding)),
    cost: productText(holding.cost),
  };
}

interface BookingParts {
  readonly insert: boolean;
  readonly fill?: PaperFill;
  readonly position?: PaperPositionRow;
}

function booking(account: Account, order: PaperOrder, { insert, fill, position }: BookingParts): Booking {
  const { name } = account.settings;
  return {
    entry: {
      account: account.nextRow(),
      order: { row: orderRow(name, order), insert },
      ...(fill ? { fills: [fillRow(name, order.clientOrderId, fill)] } : {}),
      ...(position ? { position } : {}),
    },
    report: reportOf(order, fill ? [fill] : []),
  };
}
