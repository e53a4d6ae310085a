// The gateway in this process, over real storage in a folder of its own, with the clock and the venues in the test's hands.

import { randomBytes } from 'node:crypto';
import { Passwords } from '../../src/access/password.ts';
import { createSimulatedMarket } from '../../src/adapters/market-data/simulated/simulated-market.ts';
import type { RedisRateLimits } from '../../src/adapters/storage/redis/rate-limits.ts';
import type { QueryLimits } from '../../src/adapters/storage/sql/query/queries.ts';
import { archiveFolder, findArchived } from '../../src/adapters/storage/sqlite/archive/archive-files.ts';
import { type DataStorage, openDataStorage } from '../../src/adapters/storage/sqlite/open-data.ts';
import { createDataQueries } from '../../src/adapters/storage/sqlite/query/queries.ts';
import { openSettingsStorage } from '../../src/adapters/storage/sqlite/settings.ts';
import { stopChangeEntry } from '../../src/adapters/storage/sqlite/stop-changes.ts';
import { rulesAt } from '../../src/adapters/venues/paper/market-rules.ts';
import { openPaperVenue } from '../../src/adapters/venues/paper/paper-venue.ts';
import { openSessions } from '../../src/composition/access.ts';
import { InstanceArchive } from '../../src/composition/instance-archive.ts';
import { openTotpSeal } from '../../src/composition/totp-seal.ts';
import { EXCHANGES } from '../../src/exchanges/exchange.ts';
import { createApp } from '../../src/http/app.ts';
import { createAddressList } from '../../src/http/client-address.ts';
import { createInternalGate } from '../../src/http/internal-auth.ts';
import { createLog } from '../../src/http/log.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import { createOwnPages } from '../../src/http/own-page.ts';
import { createRequestIds } from '../../src/http/request-id.ts';
import { createSecretStriker } from '../../src/http/strike-secrets.ts';
import { createWebhookKeys } from '../../src/keys/webhook-keys.ts';
import type { DeploymentOperator } from '../../src/library/deployments/index.ts';
import { Layouts } from '../../src/library/layouts.ts';
import type { MarketList } from '../../src/market-data/market-list.ts';
import type { RangeSource } from '../../src/market-data/price-source.ts';
import { type ArchiveDeps, mountArchive } from '../../src/services/gateway/admin-archive.ts';
import { type BackupsDeps, mountBackups } from '../../src/services/gateway/admin-backups.ts';
import type { AgentDeps } from '../../src/services/gateway/agent.ts';
import type { AgentToolDeps } from '../../src/services/gateway/agent-tools.ts';
import { EMAIL_SENDER } from '../../src/services/gateway/email-signal.ts';
import { GATEWAY_ERRORS, type GatewayDeps, gatewayShape, mountGateway } from '../../src/services/gateway/index.ts';
import { allowlistFault, createGatewayLimits } from '../../src/services/gateway/limits.ts';
import { checkTicket, placeTicket, type TicketCall, type TicketDeps } from '../../src/services/gateway/order-ticket.ts';
import type { SignalDeps } from '../../src/services/gateway/process-signal.ts';
import type { QueryLine } from '../../src/services/gateway/query.ts';
import { type ResendDeps, resendRefusal } from '../../src/services/gateway/resend-refusal.ts';
import { mountScriptAdmin } from '../../src/services/gateway/script-admin.ts';
import type { TradesDeps } from '../../src/services/gateway/trades.ts';
import type { WalletDeps } from '../../src/services/gateway/wallet.ts';
import { backgroundTimers, foregroundTimers } from '../../src/timing/timers.ts';
import type { OffAccount } from '../../src/trading/accounts.ts';
import { createAccountReports } from '../../src/trading/books/account-reports.ts';
import type { DataQueries } from '../../src/trading/books/data-query.ts';
import { EquityCurves } from '../../src/trading/books/equity-curves.ts';
import { createPerformanceReports } from '../../src/trading/books/performance-reports.ts';
import { ticksOf } from '../../src/trading/books/shown-amounts.ts';
import type { PositionCheck } from '../../src/trading/execution/position-check.ts';
import {
  type ControlsOptions,
  type ControlValues,
  createControls,
  type SettingsStore,
} from '../../src/trading/intake/controls.ts';
import { createRefusals, type RefusedSignal } from '../../src/trading/intake/refusals.ts';
import { Restrictions, type TradeLimits } from '../../src/trading/intake/restrictions.ts';
import { createSymbolMap } from '../../src/trading/intake/symbol-map.ts';
import type { OnAlarm } from '../../src/trading/notifications/alarm.ts';
import type { ChatMessage, Notifier } from '../../src/trading/notifications/notifier.ts';
import { openTradingDesk, type TradingDeskParts } from '../../src/trading/trading-desk.ts';
import { createTwinReports } from '../../src/trading/twin/twin-reports.ts';
import type { PositionMode, Venue } from '../../src/trading/venue.ts';
import type { Ledger } from '../../src/wallet/ledger.ts';
import { checkAnswersOf } from './checked-app.ts';
import { preparedDataDir } from './prepared-data-dir.ts';

