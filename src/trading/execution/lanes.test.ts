// Lanes: strict order within one, progress in all, patience of the awaited, and an orderly stop.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHandClock } from '../../timing/testing/hand-clock.ts';
import { turn } from '../testing/hurry.ts';
import { Lanes, Stopping } from './lanes.ts';

function open(impatientAfterMs = 1000) {
  const clock = { nowMs: 0 };
  const { timers, advance } = createHandClock(0);
  return { lanes: new Lanes({ monotonicMs: () => clock.nowMs, timers, impatientAfterMs }), clock, advance };
}

const pieces = fc.array(
  fc.record({
    lane: fc.constantFrom('a', 'b', 'c'),
    priority: fc.constantFrom<'awaited' | 'background'>('awaited', 'background'),
    turns: fc.nat({ max: 3 }),
    fails: fc.boolean(),
    pauseBefore: fc.boolean(),
  }),
  { maxLength: 25 },
);

describe('lanes', () => {
  test('let what belongs to the piece that runs go before all that waits, and nothing after a stop', async () => {
    const { lanes } = open();
    const done: string[] = [];
    const piece =
      (name: string, more = () => {}) =>
      async (): Promise<void> => {
        more();
        await turn();
        done.push(name);
      };
    lanes.post(
      'a',
      piece('fill', () => lanes.postFirst('a', piece('its stop'))),
    );
    lanes.post('a', piece('background'));
    void lanes.run('a', piece('awaited'), 'awaited');
    await lanes.idle();
    expect(done).toEqual(['fill', 'its stop', 'background', 'awaited']);
    await lanes.stop(0);
    lanes.postFirst('a', piece('late'));
    await turn();
    expect([lanes.size(), done.length]).toEqual([0, 4]);
  });

  test('run each lane strictly in order, one piece at a time, and everything ends', async () => {
    await fc.assert(
      fc.asyncProperty(pieces, async (list) => {
        const { lanes } = open();
        const started = new Map<string, number[]>();
        const running = new Set<string>();
        const ends: Promise<PromiseSettledResult<number>[]>[] = [];
        for (const [index, { lane, priority, turns, fails, pauseBefore }] of list.entries()) {
          if (pauseBefore) await turn();
          const work = async (): Promise<number> => {
            expect(running.has(lane)).toBe(false);
            running.add(lane);
            started.set(lane, [...(started.get(lane) ?? []), index]);
            for (let i = 0; i < turns; i++) await turn();
            running.delete(lane);
            if (fails) throw new Error(`piece ${index}`);
            return index;
          };
          // Watched from the start: some of them fail before the last has begun.
          ends.push(Promise.allSettled([lanes.run(lane, work, priority)]));
        }
        const outcomes = (await Promise.all(ends)).flat();
        expect(outcomes).toEqual(
          list.map(({ fails }, index) =>
            fails ? expect.objectContaining({ status: 'rejected' }) : { status: 'fulfilled', value: index },
          ),
        );
        for (const order of started.values()) expect(order).toEqual([...order].sort((a, b) => a - b));
        await turn();
        expect(lanes.size()).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  test('run side by side: one that hangs does not hold up another', async () => {
    const { lanes } = open();
    void lanes.run('stuck', () => new Promise(() => undefined), 'awaited');
    await expect(lanes.run('free', async () => 'done', 'awaited')).resolves.toBe('done');
    await expect(lanes.run('free', async () => 'done', 'background')).resolves.toBe('done');
    expect(lanes.size()).toBe(1);
  });

  test('start awaited work at once and background work in a later turn', async () => {
    const { lanes } = open();
    const started: string[] = [];
    const note = (name: string) => async () => void started.push(name);
    const background = lanes.run('a', note('background'), 'background');
    const awaited = lanes.run('b', note('awaited'), 'awaited');
    expect(started).toEqual(['awaited']);
    await Promise.all([background, awaited]);
    expect(started).toEqual(['awaited', 'background']);
  });

  test('hurry everything that stands before awaited work in its lane', async () => {
    const { lanes } = open();
    const started: number[] = [];
    for (let i = 0; i < 100; i++) void lanes.run('a', async () => void started.push(i), 'background');
    let turns = 0;
    const awaited = lanes.run('a', async () => 'done', 'awaited');
    const counter = setInterval(() => turns++, 0);
    await awaited;
    clearInterval(counter);
    expect(started).toHaveLength(100);
    expect(turns).toBe(0);
  });

  test('take posted work like background work, in its place', async () => {
    const { lanes } = open();
    const order: number[] = [];
    const note = (number: number) => async () => void order.push(number);
    const first = lanes.run('a', note(1), 'background');
    lanes.post('a', note(2));
    const last = lanes.run('a', note(3), 'background');
    expect(lanes.size()).toBe(3);
    await Promise.all([first, last]);
    expect(order).toEqual([1, 2, 3]);
  });

  test('keep the order of a very long lane', async () => {
    const { lanes } = open();
    const order: number[] = [];
    const all = Array.from({ length: 3000 }, (_, i) => lanes.run('a', async () => void order.push(i), 'awaited'));
    await Promise.all(all);
    expect(order).toEqual(Array.from({ length: 3000 }, (_, i) => i));
  });
});

describe('a flood of signals', () => {
  /** More than three arrivals a millisecond, ending at this time. */
  const flood = ({ lanes, clock }: ReturnType<typeof open>, untilMs: number): void => {
    for (let i = 0; i < 4 * (untilMs - clock.nowMs); i++) lanes.noteArrival();
    clock.nowMs = untilMs;
    lanes.noteArrival();
  };
  const queue = ({ lanes }: ReturnType<typeof open>, count: number) => {
    const seen = { started: 0 };
    for (let i = 0; i < count; i++) lanes.post(`lane-${i}`, async () => void seen.started++);
    return seen;
  };

  test('leaves background work a small share', async () => {
    const opened = open();
    flood(opened, 60);
    const seen = queue(opened, 64);
    await turn();
    expect(seen.started).toBe(0);
    await opened.advance(10);
    expect(seen.started).toBe(4);
    await opened.advance(9);
    expect(seen.started).toBe(4);
    await opened.advance(1);
    expect(seen.started).toBe(8);
  });

  test('starves nobody although it never ends', async () => {
    const opened = open(Number.POSITIVE_INFINITY);
    flood(opened, 60);
    const seen = queue(opened, 64);
    for (let i = 0; i < 16; i++) {
      flood(opened, opened.clock.nowMs + 60);
      await opened.advance(10);
    }
    expect(seen.started).toBe(64);
  });

  test('does not hold up awaited work', async () => {
    const opened = open();
    flood(opened, 60);
    queue(opened, 64);
    await expect(opened.lanes.run('mine', async () => 'done', 'awaited')).resolves.toBe('done');
  });

  test('gives way to work that has waited long', async () => {
    const opened = open(1000);
    flood(opened, 60);
    const seen = queue(opened, 64);
    flood(opened, 1100);
    await opened.advance(10);
    for (let turns = 0; turns < 5; turns++) await turn();
    expect(seen.started).toBe(64);
  });

  test('is over as soon as few signals arrive, or none', async () => {
    for (const quietMs of [60, 101]) {
      const opened = open();
      flood(opened, 60);
      opened.clock.nowMs += quietMs;
      if (quietMs === 60) opened.lanes.noteArrival();
      const seen = queue(opened, 64);
      for (let turns = 0; turns < 6; turns++) await turn();
      expect(seen.started).toBe(64);
    }
  });
});

describe('stopping', () => {
  test('waits for everything that is there', async () => {
    const { lanes } = open();
    let ended = 0;
    const slow = async (): Promise<void> => {
      for (let i = 0; i < 5; i++) await turn();
      ended++;
    };
    for (let i = 0; i < 20; i++) void lanes.run(`lane-${i % 3}`, slow, 'background');
    await lanes.stop(5000);
    expect(ended).toBe(20);
    expect(lanes.size()).toBe(0);
  });

  test('gives back what never started when the time is up, and leaves what runs alone', async () => {
    const { lanes, advance } = open();
    let finish: (() => void) | undefined;
    const running = lanes.run('a', () => new Promise<void>((resolve) => (finish = resolve)), 'awaited');
    let touched = 0;
    const waiting = ['awaited', 'background'].map((priority) =>
      lanes.run('a', async () => void touched++, priority as 'awaited'),
    );
    const outcomes = Promise.allSettled(waiting);
    const stopped = lanes.stop(10);
    await advance(9);
    expect(lanes.size()).toBe(3);
    await advance(1);
    await stopped;
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(Stopping) });
    expect(lanes.size()).toBe(1);
    finish?.();
    await running;
    await turn();
    expect(lanes.size()).toBe(0);
    expect(touched).toBe(0);
  });

  test('refuses new work afterwards', async () => {
    const { lanes } = open();
    await lanes.stop(0);
    await expect(lanes.run('a', async () => 1, 'awaited')).rejects.toBeInstanceOf(Stopping);
    lanes.post('a', () => Promise.reject(new Error('started after all')));
    expect(lanes.size()).toBe(0);
    await turn();
  });
});
