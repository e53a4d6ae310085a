// What the calls of strategy.* order from the oracle's broker.

import type { Desk } from './desk.ts';
import { wantedOf } from './fills.ts';
import type { MarginRules } from './margin.ts';
import { inUnits, type Side } from './market.ts';
import {
  type Bracket,
  type ExitCall,
  follow,
  hasPrices,
  isClosing,
  isMarket,
  levelsOf,
  NODE,
  type Order,
} from './orders.ts';

/** The arguments of strategy.entry() and strategy.order(), na as NaN. */
export interface OrderCall {
  readonly id: string;
  readonly side: Side;
  readonly quantity: number;
  readonly limit: number;
  readonly stop: number;
  readonly ocaName: string;
  readonly ocaType: string;
  readonly comment: string;
}

export interface CloseCall {
  readonly id: string;
  readonly quantity: number;
  readonly percent: number;
  readonly comment: string;
  readonly isImmediate: boolean;
  readonly site: number;
}

export class Placing {
  private readonly desk: Desk;
  private readonly margin: MarginRules;

  constructor(desk: Desk, margin: MarginRules) {
    this.desk = desk;
    this.margin = margin;
  }

  place(kind: 'entry' | 'order', call: OrderCall): void {
    const { desk } = this;
    const { books, terms } = desk;
    if (!desk.mayTrade) return;
    const earlier = desk.orders.find((order) => order.id === call.id && !isClosing(order));
    const order = this.orderOf(kind, call, earlier);
    const isOverCap = books.side === call.side && books.entries.length >= terms.pyramiding;
    const isRefused = kind === 'entry' && !isMarket(order) && isOverCap;
    const isTooMuch = isMarket(order) && !order.isByDefault && !this.canPay(order);
    // What cannot be taken takes the older order of its id along.
    if (isRefused || isTooMuch || order.quantity <= 0) {
      if (earlier !== undefined) desk.drop(earlier);
      return;
    }
    if (earlier === undefined) {
      desk.orders.push(order);
      return;
    }
    // The same id again keeps its place, and the brackets that wait for it.
    desk.orders = desk.orders.map((other) => (other === earlier ? order : other));
    desk.waiting = desk.waiting.map((exit) => (exit.order === earlier ? { ...exit, order } : exit));
  }

  private orderOf(kind: 'entry' | 'order', call: OrderCall, earlier: Order | undefined): Order {
    const { desk } = this;
    const { books, terms, bar, mark } = desk;
    const { id, side, ocaName, ocaType, comment } = call;
    const limit = terms.onTick(call.limit, -side as Side);
    const stop = terms.onTick(call.stop, side);
    const isByDefault = Number.isNaN(call.quantity);
    const isPriced = !Number.isNaN(limit) || !Number.isNaN(stop);
    const equity = books.equity(mark);
    const slipped = mark + side * terms.slippageTicks * terms.tick;
    const isKnown = !isPriced || terms.sizeType === 'fixed';
    const byDefault = isKnown ? terms.defaultSize(slipped, equity) : Number.NaN;
    const quantity = isByDefault ? byDefault : terms.wholeSteps(call.quantity);
    const isRepeated = earlier !== undefined && earlier.run === desk.run;
    const against = books.side === -side ? Math.max(0, books.held - this.closesOfBar()) : 0;
    const isSame = earlier !== undefined && earlier.limit === limit && earlier.stop === stop;
    return {
      ...{ kind, id, side, quantity, isByDefault, limit, stop, comment, ocaName, ocaType },
      ...{ bar: bar.index, node: desk.placedAt, run: desk.run, heldAtPlacement: books.size, equityAtPlacement: equity },
      carry: kind === 'entry' && isPriced && !isRepeated ? inUnits(against) : 0,
      isRepeated: isRepeated && kind === 'entry',
      reducedBy: 0,
      ...{ isImmediate: false, site: -1, isTriggered: isSame && earlier.isTriggered, waitsOnBar: -1 },
    };
  }

  /** What closes that were called before on this bar will take. */
  private closesOfBar(): number {
    const { orders, bar } = this.desk;
    return orders
      .filter((order) => isClosing(order) && order.bar === bar.index)
      .reduce((sum, { quantity }) => sum + quantity, 0);
  }

  /** Whether the account could pay for it at the price of the call. */
  private canPay(order: Order): boolean {
    const { books, terms, mark } = this.desk;
    const { side, quantity } = order;
    if (terms.marginOf(side) === 0) return true;
    const left = Math.max(0, books.held - this.closesOfBar());
    const isAgainst = books.side === -side;
    const opening = order.kind === 'order' && isAgainst ? quantity - left : quantity;
    const beside = books.side === side ? left : 0;
    return opening <= 0 || this.margin.pays(books.equity(mark), side, opening + beside, mark);
  }

