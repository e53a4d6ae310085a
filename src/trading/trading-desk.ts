// The trading desk: puts gates, lanes, execution and notification together over the ports it is handed.

import type { Journal, Trade } from './books/journal.ts';
import type { Outbox } from './books/outbox.ts';
import { createPositionBook } from './books/position-book.ts';
import type { SignalStore } from './books/signal-store.ts';
import { createDispatcher, type Dispatcher } from './execution/dispatch.ts';
import type { Execution } from './execution/execute-trade.ts';
import { createLaneJournal } from './execution/lane-journal.ts';
import { createLanes } from './execution/lanes.ts';
import { createRestingOrders } from './execution/resting-orders.ts';
import type { TradeRun } from './execution/trade-run.ts';
import type { GateKeepers } from './intake/accept-signal.ts';
import type { Controls } from './intake/controls.ts';
import { createResendGuard, RESEND_WINDOW_MS, type ResendGuard } from './intake/resend-guard.ts';
import type { OnAlarm } from './notifications/alarm.ts';
import { createNotifications, type Notifications } from './notifications/notifications.ts';
import type { Notifier } from './notifications/notifier.ts';
import { createCloser } from './protection/close-position.ts';
import { createProtections, type ProtectionParts, type Protections } from './protection/protections.ts';
import type { Exchange } from './signal.ts';
import type { Venue } from './venue.ts';

export interface TradingDeskParts
  extends Pick<GateKeepers, 'authenticate' | 'countWrongKey' | 'isAddressAllowed' | 'takeFromRate'> {
  readonly journal: Journal;
  readonly signals: Pick<SignalStore, 'add'>;
  readonly outbox: Outbox;
  readonly notifier: Notifier;
  readonly venues: readonly Venue[];
  readonly controls: Controls;
  readonly nowMs: () => number;
  /** Never jumps, whatever happens to the wall clock. */
  readonly monotonicMs: () => number;
  readonly signalMaxAgeMs: number;
  readonly idempotencyWindowMs: number;
  readonly onTrouble: (what: string, error: unknown, requestId?: string) => void;
  /** The chat that is told every outcome; absent means that nobody is. */
  readonly ownerChat?: string;
  readonly onAlarm?: OnAlarm;
  /** What stops need besides. */
  readonly protection: Pick<ProtectionParts, 'store' | 'prices' | 'newRequestId' | 'onAlarm'>;
}

export interface TradingDesk {
  readonly keepers: GateKeepers;
  readonly dispatcher: Dispatcher;
  readonly resends: ResendGuard;
  readonly notifications: Notifications;
  readonly protections: Protections;
  /** Trades waiting or being executed. */
  backlog(): number;
  /**
   * Takes up what the last process left; only then may new signals come. Returns how many trades that were.
   * After a crash nobody knows which answers arrived, so bodies received just before it are guarded against a resend.
   */
  start(options?: { readonly afterCrash: boolean }): Promise<number>;
  /** What is queued gets this long to end. The rest waits in the journal. */
  stop(timeoutMs: number): Promise<void>;
}

const SWEEP_EVERY_MS = 1000;
const RECONCILE_EVERY_MS = 30_000;
/** For writes and messages already under way when the lanes have stopped. */
const SETTLE_TIMEOUT_MS = 2000;
/** A signal dated later than this much ahead of the clock was stored before the clock was set back. */
const CLOCK_TOLERANCE_MS = 1000;

