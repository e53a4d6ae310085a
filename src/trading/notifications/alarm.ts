// Alarms: what the owner should hear about at once, whoever noticed it.

import type { Exchange } from '../../exchanges/exchange.ts';

/** The kind tells equal alarms from different ones; the text is for people. Must not throw and must not take time. */
export type OnAlarm = (kind: string, text: string) => void;

/** The kind of the alarm that a venue cannot be reached. */
export const venueAlarm = (exchange: Exchange): string => `venue ${exchange}`;

/** A trade that cannot go on now, and why. */
export function waitingAlarm(
  onAlarm: OnAlarm,
  exchange: Exchange,
  waiting: { readonly cause: 'venue' | 'storage'; readonly reason: string },
): void {
  if (waiting.cause === 'venue') onAlarm(venueAlarm(exchange), `${exchange} cannot be reached: ${waiting.reason}`);
  else onAlarm('storage', `A trade waits because it cannot be stored: ${waiting.reason}`);
}
