// From an accepted signal to its outcome: chooses the lane, tries until it is settled, and answers before the sender gives up.

import { FencedError } from '../../errors/storage-error.ts';
import type { Timers } from '../../timing/timers.ts';
import { wait } from '../../timing/wait.ts';
import { WorkUnderWay } from '../../timing/work-under-way.ts';
import type { AccountName, Accounts } from '../accounts.ts';
import type { Journal, Trade } from '../books/journal.ts';
import type { PositionBook } from '../books/position-book.ts';
import type { AcceptedSignal } from '../intake/accepted-signal.ts';
import type { QueueMode } from '../intake/controls.ts';
import { type OnAlarm, waitingAlarm } from '../notifications/alarm.ts';
import type { NotificationResult, Notifications } from '../notifications/notifications.ts';
import { traced } from '../signal-trace.ts';
import { type OrderLookup, type OrderReport, type Venue, whyAway } from '../venue.ts';
import { createArrivalOrder } from './arrival-order.ts';
import { type ComparisonParts, comparePositions } from './compare-positions.ts';
import { type Attempt, type Execution, executeTrade } from './execute-trade.ts';
import type { WaitingCause } from './halted-trade.ts';
import type { LaneJournal } from './lane-journal.ts';
import { type Lanes, Stopping } from './lanes.ts';
import { Recovery } from './recovery.ts';
import type { RestingOrders } from './resting-orders.ts';
import { tradePauseMs } from './retry-pauses.ts';
import {
  accountOf,
  isSentByVenue,
  laneNamed,
  laneOf,
  type Settled,
  TradeRun,
  type TradeRunParts,
} from './trade-run.ts';

/** Charting platforms hang up after 3 s; past this the answer is "enqueued" and the work goes on. */
export const ANSWER_DEADLINE_MS = 2500;
export const NOTIFICATION_BUDGET_MS = 1000;
/** How often a close that its sender waits for asks again for a position that the venue does not show: about two seconds. */
const MOST_DIRECT_LOOKS = 3;
/** What a sender who waits for the outcome is told at once. */
const ENDS_DIRECT: ReadonlySet<WaitingCause> = new Set(['venue', 'refused']);

export type Dispatched =
  | { readonly kind: 'enqueued'; readonly why: 'async' | 'deadline' }
  /** Failover: the venue could not be reached before anything was sent. */
  | { readonly kind: 'queued' }
  | { readonly kind: 'settled'; readonly settled: Settled; readonly notification: NotificationResult | null };

/** A trade that has an outcome: it is decided, and on disk when the promise resolves. */
interface Outcome {
  readonly durable: Promise<Settled>;
}

const ENQUEUED: Dispatched = { kind: 'enqueued', why: 'async' };

export interface DispatchParts extends TradeRunParts {
  readonly journal: Pick<Journal, 'unfinished'>;
  readonly laneJournal: LaneJournal;
  readonly book: PositionBook;
  readonly lanes: Lanes;
  readonly resting: RestingOrders;
  readonly notifications: Notifications;
  readonly accounts: Accounts;
  readonly execution: Execution;
  readonly monotonicMs: () => number;
  readonly timers: Timers;
  readonly onFault: (error: unknown, trade: Trade) => void;
  readonly onAlarm?: OnAlarm;
  readonly hasForced?: ComparisonParts['hasForced'];
  readonly shrunk: ComparisonParts['shrunk'];
  /** Past this the answer is "enqueued"; ANSWER_DEADLINE_MS if it is left out. */
  readonly answerDeadlineMs?: number | undefined;
}

export class Dispatcher {
  readonly #parts: DispatchParts;
  readonly #recovery: Recovery;
  readonly #inOrderOfAcceptance = createArrivalOrder();
  readonly #underWay = new WorkUnderWay();
  /** In direct mode, while their senders wait. */
  readonly #direct = new Map<string, () => Promise<Settled | undefined> | undefined>();

