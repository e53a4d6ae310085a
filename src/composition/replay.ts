// `signalbox replay`: copies the databases, opens a desk with accounts of its own and a clock in hand, replays, and compares.

import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSimulatedMarket } from '../adapters/market-data/simulated/simulated-market.ts';
import { copyDatabases } from '../adapters/storage/sqlite/database-copies.ts';
import { OWNER, TRADING } from '../adapters/storage/sqlite/database-files.ts';
import { hasDatabases, isDataFolder } from '../adapters/storage/sqlite/find-instance.ts';
import { type DataStorage, openDataStorage } from '../adapters/storage/sqlite/open-data.ts';
import { readRecordedPast } from '../adapters/storage/sqlite/recorded-past.ts';
import { openSettingsStorage } from '../adapters/storage/sqlite/settings.ts';
import { openPaperVenue } from '../adapters/venues/paper/paper-venue.ts';
import type { ReplayOptions, ReplayReport } from '../cli/host.ts';
import type { Config } from '../config.ts';
import { EXCHANGES } from '../exchanges/exchange.ts';
import { createRequestIds } from '../http/request-id.ts';
import { createWebhookKeys } from '../keys/webhook-keys.ts';
import { toText } from '../trading/decimal.ts';
import { type ControlValues, createControls, type SettingsStore } from '../trading/intake/controls.ts';
import type { Sender } from '../trading/intake/gates.ts';
import { modeAt, modeIn, type PositionModes, rememberedModes } from '../trading/intake/position-modes.ts';
import { type Restriction, Restrictions } from '../trading/intake/restrictions.ts';
import type { ReplayChanges } from '../trading/replay/changes.ts';
import { compare } from '../trading/replay/comparison.ts';
import { initialControls } from '../trading/replay/initial-controls.ts';
import { OrderMoments } from '../trading/replay/order-moments.ts';
import type { RecordedPast } from '../trading/replay/recorded-past.ts';
import { type Replayed, replay } from '../trading/replay/replay.ts';
import { ReplayClock, stoppedTimers, VenueClock } from '../trading/replay/replay-clock.ts';
import { initialRestrictions } from '../trading/replay/replayed-limits.ts';
import { timelineOf } from '../trading/replay/timeline.ts';
import { type AfterOrders, venueAtMoments } from '../trading/replay/venue-at-moments.ts';
import { nowMs } from './clocks.ts';
import { openControls } from './controls.ts';
import { openDesk } from './desk.ts';
import { noInstance } from './no-instance.ts';
import { openPaperAccounts } from './paper-accounts.ts';
import { readConfig } from './read-config.ts';
import { readLimitChanges } from './replay-limits.ts';
import { assertInFiles } from './storage.ts';
import { createTeardown, type Teardown } from './teardown.ts';

