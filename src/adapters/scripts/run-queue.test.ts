// The queue of scripts by turns: its bounds hold, no thread idles that somebody may use, and nobody starves.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Caller, CallerClass } from '../../library/request-runner.ts';
import { type QueueLimits, RunQueue } from './run-queue.ts';

const CLASSES: readonly CallerClass[] = ['own', 'keyed', 'anonymous', 'editor', 'search'];
/** As on a machine of two cores. */
const SMALL: QueueLimits = { runThreads: 2, editorThreads: 1, places: 64 };
const caller = (name: CallerClass, id = 'a'): Caller => ({ class: name, id });

interface Job {
  readonly caller: Caller;
}

function open(limits: QueueLimits = SMALL) {
  const queue = new RunQueue<Job>(limits);
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
  return { queue, enter, startAll };
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

  it('searches and strangers share one thread by turns, and leave the other to keys', () => {
    const { queue, enter, startAll } = open();
    for (const id of ['a', 'b']) times(3, () => enter(caller('search', id)));
    expect(startAll()).toEqual([caller('search', 'a')]);
    enter(caller('anonymous'));
    expect(startAll()).toEqual([]);
    enter(caller('keyed'));
    expect(startAll()).toEqual([caller('keyed')]);
    queue.done(caller('search', 'a'));
    expect(startAll()).toEqual([caller('anonymous')]);
    queue.done(caller('anonymous'));
    expect(startAll()).toEqual([caller('search', 'b')]);
  });

  it('a key that waits comes before the next stranger, and the stranger before the next key', () => {
    const { queue, enter, startAll } = open();
    times(3, () => enter(caller('keyed')));
    times(3, () => enter(caller('anonymous')));
    expect(startAll()).toEqual([caller('keyed'), caller('anonymous')]);
    queue.done(caller('anonymous'));
    expect(startAll()).toEqual([caller('keyed')]);
    queue.done(caller('keyed'));
    expect(startAll()).toEqual([caller('anonymous')]);
  });

  it('strangers take turns, however many each of them sent', () => {
    const { queue, enter, startAll } = open();
    times(10, () => enter(caller('anonymous', 'flood')));
    enter(caller('anonymous', 'one'));
    enter(caller('anonymous', 'two'));
    const job = startAll();
    for (let i = 0; i < 4; i += 1) {
      queue.done(job.at(-1) as Caller);
      job.push(...startAll());
    }
    expect(job.map(({ id }) => id)).toEqual(['flood', 'one', 'two', 'flood', 'flood'].map((id) => id));
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

it('with more threads one address leaves one of those for strangers to others', () => {
  const { enter, startAll } = open({ runThreads: 4, editorThreads: 1, places: 64 });
  times(5, () => enter(caller('anonymous')));
  expect(startAll()).toHaveLength(2);
  enter(caller('anonymous', 'b'));
  expect(startAll()).toEqual([caller('anonymous', 'b')]);
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
        const { queue, enter, startAll } = open(bounds);
        const { runThreads, editorThreads, places } = bounds;
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
          const patient = count(running, 'anonymous') + count(running, 'search');
          expect(patient).toBeLessThanOrEqual(Math.max(1, runThreads - 1));
          expect(count(waiting, 'anonymous')).toBeLessThanOrEqual(Math.ceil(places / 2));
          for (const id of ['a', 'b', 'c'])
            expect(count(waiting, 'anonymous', id)).toBeLessThanOrEqual(Math.max(1, Math.ceil(places / 2) / 2));
          // Work-conserving: who waits waits because every thread he may use is taken.
          if (count(waiting, 'editor') > 0) expect(count(running, 'editor')).toBe(editorThreads);
          if (count(waiting, 'own') + count(waiting, 'keyed') > 0) expect(runs).toBe(runThreads);
        };
        for (const move of moves) {
          const next = running[0];
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
          queue.done(next);
          settle();
          check();
        }
        expect(waiting).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('under floods of all others a class is called within three starts of the threads it may use', () => {
    fc.assert(
      fc.property(limits, fc.constantFrom<CallerClass>('own', 'keyed', 'anonymous'), (bounds, victim) => {
        const { queue, enter, startAll } = open({ ...bounds, places: 64 });
        const others = (['own', 'keyed', 'anonymous'] as const).filter((name) => name !== victim);
        const flood = (): void => {
          for (const name of others) for (const id of ['a', 'b', 'c', 'd']) enter(caller(name, id));
        };
        flood();
        const running = startAll();
        enter(caller(victim, 'victim'));
        const isIn = () => running.some(({ id }) => id === 'victim');
        running.push(...startAll());
        for (let ends = 0; !isIn(); ends += 1) {
          // Strangers may have to wait for one of their own threads: those are never all of them.
          expect(ends).toBeLessThan(bounds.runThreads + 2);
          queue.done(running.shift() as Caller);
          flood();
          running.push(...startAll());
        }
      }),
      { numRuns: 100 },
    );
  });
});
