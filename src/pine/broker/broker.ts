// TradingView's broker emulator: takes the orders of a script and fills them along the path that a bar's prices took.
//
// A bar goes through these stages; without calc_on_order_fills in one go, with it the script runs again after every fill:
//
//   open ──► leg 1 ──► leg 2 ──► leg 3 ──► script at the close ──► close
//     │        └─ open to the nearer of high and low, to the other one, to the close: what is reached first fills first
//     └─ market orders in the order of their calls, then what the open has passed
//
// At the close, orders with `immediately` fill, and under process_orders_on_close all market orders of the bar.
//
// An order:   placed ──► filled | replaced by the same id | cancelled by the script, its group, or a full close
// A bracket:  waits for its entry ──► works ──► filled | gone with the position

import { Account } from './account.ts';
import { ExitOrder, type ExitReason, type ExitRequest } from './exit-order.ts';
import { Grid, inUnits } from './grid.ts';
import { type Fill, Ledger } from './ledger.ts';
import type { Lot } from './lot.ts';
import { Order, type OrderKind, type OrderRequest } from './order.ts';
import { Risk } from './risk.ts';
import type { BrokerMarket, BrokerSettings, Direction } from './settings.ts';
import { Snapshot } from './snapshot.ts';

/** What a script can ask of the broker. */
export type Calls = Pick<Broker, 'entry' | 'order' | 'exit' | 'close' | 'closeAll' | 'cancel' | 'cancelAll'>;

/** A bracket for an entry that is not filled yet. */
interface WaitingExit {
  readonly request: ExitRequest;
  readonly order: Order;
}

/** Fills on one leg of a bar; a script that makes more has its orders fill each other. */
const MAX_FILLS = 1000;

export class Broker {
  readonly ledger: Ledger;
  readonly settings: BrokerSettings;
  readonly grid: Grid;
  readonly account = new Account(this);
  readonly risk = new Risk();
  /** What generated code calls. */
  readonly calls = this;
  /** At the close of each bar. */
  readonly equityCurve: number[] = [];
  private readonly market: BrokerMarket;
  private orders: Order[] = [];
  private exits: ExitOrder[] = [];
  private waiting: WaitingExit[] = [];
  private readonly ordersKept = new Snapshot<Order>();
  private readonly exitsKept = new Snapshot<ExitOrder>();
  private waitingKept: readonly WaitingExit[] = [];
  private bar = -1;
  private timeMs = Number.NaN;
  private open = Number.NaN;
  private high = Number.NaN;
  private low = Number.NaN;
  price = Number.NaN;

  constructor(settings: BrokerSettings, market: BrokerMarket) {
    this.settings = settings;
    this.market = market;
    this.grid = new Grid(market);
    this.ledger = new Ledger(settings, market);
  }

  /** Called by generated code at the start of each bar, before the script. */
  begin(bar: number, timeMs: number, open: number, high: number, low: number, close: number): void {
    this.bar = bar;
    this.timeMs = timeMs;
    this.open = open;
    this.high = high;
    this.low = low;
    this.price = close;
    if (this.orders.length === 0 && this.ledger.size === 0) return;
    this.fillMarketOrders(open);
    this.fillPassed(open);
    this.ledger.touch(open);
    if (this.mayReach(high, low)) this.walk();
    else this.pass(high, low);
    if (this.ledger.size !== 0) {
      this.ledger.watch(low);
      this.ledger.watch(high);
    }
  }

  /** Called by generated code at the end of each bar, after the script. */
  end(): void {
    this.fillAtClose();
    this.equityCurve[this.bar] = this.ledger.equity(this.price);
  }

  private fillAtClose(): void {
    if (this.orders.length === 0) return;
    if (this.settings.processOrdersOnClose) {
      this.fillMarketOrders(this.price);
      for (const order of [...this.orders])
        if (order.bar === this.bar && order.isPassedAt(this.price, this.slack)) this.fillOrder(order, this.price, true);
    } else for (const order of [...this.orders]) if (order.isImmediate) this.fillOrder(order, this.price, true);
  }

  save(): void {
    this.ledger.save();
    this.ordersKept.keep(this.orders);
    this.exitsKept.keep(this.exits);
    this.waitingKept = [...this.waiting];
  }

  restore(): void {
    this.ledger.restore();
    this.orders = this.ordersKept.restored();
    this.exits = this.exitsKept.restored();
    this.waiting = [...this.waitingKept];
  }

  private get slack(): number {
    return this.settings.limitAssumption * this.grid.mintick;
  }

  // The path of a bar

