// Executes one trade at its venue, inside its lane: fresh facts, a plan, and for every order
// "durably sending → sent → the venue's own word durably booked". An unclear answer is asked about, never repeated.

import { errorText } from '../../errors/error-text.ts';
import { StorageError } from '../../errors/storage-error.ts';
import { ACTION_MEANING } from '../action.ts';
import { isFinal, type JournalEvent, type Trade, type TradeOrder, type TradeState } from '../books/journal.ts';
import type { OwnShare } from '../books/strategy-books.ts';
import { type Decimal, minus, times, ZERO } from '../decimal.ts';
import type { KillSwitch } from '../intake/controls.ts';
import { killSwitchGate } from '../intake/gates.ts';
import { entryRefusalOf, isEntry, type LimitCode, type LimitRefusal, thrownSwitch } from '../intake/limit-rules.ts';
import type { Restrictions } from '../intake/restrictions.ts';
import { isDirectClose, LIQUIDATION, type ProtectRequest, type SignalOrder } from '../signal.ts';
import { type Market, type OrderReport, type OrderRequest, UnknownMarket, type Venue, VenueError } from '../venue.ts';
import { type Asking, ask, place, untilEnded, type VenueAnswer } from './ask-venue.ts';
import { clientOrderId } from './client-order-id.ts';
import type { EntryLimits } from './entry-limits.ts';
import type { LaneJournal } from './lane-journal.ts';
import { isReversal, leaveSide, makeRoom, type RoomFacts } from './make-room.ts';
import {
  heldFor,
  type OrderPlan,
  type PlannedOrder,
  type PlanRefusal,
  planOrders,
  standOf,
  type VenueFacts,
} from './plan-orders.ts';
import { planWarnings } from './plan-warnings.ts';
import type { RestingOrders } from './resting-orders.ts';
import { highestPrice, sizeOrder } from './size-order.ts';
import {
  accountOf,
  cancelAtMs,
  HALF_REVERSED,
  laneOf,
  type Settled,
  type SizedQuantity,
  type TradeRun,
} from './trade-run.ts';

/** `waiting`: nothing of the next step has reached the venue; the trade may be tried again. */
export type Attempt =
  | { readonly kind: 'settled'; readonly durable: Promise<Settled> }
  | { readonly kind: 'waiting'; readonly reason: string; readonly cause: 'venue' | 'storage' };

export interface Execution extends Asking {
  readonly laneJournal: Pick<LaneJournal, 'sending'>;
  readonly resting: RestingOrders;
  readonly nowMs: () => number;
  readonly killSwitch: () => KillSwitch;
  readonly restrictions: Pick<Restrictions, 'of'>;
  readonly limits: Pick<EntryLimits, 'prepare' | 'claim' | 'release' | 'hold'>;
  readonly isStale: (run: TradeRun) => boolean;
  /** The stops that an entry taken up after a restart had asked for: its row does not hold them. */
  readonly stopsOf: (trade: Trade) => ProtectRequest | undefined;
}

const settled = (durable: Promise<Settled>): Attempt => ({ kind: 'settled', durable });

export async function executeTrade(run: TradeRun, venue: Venue, execution: Execution): Promise<Attempt> {
  const { trade } = run;
  if (trade.source === LIQUIDATION) return bookForced(run, venue, execution);
  if (!isDirectClose(trade) && execution.isStale(run)) {
    const error = run.placed ? halfWay(run, STALE) : `${STALE}; nothing was sent`;
    return settled(run.write('expired', { kind: 'expired', detail: 'older than SIGNAL_MAX_AGE_S' }, { error }));
  }
  if (!run.placed && cancelAtMs(trade) <= execution.nowMs()) {
    const error = 'cancelAfterSeconds had passed before the order could be sent; nothing was sent';
    return settled(run.write('expired', { kind: 'expired', detail: 'cancelAfterSeconds' }, { error }));
  }
  const stopped = isDirectClose(trade) ? undefined : stoppedMeanwhile(run, execution);
  if (stopped) return settled(stopped);
  try {
    const plan = await preparePlan(run, venue, execution);
    if ('refusal' in plan) return settled(reject(run, plan.refusal, plan.cause));
    for (const [index, order] of plan.orders.entries()) {
      const last = index === plan.orders.length - 1;
      const attempt = await sendOrder(run, venue, execution, order, index === 0 ? plan.notes : [], last);
      if (attempt) return attempt;
    }
    throw new Error('a plan ended without an outcome');
  } catch (error) {
    // What limits count could not be read.
    if (error instanceof StorageError) return { kind: 'waiting', reason: error.message, cause: 'storage' };
    if (!(error instanceof VenueError)) throw error;
    // Only preparations get here: no order of this step has left.
    if (error instanceof UnknownMarket) return settled(reject(run, error.message, 'unknown-symbol'));
    if (error.failure === 'rejected') return settled(reject(run, error.message));
    return { kind: 'waiting', reason: error.message, cause: 'venue' };
  } finally {
    execution.limits.release(run);
  }
}

