// The real program on a venue's bars: paper trades at its prices, the stream carries its bars, an outage stops neither start nor stop.

import { describe, expect, it } from 'vitest';
import { startProcess } from '../support/process.ts';
import { VENUE_NAMES, VENUES } from '../support/venue-servers/open-feed.ts';

const signal = (apiKey: string | undefined, symbol = 'BTCUSDT') => ({
  apiKey,
  exchange: 'bybit',
  action: 'LONG',
  symbol,
  quantity: 0.01,
});

async function post(url: string, body: unknown) {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** The first frame of a kind that the stream sends. */
const firstFrame = (url: string, type: string): Promise<Record<string, unknown>> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/stream?symbol=BINANCE:BTCUSDT.P&interval=1m`);
    const timer = setTimeout(() => reject(new Error(`no ${type} came`)), 10_000);
    socket.onmessage = ({ data }) => {
      const frame = JSON.parse(data as string) as Record<string, unknown>;
      if (frame.type !== type) return;
      clearTimeout(timer);
      socket.close();
      resolve(frame);
    };
  });

describe.each(VENUE_NAMES)('on the bars of %s', (name) => {
  it('trades on paper at its prices and streams its bars', async () => {
    const venue = await VENUES[name].start(Date.now);
    const addresses = { MARKET_DATA_REST_URL: venue.restUrl, MARKET_DATA_WS_URL: venue.wsUrl };
    const running = await startProcess({ env: { MARKET_DATA: name, ...addresses } });
    expect(await (await fetch(`${running.url}/health`)).json()).toMatchObject({ prices: name, mode: 'paper' });
    expect(running.output()).toContain(`prices are those of ${name}`);
    const traded = await post(`${running.url}/webhook`, signal(running.apiKey));
    expect(traded).toMatchObject({ status: 200, body: { tradeResult: { status: 'Filled', mode: 'paper' } } });
    const unknown = await post(`${running.url}/webhook`, signal(running.apiKey, 'NOSUCHUSDT'));
    expect(unknown).toMatchObject({ status: 422, body: { code: 'UNKNOWN_SYMBOL' } });
    expect(await firstFrame(running.url, 'status')).toMatchObject({ source: name, symbol: 'BTCUSDT' });
    expect(await firstFrame(running.url, 'kline')).toMatchObject({ source: name, bar: { closed: false } });
    expect(await running.stop()).toBe(0);
    await venue.close();
  });
});

describe('while the venue cannot be reached', () => {
  it('a signal is queued instead of trading on a price nobody knows, and the start is not held up', async () => {
    const nobody = { MARKET_DATA_REST_URL: 'http://127.0.0.1:9', MARKET_DATA_WS_URL: 'ws://127.0.0.1:9' };
    const running = await startProcess({ env: { MARKET_DATA: 'binance', DRAIN_TIMEOUT_S: '1', ...nobody } });
    const { status, body } = await post(`${running.url}/webhook`, signal(running.apiKey));
    expect([status, body]).toMatchObject([200, { tradeResult: { status: 'Enqueued', queued: true } }]);
    expect(await running.stop()).toBe(0);
  });
});
