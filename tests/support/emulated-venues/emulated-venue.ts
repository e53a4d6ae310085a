// What every emulated venue offers to tests, and what the venues' protocols have in common: signatures and time windows.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Faults } from './faults.ts';
import type { MarketSpec } from './market-spec.ts';
import type { MatchingMarket } from './matching-market.ts';
import type { RecordedRequest } from './venue-server.ts';

export interface Credentials {
  readonly apiKey: string;
  readonly secret: string;
}

/** An account of a venue, as its API key reaches it. */
export interface EmulatedAccount {
  readonly credentials: Credentials;
  /** With its orders, positions, balances and settings, and nobody else's. */
  readonly market: MatchingMarket;
}

/** A venue on a loopback port. Its own market and credentials are those of its first account. */
export interface EmulatedVenue extends EmulatedAccount {
  /** Of its HTTP interface, without a slash at the end. */
  readonly baseUrl: string;
  /** Of its WebSocket, without a slash at the end. */
  readonly streamUrl: string;
  readonly faults: Faults;
  /** In the order in which they arrived, those that met a fault too. */
  readonly requests: readonly RecordedRequest[];
  /** Another one, at the same prices. */
  openAccount(credentials: Credentials): EmulatedAccount;
  close(): Promise<void>;
}

export interface EmulatedVenueOptions {
  /** The venue's clock; the real one where it is left out. */
  readonly nowMs?: () => number;
  readonly credentials?: Credentials;
  /** USDT at the start. */
  readonly wallet?: string;
  /** The markets that are listed, where they are not the usual ones. */
  readonly specs?: readonly MarketSpec[];
}

export const hmacSha256Hex = (secret: string, payload: string): string =>
  createHmac('sha256', secret).update(payload).digest('hex');

export function isSignedBy(secret: string, payload: string, signature: string): boolean {
  const expected = Buffer.from(hmacSha256Hex(secret, payload));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(expected, given);
}

/** `ahead`: made in the venue's future, by more than it forgives. `late`: made too long ago. */
export type Timeliness = 'in time' | 'ahead' | 'late';

export function timelinessOf(
  timestampMs: number,
  nowMs: number,
  window: { readonly receiveMs: number; readonly aheadMs: number },
): Timeliness {
  if (timestampMs >= nowMs + window.aheadMs) return 'ahead';
  return nowMs - timestampMs > window.receiveMs ? 'late' : 'in time';
}
