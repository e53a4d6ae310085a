// Binance's public futures protocol as far as feeds use it.

import { parseTimeframe } from '../../../src/market-data/timeframe.ts';
import { type Dialect, type Reply, startVenueServer, tickersOf, type VenueServer } from './venue-server.ts';

const SYMBOLS = ['BTCUSDT', 'ETHUSDT'];

const refuse = (code: number, msg: string): Reply => ({ status: 400, body: { code, msg } });

/** Heavier the longer the page. */
const weightOf = (limit: number): number => (limit < 100 ? 1 : limit < 500 ? 2 : limit <= 1000 ? 5 : 10);

const DIALECT: Dialect = {
  wsPath: '/market/ws',
  habit: 'pings and wants pongs',
  answer({ path, query }, shelf) {
    const symbol = query.get('symbol') ?? '';
    if (path === '/fapi/v1/exchangeInfo') return { body: { symbols: listing() } };
    if (path === '/fapi/v2/ticker/price' && symbol === '')
      return { body: tickersOf(SYMBOLS, 'price', shelf.lastPrice) };
    if (!SYMBOLS.includes(symbol)) return refuse(-1121, 'Invalid symbol.');
    if (path === '/fapi/v2/ticker/price') return { body: { symbol, price: shelf.lastPrice, time: shelf.nowMs() } };
    if (path !== '/fapi/v1/klines') return { status: 404, body: {} };
    const limit = Number(query.get('limit') ?? 500);
    if (limit > 1500) return refuse(-1130, "Data sent for parameter 'limit' is not valid.");
    shelf.usedWeight += weightOf(limit);
    const timeframeMs = parseTimeframe(query.get('interval') ?? '');
    const bars = shelf.read(timeframeMs, Number(query.get('startTime')), Number(query.get('endTime')) + 1);
    const rows = bars.slice(0, shelf.warp ? undefined : limit).map(({ time, open, high, low, close, volume }) => {
      const texts = [open, high, low, close, volume].map(String);
      return [time, ...texts, time + timeframeMs - 1, '0', 10, '0', '0', '0'];
    });
    return { body: rows, headers: { 'x-mbx-used-weight-1m': String(shelf.usedWeight) } };
  },
  topicOfPath: (path) => /^\/market\/ws\/(\w+@kline_\w+)$/.exec(path)?.[1],
  hear: () => ({}),
  frame(topic, { time, open, high, low, close, volume, closed }, eventMs) {
    const [name = '', interval] = topic.split('@kline_');
    const symbol = name.toUpperCase();
    const [o, h, l, c, v] = [open, high, low, close, volume].map(String);
    const k = { t: time, s: symbol, i: interval, o, c, h, l, v, x: closed };
    return JSON.stringify({ e: 'kline', E: eventMs, s: symbol, k });
  },
};

export const startBinance = (nowMs: () => number): Promise<VenueServer> => startVenueServer(DIALECT, nowMs);

function listing(): unknown[] {
  const perpetual = SYMBOLS.map((symbol) => ({ symbol, contractType: 'PERPETUAL', status: 'TRADING', onboardDate: 0 }));
  return [...perpetual, { symbol: 'BTCUSDT_261225', contractType: 'CURRENT_QUARTER', status: 'TRADING' }, null];
}
