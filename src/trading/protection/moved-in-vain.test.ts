// A stop that could not be moved, through the desk: the older one guards its share, which is not told to be without, nor closed for it.

import { describe, expect, test } from 'vitest';
import type { PlaceFate } from '../testing/stop-keeping-venue.ts';
import { VenueError } from '../venue.ts';
import { guarded, price, SHARE, shares, type VenueStopWorld } from './testing/venue-stop-world.ts';

describe('moved in vain, where what has no stop for a minute is closed', () => {
  const naked = (world: VenueStopWorld) => world.alarms().filter((alarm) => alarm.includes('has no stop at the venue'));
  const moveInVain = async () => {
    const fates: PlaceFate[] = ['kept'];
    const world = await guarded({ unprotected: 'close', fate: { place: () => fates.shift() ?? 'not-sent' } });
    await world.desk.desk.protections.set(SHARE, { stopLoss: price(98) });
    return { world, fates };
  };

  test('keeps the position, which the older stop guards, and the alarm says so', async () => {
    const { world, fates } = await moveInVain();
    await world.look(130);
    expect([shares(world), world.venue.waiting(), naked(world)]).toEqual([[' LONG 3'], ['LONG stop 3 at 97'], []]);
    expect(world.alarms().join()).toMatch(
      /unmoved stop .*AUSDT LONG on binance \(paper\) still has its stop at 97 at the venue: it could not be moved since \S+ UTC: no connection/,
    );
    fates.push('kept');
    await world.look(60);
    expect([world.venue.waiting(), shares(world)]).toEqual([['LONG stop 3 at 98'], [' LONG 3']]);
    expect(world.desk.alarmsOver.join()).toContain('unmoved stop');
  });

  test('closes it a minute after the venue has said that the older one is gone, and the trade names the setting', async () => {
    const { world } = await moveInVain();
    await world.look(70);
    world.venue.drop(0);
    await world.desk.desk.protections.venueStops?.sweep();
    await world.look(58);
    expect([shares(world), naked(world).length > 0]).toEqual([[' LONG 3'], true]);
    await world.look(5);
    expect(shares(world)).toEqual([]);
    expect(world.disk.rows().at(-1)?.trade.keyLabel).toBe('UNPROTECTED_POSITIONS=close');
  });

  test.each([
    ['stands', [' LONG 3']],
    ['is gone', []],
  ])('waits for the word of a venue that cannot be asked after a start: the stop %s', async (fate, held) => {
    let isAway = false;
    const away = () => Promise.reject(new VenueError('not-sent', 'no connection'));
    const world = await guarded({
      unprotected: 'close',
      wrap: ({ stops }) => ({
        stops: stops && {
          ...stops,
          place: (stop) => (isAway ? away() : stops.place(stop)),
          find: (of, id) => (isAway ? away() : stops.find(of, id)),
          waiting: (of) => (isAway ? away() : stops.waiting(of)),
        },
      }),
    });
    isAway = true;
    await world.restart();
    await world.look(130);
    expect([shares(world), naked(world).length > 0]).toEqual([[' LONG 3'], true]);
    if (fate === 'is gone') {
      world.venue.drop(0);
      world.stored.failing = true;
    }
    isAway = false;
    await world.look(50);
    expect(shares(world)).toEqual([' LONG 3']);
    await world.look(30);
    expect(shares(world)).toEqual(held);
  });
});
