// Random entries, closes, prices, faults of the venue and deaths of the process, over a venue that keeps stops: every share is only
// ever changed by the trades of its own strategy, whoever sent them; nothing is closed twice; no stop is left behind; and whatever is
// held has its stop at the venue, or the owner was told.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases } from '../../../tests/support/thorough.ts';
import { isFinal } from '../books/journal.ts';
import { shareInWords } from '../books/strategy-book.ts';
import { decimal } from '../decimal.ts';
import type { Level } from '../level.ts';
import type { Action, ProtectRequest } from '../signal.ts';
import { turn } from '../testing/hurry.ts';
import type { PlaceFate } from '../testing/stop-keeping-venue.ts';
import { openVenueStopWorld, type VenueStopWorld } from './testing/venue-stop-world.ts';

const MARKET = 'AUSDT';
const STRATEGIES = [undefined, 'trend', 'range'] as const;
const percent = (value: number): Level => ({ unit: 'percent', value: decimal(value) });
const protects: fc.Arbitrary<ProtectRequest> = fc.record(
  {
    stopLoss: fc.integer({ min: 2, max: 9 }).map(percent),
    takeProfit: fc.integer({ min: 3, max: 9 }).map(percent),
    trail: fc.integer({ min: 3, max: 9 }).map(percent),
    targets: fc.constant([{ level: percent(4), share: decimal('0.5') }]),
  },
  { requiredKeys: ['stopLoss'] },
);
type Step =
  | { readonly kind: 'order'; readonly action: Action; readonly quantity: number; readonly protect: ProtectRequest }
  | { readonly kind: 'price'; readonly price: number }
  | { readonly kind: 'set'; readonly level: number }
  | { readonly kind: 'drop' };
const step = fc.record({
  does: fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('order' as const),
        action: fc.constantFrom<Action>('LONG', 'LONG', 'SHORT', 'CLOSE_LONG', 'CLOSE_SHORT'),
        quantity: fc.integer({ min: 1, max: 6 }),
        protect: protects,
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('price' as const), price: fc.integer({ min: 90, max: 110 }) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('set' as const), level: fc.integer({ min: 1, max: 12 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const) }) },
  ) as fc.Arbitrary<Step>,
  strategy: fc.constantFrom(...STRATEGIES),
  gap: fc.constantFrom(0, 1, 6, 20),
  death: fc.option(fc.record({ after: fc.nat(40), price: fc.option(fc.integer({ min: 90, max: 110 })) }), { freq: 4 }),
});
const drawn = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.infiniteStream(arbitrary).map((stream) => () => stream.next().value as unknown as T);
const fates = fc.record({
  answerTurns: drawn(fc.nat(4)),
  commitTurns: drawn(fc.nat(4)),
  place: drawn(fc.constantFrom<PlaceFate>('kept', 'kept', 'kept', 'lost', 'late', 'never', 'not-sent', 'refused')),
  isSlow: drawn(fc.constantFrom(false, false, true)),
  fills: drawn(fc.constantFrom(1e6, 1e6, 1)),
  isQuiet: drawn(fc.boolean()),
});

const signed = (side: string, quantity: bigint): number =>
  ((side === 'BUY' || side === 'LONG' ? 1 : -1) * Number(quantity)) / 1e12;
const add = (sums: Map<string, number>, name: string, amount: number): void =>
  void sums.set(name, (sums.get(name) ?? 0) + amount);
const sorted = (sums: Map<string, number>): readonly string[] =>
  [...sums]
    .filter(([, sum]) => sum !== 0)
    .map(([name, sum]) => `${name || '-'} ${sum}`)
    .sort();

/** What the strategies' own trades have bought and sold explains every share, and the venue holds their sum. */
function checkBooks({ disk, venue }: VenueStopWorld): void {
  const [traded, held] = [new Map<string, number>(), new Map<string, number>()];
  for (const { trade, orders, fills } of disk.rows())
    for (const { clientOrderId, quantity } of fills) {
      const side = orders.find((order) => order.clientOrderId === clientOrderId)?.side ?? '';
      add(traded, trade.order.strategy ?? '', signed(side, quantity));
    }
  const books = disk.books().length > 0 ? disk.books() : disk.positions().map((each) => ({ ...each, strategy: '' }));
  for (const { strategy, side, quantity } of books) add(held, strategy, signed(side, quantity));
  expect(sorted(held)).toEqual(sorted(traded));
  const net = [...held.values()].reduce((sum, each) => sum + each, 0);
  expect(venue.held(MARKET)).toBe(net === 0 ? '' : `${net > 0 ? 'LONG' : 'SHORT'} ${Math.abs(net)}`);
  expect([venue.faults, disk.adopted]).toEqual([[], []]);
}

