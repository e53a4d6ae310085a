// Where market data is asked for: the venue itself, its testnet, or an address in the place of both.

import { describe, expect, it } from 'vitest';
import { ADDRESSES as BINANCE } from './binance/feed.ts';
import { ADDRESSES as BYBIT } from './bybit/feed.ts';
import { feedUrls } from './feed-addresses.ts';
import { ADDRESSES as MEXC } from './mexc/feed.ts';

describe('the addresses of market data', () => {
  it('are those of the testnet for a testnet account, and never those of real money', () => {
    for (const addresses of [BINANCE, BYBIT]) {
      const { restUrl = '', wsUrl = '' } = feedUrls(addresses, { mode: 'testnet' }) ?? {};
      expect([restUrl, wsUrl].map((url) => new URL(url).host)).not.toContain(new URL(addresses.live.restUrl).host);
      expect(restUrl).toMatch(/^https:\/\/[^/]*testnet/);
      expect(wsUrl).toMatch(/^wss:\/\/[^/]*(testnet|binancefuture\.com)/);
    }
    expect(feedUrls(MEXC, { mode: 'testnet' })).toBeUndefined();
  });

  it('are those of the venue for a live account', () => {
    expect(feedUrls(BYBIT, { mode: 'live' })).toEqual({
      restUrl: 'https://api.bybit.com',
      wsUrl: 'wss://stream.bybit.com/v5/public/linear',
    });
  });

  it.each([
    ['https://proxy.example', { restUrl: 'https://proxy.example', wsUrl: 'wss://proxy.example/market/ws' }],
    [
      'http://127.0.0.1:8080/binance/',
      { restUrl: 'http://127.0.0.1:8080/binance', wsUrl: 'ws://127.0.0.1:8080/binance/market/ws' },
    ],
  ])('are below %s where that takes the place of the venue', (baseUrl, urls) => {
    for (const mode of ['testnet', 'live'] as const) expect(feedUrls(BINANCE, { mode, baseUrl })).toEqual(urls);
  });
});
