// The orders that rest, with an alarm for each that is canceled at its venue although nobody here asked for that: whoever relies on an
// exit at a limit price has to hear that it is gone, however that became known.

import { accountInWords } from '../accounts.ts';
import { ACTION_MEANING } from '../action.ts';
import type { Journal } from '../books/journal.ts';
import { toText, ZERO } from '../decimal.ts';
import { type OnAlarm, orderAlarm } from '../notifications/alarm.ts';
import { inReadingOrder } from '../notifications/escape.ts';
import { signalInWords } from '../notifications/outcome-message.ts';
import { type OrderReport, VenueError } from '../venue.ts';
import type { Lanes } from './lanes.ts';
import { createRestingOrders, type RestingOrders, type WatchedOrder } from './resting-orders.ts';
import { accountOf, goesBefore, laneOf } from './trade-run.ts';

export type { RestingOrders };

interface Parts {
  readonly journal: Pick<Journal, 'trade'>;
  readonly lanes: Pick<Lanes, 'post'>;
  readonly onAlarm?: OnAlarm | undefined;
  readonly onAlarmOver?: ((kind: string) => void) | undefined;
}

export function openRestingOrders({ journal, lanes, onAlarm, onAlarmOver }: Parts): RestingOrders {
  // However it became known: an alarm that nobody knows of it is over.
  const inner = createRestingOrders((clientOrderId) => onAlarmOver?.(orderAlarm(clientOrderId)));
  /** We have asked for it for the sake of another signal, and nobody knows what came of that. */
  const withdrawn = new Set<string>();

  const wasAsked = async ({ run }: WatchedOrder): Promise<boolean> => {
    const found = await journal.trade(run.trade.requestId).catch(() => undefined);
    return found?.events.some(({ kind }) => kind === 'cancel-asked') === true;
  };
  const tell = async (watched: WatchedOrder, report: OrderReport): Promise<void> => {
    // Exchanges themselves end an order that only reduces with the position that it would reduce.
    const isNews = !(watched.order.reduceOnly && watched.run.bookedShare === ZERO);
    if (isNews && !(await wasAsked(watched))) onAlarm?.(orderAlarm(report.clientOrderId), inWords(watched, report));
  };

  return {
    ...inner,
    async apply(report) {
      const watched = inner.get(report.clientOrderId);
      await inner.apply(report);
      if (watched === undefined || inner.get(report.clientOrderId)) return;
      const isOurs = withdrawn.delete(report.clientOrderId);
      // Behind what waits in the lane: what has closed its position may have yet to be booked.
      if (!isOurs && isCanceledThere(watched, report))
        lanes.post(laneOf(watched.run.trade), () => tell(watched, report));
    },
    async withdraw(venue, order, reason) {
      try {
        return await inner.withdraw(venue, order, reason);
      } catch (error) {
        if (!(error instanceof VenueError) || error.failure !== 'not-sent') withdrawn.add(order.clientOrderId);
        throw error;
      }
    },
  };
}

/** What we cancel ourselves has a reason, and what its venue would not let rest has another end. */
const isCanceledThere = ({ run, leg }: WatchedOrder, { status, reason }: OrderReport): boolean =>
  status === 'canceled' && reason === undefined && run.trade.order.price !== undefined && !goesBefore(leg, run.trade);

function inWords({ run: { trade } }: WatchedOrder, report: OrderReport): string {
  const { price, action } = trade.order;
  const at = price === undefined ? '' : ` at ${toText(price)}`;
  const part = report.executedQuantity === ZERO ? '' : `, with ${toText(report.executedQuantity)} filled`;
  const what = `The order of ${signalInWords(trade)} that rested${at} was canceled at ${accountInWords(accountOf(trade))}, and not by Signalbox${part} (${report.clientOrderId})`;
  const next = ACTION_MEANING[action].closes
    ? 'What it was to close stays open without it: send it again, or close the position'
    : 'Send it again if it still holds';
  return inReadingOrder(`${what}. ${next}`);
}
