// Which accounts share a source of prices, and that none has the prices of another.

import { afterEach, describe, expect, it } from 'vitest';
import { createLog } from '../http/log.ts';
import { createRaisedAlarms } from '../trading/notifications/raised-alarms.ts';
import { openAccountPrices } from './account-prices.ts';
import type { Prices } from './market.ts';
import { createTeardown } from './teardown.ts';

const log = createLog({ level: 'silent', name: 'test' });
const alarms = createRaisedAlarms({ nowMs: () => 0, log });
const paper = { label: 'simulated' } as Prices;
/** Nobody listens there, and nobody is asked before somebody wants a price. */
const venue = { mode: 'live', hasOwnMode: true, credentials: undefined, baseUrl: 'http://127.0.0.1:9' } as const;
const config = { venues: { binance: venue, bybit: venue, mexc: { ...venue, baseUrl: undefined } } };

let teardown = createTeardown();
afterEach(async () => {
  await teardown.run();
  teardown = createTeardown();
});

const open = (accounts: Parameters<typeof openAccountPrices>[0]['accounts']) =>
  openAccountPrices({ context: { config, log, alarms }, accounts, paper, teardown });

describe('the prices of accounts', () => {
  it('are one source for each mode at each venue, and MARKET_DATA for paper', async () => {
    const [live, testnet] = [
      { exchange: 'binance', mode: 'live' },
      { exchange: 'binance', mode: 'testnet' },
    ] as const;
    const bybit = { exchange: 'bybit', mode: 'live' } as const;
    const pricesOf = await open([live, testnet, live, bybit]);
    expect(pricesOf({ ...live })).toBe(pricesOf(live));
    const sources = [paper, pricesOf(live), pricesOf(testnet), pricesOf(bybit)];
    expect(new Set(sources).size).toBe(4);
    expect(sources.map(({ label }) => label)).toEqual(['simulated', 'binance', 'binance', 'bybit']);
    expect(pricesOf({ exchange: 'binance', mode: 'paper' })).toBe(paper);
  });

  it('of an account that is not open are not known', async () => {
    const pricesOf = await open([{ exchange: 'binance', mode: 'testnet' }]);
    const { label, lastPrice } = pricesOf({ exchange: 'binance', mode: 'live' });
    expect(label).toBe('binance');
    await expect(lastPrice('BTCUSDT')).rejects.toThrow('no live account of binance is open');
  });

  it('are refused where the venue has no testnet', async () => {
    await expect(open([{ exchange: 'mexc', mode: 'testnet' }])).rejects.toThrow('mexc has no testnet');
  });

  it('end with the accounts', async () => {
    const pricesOf = await open([{ exchange: 'binance', mode: 'live' }]);
    const { lastPrice } = pricesOf({ exchange: 'binance', mode: 'live' });
    await teardown.run();
    await expect(lastPrice('BTCUSDT')).rejects.toThrow('is being closed');
  });
});
