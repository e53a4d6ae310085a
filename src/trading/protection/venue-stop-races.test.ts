// Our own guard behind the stops at the venue, and what happens where an order and a stop, or a late word of the venue, meet.

import { describe, expect, test } from 'vitest';
import { decimal } from '../decimal.ts';
import { advance, turn } from '../testing/hurry.ts';
import { type Fill, type OrderReport, VenueError } from '../venue.ts';
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

describe('our own guard', () => {
  test('lets the venue go first for five seconds, then takes the stop away and closes', async () => {
    const world = await guarded({ fate: { isSlow: () => true } });
    world.venue.trade(96);
    world.see(96);
    await world.look(5);
    expect([shares(world), world.venue.waiting()]).toEqual([[' LONG 3'], ['LONG stop 3 at 97']]);
    await world.look(2);
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
    expect([...world.venue.all.values()].map(({ state }) => state)).toEqual(['ended']);
  });

  test('has seen that the stop did not act before it acts itself: where looks take long, the fill may be on its way', async () => {
    const world = await guarded({ fate: { isQuiet: () => true } });
    world.see(96);
    await world.look(1);
    world.clock.advance(6000);
    world.venue.trade(96);
    await world.look(2);
    expect(trades(world)).toEqual(['webhook LONG - filled 3', 'stop-loss CLOSE_LONG - filled 3']);
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
  });

  test('gives the venue all of its time again where the price had come back', async () => {
    const world = await guarded({ fate: { isSlow: () => true } });
    world.see(96);
    await world.look(3);
    world.see(100);
    await world.look(30);
    world.see(96);
    await world.look(5);
    expect([shares(world), world.venue.waiting()]).toEqual([[' LONG 3'], ['LONG stop 3 at 97']]);
    await world.look(2);
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
  });

  test('does not wait longer because the price goes to and fro', async () => {
    const world = await guarded({ fate: { isSlow: () => true } });
    for (const seen of [96, 100, 96, 100, 96, 100, 96, 100, 96]) {
      world.see(seen);
      await world.look(1);
    }
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
  });

  test('does not wait where the venue has none', async () => {
    const world = await guarded({ fate: { place: () => 'refused' } });
    world.see(96);
    await world.look(1);
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
  });

  test('does not wait for one that nobody has seen there', async () => {
    const world = await guarded({ fate: { place: () => 'never' } });
    world.see(97);
    await world.look(1);
    expect([shares(world), world.venue.held(market)]).toEqual([[], '']);
  });

  test('does not wait where the venue guards only a part of the share', async () => {
    const world = await openVenueStopWorld({ fate: { isSlow: () => true } });
    await send(world, 'LONG', 3, { strategy: 'a', protect: { stopLoss: price(97) } });
    await send(world, 'SHORT', 1, { strategy: 'b' });
    expect(world.venue.waiting()).toEqual(['LONG stop 2 at 97']);
    world.see(97);
    await world.look(1);
    expect([shares(world), world.venue.waiting()]).toEqual([['b SHORT 1'], []]);
  });

  test('acts at once where the venue is behind its trail', async () => {
    const world = await guarded({}, { trail: { unit: 'percent', value: decimal(10) } });
    expect(world.venue.waiting()).toEqual(['LONG stop 3 at 90']);
    world.see(120);
    await world.look(1);
    expect(world.venue.waiting()).toEqual(['LONG stop 3 at 90']);
    world.see(108);
    await world.look(1);
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
  });

  test('closes nothing that a stop has closed while it took that stop away', async () => {
    let slow = true;
    const world = await openVenueStopWorld({ fate: { isSlow: () => slow, isQuiet: () => true, answerTurns: () => 3 } });
    await send(world, 'LONG', 3, { strategy: 'a', protect: { stopLoss: price(97) } });
    await send(world, 'LONG', 3, { strategy: 'b' });
    world.venue.trade(96);
    world.see(96);
    await world.look(6);
    slow = false;
    world.clock.advance(1000);
    const looked = world.desk.desk.protections.look();
    world.venue.trade(96);
    await looked;
    await world.rest();
    await world.look(2);
    expect([shares(world), world.venue.held(market)]).toEqual([['b LONG 3'], 'LONG 3']);
  });
});

