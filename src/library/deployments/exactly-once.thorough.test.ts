// The promise of live deployments as a property: whatever closes, crashes, is late or fails, each bar is told of once.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases } from '../../../tests/support/thorough.ts';
import { graceMs } from './market-track.ts';
import { barAt, MINUTE_MS } from './testing/hand-market.ts';
import { isAlerting } from './testing/hand-runner.ts';
import { ANN, HOOK, openTestSetup, type TestSetup } from './testing/open-test-setup.ts';

type Step =
  | { readonly do: 'close'; readonly isTold: boolean }
  /** As a hub does after a loss: what closed meanwhile, in order and in one go. */
  | { readonly do: 'recover' }
  | { readonly do: 'tell-again' | 'tick' | 'lose' | 'find' | 'busy' | 'idle' | 'deaf' | 'hearing' | 'pause' | 'resume' }
  | { readonly do: 'wait' | 'crash'; readonly ms: number }
  /** At so many calls from now to the store or to a receiver, before or after it is done. */
  | { readonly do: 'doom'; readonly calls: number; readonly moment: 'before' | 'after'; readonly downMs: number }
  | { readonly do: 'full-disk'; readonly calls: number };

const downMs = fc.oneof(fc.constant(0), fc.nat(40_000), fc.nat(300_000));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('close' as const), isTold: fc.boolean() }) },
  { weight: 6, arbitrary: fc.constant({ do: 'close' as const, isTold: true }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('tell-again', 'tick', 'lose', 'find', 'busy', 'idle', 'deaf', 'hearing', 'pause', 'resume'),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ do: 'recover' as const }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('wait', 'crash'), ms: downMs }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('doom' as const),
      calls: fc.nat(12),
      moment: fc.constantFrom('before', 'after'),
      downMs,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('full-disk' as const), calls: fc.integer({ min: 1, max: 4 }) }) },
);

const steps = fc.array(step, { minLength: 1, maxLength: 40, size: 'max' });
/** Nothing holds up a run here, so that how late an alert comes can be measured exactly. */
const swiftSteps = steps.map((all) => all.filter((step) => step.do !== 'busy' && step.do !== 'full-disk'));

interface Doom {
  calls: number;
  readonly moment: 'before' | 'after';
  readonly downMs: number;
}

/** Plays the steps; where a doom strikes, the process is dead until the step is over. */
async function play(setup: TestSetup, id: string, steps: readonly Step[]): Promise<void> {
  let doom: Doom | undefined;
  let struckMs: number | undefined;
  let fullDisk = 0;
  const strike = (moment: 'before' | 'after'): void => {
    if (doom === undefined || doom.moment !== moment) return;
    if (doom.calls > 0) doom.calls -= 1;
    else {
      struckMs = doom.downMs;
      doom = undefined;
      setup.die();
    }
  };
  setup.onStore = (method, moment) => {
    if (moment === 'before' && method === 'commitBar' && fullDisk > 0) {
      fullDisk -= 1;
      throw new Error('the disk is full');
    }
    strike(moment);
  };
  setup.onDeliver = () => strike('before');
  let isDeaf = false;
  const deafness = setup.onDeliver;
  setup.onDeliver = async (arrived) => {
    await deafness(arrived);
    if (isDeaf) throw new Error('answered 503');
  };
  for (const step of steps) {
    switch (step.do) {
      case 'close':
        await setup.closeBar(step.isTold);
        break;
      case 'tell-again':
        setup.market.tell(setup.market.formingMs - MINUTE_MS);
        setup.market.tell(setup.market.formingMs - 3 * MINUTE_MS);
        break;
      case 'recover':
        setup.market.state('reconnecting');
        for (let back = 10; back > 0; back -= 1) setup.market.tell(setup.market.formingMs - back * MINUTE_MS);
        setup.market.state('live');
        break;
      case 'tick':
        setup.market.tick();
        break;
      case 'lose':
        setup.market.state('reconnecting');
        break;
      case 'find':
        setup.market.state('live');
        break;
      case 'busy':
        setup.runner.answer = () => ({ kind: 'busy', reason: 'others wait' });
        break;
      case 'idle':
        setup.runner.answer = undefined;
        break;
      case 'deaf':
      case 'hearing':
        isDeaf = step.do === 'deaf';
        break;
      case 'pause':
      case 'resume':
        // Of a process that dies under it nobody hears the answer.
        void setup.deployments[step.do](ANN, id).catch(() => undefined);
        break;
      case 'wait':
        await setup.pass(step.ms);
        break;
      case 'crash':
        if (struckMs === undefined) {
          setup.die();
          struckMs = step.ms;
        }
        break;
      case 'doom':
        doom = { ...step };
        break;
      case 'full-disk':
        fullDisk = step.calls;
        break;
    }
    await setup.clock.advance(0);
    if (struckMs !== undefined) {
      await setup.pass(struckMs);
      struckMs = undefined;
      doom = undefined;
      await setup.rise();
    }
  }
  // In the end everything works, and there is time for it.
  isDeaf = false;
  fullDisk = 0;
  doom = undefined;
  setup.runner.answer = undefined;
  setup.market.state('live');
  await setup.pass(120_000);
  await setup.deployments.resume(ANN, id);
  for (let bar = 0; bar < 2; bar += 1) await setup.closeBar();
  await setup.pass(120_000);
}