  constructor(parts: DispatchParts) {
    this.#parts = parts;
    this.#recovery = new Recovery({
      ...parts,
      execute: (trade, begin) => this.#inBackground(trade, begin),
      tell: (run, durable) => this.#tellLater(run, durable),
      fault: (error, run) => this.#fault(error, run),
      internalFault,
    });
  }

  async dispatch(signal: AcceptedSignal, mode: QueueMode): Promise<Dispatched> {
    const startedAtMs = this.#parts.monotonicMs();
    const begin = () => new TradeRun({ trade: signal, orders: [], fills: [] }, this.#parts, startedAtMs);
    if (mode !== 'async') return this.#answered(signal, begin(), mode, startedAtMs);
    this.#parts.lanes.noteArrival();
    return new Promise((resolve) => {
      this.#inOrderOfAcceptance(signal.seq, () => {
        this.#inBackground(signal, begin);
        resolve(ENQUEUED);
      });
    });
  }

  /**
   * Somebody is told that this signal is taken, such as a second try of its sender: from now on it is tried again where its venue is
   * away. Resolves with false where it is being refused in this moment.
   */
  async noteTold(requestId: string): Promise<boolean> {
    const own = [...this.#direct].filter(([id]) => id === requestId || id.startsWith(`${requestId}.`));
    const refusals = await Promise.all(own.map(([, tell]) => tell()));
    return refusals.every((refusal) => refusal === undefined);
  }

  /** Books an order that is at the venue already, for work that runs in its lane. Resolves when it is on disk. */
  async bookInLane(trade: AcceptedSignal): Promise<void> {
    const run = new TradeRun({ trade, orders: [], fills: [] }, this.#parts, this.#parts.monotonicMs());
    const outcome = await this.#work(run, NOBODY);
    if (outcome === undefined) return;
    this.#tellLater(run, outcome.durable);
    await outcome.durable;
  }

  /** Takes up every unfinished trade where the last process left it. Call before the first new signal. */
  async recover(): Promise<number> {
    return this.#recovery.start(await this.#parts.journal.unfinished());
  }

  /** Books a report on a resting order, in its lane. */
  report(account: AccountName, report: OrderReport): Promise<void> {
    const { lanes, resting } = this.#parts;
    return lanes.run(laneNamed(account, report.market), () => resting.apply(report), 'background');
  }

  /** Asks again about orders whose outcome is unknown, and about what the venue could not be asked after the start. */
  reconcile(): Promise<void> {
    return this.#recovery.goOn();
  }

  /** Compares a market with its venue, as after a start; must run in its lane. */
  compare(venue: Venue, market: string): ReturnType<typeof comparePositions> {
    return comparePositions(venue, market, this.#parts);
  }

  /** Asks what became of an order of this trade and books it; must run in its lane. */
  look(clientOrderId: string, run: TradeRun): Promise<OrderLookup> {
    return this.#recovery.look(clientOrderId, run);
  }

  /** The venue was asked to end this order and nobody knows whether it did: `reconcile` asks about it. */
  doubt(clientOrderId: string): void {
    this.#recovery.doubt(clientOrderId);
  }

  /** Resolves when nothing that was decided is still on its way to the disk. */
  idle(): Promise<void> {
    return this.#underWay.idle();
  }

  /** Resolves when everything that was decided is on disk and told, or the time is up. */
  settle(timeoutMs: number): Promise<void> {
    return this.#underWay.settled(timeoutMs, this.#parts.timers);
  }

  /** Somebody waits for the outcome, but no longer than the deadline; the work goes on without him. */
  #answered(signal: AcceptedSignal, run: TradeRun, mode: QueueMode, startedAtMs: number): Promise<Dispatched> {
    const { monotonicMs, timers, answerDeadlineMs = ANSWER_DEADLINE_MS } = this.#parts;
    const remainingMs = (): number => Math.max(0, answerDeadlineMs - (monotonicMs() - startedAtMs));
    return new Promise<Dispatched>((resolve, reject) => {
      let isDirect = mode === 'direct';
      const cancel = timers.after(answerDeadlineMs, () => {
        isDirect = false;
        resolve({ kind: 'enqueued', why: 'deadline' });
      });
      const onWaiting = (): void => resolve({ kind: 'queued' });
      let refusal: Promise<Settled | undefined> | undefined;
      const refusing: Sender['refusing'] = async (refuse) => {
        // Stored late it would else be told as taken, and then come to nothing.
        cancel();
        refusal = refuse();
        const settled = await refusal;
        if (settled === undefined) isDirect = false;
        return settled;
      };
      const tell = (): typeof refusal => {
        isDirect = false;
        return refusal;
      };
      if (isDirect) this.#direct.set(signal.requestId, tell);
      const sender = { mode, isDirect: () => isDirect, onWaiting, refusing };
      const outcome = this.#inLane(signal, () => this.#work(run, sender))
        .then(async (attempt) => {
          if (!attempt) return resolve({ kind: 'queued' });
          const settled = await attempt.durable;
          const notification = await this.#notify(run, settled, Math.min(NOTIFICATION_BUDGET_MS, remainingMs()));
          resolve({ kind: 'settled', settled, notification });
        })
        .catch((error) => (isGivenBack(error) ? resolve({ kind: 'queued' }) : reject(error)))
        .finally(() => {
          cancel();
          this.#direct.delete(signal.requestId);
        });
      void this.#underWay.track(outcome);
    });
  }

  #inLane<T>(signal: AcceptedSignal, piece: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const enter = (): void => void this.#parts.lanes.run(laneOf(signal), piece, 'awaited').then(resolve, reject);
      this.#inOrderOfAcceptance(signal.seq, enter);
    });
  }

  /** The run is made when its turn comes: a backlog costs little more than its signals. */
  #inBackground(trade: Trade, begin: () => TradeRun | undefined): void {
    this.#parts.lanes.post(laneOf(trade), async () => {
      const run = begin();
      const attempt = run && (await this.#work(run, NOBODY));
      if (attempt) this.#tellLater(run, attempt.durable);
    });
  }

  /** Runs in the lane and never rejects: a fault of our own is an outcome too. */
  async #work(run: TradeRun, sender: Sender): Promise<Outcome | undefined> {
    const { trace, monotonicMs } = this.#parts;
    const { requestId } = run.trade;
    if (trace && run.startedAtMs !== undefined)
      trace.add(requestId, 'queue', { tookMs: monotonicMs() - run.startedAtMs, facts: { mode: sender.mode } });
    const attempt = () => this.#attemptUntilSettled(run, sender);
    try {
      return await traced(trace, requestId, 'execute', attempt, () => factsOf(run));
    } catch (error) {
      if (isGivenBack(error)) return { durable: Promise.reject(error) };
      this.#parts.onFault(error, run.trade);
      return { durable: internalFault(run) };
    }
  }

  /** Runs in the lane, which need not wait until the outcome is on disk. */
  async #attemptUntilSettled(run: TradeRun, sender: Sender): Promise<Outcome | undefined> {
    const { execution, accounts, laneJournal, onAlarm } = this.#parts;
    const venue = accounts.of(accountOf(run.trade));
    for (let tries = 1; ; tries++) {
      const attempt: Attempt = await executeTrade(run, venue, execution);
      if (attempt.kind === 'settled') return attempt;
      if (attempt.cause === 'controls') {
        if (execution.stop.aborted) return undefined;
        continue;
      }
      if (onAlarm) waitingAlarm(onAlarm, run.trade, attempt);
      const isOver = ENDS_DIRECT.has(attempt.cause) || (attempt.cause === 'doubt' && tries >= MOST_DIRECT_LOOKS);
      if (isOver && sender.isDirect()) {
        const refusal = await sender.refusing(() => unreachable(run, attempt, laneJournal));
        if (refusal) return { durable: Promise.resolve(refusal) };
      }
      if (attempt.cause !== 'doubt' || !sender.isDirect()) sender.onWaiting();
      // Its lane is held up, and nobody else can place a stop in this market meanwhile. What the venue has sent made way for nothing.
      if (!isSentByVenue(run.trade)) await execution.venueStops?.()?.putBack(run.trade);
      await wait(tradePauseMs(tries), execution);
      // Stays in the journal as it is; the next start takes it up.
      if (execution.stop.aborted) return undefined;
    }
  }

  #notify({ trade }: TradeRun, { message }: Settled, budgetMs: number): Promise<NotificationResult | null> {
    const { notifications, trace } = this.#parts;
    if (!message) return Promise.resolve(null);
    const deliver = () => notifications.deliver(message, budgetMs);
    const delivered = traced(trace, trade.requestId, 'notify', deliver, (told) => ({
      success: told?.success ?? false,
    }));
    return this.#underWay.track(delivered);
  }

  #tellLater(run: TradeRun, durable: Promise<Settled>): void {
    const told = durable.then(
      (settled) => this.#notify(run, settled, NOTIFICATION_BUDGET_MS),
      (error) => this.#fault(error, run),
    );
    void this.#underWay.track(told);
  }

  #fault(error: unknown, run: TradeRun): void {
    if (!isGivenBack(error)) this.#parts.onFault(error, run.trade);
  }
}

