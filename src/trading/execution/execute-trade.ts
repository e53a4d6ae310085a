// Executes one trade at its venue, inside its lane: fresh facts, a plan, and for every order
// "durably sending → sent → the venue's own word durably booked". An unclear answer is asked about, never repeated.

import { errorText } from '../../errors/error-text.ts';
import { StaleControlsError } from '../../errors/storage-error.ts';
import { ACTION_MEANING } from '../action.ts';
import { isCatchUp, isFinal, type Leg, type SendingStep, type TradeOrder, type TradeState } from '../books/journal.ts';
import { ZERO } from '../decimal.ts';
import type { ControlsCopy } from '../intake/controls.ts';
import type { LimitCode } from '../intake/limit-rules.ts';
import { expiredAlarm } from '../notifications/alarm.ts';
import { type OrderReport, type OrderRequest, type Venue, VenueError } from '../venue.ts';
import { type Asking, ask, place, untilEnded, type VenueAnswer } from './ask-venue.ts';
import type { EntryLimits } from './entry-limits.ts';
import { type Halt, haltOf, stopOf, type WaitingCause, whyNotPlanned } from './halted-trade.ts';
import type { LaneJournal } from './lane-journal.ts';
import { orderRequest } from './order-request.ts';
import type { PlannedOrder, PlanRefusal } from './plan-orders.ts';
import { type Planning, preparePlan } from './prepare-plan.ts';
import { notEnough, type RestingOrders } from './resting-orders.ts';
import { steadyPositions } from './steady-positions.ts';
import { accountOf, goesBefore, isSentByVenue, laneOf, type Settled, type TradeRun } from './trade-run.ts';

/** `waiting`: nothing of the next step has reached the venue; the trade may be tried again. */
export type Attempt =
  | { readonly kind: 'settled'; readonly durable: Promise<Settled> }
  | { readonly kind: 'waiting'; readonly reason: string; readonly cause: WaitingCause };

export interface Execution extends Asking, Planning {
  readonly resting: RestingOrders;
  readonly laneJournal: Pick<LaneJournal, 'sending'>;
  readonly limits: Pick<EntryLimits, 'prepare' | 'claim' | 'needsQuote' | 'release' | 'hold'>;
  /** The copy of the controls that switches, pauses and limits are looked at in; absent where only this process changes them. */
  readonly controls?: ControlsCopy | undefined;
  /** Whether this process certainly is the one that trades, long enough for an order to arrive; absent where there is no other. */
  readonly maySend?: (() => boolean) | undefined;
}

const settled = (durable: Promise<Settled>): Attempt => ({ kind: 'settled', durable });

export async function executeTrade(run: TradeRun, venue: Venue, execution: Execution): Promise<Attempt> {
  const { trade } = run;
  if (isSentByVenue(trade)) return bookForced(run, venue, execution);
  let controlsVersion = execution.controls?.version();
  const halt = haltOf(run, execution);
  if (halt) return settled(endHalted(run, execution, halt));
  try {
    // A stop must not go for a close that has to wait: the venue is asked before. Where it falls silent then, whoever waits puts it back.
    await execution.venueStops?.()?.makeWay(trade, venue, () => steadyPositions(run, venue, execution, 'urgent'));
    const plan = await preparePlan(run, venue, execution);
    if ('refusal' in plan) return settled(reject(run, plan.refusal, plan.cause));
    if (plan.leverage !== undefined) await venue.ensureLeverage(trade.order.market, plan.leverage);
    run.leverage = plan.leverage;
    run.warnings = plan.warnings;
    // What an exit had to catch up was all, and has been sent before a restart.
    if (plan.orders.length === 0) return settled(run.write('filled', { kind: 'filled', detail: 'caught up' }));
    for (const [index, order] of plan.orders.entries()) {
      const last = index === plan.orders.length - 1;
      // The order before it took its time at the venue: what opens something is asked once more.
      if (index > 0 && !order.reduceOnly) {
        controlsVersion = execution.controls?.version();
        const stopped = stopOf(run, execution);
        if (stopped) return settled(endHalted(run, execution, stopped));
      }
      const decided = { notes: index === 0 ? plan.notes : [], controlsVersion };
      const attempt = await sendOrder(run, venue, execution, order, decided, last);
      if (attempt) return attempt;
    }
    throw new Error('a plan ended without an outcome');
  } catch (error) {
    const why = whyNotPlanned(error);
    return why.kind === 'refused' ? settled(reject(run, why.reason, why.cause)) : why;
  } finally {
    execution.limits.release(run);
  }
}

function endHalted(run: TradeRun, execution: Execution, halt: Halt): Promise<Settled> {
  if (halt.kind === 'expired') return expire(run, execution, halt.reason);
  if (halt.kind === 'refused') return reject(run, halt.reason, halt.cause);
  const event = { kind: 'canceled', detail: 'kill switch' };
  return run.write('canceled', event, { error: halfWay(run, halt.reason), cause: 'kill-switch' });
}

