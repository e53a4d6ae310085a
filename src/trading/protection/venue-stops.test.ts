// Stops at the venue through the desk: placed with their fill, moved, taken away with their share, and booked when they act.

import { describe, expect, test } from 'vitest';
import { nextRequestId } from '../../../tests/ports/sample-trades.ts';
import { decimal, toText } from '../decimal.ts';
import type { PlaceFate } from '../testing/stop-keeping-venue.ts';
import {
  guarded,
  market,
  NOTHING_REMAINS,
  openVenueStopWorld,
  price,
  remains,
  SHARE,
  send,
  shares,
  trades,
  type VenueStopWorld,
} from './testing/venue-stop-world.ts';

describe('with its fill', () => {
  test('a share has its stop at the venue before the next order of its market', async () => {
    const world = await openVenueStopWorld();
    const order = { market, symbol: market, action: 'LONG', quantity: decimal(3) } as const;
    const [entry, next] = [
      world.desk.trade('failover', { order: { ...order, protect: { stopLoss: price(97) } } }),
      world.desk.trade('failover', { order: { ...order, quantity: decimal(1) } }),
    ];
    await entry;
    await next;
    await world.rest();
    // The first was placed for what was held then; the second is for all of it.
    expect([...world.venue.all.values()].map(({ quantity, state }) => `${toText(quantity)} ${state}`)).toEqual([
      '3 ended',
      '4 waiting',
    ]);
  });

  test('it has a take profit beside the stop, and targets and time stops are ours', async () => {
    const world = await guarded({}, { stopLoss: price(97), takeProfit: price(110), maxHoldSeconds: 600 });
    expect(world.venue.waiting()).toEqual(['LONG stop 3 at 97', 'LONG take-profit 3 at 110']);
    expect(world.desk.desk.protections.stopsAtVenue({ ...SHARE, mode: 'paper' })?.map(({ by }) => by)).toEqual([
      'stop-loss',
      'take-profit',
    ]);
  });

  test('nothing is placed where the owner wants none at the venue, and what is there goes', async () => {
    const world = await guarded({ isOn: false });
    await world.look();
    expect([world.venue.waiting(), world.desk.alarms]).toEqual([[], []]);
    world.venue.trade(96);
    world.see(96);
    await world.look(2);
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
  });
});

describe('an account whose venue keeps none, such as one on paper', () => {
  test('is guarded by us alone, at once, and nothing says otherwise', async () => {
    const world = await guarded({ wrap: () => ({ stops: undefined }) });
    const { protections } = world.desk.desk;
    expect([protections.venueStops, protections.stopsAtVenue({ ...SHARE, mode: 'paper' })]).toEqual([
      undefined,
      undefined,
    ]);
    expect([world.venue.all.size, await world.stored.load(), world.alarms()]).toEqual([0, [], []]);
    world.see(97);
    await world.look(1);
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
  });
});

test('a stop that its venue would end after a week is placed anew on its sixth day, before it goes, and nobody is alarmed', async () => {
  const DAY_MS = 24 * 3_600_000;
  const world = await guarded({
    wrap: (venue) => ({ stops: venue.stops && Object.assign(venue.stops, { livesForMs: 7 * DAY_MS }) }),
  });
  const all = () => [...world.venue.all.values()].map(({ state }) => state);
  world.clock.advance(6 * DAY_MS - 60_000);
  await world.look(2);
  expect(all()).toEqual(['waiting']);
  world.clock.advance(60_000);
  await world.look(2);
  expect(all()).toEqual(['ended', 'waiting']);
  expect([world.venue.waiting(), world.alarms()]).toEqual([['LONG stop 3 at 97'], []]);
  await world.restart();
  await world.look(2);
  expect(all()).toEqual(['ended', 'waiting']);
});

