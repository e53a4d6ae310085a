// A stop that was taken away for an order which then waits: it is placed again while the order waits, or an alarm names the share.

import { describe, expect, test } from 'vitest';
import { decimal } from '../decimal.ts';
import { advance, turn } from '../testing/hurry.ts';
import { type Venue, VenueError } from '../venue.ts';
import {
  guarded,
  market,
  NOTHING_REMAINS,
  openVenueStopWorld,
  price,
  remains,
  send,
  shares,
  trades,
  type VenueStopWorld,
  type WorldOptions,
} from './testing/venue-stop-world.ts';
import { MISSING_AFTER_MS } from './unprotected-shares.ts';

type Asked = 'positions' | 'placeOrder' | 'findOrder' | 'place' | 'find' | 'cancel' | 'waiting' | 'positionMode';
const EVERYTHING: readonly Asked[] = [
  ...(['positions', 'placeOrder', 'findOrder', 'place', 'find', 'cancel', 'waiting', 'positionMode'] as const),
];

/** A venue that cannot be asked some things from the moment at which it has taken a stop back. */
function falling(silent: readonly Asked[], fate: WorldOptions['fate'] = {}) {
  const state = { isArmed: false, isSilent: false, canceled: 0 };
  const heard = <Args extends unknown[], Answer>(name: Asked, ask: (...args: Args) => Promise<Answer>) => {
    return async (...args: Args): Promise<Answer> => {
      if (state.isSilent && silent.includes(name)) throw new VenueError('not-sent', `no connection for ${name}`);
      return ask(...args);
    };
  };
  const wrap = ({ positions, placeOrder, findOrder, positionMode, stops }: Venue): Partial<Venue> => ({
    positions: heard('positions', positions),
    placeOrder: heard('placeOrder', placeOrder),
    findOrder: heard('findOrder', findOrder),
    positionMode: heard('positionMode', positionMode),
    stops: stops && {
      ...stops,
      place: heard('place', stops.place),
      find: heard('find', stops.find),
      waiting: heard('waiting', stops.waiting),
      cancel: heard('cancel', async (...args) => {
        await stops.cancel(...args);
        state.canceled++;
        if (state.isArmed) state.isSilent = true;
      }),
    },
  });
  return { state, options: { wrap, fate } satisfies WorldOptions };
}

/** Seconds pass in which something waits, and our own guard looks. */
async function pass(world: VenueStopWorld, seconds: number): Promise<void> {
  for (let left = seconds; left > 0; left--) {
    world.clock.advance(1000);
    void world.desk.desk.protections.look();
    for (let turns = 0; turns < 30; turns++) await turn();
    await advance(1000);
    for (let turns = 0; turns < 30; turns++) await turn();
  }
}

const two = async (options: WorldOptions): Promise<VenueStopWorld> => {
  const world = await openVenueStopWorld(options);
  await send(world, 'LONG', 3, { strategy: 'a', protect: { stopLoss: price(97) } });
  await send(world, 'LONG', 2, { strategy: 'b', protect: { stopLoss: price(90) } });
  expect(world.venue.waiting()).toEqual(BOTH);
  return world;
};
const BOTH = ['LONG stop 3 at 97', 'LONG stop 2 at 90'];
const closeOf = (world: VenueStopWorld, mode: 'failover' | 'direct' | 'async' = 'failover') => {
  const order = { market, symbol: market, action: 'CLOSE_LONG', quantity: decimal(3), strategy: 'a' } as const;
  return world.desk.trade(mode, { order });
};
const naked = (world: VenueStopWorld): readonly string[] =>
  world.alarms().filter((alarm) => alarm.startsWith('unprotected stop'));

