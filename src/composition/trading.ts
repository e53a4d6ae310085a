// Puts the trading desk together: storage, controls, keys, venues, chat, stops, and the guard over the day's loss.

import { randomBytes } from 'node:crypto';
import { createConsoleNotifier } from '../adapters/notifiers/console.ts';
import type { SettingsStorage } from '../adapters/storage/sql/owner/settings.ts';
import { stopChangeEntry } from '../adapters/storage/sqlite/stop-changes.ts';
import { openPaperVenue } from '../adapters/venues/paper/paper-venue.ts';
import { stoppedVenue } from '../adapters/venues/stopped-venue.ts';
import { FencedError } from '../errors/storage-error.ts';
import { EXCHANGES } from '../exchanges/exchange.ts';
import { createWebhookKeys } from '../keys/webhook-keys.ts';
import { backgroundTimers, foregroundTimers } from '../timing/timers.ts';
import { EquityCurves, type EquityParts } from '../trading/books/equity-curves.ts';
import type { RealAccount } from '../trading/configured-accounts.ts';
import type { Controls } from '../trading/intake/controls.ts';
import { keptHedgeInWords, rememberedModes, rememberModes } from '../trading/intake/position-modes.ts';
import { restoredBooks, restoredInWords } from '../trading/intake/restored-books.ts';
import { Restrictions } from '../trading/intake/restrictions.ts';
import { createSymbolMap } from '../trading/intake/symbol-map.ts';
import { type Lease, patienceUnder } from '../trading/leases.ts';
import type { StopChange } from '../trading/protection/owner-changes.ts';
import type { TradingDesk } from '../trading/trading-desk.ts';
import type { Venue } from '../trading/venue.ts';
import { openAccountPrices } from './account-prices.ts';
import { endVenueAlarms } from './alarm-wrappers.ts';
import { monotonicMs, nowMs } from './clocks.ts';
import { openControls } from './controls.ts';
import { openDesk } from './desk.ts';
import { openDeskEvents } from './desk-events.ts';
import { DESK_IS_TAKEN } from './desk-lease.ts';
import { guardDrawdown } from './drawdown.ts';
import { KnownAccounts } from './known-accounts.ts';
import { tellLeftAccounts } from './left-accounts.ts';
import { type LiveAccountsParts, openLiveAccounts } from './live-accounts.ts';
import { createLiveAdapters } from './live-adapters.ts';
import type { Prices } from './market.ts';
import { openNotices } from './notices.ts';
import { type OpenedAccount, openPaperAccounts } from './paper-accounts.ts';
import type { ProcessContext } from './process-context.ts';
import { openSharedLimits } from './rate-limits.ts';
import { openOwner, openTradingData, type TradingData } from './storage.ts';
import { accountsToOpen, openStoredAccounts } from './stored-accounts.ts';
import type { Teardown } from './teardown.ts';
import { connectTelegram } from './telegram.ts';
import { openTraces } from './traces.ts';
import { createTroubleLog } from './trouble-log.ts';
import { openTwins } from './twins.ts';
import { noteWhereRowsAre } from './where-rows-are.ts';

export interface TradingParts {
  readonly context: ProcessContext;
  /** Those of MARKET_DATA. */
  readonly prices: Prices;
  readonly teardown: Teardown;
  /** Without it nothing is executed: that is the command line looking at a data folder. */
  readonly trade: boolean;
  /** Of the desk, where the database is shared with other processes. */
  readonly lease: Lease | undefined;
}

type StorageParts = Pick<TradingParts, 'context' | 'teardown' | 'lease'>;

export type Trading = Awaited<ReturnType<typeof openTrading>>;

