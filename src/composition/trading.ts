// Puts the trading desk together: storage, controls, keys, venues, chat, stops, and the guard over the day's loss.

import { randomBytes } from 'node:crypto';
import { createConsoleNotifier } from '../adapters/notifiers/console.ts';
import { type DataStorage, openDataStorage } from '../adapters/storage/sqlite/open-data.ts';
import { createDataQueries } from '../adapters/storage/sqlite/query/queries.ts';
import { openSettingsStorage, type SettingsStorage } from '../adapters/storage/sqlite/settings.ts';
import { stopChangeEntry } from '../adapters/storage/sqlite/stop-changes.ts';
import { openPaperVenue } from '../adapters/venues/paper/paper-venue.ts';
import { EXCHANGES } from '../exchanges/exchange.ts';
import { createWebhookKeys } from '../keys/webhook-keys.ts';
import type { MarketList } from '../market-data/market-list.ts';
import type { RangeSource } from '../market-data/price-source.ts';
import { backgroundTimers, foregroundTimers } from '../timing/timers.ts';
import { EquityCurves, type EquityParts } from '../trading/books/equity-curves.ts';
import { keptHedgeInWords, rememberedModes, rememberModes } from '../trading/intake/position-modes.ts';
import { Restrictions } from '../trading/intake/restrictions.ts';
import { createSymbolMap } from '../trading/intake/symbol-map.ts';
import type { TradingDesk } from '../trading/trading-desk.ts';
import type { Venue } from '../trading/venue.ts';
import { endVenueAlarms } from './alarm-wrappers.ts';
import { monotonicMs, nowMs } from './clocks.ts';
import { openControls } from './controls.ts';
import { openDesk } from './desk.ts';
import { guardDrawdown } from './drawdown.ts';
import { openLiveAccounts } from './live-accounts.ts';
import { createLiveAdapters } from './live-adapters.ts';
import { openNotices } from './notices.ts';
import { type OpenedAccount, openPaperAccounts } from './paper-accounts.ts';
import type { ProcessContext } from './process-context.ts';
import { accountsToOpen, openStoredAccounts } from './stored-accounts.ts';
import type { Teardown } from './teardown.ts';
import { connectTelegram } from './telegram.ts';

export interface TradingParts {
  readonly context: ProcessContext;
  readonly prices: RangeSource & MarketList;
  readonly teardown: Teardown;
  /** Without it nothing is executed: that is the command line looking at a data folder. */
  readonly trade: boolean;
}

export type Trading = Awaited<ReturnType<typeof openTrading>>;

export async function openTrading({ context, prices, teardown, trade }: TradingParts) {
  const { config, log } = context;
  const { data, queries, settings } = await openStorage(context, teardown);
  const controls = openControls(config, settings.settings);
  const staticKeys = config.webhookApiKeys;
  const keys = createWebhookKeys({ store: settings.webhookKeys, staticKeys, nowMs, randomBytes });
  const restrictions = new Restrictions({ store: settings.restrictions, nowMs });
  const { venues, paper, off } = await openAccounts({ context, data, settings, prices, teardown });
  if (trade) rememberModes(settings, paper, nowMs());

  const told = { controls, restrictions, settings: settings.settings };
  const telegram = trade ? await connectTelegram({ config, ...told, log }) : undefined;
  if (telegram) teardown.add(() => telegram.close());
  const outbox = data.channelOutbox;
  const notices = await openNotices({ context, telegram, trade, outbox, ...told });
  if (trade) tellKeptModes(context, paper);
  const onTrouble = (what: string, error: unknown, requestId?: string): void => {
    log.error({ err: error, requestId }, what);
    telegram?.onTrouble(what, error);
    notices.onTrouble(what, error);
  };
  const onAlarm = context.alarms.raise;
  const notifier = notices.chat ?? createConsoleNotifier((line) => log.info(line, 'notification'));
  const desk = await openDesk({
    ...{ config, data, controls, restrictions, venues, off, prices, notifier, onAlarm, onTrouble },
    authenticate: (apiKey) => keys.authenticate(apiKey),
    ownerChat: telegram?.ownerChat,
    onAlarmOver: (kind) => context.alarms.over(kind),
    channels: notices.channels,
    newRequestId: context.requestIds,
    onStopChange: (change) => {
      try {
        settings.settings.appendAudit(stopChangeEntry(change));
      } catch (error) {
        // It is in force and on disk already.
        onTrouble('a change of stops is not in the audit', error);
      }
    },
    clock: { nowMs, monotonicMs, timers: foregroundTimers },
  });
  const equity = openEquityCurves({ data, desk, trade, teardown, onTrouble });
  if (trade) {
    teardown.add(() => desk.stop(config.drainTimeoutMs));
    const { drawdownLimitPercent: limitPercent } = config;
    const store = data.protection.drawdown;
    const timers = backgroundTimers;
    guardDrawdown({ limitPercent, venues, teardown, store, restrictions, nowMs, timers, onAlarm, onTrouble });
  } else desk.protections.restore();
  const symbols = createSymbolMap({ store: settings.settings, accounts: desk.accounts, nowMs });
  const parts = { data, queries, settings, controls, restrictions, keys, venues, telegram, notices };
  return { ...parts, desk, symbols, equity, onTrouble };
}

interface AccountParts extends Pick<TradingParts, 'context' | 'prices' | 'teardown'> {
  readonly data: Pick<DataStorage, 'paperLedger'>;
  readonly settings: SettingsStorage;
}

/** Each exchange has paper accounts or real ones, never both: see configured-accounts.ts. */
async function openAccounts({ context, data, settings, prices, teardown }: AccountParts) {
  const { config, log, alarms } = context;
  const { accounts, off } = accountsToOpen(config, settings.storedAccounts);
  const real = await openLiveAccounts({
    ...{ config, stored: openStoredAccounts(config, settings.storedAccounts, 'start') },
    accounts: accounts.filter((account) => account.mode !== 'paper'),
    adapters: createLiveAdapters({ log, onTrouble: (what, error) => log.warn({ err: error }, what) }),
    onAdvice: (advice) => log.warn({}, advice),
  });
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
  return { venues: EXCHANGES.flatMap((exchange) => all.filter((venue) => venue.exchange === exchange)), paper, off };
}

/** Lasts as long as the process: a mode changes at a start only. */
function tellKeptModes({ alarms }: ProcessContext, accounts: readonly OpenedAccount[]): void {
  for (const { exchange, account, keptHedgeFor } of accounts)
    if (keptHedgeFor.length > 0)
      alarms.stand(`position mode ${exchange}:${account}`, keptHedgeInWords({ exchange, account }, keptHedgeFor));
}

interface EquityOptions extends Pick<EquityParts, 'onTrouble'> {
  readonly data: Pick<DataStorage, 'journal' | 'equity'>;
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

async function openStorage({ config, log }: ProcessContext, teardown: Teardown) {
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
