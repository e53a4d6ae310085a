// What would become of a signal: the gates and the plan of each of its accounts, decided by the code that decides them for a real
// one, over a journal, limits and resting orders that are only looked at. Nothing is written, claimed, counted, sent or told.
//
// It runs outside of the lanes: whoever asks must never make a trade wait. So what it says is as fresh as the venue's answers,
// and something that is under way in the same market may still change it.

import type { AccountName, Accounts } from '../accounts.ts';
import type { Trade } from '../books/journal.ts';
import type { PositionBook } from '../books/position-book.ts';
import { type AskedSignal, type GatesSeen, type LookParts, lookAtGates } from '../intake/look-at-gates.ts';
import type { RefusedOrder, Venue } from '../venue.ts';
import type { EntryLimits } from './entry-limits.ts';
import { haltOf, whyNotPlanned } from './halted-trade.ts';
import type { RoomOrders } from './make-room.ts';
import { costsOf, type FilledEntry, type OrderCosts } from './order-costs.ts';
import { orderRequest } from './order-request.ts';
import type { PlannedOrder } from './plan-orders.ts';
import { type Planning, type PreparedPlan, preparePlan } from './prepare-plan.ts';
import type { RestingOrders } from './resting-orders.ts';
import { accountOf, type Settled, type SizedQuantity, TradeRun } from './trade-run.ts';

export interface DryRunParts {
  readonly look: LookParts;
  readonly planning: Omit<Planning, 'limits'> & {
    readonly limits: Pick<EntryLimits, 'prepare' | 'has' | 'refusalOf'>;
  };
  readonly accounts: Pick<Accounts, 'of'>;
  readonly book: PositionBook;
  /** What the fill of this entry would change of the stops of what is held already, in words. */
  readonly changedStops: (trade: Trade, entry: FilledEntry) => string | undefined;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
}

/** What would be sent on one account, or why nothing would. */
export interface ForeseenTrade {
  readonly account: AccountName;
  readonly trade: Trade;
  /** Client order ids of resting orders that would be canceled first, also where nothing is sent after that. */
  readonly cancels: readonly string[];
  /** Ids of stops at the venue that would be taken away first. */
  readonly cancelsStops: readonly string[];
  readonly end: ForeseenEnd;
}

export type ForeseenEnd =
  | {
      readonly kind: 'orders';
      readonly plan: PreparedPlan;
      readonly sized: SizedQuantity | undefined;
      readonly costs: OrderCosts;
    }
  | { readonly kind: 'refused'; readonly refused: Pick<Settled, 'state' | 'cause' | 'error'> }
  /** The venue or the disk cannot be asked now. */
  | { readonly kind: 'waiting'; readonly reason: string };

export interface ForeseenSignal extends Omit<GatesSeen, 'trades'> {
  readonly trades: readonly ForeseenTrade[];
}

export class DryRun {
  readonly #parts: DryRunParts;

  constructor(parts: DryRunParts) {
    this.#parts = parts;
  }

  /** `atMs`: as if it came then; positions, prices and counts are those of now. */
  async of(asked: AskedSignal, atMs?: number): Promise<ForeseenSignal> {
    const nowMs = atMs === undefined ? this.#parts.nowMs : () => atMs;
    const { trades, ...seen } = await lookAtGates(asked, nowMs, this.#parts.look);
    return { ...seen, trades: await Promise.all(trades.map((trade) => this.#foresee(trade, nowMs))) };
  }

  async #foresee(trade: Trade, nowMs: () => number): Promise<ForeseenTrade> {
    const { accounts, book, monotonicMs } = this.#parts;
    const account = accountOf(trade);
    const venue = accounts.of(account);
    const looked = { laneJournal: { record: async () => ({}) }, book, nowMs };
    const run = new TradeRun({ trade, orders: [], fills: [] }, looked, monotonicMs());
    const end = await this.#endOf(run, venue, nowMs);
    const cancelsStops =
      end.kind === 'orders' ? ((await this.#parts.planning.venueStops?.()?.inTheWayOf(trade, venue)) ?? []) : [];
    return { account, trade, cancels: run.canceled, cancelsStops, end };
  }

  async #endOf(run: TradeRun, venue: Venue, nowMs: () => number): Promise<ForeseenEnd> {
    const planning = lookingPlanning(this.#parts.planning, nowMs);
    const halt = haltOf(run, planning);
    if (halt?.kind === 'refused') return refused('rejected', halt.reason, halt.cause);
    if (halt?.kind === 'killed') return refused('canceled', halt.reason, 'kill-switch');
    if (halt?.kind === 'expired') return refused('expired', halt.reason);
    try {
      const plan = await preparePlan(run, venue, planning);
      if ('refusal' in plan) return refused('rejected', plan.refusal, plan.cause);
      const before = { leverage: plan.leverage, canceled: run.canceled };
      const requests = plan.orders.map((planned) => orderRequest(run.trade, planned));
      const notTaken = await venue.tryOrders?.(requests, before);
      if (notTaken) return refused('rejected', notTakenInWords(notTaken, plan.orders));
      const costs = await costsOf(run.trade.order, { ...plan, canceled: run.canceled }, venue, (entry) =>
        this.#parts.changedStops(run.trade, entry),
      );
      return { kind: 'orders', plan, sized: run.sized, costs };
    } catch (error) {
      const why = whyNotPlanned(error, run.trade);
      return why.kind === 'refused'
        ? refused('rejected', why.reason, why.cause)
        : { kind: 'waiting', reason: why.reason };
    }
  }
}

const refused = (state: Settled['state'], error: string, cause?: Settled['cause']): ForeseenEnd => ({
  kind: 'refused',
  refused: { state, error, cause },
});

/** Where an order before it would be sent, that is said: the answer to the real one says what was done. */
function notTakenInWords({ index, reason }: RefusedOrder, orders: readonly PlannedOrder[]): string {
  if (index === 0) return reason;
  return orders[index - 1]?.leg === 'flatten'
    ? `the opposite position would be closed, but opening would be refused: ${reason}`
    : `what goes before it would be sent, but this order would be refused: ${reason}`;
}

function lookingPlanning(planning: DryRunParts['planning'], nowMs: () => number): Planning {
  const { limits, quotes, resting } = planning;
  return {
    ...planning,
    nowMs,
    // It comes now, whenever that is.
    age: { isLate: () => false, expiryOf: () => undefined },
    onAlarm: undefined,
    // What has acted is booked by the next trade; here it would be written.
    venueStops: () => undefined,
    bookForced: undefined,
    compare: async (_, market) => ({
      outcome: 'doubted',
      detail: `the venue does not show what our books have of ${market}; a trade would wait until that is clear`,
    }),
    quotes: { look: (venue, market) => quotes.look(venue, market), raise: () => {} },
    limits: {
      prepare: (run) => limits.prepare(run),
      has: (run, ...names) => limits.has(run, ...names),
      claim: (run, entry) => limits.refusalOf(run, entry),
    },
    resting: lookingOrders(resting),
  };
}

/** Orders that would be canceled are gone for whoever goes on looking. */
function lookingOrders(resting: Pick<RestingOrders, 'openOn' | 'entries'>): RoomOrders {
  const gone = new Set<string>();
  return {
    entries: () => resting.entries().filter(([id]) => !gone.has(id)),
    openOn: (open, side, strategy) =>
      resting.openOn(open, side, strategy).filter(({ clientOrderId }) => !gone.has(clientOrderId)),
    // Booked by whoever trades; here it would be written.
    apply: async () => {},
    async withdraw(_, { clientOrderId }) {
      gone.add(clientOrderId);
      return 'canceled';
    },
  };
}