/** Whoever waits for the outcome of a signal. */
interface Sender {
  readonly mode: QueueMode;
  /** It is to be told that its venue is away. One that was told in direct mode that its signal is taken is not: that is tried again. */
  isDirect(): boolean;
  /** The signal waits for its venue. */
  onWaiting(): void;
  /** Undefined where the refusal could not be stored: then there is none. */
  refusing(refuse: () => Promise<Settled | undefined>): Promise<Settled | undefined>;
}

const NOBODY: Sender = { mode: 'async', isDirect: () => false, onWaiting: () => {}, refusing: (refuse) => refuse() };

/** At a stop, or to the process that has taken over. It is no fault: the journal has it. */
const isGivenBack = (error: unknown): boolean => error instanceof Stopping || error instanceof FencedError;

const factsOf = ({ trade, state }: TradeRun) => ({
  ...{ exchange: trade.order.exchange, account: trade.account, trading_mode: trade.mode, state },
});

/** Undefined where it is not on disk: then the trade is as it was. Nothing else of its lane is decided meanwhile. */
async function rejectAtOnce(
  run: TradeRun,
  detail: string,
  extra: { error: string; cause?: Settled['cause'] },
  { recordAtOnce }: LaneJournal,
): Promise<Settled | undefined> {
  const { state, error } = run;
  try {
    return await run.write('rejected', { kind: 'rejected', detail }, extra, recordAtOnce);
  } catch (fault) {
    if (isGivenBack(fault)) throw fault;
    Object.assign(run, { state, error });
    return undefined;
  }
}

function unreachable(
  run: TradeRun,
  { reason, cause }: { reason: string; cause: WaitingCause },
  laneJournal: LaneJournal,
): Promise<Settled | undefined> {
  const sent = run.placed ? run.halfDone : 'nothing was sent';
  if (cause === 'refused') return rejectAtOnce(run, reason, { error: `${reason}; ${sent}` }, laneJournal);
  const what = cause === 'doubt' ? 'does not show the position for certain' : 'cannot be reached';
  const error = `${run.trade.order.exchange} ${what}, ${sent}: ${whyAway(reason)}`;
  return rejectAtOnce(run, reason, { error, cause: 'venue-unreachable' }, laneJournal);
}

/** Our own fault: before anything left it is a refusal, after that nobody knows. */
function internalFault(run: TradeRun): Promise<Settled> {
  const state = run.state === 'accepted' ? 'rejected' : 'unknown';
  const error = 'an internal fault stopped this trade; the log has the details under its request id';
  return run.write(state, { kind: state, detail: 'internal fault' }, { error, cause: 'internal' });
}