describe('the close of a strategy that shares its position', () => {
  test.each([['positions'], ['placeOrder']] as const)(
    'which waits because of %s has its stop back, and is sent in the end',
    async (what) => {
      const { state, options } = falling([what]);
      const world = await two(options);
      state.isArmed = true;
      void closeOf(world);
      await pass(world, 3);
      expect([shares(world), [...world.venue.waiting()].sort()]).toEqual([['a LONG 3', 'b LONG 2'], [...BOTH].sort()]);
      expect(naked(world)).toEqual([]);
      state.isArmed = false;
      state.isSilent = false;
      await world.rest();
      expect([shares(world), world.venue.waiting(), world.venue.faults]).toEqual([
        ['b LONG 2'],
        ['LONG stop 2 at 90'],
        [],
      ]);
    },
  );

  test('which is refused because the venue cannot be reached leaves it as it was', async () => {
    const { state, options } = falling(['placeOrder']);
    const world = await two(options);
    state.isArmed = true;
    await closeOf(world, 'direct');
    for (let turns = 0; turns < 60; turns++) await turn();
    expect([trades(world).at(-1), [...world.venue.waiting()].sort()]).toEqual([
      'webhook CLOSE_LONG a rejected 0',
      [...BOTH].sort(),
    ]);
  });

  test('which ends without being sent has its stop back before the next order of the market', async () => {
    const { state, options } = falling([]);
    const seen: (readonly string[])[] = [];
    const found: { world?: VenueStopWorld } = {};
    const world = await two({
      wrap: (venue) => {
        const wrapped = options.wrap(venue);
        return {
          ...wrapped,
          placeOrder(request) {
            seen.push(found.world?.venue.waiting() ?? []);
            if (request.side === 'SELL') throw new VenueError('rejected', 'no');
            return venue.placeOrder(request);
          },
        };
      },
    });
    found.world = world;
    void closeOf(world, 'async');
    const order = { market, symbol: market, action: 'LONG', quantity: decimal(1), strategy: 'b' } as const;
    void world.desk.trade('async', { order });
    await world.rest();
    expect(state.canceled).toBeGreaterThan(0);
    expect([trades(world).slice(-2), [...(seen.at(-1) ?? [])].sort()]).toEqual([
      ['webhook CLOSE_LONG a rejected 0', 'webhook LONG b filled 1'],
      [...BOTH].sort(),
    ]);
  });

  test('has an alarm that names the share where the venue says nothing more at all, for as long as that lasts', async () => {
    const { state, options } = falling(EVERYTHING);
    const world = await two(options);
    state.isArmed = true;
    void closeOf(world);
    await pass(world, MISSING_AFTER_MS / 1000 + 2);
    expect([world.venue.waiting(), shares(world)]).toEqual([['LONG stop 2 at 90'], ['a LONG 3', 'b LONG 2']]);
    expect(naked(world)[0]).toContain('AUSDT LONG of strategy "a" on binance (paper) has no stop at the venue since');
    const told = naked(world).length;
    await pass(world, 150);
    expect(naked(world).length).toBeGreaterThan(told + 1);
    expect(world.desk.alarmsOver.filter((kind) => kind.startsWith('unprotected'))).toEqual([]);
    state.isArmed = false;
    state.isSilent = false;
    await pass(world, 5);
    await world.rest();
    // On paper an exit does not wait for longer than SIGNAL_MAX_AGE_S.
    expect([shares(world), [...world.venue.waiting()].sort()]).toEqual([['a LONG 3', 'b LONG 2'], [...BOTH].sort()]);
    expect(world.desk.alarmsOver.filter((kind) => kind.startsWith('unprotected'))).toHaveLength(1);
    // Nobody else has taken it away.
    expect(world.alarms().join()).not.toContain('it was canceled or dropped there');
  });

  test.each([
    ['the venue takes the next order', [], ['b LONG 2'], ['LONG stop 2 at 90'], 0],
    ['it does not', ['placeOrder'], ['a LONG 3', 'b LONG 2'], BOTH, 0],
    ['it says nothing', EVERYTHING, ['a LONG 3', 'b LONG 2'], ['LONG stop 2 at 90'], 1],
  ] as const)('whose process dies in between: where %s', async (_, silent, held, stops, alarms) => {
    const { state, options } = falling(silent);
    let isDying = false;
    let deaths = 0;
    const dying = async (): Promise<void> => {
      if (!isDying || state.canceled === 0) return;
      deaths++;
      await new Promise<never>(() => {});
    };
    const world = await two({
      wrap(venue) {
        const { positions = venue.positions, ...wrapped } = options.wrap(venue);
        return { ...wrapped, positions: (...args) => dying().then(() => positions(...args)) };
      },
    });
    isDying = true;
    void closeOf(world);
    for (let turns = 0; turns < 60; turns++) await turn();
    expect([deaths, world.venue.waiting()]).toEqual([1, ['LONG stop 2 at 90']]);
    world.die();
    isDying = false;
    state.isSilent = true;
    const begun = world.begin();
    await pass(world, 1).catch(() => undefined);
    for (let seconds = 0; seconds < 10; seconds++) await advance(1000);
    await begun;
    await pass(world, MISSING_AFTER_MS / 1000 + 3);
    expect([shares(world), [...world.venue.waiting()].sort()]).toEqual([held, [...stops].sort()]);
    expect(new Set(naked(world)).size).toBeGreaterThanOrEqual(alarms);
    if (alarms > 0) expect(naked(world)[0]).toContain('AUSDT LONG of strategy "a"');
    state.isArmed = false;
    state.isSilent = false;
    await pass(world, 6);
    await world.rest();
    expect([shares(world), world.venue.waiting()]).toEqual([['b LONG 2'], ['LONG stop 2 at 90']]);
    expect([world.venue.faults, world.disk.adopted]).toEqual([[], []]);
  });

  test('counts a stop that may be gone as gone: the venue took it back, and the answer was lost', async () => {
    const { state, options } = falling(['find', 'place', 'positions']);
    const world = await two({
      wrap(venue) {
        const wrapped = options.wrap(venue);
        const { stops } = wrapped;
        return {
          ...wrapped,
          stops: stops && {
            ...stops,
            async cancel(...args) {
              await stops.cancel(...args);
              if (state.isSilent) throw new VenueError('unknown', 'timed out');
            },
          },
        };
      },
    });
    state.isArmed = true;
    void closeOf(world);
    await pass(world, MISSING_AFTER_MS / 1000 + 2);
    expect(world.venue.waiting()).toEqual(['LONG stop 2 at 90']);
    expect(naked(world)[0]).toContain('of strategy "a"');
  });
});

