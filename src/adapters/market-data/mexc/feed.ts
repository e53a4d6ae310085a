// MEXC's public market data: USDT perpetual futures, bars by REST in columns and by a stream that never says "final".

import type { Bar } from '../../../market-data/price-source.ts';
import { parseTimeframe } from '../../../market-data/timeframe.ts';
import { type Fields, fieldsOf, listOf, momentOf, wordsOf } from '../../read-json.ts';
import { type Asker, createAsker, type Verdict } from '../asker.ts';
import { ContractList } from '../contract-list.ts';
import type { FeedAddresses } from '../feed-addresses.ts';
import type { FeedOptions } from '../feed-options.ts';
import { intervalOf } from '../history.ts';
import { readBar, readPrice, readPrices } from '../read-bar.ts';
import { UpstreamError } from '../upstream-error.ts';
import { createVenueFeed, type VenueFeed } from '../venue-feed.ts';
import type { BarStreamPlan, Contract, VenueProtocol } from '../venue-protocol.ts';

const TITLE = 'MEXC';
/** There is no testnet for futures. */
export const ADDRESSES: FeedAddresses = {
  live: { restUrl: 'https://api.mexc.com', wsUrl: 'wss://contract.mexc.com/edge' },
  streamPath: '/edge',
};
/** Of a longer stretch only so many come, and nobody says which. */
const MAX_PAGE = 2_000;
const BUSY_CODE = 510;
const UNKNOWN_CONTRACT = 1001;
/** Settled and taken down; a paused one still has its history. */
const GONE_STATES = [2, 3];

/** MEXC has no 3m, 2h, 6h and 12h, and says nowhere on which day its weeks begin. */
const INTERVALS = new Map(
  Object.entries({
    '1m': 'Min1',
    '5m': 'Min5',
    '15m': 'Min15',
    '30m': 'Min30',
    '1h': 'Min60',
    '4h': 'Hour4',
    '8h': 'Hour8',
    '1d': 'Day1',
  }).map(([name, interval]) => [parseTimeframe(name), interval]),
);

export function createFeed(options: FeedOptions): VenueFeed {
  const { restUrl = ADDRESSES.live.restUrl, wsUrl = ADDRESSES.live.wsUrl, monotonicMs, pricesOnly = false } = options;
  const asker = createAsker({ ...options, title: TITLE, restUrl, judge });
  const load = () => (pricesOnly ? loadNames(asker) : loadContracts(asker));
  const contracts = new ContractList({ title: TITLE, monotonicMs, load });

  const protocol: VenueProtocol = {
    label: 'mexc',
    title: TITLE,
    intervals: INTERVALS,
    maxPage: MAX_PAGE,
    locate: (market) => contracts.find(market),
    contracts: () => contracts.all(),
    /** Both ends count, in seconds. */
    async page({ symbol, volumeUnit }, timeframeMs, fromMs, toMs) {
      const answer = await asker.ask(`/api/v1/contract/kline/${encodeURIComponent(symbol)}`, {
        interval: intervalOf(protocol, timeframeMs),
        start: fromMs / 1000,
        end: toMs / 1000 - 1,
      });
      return barsOfColumns(fieldsOf(fieldsOf(answer).data), timeframeMs, volumeUnit);
    },
    async lastPrice({ symbol }) {
      const ticker = fieldsOf(fieldsOf(await asker.ask('/api/v1/contract/ticker', { symbol })).data);
      if (ticker.symbol !== symbol) fail();
      return readPrice(TITLE, ticker.lastPrice);
    },
    /** Of 20 in two seconds, which orders at this address need too. */
    maxSinglePrices: 2,
    async lastPrices() {
      const { data } = fieldsOf(await asker.ask('/api/v1/contract/ticker'));
      return readPrices(listOf(data) ?? fail(), 'lastPrice');
    },
    stream: (contract, timeframeMs) => streamPlan(wsUrl, contract, intervalOf(protocol, timeframeMs), timeframeMs),
  };
  return createVenueFeed(protocol, asker, options);
}

const fail = (): never => {
  throw new UpstreamError(`${TITLE} gave an answer that makes no sense; try again, and check its address`);
};

