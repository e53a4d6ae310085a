// TradingView's broker emulator: fills the orders of a script along the path that the prices of a bar took.
//
// A bar goes through these stages:
//
//   open ──► first ──► second ──► close ──► done: the script runs, then what fills at the close
//     │        └─ from the open to the nearer extreme, to the other, to the close: what is reached first fills first
//     └─ market orders in the order of their calls, then what the open has passed
//
// Under calc_on_order_fills the path stops at each fill, the script runs there, and its orders work on the rest of the
// bar. At the close, orders with `immediately` fill, and under process_orders_on_close all market orders of the bar.
//
// Under the bar magnifier, the shorter bars inside of a bar go through these stages one after the other, up to the close.
//
// An order:   placed ──► filled | replaced by the same id | cancelled by the script, its group, or a full close
// A bracket:  waits for its entry ──► works ──► filled | gone with the position

import { Account } from './account.ts';
import { CurrentBar, type PriceColumns, STAGE, type Stage } from './current-bar.ts';
import { EquityCurve } from './equity-curve.ts';
import { Execution } from './execution.ts';
import type { ExitOrder } from './exit-order.ts';
import { FillWatch, type OrderFill } from './fill-watch.ts';
import { Grid, moved } from './grid.ts';
import { Ledger } from './ledger.ts';
import type { Magnifier } from './magnifier.ts';
import { Margin } from './margin.ts';
import type { Order } from './order.ts';
import { OrderBook } from './order-book.ts';
import { PointValue } from './point-value.ts';
import { QuietRange } from './quiet-range.ts';
import { Risk } from './risk.ts';
import type { BrokerMarket, BrokerSettings } from './settings.ts';
import { Sizing } from './sizing.ts';
import { type Calls, IGNORED, isYoung, StrategyCalls } from './strategy-calls.ts';

/** Fills on one leg of a bar: more than any script means, and an end for orders that would fill each other for ever. */
const MAX_FILLS = 1000;
/** How often a script runs on one bar because of fills. */
const MAX_RUNS = 4;
const TOO_MANY_LOSS_DAYS = 'Close Position (Max number of consecutive loss days)';

/** What a move reaches first: a limit that must be passed fills at its level when the price is further on. */
interface Reached {
  readonly level: number;
  readonly at: number;
  readonly order: Order | null;
  readonly exit: ExitOrder | null;
}

export class Broker {
  readonly settings: BrokerSettings;
  readonly market: BrokerMarket;
  readonly ledger: Ledger;
  readonly risk = new Risk();
  /** What generated code calls; one that keeps the calls stands before it where they are asked for. */
  calls: Calls;
  readonly account: Account;
  readonly pointValue: PointValue;
  readonly equityCurve = new EquityCurve();
  /** False on the ticks of a live bar: what fills at the close waits for it. */
  isClosing = true;
  /** Set where the strategy asks for it and there are shorter bars. */
  magnifier: Magnifier | null = null;
  private readonly bar = new CurrentBar();
  private readonly quiet = new QuietRange();
  private readonly book = new OrderBook(this.quiet);
  private readonly margin: Margin;
  private readonly execution: Execution;
  /** By how much the price must pass a limit before it fills. */
  private readonly slack: number;
  private runs = 0;
  private closedBefore = 0;

  constructor(settings: BrokerSettings, market: BrokerMarket) {
    const { bar, book, risk, quiet } = this;
    const pointValue = new PointValue(market.pointvalue);
    const grid = new Grid(market);
    const ledger = new Ledger(settings, pointValue, quiet);
    const margin = new Margin(settings, ledger, grid, pointValue);
    const sizing = new Sizing(settings, grid, pointValue);
    const parts = { bar, book, ledger, quiet, margin, risk, sizing, grid, settings };
    this.settings = settings;
    this.market = market;
    this.ledger = ledger;
    this.pointValue = pointValue;
    this.margin = margin;
    this.slack = settings.limitAssumption * grid.mintick;
    this.execution = new Execution(parts);
    this.calls = new StrategyCalls(parts);
    this.account = new Account({ bar, ledger, margin, sizing, settings, market, pointValue });
  }

