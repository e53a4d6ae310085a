// Puts the gateway's endpoints together over the trading desk, with the wallet and the agent beside it.

import { archiveFolder, findArchived } from '../adapters/storage/sqlite/archive/archive-files.ts';
import { rulesAt } from '../adapters/venues/paper/market-rules.ts';
import type { Exchange } from '../exchanges/exchange.ts';
import type { App } from '../http/app.ts';
import { createSecretStriker } from '../http/strike-secrets.ts';
import type { TradePort } from '../library/deployments/index.ts';
import { Layouts } from '../library/layouts.ts';
import type { StrategyTrades } from '../library/live-comparison/compared-fill.ts';
import type { ScriptRunner } from '../library/script-runner.ts';
import { arrivedAlerts } from '../services/gateway/arrived-alerts.ts';
import { EMAIL_SENDER } from '../services/gateway/email-signal.ts';
import { createEventSocket } from '../services/gateway/event-socket.ts';
import { type GatewayDeps, mountGateway } from '../services/gateway/index.ts';
import { allowlistFault } from '../services/gateway/limits.ts';
import { checkTicket, placeTicket, type TicketDeps } from '../services/gateway/order-ticket.ts';
import type { SignalDeps } from '../services/gateway/process-signal.ts';
import { createMailReceiver } from '../services/gateway/receive-mail.ts';
import { type RefusalMemory, rememberRefusal } from '../services/gateway/remember-refusals.ts';
import { type ResendDeps, resendRefusal } from '../services/gateway/resend-refusal.ts';
import { strategyTrades } from '../services/gateway/strategy-trades.ts';
import { createAlertTrader } from '../services/gateway/trade-alert.ts';
import { backgroundTimers } from '../timing/timers.ts';
import { createAccountReports } from '../trading/books/account-reports.ts';
import { createPerformanceReports } from '../trading/books/performance-reports.ts';
import { ticksOf } from '../trading/books/shown-amounts.ts';
import { DailyReports, type DayFacts } from '../trading/chat/daily-report.ts';
import type { TicketParts } from '../trading/chat/ordering.ts';
import type { SwitchSubject } from '../trading/execution/kill-switch-targets.ts';
import { createRefusals, type Refusals } from '../trading/intake/refusals.ts';
import type { LimitSubject } from '../trading/intake/restrictions.ts';
import { TradingviewCalls } from '../trading/intake/tradingview-calls.ts';
import { createTwinReports } from '../trading/twin/twin-reports.ts';
import { openSessions, watchTotp } from './access.ts';
import type { AgentParts } from './agent.ts';
import { monotonicMs, nowMs } from './clocks.ts';
import { publicControls, shownSettings } from './controls.ts';
import { greetedAccounts } from './greeted-accounts.ts';
import type { RefusedMail } from './mail.ts';
import type { ProcessContext } from './process-context.ts';
import type { DeploymentChange } from './told-deployments.ts';
import { openTotpSeal } from './totp-seal.ts';
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
  const { app, context } = parts;
  const trading = await openTrading(parts);
  const { data, settings, controls, keys, telegram, desk } = trading;
  const refusals = openRefusals(parts, trading);
  const memory = refusalMemory(context, trading, refusals);
  const calls = openTradingviewCalls(parts, trading);
  const webhook = { ...signalDeps(context, trading, memory), noteCaller: (address: string) => calls.note(address) };
  const mailReceiver = createMailReceiver({
    ...webhook,
    findByLabel: (label) => keys.findByLabel(label),
    nextRequestId: context.requestIds,
    maxAgeMs: context.config.smtpMaxAgeMs,
  });
  const beside = await openBeside(parts, trading);
  mountGateway(app, gatewayDeps({ parts, trading, webhook, refusals, calls, ...beside }));
  openOwnerAccess(parts, trading);
  const { agent, wallet } = beside;
  const chatParts = chatPartsOf(parts, trading, webhook, refusals);
  const dailyReports = openDailyReports(parts, trading, { ...chatParts, refusals });
  const probes = {
    journal: () => data.journal.probe(),
    settings: () => settings.probe(),
    ...(agent && { agent: agent.probe }),
  };
  return {
    audit: settings.settings.appendAudit,
    settingsInForce: () => publicControls(controls),
    greeted: () => greetedAccounts({ config: context.config, ...trading }),
    rememberMail: mailMemory(context, memory),
    ...{ desk, keys, mailReceiver, telegram, signals: data.signals, archivable: data.archivable },
    ...eventParts(context, trading),
    trades: alertTrades(parts, trading, webhook),
    wallet,
    dailyReports,
    chatParts,
    probes,
  };
}