describe('a stop that acts', () => {
  test.each([
    ['is told by the venue', false],
    ['is found although nobody was told', true],
  ])('%s, and is booked once, as what it is', async (_, isQuiet) => {
    const world = await guarded({ fate: { isQuiet: () => isQuiet } });
    world.venue.trade(97);
    world.see(97);
    await world.look(2);
    expect(trades(world)).toEqual(['webhook LONG - filled 3', 'stop-loss CLOSE_LONG - filled 3']);
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
    await world.look(8);
    await world.restart();
    await world.look(3);
    expect(trades(world)).toHaveLength(2);
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
  });

  test('while our own prices are another is found within a minute', async () => {
    const world = await guarded({ fate: { isQuiet: () => true } });
    world.venue.trade(97);
    await world.look(3);
    expect(shares(world)).toEqual([' LONG 3']);
    await world.desk.desk.protections.venueStops?.sweep();
    await world.look();
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
  });

  test('while we were down is booked before positions are compared', async () => {
    const world = await guarded();
    world.die();
    world.venue.trade(96);
    await world.begin();
    await world.rest();
    await world.look();
    expect(trades(world)).toEqual(['webhook LONG - filled 3', 'stop-loss CLOSE_LONG - filled 3']);
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
    expect(world.alarms().filter((alarm) => alarm.includes("the venue's word was adopted"))).toEqual([]);
  });

  test('right after a start goes first too, before anything of its market is known again', async () => {
    const world = await guarded();
    world.die();
    world.see(97);
    await world.begin();
    await world.look();
    expect(trades(world)).toEqual(['webhook LONG - filled 3']);
    world.venue.trade(97);
    await world.look();
    expect(trades(world)).toEqual(['webhook LONG - filled 3', 'stop-loss CLOSE_LONG - filled 3']);
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
  });

  test('in part has its rest closed by us', async () => {
    const world = await guarded({ fate: { fills: () => 1 } });
    world.venue.trade(97);
    await world.look(2);
    expect(trades(world)).toEqual([
      'webhook LONG - filled 3',
      'stop-loss CLOSE_LONG - canceled 1',
      'stop-loss CLOSE_LONG - filled 2',
    ]);
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
  });

  test('in part has its rest closed also where the market has come back', async () => {
    const world = await guarded({ fate: { fills: () => 1 } });
    world.venue.trade(97);
    world.venue.trade(100);
    await world.look(2);
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
  });

  test('of one strategy leaves the shares of the others as they are', async () => {
    const world = await openVenueStopWorld();
    await send(world, 'LONG', 3, { strategy: 'a', protect: { stopLoss: price(97), takeProfit: price(105) } });
    await send(world, 'LONG', 2, { strategy: 'b', protect: { stopLoss: price(90) } });
    // A take profit beside a stop could act after it, on what the other one holds.
    expect(world.venue.waiting()).toEqual(['LONG stop 3 at 97', 'LONG stop 2 at 90']);
    world.venue.trade(97);
    await world.look();
    expect(shares(world)).toEqual(['b LONG 2']);
    expect(trades(world).at(-1)).toBe('stop-loss CLOSE_LONG a filled 3');
    expect(world.venue.waiting()).toEqual(['LONG stop 2 at 90']);
  });

  test('just before its strategy closes by itself takes nothing of the others', async () => {
    const world = await openVenueStopWorld({ fate: { isQuiet: () => true } });
    await send(world, 'LONG', 3, { strategy: 'a', protect: { stopLoss: price(97) } });
    await send(world, 'LONG', 3, { strategy: 'b', protect: { stopLoss: price(90) } });
    world.venue.trade(97);
    await send(world, 'CLOSE_LONG', 3, { strategy: 'a' }).catch(() => undefined);
    expect(shares(world)).toEqual(['b LONG 3']);
    expect(world.venue.held(market)).toBe('LONG 3');
    expect(trades(world).filter((trade) => trade.startsWith('stop-loss'))).toEqual(['stop-loss CLOSE_LONG a filled 3']);
  });

  test('just before another strategy closes does not make that one close less', async () => {
    const world = await openVenueStopWorld({ fate: { isQuiet: () => true } });
    await send(world, 'LONG', 3, { strategy: 'a', protect: { stopLoss: price(97) } });
    await send(world, 'LONG', 3, { strategy: 'b' });
    world.venue.trade(97);
    await send(world, 'CLOSE_LONG', 3, { strategy: 'b' });
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
  });
});

