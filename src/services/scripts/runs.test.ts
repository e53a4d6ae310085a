// /api/runs through the front door over a real database: every route, every refusal with its code and status, each user's own,
// and what is left after a restart.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkAnswersOf } from '../../../tests/support/checked-app.ts';
import { createJobRunner } from '../../adapters/scripts/run-job.ts';
import { openRunStorage, type RunStorage } from '../../adapters/storage/sqlite/strangers/testing/open-storage.ts';
import { testFolder } from '../../adapters/storage/sqlite/testing/open-test-storage.ts';
import { marketInfo } from '../../composition/market-info.ts';
import type { KitContext } from '../../http/context.ts';
import { mountEndpoints } from '../../http/mount-endpoints.ts';
import { statusShape } from '../../http/status-shape.ts';
import { createFixture, type Fixture } from '../../http/testing/app-fixture.ts';
import type { MarketBars } from '../../library/deployments/index.ts';
import type { CallerRunner } from '../../library/request-runner.ts';
import { MAX_KEPT_RUNS } from '../../library/runs/kept-run.ts';
import { createRuns } from '../../library/runs/runs.ts';
import { SCRIPTS_ERRORS } from './errors.ts';
import { createAuthenticate } from './require-key.ts';
import { keptRunEndpoints } from './runs.ts';
import { createStorageGuard } from './storage-refusal.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2026, 0, 10, 0, 30);
const ANNS_KEY = `pn_${'1'.repeat(48)}`;
const BOBS_KEY = `pn_${'2'.repeat(48)}`;
const [ANN, BOB] = ['a'.repeat(32), 'b'.repeat(32)];
const STRATEGY = (bars: number) => `//@version=6
strategy("Ups")
size = input.float(1, "Size")
if bar_index % ${bars} == 0
    strategy.entry("L", strategy.long, size)
if bar_index % ${bars} == 2
    strategy.close("L")`;
const SOURCES: Readonly<Record<string, string>> = {
  [`${ANN} ups 1`]: STRATEGY(4),
  [`${ANN} ups 2`]: STRATEGY(5),
  [`${ANN} plain 2`]: '//@version=6\nindicator("x")\nplot(close)',
  [`${ANN} broken 2`]: '//@version=6\nstrategy("x")\nplot(nothing)',
  [`${ANN} error 2`]: '//@version=6\nstrategy("x")\nruntime.error("no more")\nplot(close)',
  [`${ANN} imports 2`]: `${STRATEGY(4)}\nimport me/Tools/1\nplot(Tools.one())`,
  [`${ANN} other 2`]: `${STRATEGY(4)}\nplot(request.security("ETHUSDT", "60", close))`,
};
const TOOLS = {
  namespace: 'me',
  name: 'Tools',
  version: 1,
  source: '//@version=6\nlibrary("Tools")\nexport one() => 1',
};
const WANTED = { scriptId: 'ups', symbol: 'BTCUSDT', interval: '1h', from: '2026-01-01', to: '2026-01-03' };

let folder: ReturnType<typeof testFolder>;
let storage: RunStorage;
let fixture: Fixture;
let asked: unknown[];
let shift: number;
let fault: Error | undefined;
let ids: number;
let clockMs: number;

const runJob = createJobRunner('command');
/** The engine itself, without a thread around it. */
const runner: CallerRunner = {
  async runFor(caller, { timeoutMs: _, signal: __, ...request }) {
    asked.push(caller);
    const outcome = runJob({ kind: 'run', ...request });
    if (outcome.kind === 'result' || outcome.kind === 'compile-failed' || outcome.kind === 'runtime-error')
      return outcome;
    if (outcome.kind === 'input-fault') return outcome;
    throw new Error(`no outcome of a run: ${outcome.kind}`);
  },
};

const market: Pick<MarketBars, 'bars'> = {
  async bars(name, timeframeMs, fromMs, toMs) {
    if (fault !== undefined) throw fault;
    if (name === 'NONE') throw Object.assign(new Error('there is no such market'), { name: 'FeedRefusal' });
    const bars = [];
    for (let time = Math.ceil(fromMs / timeframeMs) * timeframeMs; time < toMs; time += timeframeMs) {
      const open = 100 + ((time / timeframeMs) % 7) + (time >= Date.UTC(2026, 0, 2) ? shift : 0);
      bars.push({ time, open, high: open + 2, low: open - 1, close: open + 1, volume: 5 });
    }
    return bars;
  },
};

