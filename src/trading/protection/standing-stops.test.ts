// A stop that is taken back: who asked hears whether it may still act, and one that goes on to stand is news when it vanishes.

import { describe, expect, test } from 'vitest';
import { decimal } from '../decimal.ts';
import { VenueError } from '../venue.ts';
import { openKeptStops, shareOf } from './testing/kept-stops.ts';
import { guarded, market, openVenueStopWorld, price, send, type VenueStopWorld } from './testing/venue-stop-world.ts';

const REFUSED = new VenueError('rejected', 'too many requests');
const UNANSWERED = new VenueError('unknown', 'timed out');
const naked = (world: VenueStopWorld): readonly string[] =>
  world.alarms().filter((alarm) => alarm.startsWith('unprotected'));

describe('a stop that is to be taken away', () => {
  test('and is seen to be gone only later is forgotten, and that is no news', async () => {
    const { says, gone, standing, place, kept } = openKeptStops();
    const stop = await kept(shareOf('a'));
    says.find = UNANSWERED;
    await expect(standing.remove(place, stop)).rejects.toBe(UNANSWERED);
    Object.assign(says, { of: 'ended', find: undefined });
    await standing.check(place, stop);
    expect([standing.all(), gone]).toEqual([[], []]);
  });

  test.each([
    ['waits on where the venue refuses', REFUSED, 'waiting'],
    ['may wait on where the venue refuses and does not show it', REFUSED, 'in doubt'],
    ['may wait on where the venue gives no answer and does not show it', UNANSWERED, 'in doubt'],
  ] as const)("%s is told by the venue's own error", async (_, answer, state) => {
    const { says, standing, place, kept } = openKeptStops();
    const stop = await kept(shareOf('a'));
    Object.assign(says, { of: state, cancel: answer });
    // Whoever waits for it goes on at once after a refusal, and not after an answer that is missing.
    await expect(standing.remove(place, stop)).rejects.toBe(answer);
    expect(standing.all()).toEqual([stop]);
  });

  test('and was in doubt holds up nobody as long as it is', async () => {
    const { says, standing, place, kept } = openKeptStops();
    const stop = await kept(shareOf('a'), UNANSWERED);
    Object.assign(says, { of: 'in doubt', cancel: REFUSED });
    await standing.remove(place, stop);
    expect(standing.all()).toEqual([stop]);
    says.of = 'waiting';
    await expect(standing.remove(place, stop)).rejects.toThrow('it is not clear yet what became of the stop');
  });

  test('and stood on is news when it vanishes later', async () => {
    const { says, gone, standing, place, kept } = openKeptStops();
    const stop = await kept(shareOf('a'));
    says.cancel = REFUSED;
    await expect(standing.remove(place, stop)).rejects.toBe(REFUSED);
    says.of = 'ended';
    await standing.check(place, stop);
    expect([standing.all(), gone]).toEqual([[], [stop.stored]]);
  });

  test('for an order that was refused, and stood on, raises an alarm when it vanishes later', async () => {
    let isRefusing = true;
    const world = await openVenueStopWorld({
      wrap: ({ stops }) => ({
        stops: stops && {
          ...stops,
          cancel: (...args) => (isRefusing ? Promise.reject(UNANSWERED) : stops.cancel(...args)),
        },
      }),
    });
    await send(world, 'LONG', 3, { strategy: 'a', protect: { stopLoss: price(97) } });
    await send(world, 'LONG', 2, { strategy: 'b' });
    const order = { market, symbol: market, action: 'CLOSE_LONG', quantity: decimal(3), strategy: 'a' } as const;
    await world.desk.trade('direct', { order });
    isRefusing = false;
    await world.look(2);
    expect([world.venue.waiting(), naked(world)]).toEqual([['LONG stop 3 at 97'], []]);
    world.venue.drop(0);
    await world.desk.desk.protections.venueStops?.sweep();
    await world.look(2);
    expect(naked(world)).toEqual([
      expect.stringContaining('AUSDT LONG of strategy "a" on binance (paper) has no stop'),
    ]);
    expect(naked(world)[0]).toContain('it was canceled or dropped there');
    expect(world.venue.waiting()).toEqual(['LONG stop 3 at 97']);
  });
});

test('a share with an old stop that covers all of it beside a smaller one is not told as one without', async () => {
  const world = await guarded({
    wrap: ({ stops }) => ({ stops: stops && { ...stops, cancel: () => Promise.reject(REFUSED) } }),
  });
  await send(world, 'CLOSE_LONG', 1);
  expect(world.venue.waiting()).toEqual(['LONG stop 3 at 97', 'LONG stop 2 at 97']);
  await send(world, 'LONG', 1);
  await world.look(30);
  expect(world.venue.waiting()).toEqual(['LONG stop 3 at 97', 'LONG stop 2 at 97']);
  expect(world.alarms()).toEqual([]);
});
