// Live deployments by hand: how they are made, stopped by errors, paused, resumed, and for whom.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MAX_IN_ALL, MAX_PER_USER } from './deployment.ts';
import { barAt, MINUTE_MS } from './testing/hand-market.ts';
import { isAlerting } from './testing/hand-runner.ts';
import { ANN, BOB, openTestSetup, type TestSetup, WANTED } from './testing/open-test-setup.ts';

let setup: TestSetup;
beforeEach(() => {
  setup = openTestSetup();
});
afterEach(() => setup.close());

/** Closes bars until one has closed on which the script alerts, and says which. */
async function closeAlertingBar(told = true): Promise<number> {
  for (;;) {
    const timeMs = setup.market.formingMs;
    await setup.closeBar(told || !isAlerting(barAt(timeMs).close));
    if (isAlerting(barAt(timeMs).close)) return timeMs;
  }
}

/** Stops before a bar on which the script alerts. */
async function untilAlerting(): Promise<void> {
  while (!isAlerting(barAt(setup.market.formingMs).close)) await setup.closeBar();
}

const eventTimes = (): number[] => setup.events().map(({ barTimeMs }) => barTimeMs);

describe('making a deployment', () => {
  test('pins the revision, runs on trial over 1,000 bars, and raises nothing for history', async () => {
    const deployment = await setup.deploy();
    expect(deployment).toMatchObject({
      scriptId: 'cross',
      revision: 7,
      name: 'Cross',
      state: 'running',
      runs: 0,
      alerts: 0,
      lastRunAtMs: null,
      lastError: null,
      lastBarTimeMs: setup.market.formingMs - MINUTE_MS,
      anchorMs: setup.market.formingMs - 1001 * MINUTE_MS,
    });
    expect(setup.runner.requests[0]).toMatchObject({
      source: 'alert',
      timeframe: '1m',
      symbol: { ticker: 'BINANCE:BTCUSDT' },
      bars: { count: 1001 },
    });
    await setup.clock.advance(5000);
    expect(setup.events()).toEqual([]);
    expect(setup.arrived).toEqual([]);
  });

  test('of a script that is not run as it was written says so in its log', async () => {
    const place = { line: 1, column: 1, endLine: 1, endColumn: 1 };
    const message = 'The script is of version 4.';
    const warnings = [
      { ...place, severity: 'warning', code: 'PE151', message: 'Something else.' },
      { ...place, severity: 'warning', code: 'PE041', message },
      { ...place, severity: 'warning', code: 'PE402', message: 'One is one.' },
      { ...place, severity: 'warning', code: 'PE403', message: 'No shorter bars.' },
    ] as const;
    setup.runner.answer = () => ({
      kind: 'result',
      result: { count: 1, alerts: [], meta: { scriptType: 'indicator' } } as never,
      report: null,
      warnings,
      runMs: 1,
    });
    const { id } = await setup.deploy();
    expect(await setup.deployments.logs(ANN, id, 1)).toMatchObject({
      logs: [
        {
          kind: 'created',
          message: expect.stringMatching(
            /the next that closes\. The script is of version 4\. One is one\. No shorter bars\.$/,
          ),
        },
      ],
    });
  });

  test('is refused for a script that is not there, of another user, or of another revision', async () => {
    const missing = { kind: 'missing', what: 'script' };
    expect(await setup.deployments.create(ANN, { ...WANTED, scriptId: 'none' })).toEqual(missing);
    expect(await setup.deployments.create(ANN, { ...WANTED, revision: 6 })).toEqual(missing);
    expect(await setup.deployments.create(BOB, WANTED)).toEqual(missing);
  });

  test.each([
    { kind: 'compile-failed', diagnostics: [] },
    { kind: 'runtime-error', message: 'no', barIndex: 1, line: 2, column: 3 },
    { kind: 'input-fault', reason: 'no such input' },
    { kind: 'busy', reason: 'wait' },
    { kind: 'timeout', reason: 'slow' },
  ] as const)('is refused when the trial run ends with $kind, and nothing is stored', async (outcome) => {
    setup.runner.answer = () => outcome;
    expect(await setup.deployments.create(ANN, WANTED)).toEqual({ kind: 'trial-failed', outcome });
    expect(await setup.deployments.list(ANN)).toEqual([]);
    expect(setup.market.followers).toBe(0);
  });

  test('is refused for an unknown market, for bars that cannot be read, and for a bad target, in words', async () => {
    expect(await setup.deployments.create(ANN, { ...WANTED, market: 'NONE' })).toMatchObject({
      kind: 'bad-market',
      reason: 'there is no market NONE',
    });
    setup.market.fault = new RangeError('more bars than one request may hold');
    expect(await setup.deployments.create(ANN, WANTED)).toMatchObject({ kind: 'bad-market' });
    setup.market.fault = new Error('connection refused');
    expect(await setup.deployments.create(ANN, WANTED)).toMatchObject({
      kind: 'unavailable',
      reason: expect.stringContaining('(connection refused); try again later'),
    });
    const targets = [{ type: 'webhook', url: 'http://private' }] as const;
    expect(await setup.deployments.create(ANN, { ...WANTED, targets })).toMatchObject({ kind: 'bad-target' });
  });

  test('is refused when the clock is so wrong that no bars are there', async () => {
    setup.clock.set(setup.clock.nowMs() + 365 * 86_400_000);
    const outcome = await setup.deployments.create(ANN, WANTED);
    expect(outcome).toMatchObject({ kind: 'unavailable', reason: expect.stringContaining('check the clock') });
  });

  test(`is refused beyond ${MAX_PER_USER} of a user`, async () => {
    for (let count = 0; count < MAX_PER_USER; count += 1) await setup.deploy();
    const refused = { kind: 'too-many', reason: expect.stringContaining(`${MAX_PER_USER} deployments of this key`) };
    expect(await setup.deployments.create(ANN, WANTED)).toEqual(refused);
    await setup.deployments.remove(ANN, 'deployment-1');
    expect(await setup.deploy()).toMatchObject({ state: 'running' });
  });

  test(`is refused beyond ${MAX_IN_ALL} of all users together`, async () => {
    const sample = await setup.deploy();
    for (let count = 1; count < MAX_IN_ALL; count += 1) {
      const other = { ...sample, id: `other-${count}`, userId: String(Math.floor(count / 10)).padStart(32, '0') };
      const stored = await setup.store.create(other, 'alert', { atMs: 1, kind: 'created', message: '' });
      expect(stored).toEqual({ kind: 'created' });
    }
    expect(await setup.deployments.create(ANN, WANTED)).toMatchObject({
      kind: 'too-many',
      reason: expect.stringContaining(`runs ${MAX_IN_ALL} deployments already`),
    });
  });
});