/** Each that waits is ours, is for a share that is held, and for no more than it holds; together no more than the position. */
async function checkStops({ disk, venue, stored, desk }: VenueStopWorld): Promise<void> {
  const waiting = [...venue.all.values()].filter(({ state }) => state === 'waiting');
  const known = new Map((await stored.load()).map((stop) => [stop.clientStopId, stop]));
  expect(waiting.filter(({ clientStopId }) => !known.has(clientStopId))).toEqual([]);
  expect(await stored.load()).toHaveLength(waiting.length);
  const books = disk.books().length > 0 ? disk.books() : disk.positions().map((each) => ({ ...each, strategy: '' }));
  const held = new Map(books.filter(({ quantity }) => quantity > 0n).map((book) => [shareInWords(book), book]));
  const covered = new Map<string, bigint>();
  for (const { share, kind, quantity } of known.values()) {
    expect(held.get(shareInWords(share))?.quantity ?? 0n).toBeGreaterThanOrEqual(quantity);
    if (kind === 'stop') covered.set(shareInWords(share), (covered.get(shareInWords(share)) ?? 0n) + quantity);
    if (kind === 'take-profit') expect(held.size).toBe(1);
  }
  const sides = new Set([...held.values()].map(({ side }) => side));
  const guarded = desk.desk.protections.list().map(shareInWords);
  // Where nobody stands against the others, everything fits.
  if (sides.size === 1)
    for (const share of guarded) expect([share, covered.get(share)]).toEqual([share, held.get(share)?.quantity]);
}

async function take(world: VenueStopWorld, does: Step, strategy: string | undefined): Promise<void> {
  const { protections } = world.desk.desk;
  if (does.kind === 'drop') world.venue.drop(0);
  else if (does.kind === 'price') {
    world.venue.trade(does.price);
    world.see(does.price);
    world.clock.advance(2000);
    void protections.look();
  } else if (does.kind === 'set') {
    const share = {
      exchange: 'binance',
      account: 'main',
      market: MARKET,
      side: 'LONG',
      strategy: strategy ?? '',
    } as const;
    protections.set(share, { stopLoss: percent(does.level) }).catch(() => undefined);
  } else {
    const { action, quantity, protect } = does;
    const asks = action.startsWith('CLOSE') ? {} : { protect };
    const order = { market: MARKET, symbol: MARKET, action, quantity: decimal(quantity), strategy, ...asks };
    world.desk.trade('failover', { order }).catch(() => undefined);
  }
}

test('no share without a stop or a word, no stop without a share, and nobody else pays for it', async () => {
  let acted = 0;
  let own = 0;
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 3, maxLength: 16 }),
    fates,
    async (steps, drawnFates) => {
      let isKind = false;
      const { commitTurns, ...fate } = drawnFates;
      const world = await openVenueStopWorld({
        commitTurns,
        fate: {
          ...fate,
          place: () => (isKind ? 'kept' : fate.place()),
          isSlow: () => !isKind && fate.isSlow(),
          fills: () => (isKind ? 1e6 : fate.fills()),
        },
      });
      for (const { does, strategy, gap, death } of steps) {
        await take(world, does, strategy);
        for (let left = gap + (death?.after ?? 0); left > 0; left--) await turn();
        if (death === null) continue;
        world.die();
        if (death.price !== null) world.venue.trade(death.price);
        if (death.price !== null) world.see(death.price);
        await world.begin();
      }
      await world.rest();
      isKind = true;
      await world.look(8);
      await world.desk.desk.protections.venueStops?.sweep();
      await world.look(70);
      checkBooks(world);
      await checkStops(world);
      // Whatever is left meets its stop, at the venue or with us: first the longs, then the shorts.
      for (const price of [...Array(8).fill(50), ...Array(8).fill(300)]) {
        world.venue.trade(price);
        world.see(price);
        await world.look(2);
      }
      checkBooks(world);
      expect([world.venue.held(MARKET), world.desk.desk.protections.list(), world.venue.waiting()]).toEqual([
        '',
        [],
        [],
      ]);
      expect(world.disk.rows().filter(({ trade }) => !isFinal(trade.state))).toEqual([]);
      const closes = world.disk.rows().filter(({ trade }) => trade.keyLabel === 'protection');
      acted += closes.filter(({ trade }) => trade.requestId.startsWith('sbx')).length;
      own += closes.filter(({ trade }) => !trade.requestId.startsWith('sbx')).length;
    },
  );
  await fc.assert(property, { numRuns: cases(60) });
  expect(acted).toBeGreaterThan(2);
  expect(own).toBeGreaterThan(2);
});
