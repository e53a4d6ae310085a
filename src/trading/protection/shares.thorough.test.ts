// Random entries of several strategies, each with its protection, random changes by the owner, prices and deaths: every
// strategy's share is only ever reduced by its own signals and its own protection, to zero at most; no share is ever without
// the stop it was acknowledged with; and in the end the stops have closed everything.

import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { replay } from '../../../tests/support/as-if-in-order.ts';
import { cases } from '../../../tests/support/thorough.ts';
import { type StrategyBook, shareInWords } from '../books/strategy-book.ts';
import { decimal } from '../decimal.ts';
import type { Level } from '../level.ts';
import type { Action, ProtectRequest } from '../signal.ts';
import { createCrashableJournal } from '../testing/crashable-journal.ts';
import { advance, hurry, turn } from '../testing/hurry.ts';
import { createMemoryOutbox } from '../testing/memory-outbox.ts';
import { createSurvivingVenue } from '../testing/surviving-venue.ts';
import { createTestClock, openTestDesk, type TestDesk } from '../testing/test-desk.ts';
import type { PendingStop, ProtectionStore } from './protection-store.ts';
import { memoryProtectionStore } from './testing/memory-protection-store.ts';

beforeEach(hurry);

const MARKET = 'AUSDT';
const STRATEGIES = [undefined, 'trend', 'range'] as const;

const percent = (value: number): Level => ({ unit: 'percent', value: decimal(value) });
const protects: fc.Arbitrary<ProtectRequest> = fc.record(
  {
    stopLoss: fc.integer({ min: 2, max: 9 }).map(percent),
    trail: fc.integer({ min: 3, max: 9 }).map(percent),
    targets: fc
      .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 4, max: 6 }), fc.constantFrom('0.5', '0.34', '0.9'))
      .map(([near, far, share]) => [
        { level: percent(near), share: decimal(share) },
        { level: percent(far), share: decimal('0.1') },
      ]),
    maxHoldSeconds: fc.integer({ min: 3, max: 40 }),
  },
  { requiredKeys: ['stopLoss'] },
);

type Step =
  | { readonly kind: 'entry'; readonly action: Action; readonly quantity: number; readonly protect: ProtectRequest }
  | { readonly kind: 'set'; readonly level: number }
  | { readonly kind: 'price'; readonly price: number };
const step = fc.record({
  does: fc.oneof(
    fc.record({
      kind: fc.constant('entry' as const),
      action: fc.constantFrom<Action>('LONG', 'SHORT', 'CLOSE_LONG', 'CLOSE_SHORT'),
      quantity: fc.integer({ min: 1, max: 6 }),
      protect: protects,
    }),
    fc.record({ kind: fc.constant('set' as const), level: fc.integer({ min: 1, max: 12 }) }),
    fc.record({ kind: fc.constant('price' as const), price: fc.integer({ min: 90, max: 110 }) }),
  ) as fc.Arbitrary<Step>,
  strategy: fc.constantFrom(...STRATEGIES),
  gap: fc.constantFrom(0, 1, 6, 20),
  death: fc.option(fc.nat(60), { freq: 3 }),
});
const drawn = (max: number) =>
  fc.infiniteStream(fc.nat(max)).map((stream) => () => stream.next().value as unknown as number);

/** The protections' disk: written in order, not at all by a dead process; pending stops are there with their entry. */
function openWorld(commitTurns: () => number) {
  const disk = createCrashableJournal({ commitTurns, fails: () => false });
  const kept = memoryProtectionStore();
  const settled = new Set<string>();
  const venue = createSurvivingVenue(() => 0);
  const clock = createTestClock();
  let generation = 0;
  let price = '100';
  const pending = (): PendingStop[] =>
    disk
      .rows()
      .flatMap(({ trade: { requestId, order } }) =>
        order.protect && !settled.has(requestId) ? [{ requestId, createdAtMs: 0, asked: order.protect }] : [],
      );
  const storeOf = (mine: number): ProtectionStore => ({
    load: async () => ({ ...(await kept.load()), pending: pending() }),
    async write(change) {
      for (let turns = commitTurns(); turns > 0; turns--) await turn();
      if (mine !== generation) await new Promise<never>(() => {});
      for (const requestId of change.settled ?? []) settled.add(requestId);
      await kept.write(change);
    },
  });
  const start = async (): Promise<TestDesk> => {
    const prices = { lastPrice: async () => price, range: async () => ({ low: price, high: price }) };
    const made = await openTestDesk({
      ...{ journal: disk.connect(), signals: { add: async () => undefined } as never, outbox: createMemoryOutbox() },
      ...{ venues: [venue.connect()], clock, protection: { store: storeOf(generation), pricesOf: () => prices } },
    });
    await made.desk.start({ afterCrash: true });
    return made;
  };
  return {
    disk,
    venue,
    start,
    async restart(): Promise<TestDesk> {
      generation++;
      disk.die();
      venue.die();
      hurry();
      return start();
    },
    /** So the market trades from now on; seen by one look. */
    async trade(desk: TestDesk, next: number): Promise<void> {
      price = String(next);
      clock.advance(2000);
      await desk.desk.protections.look();
    },
  };
}
type PropertyWorld = ReturnType<typeof openWorld>;

