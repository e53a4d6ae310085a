// The queue of scripts by time used: its bounds hold, no thread idles that somebody may use, and nobody starves.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Caller, CallerClass } from '../../library/request-runner.ts';
import { type QueueLimits, RunQueue } from './run-queue.ts';
import { HALF_LIFE_MS } from './time-used.ts';

const CLASSES: readonly CallerClass[] = ['own', 'keyed', 'anonymous', 'editor', 'search'];
/** As on a machine of two cores. */
const SMALL: QueueLimits = { runThreads: 2, editorThreads: 1, places: 64 };
const ONE_THREAD: QueueLimits = { ...SMALL, runThreads: 1 };
const caller = (name: CallerClass, id = 'a'): Caller => ({ class: name, id });

interface Job {
  readonly caller: Caller;
}

function open(limits: QueueLimits = SMALL) {
  const clock = { ms: 0 };
  const queue = new RunQueue<Job>(limits, () => clock.ms);
  const enter = (who: Caller): string | undefined => {
    const reason = queue.refusal(who);
    if (reason === undefined) queue.add(who, { caller: who });
    return reason;
  };
  const start = (): Caller | undefined => queue.next()?.caller;
  const startAll = (): Caller[] => {
    const started: Caller[] = [];
    for (let one = start(); one !== undefined; one = start()) started.push(one);
    return started;
  };
  /** A job of his ends after so long. */
  const ends = (who: Caller, afterMs: number): Caller[] => {
    clock.ms += afterMs;
    queue.done(who);
    return startAll();
  };
  return { queue, clock, enter, startAll, ends };
}

const times = (count: number, work: () => unknown): unknown[] => Array.from({ length: count }, work);

describe('on a machine of two cores', () => {
  it('strangers get one thread, and leave one to keys and one to editors', () => {
    const { enter, startAll } = open();
    for (const id of ['a', 'b', 'c', 'd']) times(5, () => enter(caller('anonymous', id)));
    expect(startAll()).toEqual([caller('anonymous', 'a')]);
    enter(caller('keyed'));
    expect(startAll()).toEqual([caller('keyed')]);
    enter(caller('editor'));
    expect(startAll()).toEqual([caller('editor')]);
  });

  it.each<[string, Caller]>([
    ['a stranger', caller('anonymous')],
    ['another key', caller('keyed', 'b')],
    ['the house', caller('own')],
  ])('a search and the runs of one key have one thread together, and %s has the other at once', (_, other) => {
    const { enter, startAll, ends } = open();
    enter(caller('search'));
    times(10, () => enter(caller('keyed')));
    expect(startAll()).toEqual([caller('search')]);
    enter(other);
    expect(startAll()).toEqual([other]);
    expect(ends(other, 100)).toEqual([]);
    expect(ends(caller('search'), 100)).toEqual([caller('keyed')]);
  });

  it('searches of several keys leave a thread to others', () => {
    const { enter, startAll } = open();
    for (const id of ['a', 'b', 'c']) times(3, () => enter(caller('search', id)));
    expect(startAll()).toEqual([caller('search', 'a')]);
    enter(caller('keyed', 'c'));
    expect(startAll()).toEqual([caller('keyed', 'c')]);
  });

  it('two keys have a thread each, and the house both', () => {
    const { enter, startAll } = open();
    for (const id of ['a', 'b']) times(3, () => enter(caller('keyed', id)));
    expect(startAll()).toEqual([caller('keyed', 'a'), caller('keyed', 'b')]);
    const house = open();
    times(3, () => house.enter(caller('own')));
    expect(house.startAll()).toEqual([caller('own'), caller('own')]);
  });

  it('one address never waits in more than half of the places of strangers, and the refusal says so', () => {
    const { enter, startAll } = open();
    enter(caller('anonymous'));
    startAll();
    expect(times(16, () => enter(caller('anonymous'))).every((reason) => reason === undefined)).toBe(true);
    expect(enter(caller('anonymous'))).toBe('16 scripts of yours wait already; try again when one of them is done');
    expect(times(16, () => enter(caller('anonymous', 'b'))).every((reason) => reason === undefined)).toBe(true);
    expect(enter(caller('anonymous', 'c'))).toBe('32 scripts wait already; try again in a moment');
    for (const name of ['own', 'keyed', 'editor'] as const) expect(enter(caller(name))).toBeUndefined();
  });
});

it('with more threads one key and one address leave a thread to others of their kind', () => {
  const { enter, startAll } = open({ runThreads: 4, editorThreads: 1, places: 64 });
  times(5, () => enter(caller('anonymous')));
  expect(startAll()).toHaveLength(2);
  enter(caller('anonymous', 'b'));
  expect(startAll()).toEqual([caller('anonymous', 'b')]);
  const keys = open({ runThreads: 4, editorThreads: 1, places: 64 });
  times(5, () => keys.enter(caller('keyed')));
  times(5, () => keys.enter(caller('search')));
  expect(keys.startAll()).toHaveLength(3);
  keys.enter(caller('keyed', 'b'));
  expect(keys.startAll()).toEqual([caller('keyed', 'b')]);
});

