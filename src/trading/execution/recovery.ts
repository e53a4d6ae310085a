// Recovery after a start: finishes in every lane what the last process left unfinished, before new signals go on.
//
//   per lane, in this order:
//     1. every order that may be at the venue is asked about, and its outcome is written
//     2. our own positions are compared with the venue's
//     3. trades that are not executed yet are executed in the order of their acceptance
//
// Step 3 must not begin before step 1 has ended: a close that is executed while the fill before it is not in our books
// would be booked against the wrong position. New signals stand behind all of it in their lanes.

import { errorText } from '../../errors/error-text.ts';
import { type AccountName, type Accounts, accountInWords } from '../accounts.ts';
import type { Trade, UnfinishedTrade } from '../books/journal.ts';
import type { PositionBook } from '../books/position-book.ts';
import { expiredAlarm, unknownAlarm } from '../notifications/alarm.ts';
import type { OrderLookup, Venue } from '../venue.ts';
import { type ComparisonParts, comparePositions } from './compare-positions.ts';
import { type Execution, settleInterrupted } from './execute-trade.ts';
import { closesRest } from './kept-exit.ts';
import type { Lanes } from './lanes.ts';
import type { RestingOrders } from './resting-orders.ts';
import {
  accountOf,
  isSentByVenue,
  laneNamed,
  laneOf,
  type Settled,
  TradeRun,
  type TradeRunParts,
} from './trade-run.ts';

export interface RecoveryParts extends Omit<ComparisonParts, 'book'>, TradeRunParts {
  readonly laneJournal: ComparisonParts['laneJournal'] & TradeRunParts['laneJournal'];
  readonly book: PositionBook;
  readonly accounts: Accounts;
  readonly lanes: Lanes;
  readonly resting: RestingOrders;
  readonly execution: Execution;
  /** Executes a trade when its turn in the lane has come; an undefined run means that there is nothing left to do. */
  readonly execute: (trade: Trade, begin: () => TradeRun | undefined) => void;
  readonly tell: (run: TradeRun, durable: Promise<Settled>) => void;
  readonly fault: (error: unknown, run: TradeRun) => void;
  readonly internalFault: (run: TradeRun) => Promise<Settled>;
  readonly onFault: (error: unknown, trade: Trade) => void;
}

interface Found {
  readonly detail: UnfinishedTrade;
  readonly run: TradeRun;
}

interface MarketAt {
  readonly venue: Venue;
  readonly market: string;
}

