// Random market and limit signals, fills of what rests, cancels, closes of everything and deaths: the books are the sum of the
// venue's fills, closing orders never exceed what is held, and no close ever opens or turns a position.

import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { nextRequestId } from '../../../tests/ports/sample-trades.ts';
import { isFinal } from '../books/journal.ts';
import { type Decimal, decimal, minus, plus, times, ZERO } from '../decimal.ts';
import { createCrashableJournal } from '../testing/crashable-journal.ts';
import { advance, hurry, turn } from '../testing/hurry.ts';
import { createMemoryOutbox } from '../testing/memory-outbox.ts';
import { createSurvivingVenue, type SurvivingVenue } from '../testing/surviving-venue.ts';
import { openTestDesk, type TestDesk } from '../testing/test-desk.ts';

beforeEach(hurry);

/** Each market is traded on one side: what opposes a resting entry is refused, and told by other tests. */
const SIDES = { AUSDT: 'LONG', BUSDT: 'SHORT' } as const;
const MARKETS = Object.keys(SIDES) as (keyof typeof SIDES)[];
const ACCOUNTS = ['main', 'scalp'];
const RUNS = 100;

const step = fc.record({
  market: fc.constantFrom(...MARKETS),
  does: fc.constantFrom(
    'open',
    'open',
    'open at',
    'close',
    'close at',
    'close at',
    'fill',
    'fill',
    'fill',
    'cancel',
    'cancel all',
    'close all',
  ),
  quantity: fc.integer({ min: 1, max: 4 }),
  price: fc.integer({ min: 90, max: 110 }),
  /** Which of the resting orders. */
  pick: fc.nat(5),
  gap: fc.constantFrom(0, 0, 1, 4, 12, 30),
  death: fc.option(fc.nat(80), { freq: 3 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Fate {
  readonly commitTurns: () => number;
  readonly answerTurns: () => number;
}

/** A disk and two accounts that outlive the processes which trade on them; every signal is traded on both. */
function openWorld({ commitTurns, answerTurns }: Fate) {
  const disk = createCrashableJournal({ commitTurns, fails: () => false });
  const venues = ACCOUNTS.map((account) => createSurvivingVenue(answerTurns, account));
  const start = async (): Promise<TestDesk> => {
    const made = await openTestDesk({
      journal: disk.connect(),
      signals: { add: async () => undefined } as never,
      outbox: createMemoryOutbox(),
      venues: venues.map((venue) => venue.connect()),
      routes: ACCOUNTS.map((account) => ({ account, multiplier: 1 })),
    });
    await made.desk.start({ afterCrash: true });
    return made;
  };
  const die = (): void => {
    disk.die();
    for (const venue of venues) venue.die();
    hurry();
  };
  /** Of every order that rests or ended at a venue, our books have its last word. */
  const isHeard = (): boolean => {
    const known = new Map(disk.rows().flatMap(({ orders }) => orders.map((order) => [order.clientOrderId, order])));
    const words = venues.flatMap((venue) => venue.orders());
    return words.every(({ clientOrderId, status, executedQuantity }) => {
      const ours = known.get(clientOrderId);
      return ours?.state === status && ours.executedQuantity === executedQuantity;
    });
  };
  const isWaiting = (state: string): boolean => state === 'submitted' || state === 'partially_filled';
  const isOver = (): boolean =>
    disk.rows().every(({ trade }) => isFinal(trade.state) || isWaiting(trade.state)) && isHeard();
  return { disk, venues, start, die, isOver };
}
type World = ReturnType<typeof openWorld>;

async function settle({ isOver }: World, desk: TestDesk): Promise<void> {
  for (let quiet = 0, patience = 0; quiet < 30; patience++) {
    if (patience > 3000) throw new Error('it does not come to an end');
    await turn();
    await advance(20);
    quiet = isOver() && desk.desk.backlog() === 0 ? quiet + 1 : 0;
  }
}

const byTest = { by: 'test' };
const closeAll = (desk: TestDesk) =>
  desk.desk.ownerCloser.close({ requestId: nextRequestId(), actor: 'test', positions: 'all', share: decimal('1') });

/** Begins one step. What is refused, is told by other tests. */
function begin({ market, does, quantity, price, pick }: Step, { venues }: World, desk: TestDesk): void {
  const venue = venues[pick % venues.length] as SurvivingVenue;
  const rests = venue.resting();
  const chosen = rests[pick % Math.max(1, rests.length)]?.clientOrderId;
  const begun = async (): Promise<unknown> => {
    if (does === 'cancel all') return desk.desk.canceler.cancelOrders({}, byTest);
    if (does === 'close all') return closeAll(desk);
    if (does === 'fill') return chosen && venue.fill(chosen, decimal(quantity));
    if (does === 'cancel') return chosen && desk.desk.canceler.cancelOrder(chosen, byTest);
    const isOpening = does.startsWith('open');
    const limit = does.endsWith(' at') ? { price: decimal(price) } : {};
    const action = `${isOpening ? '' : 'CLOSE_'}${SIDES[market]}` as const;
    return desk.trade('failover', { order: { market, symbol: market, action, quantity: decimal(quantity), ...limit } });
  };
  void begun().catch(() => undefined);
}

/** What the venue's own fills come to, worked out from nothing else. */
function sumOf(venue: SurvivingVenue, market: string): { held: Decimal; cash: Decimal; fees: Decimal } {
  let [held, cash, fees] = [ZERO, ZERO, ZERO];
  for (const order of venue.orders().filter((each) => each.market === market)) {
    for (const fill of order.fills) {
      const worth = times(fill.quantity, fill.price);
      const isBuy = order.side === 'BUY';
      held = isBuy ? plus(held, fill.quantity) : minus(held, fill.quantity);
      cash = isBuy ? minus(cash, worth) : plus(cash, worth);
      fees = plus(fees, fill.fee);
    }
  }
  return { held, cash, fees };
}

function checkMarket({ disk }: World, venue: SurvivingVenue, account: string, market: keyof typeof SIDES): void {
  const side = SIDES[market];
  const { held, cash, fees } = sumOf(venue, market);
  const quantity = side === 'LONG' ? held : minus(ZERO, held);
  expect(venue.held(market)).toBe(quantity === ZERO ? '' : `${side} ${Number(quantity) / 1e12}`);
  const ours = disk
    .positions()
    .find((each) => each.account === account && each.market === market && each.side === side);
  const trades = disk.rows().filter(({ trade }) => trade.account === account && trade.order.market === market);
  expect(ours?.quantity ?? ZERO).toBe(quantity);
  expect(ours?.fees ?? ZERO).toBe(fees);
  // What was earned is the money that came in, and what the rest has cost.
  const paid = times(ours?.entryPrice ?? ZERO, quantity);
  const earned = side === 'LONG' ? plus(cash, paid) : minus(cash, paid);
  const difference = Number(minus(ours?.realizedPnl ?? ZERO, earned)) / 1e12;
  expect(Math.abs(difference)).toBeLessThan(1e-6);
  const booked = trades.flatMap((trade) => trade.fills);
  expect(booked.map(({ realizedPnl }) => realizedPnl).reduce(plus, ZERO)).toBe(ours?.realizedPnl ?? ZERO);
  const closing = venue.resting().filter((order) => order.market === market && order.reduceOnly);
  const waiting = closing.map((order) => minus(order.quantity, order.executedQuantity)).reduce(plus, ZERO);
  expect(waiting <= quantity, `${waiting} rest to close ${quantity}`).toBe(true);
}

function check(world: World): void {
  const { disk, venues } = world;
  expect(venues.flatMap(({ faults }) => faults)).toEqual([]);
  expect(disk.adopted).toEqual([]);
  for (const { trade, orders } of disk.rows()) {
    const isClose = trade.order.action.startsWith('CLOSE');
    expect(orders.map(({ reduceOnly }) => reduceOnly)).toEqual(orders.map(() => isClose));
  }
  for (const [index, account] of ACCOUNTS.entries())
    for (const market of MARKETS) checkMarket(world, venues[index] as SurvivingVenue, account, market);
}

test('books, orders and positions agree after any sequence', async () => {
  const drawn = fc.infiniteStream(fc.nat(5)).map((stream) => () => stream.next().value as unknown as number);
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 2, maxLength: 25 }),
    drawn,
    drawn,
    async (steps, commitTurns, answerTurns) => {
      const world = openWorld({ commitTurns, answerTurns });
      let desk = await world.start();
      for (const each of steps) {
        begin(each, world, desk);
        for (let turns = each.gap + (each.death ?? 0); turns > 0; turns--) await turn();
        if (each.death === null) continue;
        world.die();
        desk = await world.start();
      }
      await settle(world, desk);
      check(world);
      // With nothing else under way, what is asked for is done whole.
      void desk.desk.canceler.cancelOrders({}, byTest);
      await settle(world, desk);
      expect(world.venues.flatMap((venue) => venue.resting())).toEqual([]);
      void closeAll(desk);
      await settle(world, desk);
      check(world);
      expect(world.venues.flatMap((venue) => MARKETS.map((market) => venue.held(market))).filter(Boolean)).toEqual([]);
      hurry();
    },
  );
  await fc.assert(property, { numRuns: RUNS });
});