  private walk(): void {
    const { open, high, low, price: close } = this;
    const isHighFirst = high - open < open - low;
    const [first, second] = isHighFirst ? [high, low] : [low, high];
    this.move(open, first);
    this.move(first, second);
    this.move(second, close);
  }

  /** Whether anything can happen between the open and the close. */
  private mayReach(high: number, low: number): boolean {
    const { slack } = this;
    for (const order of this.orders) {
      if (!order.isMarket && order.isPassedAt(order.direction > 0 === isStop(order) ? high : low, slack)) return true;
    }
    for (const exit of this.exits) {
      const [best, worst] = exit.lot.direction > 0 ? [high, low] : [low, high];
      if (exit.hasTrail || exit.passedAt(best, slack) !== null || exit.passedAt(worst, slack) !== null) return true;
    }
    return false;
  }

  /** A bar on which nothing fills. */
  private pass(high: number, low: number): void {
    for (const lot of this.ledger.lots) {
      lot.touch(high);
      lot.touch(low);
    }
  }

  private move(from: number, to: number): void {
    let at = from;
    for (let fills = 0; fills < MAX_FILLS; fills += 1) {
      let level = Number.NaN;
      let order: Order | null = null;
      let exit: ExitOrder | null = null;
      const isNearer = (other: number): boolean =>
        !Number.isNaN(other) && (Number.isNaN(level) || Math.abs(other - at) < Math.abs(level - at));
      for (const candidate of this.orders) {
        const other = candidate.levelBetween(at, to, this.slack);
        if (!isNearer(other)) continue;
        level = other;
        order = candidate;
      }
      for (const candidate of this.exits) {
        const other = candidate.levelBetween(at, to, this.slack);
        if (!isNearer(other)) continue;
        level = other;
        exit = candidate;
      }
      if (Number.isNaN(level)) break;
      this.pathTo(level);
      at = level;
      if (exit !== null) this.fillExit(exit, level, exit.reached, false);
      else if (order !== null) this.reach(order, level);
    }
    this.pathTo(to);
  }

  /** A stop-limit order whose stop is reached becomes a limit order; any other fills. */
  private reach(order: Order, level: number): void {
    if (!order.isTriggered && isStop(order) && !Number.isNaN(order.limit)) order.isTriggered = true;
    else this.fillOrder(order, level, false);
  }

  private pathTo(price: number): void {
    this.ledger.touch(price);
    for (const exit of this.exits) exit.follow(price);
  }

  private fillMarketOrders(price: number): void {
    for (const order of [...this.orders])
      if (order.isMarket && this.orders.includes(order)) this.fillOrder(order, price, true);
  }

  /** Orders whose level lies behind the open fill there. */
  private fillPassed(open: number): void {
    for (const order of [...this.orders]) {
      if (!this.orders.includes(order) || !order.isPassedAt(open, this.slack)) continue;
      if (isStop(order) && !order.isTriggered && !Number.isNaN(order.limit)) {
        order.isTriggered = true;
        if (!order.isPassedAt(open, this.slack)) continue;
      }
      this.fillOrder(order, open, true);
    }
    for (const exit of [...this.exits]) {
      const reason = this.exits.includes(exit) ? exit.passedAt(open, this.slack) : null;
      if (reason !== null) this.fillExit(exit, open, reason, true);
    }
    for (const exit of this.exits) exit.follow(open);
  }

  // Fills

  /** Stops and market orders slip and snap to the worse tick; a limit fills at its price, or at an open beyond it. */
  private fillPrice(direction: Direction, price: number, isLimit: boolean): number {
    if (isLimit) return this.grid.nearest(price);
    return this.grid.snap(price + direction * this.settings.slippage * this.grid.mintick, direction);
  }

  private fillAt(id: string, comment: string, price: number): Fill {
    return { id, comment, price, bar: this.bar, timeMs: this.timeMs };
  }

  private fillOrder(order: Order, at: number, _isOpen: boolean): void {
    this.remove(order);
    const isLimit = !Number.isNaN(order.limit) && (order.isTriggered || Number.isNaN(order.stop));
    const price = this.fillPrice(order.direction, at, isLimit);
    if (order.isClose) this.fillClose(order, price);
    else this.fillEntry(order, price);
  }

  private fillClose(order: Order, price: number): void {
    const { ledger } = this;
    if (ledger.size === 0 || ledger.direction === order.direction) return;
    const quantity = Math.min(order.quantity, Math.abs(ledger.size));
    const fill = this.fillAt(order.id, order.comment, price);
    if (order.kind === 'close') ledger.settleById(order.id, quantity);
    ledger.close(quantity, ledger.feeOf(quantity, price), fill);
    this.afterClose();
  }

