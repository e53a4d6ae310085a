// What we send for an order beside what ccxt sends for the same: the two were written by different people from the same documents.
//
// MEXC is not compared with it: there ccxt closes hedge positions with the wrong side. Its sides are checked by their published
// meanings in mexc-orders.test.ts.

import ccxt from 'ccxt';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decimal } from '../../src/trading/decimal.ts';
import type { OrderRequest, StopRequest, Venue } from '../../src/trading/venue.ts';
import { openEmulatedAccount } from '../support/emulated-account.ts';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import { startBybitVenue } from '../support/emulated-venues/bybit/bybit-venue.ts';
import type { EmulatedVenue } from '../support/emulated-venues/emulated-venue.ts';

const MARKET = 'BTCUSDT';
const UNIFIED = 'BTC/USDT:USDT';
const STOP: StopRequest = {
  ...{ clientStopId: 'sbx-compare-stop', market: MARKET, kind: 'stop', positionSide: 'LONG' },
  ...{ quantity: decimal('0.013'), triggerPrice: decimal('49000.1') },
};

/** What of ccxt is called here. */
interface CcxtTrader {
  urls: { api: unknown };
  has: Record<string, boolean>;
  options: Record<string, unknown>;
  createOrder(
    symbol: string,
    type: string,
    side: string,
    amount: number,
    price?: number,
    params?: object,
  ): Promise<unknown>;
  loadMarkets(): Promise<unknown>;
  setPositionMode(isHedge: boolean, symbol: string): Promise<unknown>;
  setLeverage(leverage: number, symbol: string): Promise<unknown>;
  cancelOrder(id: string | undefined, symbol: string, params: object): Promise<unknown>;
  fetchOrder(id: string | undefined, symbol: string, params: object): Promise<unknown>;
  fetchOpenOrder(id: string | undefined, symbol: string, params: object): Promise<unknown>;
  fetchOpenOrders(symbol: string, since: undefined, limit: undefined, params: object): Promise<unknown>;
  fetchPositions(symbols: readonly string[], params: object): Promise<unknown>;
}

const VENUES = [
  {
    exchange: 'binance',
    ...{ start: startBinance, name: 'binanceusdm', path: '/fapi/v1/order', stops: '/fapi/v1/algoOrder' },
    urls: (base: string) => ({
      ...{ fapiPublic: `${base}/fapi/v1`, fapiPublicV2: `${base}/fapi/v2`, fapiPublicV3: `${base}/fapi/v3` },
      ...{ fapiPrivate: `${base}/fapi/v1`, fapiPrivateV2: `${base}/fapi/v2`, fapiPrivateV3: `${base}/fapi/v3` },
      ...{ sapi: `${base}/sapi/v1`, public: `${base}/api/v3`, private: `${base}/api/v3` },
    }),
    leverage: '/fapi/v1/leverage',
    cancel: { method: 'DELETE', path: '/fapi/v1/order' },
    query: { method: 'GET', path: '/fapi/v1/order' },
    asks: 'fetchOrder',
    hedge: { positionSide: 'LONG' },
    stopOf: '/fapi/v1/algoOrder',
    ...{ stopList: '/fapi/v1/openAlgoOrders', openOrders: '/fapi/v1/openOrders', positions: '/fapi/v3/positionRisk' },
    cancelStop: { method: 'DELETE', path: '/fapi/v1/algoOrder' },
    // An id of ours is enough there for a stop; ccxt names the market too, and asks for the positions of all.
    more: 'symbol',
  },
  {
    exchange: 'bybit',
    ...{ start: startBybitVenue, name: 'bybit', path: '/v5/order/create', stops: '/v5/order/create' },
    urls: (base: string) => ({ spot: base, futures: base, v2: base, public: base, private: base }),
    leverage: '/v5/position/set-leverage',
    cancel: { method: 'POST', path: '/v5/order/cancel' },
    query: { method: 'GET', path: '/v5/order/realtime' },
    asks: 'fetchOpenOrder',
    hedge: { positionIdx: 1 },
    stopOf: '/v5/order/realtime',
    ...{ stopList: '/v5/order/realtime', openOrders: '/v5/order/realtime', positions: '/v5/position/list' },
    cancelStop: { method: 'POST', path: '/v5/order/cancel' },
    // Without it orders of every kind are meant, which one id cannot mistake.
    more: 'orderFilter',
  },
] as const;

/** So that ccxt asks the emulated venues for nothing but futures. */
const OPTIONS = {
  ...{ defaultType: 'swap', fetchMarkets: { types: ['linear'] } },
  ...{ enableUnifiedMargin: false, enableUnifiedAccount: true, unifiedMarginStatus: 6 },
};

/** Of every signed request. */
const SIGNING = ['timestamp', 'recvWindow', 'signature'];
/** Of every question: how many rows the answer may have is each one's own choice. */
const READING = [...SIGNING, 'limit'];
/** What has to differ, or says only how the answer should look; ccxt writes out some defaults, and so may we. */
const IGNORED = [...SIGNING, 'newClientOrderId', 'orderLinkId', 'clientAlgoId', 'newOrderRespType'];
const DEFAULTS: Readonly<Record<string, string>> = {
  ...{ reduceOnly: 'false', positionIdx: '0', timeInForce: 'GTC' },
  ...{ workingType: 'CONTRACT_PRICE', triggerBy: 'LastPrice', closeOnTrigger: 'false', openOnly: '0' },
};

