// Where accounts take their prices from, through the whole gateway: MARKET_DATA is simulated, and every live account goes by its
// own venue, whose price the test sets far away from the simulated one.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { EXCHANGES, type Exchange } from '../../src/exchanges/exchange.ts';
import { toText } from '../../src/trading/decimal.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import type { EmulatedVenue } from '../support/emulated-venues/emulated-venue.ts';
import { START_VENUE } from '../support/emulated-venues/start-venue.ts';
import { openLiveGateway } from '../support/live-accounts-gateway.ts';

const MARKET = 'BTCUSDT';
/** Nowhere near the simulated BTCUSDT, which wanders around 100,000. */
const FAR_BELOW = 20_000;
const FAR_ABOVE = 500_000;
/** Stops look every second. */
const LOOKS_MS = 2_500;
const PATIENCE = { timeout: 40_000, interval: 50 };

const BAR_STREAMS: Readonly<Record<Exchange, string>> = {
  binance: '/market/ws',
  bybit: '/v5/public',
  mexc: '/edge',
};
const LAST_PRICE: Readonly<Record<Exchange, string>> = {
  binance: '/fapi/v2/ticker/price',
  bybit: '/v5/market/tickers',
  mexc: '/api/v1/contract/ticker',
};

type Prices = Partial<Readonly<Record<Exchange, number>>>;

/** Live accounts at emulated venues that begin with these prices, and paper accounts at the others. */
async function open(prices: Prices) {
  const venues: Partial<Record<Exchange, EmulatedVenue>> = {};
  for (const [exchange, price] of Object.entries(prices) as [Exchange, number][]) {
    const venue = await START_VENUE[exchange]();
    venue.market.setPrice(MARKET, String(price));
    venues[exchange] = venue;
  }
  const gateway = await openLiveGateway({ venues, env: { MARKET_DATA: 'simulated' } });
  closeAtEnd(async () => {
    await gateway.close();
    await Promise.all(Object.values(venues).map((venue) => venue.close()));
  });
  return { gateway, venueAt: (exchange: Exchange) => venues[exchange] as EmulatedVenue };
}

/** One live account. */
async function openAt(exchange: Exchange, price: number) {
  const { gateway, venueAt } = await open({ [exchange]: price });
  return { gateway, venue: venueAt(exchange) };
}

const ordersOf = ({ market }: EmulatedVenue) =>
  market.orders.map(({ side, status, executed }) => `${side} ${toText(executed)} ${status}`);
const HELD = ['BUY 0.01 FILLED'];
const CLOSED = [...HELD, 'SELL 0.01 FILLED'];

