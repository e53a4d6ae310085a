// Tests of a search by workers that are made of promises: every combination once, one that never ends, and a cancel.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { barColumns, type InputSpace } from '../../src/pine/index.ts';
import { ParameterSearch, type SearchOptions } from './parameter-search.ts';
import { SearchHost } from './search-host.ts';
import type { FromSearchWorker, ToSearchWorker } from './search-messages.ts';
import { CROSSING_AVERAGES, wavingBars } from './testing/crossing-averages.ts';

const GROUND = {
  ...{ source: CROSSING_AVERAGES, bars: barColumns(wavingBars(120)), symbol: { ticker: 'BTCUSDT' } },
  ...{ timeframe: '60', symbolBars: [] },
};
const SPACE: InputSpace = {
  axes: [
    { title: 'Fast', values: [2, 3, 4, 5, 6] },
    { title: 'Slow', values: [7, 8, 9, 10, 11] },
  ],
  fixed: { 'Short too': false },
};

/** Answers after a millisecond, and never where one of the runs is endless. */
class FakeWorker {
  static opened = 0;
  static open = 0;
  static endless: (inputs: Readonly<Record<string, unknown>>) => boolean = () => false;
  onmessage: ((event: { data: FromSearchWorker }) => void) | null = null;
  readonly #host = new SearchHost();

  constructor() {
    FakeWorker.opened += 1;
    FakeWorker.open += 1;
  }

  postMessage(message: ToSearchWorker): void {
    if (message.kind === 'try' && message.runs.some((run) => FakeWorker.endless(run))) return;
    setTimeout(() => this.onmessage?.({ data: this.#host.answer(message) }), 1);
  }

  terminate(): void {
    FakeWorker.open -= 1;
    this.onmessage = null;
  }
}

const begun = (space = SPACE, options: Partial<SearchOptions> = {}): ParameterSearch =>
  new ParameterSearch(GROUND, space, {
    ...{ onChange: () => {}, spawn: () => new FakeWorker() as unknown as Worker, threads: 2, limitMs: 5_000 },
    ...options,
  });

beforeEach(() => {
  vi.useFakeTimers();
  Object.assign(FakeWorker, { opened: 0, open: 0, endless: () => false });
});
afterEach(() => void vi.useRealTimers());

describe('a search', () => {
  it('runs every combination once, with what is fixed, and ends its workers', async () => {
    const told: string[] = [];
    const search = begun(SPACE, { onChange: () => told.push(search.status) });
    expect(search.progress).toEqual({ done: 0, total: 25, failed: 0, remainingMs: undefined });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(search.status).toBe('done');
    expect(search.progress).toMatchObject({ done: 25, total: 25, failed: 1, remainingMs: 0 });
    expect(told.at(-1)).toBe('done');
    expect(FakeWorker.opened).toBe(2);
    expect(FakeWorker.open).toBe(0);
    const host = new SearchHost();
    host.answer({ kind: 'prepare', ...GROUND });
    const runs = SPACE.axes[0]!.values.flatMap((Fast) =>
      SPACE.axes[1]!.values.map((Slow) => ({ Fast, Slow, 'Short too': false })),
    );
    expect(runs.map((_, candidate) => search.inputs(candidate))).toEqual(runs);
    expect(host.answer({ kind: 'try', runs })).toEqual({ kind: 'tried', outcomes: search.outcomes });
  });

  it('finds the one that does not come to an end, and loses none of the others', async () => {
    FakeWorker.endless = ({ Fast, Slow }) => Fast === 4 && Slow === 10;
    const search = begun(SPACE, { threads: 1 });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(search.status).toBe('done');
    const faults = search.outcomes.flatMap((outcome, candidate) =>
      outcome && 'fault' in outcome ? [[search.inputs(candidate).Slow, outcome.fault]] : [],
    );
    expect(faults).toEqual([
      [10, expect.stringContaining('stopped after 5 seconds')],
      [9, expect.stringContaining('not these two')],
    ]);
  });

  it('keeps what it has found when it is cancelled, and runs nothing more', async () => {
    FakeWorker.endless = ({ Fast }) => Fast === 6;
    const search = begun(SPACE, { threads: 1 });
    await vi.advanceTimersByTimeAsync(1_000);
    const { done } = search.progress;
    expect(done).toBeGreaterThan(0);
    search.cancel();
    expect(FakeWorker.open).toBe(0);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(search.status).toBe('stopped');
    expect(search.progress.done).toBe(done);
    expect(search.outcomes.filter((outcome) => outcome !== undefined)).toHaveLength(done);
  });

  it('counts a run that was cancelled on its way as none', async () => {
    FakeWorker.endless = () => true;
    const search = begun(SPACE, { threads: 1 });
    await vi.advanceTimersByTimeAsync(100);
    search.cancel();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(search.progress).toMatchObject({ done: 0, failed: 0 });
  });

  it('says how long the rest will take', async () => {
    let nowMs = 0;
    const search = begun({ axes: [SPACE.axes[0]!], fixed: {} }, { threads: 1, nowMs: () => nowMs });
    await vi.advanceTimersByTimeAsync(2);
    expect(search.progress.done).toBe(1);
    nowMs = 50;
    expect(search.progress.remainingMs).toBe(200);
    search.cancel();
  });

  it('of a script that cannot be run stops with the reason', async () => {
    const search = new ParameterSearch({ ...GROUND, source: 'plot(' }, SPACE, {
      ...{ onChange: () => {}, spawn: () => new FakeWorker() as unknown as Worker, threads: 2 },
    });
    await vi.advanceTimersByTimeAsync(100);
    expect(search.status).toBe('stopped');
    expect(search.fault).toContain('errors');
    expect(FakeWorker.open).toBe(0);
  });
});
