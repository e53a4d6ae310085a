// The whole gateway over an emulated venue that keeps stops: what waits in the venue's own book, and what the gateway says of it.

import { expect, vi } from 'vitest';
import { toText } from '../../src/trading/decimal.ts';
import { closeAtEnd } from './close-at-end.ts';
import { type LiveGateway, type LiveGatewayOptions, MARKET, openLiveGateway } from './live-gateway.ts';
import type { StopVenueRow } from './stop-venues.ts';

export interface StopsGateway extends LiveGateway {
  /** What waits in the venue's book, as `SELL 0.01 at 49000`, sorted. */
  stops(): readonly string[];
  /** How many stops the venue has ever taken. */
  everTaken(): number;
  /** What the gateway says stands at the venue, in the same words, of all shares; `, in doubt` where it does not know yet. */
  atVenue(): Promise<readonly string[]>;
  /** Both books say this; the gateway is waited for. */
  expectStops(...stops: readonly string[]): Promise<void>;
  /** The market trades at this price. */
  trade(price: number): void;
  /** The trades of the journal, oldest first, as `stop-loss CLOSE_LONG 0.01 Filled` with the strategy behind it. */
  trades(): Promise<readonly string[]>;
  /** What the gateway believes is held, as `LONG 0.01`. */
  booked(): Promise<readonly string[]>;
  alarms(): string;
}

/** What happens in the background may take long on a busy machine. Tests that run side by side cannot poll with `expect`. */
export const eventually = (check: () => unknown): Promise<unknown> =>
  vi.waitFor(check, { timeout: 30_000, interval: 50 });

interface View {
  readonly side: string;
  readonly atVenue?: readonly { readonly price: number; readonly quantity: number; readonly isKnown: boolean }[];
}

/** One-way unless said; closed when the test ends. */
export async function openStopsGateway(
  row: StopVenueRow,
  { isHedge = false, ...options }: LiveGatewayOptions & { readonly isHedge?: boolean } = {},
): Promise<StopsGateway> {
  const start: StopVenueRow['start'] = async (given) => {
    const venue = await row.start(given);
    await row.setMode(venue, isHedge);
    return venue;
  };
  const gateway = await openLiveGateway({ ...row, start }, options);
  closeAtEnd(() => gateway.close());
  const { market } = gateway.emulated;
  const stops = (): readonly string[] =>
    market.stops
      .waiting(MARKET)
      .map(({ side, quantity, triggerPrice }) => `${side} ${quantity && toText(quantity)} at ${toText(triggerPrice)}`)
      .toSorted();
  const atVenue = async (): Promise<readonly string[]> =>
    (await gateway.ask<{ readonly result: readonly View[] }>('/protections')).result
      .flatMap(({ side, atVenue: standing = [] }) =>
        standing.map(
          ({ price, quantity, isKnown }) =>
            `${side === 'LONG' ? 'SELL' : 'BUY'} ${quantity} at ${price}${isKnown ? '' : ', in doubt'}`,
        ),
      )
      .toSorted();
  return {
    ...gateway,
    stops,
    atVenue,
    everTaken: () => market.stops.all.length,
    async expectStops(...wanted) {
      const both = { venue: wanted.toSorted(), told: wanted.toSorted() };
      await eventually(async () => expect({ venue: stops(), told: await atVenue() }).toEqual(both));
    },
    trade: (price) => market.setPrice(MARKET, String(price)),
    async trades() {
      const { result } = await gateway.ask('/trades');
      return result
        .map(({ source, action, executedQty, status, strategy }) =>
          [source, action, executedQty, status, ...(strategy ? [strategy] : [])].join(' '),
        )
        .toReversed();
    },
    async booked() {
      const { result } = await gateway.ask('/positions');
      return result.map(({ side, quantity }) => `${side} ${quantity}`).toSorted();
    },
    alarms: () =>
      gateway
        .built()
        .alarms.current()
        .map(({ text }) => text)
        .join('\n'),
  };
}
