// Tests of a script of a page by a worker that is made of promises: patience, a new start, and bars that are asked for.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { barColumns } from '../../src/pine/index.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import { ScriptHost } from './script-host.ts';
import { ScriptRun, type ScriptState } from './script-run.ts';
import { CROSSING_AVERAGES } from './testing/crossing-averages.ts';
import { UnfinishedRuns } from './unfinished-runs.ts';

const bar = { time: 0, open: 1, high: 2, low: 0, close: 1, volume: 1 };
const bars = barColumns([bar]);
const ASKED = { bars, symbol: { ticker: 'BTCUSDT' }, timeframe: '60', inputs: {} };
const HONEST = '//@version=6\nindicator("X")\nplot(close)\n';
const ENDLESS = 'endless';

/** Answers at once, and never where the script is endless. */
class FakeWorker {
  static ended = 0;
  onmessage: ((event: { data: readonly FromWorker[] }) => void) | null = null;
  readonly #host = new ScriptHost();

  postMessage(message: ToWorker): void {
    if (message.kind === 'start' && message.source === ENDLESS) return;
    const data = this.#host.answer(message);
    queueMicrotask(() => this.onmessage?.({ data }));
  }

  terminate(): void {
    FakeWorker.ended += 1;
    this.onmessage = null;
  }
}

const opened = (options: Partial<ConstructorParameters<typeof ScriptRun>[0]> = {}) => {
  const states: ScriptState[] = [];
  const run = new ScriptRun({
    ...{ onChange: (state: ScriptState) => states.push(state), spawn: () => new FakeWorker() as unknown as Worker },
    ...options,
  });
  return { run, states };
};
const settled = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers();
  FakeWorker.ended = 0;
});
afterEach(() => void vi.useRealTimers());

