// The orders that wait: of entries and closes in the order of their calls, brackets, and brackets of entries to come.

import { STAGE } from './current-bar.ts';
import type { ExitOrder, ExitRequest } from './exit-order.ts';
import { inUnits } from './grid.ts';
import { added } from './lists.ts';
import type { Order, OrderWords } from './order.ts';
import type { QuietRange } from './quiet-range.ts';
import type { Direction } from './settings.ts';
import { Snapshot } from './snapshot.ts';

/** A bracket for an entry that is not filled yet. */
export interface WaitingExit {
  readonly request: ExitRequest;
  readonly order: Order;
}

/** Its lists are changed here alone, and whatever changes one makes the quiet range forget. */
export class OrderBook {
  private orderList: Order[] = [];
  private exitList: ExitOrder[] = [];
  private waitingList: WaitingExit[] = [];
  private readonly quiet: QuietRange;
  private readonly ordersKept = new Snapshot<Order>();
  private readonly exitsKept = new Snapshot<ExitOrder>();
  private waitingKept: readonly WaitingExit[] = [];

  constructor(quiet: QuietRange) {
    this.quiet = quiet;
  }

  get orders(): readonly Order[] {
    return this.orderList;
  }

  get exits(): readonly ExitOrder[] {
    return this.exitList;
  }

  get waiting(): readonly WaitingExit[] {
    return this.waitingList;
  }

  private setOrders(orders: Order[]): void {
    this.quiet.forget();
    this.orderList = orders;
  }

  private setExits(exits: ExitOrder[]): void {
    this.quiet.forget();
    this.exitList = exits;
  }

  /** Scripts cancel what is not there on every bar: then nothing changes. */
  private keepOrders(isKept: (order: Order) => boolean): void {
    if (!this.orderList.every(isKept)) this.setOrders(this.orderList.filter(isKept));
  }

  private keepExits(isKept: (exit: ExitOrder) => boolean): void {
    if (!this.exitList.every(isKept)) this.setExits(this.exitList.filter(isKept));
  }

  /** Takes the prices that reach an order from the quiet range; `slack` is what a limit must be passed by. */
  leaveOutOf(quiet: QuietRange, slack: number): void {
    for (const order of this.orderList) order.leaveOutOf(quiet, slack);
    for (const exit of this.exitList) exit.leaveOutOf(quiet, slack);
  }

  add(order: Order): void {
    this.setOrders(added(this.orderList, order));
  }

  addExit(exit: ExitOrder): void {
    this.setExits(added(this.exitList, exit));
  }

  /** Of strategy.entry() and strategy.order(), which share their ids. */
  find(id: string): Order | undefined {
    return this.orderList.find((order) => order.id === id && !order.isClose);
  }

  /** Of opposite stops that one open has passed the buy comes first; all others keep the order of their calls. */
  buyStopsFirst(): Order[] {
    const isSellStop = (order: Order): boolean => order.kind === 'entry' && order.isStop && order.direction < 0;
    return [...this.orderList.filter((order) => !isSellStop(order)), ...this.orderList.filter(isSellStop)];
  }

  remove(order: Order): void {
    const place = this.orderList.indexOf(order);
    if (place < 0) return;
    this.quiet.forget();
    this.orderList.splice(place, 1);
  }

  /** The same id as another kind of order: it keeps its place and the brackets that wait for it. */
  exchange(known: Order, order: Order): void {
    this.quiet.forget();
    this.orderList[this.orderList.indexOf(known)] = order;
    this.waitingList = this.waitingList.map((exit) => (exit.order === known ? { ...exit, order } : exit));
  }

  removeExit(exit: ExitOrder): void {
    const place = this.exitList.indexOf(exit);
    if (place < 0) return;
    this.quiet.forget();
    this.exitList.splice(place, 1);
  }

  /** Entries, orders and brackets of an id; what was ordered to close at the market stays. */
  cancel(id: string): void {
    this.keepOrders((order) => order.id !== id || order.isClose);
    this.keepExits(({ request }) => request.words.id !== id);
    this.waitingList = this.waitingList.filter(({ request }) => request.words.id !== id);
    this.dropOrphans();
  }

  /** Brackets that wait for an entry which is no longer there. */
  dropOrphans(): void {
    if (this.waitingList.length > 0)
      this.waitingList = this.waitingList.filter(({ order }) => this.orderList.includes(order));
  }

