// Puts the gateway's endpoints together over the trading desk, with the wallet and the agent beside it.

import type { App } from '../http/app.ts';
import { createSecretStriker } from '../http/strike-secrets.ts';
import type { ScriptRunner } from '../library/script-runner.ts';
import { mountGateway } from '../services/gateway/index.ts';
import { allowlistFault } from '../services/gateway/limits.ts';
import type { SignalDeps } from '../services/gateway/process-signal.ts';
import { createMailReceiver } from '../services/gateway/receive-mail.ts';
import { type RefusalMemory, rememberRefusal } from '../services/gateway/remember-refusals.ts';
import { ticksOf } from '../trading/books/shown-amounts.ts';
import { createRefusals, type Refusals } from '../trading/intake/refusals.ts';
import type { AgentParts } from './agent.ts';
import { monotonicMs, nowMs } from './clocks.ts';
import { publicControls } from './controls.ts';
import type { Ground } from './ground.ts';
import type { RefusedMail } from './mail.ts';
import { openTrading, type Trading, type TradingParts } from './trading.ts';
import { VERSION } from './version.ts';
import type { WalletParts } from './wallet.ts';

export type Gateway = Awaited<ReturnType<typeof openGateway>>;

export interface GatewayParts extends TradingParts {
  readonly app: App;
  /** Where scripts run, for the agent; undefined where none do. */
  readonly scripts: Pick<ScriptRunner, 'evaluate'> | undefined;
}

export async function openGateway(parts: GatewayParts) {
  const { app, ground, prices, scripts, teardown, trade } = parts;
  const { config, log } = ground;
  const trading = await openTrading(parts);
  const { data, queries, settings, controls, keys, venues, telegram, desk, onTrouble } = trading;
  const refusals = createRefusals({
    store: data.refusals,
    nowMs,
    // In the log, in /ready and to the owner: who looks at the list must know that it lacks some.
    onTrouble: (what, error) =>
      ground.alarms.raise('refusals', `${what} and are only in the log: ${(error as Error).message}`),
  });
  // Before the storage is closed: what waits is written.
  teardown.add(() => refusals.close());
  const memory = refusalMemory(ground, keys, refusals);
  const webhook: SignalDeps = {
    keepers: desk.keepers,
    dispatcher: desk.dispatcher,
    resends: desk.resends,
    queueMode: () => controls.current().queueMode,
    nowMs,
    count: countDecisions(ground, trading),
    memory,
    onFault: (error, requestId) => onTrouble('a signal was not processed', error, requestId),
  };
  const mailReceiver = createMailReceiver({
    ...webhook,
    findByLabel: (label) => keys.findByLabel(label),
    nextRequestId: ground.requestIds,
    maxAgeMs: config.smtpMaxAgeMs,
  });
  const { protections } = desk;
  const activeTrailingStops = async () => protections.activeTrailingStops();
  const tickOf = ticksOf(venues);
  const sights = { journal: data.journal, signals: data.signals, prices, tickOf, scripts };
  const wallet = trade
    ? await openWallet({ ground, ledger: data.walletLedger, controls, teardown, onTrouble })
    : undefined;
  const agent = trade ? await openAgent({ ground, teardown, sights, onTrouble }) : undefined;
  mountGateway(app, {
    gate: ground.gate,
    webhook,
    signals: { signals: data.signals, nowMs, onFault: webhook.onFault },
    refusals: { refusals, onFault: webhook.onFault },
    trades: { journal: data.journal, prices, tickOf },
    query: {
      queries,
      monotonicMs,
      log: (line) => log.info(line, 'query'),
      onFault: (error, requestId) => log.error({ err: error, requestId }, 'a query failed'),
    },
    ...(wallet && { wallet: wallet.deps }),
    ...(agent && { agent: { ...agent, activeTrailingStops, onFault: webhook.onFault } }),
    admin: { keys, controls, settings: settings.settings, allowlistFault, nowMs },
    trailingStops: { protections, prices, onFault: webhook.onFault },
  });
  const about = { version: VERSION, environment: config.environment };
  const chatParts = {
    ...data,
    ...about,
    backlog: desk.backlog,
    venues,
    prices,
    trailingStops: async () => protections.list(),
  };
  const probes = {
    journal: () => data.journal.probe(),
    settings: () => settings.probe(),
    ...(agent && { agent: agent.probe }),
  };
  const { signals } = data;
  /** A mail that got no further than the listener: its sender is not proven, so it counts as nobody's. */
  const rememberMail = ({ code, text, clientAddress }: RefusedMail): void =>
    rememberRefusal(memory, {
      id: ground.requestIds(),
      door: 'smtp',
      address: clientAddress,
      status: code,
      code: 'MAIL_REFUSED',
      error: text,
      body: new Uint8Array(0),
    });
  const settingsInForce = () => publicControls(controls);
  return {
    audit: settings.settings.appendAudit,
    settingsInForce,
    rememberMail,
    desk,
    keys,
    mailReceiver,
    telegram,
    signals,
    wallet,
    chatParts,
    probes,
  };
}

/** A command that only looks at a data folder does not load them. */
const openWallet = async (parts: WalletParts) => (await import('./wallet.ts')).openWallet(parts);
const openAgent = async (parts: AgentParts) => (await import('./agent.ts')).openAgent(parts);

function refusalMemory({ config, log }: Ground, keys: Trading['keys'], refusals: Refusals): RefusalMemory {
  const { webhookApiKeys, internalToken, adminToken, wallet } = config;
  const secrets = [...webhookApiKeys, internalToken, adminToken, wallet.token].filter((secret) => secret !== undefined);
  return {
    record: refusals.record,
    authenticate: (apiKey) => keys.authenticate(apiKey),
    strike: createSecretStriker(secrets),
    nowMs,
    log: (fields, message) => log.info(fields, message),
  };
}

function countDecisions({ metrics }: Ground, { desk, data }: Trading): SignalDeps['count'] {
  const decisions = metrics.counter({
    name: 'signals_total',
    help: 'Signals by decision of the gates.',
    labels: ['decision'],
  });
  metrics.gauge({ name: 'trades_in_lanes', help: 'Trades waiting or being executed.', collect: () => desk.backlog() });
  metrics.gauge({ name: 'journal_commits', help: 'Durable commits since the start.', collect: () => data.commits() });
  return (decision) => decisions.inc({ decision });
}