export interface GatewayOptions {
  readonly dataDir?: string;
  /** Prices of the test's own making; the simulated market otherwise. */
  readonly prices?: RangeSource & Partial<MarketList>;
  /** Venues for the main accounts of some exchanges; the others are paper. */
  readonly venues?: readonly Venue[];
  /** Exchanges that are off; they have no account. */
  readonly off?: readonly OffAccount[];
  /** Which live accounts may open positions; all of them if it is left out. */
  readonly liveConfirmations?: TradingDeskParts['liveConfirmations'];
  /** Of the paper accounts; one-way otherwise. */
  readonly positionMode?: PositionMode;
  /** Further paper accounts, of binance; `swing:hedge` has a position mode of its own. */
  readonly accounts?: readonly string[];
  readonly controls?: Partial<ControlValues>;
  readonly staticKeys?: readonly string[];
  /** Controls that count as set in the environment. */
  readonly ruledBy?: ControlsOptions['ruledBy'];
  readonly internalToken?: string;
  readonly baseUrl?: string;
  /** As SIGNALBOX_MASTER_KEY has it. */
  readonly masterKey?: string;
  readonly trustedProxies?: readonly string[];
  /** The clock of the limits stands still: on a busy machine a minute's allowance would grow while a test spends it. */
  readonly frozenLimits?: boolean;
  /** Where rates are counted together with other gateways; this one counts alone otherwise. */
  readonly sharedLimits?: Pick<RedisRateLimits, 'tokens' | 'entries'>;
  /** The moment at which its clock begins, and so its simulated market; now if it is left out. */
  readonly startAtMs?: number;
  readonly signalMaxAgeMs?: number;
  /** As TRADINGVIEW_POSITION_CHECK has it; an alarm otherwise. */
  readonly positionCheck?: PositionCheck;
  readonly idempotencyWindowMs?: number;
  /** As in the product for tests of the deadline; far longer otherwise, because a busy machine must change no answer. */
  readonly answerDeadlineMs?: number;
  readonly queryLimits?: Partial<QueryLimits>;
  /** Another database than the one in the folder for everything about trading. */
  readonly trading?: (parts: { nowMs: () => number; limits: Partial<QueryLimits> | undefined }) => Promise<{
    readonly data: DataStorage;
    readonly queries: DataQueries;
  }>;
  /** The accounts with their credentials; nobody can ask for them otherwise. */
  readonly knownAccounts?: GatewayDeps['knownAccounts'];
  /** Backups of the running instance; nobody has said where they go otherwise. */
  readonly backups?: BackupsDeps;
  readonly archive?: ArchiveDeps;
  readonly findArchived?: TradesDeps['findArchived'];
  /** The operator's hand on live deployments; there are none otherwise. */
  readonly operator?: DeploymentOperator;
  /** As the command line has it without a running instance. */
  readonly isStopped?: boolean;
  /** As if the last process on this folder had been killed. */
  readonly afterCrash?: boolean;
  /** Called for every notification; a rejection is a failed delivery. */
  readonly notify?: (message: ChatMessage) => Promise<{ messageId: number | null }>;
  /** A real notifier instead, made over this gateway's controls. */
  readonly connect?: (
    parts: Pick<TradingDeskParts, 'controls' | 'restrictions' | 'nowMs'> & { settings: SettingsStore },
  ) => {
    readonly notifier: Notifier;
    readonly ownerChat?: string | undefined;
    readonly onAlarm?: OnAlarm;
    onTrouble?(what: string, error: unknown): void;
    onRefusal?(refused: RefusedSignal): void;
    close(): Promise<void>;
  };
  /** Adds /agent, made over this gateway's storage. */
  readonly agent?: (
    parts: Omit<AgentToolDeps, 'scripts' | 'newRunId'> & {
      dataDir: string;
      troubles: string[];
    },
  ) => Promise<AgentDeps & { close(): Promise<void> }>;
  /** Adds /wallet, made over this gateway's storage and kill switch. */
  readonly wallet?: (
    parts: Pick<TradingDeskParts, 'controls' | 'nowMs'> & { ledger: Ledger; troubles: string[] },
  ) => Promise<WalletDeps & { close(): Promise<void> }>;
}

