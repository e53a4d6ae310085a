// From an accepted signal to its outcome: chooses the lane, tries until it is settled, and minds the sender's patience.

import type { Journal, Trade } from '../books/journal.ts';
import type { PositionBook } from '../books/position-book.ts';
import type { AcceptedSignal } from '../intake/accept-signal.ts';
import type { QueueMode } from '../intake/controls.ts';
import { type OnAlarm, waitingAlarm } from '../notifications/alarm.ts';
import type { NotificationResult, Notifications } from '../notifications/notifications.ts';
import type { Exchange } from '../signal.ts';
import type { OrderReport, Venue } from '../venue.ts';
import { createArrivalOrder } from './arrival-order.ts';
import { type Attempt, type Execution, executeTrade } from './execute-trade.ts';
import type { LaneJournal } from './lane-journal.ts';
import { type Lanes, Stopping } from './lanes.ts';
import { pause } from './persistence.ts';
import { createRecovery } from './recovery.ts';
import type { RestingOrders } from './resting-orders.ts';
import { HALF_REVERSED, laneNamed, laneOf, type Settled, TradeRun, type TradeRunParts } from './trade-run.ts';

/** Charting platforms hang up after 3 s; past this the answer is "enqueued" and the work goes on. */
export const ANSWER_DEADLINE_MS = 2500;
export const NOTIFICATION_BUDGET_MS = 1000;
const RETRY_PAUSES_MS = [250, 500, 1000, 2000, 5000];

export type Dispatched =
  | { readonly kind: 'enqueued'; readonly why: 'async' | 'deadline' }
  /** Failover: the venue could not be reached before anything was sent. */
  | { readonly kind: 'queued' }
  | { readonly kind: 'settled'; readonly settled: Settled; readonly notification: NotificationResult | null };

const ENQUEUED: Dispatched = { kind: 'enqueued', why: 'async' };

export interface DispatchParts extends TradeRunParts {
  readonly journal: Pick<Journal, 'unfinished'>;
  readonly laneJournal: LaneJournal;
  readonly book: PositionBook;
  readonly lanes: Lanes;
  readonly resting: RestingOrders;
  readonly notifications: Notifications;
  readonly venueOf: (exchange: Exchange) => Venue;
  readonly execution: Execution;
  readonly monotonicMs: () => number;
  readonly onFault: (error: unknown, trade: Trade) => void;
  readonly onAlarm?: OnAlarm;
}

export interface Dispatcher {
  dispatch(signal: AcceptedSignal, mode: QueueMode): Promise<Dispatched>;
  /** Takes up every unfinished trade where the last process left it. Call before the first new signal. */
  recover(): Promise<number>;
  /** Books a report on a resting order, in its lane. */
  report(exchange: Exchange, report: OrderReport): Promise<void>;
  /** Asks again about orders whose outcome is unknown, and about what the venue could not be asked after the start. */
  reconcile(): Promise<void>;
  /** Resolves when everything that was decided is on disk and told, or the time is up. */
  settle(timeoutMs: number): Promise<void>;
}

