// Deployments on a real database, with a clock, a market, a runner and receivers that a test moves by hand, and crashes.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMigrated } from '../../../adapters/storage/sqlite/database.ts';
import { STRANGERS } from '../../../adapters/storage/sqlite/database-files.ts';
import {
  type DeploymentStorage,
  openDeploymentStorage,
} from '../../../adapters/storage/sqlite/strangers/testing/open-storage.ts';
import type { Script } from '../../script.ts';
import type { Deployment, DeploymentEvent, Target } from '../deployment.ts';
import type { DeploymentStore } from '../deployment-store.ts';
import { createDeployments, type Deployments, type DeploymentsOptions } from '../deployments.ts';
import type { NewDeployment } from '../new-deployment.ts';
import type {
  AlertSender,
  DeploymentAlarms,
  DeploymentRunner,
  LibraryImports,
  MarketInfo,
  MarketRules,
  StrategyBooks,
} from '../ports.ts';
import { createHandClock, type HandClock } from './hand-clock.ts';
import { createHandMarket, type HandMarket, MARKET, MINUTE_MS } from './hand-market.ts';
import { createHandRunner, type HandRunner } from './hand-runner.ts';

export const ANN = 'a'.repeat(32);
export const BOB = 'b'.repeat(32);
export const HOOK: Target = { type: 'webhook', url: 'https://example.com/hook' };
export const WANTED: NewDeployment = {
  scriptId: 'cross',
  symbol: 'BINANCE:BTCUSDT',
  market: MARKET,
  interval: '1m',
  timeframeMs: MINUTE_MS,
  inputs: {},
  targets: [HOOK],
};

export interface Arrived {
  readonly event: DeploymentEvent;
  readonly target: Target;
  readonly deployment: Deployment;
}

export interface TestSetup {
  readonly clock: HandClock;
  readonly market: HandMarket;
  readonly runner: HandRunner;
  readonly arrived: Arrived[];
  readonly warnings: string[];
  /** Called before each delivery; what it throws is the receiver's answer. */
  onDeliver: ((arrived: Arrived) => Promise<void> | void) | undefined;
  /** Called before each call of the store, by name; what it throws is the storage's failure. */
  onStore: ((method: string, moment: 'before' | 'after') => Promise<void> | void) | undefined;
  /** Whether any key opens the library of a user; the key store may fail. */
  isOwned: (userId: string) => boolean;
  readonly store: DeploymentStore;
  readonly deployments: Deployments;
  /** The bar closes at its time, and everything that follows happens within a second. */
  closeBar(told?: boolean): Promise<void>;
  /** Time passes, and bars close as it does. */
  pass(ms: number, told?: boolean): Promise<void>;
  deploy(more?: Partial<NewDeployment>, userId?: string): Promise<Deployment>;
  events(): DeploymentEvent[];
  logs(id: string): Promise<string[]>;
  /** As kill -9: nothing of the old process does anything any more. Starts anew after so long. */
  crash(downMs?: number): Promise<void>;
  /** Away without having come back yet. */
  die(): void;
  rise(): Promise<void>;
  close(): Promise<void>;
}

export interface TestSetupOptions {
  readonly market?: HandMarket;
  /** Kept when it is closed; one of its own, which goes with it, when left out. */
  readonly dataDir?: string;
  /** The script that is deployed. */
  readonly content?: string;
  /** Made anew with each life of the process; the hand runner when left out. */
  readonly newRunner?: () => DeploymentRunner;
  /** In place of receivers that only count what arrives. */
  readonly sender?: Pick<AlertSender, 'send'>;
  /** Where keys prove nothing: nobody asks every second whose deployment it is. */
  readonly isUnowned?: boolean;
  readonly books?: StrategyBooks;
  readonly rules?: MarketRules;
  /** What scripts are told of the market; the defaults of the engine count when left out. */
  readonly infoOf?: MarketInfo;
  /** What scripts may import. */
  readonly libraries?: LibraryImports;
  readonly alarms?: DeploymentAlarms;
  readonly origin?: DeploymentsOptions['origin'];
  /** What comes in beside the deployments, and what trades. */
  readonly gateway?: DeploymentsOptions['gateway'];
}

