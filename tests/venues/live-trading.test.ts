// Signals through the whole gateway to emulated venues, over real HTTP: one signal is one order there, whatever gets lost on the way.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { build } from '../../src/composition/build.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import type { Exchange } from '../../src/exchanges/exchange.ts';
import { createLog } from '../../src/http/log.ts';
import { toText } from '../../src/trading/decimal.ts';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import { startBybitVenue } from '../support/emulated-venues/bybit/bybit-venue.ts';
import type { EmulatedVenue } from '../support/emulated-venues/emulated-venue.ts';
import { startMexcVenue } from '../support/emulated-venues/mexc/mexc-venue.ts';

const KEY = `whk_${'k'.repeat(43)}`;
const MARKET = 'BTCUSDT';
const log = createLog({ level: 'silent', name: 'test' });

interface Row {
  readonly exchange: Exchange;
  readonly start: () => Promise<EmulatedVenue>;
  /** Where it takes orders. */
  readonly path: string;
}

const VENUES: readonly Row[] = [
  { exchange: 'binance', start: startBinance, path: '/fapi/v1/order' },
  { exchange: 'bybit', start: startBybitVenue, path: '/v5/order/create' },
  { exchange: 'mexc', start: startMexcVenue, path: '/api/v1/private/order/create' },
];

describe.each(VENUES)('$exchange', ({ exchange, start, path }) => {
  let emulated: EmulatedVenue;
  let dataDir: string;
  let gateway: Awaited<ReturnType<typeof build>>;

  beforeEach(async () => {
    emulated = await start();
    emulated.market.setPrice(MARKET, '50000');
    dataDir = mkdtempSync(join(tmpdir(), 'signalbox-live-'));
    gateway = await openGateway();
  });

  afterEach(async () => {
    await gateway.tearDown();
    await emulated.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** The settings refuse live accounts until all of live trading is there, so this one is put in behind them. */
  function config(): Config {
    const env = { DATA_DIR: dataDir, SERVICES: 'gateway', WEBHOOK_API_KEYS: KEY };
    const loaded = loadConfig(env, { checkAddressEntry: () => undefined });
    const { credentials, baseUrl } = emulated;
    return {
      ...loaded,
      venues: { ...loaded.venues, [exchange]: { mode: 'live', hasOwnMode: true, credentials, baseUrl } },
    };
  }

  async function openGateway() {
    const built = await build(config(), log, { trade: true });
    await built.gateway?.desk.start({ afterCrash: true });
    return built;
  }

  async function send(fields: object) {
    const body = JSON.stringify({ apiKey: KEY, exchange, action: 'LONG', symbol: MARKET, quantity: 0.01, ...fields });
    const response = await gateway.app.request('/webhook', { method: 'POST', body }, { peer: '127.0.0.1' });
    return { status: response.status, ...((await response.json()) as { tradeResult?: object }) };
  }
  const orders = () =>
    emulated.market.orders.map(({ side, status, executed }) => `${side} ${toText(executed)} ${status}`);

  test('a signal is one order, and its answer has the venue’s own word', async () => {
    expect(await send({})).toMatchObject({
      status: 200,
      tradeResult: { status: 'Filled', executedQty: 0.01, price: 50000.1, mode: 'live', account: 'main' },
    });
    expect(orders()).toEqual(['BUY 0.01 FILLED']);
  });

  test.each<[string, () => void]>([
    ['its answer is dropped', () => emulated.faults.dropAnswerAfterAccept({ path })],
    ['a 502 comes after it was taken', () => emulated.faults.statusAfterAccept({ path }, 502)],
    ['its answer is garbage', () => emulated.faults.garbage({ path }, true)],
    ['the venue says that nobody knows', () => emulated.faults.unknownOutcome({ path }, true)],
  ])('an order that is taken while %s is found, reported as filled, and there is one', async (_, plan) => {
    plan();
    expect(await send({})).toMatchObject({ status: 200, tradeResult: { status: 'Filled', executedQty: 0.01 } });
    expect(orders()).toEqual(['BUY 0.01 FILLED']);
  });

  test('a close sells what is held, never more, and the position is flat', async () => {
    await send({});
    expect(await send({ action: 'CLOSE_LONG', quantity: 5 })).toMatchObject({
      tradeResult: { status: 'Filled', executedQty: 0.01 },
    });
    expect(orders()).toEqual(['BUY 0.01 FILLED', 'SELL 0.01 FILLED']);
  });

  test('a reversal closes, then opens', async () => {
    await send({});
    expect(await send({ action: 'SHORT' })).toMatchObject({ tradeResult: { status: 'Filled' } });
    // An account at MEXC begins as a hedge account, which holds both sides beside each other.
    expect(orders()).toEqual(['BUY 0.01 FILLED', ...Array(exchange === 'mexc' ? 1 : 2).fill('SELL 0.01 FILLED')]);
  });

  test('where the leverage cannot be set, no order is sent', async () => {
    const leverage = {
      binance: '/fapi/v1/leverage',
      bybit: '/v5/position/set-leverage',
      mexc: '/api/v1/private/position/change_leverage',
    };
    emulated.faults.statusAfterAccept({ method: 'POST', path: leverage[exchange] }, 400, 9);
    const { status, tradeResult } = await send({ leverage: 7 });
    expect([status, tradeResult]).not.toMatchObject([200, { status: 'Filled' }]);
    expect(orders()).toEqual([]);
  });

  test('what fills while the gateway is down is booked at the next start', async () => {
    expect(await send({ price: 49000 })).toMatchObject({ tradeResult: { status: 'Submitted' } });
    await gateway.tearDown();
    emulated.market.setPrice(MARKET, '48990');
    gateway = await openGateway();
    await expect
      .poll(
        async () =>
          (await (
            await gateway.app.request('/trades', { headers: { host: 'localhost' } }, { peer: '127.0.0.1' })
          ).json()) as object,
        { timeout: 10_000 },
      )
      .toMatchObject({ result: [{ status: 'Filled', executedQty: 0.01 }] });
    expect(orders()).toEqual(['BUY 0.01 FILLED']);
  });
});
