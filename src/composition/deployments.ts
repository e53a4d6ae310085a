// Puts live deployments together: their store, the bars they follow, and the ways their alerts leave.

import { randomBytes } from 'node:crypto';
import type { Telegram } from '../adapters/notifiers/telegram/index.ts';
import { createLivePool } from '../adapters/scripts/live-pool.ts';
import { beat } from '../adapters/storage/sql/heartbeat.ts';
import type { SqlDatabase } from '../adapters/storage/sql/sql.ts';
import { deploymentStore } from '../adapters/storage/sql/strangers/deployments/deployments.ts';
import { opinionStore } from '../adapters/storage/sql/strangers/deployments/opinions.ts';
import { rulesAt } from '../adapters/venues/paper/market-rules.ts';
import { createWebhooks } from '../adapters/webhooks/webhooks.ts';
import { EXCHANGES } from '../exchanges/exchange.ts';
import type { ScriptKeys } from '../keys/script-keys.ts';
import { Sealer } from '../keys/sealed-text.ts';
import {
  createAlertSender,
  createDeploymentOperator,
  createDeployments,
  type OrderRules,
  type TradePort,
} from '../library/deployments/index.ts';
import type { StrategyTrades } from '../library/live-comparison/compared-fill.ts';
import { createLiveComparisons } from '../library/live-comparison/live-comparisons.ts';
import type { Publications } from '../library/publications.ts';
import type { CallerRunner } from '../library/request-runner.ts';
import { newScriptId } from '../library/script-id.ts';
import type { ScriptStore } from '../library/script-store.ts';
import { backgroundTimers, foregroundTimers } from '../timing/timers.ts';
import { withTimeout } from '../timing/with-timeout.ts';
import type { SignalStore } from '../trading/books/signal-store.ts';
import { toNumber } from '../trading/decimal.ts';
import { barsOver, openAccountBars } from './account-bars.ts';
import { nowMs } from './clocks.ts';
import type { BarMarket } from './market.ts';
import { marketInfo } from './market-info.ts';
import type { ProcessContext } from './process-context.ts';
import type { ScriptConfig } from './script-config.ts';
import { SealedWebhooks } from './sealed-webhooks.ts';
import type { Teardown } from './teardown.ts';
import { type DeploymentChange, toldDeployments } from './told-deployments.ts';

/** What the gateway lends: its bot, where there is one, and its list of signals. */
export interface GatewayTargets {
  readonly telegram: Pick<Telegram, 'notifier'> | undefined;
  readonly signals: SignalStore;
  readonly trades: TradePort & StrategyTrades;
  /** Told after a deployment was made, paused, resumed, given up or removed. */
  readonly onDeployment: (change: DeploymentChange) => void;
}

export interface DeploymentParts {
  readonly context: ProcessContext<ScriptConfig>;
  readonly market: BarMarket;
  readonly db: SqlDatabase;
  readonly scripts: ScriptStore;
  readonly libraries: Publications;
  readonly gateway: GatewayTargets | undefined;
  /** Threads for the runs of users. */
  readonly runner: CallerRunner;
  /** Undefined with API_KEYS=none, where no key is ever refused. */
  readonly keys: Pick<ScriptKeys, 'isOwned' | 'adopt'> | undefined;
  /** The key that their secrets are sealed with. */
  readonly deploymentKey: () => Promise<string>;
  readonly teardown: Teardown;
}

/** As `signalbox markets` shows them: the scripts' process asks no venue. */
function rulesOf(name: string, market: string, lastPrice: number): OrderRules | undefined {
  const exchange = EXCHANGES.find((each) => each === name);
  const found = exchange && rulesAt(exchange, market, String(lastPrice));
  if (found === undefined) return undefined;
  const { stepSize, minQuantity, minNotional } = found;
  return { stepSize: toNumber(stepSize), minQuantity: toNumber(minQuantity), minNotional: toNumber(minNotional) };
}

/** Its key is asked for once, and again where that has failed. */
function openSealedWebhooks(deploymentKey: DeploymentParts['deploymentKey']): SealedWebhooks {
  let sealer: Promise<Sealer> | undefined;
  const open = async (): Promise<Sealer> => {
    try {
      return new Sealer({ masterKey: await deploymentKey(), randomBytes });
    } catch (error) {
      sealer = undefined;
      throw error;
    }
  };
  return new SealedWebhooks(() => (sealer ??= open()));
}

export async function openDeployments(parts: DeploymentParts) {
  const { context, market, db, scripts, libraries, gateway, keys, teardown } = parts;
  const { config, log } = context;
  const stored = deploymentStore(db);
  const opinions = opinionStore(db);
  const store = gateway ? toldDeployments(stored, gateway.onDeployment) : stored;
  const sealed = openSealedWebhooks(parts.deploymentKey);
  // Threads of their own: what strangers run must not keep an alert waiting, and their runs stay open in them.
  const live = createLivePool({ timeoutMs: config.analysis.limits.runTimeoutMs });
  teardown.add(() => live.close());
  const bars = { market: barsOver(market), origin: await openAccountBars({ context, market, teardown }) };
  const deployments = createDeployments({
    store: sealed.over(store),
    scripts,
    libraries,
    runner: {
      ...live,
      run: ({ userId, ...request }) => parts.runner.runFor({ class: 'keyed', id: userId }, request),
    },
    ...bars,
    infoOf: marketInfo,
    sender: createAlertSender({
      chat: gateway?.telegram?.notifier,
      webhook: sealed.opening(createWebhooks({ allowed: config.scripts.webhookAllow, nowMs })),
      signals: gateway?.signals,
      trades: gateway?.trades,
    }),
    timers: { nowMs, after: backgroundTimers.after },
    log,
    newId: () => newScriptId({ nowMs, randomBytes }),
    owners: keys,
    books: gateway?.trades,
    rules: { rulesOf },
    alarms: context.alarms,
    opinions,
    gateway: gateway?.trades,
  });
  // What is on its way gets as long as a request; what is not through then is delivered after the next start.
  teardown.add(() => withTimeout(deployments.stop(), config.drainTimeoutMs, () => {}, foregroundTimers));
  const start = async (): Promise<void> => {
    const unsealed = 'secrets of webhooks are not sealed yet; the next start tries again';
    await sealed.sealStored(db).catch((error) => log.error({ err: error }, unsealed));
    try {
      await keys?.adopt([...new Set((await deployments.all()).map(({ userId }) => userId))]);
    } catch (error) {
      log.warn({ err: error }, 'the owners of deployments cannot be looked up yet');
    }
    await deployments.start();
  };
  const operator = createDeploymentOperator({
    ...{ store, opinions, live: deployments, nowMs },
    ...{ books: gateway?.trades, keys: gateway?.trades },
  });
  const comparisons = createLiveComparisons({
    store: stored,
    ...bars,
    infoOf: marketInfo,
    runner: parts.runner,
    trades: gateway?.trades,
    timeoutMs: config.analysis.limits.runTimeoutMs,
  });
  return { deployments, operator, comparisons, start, probe: () => beat(db) };
}
