// What a fill does in the oracle's broker: to the books, to the other orders, and to the day.

import type { Deal, Row } from './books.ts';
import type { Desk } from './desk.ts';
import type { MarginRules } from './margin.ts';
import { inUnits, type Side } from './market.ts';
import { type Bracket, follow, isMarket, isStopOrder, levelsOf, NODE, type Order, type Reason } from './orders.ts';

type Words = { readonly id: string; readonly comment: string };

export class Fills {
  private readonly desk: Desk;
  private readonly margin: MarginRules;

  constructor(desk: Desk, margin: MarginRules) {
    this.desk = desk;
    this.margin = margin;
  }

  /** An order whose turn has come, at a price of the market or its own; it may still be refused or have to wait. */
  fillOrder(order: Order, price: number, reason: Reason): void {
    const { desk } = this;
    if (order.kind === 'close' || order.kind === 'close_all') this.fillClose(order, price);
    else if (order.kind === 'entry') this.fillEntry(order, price, reason);
    else this.fillPlain(order, price, reason);
    if (order.waitsOnBar !== desk.bar.index) desk.drop(order);
  }

  private priceFor(side: Side, price: number, reason: Reason): number {
    const { terms } = this.desk;
    return reason === 'limit' ? terms.nearestTick(price) : terms.worsePrice(price, side);
  }

  private deal(words: Words, price: number, listed = price): Deal {
    const { bar } = this.desk;
    return { id: words.id, comment: words.comment, price, listed, bar: bar.index, timeMs: bar.timeMs };
  }

  // Closes

  private fillClose(order: Order, price: number): void {
    const { desk } = this;
    const { books, terms } = desk;
    if (books.side !== -order.side) return;
    const isMeant = (row: Row): boolean => order.kind === 'close_all' || row.id === order.id;
    const onlyMeant = terms.closesAny && order.kind === 'close';
    const there = onlyMeant ? books.rows.filter(isMeant).reduce((sum, { left }) => sum + left, 0) : books.held;
    const quantity = inUnits(Math.min(order.quantity, there));
    if (quantity <= 0) return;
    const at = this.priceFor(order.side, price, 'market');
    const words = { id: order.kind === 'close' ? `Close entry(s) order ${order.id}` : 'Close position order' };
    const deal = this.deal({ ...words, comment: order.comment }, at, order.isImmediate ? price : at);
    const side = books.side as Side;
    const newestId = books.rows.at(-1)!.id;
    books.close(quantity, terms.fee(quantity, at), deal, onlyMeant ? isMeant : undefined);
    books.unbind(quantity, isMeant);
    if (books.held === 0) this.dropAdditions(side, order, newestId);
    this.settle(order, quantity);
    this.countFill(at, false);
  }

  /** A full close takes back stops that would have added to the position. */
  private dropAdditions(side: Side, close: Order, newestId: string): void {
    const { desk } = this;
    const isAddition = (order: Order): boolean =>
      order.kind === 'entry' &&
      order.side === side &&
      isStopOrder(order) &&
      Math.sign(order.heldAtPlacement) === side &&
      order.bar < close.bar &&
      !(close.kind === 'close_all' && order.id === newestId);
    for (const order of desk.orders.filter(isAddition)) desk.drop(order);
  }

  // Entries and orders

  private fillPlain(order: Order, price: number, reason: Reason): void {
    const { books } = this.desk;
    const at = this.priceFor(order.side, price, reason);
    const quantity = this.ownQuantity(order, at);
    if (!(quantity > 0)) return;
    const against = books.side === -order.side ? books.held : 0;
    const closing = Math.min(quantity, against);
    const opening = inUnits(quantity - closing);
    if (opening > 0 && !this.margin.admits(order, opening, at, reason, this.desk.bar.open)) {
      if (reason === 'market' && against > 0) this.refuseTurn();
      return;
    }
    this.trade(order, closing, opening, at, this.isInsideStop(reason));
    if (opening > 0) this.callMarginAt(at);
  }

  private ownQuantity(order: Order, at: number): number {
    if (!Number.isNaN(order.quantity)) return order.quantity;
    return inUnits(this.desk.terms.defaultSize(at, order.equityAtPlacement) - order.reducedBy);
  }

