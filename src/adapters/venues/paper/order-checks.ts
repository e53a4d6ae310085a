// What the paper venue refuses, each with the reason and the remedy in words.

import { type Decimal, larger, minus, plus, times, toText, ZERO } from '../../../trading/decimal.ts';
import { tierAt, tierFault } from '../../../trading/leverage-tiers.ts';
import { type Market, type OrderRequest, type PositionSide, VenueError } from '../../../trading/venue.ts';
import type { Account, MarketBook } from './account.ts';
import type { PaperMarket } from './market-rules.ts';

/** As the real venues: Binance takes 200 open orders a market. */
const MAX_RESTING_ORDERS = 200;
const MAX_CLIENT_ID_LENGTH = 36;

export const rejected = (message: string): VenueError => new VenueError('rejected', message);
export const opposite = (side: PositionSide): PositionSide => (side === 'LONG' ? 'SHORT' : 'LONG');
const words = (side: PositionSide): string => side.toLowerCase();

/** Throws unless the order may be placed; returns the quantity, for a closing order at most what the position holds. */
export function checkOrder(account: Account, book: MarketBook, request: OrderRequest, last: Decimal): Decimal {
  const { rules } = book;
  const { clientOrderId, positionSide, reduceOnly, quantity, price } = request;
  if (clientOrderId === '' || clientOrderId.length > MAX_CLIENT_ID_LENGTH)
    throw rejected(`a client order id has 1 to ${MAX_CLIENT_ID_LENGTH} characters`);
  const opens = (request.side === 'BUY') === (positionSide === 'LONG');
  if (opens === reduceOnly)
    throw rejected(
      reduceOnly
        ? `a ${request.side} does not reduce a ${words(positionSide)} position`
        : `a ${request.side} on a ${words(positionSide)} position must be reduce-only`,
    );
  if (price !== undefined) checkPrice(rules, price);
  if (quantity <= ZERO) throw rejected(`the quantity must be greater than 0; the minimum is ${minimum(rules)}`);
  const held = book[positionSide].holding.quantity;
  if (reduceOnly && held === ZERO)
    throw rejected(`there is no ${words(positionSide)} position in ${rules.symbol} to close`);
  const closesAll = reduceOnly && quantity >= held;
  if (!closesAll) checkQuantity(rules, quantity);
  if (!reduceOnly) checkOpening(account, book, request, price ?? last);
  if (price !== undefined && book.resting.size >= MAX_RESTING_ORDERS)
    throw rejected(`${rules.symbol} has ${MAX_RESTING_ORDERS} resting orders, the most it may have: cancel some first`);
  return closesAll ? held : quantity;
}

function checkPrice(rules: Market, price: Decimal): void {
  if (price <= ZERO) throw rejected('the price must be greater than 0');
  if (price % rules.tickSize !== 0n)
    throw rejected(`price ${toText(price)} is not on the tick of ${rules.symbol}, ${toText(rules.tickSize)}`);
}

/** What is left of a position may always be closed whole, even when it is off the step. */
function checkQuantity(rules: Market, quantity: Decimal): void {
  if (quantity < rules.minQuantity)
    throw rejected(`quantity ${toText(quantity)} is below the minimum of ${minimum(rules)}`);
  if (quantity % rules.stepSize !== 0n)
    throw rejected(`quantity ${toText(quantity)} is not on the step of ${rules.symbol}, ${toText(rules.stepSize)}`);
}

function checkOpening(account: Account, book: MarketBook, request: OrderRequest, price: Decimal): void {
  const { rules } = book;
  const notional = times(request.quantity, price);
  if (notional < rules.minNotional)
    throw rejected(
      `an order of ${toText(notional)} USDT is below the minimum of ${toText(rules.minNotional)} USDT on ${rules.symbol}`,
    );
  if (request.quantity > rules.maxQuantity) throw rejected(tooLarge(rules));
  checkTier(book, request, price);
  if (opposes(account, book, request.positionSide)) throw rejected(opposesReason(book, request.positionSide));
}

