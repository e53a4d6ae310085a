// What the list of signals is narrowed to, as the server narrows it: of what traded, and of what was refused.

import type { Refusal, Trade } from '../../server/answers.ts';
import { type Feed, FeedList } from '../../server/feed-list.ts';
import { feedOf } from '../../server/use-feed-list.ts';
import { timesOf } from '../trades/time-filters.ts';
import { SIGNAL_SOURCES, type TradeStatus } from '../trades/trade-words.ts';
import { DUPLICATE, joined, type Signal, signalOfRefusal, signalOfTrade } from './signal.ts';

type Query = Readonly<Record<string, string | undefined>>;

export interface SignalFilters {
  /** For GET /trades; undefined where nothing that traded fits. */
  readonly trades: Query | undefined;
  /** For GET /refusals; undefined where nothing that was refused fits. */
  readonly refusals: Query | undefined;
  /** What was only sent twice is no refusal to look into. */
  readonly isWithoutDuplicates: boolean;
}

export const REFUSED = 'refused';
export const TWICE = 'duplicate';
/** Who has no key of ours. */
export const STRANGERS = 'unknown';

export function filtersOf(query: URLSearchParams): SignalFilters {
  const given = (name: string): string | undefined => query.get(name) ?? undefined;
  const outcome = given('outcome');
  const sender = given('sender');
  const both = {
    ...{ symbol: given('market'), key: given('key'), strategy: given('strategy'), exchange: given('exchange') },
    ...{ account: given('account'), search: given('search'), ...timesOf(query) },
  };
  const status = outcome === REFUSED ? ('Rejected' satisfies TradeStatus) : outcome;
  const isOfRefusals = outcome === undefined || outcome === REFUSED || outcome === TWICE;
  return {
    trades:
      outcome === TWICE || sender === STRANGERS
        ? undefined
        : { ...both, status, source: [...SIGNAL_SOURCES].join(',') },
    refusals: isOfRefusals ? { ...both, sender, code: outcome === TWICE ? DUPLICATE : undefined } : undefined,
    isWithoutDuplicates: outcome === REFUSED,
  };
}

const AT_ONCE = 100;

export function signalList({ trades, refusals, isWithoutDuplicates }: SignalFilters): FeedList<Signal> {
  const feeds: Feed<Signal>[] = [];
  if (trades !== undefined) feeds.push(tradesFeed(trades));
  if (refusals !== undefined) feeds.push(refusalsFeed(refusals, isWithoutDuplicates));
  return new FeedList(feeds, joined);
}

const tradesFeed = (query: Query): Feed<Signal> =>
  feedOf<Trade, Signal>({
    ...{ path: '/trades', query, limit: AT_ONCE },
    cursorOf: ({ requestId }) => requestId,
    atOf: ({ receivedAt }) => receivedAt,
    rowOf: signalOfTrade,
  });

const refusalsFeed = (query: Query, isWithoutDuplicates: boolean): Feed<Signal> =>
  feedOf<Refusal, Signal>({
    ...{ path: '/refusals', query, limit: AT_ONCE },
    cursorOf: ({ id }) => id,
    atOf: ({ receivedAt }) => receivedAt,
    rowOf: (refusal) => (isWithoutDuplicates && refusal.code === DUPLICATE ? undefined : signalOfRefusal(refusal)),
  });
