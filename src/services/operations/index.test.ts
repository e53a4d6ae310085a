// Readiness as a stranger sees it: what is wrong with which file, but not where the owner keeps it.

import { expect, test } from 'vitest';
import { checkAnswersOf } from '../../../tests/support/checked-app.ts';
import { StorageError } from '../../errors/storage-error.ts';
import { createInternalGate } from '../../http/internal-auth.ts';
import { createFixture } from '../../http/testing/app-fixture.ts';
import { mountOperations } from './index.ts';

test('a failed check names the file and the remedy without the folder', async () => {
  const { app, metrics } = createFixture();
  checkAnswersOf(app);
  mountOperations(app, {
    version: '1.2.3',
    release: '4.5.6',
    environment: 'staging',
    mode: 'paper',
    venues: { binance: 'paper' },
    prices: 'simulated',
    websocket: true,
    metrics,
    gate: createInternalGate({ token: undefined }),
    openApi: () => ({}),
    probes: () => ({
      journal: () => Promise.reject(new StorageError('the disk that holds /home/owner/my data/signalbox.db is full')),
      settings: () => undefined,
      'analysis keys': async () => 'off' as const,
    }),
    warnings: () => [],
    settings: () => [],
    monotonicMs: () => 0,
  });
  const answer = await app.request('/ready', {}, { peer: '198.51.100.1' });
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({
    checks: { journal: 'the disk that holds signalbox.db is full', settings: 'ok', 'analysis keys': 'off' },
  });
});

test('what is off does not make the rest unready, and is told', async () => {
  const { app, metrics } = createFixture();
  checkAnswersOf(app);
  mountOperations(app, {
    ...{
      version: '1',
      release: '2',
      environment: 'staging',
      mode: 'paper',
      venues: { binance: 'paper' },
      prices: 'simulated',
      websocket: true,
    },
    ...{ warnings: () => [], settings: () => [] },
    ...{ metrics, gate: createInternalGate({}), openApi: () => ({}), monotonicMs: () => 0 },
    probes: () => ({ journal: () => undefined, 'analysis keys': async () => 'off' as const }),
  });
  const answer = await app.request('/ready', {}, { peer: '198.51.100.1' });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ status: 'ready', checks: { journal: 'ok', 'analysis keys': 'off' } });
});

test('the probes run once a second at most: whoever asks meanwhile shares the answer', async () => {
  const { app, metrics } = createFixture();
  checkAnswersOf(app);
  let nowMs = 0;
  let probed = 0;
  let fault: string | undefined;
  let release = (): void => {};
  mountOperations(app, {
    ...{
      version: '1',
      release: '2',
      environment: 'staging',
      mode: 'paper',
      venues: { binance: 'paper' },
      prices: 'simulated',
      websocket: true,
    },
    ...{ warnings: () => [], settings: () => [] },
    ...{ metrics, gate: createInternalGate({}), openApi: () => ({}), monotonicMs: () => nowMs },
    probes: () => ({
      journal: async () => {
        probed += 1;
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        if (fault !== undefined) throw new Error(fault);
      },
    }),
  });
  const ask = async () => (await app.request('/ready', {}, { peer: '198.51.100.1' })).status;
  const released = async (asked: Promise<unknown>) => {
    release();
    return asked;
  };
  const many = Array.from({ length: 50 }, ask);
  await new Promise((resolve) => setImmediate(resolve));
  nowMs = 5000;
  const late = ask();
  await new Promise((resolve) => setImmediate(resolve));
  expect(probed).toBe(1);
  expect(await released(Promise.all([...many, late]))).toEqual(Array(51).fill(200));
  const next = ask();
  await new Promise((resolve) => setImmediate(resolve));
  expect(probed).toBe(2);
  expect(await released(next)).toBe(200);
  fault = 'the disk is full';
  nowMs = 5999;
  expect(await ask()).toBe(200);
  expect(probed).toBe(2);
  nowMs = 6000;
  const failed = ask();
  await new Promise((resolve) => setImmediate(resolve));
  expect(await released(failed)).toBe(503);
  expect(probed).toBe(3);
});