export async function openTrading({ context, prices, teardown, trade, lease }: TradingParts) {
  const { config, log } = context;
  const { data, settings, usage, controlsCopy } = await openStorage({ context, teardown, lease });
  const controls = openControls(config, settings.settings);
  const staticKeys = config.webhookApiKeys;
  const keys = createWebhookKeys({ store: settings.webhookKeys, staticKeys, nowMs, randomBytes });
  const restrictions = new Restrictions({ store: settings.restrictions, nowMs });
  const { storedAccounts: store } = settings;
  const asked = { store, settings: settings.settings, restrictions: settings.restrictions };
  const known = new KnownAccounts({ config, ...asked, isTrading: trade });
  const stored = { data, settings };
  const { venues, paper, off, advice, pricesOf } = await openAccounts({
    ...{ context, ...stored, prices, teardown, trade, lease },
  });
  if (trade) await rememberModes(settings, paper, nowMs());

  const told = { controls, restrictions };
  const telegram = trade ? await connectTelegram({ config, ...told, log }) : undefined;
  if (telegram) teardown.add(() => telegram.close());
  const outbox = data.channelOutbox;
  const notices = await openNotices({ context, telegram, trade, outbox, ...told });
  if (trade) tellKeptModes(context, paper);
  const logTrouble = createTroubleLog(log, monotonicMs);
  const onTrouble = (what: string, error: unknown, requestId?: string): void => {
    logTrouble('error', what, error, requestId);
    telegram?.onTrouble(what, error);
    notices.onTrouble(what, error);
  };
  const { auditRows } = settings;
  const events = trade
    ? await openDeskEvents({ events: data.events, auditRows, alarms: context.alarms, onTrouble })
    : undefined;
  if (events) teardown.add(() => events.close());
  const onAlarm = context.alarms.raise;
  const onAlarmOver = (kind: string): void => context.alarms.over(kind);
  const trace = trade ? openTraces(context, teardown) : undefined;
  const twins = await openTwins({ context, venues, pricesOf, trade, teardown, lease });
  const sharedLimits = await openSharedLimits({ context, teardown });
  const notifier = notices.chat ?? createConsoleNotifier((line) => log.info(line, 'notification'));
  const desk = await openDesk({
    ...{ config, controls, restrictions, venues, off, pricesOf, notifier, onAlarm, onAlarmOver, onTrouble },
    ...{ liveConfirmations: known, controlsCopy, lease },
    ...{ restoredThroughSeq: trade ? tellRestored(context, controls, settings) : undefined, trace },
    data: { ...data, journal: twins.followed(data.journal) },
    authenticate: (apiKey) => keys.authenticate(apiKey),
    ownerChat: telegram?.ownerChat,
    onStanding: (kind, text) => context.alarms.stand(kind, text),
    sharedLimits,
    channels: notices.channels,
    newRequestId: context.requestIds,
    onStopChange: auditedStops(settings, onTrouble),
    clock: { nowMs, monotonicMs, timers: foregroundTimers },
  });
  const equity = openEquityCurves({ data, desk, trade, teardown, onTrouble });
  if (trade) {
    teardown.add(() => desk.stop(config.drainTimeoutMs));
    const { drawdownLimitPercent: limitPercent } = config;
    const store = data.protection.drawdown;
    const timers = backgroundTimers;
    const heard = { onAlarm, onAlarmOver, onTrouble };
    guardDrawdown({ limitPercent, venues, teardown, store, restrictions, nowMs, timers, ...heard });
  } else await desk.protections.restore();
  const symbols = createSymbolMap({ store: settings.settings, accounts: desk.accounts, nowMs });
  const kept = { data, settings, usage, controls, restrictions, keys };
  const parts = { ...kept, venues, advice, pricesOf, known, telegram, notices, sharedTokens: sharedLimits?.tokens };
  return { ...parts, trace, events, desk, twins, symbols, equity, onTrouble };
}

/** Puts the owner's changes of stops into the audit; each is in force and on disk already. */
const auditedStops =
  ({ settings }: SettingsStorage, onTrouble: (what: string, error: unknown) => void) =>
  (change: StopChange): void => {
    settings
      .appendAudit(stopChangeEntry(change))
      .catch((error: unknown) => onTrouble('a change of stops is not in the audit', error));
  };

interface AccountParts extends TradingParts {
  readonly data: Pick<TradingData, 'paperLedger' | 'fundings'>;
  readonly settings: SettingsStorage;
}