const tooLarge = ({ symbol, maxQuantity }: PaperMarket): string =>
  `${symbol} takes orders of at most ${toText(maxQuantity)} at once: send a smaller quantity`;

/** The more a position is worth, the less leverage it may have. Entries that wait count: they may fill any time. */
function checkTier(book: MarketBook, request: OrderRequest, price: Decimal): void {
  const { rules, leverage } = book;
  const held = book[request.positionSide].holding.quantity;
  const asked = times(plus(held, request.quantity), price);
  const size = plus(asked, waitingWorth(book, request.positionSide));
  const fault = tierFault({ by: 'worth', tiers: rules.tiers }, { market: rules.symbol, leverage, size });
  if (fault !== undefined) throw rejected(fault);
}

/** What the opening orders that rest on a side would make its position worth. */
function waitingWorth({ resting, mark }: MarketBook, side: PositionSide): Decimal {
  let worth: Decimal = ZERO;
  for (const { order } of resting.values()) {
    if (order.reduceOnly || order.positionSide !== side) continue;
    worth = plus(worth, times(minus(order.quantity, order.executedQuantity), order.price ?? mark));
  }
  return worth;
}

/** A one-way account holds one side of a market at a time. */
export const opposes = (account: Account, book: MarketBook, side: PositionSide): boolean =>
  account.settings.positionMode() === 'one-way' && book[opposite(side)].holding.quantity > ZERO;

export function opposesReason(book: MarketBook, side: PositionSide): string {
  const other = opposite(side);
  const held = toText(book[other].holding.quantity);
  return `the account is in one-way mode and holds a ${words(other)} position of ${held} in ${book.rules.symbol}: close it first`;
}

/** An order that is only to wait must not trade at once. */
export function checkTakes({ postOnly, price }: OrderRequest, takes: boolean, market: Decimal): void {
  if (postOnly && takes && price !== undefined)
    throw rejected(
      `postOnly: at ${toText(price)} the order would trade at once, the market is at ${toText(market)}; send a price it has not reached, or leave out postOnly`,
    );
}

/** Throws when the account cannot carry an opening order at this price. */
export function checkMargin(account: Account, book: MarketBook, quantity: Decimal, price: Decimal, fee: Decimal): void {
  const needed = account.cost(book, quantity, price, fee);
  const available = account.available();
  if (needed > available)
    throw rejected(
      `insufficient margin: ${money(needed)} USDT needed at ${book.leverage}x with the fee, ${money(available)} USDT available; lower the quantity or raise the leverage`,
    );
}

/** A leverage that is too high for what is held and what waits would be refused by the next order only; the venues refuse it at once. */
export function checkHeldTier(book: MarketBook, leverage: number): void {
  const { rules, mark } = book;
  const worthOf = (side: PositionSide): Decimal =>
    plus(times(book[side].holding.quantity, mark), waitingWorth(book, side));
  const worth = larger(worthOf('LONG'), worthOf('SHORT'));
  const { maxLeverage } = tierAt(rules.tiers, worth);
  if (worth > ZERO && leverage > maxLeverage)
    throw rejected(
      `leverage ${leverage} is too high for the position in ${rules.symbol}, which is worth ${money(worth)} USDT: use at most ${maxLeverage}, or reduce it first`,
    );
}

export function checkLeverage(rules: Market, leverage: number): void {
  if (!Number.isInteger(leverage) || leverage < 1 || leverage > rules.maxLeverage)
    throw rejected(
      `leverage ${leverage} is not possible on ${rules.symbol}: use a whole number from 1 to ${rules.maxLeverage}`,
    );
}

const CENT_OF_CENT = 10n ** 8n;
/** An amount for people to read, cut to four decimal places. */
export const money = (value: Decimal): string => toText((value - (value % CENT_OF_CENT)) as Decimal);
const minimum = (rules: Market): string => `${toText(rules.minQuantity)} on ${rules.symbol}`;
