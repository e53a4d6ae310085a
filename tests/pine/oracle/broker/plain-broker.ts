// The broker of the oracle: plain and slow, written from the rules of docs/pine/strategies.md and what others found out
// about TradingView's broker emulator, and from nothing of the engine's own broker.
//
// A bar is its open, three legs (to the nearer of high and low, to the other, to the close) and its close. `advance`
// goes on until the script must run: at the close, or under calc_on_order_fills after a fill.

import { Desk, type PlainBar } from './desk.ts';
import { Fills } from './fills.ts';
import { MarginRules } from './margin.ts';
import type { Terms } from './market.ts';
import {
  type Bracket,
  follow,
  isMarket,
  isOn,
  isPast,
  isStopOrder,
  NODE,
  type Order,
  type Trigger,
  triggerOf,
  triggersOf,
} from './orders.ts';
import { isYoung, Placing } from './placing.ts';

const MOST_RUNS = 4;
const LAST_LEG = 3;

interface Reached {
  readonly trigger: Trigger;
  readonly order: Order | null;
  readonly bracket: Bracket | null;
}

export class PlainBroker {
  readonly desk: Desk;
  readonly margin: MarginRules;
  readonly placing: Placing;
  readonly equityCurve: number[] = [];
  private readonly terms: Terms;
  private readonly fills: Fills;
  private runsOfBar = 0;
  private closedBefore = 0;
  private wasOver = false;

  constructor(terms: Terms) {
    this.terms = terms;
    this.desk = new Desk(terms);
    this.margin = new MarginRules(terms, this.desk.books);
    this.fills = new Fills(this.desk, this.margin);
    this.placing = new Placing(this.desk, this.margin);
  }

  begin(bar: PlainBar): void {
    const { desk } = this;
    desk.bar = bar;
    desk.node = NODE.open;
    desk.price = bar.open;
    desk.hasPricedEntry = false;
    desk.beginDay();
    if (desk.isOver && !this.wasOver) this.endTrading();
    this.wasOver = desk.isOver;
    for (const bracket of desk.brackets) {
      bracket.limitWaits = false;
      bracket.stopWaits = false;
    }
    this.runsOfBar = 0;
    this.closedBefore = desk.books.closed.length;
  }

  /** After too many days of loss everything is closed at the first price of the next day. */
  private endTrading(): void {
    this.desk.cancelAll();
    this.fills.flatten('Close Position (Max number of consecutive loss days)', this.desk.bar.open);
  }

  /** True when the script runs in the middle of the bar; false when it runs at the close. */
  advance(): boolean {
    const { desk } = this;
    desk.run += 1;
    while (desk.node < NODE.close) {
      const { node, fills } = desk;
      const isThrough = node === NODE.open ? this.fillAtOpen() : this.walkLeg(node);
      desk.placedAt = node;
      if (isThrough) desk.node += 1;
      if (desk.fills === fills || !this.mayRunAgain || desk.node === NODE.close) continue;
      this.runsOfBar += 1;
      desk.mark = this.endOf(node);
      return true;
    }
    desk.mark = desk.bar.close;
    desk.placedAt = NODE.close;
    return false;
  }

  /** After the run at the close. */
  finish(): void {
    const { desk } = this;
    this.fillAtClose();
    this.watchLosses();
    this.equityCurve.push(desk.books.equity(desk.bar.close));
  }

  private get mayRunAgain(): boolean {
    return this.terms.runsOnFills && this.runsOfBar < MOST_RUNS;
  }

  /** The price at the end of a leg; the open is a leg of no length. */
  private endOf(node: number): number {
    const { open, high, low, close } = this.desk.bar;
    const path = high - open < open - low ? [open, high, low, close] : [open, low, high, close];
    return path[node]!;
  }

  // The open

  private fillAtOpen(): boolean {
    const { desk } = this;
    const before = desk.fills;
    const { open } = desk.bar;
    this.fillMarketOrders(open);
    if (this.runsOfBar > 0) return true;
    this.fillPassedBy(open);
    desk.books.touch(open);
    for (const bracket of desk.brackets) follow(bracket, open);
    return desk.fills === before || !this.mayRunAgain;
  }

  private fillMarketOrders(price: number): void {
    const { desk, fills } = this;
    for (const order of desk.orders.filter(isMarket))
      if (desk.orders.includes(order)) fills.fillOrder(order, price, 'market');
  }

  private fillPassedBy(open: number): void {
    const { desk, fills } = this;
    const sideBefore = desk.books.side;
    const stops = desk.brackets.filter((bracket) => this.passed(bracket, open)?.reason === 'stop');
    const shares = stops.map((bracket) => desk.shareOf(bracket));
    const isSellStop = (order: Order): boolean => order.kind === 'entry' && order.side < 0 && isStopOrder(order);
    const priced = desk.orders.filter((order) => !isMarket(order));
    for (const order of [...priced.filter((one) => !isSellStop(one)), ...priced.filter(isSellStop)])
      if (desk.orders.includes(order)) this.fillIfPast(order, open);
    if (sideBefore !== 0 && desk.books.side === -sideBefore)
      for (const [place, bracket] of stops.entries()) fills.openByBracket(bracket, shares[place]!, open);
    this.fillBrackets([...desk.brackets], open);
  }

  /** An order that a price has reached or passed fills there; a stop-limit order may only become a limit order. */
  private fillIfPast(order: Order, price: number): void {
    const trigger = triggerOf(order, this.terms);
    if (!isPast(trigger, price)) return;
    if (trigger.reason === 'stop' && !Number.isNaN(order.limit)) {
      order.isTriggered = true;
      this.fillIfPast(order, price);
    } else this.fills.fillOrder(order, price, trigger.reason);
  }