  private fillEntry(order: Order, price: number, reason: Reason): void {
    const { desk } = this;
    const { books, rules, terms } = desk;
    const isPriced = !isMarket(order);
    const at = this.priceFor(order.side, price, reason);
    const own = this.ownQuantity(order, at);
    if (!(own > 0)) return;
    const against = books.side === -order.side ? books.held : 0;
    const isForbidden = rules.allowed !== 'all' && rules.allowed !== (order.side > 0 ? 'long' : 'short');
    if (!isPriced && against === 0 && books.entries.length >= terms.pyramiding) return;
    if (isPriced && this.mustWait(order, own)) {
      order.waitsOnBar = desk.bar.index;
      return;
    }
    const turns = !isPriced && !order.isRepeated;
    const total = turns ? against + own : own + order.carry;
    const closing = Math.min(total, against);
    const same = books.side === order.side ? books.held : 0;
    const most = isForbidden ? 0 : Math.max(0, rules.largest - same);
    const opening = inUnits(Math.min(total - closing, most));
    if (opening > 0 && !this.margin.admits(order, opening, at, reason, this.desk.bar.open)) {
      if (reason === 'market' && against > 0) this.refuseTurn();
      return;
    }
    if (opening <= 0 && closing <= 0) return;
    if (isPriced) desk.hasPricedEntry = true;
    const takesAlong = turns ? against > 0 : order.carry > 0;
    if (takesAlong) for (const other of desk.orders) if (other.side === order.side) other.carry = 0;
    this.trade(order, closing, opening, at, this.isInsideStop(reason));
    if (opening > 0) this.callMarginAt(at);
  }

  private isInsideStop(reason: Reason): boolean {
    const { node } = this.desk;
    return reason === 'stop' && node > NODE.open && node < NODE.close;
  }

  /** What was placed flat and meets what this bar opened waits when it is larger; of additions one fills on a bar. */
  private mustWait(order: Order, own: number): boolean {
    const { desk } = this;
    const { books, bar } = desk;
    const meetsNew = order.heldAtPlacement === 0 && order.bar < bar.index && books.rows[0]?.bar === bar.index;
    if (meetsNew && books.side === -order.side && own > books.held) return true;
    const isFresh = order.bar === bar.index - 1 && order.heldAtPlacement !== 0;
    return isFresh && desk.hasPricedEntry;
  }

  /** A turn that cannot be paid leaves all as it is: closes called after it go too, and brackets sleep. */
  private refuseTurn(): void {
    const { desk } = this;
    for (const order of desk.orders.filter(({ kind }) => kind === 'close' || kind === 'close_all')) desk.drop(order);
    for (const bracket of desk.brackets) bracket.isAsleep = true;
  }

  /** One order that closes, opens, or both; its fee is split by quantity. */
  private trade(order: Order, closing: number, opening: number, at: number, isInside = false): void {
    const { desk } = this;
    const { books, terms } = desk;
    const total = inUnits(closing + opening);
    const feeOf = (part: number): number => (terms.fee(total, at) * part) / total;
    const deal = this.deal(order, at);
    if (closing > 0) {
      books.close(closing, feeOf(closing), deal);
      books.unbind(closing, () => true);
      desk.dropSpentBrackets();
    }
    const exits = desk.waiting.filter((exit) => exit.order === order);
    if (opening > 0) {
      const row = books.open(order.side, opening, feeOf(opening), deal);
      for (const { call } of exits) this.bracketFor(row, call);
    }
    this.settle(order, total);
    this.countFill(at, isInside && opening > 0);
  }

  /** The bracket of an entry that has just filled. */
  private bracketFor(row: Row, call: Bracket['call']): void {
    const { desk } = this;
    const { bar, node } = desk;
    const wanted = wantedOf(call, row, desk);
    const levels = levelsOf(call, row, desk.terms);
    const state = { isArmed: false, best: Number.NaN, isAsleep: false, askedOnBar: -1, bar: -1, node: NODE.close };
    const bracket: Bracket = { row, call, wanted, ...levels, ...state, limitWaits: false, stopWaits: false };
    if (node !== NODE.open) {
      bracket.stopWaits = (levels.stop - row.price) * row.side >= 0;
      bracket.limitWaits = (row.price - levels.limit) * row.side >= 0;
    }
    if (bar.index >= 0) follow(bracket, row.price);
    desk.brackets.push(bracket);
  }

