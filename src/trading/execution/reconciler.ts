// Compares whole accounts with their venues, after the start, every minute and after each gap of a venue's stream: positions,
// resting orders and the balance.
//
//   look at the account ──► all agrees
//        └─► suspicion ──► a pause ──► look again ──► gone: our own order was under way
//                                          └─► still there ──► settled in the market's lane
//
// In the lane no order of ours is under way. There an order that has ended is read back and booked first, so that a fill that was
// missed is a fill, and only what then still differs is adopted (compare-positions.ts); less than our books only when the venue has
// said so for a while (shrunk-positions.ts), and the account is compared again then. Nothing is ever rebuilt from a list of fills,
// which reaches back a few days only: what a venue holds is what it says it holds.

import { errorText } from '../../errors/error-text.ts';
import { SerialQueues } from '../../timing/serial-queue.ts';
import type { Timers } from '../../timing/timers.ts';
import { wait } from '../../timing/wait.ts';
import { withTimeout } from '../../timing/with-timeout.ts';
import { type AccountName, type Accounts, accountInWords, nameOf } from '../accounts.ts';
import type { PositionBook } from '../books/position-book.ts';
import { toText } from '../decimal.ts';
import type { OnAlarm } from '../notifications/alarm.ts';
import { BalanceCheck } from './balance-check.ts';
import { type Lanes, Stopping } from './lanes.ts';
import {
  type AccountLook,
  isShared,
  isUnreadable,
  lookAtAccount,
  type SharedVenue,
  suspectMarkets,
} from './look-at-account.ts';
import type { Comparison, Difference, DifferenceKind, Reconciliation } from './reconciliation.ts';
import type { RestingOrders } from './resting-orders.ts';
import { MarketSettlement, type SettlementParts } from './settle-market.ts';
import type { ShrunkPositions } from './shrunk-positions.ts';
import { laneNamed } from './trade-run.ts';

export interface ReconcilerParts extends Omit<SettlementParts, 'quietMs'> {
  readonly accounts: Pick<Accounts, 'list'>;
  readonly book: PositionBook;
  readonly resting: RestingOrders;
  readonly lanes: Pick<Lanes, 'run'>;
  /** Takes up what a venue has done itself, such as liquidations. */
  readonly takeUpForced: (venue: SharedVenue) => Promise<void>;
  readonly shrunk: Pick<ShrunkPositions, 'noteAll' | 'nextInMs'>;
  readonly nowMs: () => number;
  readonly timers: Timers;
  readonly stop: AbortSignal;
  /** For what is there until it is over: it is news once, and shown all the time. */
  readonly onStanding?: OnAlarm | undefined;
  /** Told the kind of an alarm whose cause has gone. */
  readonly onAlarmOver?: ((kind: string) => void) | undefined;
}

export const COMPARE_EVERY_MS = 60_000;
/** A stream that comes and goes must not use up the limits of its venue. */
const GAP_PAUSE_MS = 10_000;
/** An account that could not be compared for so long is an alarm. */
const LATE_AFTER_MS = 300_000;
/** Between a fill and the position that a venue tells, and between two looks. */
export const SETTLE_MS = 3_000;
/** A lane in which a trade waits for so long is left for the next comparison. */
const LANE_TIMEOUT_MS = 30_000;
const MAX_EARLIER = 50;
/** More of them than this are counted, not listed. */
const MAX_LISTED = 5;

/** What is found again and again until somebody does something about it. */
const STANDING: ReadonlySet<DifferenceKind> = new Set(['position', 'order-ended', 'order-unknown']);

interface Account {
  last?: Comparison;
  error?: string;
  earlier: Reconciliation['earlier'];
  /** When it last was compared, or the reconciler began. */
  comparedMs: number;
  /** Orders of others that its owner was told of. */
  readonly told: Set<string>;
  /** The kinds of its alarms that stand. */
  standing: ReadonlySet<string>;
  /** Takes back the comparison that comes before its minute is over. */
  cancelEarly?: () => void;
  /** When the comparison after the last gap began, or is to begin. */
  gapComparedMs?: number;
}

export class Reconciler {
  readonly #parts: ReconcilerParts;
  readonly #turns = new SerialQueues();
  readonly #accounts = new Map<string, Account>();
  readonly #balances: BalanceCheck;
  readonly #settlement: MarketSettlement;
  /** Lanes in which a comparison waits or runs: one that is stuck must not gather more of them. */
  readonly #settling = new Set<string>();

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
    this.#balances = new BalanceCheck(parts.book);
    this.#settlement = new MarketSettlement({ ...parts, quietMs: SETTLE_MS });
    const comparedMs = parts.monotonicMs();
    for (const venue of this.#venues()) {
      this.#accounts.set(nameOf(venue), { earlier: [], comparedMs, told: new Set(), standing: new Set() });
      venue.watchGaps?.(() => this.#compareAfterGap(venue));
    }
  }