  private fillBrackets(brackets: readonly Bracket[], price: number): void {
    for (const bracket of brackets) {
      const trigger = this.desk.brackets.includes(bracket) ? this.passed(bracket, price) : undefined;
      if (trigger !== undefined) this.fills.fillBracket(bracket, price, trigger.reason);
    }
  }

  /** What of a bracket a price has reached or passed. */
  private passed(bracket: Bracket, price: number): Trigger | undefined {
    const isArmedToSell = bracket.isArmed && !(bracket.offset > 0);
    // A leg that had to wait on its way is looked at like any other where the price stands.
    const legs = { ...bracket, limitWaits: false, stopWaits: false };
    return triggersOf(legs, this.terms).find(
      (trigger) => isPast(trigger, price) || (trigger.reason === 'trail' && isArmedToSell),
    );
  }

  // A leg

  /** False when the leg stops at a fill, because the script must run. */
  private walkLeg(node: number): boolean {
    const { desk, fills } = this;
    const end = this.endOf(node);
    for (let next = this.nextOn(end); next !== null; next = this.nextOn(end)) {
      const before = desk.fills;
      this.moveTo(next.trigger.at);
      if (next.bracket !== null) fills.fillBracket(next.bracket, next.trigger.fillAt, next.trigger.reason);
      else this.reach(next.order!, next.trigger);
      if (desk.fills > before && this.mayRunAgain) return false;
    }
    this.moveTo(end);
    if (node < LAST_LEG) this.fillYoung(end);
    const { side } = desk.books;
    const worst = side > 0 ? desk.bar.low : desk.bar.high;
    const isPaidInFull = side > 0 && this.terms.marginOf(1) === 1;
    if (side !== 0 && end === worst && !isPaidInFull) fills.callMarginAt(end);
    return true;
  }

  private reach(order: Order, trigger: Trigger): void {
    if (trigger.reason === 'stop' && !Number.isNaN(order.limit)) {
      order.isTriggered = true;
      // A limit that is better than the stop is there already.
      if (isPast(triggerOf(order, this.terms), trigger.at)) this.fills.fillOrder(order, trigger.at, 'limit');
    } else this.fills.fillOrder(order, trigger.fillAt, trigger.reason);
  }

  private moveTo(price: number): void {
    const { desk } = this;
    desk.price = price;
    desk.books.touch(price);
    for (const bracket of desk.brackets) follow(bracket, price);
  }

  /** What the move to a price reaches first; of several at one price the order before the bracket, the older first. */
  private nextOn(end: number): Reached | null {
    const { desk, terms } = this;
    const { price } = desk;
    const reached: Reached[] = [];
    for (const order of desk.orders) {
      if (isMarket(order) || order.waitsOnBar === desk.bar.index || isYoung(order, desk)) continue;
      const trigger = triggerOf(order, terms);
      if (isOn(trigger, price, end)) reached.push({ trigger, order, bracket: null });
    }
    for (const bracket of desk.brackets) {
      if (isYoung(bracket, desk) && bracket.node === desk.node) continue;
      for (const trigger of triggersOf(bracket, terms))
        if (isOn(trigger, price, end)) reached.push({ trigger, order: null, bracket });
    }
    const distance = ({ trigger }: Reached): number => Math.abs(trigger.at - price);
    return reached.toSorted((a, b) => distance(a) - distance(b))[0] ?? null;
  }

  /** What runs in the middle of the bar have ordered is looked at on the extremes. */
  private fillYoung(price: number): void {
    const { desk, fills } = this;
    const young = desk.orders.filter((order) => isYoung(order, desk));
    for (const order of young) {
      if (!desk.orders.includes(order)) continue;
      if (isMarket(order)) fills.fillOrder(order, price, 'market');
      else this.fillIfPast(order, price);
    }
    this.fillBrackets(
      desk.brackets.filter((bracket) => isYoung(bracket, desk) && bracket.node === desk.node),
      price,
    );
  }

  // The close

  private fillAtClose(): void {
    const { desk, fills, terms } = this;
    const { close, index } = desk.bar;
    if (!terms.fillsAtClose) {
      for (const order of desk.orders.filter(({ isImmediate }) => isImmediate)) fills.fillOrder(order, close, 'market');
      return;
    }
    const brackets = desk.brackets.filter(({ askedOnBar }) => askedOnBar === index);
    this.fillMarketOrders(close);
    for (const order of desk.orders.filter((one) => !isMarket(one) && one.bar === index))
      if (desk.orders.includes(order)) this.fillIfPast(order, close);
    this.fillBrackets(brackets, close);
  }

  private watchLosses(): void {
    const { desk, fills } = this;
    const { books, rules, bar } = desk;
    const equity = books.equity(bar.close);
    const isBroken = (rule: typeof rules.drawdown, from: number): boolean =>
      rule !== null && from - equity >= (rule.isPercent ? (from * rule.value) / 100 : rule.value);
    const hasClosed = books.closed.length > this.closedBefore;
    const hasDrawdown = hasClosed && isBroken(rules.drawdown, books.peak);
    const hasDayLoss = isBroken(rules.dayLoss, desk.equityAtDayStart);
    if (!(hasDrawdown || hasDayLoss)) return;
    fills.flatten(hasDrawdown ? 'Close Position (Max Drawdown)' : 'Close Position (Max intraday loss)', bar.close);
    if (hasDrawdown) desk.isOver = true;
    else desk.isDayOver = true;
    desk.cancelAll();
  }
}
