// What binds entries on live accounts, through the whole gateway to emulated venues: prices that are too old, limit prices far through the
// market, wide spreads. A close passes them all.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { build } from '../../src/composition/build.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import { createLog } from '../../src/http/log.ts';
import { toText } from '../../src/trading/decimal.ts';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import { startBybitVenue } from '../support/emulated-venues/bybit/bybit-venue.ts';
import type { EmulatedVenue } from '../support/emulated-venues/emulated-venue.ts';
import { startMexcVenue } from '../support/emulated-venues/mexc/mexc-venue.ts';

const KEY = `whk_${'k'.repeat(43)}`;
const MARKET = 'BTCUSDT';
const log = createLog({ level: 'silent', name: 'test' });
const VENUES = [
  { exchange: 'binance', start: startBinance, quotes: '/fapi/v1/ticker/bookTicker' },
  { exchange: 'bybit', start: startBybitVenue, quotes: '/v5/market/orderbook' },
  { exchange: 'mexc', start: startMexcVenue, quotes: '/api/v1/contract/ticker' },
] as const;

describe.each(VENUES)('$exchange', ({ exchange, start, quotes }) => {
  let emulated: EmulatedVenue;
  let dataDir: string;
  let gateway: Awaited<ReturnType<typeof build>>;

  beforeEach(async () => {
    emulated = await start();
    emulated.market.setPrice(MARKET, { last: '50000', bid: '49990', ask: '50000' });
    dataDir = mkdtempSync(join(tmpdir(), 'signalbox-guards-'));
    const env = {
      ...{ DATA_DIR: dataDir, SERVICES: 'gateway', WEBHOOK_API_KEYS: KEY, CONFIRM_FIRST_LIVE_ORDER: 'no' },
      ...{ MAX_PRICE_THROUGH_PERCENT: '2', MAX_SPREAD_PERCENT: '2' },
    };
    gateway = await build(live(loadConfig(env, { checkAddressEntry: () => undefined })), log, { trade: true });
    await gateway.gateway?.desk.start({ afterCrash: true });
  });

  afterEach(async () => {
    await gateway.tearDown();
    await emulated.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** The live account is put in behind the settings: the test knows its address only when it runs. */
  function live(loaded: Config): Config {
    const { credentials, baseUrl } = emulated;
    return {
      ...loaded,
      venues: { ...loaded.venues, [exchange]: { mode: 'live', hasOwnMode: true, credentials, baseUrl } },
    };
  }

  async function request(path: string, init: RequestInit = {}) {
    const response = await gateway.app.request(
      path,
      { headers: { host: 'localhost' }, ...init },
      { peer: '127.0.0.1' },
    );
    return { status: response.status, ...((await response.json()) as { code?: string; error?: string }) };
  }
  const send = (fields: object = {}) => {
    const body = { apiKey: KEY, exchange, action: 'LONG', symbol: MARKET, quantity: 0.01, ...fields };
    return request('/webhook', { method: 'POST', body: JSON.stringify(body) });
  };
  const orders = () =>
    emulated.market.orders.map(({ side, status, executed }) => `${side} ${toText(executed)} ${status}`);
  const looks = () => emulated.requests.filter(({ path }) => path === quotes).length;
  const warnings = async () => JSON.stringify(await request('/ready'));

  test('prices that are too old open nothing, close what is held, and raise an alarm that ends by itself', async () => {
    expect(await send()).toMatchObject({ status: 200 });
    const quotedAtMs = Date.now() - 20_000;
    emulated.market.setPrice(MARKET, { last: '50000', bid: '49990', ask: '50000', quotedAtMs });
    const refused = await send();
    expect(refused).toMatchObject({ status: 422, code: 'STALE_DATA' });
    expect(refused.error).toMatch(
      /^the prices of BTCUSDT on \w+ are 2\d(\.\d)? s old, .*STALE_QUOTE_S.*nothing was sent/,
    );
    expect(await warnings()).toContain('An entry was refused: the prices of BTCUSDT');
    expect(await send({ action: 'CLOSE_LONG' })).toMatchObject({ status: 200, tradeResult: { status: 'Filled' } });
    expect(orders()).toEqual(['BUY 0.01 FILLED', 'SELL 0.01 FILLED']);
    emulated.market.setPrice(MARKET, { last: '50000', bid: '49990', ask: '50000' });
    await expect.poll(warnings, { timeout: 15_000, interval: 500 }).not.toContain('An entry was refused');
    expect(await send()).toMatchObject({ status: 200 });
  });

  test('prices that cannot be had open nothing', async () => {
    emulated.faults.statusAfterAccept({ path: quotes }, 500, 9);
    const { code } = await send();
    // MEXC tells the last price in the same answer, and without that a signal waits for its venue.
    if (exchange !== 'mexc') expect(code).toBe('STALE_DATA');
    expect(orders()).toEqual([]);
  });

  test('a limit price may be as far through the market as the setting says, and rest as far away as it likes', async () => {
    const above = await send({ price: 51_000.1 });
    expect(above).toMatchObject({ status: 422, code: 'LIMIT_PRICE' });
    expect(above.error).toMatch(
      /^MAX_PRICE_THROUGH_PERCENT: .*2\.01 % from the ask of BTCUSDT, 50000, .*at most 51000/,
    );
    const below = await send({ action: 'SHORT', price: 48_990.1 });
    expect(below).toMatchObject({ status: 422, code: 'LIMIT_PRICE' });
    expect(below.error).toMatch(/2\.01 % from the bid of BTCUSDT, 49990, .*at least 48990\.2/);
    expect(orders()).toEqual([]);
    expect(await send({ price: 51_000 })).toMatchObject({ status: 200, tradeResult: { status: 'Filled' } });
    expect(await send({ action: 'CLOSE_LONG', price: 48_000 })).toMatchObject({ tradeResult: { status: 'Filled' } });
    expect(await send({ action: 'SHORT', price: 48_990.2 })).toMatchObject({ tradeResult: { status: 'Filled' } });
    expect(await send({ action: 'CLOSE_SHORT' })).toMatchObject({ tradeResult: { status: 'Filled' } });
    expect(await send({ price: 40_000 })).toMatchObject({ tradeResult: { status: 'Submitted' } });
  });

  test('a market order goes into a spread as wide as the setting says', async () => {
    emulated.market.setPrice(MARKET, { last: '50000', bid: '49500', ask: '50500' });
    expect(await send()).toMatchObject({ status: 200, tradeResult: { status: 'Filled' } });
    emulated.market.setPrice(MARKET, { last: '50000', bid: '49500', ask: '50500.1' });
    const wide = await send();
    expect(wide).toMatchObject({ status: 422, code: 'LIMIT_SPREAD' });
    expect(wide.error).toMatch(/^MAX_SPREAD_PERCENT: the spread of BTCUSDT is 2\.01 % \(bid 49500, ask 50500\.1\)/);
    expect(await send({ action: 'CLOSE_LONG' })).toMatchObject({ status: 200, tradeResult: { status: 'Filled' } });
    expect(orders()).toEqual(['BUY 0.01 FILLED', 'SELL 0.01 FILLED']);
  });

  test('what is sized in money is closed, by prices that are too old as well', async () => {
    expect(await send({ quantity: 0.02 })).toMatchObject({ status: 200 });
    const close = { action: 'CLOSE_LONG', quantity: 500, quantityType: 'quote' };
    expect(await send(close)).toMatchObject({ status: 200, tradeResult: { status: 'Filled', executedQty: 0.01 } });
    const quotedAtMs = Date.now() - 20_000;
    emulated.market.setPrice(MARKET, { last: '50000', bid: '49990', ask: '50000', quotedAtMs });
    expect(await send({ ...close, quantity: 250 })).toMatchObject({ tradeResult: { executedQty: 0.005 } });
    expect(await send({ ...close, price: 48_000 })).toMatchObject({ tradeResult: { executedQty: 0.005 } });
    expect([emulated.market.account.heldPositions(MARKET), await warnings()]).toEqual([
      [],
      expect.not.stringContaining('closed all'),
    ]);
  });

  test('an entry asks for the best prices once, and a close does not', async () => {
    await send();
    expect(looks()).toBe(1);
    await send({ action: 'CLOSE_LONG' });
    expect(looks()).toBe(1);
  });
});