describe('moved', () => {
  const set = (world: VenueStopWorld, stopLoss: number) =>
    world.desk.desk.protections.set(SHARE, { stopLoss: price(stopLoss) }).then(() => world.look());

  test('by the owner: the new one is there before the old one goes', async () => {
    const world = await guarded();
    await set(world, 95);
    expect(world.venue.waiting()).toEqual(['LONG stop 3 at 95']);
    expect(await world.stored.load()).toHaveLength(1);
    await world.desk.desk.protections.remove(SHARE);
    await world.look();
    expect([world.venue.waiting(), await world.stored.load()]).toEqual([[], []]);
  });

  test('the old one stays while nobody knows of the new one', async () => {
    const fates: PlaceFate[] = ['kept', 'late'];
    const world = await guarded({ fate: { place: () => fates.shift() ?? 'kept' } });
    await set(world, 95);
    expect(world.venue.waiting()).toEqual(['LONG stop 3 at 97']);
    await world.look(3);
    expect([world.venue.waiting(), world.venue.all.size]).toEqual([['LONG stop 3 at 95'], 2]);
  });

  test('where others hold something, the old one goes first: both together could close too much', async () => {
    const fates: PlaceFate[] = ['kept', 'refused'];
    const world = await openVenueStopWorld({ fate: { place: () => fates.shift() ?? 'kept' } });
    await send(world, 'LONG', 3, { protect: { stopLoss: price(97) } });
    await send(world, 'LONG', 2, { strategy: 'b' });
    await set(world, 95);
    expect(world.venue.waiting()).toEqual([]);
    await world.look(2);
    expect(world.venue.waiting()).toEqual(['LONG stop 3 at 95']);
  });

  test('by its trail at most every five seconds, and not for little', async () => {
    const world = await guarded({}, { trail: { unit: 'percent', value: decimal(10) } });
    world.venue.trade(120);
    world.see(120);
    await world.look(4);
    expect(world.venue.waiting()).toEqual(['LONG stop 3 at 90']);
    await world.look(1);
    expect(world.venue.waiting()).toEqual(['LONG stop 3 at 108']);
    world.venue.trade(121);
    world.see(121);
    await world.look(8);
    expect(world.venue.waiting()).toEqual(['LONG stop 3 at 108']);
    world.venue.trade(123);
    world.see(123);
    await world.look(1);
    expect(world.venue.waiting()).toEqual(['LONG stop 3 at 110']);
  });
});