  /** The calls of generated code that has a `when`. */
  callsWhen(condition: boolean | null): Calls {
    return condition === true ? this.calls : IGNORED;
  }

  /** Whether the script must run on this bar again, because a fill stopped the path before its end. */
  get isPaused(): boolean {
    return this.bar.stage !== STAGE.done;
  }

  /** Called by generated code on each bar before the script: fills what the bar reaches. */
  begin(index: number, slot: number, columns: PriceColumns): void {
    const { quiet } = this;
    const low = columns.low[slot]!;
    const high = columns.high[slot]!;
    // No calls with prices here: numbers that are handed over are allocated, on every bar.
    if (low > quiet.above && high < quiet.below) {
      this.bar.pass(index, slot);
      if (low < quiet.lowest || high > quiet.highest) this.touchQuietly();
    } else this.fillAlong(index, slot, columns);
  }

  private touchQuietly(): void {
    this.quiet.widen(this.bar);
    this.ledger.touchExtremes(this.bar);
  }

  private fillAlong(index: number, slot: number, columns: PriceColumns): void {
    const { bar, ledger, risk } = this;
    if (bar.stage === STAGE.done) {
      bar.start(index, slot, columns);
      this.runs = 0;
      this.closedBefore = ledger.closed.length;
      if (this.pointValue.isConverted) ledger.convertAt(bar.timeMs);
      if (risk.watchesBars && risk.beginBar(this.market.dayOf(bar.timeMs), ledger.realizedEquity))
        this.execution.flatten(TOO_MANY_LOSS_DAYS, bar.open);
      if (!this.isIdle) this.magnifier?.start(bar, this.isClosing);
      this.enterPath();
    }
    if (bar.stage !== STAGE.done) this.advance();
  }

  /** Called by generated code on each bar after the script. */
  end(): void {
    const { bar } = this;
    if (!this.quiet.isKnown) this.finish();
    if (bar.stage === STAGE.done) this.equityCurve.keep(bar, this.ledger);
  }

  private finish(): void {
    const { bar, book, risk } = this;
    if (bar.stage !== STAGE.done || !this.isClosing) return;
    if (book.orders.length > 0 || (this.settings.processOrdersOnClose && book.exits.length > 0)) this.fillAtClose();
    if (risk.watchesLosses) this.watchLosses();
  }

  // The path of a bar

  private advance(): void {
    const { bar, execution } = this;
    while (bar.stage !== STAGE.done) {
      const before = execution.count;
      const { stage } = bar;
      const isThrough = stage === STAGE.open ? this.fillAtOpen() : this.walkTo(bar.endOf(stage));
      const hasFilled = execution.count > before;
      const end = hasFilled ? bar.endOf(stage) : Number.NaN;
      if (isThrough) bar.stage = (stage + 1) as Stage;
      if (stage === STAGE.open && this.passesWhole && !this.mayReach()) this.passOver();
      const isNextPart = bar.stage === STAGE.done && this.magnifier?.goOn(bar) === true;
      if (hasFilled && this.mayRunAgain && bar.stage !== STAGE.done) {
        this.runs += 1;
        bar.pauseAt(end, stage);
        return;
      }
      if (isNextPart) this.enterPath();
    }
    bar.goOn();
  }

  /** Whether what is left of a bar can be told by its extremes: not where the script runs on fills or it has shorter bars. */
  private get passesWhole(): boolean {
    return !this.settings.calcOnOrderFills && this.magnifier === null;
  }

  /**
   * Whether bars may go unlooked at: not where every one changes what the account is worth, or its rules look at it, or
   * the account has owed money, of which more than the extremes of a bar must be seen.
   */
  private get mayPassOver(): boolean {
    if (this.risk.watchesBars || this.pointValue.isConverted || this.magnifier !== null) return false;
    return !this.ledger.hasOwed;
  }

  /** Goes to where something may fill: the bar itself, or one of the shorter bars inside of it. */
  private enterPath(): void {
    const { bar } = this;
    do {
      if (this.mayReach()) {
        bar.startPath();
        return;
      }
      this.passOver();
    } while (this.magnifier?.goOn(bar));
  }

  private get mayRunAgain(): boolean {
    return this.settings.calcOnOrderFills && this.runs < MAX_RUNS;
  }