  // Brackets

  fillBracket(bracket: Bracket, price: number, reason: Reason): void {
    const { desk } = this;
    const { books, terms } = desk;
    const { row, call } = bracket;
    const quantity = inUnits(Math.min(desk.shareOf(bracket), books.held));
    desk.brackets = desk.brackets.filter((other) => other !== bracket);
    if (quantity <= 0) return;
    const side = -row.side as Side;
    const at = this.priceFor(side, price, reason);
    const deal = this.deal({ id: call.id, comment: call.comments[reason] }, at);
    books.close(quantity, terms.fee(quantity, at), deal, terms.closesAny ? (other) => other === row : undefined);
    books.unbind(quantity, (entry) => entry === row);
    row.taken.add(call.id);
    desk.dropSpentBrackets();
    this.countFill(at, false);
  }

  /** A stop of a bracket at an open that has turned the position sells its quantity once more. */
  openByBracket(bracket: Bracket, quantity: number, price: number): void {
    const { desk } = this;
    const { books, terms } = desk;
    const side = -bracket.row.side as Side;
    const at = this.priceFor(side, price, 'stop');
    if (quantity <= 0 || books.side !== side) return;
    books.open(side, quantity, terms.fee(quantity, at), this.deal({ id: bracket.call.id, comment: '' }, at));
    this.countFill(at, false);
    this.callMarginAt(at);
  }

  // What every fill brings with it

  private settle(order: Order, quantity: number): void {
    const { desk } = this;
    desk.drop(order);
    desk.dropSpentBrackets();
    if (order.ocaName === '' || order.ocaType === 'none') return;
    for (const other of desk.orders) {
      if (other.ocaName !== order.ocaName || other.ocaType !== order.ocaType) continue;
      if (order.ocaType === 'reduce') {
        other.quantity = inUnits(other.quantity - quantity);
        other.reducedBy = inUnits(other.reducedBy + quantity);
      }
      if (order.ocaType === 'cancel' || other.quantity <= 0) desk.drop(other);
    }
  }

  private countFill(at: number, isInsideStop: boolean): void {
    const { desk } = this;
    const { books, rules, bar } = desk;
    desk.fills += 1;
    desk.fillsOfDay += 1;
    if (desk.fillsOfDay < rules.mostFills) return;
    const best = books.side > 0 ? bar.high : bar.low;
    this.flatten('Close Position (Max number of filled orders in one day)', isInsideStop ? best : at);
    desk.isDayOver = true;
    desk.cancelAll();
  }

  callMarginAt(price: number): void {
    const { desk } = this;
    const quantity = this.margin.callAt(price);
    if (quantity <= 0) return;
    const out = -desk.books.side as Side;
    this.closeForced('Margin call', quantity, this.priceFor(out, price, 'market'));
    for (const bracket of desk.brackets) bracket.isAsleep = false;
  }

  flatten(reason: string, price: number): void {
    const { held } = this.desk.books;
    if (held > 0) this.closeForced(reason, held, price);
  }

  private closeForced(id: string, quantity: number, price: number): void {
    const { desk } = this;
    const { books, terms } = desk;
    books.close(quantity, terms.fee(quantity, price), this.deal({ id, comment: id }, price));
    books.unbind(quantity, () => true);
    desk.dropSpentBrackets();
    desk.fills += 1;
  }
}

/** How much of an entry a bracket asks for. */
export function wantedOf({ quantity, percent }: Bracket['call'], row: Row, { terms }: Desk): number {
  if (!Number.isNaN(quantity)) return terms.wholeSteps(quantity);
  return percent >= 100 ? Number.POSITIVE_INFINITY : terms.wholeSteps((row.filled * percent) / 100);
}
