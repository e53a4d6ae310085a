// The alarm that a venue cannot be reached ends with its next answer; and whoever stands in for a venue loses nothing of it.

import { describe, expect, it } from 'vitest';
import { createScriptedVenue } from '../../tests/support/scripted-venue.ts';
import { decimal } from '../trading/decimal.ts';
import type { OrderRequest, Venue } from '../trading/venue.ts';
import { endVenueAlarms } from './alarm-wrappers.ts';
import { overrideVenue } from './override-venue.ts';

const ORDER: OrderRequest = {
  ...{ clientOrderId: 'sbx1', market: 'BTCUSDT', side: 'BUY', positionSide: 'LONG', quantity: decimal('1') },
  reduceOnly: false,
};

describe('the alarm of a venue', () => {
  it.each([
    ['an answer', undefined, ['venue binance']],
    ['a refusal', 'rejected', ['venue binance']],
    ['a duplicate', 'duplicate', ['venue binance']],
    ['silence', 'unknown', []],
    ['absence', 'not-sent', []],
  ] as const)('after %s', async (_, fail, over) => {
    const venue = createScriptedVenue();
    if (fail !== undefined) venue.script.push({ fail });
    const ended: string[] = [];
    await endVenueAlarms(venue, { over: (kind) => void ended.push(kind) })
      .placeOrder(ORDER)
      .catch(() => {});
    expect(ended).toEqual(over);
  });
});

describe('a venue with members replaced', () => {
  it('keeps its own state, and what nobody here has heard of', async () => {
    class Kept {
      #ticks = 0;
      readonly exchange = 'binance';
      readonly stops = { place: async () => {} };
      get account() {
        return `asked ${this.#ticks} times`;
      }
      tickOf() {
        this.#ticks++;
        return decimal(this.#ticks);
      }
      placeOrder() {
        return Promise.reject(new Error('replaced'));
      }
    }
    const venue = new Kept() as unknown as Venue;
    const placed = await createScriptedVenue().placeOrder(ORDER);
    const over = overrideVenue(venue, { placeOrder: async () => placed });
    expect([over.tickOf('x'), over.tickOf('x'), venue.tickOf('x')]).toEqual([1, 2, 3].map(decimal));
    expect([over.exchange, over.stops]).toEqual(['binance', venue.stops]);
    expect(over.account).toBe('asked 3 times');
    expect(await over.placeOrder(ORDER)).toBe(placed);
    expect([over.quote, 'quote' in over, 'stops' in over]).toEqual([undefined, false, true]);
  });
});
