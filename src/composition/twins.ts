// The paper twins (PAPER_TWIN): for the accounts of each mode that is not paper, a desk of its own over a database of its own.
//
// Nothing of it is known to the live desk but a journal that is listened to, so a twin is in no list, limit, report or notice.

import { join } from 'node:path';
import { openPaperVenue } from '../adapters/venues/paper/paper-venue.ts';
import { errorText } from '../errors/error-text.ts';
import { EXCHANGES, type Exchange } from '../exchanges/exchange.ts';
import { createTokenBuckets } from '../http/token-bucket.ts';
import { foregroundTimers } from '../timing/timers.ts';
import { withTimeout } from '../timing/with-timeout.ts';
import type { PricesOf } from '../trading/account-prices.ts';
import { accountInWords } from '../trading/accounts.ts';
import type { Journal } from '../trading/books/journal.ts';
import { toText } from '../trading/decimal.ts';
import { createControls, type SettingsStore } from '../trading/intake/controls.ts';
import { Restrictions } from '../trading/intake/restrictions.ts';
import type { Lease } from '../trading/leases.ts';
import { followedJournal } from '../trading/twin/followed-journal.ts';
import { TwinFollower, type TwinFollowerParts } from '../trading/twin/twin-follower.ts';
import type { TwinnedAccount } from '../trading/twin/twin-reports.ts';
import type { Venue } from '../trading/venue.ts';
import { monotonicMs, nowMs } from './clocks.ts';
import { openDesk } from './desk.ts';
import type { Prices } from './market.ts';
import type { ProcessContext } from './process-context.ts';
import { isTwinThere, openTwinData } from './storage.ts';
import { createTeardown, type Teardown } from './teardown.ts';
import { createTroubleLog } from './trouble-log.ts';
import { TwinPrices } from './twin-prices.ts';
import type { WhereRowsAre } from './where-rows-are.ts';

export interface TwinParts {
  readonly context: ProcessContext;
  /** Those that are open, paper ones too. */
  readonly venues: readonly Venue[];
  readonly pricesOf: PricesOf<Prices>;
  readonly trade: boolean;
  readonly teardown: Teardown;
  readonly lease: Lease | undefined;
}

export interface Twins {
  readonly accounts: readonly TwinnedAccount[];
  readonly followed: (journal: Journal) => Journal;
}

const NONE: Twins = { accounts: [], followed: (journal) => journal };
const REAL_MODES = ['testnet', 'live'] as const;
type RealMode = (typeof REAL_MODES)[number];
const FOLDER = 'twin';
/** A start waits this long for each answer of the venue. */
const ASK_MS = 2000;
/** Requests for the best prices, two for each trade: a small part of what every venue allows, however many signals come at once. */
const MARKS = { capacity: 20, refillPerMinute: 60 };

export async function openTwins(parts: TwinParts): Promise<Twins> {
  if (!parts.context.config.paperTwin) return NONE;
  const opened = await Promise.all(REAL_MODES.map((mode) => openOrTell(mode, parts)));
  const twins = opened.filter((twin) => twin !== undefined);
  if (twins.length === 0) return NONE;
  const followers = twins.map(({ follower }) => follower);
  return {
    accounts: twins.flatMap(({ accounts }) => accounts),
    followed: (journal) => followedJournal(journal, followers),
  };
}

/** A twin that cannot be opened is missing until the next start; nothing else is. */
async function openOrTell(mode: RealMode, parts: TwinParts) {
  const { context, venues, trade, teardown } = parts;
  const live = venues.filter((venue) => venue.mode === mode);
  const dataDir = join(context.config.dataDir, FOLDER, mode);
  // A command that only looks makes no database.
  const place = { dataDir, databaseUrl: context.config.databaseUrl };
  if (live.length === 0 || (!trade && !(await isTwinThere(place, mode)))) return undefined;
  const own = createTeardown();
  try {
    const twin = await openTwin({ mode, live, place }, parts, own);
    teardown.add(() => own.run());
    return twin;
  } catch (error) {
    context.log.error(
      { err: error },
      `the paper twins of ${mode} accounts are off until the next start: ${errorText(error)}`,
    );
    await own.run().catch((fault: unknown) => context.log.error({ err: fault }, 'a twin could not be closed'));
    return undefined;
  }
}

