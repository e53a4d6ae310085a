// The calls of a script: strategy.entry(), order(), exit(), close(), close_all(), cancel() and cancel_all() put into the book.

import type { BrokerParts } from './broker-parts.ts';
import { type CurrentBar, STAGE } from './current-bar.ts';
import { ExitOrder, type ExitRequest, type ExitWords } from './exit-order.ts';
import { inUnits } from './grid.ts';
import type { Ledger } from './ledger.ts';
import type { Lot } from './lot.ts';
import { Order, type OrderKind, type OrderNumbers, type OrderWords } from './order.ts';
import type { OrderBook } from './order-book.ts';
import type { Direction } from './settings.ts';

export interface CloseAllWords {
  readonly comment: string;
  readonly isImmediate: boolean;
  readonly alertMessage: string;
  readonly isSilent: boolean;
  /** Where in the script the call stands. */
  readonly site: number;
}

export interface CloseWords extends CloseAllWords {
  readonly id: string;
}

/**
 * Words first, then the numbers of the call in Pine's order; na is NaN. Words that do not change are one record for each
 * call in the script, so that they tell the calls apart.
 */
export interface Calls {
  entry(words: OrderWords, direction: Direction, quantity: number, limit: number, stop: number): void;
  order(words: OrderWords, direction: Direction, quantity: number, limit: number, stop: number): void;
  exit(
    words: ExitWords,
    quantity: number,
    quantityPercent: number,
    profit: number,
    limit: number,
    loss: number,
    stop: number,
    trailPrice: number,
    trailPoints: number,
    trailOffset: number,
  ): void;
  /** With a limit and a stop alone: what most scripts ask for, again on every bar. */
  exitAt(words: ExitWords, limit: number, stop: number): void;
  close(words: CloseWords, quantity: number, percent: number): void;
  closeAll(words: CloseAllWords): void;
  cancel(id: string): void;
  cancelAll(): void;
}

/** The calls of a script whose `when` is false. */
export const IGNORED: Calls = {
  entry() {},
  order() {},
  exit() {},
  exitAt() {},
  close() {},
  closeAll() {},
  cancel() {},
  cancelAll() {},
};

const NONE = Number.NaN;
/** How the list of trades names strategy.close_all() without a comment. */
const CLOSE_ALL_ID = 'Close position order';

export class StrategyCalls implements Calls {
  private readonly parts: BrokerParts;
  private readonly book: OrderBook;
  private readonly ledger: Ledger;
  private readonly fillsAtClose: boolean;

  constructor(parts: BrokerParts) {
    this.parts = parts;
    this.book = parts.book;
    this.ledger = parts.ledger;
    this.fillsAtClose = parts.settings.processOrdersOnClose;
  }

  entry(words: OrderWords, direction: Direction, quantity: number, limit: number, stop: number): void {
    if (this.takesOrders) this.place('entry', words, this.parts.sizing.rounded(direction, quantity, limit, stop));
  }

  order(words: OrderWords, direction: Direction, quantity: number, limit: number, stop: number): void {
    if (this.takesOrders) this.place('order', words, this.parts.sizing.rounded(direction, quantity, limit, stop));
  }

  /** Outside the tester's range, and after a risk rule ended trading, the broker takes nothing. */
  private get takesOrders(): boolean {
    const { settings, bar, risk } = this.parts;
    return bar.timeMs >= settings.tradeFromMs && bar.timeMs < settings.tradeToMs && !risk.isHalted;
  }