/** A command that only looks at a data folder leaves the codes alone. */
function openOwnerAccess(parts: GatewayParts, { settings, sharedTokens, onTrouble }: Trading): void {
  const { app, context, teardown, trade } = parts;
  const seal = openTotpSeal(context.config);
  const { access, close } = openSessions({ app, context, store: settings.access, seal, sharedTokens, onTrouble });
  teardown.add(close);
  if (trade) teardown.add(watchTotp(access, context));
}

/** What the owner's chat is given. */
function chatPartsOf(parts: GatewayParts, trading: Trading, webhook: SignalDeps, refusals: Refusals) {
  const { context } = parts;
  const { data, restrictions, keys, venues, desk } = trading;
  const sights = sightsOf(trading);
  return {
    ...data,
    version: VERSION,
    environment: context.config.environment,
    backlog: () => desk.backlog(),
    venues,
    pricesOf: trading.pricesOf,
    accountReports: sights.reports,
    performanceReports: sights.performance,
    twinReports: sights.twins,
    protections: desk.protections,
    notifiers: trading.notices.notifiers.states,
    canceler: desk.canceler,
    closer: desk.ownerCloser,
    newRequestId: context.requestIds,
    tickets: ticketsOf({ signal: webhook, dryRun: desk.dryRun }),
    refusals,
    symbols: trading.symbols,
    resend: (id: string, requestId: string) =>
      resendRefusal(id, requestId, resendDeps(parts, trading, webhook, refusals)),
    enforced: (subject?: SwitchSubject) => desk.killSwitchGuard.enforced(subject),
    waitingEntries: (subject: LimitSubject) => desk.killSwitchGuard.waitingEntries(subject),
    restrictions,
    subjects: {
      ...{ accounts: desk.accounts, symbols: trading.symbols, restrictions, journal: data.journal },
      keys: () => [...keys.list(), EMAIL_SENDER],
    },
  };
}

/** What happens in the script process too, and everything to whoever follows. */
const eventParts = ({ gate }: ProcessContext, { data, events, onTrouble }: Trading) => ({
  onDeployment: (change: DeploymentChange) => events?.add({ kind: 'deployment', facts: change }),
  eventSocket: createEventSocket({ gate, events: data.events, timers: backgroundTimers, monotonicMs, onTrouble }),
});

function openRefusals({ context, teardown }: GatewayParts, { data }: Trading): Refusals {
  const refusals = createRefusals({
    store: data.refusals,
    nowMs,
    timers: backgroundTimers,
    // In the log, in /ready and to the owner: who looks at the list must know that it lacks some.
    onTrouble: (what, error) =>
      context.alarms.raise('refusals', `${what} and are only in the log: ${(error as Error).message}`),
  });
  // Before the storage is closed: what waits is written.
  teardown.add(() => refusals.close());
  return refusals;
}

function openTradingviewCalls({ teardown }: GatewayParts, { settings, onTrouble }: Trading): TradingviewCalls {
  const [read, write] = [settings.settings.get, settings.remember];
  const calls = new TradingviewCalls({ read, write, nowMs, timers: backgroundTimers, onTrouble });
  teardown.add(() => calls.write());
  return calls;
}

/** Undefined where none was asked for, or nobody would get it. */
function openDailyReports({ context, teardown }: GatewayParts, trading: Trading, facts: DayFacts) {
  const { atMinutes, zone } = context.config.notices.report;
  const { data, notices, telegram, onTrouble } = trading;
  const [channels, forChat] = [notices.channels.wanting('report'), telegram?.ownerChat !== undefined];
  if (atMinutes === undefined || (channels.length === 0 && !forChat)) return undefined;
  const reports = new DailyReports({
    ...{ ...facts, atMinutes, zone, channels, forChat, nowMs, onTrouble },
    ...{ outbox: data.channelOutbox, timers: backgroundTimers },
  });
  teardown.add(() => reports.stop());
  return reports;
}

function signalDeps(context: ProcessContext, trading: Trading, memory: RefusalMemory): SignalDeps {
  const { desk, controls, onTrouble } = trading;
  return {
    keepers: desk.keepers,
    dispatcher: desk.dispatcher,
    resends: desk.resends,
    symbols: trading.symbols,
    knownKeys: context.config.webhookApiKeys,
    queueMode: () => controls.current().queueMode,
    nowMs,
    trace: trading.trace,
    count: countDecisions(context, trading),
    memory,
    onFault: (error, requestId) => onTrouble('a signal was not processed', error, requestId),
  };
}

