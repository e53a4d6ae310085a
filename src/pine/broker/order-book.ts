// The orders that wait: of entries and closes in the order of their calls, brackets, and brackets of entries to come.

import { STAGE } from './current-bar.ts';
import type { ExitOrder, ExitRequest } from './exit-order.ts';
import { inUnits } from './grid.ts';
import type { Order, OrderWords } from './order.ts';
import type { Direction } from './settings.ts';
import { Snapshot } from './snapshot.ts';

/** A bracket for an entry that is not filled yet. */
export interface WaitingExit {
  readonly request: ExitRequest;
  readonly order: Order;
}

export class OrderBook {
  orders: Order[] = [];
  exits: ExitOrder[] = [];
  waiting: WaitingExit[] = [];
  private readonly ordersKept = new Snapshot<Order>();
  private readonly exitsKept = new Snapshot<ExitOrder>();
  private waitingKept: readonly WaitingExit[] = [];

  /** Of strategy.entry() and strategy.order(), which share their ids. */
  find(id: string): Order | undefined {
    return this.orders.find((order) => order.id === id && !order.isClose);
  }

  /** Of opposite stops that one open has passed the buy comes first; all others keep the order of their calls. */
  buyStopsFirst(): Order[] {
    const isSellStop = (order: Order): boolean => order.kind === 'entry' && order.isStop && order.direction < 0;
    return [...this.orders.filter((order) => !isSellStop(order)), ...this.orders.filter(isSellStop)];
  }

  remove(order: Order): void {
    const place = this.orders.indexOf(order);
    if (place >= 0) this.orders.splice(place, 1);
  }

  /** The same id as another kind of order: it keeps its place and the brackets that wait for it. */
  exchange(known: Order, order: Order): void {
    this.orders[this.orders.indexOf(known)] = order;
    this.waiting = this.waiting.map((exit) => (exit.order === known ? { ...exit, order } : exit));
  }

  removeExit(exit: ExitOrder): void {
    const place = this.exits.indexOf(exit);
    if (place >= 0) this.exits.splice(place, 1);
  }

  /** Entries, orders and brackets of an id; what was ordered to close at the market stays. */
  cancel(id: string): void {
    this.orders = this.orders.filter((order) => order.id !== id || order.isClose);
    this.exits = this.exits.filter(({ request }) => request.words.id !== id);
    this.waiting = this.waiting.filter(({ request, order }) => request.words.id !== id && this.orders.includes(order));
  }

  clear(): void {
    this.orders = [];
    this.exits = [];
    this.waiting = [];
  }

  /** Brackets that were ordered for an entry, which has filled. */
  takeWaiting(order: Order): ExitRequest[] {
    if (this.waiting.length === 0) return [];
    const mine = this.waiting.filter((waiting) => waiting.order === order);
    if (mine.length > 0) this.waiting = this.waiting.filter((waiting) => waiting.order !== order);
    return mine.map(({ request }) => request);
  }

  /** What earlier brackets of the same entry leave to this one. */
  availableTo(exit: ExitOrder): number {
    let left = exit.lot.bound;
    for (const other of this.exits) {
      if (other === exit) return Math.max(0, Math.min(left, exit.wanted));
      if (other.lot === exit.lot) left = inUnits(left - Math.min(left, other.wanted));
    }
    return 0;
  }

  /** After something was closed: brackets live as long as there is something bound to their entry. */
  dropSpentExits(isFlat: boolean): void {
    if (isFlat) this.exits = [];
    else if (this.exits.some(({ lot }) => lot.bound === 0)) this.exits = this.exits.filter(({ lot }) => lot.bound > 0);
  }

  /**
   * A full close at the market takes back stops that would have added to the position, unless they were ordered on the
   * same bar as the close; limits and orders of the other direction stay.
   */
  dropAdditions(direction: Direction, closedOnBar: number, keptId: string | null): void {
    this.orders = this.orders.filter(
      (order) =>
        order.kind !== 'entry' ||
        order.direction !== direction ||
        !order.isStop ||
        Math.sign(order.heldAtPlacement) !== direction ||
        order.bar >= closedOnBar ||
        order.id === keptId,
    );
  }

  /** An entry has turned the position: what others found open against them when they were placed is gone with it. */
  dropCarries(direction: Direction): void {
    for (const order of this.orders) if (order.direction === direction) order.carry = 0;
  }

  /** A turn of the position was refused: closes that were called after it go, and brackets wait to be asked for again. */
  refuseTurn(): void {
    this.orders = this.orders.filter(({ isClose }) => !isClose);
    for (const exit of this.exits) exit.isAsleep = true;
  }

  wakeExits(): void {
    for (const exit of this.exits) exit.isAsleep = false;
  }

  /** The next of the shorter bars inside of a bar begins: for it, what came before is as old as orders of earlier bars. */
  age(): void {
    for (const order of this.orders) {
      order.stage = STAGE.done;
      order.restsOnBar = -1;
    }
    for (const exit of this.exits) exit.stage = STAGE.done;
  }

  /** One order of a group has filled: the others go, or shrink by what it took. */
  settleGroup({ ocaName, ocaType }: Pick<OrderWords, 'ocaName' | 'ocaType'>, quantity: number): void {
    if (ocaType === 'none' || ocaName === '') return;
    for (const order of [...this.orders]) {
      if (order.words.ocaName !== ocaName || order.words.ocaType !== ocaType) continue;
      if (ocaType === 'reduce') {
        order.quantity = inUnits(order.quantity - quantity);
        order.reducedBy = inUnits(order.reducedBy + quantity);
      }
      if (ocaType === 'cancel' || order.quantity <= 0) this.remove(order);
    }
  }

  /** What brackets of a group would close now; all of them are of the type that shrinks. Null where there are none. */
  sizesIn(ocaName: string): Map<ExitOrder, number> | null {
    if (ocaName === '') return null;
    const exits = this.exits.filter(({ request }) => request.words.ocaName === ocaName);
    return exits.length === 0 ? null : new Map(exits.map((exit) => [exit, this.availableTo(exit)]));
  }

  /** An order of their group has filled: brackets shrink by what it took from what they were before. */
  shrinkExits(sizes: ReadonlyMap<ExitOrder, number>, quantity: number): void {
    for (const [exit, size] of sizes) {
      exit.wanted = inUnits(size - quantity);
      exit.isReduced = true;
      if (exit.wanted <= 0) this.removeExit(exit);
    }
  }

  save(): void {
    this.ordersKept.keep(this.orders);
    this.exitsKept.keep(this.exits);
    this.waitingKept = [...this.waiting];
  }

  restore(): void {
    this.orders = this.ordersKept.restored();
    this.exits = this.exitsKept.restored();
    this.waiting = [...this.waitingKept];
  }
}
