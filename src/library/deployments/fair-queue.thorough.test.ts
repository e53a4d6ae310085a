// Whoever floods the queue, and however slow he is: each task that waits has its turn after a bounded number of others.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases } from '../../../tests/support/thorough.ts';
import { FairQueue } from './fair-queue.ts';

const DEPLOYMENTS = 12;
const member = fc.record({
  owner: fc.integer({ min: 0, max: 4 }),
  isTrading: fc.boolean(),
  isQuick: fc.boolean(),
  usedMs: fc.integer({ min: 0, max: 100_000 }),
});

test('no task waits for more turns than four times the deployments there are', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(member, { minLength: 2, maxLength: DEPLOYMENTS }),
      fc.nat(1000),
      async (members, seed) => {
        const turns = { true: 0, false: 0 };
        /** For each deployment, at which turn its waiting task was added, and the longest that one has waited. */
        const sinceTurn: number[] = [];
        let longest = 0;
        const ends: (() => void)[] = [];
        const used = (userId: string): number => members.find(({ owner }) => userId === `${owner}`)?.usedMs ?? 0;
        const queue = new FairQueue({
          ...{ places: { quick: 4, slow: 2 }, maxWaiting: 100, timers: { after: () => () => {} } },
          paces: { isQuick: ({ id }) => members[Number(id)]?.isQuick ?? false, usedMs: used },
        });
        /** Each deployment has one task that waits, always: the queue is never empty. */
        const add = (place: number): void => {
          const { owner, isTrading, isQuick } = members[place] as (typeof members)[number];
          const kind = `${isQuick}` as const;
          sinceTurn[place] = turns[kind];
          queue.add({ id: `${place}`, userId: `${owner}`, timeframeMs: 1, isTrading }, () => {
            turns[kind] += 1;
            // Until it ends and is added again, nothing of it waits.
            sinceTurn[place] = Number.POSITIVE_INFINITY;
            return new Promise((resolve) =>
              ends.push(() => {
                add(place);
                resolve(undefined);
              }),
            );
          });
        };
        for (const place of members.keys()) add(place);
        for (let step = 0; step < 400; step += 1) {
          await new Promise((resolve) => setImmediate(resolve));
          // Whichever of those under way ends next.
          ends.splice((step * 7 + seed) % ends.length, 1)[0]?.();
          for (const [place, { isQuick }] of members.entries())
            longest = Math.max(longest, turns[`${isQuick}`] - (sinceTurn[place] as number));
        }
        expect(longest).toBeLessThanOrEqual(4 * (members.length + 2));
        void queue.stop();
      },
    ),
    { numRuns: cases(25) },
  );
}, 60_000);
