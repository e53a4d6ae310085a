// Searches beside the requests: whose they are, how many, how long they run, and when their results are forgotten.

import { describe, expect, it } from 'vitest';
import { barColumns, FIGURE_NAMES } from '../../pine/light.ts';
import type { BacktestRunner } from '../backtest-runner.ts';
import { KEPT_MS, MAX_SEARCH_MS, SearchJobs } from './search-jobs.ts';
import type { SearchPlan } from './search-plan.ts';
import { searchWork } from './search-work.ts';

const BAR = { time: 0, open: 1, high: 1, low: 1, close: 1, volume: 1 };
const plan = (count = 3): SearchPlan => ({
  source: '',
  scriptName: 'S',
  axes: [{ title: 'n', values: Array.from({ length: count }, (_, index) => index) }],
  fixed: {},
  method: { kind: 'grid' },
  markets: [{ name: 'm', bars: barColumns([BAR]) }],
  objective: { metric: 'net_profit', goal: 'maximize', combine: 'mean' },
  constraints: [],
  top: 5,
  runTimeoutMs: 1000,
});

/** Each job waits until the test lets it go on. */
function open(answer?: BacktestRunner['backtests']) {
  const clock = { ms: 0 };
  const timers: (() => void)[] = [];
  const held: (() => void)[] = [];
  const faults: unknown[] = [];
  let ids = 0;
  const jobs = new SearchJobs({
    noun: { one: 'search', many: 'searches', path: '/optimize' },
    newId: () => {
      ids += 1;
      return `id-${ids}`;
    },
    nowMs: () => clock.ms,
    timers: {
      after: (delayMs, work) => {
        expect(delayMs).toBe(MAX_SEARCH_MS);
        timers.push(work);
        return () => {};
      },
    },
    onFault: (error) => void faults.push(error),
  });
  const backtests: BacktestRunner['backtests'] = ({ backtests: some, signal }) =>
    new Promise((resolve) => {
      const outcomes = some.map(({ inputs }) => ({ figures: FIGURE_NAMES.map(() => Number(inputs.n)) }));
      held.push(() => resolve({ kind: 'backtested', outcomes }));
      signal?.addEventListener('abort', () => resolve({ kind: 'canceled', reason: 'canceled' }));
    });
  const start = (owner: string, some = plan()) =>
    jobs.start(owner, searchWork(some), () => ({
      runner: { backtests: answer ?? backtests },
      threads: 1,
      monotonicMs: () => 0,
      wait: async () => {},
    }));
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const finish = async (): Promise<void> => {
    await settle();
    for (let job = held.shift(); job !== undefined; job = held.shift()) {
      job();
      await settle();
    }
  };
  return { jobs, start, clock, timers, held, settle, finish, faults };
}

const resultOf = (result: Uint8Array | null | undefined) => JSON.parse(new TextDecoder().decode(result ?? undefined));

describe('a search', () => {
  it('shows how far it is and the best so far, then its result', async () => {
    const { jobs, start, held, settle, finish } = open();
    const { id } = start('me');
    expect(jobs.find('me', id)).toMatchObject({ state: 'running', progress: { done: 0, total: 3 }, best: null });
    await settle();
    held.shift()?.();
    await settle();
    expect(jobs.find('me', id)).toMatchObject({ progress: { done: 1 }, best: { inputs: { n: 0 } }, result: null });
    await finish();
    const ended = jobs.find('me', id);
    expect(ended).toMatchObject({ state: 'done', progress: { done: 3 }, best: null, endedAtMs: 0, failure: null });
    expect(resultOf(ended?.result)).toMatchObject({ stopped: null, top: [{ inputs: { n: 2 } }, {}, {}] });
  });

  it('is nobody else’s', async () => {
    const { jobs, start, finish } = open();
    const { id } = start('me');
    expect([jobs.find('you', id), jobs.remove('you', id)]).toEqual([undefined, undefined]);
    await finish();
    expect(jobs.find('me', id)?.state).toBe('done');
  });

  it('is one at a time of each, and four of all', async () => {
    const { jobs, start, finish } = open();
    start('a');
    expect(jobs.refusal('a')).toContain('runs already (id-1)');
    for (const owner of ['b', 'c', 'd']) {
      expect(jobs.refusal(owner)).toBeUndefined();
      start(owner);
    }
    expect(jobs.refusal('e')).toBe('4 searches run already; try again in a few minutes');
    await finish();
    for (const owner of ['a', 'e']) expect(jobs.refusal(owner)).toBeUndefined();
  });

  it('is canceled by its owner, and keeps what it found', async () => {
    const { jobs, start, held, settle } = open();
    const { id } = start('me');
    await settle();
    held.shift()?.();
    await settle();
    jobs.remove('me', id);
    await settle();
    const ended = jobs.find('me', id);
    expect(ended?.state).toBe('canceled');
    expect(resultOf(ended?.result)).toMatchObject({ stopped: 'canceled by its owner', top: [{ inputs: { n: 0 } }] });
    jobs.remove('me', id);
    expect(jobs.find('me', id)).toBeUndefined();
  });

  it('is stopped at its time limit', async () => {
    const { jobs, start, timers, settle } = open();
    const { id } = start('me');
    timers[0]?.();
    await settle();
    expect(jobs.find('me', id)?.state).toBe('stopped');
    expect(resultOf(jobs.find('me', id)?.result).stopped).toContain('time limit of 30 minutes');
  });

  it('that fails through a fault of ours ends, says so, and is told to the owner of the house', async () => {
    const { jobs, start, settle, faults } = open(() => Promise.reject(new Error('broken')));
    const { id } = start('me');
    await settle();
    expect(jobs.find('me', id)?.state).toBe('stopped');
    expect(resultOf(jobs.find('me', id)?.result).stopped).toContain('broken');
    expect(faults).toHaveLength(1);
  });

  it('whose result cannot be written ends, says so, and leaves its owner free to begin another', async () => {
    const { jobs, start, finish, faults } = open();
    const circle: Record<string, unknown> = {};
    circle.itself = circle;
    const { id } = start('me', { ...plan(), fixed: circle });
    await finish();
    expect(jobs.find('me', id)).toMatchObject({ state: 'stopped', best: null, result: null, endedAtMs: 0 });
    expect(jobs.find('me', id)?.failure).toMatch(/^its result cannot be written: .*circular/);
    expect(faults).toHaveLength(1);
    expect(jobs.refusal('me')).toBeUndefined();
  });
});

describe('results', () => {
  it('are kept for an hour', async () => {
    const { jobs, start, clock, finish } = open();
    const { id } = start('me');
    await finish();
    clock.ms = KEPT_MS;
    expect(jobs.find('me', id)).toBeDefined();
    clock.ms = KEPT_MS + 1;
    expect(jobs.find('me', id)).toBeUndefined();
  });

  it('are 256 at most, and the oldest goes first', async () => {
    const { jobs, start, finish } = open();
    const ids: string[] = [];
    for (let count = 0; count < 257; count += 1) {
      ids.push(start(`owner ${count}`, plan(1)).id);
      await finish();
    }
    expect(jobs.find('owner 0', ids[0]!)).toBeUndefined();
    expect(jobs.find('owner 1', ids[1]!)).toBeDefined();
    expect(jobs.find('owner 256', ids[256]!)).toBeDefined();
  });
});