function open(isBound = true): void {
  fixture = createFixture({
    ...{ service: 'scripts', errors: SCRIPTS_ERRORS, shape: statusShape, defaultBodyLimitBytes: 1024 * 1024 },
  });
  checkAnswersOf(fixture.app);
  const stored = createStorageGuard(() => {});
  const lookup = async (key: string) =>
    [ANNS_KEY, BOBS_KEY].includes(key) ? ({ key, tier: 'hobby', createdAtMs: 1 } as never) : undefined;
  const byKey = createAuthenticate({ durableDatabase: true, lookup, allowOpenKeys: false }, stored);
  const authenticate = async (c: KitContext) => {
    const auth = await byKey(c);
    return { ...auth, userId: auth.key === ANNS_KEY ? ANN : BOB };
  };
  const version = async (userId: string, id: string, revision: number) => {
    const content = SOURCES[`${userId} ${id} ${revision}`];
    return content === undefined ? undefined : { id, name: id, content, revision, createdAtMs: 1, updatedAtMs: 1 };
  };
  const runs = createRuns({
    ...{
      store: storage.runs,
      runner,
      market,
      infoOf: marketInfo,
      nowMs: () => NOW_MS,
      engine: '1.2.3',
      timeoutMs: 1000,
    },
    scripts: { version, read: (userId, id) => version(userId, id, 2) },
    libraries: { sourcesOf: async (userId, imports) => (userId === ANN && imports.length > 0 ? [TOOLS] : []) },
    newId: () => {
      ids += 1;
      return `run-${ids}`;
    },
  });
  const endpoints = keptRunEndpoints({
    ...{ authenticate, stored, runs: isBound ? runs : undefined },
    monotonicMs: () => {
      clockMs += 60_000;
      return clockMs;
    },
  });
  mountEndpoints(fixture.app, endpoints, { internal: () => {}, scriptKey: async (c) => void (await authenticate(c)) });
}

beforeEach(() => {
  folder = testFolder();
  storage = openRunStorage({ dataDir: folder.dataDir });
  [asked, shift, fault, ids, clockMs] = [[], 0, undefined, 0, 0];
  open();
});
afterEach(async () => {
  await storage.close();
  folder.remove();
});

async function send(method: string, path: string, body?: unknown, key = ANNS_KEY) {
  const init = {
    method,
    headers: key === '' ? {} : { authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  };
  const answer = await fixture.app.request(path, init, { peer: '198.51.100.1' });
  return { status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text()) };
}
const keep = (more: object = {}, key?: string) => send('POST', '/api/runs', { ...WANTED, ...more }, key);

