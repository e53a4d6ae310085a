// Executes one trade at its venue, inside its lane: fresh facts, a plan, and for every order
// "durably sending → sent → the venue's own word durably booked". An unclear answer is asked about, never repeated.

import { errorText } from '../../errors/error-text.ts';
import { StaleControlsError, UnknownOutcomeError } from '../../errors/storage-error.ts';
import { ACTION_MEANING } from '../action.ts';
import {
  isCatchUp,
  isFinal,
  isOpening,
  type Leg,
  type SendingStep,
  type TradeOrder,
  type TradeState,
} from '../books/journal.ts';
import { ZERO } from '../decimal.ts';
import type { ControlsCopy } from '../intake/controls.ts';
import type { LimitCode } from '../intake/limit-rules.ts';
import { expiredAlarm, type OnAlarm, unknownAlarm } from '../notifications/alarm.ts';
import type { OrderReport, OrderRequest, Venue } from '../venue.ts';
import { ask, place, untilEnded, type VenueAnswer } from './ask-venue.ts';
import type { EntryLimits } from './entry-limits.ts';
import { type Halt, haltOf, stopOf, type WaitingCause, whyNotPlanned } from './halted-trade.ts';
import { closesRest, isClosed, isFirstClose, wasToCloseAll } from './kept-exit.ts';
import type { LaneJournal } from './lane-journal.ts';
import { orderRequest } from './order-request.ts';
import { type AwaitingOrders, awaitOrdersBefore } from './orders-under-way.ts';
import type { PlannedOrder, PlanRefusal } from './plan-orders.ts';
import { type Planning, type PreparedPlan, preparePlan } from './prepare-plan.ts';
import { endClosed, NOTHING_LEFT, planOfRest, whatIsLeft } from './rest-of-close.ts';
import { notEnough, type RestingOrders } from './resting-orders.ts';
import { steadyPositions } from './steady-positions.ts';
import { accountOf, goesBefore, isSentByVenue, laneOf, type Settled, type TradeRun } from './trade-run.ts';

/** `waiting`: nothing of the next step has reached the venue; the trade may be tried again. */
export type Attempt =
  | { readonly kind: 'settled'; readonly durable: Promise<Settled> }
  | { readonly kind: 'waiting'; readonly reason: string; readonly cause: WaitingCause };

export interface Execution extends AwaitingOrders, Planning {
  readonly resting: RestingOrders;
  readonly laneJournal: Pick<LaneJournal, 'sending'>;
  readonly limits: Pick<EntryLimits, 'prepare' | 'claim' | 'guardOf' | 'has' | 'release' | 'hold'>;
  /** Told what lasts until its cause has gone. */
  readonly onStanding?: OnAlarm | undefined;
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
  const closed = run.placedAs('close');
  // Its close has filled and left nothing in our books. What the venue shows right after a close may be older than the close, and a
  // second order would be refused there, so it is not asked. One that filled in part is planned again, whatever our books know.
  if (closed?.state === 'filled' && isClosed(run)) {
    const { durable } = await endClosed(run, venue, execution, closed, NOTHING_LEFT);
    return settled(durable);
  }
  const halt = haltOf(run, execution);
  if (halt) return settled(endHalted(run, execution, halt));
  try {
    await awaitOrdersBefore(run, venue, execution);
    // A stop must not go for a close that has to wait: the venue is asked before. Where it falls silent then, whoever waits puts it back.
    await execution.venueStops?.()?.makeWay(trade, venue, () => steadyPositions(run, venue, execution, 'urgent'));
    const prepared = await preparePlan(run, venue, execution);
    const plan = closed ? planOfRest(prepared) : prepared;
    if ('refusal' in plan)
      return settled(
        closed
          ? (await endClosed(run, venue, execution, closed, plan.refusal)).durable
          : reject(run, plan.refusal, plan.cause),
      );
    if (plan.leverage !== undefined) await venue.ensureLeverage(trade.order.market, plan.leverage);
    run.leverage = plan.leverage;
    run.warnings = closed ? run.warnings : plan.warnings;
    // What an exit had to catch up was all, and has been sent before a restart.
    if (plan.orders.length === 0) return settled(run.write('filled', { kind: 'filled', detail: 'caught up' }));
    for (const [index, order] of plan.orders.entries()) {
      const last = index === plan.orders.length - 1;
      // The order before it took its time at the venue: what opens something is asked once more.
      if (index > 0 && !order.reduceOnly) {
        controlsVersion = execution.controls?.version();
        const stopped = stopOf(run, execution) ?? (await staleNow(run, venue, plan, order, execution));
        if (stopped) return settled(endHalted(run, execution, stopped));
      }
      const decided = { notes: index === 0 ? plan.notes : [], controlsVersion };
      const attempt = await sendOrder(run, venue, execution, order, decided, last);
      if (attempt) return attempt;
    }
    // The close has left something open: planned again with fresh facts, as after a crash.
    if (run.hasPlaced('close')) return await executeTrade(run, venue, execution);
    throw new Error('a plan ended without an outcome');
  } catch (error) {
    const why = whyNotPlanned(error, trade);
    return why.kind === 'refused' ? settled(reject(run, why.reason, why.cause)) : why;
  } finally {
    execution.limits.release(run);
  }
}

