// What a fill does: the price it happens at, whether the account may make it, the books, and what follows from it.

import type { BrokerParts } from './broker-parts.ts';
import { STAGE } from './current-bar.ts';
import { ExitOrder, type ExitReason } from './exit-order.ts';
import type { FillWatch } from './fill-watch.ts';
import { inUnits } from './grid.ts';
import type { Fill } from './ledger.ts';
import type { Lot } from './lot.ts';
import { MARGIN_CALL } from './margin.ts';
import type { Order } from './order.ts';
import type { Direction } from './settings.ts';

/** How TradingView's list of trades names what the tester closes by itself, besides margin calls. */
const TOO_MANY_FILLS = 'Close Position (Max number of filled orders in one day)';

export class Execution {
  /** Fills since the start of the run: tells whether something happened. */
  count = 0;
  /** Set while a bar is followed live. */
  watch: FillWatch | null = null;
  private readonly parts: BrokerParts;

  constructor(parts: BrokerParts) {
    this.parts = parts;
  }

  /** Stops and market orders slip and snap to the worse tick; a limit fills at its price, or at an open beyond it. */
  private priceOf(direction: Direction, at: number, isLimit: boolean): number {
    const { grid, settings } = this.parts;
    if (isLimit) return grid.nearest(at);
    return grid.snap(at + direction * settings.slippage * grid.mintick, direction);
  }

  private fillAt(id: string, comment: string, price: number, listedPrice = price): Fill {
    const { bar } = this.parts;
    return { id, comment, price, listedPrice, bar: bar.index, timeMs: bar.timeMs };
  }

  fillOrder(order: Order, at: number): void {
    const { book } = this.parts;
    const isLimit = !Number.isNaN(order.limit) && !order.isStop;
    const price = this.priceOf(order.direction, at, isLimit);
    if (order.isClose) {
      book.remove(order);
      this.fillClose(order, price, order.isImmediate ? at : price);
    } else if (!this.restsAfterOpposite(order, price) && !this.restsAfterAnother(order)) {
      book.remove(order);
      this.fillEntry(order, price);
    } else order.restsOnBar = this.parts.bar.index;
  }

  private fillClose(order: Order, price: number, listedPrice: number): void {
    const { ledger, book, settings } = this.parts;
    const { direction, size } = ledger;
    if (direction === 0 || direction === order.direction) return;
    const isMeant = settings.closesAnyEntry && order.kind === 'close' ? (lot: Lot) => lot.id === order.id : null;
    const quantity = Math.min(order.quantity, isMeant === null ? Math.abs(size) : ledger.heldIn(isMeant));
    if (!(quantity > 0)) return;
    const keptId = order.kind === 'close_all' ? (ledger.lots.at(-1)?.id ?? null) : null;
    // Closes of one id add up: what that has no more is taken from the others.
    ledger.settleById(null, order.kind === 'close' ? ledger.settleById(order.id, quantity) : quantity);
    const fill = this.fillAt(order.listedId, order.words.comment, price, listedPrice);
    ledger.close(quantity, ledger.feeOf(quantity, price), fill, isMeant);
    this.afterClose();
    this.watch?.order(order, quantity, price, size);
    if (ledger.size === 0) book.dropAdditions(direction, order.bar, keptId);
    this.afterFill(price);
  }

  /**
   * Two opposite stops that were placed flat are both reached on one bar: the second closes what the first opened, and
   * waits for the next bar when it is larger.
   */
  private restsAfterOpposite(order: Order, price: number): boolean {
    const { ledger, bar, sizing } = this.parts;
    const { direction, size, lots } = ledger;
    if (order.kind !== 'entry' || order.isMarket || direction === 0 || direction === order.direction) return false;
    // A shorter bar inside of this one, on which nothing else has filled, is like a bar of its own.
    if (bar.part > 0 && !bar.hasPricedEntry) return false;
    const [first] = lots;
    if (order.heldAtPlacement !== 0 || first?.bar !== bar.index || order.bar >= bar.index) return false;
    return sizing.ownQuantity(order, price) > Math.abs(size);
  }