interface Mode {
  readonly mode: RealMode;
  readonly live: readonly Venue[];
  readonly place: WhereRowsAre;
}

async function openTwin(
  { mode, live, place }: Mode,
  { context, pricesOf, trade, lease }: TwinParts,
  teardown: Teardown,
) {
  const { config, log } = context;
  const logTrouble = createTroubleLog(log, monotonicMs);
  const onTrouble = (what: string, error: unknown): void => logTrouble('warn', `twin: ${what}`, error);
  const onDeath = (error: Error): void => onTrouble('its storage is lost', error);
  const data = await openTwinData(place, mode, { onDeath, lease });
  teardown.add(() => data.close());
  const timers = foregroundTimers;
  const quotes = new TwinPrices(monotonicMs);
  const prices = ({ exchange }: Pick<Venue, 'exchange'>): Prices => quotes.over(pricesOf({ exchange, mode }), exchange);
  const ledger = data.paperLedger;
  const there = await ledger.accounts();
  const venues = await Promise.all(
    live.map(async (venue) => {
      const { exchange, account } = venue;
      const silent = (): never => {
        throw new Error(`${accountInWords(venue)} does not answer`);
      };
      const asked = <T>(answer: Promise<T>): Promise<T> => withTimeout(answer, ASK_MS, silent, timers);
      // Nobody asks the venue for a command that only looks.
      const positionMode = trade ? await asked(venue.positionMode()) : 'one-way';
      const isThere = there.some((name) => name.exchange === exchange && name.account === account);
      // An account that exists keeps its balance.
      const startingBalance = isThere || !trade ? '0' : toText((await asked(venue.summary())).balance);
      const names = { exchange, account, startingBalance, positionMode: () => positionMode };
      return openPaperVenue({ ...names, ledger, prices: prices(venue), nowMs });
    }),
  );
  teardown.add(() => Promise.all(venues.map((venue) => venue.close())));
  const desk = await openDesk({
    ...{ config, data, venues, onTrouble, newRequestId: context.requestIds, pricesOf: prices },
    controls: createControls({ store: FORGETFUL, nowMs, initial: UNBOUND }),
    restrictions: new Restrictions({ store: { list: () => [], put: async () => {}, remove: async () => {} }, nowMs }),
    authenticate: () => undefined,
    notifier: { send: async () => ({ messageId: null }) },
    clock: { nowMs, monotonicMs, timers },
  });
  const noteQuote: TwinFollowerParts['noteQuote'] = (...quoted) => quotes.note(...quoted);
  const budget = createTokenBuckets({ ...MARKS, nowMs: monotonicMs, maxKeys: EXCHANGES.length });
  const mayAsk = (exchange: Exchange): boolean => budget.take(exchange).allowed;
  const marks = data.twinMarks;
  const follower = new TwinFollower({ mode, accounts: live, desk, marks, mayAsk, noteQuote, timers, onTrouble });
  if (trade) {
    await desk.start();
    teardown.add(() => desk.stop(config.drainTimeoutMs));
    teardown.add(() => withTimeout(follower.idle(), config.drainTimeoutMs, () => undefined, timers));
  }
  const accounts = live.map((each, index): TwinnedAccount => {
    const twin = venues[index] as Venue;
    return { live: each, twin, twinHistory: data.history, marks };
  });
  return { follower, accounts };
}

/** What is forbidden is forbidden to the live account, and then there is nothing to follow. */
const UNBOUND = {
  killSwitch: { active: false, scope: 'all' },
  queueMode: 'async',
  allowlist: [],
  limits: { webhookRatePerMinute: 1, failedAuthPerMinute: 1 },
} as const;

const FORGETFUL: SettingsStore = {
  get: () => undefined,
  set: async () => {},
  appendAudit: async () => {},
  audit: async () => [],
};
