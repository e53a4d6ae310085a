// The path that the prices of a bar take, and what they fill on it: at the open, on a leg from one extreme to the next, at the
// close. What is reached first fills first.

import type { BrokerParts } from './broker-parts.ts';
import { STAGE } from './current-bar.ts';
import type { Execution } from './execution.ts';
import type { ExitOrder } from './exit-order.ts';
import { moved } from './grid.ts';
import type { Order } from './order.ts';
import { isYoung } from './strategy-calls.ts';

/** Fills on one leg of a bar: more than any script means, and an end for orders that would fill each other for ever. */
const MAX_FILLS = 1000;
/** How often a script runs on one bar because of fills. */
const MAX_RUNS = 4;

/** What a move reaches first: a limit that must be passed fills at its level when the price is further on. */
interface Reached {
  readonly level: number;
  readonly at: number;
  readonly order: Order | null;
  readonly exit: ExitOrder | null;
}

export class PricePath {
  /** How often the script has run on this bar because of fills. */
  runs = 0;
  /** By how much the price must pass a limit before it fills. */
  readonly slack: number;
  private readonly parts: BrokerParts;
  private readonly execution: Execution;

  constructor(parts: BrokerParts, execution: Execution) {
    this.parts = parts;
    this.execution = execution;
    this.slack = parts.settings.limitAssumption * parts.grid.mintick;
  }

  /** Whether the script runs after a fill. */
  get mayRunAgain(): boolean {
    return this.parts.settings.calcOnOrderFills && this.runs < MAX_RUNS;
  }

  /** True when the open is over: what the script orders when it runs there may fill there too, but only once. */
  fillAtOpen(): boolean {
    const { bar, ledger, book } = this.parts;
    const { execution } = this;
    const before = execution.count;
    if (bar.part > 0 && !bar.hasOpened) book.age();
    this.fillMarketOrders(bar.open);
    if (bar.hasOpened) return true;
    bar.hasOpened = true;
    this.fillPassed(bar.open);
    ledger.touch(bar.open);
    for (const exit of book.exits) exit.beginBar(bar.open);
    return execution.count === before || !this.mayRunAgain;
  }

  private fillMarketOrders(price: number): void {
    const { book } = this.parts;
    if (book.orders.length === 0) return;
    for (const order of [...book.orders])
      if (order.isMarket && book.orders.includes(order)) this.execution.fillOrder(order, price);
  }

  /** Orders whose level lies at or behind the open fill there. */
  private fillPassed(open: number): void {
    const { book, ledger } = this.parts;
    const { execution, slack } = this;
    if (book.orders.length === 0 && book.exits.length === 0) return;
    const direction = ledger.direction;
    const stops = book.exits.filter((exit) => exit.passedAt(open, slack) === 'stop');
    const sizes = stops.map((exit) => book.availableTo(exit));
    for (const order of book.buyStopsFirst()) {
      if (!book.orders.includes(order) || order.isMarket || !order.isPassedAt(open, slack)) continue;
      if (!this.triggers(order, open)) execution.fillOrder(order, open);
    }
    const isReversed = direction !== 0 && ledger.direction === -direction;
    if (isReversed) for (const [index, exit] of stops.entries()) execution.openByExit(exit, sizes[index]!, open);
    for (const exit of [...book.exits]) {
      const reason = book.exits.includes(exit) ? exit.passedAt(open, slack) : null;
      if (reason !== null) execution.fillExit(exit, open, reason);
    }
  }

  /** A stop-limit order whose stop is reached is a limit order from there on; true while that is all that happens. */
  private triggers(order: Order, price: number): boolean {
    if (!order.isStop || Number.isNaN(order.limit)) return false;
    order.trigger(this.parts.quiet);
    return !order.isPassedAt(price, this.slack);
  }

  /** Whether anything can fill on this bar; on most of them nothing does. */
  mayReach(): boolean {
    const { book, ledger, margin, bar } = this.parts;
    const { slack } = this;
    const { high, low } = bar;
    for (const order of book.orders)
      if (order.isMarket || order.isPassedAt(order.direction > 0 === order.isStop ? high : low, slack)) return true;
    for (const exit of book.exits) if (exit.mayFillBetween(low, high, slack)) return true;
    return ledger.size !== 0 && margin.isCalledAt(ledger.size > 0 ? low : high);
  }

