// The paper twin through the whole gateway over an emulated venue: what made the gap, that it sums, and that nobody else sees the twin.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { build } from '../../src/composition/build.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import type { Exchange } from '../../src/exchanges/exchange.ts';
import { createLog } from '../../src/http/log.ts';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import { startBybitVenue } from '../support/emulated-venues/bybit/bybit-venue.ts';
import type { EmulatedVenue } from '../support/emulated-venues/emulated-venue.ts';
import { startMexcVenue } from '../support/emulated-venues/mexc/mexc-venue.ts';

const KEY = `whk_${'k'.repeat(43)}`;
const MARKET = 'BTCUSDT';
/** Lines of the log; without a chat it has the notifications too. */
let lines: string[];
const destination = { write: (line: string) => void lines.push(line), close: async () => {} };
const log = createLog({ level: 'info', name: 'test', destination });
const WAIT = { timeout: 10_000 };

interface Parts {
  readonly [part: string]: number;
}
interface Report {
  readonly trades: number;
  readonly result: { readonly live: number; readonly twin: number; readonly gap: number; readonly parts: Parts } | null;
}

let emulated: EmulatedVenue;
let exchange: Exchange;
let dataDir: string;
let gateway: Awaited<ReturnType<typeof build>>;

beforeEach(async () => {
  lines = [];
  exchange = 'binance';
  emulated = await startBinance();
  emulated.market.setPrice(MARKET, '50000');
  dataDir = mkdtempSync(join(tmpdir(), 'signalbox-twin-'));
  gateway = await openGateway();
});

