// For random price paths a stop fires exactly when its definition says, once, however often the process dies on the way.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cases } from '../../../tests/support/thorough.ts';
import { decimal, toText } from '../decimal.ts';
import type { Levels } from '../fixed-levels.ts';
import type { PositionSide } from '../venue.ts';
import type { Protection } from './protection.ts';
import { type Cell, openStopWorld, type StopWorld, settle, WORLD_START_MS } from './testing/stop-world.ts';

interface Plan {
  readonly side: PositionSide;
  /** Whole prices and hundredths of a percent, so that plain numbers are exact. */
  readonly trail: { readonly percent: number } | { readonly amount: number } | undefined;
  readonly activation: number | undefined;
  readonly stopLoss: number | undefined;
  readonly takeProfit: number | undefined;
}

/** The definition once more, in plain numbers and one second after the other. */
function firstShot(plan: Plan, cells: readonly Cell[]): { second: number; by: string; level: number } | undefined {
  const sign = plan.side === 'LONG' ? 1 : -1;
  let peak: number | undefined;
  for (const [second, cell] of cells.entries()) {
    if (cell === undefined) continue;
    const [worst, best] = sign === 1 ? [cell.low, cell.high] : [cell.high, cell.low];
    const { trail, activation, stopLoss, takeProfit } = plan;
    if (stopLoss !== undefined && sign * worst <= sign * stopLoss) return { second, by: 'stop-loss', level: stopLoss };
    if (trail && peak !== undefined) {
      // In ten-thousandths, so that every number is whole.
      const level = peak * 10_000 - sign * ('percent' in trail ? peak * trail.percent : trail.amount * 10_000);
      if (sign * worst * 10_000 <= sign * level) return { second, by: 'trailing-stop', level: level / 10_000 };
    }
    if (takeProfit !== undefined && sign * best >= sign * takeProfit)
      return { second, by: 'take-profit', level: takeProfit };
    if (!trail) continue;
    const begins = activation === undefined || sign * best >= sign * activation;
    if (peak !== undefined) peak = sign * Math.max(sign * peak, sign * best);
    else if (begins) peak = best;
  }
  return undefined;
}

const levelsOf = ({ trail, activation, stopLoss, takeProfit }: Plan): Levels => ({
  ...(trail && {
    trail: 'percent' in trail ? { percent: decimal(String(trail.percent / 100)) } : { amount: decimal(trail.amount) },
  }),
  ...(activation !== undefined && { activationPrice: decimal(activation) }),
  ...(stopLoss !== undefined && { stopLoss: decimal(stopLoss) }),
  ...(takeProfit !== undefined && { takeProfit: decimal(takeProfit) }),
});

const price = fc.integer({ min: 9000, max: 11_000 });
const maybe = <T>(arb: fc.Arbitrary<T>) => fc.option(arb, { nil: undefined, freq: 2 });
const plans: fc.Arbitrary<Plan> = fc.record({
  side: fc.constantFrom<PositionSide>('LONG', 'SHORT'),
  trail: fc.oneof(
    { weight: 4, arbitrary: fc.record({ percent: fc.integer({ min: 1, max: 800 }) }) },
    { weight: 2, arbitrary: fc.record({ amount: fc.integer({ min: 1, max: 800 }) }) },
    fc.constant(undefined),
  ),
  activation: maybe(price),
  stopLoss: maybe(price),
  takeProfit: maybe(price),
});
/** A walk with spikes and silent seconds. */
const paths: fc.Arbitrary<Cell[]> = fc
  .array(
    fc.record({
      step: fc.integer({ min: -60, max: 60 }),
      up: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 300 })),
      down: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 300 })),
      silent: fc.boolean(),
    }),
    { minLength: 1, maxLength: 150 },
  )
  .map((steps) => {
    let last = 10_000;
    return steps.map(({ step, up, down, silent }, index) => {
      last += step;
      return silent && index % 5 === 0 ? undefined : { low: last - down, high: last + up };
    });
  });
type Act = { readonly kind: 'look' | 'kill' | 'kill-in-a-look' | 'blind-look'; readonly afterMs: number };
const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.record({
    kind: fc.constantFrom<Act['kind']>('look', 'look', 'look', 'kill', 'kill-in-a-look', 'blind-look'),
    afterMs: fc.oneof(fc.integer({ min: 0, max: 2500 }), fc.integer({ min: 0, max: 40_000 })),
  }),
  { maxLength: 60 },
);
const fates = fc.constantFrom<StopWorld['fate']>(undefined, undefined, 'dies-before', 'dies-after', 'refused');

/** How far the market traded cannot be read, only the last price. */
async function firesBlindly(world: StopWorld): Promise<boolean> {
  world.blind = 'ranges';
  await world.protections.look();
  world.blind = undefined;
  await settle();
  return world.protections.list()[0]?.fired !== undefined;
}

it('fires exactly when the definition says, once, across restarts at any second', async () => {
  let shots = 0;
  await fc.assert(
    fc.asyncProperty(plans, paths, acts, fates, async (plan, cells, script, fate) => {
      const world = await openStopWorld(plan.side);
      const stop: Protection = {
        ...{
          exchange: 'binance',
          mode: 'paper',
          account: 'main',
          market: 'BTCUSDT',
          side: plan.side,
          strategy: '',
          ...levelsOf(plan),
        },
        ...{ createdAtMs: 0, seenUntilMs: WORLD_START_MS, closeRequestId: 'close-first' },
      };
      await world.store.write({ save: [stop] });
      await world.restart();
      world.cells.push(...cells);
      world.fate = fate;
      const shot = firstShot(plan, cells);
      let wasBlind = false;
      for (const { kind, afterMs } of [...script, { kind: 'look' as const, afterMs: 200_000 }]) {
        world.elapsedMs += afterMs;
        const isDue = shot !== undefined && shot.second < Math.floor(world.elapsedMs / 1000);
        if (kind === 'kill') await world.restart();
        else if (kind === 'kill-in-a-look') {
          void world.protections.look();
          await world.restart();
        } else if (kind === 'look') {
          await world.protections.look();
          await settle();
          const [protection] = world.protections.list();
          // Nothing is decided early, and nothing late.
          expect(protection?.fired !== undefined).toBe(isDue);
          if (isDue) break;
        } else if (await firesBlindly(world)) {
          // The last price alone finds only what its whole second would find.
          expect(shot?.second).toBeLessThanOrEqual(Math.floor(world.elapsedMs / 1000));
          wasBlind = true;
          break;
        }
      }
      const fired = world.protections.list()[0]?.fired;
      if (shot === undefined) {
        expect([fired, world.closes]).toEqual([undefined, []]);
        return;
      }
      shots++;
      if (!wasBlind) expect([fired?.by, fired?.level && toText(fired.level)]).toEqual([shot.by, String(shot.level)]);
      // The process may have died while it closed: the next one goes on, and there is one close in the end.
      for (let round = 0; round < 3; round++) {
        await world.restart();
        world.elapsedMs += 61_000;
        await world.protections.look();
        await settle();
      }
      world.settleTrades();
      expect(world.protections.list()).toEqual([]);
      await world.restart();
      await world.protections.look();
      expect(world.closes.length).toBe(fate === 'refused' ? 2 : 1);
      expect(world.troubles.filter((trouble) => !trouble.includes('cannot see its prices'))).toEqual([]);
    }),
    { numRuns: cases(1000) },
  );
  expect(shots).toBeGreaterThan(100);
});