/** A switch may have been thrown, or a pause or limit set, while the trade waited; or it is one of several accounts. */
function stoppedMeanwhile(run: TradeRun, execution: Execution): Promise<Settled> | undefined {
  const { trade } = run;
  const { action } = trade.order;
  const rows = execution.restrictions.of(trade);
  const thrown = thrownSwitch(rows, action);
  const killed =
    killSwitchGate(execution.killSwitch(), action) ??
    (thrown && killSwitchGate(thrown.killSwitch, action, thrown.owner));
  if (killed) {
    const event = { kind: 'canceled', detail: 'kill switch' };
    return run.write('canceled', event, { error: halfWay(run, killed.message), cause: 'kill-switch' });
  }
  const refused = isEntry(action) ? entryRefusalOf(rows, trade, execution.nowMs()) : undefined;
  return refused && reject(run, refused.message, refused.code);
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
  run.noteOrder(request.clientOrderId, side, ZERO);
  const answer = await ask(trade, venue, execution, request.clientOrderId, 'the venue has not told of it');
  const planned = { ...order, leg: 'close' as const, mustEndFlat: false };
  const attempt = await settleAnswer(run, venue, execution, planned, request.clientOrderId, answer, true);
  return attempt ?? { kind: 'waiting', reason: 'the venue has not told of it', cause: 'venue' };
}

const STALE = 'the signal waited longer than SIGNAL_MAX_AGE_S and was not executed late';

/** A reversal that ends between its orders has changed the position: its sender must learn that. */
const halfWay = (run: TradeRun, reason: string): string => (run.placed ? `${reason}; ${HALF_REVERSED}` : reason);

const reject = (run: TradeRun, reason: string, cause?: PlanRefusal | LimitCode): Promise<Settled> =>
  run.write('rejected', { kind: 'rejected', detail: reason }, { error: halfWay(run, reason), ...(cause && { cause }) });

async function preparePlan(run: TradeRun, venue: Venue, execution: Execution): Promise<OrderPlan> {
  const { order } = run.trade;
  const isLimited = isEntry(order.action);
  if (isLimited) await execution.limits.prepare(run);
  const market = await venue.market(order.market);
  const positionMode = await venue.positionMode();
  run.netted = positionMode === 'one-way';
  const stops = order.protect ?? execution.stopsOf(run.trade);
  const look = async (): Promise<RoomFacts> => {
    const positions = await venue.positions(order.market);
    const share = run.shareOf(heldFor(order.action, { positionMode, positions }));
    const held = { market, share: shareBefore(run, share), stops, equity: () => equityOf(venue) };
    const executed = run.executedSoFar;
    return { market, positionMode, positions, share, executed, stops, size: () => sizeOrder(order, held) };
  };
  // Orders that have to go may fill first, so everything else is worked out after that.
  if (!isLimited) await makeRoom(run, venue, execution.resting, look);
  let facts = await look();
  let plan = await planWith(run, facts, execution);
  if (!('refusal' in plan) && isReversal(run, facts)) {
    await leaveSide(run, venue, execution.resting);
    facts = await look();
    plan = await planWith(run, facts, execution);
  }
  if ('refusal' in plan) return plan;
  if (order.quantityType !== undefined) run.sized = sizeOf(order, plan.quantity, market);
  if (plan.leverage !== undefined) await venue.ensureLeverage(order.market, plan.leverage);
  run.leverage = plan.leverage;
  run.warnings = planWarnings(order, plan, market);
  return plan;
}

