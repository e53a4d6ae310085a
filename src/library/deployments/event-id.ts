// The id of an event, from the deployment, the bar and the place among the bar's alerts: the same however often it is run.

import { createHash } from 'node:crypto';

/** Messages may hold the time, so they do not count. */
export const eventId = (deploymentId: string, barTimeMs: number, ordinal: number): string =>
  uuidOf(`${deploymentId}\n${barTimeMs}\n${ordinal}`);

/**
 * The name under which the gateway knows the trade of an event under one key. Not a UUID, so that no idempotencyKey of a
 * sender can be the same.
 */
export const tradeNameOf = (eventId: string, keyId: string): string => `script/${eventId}/${keyId}`;

/** The same for the same name, in the form of a UUID, because that is what ids of signals look like. */
export function uuidOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  // Version 8 of a UUID is the one whose digits are the maker's own.
  const digits = `${hex.slice(0, 12)}8${hex.slice(13, 16)}8${hex.slice(17, 32)}`;
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
