// The trading desk: puts gates, lanes, execution and notification together over the ports it is handed.

import { every } from '../timing/every.ts';
import type { Timers } from '../timing/timers.ts';
import { withTimeout } from '../timing/with-timeout.ts';
import { WorkUnderWay } from '../timing/work-under-way.ts';
import { type AccountName, Accounts, type OffAccount } from './accounts.ts';
import type { FillHistory } from './books/fill-history.ts';
import type { Journal, Trade } from './books/journal.ts';
import { LimitFacts } from './books/limit-facts.ts';
import type { Outbox } from './books/outbox.ts';
import type { PastTrades } from './books/past-trades.ts';
import { PositionBook } from './books/position-book.ts';
import type { SignalStore } from './books/signal-store.ts';
import { OrderCanceler } from './execution/cancel-orders.ts';
import { openRestingOrders, type RestingOrders } from './execution/canceled-elsewhere.ts';
import { isStopId } from './execution/client-order-id.ts';
import { createPositionCloser, type PositionCloser } from './execution/close-positions.ts';
import { Dispatcher } from './execution/dispatch.ts';
import { DryRun } from './execution/dry-run.ts';
import { EntryLimits } from './execution/entry-limits.ts';
import type { Execution } from './execution/execute-trade.ts';
import { ForcedOrders, isForced } from './execution/forced-orders.ts';
import { KillSwitchGuard } from './execution/kill-switch-guard.ts';
import { createLaneJournal, type LaneJournal } from './execution/lane-journal.ts';
import { Lanes } from './execution/lanes.ts';
import { isShared } from './execution/look-at-account.ts';
import type { LiveGuards } from './execution/market-limits.ts';
import { OwnerCloser } from './execution/owner-close.ts';
import type { PositionCheck } from './execution/position-check.ts';
import { QuoteGate } from './execution/quote-gate.ts';
import { COMPARE_EVERY_MS, Reconciler } from './execution/reconciler.ts';
import { ShrunkPositions } from './execution/shrunk-positions.ts';
import { createSignalAge } from './execution/signal-age.ts';
import { StartLook } from './execution/start-look.ts';
import { laneNamed } from './execution/trade-run.ts';
import type { GateKeepers } from './intake/accept-signal.ts';
import type { Controls, ControlsCopy } from './intake/controls.ts';
import type { EntryRates } from './intake/entry-rates.ts';
import type { RateLooks } from './intake/look-at-gates.ts';
import { createResendGuard, RESEND_WINDOW_MS, type ResendGuard } from './intake/resend-guard.ts';
import type { Restrictions } from './intake/restrictions.ts';
import { openEntryRates, type SharedEntries } from './intake/shared-entry-rates.ts';
import { tracedCommits } from './intake/traced-commits.ts';
import { type Lease, maySendUnder, patienceUnder } from './leases.ts';
import type { OnAlarm } from './notifications/alarm.ts';
import type { NoticeChannels } from './notifications/notice-channels.ts';
import { type Notifications, openNotifications } from './notifications/notifications.ts';
import type { Notifier } from './notifications/notifier.ts';
import { createCloser } from './protection/close-position.ts';
import { type ProtectionParts, Protections } from './protection/protections.ts';
import type { VenueStopParts } from './protection/venue-stops.ts';
import type { SignalTrace } from './signal-trace.ts';
import type { Venue } from './venue.ts';