  /** Compares what is not being compared now. Never rejects: what fails is shown, and alarmed when it lasts. */
  async reconcile(): Promise<void> {
    const idle = this.#venues().filter((venue) => this.#turns.size(nameOf(venue)) === 0);
    await Promise.all(idle.map((venue) => this.#inTurn(venue)));
  }

  /** Compares all accounts from this moment on, and tells how they stand. */
  async reconcileNow(): Promise<readonly Reconciliation[]> {
    await Promise.all(this.#venues().map((venue) => this.#inTurn(venue)));
    return this.list();
  }

  list(): readonly Reconciliation[] {
    return this.#venues().map((venue) => {
      const { exchange, mode, account } = venue;
      const { last, error, earlier } = this.#of(venue);
      return { exchange, mode, account, earlier, ...(last && { last }), ...(error !== undefined && { error }) };
    });
  }

  #venues(): readonly SharedVenue[] {
    return this.#parts.accounts.list().filter(isShared);
  }

  #of(venue: AccountName): Account {
    return this.#accounts.get(nameOf(venue)) as Account;
  }

  #inTurn(venue: SharedVenue): Promise<void> {
    return this.#turns.run(nameOf(venue), () => this.#compare(venue));
  }

  async #compare(venue: SharedVenue): Promise<void> {
    const { monotonicMs, stop, onStanding, onAlarmOver } = this.#parts;
    const account = this.#of(venue);
    const where = `${accountInWords(venue)} (${venue.mode})`;
    const kind = `reconciliation ${where}`;
    try {
      const comparison = await this.#comparisonOf(venue);
      if (stop.aborted) return;
      this.#keep(account, comparison);
      this.#stand(venue, account, comparison);
      account.comparedMs = monotonicMs();
      onAlarmOver?.(kind);
      this.#compareEarly(venue, account);
    } catch (error) {
      if (stop.aborted || error instanceof Stopping) return;
      account.error = errorText(error);
      const lateMs = monotonicMs() - account.comparedMs;
      if (lateMs >= LATE_AFTER_MS)
        onStanding?.(
          kind,
          `${where} could not be compared with its venue for ${Math.floor(lateMs / 60_000)} minutes: ${account.error}. What is traded there besides us is not seen`,
        );
    }
  }

  /** What happened in the gap is in no look that began before its end. */
  #compareAfterGap(venue: SharedVenue): void {
    const { monotonicMs, timers, stop } = this.#parts;
    const account = this.#of(venue);
    const nowMs = monotonicMs();
    // One that waits sees this gap too.
    if (account.gapComparedMs !== undefined && account.gapComparedMs > nowMs) return;
    const atMs = Math.max(nowMs, (account.gapComparedMs ?? Number.NEGATIVE_INFINITY) + GAP_PAUSE_MS);
    account.gapComparedMs = atMs;
    timers.after(atMs - nowMs, () => {
      if (!stop.aborted) void this.#inTurn(venue);
    });
  }

  /** What is in doubt is looked at again as soon as it can be believed. */
  #compareEarly(venue: SharedVenue, account: Account): void {
    const { shrunk, timers, stop } = this.#parts;
    account.cancelEarly?.();
    const inMs = shrunk.nextInMs(venue);
    if (inMs === undefined) return;
    account.cancelEarly = timers.after(inMs, () => {
      if (!stop.aborted && this.#turns.size(nameOf(venue)) === 0) void this.#inTurn(venue);
    });
  }

  /** What its owner has to look at stands as an alarm for as long as it is found. */
  #stand(venue: AccountName, account: Account, { differences }: Comparison): void {
    const { onStanding, onAlarmOver } = this.#parts;
    const found = differences.filter(({ kind, outcome }) => outcome === 'told' && STANDING.has(kind));
    const standing = new Map(found.map(({ detail }) => [`reconciliation ${nameOf(venue)} ${detail}`, detail]));
    for (const kind of account.standing) if (!standing.has(kind)) onAlarmOver?.(kind);
    for (const [kind, detail] of standing) if (!account.standing.has(kind)) onStanding?.(kind, detail);
    account.standing = new Set(standing.keys());
  }

  #keep(account: Account, comparison: Comparison): void {
    const { last } = account;
    const before = last?.differences.map((difference) => ({ ...difference, atMs: last.atMs })) ?? [];
    account.earlier = [...before, ...account.earlier].slice(0, MAX_EARLIER);
    account.last = comparison;
    delete account.error;
  }

  async #comparisonOf(venue: SharedVenue): Promise<Comparison> {
    const { nowMs, timers, stop, takeUpForced } = this.#parts;
    // Its owner may have changed it there. One that cannot be read now stays as it was, and is read with the next comparison.
    await venue.readPositionMode?.().catch(() => {});
    const first = await this.#look(venue);
    let look = first;
    const differences: Difference[] = [];
    if (suspectMarkets(first).size > 0) {
      await wait(SETTLE_MS, { timers, stop });
      // A liquidation is a trade of its own, and stands before the comparison in its lane.
      if (first.differing.size > 0) await takeUpForced(venue);
      look = await this.#look(venue);
      differences.push(...(await this.#settle(venue, first, look)));
    }
    differences.push(...this.#foreign(venue, look.foreign));
    differences.push(...(await this.#balance(venue)));
    return { atMs: nowMs(), positions: look.positions.length, orders: look.orders.length, differences };
  }

  async #look(venue: SharedVenue): Promise<AccountLook> {
    const look = await lookAtAccount(venue, this.#parts);
    this.#parts.shrunk.noteAll(venue, look.positions);
    return look;
  }

  async #balance(venue: SharedVenue): Promise<readonly Difference[]> {
    const { timers, stop, onAlarm } = this.#parts;
    if ((await this.#balances.check(venue, false)) === undefined) return [];
    await wait(SETTLE_MS, { timers, stop });
    const difference = await this.#balances.check(venue, true);
    if (difference === undefined) return [];
    onAlarm?.(`balance ${nameOf(venue)}`, difference.detail);
    return [difference];
  }

  /** What was suspected twice is settled; no market waits for another. */
  async #settle(venue: SharedVenue, first: AccountLook, look: AccountLook): Promise<readonly Difference[]> {
    const before = suspectMarkets(first);
    const markets = [...suspectMarkets(look)].filter((market) => before.has(market));
    return (await Promise.all(markets.map((market) => this.#inLane(venue, market, look)))).flat();
  }

  async #inLane(venue: SharedVenue, market: string, look: AccountLook): Promise<readonly Difference[]> {
    const { lanes, timers } = this.#parts;
    const lane = laneNamed(venue, market);
    const busy: readonly Difference[] = [
      { kind: 'position', outcome: 'open', market, detail: `${market} is busy with a trade` },
    ];
    if (this.#settling.has(lane)) return busy;
    this.#settling.add(lane);
    const settled = lanes
      .run(lane, () => this.#settlement.settle(venue, market, look), 'background')
      .finally(() => this.#settling.delete(lane));
    // Who gave up waiting must not be told of a failure that nobody hears.
    settled.catch(() => {});
    return withTimeout(settled, LANE_TIMEOUT_MS, () => busy, timers);
  }

  /** Each is told once, all new ones of a look together; the alarm ends when none of them rests any more. */
  #foreign(venue: SharedVenue, orders: AccountLook['foreign']): readonly Difference[] {
    const { told } = this.#of(venue);
    const fresh = orders.filter(({ orderId }) => !told.has(orderId));
    const kind = `foreign orders ${nameOf(venue)}`;
    if (orders.length === 0 && told.size > 0) this.#parts.onAlarmOver?.(kind);
    told.clear();
    for (const { orderId } of orders) told.add(orderId);
    if (fresh.length > 0) {
      const more = fresh.length > MAX_LISTED ? `, and ${fresh.length - MAX_LISTED} more` : '';
      const listed = fresh.slice(0, MAX_LISTED).map(orderInWords).join(', ');
      this.#parts.onAlarm?.(
        kind,
        `${accountInWords(venue)} has resting orders that Signalbox has not sent: ${listed}${more}. They are left alone; what they fill is adopted`,
      );
    }
    return fresh.map((order) => ({
      ...{ kind: 'order-foreign', outcome: 'told', market: order.market },
      detail: `${orderInWords(order)} was not sent by Signalbox and is left alone`,
    }));
  }
}

const orderInWords = (order: AccountLook['foreign'][number]): string => {
  const { market, orderId } = order;
  return isUnreadable(order)
    ? `an order of an unknown kind in ${market} (${order.words}; ${orderId})`
    : `${order.side} ${toText(order.quantity)} ${market} (${orderId})`;
};
