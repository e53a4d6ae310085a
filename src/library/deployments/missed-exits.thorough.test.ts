// The promise of late exits as a property: no outage leaves signals that hold more than the script does.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases } from '../../../tests/support/thorough.ts';
import type { EventOrder } from './deployment.ts';
import { ANN } from './testing/open-test-setup.ts';
import { deployOrders } from './testing/ordering-strategy.ts';

/** What an account holds that trades as the signals say. */
function traded(account: number, { before, after }: EventOrder): number {
  if (after === 0) return 0;
  if (before === 0) return account + after;
  if (Math.sign(after) !== Math.sign(before)) return after;
  const change = after - before;
  const isExit = Math.abs(after) < Math.abs(before);
  return isExit && Math.abs(change) > Math.abs(account) ? 0 : account + change;
}

type Step =
  | { readonly do: 'live' }
  | { readonly do: 'deaf' }
  | { readonly do: 'away' | 'restart'; readonly bars: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ do: 'live' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'deaf' as const }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('away', 'restart'), bars: fc.nat(4) }) },
);

test('whatever fills and whenever it is away, the signals never hold more than the script, and nothing when it is flat', async () => {
  const quantities = fc.array(fc.constantFrom(0, 0, 1, 2, 0.3, -1, -2, -0.3, 3, -3), { minLength: 20, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(quantities, fc.array(step, { minLength: 4, maxLength: 14 }), async (quantities, steps) => {
      const strategy = await deployOrders(quantities);
      const { setup, id } = strategy;
      try {
        for (const one of steps) {
          if (one.do === 'live') await strategy.live();
          else if (one.do === 'deaf') await setup.closeBar(false);
          else if (one.do === 'away') await strategy.away(one.bars);
          else {
            for (let bar = 0; bar < one.bars; bar += 1) await setup.closeBar();
            await setup.crash();
          }
          await strategy.tick();
          const script = (await setup.store.read(ANN, id))?.position ?? 0;
          const account = strategy.orders().reduce(traded, 0);
          const noise = 1e-9;
          expect(Math.abs(account)).toBeLessThanOrEqual(Math.abs(script) + noise);
          if (Math.abs(account) > noise) expect(Math.sign(account)).toBe(Math.sign(script));
        }
        const ids = setup.arrived.map(({ event }) => event.id);
        expect(new Set(ids).size).toBe(ids.length);
      } finally {
        await setup.close();
      }
    }),
    { numRuns: cases(50) },
  );
}, 120_000);