export interface TradingDeskParts
  extends Pick<GateKeepers, 'authenticate' | 'countWrongKey' | 'isAddressAllowed' | 'takeFromRate'>,
    RateLooks {
  readonly journal: Journal;
  readonly signals: Pick<SignalStore, 'add'>;
  readonly outbox: Outbox;
  readonly notifier: Notifier;
  readonly venues: readonly Venue[];
  /** Exchanges and accounts that are not traded, each with the reason; none where it is absent. */
  readonly off?: readonly OffAccount[] | undefined;
  /** Which live accounts may open positions; all of them where it is absent. */
  readonly liveConfirmations?: { isConfirmed(account: AccountName): boolean } | undefined;
  readonly controls: Controls;
  readonly restrictions: Restrictions;
  /** What controls and restrictions are a copy of; undefined where only this process changes them. */
  readonly controlsCopy?: ControlsCopy | undefined;
  /** Under which this process trades; undefined where no other can. */
  readonly lease?: Pick<Lease, 'remainingMs' | 'heldMs'> | undefined;
  /** The entries that several processes count together; undefined where this one counts alone. */
  readonly sharedEntries?: SharedEntries | undefined;
  /** What limits count is read from these. */
  readonly history: FillHistory;
  readonly pastTrades: PastTrades;
  readonly nowMs: () => number;
  /** Never jumps, whatever happens to the wall clock. */
  readonly monotonicMs: () => number;
  readonly timers: Timers;
  readonly signalMaxAgeMs: number;
  /** The newest trade of a backup that the journal was restored from: up to it nothing is sent any more. */
  readonly restoredThroughSeq?: number | undefined;
  /** What binds entries on testnet and live accounts. */
  readonly liveGuards: LiveGuards & { readonly staleQuoteMs: number };
  readonly idempotencyWindowMs: number;
  /** How long the sender of a signal waits for its outcome: 2.5 s, or longer where a slow machine must not change what is answered. */
  readonly answerDeadlineMs?: number | undefined;
  readonly limitPatienceMs?: number | undefined;
  readonly onTrouble: (what: string, error: unknown, requestId?: string) => void;
  /** Told every step of a signal's life; absent where nobody watches. */
  readonly trace?: SignalTrace | undefined;
  /** The chat that is told every outcome; absent means that nobody is. */
  readonly ownerChat?: string;
  readonly onAlarm?: OnAlarm;
  /** The same for a cause that is watched: it is news once, and stands until it is over. */
  readonly onStanding?: OnAlarm | undefined;
  /** Told the kind of an alarm whose cause has gone. */
  readonly onAlarmOver?: ((kind: string) => void) | undefined;
  /** What is done where a strategy says it held something else than its share here; nothing where it is absent. */
  readonly positionCheck?: PositionCheck | undefined;
  /** The owner's channels besides the chat. */
  readonly channels?: NoticeChannels | undefined;
  /** What stops need besides. */
  readonly protection: Pick<ProtectionParts, 'store' | 'pricesOf' | 'newRequestId' | 'onAlarm' | 'onChange'> & {
    /** Stops at venues that keep them; absent means that only we guard. */
    readonly atVenue?: Pick<VenueStopParts, 'store' | 'isOn' | 'unprotected'> | undefined;
  };
}

const SWEEP_EVERY_MS = 1000;
/** Of prices that were too old to open anything by. */
const LOOK_AT_PRICES_EVERY_MS = 5000;
const RECONCILE_EVERY_MS = 30_000;
/**
 * A start waits this long for what venues tell, all of them together: signals and the stops of all others wait for the start. A little
 * longer than MEXC lets a process wait that was just restarted: it tells its markets once in five seconds.
 */
const LOOK_UP_MS = 6000;
const FORCED_UNREAD = 'orders of a venue itself cannot be looked up';
/** For writes and messages already under way when the lanes have stopped. */
const SETTLE_TIMEOUT_MS = 2000;

export class TradingDesk {
  readonly accounts: Accounts;
  readonly keepers: GateKeepers;
  readonly dispatcher: Dispatcher;
  readonly canceler: OrderCanceler;
  readonly resends: ResendGuard;
  readonly notifications: Notifications;
  readonly protections: Protections;
  /** Orders that rest at their venues. */
  readonly resting: RestingOrders;
  /** Closes positions without the gates. */
  readonly closer: PositionCloser;
  readonly ownerCloser: OwnerCloser;
  readonly killSwitchGuard: KillSwitchGuard;
  /** What would become of a signal. */
  readonly dryRun: DryRun;
  /** Undefined where nobody else can trade on any account. */
  readonly reconciler: Reconciler | undefined;
  readonly #parts: TradingDeskParts;
  readonly #lanes: Lanes;
  readonly #limits: EntryLimits;
  readonly #quotes: QuoteGate;
  readonly #forced: ForcedOrders;
  readonly #shrunk: ShrunkPositions;
  /** What venues do themselves is taken up behind what the last process left: otherwise it would be taken up twice. */
  readonly #recovered = Promise.withResolvers<void>();
  readonly #stopping = new AbortController();
  /** What venues have told and is not booked yet. */
  readonly #reports = new WorkUnderWay();
  /** Ends what is done again and again. */
  readonly #ends: (() => void)[] = [];