function judge(_status: number, body: unknown): Verdict {
  const { success, code, message } = fieldsOf(body);
  if (success === true) return 'fine';
  if (code === BUSY_CODE) return 'busy';
  if (code === UNKNOWN_CONTRACT) return { refusal: `${TITLE} has no such market; check the symbol` };
  return { fault: wordsOf(message) };
}

/**
 * BTC_USDT is our BTCUSDT; where the underscore stands only the list knows. Contracts that settle in their base coin
 * count their volume in dollars and are left out. Should two spell the same plain name, the USDT one has it.
 */
async function loadContracts(asker: Asker): Promise<ReadonlyMap<string, Contract>> {
  const { data } = fieldsOf(await asker.ask('/api/v1/contract/detail'));
  const contracts = new Map<string, Contract>();
  for (const contract of listOf(data)?.map(fieldsOf) ?? fail()) {
    const { symbol, baseCoin, quoteCoin, settleCoin, contractSize, state } = contract;
    if (typeof symbol !== 'string' || typeof contractSize !== 'number' || !(contractSize > 0)) continue;
    if (GONE_STATES.includes(state as number) || settleCoin !== quoteCoin || settleCoin === baseCoin) continue;
    const market = symbol.replace('_', '');
    if (!contracts.has(market) || quoteCoin === 'USDT')
      contracts.set(market, { market, symbol, volumeUnit: contractSize });
  }
  return contracts;
}

const DOLLAR_MARKET = /^[^_]+_USD[TC]$/;

/**
 * The names alone, from the list of prices. MEXC gives the list of contracts once in five seconds, and an account has just read it:
 * its stops would see nothing for that long. The size of a contract is not in this one, so volumes are in contracts.
 */
async function loadNames(asker: Asker): Promise<ReadonlyMap<string, Contract>> {
  const { data } = fieldsOf(await asker.ask('/api/v1/contract/ticker'));
  const symbols = (listOf(data) ?? fail()).map((ticker) => fieldsOf(ticker).symbol);
  const listed = symbols.filter((symbol) => typeof symbol === 'string').filter((symbol) => DOLLAR_MARKET.test(symbol));
  return new Map(
    listed.map((symbol) => [symbol.replace('_', ''), { market: symbol.replace('_', ''), symbol, volumeUnit: 1 }]),
  );
}

const COLUMNS = ['time', 'open', 'high', 'low', 'close', 'vol'];

function barsOfColumns(data: Fields, timeframeMs: number, volumeUnit: number): Bar[] {
  const columns = COLUMNS.map((name) => listOf(data[name]) ?? fail());
  const [times = []] = columns;
  if (columns.some(({ length }) => length !== times.length)) fail();
  return times.map((_, i) => {
    const [time, open, high, low, close, volume] = columns.map((column) => column[i]);
    return readBar(TITLE, { time: toMs(time), open, high, low, close, volume }, timeframeMs, volumeUnit);
  });
}

const toMs = (seconds: unknown): number => (typeof seconds === 'number' ? seconds * 1000 : Number.NaN);

function streamPlan(wsUrl: string, contract: Contract, interval: string, timeframeMs: number): BarStreamPlan {
  const { symbol, volumeUnit } = contract;
  return {
    url: wsUrl,
    subscribe: JSON.stringify({ method: 'sub.kline', param: { symbol, interval } }),
    ping: JSON.stringify({ method: 'ping' }),
    read(message) {
      const { channel, data, ts } = fieldsOf(message);
      if (channel === 'rs.sub.kline' && data === 'success') return { kind: 'ready' };
      if (channel === 'rs.error') {
        const reason = `${TITLE} refused the stream: ${wordsOf(data)}`;
        return { kind: /not exist/i.test(reason) ? 'refused' : 'fault', reason };
      }
      const k = fieldsOf(data);
      if (channel !== 'push.kline' || k.symbol !== symbol || k.interval !== interval) return { kind: 'nothing' };
      const raw = { time: toMs(k.t), open: k.o, high: k.h, low: k.l, close: k.c, volume: k.q };
      const bar = { ...readBar(TITLE, raw, timeframeMs, volumeUnit), closed: false };
      return { kind: 'news', news: { bars: [bar], eventMs: momentOf(ts) ?? bar.time } };
    },
  };
}
