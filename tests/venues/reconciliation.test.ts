// Whole accounts compared with emulated venues, through the whole gateway: what the owner does there by hand, what was missed, and
// what the venue does itself.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { build } from '../../src/composition/build.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import type { Exchange } from '../../src/exchanges/exchange.ts';
import { createLog } from '../../src/http/log.ts';
import { toText } from '../../src/trading/decimal.ts';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import { startBybitVenue } from '../support/emulated-venues/bybit/bybit-venue.ts';
import type { EmulatedVenue, EmulatedVenueOptions } from '../support/emulated-venues/emulated-venue.ts';
import { startMexcVenue } from '../support/emulated-venues/mexc/mexc-venue.ts';
import { type OrderByHand, tradeByHand } from '../support/emulated-venues/owner.ts';

const KEY = `whk_${'k'.repeat(43)}`;
const MARKET = 'BTCUSDT';
/** Less than our books have is believed after so long. */
const BELIEVED_MS = 30_000;
/** What was traded so short a time ago is not compared yet. */
const QUIET_MS = 3000;
const log = createLog({ level: 'silent', name: 'test' });

const VENUES: readonly {
  readonly exchange: Exchange;
  readonly start: (options: EmulatedVenueOptions) => Promise<EmulatedVenue>;
}[] = [
  { exchange: 'binance', start: startBinance },
  { exchange: 'bybit', start: startBybitVenue },
  { exchange: 'mexc', start: startMexcVenue },
];

interface Compared {
  readonly agrees: boolean;
  readonly error: string | null;
  readonly positions: number;
  readonly orders: number;
  readonly differences: readonly { kind: string; outcome: string; market: string | null; detail: string }[];
}

