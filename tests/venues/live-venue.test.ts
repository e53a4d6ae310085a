// The adapters of real venues against emulated ones, over real HTTP: what an order does there, and what is known when answers get lost.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LiveAccounts } from '../../src/adapters/venues/live-accounts.ts';
import { venueFolder } from '../../src/composition/venue-folders.ts';
import type { Exchange } from '../../src/exchanges/exchange.ts';
import { foregroundTimers } from '../../src/timing/timers.ts';
import { type Decimal, decimal, toText } from '../../src/trading/decimal.ts';
import type { OrderReport, OrderRequest, Venue } from '../../src/trading/venue.ts';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import { startBybitVenue } from '../support/emulated-venues/bybit/bybit-venue.ts';
import type { EmulatedVenue, EmulatedVenueOptions } from '../support/emulated-venues/emulated-venue.ts';
import type { FaultMatch } from '../support/emulated-venues/faults.ts';
import { startMexcVenue } from '../support/emulated-venues/mexc/mexc-venue.ts';

interface Row {
  readonly exchange: Exchange;
  readonly start: (options?: EmulatedVenueOptions) => Promise<EmulatedVenue>;
  /** Where it takes orders. */
  readonly orders: FaultMatch;
  /** Where it takes them back, and what it says when it has. */
  readonly cancels: FaultMatch & { readonly taken: object };
  /** What it asks before its first order. */
  readonly mode: string;
  /** Where it tells the rules of its markets. */
  readonly listing: string;
  /** Where it tells fills, and what it says when it shows none yet. */
  readonly fills: { readonly path: string; readonly none: string };
  /** With which status it shuts out who asks too much; MEXC does not say for how long. */
  readonly ban?: 429 | 403;
}

const VENUES: readonly Row[] = [
  {
    exchange: 'binance',
    start: startBinance,
    orders: { method: 'POST', path: '/fapi/v1/order' },
    cancels: { method: 'DELETE', path: '/fapi/v1/order', taken: { status: 'CANCELED' } },
    ban: 429,
    mode: '/fapi/v1/positionSide/dual',
    listing: '/fapi/v1/exchangeInfo',
    fills: { path: '/fapi/v1/userTrades', none: '[]' },
  },
  {
    exchange: 'bybit',
    start: startBybitVenue,
    orders: { method: 'POST', path: '/v5/order/create' },
    cancels: { method: 'POST', path: '/v5/order/cancel', taken: { retCode: 0, retMsg: 'OK', result: {} } },
    ban: 403,
    mode: '/v5/position/list',
    listing: '/v5/market/instruments-info',
    fills: { path: '/v5/execution/list', none: '{"retCode":0,"result":{"list":[]}}' },
  },
  {
    ...{ exchange: 'mexc', start: startMexcVenue },
    orders: { method: 'POST', path: '/api/v1/private/order/create' },
    cancels: {
      ...{ method: 'POST', path: '/api/v1/private/order/cancel_with_external' },
      taken: { success: true, code: 0, data: [] },
    },
    mode: '/api/v1/private/position/position_mode',
    listing: '/api/v1/contract/detail',
    fills: { path: '/api/v1/private/order/deal_details/*', none: '{"success":true,"code":0,"data":[]}' },
  },
];

const MARKET = 'BTCUSDT';
/** Differs from ours by far more than any venue forgives. */
const CLOCK_AHEAD_MS = 90_000;