export async function createTradingDesk(parts: TradingDeskParts): Promise<TradingDesk> {
  const { journal, controls, nowMs, monotonicMs, signalMaxAgeMs, onTrouble } = parts;
  const venues = new Map<Exchange, Venue>(parts.venues.map((venue) => [venue.exchange, venue]));
  const venueOf = (exchange: Exchange): Venue => venues.get(exchange) as Venue;
  const stopping = new AbortController();
  const lanes = createLanes({ monotonicMs, impatientAfterMs: signalMaxAgeMs / 4 });
  const resting = createRestingOrders();
  const resends = createResendGuard({ journal, nowMs, monotonicMs });
  const notifications = createNotifications({
    outbox: parts.outbox,
    notifier: parts.notifier,
    nowMs,
    onFailure: (message, error) => onTrouble(`notification ${message.id} was not delivered`, error),
    onAbandoned: (_, reason) => parts.onAlarm?.('notification-abandoned', `A notification was given up: ${reason}`),
  });
  const laneJournal = createLaneJournal({ journal, stop: stopping.signal, onFailure: onTrouble });
  const onFault = (error: unknown, trade: Trade): void => onTrouble('a trade met a fault', error, trade.requestId);
  const execution: Execution = {
    laneJournal,
    resting,
    nowMs,
    killSwitch: () => controls.current().killSwitch,
    stopsOf: ({ requestId }) => protections.askedBy(requestId),
    isStale: (run) => isStale(run, signalMaxAgeMs, nowMs(), monotonicMs()),
    stop: stopping.signal,
    onFault,
  };
  const book = createPositionBook(await journal.positions());
  const dispatcher = createDispatcher({
    journal,
    laneJournal,
    book,
    nowMs,
    ownerChat: parts.ownerChat,
    onAlarm: parts.onAlarm,
    lanes,
    resting,
    notifications,
    venueOf,
    execution,
    monotonicMs,
    onFault,
  });
  const accountOf = (exchange: Exchange) => venueOf(exchange).mode;
  const protections = createProtections({
    ...{ ...parts.protection, book, accountOf, nowMs, monotonicMs, onTrouble },
    closer: createCloser({ journal, dispatcher, venueOf, nowMs }),
  });
  const timers: NodeJS.Timeout[] = [];
  const every = (ms: number, what: string, work: () => Promise<void>): void => {
    timers.push(setInterval(() => work().catch((error) => onTrouble(what, error)), ms).unref());
  };

  return {
    keepers: {
      authenticate: parts.authenticate,
      countWrongKey: parts.countWrongKey,
      isAddressAllowed: parts.isAddressAllowed,
      takeFromRate: parts.takeFromRate,
      killSwitch: () => controls.current().killSwitch,
      accountOf,
      journal: protections.before(resends),
      signals: parts.signals,
      idempotencyWindowMs: parts.idempotencyWindowMs,
      onRecordFailure: (error) => onTrouble('a refused signal was not recorded', error),
    },
    dispatcher,
    resends,
    notifications,
    protections,
    backlog: () => lanes.size(),
    async start({ afterCrash } = { afterCrash: false }) {
      if (afterCrash) await journal.guardUnanswered(nowMs() - RESEND_WINDOW_MS, nowMs() + RESEND_WINDOW_MS);
      for (const venue of parts.venues) {
        venue.watchOrders((report) => {
          dispatcher
            .report(venue.exchange, report)
            .catch((error) => onTrouble('an order report was not booked', error));
        });
      }
      await protections.load();
      const recovered = await dispatcher.recover();
      protections.start();
      every(SWEEP_EVERY_MS, 'the outbox cannot be read', () => notifications.sweep());
      every(RECONCILE_EVERY_MS, 'orders without an outcome cannot be looked up', () => dispatcher.reconcile());
      return recovered;
    },
    async stop(timeoutMs) {
      for (const timer of timers) clearInterval(timer);
      await protections.stop();
      await lanes.stop(timeoutMs);
      stopping.abort();
      await Promise.all([dispatcher.settle(SETTLE_TIMEOUT_MS), notifications.settle(SETTLE_TIMEOUT_MS)]);
    },
  };
}

/** Two clocks: the wall clock survives a restart, the other one survives somebody setting the wall clock. */
function isStale(run: TradeRun, maxAgeMs: number, nowMs: number, monotonicMs: number): boolean {
  const wallAgeMs = nowMs - run.trade.receivedAtMs;
  if (wallAgeMs > maxAgeMs) return true;
  if (run.startedAtMs !== undefined) return monotonicMs - run.startedAtMs > maxAgeMs;
  return wallAgeMs < -CLOCK_TOLERANCE_MS;
}