describe('at the moment at which an order reaches the venue', () => {
  /** What waits at the venue, and what is traded there, just before each closing order of ours. */
  async function watched(more: WorldOptions = {}) {
    const seen: (readonly string[])[] = [];
    const found: { world?: VenueStopWorld; before?: () => void } = {};
    const world = await openVenueStopWorld({
      ...more,
      wrap: (venue) => ({
        placeOrder(request) {
          seen.push(found.world?.venue.waiting() ?? []);
          found.before?.();
          return venue.placeOrder(request);
        },
        ...more.wrap?.(venue),
      }),
    });
    found.world = world;
    return { world, seen, found };
  }

  test('that closes a share, none of that share can act beside it where others hold something', async () => {
    const { world, seen, found } = await watched();
    await send(world, 'LONG', 3, { strategy: 'a', protect: { stopLoss: price(97) } });
    await send(world, 'LONG', 3, { strategy: 'b', protect: { stopLoss: price(90) } });
    found.before = () => world.venue.trade(97);
    await send(world, 'CLOSE_LONG', 2, { strategy: 'a' });
    // What is left of it is closed by us: the market has passed the stop that was taken away.
    expect([seen.at(-2), shares(world), world.venue.held(market)]).toEqual([
      ['LONG stop 3 at 90'],
      ['b LONG 3'],
      'LONG 3',
    ]);
    expect(trades(world).slice(2)).toEqual(['webhook CLOSE_LONG a filled 2', 'stop-loss CLOSE_LONG a filled 1']);
  });

  test('of our own guard, none waits for that share', async () => {
    const { world, seen } = await watched({ fate: { isSlow: () => true } });
    await send(world, 'LONG', 3, { protect: { stopLoss: price(97) } });
    world.see(96);
    await world.look(7);
    expect(seen).toEqual([[], []]);
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
  });

  test('of a new entry, none of an earlier share waits there any more', async () => {
    let failing = false;
    const { world, seen } = await watched({
      wrap: ({ stops }) => ({
        stops: stops && {
          ...stops,
          cancel: (...args) => (failing ? Promise.reject(new VenueError('not-sent', 'down')) : stops.cancel(...args)),
        },
      }),
    });
    await send(world, 'LONG', 3, { protect: { stopLoss: price(97) } });
    failing = true;
    await send(world, 'CLOSE_LONG', 3);
    expect(world.venue.waiting()).toEqual(['LONG stop 3 at 97']);
    failing = false;
    await send(world, 'LONG', 2);
    expect([seen.at(-1), world.venue.waiting()]).toEqual([[], []]);
  });
});

test('a share is not given up because an order of another strategy is at the venue and not in our books yet', async () => {
  const gate = Promise.withResolvers<void>();
  let hasSent = false;
  const world = await openVenueStopWorld({
    wrap: (venue) => ({
      async placeOrder(request) {
        const report = await venue.placeOrder(request);
        if (request.side === 'SELL') await gate.promise;
        return report;
      },
      async positions(name) {
        // The target was refused, and now somebody asks whether there is a share at all.
        if (!hasSent && trades(world).some((trade) => trade.startsWith('target CLOSE_LONG trend rejected'))) {
          hasSent = true;
          const order = { market, symbol: market, action: 'SHORT', quantity: decimal(1) } as const;
          void world.desk.trade('async', { order });
          for (let turns = 0; turns < 30; turns++) await turn();
        }
        return venue.positions(name);
      },
    }),
  });
  const targets = [{ level: price(104), share: decimal('0.5') }];
  await send(world, 'LONG', 1, { strategy: 'trend', protect: { stopLoss: price(97), targets } });
  world.see(104);
  world.clock.advance(1000);
  await world.desk.desk.protections.look();
  for (let turns = 0; turns < 60; turns++) await turn();
  gate.resolve();
  await world.rest();
  expect([hasSent, world.desk.desk.protections.list().map(({ strategy }) => strategy)]).toEqual([true, ['trend']]);
});

