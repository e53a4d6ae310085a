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
import { FillWatch, type OrderFill } from './fill-watch.ts';
import { Grid } from './grid.ts';
import { Ledger } from './ledger.ts';
import type { Magnifier } from './magnifier.ts';
import { Margin } from './margin.ts';
import { OrderBook } from './order-book.ts';
import { PointValue } from './point-value.ts';
import { PricePath } from './price-path.ts';
import { QuietRange } from './quiet-range.ts';
import { Risk } from './risk.ts';
import type { BrokerMarket, BrokerSettings } from './settings.ts';
import { Sizing } from './sizing.ts';
import { type Calls, IGNORED, StrategyCalls } from './strategy-calls.ts';

const TOO_MANY_LOSS_DAYS = 'Close Position (Max number of consecutive loss days)';

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
  private readonly path: PricePath;
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
    this.execution = new Execution(parts);
    this.path = new PricePath(parts, this.execution);
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
      this.path.runs = 0;
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
    if (book.orders.length > 0 || (this.settings.processOrdersOnClose && book.exits.length > 0))
      this.path.fillAtClose();
    if (risk.watchesLosses) this.watchLosses();
  }

  // The path of a bar

  private advance(): void {
    const { bar, execution, path } = this;
    while (bar.stage !== STAGE.done) {
      const before = execution.count;
      const { stage } = bar;
      const isThrough = stage === STAGE.open ? path.fillAtOpen() : path.walkTo(bar.endOf(stage));
      const hasFilled = execution.count > before;
      const end = hasFilled ? bar.endOf(stage) : Number.NaN;
      if (isThrough) bar.stage = (stage + 1) as Stage;
      if (stage === STAGE.open && !this.settings.calcOnOrderFills && !path.mayReach()) this.passOver();
      const isNextPart = bar.stage === STAGE.done && this.magnifier?.goOn(bar) === true;
      if (hasFilled && path.mayRunAgain && bar.stage !== STAGE.done) {
        path.runs += 1;
        bar.pauseAt(end, stage);
        return;
      }
      if (isNextPart) this.enterPath();
    }
    bar.goOn();
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
      if (this.path.mayReach()) {
        bar.startPath();
        return;
      }
      this.passOver();
    } while (this.magnifier?.goOn(bar));
  }

  /** A bar on which nothing fills. */
  private passOver(): void {
    const { bar, ledger } = this;
    ledger.touchExtremes(bar);
    bar.stage = STAGE.done;
    if (this.mayPassOver) this.learnQuietRange();
  }

  private learnQuietRange(): void {
    const { bar, quiet, book, margin, path } = this;
    quiet.begin(bar);
    book.leaveOutOf(quiet, path.slack);
    margin.leaveOutOf(quiet);
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
