// What makes an alert the same alert when it comes again, by another door or in another body: its name under its key.

import { hash } from 'node:crypto';
import type { SignalOrder } from '../signal.ts';

/** Two keys may use the same names for different alerts. */
export const alertClaimOf = (keyId: string, alertId: string): Uint8Array =>
  // A line break can stand in neither of the two, so no two alerts are spelled alike.
  hash('sha256', `${keyId}\n${alertId}`, 'buffer').subarray(0, 16);

/** Whether a second signal is known as such by what its sender wrote; without that only a resent body is. */
export const hasClaim = ({ idempotencyKey, alertId }: Pick<SignalOrder, 'idempotencyKey' | 'alertId'>): boolean =>
  idempotencyKey !== undefined || alertId !== undefined;