describe('POST /api/runs', () => {
  test('runs the strategy over the bars of the market, and keeps what decided it and what it made', async () => {
    const { status, body } = await keep({ inputs: { Size: 3 }, initialCapital: 500, note: ' first ' });
    expect(status).toBe(201);
    expect(body.run).toMatchObject({
      ...{ id: 'run-1', atMs: NOW_MS, note: 'first', engine: '1.2.3', inputs: { Size: 3 } },
      script: { title: 'Ups', name: 'ups', revision: 2, libraries: [] },
      settings: { initialCapital: 500 },
      market: { fromMs: Date.UTC(2026, 0, 1), toMs: Date.UTC(2026, 0, 2, 23), bars: 48, others: [] },
      repaint: { status: 'none_found', bars_compared: 47 },
    });
    expect(body.run.trades).toHaveLength(body.run.tradeCount);
    expect(body.run).not.toHaveProperty('asked');
    // In the share of the threads that users with a key have.
    expect(asked).toEqual([{ class: 'keyed', id: ANN }]);
  });

  test('leaves out the bar that is forming, and ends there when no end is said', async () => {
    const { body } = await keep({ from: NOW_MS - 5 * HOUR_MS, to: undefined });
    expect(body.run.market).toMatchObject({ bars: 4, toMs: Date.UTC(2026, 0, 9, 23) });
  });

  test('finds what the script imports, and keeps its digest', async () => {
    const { status, body } = await keep({ scriptId: 'imports' });
    expect([status, body.run?.script.libraries]).toEqual([
      201,
      [{ name: 'me/Tools/1', digest: expect.stringMatching(/^[0-9a-f]{16,}/) }],
    ]);
  });

  test('keeps the digests of the bars that the script requests besides', async () => {
    const { body } = await keep({ scriptId: 'other' });
    expect(body.run.market.others).toMatchObject([{ symbol: 'ETHUSDT', timeframe: '60', bars: 48 }]);
  });

  test('trades in the range that is said, and looks for no repainting when told so', async () => {
    const { body } = await keep({ tradeFrom: '2026-01-02', tradeTo: '2026-01-03', checkRepaint: false });
    expect(body.run.trades[0].entryTimeMs).toBeGreaterThanOrEqual(Date.UTC(2026, 0, 2));
    expect(body.run).toMatchObject({
      settings: { tradeFromMs: Date.UTC(2026, 0, 2), tradeToMs: Date.UTC(2026, 0, 3) },
      repaint: { status: 'not_checked' },
    });
  });

  test.each([
    [{ scriptId: 'none' }, 404, 'NOT_FOUND'],
    [{ revision: 9 }, 404, 'NOT_FOUND'],
    [{ scriptId: 'plain' }, 400, 'INVALID_FIELD'],
    [{ scriptId: 'broken' }, 400, 'SCRIPT_ERROR'],
    [{ scriptId: 'error' }, 422, 'RUNTIME_ERROR'],
    [{ symbol: 'NONE' }, 400, 'INVALID_FIELD'],
    [{ symbol: 'BTC USDT' }, 400, 'INVALID_FIELD'],
    [{ interval: '7x' }, 400, 'INVALID_FIELD'],
    [{ from: 'soon' }, 400, 'INVALID_FIELD'],
    [{ from: '2026-01-03' }, 400, 'INVALID_FIELD'],
    [{ from: '2027-01-01', to: '2027-02-01' }, 400, 'INVALID_FIELD'],
    [{ from: 0, interval: '1m', to: undefined }, 413, 'TOO_MANY_BARS'],
    [{ tradeFrom: '2026-01-02', tradeTo: '2026-01-02' }, 400, 'INVALID_FIELD'],
    [{ inputs: [] }, 400, 'INVALID_FIELD'],
    [{ inputs: { Size: 'x' } }, 400, 'INVALID_FIELD'],
    [{ inputs: { a: 'x'.repeat(16_384) } }, 400, 'INVALID_FIELD'],
    [{ initialCapital: 0 }, 400, 'INVALID_FIELD'],
    [{ note: 'x'.repeat(1001) }, 400, 'INVALID_FIELD'],
    [{ note: 'a\nb' }, 400, 'INVALID_FIELD'],
    [{ colour: 'red' }, 400, 'UNKNOWN_FIELDS'],
    [{ symbol: undefined }, 400, 'MISSING_FIELD'],
  ])('%j is refused, and nothing is kept', async (more, status, code) => {
    const sent = await keep(more);
    expect([sent.status, sent.body.code]).toEqual([status, code]);
    expect((await send('GET', '/api/runs')).body.runs).toEqual([]);
  });

  test('a word in the query that is not known is refused; the key may stand there', async () => {
    const sent = await send('POST', '/api/runs?dryRun=true', WANTED);
    expect([sent.status, sent.body.code, sent.body.message]).toEqual([
      ...[400, 'UNKNOWN_FIELDS'],
      'query: has unknown fields, remove dryRun; nothing stands in the query here, send it in the body',
    ]);
    expect((await send('GET', '/api/runs')).body.runs).toEqual([]);
    expect((await send('POST', `/api/runs?key=${ANNS_KEY}`, WANTED, '')).status).toBe(201);
  });

  test('says when bars cannot be read just now', async () => {
    fault = new Error('the venue is away');
    const { status, body, headers } = await keep();
    expect([status, body.code]).toEqual([503, 'UNAVAILABLE']);
    expect(headers.get('retry-after')).not.toBeNull();
  });

  test('beyond the limit lets the oldest without a note go, and refuses when all have one', async () => {
    const { body } = await keep({ note: 'wanted' });
    for (let number = 2; number <= MAX_KEPT_RUNS; number += 1)
      await storage.runs.add(ANN, { ...body.run, asked: {}, id: `old-${number}`, note: number === 3 ? '' : 'wanted' });
    expect((await keep({ note: 'x' })).status).toBe(201);
    const { body: listed } = await send('GET', '/api/runs');
    expect(listed.runs).toHaveLength(MAX_KEPT_RUNS);
    expect(listed.runs.map(({ id }: { id: string }) => id)).not.toContain('old-3');
    const full = await keep();
    expect([full.status, full.body.code]).toEqual([409, 'RUNS_FULL']);
    // Nobody else's library is full.
    expect((await keep({}, BOBS_KEY)).body.code).toBe('NOT_FOUND');
  });

  test('is limited to ten a minute', async () => {
    const step = clockMs;
    for (let call = 0; call < 10; call += 1) {
      clockMs = step;
      await keep();
    }
    clockMs = step;
    expect((await keep()).body.code).toBe('RATE_LIMIT');
  });
});