  /** `book` holds the positions as the journal has them. */
  constructor(parts: TradingDeskParts, book: PositionBook) {
    const { journal, nowMs, monotonicMs, timers, signalMaxAgeMs, idempotencyWindowMs, onTrouble } = parts;
    this.#parts = parts;
    this.accounts = new Accounts(parts.venues, parts.off);
    const { accounts } = this;
    this.#lanes = new Lanes({ monotonicMs, timers, impatientAfterMs: signalMaxAgeMs / 4 });
    this.resends = createResendGuard({ journal, nowMs, monotonicMs });
    this.notifications = openNotifications(parts);
    const laneJournal = createLaneJournal({ journal, stop: this.#stopping.signal, timers, onFailure: onTrouble });
    this.resting = openRestingOrders({ ...parts, lanes: this.#lanes });
    this.#shrunk = new ShrunkPositions({ book, monotonicMs });
    const facts = new LimitFacts({ ...parts, book, isTraded: (account) => accounts.has(account) });
    const { resting } = this;
    const { restrictions, liveGuards, onAlarm, onAlarmOver } = parts;
    this.#limits = new EntryLimits({
      ...{ restrictions, facts, book, resting, accounts, liveGuards, nowMs, monotonicMs, timers },
      patienceMs: parts.limitPatienceMs,
    });
    this.#quotes = new QuoteGate({ ...parts, maxAgeMs: liveGuards.staleQuoteMs });
    const execution = this.#executionOver(laneJournal, resting);
    this.dispatcher = new Dispatcher({
      ...{ journal, laneJournal, book, lanes: this.#lanes, resting: execution.resting, execution, accounts },
      ...{ notifications: this.notifications, ownerChat: parts.ownerChat, onAlarm },
      ...{ nowMs, monotonicMs, timers, onFault: execution.onFault, tradeChannels: parts.channels?.wanting('trades') },
      ...{ shrunk: this.#shrunk, trace: parts.trace, answerDeadlineMs: parts.answerDeadlineMs },
      hasForced: async (venue, market) =>
        (await this.#forced.isBehind(venue, market)) ||
        ((await this.protections.venueStops?.inTheWay.isBehind(venue, market)) ?? false),
    });
    this.canceler = new OrderCanceler({
      ...{ journal, laneJournal, lanes: this.#lanes, resting: execution.resting, accounts, asking: execution, timers },
      doubt: (clientOrderId) => this.dispatcher.doubt(clientOrderId),
    });
    const { dispatcher } = this;
    this.#forced = new ForcedOrders({ ...parts, dispatcher });
    this.reconciler = this.#openReconciler(book);
    const closer = createPositionCloser({ journal, dispatcher, idempotencyWindowMs, nowMs });
    this.closer = closer;
    this.protections = new Protections({
      ...{ ...parts.protection, positions: book, accounts, nowMs, monotonicMs, timers, onTrouble },
      closer: createCloser({
        ...{ journal, closer, accounts, book },
        compare: (venue, market) => dispatcher.compare(venue, market),
        venueStops: () => this.protections.venueStops?.inTheWay,
        inLane: (share, work) => this.#lanes.run(laneNamed(share, share.market), work, 'awaited'),
      }),
      atVenue: this.#stopsAtVenue(),
      placedStops: parts.protection.atVenue?.store,
      ...{ onAlarmOver, patience: patienceUnder(parts.lease) },
    });
    this.ownerCloser = new OwnerCloser({
      ...{ journal, book, accounts, closer, idempotencyWindowMs, nowMs, onFault: execution.onFault },
    });
    this.killSwitchGuard = new KillSwitchGuard({
      ...{ journal, book, resting: execution.resting, canceler: this.canceler, closer: this.ownerCloser },
      ...{ controls: parts.controls, restrictions, facts, monotonicMs, onTrouble, onAlarm, onAlarmOver },
      accounts: this.accounts,
      newRequestId: parts.protection.newRequestId,
    });
    const entryRates = openEntryRates(monotonicMs, parts.sharedEntries);
    this.keepers = this.#openGates(book, entryRates);
    this.dryRun = new DryRun({
      look: { ...parts, keepers: this.keepers, entryRates, resends: this.resends },
      ...{ planning: { ...execution, limits: this.#limits }, accounts, book, nowMs, monotonicMs },
      changedStops: (trade, entry) => this.protections.changedStops(trade, entry),
    });
  }

  /** Trades waiting or being executed. */
  backlog(): number {
    return this.#lanes.size();
  }

  /**
   * Takes up what the last process left; only then may new signals come. Returns how many trades that were.
   * After a crash nobody knows which answers arrived, so bodies received just before it are guarded against a resend.
   */
  async start({ afterCrash }: { readonly afterCrash: boolean } = { afterCrash: false }): Promise<number> {
    const { journal, nowMs, venues, channels, onTrouble } = this.#parts;
    if (afterCrash) await journal.guardUnanswered(nowMs() - RESEND_WINDOW_MS, nowMs() + RESEND_WINDOW_MS);
    for (const venue of venues) {
      venue.takeOver?.();
      venue.watchOrders((report) => {
        // Not before that: recovery would book once more what is booked in the lane meanwhile.
        if (isStopId(report.clientOrderId))
          void this.#recovered.promise.then(() => this.protections.venueStops?.noteOrder(venue, report));
        const booked = isForced(report)
          ? this.#recovered.promise.then(() => this.#forced.takeUp(venue, report))
          : this.dispatcher.report(venue, report);
        this.#reports.track(booked).catch((error) => onTrouble('an order report was not booked', error));
      });
    }
    await this.protections.load();
    await this.#limits.start(onTrouble);
    await this.#lookUp();
    const recovered = await this.dispatcher.recover();
    this.#recovered.resolve();
    this.protections.start();
    this.killSwitchGuard.start();
    this.#every(SWEEP_EVERY_MS, 'the kill switch cannot be enforced', async () => this.killSwitchGuard.look());
    this.#every(SWEEP_EVERY_MS, 'the outbox cannot be read', () => this.notifications.sweep());
    if (channels) await this.#startChannels(channels);
    this.#every(SWEEP_EVERY_MS, 'orders whose time has come cannot be canceled', () => this.#cancelDue());
    this.#every(LOOK_AT_PRICES_EVERY_MS, 'prices cannot be looked at again', () => this.#quotes.lookAgain());
    this.#every(RECONCILE_EVERY_MS, 'orders without an outcome cannot be looked up', () => this.dispatcher.reconcile());
    this.#every(RECONCILE_EVERY_MS, 'orders of venues themselves cannot be looked up', () =>
      this.#forced.takeUpMissed(),
    );
    this.#startReconciler();
    return recovered;
  }

  /** What venues did meanwhile, as far as they tell it in time; the rest is taken up behind the start. */
  async #lookUp(): Promise<void> {
    const { onTrouble, timers, lease } = this.#parts;
    const look = new StartLook();
    const looks = Promise.all([
      this.#forced.lookUp(look).catch((error) => onTrouble(FORCED_UNREAD, error)),
      this.protections.venueStops?.lookUp(look),
    ]);
    await withTimeout(looks, patienceUnder(lease)(LOOK_UP_MS), () => undefined, timers);
    await look.end();
  }

  /**
   * Resolves when nothing is under way: no trade in a lane, no position being closed by its stop, no switch being enforced,
   * nothing on its way to the disk. What waits for a moment to come, such as a resting order, is at rest.
   */
  async atRest(): Promise<void> {
    do {
      await Promise.all([this.#reports.idle(), this.protections.idle(), this.killSwitchGuard.enforced()]);
      await this.#lanes.idle();
      await this.dispatcher.idle();
      // Whoever was told of the end of that work may begin something in this turn.
      await new Promise((resolve) => setImmediate(resolve));
    } while (this.backlog() > 0);
  }

  /** What is queued gets this long to end. The rest waits in the journal. */
  async stop(timeoutMs: number): Promise<void> {
    for (const end of this.#ends) end();
    this.#limits.stop();
    await this.protections.stop();
    await this.#lanes.stop(timeoutMs);
    this.#stopping.abort();
    await Promise.all([
      this.dispatcher.settle(SETTLE_TIMEOUT_MS),
      this.notifications.settle(SETTLE_TIMEOUT_MS),
      this.#parts.channels?.stop(SETTLE_TIMEOUT_MS),
    ]);
  }

  /** Trading does not depend on it: what is left behind is struck off at another start. */
  async #startChannels(channels: NoticeChannels): Promise<void> {
    const unread = 'the notices for your channels cannot be read';
    await channels.retire().catch((error) => this.#parts.onTrouble(unread, error));
    this.#every(SWEEP_EVERY_MS, unread, () => channels.sweep());
  }

  #openReconciler(book: PositionBook): Reconciler | undefined {
    if (!this.#parts.venues.some(isShared)) return undefined;
    const { nowMs, monotonicMs, timers, onAlarm, onStanding, onAlarmOver } = this.#parts;
    return new Reconciler({
      ...{ book, lanes: this.#lanes, resting: this.resting, accounts: this.accounts, dispatcher: this.dispatcher },
      ...{ nowMs, monotonicMs, timers, onAlarm, onStanding, onAlarmOver, stop: this.#stopping.signal },
      takeUpForced: (venue) => this.#forced.takeUpMissedAt(venue),
      shrunk: this.#shrunk,
    });
  }

  /** The first comparison is not waited for: a venue that is away must not keep the others from trading. */
  #startReconciler(): void {
    const { reconciler } = this;
    if (reconciler === undefined) return;
    void reconciler.reconcile();
    this.#every(COMPARE_EVERY_MS, 'accounts cannot be compared with their venues', () => reconciler.reconcile());
  }

  #isLiveConfirmed(account: AccountName): boolean {
    return this.#parts.liveConfirmations?.isConfirmed(account) ?? true;
  }

  #every(periodMs: number, what: string, work: () => Promise<void>): void {
    const { timers, onTrouble } = this.#parts;
    this.#ends.push(every(periodMs, () => void work().catch((error) => onTrouble(what, error)), timers));
  }

  async #cancelDue(): Promise<void> {
    const { nowMs, onAlarm } = this.#parts;
    for (const { clientOrderId, outcome, error } of await this.canceler.cancelDue(nowMs()))
      if (outcome !== 'canceled' && outcome !== 'ended')
        onAlarm?.('cancel-after', `The time of order ${clientOrderId} has come, and it is not canceled: ${error}`);
  }

  #executionOver(laneJournal: LaneJournal, resting: RestingOrders): Execution {
    const { controls, nowMs, monotonicMs, timers, signalMaxAgeMs, onTrouble, restrictions } = this.#parts;
    const { onAlarm, onStanding, positionCheck = 'off', restoredThroughSeq, lease } = this.#parts;
    return {
      ...{ onAlarm, onStanding, positionCheck, trace: this.#parts.trace },
      ...{ restrictions, limits: this.#limits, quotes: this.#quotes },
      isLiveConfirmed: (account) => this.#isLiveConfirmed(account),
      ...{ laneJournal, resting, nowMs, timers, stop: this.#stopping.signal },
      venueStops: () => this.protections.venueStops?.inTheWay,
      compare: (venue, market) => this.dispatcher.compare(venue, market),
      bookForced: (venue, market) => this.#forced.bookInLane(venue, market),
      lookAt: (clientOrderId, run) => this.dispatcher.look(clientOrderId, run),
      controls: this.#parts.controlsCopy,
      maySend: lease && (() => maySendUnder(lease)),
      killSwitch: () => controls.current().killSwitch,
      stopsOf: ({ requestId }) => this.protections.waitingOf(requestId)?.asked,
      age: createSignalAge({ signalMaxAgeMs, nowMs, monotonicMs, restoredThroughSeq }),
      onFault: (error: unknown, trade: Trade) => onTrouble('a trade met a fault', error, trade.requestId),
    };
  }

  #stopsAtVenue(): VenueStopParts | undefined {
    const { protection, venues, journal, onStanding } = this.#parts;
    if (protection.atVenue === undefined || venues.every(({ stops }) => stops === undefined)) return undefined;
    const { dispatcher, resting } = this;
    return { ...protection.atVenue, venues, journal, dispatcher, resting, lanes: this.#lanes, onStanding };
  }

  #openGates(positions: PositionBook, entryRates: EntryRates): GateKeepers {
    const { authenticate, countWrongKey, isAddressAllowed, takeFromRate } = this.#parts;
    const { controls, restrictions, signals, idempotencyWindowMs, nowMs, onTrouble } = this.#parts;
    return {
      ...{ restrictions, entryRates, nowMs, controls: this.#parts.controlsCopy },
      ...{ authenticate, countWrongKey, isAddressAllowed, takeFromRate, signals, idempotencyWindowMs },
      killSwitch: () => controls.current().killSwitch,
      ...{ accounts: this.accounts, positions, noteTold: (requestId) => this.dispatcher.noteTold(requestId) },
      isLiveConfirmed: (account) => this.#isLiveConfirmed(account),
      journal: tracedCommits(this.protections.before(this.resends), this.#parts.trace),
      onRecordFailure: (error) => onTrouble('a refused signal was not recorded', error),
    };
  }
}

export async function openTradingDesk(parts: TradingDeskParts): Promise<TradingDesk> {
  const { journal } = parts;
  return new TradingDesk(parts, new PositionBook(await journal.positions(), await journal.strategyBooks()));
}
