// Bybit's public v5 protocol as far as feeds use it.

import { parseTimeframe } from '../../../src/market-data/timeframe.ts';
import { type Dialect, type Reply, startVenueServer, tickersOf, type VenueServer } from './venue-server.ts';

const SYMBOLS = ['BTCUSDT', 'ETHUSDT'];
const TIMEFRAMES: Readonly<Record<string, string>> = { D: '1d', W: '1w' };

const timeframeOf = (interval: string): number => parseTimeframe(TIMEFRAMES[interval] ?? `${interval}m`);
const ok = (result: object): Reply => ({ body: { retCode: 0, retMsg: 'OK', result, time: 0 } });
const refuse = (retCode: number, retMsg: string): Reply => ({ body: { retCode, retMsg, result: {} } });

const DIALECT: Dialect = {
  wsPath: '/v5/public/linear',
  habit: 'wants to be pinged',
  answer({ path, query }, shelf) {
    const symbol = query.get('symbol') ?? '';
    if (query.get('category') !== 'linear') return refuse(10001, 'params error: Category is invalid');
    if (path === '/v5/market/instruments-info') return ok(listing(query.get('cursor')));
    if (path === '/v5/market/tickers' && symbol === '')
      return ok({ list: tickersOf(SYMBOLS, 'lastPrice', shelf.lastPrice) });
    if (!SYMBOLS.includes(symbol)) return refuse(10001, 'params error: Symbol Invalid');
    if (path === '/v5/market/tickers') return ok({ list: [{ symbol, lastPrice: shelf.lastPrice }] });
    const limit = Number(query.get('limit') ?? 200);
    if (path !== '/v5/market/kline' || limit > 1000) return refuse(10001, 'params error');
    const bars = shelf.read(
      timeframeOf(query.get('interval') ?? ''),
      Number(query.get('start')),
      Number(query.get('end')) + 1,
    );
    const rows = bars
      .reverse()
      .slice(0, shelf.warp ? undefined : limit)
      .map(({ time, open, high, low, close, volume }) => [time, open, high, low, close, volume, 0].map(String));
    return ok({ category: 'linear', symbol, list: rows });
  },
  hear(text) {
    const { op, args } = JSON.parse(text) as { op: string; args?: string[] };
    if (op === 'ping') return { reply: JSON.stringify({ success: true, ret_msg: 'pong', op: 'ping' }) };
    const topic = args?.[0] ?? '';
    const known = SYMBOLS.some((symbol) => topic.endsWith(`.${symbol}`));
    if (!known)
      return {
        reply: JSON.stringify({ success: false, ret_msg: `error:handler not found,topic:${topic}`, op: 'subscribe' }),
      };
    return { reply: JSON.stringify({ success: true, ret_msg: '', op: 'subscribe' }), topic };
  },
  frame(topic, { time, open, high, low, close, volume, closed }, eventMs) {
    const [, interval = ''] = topic.split('.');
    const prices = { open: `${open}`, close: `${close}`, high: `${high}`, low: `${low}`, volume: `${volume}` };
    const end = time + timeframeOf(interval) - 1;
    const data = [{ start: time, end, interval, ...prices, turnover: '0', confirm: closed, timestamp: eventMs }];
    return JSON.stringify({ topic, data, ts: eventMs, type: 'snapshot' });
  },
};

/** In two pages, as a long list comes. */
function listing(cursor: string | null): object {
  const [first, second] = SYMBOLS.map((symbol) => ({ symbol, contractType: 'LinearPerpetual', launchTime: '0' }));
  if (cursor === null) return { list: [first, null], nextPageCursor: 'more' };
  return { list: [second, { symbol: 'BTC-25DEC26', contractType: 'LinearFutures' }], nextPageCursor: '' };
}

export const startBybit = (nowMs: () => number): Promise<VenueServer> => startVenueServer(DIALECT, nowMs);
