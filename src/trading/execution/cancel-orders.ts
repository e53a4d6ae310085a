// Cancels orders that rest at their venues, each in its lane like any order, and says what became of every one of them.
//
//   asked for ──► "cancel-asked" durably in the trade's history ──► the venue is asked ──► its word durably booked
//
// Only the venue's own word ends an order. A process that dies in between leaves an order that rests or an order that the
// next start finds canceled at the venue; nobody was told that it is canceled before that was on disk.

import { errorText } from '../../errors/error-text.ts';
import type { Exchange } from '../../exchanges/exchange.ts';
import type { Timers } from '../../timing/timers.ts';
import { withTimeout } from '../../timing/with-timeout.ts';
import { type Accounts, accountInWords } from '../accounts.ts';
import { isFinal, type Journal, type SentOrder, type Trade } from '../books/journal.ts';
import { NAMELESS } from '../books/strategy-book.ts';
import { type OrderReport, type OrderSide, type PositionSide, type Venue, VenueError, whyAway } from '../venue.ts';
import { type Asking, untilEnded } from './ask-venue.ts';
import { tradeIdOfOrder } from './client-order-id.ts';
import type { LaneJournal } from './lane-journal.ts';
import { type Lanes, Stopping } from './lanes.ts';
import { type RestingOrders, type WatchedOrder, withReason } from './resting-orders.ts';
import { accountOf, cancelAtMs, laneOf } from './trade-run.ts';

/** Which orders are meant: those that fit everything that is named; without anything all of them. */
export interface OrderSelection {
  readonly exchange?: Exchange;
  readonly account?: string;
  readonly market?: string;
  readonly side?: OrderSide;
  readonly positionSide?: PositionSide;
  /** True: only closing ones; false: only opening ones. */
  readonly reduceOnly?: boolean;
  readonly keyLabel?: string;
  /** Empty: only orders of signals without one. */
  readonly strategy?: string;
}

/** Who wants it, and why where that is not plain; both stand in the trade's history. */
export interface CancelRequest {
  readonly by: string;
  readonly why?: string;
}

/**
 * - `canceled`: the venue says so, and it is on disk.
 * - `ended`: it had ended by itself, or a fill came first.
 * - `unreachable`, `refused`: certainly not canceled; the order is as it was.
 * - `unclear`: the venue was asked and nobody knows; it is asked again until it tells.
 */
export type CancelOutcome = 'canceled' | 'ended' | 'unreachable' | 'refused' | 'unclear';

export interface CanceledOrder {
  readonly clientOrderId: string;
  readonly outcome: CancelOutcome;
  /** Where it is not canceled: why, and what to do. */
  readonly error?: string;
}

export interface CancelParts {
  readonly journal: Pick<Journal, 'trade'>;
  readonly laneJournal: Pick<LaneJournal, 'written'>;
  readonly lanes: Lanes;
  readonly resting: RestingOrders;
  readonly accounts: Accounts;
  readonly asking: Asking;
  /** Its fate is unclear: somebody has to ask again later. */
  readonly doubt: (clientOrderId: string) => void;
  readonly timers: Timers;
}

/** Whoever asks waits no longer; the command line hangs up after 15 s. */
export const CANCEL_DEADLINE_MS = 10_000;

const DUE_AGAIN_MS = 30_000;
const TIME_IS_UP: CancelRequest = { by: 'Signalbox', why: 'cancelAfterSeconds has passed' };

export class OrderCanceler {
  readonly #parts: CancelParts;
  /** Orders that were due, by client order id, and when they were last tried. */
  readonly #triedAtMs = new Map<string, number>();

  constructor(parts: CancelParts) {
    this.#parts = parts;
  }

