// Bybit's public market data (v5): USDT perpetual futures, bars by REST and by topics of one public stream.

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

const TITLE = 'Bybit';
const STREAM_PATH = '/v5/public/linear';
export const ADDRESSES: FeedAddresses = {
  live: { restUrl: 'https://api.bybit.com', wsUrl: `wss://stream.bybit.com${STREAM_PATH}` },
  testnet: { restUrl: 'https://api-testnet.bybit.com', wsUrl: `wss://stream-testnet.bybit.com${STREAM_PATH}` },
  streamPath: STREAM_PATH,
};
const MAX_PAGE = 1_000;
/** Of contracts: there are some hundreds, a thousand a page. */
const MAX_LIST_PAGES = 10;
const BUSY_CODES = [10006, 10018, 10429];
/** An address with too many requests is shut out for this long, with a 403. */
const BAN_MS = 600_000;
const PARAMETER_FAULT = 10001;
const CATEGORY = 'linear';

const INTERVALS = new Map(
  Object.entries({
    '1m': '1',
    '3m': '3',
    '5m': '5',
    '15m': '15',
    '30m': '30',
    '1h': '60',
    '2h': '120',
    '4h': '240',
    '6h': '360',
    '12h': '720',
    '1d': 'D',
    '1w': 'W',
  }).map(([name, interval]) => [parseTimeframe(name), interval]),
);

export function createFeed(options: FeedOptions): VenueFeed {
  const { restUrl = ADDRESSES.live.restUrl, wsUrl = ADDRESSES.live.wsUrl, monotonicMs } = options;
  const asker = createAsker({ ...options, title: TITLE, restUrl, judge, banMs: BAN_MS });
  const contracts = new ContractList({ title: TITLE, monotonicMs, load: () => loadContracts(asker) });

  const protocol: VenueProtocol = {
    label: 'bybit',
    title: TITLE,
    intervals: INTERVALS,
    maxPage: MAX_PAGE,
    locate: (market) => contracts.find(market),
    contracts: () => contracts.all(),
    /** Newest first, whatever was asked. */
    async page({ symbol }, timeframeMs, fromMs, toMs) {
      const result = await askResult(asker, '/v5/market/kline', {
        category: CATEGORY,
        symbol,
        interval: intervalOf(protocol, timeframeMs),
        start: fromMs,
        end: toMs - 1,
        limit: Math.ceil((toMs - fromMs) / timeframeMs),
      });
      if (result.symbol !== symbol) fail();
      return (listOf(result.list) ?? fail()).map((row) => barOfRow(row, timeframeMs));
    },
    async lastPrice({ symbol }) {
      const result = await askResult(asker, '/v5/market/tickers', { category: CATEGORY, symbol });
      const ticker = fieldsOf(listOf(result.list)?.[0]);
      if (ticker.symbol !== symbol) fail();
      return readPrice(TITLE, ticker.lastPrice);
    },
    /** Of 120 requests a second; the list is long. */
    maxSinglePrices: 20,
    async lastPrices() {
      const { list } = await askResult(asker, '/v5/market/tickers', { category: CATEGORY });
      return readPrices(listOf(list) ?? fail(), 'lastPrice');
    },
    stream: (contract, timeframeMs) => streamPlan(wsUrl, contract, intervalOf(protocol, timeframeMs), timeframeMs),
  };
  return createVenueFeed(protocol, asker, options);
}

const fail = (): never => {
  throw new UpstreamError(`${TITLE} gave an answer that makes no sense; try again, and check its address`);
};

async function askResult(asker: Asker, path: string, query: Parameters<Asker['ask']>[1]): Promise<Fields> {
  return fieldsOf(fieldsOf(await asker.ask(path, query)).result);
}

/** Bybit says most things with HTTP 200 and a code of its own. */
function judge(_status: number, body: unknown): Verdict {
  const { retCode, retMsg } = fieldsOf(body);
  if (retCode === 0) return 'fine';
  if (BUSY_CODES.includes(retCode as number)) return 'busy';
  const words = wordsOf(retMsg);
  if (retCode === PARAMETER_FAULT && /symbol/i.test(words))
    return { refusal: `${TITLE} has no such market; check the symbol` };
  return { fault: words };
}

async function loadContracts(asker: Asker): Promise<ReadonlyMap<string, Contract>> {
  const contracts = new Map<string, Contract>();
  let cursor = '';
  for (let pages = 0; pages < MAX_LIST_PAGES; pages += 1) {
    const page = { category: CATEGORY, limit: 1000, ...(cursor === '' ? {} : { cursor }) };
    const { list, nextPageCursor: next } = await askResult(asker, '/v5/market/instruments-info', page);
    for (const { symbol, contractType, launchTime } of listOf(list)?.map(fieldsOf) ?? fail()) {
      if (typeof symbol !== 'string' || contractType !== 'LinearPerpetual') continue;
      contracts.set(symbol, { market: symbol, symbol, volumeUnit: 1, listedAtMs: momentOf(launchTime) });
    }
    if (typeof next !== 'string' || next === '' || next === cursor) break;
    cursor = next;
  }
  return contracts;
}

function barOfRow(row: unknown, timeframeMs: number): Bar {
  const [time, open, high, low, close, volume] = listOf(row) ?? fail();
  return readBar(TITLE, { time, open, high, low, close, volume }, timeframeMs);
}

function streamPlan(wsUrl: string, { symbol }: Contract, interval: string, timeframeMs: number): BarStreamPlan {
  const topic = `kline.${interval}.${symbol}`;
  return {
    url: wsUrl,
    subscribe: JSON.stringify({ op: 'subscribe', args: [topic] }),
    ping: JSON.stringify({ op: 'ping' }),
    read(message) {
      const { op, success, ret_msg: words, topic: told, data, ts } = fieldsOf(message);
      if (op === 'subscribe')
        return success === true
          ? { kind: 'ready' }
          : { kind: 'refused', reason: `${TITLE} refused the stream: ${wordsOf(words)}` };
      if (told !== topic) return { kind: 'nothing' };
      const bars = (listOf(data) ?? fail()).map(fieldsOf).map(({ start, open, high, low, close, volume, confirm }) => ({
        ...readBar(TITLE, { time: start, open, high, low, close, volume }, timeframeMs),
        closed: confirm === true,
      }));
      return { kind: 'news', news: { bars, eventMs: momentOf(ts) ?? Math.max(0, ...bars.map(({ time }) => time)) } };
    },
  };
}