/** The venue has placed the order itself: it is only asked what became of it. */
async function bookForced(run: TradeRun, venue: Venue, execution: Execution): Promise<Attempt> {
  const { trade } = run;
  const { action, market, quantity } = trade.order;
  const { side, positionSide } = ACTION_MEANING[action];
  const order = { side, positionSide, reduceOnly: true, quantity };
  const request: OrderRequest = { ...order, clientOrderId: trade.requestId, market };
  run.netted = (await venue.positionMode()) === 'one-way';
  const at = { seq: trade.seq, atMs: execution.nowMs(), leg: 'close' as const, netted: run.netted, givenUp: ZERO };
  try {
    await execution.laneJournal.sending({ ...at, ...accountOf(trade), request, notes: [] }, laneOf(trade));
  } catch (error) {
    return { kind: 'waiting', reason: errorText(error), cause: 'storage' };
  }
  run.state = 'sending';
  run.noteOrder(request.clientOrderId, { leg: 'close', side, givenUp: ZERO });
  const answer = await ask(trade, venue, execution, request.clientOrderId, 'the venue has not told of it');
  const planned = { ...order, leg: 'close' as const, mustEndFlat: false };
  const attempt = await settleAnswer(run, venue, execution, planned, request.clientOrderId, answer, true);
  return attempt ?? { kind: 'waiting', reason: 'the venue has not told of it', cause: 'venue' };
}

/** A trade that ends between its orders has changed the position: its sender must learn that. */
const halfWay = (run: TradeRun, reason: string): string => (run.placed ? `${reason}; ${run.halfDone}` : reason);

/** Its sender was told that it is accepted: whoever relies on that must hear that it came to nothing. */
function expire(run: TradeRun, { onAlarm }: Execution, reason: string): Promise<Settled> {
  const error = run.placed ? halfWay(run, reason) : `${reason}; nothing was sent`;
  const durable = run.write('expired', { kind: 'expired', detail: reason }, { error });
  if (onAlarm) expiredAlarm(onAlarm, run.trade, error);
  return durable;
}

const reject = (run: TradeRun, reason: string, cause?: PlanRefusal | LimitCode): Promise<Settled> =>
  run.write('rejected', { kind: 'rejected', detail: reason }, { error: halfWay(run, reason), ...(cause && { cause }) });

/** Undefined means: booked, go on with the next order of the plan. */
async function sendOrder(
  run: TradeRun,
  venue: Venue,
  execution: Execution,
  planned: PlannedOrder,
  decided: Pick<SendingStep, 'notes' | 'controlsVersion'>,
  last: boolean,
): Promise<Attempt | undefined> {
  const { trade } = run;
  const { leg, givenUp } = planned;
  const request = orderRequest(trade, planned);
  const at = { seq: trade.seq, atMs: execution.nowMs(), leg, netted: run.netted, givenUp };
  const step = { ...at, ...accountOf(trade), request, ...decided };
  let stored: 'in-time' | 'late';
  try {
    stored = await execution.laneJournal.sending(step, laneOf(trade));
  } catch (error) {
    return notStored(error, execution);
  }
  run.state = 'sending';
  run.noteOrder(request.clientOrderId, planned);
  // The disk failed for a while: planned again with fresh facts, and with a fresh look at its age and the kill switch.
  if (stored === 'late') return takeBack(run, request.clientOrderId, TOO_LATE, 'storage');
  // Right before the bytes leave: the step above may have waited, and the whole process may have been held up.
  if (execution.maySend?.() === false) return takeBack(run, request.clientOrderId, LEASE_ENDS, 'storage');
  const answer = await place(trade, venue, execution, request);
  return settleAnswer(run, venue, execution, planned, request.clientOrderId, answer, last);
}

/** Nothing of the step is on disk, so the trade is as it was. */
async function notStored(error: unknown, { controls }: Execution): Promise<Attempt> {
  const reason = errorText(error);
  if (!(error instanceof StaleControlsError)) return { kind: 'waiting', reason, cause: 'storage' };
  // Where it cannot be read, it is planned by what is known, and refused again.
  await controls?.refresh().catch(() => undefined);
  return { kind: 'waiting', reason, cause: 'controls' };
}

const LEASE_ENDS = 'another process may be about to take over; whoever has the desk then sends it';
const TOO_LATE = 'an earlier step of this market had to wait for the disk';

/** Proved: the order is not at the venue, so the trade may be planned again. */
async function takeBack(
  run: TradeRun,
  clientOrderId: string,
  reason: string,
  cause: 'venue' | 'storage',
): Promise<Attempt> {
  run.noteNotSent(clientOrderId);
  const order = { clientOrderId, state: 'accepted', executedQuantity: ZERO, reason } as const;
  await run.write('accepted', { kind: 'not-sent', detail: reason }, { order });
  return { kind: 'waiting', reason, cause };
}

