// One owner deploys as many slow scripts as a key may, on real threads: the strategy of another owner is not late for them.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { createLivePool } from '../../src/adapters/scripts/live-pool.ts';
import { createScriptPool } from '../../src/adapters/scripts/script-pool.ts';
import { openDeploymentStorage } from '../../src/adapters/storage/sqlite/strangers/testing/open-storage.ts';
import {
  createDeployments,
  MAX_PER_USER,
  type MarketListener,
  type Target,
} from '../../src/library/deployments/index.ts';
import { closeAtEnd } from '../support/close-at-end.ts';

const MINUTE_MS = 60_000;
const ANN = 'a'.repeat(32);
const EVE = 'e'.repeat(32);
/** Quick over history, as its trial shows; on every live bar it takes all the time that a run may, which is ten seconds. */
const SLOW = `//@version=6
indicator("Slow")
var values = array.new_float(50000, 1.0)
float x = 0
if barstate.isrealtime
    for k = 0 to 100000
        x += array.sum(values)
alert(str.tostring(x), alert.freq_once_per_bar_close)
`;
const QUICK = `//@version=6
strategy("Quick", margin_long = 0, process_orders_on_close = true)
if barstate.isrealtime and barstate.isconfirmed
    strategy.order("L", strategy.long, 1)
`;
const HOOK: Target = { type: 'webhook', url: 'https://example.com/hook' };
const TRADE: Target = { type: 'trade', keyId: 'k', keyLabel: 'mine', exchange: 'binance' };

it('twenty slow scripts of one key, deployed first, hold up no signal of another by more than a second or two', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-neighbours-'));
  const storage = openDeploymentStorage({ dataDir });
  const live = createLivePool();
  const trials = createScriptPool({ size: 1 });
  const listeners = new Set<MarketListener>();
  /** The bar that forms: by the clock it closes some seconds from now, which is time enough to deploy everything. */
  const formingMs = Date.now() - MINUTE_MS + 15_000;
  const barAt = (time: number) => ({ time, open: 1, high: 1, low: 1, close: 1, volume: 1 });
  const sent: { userId: string; atMs: number }[] = [];
  const deployments = createDeployments({
    infoOf: (ticker) => ({ ticker }),
    ...{ store: storage.deployments, opinions: storage.opinions, log: { info() {}, warn() {}, error() {} } },
    scripts: {
      read: async (_, id) => ({
        ...{ id, name: id, content: id === 'slow' ? SLOW : QUICK },
        ...{ revision: 1, createdAtMs: 1, updatedAtMs: 1 },
      }),
      version: async () => undefined,
    },
    runner: { ...live, run: ({ userId: _, ...request }) => trials.run(request) },
    market: {
      async bars(_, __, fromMs, toMs) {
        const first = formingMs - Math.floor((formingMs - fromMs) / MINUTE_MS) * MINUTE_MS;
        const count = Math.max(0, Math.ceil((Math.min(toMs, formingMs + 1) - first) / MINUTE_MS));
        return Array.from({ length: count }, (___, place) => barAt(first + place * MINUTE_MS));
      },
      follow(_, __, listener) {
        listeners.add(listener);
        queueMicrotask(() => listener.onState('live'));
        return { close: () => void listeners.delete(listener) };
      },
    },
    sender: {
      faultOf: () => undefined,
      async send(_, __, { userId }) {
        sent.push({ userId, atMs: Date.now() });
        return 'sent';
      },
    },
    timers: {
      nowMs: Date.now,
      after(delayMs, call) {
        const timer = setTimeout(call, delayMs);
        return () => clearTimeout(timer);
      },
    },
    newId: () => crypto.randomUUID(),
  });
  closeAtEnd(async () => {
    await live.close();
    await trials.close();
    await deployments.stop();
    await storage.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  await deployments.start();
  const where = { symbol: 'BTCUSDT', market: 'BTCUSDT', interval: '1m', timeframeMs: MINUTE_MS, inputs: {} };
  for (let count = 0; count < MAX_PER_USER; count += 1)
    expect((await deployments.create(EVE, { scriptId: 'slow', ...where, targets: [HOOK] })).kind).toBe('found');
  const made = await deployments.create(ANN, { scriptId: 'quick', ...where, targets: [TRADE], mode: 'trade' });
  expect(made.kind).toBe('found');
  const tell = (closed: boolean, time: number): void => {
    for (const listener of listeners) listener.onBar({ ...barAt(time), closed });
  };
  // A look at the forming bar has the slow ones begin, and the threads start.
  tell(false, formingMs);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const closedAtMs = Date.now();
  tell(true, formingMs);
  await vi.waitFor(() => expect(sent.some(({ userId }) => userId === ANN)).toBe(true), {
    timeout: 20_000,
    interval: 20,
  });
  const lateMs = (sent.find(({ userId }) => userId === ANN)?.atMs ?? Number.NaN) - closedAtMs;
  // A second or two where the machine has nothing else to do; behind one slow run it would be eight, behind all of them minutes.
  expect(lateMs).toBeLessThan(6000);
  const slowOnes = await deployments.list(EVE);
  expect(slowOnes.filter(({ runs }) => runs === 0).length).toBeGreaterThan(15);
}, 60_000);