describe.each(VENUES)('$exchange', ({ exchange, start, orders, cancels, mode, listing, fills, ban }) => {
  let emulated: EmulatedVenue;
  let venue: Venue;
  let clockAheadMs: number;
  /** Added to the clock that never jumps. */
  let elapsedMs: number;
  let ids: number;
  let troubles: string[];

  beforeEach(async () => {
    [clockAheadMs, elapsedMs, ids, troubles] = [CLOCK_AHEAD_MS, 0, 0, []];
    emulated = await start({ nowMs: () => Date.now() + clockAheadMs });
    emulated.market.setPrice(MARKET, '50000');
    venue = await open();
  });

  afterEach(async () => {
    await venue.close();
    await emulated.close();
  });

  const open = async (secret = emulated.credentials.secret, lookEveryMs = 50): Promise<Venue> =>
    (await opened(secret, lookEveryMs)).venue;

  const opened = (secret: string, lookEveryMs: number) =>
    new LiveAccounts({
      ...{ nowMs: Date.now, monotonicMs: () => performance.now() + elapsedMs, timers: foregroundTimers },
      ...{
        folderOf: venueFolder,
        lookEveryMs,
        onTrouble: (what) => void troubles.push(what),
        random: Math.random,
        log: { warn() {} },
      },
    }).open({
      ...{
        exchange,
        account: 'main',
        mode: 'live',
        baseUrl: emulated.baseUrl,
      },
      credentials: { ...emulated.credentials, secret },
    });

  const order = (changes: Partial<OrderRequest> = {}): OrderRequest => {
    ids += 1;
    return {
      ...{ clientOrderId: `sbx-test-${ids}`, market: MARKET, side: 'BUY', positionSide: 'LONG', reduceOnly: false },
      ...{ quantity: decimal('0.01'), ...changes },
    };
  };
  const limit = (price: string, changes: Partial<OrderRequest> = {}) => order({ price: decimal(price), ...changes });
  const held = async () =>
    (await venue.positions(MARKET)).map(({ side, quantity }) => `${side} ${toText(quantity)}`).join(', ');

  test('its markets have steps, ticks, minima and a highest leverage', async () => {
    const market = await venue.market(MARKET);
    const { tickSize, stepSize, minQuantity, maxLeverage } = emulatedRules();
    expect(market).toMatchObject({
      symbol: MARKET,
      tickSize,
      stepSize,
      minQuantity,
      maxLeverage,
    });
    expect(venue.tickOf(MARKET)).toBe(tickSize);
    await expect(venue.market('NOSUCHUSDT')).rejects.toMatchObject({ name: 'UnknownMarket', failure: 'rejected' });
  });

  const emulatedRules = () => {
    const { tickSize, brackets, contractSize, ...spec } = emulated.market.spec(MARKET);
    // MEXC counts contracts, and takes one.
    const { stepSize, minQuantity } =
      exchange === 'mexc' ? { stepSize: contractSize, minQuantity: contractSize } : spec;
    return { tickSize, stepSize, minQuantity, maxLeverage: brackets[0]?.maxLeverage };
  };

  test('a market order is told with all its fills and their fees', async () => {
    emulated.market.setMaxTrade(MARKET, '0.004');
    const report = await venue.placeOrder(order());
    expect(report).toMatchObject({ status: 'filled', executedQuantity: decimal('0.01'), market: MARKET, side: 'BUY' });
    const inWords = ({ quantity, fee }: { quantity: Decimal; fee: Decimal }) => `${toText(quantity)} ${toText(fee)}`;
    const [made] = emulated.market.orders;
    expect(report.fills.map(inWords).toSorted()).toEqual(made?.trades.map(inWords).toSorted());
    expect(new Set(report.fills.map(({ fillId }) => fillId)).size).toBe(3);
    expect(await held()).toBe('LONG 0.01');
  });

  test('what the market cannot fill of a market order has expired, and the fills so far count', async () => {
    emulated.market.setLiquidity(MARKET, '0.006');
    const report = await venue.placeOrder(order());
    expect([report.status, toText(report.executedQuantity), report.fills.length]).toEqual(['expired', '0.006', 1]);
  });

  test('an order that is filled later than it is acknowledged is found with its end', async () => {
    emulated.market.fillDelayMs = 150;
    const request = order();
    const first = await venue.placeOrder(request).catch(() => undefined);
    expect(first?.status ?? 'submitted').toBe('submitted');
    await expect.poll(() => found(request), { timeout: 3000 }).toMatchObject({ status: 'filled' });
  });

  const found = async ({ market, clientOrderId }: OrderRequest): Promise<OrderReport | undefined> => {
    const lookup = await venue.findOrder(market, clientOrderId);
    return lookup.found ? lookup.order : undefined;
  };

  describe('a limit order', () => {
    test('rests, is listed as ours only, and its fills are told to whoever listens', async () => {
      const told: OrderReport[] = [];
      const stop = venue.watchOrders((report) => void told.push(report));
      const request = limit('49000');
      expect(await venue.placeOrder(request)).toMatchObject({ status: 'submitted', averagePrice: undefined });
      expect(await venue.openOrders(MARKET)).toMatchObject([
        { clientOrderId: request.clientOrderId, positionSide: 'LONG' },
      ]);
      emulated.market.setPrice(MARKET, '48990');
      await expect.poll(() => told.at(-1)?.status, { timeout: 3000 }).toBe('filled');
      expect(told.at(-1)?.fills).toHaveLength(1);
      stop();
    });

    test('is listed although its fills cannot be had: who clears a side before a close needs none', async () => {
      // An earlier process has sent it: nothing is known of it here.
      const [clientOrderId, positionSide] = ['sbx-earlier', exchange === 'mexc' ? 'LONG' : 'BOTH'] as const;
      emulated.market.setLiquidity(MARKET, '0.004');
      emulated.market.place({
        ...{
          clientOrderId,
          symbol: MARKET,
          side: 'BUY',
          positionSide,
          quantity: decimal('0.01'),
          price: decimal('51000'),
        },
        ...{ timeInForce: 'GTC', reduceOnly: false },
      });
      emulated.faults.plan({ path: fills.path }, { type: 'drop', when: 'before' }, 1000);
      expect(await venue.openOrders(MARKET)).toMatchObject([{ clientOrderId, executedQuantity: decimal('0.004') }]);
      await expect(venue.findOrder(MARKET, clientOrderId)).rejects.toThrow();
    });

    test('is canceled, and one that filled first is told as filled', async () => {
      const first = limit('49000');
      await venue.placeOrder(first);
      expect(await venue.cancelOrder(MARKET, first.clientOrderId)).toMatchObject({ status: 'canceled' });
      const second = limit('49000');
      await venue.placeOrder(second);
      emulated.market.setPrice(MARKET, '48990');
      expect(await venue.cancelOrder(MARKET, second.clientOrderId)).toMatchObject({ status: 'filled' });
      await expect(venue.cancelOrder(MARKET, 'sbx-never-sent')).rejects.toMatchObject({ failure: 'rejected' });
    });

    test('whose cancel was taken and that still shows as open is not told as canceled', async () => {
      const resting = limit('49000');
      await venue.placeOrder(resting);
      const { taken, ...match } = cancels;
      emulated.faults.answerInstead(match, 200, taken);
      await expect(venue.cancelOrder(MARKET, resting.clientOrderId)).rejects.toMatchObject({
        ...{ failure: 'unknown', message: expect.stringContaining('still shows the order as open') },
      });
      expect(await venue.cancelOrder(MARKET, resting.clientOrderId)).toMatchObject({ status: 'canceled' });
    });

    test('that is post-only and would trade at once is refused', async () => {
      const outcome = await venue.placeOrder(limit('51000', { postOnly: true })).then(
        ({ status }) => status,
        ({ failure }) => failure,
      );
      expect(outcome).toBe('rejected');
      expect(await held()).toBe('');
      expect(await venue.placeOrder(limit('49000', { postOnly: true }))).toMatchObject({ status: 'submitted' });
    });

    test('that is IOC fills what it can at once, and one that is FOK all or nothing', async () => {
      emulated.market.setLiquidity(MARKET, '0.006');
      const { failure, status } = await venue
        .placeOrder(limit('51000', { timeInForce: 'FOK' }))
        .catch((error) => error);
      expect(['rejected', 'expired', 'canceled']).toContain(failure ?? status);
      expect(await held()).toBe('');
      const report = await venue.placeOrder(limit('51000', { timeInForce: 'IOC' }));
      expect([report.status, toText(report.executedQuantity)]).toEqual(['expired', '0.006']);
    });
  });

  describe('the venue’s own stream', () => {
    const NEVER_MS = 600_000;
    let told: OrderReport[];
    let listener: Venue;

    beforeEach(async () => {
      told = [];
      listener = await open(emulated.credentials.secret, NEVER_MS);
      listener.watchOrders((report) => void told.push(report));
      await expect.poll(streamsThatListen).toBe(2);
    });
    afterEach(() => listener.close());

    /** Of the account of every test, and of the one that only listens: an order of the owner's own is told to each. */
    const streamsThatListen = (): number => {
      emulated.faults.toldStreams.clear();
      const positionSide = exchange === 'mexc' ? 'LONG' : 'BOTH';
      const order = { clientOrderId: '', symbol: MARKET, side: 'BUY', positionSide, timeInForce: 'GTC' } as const;
      const [quantity, price] = [decimal('0.01'), decimal('45000')];
      emulated.market.cancel(emulated.market.place({ ...order, quantity, price, reduceOnly: false }));
      return emulated.faults.toldStreams.size;
    };

    const fillOf = async (): Promise<void> => {
      const { clientOrderId } = await listener.placeOrder(limit('49000'));
      emulated.market.setPrice(MARKET, '48990');
      await expect.poll(() => told.at(-1), { timeout: 5000 }).toMatchObject({ clientOrderId, status: 'filled' });
      emulated.market.setPrice(MARKET, '50000');
    };

    test('tells of a fill at once, without anybody looking', async () => {
      await fillOf();
    });

    test('that was cut is made anew, and what was missed meanwhile is found', async () => {
      const { clientOrderId } = await listener.placeOrder(limit('49000'));
      emulated.faults.cutStreams();
      emulated.market.setPrice(MARKET, '48990');
      await expect.poll(() => told.at(-1), { timeout: 5000 }).toMatchObject({ clientOrderId, status: 'filled' });
      emulated.market.setPrice(MARKET, '50000');
      await fillOf();
    });

    test('that tells everything twice makes nothing double', async () => {
      emulated.faults.repeatEvents = 10;
      await fillOf();
      // Whatever the first has made double is told before the second.
      await fillOf();
      expect(told.filter(({ status }) => status === 'filled')).toHaveLength(2);
    });
  });

  describe('a close', () => {
    const close = (quantity: string) => order({ side: 'SELL', reduceOnly: true, quantity: decimal(quantity) });

    test('never flips the position, however large it is', async () => {
      await venue.placeOrder(order());
      const outcome = await venue.placeOrder(close('0.03')).catch(({ failure }) => failure);
      expect(['rejected', 'LONG 0.01', '']).toContain(outcome === 'rejected' ? outcome : await held());
      expect(await held()).not.toContain('SHORT');
    });

    test('reduces, and without a position it is refused', async () => {
      await venue.placeOrder(order());
      expect(await venue.placeOrder(close('0.004'))).toMatchObject({
        status: 'filled',
        positionSide: 'LONG',
        reduceOnly: true,
      });
      expect(await held()).toBe('LONG 0.006');
      await venue.placeOrder(close('0.006'));
      await expect(venue.placeOrder(close('0.006'))).rejects.toMatchObject({ failure: 'rejected' });
    });
  });

  describe('when an answer is lost', () => {
    test.each<[string, (match: FaultMatch) => void]>([
      ['breaks off', (match) => emulated.faults.dropAnswerAfterAccept(match)],
      ['is a 502', (match) => emulated.faults.statusAfterAccept(match, 502)],
      ['says that nobody knows', (match) => emulated.faults.unknownOutcome(match, true)],
      ['is garbage', (match) => emulated.faults.garbage(match, true)],
    ])('%s: it is unknown, the order is there, and there is one', async (_, plan) => {
      plan(orders);
      const request = order();
      await expect(venue.placeOrder(request)).rejects.toMatchObject({ failure: 'unknown' });
      expect(await found(request)).toMatchObject({ status: 'filled' });
      expect(emulated.market.orders).toHaveLength(1);
    });

    test('and the order never arrived, it is not certain for as long as it might appear', async () => {
      emulated.faults.dropBefore(orders);
      const request = order();
      await expect(venue.placeOrder(request)).rejects.toMatchObject({ failure: 'unknown' });
      expect(await venue.findOrder(MARKET, request.clientOrderId)).toEqual({ found: false, certain: false });
    });

    test('and the time in which it might appear is over, it is certain; so it is of one that was sent before a restart', async () => {
      emulated.faults.dropBefore(orders);
      const request = order();
      await expect(venue.placeOrder(request)).rejects.toMatchObject({ failure: 'unknown' });
      const found = async (id: string) => venue.findOrder(MARKET, id);
      expect(await found('sbx-of-another-process')).toEqual({ found: false, certain: false });
      elapsedMs = 60_000;
      expect(await found(request.clientOrderId)).toEqual({ found: false, certain: false });
      elapsedMs = 75_000;
      expect(await found(request.clientOrderId)).toEqual({ found: false, certain: true });
      expect(await found('sbx-of-another-process')).toEqual({ found: false, certain: true });
    });

    test('of a question that comes before the order, the order was not sent', async () => {
      emulated.faults.dropBefore({ method: 'GET', path: mode });
      await expect(venue.placeOrder(order())).rejects.toMatchObject({ failure: 'not-sent' });
      expect(emulated.market.orders).toEqual([]);
      expect(await venue.placeOrder(order())).toMatchObject({ status: 'filled' });
    });

    test('and while the fills are not shown yet the order is not told, then whole', async () => {
      const reply = { status: 200, text: fills.none };
      emulated.faults.plan({ method: 'GET', path: fills.path }, { type: 'answer', when: 'before', reply });
      // Nor does the stream tell them.
      emulated.faults.loseEvents = 100;
      const request = order();
      await expect(venue.placeOrder(request)).rejects.toMatchObject({ failure: 'unknown' });
      expect(await found(request)).toMatchObject({ status: 'filled', fills: [{ quantity: request.quantity }] });
    });

    test('the same order sent twice is one order', async () => {
      const request = limit('49000');
      await venue.placeOrder(request);
      await expect(venue.placeOrder(request)).rejects.toMatchObject({ failure: 'duplicate' });
      expect(emulated.market.orders).toHaveLength(1);
    });
  });

  test('too many requests mean that nothing was sent, and silence for as long as the venue wants', async () => {
    await venue.placeOrder(order());
    emulated.faults.tooManyRequests(orders, ban ?? 429, 30);
    await expect(venue.placeOrder(order())).rejects.toMatchObject({ failure: 'not-sent' });
    expect(emulated.market.orders).toHaveLength(1);
    const before = emulated.requests.length;
    const next = venue.placeOrder(order());
    if (ban === undefined) return expect(await next).toMatchObject({ status: 'filled' });
    await expect(next).rejects.toMatchObject({ failure: 'not-sent' });
    expect(emulated.requests).toHaveLength(before);
  });

  test('to close it ends what it is being asked, without a word about it', async () => {
    await venue.placeOrder(limit('49000'));
    emulated.faults.silent = true;
    const before = emulated.requests.length;
    await vi.waitFor(() => expect(emulated.requests.length).toBeGreaterThan(before), { timeout: 10_000 });
    const beganMs = performance.now();
    await venue.close();
    // A request without an answer is given up after ten seconds.
    expect(performance.now() - beganMs).toBeLessThan(5000);
    expect(troubles).toEqual([]);
  });

  test('rules that have changed are known after a refusal, once a minute', async () => {
    await venue.placeOrder(limit('49000.1'));
    const listings = () => emulated.requests.filter(({ path }) => path === listing).length;
    const before = listings();
    await expect(venue.placeOrder(limit('49000.11'))).rejects.toMatchObject({ failure: 'rejected' });
    expect(listings()).toBe(before);
    elapsedMs += 60_000;
    await expect(venue.placeOrder(limit('49000.11'))).rejects.toMatchObject({ failure: 'rejected' });
    await vi.waitFor(() => expect(listings()).toBeGreaterThan(before), { timeout: 10_000 });
  });

  test('a clock that has moved is read again, and the order goes through', async () => {
    await venue.placeOrder(order());
    clockAheadMs = -CLOCK_AHEAD_MS;
    expect(await venue.placeOrder(order())).toMatchObject({ status: 'filled' });
    expect(await held()).toBe('LONG 0.02');
  });

  test('what is held tells the leverage that is set, whoever set it', async () => {
    emulated.market.setLeverage(MARKET, 9);
    await venue.placeOrder(order());
    const leverage = async () => (await venue.positions(MARKET))[0]?.leverage;
    await expect.poll(leverage).toBe(9);
    await venue.ensureLeverage(MARKET, 7);
    await expect.poll(leverage).toBe(7);
  });

  test('leverage is set, what is set already is no fault, and too much is refused', async () => {
    await venue.ensureLeverage(MARKET, 7);
    await venue.ensureLeverage(MARKET, 7);
    expect(emulated.market.account.settings(MARKET).leverage).toBe(7);
    await expect(venue.ensureLeverage(MARKET, 500)).rejects.toMatchObject({ failure: 'rejected' });
  });

  test('an order that the account cannot pay is refused with a remedy', async () => {
    await expect(venue.placeOrder(order({ quantity: decimal('50') }))).rejects.toMatchObject({
      failure: 'rejected',
      message: expect.stringContaining('send a smaller quantity'),
    });
  });

  test('a wrong secret is told as such', async () => {
    const stranger = await open('wrong');
    await expect(stranger.summary()).rejects.toMatchObject({
      failure: 'rejected',
      message: expect.stringContaining('check the secret'),
    });
    await stranger.close();
  });

  test('its key tells what it may do, and its clock is known', async () => {
    const { venue: other, clockOffsetMs, permissions } = await opened(emulated.credentials.secret, 50);
    expect(Math.abs((await clockOffsetMs()) - CLOCK_AHEAD_MS)).toBeLessThan(2_000);
    const isTold = exchange !== 'mexc';
    expect(await permissions()).toMatchObject({
      canWithdraw: isTold ? false : undefined,
      canTrade: isTold ? true : undefined,
    });
    await other.close();
  });

  test('nothing says that anybody but its owner trades', async () => {
    await venue.placeOrder(order());
    const named = emulated.requests.flatMap(({ headers }) => [headers.referer, headers.source].filter(Boolean));
    expect(named).toEqual([]);
  });

  test('the account is worth what the venue says', async () => {
    await venue.placeOrder(order());
    emulated.market.setPrice(MARKET, '51000');
    const { balance, unrealizedPnl, equity, marginInUse, available } = await venue.summary();
    expect(equity).toBe(balance + unrealizedPnl);
    expect(toText(unrealizedPnl)).toMatch(/^9\.9|^10/);
    expect(marginInUse > 0n && available < equity).toBe(true);
  });
});
