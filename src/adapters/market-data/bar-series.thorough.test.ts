// The series of bars under any order of frames: never backward, each bar final once, and none left out.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cases } from '../../../tests/support/thorough.ts';
import type { LiveBar } from '../../market-data/bar-feed.ts';
import { BarSeries } from './bar-series.ts';
import { pacingOf } from './feed-options.ts';

const STEP_MS = 60_000;
const START_MS = 1_800_000_000_000 - (1_800_000_000_000 % STEP_MS);

const bar = (index: number, closed: boolean): LiveBar => ({
  time: START_MS + index * STEP_MS,
  open: 10,
  high: 12,
  low: 8,
  close: 11,
  volume: 5,
  closed,
});

const QUIET = { info() {}, warn() {} };
const pacing = pacingOf({
  pacing: { confirmDelayMs: 0, closeGraceMs: 60_000 },
  nowMs: Date.now,
  monotonicMs: Date.now,
  random: Math.random,
  log: QUIET,
});

/** Sends the frames with a turn of the loop now and then, and returns what came out once all is settled. */
async function through(frames: readonly (readonly [index: number, closed: boolean, wait: boolean])[], works = true) {
  const out: LiveBar[] = [];
  let underWay = 0;
  const series = new BarSeries({
    timeframeMs: STEP_MS,
    pacing,
    nowMs: () => START_MS,
    log: QUIET,
    async history(fromMs, toMs) {
      underWay += 1;
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      if (!works) throw new Error('no history');
      const count = (toMs - fromMs) / STEP_MS;
      return Array.from({ length: count }, (_, i) => bar((fromMs - START_MS) / STEP_MS + i, true));
    },
    emit: (one) => out.push(one),
  });
  let eventMs = START_MS;
  for (const [index, closed, wait] of frames) {
    eventMs = Math.max(eventMs + 1, START_MS + index * STEP_MS);
    series.take(bar(index, closed), eventMs);
    if (wait) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  for (let calm = 0; calm < 3; calm = underWay > 0 ? 0 : calm + 1)
    await new Promise((resolve) => setTimeout(resolve, 2));
  series.close();
  return out;
}

const frame = fc.tuple(fc.integer({ min: 0, max: 12 }), fc.boolean(), fc.boolean());

it('never goes backward and tells each bar once as final, whatever comes in', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { maxLength: 25 }), fc.boolean(), async (frames, works) => {
      const out = await through(frames, works);
      const finals = new Set<number>();
      let lastMs = 0;
      for (const { time, closed } of out) {
        expect(time).toBeGreaterThanOrEqual(lastMs);
        expect(finals.has(time)).toBe(false);
        if (closed) finals.add(time);
        lastMs = time;
      }
    }),
    { numRuns: cases(60) },
  );
});

it('leaves no bar out between the first and the last while there is a history', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 25 }), async (frames) => {
      const times = [...new Set((await through(frames)).map(({ time }) => (time - START_MS) / STEP_MS))];
      const [first = 0] = times;
      expect(times).toEqual(times.map((_, i) => first + i));
      const finals = (await through(frames)).filter(({ closed }) => closed).length;
      expect(finals).toBeGreaterThanOrEqual(times.length - 1);
    }),
    { numRuns: cases(40) },
  );
});