export function createDispatcher(parts: DispatchParts): Dispatcher {
  const { lanes, resting, execution, venueOf, notifications, monotonicMs } = parts;
  const inOrderOfAcceptance = createArrivalOrder();
  const underWay = new Set<Promise<unknown>>();
  const track = <T>(work: Promise<T>): Promise<T> => {
    underWay.add(work);
    const forget = (): void => void underWay.delete(work);
    work.then(forget, forget);
    return work;
  };

  /** Runs in the lane. The returned promise inside is the durable outcome: the lane need not wait for it. */
  const attemptUntilSettled = async (
    run: TradeRun,
    mode: QueueMode,
    onWaiting: () => void,
  ): Promise<{ durable: Promise<Settled> } | undefined> => {
    for (let tries = 0; ; tries++) {
      const attempt: Attempt = await executeTrade(run, venueOf(run.trade.order.exchange), execution);
      if (attempt.kind === 'settled') return attempt;
      if (parts.onAlarm) waitingAlarm(parts.onAlarm, run.trade.order.exchange, attempt);
      if (attempt.cause === 'venue' && mode === 'direct') return { durable: unreachable(run, attempt.reason) };
      onWaiting();
      await pause(RETRY_PAUSES_MS[Math.min(tries, RETRY_PAUSES_MS.length - 1)] as number, execution.stop);
      // Stays in the journal as it is; the next start takes it up.
      if (execution.stop.aborted) return undefined;
    }
  };

  /** Runs in the lane and never rejects: a fault of our own is an outcome too. */
  const work = async (
    run: TradeRun,
    mode: QueueMode,
    onWaiting: () => void = () => {},
  ): Promise<{ durable: Promise<Settled> } | undefined> => {
    try {
      return await attemptUntilSettled(run, mode, onWaiting);
    } catch (error) {
      parts.onFault(error, run.trade);
      return { durable: internalFault(run) };
    }
  };

  const notify = (settled: Settled, budgetMs: number): Promise<NotificationResult | null> =>
    settled.message ? track(notifications.deliver(settled.message, budgetMs)) : Promise.resolve(null);

  /** The run is made when its turn comes: a backlog costs little more than its signals. */
  const inBackground = (trade: Trade, begin: () => TradeRun | undefined): void => {
    lanes.post(laneOf(trade), async () => {
      const run = begin();
      const attempt = run && (await work(run, 'async'));
      if (attempt) tellLater(run, attempt.durable);
    });
  };

  const tellLater = (run: TradeRun, durable: Promise<Settled>): void => {
    const told = durable.then(
      (settled) => notify(settled, NOTIFICATION_BUDGET_MS),
      (error) => fault(error, run),
    );
    track(told);
  };

  /** Work given back at a stop is no fault: the journal has it. */
  const fault = (error: unknown, run: TradeRun): void => {
    if (!(error instanceof Stopping)) parts.onFault(error, run.trade);
  };

  const recovery = createRecovery({
    ...parts,
    execute: inBackground,
    tell: tellLater,
    fault,
    internalFault,
  });

  const inLane = <T>(signal: AcceptedSignal, piece: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const enter = (): void => void lanes.run(laneOf(signal), piece, 'awaited').then(resolve, reject);
      inOrderOfAcceptance(signal.seq, enter);
    });

  return {
    async dispatch(signal, mode) {
      const startedAtMs = monotonicMs();
      const begin = () => new TradeRun({ trade: signal, orders: [], fills: [] }, parts, startedAtMs);
      if (mode === 'async') {
        lanes.noteArrival();
        return new Promise((resolve) => {
          inOrderOfAcceptance(signal.seq, () => {
            inBackground(signal, begin);
            resolve(ENQUEUED);
          });
        });
      }
      const run = begin();
      const remainingMs = (): number => Math.max(0, ANSWER_DEADLINE_MS - (monotonicMs() - startedAtMs));
      return new Promise<Dispatched>((resolve, reject) => {
        const timer = setTimeout(resolve, ANSWER_DEADLINE_MS, { kind: 'enqueued', why: 'deadline' });
        const onWaiting = (): void => resolve({ kind: 'queued' });
        const outcome = inLane(signal, () => work(run, mode, onWaiting))
          .then(async (attempt) => {
            if (!attempt) return resolve({ kind: 'queued' });
            const settled = await attempt.durable;
            const notification = await notify(settled, Math.min(NOTIFICATION_BUDGET_MS, remainingMs()));
            resolve({ kind: 'settled', settled, notification });
          })
          .catch((error) => (error instanceof Stopping ? resolve({ kind: 'queued' }) : reject(error)))
          .finally(() => clearTimeout(timer));
        track(outcome);
      });
    },

    recover: async () => recovery.start(await parts.journal.unfinished()),

    report(exchange, report) {
      const venue = venueOf(exchange);
      return lanes.run(laneNamed(venue.mode, exchange, report.market), () => resting.apply(report), 'background');
    },

    reconcile: () => recovery.goOn(),

    async settle(timeoutMs) {
      let timer: NodeJS.Timeout | undefined;
      const timeUp = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, timeoutMs);
      });
      await Promise.race([Promise.allSettled([...underWay]), timeUp]);
      clearTimeout(timer);
    },
  };
}

function unreachable(run: TradeRun, reason: string): Promise<Settled> {
  const sent = run.placed ? HALF_REVERSED : 'nothing was sent';
  const error = `${run.trade.order.exchange} cannot be reached, ${sent}: ${reason}`;
  return run.write('rejected', { kind: 'rejected', detail: reason }, { error, cause: 'venue-unreachable' });
}

/** Our own fault: before anything left it is a refusal, after that nobody knows. */
function internalFault(run: TradeRun): Promise<Settled> {
  const state = run.state === 'accepted' ? 'rejected' : 'unknown';
  const error = 'an internal fault stopped this trade; the log has the details under its request id';
  return run.write(state, { kind: state, detail: 'internal fault' }, { error, cause: 'internal' });
}