  /** Goes on to a price; false when it stops at a fill on the way, because the script must run there. */
  walkTo(to: number): boolean {
    const { bar, ledger, margin } = this.parts;
    const { execution } = this;
    for (let fills = 0; fills < MAX_FILLS; fills += 1) {
      const next = this.nextOn(bar.at, to);
      if (next === null) break;
      this.pathTo(next.at);
      const before = execution.count;
      if (next.exit !== null) execution.fillExit(next.exit, next.level, next.exit.reached);
      else if (!this.triggers(next.order!, next.at)) execution.fillOrder(next.order!, next.level);
      if (execution.count > before && this.mayRunAgain) return false;
    }
    this.pathTo(to);
    this.fillYoung(to);
    const adverse = ledger.size > 0 ? bar.low : bar.high;
    if (to === adverse && margin.isCalledAt(to)) execution.callMargin(to);
    return true;
  }

  private pathTo(price: number): void {
    const { bar, ledger, book } = this.parts;
    bar.at = price;
    ledger.touch(price);
    for (const exit of book.exits) exit.follow(price);
  }

  /** What a move reaches first; of two at one price the entry or order, then the bracket that was made first. */
  private nextOn(from: number, to: number): Reached | null {
    const { bar, book } = this.parts;
    const { slack } = this;
    let level = Number.NaN;
    let at = Number.NaN;
    let order: Order | null = null;
    let exit: ExitOrder | null = null;
    for (const candidate of book.orders) {
      if (candidate.isMarket || candidate.restsOnBar === bar.index || isYoung(candidate, bar)) continue;
      const reached = candidate.levelBetween(from, to, slack);
      const place = candidate.isStop ? reached : moved(reached, -candidate.direction * slack);
      if (Number.isNaN(reached) || Math.abs(place - from) >= Math.abs(at - from)) continue;
      level = reached;
      at = place;
      order = candidate;
    }
    for (const candidate of book.exits) {
      if (isYoung(candidate, bar) && candidate.stage === bar.stage) continue;
      const reached = candidate.levelBetween(from, to, slack);
      const place = candidate.reached === 'limit' ? moved(reached, candidate.lot.direction * slack) : reached;
      if (Number.isNaN(reached) || Math.abs(place - from) >= Math.abs(at - from)) continue;
      level = reached;
      at = place;
      exit = candidate;
    }
    return Number.isNaN(level) ? null : { level, at, order: exit === null ? order : null, exit };
  }

  /** Orders of a run in the middle of the bar see the extremes that are still to come, and not the close. */
  private fillYoung(price: number): void {
    const { bar, book, settings } = this.parts;
    const { execution, slack } = this;
    if (!settings.calcOnOrderFills || bar.stage === STAGE.close) return;
    for (const order of [...book.orders])
      if (book.orders.includes(order) && isYoung(order, bar) && (order.isMarket || order.isPassedAt(price, slack)))
        if (!this.triggers(order, price)) execution.fillOrder(order, price);
    for (const exit of [...book.exits]) {
      const reason = isYoung(exit, bar) && exit.stage === bar.stage ? exit.passedAt(price, slack) : null;
      if (reason !== null && book.exits.includes(exit)) execution.fillExit(exit, price, reason);
    }
  }

  fillAtClose(): void {
    const { bar, book, settings } = this.parts;
    const { execution, slack } = this;
    if (!settings.processOrdersOnClose) {
      for (const order of [...book.orders]) if (order.isImmediate) execution.fillOrder(order, bar.close);
      return;
    }
    // Brackets of entries that fill now work from the next bar on.
    const exits = book.exits.filter(({ askedOnBar }) => askedOnBar === bar.index);
    this.fillMarketOrders(bar.close);
    for (const order of [...book.orders])
      if (book.orders.includes(order) && order.bar === bar.index && order.isPassedAt(bar.close, slack))
        if (!this.triggers(order, bar.close)) execution.fillOrder(order, bar.close);
    for (const exit of exits) {
      const reason = book.exits.includes(exit) ? exit.passedAt(bar.close, slack) : null;
      if (reason !== null) execution.fillExit(exit, bar.close, reason);
    }
  }
}