export type TestGateway = Awaited<ReturnType<typeof openGateway>>;
export interface Sent {
  readonly status: number;
  readonly headers: Headers;
  // The bodies under test are looked into field by field.
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field
  readonly body: any;
}

export async function openGateway(options: GatewayOptions = {}) {
  const dataDir = options.dataDir ?? (await preparedDataDir());
  const clock = { offsetMs: options.startAtMs === undefined ? 0 : options.startAtMs - Date.now() };
  const nowMs = (): number => Date.now() + clock.offsetMs;
  const monotonicMs = (): number => performance.now();
  const settings = openSettingsStorage(dataDir);
  const other = await options.trading?.({ nowMs, limits: options.queryLimits });
  const data = other?.data ?? (await openDataStorage({ dataDir, nowMs, onDeath: () => {} }));
  const queries = other?.queries ?? createDataQueries({ ...data, limits: options.queryLimits });
  const queryLog: QueryLine[] = [];
  const limits = { webhookRatePerMinute: 0, failedAuthPerMinute: 30 };
  const controls = createControls({
    store: settings.settings,
    nowMs,
    ...(options.ruledBy && { ruledBy: options.ruledBy }),
    initial: {
      killSwitch: { active: false, scope: 'all' },
      queueMode: 'failover',
      allowlist: [],
      limits,
      ...options.controls,
    },
  });
  const keys = createWebhookKeys({
    store: settings.webhookKeys,
    staticKeys: options.staticKeys ?? [],
    nowMs,
    randomBytes,
  });
  const restrictions = new Restrictions({ store: settings.restrictions, nowMs });
  const { apiKey } = await keys.create({ label: `test-${keys.list().length}` });
  const prices = options.prices ?? createSimulatedMarket({ seed: 7, nowMs });
  const pricesOf = () => prices;
  const ledger = data.paperLedger;
  const { positionMode = 'one-way' } = options;
  const paper = { ledger, prices, nowMs, startingBalance: '100000', positionMode: () => positionMode };
  const account = 'main';
  const venues = await Promise.all([
    ...EXCHANGES.filter((exchange) => !options.off?.some((each) => each.exchange === exchange)).map(
      (exchange) =>
        options.venues?.find((venue) => venue.exchange === exchange) ?? openPaperVenue({ exchange, account, ...paper }),
    ),
    ...(options.accounts ?? []).map((named) => {
      const [name = '', mode = positionMode] = named.split(':') as [string, PositionMode?];
      return openPaperVenue({ ...paper, exchange: 'binance', account: name, positionMode: () => mode });
    }),
  ]);
  const troubles: string[] = [];
  /** What stops had to tell at once. */
  const alarms: string[] = [];
  /** What the desk had to tell at once. */
  const deskAlarms: string[] = [];
  const deskAlarmsOver: string[] = [];
  const notices: ChatMessage[] = [];
  const connected = options.connect?.({ controls, restrictions, nowMs, settings: settings.settings });
  const { protection } = data;
  const { sharedLimits } = options;
  const requestIds = createRequestIds({ nowMs, randomBytes });
  const desk = await openTradingDesk({
    ...createGatewayLimits({
      controls,
      monotonicMs: options.frozenLimits ? () => 0 : monotonicMs,
      shared: sharedLimits?.tokens,
    }),
    sharedEntries: sharedLimits?.entries,
    authenticate: (apiKey) => keys.authenticate(apiKey),
    journal: data.journal,
    signals: data.signals,
    outbox: data.outbox,
    notifier: connected?.notifier ?? {
      send: async (message) => {
        notices.push(message);
        return options.notify ? options.notify(message) : { messageId: notices.length };
      },
    },
    ownerChat: connected?.ownerChat,
    onAlarm: (kind, text) => {
      deskAlarms.push(text);
      connected?.onAlarm?.(kind, text);
    },
    onAlarmOver: (kind) => void deskAlarmsOver.push(kind),
    protection: {
      store: protection.protections,
      pricesOf,
      newRequestId: requestIds,
      onChange: (change) => settings.settings.appendAudit(stopChangeEntry(change)),
      onAlarm: (kind, text) => {
        alarms.push(text);
        connected?.onAlarm?.(kind, text);
      },
    },
    venues,
    off: options.off,
    liveConfirmations: options.liveConfirmations,
    controls,
    restrictions,
    history: data.history,
    pastTrades: data.pastTrades,
    nowMs,
    monotonicMs,
    timers: foregroundTimers,
    positionCheck: options.positionCheck ?? 'alarm',
    liveGuards: { staleQuoteMs: 10_000, priceThroughPercent: 20, spreadPercent: 5 },
    signalMaxAgeMs: options.signalMaxAgeMs ?? 60_000,
    idempotencyWindowMs: options.idempotencyWindowMs ?? 86_400_000,
    answerDeadlineMs: options.answerDeadlineMs ?? 60_000,
    onTrouble: (what, error) => {
      troubles.push(`${what}: ${error}`);
      connected?.onTrouble?.(what, error);
    },
  });
  const tickOf = ticksOf(venues);
  const { accounts, protections } = desk;
  const reports = createAccountReports({ ...data, accounts, pricesOf, nowMs });
  const equity = new EquityCurves({
    ...{ accounts, journal: data.journal, store: data.equity, nowMs, timers: backgroundTimers },
    onTrouble: (what, error) => void troubles.push(`${what}: ${error}`),
  });
  const performanceReports = createPerformanceReports({ accounts, history: data.history });
  const twinReports = createTwinReports({ positions: async () => [], twins: [], history: data.history, pricesOf });
  const sights = { accounts, protections, reports, performance: performanceReports, pricesOf, prices, tickOf };
  const agent = await options.agent?.({ ...data, ...sights, nowMs, dataDir, troubles });
  const wallet = await options.wallet?.({ controls, ledger: data.walletLedger, nowMs, troubles });
  const log = createLog({ level: 'silent', name: 'test' });
  const app = createApp({
    service: 'gateway',
    errors: GATEWAY_ERRORS,
    shape: gatewayShape,
    requestIds,
    trustedProxies: createAddressList(options.trustedProxies ?? []),
    log,
    metrics: createMetrics(),
    defaultBodyLimitBytes: 1024 * 1024,
    nowMs: monotonicMs,
  });
  checkAnswersOf(app);
  const refusals = createRefusals({
    store: data.refusals,
    nowMs,
    timers: backgroundTimers,
    onTrouble: (what) => troubles.push(what),
  });
  const refusalLog: string[] = [];
  const symbols = createSymbolMap({ store: settings.settings, accounts: desk.accounts, nowMs });
  const webhook: SignalDeps = {
    symbols,
    knownKeys: options.staticKeys ?? [],
    memory: {
      record(refused) {
        refusals.record(refused);
        connected?.onRefusal?.(refused);
      },
      authenticate: (apiKey) => keys.authenticate(apiKey),
      strike: createSecretStriker(options.staticKeys ?? []),
      nowMs,
      log: (fields, message) => refusalLog.push(`${JSON.stringify(fields)} ${message}`),
    },
    keepers: desk.keepers,
    dispatcher: desk.dispatcher,
    resends: desk.resends,
    queueMode: () => controls.current().queueMode,
    nowMs,
    count: () => {},
    onFault: (error) => troubles.push(String(error)),
  };
  const resend: ResendDeps = {
    signal: webhook,
    refusals,
    journal: data.journal,
    senderOf: (keyId) => (keyId === EMAIL_SENDER.keyId ? EMAIL_SENDER : keys.find(keyId)),
    maxAgeMs: options.signalMaxAgeMs ?? 60_000,
  };
  const ticket: TicketDeps = { signal: webhook, dryRun: desk.dryRun };
  const pages = createOwnPages({
    trustedProxies: createAddressList(options.trustedProxies ?? []),
    baseUrl: options.baseUrl,
  });
  const gate = createInternalGate({ token: options.internalToken, pages });
  mountScriptAdmin(app, { operator: options.operator, keys: undefined, audit: () => {}, onFault: () => {} }, gate);
  mountBackups(app, options.backups, gate);
  const findArchivedHere = (id: string) => findArchived(archiveFolder(dataDir), id);
  const archive = new InstanceArchive({ dataDir, database: 'sqlite', journal: data.archivable, nowMs });
  mountArchive(app, options.archive ?? archive, gate);
  const { label, markets } = prices;
  const listed = markets && { label, markets };
  mountGateway(app, {
    knownAccounts: options.knownAccounts,
    gate,
    webhook,
    signals: { signals: data.signals, nowMs, onFault: (error) => troubles.push(String(error)) },
    refusals: { refusals, onFault: (error) => troubles.push(String(error)) },
    resend: options.isStopped ? undefined : resend,
    ...(!options.isStopped && {
      check: { signal: webhook, dryRun: desk.dryRun, findByLabel: (label: string) => keys.findByLabel(label) },
      ticket,
    }),
    trades: {
      journal: data.journal,
      notes: data.notes,
      history: data.history,
      ...sights,
      findArchived: options.findArchived ?? findArchivedHere,
    },
    tradeNotes: { notes: data.notes, appendAudit: settings.settings.appendAudit, nowMs },
    events: { events: data.events },
    orders: { journal: data.journal, canceler: options.isStopped ? undefined : desk.canceler },
    query: {
      queries,
      monotonicMs,
      log: (line) => queryLog.push(line),
      onFault: (error) => troubles.push(String(error)),
    },
    admin: {
      keys,
      accounts: desk.accounts,
      controls,
      restrictions,
      findInAudit: (wanted) => settings.auditRows.find(wanted),
      symbols,
      allowlistFault,
      nowMs,
      journal: data.journal,
      enforced: (owner) => desk.killSwitchGuard.enforced(owner),
      waitingEntries: (subject) => desk.killSwitchGuard.waitingEntries(subject),
    },
    ...(agent && { agent }),
    ...(wallet && { wallet }),
    layouts: { layouts: new Layouts({ store: settings.layouts, nowMs }) },
    notifiers: { states: async () => [], test: async () => [] },
    closePositions: { closer: desk.ownerCloser },
    accounts: { accounts },
    account: { reports, pricesOf },
    performance: {
      ...{ accounts, performance: performanceReports, twins: twinReports, history: data.history, pricesOf, tickOf },
      orderTimes: data.orderTimes,
    },
    equity: { equity, pricesOf },
    reconciliation: { reconciler: desk.reconciler, isTrading: true },
    ...(listed && {
      markets: { pricesAt: () => listed, rulesOf: rulesAt, onFault: () => {} },
    }),
    trailingStops: {
      ...{ protections: desk.protections, accounts: desk.accounts, pricesOf, tickOf },
      onFault: (error) => troubles.push(String(error)),
    },
  });
  const onTrouble = (what: string, error: unknown) => void troubles.push(`${what}: ${error}`);
  const sessions = openSessions({
    ...{ app, context: { gate, log }, store: settings.access, clock: { nowMs, monotonicMs }, onTrouble },
    passwords: new Passwords({ randomBytes, cost: { n: 16, r: 1, p: 1 } }),
    seal: openTotpSeal({ masterKey: options.masterKey, dataDir }),
  });
  const recovered = await desk.start({ afterCrash: options.afterCrash ?? false });

  const request = async (
    method: string,
    path: string,
    body?: unknown,
    from: { peer?: string; headers?: Record<string, string> } = {},
  ): Promise<Sent> => {
    const init: RequestInit = { method, headers: { host: 'localhost', ...from.headers } };
    if (body !== undefined)
      init.body = typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body);
    const response = await app.request(path, init, { peer: from.peer ?? '127.0.0.1' });
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
  };
  const signal = (fields: Record<string, unknown> = {}) => ({
    apiKey,
    exchange: 'binance',
    action: 'LONG',
    symbol: 'BTCUSDT',
    quantity: 0.01,
    ...fields,
  });

  return {
    app,
    dataDir,
    data,
    settings,
    apiKey,
    keys,
    controls,
    restrictions,
    desk,
    webhook,
    venues,
    reports,
    performanceReports,
    twinReports,
    equity,
    clock,
    troubles,
    alarms,
    deskAlarms,
    deskAlarmsOver,
    protection,
    notices,
    queryLog,
    refusalLog,
    refusals,
    symbols,
    resend: (id: string, requestId: string) => resendRefusal(id, requestId, resend),
    tickets: {
      check: (fields: object, call: TicketCall) => checkTicket(fields, call, ticket),
      place: (fields: object, call: TicketCall) => placeTicket(fields, call, ticket),
    },
    recovered,
    signal,
    request,
    /** POST /webhook with a good signal, some fields replaced (undefined removes one). */
    send: (
      fields: Record<string, unknown> = {},
      from?: { peer?: string; headers?: Record<string, string> },
    ): Promise<Sent> => request('POST', '/webhook', signal(fields), from),
    trade: async (requestId: string): Promise<Sent['body']> =>
      (await request('GET', `/trades/${requestId}`)).body.result,
    /** A new key with these limits. */
    async keyWith(label: string, limits: TradeLimits): Promise<string> {
      await restrictions.setLimits({ kind: 'key', name: label }, limits, 'test');
      return (await keys.create({ label })).apiKey;
    },
    /** Waits until a trade has one of these statuses. */
    async until(requestId: string, ...statuses: string[]): Promise<Sent['body']> {
      for (let tries = 0; tries < 1200; tries++) {
        const { body } = await request('GET', `/trades/${requestId}`);
        if (body.success && statuses.includes(body.result.status)) return body.result;
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      throw new Error(`trade ${requestId} did not become ${statuses.join(' or ')}`);
    },
    async close(): Promise<void> {
      await archive.stop();
      await desk.stop(2000);
      await refusals.close();
      await agent?.close();
      await wallet?.close();
      await connected?.close();
      await Promise.all(venues.map((venue) => venue.close()));
      await queries.close();
      await data.close();
      await sessions.close();
      await settings.close();
      await log.close();
    },
  };
}