export class Recovery {
  readonly #parts: RecoveryParts;
  /** Orders the venue could not be asked about. */
  readonly #unasked = new Set<string>();
  /** Orders for which a look waits or runs: a lane that is stuck must not gather more of them. */
  readonly #looking = new Set<string>();
  /** Markets whose positions are not compared yet, by lane. */
  readonly #uncompared = new Map<string, MarketAt>();
  /** Lanes in which a comparison waits or runs: one that is stuck must not gather more of them. */
  readonly #comparing = new Set<string>();

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  /** Returns how many trades are taken up. */
  start(unfinished: readonly UnfinishedTrade[]): number {
    const { resting, book, lanes, accounts, execute, execution } = this.#parts;
    // Those of an account that is not traded now wait in the journal until it is.
    const found = unfinished
      .filter(({ trade }) => accounts.has(accountOf(trade)))
      .map((detail): Found => ({ detail, run: new TradeRun(detail, this.#parts, undefined) }));
    for (const { detail, run } of found) {
      this.#addMarket(accountOf(run.trade), run.trade.order.market);
      const open = goesOn(run) ? undefined : openOrder(detail);
      if (open)
        resting.watch(open.clientOrderId, { run, leg: open.leg, order: open, seen: open.orderId !== undefined });
      const sending = detail.orders.find(({ state, reduceOnly }) => state === 'sending' && !reduceOnly);
      if (sending && run.state === 'sending') execution.limits.hold(run, sending.positionSide);
    }
    for (const position of book.all()) this.#addMarket(position, position.market);
    for (const each of found) {
      if (each.run.state !== 'accepted') lanes.post(laneOf(each.run.trade), () => this.#settle(each));
      // What the venue did itself is an order that may be at the venue, too: it comes before the comparison.
      else if (isSentByVenue(each.run.trade)) execute(each.run.trade, () => (goesOn(each.run) ? each.run : undefined));
    }
    this.#compareAll();
    for (const { run } of found)
      if (goesOn(run) && !(run.state === 'accepted' && isSentByVenue(run.trade)))
        execute(run.trade, () => (goesOn(run) ? run : undefined));
    return found.length;
  }

  /** What became of this order is in doubt: `goOn` asks about it. */
  doubt(clientOrderId: string): void {
    this.#unasked.add(clientOrderId);
  }

  /** Asks again about what could not be settled or compared. */
  async goOn(): Promise<void> {
    const entries = this.#parts.resting.entries();
    const open = entries.filter(([id, { run }]) => run.state === 'unknown' || this.#unasked.has(id));
    const looks = open.map(([clientOrderId, { run }]) => this.#lookAgain(clientOrderId, run));
    // Behind the looks in their lanes; a lane that is stuck holds up neither the others nor their comparison.
    this.#compareAll();
    await Promise.all(looks);
  }

  /** Asks what became of an order of ours and books it. Runs in its lane. */
  async look(clientOrderId: string, run: TradeRun): Promise<OrderLookup> {
    const { trade } = run;
    const { resting, accounts, execution } = this.#parts;
    const venue = accounts.of(accountOf(trade));
    this.#unasked.add(clientOrderId);
    const lookup = await venue.findOrder(trade.order.market, clientOrderId);
    await readStep(run, venue);
    this.#unasked.delete(clientOrderId);
    if (lookup.found) await resting.apply(lookup.order);
    else if (lookup.certain) await this.#forget(clientOrderId, run);
    else if (run.state === 'unknown' && execution.onStanding)
      unknownAlarm(execution.onStanding, trade, clientOrderId, 'the exchange does not show it, and may still');
    return lookup;
  }

  /** Its sender was told to wait, so it must be told that the order will never be there. */
  async #forget(clientOrderId: string, run: TradeRun): Promise<void> {
    const { resting, onAlarm } = this.#parts;
    const before = run.state;
    await resting.forget(clientOrderId);
    if (before !== 'expired' && run.state === 'expired' && onAlarm)
      expiredAlarm(onAlarm, run.trade, 'its order never reached the venue');
  }

  async #lookAgain(clientOrderId: string, run: TradeRun): Promise<void> {
    if (this.#looking.has(clientOrderId)) return;
    this.#looking.add(clientOrderId);
    await this.#parts.lanes
      .run(laneOf(run.trade), () => this.look(clientOrderId, run), 'background')
      .catch((error) => this.#parts.fault(error, run))
      .finally(() => this.#looking.delete(clientOrderId));
  }

  /** Runs in the lane and never rejects. */
  async #settle({ detail, run }: Found): Promise<void> {
    const { accounts, execution, tell, fault, internalFault, onFault } = this.#parts;
    const interrupted = detail.orders.find(({ state }) => state === 'sending');
    if (run.state !== 'sending') {
      const open = openOrder(detail);
      if (open) await this.look(open.clientOrderId, run).catch((error) => fault(error, run));
    } else if (interrupted) {
      try {
        const venue = accounts.of(accountOf(run.trade));
        await readStep(run, venue);
        const attempt = await settleInterrupted(run, venue, execution, interrupted);
        if (attempt?.kind === 'settled') tell(run, attempt.durable);
      } catch (error) {
        onFault(error, run.trade);
        tell(run, internalFault(run));
      } finally {
        execution.limits.release(run);
      }
    }
  }

  /** Runs in the lane and never rejects. A market that cannot be compared now is compared later. */
  async #compare(lane: string, { venue, market }: MarketAt): Promise<void> {
    try {
      const { outcome } = await comparePositions(venue, market, this.#parts);
      if (outcome === 'settled') this.#uncompared.delete(lane);
    } catch (error) {
      this.#parts.onAlarm?.(
        `compare ${lane}`,
        `Our position in ${market} could not be compared with ${accountInWords(venue)}: ${errorText(error)}`,
      );
    } finally {
      this.#comparing.delete(lane);
    }
  }

  #compareAll(): void {
    for (const [lane, name] of this.#uncompared) {
      if (this.#comparing.has(lane)) continue;
      this.#comparing.add(lane);
      this.#parts.lanes.post(lane, () => this.#compare(lane, name));
    }
  }

  #addMarket(account: AccountName, market: string): void {
    const { accounts } = this.#parts;
    // Rows of an account that is not traded now wait until it is used again.
    if (accounts.has(account))
      this.#uncompared.set(laneNamed(account, market), { venue: accounts.of(account), market });
  }
}

/** How much of an exit is left is counted in steps, which its own process had looked at. A venue that is away tells them another time. */
async function readStep(run: TradeRun, venue: Venue): Promise<void> {
  if (run.stepSize !== undefined || !closesRest(run.trade)) return;
  const market = await venue.market(run.trade.order.market).catch(() => undefined);
  run.stepSize = market?.stepSize;
}

/** Not executed, or between the two orders of a reversal. */
const goesOn = ({ state }: TradeRun): boolean => state === 'accepted' || state === 'sending';

/** The order that a trade without an end still has at the venue. */
const openOrder = ({ trade, orders }: UnfinishedTrade) =>
  orders.find(({ state }) => state === trade.state) ?? orders.at(-1);