/** Each exchange has paper accounts or real ones, never both: see configured-accounts.ts. */
async function openAccounts({ context, data, settings, prices, teardown, trade, lease }: AccountParts) {
  const { config, log, alarms } = context;
  const { accounts, off } = accountsToOpen(config, settings.storedAccounts);
  if (trade) await tellLeftAccounts({ config, accounts, alarms });
  const wanted = accounts.filter((account) => account.mode !== 'paper');
  const advice: string[] = [];
  const onAdvice = (words: string): void => {
    advice.push(words);
    log.warn({}, words);
  };
  const real = trade
    ? await openRealAccounts(wanted, { context, settings, data, onAdvice, lease })
    : wanted.map(stoppedVenue);
  teardown.add(() => Promise.all(real.map((venue) => venue.close())));
  for (const { why } of off) log.warn({}, why);
  const paper: OpenedAccount[] = [];
  const venues = await openPaperAccounts({
    ...{ config, ledger: data.paperLedger, remembered: rememberedModes(settings.settings) },
    exchanges: EXCHANGES.filter((exchange) => config.venues[exchange].mode === 'paper'),
    async open(account) {
      paper.push(account);
      const positionMode = () => account.positionMode;
      return endVenueAlarms(await openPaperVenue({ ...account, prices, nowMs, positionMode }), alarms);
    },
  });
  teardown.add(() => Promise.all(venues.map((venue) => venue.close())));
  const all: readonly Venue[] = [...venues, ...real];
  const sorted = EXCHANGES.flatMap((exchange) => all.filter((venue) => venue.exchange === exchange));
  const pricesOf = await openAccountPrices({ context, accounts: real, paper: prices, teardown });
  return { venues: sorted, paper, off, advice, pricesOf };
}

async function openRealAccounts(
  accounts: readonly RealAccount[],
  parts: Pick<AccountParts, 'context' | 'settings' | 'data' | 'lease'> & Pick<LiveAccountsParts, 'onAdvice'>,
): Promise<readonly Venue[]> {
  const { context, settings, data, onAdvice, lease } = parts;
  const { config, log, alarms } = context;
  const logTrouble = createTroubleLog(log, monotonicMs);
  const onTrouble = (what: string, error: unknown): void => logTrouble('warn', what, error);
  const venues = await openLiveAccounts({
    ...{ config, accounts, alarms, timers: backgroundTimers, patience: patienceUnder(lease) },
    stored: openStoredAccounts(config, settings.storedAccounts, 'start'),
    adapters: createLiveAdapters({ log, fundings: data.fundings, onTrouble, lease }),
    onAdvice,
  });
  return venues.map((venue) => endVenueAlarms(venue, alarms));
}

/** Lasts as long as the process: a mode changes at a start only. */
function tellKeptModes({ alarms }: ProcessContext, accounts: readonly OpenedAccount[]): void {
  for (const { exchange, account, keptHedgeFor } of accounts)
    if (keptHedgeFor.length > 0)
      alarms.stand(`position mode ${exchange}:${account}`, keptHedgeInWords({ exchange, account }, keptHedgeFor));
}

/** The newest trade of the backup that the books were restored from. It is told until the owner has turned that switch off. */
function tellRestored(
  { alarms }: ProcessContext,
  controls: Controls,
  { settings }: SettingsStorage,
): number | undefined {
  const restored = restoredBooks(settings);
  if (restored === undefined) return undefined;
  const kind = 'restored';
  controls.watch(({ killSwitch: { active, sinceMs = 0 } }) => {
    if (active && sinceMs <= restored.restoredAtMs) alarms.stand(kind, restoredInWords(restored));
    else alarms.over(kind);
  });
  return restored.throughSeq;
}

interface EquityOptions extends Pick<EquityParts, 'onTrouble'> {
  readonly data: Pick<TradingData, 'journal' | 'equity'>;
  readonly desk: Pick<TradingDesk, 'accounts'>;
  readonly trade: boolean;
  readonly teardown: Teardown;
}

/** Only looked at where nothing is executed. */
function openEquityCurves({ data, desk, trade, teardown, onTrouble }: EquityOptions): EquityCurves {
  const { journal, equity: store } = data;
  const timers = backgroundTimers;
  const curves = new EquityCurves({ accounts: desk.accounts, journal, store, nowMs, timers, onTrouble });
  if (!trade) return curves;
  teardown.add(() => curves.stop());
  curves.start();
  return curves;
}

async function openStorage({ context: { config, log }, teardown, lease }: StorageParts) {
  const { settings, usage, controlsCopy } = await openOwner(config);
  teardown.add(() => settings.close());
  teardown.add(() => usage.close());
  const onDeath = (error: Error): void => {
    const what = error instanceof FencedError ? DESK_IS_TAKEN : 'storage is lost';
    log.error({ err: error }, `${what}; ending, so that whoever runs Signalbox starts it again`);
    void log.close().finally(() => process.exit(1));
  };
  const data = await openTradingData(config, { onDeath, lease });
  teardown.add(() => data.close());
  if (config.databaseUrl !== undefined) await noteWhereRowsAre(config.dataDir, config.databaseUrl);
  return { settings, usage, controlsCopy, data };
}