/** What is refused by the plan or by a limit has changed nothing. */
async function planWith(run: TradeRun, facts: RoomFacts, execution: Execution): Promise<OrderPlan> {
  const { order } = run.trade;
  const sized = await facts.size();
  if ('refusal' in sized) return sized;
  const plan = planOrders({ ...order, ...sized }, facts);
  if ('refusal' in plan) return plan;
  const exceeded = isEntry(order.action) ? claimEntry(run, plan, facts, execution) : undefined;
  return exceeded ? { refusal: exceeded.message, cause: exceeded.code } : plan;
}

/** The limits of everybody concerned, with the facts that the plan was made of. */
function claimEntry(
  run: TradeRun,
  { quantity, orders }: Extract<OrderPlan, { readonly quantity: Decimal }>,
  facts: VenueFacts,
  { limits }: Execution,
): LimitRefusal | undefined {
  const { action } = run.trade.order;
  const { positionSide } = ACTION_MEANING[action];
  const { net, own } = standOf({ action }, facts);
  return limits.claim(run, { market: facts.market, positionSide, quantity, orders, net, own });
}

/** Before the orders of this trade, which may be half done: what it asks for is a part of that. */
const shareBefore = (run: TradeRun, { quantity }: OwnShare): Decimal => minus(quantity, run.executedSoFar);

/** A market without a price has no worth; that is no fault, and nothing has been sent. */
const equityOf = (venue: Venue): Promise<Decimal | undefined> =>
  venue.summary().then(
    ({ equity }) => equity,
    (error) => {
      if (error instanceof VenueError) throw error;
      return undefined;
    },
  );

function sizeOf(order: SignalOrder, quantity: Decimal, market: Market): SizedQuantity {
  const at = highestPrice(order, market);
  return { requested: order.quantity, quantity, ...(at !== undefined && { notional: times(quantity, at) }) };
}

/** Undefined means: booked, go on with the next order of the plan. */
async function sendOrder(
  run: TradeRun,
  venue: Venue,
  execution: Execution,
  planned: PlannedOrder,
  notes: readonly JournalEvent[],
  last: boolean,
): Promise<Attempt | undefined> {
  const { trade } = run;
  const { leg, mustEndFlat: _, givenUp, ...order } = planned;
  const { timeInForce, postOnly } = trade.order;
  const request: OrderRequest = {
    ...order,
    ...(order.price !== undefined && timeInForce !== undefined && { timeInForce }),
    ...(order.price !== undefined && postOnly === true && { postOnly }),
    clientOrderId: clientOrderId(trade.requestId, leg),
    market: trade.order.market,
  };
  const at = { seq: trade.seq, atMs: execution.nowMs(), leg, netted: run.netted, givenUp };
  const step = { ...at, ...accountOf(trade), request, notes };
  let stored: 'in-time' | 'late';
  try {
    stored = await execution.laneJournal.sending(step, laneOf(trade));
  } catch (error) {
    return { kind: 'waiting', reason: errorText(error), cause: 'storage' };
  }
  run.state = 'sending';
  run.noteOrder(request.clientOrderId, request.side, givenUp);
  // The disk failed for a while: planned again with fresh facts, and with a fresh look at its age and the kill switch.
  if (stored === 'late') return takeBack(run, request.clientOrderId, TOO_LATE, 'storage');
  const answer = await place(trade, venue, execution, request);
  return settleAnswer(run, venue, execution, planned, request.clientOrderId, answer, last);
}

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
  const last = order.leg !== 'flatten';
  const planned = { ...order, mustEndFlat: order.leg === 'flatten' };
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
    const error =
      last && run.placed
        ? `the opposite position was closed, but opening was refused: ${answer.reason}`
        : answer.reason;
    const step = { order: { ...rowState('rejected'), reason: answer.reason }, error };
    return settled(run.write('rejected', { kind: 'rejected', detail: answer.reason }, step));
  }
  return settleReport(run, venue, execution, planned, answer.report, last);
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
    ? `order ${report.clientOrderId}, which closes the opposite position, is still open at the venue; the new one was not opened`
    : `the opposite position could not be closed (${leftOver ?? report.status}), so the new one was not opened`;
  return settled(run.book(report, lives ? 'unknown' : 'rejected', { counts: false, error }));
}

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