  private fillEntry(order: Order, price: number): void {
    const { ledger, settings } = this;
    const { direction } = order;
    const isAgainst = ledger.size !== 0 && ledger.direction !== direction;
    if (order.kind === 'entry' && !isAgainst && order.isMarket && ledger.entries.length >= settings.pyramiding) return;
    const own = Number.isNaN(order.quantity) ? this.defaultQuantity(order, price) : order.quantity;
    if (!(own > 0)) return;
    const carry = order.kind === 'order' ? 0 : order.isMarket ? (isAgainst ? Math.abs(ledger.size) : 0) : order.carry;
    const quantity = inUnits(own + carry);
    const fill = this.fillAt(order.id, order.comment, price);
    const fee = ledger.feeOf(quantity, price);
    const closing = isAgainst ? Math.min(quantity, Math.abs(ledger.size)) : 0;
    if (closing > 0) {
      if (closing < Math.abs(ledger.size)) ledger.settleById(null, closing);
      ledger.close(closing, (fee * closing) / quantity, fill);
      this.afterClose();
    }
    const rest = inUnits(quantity - closing);
    if (rest > 0) {
      const lot = ledger.open(direction, rest, (fee * rest) / quantity, fill);
      this.startExits(order, lot);
    }
    this.afterFill(order, quantity);
  }

  private fillExit(exit: ExitOrder, at: number, reason: ExitReason, _isOpen: boolean): void {
    const { ledger } = this;
    const quantity = Math.min(this.availableTo(exit), Math.abs(ledger.size));
    this.exits.splice(this.exits.indexOf(exit), 1);
    if (!(quantity > 0)) return;
    const { request } = exit;
    const price = this.fillPrice(exit.direction, at, reason === 'limit');
    const comment = { limit: request.commentProfit, stop: request.commentLoss, trail: request.commentTrailing }[reason];
    const fill = this.fillAt(request.id, comment || request.comment, price);
    exit.lot.fired = [...exit.lot.fired, request.id];
    ledger.settle(exit.lot, quantity);
    ledger.close(quantity, ledger.feeOf(quantity, price), fill, this.settings.closesAnyEntry ? exit.lot : null);
    this.afterClose();
  }

  /** What earlier brackets of the same entry leave to this one. */
  private availableTo(exit: ExitOrder): number {
    let left = exit.lot.bound;
    for (const other of this.exits) {
      if (other === exit) return Math.max(0, Math.min(left, exit.wanted));
      if (other.lot === exit.lot) left = inUnits(left - Math.min(left, other.wanted));
    }
    return 0;
  }

  /** Brackets go with the position. */
  private afterClose(): void {
    if (this.ledger.size === 0) {
      this.exits = [];
      return;
    }
    this.exits = this.exits.filter(({ lot }) => lot.bound > 0);
  }

  private afterFill(order: Order, quantity: number): void {
    if (order.ocaType === 'none' || order.ocaName === '') return;
    for (const other of [...this.orders]) {
      if (other.ocaName !== order.ocaName || other.ocaType !== order.ocaType) continue;
      if (order.ocaType === 'cancel') this.remove(other);
      else {
        other.quantity = inUnits(other.quantity - quantity);
        if (!(other.quantity > 0)) this.remove(other);
      }
    }
  }

  private remove(order: Order): void {
    const place = this.orders.indexOf(order);
    if (place >= 0) this.orders.splice(place, 1);
  }

  // Calls of the script

  get pointvalue(): number {
    return this.market.pointvalue;
  }

  get currency(): string {
    return this.market.currency;
  }

  get liquidationPrice(): number {
    return Number.NaN;
  }

  sizeAt(_price: number): number {
    return Number.NaN;
  }

  callsWhen(condition: boolean | null): Calls {
    return condition === true ? this : IGNORED;
  }

  entry(request: OrderRequest): void {
    this.place('entry', request);
  }

  order(request: OrderRequest): void {
    this.place('order', request);
  }

  private get takesOrders(): boolean {
    const { tradeFromMs, tradeToMs } = this.settings;
    return this.timeMs >= tradeFromMs && this.timeMs < tradeToMs;
  }