describe('whose turn it is on one thread', () => {
  it('goes by the time used, not by the number of jobs', () => {
    const { enter, startAll, ends } = open(ONE_THREAD);
    enter(caller('keyed', 'slow'));
    startAll();
    times(5, () => enter(caller('keyed', 'slow')));
    times(5, () => enter(caller('keyed', 'quick')));
    let next = ends(caller('keyed', 'slow'), 1_000);
    // Four short ones are still less than the long one.
    for (let count = 0; count < 4; count += 1) {
      expect(next).toEqual([caller('keyed', 'quick')]);
      next = ends(caller('keyed', 'quick'), 200);
    }
    expect(next).toEqual([caller('keyed', 'quick')]);
    expect(ends(caller('keyed', 'quick'), 400)).toEqual([caller('keyed', 'slow')]);
  });

  it('is that of somebody else between two backtests of a search', () => {
    const { enter, startAll, ends } = open(ONE_THREAD);
    times(2, () => enter(caller('search')));
    startAll();
    times(2, () => enter(caller('keyed')));
    enter(caller('anonymous'));
    enter(caller('keyed', 'b'));
    expect(ends(caller('search'), 250)).toEqual([caller('anonymous')]);
    expect(ends(caller('anonymous'), 10)).toEqual([caller('keyed', 'b')]);
    expect(ends(caller('keyed', 'b'), 10)).toEqual([caller('search')]);
    // The search and the runs of a key have used the same time: they take turns.
    enter(caller('search'));
    expect(ends(caller('search'), 250)).toEqual([caller('keyed')]);
    expect(ends(caller('keyed'), 250)).toEqual([caller('search')]);
  });

  it('is a key’s after one run of strangers, however many addresses they come from', () => {
    const { enter, startAll, ends } = open(ONE_THREAD);
    for (const id of ['a', 'b', 'c', 'd']) enter(caller('anonymous', id));
    startAll();
    enter(caller('keyed'));
    enter(caller('keyed'));
    expect(ends(caller('anonymous', 'a'), 1_000)).toEqual([caller('keyed')]);
    expect(ends(caller('keyed'), 2_000)).toEqual([caller('anonymous', 'b')]);
    expect(ends(caller('anonymous', 'b'), 500)).toEqual([caller('anonymous', 'c')]);
    expect(ends(caller('anonymous', 'c'), 1_000)).toEqual([caller('keyed')]);
  });

  it('is that of the address that used less, among strangers', () => {
    const { enter, startAll, ends } = open(ONE_THREAD);
    times(10, () => enter(caller('anonymous', 'flood')));
    enter(caller('anonymous', 'one'));
    enter(caller('anonymous', 'two'));
    expect(startAll()).toEqual([caller('anonymous', 'flood')]);
    expect(ends(caller('anonymous', 'flood'), 10)).toEqual([caller('anonymous', 'one')]);
    expect(ends(caller('anonymous', 'one'), 10)).toEqual([caller('anonymous', 'two')]);
    expect(ends(caller('anonymous', 'two'), 10)).toEqual([caller('anonymous', 'flood')]);
  });

  it('forgets: what was used half a minute ago weighs an eighth', () => {
    const { enter, startAll, ends, clock } = open(ONE_THREAD);
    enter(caller('keyed', 'past'));
    startAll();
    ends(caller('keyed', 'past'), 800);
    clock.ms += 3 * HALF_LIFE_MS;
    enter(caller('keyed', 'now'));
    startAll();
    enter(caller('keyed', 'now'));
    enter(caller('keyed', 'past'));
    // 800 ms have become a little less than 100.
    expect(ends(caller('keyed', 'now'), 90)).toEqual([caller('keyed', 'now')]);
    expect(ends(caller('keyed', 'now'), 10)).toEqual([caller('keyed', 'past')]);
  });

  it('counts what is under way before it has ended', () => {
    const { enter, startAll, clock, queue } = open({ ...SMALL, runThreads: 3 });
    enter(caller('keyed', 'long'));
    enter(caller('own'));
    enter(caller('keyed', 'other'));
    startAll();
    clock.ms = 5_000;
    queue.done(caller('keyed', 'other'));
    enter(caller('own'));
    startAll();
    clock.ms = 6_000;
    enter(caller('keyed', 'long'));
    enter(caller('keyed', 'other'));
    queue.done(caller('own'));
    // Both began at the same time; that of the one has ended and that of the other has not.
    expect(queue.next()?.caller).toEqual(caller('keyed', 'other'));
  });
});