describe('errors of the script', () => {
  const broken = { kind: 'runtime-error', message: 'index out of bounds', barIndex: 1, line: 4, column: 2 } as const;

  test('are in the log with their line, and the deployment goes on', async () => {
    const { id } = await setup.deploy();
    setup.runner.answer = () => broken;
    await setup.closeBar();
    expect(await setup.store.read(ANN, id)).toMatchObject({
      state: 'running',
      failures: 1,
      lastError: 'line 4: index out of bounds',
    });
    setup.runner.answer = undefined;
    await setup.closeBar();
    expect(await setup.store.read(ANN, id)).toMatchObject({ failures: 0, lastError: null, runs: 2 });
    expect(await setup.logs(id)).toContain('error: line 4: index out of bounds');
  });

  test('ten in a row stop it, nine do not, and it can be resumed', async () => {
    const { id } = await setup.deploy();
    setup.runner.answer = () => broken;
    for (let bar = 0; bar < 9; bar += 1) await setup.closeBar();
    expect(await setup.store.read(ANN, id)).toMatchObject({ state: 'running', failures: 9 });
    await setup.closeBar();
    expect(await setup.store.read(ANN, id)).toMatchObject({ state: 'failed', failures: 10 });
    expect((await setup.logs(id)).at(-1)).toContain('failed: Stopped after 10 errors in a row');
    expect(setup.market.followers).toBe(0);
    setup.runner.answer = undefined;
    await setup.deployments.resume(ANN, id);
    const timeMs = await closeAlertingBar();
    expect(eventTimes()).toContain(timeMs);
    expect(await setup.store.read(ANN, id)).toMatchObject({ state: 'running', failures: 0 });
  });

  test('a fault of the engine is tried three times before it counts', async () => {
    const { id } = await setup.deploy();
    setup.runner.answer = () => ({ kind: 'failed', reason: 'a fault of ours' });
    const before = setup.runner.requests.length;
    await setup.closeBar();
    await setup.clock.advance(5000);
    expect(setup.runner.requests).toHaveLength(before + 3);
    expect(await setup.store.read(ANN, id)).toMatchObject({ failures: 1, lastError: 'a fault of ours' });
  });
});

describe('pause and resume', () => {
  test('bars that close meanwhile do not act, not even the newest; the next one does', async () => {
    const { id } = await setup.deploy();
    expect(await setup.deployments.pause(ANN, id)).toMatchObject({ deployment: { state: 'paused' } });
    await closeAlertingBar();
    expect(await setup.deployments.resume(ANN, id)).toMatchObject({ deployment: { state: 'running' } });
    await setup.clock.advance(1000);
    expect(eventTimes()).toEqual([]);
    const timeMs = await closeAlertingBar();
    expect(eventTimes()).toEqual([timeMs]);
  });

  test('a paused one stays paused across a restart', async () => {
    const { id } = await setup.deploy();
    await setup.deployments.pause(ANN, id);
    await setup.crash();
    await closeAlertingBar();
    expect(eventTimes()).toEqual([]);
    expect(setup.market.followers).toBe(0);
  });

  test('nobody reaches the deployments of another user', async () => {
    const { id } = await setup.deploy();
    const missing = { kind: 'missing', what: 'deployment' };
    expect(await setup.deployments.list(BOB)).toEqual([]);
    expect(await setup.deployments.read(BOB, id)).toEqual(missing);
    expect(await setup.deployments.pause(BOB, id)).toEqual(missing);
    expect(await setup.deployments.resume(BOB, id)).toEqual(missing);
    expect(await setup.deployments.remove(BOB, id)).toEqual(missing);
    expect(await setup.deployments.logs(BOB, id, 10)).toEqual(missing);
    expect(await setup.store.read(ANN, id)).toMatchObject({ state: 'running' });
  });
});

test('stopping waits for what is under way and begins nothing more', async () => {
  await setup.deploy();
  await untilAlerting();
  const slow = Promise.withResolvers<undefined>();
  setup.runner.answer = () => slow.promise;
  const timeMs = setup.market.formingMs;
  await setup.closeBar();
  let isStopped = false;
  void setup.deployments.stop().then(() => {
    isStopped = true;
  });
  await setup.clock.advance(10);
  expect(isStopped).toBe(false);
  slow.resolve(undefined);
  await setup.clock.advance(10);
  expect(isStopped).toBe(true);
  expect(eventTimes()).toContain(timeMs);
  const { length } = setup.runner.requests;
  await setup.closeBar();
  expect(setup.runner.requests).toHaveLength(length);
});
