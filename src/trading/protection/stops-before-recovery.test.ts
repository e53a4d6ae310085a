// A stop that acts while a process begins: the venue tells of its order before what the last process left has been taken up.

import { expect, test } from 'vitest';
import { turn } from '../testing/hurry.ts';
import {
  market,
  NOTHING_REMAINS,
  openVenueStopWorld,
  price,
  remains,
  send,
  shares,
  trades,
} from './testing/venue-stop-world.ts';

test('its order is booked once, and only what it closed is gone', async () => {
  const gate = Promise.withResolvers<void>();
  let isStarting = false;
  let looks = 0;
  const world = await openVenueStopWorld({
    wrap: ({ stops, findOrder }) => ({
      stops: stops && {
        ...stops,
        // The last question before recovery: the stop acts after its answer, and its order is told at once.
        async waiting(...args) {
          const found = await stops.waiting(...args);
          if (!isStarting) return found;
          world.venue.trade(96);
          for (let turns = 0; turns < 30; turns++) await turn();
          return found;
        },
      },
      // Asked for the first time when its order is looked up, then when that is being booked.
      async findOrder(name, id) {
        if (isStarting && ++looks > 1) await gate.promise;
        return findOrder(name, id);
      },
    }),
  });
  await send(world, 'LONG', 3, { strategy: 'a', protect: { stopLoss: price(97) } });
  await send(world, 'LONG', 2, { strategy: 'b' });
  world.die();
  isStarting = true;
  await world.begin();
  isStarting = false;
  gate.resolve();
  await world.rest();
  await world.look(2);
  expect(trades(world).slice(2)).toEqual(['stop-loss CLOSE_LONG a filled 3']);
  expect([shares(world), world.venue.held(market)]).toEqual([['b LONG 2'], 'LONG 2']);
  await send(world, 'CLOSE_LONG', 2, { strategy: 'b' });
  expect(await remains(world)).toEqual(NOTHING_REMAINS);
});