export async function replayPast(options: ReplayOptions): Promise<ReplayReport> {
  const config = readConfig(options.dataDir === undefined ? {} : { DATA_DIR: options.dataDir });
  assertInFiles(config, 'replay', 'Replay a copy of an instance that keeps its rows in files');
  if (!isDataFolder(config.dataDir) || !hasDatabases(config.dataDir)) throw noInstance(config.dataDir);
  assertKnownPrices(config);
  const changes = { ...options.changes, limits: readLimitChanges(options.set) };
  const scratch = await mkdtemp(join(tmpdir(), 'signalbox-replay-'));
  try {
    return await replayIn(scratch, config, { ...options, changes });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Before anything is replayed. */
function assertKnownPrices({ marketData }: Config): void {
  if (marketData !== 'simulated')
    throw new Error(
      `MARKET_DATA is ${marketData}: only the simulated market has a price for every second of the past, so nothing was replayed. ` +
        'Run the replay with the settings of an instance whose MARKET_DATA is simulated',
    );
}

type WithChanges = Omit<ReplayOptions, 'changes'> & { readonly changes: ReplayChanges };

async function replayIn(scratch: string, config: Config, options: WithChanges): Promise<ReplayReport> {
  const [pastDir, replayedDir] = [join(scratch, 'past'), join(scratch, 'replayed')];
  await Promise.all([mkdir(pastDir), mkdir(replayedDir)]);
  const copyOf = ({ name }: { readonly name: string }) => ({
    from: join(config.dataDir, name),
    to: join(pastDir, name),
  });
  await copyDatabases([TRADING, OWNER].map(copyOf));
  const past = readRecordedPast(pastDir);
  const { fromMs, toMs = nowMs() } = options;
  const troubles: string[] = [];
  const owner = await readOwner(pastDir, config);
  const outcome = await replayOn({ replayedDir, config, past, owner, options, toMs, troubles });
  const replayed = readRecordedPast(replayedDir);
  const comparison = compare({ past, replayed, refused: outcome.refused }, { fromMs, toMs });
  const { unreadable, stopsLeftOut } = outcome;
  return { comparison, unreadable: unreadable.length, stopsLeftOut, troubles };
}

/** Of the copy: the controls as they are now, and who stands behind the label of a key. */
async function readOwner(dataDir: string, config: Config) {
  const settings = openSettingsStorage(dataDir);
  try {
    const { webhookKeys: store } = settings;
    const keys = createWebhookKeys({ store, staticKeys: config.webhookApiKeys, nowMs, randomBytes });
    const controls = openControls(config, settings.settings).current();
    const senders = new Map(keys.list().map(({ label }) => [label, keys.findByLabel(label)]));
    const senderOf = (label: string): Sender => senders.get(label) ?? { keyId: label, label };
    const modes = rememberedModes(settings.settings);
    return { controls, restrictions: settings.restrictions.list(), senderOf, modes };
  } finally {
    await settings.close();
  }
}

interface Scratch {
  readonly replayedDir: string;
  readonly config: Config;
  readonly past: RecordedPast;
  readonly owner: {
    readonly controls: ControlValues;
    readonly restrictions: readonly Restriction[];
    readonly senderOf: (label: string) => Sender;
    readonly modes: PositionModes;
  };
  readonly options: WithChanges;
  readonly toMs: number;
  readonly troubles: string[];
}

async function replayOn(scratch: Scratch): Promise<Replayed> {
  const { replayedDir, config, past, owner, options, toMs, troubles } = scratch;
  const teardown = createTeardown();
  try {
    const clock = new ReplayClock(timelineOf(past)[0]?.atMs ?? toMs);
    const { nowMs: now } = clock;
    const onDeath = (error: Error): void => void troubles.push(error.message);
    const data = await openDataStorage({ dataDir: replayedDir, nowMs: now, onDeath });
    teardown.add(() => data.close());
    const initial = initialControls(past.audit, owner.controls);
    const controls = createControls({ store: forgetfulSettings, nowMs: now, initial });
    // Nothing that is turned here is kept.
    const rows = initialRestrictions(past.audit, owner.restrictions);
    const forgetful = { list: () => rows, put: async () => {}, remove: async () => {} };
    const restrictions = new Restrictions({ store: forgetful, nowMs: now });
    const afterOrders: AfterOrders = new Map();
    const venues = await openAccounts(scratch, { data, clock, afterOrders }, teardown);
    const prices = marketAt(config, now);
    const desk = await openDesk({
      ...{ config, data, controls, restrictions, venues },
      authenticate: () => undefined,
      notifier: { send: async () => ({ messageId: null }) },
      pricesOf: () => prices,
      newRequestId: createRequestIds({ nowMs: now, randomBytes }),
      clock: { nowMs: now, monotonicMs: now, timers: stoppedTimers },
      limitPatienceMs: Number.POSITIVE_INFINITY,
      onTrouble: (what, error) => void troubles.push(`${what}: ${error}`),
    });
    await desk.start();
    teardown.add(() => desk.stop(0));
    const { changes, fromMs, onProgress } = options;
    return await replay({
      ...{ past, desk, journal: data.journal, controls, restrictions, clock, changes, fromMs, toMs, afterOrders },
      prices: marketAt(config, () => toMs),
      match: async (venue) => venues.find((each) => each === venue)?.matchNow(),
      senderOf: owner.senderOf,
      ...(onProgress && { onProgress }),
    });
  } finally {
    await teardown.run();
  }
}

interface AccountParts {
  readonly data: DataStorage;
  readonly clock: ReplayClock;
  readonly afterOrders: AfterOrders;
}

/** Each with what it had before its first fill, in the position mode of the time, and with a clock of its own. */
async function openAccounts({ config, past, owner }: Scratch, parts: AccountParts, teardown: Teardown) {
  const { data, clock, afterOrders } = parts;
  const moments = new OrderMoments(past);
  const had = past.accounts.map(({ exchange, account, startingBalance }) => {
    const now = config.paperAccounts.find((each) => each.exchange === exchange && each.account === account);
    const positionMode = modeIn(owner.modes, { exchange, account }) ?? now?.positionMode;
    return { exchange, account, balance: toText(startingBalance), ...(positionMode && { positionMode }) };
  });
  const venues = await openPaperAccounts({
    config: { ...config, paperAccounts: [...had, ...config.paperAccounts] },
    ledger: data.paperLedger,
    exchanges: EXCHANGES,
    remembered: owner.modes,
    async open(account) {
      const own = new VenueClock(clock);
      const present = account.positionMode;
      const positionMode = () => modeAt(past.audit, account, { atMs: own.nowMs(), present });
      const prices = marketAt(config, own.nowMs);
      const venue = await openPaperVenue({ ...account, prices, nowMs: own.nowMs, positionMode, timers: stoppedTimers });
      return venueAtMoments(venue, own, { moments, afterOrders });
    },
  });
  teardown.add(() => Promise.all(venues.map((venue) => venue.close())));
  return venues;
}

const marketAt = ({ marketSeed: seed, simulatedSymbols: added }: Config, at: () => number) =>
  createSimulatedMarket({ seed, nowMs: at, added });

/** What is turned in a replay is forgotten with it. */
const forgetfulSettings: SettingsStore = {
  get: () => undefined,
  set: async () => {},
  appendAudit: async () => {},
  audit: async () => [],
};