  private place(kind: 'entry' | 'order', request: OrderRequest): void {
    if (!this.takesOrders) return;
    const { ledger, settings } = this;
    const known = this.orders.find(({ id, isClose }) => id === request.id && !isClose);
    const rounded = this.rounded(request);
    const isPriced = !Number.isNaN(rounded.limit) || !Number.isNaN(rounded.stop);
    const isSame = ledger.direction === request.direction;
    const isFull = kind === 'entry' && isPriced && isSame && ledger.entries.length >= settings.pyramiding;
    if (isFull || rounded.quantity === 0) {
      if (known !== undefined) this.remove(known);
      return;
    }
    const order = known?.kind === kind ? known : new Order(kind, rounded, this.bar);
    if (order === known) order.replace(rounded, this.bar);
    else {
      if (known !== undefined) this.remove(known);
      this.orders.push(order);
    }
    order.heldAtPlacement = ledger.size;
    order.carry = kind === 'entry' && !isSame ? this.carryOf(request.direction) : 0;
    order.equityAtPlacement = ledger.equity(this.price);
    if (!isPriced && Number.isNaN(order.quantity)) order.quantity = this.defaultQuantity(order, this.price);
  }

  /** What is open against an entry, less what market closes before it will take. */
  private carryOf(direction: Direction): number {
    const { size } = this.ledger;
    if (size === 0 || Math.sign(size) === direction) return 0;
    let left = Math.abs(size);
    for (const order of this.orders) if (order.isClose && order.bar === this.bar) left -= order.quantity;
    return Math.max(0, inUnits(left));
  }

  private rounded(request: OrderRequest): OrderRequest {
    const { grid } = this;
    const { direction, quantity, limit, stop } = request;
    return {
      ...request,
      quantity: Number.isNaN(quantity) ? quantity : grid.floor(quantity),
      limit: Number.isNaN(limit) ? limit : grid.snap(limit, direction > 0 ? -1 : 1),
      stop: Number.isNaN(stop) ? stop : grid.snap(stop, direction),
    };
  }

  /** The size that the strategy declares: a number of contracts, or what an amount of money buys at a price. */
  private defaultQuantity(order: Order, price: number): number {
    const { quantityType, quantityValue, commissionType, commissionValue, slippage } = this.settings;
    if (quantityType === 'fixed') return this.grid.floor(quantityValue);
    const budget = quantityType === 'cash' ? quantityValue : (order.equityAtPlacement * quantityValue) / 100;
    const slipped = order.isMarket ? price + order.direction * slippage * this.grid.mintick : price;
    const fee = commissionType === 'percent' ? 1 + commissionValue / 100 : 1;
    return this.grid.floor(budget / (slipped * this.market.pointvalue * fee));
  }

  close(request: {
    id: string;
    quantity: number;
    percent: number;
    comment: string;
    alertMessage: string;
    isSilent: boolean;
    isImmediate: boolean;
  }): void {
    const { ledger } = this;
    if (!this.takesOrders || ledger.size === 0) return;
    let bound = 0;
    for (const lot of ledger.entries) if (lot.id === request.id) bound += lot.bound;
    if (bound === 0) return;
    const asked = Number.isNaN(request.quantity) ? (bound * request.percent) / 100 : request.quantity;
    const quantity = Math.min(
      bound,
      request.percent === 100 && Number.isNaN(request.quantity) ? bound : this.grid.floor(asked),
    );
    this.queueClose('close', request, quantity);
  }

  closeAll(request: { comment: string; alertMessage: string; isSilent: boolean; isImmediate: boolean }): void {
    const { size } = this.ledger;
    if (!this.takesOrders || size === 0) return;
    this.queueClose('close_all', { ...request, id: 'Close position order' }, Math.abs(size));
  }

  private queueClose(
    kind: OrderKind,
    request: { id: string; comment: string; alertMessage: string; isSilent: boolean; isImmediate: boolean },
    quantity: number,
  ): void {
    if (!(quantity > 0)) return;
    const order = new Order(
      kind,
      {
        id: request.id,
        direction: this.ledger.size > 0 ? -1 : 1,
        quantity,
        limit: Number.NaN,
        stop: Number.NaN,
        ocaName: '',
        ocaType: 'none',
        comment: request.comment,
        alertMessage: request.alertMessage,
        isSilent: request.isSilent,
      },
      this.bar,
    );
    order.isImmediate = request.isImmediate;
    this.orders.push(order);
  }

  cancel(id: string): void {
    this.orders = this.orders.filter((order) => order.id !== id || order.isClose);
    this.waiting = this.waiting.filter(({ request }) => request.id !== id);
    this.exits = this.exits.filter(({ request }) => request.id !== id);
  }

  cancelAll(): void {
    this.orders = [];
    this.exits = [];
    this.waiting = [];
  }