  /**
   * Of entries with a price that were placed on the bar before, into a position, one fills on a bar; those placed while
   * flat and those that rest from earlier bars are free.
   */
  private restsAfterAnother(order: Order): boolean {
    const { bar } = this.parts;
    if (order.kind !== 'entry' || order.isMarket || !bar.hasPricedEntry) return false;
    return order.heldAtPlacement !== 0 && order.bar === bar.index - 1;
  }

  private fillEntry(order: Order, price: number): void {
    const { ledger, settings, risk, sizing, book, bar } = this.parts;
    const { direction } = order;
    const before = ledger.size;
    const held = Math.abs(before);
    const isAgainst = held > 0 && ledger.direction !== direction;
    const isEntry = order.kind === 'entry';
    if (isEntry && !isAgainst && order.isMarket && ledger.entries.length >= settings.pyramiding) return;
    const own = sizing.ownQuantity(order, price);
    if (!(own > 0)) return;
    const turned = isAgainst && !order.isRepeated ? held : 0;
    const carry = !isEntry ? 0 : order.isMarket ? turned : order.carry;
    const wanted = inUnits(own + carry);
    const closing = isAgainst ? Math.min(wanted, held) : 0;
    const opening = isEntry
      ? risk.allowed(direction, inUnits(wanted - closing), isAgainst ? 0 : held)
      : inUnits(wanted - closing);
    const quantity = inUnits(closing + opening);
    if (quantity === 0) return;
    if (!this.isAdmitted(order, opening, price, isAgainst)) {
      ledger.totals.unpaidOrders += 1;
      if (isAgainst && order.isMarket) book.refuseTurn();
      return;
    }
    if (carry > 0) book.dropCarries(direction);
    const shrinking = order.words.ocaType === 'reduce' ? book.sizesIn(order.words.ocaName) : null;
    if (isEntry && !order.isMarket) bar.hasPricedEntry = true;
    const fill = this.fillAt(order.id, order.words.comment, price);
    const fee = ledger.feeOf(quantity, price);
    if (closing > 0) {
      if (closing < held) ledger.settleById(null, closing);
      ledger.close(closing, (fee * closing) / quantity, fill);
      this.afterClose();
    }
    const lot = opening > 0 ? ledger.open(direction, opening, (fee * opening) / quantity, fill) : undefined;
    if (lot !== undefined) this.startExits(order, lot);
    this.watch?.order(order, quantity, price, before, lot);
    book.settleGroup(order.words, quantity);
    if (shrinking !== null) book.shrinkExits(shrinking, quantity);
    const opensInside = lot !== undefined && bar.stage !== STAGE.open && bar.stage !== STAGE.done;
    this.afterFill(order.isStop && opensInside ? this.favourableExtreme(direction) : price);
    if (lot !== undefined) this.callMargin(price);
  }

  private favourableExtreme(direction: Direction): number {
    const { high, low } = this.parts.bar;
    return direction > 0 ? high : low;
  }

  /** Whether there is the money for it; an order for more than there is does not fill, nor closes what it would reverse. */
  private isAdmitted(order: Order, opening: number, price: number, isAgainst: boolean): boolean {
    const { ledger, margin, bar, settings, sizing } = this.parts;
    if (opening === 0) return true;
    const { direction } = order;
    if (order.isStop) return margin.allows(direction, opening, bar.open, ledger.realizedEquity);
    const equity = ledger.equity(price);
    const isPair = order.kind === 'entry' && isAgainst && order.isMarket && order.heldAtPlacement === 0;
    if (isPair) return margin.allowsPair(direction, opening, price);
    const kept = isAgainst ? 0 : Math.abs(ledger.size);
    if (margin.allows(direction, kept + opening, price, equity)) return true;
    // What the account could pay before fees, or before other orders of the same bar, fills, and a margin call trims it.
    const keptBefore = Math.max(0, order.heldAtPlacement * direction);
    if (order.isMarket && keptBefore < kept) return margin.allows(direction, keptBefore + opening, price, equity);
    const isReopened = order.isMarket && order.heldAtPlacement !== 0 && ledger.size === 0;
    return isReopened || (sizing.isByDefault(order) && settings.commissionValue > 0);
  }