describe('a close of our own guard', () => {
  test('that waits after its time has come has the stop back', async () => {
    const { state, options } = falling(['placeOrder']);
    const world = await guarded(options, { stopLoss: price(97), maxHoldSeconds: 60 });
    state.isArmed = true;
    await pass(world, 65);
    expect([state.canceled > 0, shares(world), world.venue.waiting()]).toEqual([
      true,
      [' LONG 3'],
      ['LONG stop 3 at 97'],
    ]);
    state.isArmed = false;
    state.isSilent = false;
    await world.rest();
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
  });

  test('that waits with the market past its stop is told, and has the stop back when the market has come back', async () => {
    let isSlow = true;
    const { state, options } = falling(['placeOrder'], { isSlow: () => isSlow });
    const world = await guarded(options);
    state.isArmed = true;
    world.venue.trade(96);
    world.see(96);
    await pass(world, 10);
    expect([state.canceled > 0, shares(world), world.venue.waiting()]).toEqual([true, [' LONG 3'], []]);
    expect(naked(world)[0]).toContain('AUSDT LONG on binance (paper) has no stop at the venue since');
    world.venue.trade(100);
    world.see(100);
    await pass(world, 70);
    expect(world.venue.waiting()).toEqual(['LONG stop 3 at 97']);
    isSlow = false;
    world.venue.trade(96);
    state.isArmed = false;
    state.isSilent = false;
    await world.rest();
    await pass(world, 2);
    await world.rest();
    expect(world.venue.held(market)).toBe('');
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
  });
});

test('what is added to a share and has no stop that is known to stand is told, although a part has one', async () => {
  let isSilent = false;
  const down = (): never => {
    throw new VenueError('unknown', 'timed out');
  };
  const world = await guarded({
    wrap: ({ stops }) => ({
      stops: stops && {
        ...stops,
        place: async (request) => (isSilent ? down() : stops.place(request)),
        find: async (...args) => (isSilent ? down() : stops.find(...args)),
      },
    }),
  });
  isSilent = true;
  await send(world, 'LONG', 2);
  await world.look(MISSING_AFTER_MS / 1000 - 1);
  expect([world.venue.waiting(), naked(world)]).toEqual([['LONG stop 3 at 97'], []]);
  await world.look(2);
  expect(naked(world)[0]).toContain('none for all of it is known to stand there');
  isSilent = false;
  await world.look(3);
  expect([world.venue.waiting(), world.desk.alarmsOver]).toEqual([
    ['LONG stop 5 at 97'],
    [expect.stringContaining('unprotected stop')],
  ]);
});