  /** Undefined when no order of ours has this id. */
  async cancelOrder(clientOrderId: string, request: CancelRequest): Promise<CanceledOrder | undefined> {
    const found = await this.#find(clientOrderId);
    if (!found) return undefined;
    const { trade, order } = found;
    if (isFinal(order.state)) return { clientOrderId, outcome: 'ended' };
    if (!this.#parts.accounts.has(accountOf(trade))) return notTraded(trade, clientOrderId);
    const [canceled] = await this.#inLane(laneOf(trade), () => [clientOrderId], request);
    return canceled;
  }

  /** Also orders that are on their way to their venues when this is called. Tells of every order that fits. */
  async cancelOrders(selection: OrderSelection, request: CancelRequest): Promise<readonly CanceledOrder[]> {
    const { lanes, resting } = this.#parts;
    const fitting = () => resting.entries().filter(([, order]) => fits(order, selection));
    const keys = new Set([...fitting().map(([, { run }]) => laneOf(run.trade)), ...lanes.busy()]);
    const inLane = (lane: string) => () =>
      fitting().flatMap(([id, { run }]) => (laneOf(run.trade) === lane ? [id] : []));
    const all = await Promise.all([...keys].map((lane) => this.#inLane(lane, inLane(lane), request)));
    return all.flat();
  }

  /** Cancels the orders whose time has come; one that could not be canceled is tried again after a while. */
  async cancelDue(nowMs: number): Promise<readonly CanceledOrder[]> {
    const { resting } = this.#parts;
    for (const id of this.#triedAtMs.keys()) if (!resting.get(id)) this.#triedAtMs.delete(id);
    const isDue = ([id, { run }]: readonly [string, WatchedOrder]): boolean =>
      cancelAtMs(run.trade) <= nowMs && nowMs - (this.#triedAtMs.get(id) ?? Number.NEGATIVE_INFINITY) >= DUE_AGAIN_MS;
    const due = resting.entries().filter(isDue);
    for (const [id] of due) this.#triedAtMs.set(id, nowMs);
    const all = due.map(([id, { run }]) => this.#inLane(laneOf(run.trade), () => [id], TIME_IS_UP));
    return (await Promise.all(all)).flat();
  }

  /** Which orders it is about is decided again when their turn has come. */
  async #inLane(
    lane: string,
    pick: () => readonly string[],
    request: CancelRequest,
  ): Promise<readonly CanceledOrder[]> {
    const { lanes, timers } = this.#parts;
    const wanted = pick();
    const done: CanceledOrder[] = [];
    let current: string | undefined;
    let isTooLate = false;
    const work = async (): Promise<readonly CanceledOrder[]> => {
      for (const id of isTooLate ? [] : pick()) {
        // Nobody waits any more, and was told that it stays.
        if (isTooLate) break;
        current = id;
        done.push(await this.#cancel(id, request));
        current = undefined;
      }
      return done;
    };
    const rest = (why: string): readonly CanceledOrder[] => {
      const told = new Set(done.map(({ clientOrderId }) => clientOrderId));
      const open = [...new Set([...wanted, ...(current === undefined ? [] : [current])])].filter((id) => !told.has(id));
      return [...done, ...open.map((id) => (id === current ? unclear(id, why) : notAsked(id, why)))];
    };
    const late = (): readonly CanceledOrder[] => {
      isTooLate = true;
      return rest('what its market is busy with takes too long');
    };
    const running = lanes.run(lane, work, 'awaited').catch((error: unknown) => {
      if (error instanceof Stopping) return rest('Signalbox is stopping');
      throw error;
    });
    return withTimeout(running, CANCEL_DEADLINE_MS, late, timers);
  }

  /** Runs in the lane. */
  async #cancel(clientOrderId: string, request: CancelRequest): Promise<CanceledOrder> {
    const { resting, accounts, asking, doubt } = this.#parts;
    const watched = resting.get(clientOrderId);
    if (!watched) return this.#notResting(clientOrderId);
    const { run } = watched;
    const venue = accounts.of(accountOf(run.trade));
    const words = inWords(request);
    await run.note({ kind: 'cancel-asked', detail: words });
    const answer = await askToCancel(run.trade, venue, asking, clientOrderId);
    if ('report' in answer) {
      await resting.apply(withReason(answer.report, `canceled ${words}`));
      if (answer.report.status === 'canceled') return { clientOrderId, outcome: 'canceled' };
      if (isFinal(answer.report.status)) return { clientOrderId, outcome: 'ended', error: FIRST };
    }
    if ('isGone' in answer) {
      await resting.giveUp(clientOrderId);
      return { clientOrderId, outcome: 'ended' };
    }
    const outcome = 'outcome' in answer ? answer.outcome : 'unclear';
    const reason = 'reason' in answer ? answer.reason : 'the venue has not said so yet';
    await run.note({ kind: 'cancel-failed', detail: reason });
    if (outcome !== 'unclear') return { clientOrderId, outcome, error: stays(venue, outcome, reason) };
    doubt(clientOrderId);
    return unclear(clientOrderId, reason);
  }

  /** It had its end while the cancel waited, or its trade took it back. */
  async #notResting(clientOrderId: string): Promise<CanceledOrder> {
    const before = await this.#find(clientOrderId);
    if (before) await this.#parts.laneJournal.written(laneOf(before.trade));
    const state = (await this.#find(clientOrderId))?.order.state;
    if (state !== undefined && isFinal(state)) return { clientOrderId, outcome: 'ended' };
    return notAsked(clientOrderId, 'the order is not at the venue now');
  }

  async #find(clientOrderId: string): Promise<Pick<SentOrder, 'trade' | 'order'> | undefined> {
    const tradeId = tradeIdOfOrder(clientOrderId);
    const detail = tradeId === undefined ? undefined : await this.#parts.journal.trade(tradeId);
    const order = detail?.orders.find((each) => each.clientOrderId === clientOrderId);
    return detail && order && { trade: detail.trade, order };
  }
}

type CancelAnswer =
  | { readonly report: OrderReport }
  /** The venue is certain that it has no such order. */
  | { readonly isGone: true; readonly reason: string }
  | { readonly outcome: 'unreachable' | 'refused' | 'unclear'; readonly reason: string };

async function askToCancel(trade: Trade, venue: Venue, asking: Asking, id: string): Promise<CancelAnswer> {
  const { market } = trade.order;
  try {
    return { report: await untilEnded(trade, venue, asking, await venue.cancelOrder(market, id)) };
  } catch (error) {
    const reason = errorText(error);
    if (!(error instanceof VenueError)) asking.onFault(error, trade);
    else if (error.failure === 'not-sent') return { outcome: 'unreachable', reason };
    return look(trade, venue, asking, id, { error, reason });
  }
}

/** A cancel that failed: it filled or vanished first, or the cancel did arrive. Its own word tells. */
async function look(
  trade: Trade,
  venue: Venue,
  asking: Asking,
  id: string,
  { error, reason }: { readonly error: unknown; readonly reason: string },
): Promise<CancelAnswer> {
  const isRefusal = error instanceof VenueError && error.failure === 'rejected';
  try {
    const lookup = await venue.findOrder(trade.order.market, id);
    if (lookup.found && (isFinal(lookup.order.status) || !isRefusal)) return { report: lookup.order };
    if (lookup.found) return { outcome: 'refused', reason };
    return lookup.certain ? { isGone: true, reason } : { outcome: 'unclear', reason };
  } catch (lookError) {
    if (!(lookError instanceof VenueError)) asking.onFault(lookError, trade);
    return { outcome: 'unclear', reason };
  }
}

function fits({ run, order }: WatchedOrder, selection: OrderSelection): boolean {
  const { trade } = run;
  const facts: OrderSelection = {
    exchange: trade.order.exchange,
    account: trade.account,
    market: trade.order.market,
    side: order.side,
    positionSide: order.positionSide,
    reduceOnly: order.reduceOnly,
    keyLabel: trade.keyLabel,
    strategy: trade.order.strategy ?? NAMELESS,
  };
  const names = Object.keys(facts) as (keyof OrderSelection)[];
  return names.every((name) => selection[name] === undefined || selection[name] === facts[name]);
}

const FIRST = 'it ended at the venue before the cancel arrived';
const inWords = ({ by, why }: CancelRequest): string => `by ${by}${why === undefined ? '' : `: ${why}`}`;

const stays = (venue: Venue, outcome: 'unreachable' | 'refused', reason: string): string =>
  outcome === 'unreachable'
    ? `${accountInWords(venue)} cannot be reached, so the order was not canceled and stays as it is; try again: ${whyAway(reason)}`
    : `${accountInWords(venue)} refused to cancel the order, it stays as it is: ${reason}`;

const unclear = (clientOrderId: string, reason: string): CanceledOrder => ({
  clientOrderId,
  outcome: 'unclear',
  error: `the venue was asked to cancel the order and it is not known whether it did (${reason}); it is asked again, GET /orders tells`,
});

const notAsked = (clientOrderId: string, reason: string): CanceledOrder => ({
  clientOrderId,
  outcome: 'unreachable',
  error: `the order was not canceled and stays as it is (${reason}); try again`,
});

const notTraded = ({ account, order }: Trade, clientOrderId: string): CanceledOrder =>
  notAsked(clientOrderId, `its account ${accountInWords({ exchange: order.exchange, account })} is not traded now`);
