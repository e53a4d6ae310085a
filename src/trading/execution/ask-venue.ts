// One order at the venue: sends it and finds out what became of it. An unclear answer is asked about, never repeated.

import { errorText } from '../../errors/error-text.ts';
import type { Timers } from '../../timing/timers.ts';
import { wait } from '../../timing/wait.ts';
import { isFinal, type Trade } from '../books/journal.ts';
import { type SignalTrace, traced } from '../signal-trace.ts';
import { type OrderLookup, type OrderReport, type OrderRequest, type Venue, VenueError } from '../venue.ts';

export type VenueAnswer =
  | { readonly kind: 'report'; readonly report: OrderReport }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'not-sent'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };

export interface Asking {
  /** Fires when the process is stopping. */
  readonly stop: AbortSignal;
  readonly timers: Timers;
  /** A fault of ours, for the log. */
  readonly onFault: (error: unknown, trade: Trade) => void;
  readonly trace?: SignalTrace | undefined;
}

/** An order may stay invisible for seconds after it was taken: these are the pauses between looks, about 11 s in all. */
const LOOK_PAUSES_MS = [0, 250, 500, 1000, 2000, 3000, 4000];

export async function place(trade: Trade, venue: Venue, asking: Asking, request: OrderRequest): Promise<VenueAnswer> {
  try {
    const sent = (): Promise<OrderReport> => venue.placeOrder(request);
    const factsOf = ({ status }: OrderReport) => ({ exchange: venue.exchange, status });
    return { kind: 'report', report: await traced(asking.trace, trade.requestId, 'place order', sent, factsOf) };
  } catch (error) {
    const failure = error instanceof VenueError ? error.failure : undefined;
    if (failure === 'rejected') return { kind: 'rejected', reason: errorText(error) };
    if (failure === 'not-sent') return { kind: 'not-sent', reason: errorText(error) };
    // A fault of ours may strike after the order has left: only the venue knows.
    if (failure === undefined) asking.onFault(error, trade);
    return ask(trade, venue, asking, request.clientOrderId, errorText(error));
  }
}

export async function ask(trade: Trade, venue: Venue, asking: Asking, id: string, why: string): Promise<VenueAnswer> {
  let reason = why;
  for (const pauseMs of LOOK_PAUSES_MS) {
    if (pauseMs > 0) await wait(pauseMs, asking);
    const lookup = await look(trade, venue, asking, id);
    if ('failed' in lookup) reason = lookup.failed;
    else if (lookup.found) return { kind: 'report', report: lookup.order };
    else if (lookup.certain) return { kind: 'not-sent', reason };
    if (asking.stop.aborted) break;
  }
  return { kind: 'unknown', reason };
}

/** Some venues only acknowledge an order: looks at it until it has ended, as long as a hidden one is searched for. */
export async function untilEnded(
  trade: Trade,
  venue: Venue,
  asking: Asking,
  acknowledged: OrderReport,
): Promise<OrderReport> {
  let report = acknowledged;
  for (const pauseMs of LOOK_PAUSES_MS) {
    if (isFinal(report.status) || asking.stop.aborted) break;
    if (pauseMs > 0) await wait(pauseMs, asking);
    const lookup = await look(trade, venue, asking, report.clientOrderId);
    if ('found' in lookup && lookup.found) report = lookup.order;
  }
  return report;
}

async function look(
  trade: Trade,
  venue: Venue,
  asking: Asking,
  id: string,
): Promise<OrderLookup | { readonly failed: string }> {
  try {
    const asked = (): Promise<OrderLookup> => venue.findOrder(trade.order.market, id);
    const factsOf = ({ found }: OrderLookup) => ({ exchange: venue.exchange, found });
    return await traced(asking.trace, trade.requestId, 'find order', asked, factsOf);
  } catch (error) {
    if (!(error instanceof VenueError)) asking.onFault(error, trade);
    return { failed: errorText(error) };
  }
}
