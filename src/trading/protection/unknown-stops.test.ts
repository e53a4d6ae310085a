// Stops that carry an id of ours and are not on our disk: only where the venue itself has nothing that they could close they go.

import { describe, expect, test } from 'vitest';
import { decimal } from '../decimal.ts';
import type { OrderRequest, RestingOrder, Venue } from '../venue.ts';
import { openKeptStops, shareOf } from './testing/kept-stops.ts';
import { market, openVenueStopWorld, send, type VenueStopWorld } from './testing/venue-stop-world.ts';
import { ORPHAN_AFTER_MS, UnknownStops } from './unknown-stops.ts';

const orderOfAnother = (fields: Partial<OrderRequest>): OrderRequest => ({
  ...{ clientOrderId: 'web1', market, side: 'BUY', positionSide: 'LONG', reduceOnly: false, quantity: decimal(1) },
  ...fields,
});

describe('a stop with an id of ours that this data folder does not know', () => {
  const UNKNOWN = 'LONG stop 1 at 50';
  const plant = (world: VenueStopWorld): void =>
    world.venue.plant({
      ...{ clientStopId: 'sbx-of-another', market, kind: 'stop', positionSide: 'LONG' },
      ...{ quantity: decimal(1), triggerPrice: decimal(50) },
    });
  const sweepAfter = async (world: VenueStopWorld, seconds: number): Promise<void> => {
    world.clock.advance(seconds * 1000);
    await world.desk.desk.protections.venueStops?.sweep();
    await world.rest();
  };
  const alarmed = (world: VenueStopWorld, words: string): boolean => world.alarms().join().includes(words);
  const STANDS = 'has stops of a Signalbox that this data folder does not know: LONG 1 AUSDT at 50 (sbx-of-another)';
  const CANCELED = 'Nothing has been held there for a minute, so it was canceled';
  const OVER = 'unknown stops binance:paper:main';

  test('is canceled where the venue says twice, a minute apart, that nothing is held', async () => {
    const world = await openVenueStopWorld();
    plant(world);
    await sweepAfter(world, 0);
    await sweepAfter(world, 59);
    expect([world.venue.waiting(), alarmed(world, STANDS), alarmed(world, CANCELED)]).toEqual([[UNKNOWN], true, false]);
    await sweepAfter(world, 1);
    expect([world.venue.waiting(), alarmed(world, CANCELED)]).toEqual([[], true]);
    expect(world.desk.alarmsOver).toContain(OVER);
  });

  test('is canceled also where an order waits that could only close', async () => {
    const rests = { clientOrderId: 'web1', reduceOnly: true } as RestingOrder;
    const world = await openVenueStopWorld({ wrap: () => ({ openOrders: async () => [rests] }) });
    plant(world);
    await sweepAfter(world, 0);
    await sweepAfter(world, 60);
    expect([world.venue.waiting(), alarmed(world, CANCELED)]).toEqual([[], true]);
  });

  test('is ours all the same where it was placed after the venue had listed it: it is left, and nobody is told', async () => {
    const { standing, venue, kept, canceled } = openKeptStops();
    let nowMs = 0;
    const told: string[] = [];
    const unknown = new UnknownStops({
      ...{ isKnown: (id) => standing.get(id) !== undefined, positions: { sharesOf: () => [] } },
      ...{ monotonicMs: () => nowMs, onAlarm: (kind) => told.push(kind), onStanding: (kind) => told.push(kind) },
    });
    const { clientStopId } = (await kept(shareOf('a'))).stored;
    const lookup = await venue.stops?.find(market, clientStopId);
    if (!lookup?.found) throw new Error('the venue has no such stop');
    for (let looks = 0; looks < 3; looks++) {
      await unknown.look(venue, lookup.stop);
      nowMs += ORPHAN_AFTER_MS;
    }
    expect([canceled, told]).toEqual([[], []]);
  });

  test.each<[string, (world: VenueStopWorld) => Promise<unknown>]>([
    [
      'the venue holds what our books do not',
      async (world) => world.venue.connect().placeOrder(orderOfAnother({ quantity: decimal(1) })),
    ],
    [
      'an entry of another waits',
      async (world) => world.venue.connect().placeOrder(orderOfAnother({ price: decimal(90) })),
    ],
  ])('is left and told while %s', async (_, happens) => {
    const world = await openVenueStopWorld();
    await happens(world);
    plant(world);
    for (let minutes = 0; minutes < 3; minutes++) await sweepAfter(world, 60);
    expect([world.venue.waiting(), alarmed(world, STANDS), alarmed(world, CANCELED)]).toEqual([[UNKNOWN], true, false]);
    expect(world.desk.alarmsOver).not.toContain(OVER);
  });

  test('is left while our books hold something that the venue does not tell yet', async () => {
    let isTold = true;
    const positions =
      (venue: Venue): Venue['positions'] =>
      async (of) =>
        isTold ? venue.positions(of) : [];
    const world = await openVenueStopWorld({ wrap: (venue) => ({ positions: positions(venue) }) });
    await send(world, 'LONG', 1);
    isTold = false;
    plant(world);
    for (let minutes = 0; minutes < 2; minutes++) await sweepAfter(world, 60);
    expect(world.venue.waiting()).toEqual([UNKNOWN]);
  });

  test('is left where something was held between two looks, and the alarm is over when it has gone', async () => {
    const world = await openVenueStopWorld();
    plant(world);
    await sweepAfter(world, 0);
    const venue = world.venue.connect();
    await venue.placeOrder(orderOfAnother({}));
    await sweepAfter(world, 60);
    await venue.placeOrder({ ...orderOfAnother({}), clientOrderId: 'web2', side: 'SELL', reduceOnly: true });
    await sweepAfter(world, 60);
    expect(world.venue.waiting()).toEqual([UNKNOWN]);
    world.venue.drop(0);
    await sweepAfter(world, 1);
    expect([alarmed(world, CANCELED), world.desk.alarmsOver.includes(OVER)]).toEqual([false, true]);
  });
});