  /** The brackets of an id around the entries that are meant, filled or not. */
  cancelExits(id: string, isMeant: (entryId: string) => boolean): void {
    this.waitingList = this.waitingList.filter(({ request, order }) => request.words.id !== id || !isMeant(order.id));
    this.keepExits(({ request, lot }) => request.words.id !== id || !isMeant(lot.id));
  }

  /** Orders to close that one place of the script has given on a bar. */
  dropSite(site: number, bar: number): void {
    this.keepOrders((order) => order.site !== site || order.bar !== bar);
  }

  clear(): void {
    if (this.orderList.length > 0) this.setOrders([]);
    if (this.exitList.length > 0) this.setExits([]);
    this.waitingList = [];
  }

  /** A bracket for an entry to come; one of the same id takes the place of the other. */
  await(request: ExitRequest, order: Order): void {
    const isSame = (exit: WaitingExit): boolean => exit.order === order && exit.request.words.id === request.words.id;
    const place = this.waitingList.findIndex(isSame);
    this.waitingList.splice(place < 0 ? this.waitingList.length : place, 1, { request, order });
  }

  /** Brackets that were ordered for an entry, which has filled. */
  takeWaiting(order: Order): ExitRequest[] {
    if (this.waitingList.length === 0) return [];
    const mine = this.waitingList.filter((waiting) => waiting.order === order);
    if (mine.length > 0) this.waitingList = this.waitingList.filter((waiting) => waiting.order !== order);
    return mine.map(({ request }) => request);
  }

  /** What earlier brackets of the same entry leave to this one. */
  availableTo(exit: ExitOrder): number {
    let left = exit.lot.bound;
    for (const other of this.exitList) {
      if (other === exit) return Math.max(0, Math.min(left, exit.wanted));
      if (other.lot === exit.lot) left = inUnits(left - Math.min(left, other.wanted));
    }
    return 0;
  }

  /** After something was closed: brackets live as long as there is something bound to their entry. */
  dropSpentExits(isFlat: boolean): void {
    if (!isFlat) this.keepExits(({ lot }) => lot.bound > 0);
    else if (this.exitList.length > 0) this.setExits([]);
  }

  /**
   * A full close at the market takes back stops that would have added to the position, unless they were ordered on the
   * same bar as the close; limits and orders of the other direction stay.
   */
  dropAdditions(direction: Direction, closedOnBar: number, keptId: string | null): void {
    const isKept = (order: Order): boolean =>
      order.kind !== 'entry' ||
      order.direction !== direction ||
      !order.isStop ||
      Math.sign(order.heldAtPlacement) !== direction ||
      order.bar >= closedOnBar ||
      order.id === keptId;
    this.keepOrders(isKept);
  }

  /** An entry has turned the position: what others found open against them when they were placed is gone with it. */
  dropCarries(direction: Direction): void {
    for (const order of this.orderList) if (order.direction === direction) order.carry = 0;
  }

  /** A turn of the position was refused: closes that were called after it go, and brackets wait to be asked for again. */
  refuseTurn(): void {
    this.keepOrders(({ isClose }) => !isClose);
    for (const exit of this.exitList) exit.isAsleep = true;
  }

  wakeExits(): void {
    for (const exit of this.exitList) exit.isAsleep = false;
  }

  /** The next of the shorter bars inside of a bar begins: for it, what came before is as old as orders of earlier bars. */
  age(): void {
    for (const order of this.orderList) {
      order.stage = STAGE.done;
      order.restsOnBar = -1;
    }
    for (const exit of this.exitList) exit.stage = STAGE.done;
  }

  /** One order of a group has filled: the others go, or shrink by what it took. */
  settleGroup({ ocaName, ocaType }: Pick<OrderWords, 'ocaName' | 'ocaType'>, quantity: number): void {
    if (ocaType === 'none' || ocaName === '') return;
    for (const order of [...this.orderList]) {
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
    const exits = this.exitList.filter(({ request }) => request.words.ocaName === ocaName);
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
    this.ordersKept.keep(this.orderList);
    this.exitsKept.keep(this.exitList);
    this.waitingKept = [...this.waitingList];
  }

  restore(): void {
    this.setOrders(this.ordersKept.restored());
    this.setExits(this.exitsKept.restored());
    this.waitingList = [...this.waitingKept];
  }
}
