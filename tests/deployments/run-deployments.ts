// A process that keeps deployments running on a market of two-second bars, until it is told to stop or is killed.

import { randomUUID } from 'node:crypto';
import { createLivePool } from '../../src/adapters/scripts/live-pool.ts';
import { createScriptPool } from '../../src/adapters/scripts/script-pool.ts';
import { openDeploymentStorage } from '../../src/adapters/storage/sqlite/strangers/testing/open-storage.ts';
import { createWebhooks } from '../../src/adapters/webhooks/webhooks.ts';
import {
  createAlertSender,
  createDeployments,
  type Deployments,
  type MarketBar,
  type MarketBars,
} from '../../src/library/deployments/index.ts';

export const TIMEFRAME_MS = 2000;
export const USER = 'c'.repeat(32);
/** Raises two alerts on every bar, in both ways there are. */
export const SCRIPT = `//@version=6
indicator("Every bar")
alert("close " + str.tostring(close), alert.freq_once_per_bar_close)
alertcondition(close > 0, "Up", "{{ticker}} at {{close}}")
plot(ta.ema(close, 20))
`;

/** Bars by the clock of this machine, the same for everybody who looks. */
export function clockMarket(): MarketBars {
  const start = (timeMs: number): number => Math.floor(timeMs / TIMEFRAME_MS) * TIMEFRAME_MS;
  const barAt = (time: number): MarketBar => {
    const close = 100 + ((time / TIMEFRAME_MS) % 17);
    return { time, open: 100, high: 120, low: 90, close, volume: 1 };
  };
  return {
    async bars(_market, _timeframeMs, fromMs, toMs) {
      const found: MarketBar[] = [];
      for (let time = start(fromMs + TIMEFRAME_MS - 1); time < toMs && time <= Date.now(); time += TIMEFRAME_MS)
        found.push(barAt(time));
      return found;
    },
    follow(_market, _timeframeMs, listener) {
      let forming = start(Date.now());
      const timer = setInterval(() => {
        for (; forming + TIMEFRAME_MS <= Date.now(); forming += TIMEFRAME_MS)
          listener.onBar({ ...barAt(forming), closed: true });
        listener.onBar({ ...barAt(forming), closed: false });
      }, 50);
      queueMicrotask(() => listener.onState('live'));
      return { close: () => clearInterval(timer) };
    },
  };
}

export interface Running {
  readonly deployments: Deployments;
  stop(): Promise<void>;
}

export function openDeployments(dataDir: string, receiver: string): Running {
  const storage = openDeploymentStorage({ dataDir });
  const pool = createLivePool();
  const trials = createScriptPool({ size: 1 });
  const webhook = createWebhooks({ allowed: [receiver], nowMs: Date.now });
  const print = (fields: object, message: string): void =>
    void process.stderr.write(`${message} ${JSON.stringify(fields)}\n`);
  const deployments = createDeployments({
    infoOf: (ticker) => ({ ticker }),
    store: storage.deployments,
    opinions: storage.opinions,
    scripts: {
      read: async (_user, id) => ({
        id,
        name: 'Every bar',
        content: SCRIPT,
        revision: 1,
        createdAtMs: 1,
        updatedAtMs: 1,
      }),
      version: async () => undefined,
    },
    runner: { ...pool, run: ({ userId: _, ...request }) => trials.run(request) },
    market: clockMarket(),
    sender: createAlertSender({ webhook }),
    timers: {
      nowMs: Date.now,
      after(delayMs, call) {
        const timer = setTimeout(call, delayMs);
        return () => clearTimeout(timer);
      },
    },
    log: { info: () => {}, warn: print, error: print },
    newId: randomUUID,
  });
  return {
    deployments,
    async stop() {
      await deployments.stop();
      await pool.close();
      await trials.close();
      await storage.close();
    },
  };
}

const [, , dataDir, receiver] = process.argv;
if (import.meta.main && dataDir !== undefined && receiver !== undefined) {
  const running = openDeployments(dataDir, receiver);
  process.once('SIGTERM', () => void running.stop().then(() => process.exit(0)));
  await running.deployments.start();
  if ((await running.deployments.list(USER)).length === 0) {
    const made = await running.deployments.create(USER, {
      scriptId: 'every-bar',
      symbol: 'BTCUSDT',
      market: 'BTCUSDT',
      interval: '1m',
      timeframeMs: TIMEFRAME_MS,
      inputs: {},
      targets: [{ type: 'webhook', url: `http://${receiver}/hook`, secret: 'a-long-secret' }],
    });
    if (made.kind !== 'found') throw new Error(`not deployed: ${JSON.stringify(made)}`);
  }
  console.log('ready');
}
