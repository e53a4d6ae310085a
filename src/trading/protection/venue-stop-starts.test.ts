// A start whose venue is late: what stops have done meanwhile is taken up behind it, once.

import { expect, test } from 'vitest';
import { advance } from '../testing/hurry.ts';
import { guarded, NOTHING_REMAINS, remains, trades } from './testing/venue-stop-world.ts';

test.each(['waiting', 'findOrder'] as const)(
  'what a stop has closed while we were down is booked once, where the venue answers after the start (%s)',
  async (question) => {
    const answered = Promise.withResolvers<void>();
    let isLate = false;
    const late = async <T>(answer: () => Promise<T>): Promise<T> => {
      const isThis = isLate;
      isLate = false;
      const word = await answer();
      if (isThis) await answered.promise;
      return word;
    };
    const world = await guarded({
      fate: { isQuiet: () => true },
      wrap: (venue) =>
        question === 'findOrder'
          ? { findOrder: (...asked) => late(() => venue.findOrder(...asked)) }
          : {
              stops: venue.stops && {
                ...venue.stops,
                waiting: () => late(() => venue.stops?.waiting() ?? Promise.resolve([])),
              },
            },
    });
    world.die();
    world.venue.trade(96);
    isLate = true;
    const begun = world.begin();
    for (let seconds = 0; seconds < 7; seconds++) await advance(1000);
    await begun;
    expect(isLate).toBe(false);
    answered.resolve();
    await world.rest();
    await world.look(3);
    expect(trades(world)).toEqual(['webhook LONG - filled 3', 'stop-loss CLOSE_LONG - filled 3']);
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
  },
);