const missedIn = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + Number(/^missed: (\d+) bar/.exec(line)?.[1] ?? 0), 0);

test('each event of a newest bar is one row and reaches its target, none is of history, no bar is skipped in silence', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(steps, swiftSteps), async (steps) => {
      const setup = openTestSetup(1100);
      try {
        const { id, lastBarTimeMs } = await setup.deploy();
        const runsBefore = setup.runner.requests.length;
        await play(setup, id, steps);
        const events = setup.events();
        const keys = events.map(({ barTimeMs, ordinal }) => `${barTimeMs} ${ordinal}`);
        expect(new Set(keys).size).toBe(keys.length);
        for (const { barTimeMs, createdAtMs } of events) {
          expect(isAlerting(barAt(barTimeMs).close)).toBe(true);
          expect(barTimeMs).toBeGreaterThan(lastBarTimeMs);
          // Noticed in time; a busy pool or a full disk may have held it up, but no longer than ten minutes and a pause.
          const isHeldUp = steps.some((step) => step.do === 'busy' || step.do === 'full-disk');
          expect(createdAtMs - (barTimeMs + MINUTE_MS)).toBeLessThanOrEqual(
            graceMs(MINUTE_MS) + (isHeldUp ? 632_000 : 0),
          );
        }
        const lines = await setup.logs(id);
        const abandoned = lines.filter((line) => line.startsWith('abandoned')).length;
        const reached = new Set(setup.arrived.map(({ event }) => event.id));
        expect(reached.size + abandoned).toBeGreaterThanOrEqual(events.length);
        for (const eventId of reached) expect(events.map((event) => event.id)).toContain(eventId);
        const deployment = await setup.store.read(ANN, id);
        expect(deployment?.state).toBe('running');
        expect(deployment?.targets).toEqual([HOOK]);
        expect(deployment?.alerts).toBe(events.length);
        expect(setup.runner.requests.length).toBeGreaterThan(runsBefore);
        expect(deployment?.runs).toBeGreaterThan(0);
        // Every bar since the deployment was run or told of as missed, unless its owner had paused it.
        const isPaused = steps.some((step) => step.do === 'pause');
        const bars = ((deployment?.lastBarTimeMs as number) - lastBarTimeMs) / MINUTE_MS;
        if (!isPaused) expect((deployment?.runs as number) + missedIn(lines)).toBe(bars);
        expect(deployment?.lastBarTimeMs).toBe(setup.market.formingMs - MINUTE_MS);
      } finally {
        await setup.close();
      }
    }),
    { numRuns: cases(40) },
  );
}, 60_000);