describe.each(VENUES)('$exchange', ({ exchange, start }) => {
  let emulated: EmulatedVenue;
  /** How far the venue's clock is ahead of ours. */
  let clockAheadMs: number;
  /** How far the clock of the process that never jumps is ahead of what has passed. */
  let elapsedAheadMs: number;
  const elapsed = performance.now.bind(performance);
  let dataDir: string;
  let gateway: Awaited<ReturnType<typeof build>>;

  beforeEach(async () => {
    clockAheadMs = 0;
    elapsedAheadMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => elapsed() + elapsedAheadMs);
    emulated = await start({ nowMs: () => Date.now() + clockAheadMs });
    emulated.market.setPrice(MARKET, '50000');
    emulated.market.setPrice('ETHUSDT', '3000');
    dataDir = mkdtempSync(join(tmpdir(), 'signalbox-reconciliation-'));
    gateway = await openGateway();
    // Behind the comparison of the start.
    await compare();
  });

  afterEach(async () => {
    await gateway.tearDown();
    await emulated.close();
    rmSync(dataDir, { recursive: true, force: true });
    vi.restoreAllMocks();
  });

  /** The live account is put in behind the settings: the test knows its address only when it runs. */
  function config(): Config {
    const env = { DATA_DIR: dataDir, SERVICES: 'gateway', WEBHOOK_API_KEYS: KEY, CONFIRM_FIRST_LIVE_ORDER: 'no' };
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

  const ask = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const init = { method, headers: { host: 'localhost' }, ...(body && { body: JSON.stringify(body) }) };
    const response = await gateway.app.request(path, init, { peer: '127.0.0.1' });
    return (await response.json()) as { result: unknown; warnings?: readonly string[] };
  };
  const send = (fields: object) =>
    ask('POST', '/webhook', { apiKey: KEY, exchange, action: 'LONG', symbol: MARKET, quantity: 0.01, ...fields });
  const byHand = (order: Omit<OrderByHand, 'exchange' | 'symbol'> & { readonly symbol?: string }) =>
    tradeByHand(emulated, { exchange, symbol: MARKET, ...order });
  const held = async () =>
    ((await ask('GET', '/positions')).result as { market: string; side: string; quantity: number }[])
      .map(({ market, side, quantity }) => `${side} ${quantity} ${market}`)
      .sort();
  const warnings = async () => ((await ask('GET', '/ready')).warnings ?? []).join('\n');

  const compareOnce = async (): Promise<Compared> => ((await ask('POST', '/reconciliation')).result as [Compared])[0];
  /** As often as it takes until nothing is in flux any more: what was traded a moment ago is not believed, nor at once what is gone. */
  async function compare(): Promise<Compared> {
    for (;;) {
      const compared = await compareOnce();
      if (!compared.differences.some(({ outcome }) => outcome === 'open')) return compared;
      elapsedAheadMs += BELIEVED_MS;
    }
  }
  const found = ({ differences }: Compared) =>
    differences.filter(({ kind }) => kind !== 'balance').map(({ kind, outcome, market }) => [kind, outcome, market]);

  test('an account that only we trade on agrees', async () => {
    await send({});
    await send({ symbol: 'ETHUSDT', price: 2000, quantity: 0.1 });
    expect(await compare()).toMatchObject({ agrees: true, positions: 1, orders: 1, differences: [], error: null });
    expect((await ask('GET', '/reconciliation')).result).toMatchObject([{ exchange, mode: 'live', agrees: true }]);
  });

  test('what the owner buys by hand is adopted, told, and belongs to no strategy', async () => {
    await send({ strategy: 'trend' });
    byHand({ side: 'BUY', quantity: '0.02' });
    expect(found(await compare())).toEqual([
      ['position', 'adopted', MARKET],
      ['position', 'adopted', MARKET],
    ]);
    expect(await held()).toEqual(['LONG 0.03 BTCUSDT']);
    expect(await warnings()).toContain(
      `LONG BTCUSDT on ${exchange}: our books had 0.01, the venue has 0.03; the share of no strategy is now LONG 0.02`,
    );
    // Its exit closes what it holds, and leaves what the owner bought.
    await send({ strategy: 'trend', action: 'CLOSE_LONG' });
    expect(await held()).toEqual(['LONG 0.02 BTCUSDT']);
    expect((await compare()).agrees).toBe(true);
  });

  test('what the owner sells by hand is taken from our books once the venue has said so for 30 seconds', async () => {
    await send({ quantity: 0.03 });
    elapsedAheadMs += QUIET_MS;
    byHand({ side: 'SELL', quantity: '0.01', closes: true });
    expect(found(await compareOnce())).toEqual([['position', 'open', MARKET]]);
    expect(await held()).toEqual(['LONG 0.03 BTCUSDT']);
    elapsedAheadMs += BELIEVED_MS;
    expect(found(await compareOnce())).toEqual([['position', 'adopted', MARKET]]);
    expect(await held()).toEqual(['LONG 0.02 BTCUSDT']);
    byHand({ side: 'SELL', quantity: '0.02', closes: true });
    await compare();
    expect(await held()).toEqual([]);
  });

  test('a position that the owner turns around by hand is turned around in our books', async () => {
    await send({});
    byHand({ side: 'SELL', quantity: '0.01', closes: true });
    byHand({ side: 'SELL', quantity: '0.02' });
    expect(found(await compare())).toEqual([
      ['position', 'adopted', MARKET],
      ['position', 'adopted', MARKET],
    ]);
    expect(await held()).toEqual(['SHORT 0.02 BTCUSDT']);
  });

  test('a position in a market that we never traded is adopted, and its owner can close it', async () => {
    byHand({ symbol: 'ETHUSDT', side: 'SELL', quantity: '0.5' });
    expect(found(await compare())).toEqual([['position', 'adopted', 'ETHUSDT']]);
    expect(await held()).toEqual(['SHORT 0.5 ETHUSDT']);
    await send({ symbol: 'ETHUSDT', action: 'CLOSE_SHORT', strategy: 'trend', quantity: 0.5 });
    expect(await held()).toEqual(['SHORT 0.5 ETHUSDT']);
    await ask('POST', '/positions/close', { positions: [`${exchange}:ETHUSDT:SHORT`] });
    await expect.poll(held).toEqual([]);
    expect((await compare()).agrees).toBe(true);
  });

  test.each([
    ['the comparison', 100],
    ['the stream', 0],
  ])('an order of ours that is canceled by hand is booked as canceled, and told by %s', async (_, lost) => {
    await send({ price: 40000 });
    emulated.faults.loseEvents = lost;
    emulated.market.cancel(emulated.market.orders.at(-1)!);
    if (lost > 0) await compare();
    await expect.poll(warnings).toContain(`was canceled at ${exchange}, and not by Signalbox`);
    expect((await ask('GET', '/orders?state=all')).result).toMatchObject([{ status: 'Canceled', executedQty: 0 }]);
    expect((await compare()).agrees).toBe(true);
  });

  test('an order of somebody else is told once and left alone', async () => {
    const order = byHand({ side: 'BUY', quantity: '0.01', price: '40000' });
    expect(found(await compare())).toEqual([['order-foreign', 'told', MARKET]]);
    expect(await warnings()).toContain(`${exchange} has resting orders that Signalbox has not sent: BUY 0.01 BTCUSDT`);
    expect(await compare()).toMatchObject({ agrees: true, orders: 1 });
    expect(order.status).toBe('NEW');
  });

  test('an order with our prefix that our books do not have is told and left alone', async () => {
    const { market } = emulated;
    const order = market.place({
      ...{ clientOrderId: 'sbxlost', symbol: MARKET, side: 'BUY', reduceOnly: false, timeInForce: 'GTC' },
      positionSide: exchange === 'mexc' ? 'LONG' : 'BOTH',
      ...{ quantity: market.spec(MARKET).minQuantity, price: market.prices(MARKET).bid },
    });
    expect(found(await compare())).toEqual([['order-unknown', 'told', MARKET]]);
    expect(await warnings()).toContain('(sbxlost). Another Signalbox trades on this account');
    expect(order.status).toBe('NEW');
  });

  test('a deposit is told, and the next comparison agrees', async () => {
    emulated.market.deposit('1000');
    expect((await compare()).differences).toMatchObject([{ kind: 'balance', outcome: 'told', market: null }]);
    expect(await warnings()).toContain(`the balance of ${exchange} has risen by 1000 USDT`);
    expect((await compare()).agrees).toBe(true);
  });

  test('a round of our own, with its profit and its fees, leaves nothing to explain', async () => {
    await send({ quantity: 1 });
    emulated.market.setPrice(MARKET, '52000');
    await send({ action: 'CLOSE_LONG', quantity: 1 });
    expect(await compare()).toMatchObject({ agrees: true, positions: 0 });
  });

  test('funding is booked once, in reports and in what the balance should be', async () => {
    await send({ quantity: 1 });
    emulated.market.payFunding(MARKET, '0.0001');
    expect((await compare()).agrees).toBe(true);
    // A long pays 0.01 % of 50,000.
    const account = async () =>
      ((await ask('GET', '/account')).result as { exchange: string }[]).find((each) => each.exchange === exchange);
    expect(await account()).toMatchObject({ fundingToday: -5, fundingTotal: -5 });
    emulated.market.payFunding(MARKET, '-0.0002');
    expect((await compare()).agrees).toBe(true);
    await gateway.tearDown();
    gateway = await openGateway();
    expect((await compare()).agrees).toBe(true);
    expect(await account()).toMatchObject({ fundingToday: 5, fundingTotal: 5 });
    expect((await ask('GET', '/performance?by=symbol')).result).toMatchObject({
      total: null,
      totals: [
        { mode: 'live', funding: 5 },
        { mode: 'paper', funding: 0 },
      ],
      groups: [{ group: MARKET, mode: 'live', funding: 5 }],
    });
  });

  test('profits are those that the venue counts', async () => {
    await send({ quantity: 1 });
    emulated.market.setPrice(MARKET, { last: '51000', mark: '51200' });
    const [position] = (await ask('GET', '/positions')).result as [object];
    // MEXC tells neither with a position; there it is our own count, at the last price.
    if (exchange !== 'mexc') expect(position).toMatchObject({ markPrice: 51200, unrealizedPnl: 1199.9 });
    await send({ action: 'CLOSE_LONG', quantity: 1 });
    const { realizedPnl } = emulated.market.orders.at(-1)!.trades[0]!;
    const shown = ((await ask('GET', '/account')).result as { exchange: string; realizedTotal: number }[]).find(
      (each) => each.exchange === exchange,
    );
    expect(shown?.realizedTotal).toBe(Number(toText(realizedPnl)));
  });

  test('a position that is held for longer than any list of fills reaches back stays as it is', async () => {
    await send({ quantity: 0.02 });
    await gateway.tearDown();
    clockAheadMs += 200 * 24 * 3_600_000;
    gateway = await openGateway();
    expect(await compare()).toMatchObject({ agrees: true, positions: 1 });
    await send({ action: 'CLOSE_LONG', quantity: 0.01 });
    expect(await held()).toEqual(['LONG 0.01 BTCUSDT']);
    expect((await compare()).agrees).toBe(true);
  });

  test('a fill that nobody told of is booked as a fill of its order, not as a trade of somebody else', async () => {
    await send({ price: 49000, strategy: 'trend' });
    // The stream lives and says nothing of it.
    emulated.faults.loseEvents = 100;
    emulated.market.setPrice(MARKET, '48990');
    await compare();
    expect((await ask('GET', '/trades')).result).toMatchObject([{ status: 'Filled', executedQty: 0.01 }]);
    expect(await held()).toEqual(['LONG 0.01 BTCUSDT']);
    expect(await warnings()).not.toContain('adopted');
    expect((await compare()).agrees).toBe(true);
  });

  test('a liquidation is a trade with its fills, alarmed, and what guarded the position is gone', async () => {
    await send({ quantity: 20, leverage: 20, stopLoss: 10000 });
    expect((await ask('GET', '/protections')).result).toHaveLength(1);
    emulated.market.setPrice(MARKET, '45000');
    const [first] = (await ask('POST', '/reconciliation')).result as [Compared];
    expect(found(first)).toEqual([]);
    expect(await held()).toEqual([]);
    expect((await ask('GET', '/trades')).result).toMatchObject([
      { source: 'liquidation', action: 'CLOSE_LONG', status: 'Filled', executedQty: 20 },
      { status: 'Filled' },
    ]);
    expect(await warnings()).toContain(`${exchange} (LIVE) was liquidated: LONG 20 BTCUSDT`);
    expect(await warnings()).not.toContain('adopted');
    expect((await ask('GET', '/protections')).result).toEqual([]);
    expect((await compare()).agrees).toBe(true);
  });

  test('a venue that is away is told in words, and what happened meanwhile is found when it is back', async () => {
    await send({});
    emulated.faults.maintenance = true;
    expect(await compare()).toMatchObject({ agrees: false, error: expect.stringMatching(/./) });
    byHand({ side: 'BUY', quantity: '0.02' });
    emulated.faults.maintenance = false;
    expect(found(await compare())).toEqual([['position', 'adopted', MARKET]]);
    expect(await held()).toEqual(['LONG 0.03 BTCUSDT']);
  });
});