describe('that cannot be placed', () => {
  const naked = (world: VenueStopWorld) => world.alarms().filter((alarm) => alarm.startsWith('unprotected'));

  test('is told, tried again, and placed', async () => {
    const fates: PlaceFate[] = ['refused', 'not-sent'];
    const world = await guarded({ fate: { place: () => fates.shift() ?? 'kept' } });
    expect(naked(world)).toEqual([
      expect.stringContaining('AUSDT LONG on binance (paper) has no stop at the venue since'),
    ]);
    expect(naked(world)[0]).toContain('too many stops');
    await world.look(4);
    expect([world.venue.waiting(), naked(world).length]).toEqual([['LONG stop 3 at 97'], 2]);
  });

  test.each(['lost', 'late', 'never'] as const)(
    'because its answer was lost (%s) is never there twice',
    async (fate) => {
      const fates: PlaceFate[] = [fate];
      const world = await guarded({ fate: { place: () => fates.shift() ?? 'kept' } });
      await world.look(5);
      expect([world.venue.waiting(), world.venue.faults]).toEqual([['LONG stop 3 at 97'], []]);
      expect(world.venue.all.size).toBe(1);
    },
  );

  test('because its id is not on disk is not sent', async () => {
    const world = await openVenueStopWorld();
    world.stored.failing = true;
    await send(world, 'LONG', 3, { protect: { stopLoss: price(97) } });
    expect([world.venue.all.size, naked(world).length]).toEqual([0, 1]);
    world.stored.failing = false;
    await world.look(2);
    expect(world.venue.waiting()).toEqual(['LONG stop 3 at 97']);
  });

  test('because the market has passed it: the share is closed now', async () => {
    const world = await openVenueStopWorld();
    world.venue.trade(96);
    await send(world, 'LONG', 3, { protect: { stopLoss: price(97) } });
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
  });

  test.each([
    ['keep', 59, ' LONG 3'],
    ['keep', 80, ' LONG 3'],
    ['close', 59, ' LONG 3'],
    ['close', 62, undefined],
  ] as const)('where the owner wants to %s it, after %i seconds: %s', async (unprotected, seconds, held) => {
    const world = await guarded({ unprotected, fate: { place: () => 'refused' } });
    await world.look(seconds);
    expect(shares(world)[0]).toBe(held);
    if (held === undefined) expect(world.alarms().join()).toContain('UNPROTECTED_POSITIONS=close');
  });
});

describe('gone with its share', () => {
  test.each<[string, (world: VenueStopWorld) => Promise<unknown>]>([
    ['a signal', (world) => send(world, 'CLOSE_LONG', 3)],
    ['a signal of the other side', (world) => send(world, 'SHORT', 3).then(() => send(world, 'CLOSE_SHORT', 3))],
    [
      'the owner',
      async (world) => {
        const closes = [
          { position: { ...SHARE, mode: 'paper' as const }, quantity: decimal(3), closesAll: true },
        ] as const;
        await world.desk.desk.closer.close({ requestId: nextRequestId(), source: 'owner', label: 'owner', closes });
        await world.rest();
      },
    ],
  ])('when %s closes it', async (_, close) => {
    const world = await guarded({}, { stopLoss: price(97), takeProfit: price(110) });
    await close(world);
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
    world.venue.trade(50);
    world.venue.trade(200);
    await world.look(2);
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
  });

  test('is never placed after the close, also where both come at once', async () => {
    const world = await openVenueStopWorld({ fate: { answerTurns: () => 5 } });
    const order = { market, symbol: market, quantity: decimal(3) } as const;
    void world.desk.trade('async', { order: { ...order, action: 'LONG', protect: { stopLoss: price(97) } } });
    void world.desk.trade('async', { order: { ...order, action: 'CLOSE_LONG' } });
    await world.rest();
    await world.look(2);
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
  });

  test('in part: the stop is for the rest', async () => {
    const world = await guarded();
    await send(world, 'CLOSE_LONG', 1);
    expect(world.venue.waiting()).toEqual(['LONG stop 2 at 97']);
  });

  test('does not act on the next entry, where it could not be taken away at once', async () => {
    const fates: PlaceFate[] = ['late'];
    const world = await guarded({ fate: { place: () => fates.shift() ?? 'kept' } });
    await send(world, 'CLOSE_LONG', 3);
    await send(world, 'LONG', 2);
    await world.look(5);
    expect([world.venue.waiting(), world.venue.held(market)]).toEqual([[], 'LONG 2']);
  });
});

describe('what the venue has', () => {
  test('and drops is placed again within a minute', async () => {
    const world = await guarded();
    world.venue.drop(0);
    await world.desk.desk.protections.venueStops?.sweep();
    await world.look(2);
    expect(world.venue.waiting()).toEqual(['LONG stop 3 at 97']);
    expect(world.alarms().join()).toContain('has no stop at the venue since');
    expect(world.alarms().join()).toContain('it was canceled or dropped there');
  });
});
