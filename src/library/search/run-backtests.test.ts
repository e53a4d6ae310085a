// The list of backtests on all threads: every outcome once and in its place, whatever becomes of threads, queue and caller.

import { describe, expect, it } from 'vitest';
import type { Backtest, BacktestOutcome, BacktestRunner } from '../backtest-runner.ts';
import { type BacktestsDeps, runBacktests } from './run-backtests.ts';

const list = (count: number) => ({ count, at: (index: number): Backtest => ({ market: 0, inputs: { n: index } }) });
const REQUEST = { source: 's', markets: [], timeoutMs: 1 };
type Answer = Awaited<ReturnType<BacktestRunner['backtests']>>;

function work(answer: (numbers: readonly number[]) => Answer | Promise<Answer>, more: Partial<BacktestsDeps> = {}) {
  const jobs: number[][] = [];
  const outcomes = new Map<number, BacktestOutcome[]>();
  const waits: number[] = [];
  const deps: BacktestsDeps = {
    runner: {
      async backtests({ backtests }) {
        const numbers = backtests.map(({ inputs }) => Number(inputs.n));
        jobs.push(numbers);
        await Promise.resolve();
        return answer(numbers);
      },
    },
    threads: 2,
    signal: new AbortController().signal,
    monotonicMs: () => 0,
    wait: async (ms) => void waits.push(ms),
    onOutcome: (index, outcome) => outcomes.set(index, [...(outcomes.get(index) ?? []), outcome]),
    ...more,
  };
  return { jobs, outcomes, waits, run: (count: number) => runBacktests(list(count), REQUEST, deps) };
}

const done = (numbers: readonly number[]): Answer => ({
  kind: 'backtested',
  outcomes: numbers.map((number) => ({ figures: [number] })),
});
const each = (count: number, of = (number: number): BacktestOutcome => ({ figures: [number] })) =>
  Array.from({ length: count }, (_, number) => [number, [of(number)]]);
const sorted = (outcomes: ReadonlyMap<number, unknown>) => [...outcomes].sort(([a], [b]) => a - b);

describe('backtests', () => {
  it.each([0, 1, 2, 3, 500])('%i of them are each run once, with any number of threads', async (count) => {
    for (const threads of [1, 2, 7]) {
      const { run, outcomes } = work(done, { threads });
      expect(await run(count)).toBeUndefined();
      expect(sorted(outcomes)).toEqual(each(count));
    }
  });

  it('go into jobs that grow while they are quick, up to 64, and are one each where they are slow', async () => {
    const quick = work(done, { threads: 1 });
    await quick.run(400);
    expect(quick.jobs.map(({ length }) => length).slice(0, 5)).toEqual([1, 4, 16, 64, 64]);
    let now = 0;
    const slow = work(done, { threads: 1, monotonicMs: () => (now += 1_000) });
    await slow.run(5);
    expect(slow.jobs.every(({ length }) => length === 1)).toBe(true);
  });

  it('of a job that ended badly are run again one by one, and the one at fault is told', async () => {
    const fails = { kind: 'timeout', reason: 'stopped after 1 s' } as const;
    const { run, outcomes } = work((numbers) => (numbers.includes(30) ? fails : done(numbers)), { threads: 1 });
    expect(await run(100)).toBeUndefined();
    const expected = each(100, (number) => (number === 30 ? { fault: 'stopped after 1 s' } : { figures: [number] }));
    expect(sorted(outcomes)).toEqual(expected);
  });

  it.each(['failed', 'too-large'] as const)('of a thread that %s for good are told, each', async (kind) => {
    const { run, outcomes } = work(() => ({ kind, reason: 'gone' }));
    expect(await run(3)).toBeUndefined();
    expect(sorted(outcomes)).toEqual(each(3, () => ({ fault: 'gone' })));
  });

  it('wait while the queue is full', async () => {
    let left = 3;
    const busy = { kind: 'busy', reason: 'full' } as const;
    const { run, outcomes, waits } = work((numbers) => (left-- > 0 ? busy : done(numbers)), { threads: 1 });
    expect(await run(2)).toBeUndefined();
    expect(waits).toEqual([500, 500, 500]);
    expect(outcomes.size).toBe(2);
  });

  it('end with the reason of whoever ends them, and what was done stays', async () => {
    const abort = new AbortController();
    const { run, outcomes, jobs } = work(
      (numbers) => {
        if (jobs.length === 3) abort.abort('enough');
        return done(numbers);
      },
      { signal: abort.signal, threads: 1 },
    );
    expect(await run(1000)).toBe('enough');
    expect(jobs).toHaveLength(3);
    expect(outcomes.size).toBe(5);
  });

  it('end when the pool closes, and while they wait for the queue', async () => {
    const closed = work(() => ({ kind: 'canceled', reason: 'Signalbox stops' }));
    expect(await closed.run(9)).toBe('Signalbox stops');
    expect(closed.outcomes.size).toBe(0);
    const abort = new AbortController();
    const wait = async (): Promise<void> => abort.abort('enough');
    const waiting = work(() => ({ kind: 'busy', reason: 'full' }), { signal: abort.signal, wait });
    expect(await waiting.run(9)).toBe('enough');
  });

  it('begin only while they may', async () => {
    let left = 6;
    const mayBegin = async (count: number) => {
      left -= count;
      return left < 0 ? 'used up' : undefined;
    };
    const { run, outcomes } = work(done, { mayBegin, threads: 1 });
    expect(await run(100)).toBe('used up');
    expect(outcomes.size).toBe(5);
  });
});