  exit(request: ExitRequest): void {
    if (!this.takesOrders) return;
    const { ledger } = this;
    const covers = (id: string): boolean => request.fromEntry === '' || request.fromEntry === id;
    this.waiting = this.waiting.filter(
      (other) => other.request.id !== request.id || other.request.fromEntry !== request.fromEntry,
    );
    if (!hasPrice(request)) {
      this.exits = this.exits.filter((exit) => exit.request.id !== request.id || !covers(exit.lot.id));
      return;
    }
    for (const lot of ledger.entries) if (covers(lot.id)) this.bracket(lot, request);
    for (const order of this.orders) {
      if (order.isClose || !covers(order.id)) continue;
      // Without a named entry it covers what is held; a reversal is covered when the script asks again.
      if (request.fromEntry === '' && ledger.size !== 0 && ledger.direction !== order.direction) continue;
      this.waiting.push({ request, order });
    }
  }

  /** Puts a bracket around an entry that is filled, or changes it. */
  private bracket(lot: Lot, request: ExitRequest): void {
    if (lot.fired.includes(request.id)) return;
    const known = this.exits.find((exit) => exit.lot === lot && exit.request.id === request.id);
    const exit = known ?? new ExitOrder(lot, request, this.bar);
    const before = { activation: exit.activation, offset: exit.offset };
    this.priceExit(exit, request);
    const isSameTrail = Object.is(before.activation, exit.activation) && Object.is(before.offset, exit.offset);
    if (exit.hasTrail && !isSameTrail) {
      exit.isArmed = false;
      exit.mark = Number.NaN;
      exit.follow(this.price);
    }
    if (known === undefined) this.exits.push(exit);
  }

  private priceExit(exit: ExitOrder, request: ExitRequest): void {
    const { lot } = exit;
    const { grid } = this;
    const side = lot.direction;
    exit.request = request;
    exit.wanted = this.wantedOf(lot, request);
    const away = (ticks: number, sign: number): number => lot.price + side * sign * grid.ticks(ticks);
    const target = this.chosen(request.limit, away(request.profit, 1), -side);
    const stop = this.chosen(request.stop, away(request.loss, -1), side);
    exit.limit = Number.isNaN(target) ? target : grid.snap(target, side);
    exit.stop = Number.isNaN(stop) ? stop : grid.snap(stop, side > 0 ? -1 : 1);
    const trail = this.chosen(request.trailPrice, away(request.trailPoints, 1), -side);
    exit.activation = Number.isNaN(trail) ? trail : grid.snap(trail, side);
    exit.offset = Number.isNaN(request.trailOffset)
      ? Number.NaN
      : Math.floor(request.trailOffset + 1e-9) * grid.mintick;
  }

  /** A price and a distance in ticks: from v6 on the one that is reached first counts. `side` 1 chooses the higher one. */
  private chosen(price: number, byTicks: number, side: number): number {
    if (Number.isNaN(price)) return byTicks;
    if (Number.isNaN(byTicks) || !this.settings.nearerCounts) return price;
    return side > 0 ? Math.max(price, byTicks) : Math.min(price, byTicks);
  }

  private wantedOf(lot: Lot, { quantity, quantityPercent }: ExitRequest): number {
    if (!Number.isNaN(quantity)) return this.grid.floor(quantity);
    if (quantityPercent >= 100) return Number.POSITIVE_INFINITY;
    return this.grid.floor((lot.original * quantityPercent) / 100);
  }

  /** Brackets that waited for this entry begin to work. */
  private startExits(order: Order, lot: Lot): void {
    const mine = this.waiting.filter((waiting) => waiting.order === order);
    if (mine.length === 0) return;
    this.waiting = this.waiting.filter((waiting) => waiting.order !== order);
    for (const { request } of mine) {
      const exit = new ExitOrder(lot, request, this.bar);
      this.priceExit(exit, request);
      exit.follow(lot.price);
      this.exits.push(exit);
    }
  }
}

/** The calls of a script whose `when` is false. */
const IGNORED: Calls = {
  entry() {},
  order() {},
  exit() {},
  close() {},
  closeAll() {},
  cancel() {},
  cancelAll() {},
};

const isStop = ({ stop, isTriggered }: Order): boolean => !Number.isNaN(stop) && !isTriggered;

const hasPrice = ({ profit, limit, loss, stop, trailPrice, trailPoints }: ExitRequest): boolean =>
  [profit, limit, loss, stop, trailPrice, trailPoints].some((value) => !Number.isNaN(value));
