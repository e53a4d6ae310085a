// What an account is worth and what it has earned: its venue tells the money, the journal's fills tell profits and fees.

import type { Exchange } from '../../exchanges/exchange.ts';
import type { PricesOf, ShownPrices } from '../account-prices.ts';
import { type AccountName, type Accounts, nameOf } from '../accounts.ts';
import { type Decimal, decimal, over, plus, times, ZERO } from '../decimal.ts';
import {
  type AccountSummary,
  type Funding,
  type PositionMode,
  type Venue,
  VenueError,
  type VenueMode,
} from '../venue.ts';
import type { FillHistory } from './fill-history.ts';
import type { Journal } from './journal.ts';
import type { Position } from './position.ts';

/** Profits of closed parts before fees, the fees of all fills, and what holding cost (negative) or earned. */
export interface Earnings {
  readonly realizedPnl: Decimal;
  readonly fees: Decimal;
  readonly funding: Decimal;
}

type FillEarnings = Omit<Earnings, 'funding'>;

export interface AccountReport extends AccountName {
  /** Undefined while its venue does not answer. */
  readonly positionMode: PositionMode | undefined;
  /** Undefined while a price that is needed for it is missing. */
  readonly money: AccountSummary | undefined;
  /** Of this UTC day. */
  readonly today: Earnings;
  readonly total: Earnings;
  /** The worth of all positions over the equity; undefined where one of the two is not known, or there is no equity. */
  readonly leverageInUse: Decimal | undefined;
}

export interface AccountFilter {
  readonly exchange?: Exchange | undefined;
  readonly account?: string | undefined;
  readonly mode?: VenueMode | undefined;
}

export interface AccountReportParts {
  readonly accounts: Pick<Accounts, 'list'>;
  readonly journal: Pick<Journal, 'positions'>;
  readonly history: FillHistory;
  readonly pricesOf: PricesOf<Pick<ShownPrices, 'lastPrice'>>;
  readonly nowMs: () => number;
}

/** One report for each account that fits; none fits a name that is not there. */
export type AccountReports = (filter: AccountFilter) => Promise<readonly AccountReport[]>;

export const DAY_MS = 86_400_000;
export const dayStartOf = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS;
/** A venue's clock tells when a fill was, ours when it was written. They differ by less than this. */
export const CLOCK_DIFFERENCE_MS = 3_600_000;
const NOTHING: FillEarnings = { realizedPnl: ZERO, fees: ZERO };

export const createAccountReports =
  (parts: AccountReportParts): AccountReports =>
  async (filter) => {
    const venues = accountsOf(parts.accounts, filter);
    if (venues.length === 0) return [];
    const dayStartMs = dayStartOf(parts.nowMs());
    const today = await earningsSince(parts.history, filter, dayStartMs);
    const positions = await parts.journal.positions();
    return Promise.all(
      venues.map((venue) =>
        reportOf(venue, {
          today: today.get(nameOf(venue)) ?? NOTHING,
          positions: positions.filter((position) => nameOf(position) === nameOf(venue)),
          prices: parts.pricesOf(venue),
          dayStartMs,
        }),
      ),
    );
  };

export const accountsOf = (accounts: Pick<Accounts, 'list'>, filter: AccountFilter): readonly Venue[] =>
  accounts
    .list()
    .filter(({ exchange }) => filter.exchange === undefined || exchange === filter.exchange)
    .filter(({ account }) => filter.account === undefined || account === filter.account)
    .filter(({ mode }) => filter.mode === undefined || mode === filter.mode);
const sum = (of: FillEarnings, more: FillEarnings): FillEarnings => ({
  realizedPnl: plus(of.realizedPnl, more.realizedPnl),
  fees: plus(of.fees, more.fees),
});

/** By account. */
async function earningsSince(history: FillHistory, filter: AccountFilter, sinceMs: number) {
  const earned = new Map<string, FillEarnings>();
  for await (const fills of history.pages({ ...filter, writtenSinceMs: sinceMs - CLOCK_DIFFERENCE_MS })) {
    for (const fill of fills) {
      if (fill.atMs < sinceMs) continue;
      const more = { realizedPnl: fill.realizedPnl, fees: fill.fee };
      earned.set(nameOf(fill), sum(earned.get(nameOf(fill)) ?? NOTHING, more));
    }
  }
  return earned;
}

interface Known {
  readonly today: FillEarnings;
  readonly dayStartMs: number;
  /** Flat ones too: they keep what they have earned. */
  readonly positions: readonly Position[];
  readonly prices: Pick<ShownPrices, 'lastPrice'>;
}

async function reportOf(venue: Venue, known: Known): Promise<AccountReport> {
  const { exchange, mode, account } = venue;
  const { today, positions, prices, dayStartMs } = known;
  const fundingToday = (await venue.funding?.(dayStartMs, Number.MAX_SAFE_INTEGER)) ?? [];
  const fundingTotal = (await venue.fundingTotal?.()) ?? ZERO;
  const money = await unlessAway(venue.summary());
  const worth = await worthOf(positions, prices);
  return {
    exchange,
    mode,
    account,
    positionMode: await unlessAway(venue.positionMode()),
    money,
    today: { ...today, funding: sumOf(fundingToday) },
    total: { ...positions.reduce<FillEarnings>(sum, NOTHING), funding: fundingTotal },
    leverageInUse: worth === undefined || !money || money.equity <= ZERO ? undefined : over(worth, money.equity),
  };
}

const sumOf = (payments: readonly Funding[]): Decimal =>
  payments.reduce((total, { amount }) => plus(total, amount), ZERO);

/** An account whose venue does not answer is there all the same. */
export async function unlessAway<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof VenueError) return undefined;
    throw error;
  }
}

/** At the last prices; undefined where one of them is missing. */
async function worthOf(positions: readonly Position[], prices: Known['prices']): Promise<Decimal | undefined> {
  const open = positions.filter(({ quantity }) => quantity > ZERO);
  try {
    const worths = await Promise.all(
      open.map(async ({ market, quantity }) => times(quantity, decimal(await prices.lastPrice(market)))),
    );
    return worths.reduce(plus, ZERO);
  } catch {
    return undefined;
  }
}
