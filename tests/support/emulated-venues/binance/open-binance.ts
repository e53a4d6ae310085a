// An emulated Binance for one test, with prices, a clock in the test's hand and a caller that does everything right.

import { expect } from 'vitest';
import { closeAtEnd } from '../../close-at-end.ts';
import type { MarketSpec } from '../market-spec.ts';
import { type Answer, SignedClient } from './signed-client.ts';
import { type EmulatedBinance, startBinance } from './venue.ts';

/** The first millisecond of a minute, so that limits begin with the test. */
export const START_MS = Date.UTC(2026, 10, 17, 12);

export interface OpenBinance {
  readonly venue: EmulatedBinance;
  readonly client: SignedClient;
  /** The test moves it. */
  readonly clock: { nowMs: number };
}

export async function openBinance(specs?: readonly MarketSpec[]): Promise<OpenBinance> {
  const clock = { nowMs: START_MS };
  const venue = await startBinance({ nowMs: () => clock.nowMs, wallet: '10000', ...(specs && { specs }) });
  closeAtEnd(() => venue.close());
  venue.market.setPrice('BTCUSDT', '50000');
  venue.market.setPrice('ETHUSDT', '3000');
  return { venue, client: new SignedClient(venue, () => clock.nowMs), clock };
}

export function expectRefused({ status, body }: Answer, code: number): void {
  expect(body).toMatchObject({ code });
  expect(status).toBe(code === -2014 || code === -2015 ? 401 : 400);
}