export function openTestSetup(closedBars = 1500, options: TestSetupOptions = {}): TestSetup {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'signalbox-deployments-'));
  const { market = createHandMarket(closedBars), content = 'alert', books, rules, alarms, libraries } = options;
  const clock = createHandClock(market.formingMs + 1000);
  const runner = createHandRunner();
  const arrived: Arrived[] = [];
  const warnings: string[] = [];
  const library = new Map<string, Script>([
    ['cross', { id: 'cross', name: 'Cross', content, revision: 7, createdAtMs: 1, updatedAtMs: 1 }],
  ]);
  const warn = (fields: object, message: string): void => void warnings.push(`${message} ${JSON.stringify(fields)}`);
  let storage: DeploymentStorage;
  let deployments: Deployments;
  let life = 0;
  let closed: Promise<void> | undefined;
  let ids = 0;

  /** The disk of tests need not be waited for: what a crash of the process leaves is the same. */
  const open: typeof openMigrated = (path, folder) => {
    const db = openMigrated(path, folder);
    db.exec('PRAGMA synchronous = OFF');
    return db;
  };

  const never = <T>(): Promise<T> => new Promise(() => {});

  function boot(): void {
    life += 1;
    const mine = life;
    const engine = options.newRunner?.() ?? runner;
    storage = openDeploymentStorage({ dataDir, open });
    /** Calls that a dead process neither begins nor hears of. */
    const alive = <T extends object>(calls: T): T =>
      Object.fromEntries(
        Object.entries(calls).map(([method, call]) => [
          method,
          async (...args: unknown[]) => {
            await setup.onStore?.(method, 'before');
            if (life !== mine) return never();
            const result = await (call as (...all: unknown[]) => Promise<unknown>)(...args);
            await setup.onStore?.(method, 'after');
            return life === mine ? result : never();
          },
        ]),
      ) as T;
    const store = alive(storage.deployments);
    const sender: AlertSender = {
      faultOf: (target) => (target.type === 'webhook' && target.url.includes('private') ? 'It is private.' : undefined),
      async send(event, target, deployment) {
        if (life !== mine) return never();
        await setup.onDeliver?.({ event, target, deployment });
        if (life !== mine) return never();
        const words = (await options.sender?.send(event, target, deployment)) ?? 'answered 200';
        if (life !== mine) return never();
        arrived.push({ event, target, deployment });
        return words;
      },
    };
    deployments = createDeployments({
      store,
      scripts: {
        read: async (userId, id) => (userId === ANN ? library.get(id) : undefined),
        version: async (userId, id, revision) =>
          userId === ANN && library.get(id)?.revision === revision ? library.get(id) : undefined,
      },
      libraries,
      runner: {
        run: async (request) => {
          const outcome = await engine.run(request);
          return life === mine ? outcome : never();
        },
        advance: async (request, history) => {
          const outcome = await engine.advance(request, history);
          return life === mine ? outcome : never();
        },
      },
      market,
      infoOf: (...named) => options.infoOf?.(...named) ?? { ticker: named[0] },
      sender,
      timers: clock,
      log: { info: () => {}, warn, error: warn },
      newId: () => {
        ids += 1;
        return `deployment-${ids}`;
      },
      owners: options.isUnowned ? undefined : { isOwned: async (userId) => setup.isOwned(userId) },
      books,
      rules,
      alarms,
      opinions: alive(storage.opinions),
      origin: options.origin,
      gateway: options.gateway && alive(options.gateway),
    });
  }

  const setup: TestSetup = {
    clock,
    market,
    runner,
    arrived,
    warnings,
    onDeliver: undefined,
    onStore: undefined,
    isOwned: () => true,
    get store() {
      return storage.deployments;
    },
    get deployments() {
      return deployments;
    },
    async closeBar(told = true) {
      await clock.advance(Math.max(0, market.formingMs + market.timeframeMs - clock.nowMs()));
      market.closeBar(told);
      await clock.advance(1000);
    },
    async pass(ms, told = true) {
      const endMs = clock.nowMs() + ms;
      while (market.formingMs + market.timeframeMs <= endMs) {
        await clock.advance(Math.max(0, market.formingMs + market.timeframeMs - clock.nowMs()));
        market.closeBar(told);
        await clock.advance(0);
      }
      await clock.advance(Math.max(0, endMs - clock.nowMs()));
    },
    async deploy(more = {}, userId = ANN) {
      const { timeframeMs } = market;
      const outcome = await deployments.create(userId, { ...WANTED, timeframeMs, ...more });
      if (outcome.kind !== 'found') throw new Error(`not deployed: ${JSON.stringify(outcome)}`);
      await clock.advance(0);
      return outcome.deployment;
    },
    events() {
      const db = open(storage.path, STRANGERS.migrations);
      const rows = db.prepare('SELECT * FROM deployment_events ORDER BY bar_time, ordinal').all();
      db.close();
      return rows.map((row) => ({
        id: row.id as string,
        deploymentId: row.deployment_id as string,
        barTimeMs: row.bar_time as number,
        ordinal: row.ordinal as number,
        message: row.message as string,
        title: row.title as string | null,
        source: row.source as DeploymentEvent['source'],
        order: row.filled_order === null ? null : JSON.parse(row.filled_order as string),
        createdAtMs: row.created_at as number,
      }));
    },
    async logs(id) {
      const logs = await storage.deployments.logs(ANN, id, 500);
      return (logs ?? []).map(({ kind, message }) => `${kind}: ${message}`).reverse();
    },
    die() {
      life += 1;
      market.forgetFollowers();
      clock.forgetTimers();
      closed = storage.close();
    },
    async rise() {
      await closed;
      boot();
      await deployments.start();
      await clock.advance(0);
    },
    async crash(downMs = 0) {
      setup.die();
      await setup.pass(downMs);
      await setup.rise();
    },
    async close() {
      life += 1;
      market.forgetFollowers();
      clock.forgetTimers();
      await storage.close();
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
  boot();
  return setup;
}