/** The wallet and the agent; neither is opened by a command that only looks at a data folder. */
async function openBeside({ context, prices, scripts, teardown, trade }: GatewayParts, trading: Trading) {
  if (!trade) return { wallet: undefined, agent: undefined };
  const { data, usage, controls, restrictions, onTrouble } = trading;
  const sights = { ...sightsOf(trading), prices, signals: data.signals, scripts };
  const wallet = await openWallet({ context, ledger: data.walletLedger, controls, restrictions, teardown, onTrouble });
  return { wallet, agent: await openAgent({ context, teardown, usage, sights, onTrouble }) };
}

/** What the owner looks at, by whichever way: answers, chat, agent. */
function sightsOf({ data, venues, desk, pricesOf, twins: { accounts: twinned } }: Trading) {
  const { accounts, protections } = desk;
  const { journal, history } = data;
  const reports = createAccountReports({ accounts, journal, history, pricesOf, nowMs });
  const performance = createPerformanceReports({ accounts, history });
  const twins = createTwinReports({ twins: twinned, history, pricesOf, positions: () => journal.positions() });
  return {
    journal,
    notes: data.notes,
    history,
    accounts,
    protections,
    pricesOf,
    tickOf: ticksOf(venues),
    reports,
    performance,
    twins,
  };
}

type Opened = Awaited<ReturnType<typeof openBeside>> & {
  readonly parts: GatewayParts;
  readonly trading: Trading;
  readonly webhook: SignalDeps;
  readonly refusals: Refusals;
  readonly calls: TradingviewCalls;
};

/** What each group of endpoints is given. */
function gatewayDeps({ parts, trading, webhook, refusals, calls, wallet, agent }: Opened): GatewayDeps {
  const { context } = parts;
  const { data, settings, controls, restrictions, keys, desk, pricesOf } = trading;
  const { protections } = desk;
  const { onFault } = webhook;
  const sights = sightsOf(trading);
  const { accounts, tickOf } = sights;
  const mainOf = (exchange: Exchange) => accounts.list().find((venue) => venue.exchange === exchange);
  const activeTrailingStops = async () => protections.activeTrailingStops();
  return {
    gate: context.gate,
    webhook,
    signals: { signals: data.signals, nowMs, onFault },
    refusals: { refusals, onFault },
    resend: parts.trade ? resendDeps(parts, trading, webhook, refusals) : undefined,
    ...(parts.trade && {
      check: { signal: webhook, dryRun: desk.dryRun, findByLabel: (label: string) => keys.findByLabel(label) },
      ticket: { signal: webhook, dryRun: desk.dryRun },
    }),
    trades: { ...sights, findArchived: (id) => findArchived(archiveFolder(context.config.dataDir), id) },
    tradeNotes: { notes: data.notes, appendAudit: settings.settings.appendAudit, nowMs },
    events: { events: data.events },
    orders: { journal: data.journal, canceler: parts.trade ? desk.canceler : undefined },
    query: {
      queries: data.queries,
      monotonicMs,
      log: (line) => context.log.info(line, 'query'),
      onFault: (error, requestId) => context.log.error({ err: error, requestId }, 'a query failed'),
    },
    ...(wallet && { wallet: wallet.deps }),
    ...(agent && { agent: { ...agent, activeTrailingStops, onFault } }),
    admin: {
      keys,
      accounts,
      controls,
      restrictions,
      findInAudit: (wanted) => settings.auditRows.find(wanted),
      symbols: trading.symbols,
      allowlistFault,
      nowMs,
      journal: data.journal,
      enforced: (owner) => desk.killSwitchGuard.enforced(owner),
      waitingEntries: (subject) => desk.killSwitchGuard.waitingEntries(subject),
    },
    layouts: { layouts: new Layouts({ store: settings.layouts, nowMs }) },
    notifiers: trading.notices.notifiers,
    ...(parts.trade && {
      knownAccounts: trading.known,
      own: { settings: () => shownSettings(context.config, controls), reach: () => reachOf(context.config, calls) },
    }),
    closePositions: { closer: desk.ownerCloser },
    accounts: { accounts },
    account: { reports: sights.reports, pricesOf },
    performance: { ...sights, orderTimes: data.orderTimes },
    equity: { equity: trading.equity, pricesOf },
    reconciliation: { reconciler: desk.reconciler, isTrading: parts.trade },
    markets: {
      pricesAt: (exchange) => pricesOf(mainOf(exchange) ?? { exchange, mode: 'paper' }),
      rulesOf: rulesAt,
      onFault,
    },
    trailingStops: { protections, accounts, pricesOf, tickOf, onFault },
  };
}