it('whoever leaves the queue is not called, and leaves his place', () => {
  const { queue, enter, startAll } = open({ runThreads: 1, editorThreads: 0, places: 1 });
  enter(caller('own'));
  startAll();
  const job: Job = { caller: caller('own') };
  queue.add(job.caller, job);
  expect(queue.refusal(caller('own'))).toBeDefined();
  expect([queue.remove(job.caller, job), queue.remove(job.caller, job)]).toEqual([true, false]);
  queue.done(caller('own'));
  expect(startAll()).toEqual([]);
  expect(queue.refusal(caller('own'))).toBeUndefined();
});

describe('whatever comes and goes', () => {
  const callers = fc.record({ class: fc.constantFrom(...CLASSES), id: fc.constantFrom('a', 'b', 'c') });
  const limits = fc.record({
    runThreads: fc.integer({ min: 1, max: 5 }),
    editorThreads: fc.integer({ min: 1, max: 2 }),
    places: fc.integer({ min: 1, max: 12 }),
  });
  /** A caller comes, or the oldest of those who run is done. */
  const steps = fc.array(fc.option(callers, { nil: 'done' as const, freq: 2 }), { maxLength: 120 });

  it('bounds hold, no thread idles that somebody may use, and nobody waits for ever', () => {
    fc.assert(
      fc.property(limits, steps, (bounds, moves) => {
        const { queue, clock, enter, startAll } = open(bounds);
        const { runThreads, editorThreads, places } = bounds;
        const most = Math.max(1, runThreads - 1);
        const running: Caller[] = [];
        const waiting: Caller[] = [];
        const count = (list: readonly Caller[], name: CallerClass, id?: string) =>
          list.filter((one) => one.class === name && (id === undefined || one.id === id)).length;
        const settle = (): void => {
          for (const started of startAll()) {
            waiting.splice(
              waiting.findIndex((one) => one.class === started.class && one.id === started.id),
              1,
            );
            running.push(started);
          }
        };
        const check = (): void => {
          const runs = running.length - count(running, 'editor');
          expect(runs).toBeLessThanOrEqual(runThreads);
          expect(count(running, 'editor')).toBeLessThanOrEqual(editorThreads);
          for (const name of ['anonymous', 'search'] as const) expect(count(running, name)).toBeLessThanOrEqual(most);
          expect(count(waiting, 'anonymous')).toBeLessThanOrEqual(Math.ceil(places / 2));
          // Work-conserving: who waits waits because every thread he may use is taken.
          if (count(waiting, 'editor') > 0) expect(count(running, 'editor')).toBe(editorThreads);
          if (count(waiting, 'own') > 0) expect(runs).toBe(runThreads);
          for (const id of ['a', 'b', 'c']) {
            expect(count(waiting, 'anonymous', id)).toBeLessThanOrEqual(Math.max(1, Math.ceil(places / 2) / 2));
            const ofKey = count(running, 'keyed', id) + count(running, 'search', id);
            expect(ofKey).toBeLessThanOrEqual(most);
            if (count(waiting, 'keyed', id) > 0 && ofKey < most) expect(runs).toBe(runThreads);
          }
        };
        for (const move of moves) {
          const next = running[0];
          clock.ms += 100;
          if (move !== 'done') {
            if (enter(move) === undefined) waiting.push(move);
          } else if (next !== undefined) {
            running.shift();
            queue.done(next);
          }
          settle();
          check();
        }
        // As runs end, everybody who waits is called.
        for (let next = running.shift(); next !== undefined; next = running.shift()) {
          clock.ms += 100;
          queue.done(next);
          settle();
          check();
        }
        expect(waiting).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  const lengths = fc.record({ a: fc.integer({ min: 20, max: 2_000 }), b: fc.integer({ min: 20, max: 2_000 }) });

  it.each<[string, Caller, Caller]>([
    ['two keys', caller('keyed', 'a'), caller('keyed', 'b')],
    ['a search and another key', caller('search', 'a'), caller('keyed', 'b')],
    ['strangers and a key', caller('anonymous', 'a'), caller('keyed', 'b')],
    ['the house and a search', caller('own', 'a'), caller('search', 'b')],
  ])('%s that never stop asking have the same time of one thread, whatever their jobs take', (_, one, other) => {
    fc.assert(
      fc.property(lengths, ({ a, b }) => {
        const { enter, startAll, ends } = open(ONE_THREAD);
        const usedMs = { a: 0, b: 0 };
        for (const who of [one, other]) times(2, () => enter(who));
        let [running] = startAll();
        while (usedMs.a + usedMs.b < 60_000) {
          const who = running!;
          const id = who.id as 'a' | 'b';
          const ms = id === 'a' ? a : b;
          usedMs[id] += ms;
          enter(who);
          [running] = ends(who, ms);
        }
        // What one of them is ahead is at most a job, and what has faded meanwhile.
        expect(Math.abs(usedMs.a - usedMs.b)).toBeLessThan(2 * Math.max(a, b) + 2_000);
      }),
      { numRuns: 50 },
    );
  });
});
