// Alarms: what the owner should hear about at once, whoever noticed it.

import type { Exchange } from '../../exchanges/exchange.ts';
import { ACTION_MEANING } from '../action.ts';
import type { Trade } from '../books/journal.ts';
import { whyAway } from '../venue.ts';
import { inReadingOrder } from './escape.ts';
import { signalInWords } from './outcome-message.ts';

/** The kind tells equal alarms from different ones; the text is for people. Must not throw and must not take time. */
export type OnAlarm = (kind: string, text: string) => void;

/** The kind of the alarm that a venue cannot be reached. */
export const venueAlarm = (exchange: Exchange): string => `venue ${exchange}`;

/** A trade that cannot go on now, and why. */
export function waitingAlarm(
  onAlarm: OnAlarm,
  trade: Trade,
  waiting: { readonly cause: 'venue' | 'refused' | 'storage' | 'doubt' | 'controls'; readonly reason: string },
): void {
  const { exchange } = trade.order;
  const { cause, reason } = waiting;
  // What is in doubt is over in a moment, or the comparison tells of it; what the owner has changed is looked at anew at once.
  if (cause === 'doubt' || cause === 'controls') return;
  if (cause === 'venue') onAlarm(venueAlarm(exchange), `${exchange} cannot be reached: ${whyAway(reason)}`);
  else if (cause === 'refused')
    onAlarm(
      venueAlarm(exchange),
      inReadingOrder(
        `${exchange} refuses what is asked before ${signalInWords(trade)}, which waits and is tried again: ${reason}`,
      ),
    );
  else onAlarm('storage', `A trade waits because it cannot be stored: ${reason}`);
}

/** The kind of the alarms of one order. */
export const orderAlarm = (clientOrderId: string): string => `order ${clientOrderId}`;

/** An order of which nobody knows whether it is at its venue. */
export function unknownAlarm(onAlarm: OnAlarm, trade: Trade, clientOrderId: string, reason: string): void {
  const text = `Nobody knows whether order ${clientOrderId} of ${signalInWords(trade)} is at the exchange: ${reason}. It goes on being asked for; look for it there before you trade ${trade.order.market} again`;
  onAlarm(orderAlarm(clientOrderId), inReadingOrder(text));
}

/** A trade that waits for the end of an order before it, which its venue has not told. */
export function underWayAlarm(onAlarm: OnAlarm, trade: Trade, clientOrderId: string): void {
  const text = `${signalInWords(trade)} waits: ${trade.order.exchange} does not tell what became of order ${clientOrderId}, which came before it. Look for it there; the signal goes on as soon as that is known`;
  onAlarm(`waits ${trade.requestId}`, inReadingOrder(text));
}

/** A signal that was accepted and has come to nothing because its time has passed. */
export function expiredAlarm(onAlarm: OnAlarm, trade: Trade, reason: string): void {
  const next = ACTION_MEANING[trade.order.action].closes
    ? 'What it was to close may still be open: look at the position'
    : 'Send it again if it still holds';
  onAlarm(`expired ${trade.requestId}`, inReadingOrder(`${signalInWords(trade)} has expired: ${reason}. ${next}`));
}

/** An exit of real money that has ended although its strategy still holds what it was to close. */
export function unclosedAlarm(onAlarm: OnAlarm, trade: Trade, how: string): void {
  const next = 'What it was to close may still be open: look at the position';
  onAlarm(`exit ${trade.requestId}`, inReadingOrder(`${signalInWords(trade)} ${how}. ${next}`));
}