describe.concurrent.each(EXCHANGES)('a live account at %s', (exchange) => {
  test('is closed by its stop loss at the price of its venue, and not at the simulated one', async () => {
    const { gateway, venue } = await openAt(exchange, FAR_ABOVE);
    await gateway.signal({ exchange, stopLoss: FAR_ABOVE - 10_000 });
    // The simulated price is far below the stop: whoever looked there would close now.
    await wait(LOOKS_MS);
    expect(ordersOf(venue)).toEqual(HELD);
    venue.market.setPrice(MARKET, String(FAR_ABOVE - 10_001));
    await vi.waitFor(() => expect(ordersOf(venue)).toEqual(CLOSED), PATIENCE);
    await vi.waitFor(
      async () =>
        expect(await gateway.read('/trades?limit=1')).toMatchObject({
          result: [{ source: 'stop-loss', status: 'Filled', mode: 'live' }],
        }),
      PATIENCE,
    );
  });

  test('trails by the prices of its venue', async () => {
    const { gateway, venue } = await openAt(exchange, FAR_BELOW);
    await gateway.signal({ exchange, trailPercent: 2 });
    const risen = async () => {
      // Trades go on, so that the stream has something to tell as soon as it is there.
      venue.market.setPrice(MARKET, '21000');
      return (await gateway.read('/protections')).result;
    };
    await vi.waitFor(async () => expect(await risen()).toMatchObject([{ trail: { peak: 21000 } }]), PATIENCE);
    venue.market.setPrice(MARKET, '20590');
    await wait(LOOKS_MS);
    expect(ordersOf(venue)).toEqual(HELD);
    venue.market.setPrice(MARKET, '20579');
    await vi.waitFor(() => expect(ordersOf(venue)).toEqual(CLOSED), PATIENCE);
  });

  test('raises an alarm that names its venue while the prices are away, and can still be closed', async () => {
    const { gateway, venue } = await openAt(exchange, FAR_BELOW);
    await gateway.signal({ exchange, stopLoss: FAR_BELOW / 2 });
    venue.faults.refusedStreams = BAR_STREAMS[exchange];
    venue.faults.cutStreams();
    venue.faults.statusAfterAccept({ path: LAST_PRICE[exchange] }, 503, 1000);
    const lost = `The live stream of ${MARKET} at ${exchange} for its live accounts is lost`;
    await vi.waitFor(() => expect(gateway.alarms()).toContainEqual(expect.stringContaining(lost)), PATIENCE);
    expect(await gateway.signal({ exchange, action: 'CLOSE_LONG' })).toMatchObject({
      tradeResult: { status: 'Filled', executedQty: 0.01 },
    });
    expect(ordersOf(venue)).toEqual(CLOSED);
  });

  test('whose venue tells no price raises an alarm, which is over when it does again', async () => {
    const { gateway, venue } = await openAt(exchange, FAR_BELOW);
    await gateway.signal({ exchange, stopLoss: FAR_BELOW / 2 });
    venue.faults.statusAfterAccept({ path: LAST_PRICE[exchange] }, 503, 1000);
    const away = expect.stringContaining(`The market data of ${exchange} for its live accounts does not answer`);
    const ask = () => gateway.read(`/markets?exchange=${exchange}&symbol=${MARKET}`);
    await vi.waitFor(async () => {
      expect((await ask()).result).toBeUndefined();
      expect(gateway.alarms()).toContainEqual(away);
    }, PATIENCE);
    venue.faults.clear();
    await vi.waitFor(async () => expect((await ask()).result).toMatchObject([{ lastPrice: FAR_BELOW }]), PATIENCE);
    expect(gateway.alarms()).not.toContainEqual(away);
  });
});

