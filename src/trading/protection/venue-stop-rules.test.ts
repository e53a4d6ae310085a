// Stops at the venue where the rules of their market or of their account change while we run.

import { expect, test } from 'vitest';
import { type Decimal, decimal, toText, ZERO } from '../decimal.ts';
import { type PositionMode, type Venue, VenueError } from '../venue.ts';
import { guarded, openVenueStopWorld, price, send } from './testing/venue-stop-world.ts';

/** A venue whose tick and step are as they are now, and which refuses what is not on them. */
function changingRules() {
  const now: { tickSize?: Decimal; mode?: PositionMode; isAway?: boolean } = {};
  const refused: string[] = [];
  const wrap = (venue: Venue): Partial<Venue> => ({
    positionMode: async () => now.mode ?? venue.positionMode(),
    async market(name) {
      if (now.isAway) throw new VenueError('not-sent', 'no connection');
      return { ...(await venue.market(name)), ...(now.tickSize && { tickSize: now.tickSize }) };
    },
    ...(venue.stops && {
      stops: {
        ...venue.stops,
        async place(request) {
          if (now.tickSize && request.triggerPrice % now.tickSize !== ZERO) {
            refused.push(toText(request.triggerPrice));
            throw new VenueError('rejected', 'Price not increased by tick size');
          }
          await venue.stops?.place(request);
        },
      },
    }),
  });
  return { now, refused, wrap };
}

test('a stop that is placed after the tick has changed is on the new one', async () => {
  const { now, refused, wrap } = changingRules();
  const world = await guarded({ wrap, unprotected: 'close' }, { stopLoss: price(97) });
  expect(world.venue.waiting()).toEqual(['LONG stop 3 at 97']);
  now.tickSize = decimal(2);
  world.venue.drop(0);
  await world.desk.desk.protections.venueStops?.sweep();
  await world.look(70);
  expect([world.venue.waiting(), refused, world.venue.held('AUSDT')]).toEqual([['LONG stop 3 at 96'], [], 'LONG 3']);
});

test('a changed tick is known within a minute, where nothing else is to be done', async () => {
  const { now, wrap } = changingRules();
  const world = await guarded({ wrap }, { stopLoss: price(97) });
  now.tickSize = decimal(2);
  await world.look(61);
  expect(world.venue.waiting()).toEqual(['LONG stop 3 at 96']);
});

test('rules that cannot be read again stay as they were', async () => {
  const { now, wrap } = changingRules();
  const world = await guarded({ wrap });
  now.isAway = true;
  await world.look(61);
  world.venue.drop(0);
  await world.desk.desk.protections.venueStops?.sweep();
  await world.look(2);
  expect(world.venue.waiting()).toEqual(['LONG stop 3 at 97']);
});

test('an account that nets from now on has stops for its net position only', async () => {
  const { now, wrap } = changingRules();
  now.mode = 'hedge';
  const world = await openVenueStopWorld({ wrap });
  await send(world, 'LONG', 3, { strategy: 'a', protect: { stopLoss: price(97) } });
  await send(world, 'SHORT', 1, { strategy: 'b', protect: { stopLoss: price(103) } });
  expect(world.venue.waiting()).toEqual(['LONG stop 3 at 97', 'SHORT stop 1 at 103']);
  now.mode = 'one-way';
  await world.look(61);
  expect(world.venue.waiting()).toEqual(['LONG stop 2 at 97']);
});