describe('a venue that says things late', () => {
  /** It takes no stop away, while one of two strategies is to close. */
  const keepingItsStops = async () => {
    const down = () => Promise.reject(new VenueError('unknown', 'down'));
    const world = await openVenueStopWorld({
      wrap: ({ stops }) => ({ stops: stops && { ...stops, cancel: down } }),
    });
    await send(world, 'LONG', 3, { strategy: 'a', protect: { stopLoss: price(97) } });
    await send(world, 'LONG', 2, { strategy: 'b' });
    const order = { market, symbol: market, action: 'CLOSE_LONG', quantity: decimal(3), strategy: 'a' } as const;
    const passed = async (ms: number): Promise<readonly string[]> => {
      world.clock.advance(ms);
      for (let turns = 0; turns < 8; turns++) await advance(1000);
      return shares(world);
    };
    return { world, order, passed };
  };

  test('and does not take a stop away holds up a close for ten seconds, not for ever', async () => {
    const { world, order, passed } = await keepingItsStops();
    void world.desk.trade('failover', { order });
    await passed(0);
    expect(await passed(9_000)).toEqual(['a LONG 3', 'b LONG 2']);
    expect(await passed(1_000)).toEqual(['b LONG 2']);
    expect(world.desk.troubles.join()).toMatch(
      /the stop of AUSDT LONG of strategy "a" on binance \(paper\) \(sbx\w+\) could not be taken away before an order/,
    );
  });

  test('holds up the next order for ten seconds too, however long ago the first one was', async () => {
    const { world, order, passed } = await keepingItsStops();
    await world.desk.trade('direct', { order });
    expect(trades(world).at(-1)).toBe('webhook CLOSE_LONG a rejected 0');
    world.clock.advance(600_000);
    void world.desk.trade('failover', { order });
    await passed(0);
    expect(await passed(9_000)).toEqual(['a LONG 3', 'b LONG 2']);
    expect(await passed(1_000)).toEqual(['b LONG 2']);
  });

  test('is not taken for another that traded there: what a stop has closed is no difference', async () => {
    let failures = 0;
    const world = await openVenueStopWorld({
      wrap: ({ stops }) => ({
        stops: stops && {
          ...stops,
          waiting: () => (failures-- > 0 ? Promise.reject(new VenueError('unknown', 'down')) : stops.waiting()),
        },
      }),
    });
    await send(world, 'LONG', 3, { protect: { stopLoss: price(97) } });
    world.die();
    world.venue.trade(96);
    failures = 1;
    await world.begin();
    await world.rest();
    await world.look(2);
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
  });

  test('what became of a stop holds up orders where several strategies hold something, and only then', async () => {
    let isHidden = false;
    const world = await openVenueStopWorld({
      fate: { isQuiet: () => true },
      wrap: ({ stops }) => ({
        stops: stops && {
          ...stops,
          find: (...args) => (isHidden ? Promise.resolve({ found: false, certain: false }) : stops.find(...args)),
        },
      }),
    });
    await send(world, 'LONG', 3, { strategy: 'a', protect: { stopLoss: price(97) } });
    await send(world, 'LONG', 3, { strategy: 'b' });
    isHidden = true;
    world.venue.trade(97);
    const order = { market, symbol: market, action: 'CLOSE_LONG', quantity: decimal(3), strategy: 'b' } as const;
    void world.desk.trade('failover', { order });
    for (let seconds = 0; seconds < 5; seconds++) await advance(1000);
    expect(world.venue.held(market)).toBe('LONG 3');
    isHidden = false;
    await world.rest();
    expect(trades(world).slice(2)).toEqual(['webhook CLOSE_LONG b filled 3', 'stop-loss CLOSE_LONG a filled 3']);
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
  });

  test('with the fills of an order has all of them booked', async () => {
    let looks = 0;
    const world = await openVenueStopWorld({
      fate: { isQuiet: () => true },
      wrap: (venue) => ({
        async findOrder(name, id) {
          const lookup = await venue.findOrder(name, id);
          if (!lookup.found || !id.endsWith('s')) return lookup;
          const [whole] = lookup.order.fills as readonly [Fill];
          const fills = [1, 2].map((part) => ({ ...whole, fillId: `part-${part}`, quantity: decimal(part) }));
          const open = { status: 'partially_filled', executedQuantity: decimal(1), fills: fills.slice(0, 1) } as const;
          return { found: true, order: { ...lookup.order, ...(looks++ < 3 ? open : { fills }) } };
        },
      }),
    });
    await send(world, 'LONG', 3, { protect: { stopLoss: price(97) } });
    world.venue.trade(97);
    world.see(97);
    await world.look();
    expect(trades(world).at(-1)).toContain('partially_filled 1');
    await world.look(3);
    expect(trades(world)).toEqual(['webhook LONG - filled 3', 'stop-loss CLOSE_LONG - filled 3']);
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
  });

  test("and lists a stop's order as open has it left alone by a close", async () => {
    const canceled: string[] = [];
    const world = await openVenueStopWorld({
      wrap: (venue) => ({
        openOrders: async () =>
          [...world.venue.all.keys()].map(
            (clientOrderId) => ({ clientOrderId, positionSide: 'LONG', market }) as OrderReport,
          ),
        cancelOrder(name, id) {
          canceled.push(id);
          return venue.cancelOrder(name, id);
        },
      }),
    });
    await send(world, 'LONG', 3, { protect: { stopLoss: price(97) } });
    await send(world, 'CLOSE_LONG', 3);
    expect(canceled).toEqual([]);
    expect(await remains(world)).toEqual(NOTHING_REMAINS);
  });
});