function reachOf({ baseUrl, smtpPort, smtpAllowedSenders }: ProcessContext['config'], calls: TradingviewCalls) {
  const call = calls.last();
  return {
    baseUrl: baseUrl ?? null,
    tradingviewCall: call === undefined ? null : { at: call.atMs, address: call.address },
    mail: smtpPort === undefined ? null : { port: smtpPort, senders: [...smtpAllowedSenders] },
  };
}

const resendDeps = (
  { context }: GatewayParts,
  trading: Trading,
  signal: SignalDeps,
  refusals: Refusals,
): ResendDeps => ({
  signal,
  refusals,
  journal: trading.data.journal,
  senderOf: (keyId) => (keyId === EMAIL_SENDER.keyId ? EMAIL_SENDER : trading.keys.find(keyId)),
  maxAgeMs: context.config.signalMaxAgeMs,
});

/** The owner's own orders, for his chat. */
const ticketsOf = (deps: TicketDeps): TicketParts['tickets'] => ({
  check: (fields, call) => checkTicket(fields, call, deps),
  place: (fields, call) => placeTicket(fields, call, deps),
});

/** The alerts of deployed scripts that trade. */
function alertTrades(
  { context }: GatewayParts,
  { keys, data }: Trading,
  signal: SignalDeps,
): TradePort & StrategyTrades {
  const senderOf = (keyId: string) => keys.find(keyId);
  const trader = createAlertTrader({
    ...{ signal, journal: data.journal },
    senderOf,
    nextRequestId: context.requestIds,
    maxAgeMs: context.config.signalMaxAgeMs,
  });
  const { trade, held, accountsOf } = trader;
  return {
    identify: async (apiKey) => trader.identify(apiKey),
    ...{ trade, held, accountsOf },
    arrived: (of) => arrivedAlerts(of, { arrivals: data.arrivals, senderOf, symbols: signal.symbols }),
    past: (of) => strategyTrades(data.journal, of),
    completeFromMs: () => data.history.completeFromMs(),
  };
}

/** Remembers a mail that got no further than the listener: its sender is not proven, so it counts as nobody's. */
const mailMemory =
  (context: ProcessContext, memory: RefusalMemory) =>
  ({ code, text, clientAddress }: RefusedMail): void =>
    rememberRefusal(memory, {
      id: context.requestIds(),
      door: 'smtp',
      address: clientAddress,
      status: code,
      code: 'MAIL_REFUSED',
      error: text,
      body: new Uint8Array(0),
    });

/** A command that only looks at a data folder does not load them. */
const openWallet = async (parts: WalletParts) => (await import('./wallet.ts')).openWallet(parts);
const openAgent = async (parts: AgentParts) => (await import('./agent.ts')).openAgent(parts);

function refusalMemory({ config, log }: ProcessContext, trading: Trading, refusals: Refusals): RefusalMemory {
  const { keys, notices, telegram } = trading;
  const { webhookApiKeys, internalToken, adminToken, wallet } = config;
  const secrets = [...webhookApiKeys, internalToken, adminToken, wallet.token].filter((secret) => secret !== undefined);
  return {
    record(refused) {
      refusals.record(refused);
      notices.onRefusal(refused);
      telegram?.onRefusal(refused);
    },
    authenticate: (apiKey) => keys.authenticate(apiKey),
    strike: createSecretStriker(secrets),
    nowMs,
    log: (fields, message) => log.info(fields, message),
  };
}

function countDecisions({ metrics }: ProcessContext, { desk, data }: Trading): SignalDeps['count'] {
  const decisions = metrics.counter({
    name: 'signals_total',
    help: 'Signals by decision of the gates.',
    labels: ['decision'],
  });
  metrics.gauge({ name: 'trades_in_lanes', help: 'Trades waiting or being executed.', collect: () => desk.backlog() });
  metrics.gauge({ name: 'journal_commits', help: 'Durable commits since the start.', collect: () => data.commits() });
  return (decision) => decisions.inc({ decision });
}