afterEach(async () => {
  await gateway.tearDown();
  await emulated.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** The live account is put in behind the settings: the test knows its address only when it runs. */
function config(more: object = {}): Config {
  const asked = { PAPER_TWIN: 'yes', CONFIRM_FIRST_LIVE_ORDER: 'no', ...more };
  const env = { DATA_DIR: dataDir, SERVICES: 'gateway', WEBHOOK_API_KEYS: KEY, ...asked };
  const loaded = loadConfig(env, { checkAddressEntry: () => undefined });
  const { credentials, baseUrl } = emulated;
  return {
    ...loaded,
    venues: { ...loaded.venues, [exchange]: { mode: 'live', hasOwnMode: true, credentials, baseUrl } },
  };
}

async function openGateway(more: object = {}) {
  const built = await build(config(more), log, { trade: true });
  await built.gateway?.desk.start({ afterCrash: true });
  return built;
}

async function ask<T>(path: string): Promise<T> {
  const response = await gateway.app.request(path, { headers: { host: 'localhost' } }, { peer: '127.0.0.1' });
  expect([path, response.status]).toEqual([path, 200]);
  return ((await response.json()) as { result: T }).result;
}

async function send(fields: object = {}) {
  const signal = { apiKey: KEY, exchange, action: 'LONG', symbol: MARKET, quantity: 0.1, ...fields };
  const body = JSON.stringify(signal);
  const response = await gateway.app.request('/webhook', { method: 'POST', body }, { peer: '127.0.0.1' });
  return { status: response.status, ...((await response.json()) as { tradeResult?: object; code?: string }) };
}

async function report(query = ''): Promise<Report> {
  const [first] = await ask<Report[]>(`/performance/twin${query}`);
  if (first === undefined) throw new Error('no account has a twin');
  return first;
}

/** When both have come to the end of so many trades, with marks. */
async function settled(check: (seen: Report) => void): Promise<Report> {
  const last = await vi.waitFor(async () => {
    const seen = await report();
    check(seen);
    return seen;
  }, WAIT);
  const { live = 0, twin = 0, gap = 0, parts = {} } = last.result ?? {};
  const cents = (amount: number) => Math.round(amount * 100);
  expect(cents(live) - cents(twin)).toBe(cents(gap));
  expect(Object.values(parts).reduce((sum, part) => sum + cents(part), 0)).toBe(cents(gap));
  return last;
}

/** Polled: throws until it is so. */
const both =
  (trades: number) =>
  ({ trades: counted, result }: Report): void => {
    expect(counted).toBe(trades);
    expect(result?.live).not.toBe(0);
    expect(result?.twin).not.toBe(0);
    expect(result?.parts).toMatchObject({ unmarked: 0 });
  };

describe('the gap', () => {
  test('of a trade that went as on paper has its fees and spread, and no delay', async () => {
    expect(await send()).toMatchObject({ tradeResult: { status: 'Filled', mode: 'live' } });
    const { result } = await settled(both(1));
    // 0.1 at 50,000.1 with 0.05 % at the venue.
    expect(result?.live).toBe(-2.51);
    expect(result?.parts).toMatchObject({ delay: 0, refusal: 0, partialFill: 0, funding: 0, other: 0 });
  });

  test('is a delay where the market moves before the order is sent', async () => {
    // The order waits for the leverage, and meanwhile the price rises by 100.
    emulated.faults.delay({ method: 'POST', path: '/fapi/v1/leverage' }, 1500);
    const sent = send({ leverage: 7 });
    await expect.poll(() => emulated.requests.some(({ path }) => path.includes('leverage')), WAIT).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 500));
    emulated.market.setPrice(MARKET, '50100');
    await sent;
    const { result } = await settled(both(1));
    expect(result?.parts.delay).toBe(-10);
  });

  test('is a spread where it widened in that time', async () => {
    emulated.faults.delay({ method: 'POST', path: '/fapi/v1/leverage' }, 1500);
    const sent = send({ leverage: 7 });
    await expect.poll(() => emulated.requests.some(({ path }) => path.includes('leverage')), WAIT).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 500));
    emulated.market.setPrice(MARKET, { last: '50000', bid: '49960', ask: '50040' });
    await sent;
    const { result } = await settled(both(1));
    expect(result?.parts).toMatchObject({ delay: 0, spread: -3.99 });
  });

  test('is a refusal where the venue refuses the live order, and its twin gains without it', async () => {
    emulated.faults.statusAfterAccept({ method: 'POST', path: '/fapi/v1/leverage' }, 400, 9);
    await send({ leverage: 7 });
    await settled(({ result }) => {
      expect(result?.twin).not.toBe(0);
      expect(result?.live).toBe(0);
    });
    emulated.market.setPrice(MARKET, '51000');
    await settled(({ result }) => expect(result?.parts.refusal).toBe(-100));
  });

  test('is a partial fill where the live order gets less than the paper one', async () => {
    emulated.market.setLiquidity(MARKET, '0.04');
    await send({ price: 50100, timeInForce: 'IOC' });
    await settled(both(1));
    emulated.market.setPrice(MARKET, '51000');
    await settled(({ result }) => expect(result?.parts.partialFill).toBe(-60));
  });

  test('goes on over a restart, and is settled when both are closed', async () => {
    await send({ strategy: 'trend' });
    await settled(both(1));
    await gateway.tearDown();
    gateway = await openGateway();
    emulated.market.setPrice(MARKET, '50500');
    await send({ action: 'CLOSE_LONG', strategy: 'trend' });
    const { result, trades } = await settled((seen) => {
      both(2)(seen);
      expect(Math.abs((seen.result?.gap ?? 99) as number)).toBeLessThan(5);
      expect(seen.result?.live).toBeGreaterThan(40);
      expect(seen.result?.twin).toBeGreaterThan(40);
    });
    emulated.market.setPrice(MARKET, '40000');
    expect(await report()).toMatchObject({ trades, result });
    expect((await report('?strategy=trend')).result).toEqual(result);
    expect((await report('?strategy=other')).result).toMatchObject({ live: 0, twin: 0, gap: 0 });
    expect(await report('?to=2020-01-01')).toMatchObject({ trades: 0, result: { gap: 0 } });
  });

  test('is told by a command that only looks at the folder too, which makes no twin', async () => {
    await send();
    const { result } = await settled(both(1));
    await gateway.tearDown();
    gateway = await build(config(), log, { trade: false });
    expect(await report()).toMatchObject({ trades: 1, result });
    await gateway.tearDown();
    rmSync(join(dataDir, 'twin'), { recursive: true });
    gateway = await build(config(), log, { trade: false });
    expect(await ask<object[]>('/performance/twin')).toEqual([]);
    expect(existsSync(join(dataDir, 'twin'))).toBe(false);
  });

  test.each<[Exchange, () => Promise<EmulatedVenue>]>([
    ['bybit', startBybitVenue],
    ['mexc', startMexcVenue],
  ])(
    'is told at %s too, where the two trade a long, and then a short beside it or instead of it',
    async (name, start) => {
      await gateway.tearDown();
      await emulated.close();
      rmSync(dataDir, { recursive: true });
      [exchange, emulated] = [name, await start()];
      emulated.market.setPrice(MARKET, '50000');
      gateway = await openGateway();
      await send();
      await settled(both(1));
      await send({ action: 'SHORT' });
      await settled(both(2));
      emulated.market.setPrice(MARKET, '52000');
      // Whatever is open then is the same for both.
      await settled(({ result }) => {
        expect(result?.live).not.toBe(0);
        expect(Math.abs(result?.gap ?? 99)).toBeLessThan(20);
        expect(result?.parts).toMatchObject({ delay: 0, refusal: 0, partialFill: 0, other: 0 });
      });
    },
  );

  test('follows a kill switch that flattens', async () => {
    await send();
    await settled(both(1));
    const headers = { host: 'localhost', 'content-type': 'application/json' };
    const body = JSON.stringify({ active: true, flatten: true });
    const thrown = await gateway.app.request(
      '/admin/kill-switch',
      { method: 'PUT', headers, body },
      { peer: '127.0.0.1' },
    );
    expect([thrown.status, await thrown.json()]).toMatchObject([200, {}]);
    await settled(both(2));
    emulated.market.setPrice(MARKET, '60000');
    await settled(({ result }) => expect(Math.abs(result?.gap ?? 99)).toBeLessThan(10));
  });

  test('follows a close by the owner', async () => {
    await send();
    await settled(both(1));
    const body = JSON.stringify({ all: true });
    const headers = { host: 'localhost', 'content-type': 'application/json' };
    const response = await gateway.app.request(
      '/positions/close',
      { method: 'POST', headers, body },
      { peer: '127.0.0.1' },
    );
    expect(response.status).toBe(200);
    await settled(both(2));
    emulated.market.setPrice(MARKET, '60000');
    await settled(({ result }) => expect(Math.abs(result?.gap ?? 99)).toBeLessThan(10));
  });
});