  private place(kind: 'entry' | 'order', words: OrderWords, numbers: OrderNumbers): void {
    const { bar, book, ledger, quiet, sizing, settings } = this.parts;
    const { direction, quantity, limit, stop } = numbers;
    const known = book.find(words.id);
    const isPriced = !Number.isNaN(limit) || !Number.isNaN(stop);
    const isAdding = ledger.direction === direction;
    // A market entry is measured against the others when it fills, one with a price when it is placed.
    const isFull = kind === 'entry' && isPriced && isAdding && ledger.entries.length >= settings.pyramiding;
    if (isFull || quantity <= 0) {
      if (known !== undefined) book.remove(known);
      return;
    }
    const isRepeated = known?.bar === bar.index && known.run === bar.run;
    const order = known?.kind === kind ? known : new Order(kind, words, numbers, bar.index);
    if (order === known) order.replace(words, numbers, bar.index, quiet);
    else if (known !== undefined) book.exchange(known, order);
    else book.add(order);
    order.run = bar.run;
    order.stage = bar.runStage;
    order.heldAtPlacement = ledger.size;
    order.isRepeated = isRepeated;
    order.carry = kind === 'entry' && !isRepeated ? this.carryOf(direction) : 0;
    order.equityAtPlacement = ledger.equity(bar.mark);
    order.isByDefault = Number.isNaN(quantity);
    const isSizeKnown = !isPriced || settings.quantityType === 'fixed';
    if (order.isByDefault && isSizeKnown) order.quantity = sizing.defaultQuantity(order, bar.mark);
    if (order.quantity <= 0) book.remove(order);
    else if (!isPriced && !this.isAffordable(order)) {
      book.remove(order);
      // An entry too many would not fill with any money.
      const isTooMany = kind === 'entry' && isAdding && ledger.entries.length >= settings.pyramiding;
      if (!isTooMany) ledger.totals.unpaidOrders += 1;
    }
  }

  /** An order at the market for more than the account can pay at the present price is not taken. */
  private isAffordable({ kind, direction, quantity, isByDefault }: Order): boolean {
    const { ledger, margin, bar } = this.parts;
    if (isByDefault) return true;
    const kept = ledger.direction === direction ? this.heldAfterCloses : 0;
    // Of strategy.order() only what is left after closing must be paid for.
    const closed = kind === 'order' && ledger.direction === -direction ? this.heldAfterCloses : 0;
    const opening = kept + quantity - closed;
    return opening <= 0 || margin.allows(direction, opening, bar.mark, ledger.equity(bar.mark));
  }

  /** What is open against an entry, less what market closes of this bar before it will take. */
  private carryOf(direction: Direction): number {
    const { ledger } = this.parts;
    return ledger.size === 0 || ledger.direction === direction ? 0 : this.heldAfterCloses;
  }

  /** What is held, less what market closes that were called on this bar before will take. */
  private get heldAfterCloses(): number {
    const { ledger, book, bar } = this.parts;
    let left = Math.abs(ledger.size);
    for (const order of book.orders) if (order.isClose && order.bar === bar.index) left -= order.quantity;
    return Math.max(0, inUnits(left));
  }

  close(words: CloseWords, quantity: number, percent: number): void {
    const { ledger, grid } = this.parts;
    if (!this.takesOrders || ledger.size === 0) return;
    let bound = 0;
    for (const lot of ledger.entries) if (lot.id === words.id) bound += lot.bound;
    const isPart = !Number.isNaN(quantity) || percent !== 100;
    const part = Number.isNaN(quantity) ? (bound * percent) / 100 : quantity;
    this.closeAtMarket('close', words.id, isPart ? Math.min(bound, grid.floor(part)) : inUnits(bound), words);
  }

  closeAll(words: CloseAllWords): void {
    const { ledger } = this.parts;
    if (!this.takesOrders || ledger.size === 0) return;
    this.closeAtMarket('close_all', CLOSE_ALL_ID, Math.abs(ledger.size), words);
  }

  private closeAtMarket(kind: OrderKind, id: string, quantity: number, words: CloseAllWords): void {
    const { ledger, bar, book } = this.parts;
    if (!(quantity > 0)) return;
    // Of several calls of one place of the script the last one counts when orders fill at the close.
    if (this.fillsAtClose) book.dropSite(words.site, bar.index);
    const { comment, alertMessage, isSilent } = words;
    const orderWords = { id, ocaName: '', ocaType: 'none', comment, alertMessage, isSilent } as const;
    const direction = ledger.size > 0 ? -1 : 1;
    const order = new Order(kind, orderWords, { direction, quantity, limit: Number.NaN, stop: Number.NaN }, bar.index);
    order.stage = bar.runStage;
    order.heldAtPlacement = ledger.size;
    order.isImmediate = words.isImmediate;
    order.site = words.site;
    book.add(order);
  }

  cancel(id: string): void {
    if (this.takesOrders) this.book.cancel(id);
  }

  cancelAll(): void {
    if (this.takesOrders) this.book.clear();
  }

  exitAt(words: ExitWords, limit: number, stop: number): void {
    const { only } = this;
    const request = only?.request;
    if (request !== undefined && request.words === words && request.limit === limit && request.stop === stop)
      this.askAgain(only!);
    else this.exit(words, NONE, 100, NONE, limit, NONE, stop, NONE, NONE, NONE);
  }

