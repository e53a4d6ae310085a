// Orders of both sides on one account: where the venue nets them, our books do the same, and nobody is told that somebody else traded.

import { expect, test } from 'vitest';
import { STOP_VENUES } from '../support/stop-venues.ts';
import { openStopsGateway } from '../support/stops-gateway.ts';

interface Held {
  readonly result: readonly { readonly side: string; readonly quantity: number }[];
}

const NETTED = STOP_VENUES.map((row) => ({ ...row, mode: 'one-way', isHedge: false, held: 'LONG 0.003' }));
const APART = STOP_VENUES.map((row) => ({ ...row, mode: 'hedge', isHedge: true, held: 'LONG 0.009,SHORT 0.006' }));

test.each([...NETTED, ...APART])(
  '$exchange, $mode: a resting entry that fills against a position is booked as the venue holds it: $held',
  async ({ isHedge, held, ...row }) => {
    const gateway = await openStopsGateway(row, { isHedge });
    const heldHere = async (): Promise<string> => {
      const { result } = await gateway.ask<Held>('/positions');
      return result
        .map(({ side, quantity }) => `${side} ${quantity}`)
        .sort()
        .join();
    };
    await gateway.send({ strategy: 'trend', action: 'LONG', quantity: 0.009, price: 49_900 });
    await gateway.outcome({ strategy: 'range', action: 'SHORT', quantity: 0.006 });
    gateway.emulated.market.setPrice('BTCUSDT', '49800');
    await expect.poll(heldHere, { timeout: 20_000 }).toBe(held);
    expect(gateway.held()).toBe(held);
    await gateway.restart();
    // Nothing is left to adopt, as if somebody else had traded.
    const { result } = await gateway.ask('/reconciliation', { method: 'POST' });
    expect(result).toMatchObject([{ agrees: true, differences: [] }]);
    expect(await heldHere()).toBe(held);
  },
);