describe.each(VENUES)(
  '$exchange',
  ({ exchange, start, name, path, stops, urls, leverage, cancel, query, asks, hedge, ...paths }) => {
    let emulated: EmulatedVenue;
    let venue: Venue;
    let trader: CcxtTrader;
    let ids = 0;

    beforeEach(async () => {
      emulated = await start();
      emulated.market.setPrice(MARKET, '50000');
      venue = await openEmulatedAccount(exchange, emulated);
      const Trader = ccxt[name] as unknown as new (options: object) => CcxtTrader;
      trader = new Trader({ ...emulated.credentials, options: OPTIONS });
      trader.has.fetchCurrencies = false;
      trader.urls.api = urls(emulated.baseUrl);
    });

    afterEach(async () => {
      await venue.close();
      await emulated.close();
    });

    /** The parameters of the last request to a path, in texts. */
    const lastTo = (wanted: string, method = 'POST', ignored = IGNORED): Record<string, string> => {
      const found = emulated.requests.filter((request) => request.method === method && request.path === wanted).at(-1);
      const sent = found?.body.startsWith('{')
        ? JSON.parse(found.body)
        : Object.fromEntries(new URLSearchParams(found?.body || found?.rawQuery));
      const kept = Object.entries(sent as object)
        .map(([key, value]): [string, string] => [key, String(value)])
        .filter(([key, value]) => !ignored.includes(key) && DEFAULTS[key] !== value);
      return Object.fromEntries(kept.sort());
    };

    const order = (changes: Partial<OrderRequest>): OrderRequest => {
      ids += 1;
      return {
        ...{
          clientOrderId: `sbx-compare-${ids}`,
          market: MARKET,
          side: 'BUY',
          positionSide: 'LONG',
          reduceOnly: false,
        },
        ...{ quantity: decimal('0.013'), ...changes },
      };
    };

    type Theirs = readonly [type: string, side: string, amount: number, price?: number, params?: object];
    test.each<[string, Partial<OrderRequest>, Theirs]>([
      ['buys at market', {}, ['market', 'buy', 0.013]],
      ['sells at market', { side: 'SELL', positionSide: 'SHORT' }, ['market', 'sell', 0.013]],
      ['closes a long', { side: 'SELL', reduceOnly: true }, ['market', 'sell', 0.013, undefined, { reduceOnly: true }]],
      ['rests', { price: decimal('49000.1') }, ['limit', 'buy', 0.013, 49000.1]],
      [
        'is IOC',
        { price: decimal('50500'), timeInForce: 'IOC' },
        ['limit', 'buy', 0.013, 50500, { timeInForce: 'IOC' }],
      ],
      [
        'is FOK',
        { price: decimal('50500'), timeInForce: 'FOK' },
        ['limit', 'buy', 0.013, 50500, { timeInForce: 'FOK' }],
      ],
      ['is post-only', { price: decimal('49000'), postOnly: true }, ['limit', 'buy', 0.013, 49000, { postOnly: true }]],
    ])('an order that %s', async (_, ours, [type, side, amount, price, params]) => {
      await venue.placeOrder(order({ quantity: decimal('0.026') }));
      await venue.placeOrder(order(ours));
      const sent = lastTo(path);
      expect(Object.keys(sent).length).toBeGreaterThan(3);
      await trader.createOrder(UNIFIED, type, side, amount, price, params);
      expect(sent).toEqual(lastTo(path));
    });

    test('an order of a hedge account', async () => {
      await trader.loadMarkets();
      await trader.setPositionMode(true, UNIFIED);
      await venue.placeOrder(order({}));
      const sent = lastTo(path);
      await trader.createOrder(UNIFIED, 'market', 'buy', 0.013, undefined, hedge);
      expect(sent).toEqual(lastTo(path));
    });

    test.each<[string, Partial<StopRequest>, Theirs]>([
      ['a stop of a long', {}, ['market', 'sell', 0.013, undefined, { stopLossPrice: 49000.1, reduceOnly: true }]],
      [
        'a take profit of a long',
        { kind: 'take-profit', triggerPrice: decimal('51000.1') },
        ['market', 'sell', 0.013, undefined, { takeProfitPrice: 51000.1, reduceOnly: true }],
      ],
      [
        'a stop of a short',
        { positionSide: 'SHORT', triggerPrice: decimal('51000.1') },
        ['market', 'buy', 0.013, undefined, { stopLossPrice: 51000.1, reduceOnly: true }],
      ],
      [
        'a take profit of a short',
        { positionSide: 'SHORT', kind: 'take-profit' },
        ['market', 'buy', 0.013, undefined, { takeProfitPrice: 49000.1, reduceOnly: true }],
      ],
    ])('%s', async (_, changes, [type, side, amount, price, params]) => {
      const isShort = changes.positionSide === 'SHORT';
      await venue.placeOrder(order(isShort ? { side: 'SELL', positionSide: 'SHORT' } : {}));
      await venue.stops?.place({ ...STOP, ...changes });
      const sent = lastTo(stops);
      expect(Object.keys(sent).length).toBeGreaterThan(5);
      await trader.createOrder(UNIFIED, type, side, amount, price, params);
      expect(sent).toEqual(lastTo(stops));
    });

    test('a stop of a hedge account', async () => {
      await trader.loadMarkets();
      await trader.setPositionMode(true, UNIFIED);
      await venue.placeOrder(order({}));
      await venue.stops?.place(STOP);
      const sent = lastTo(stops);
      // Binance's hedge accounts do not take reduceOnly; Bybit's do.
      await trader.createOrder(UNIFIED, 'market', 'sell', 0.013, undefined, { stopLossPrice: 49000.1, ...hedge });
      expect(sent).toEqual(lastTo(stops));
    });

    describe('of an order that rests', () => {
      let clientOrderId: string;
      let ids: object;
      beforeEach(async () => {
        ({ clientOrderId } = await venue.placeOrder(order({ price: decimal('49000.1') })));
        ids = exchange === 'bybit' ? { orderLinkId: clientOrderId } : { origClientOrderId: clientOrderId };
      });

      test('the query by its id', async () => {
        await venue.findOrder(MARKET, clientOrderId);
        const sent = lastTo(query.path, query.method, SIGNING);
        expect(Object.values(sent)).toEqual(expect.arrayContaining([MARKET, clientOrderId]));
        await trader[asks](undefined, UNIFIED, ids);
        expect(sent).toEqual(lastTo(query.path, query.method, SIGNING));
      });

      test('the cancel by its id', async () => {
        await venue.cancelOrder(MARKET, clientOrderId);
        const sent = lastTo(cancel.path, cancel.method, SIGNING);
        expect(Object.values(sent)).toEqual(expect.arrayContaining([MARKET, clientOrderId]));
        // It is gone by then, so the venue refuses this one: what was asked for is what counts.
        await expect(trader.cancelOrder(undefined, UNIFIED, ids)).rejects.toThrow();
        expect(sent).toEqual(lastTo(cancel.path, cancel.method, SIGNING));
      });
    });

    describe('of a stop that waits', () => {
      const stopIds = exchange === 'bybit' ? { orderLinkId: STOP.clientStopId } : { clientAlgoId: STOP.clientStopId };
      const theirs = { trigger: true, ...stopIds };
      beforeEach(async () => {
        await venue.placeOrder(order({}));
        await venue.stops?.place(STOP);
      });

      test('the query by its id', async () => {
        await venue.stops?.find(MARKET, STOP.clientStopId);
        const sent = lastTo(paths.stopOf, 'GET', READING);
        expect(Object.values(sent)).toContain(STOP.clientStopId);
        await trader[asks](undefined, UNIFIED, theirs);
        expect(sent).toEqual(lastTo(paths.stopOf, 'GET', [...READING, paths.more]));
      });

      test('the list', async () => {
        await venue.stops?.waiting(MARKET);
        const sent = lastTo(paths.stopList, 'GET', READING);
        expect(Object.values(sent)).toContain(MARKET);
        await trader.fetchOpenOrders(UNIFIED, undefined, undefined, { trigger: true });
        expect(sent).toEqual(lastTo(paths.stopList, 'GET', READING));
      });

      test('the cancel by its id', async () => {
        await venue.stops?.cancel(MARKET, STOP.clientStopId);
        const { method, path: where } = paths.cancelStop;
        const sent = lastTo(where, method, SIGNING);
        expect(Object.values(sent)).toContain(STOP.clientStopId);
        await expect(trader.cancelOrder(undefined, UNIFIED, theirs)).rejects.toThrow();
        // Of Bybit's cancel ccxt leaves its own word in what it sends.
        expect(sent).toEqual(lastTo(where, method, [...SIGNING, paths.more, 'trigger']));
      });
    });

    test('the open orders and the positions of a market', async () => {
      await venue.openOrders(MARKET);
      const orders = lastTo(paths.openOrders, 'GET', READING);
      await venue.positions(MARKET);
      const positions = lastTo(paths.positions, 'GET', [...READING, paths.more]);
      expect(Object.values(orders)).toContain(MARKET);
      await trader.fetchOpenOrders(UNIFIED, undefined, undefined, {});
      expect(orders).toEqual(lastTo(paths.openOrders, 'GET', READING));
      await trader.fetchPositions([UNIFIED], {});
      expect(positions).toEqual(lastTo(paths.positions, 'GET', [...READING, paths.more]));
    });

    test('a leverage', async () => {
      await venue.ensureLeverage(MARKET, 7);
      const sent = lastTo(leverage);
      emulated.market.setLeverage(MARKET, 3);
      await trader.setLeverage(7, UNIFIED);
      expect(sent).toEqual(lastTo(leverage));
    });
  },
);