  close(kind: 'close' | 'close_all', call: CloseCall): void {
    const { desk } = this;
    const { books, terms, bar } = desk;
    if (!desk.mayTrade || books.side === 0) return;
    const bound = books.entries.filter(({ id }) => id === call.id).reduce((sum, row) => sum + row.bound, 0);
    const part = Number.isNaN(call.quantity) ? (bound * call.percent) / 100 : call.quantity;
    const isWhole = Number.isNaN(call.quantity) && call.percent === 100;
    const ofEntry = isWhole ? inUnits(bound) : Math.min(terms.wholeSteps(part), bound);
    const quantity = kind === 'close_all' ? books.held : ofEntry;
    if (!(quantity > 0)) return;
    const isOfSite = (order: Order): boolean => isClosing(order) && order.site === call.site && order.bar === bar.index;
    if (terms.fillsAtClose) for (const order of desk.orders.filter(isOfSite)) desk.drop(order);
    desk.orders.push({
      ...{ kind, id: call.id, side: -books.side as Side, quantity, isByDefault: false },
      ...{ limit: Number.NaN, stop: Number.NaN, comment: call.comment, ocaName: '', ocaType: 'none' },
      ...{ bar: bar.index, node: desk.placedAt, run: desk.run, heldAtPlacement: books.size, equityAtPlacement: 0 },
      ...{ carry: 0, isRepeated: false, reducedBy: 0, isImmediate: call.isImmediate, site: call.site },
      ...{ isTriggered: false, waitsOnBar: -1 },
    });
  }

  exit(call: ExitCall): void {
    const { desk } = this;
    if (!desk.mayTrade) return;
    const isCovered = (id: string): boolean => call.fromEntry === '' || id === call.fromEntry;
    if (!hasPrices(call)) {
      desk.brackets = desk.brackets.filter(({ call: { id }, row }) => id !== call.id || !isCovered(row.id));
      desk.waiting = desk.waiting.filter(({ call: { id }, order }) => id !== call.id || !isCovered(order.id));
      return;
    }
    for (const row of desk.books.entries) if (isCovered(row.id)) this.bracketAround(row, call);
    for (const order of desk.orders) {
      if (isClosing(order) || !isCovered(order.id)) continue;
      // Without a named entry it covers what is held, and not what turns it.
      if (call.fromEntry === '' && desk.books.side === -order.side) continue;
      const place = desk.waiting.findIndex((exit) => exit.order === order && exit.call.id === call.id);
      if (place < 0) desk.waiting.push({ call, order });
      else desk.waiting[place] = { call, order };
    }
  }

  private bracketAround(row: Bracket['row'], call: ExitCall): void {
    const { desk } = this;
    const { terms, bar, mark } = desk;
    const wanted = wantedOf(call, row, desk);
    if (row.taken.has(call.id)) return;
    const levels = levelsOf(call, row, terms);
    const earlier = desk.brackets.find((bracket) => bracket.row === row && bracket.call.id === call.id);
    const isSameTrail =
      earlier !== undefined &&
      Object.is(earlier.activation, levels.activation) &&
      Object.is(earlier.offset, levels.offset);
    const trail = isSameTrail ? { isArmed: earlier.isArmed, best: earlier.best } : { isArmed: false, best: Number.NaN };
    const waits = { limitWaits: earlier?.limitWaits ?? false, stopWaits: earlier?.stopWaits ?? false };
    const now = { isAsleep: false, ...waits, askedOnBar: bar.index };
    const born = { bar: earlier?.bar ?? bar.index, node: earlier?.node ?? desk.placedAt };
    const bracket: Bracket = { row, call, wanted, ...levels, ...trail, ...now, ...born };
    if (!isSameTrail) follow(bracket, mark);
    if (earlier === undefined) desk.brackets.push(bracket);
    else desk.brackets = desk.brackets.map((other) => (other === earlier ? bracket : other));
  }

  cancel(id: string): void {
    const { desk } = this;
    desk.brackets = desk.brackets.filter(({ call }) => call.id !== id);
    desk.waiting = desk.waiting.filter(({ call }) => call.id !== id);
    for (const order of desk.orders.filter((other) => other.id === id && !isClosing(other))) desk.drop(order);
  }
}

/** Whether something was ordered on this bar by a run in the middle of it. */
export const isYoung = ({ bar, node }: { readonly bar: number; readonly node: number }, desk: Desk): boolean =>
  bar === desk.bar.index && node < NODE.close;