describe('accounts at several exchanges', () => {
  test('see each its own price; the one on paper sees MARKET_DATA’s', async () => {
    const { gateway } = await open({ binance: FAR_BELOW, bybit: FAR_ABOVE });
    for (const exchange of EXCHANGES) await gateway.signal({ exchange });
    const { result } = (await gateway.read('/positions')) as {
      result: { exchange: Exchange; markPrice: number; prices: string; mode: string }[];
    };
    const [atBinance, atBybit, onPaper] = EXCHANGES.map((exchange) =>
      result.find((each) => each.exchange === exchange),
    );
    expect(atBinance).toMatchObject({ markPrice: FAR_BELOW, prices: 'binance', mode: 'live' });
    expect(atBybit).toMatchObject({ markPrice: FAR_ABOVE, prices: 'bybit', mode: 'live' });
    expect(onPaper).toMatchObject({ prices: 'simulated', mode: 'paper' });
    expect(onPaper?.markPrice).toBeGreaterThan(3 * FAR_BELOW);
    expect(onPaper?.markPrice).toBeLessThan(FAR_ABOVE / 2);
    const markets = await gateway.read(`/markets?symbol=${MARKET}`);
    expect(markets).toMatchObject({
      result: [
        { exchange: 'binance', lastPrice: FAR_BELOW, source: 'binance' },
        { exchange: 'bybit', lastPrice: FAR_ABOVE, source: 'bybit' },
        { exchange: 'mexc', source: 'simulated' },
      ],
    });
    // A market that only the source of the paper account has is listed there alone.
    expect(await gateway.read('/markets?symbol=ADAUSDT')).toMatchObject({ result: [{ exchange: 'mexc' }] });
    for (const path of ['/account', '/equity'])
      expect(await gateway.read(path)).toMatchObject({
        result: [{ prices: 'binance' }, { prices: 'bybit' }, { prices: 'simulated' }],
      });
  });

  test('are closed each by its own price', async () => {
    const { gateway, venueAt } = await open({ binance: FAR_BELOW, bybit: FAR_ABOVE });
    const [binance, bybit] = [venueAt('binance'), venueAt('bybit')];
    await gateway.signal({ exchange: 'binance', takeProfit: FAR_BELOW + 1_000 });
    await gateway.signal({ exchange: 'bybit', stopLoss: FAR_ABOVE - 1_000 });
    // Either would be reached at the price of the other.
    await wait(LOOKS_MS);
    expect([ordersOf(binance), ordersOf(bybit)]).toEqual([HELD, HELD]);
    binance.market.setPrice(MARKET, String(FAR_BELOW + 1_001));
    await vi.waitFor(() => expect(ordersOf(binance)).toEqual(CLOSED), PATIENCE);
    expect(ordersOf(bybit)).toEqual(HELD);
  });

  test('a stop that the owner sets is judged by the price of the account’s own venue', async () => {
    const { gateway } = await openAt('binance', FAR_BELOW);
    await gateway.signal({ exchange: 'binance' });
    const path = `/positions/binance:${MARKET}:LONG/protection`;
    // Below the simulated price, and above the venue's, where it would close at once.
    expect(await gateway.put(path, { stopLoss: FAR_BELOW + 1_000 })).toMatchObject({
      status: 422,
      error: expect.stringContaining(`below the market at about ${FAR_BELOW}`),
    });
    expect(await gateway.put(path, { stopLoss: FAR_BELOW - 1_000 })).toMatchObject({ status: 200 });
  });
});

test('the prices of an account at MEXC are there at once, although it has just read the list of contracts', async () => {
  const { gateway, venue } = await openAt('mexc', FAR_BELOW);
  await gateway.signal({ exchange: 'mexc' });
  const lists = () => venue.requests.filter(({ path }) => path === '/api/v1/contract/detail');
  expect(lists()).toHaveLength(1);
  expect(await gateway.read('/positions')).toMatchObject({ result: [{ markPrice: FAR_BELOW, prices: 'mexc' }] });
  expect(lists()).toHaveLength(1);
  expect(gateway.alarms()).toEqual([]);
});

test('a start is not held up by a venue whose prices are away, and its stops act when they are back', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-live-'));
  const venue = await START_VENUE.binance();
  venue.market.setPrice(MARKET, String(FAR_BELOW));
  // Its own stops would act without us.
  const options = { venues: { binance: venue }, dataDir, env: { PROTECTION_AT_VENUE: 'no' } };
  const first = await openLiveGateway(options);
  await first.signal({ exchange: 'binance', stopLoss: FAR_BELOW - 1_000 });
  await first.close();
  venue.faults.refusedStreams = BAR_STREAMS.binance;
  for (const path of [LAST_PRICE.binance, '/fapi/v1/klines']) venue.faults.statusAfterAccept({ path }, 503, 1000);
  venue.market.setPrice(MARKET, String(FAR_BELOW - 1_001));
  const beganMs = performance.now();
  const second = await openLiveGateway(options);
  closeAtEnd(async () => {
    await second.close();
    await venue.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  // Half of what one question would take with all its tries.
  expect(performance.now() - beganMs).toBeLessThan(7_500);
  await wait(LOOKS_MS);
  expect(ordersOf(venue)).toEqual(HELD);
  venue.faults.clear();
  await vi.waitFor(() => expect(ordersOf(venue)).toEqual(CLOSED), PATIENCE);
});
