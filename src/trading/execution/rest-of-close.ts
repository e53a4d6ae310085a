// What a close has left open: the plan of the second order, the look at what is left, and the end of a trade that closes no more.

import { errorText } from '../../errors/error-text.ts';
import { wait } from '../../timing/wait.ts';
import { ACTION_MEANING } from '../action.ts';
import { isFinal, type OutcomeStep, type TradeState } from '../books/journal.ts';
import { type Venue, VenueError } from '../venue.ts';
import type { Asking } from './ask-venue.ts';
import type { ExecutedOrder } from './executions.ts';
import { isClosed } from './kept-exit.ts';
import type { PlannedOrder } from './plan-orders.ts';
import type { preparePlan } from './prepare-plan.ts';
import type { Settled, TradeRun } from './trade-run.ts';

/** The second order of an exit reduces and does nothing else, whatever its strategy shares with others. */
export function planOfRest(plan: Awaited<ReturnType<typeof preparePlan>>): typeof plan {
  if ('refusal' in plan) return plan;
  const [order, ...others] = plan.orders;
  if (order?.leg !== 'close' || !order.reduceOnly || others.length > 0)
    return { refusal: 'what is left cannot be closed by reducing the position alone' };
  return { ...plan, orders: [{ ...order, leg: 'close_rest' }] };
}

export const NOTHING_LEFT = 'our books have nothing more of it';

/**
 * An exit whose close has left something open, and there is nothing to be sent for that. Our books may know nothing of what they were
 * not told; so where the close did not fill whole, it is the venue that says whether something is left. `refused`: the row of the
 * second order, where the venue did not take that. Resolves when the end is decided; it is on disk with `durable`.
 */
export async function endClosed(
  run: TradeRun,
  venue: Venue,
  asking: Asking,
  { state = 'expired', reason }: Pick<ExecutedOrder, 'state' | 'reason'>,
  why: string,
  refused: Pick<OutcomeStep, 'order'> = {},
): Promise<{ readonly durable: Promise<Settled> }> {
  const event = (kind: TradeState) => ({ kind, detail: `nothing more was closed: ${why}` });
  const { positionSide } = ACTION_MEANING[run.trade.order.action];
  if (state !== 'filled' && isClosed(run))
    run.isLeftOpen = (await whatIsLeft(run, venue, asking, { positionSide })) !== undefined;
  if (isClosed(run)) return { durable: run.write('filled', event('filled'), refused) };
  const error = [reason, `a part was left open and could not be closed: ${why}`].filter(Boolean).join('; ');
  run.warnings = [...run.warnings, `position: ${error}`];
  // One that the venue canceled was ended by nobody here, who would know of it.
  const end = isFinal(state) && state !== 'canceled' ? state : 'expired';
  return { durable: run.write(end, event(end), { ...refused, error }) };
}

/** How long is waited between two looks whether a position is flat, where a venue does not answer. */
const FLAT_PAUSES_MS = [0, 500, 1500];

/** What a close was planned by may have been misread: where it should leave nothing, the venue is asked once more. */
export async function whatIsLeft(
  run: TradeRun,
  venue: Venue,
  asking: Asking,
  planned: Pick<PlannedOrder, 'positionSide'>,
): Promise<{ readonly words: string; readonly isCertain: boolean } | undefined> {
  let unseen = '';
  for (const pauseMs of FLAT_PAUSES_MS) {
    if (pauseMs > 0) await wait(pauseMs, asking);
    try {
      const positions = await venue.positions(run.trade.order.market);
      const left = positions.find((position) => position.side === planned.positionSide);
      return left && { words: `a ${planned.positionSide.toLowerCase()} position is left`, isCertain: true };
    } catch (error) {
      // Never thrown on: the fill in hand must be booked.
      if (!(error instanceof VenueError)) asking.onFault(error, run.trade);
      unseen = errorText(error);
    }
    if (asking.stop.aborted) break;
  }
  return { words: `could not check that the position is flat: ${unseen}`, isCertain: false };
}
