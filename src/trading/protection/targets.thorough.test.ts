// For random price paths targets, the stop at the entry price and the stop loss close exactly what their definition says, each
// once, however often the process dies on the way.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cases } from '../../../tests/support/thorough.ts';
import { decimal, toText } from '../decimal.ts';
import type { PositionSide } from '../venue.ts';
import { askedLike, openStopWorld, type StopWorld, settle } from './testing/stop-world.ts';

interface Plan {
  readonly side: PositionSide;
  /** Distances from the entry at 100, in whole prices, each further than the last; and shares in tenths. */
  readonly targets: readonly { readonly distance: number; readonly tenths: number }[];
  readonly stopDistance: number;
  readonly breakEvenAfter: number | undefined;
}

/** The definition once more, in plain numbers and one second after the other. */
function expectedCloses({ side, targets, stopDistance, breakEvenAfter }: Plan, path: readonly number[]): string[] {
  const sign = side === 'LONG' ? 1 : -1;
  const closes: string[] = [];
  let hit = 0;
  let left = 10;
  for (const price of path) {
    const gained = sign * (price - 100);
    const isEven = breakEvenAfter !== undefined && hit >= breakEvenAfter;
    if (gained <= (isEven ? 0 : -stopDistance))
      return [...closes, `${isEven ? 'break-even' : 'stop-loss'} ${left / 10}`];
    const reached = targets.findLastIndex(({ distance }, at) => at >= hit && gained >= distance);
    if (reached < 0) continue;
    const part = targets.slice(hit, reached + 1).reduce((sum, { tenths }) => sum + tenths, 0);
    closes.push(`target ${part / 10}`);
    left -= part;
    hit = reached + 1;
    if (left === 0) return closes;
  }
  return closes;
}

const plans: fc.Arbitrary<Plan> = fc
  .record({
    side: fc.constantFrom<PositionSide>('LONG', 'SHORT'),
    steps: fc.array(fc.record({ step: fc.integer({ min: 1, max: 4 }), tenths: fc.integer({ min: 1, max: 4 }) }), {
      minLength: 1,
      maxLength: 5,
    }),
    stopDistance: fc.integer({ min: 2, max: 8 }),
    even: fc.option(fc.nat(4), { nil: undefined }),
  })
  .map(({ side, steps, stopDistance, even }) => {
    let distance = 0;
    let spent = 0;
    const targets = steps.flatMap(({ step, tenths }) => {
      distance += step;
      const share = Math.min(tenths, 10 - spent);
      spent += share;
      return share === 0 ? [] : [{ distance, tenths: share }];
    });
    const breakEvenAfter = even === undefined ? undefined : 1 + (even % targets.length);
    return { side, targets, stopDistance, breakEvenAfter };
  });
const paths = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 3, maxLength: 40 }).map((steps) => {
  let price = 100;
  return steps.map((step) => {
    price += step;
    return price;
  });
});
const acts = fc.array(
  fc.record({
    seconds: fc.integer({ min: 1, max: 6 }),
    does: fc.constantFrom('look', 'kill', 'kill-in-a-look', 'dies-before', 'dies-after'),
  }),
  { minLength: 1, maxLength: 30 },
);

/** Looks until what was reached so far is closed, as the watch does every second. */
async function lookOn(world: StopWorld): Promise<void> {
  for (let looks = 0; looks < 14; looks++) {
    await world.protections.look();
    await settle();
    world.settleTrades();
  }
}

it('closes exactly what the definition says, once, across restarts at any second', async () => {
  let closed = 0;
  await fc.assert(
    fc.asyncProperty(plans, paths, acts, async (plan, path, script) => {
      const world = await openStopWorld(plan.side);
      const sign = plan.side === 'LONG' ? 1 : -1;
      world.cells[0] = { low: 100, high: 100 };
      await world.protections.set(
        { exchange: 'binance', account: 'main', market: 'BTCUSDT', side: plan.side },
        askedLike({
          stopLoss: decimal(100 - sign * plan.stopDistance),
          targets: plan.targets.map(({ distance, tenths }) => ({
            level: decimal(100 + sign * distance),
            share: decimal(tenths / 10),
          })),
          ...(plan.breakEvenAfter !== undefined && { breakEvenAfter: plan.breakEvenAfter }),
        }),
      );
      path.forEach((price, second) => {
        world.cells[second + 1] = { low: price, high: price };
      });
      for (const { seconds, does } of script) {
        world.elapsedMs += seconds * 1000;
        if (does === 'kill') await world.restart();
        else if (does === 'kill-in-a-look') {
          void world.protections.look();
          await world.restart();
        } else if (does === 'look') await lookOn(world);
        else {
          world.fate = does as 'dies-before' | 'dies-after';
          await world.protections.look();
          await settle();
          await world.restart();
          world.fate = undefined;
        }
      }
      world.elapsedMs = Math.max(world.elapsedMs, (path.length + 2) * 1000);
      await world.restart();
      await lookOn(world);
      const inWords = world.closes.map(({ by, quantity }) => `${by} ${toText(quantity)}`);
      expect(inWords).toEqual(expectedCloses(plan, path));
      expect(new Set(world.closes.map(({ requestId }) => requestId)).size).toBe(world.closes.length);
      expect(world.troubles).toEqual([]);
      closed += inWords.length;
    }),
    { numRuns: cases(1000) },
  );
  expect(closed).toBeGreaterThan(100);
});