describe('kept runs', () => {
  test('are listed newest first without their trades, and are there after a restart', async () => {
    await keep({ note: 'one' });
    await keep({ revision: 1 });
    await storage.close();
    storage = openRunStorage({ dataDir: folder.dataDir });
    open();
    const { body } = await send('GET', '/api/runs');
    expect(body.runs).toMatchObject([
      { id: 'run-2', script: { revision: 1 }, note: '' },
      { id: 'run-1', script: { revision: 2 }, note: 'one' },
    ]);
    expect(body.runs[0]).not.toHaveProperty('trades');
    expect((await send('GET', '/api/runs/run-1')).body.run.trades.length).toBeGreaterThan(0);
  });

  test('are compared', async () => {
    await keep();
    await keep({ revision: 1, inputs: { Size: 2 } });
    const { status, body } = await send('GET', '/api/runs/run-1/compare/run-2');
    expect(status).toBe(200);
    expect(body.comparison).toMatchObject({ sameResult: false, sameScript: false, sameData: true });
    expect(body.comparison.inputs).toEqual([{ name: 'Size', a: null, b: 2 }]);
    expect(body.comparison.firstDifferentTrade.number).toBe(1);
    expect((await send('GET', '/api/runs/run-1/compare/run-9')).body.code).toBe('NOT_FOUND');
  });

  test('made again come out the same, whatever has closed since', async () => {
    await keep({ inputs: { Size: 2 }, initialCapital: 700, tradeFrom: '2026-01-01T05:00:00Z', scriptId: 'other' });
    const { status, body } = await send('POST', '/api/runs/run-1/check');
    expect(status).toBe(200);
    expect(body).toMatchObject({ same: true, engine: '1.2.3', comparison: { sameData: true, sameScript: true } });
    expect((await send('GET', '/api/runs')).body.runs).toHaveLength(1);
  });

  test('made again over bars that were changed say that it is the data', async () => {
    await keep();
    shift = 5;
    const { body } = await send('POST', '/api/runs/run-1/check');
    expect(body).toMatchObject({ same: false, comparison: { sameData: false, sameScript: true } });
  });

  test('have a note that can be changed', async () => {
    await keep();
    expect((await send('PATCH', '/api/runs/run-1', { note: 'with fees' })).body.run.note).toBe('with fees');
    expect((await send('PATCH', '/api/runs/run-1', { note: 5 })).body.code).toBe('INVALID_FIELD');
    expect((await send('PATCH', '/api/runs/run-1', {})).body.code).toBe('MISSING_FIELD');
    expect((await send('PATCH', '/api/runs/none', { note: 'x' })).body.code).toBe('NOT_FOUND');
    expect((await send('GET', '/api/runs/run-1')).body.run.note).toBe('with fees');
  });

  test('are removed', async () => {
    await keep();
    expect((await send('DELETE', '/api/runs/run-1')).status).toBe(200);
    expect((await send('DELETE', '/api/runs/run-1')).body.code).toBe('NOT_FOUND');
    expect((await send('GET', '/api/runs')).body.runs).toEqual([]);
  });

  test('of somebody else are not there', async () => {
    await keep();
    for (const [method, path, body] of [
      ['GET', '/api/runs/run-1'],
      ['PATCH', '/api/runs/run-1', { note: 'mine' }],
      ['POST', '/api/runs/run-1/check'],
      ['DELETE', '/api/runs/run-1'],
      ['GET', '/api/runs/run-1/compare/run-1'],
    ] as const)
      expect((await send(method, path, body, BOBS_KEY)).body.code).toBe('NOT_FOUND');
    expect((await send('GET', '/api/runs', undefined, BOBS_KEY)).body.runs).toEqual([]);
    expect((await send('GET', '/api/runs/run-1')).body.run.note).toBe('');
  });

  test('need a key, and a database', async () => {
    expect((await send('GET', '/api/runs', undefined, '')).body.code).toBe('NO_KEY');
    open(false);
    expect((await send('GET', '/api/runs')).body.code).toBe('UNAVAILABLE');
    expect((await keep()).body.code).toBe('UNAVAILABLE');
  });
});
