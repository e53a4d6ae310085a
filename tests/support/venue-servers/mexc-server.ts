// MEXC's public futures protocol as far as feeds use it: columns, seconds, contracts, and no word about a bar's end.

import { parseTimeframe } from '../../../src/market-data/timeframe.ts';
import { type Dialect, type Reply, startVenueServer, tickersOf, type VenueServer } from './venue-server.ts';

/** Contracts are this much of the base currency. */
export const CONTRACT_SIZE = 0.001;
const TIMEFRAMES: Readonly<Record<string, string>> = {
  Min1: '1m',
  Min5: '5m',
  Min15: '15m',
  Min30: '30m',
  Min60: '1h',
  Hour4: '4h',
  Hour8: '8h',
  Day1: '1d',
};
const SYMBOLS = ['BTC_USDT', 'ETH_USDT', 'AB_CUSDT'];
const MAX_ROWS = 2_000;

const ok = (data: unknown): Reply => ({ body: { success: true, code: 0, data } });
const refuse = (code: number, message: string): Reply => ({ body: { success: false, code, message } });

const DIALECT: Dialect = {
  wsPath: '/edge',
  habit: 'wants to be pinged',
  answer({ path, query }, shelf) {
    if (path === '/api/v1/contract/detail') return ok(listing());
    const symbol = /^\/api\/v1\/contract\/kline\/(\w+)$/.exec(path)?.[1] ?? query.get('symbol') ?? '';
    if (path === '/api/v1/contract/ticker' && symbol === '')
      return ok(tickersOf(SYMBOLS, 'lastPrice', Number(shelf.lastPrice)));
    if (!SYMBOLS.includes(symbol)) return refuse(1001, 'Contract does not exist!');
    if (path === '/api/v1/contract/ticker') return ok({ symbol, lastPrice: Number(shelf.lastPrice) });
    const timeframeMs = parseTimeframe(TIMEFRAMES[query.get('interval') ?? ''] ?? '');
    const [startMs, endMs] = [Number(query.get('start')) * 1000, Number(query.get('end')) * 1000];
    const bars = shelf.read(timeframeMs, startMs, endMs + 1).slice(-MAX_ROWS);
    return ok({
      time: bars.map(({ time }) => time / 1000),
      open: bars.map(({ open }) => open),
      close: bars.map(({ close }) => close),
      high: bars.map(({ high }) => high),
      low: bars.map(({ low }) => low),
      vol: bars.map(({ volume }) => Math.round(volume / CONTRACT_SIZE)),
      amount: bars.map(() => 0),
    });
  },
  hear(text) {
    const { method, param } = JSON.parse(text) as { method: string; param?: { symbol: string; interval: string } };
    if (method === 'ping') return { reply: JSON.stringify({ channel: 'pong', data: 1 }) };
    if (param === undefined || !SYMBOLS.includes(param.symbol))
      return { reply: JSON.stringify({ channel: 'rs.error', data: `Contract [${param?.symbol}] not exists`, ts: 1 }) };
    return {
      reply: JSON.stringify({ channel: 'rs.sub.kline', data: 'success', ts: 1 }),
      topic: `${param.symbol} ${param.interval}`,
    };
  },
  frame(topic, { time, open, high, low, close, volume }, eventMs) {
    const [symbol, interval] = topic.split(' ');
    const q = Math.round(volume / CONTRACT_SIZE);
    const data = { symbol, interval, t: time / 1000, o: open, c: close, h: high, l: low, q, a: 0 };
    return JSON.stringify({ channel: 'push.kline', data, symbol, ts: eventMs });
  },
};

/** AB_CUSDT and A_BCUSDT would be one plain name; one of them does not settle in what it is quoted in. */
function listing(): unknown[] {
  const linear = { contractSize: CONTRACT_SIZE, state: 0 };
  return [
    { symbol: 'BTC_USD', baseCoin: 'BTC', quoteCoin: 'USD', settleCoin: 'BTC', ...linear },
    { symbol: 'BTC_USDT', baseCoin: 'BTC', quoteCoin: 'USDT', settleCoin: 'USDT', ...linear },
    { symbol: 'ETH_USDT', baseCoin: 'ETH', quoteCoin: 'USDT', settleCoin: 'USDT', ...linear },
    { symbol: 'AB_CUSDT', baseCoin: 'AB', quoteCoin: 'CUSDT', settleCoin: 'CUSDT', ...linear },
    { symbol: 'OLD_USDT', baseCoin: 'OLD', quoteCoin: 'USDT', settleCoin: 'USDT', ...linear, state: 3 },
    null,
  ];
}

export const startMexc = (nowMs: () => number): Promise<VenueServer> => startVenueServer(DIALECT, nowMs);
