// Binance's public market data: USDⓈ-M perpetual futures, bars by REST and by one stream a market.

import type { Bar } from '../../../market-data/price-source.ts';
import { parseTimeframe } from '../../../market-data/timeframe.ts';
import { fieldsOf, listOf, momentOf, wordsOf } from '../../read-json.ts';
import { type Asker, createAsker, type Verdict } from '../asker.ts';
import { ContractList } from '../contract-list.ts';
import type { FeedAddresses } from '../feed-addresses.ts';
import type { FeedOptions } from '../feed-options.ts';
import { intervalOf } from '../history.ts';
import { readBar, readPrice, readPrices } from '../read-bar.ts';
import { UpstreamError } from '../upstream-error.ts';
import { createVenueFeed, type VenueFeed } from '../venue-feed.ts';
import type { BarStreamPlan, Contract, VenueProtocol } from '../venue-protocol.ts';

const TITLE = 'Binance';
export const ADDRESSES: FeedAddresses = {
  /** Bars are among the streams of the `market` road; the addresses without it were switched off in April 2026. */
  live: { restUrl: 'https://fapi.binance.com', wsUrl: 'wss://fstream.binance.com/market/ws' },
  testnet: { restUrl: 'https://testnet.binancefuture.com', wsUrl: 'wss://fstream.binancefuture.com/ws' },
  streamPath: '/market/ws',
};
/** Binance gives up to 1500, at twice the weight. */
const MAX_PAGE = 1_000;
/** Of 2400 weight a minute from one address; the rest is for prices and trading, which must never wait for a chart. */
const WEIGHT_A_MINUTE = 1_600;
const UNKNOWN_SYMBOL = -1121;
const TOO_MANY_REQUESTS = -1003;

/** The venue's words for timeframes are ours. It has 3d too, which starts on other days than ours. */
const NAMES = ['1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '6h', '8h', '12h', '1d', '1w'];
const INTERVALS = new Map(NAMES.map((name) => [parseTimeframe(name), name]));

export function createFeed(options: FeedOptions): VenueFeed {
  const { restUrl = ADDRESSES.live.restUrl, wsUrl = ADDRESSES.live.wsUrl, monotonicMs, nowMs } = options;
  const restAfter = (headers: Headers): number =>
    Number(headers.get('x-mbx-used-weight-1m') ?? 0) >= WEIGHT_A_MINUTE ? 60_000 - (nowMs() % 60_000) : 0;
  const asker = createAsker({ ...options, title: TITLE, restUrl, judge, restAfter });
  const contracts = new ContractList({ title: TITLE, monotonicMs, load: () => loadContracts(asker) });

  const protocol: VenueProtocol = {
    label: 'binance',
    title: TITLE,
    intervals: INTERVALS,
    maxPage: MAX_PAGE,
    locate: (market) => contracts.find(market),
    contracts: () => contracts.all(),
    async page({ symbol }, timeframeMs, fromMs, toMs) {
      const answer = await asker.ask('/fapi/v1/klines', {
        symbol,
        interval: intervalOf(protocol, timeframeMs),
        startTime: fromMs,
        endTime: toMs - 1,
        limit: Math.ceil((toMs - fromMs) / timeframeMs),
      });
      return (listOf(answer) ?? fail()).map((row) => barOfRow(row, timeframeMs));
    },
    async lastPrice({ symbol }) {
      const answer = fieldsOf(await asker.ask('/fapi/v2/ticker/price', { symbol }, 'urgent'));
      if (answer.symbol !== symbol) fail();
      return readPrice(TITLE, answer.price);
    },
    /** All weigh as much as two. */
    maxSinglePrices: 2,
    async lastPrices(urgency) {
      const tickers = listOf(await asker.ask('/fapi/v2/ticker/price', {}, urgency)) ?? fail();
      return readPrices(tickers, 'price');
    },
    stream: (contract, timeframeMs) => streamPlan(wsUrl, contract, intervalOf(protocol, timeframeMs), timeframeMs),
  };
  return createVenueFeed(protocol, asker, options);
}

const fail = (): never => {
  throw new UpstreamError(`${TITLE} gave an answer that makes no sense; try again, and check its address`);
};

function judge(status: number, body: unknown): Verdict {
  if (status === 200) return 'fine';
  const { code, msg } = fieldsOf(body);
  if (code === TOO_MANY_REQUESTS) return 'busy';
  if (code === UNKNOWN_SYMBOL) return { refusal: `${TITLE} has no such market; check the symbol` };
  return { fault: wordsOf(msg) };
}

async function loadContracts(asker: Asker): Promise<ReadonlyMap<string, Contract>> {
  const { symbols } = fieldsOf(await asker.ask('/fapi/v1/exchangeInfo'));
  const contracts = new Map<string, Contract>();
  for (const { symbol, contractType, onboardDate } of listOf(symbols)?.map(fieldsOf) ?? fail()) {
    if (typeof symbol !== 'string' || typeof contractType !== 'string' || !contractType.endsWith('PERPETUAL')) continue;
    contracts.set(symbol, { market: symbol, symbol, volumeUnit: 1, listedAtMs: momentOf(onboardDate) });
  }
  return contracts;
}

function barOfRow(row: unknown, timeframeMs: number): Bar {
  const [time, open, high, low, close, volume] = listOf(row) ?? fail();
  return readBar(TITLE, { time, open, high, low, close, volume }, timeframeMs);
}

/** The address is the subscription: the stream is ready as soon as it is open. An unknown market would stay silent. */
function streamPlan(wsUrl: string, { symbol }: Contract, interval: string, timeframeMs: number): BarStreamPlan {
  return {
    url: `${wsUrl.replace(/\/+$/, '')}/${encodeURIComponent(symbol.toLowerCase())}@kline_${interval}`,
    read(message) {
      const { e: type, E: eventMs, k: kline } = fieldsOf(message);
      const k = fieldsOf(kline);
      if (type !== 'kline' || k.s !== symbol || k.i !== interval) return { kind: 'nothing' };
      const raw = { time: k.t, open: k.o, high: k.h, low: k.l, close: k.c, volume: k.v };
      const bar = { ...readBar(TITLE, raw, timeframeMs), closed: k.x === true };
      return { kind: 'news', news: { bars: [bar], eventMs: momentOf(eventMs) ?? bar.time } };
    },
  };
}
