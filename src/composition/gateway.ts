// Puts the gateway together: storage, controls, keys, venues, chat, the trading desk, and the endpoints over them.

import { randomBytes } from 'node:crypto';
import { createConsoleNotifier } from '../adapters/notifiers/console.ts';
import { openDataStorage } from '../adapters/storage/sqlite/open-data.ts';
import { createDataQueries } from '../adapters/storage/sqlite/query/queries.ts';
import { openSettingsStorage } from '../adapters/storage/sqlite/settings.ts';
import { openPaperVenue } from '../adapters/venues/paper/paper-venue.ts';
import type { App } from '../http/app.ts';
import { createWebhookKeys } from '../keys/webhook-keys.ts';
import type { ScriptRunner } from '../library/script-runner.ts';
import type { RangeSource } from '../market-data/price-source.ts';
import { mountGateway } from '../services/gateway/index.ts';
import { allowlistFault, createGatewayLimits } from '../services/gateway/limits.ts';
import type { SignalDeps } from '../services/gateway/process-signal.ts';
import { createMailReceiver } from '../services/gateway/receive-mail.ts';
import { createControls } from '../trading/controls.ts';
import { marketOf } from '../trading/market-symbol.ts';
import { EXCHANGES } from '../trading/signal.ts';
import { createTradingDesk } from '../trading/trading-desk.ts';
import { openAgent } from './agent.ts';
import { monotonicMs, nowMs } from './clocks.ts';
import type { Ground } from './ground.ts';
import type { Teardown } from './teardown.ts';
import { connectTelegram } from './telegram.ts';
import { VERSION } from './version.ts';

const FAILED_AUTH_PER_MINUTE = 30;

export type Gateway = Awaited<ReturnType<typeof openGateway>>;

export interface GatewayParts {
  readonly app: App;
  readonly ground: Ground;
  readonly prices: RangeSource;
  readonly runner: ScriptRunner;
  readonly teardown: Teardown;
  /** Without it nothing is executed: that is the command line looking at a data folder. */
  readonly trade: boolean;
}

export async function openGateway({ app, ground, prices, runner, teardown, trade }: GatewayParts) {
  const { config, log } = ground;
  const { data, queries, settings } = await openStorage(ground, teardown);
  const controls = createControls({
    store: settings.settings,
    nowMs,
    initial: {
      killSwitch: { active: false, scope: 'all' },
      queueMode: config.queueMode,
      allowlist: config.ipAllowlist,
      limits: { webhookRatePerMinute: config.webhookRatePerMinute, failedAuthPerMinute: FAILED_AUTH_PER_MINUTE },
    },
  });
  const staticKeys = config.webhookApiKeys;
  const keys = createWebhookKeys({ store: settings.webhookKeys, staticKeys, nowMs, randomBytes, marketOf });
  const venues = await openVenues(ground, data.paperLedger, prices);
  teardown.add(() => Promise.all(venues.map((venue) => venue.close())));

  const telegram = trade ? await connectTelegram(config, controls, settings.settings, log) : undefined;
  if (telegram) teardown.add(() => telegram.close());
  const onTrouble = (what: string, error: unknown, requestId?: string): void => {
    log.error({ err: error, requestId }, what);
    telegram?.onTrouble(what, error);
  };
  const notifier = telegram?.notifier ?? createConsoleNotifier((line) => log.info(line, 'notification'));
  const desk = await createTradingDesk({
    ...createGatewayLimits(controls, monotonicMs),
    authenticate: keys.authenticate,
    journal: data.journal,
    signals: data.signals,
    outbox: data.outbox,
    notifier,
    ownerChat: telegram?.ownerChat,
    onAlarm: telegram?.onAlarm,
    venues,
    controls,
    nowMs,
    monotonicMs,
    signalMaxAgeMs: config.signalMaxAgeMs,
    idempotencyWindowMs: config.idempotencyWindowMs,
    onTrouble,
  });
  if (trade) teardown.add(() => desk.stop(config.drainTimeoutMs));

  const webhook: SignalDeps = {
    keepers: desk.keepers,
    dispatcher: desk.dispatcher,
    resends: desk.resends,
    queueMode: () => controls.current().queueMode,
    nowMs,
    count: countDecisions(ground, desk, data),
    onFault: (error, requestId) => onTrouble('a signal was not processed', error, requestId),
  };
  const mailReceiver = createMailReceiver({
    ...webhook,
    findByLabel: keys.findByLabel,
    nextRequestId: ground.requestIds,
    maxAgeMs: config.smtpMaxAgeMs,
  });
  const activeTrailingStops = async (): Promise<readonly string[]> => [];
  const sights = { journal: data.journal, signals: data.signals, prices, scripts: runner };
  const agent = trade ? await openAgent({ ground, teardown, sights, onTrouble }) : undefined;
  const doors = mountGateway(app, {
    gate: ground.gate,
    webhook,
    signals: { signals: data.signals, nowMs, onFault: webhook.onFault },
    trades: { journal: data.journal, prices },
    query: {
      queries,
      monotonicMs,
      log: (line) => log.info(line, 'query'),
      onFault: (error, requestId) => log.error({ err: error, requestId }, 'a query failed'),
    },
    ...(agent && { agent: { ...agent, activeTrailingStops, onFault: webhook.onFault } }),
    admin: { keys, controls, settings: settings.settings, allowlistFault, nowMs },
  });
  const about = { version: VERSION, environment: config.environment };
  const chatParts = { ...data, ...about, backlog: desk.backlog, venues, prices, trailingStops: async () => [] };
  const probes = {
    journal: () => data.journal.probe(),
    settings: () => settings.probe(),
    ...(agent && { agent: agent.probe }),
  };
  return { doors, desk, keys, mailReceiver, telegram, notifier, signals: data.signals, chatParts, probes };
}

async function openStorage({ config, log }: Ground, teardown: Teardown) {
  const settings = openSettingsStorage(config.dataDir);
  teardown.add(() => settings.close());
  const onDeath = (error: Error): void => {
    log.error({ err: error }, 'storage is lost; ending, so that whoever runs Signalbox restarts it');
    void log.close().finally(() => process.exit(1));
  };
  const data = await openDataStorage({ dataDir: config.dataDir, nowMs, onDeath });
  teardown.add(() => data.close());
  const queries = createDataQueries(data);
  teardown.add(() => queries.close());
  return { settings, data, queries };
}

type Data = Awaited<ReturnType<typeof openDataStorage>>;

function openVenues({ config }: Ground, ledger: Data['paperLedger'], prices: RangeSource) {
  const { paperBalance: startingBalance, paperPositionMode: positionMode } = config;
  const account = { ledger, prices, nowMs, startingBalance, positionMode };
  return Promise.all(EXCHANGES.map((exchange) => openPaperVenue({ exchange, ...account })));
}

function countDecisions({ metrics }: Ground, desk: { backlog(): number }, data: Data): SignalDeps['count'] {
  const decisions = metrics.counter({
    name: 'signals_total',
    help: 'Signals by decision of the gates.',
    labels: ['decision'],
  });
  metrics.gauge({ name: 'trades_in_lanes', help: 'Trades waiting or being executed.', collect: () => desk.backlog() });
  metrics.gauge({ name: 'journal_commits', help: 'Durable commits since the start.', collect: () => data.commits() });
  return (decision) => decisions.inc({ decision });
}