  /** Nothing changes, but that what fills at the close looks at the brackets which were asked for on its bar. */
  private askAgain(exit: ExitOrder): void {
    if (this.fillsAtClose && this.takesOrders) exit.askedOnBar = this.parts.bar.index;
  }

  /** Most scripts have one bracket and ask for the same one again on every bar. */
  private get only(): ExitOrder | null {
    const { exits, orders } = this.book;
    if (exits.length !== 1 || orders.length !== 0 || this.ledger.entries.length !== 1) return null;
    const exit = exits[0]!;
    return exit.isAsleep || exit.isReduced ? null : exit;
  }

  exit(
    words: ExitWords,
    quantity: number,
    quantityPercent: number,
    profit: number,
    limit: number,
    loss: number,
    stop: number,
    trailPrice: number,
    trailPoints: number,
    trailOffset: number,
  ): void {
    if (!this.takesOrders) return;
    const prices = { profit, limit, loss, stop, trailPrice, trailPoints, trailOffset };
    const request = { words, quantity, quantityPercent, ...prices };
    const { only } = this;
    if (only !== null && isAskedAgain(only.request, request)) this.askAgain(only);
    else this.bracketAll(request);
  }

  private bracketAll(request: ExitRequest): void {
    const { book, ledger } = this.parts;
    const { id, fromEntry } = request.words;
    const covers = (entryId: string): boolean => fromEntry === '' || fromEntry === entryId;
    book.dropOrphans();
    if (!hasPrice(request)) {
      book.cancelExits(id, covers);
      return;
    }
    for (const lot of ledger.entries) if (covers(lot.id)) this.bracket(lot, request);
    for (const order of book.orders) {
      if (order.isClose || !covers(order.id)) continue;
      // Without a named entry it covers what is held; a reversal is covered when the script asks again.
      if (fromEntry === '' && ledger.size !== 0 && ledger.direction !== order.direction) continue;
      book.await(request, order);
    }
  }

  /** Puts a bracket around an entry that is filled, or changes it. */
  private bracket(lot: Lot, request: ExitRequest): void {
    const { book, bar, sizing, quiet } = this.parts;
    const { id } = request.words;
    if (lot.fired.includes(id)) return;
    const known = book.exits.find((exit) => exit.lot === lot && exit.request.words.id === id);
    const exit = known ?? new ExitOrder(lot, request, bar.index, bar.runStage);
    const { activation, offset } = exit;
    exit.isAsleep = false;
    exit.askedOnBar = bar.index;
    sizing.priceExit(exit, request, quiet);
    if (!(Object.is(activation, exit.activation) && Object.is(offset, exit.offset))) {
      // A trailing stop that is new or changed begins at the present price; one that is taken away is armed no more.
      exit.isArmed = false;
      exit.follow(bar.mark);
    }
    if (known === undefined) book.addExit(exit);
  }
}

const isNa = (value: number): boolean => Number.isNaN(value);

/** Two nas are equal here. */
const isEqual = (a: number, b: number): boolean => a === b || (Number.isNaN(a) && Number.isNaN(b));

const isAskedAgain = (known: ExitRequest, asked: ExitRequest): boolean =>
  known.words === asked.words &&
  isEqual(known.stop, asked.stop) &&
  isEqual(known.limit, asked.limit) &&
  isEqual(known.profit, asked.profit) &&
  isEqual(known.loss, asked.loss) &&
  isEqual(known.trailPrice, asked.trailPrice) &&
  isEqual(known.trailPoints, asked.trailPoints) &&
  isEqual(known.trailOffset, asked.trailOffset) &&
  isEqual(known.quantity, asked.quantity) &&
  known.quantityPercent === asked.quantityPercent;

const hasPrice = ({ profit, limit, loss, stop, trailPrice, trailPoints }: ExitRequest): boolean =>
  !(isNa(profit) && isNa(limit) && isNa(loss) && isNa(stop) && isNa(trailPrice) && isNa(trailPoints));

/** Orders of a bar's close work from the next bar on; those of a run after a fill on the rest of the same bar. */
export const isYoung = (order: { readonly bar: number; readonly stage: number }, bar: CurrentBar): boolean =>
  order.bar === bar.index && order.stage !== STAGE.done;