describe('what the twin does by itself', () => {
  test('is its stops: both are flat behind them, and what they closed alone is `other`', async () => {
    await send({ stopLoss: 49900 });
    await settled(both(1));
    emulated.market.setPrice(MARKET, '49800');
    const isFlat = (now: number, { result }: Report): boolean => Math.abs((result?.live ?? 0) - now) < 1;
    await settled(({ result }) => {
      expect(result?.live).toBeLessThan(-15);
      expect(result?.parts.other).not.toBe(0);
    });
    await vi.waitFor(async () => {
      emulated.market.setPrice(MARKET, '49800');
      const before = await report();
      emulated.market.setPrice(MARKET, '49700');
      await new Promise((resolve) => setTimeout(resolve, 1200));
      const after = await report();
      expect(isFlat(before.result?.live ?? 99, after)).toBe(true);
      expect(after.result?.twin).toBe(before.result?.twin);
    }, WAIT);
    expect(Math.abs((await report()).result?.gap ?? 99)).toBeLessThan(30);
  });

  test('is not a resting order that was canceled for real', async () => {
    expect(await send({ price: 49000 })).toMatchObject({ tradeResult: { status: 'Submitted' } });
    await settled(({ trades }) => expect(trades).toBe(1));
    const [order] = await ask<{ clientOrderId: string }[]>('/orders');
    const headers = { host: 'localhost' };
    const path = `/orders/${order?.clientOrderId}`;
    const response = await gateway.app.request(path, { method: 'DELETE', headers }, { peer: '127.0.0.1' });
    expect(response.status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    // Paper orders are compared with the market every second.
    for (let second = 0; second < 4; second++) {
      emulated.market.setPrice(MARKET, '48000');
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    expect((await report()).result).toMatchObject({ live: 0, twin: 0, gap: 0 });
  });

  test('and one that rests at both is filled at both', async () => {
    await send({ price: 49000 });
    await settled(({ trades }) => expect(trades).toBe(1));
    await settled((seen) => {
      emulated.market.setPrice(MARKET, '48000');
      both(1)(seen);
    });
  });
});

describe('nobody else sees the twin', () => {
  test('in lists, sums and notices', async () => {
    await send();
    await settled(both(1));
    expect(await ask<object[]>('/trades')).toHaveLength(1);
    expect(await ask<object[]>('/positions')).toMatchObject([{ mode: 'live', quantity: 0.1 }]);
    expect(await ask<object[]>('/orders?state=all')).toHaveLength(1);
    expect(
      (await ask<{ exchange: string }[]>('/account')).filter(({ exchange }) => exchange === 'binance'),
    ).toHaveLength(1);
    expect(await ask<object>('/performance?exchange=binance')).toMatchObject({ total: { fees: 2.500005 } });
    expect(await send({ account: 'twin' })).toMatchObject({ status: 422 });
  });

  test('nor in notifications and limits', async () => {
    const headers = { host: 'localhost', 'content-type': 'application/json' };
    const body = JSON.stringify({ entriesPerDay: 2 });
    const path = '/admin/restrictions/account/binance:main/limits';
    const limited = await gateway.app.request(path, { method: 'PATCH', headers, body }, { peer: '127.0.0.1' });
    expect(limited.status).toBe(200);
    for (const trades of [1, 2]) {
      expect(await send({ notify: { chatId: '1' } })).toMatchObject({ tradeResult: { status: 'Filled' } });
      await settled(both(trades));
    }
    expect(await send()).toMatchObject({ status: 422, code: 'LIMIT_ENTRIES_PER_DAY' });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(lines.filter((line) => line.includes('"notification"'))).toHaveLength(2);
    expect(lines.filter((line) => /"msg":"[^"]*twin/.test(line))).toEqual([]);
  });

  test('nor in what is left of the venue’s limits, however many signals come at once', async () => {
    const begunMs = performance.now();
    const entries = 30;
    for (let n = 0; n < entries; n++)
      expect(await send({ quantity: 0.01 })).toMatchObject({ tradeResult: { status: 'Filled' } });
    await vi.waitFor(async () => expect((await report()).trades).toBe(entries), WAIT);
    const quotes = emulated.requests.filter(({ path }) => path.includes('bookTicker')).length;
    const seconds = Math.ceil((performance.now() - begunMs) / 1000);
    // One for each entry is the live desk's own.
    expect(quotes - entries).toBeLessThanOrEqual(20 + seconds);
    expect((await report()).result?.parts.unmarked).not.toBe(0);
  });

  test('and without the setting there is none', async () => {
    await gateway.tearDown();
    rmSync(dataDir, { recursive: true });
    gateway = await openGateway({ PAPER_TWIN: 'no' });
    await send();
    expect(await ask<object[]>('/performance/twin')).toEqual([]);
    expect(existsSync(join(dataDir, 'twin'))).toBe(false);
  });

  test('a twin that cannot be opened holds up nothing', async () => {
    await gateway.tearDown();
    rmSync(join(dataDir, 'twin'), { recursive: true });
    writeFileSync(join(dataDir, 'twin'), 'in the way');
    gateway = await openGateway();
    expect(await send()).toMatchObject({ tradeResult: { status: 'Filled' } });
    expect(await ask<object[]>('/performance/twin')).toEqual([]);
    expect(lines.filter((line) => line.includes('the paper twins of live accounts are off'))).toHaveLength(1);
  });
});