describe('a script of a page', () => {
  it('tells how much of a run is done, which is no answer yet', async () => {
    const worker = { onmessage: (_: { data: object }): void => {}, postMessage: () => {}, terminate: () => {} };
    const { run, states } = opened({ spawn: () => worker as unknown as Worker, limitMs: 1_000 });
    run.start({ ...ASKED, source: HONEST });
    worker.onmessage({ data: { kind: 'progress', done: 1, total: 4 } });
    expect(states).toEqual([{ status: 'running' }, { status: 'running', share: 0.25 }]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(states.at(-1)).toMatchObject({ status: 'failed', message: expect.stringContaining('was stopped') });
  });

  it('that does not come to an end is stopped, told in words, and starts anew', async () => {
    const { run } = opened({ limitMs: 5000 });
    run.start({ ...ASKED, source: ENDLESS });
    await vi.advanceTimersByTimeAsync(4999);
    expect(run.state.status).toBe('running');
    await vi.advanceTimersByTimeAsync(1);
    expect(run.state).toMatchObject({ status: 'failed', message: expect.stringContaining('after 5 seconds') });
    expect(FakeWorker.ended).toBe(1);
    run.start({ ...ASKED, source: HONEST });
    await settled();
    expect(run.state.status).toBe('ready');
  });

  it('is stopped by whoever does not want to wait, and runs again once it is started anew', async () => {
    const { run } = opened();
    run.start({ ...ASKED, source: ENDLESS });
    await settled();
    run.cancel();
    expect(run.state).toMatchObject({ status: 'failed', message: expect.stringContaining('You stopped it.') });
    expect(FakeWorker.ended).toBe(1);
    // A bar that comes meanwhile wakes nothing.
    run.push(bar, true);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(run.state).toMatchObject({ status: 'failed', message: expect.stringContaining('You stopped it.') });
    run.start({ ...ASKED, source: HONEST });
    await settled();
    expect(run.state.status).toBe('ready');
  });

  it('that has ended the page twice is not run by itself again, also with more bars, until somebody changes it', async () => {
    const values = new Map<string, string>();
    const store = {
      getItem: (name: string) => values.get(name) ?? null,
      setItem: (name: string, value: string) => void values.set(name, value),
    };
    const page = () => opened({ unfinished: new UnfinishedRuns(store) }).run;
    for (let ended = 0; ended < 2; ended++) page().start({ ...ASKED, source: ENDLESS });
    const run = page();
    for (let loads = 0; loads < 2; loads++) {
      run.start({ ...ASKED, source: ENDLESS });
      run.push(bar, true);
      expect(run.state).toMatchObject({ status: 'failed', message: expect.stringContaining('Twice in turn') });
    }
    run.start({ ...ASKED, source: HONEST });
    await settled();
    expect(run.state.status).toBe('ready');
    run.start({ ...ASKED, source: ENDLESS, timeframe: '1D' });
    expect(run.state.status).toBe('running');
    run.stop();
  });

  it('is not stopped when all is answered, also where there was nothing to say', async () => {
    const { run } = opened({ limitMs: 5000 });
    run.start({ ...ASKED, source: HONEST });
    run.push(bar, true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(run.state.status).toBe('ready');
    expect(FakeWorker.ended).toBe(0);
  });

  it('is given the bars it asks for, and fails in its own words where there are none', async () => {
    const source = '//@version=6\nindicator("X")\nplot(request.security("ETHUSDT", "60", close))\n';
    const asked: string[] = [];
    const barsOf = async ({ symbol }: { symbol: string }) => {
      asked.push(symbol);
      return bars;
    };
    const { run } = opened({ barsOf });
    run.start({ ...ASKED, source });
    await settled();
    expect(run.state.status).toBe('ready');
    expect(asked).toEqual(['ETHUSDT']);
    const { run: without } = opened({ barsOf: () => Promise.reject(new Error('none')) });
    without.start({ ...ASKED, source });
    await settled();
    expect(without.state).toMatchObject({ status: 'failed', message: expect.stringContaining('ETHUSDT') });
  });

  it('hands over its trades as a file, and nothing where it was started anew before that', async () => {
    const { run } = opened();
    expect(await run.tradesCsv()).toBeUndefined();
    run.start({ ...ASKED, source: CROSSING_AVERAGES });
    await settled();
    const csv = run.tradesCsv();
    await settled();
    expect(await csv).toMatch(/^trade,type,time,/);
    expect(run.state.status).toBe('ready');
    const late = run.tradesCsv();
    run.start({ ...ASKED, source: HONEST });
    expect(await late).toBeUndefined();
  });

  it('says what it runs over, with the bars that it asked for', async () => {
    const source = '//@version=6\nindicator("X")\nplot(request.security("ETHUSDT", "60", close))\n';
    const { run } = opened({ barsOf: () => Promise.resolve(bars) });
    expect(run.ground).toBeUndefined();
    run.start({ ...ASKED, source });
    await settled();
    expect(run.ground).toMatchObject({ ...ASKED, source, symbolBars: [{ symbol: 'ETHUSDT', bars }] });
  });

  it('forgets what it was at when it is started again', async () => {
    const { run, states } = opened();
    run.start({ ...ASKED, source: ENDLESS });
    run.start({ ...ASKED, source: HONEST });
    await settled();
    expect(states.map(({ status }) => status)).toEqual(['running', 'running', 'ready']);
  });

  it('is given the libraries that it imports, and told by the compiler which one is missing', async () => {
    const source = '//@version=6\nindicator("X")\nimport me/Tools/1 as tools\nplot(tools.twice(close))\n';
    const library = {
      ...{ namespace: 'me', name: 'Tools', version: 1 },
      source: '//@version=6\nlibrary("Tools")\nexport twice(float x) =>\n    x * 2\n',
    };
    const { run } = opened({ librariesOf: async () => [library] });
    run.start({ ...ASKED, source });
    await settled();
    expect(run.state.status).toBe('ready');
    const { run: without } = opened({ librariesOf: () => Promise.reject(new Error('none')) });
    without.start({ ...ASKED, source });
    await settled();
    expect(without.state).toMatchObject({ status: 'refused' });
  });
});