/**
 * After a crash: the row says `sending`, so the venue is asked before anything else is done. Executes nothing: what is
 * not settled by the answer waits until every order of its lane has been asked about.
 */
export async function settleInterrupted(
  run: TradeRun,
  venue: Venue,
  execution: Execution,
  order: TradeOrder,
): Promise<Attempt | undefined> {
  const answer = await ask(run.trade, venue, execution, order.clientOrderId, 'interrupted');
  const last = !goesBefore(order.leg, run.trade);
  const planned = { ...order, mustEndFlat: order.leg === 'flatten' && order.netted };
  return settleAnswer(run, venue, execution, planned, order.clientOrderId, answer, last);
}

/** What must be known of an order after it was sent. */
type SentAs = Pick<PlannedOrder, 'leg' | 'side' | 'positionSide' | 'reduceOnly' | 'mustEndFlat' | 'quantity'>;

async function settleAnswer(
  run: TradeRun,
  venue: Venue,
  execution: Execution,
  planned: SentAs,
  orderId: string,
  answer: VenueAnswer,
  last: boolean,
): Promise<Attempt | undefined> {
  const rowState = (state: TradeState) => ({ clientOrderId: orderId, state, executedQuantity: ZERO });
  if (answer.kind === 'not-sent') return takeBack(run, orderId, answer.reason, 'venue');
  if (answer.kind === 'unknown') {
    run.noteSent(orderId);
    const error = `no clear answer from the venue: ${answer.reason}; look for order ${orderId} there before trading again`;
    const step = { order: { ...rowState('unknown'), reason: answer.reason }, error };
    const durable = run.write('unknown', { kind: 'unknown', detail: answer.reason }, step);
    execution.resting.watch(orderId, { run, leg: planned.leg, order: planned, seen: false });
    return settled(durable);
  }
  if (answer.kind === 'rejected') {
    const error = refusedInWords(run, planned.leg, last, answer.reason);
    const step = { order: { ...rowState('rejected'), reason: answer.reason }, error };
    return settled(run.write('rejected', { kind: 'rejected', detail: answer.reason }, step));
  }
  return settleReport(run, venue, execution, planned, answer.report, last);
}

function refusedInWords(run: TradeRun, leg: Leg, last: boolean, reason: string): string {
  if (!last && isCatchUp(leg)) return `${notEnough(leg, 'rejected')}: ${reason}`;
  if (!last || !run.placed) return reason;
  if (!run.hasBegun) return `${run.halfDone}: ${reason}`;
  return `the opposite position was closed, but opening was refused: ${reason}`;
}

async function settleReport(
  run: TradeRun,
  venue: Venue,
  execution: Execution,
  planned: SentAs,
  answered: OrderReport,
  last: boolean,
): Promise<Attempt | undefined> {
  run.noteSent(answered.clientOrderId);
  // The next order waits for the end of this one, so an acknowledgement is not enough.
  const report = last ? answered : await untilEnded(run.trade, venue, execution, answered);
  const leftOver =
    planned.mustEndFlat && report.status === 'filled' ? await whatIsLeft(run, venue, execution, planned) : undefined;
  const lives = !isFinal(report.status);
  if (lives) execution.resting.watch(report.clientOrderId, { run, leg: planned.leg, order: planned, seen: true });
  if (last) return settled(run.book(report, report.status, { counts: true, error: report.reason, note: leftOver }));
  if (report.status === 'filled' && leftOver === undefined) {
    await run.book(report, 'sending', { counts: false });
    return undefined;
  }
  const error = lives
    ? stillOpen(planned.leg, report.clientOrderId)
    : notEnough(planned.leg, leftOver ?? report.status);
  return settled(run.book(report, lives ? 'unknown' : 'rejected', { counts: false, error }));
}

const stillOpen = (leg: Leg, orderId: string): string =>
  isCatchUp(leg)
    ? `order ${orderId}, which sends what was missing before this one, is still open at the venue; the order itself was not sent`
    : `order ${orderId}, which closes the opposite position, is still open at the venue; the new one was not opened`;

/** Trust is good: a close that should leave nothing is checked against the venue's fresh word. */
async function whatIsLeft(
  run: TradeRun,
  venue: Venue,
  execution: Execution,
  planned: Pick<PlannedOrder, 'positionSide'>,
): Promise<string | undefined> {
  try {
    const positions = await venue.positions(run.trade.order.market);
    const left = positions.find((position) => position.side === planned.positionSide);
    return left ? `a ${planned.positionSide.toLowerCase()} position is left` : undefined;
  } catch (error) {
    // Never thrown on: the fill in hand must be booked.
    if (!(error instanceof VenueError)) execution.onFault(error, run.trade);
    return `could not check that the position is flat: ${errorText(error)}`;
  }
}