async function becomeQuiet({ disk }: PropertyWorld, desk: TestDesk): Promise<void> {
  const isOver = (): boolean => disk.rows().every(({ trade }) => ['filled', 'rejected'].includes(trade.state));
  for (let quiet = 0, patience = 0; quiet < 12; patience++) {
    if (patience > 3000) throw new Error('it does not come to an end');
    await turn();
    await advance(20);
    quiet = isOver() && desk.desk.backlog() === 0 ? quiet + 1 : 0;
  }
}

const heldShares = ({ disk }: PropertyWorld): readonly StrategyBook[] => {
  const books = disk.books().filter(({ quantity }) => quantity > 0n);
  if (disk.books().length > 0) return books;
  const held = disk.positions().filter(({ quantity }) => quantity > 0n);
  return held.map((position) => ({ ...position, strategy: '' }));
};

/** Every trade in the order of acceptance explains every share, and the venue agrees. */
function checkBooks(world: PropertyWorld): void {
  const rows = world.disk.rows();
  const { faults, position, shares } = replay(
    rows.map(({ trade }) => ({
      ...{ name: `#${trade.seq} ${trade.source}`, action: trade.order.action, strategy: trade.order.strategy },
      // The market trades whole pieces.
      ...{ quantity: Math.floor(Number(trade.order.quantity) / 1e12), state: trade.state },
      executedQuantity: Number(trade.executedQuantity) / 1e12,
    })),
  );
  expect(faults.filter((fault) => !fault.includes(' 0 ended as'))).toEqual([]);
  expect(world.venue.faults).toEqual([]);
  expect(world.disk.adopted).toEqual([]);
  expect(world.venue.held(MARKET)).toBe(position);
  const ours = heldShares(world).map(
    ({ strategy, side, quantity }) => `${strategy} ${side} ${Number(quantity) / 1e12}`,
  );
  const explained = [...shares].filter(([, share]) => share !== 0);
  const inWords = explained.map(([name, share]) => `${name} ${share > 0 ? 'LONG' : 'SHORT'} ${Math.abs(share)}`);
  expect([...ours].sort()).toEqual(inWords.sort());
}

test('each share is guarded, closed once, by its own stops, and by nobody else', async () => {
  let closes = 0;
  let targets = 0;
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 3, maxLength: 18 }),
    drawn(10),
    async (steps, turns) => {
      const world = openWorld(turns);
      let desk = await world.start();
      for (const { does, strategy, gap, death } of steps) {
        if (does.kind === 'price') await world.trade(desk, does.price);
        else if (does.kind === 'set') {
          const where = {
            exchange: 'binance',
            account: 'main',
            market: MARKET,
            side: 'LONG',
            strategy: strategy ?? '',
          } as const;
          desk.desk.protections.set(where, { stopLoss: percent(does.level) }).catch(() => undefined);
        } else {
          const { action, quantity, protect } = does;
          const asks = action.startsWith('CLOSE') ? {} : { protect };
          const order = { market: MARKET, symbol: MARKET, action, quantity: decimal(quantity), strategy, ...asks };
          desk.trade('failover', { order }).catch(() => undefined);
        }
        for (let left = gap + (death ?? 0); left > 0; left--) await turn();
        if (death !== null) desk = await world.restart();
      }
      await becomeQuiet(world, desk);
      checkBooks(world);
      const guarded = new Set(desk.desk.protections.list().map(shareInWords));
      expect(
        heldShares(world)
          .map(shareInWords)
          .filter((share) => !guarded.has(share)),
      ).toEqual([]);
      // Whatever is left meets its stop: first the longs, then the shorts. A target that is too small takes a few looks.
      for (const price of [...Array(8).fill(50), ...Array(8).fill(300)]) {
        await world.trade(desk, price);
        await becomeQuiet(world, desk);
      }
      checkBooks(world);
      expect([world.venue.held(MARKET), desk.desk.protections.list()]).toEqual(['', []]);
      const own = world.disk.rows().filter(({ trade }) => trade.keyLabel === 'protection');
      for (const { trade, fills } of own) {
        const strategies = fills.flatMap(({ shares = [] }) => shares.map((share) => share.strategy));
        expect(strategies.filter((name) => name !== (trade.order.strategy ?? ''))).toEqual([]);
      }
      closes += own.length;
      targets += own.filter(({ trade }) => trade.source === 'target').length;
    },
  );
  await fc.assert(property, { numRuns: cases(75) });
  expect(closes).toBeGreaterThan(5);
  expect(targets).toBeGreaterThan(0);
});
