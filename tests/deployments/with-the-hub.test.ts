// Live deployments on the real hub and archive of bars: a market that is lost and found again, and silent minutes.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type DeploymentStorage,
  openDeploymentStorage,
} from '../../src/adapters/storage/sqlite/strangers/testing/open-storage.ts';
import { createDeployments, type Deployments, type MarketBars } from '../../src/library/deployments/index.ts';
import { createHandRunner, type HandRunner, resultOf } from '../../src/library/deployments/testing/hand-runner.ts';
import { MINUTE_MS, MODEL_MARKET } from '../../src/market-data/testing/model-feed.ts';
import { BEFORE, openTestHub } from '../../src/market-data/testing/open-test-hub.ts';

const USER = 'd'.repeat(32);
let dataDir: string;
let hub: ReturnType<typeof openTestHub>;
let storage: DeploymentStorage;
let deployments: Deployments;
let runner: HandRunner;
let arrived: number[];
let id: string;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'signalbox-hub-'));
  hub = openTestHub();
  storage = openDeploymentStorage({ dataDir });
  arrived = [];
  runner = createHandRunner();
  runner.answer = (request) => resultOf(request, () => 1);
  const market: MarketBars = {
    bars: (...question) => hub.archive.bars(...question),
    follow: (...wish) => hub.hub.follow(...wish),
  };
  deployments = createDeployments({
    infoOf: (ticker) => ({ ticker }),
    store: storage.deployments,
    opinions: storage.opinions,
    scripts: {
      read: async (_, scriptId) => ({
        id: scriptId,
        name: 'x',
        content: 'x',
        revision: 1,
        createdAtMs: 1,
        updatedAtMs: 1,
      }),
      version: async () => undefined,
    },
    runner,
    market,
    sender: {
      faultOf: () => undefined,
      async send({ barTimeMs }) {
        arrived.push(barTimeMs / MINUTE_MS);
        return 'sent';
      },
    },
    timers: { nowMs: hub.clock.nowMs, after: hub.clock.timers.after },
    log: { info: () => {}, warn: () => {}, error: () => {} },
    newId: () => 'deployment-1',
  });
  const made = await deployments.create(USER, {
    scriptId: 's',
    symbol: MODEL_MARKET,
    market: MODEL_MARKET,
    interval: '1m',
    timeframeMs: MINUTE_MS,
    inputs: {},
    targets: [{ type: 'telegram' }],
  });
  if (made.kind !== 'found') throw new Error(JSON.stringify(made));
  id = made.deployment.id;
  await hub.clock.advance(40_000);
});
afterEach(async () => {
  await deployments.stop();
  hub.hub.close();
  await storage.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Time and market move on together; a bar closes on its minute. */
async function minutes(count: number, heard?: Parameters<typeof hub.feed.closeOne>[0]): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    hub.feed.closeOne(heard);
    await hub.clock.advance(MINUTE_MS);
  }
}

const missed = async (): Promise<string[]> => {
  const outcome = await deployments.logs(USER, id, 100);
  if (outcome.kind !== 'logs') throw new Error('no logs');
  return outcome.logs.filter(({ kind }) => kind === 'missed').map(({ message }) => message);
};

test('every bar that closes acts once, in order', async () => {
  await minutes(5);
  expect(arrived).toEqual([0, 1, 2, 3, 4].map((bar) => BEFORE + bar));
  expect(await missed()).toEqual([]);
  expect(hub.feed.upstreams).toBe(1);
});

test('after an outage only the newest bar acts, and the others are told of as missed', async () => {
  await minutes(2);
  hub.feed.lose();
  await minutes(5);
  hub.feed.closeOne();
  await hub.clock.advance(5000);
  hub.feed.restore();
  await hub.clock.advance(20_000);
  expect(arrived).toEqual([BEFORE, BEFORE + 1, BEFORE + 7]);
  expect(await missed()).toEqual([expect.stringContaining('5 bars were missed')]);
  await hub.clock.advance(35_000);
  await minutes(1);
  expect(arrived.at(-1)).toBe(BEFORE + 8);
});

test('a close that the stream did not tell of acts all the same', async () => {
  await minutes(1);
  await minutes(1, { closed: false });
  expect(arrived).toEqual([BEFORE, BEFORE + 1]);
});

test('a minute in which nobody traded is no bar, and none is missed', async () => {
  await minutes(1);
  hub.feed.silent.add(BEFORE + 1);
  hub.feed.closedCount += 1;
  await hub.clock.advance(MINUTE_MS);
  await minutes(2);
  expect(arrived).toContain(BEFORE);
  expect(arrived).not.toContain(BEFORE + 1);
  expect(arrived.at(-1)).toBe(BEFORE + 3);
});

test('a market that is not there is refused when the deployment is made', async () => {
  const wanted = { scriptId: 's', symbol: 'NONE', interval: '1m', timeframeMs: MINUTE_MS, inputs: {} };
  const outcome = await deployments.create(USER, { ...wanted, market: 'NONE', targets: [{ type: 'telegram' }] });
  expect(outcome).toMatchObject({ kind: 'bad-market', reason: expect.stringContaining('NONE') });
});
