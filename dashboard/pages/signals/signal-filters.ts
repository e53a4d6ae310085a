// What the list of signals is narrowed to. The server narrows what it can; the rest is left out here, page by page.

import type { Refusal, Trade } from '../../server/answers.ts';
import { type Feed, FeedList } from '../../server/feed-list.ts';
import { feedOf } from '../../server/use-feed-list.ts';
import type { TradeStatus } from '../trades/trade-words.ts';
import { askedOf, DUPLICATE, isOfSignal, joined, type Signal, signalOfRefusal, signalOfTrade } from './signal.ts';

export interface SignalFilters {
  /** A status of a trade, or one of the two below. */
  readonly outcome?: string | undefined;
  readonly market?: string | undefined;
  readonly key?: string | undefined;
  readonly strategy?: string | undefined;
  readonly exchange?: string | undefined;
  readonly account?: string | undefined;
}

export const REFUSED = 'refused';
export const TWICE = 'duplicate';

export function filtersOf(query: URLSearchParams): SignalFilters {
  const given = (name: string): string | undefined => query.get(name) ?? undefined;
  return {
    ...{ outcome: given('outcome'), market: given('market'), key: given('key') },
    ...{ strategy: given('strategy'), exchange: given('exchange'), account: given('account') },
  };
}

const [TRADES_AT_ONCE, REFUSALS_AT_ONCE] = [100, 100];

export function signalList(filters: SignalFilters): FeedList<Signal> {
  const { outcome } = filters;
  const feeds: Feed<Signal>[] = [];
  if (outcome !== TWICE) feeds.push(tradesFeed(filters));
  if (outcome === undefined || outcome === REFUSED || outcome === TWICE) feeds.push(refusalsFeed(filters));
  return new FeedList(feeds, joined);
}

const tradesFeed = ({ outcome, market, key, strategy, exchange, account }: SignalFilters): Feed<Signal> =>
  feedOf<Trade, Signal>({
    path: '/trades',
    query: {
      ...{ symbol: market, strategy, exchange, account },
      status: outcome === REFUSED ? ('Rejected' satisfies TradeStatus) : outcome,
    },
    limit: TRADES_AT_ONCE,
    cursorOf: ({ requestId }) => requestId,
    atOf: ({ receivedAt }) => receivedAt,
    rowOf: (trade) =>
      isOfSignal(trade) && (key === undefined || trade.keyLabel === key) ? signalOfTrade(trade) : undefined,
  });

const refusalsFeed = (filters: SignalFilters): Feed<Signal> =>
  feedOf<Refusal, Signal>({
    path: '/refusals',
    query: { key: filters.key, code: filters.outcome === TWICE ? DUPLICATE : undefined },
    limit: REFUSALS_AT_ONCE,
    cursorOf: ({ id }) => id,
    atOf: ({ receivedAt }) => receivedAt,
    rowOf: (refusal) => (refusalFits(refusal, filters) ? signalOfRefusal(refusal) : undefined),
  });

export function refusalFits(
  refusal: Refusal,
  { outcome, market, strategy, exchange, account }: SignalFilters,
): boolean {
  const asked = askedOf(refusal);
  const isSame = (wanted: string | undefined, value: string | undefined): boolean =>
    wanted === undefined || wanted === value;
  return (
    (outcome !== REFUSED || refusal.code !== DUPLICATE) &&
    (market === undefined || (asked.market !== undefined && marketName(asked.market) === marketName(market))) &&
    isSame(strategy, asked.strategy) &&
    isSame(exchange, asked.exchange) &&
    // A signal that names none is meant for this one.
    isSame(account, asked.account ?? 'main')
  );
}

/** `BINANCE:BTC/USDT.P` and `BTCUSDT` are one market. */
export const marketName = (symbol: string): string =>
  symbol
    .toUpperCase()
    .replace(/^[^:]*:/, '')
    .replace(/\.P$/, '')
    .replace(/[^A-Z0-9]/g, '');