/** The prices that the plan went by may have aged while the order before was under way. What closes never goes by them. */
async function staleNow(
  run: TradeRun,
  venue: Venue,
  plan: Pick<PreparedPlan, 'market'>,
  order: PlannedOrder,
  { quotes, limits }: Execution,
): Promise<Halt | undefined> {
  if (venue.mode === 'paper' || !isOpening(order.leg)) return undefined;
  const { market } = run.trade.order;
  const { quote, stale, freshUntilMs } = await quotes.look(venue, market);
  run.pricesUntilMs = freshUntilMs;
  if (stale !== undefined) {
    quotes.raise(venue, market, stale);
    const reason = `the prices of ${market} that were fresh before are too old now, or cannot be had (STALE_QUOTE_S)`;
    return { kind: 'refused', reason, cause: 'stale-data' };
  }
  const refused = limits.guardOf(run, { market: plan.market, orders: [order], quote });
  const reason = `the best prices of ${market} have moved too far meanwhile (MAX_SPREAD_PERCENT)`;
  return refused && { kind: 'refused', reason, cause: refused.code };
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
  const request = orderRequest(trade, planned, run.pricesUntilMs);
  const at = { seq: trade.seq, atMs: execution.nowMs(), leg, netted: run.netted, givenUp };
  const step = { ...at, ...accountOf(trade), request, ...decided };
  let stored: 'in-time' | 'late' | UnknownOutcomeError;
  try {
    stored = await execution.laneJournal.sending(step, laneOf(trade));
  } catch (error) {
    if (!(error instanceof UnknownOutcomeError)) return notStored(error, execution);
    stored = error;
  }
  run.state = 'sending';
  run.noteOrder(request.clientOrderId, planned);
  // Its row may be there and say that the order is on its way, which has not left: that must not stay so.
  if (stored instanceof UnknownOutcomeError) return takeBack(run, request.clientOrderId, errorText(stored), 'storage');
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
  // The close before it may have been all there was: an accepted trade cannot end as filled.
  const state = run.hasPlaced('close') ? 'sending' : 'accepted';
  await run.write(state, { kind: 'not-sent', detail: reason }, { order });
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
  const { trade } = run;
  const isWhole = isFirstClose(trade, order.leg) && wasToCloseAll(trade, order.quantity);
  const planned = { ...order, mustEndFlat: isWhole || (order.leg === 'flatten' && order.netted) };
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
    if (execution.onStanding) unknownAlarm(execution.onStanding, run.trade, orderId, answer.reason);
    return settled(durable);
  }
  if (answer.kind === 'rejected') {
    const closed = planned.leg === 'close_rest' ? run.placedAs('close') : undefined;
    const order = { ...rowState('rejected'), reason: answer.reason };
    if (closed) {
      const { durable } = await endClosed(run, venue, execution, closed, answer.reason, { order });
      return settled(durable);
    }
    const error = refusedInWords(run, planned.leg, last, answer.reason);
    const step = { order, error };
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
  const { trade } = run;
  // Where another order may follow, it waits for the end of this one: an acknowledgement is not enough.
  const mustHaveEnded = !last || (closesRest(trade) && planned.leg.startsWith('close'));
  const report = mustHaveEnded ? await untilEnded(trade, venue, execution, answered) : answered;
  const left =
    planned.mustEndFlat && report.status === 'filled' ? await whatIsLeft(run, venue, execution, planned) : undefined;
  const leftOver = left?.words;
  const lives = !isFinal(report.status);
  if (lives) execution.resting.watch(report.clientOrderId, { run, leg: planned.leg, order: planned, seen: true });
  const isIncomplete = left?.isCertain === true || report.status === 'expired' || report.status === 'canceled';
  if (isIncomplete && isFirstClose(trade, planned.leg)) {
    const note = `${leftOver ?? 'a part is left'}; the rest is closed by another order`;
    await run.book(report, 'sending', { counts: true, note });
    return undefined;
  }
  if (last) {
    const error = left?.isCertain ? `after the close ${left.words}` : report.reason;
    if (left?.isCertain) run.warnings = [...run.warnings, `position: ${error}`];
    return settled(run.book(report, report.status, { counts: true, error, note: leftOver }));
  }
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