  fillExit(exit: ExitOrder, at: number, reason: ExitReason): void {
    const { ledger, book, settings } = this.parts;
    const before = ledger.size;
    const quantity = Math.min(book.availableTo(exit), Math.abs(before));
    const { ocaName } = exit.request.words;
    const shrinking = book.sizesIn(ocaName);
    shrinking?.delete(exit);
    book.removeExit(exit);
    if (!(quantity > 0)) return;
    const { request, lot } = exit;
    const price = this.priceOf(exit.direction, at, reason === 'limit');
    const comments = {
      limit: request.words.commentProfit,
      stop: request.words.commentLoss,
      trail: request.words.commentTrailing,
    };
    lot.fired = [...lot.fired, request.words.id];
    ledger.settle(lot, quantity);
    const fill = this.fillAt(request.words.id, comments[reason] || request.words.comment, price);
    ledger.close(quantity, ledger.feeOf(quantity, price), fill, settings.closesAnyEntry ? (row) => row === lot : null);
    this.afterClose();
    this.watch?.exit(exit, reason, quantity, price, before);
    if (shrinking !== null) {
      book.settleGroup({ ocaName, ocaType: 'reduce' }, quantity);
      book.shrinkExits(shrinking, quantity);
    }
    this.afterFill(price);
  }

  /** The exit of an entry that was reversed at the same open still sells, or buys: it opens a position under its own id. */
  openByExit(exit: ExitOrder, quantity: number, at: number): void {
    const { ledger } = this.parts;
    if (quantity === 0) return;
    const price = this.priceOf(exit.direction, at, false);
    const fill = this.fillAt(exit.request.words.id, exit.request.words.comment, price);
    const before = ledger.size;
    ledger.open(exit.direction, quantity, ledger.feeOf(quantity, price), fill);
    this.watch?.exit(exit, 'stop', quantity, price, before);
    this.afterFill(price);
    this.callMargin(price);
  }

  private startExits(order: Order, lot: Lot): void {
    const { book, bar, sizing, quiet } = this.parts;
    for (const request of book.takeWaiting(order)) {
      // The bracket came before its entry, so that it works on the rest of this bar.
      const exit = new ExitOrder(lot, request, -1, STAGE.open);
      sizing.priceExit(exit, request, quiet);
      exit.follow(lot.price);
      if (bar.stage !== STAGE.open) exit.beginInsideBar();
      book.addExit(exit);
    }
  }

  private afterClose(): void {
    this.parts.book.dropSpentExits(this.parts.ledger.size === 0);
  }

  private afterFill(price: number): void {
    const { risk } = this.parts;
    this.count += 1;
    if (risk.countFill()) this.flatten(TOO_MANY_FILLS, price);
  }

  /** Closes everything at a price and takes back every order. */
  flatten(reason: string, price: number): void {
    const { ledger, book } = this.parts;
    const before = ledger.size;
    const quantity = Math.abs(before);
    book.clear();
    if (quantity === 0) return;
    ledger.close(quantity, ledger.feeOf(quantity, price), this.fillAt(reason, reason, price));
    this.watch?.forced(reason, quantity, price, before);
  }

  /** Closes a part of a position that the account cannot carry at a price. */
  callMargin(at: number): void {
    const { ledger, margin } = this.parts;
    if (!margin.isShortAt(at)) return;
    const quantity = margin.callQuantity(at);
    const before = ledger.size;
    const direction = before > 0 ? -1 : 1;
    const price = this.priceOf(direction, at, false);
    this.parts.book.wakeExits();
    ledger.settleById(null, quantity);
    ledger.close(quantity, ledger.feeOf(quantity, price), this.fillAt(MARGIN_CALL, MARGIN_CALL, price));
    this.watch?.forced(MARGIN_CALL, quantity, price, before);
    this.afterClose();
    this.count += 1;
  }
}