  /** True when the open is over: what the script orders when it runs there may fill there too, but only once. */
  private fillAtOpen(): boolean {
    const { bar, ledger, book, execution } = this;
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
    const { book, execution } = this;
    if (book.orders.length === 0) return;
    for (const order of [...book.orders])
      if (order.isMarket && book.orders.includes(order)) execution.fillOrder(order, price);
  }

  /** Orders whose level lies at or behind the open fill there. */
  private fillPassed(open: number): void {
    const { book, execution, ledger, slack } = this;
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
    order.trigger(this.quiet);
    return !order.isPassedAt(price, this.slack);
  }

  /** Whether anything can fill on this bar; on most of them nothing does. */
  private mayReach(): boolean {
    const { book, slack, ledger, margin } = this;
    const { high, low } = this.bar;
    for (const order of book.orders)
      if (order.isMarket || order.isPassedAt(order.direction > 0 === order.isStop ? high : low, slack)) return true;
    for (const exit of book.exits) if (exit.mayFillBetween(low, high, slack)) return true;
    return ledger.size !== 0 && margin.isCalledAt(ledger.size > 0 ? low : high);
  }

  /** A bar on which nothing fills. */
  private passOver(): void {
    const { bar, ledger } = this;
    ledger.touchExtremes(bar);
    bar.stage = STAGE.done;
    if (this.mayPassOver) this.learnQuietRange();
  }

  private learnQuietRange(): void {
    const { bar, quiet, book, margin, slack } = this;
    quiet.begin(bar);
    book.leaveOutOf(quiet, slack);
    margin.leaveOutOf(quiet);
  }

  /** Goes on to a price; false when it stops at a fill on the way, because the script must run there. */
  private walkTo(to: number): boolean {
    const { bar, execution, ledger, margin } = this;
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
    this.bar.at = price;
    this.ledger.touch(price);
    for (const exit of this.book.exits) exit.follow(price);
  }

  /** What a move reaches first; of two at one price the entry or order, then the bracket that was made first. */
  private nextOn(from: number, to: number): Reached | null {
    const { bar, book, slack } = this;
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
    const { bar, book, execution, slack } = this;
    if (!this.settings.calcOnOrderFills || bar.stage === STAGE.close) return;
    for (const order of [...book.orders])
      if (book.orders.includes(order) && isYoung(order, bar) && (order.isMarket || order.isPassedAt(price, slack)))
        if (!this.triggers(order, price)) execution.fillOrder(order, price);
    for (const exit of [...book.exits]) {
      const reason = isYoung(exit, bar) && exit.stage === bar.stage ? exit.passedAt(price, slack) : null;
      if (reason !== null && book.exits.includes(exit)) execution.fillExit(exit, price, reason);
    }
  }

  private fillAtClose(): void {
    const { bar, book, execution, slack } = this;
    if (!this.settings.processOrdersOnClose) {
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

  private watchLosses(): void {
    const { bar, ledger, risk, execution } = this;
    const hasClosed = ledger.closed.length > this.closedBefore;
    const reason = risk.brokenBy(ledger.equity(bar.close), ledger.totals.peak, hasClosed);
    if (reason !== null) execution.flatten(reason, bar.close);
  }

  // A live bar is run again on every tick

  /** From now on the fills of each bar are kept until the next run. */
  watchFills(): void {
    this.execution.watch = new FillWatch(this.ledger, this.book, this.bar);
  }

  /** Whether no price can fill anything: no order waits, and nothing is held. */
  get isIdle(): boolean {
    return this.book.orders.length === 0 && this.ledger.size === 0;
  }

  /** Of the last run of a live bar. */
  get fills(): readonly OrderFill[] {
    return this.execution.watch?.fills ?? [];
  }

  forgetFills(): void {
    if (this.execution.watch !== null) this.execution.watch.fills = [];
  }

  save(): void {
    this.ledger.save();
    this.book.save();
    this.risk.save();
  }

  restore(): void {
    this.ledger.restore();
    this.book.restore();
    this.risk.restore();
    this.bar.endParts();
    this.bar.stage = STAGE.done;
  }
}
