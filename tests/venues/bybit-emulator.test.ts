// The emulated Bybit keeps Bybit's published rules: each has its test, through HTTP and WebSocket as a client meets it.

import { describe, expect, it } from 'vitest';
import { closeAtEnd } from '../support/close-at-end.ts';
import { BybitClient } from '../support/emulated-venues/bybit/bybit-client.ts';
import {
  type BybitVenue,
  type BybitVenueOptions,
  startBybitVenue,
} from '../support/emulated-venues/bybit/bybit-venue.ts';
import { hmacSha256Hex } from '../support/emulated-venues/emulated-venue.ts';
import { openStream, type StreamClient } from '../support/emulated-venues/stream-client.ts';

const START_MS = 1_700_000_000_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LINEAR = { category: 'linear' };
const BTC = { ...LINEAR, symbol: 'BTCUSDT' };

interface Opened {
  readonly venue: BybitVenue;
  readonly client: BybitClient;
  /** The venue's clock, which stands still until it is moved. */
  readonly clock: { nowMs: number };
}

/** Bitcoin at 50000, bid 49999.9, ask 50000.1. */
async function open(options: BybitVenueOptions = {}): Promise<Opened> {
  const clock = { nowMs: START_MS };
  const venue = await startBybitVenue({ nowMs: () => clock.nowMs, ...options });
  closeAtEnd(() => venue.close());
  venue.market.setPrice('BTCUSDT', '50000');
  venue.market.setPrice('ETHUSDT', '3000');
  return { venue, client: new BybitClient(venue), clock };
}

const realtime = async (client: BybitClient, query: Record<string, string>) =>
  (await client.get('/v5/order/realtime', { ...BTC, ...query })).result.list;
const history = async (client: BybitClient, query: Record<string, string> = {}) =>
  (await client.get('/v5/order/history', { ...BTC, ...query })).result.list;
const position = async (client: BybitClient, index = 0) =>
  (await client.get('/v5/position/list', BTC)).result.list.find(
    (row: { positionIdx: number }) => row.positionIdx === index,
  );

const RARELY = { interval: 300, timeout: 10_000 };

describe('signatures', () => {
  it('a signed request is answered, and so is a public one without any', async () => {
    const { venue, client } = await open();
    expect((await client.get('/v5/account/info')).retCode).toBe(0);
    const time = await (await fetch(`${venue.baseUrl}/v5/market/time`)).json();
    expect(time).toMatchObject({ retCode: 0, time: START_MS, result: { timeSecond: '1700000000' } });
  });

  it.each([
    ['an unknown key', { apiKey: 'nobody' }, 10003],
    ['another secret', { secret: 'wrong' }, 10004],
    ['a time that is as old as the window', { timestampMs: START_MS - 5000 }, 0],
    ['an older time', { timestampMs: START_MS - 5001 }, 10002],
    ['an older time in a wider window', { timestampMs: START_MS - 5001, window: '6000' }, 0],
    ['a clock just less than a second ahead', { timestampMs: START_MS + 999 }, 0],
    ['a clock a second ahead', { timestampMs: START_MS + 1000 }, 10002],
  ])('%s: code in an answer of status 200', async (_, options, retCode) => {
    const { client } = await open();
    const answer = await client.get('/v5/order/realtime', BTC, options);
    expect(answer).toMatchObject({ status: 200, retCode });
  });

  it('covers the body of a POST to the letter', async () => {
    const { venue } = await open();
    const { apiKey, secret } = venue.credentials;
    const sign = hmacSha256Hex(secret, `${START_MS}${apiKey}5000{"a":1}`);
    const headers = {
      'X-BAPI-API-KEY': apiKey,
      'X-BAPI-TIMESTAMP': String(START_MS),
      'X-BAPI-RECV-WINDOW': '5000',
      'X-BAPI-SIGN': sign,
    };
    const sent = await fetch(`${venue.baseUrl}/v5/order/create`, { method: 'POST', headers, body: '{"a": 1}' });
    expect(await sent.json()).toMatchObject({ retCode: 10004 });
  });

  it('headers that are missing are 10001, and an unknown path is 404', async () => {
    const { venue, client } = await open();
    expect(await (await fetch(`${venue.baseUrl}/v5/account/info`)).json()).toMatchObject({ retCode: 10001 });
    expect(await client.get('/v5/nothing')).toMatchObject({ status: 404, retCode: 10017 });
  });
});

describe('keys', () => {
  it('tell what they may do: trade, and neither withdraw nor be bound to an address', async () => {
    const { client } = await open();
    const { result } = await client.get('/v5/user/query-api');
    expect(result).toMatchObject({ readOnly: 0, ips: ['*'], uta: 1 });
    expect(result.permissions).toMatchObject({ ContractTrade: ['Order', 'Position'], Wallet: [] });
  });

  it('tell of withdrawals where they may', async () => {
    const permissions = { ContractTrade: ['Order', 'Position'], Wallet: ['AccountTransfer', 'Withdraw'] };
    const { client } = await open({ key: { permissions } });
    expect((await client.get('/v5/user/query-api')).result.permissions.Wallet).toContain('Withdraw');
  });

  it.each([
    ['read only', { readOnly: true }],
    ['without the permission for orders', { permissions: { ContractTrade: ['Position'] } }],
  ])('%s: 10005 for an order, while reading goes on', async (_, key) => {
    const { client, venue } = await open({ key });
    expect((await client.order({})).retCode).toBe(10005);
    expect((await client.get('/v5/position/list', BTC)).retCode).toBe(0);
    expect(venue.market.orders).toEqual([]);
  });

  it('bound to another address are 10010', async () => {
    const { client } = await open({ key: { ips: ['192.0.2.1'] } });
    expect((await client.get('/v5/account/info')).retCode).toBe(10010);
    const { client: bound } = await open({ key: { ips: ['127.0.0.1'] } });
    expect((await bound.get('/v5/account/info')).retCode).toBe(0);
  });
});

describe('contracts', () => {
  it('publish their filters', async () => {
    const { client } = await open();
    const { result } = await client.get('/v5/market/instruments-info', BTC);
    expect(result.list).toMatchObject([
      {
        symbol: 'BTCUSDT',
        contractType: 'LinearPerpetual',
        priceFilter: { tickSize: '0.1' },
        lotSizeFilter: { qtyStep: '0.001', minOrderQty: '0.001', minNotionalValue: '100', maxMktOrderQty: '120' },
        leverageFilter: { maxLeverage: '125.00' },
      },
    ]);
    expect((await client.get('/v5/market/instruments-info', { category: 'spot' })).retCode).toBe(10001);
    expect((await client.get('/v5/market/instruments-info', { ...LINEAR, symbol: 'NOPE' })).retCode).toBe(10001);
  });

  it('come in pages', async () => {
    const { client } = await open();
    const first = (await client.get('/v5/market/instruments-info', { ...LINEAR, limit: '2' })).result;
    expect(first.list).toHaveLength(2);
    const query = { ...LINEAR, limit: '2', cursor: first.nextPageCursor };
    const second = (await client.get('/v5/market/instruments-info', query)).result;
    expect([second.list.length, second.nextPageCursor]).toEqual([1, '']);
  });

  it('have risk limits and tickers', async () => {
    const { client } = await open();
    const limits = (await client.get('/v5/market/risk-limit', BTC)).result.list;
    expect(limits[0]).toMatchObject({ riskLimitValue: '300000', maxLeverage: '125.00', isLowestRisk: 1 });
    const [ticker] = (await client.get('/v5/market/tickers', BTC)).result.list;
    expect(ticker).toMatchObject({ lastPrice: '50000', bid1Price: '49999.9', ask1Price: '50000.1' });
  });
});

describe('an order', () => {
  it('is only acknowledged; its fills are read from the lists', async () => {
    const { client, venue } = await open();
    venue.market.setMaxTrade('BTCUSDT', '0.006');
    const { result } = await client.order({ orderLinkId: 'sbx-1' });
    expect(Object.keys(result)).toEqual(['orderId', 'orderLinkId']);
    expect(await realtime(client, { orderLinkId: 'sbx-1' })).toMatchObject([
      {
        orderId: result.orderId,
        orderStatus: 'Filled',
        cumExecQty: '0.01',
        avgPrice: '50000.1',
        orderType: 'Market',
        cumFeeDetail: { USDT: '0.27500055' },
      },
    ]);
    const fills = (await client.get('/v5/execution/list', { ...BTC, orderLinkId: 'sbx-1' })).result.list;
    expect(fills.map((fill: { execQty: string }) => fill.execQty).sort()).toEqual(['0.004', '0.006']);
    expect(fills[0]).toMatchObject({ orderId: result.orderId, execType: 'Trade', feeCurrency: 'USDT' });
  });

  it('fills later where the venue takes its time', async () => {
    const { client, venue } = await open();
    venue.market.fillDelayMs = 1000;
    await client.order({ orderLinkId: 'late' });
    expect(await realtime(client, { orderLinkId: 'late' })).toMatchObject([{ orderStatus: 'New', cumExecQty: '0' }]);
    // Seldom: the clock of the venue stands still, so its limit of requests is used up after twenty.
    await expect
      .poll(async () => (await realtime(client, { orderLinkId: 'late' }))[0].orderStatus, RARELY)
      .toBe('Filled');
  });

  it('stays unseen in realtime for as long as the list is late', async () => {
    const { client, venue, clock } = await open();
    venue.lagMs.realtime = 300;
    await client.order({ orderLinkId: 'unseen' });
    clock.nowMs += 299;
    expect(await realtime(client, { orderLinkId: 'unseen' })).toEqual([]);
    expect((await client.order({ orderLinkId: 'unseen' })).retCode).toBe(110072);
    clock.nowMs += 1;
    expect(await realtime(client, { orderLinkId: 'unseen' })).toHaveLength(1);
  });

  it('has an id of its own for ever: the second is 110072, filled or cancelled before', async () => {
    const { client, venue } = await open();
    await client.order({ orderLinkId: 'once' });
    expect(await client.order({ orderLinkId: 'once' })).toMatchObject({ status: 200, retCode: 110072 });
    await client.order({ orderType: 'Limit', price: '49000', orderLinkId: 'gone' });
    await client.post('/v5/order/cancel', { ...BTC, orderLinkId: 'gone' });
    expect((await client.order({ orderLinkId: 'gone' })).retCode).toBe(110072);
    expect(venue.market.orders).toHaveLength(2);
  });

  it.each([
    ['another category', { category: 'spot' }, 10001],
    ['an unknown contract', { symbol: 'NOPEUSDT' }, 10001],
    ['a side in capitals', { side: 'BUY' }, 10001],
    ['an unknown type', { orderType: 'Stop' }, 10001],
    ['a quantity that is a number', { qty: 0.01 }, 10001],
    ['a quantity with an exponent', { qty: '1e-2' }, 10001],
    ['a quantity beside the step', { qty: '0.0105' }, 10001],
    ['nothing', { qty: '0' }, 10001],
    ['a market order over its own maximum', { qty: '120.001' }, 10001],
    ['a limit order without a price', { orderType: 'Limit' }, 10001],
    ['a price beside the tick', { orderType: 'Limit', price: '49999.95' }, 10001],
    ['an unknown time in force', { orderType: 'Limit', price: '49000', timeInForce: 'GTX' }, 10001],
    ['an id that is too long', { orderLinkId: 'x'.repeat(37) }, 10001],
    ['an id with a stop in it', { orderLinkId: 'a.b' }, 10001],
    ['a buying price over the limit', { orderType: 'Limit', price: '52500.1' }, 110003],
    ['a selling price under the limit', { side: 'Sell', orderType: 'Limit', price: '47499.9' }, 110003],
    ['too little value', { qty: '0.001' }, 110094],
    ['a limit of too little value', { qty: '0.002', orderType: 'Limit', price: '49999.9' }, 110094],
    ['more than the account can pay', { qty: '45' }, 110007],
    ['reducing nothing', { reduceOnly: true }, 110017],
    ['a hedge index in one-way mode', { positionIdx: 1 }, 10001],
    ['a trigger without a direction', { triggerPrice: '51000' }, 10001],
    ['a rising trigger below the price', { triggerPrice: '50000', triggerDirection: 1 }, 110092],
    ['a falling trigger above the price', { triggerPrice: '50000', triggerDirection: 2 }, 110093],
    ['a stop loss on the wrong side', { stopLoss: '50000' }, 10001],
  ])('%s is refused', async (_, body, retCode) => {
    const { client, venue } = await open();
    expect(await client.order(body)).toMatchObject({ status: 200, retCode });
    expect([venue.market.orders, venue.market.stops.all]).toEqual([[], []]);
  });

  it.each([
    ['on the limit of prices', { orderType: 'Limit', price: '52500' }],
    ['of just enough value', { qty: '0.002' }],
    ['with the longest id', { orderLinkId: 'x'.repeat(36) }],
  ])('%s is taken', async (_, body) => {
    const { client } = await open();
    expect((await client.order(body)).retCode).toBe(0);
  });

  it('over the risk limit of the leverage is 110090', async () => {
    const { client } = await open({ wallet: '10000000' });
    await client.post('/v5/position/set-leverage', { ...BTC, buyLeverage: '100', sellLeverage: '100' });
    expect((await client.order({ qty: '17' })).retCode).toBe(110090);
  });

  it('more than the contract may have open is 110020', async () => {
    const { client, venue } = await open();
    await client.order({ orderType: 'Limit', price: '49000' });
    const [template] = venue.market.orders;
    const { maxOpenOrders } = venue.market.spec('BTCUSDT');
    for (let n = 1; n < maxOpenOrders; n++) venue.market.orders.push({ ...template!, orderId: template!.orderId + n });
    expect((await client.order({ orderType: 'Limit', price: '49000' })).retCode).toBe(110020);
    venue.market.cancel(venue.market.orders[0]!);
    expect((await client.order({ orderType: 'Limit', price: '49000' })).retCode).toBe(0);
  });

  it('of a contract that has no price yet is 10016', async () => {
    const { client } = await open();
    expect((await client.order({ symbol: 'DOGEUSDT', qty: '1000' })).retCode).toBe(10016);
  });

  it('that may only make and would take is taken, and cancelled in the same moment', async () => {
    const { client } = await open();
    const answer = await client.order({
      orderType: 'Limit',
      price: '50000.1',
      timeInForce: 'PostOnly',
      orderLinkId: 'maker',
    });
    expect(answer.retCode).toBe(0);
    expect(await realtime(client, { orderLinkId: 'maker' })).toMatchObject([
      { orderStatus: 'Cancelled', rejectReason: 'EC_PostOnlyWillTakeLiquidity', cumExecQty: '0' },
    ]);
    await client.order({ orderType: 'Limit', price: '50000', timeInForce: 'PostOnly', orderLinkId: 'rests' });
    expect(await realtime(client, { orderLinkId: 'rests' })).toMatchObject([{ orderStatus: 'New' }]);
  });

  it('that finds too little is cancelled with what it got', async () => {
    const { client, venue } = await open();
    venue.market.setLiquidity('BTCUSDT', '0.004');
    await client.order({ orderLinkId: 'some' });
    expect(await realtime(client, { orderLinkId: 'some' })).toMatchObject([
      { orderStatus: 'Cancelled', cumExecQty: '0.004', rejectReason: 'EC_NoImmediateQtyToFill' },
    ]);
    venue.market.setLiquidity('BTCUSDT', '0.004');
    await client.order({ orderType: 'Limit', price: '50100', timeInForce: 'FOK', orderLinkId: 'all' });
    expect(await realtime(client, { orderLinkId: 'all' })).toMatchObject([
      { orderStatus: 'Cancelled', cumExecQty: '0' },
    ]);
  });

  it('tells the worst price of a market order where a limit order has its own', async () => {
    const { client } = await open();
    await client.order({ orderLinkId: 'bound' });
    expect(await realtime(client, { orderLinkId: 'bound' })).toMatchObject([{ price: '52500', avgPrice: '50000.1' }]);
  });

  it('that only reduces is cut to what is held, and needs no least value', async () => {
    const { client } = await open();
    await client.order({ qty: '0.002' });
    await client.order({ side: 'Sell', qty: '0.5', reduceOnly: true, orderLinkId: 'close' });
    expect(await realtime(client, { orderLinkId: 'close' })).toMatchObject([{ qty: '0.002', orderStatus: 'Filled' }]);
    expect(await position(client)).toMatchObject({ size: '0', side: '' });
    await client.order({ qty: '0.002' });
    expect((await client.order({ side: 'Sell', qty: '0.001', reduceOnly: true })).retCode).toBe(0);
  });

  it('that only reduces is refused where others wait to do so already', async () => {
    const { client } = await open();
    await client.order({});
    await client.order({ side: 'Sell', orderType: 'Limit', price: '51000', reduceOnly: true });
    expect((await client.order({ side: 'Sell', reduceOnly: true })).retCode).toBe(110017);
  });

  it('in the wrong direction reduces nothing either', async () => {
    const { client } = await open();
    await client.order({});
    expect((await client.order({ reduceOnly: true })).retCode).toBe(110017);
  });
});

describe('amending and cancelling', () => {
  it('an open order is changed', async () => {
    const { client } = await open();
    const { result } = await client.order({ orderType: 'Limit', price: '49000', orderLinkId: 'rest' });
    const answer = await client.post('/v5/order/amend', { ...BTC, orderLinkId: 'rest', price: '48000', qty: '0.02' });
    expect(answer).toMatchObject({ retCode: 0, result: { orderId: result.orderId } });
    expect(await realtime(client, { orderLinkId: 'rest' })).toMatchObject([{ price: '48000', qty: '0.02' }]);
  });

  it.each([
    ['to what it is', { price: '49000' }, 10001],
    ['beside the tick', { price: '49000.05' }, 10001],
    ['to no more than it has filled', { qty: '0.004' }, 110064],
  ])('an order is not changed %s', async (_, change, retCode) => {
    const { client, venue } = await open();
    await client.order({ orderType: 'Limit', price: '49000', orderLinkId: 'rest' });
    venue.market.setLiquidity('BTCUSDT', '0.004');
    venue.market.setPrice('BTCUSDT', '48999');
    expect((await client.post('/v5/order/amend', { ...BTC, orderLinkId: 'rest', ...change })).retCode).toBe(retCode);
  });

  it('what has ended, or never was, is 110001', async () => {
    const { client } = await open();
    await client.order({ orderLinkId: 'filled' });
    for (const orderLinkId of ['filled', 'never']) {
      const cancelled = await client.post('/v5/order/cancel', { ...BTC, orderLinkId });
      expect(cancelled).toMatchObject({ retCode: 110001, retMsg: 'order not exists or too late to cancel' });
      const amended = await client.post('/v5/order/amend', { ...BTC, orderLinkId, price: '48000' });
      expect(amended).toMatchObject({ retCode: 110001, retMsg: 'order not exists or too late to replace' });
    }
    expect((await client.post('/v5/order/cancel', BTC)).retCode).toBe(10001);
  });

  it('a cancelled order says who cancelled it, and keeps what it had filled', async () => {
    const { client, venue } = await open();
    await client.order({ orderType: 'Limit', price: '49000', orderLinkId: 'part' });
    venue.market.setLiquidity('BTCUSDT', '0.004');
    venue.market.setPrice('BTCUSDT', '48999');
    expect(await realtime(client, { orderLinkId: 'part' })).toMatchObject([{ orderStatus: 'PartiallyFilled' }]);
    await client.post('/v5/order/cancel', { ...BTC, orderLinkId: 'part' });
    expect(await realtime(client, { orderLinkId: 'part' })).toMatchObject([
      { orderStatus: 'Cancelled', cancelType: 'CancelByUser', cumExecQty: '0.004', leavesQty: '0' },
    ]);
  });

  it('all of a contract can be cancelled at once, conditional ones too', async () => {
    const { client } = await open();
    await client.order({ orderType: 'Limit', price: '49000' });
    await client.order({ triggerPrice: '51000', triggerDirection: 1 });
    const { result } = await client.post('/v5/order/cancel-all', BTC);
    expect(result.list).toHaveLength(2);
    expect(await realtime(client, {})).toEqual([]);
    expect((await client.post('/v5/order/cancel-all', LINEAR)).retCode).toBe(10001);
  });
});

describe('the lists of orders', () => {
  it('realtime has what is open; closed ones by id, or when they are asked for', async () => {
    const { client } = await open();
    await client.order({ orderLinkId: 'filled' });
    await client.order({ orderType: 'Limit', price: '49000', orderLinkId: 'open' });
    const idsOf = (rows: { orderLinkId: string }[]) => rows.map((row) => row.orderLinkId);
    expect(idsOf(await realtime(client, {}))).toEqual(['open']);
    expect(idsOf(await realtime(client, { openOnly: '1' }))).toEqual(['open', 'filled']);
    expect(idsOf(await realtime(client, { orderLinkId: 'filled' }))).toEqual(['filled']);
    expect(idsOf(await history(client))).toEqual(['filled']);
  });

  it('realtime forgets what has closed when the service restarts, and history does not', async () => {
    const { client, venue } = await open();
    await client.order({ orderLinkId: 'filled' });
    await client.order({ orderType: 'Limit', price: '49000', orderLinkId: 'open' });
    venue.forgetClosedOrders();
    expect(await realtime(client, { orderLinkId: 'filled' })).toEqual([]);
    expect(await realtime(client, { orderLinkId: 'open' })).toHaveLength(1);
    expect(await history(client, { orderLinkId: 'filled' })).toMatchObject([{ orderStatus: 'Filled' }]);
  });

  it('realtime keeps the last 500 that closed', async () => {
    const { client, venue } = await open();
    await client.order({ orderLinkId: 'first' });
    const template = venue.market.orders[0]!;
    for (let n = 1; n <= 499; n++)
      venue.market.orders.push({ ...template, orderId: template.orderId + n, clientOrderId: `n${n}` });
    const all = async () => (await realtime(client, { openOnly: '1', limit: '50' })).length;
    expect(await all()).toBe(50);
    expect(await realtime(client, { openOnly: '1', cursor: 'page_token=499&' })).toMatchObject([
      { orderLinkId: 'first' },
    ]);
    await client.order({ orderLinkId: 'last' });
    expect(await realtime(client, { openOnly: '1', cursor: 'page_token=499&' })).toMatchObject([{ orderLinkId: 'n1' }]);
    expect(await realtime(client, { orderLinkId: 'first' })).toEqual([]);
    expect(await history(client, { orderLinkId: 'first' })).toHaveLength(1);
  });

  it('realtime must be told a contract or a coin', async () => {
    const { client } = await open();
    expect((await client.get('/v5/order/realtime', { ...LINEAR, orderLinkId: 'a' })).retCode).toBe(10001);
    expect((await client.get('/v5/order/realtime', { ...LINEAR, settleCoin: 'USDT' })).retCode).toBe(0);
  });

  it('realtime shows twenty open orders unless asked for more', async () => {
    const { client, clock } = await open();
    for (let n = 0; n < 21; n++) {
      await client.order({ orderType: 'Limit', price: '49000' });
      clock.nowMs += 1000;
    }
    const first = (await client.get('/v5/order/realtime', BTC)).result;
    expect(first.list).toHaveLength(20);
    expect(await realtime(client, { cursor: first.nextPageCursor })).toHaveLength(1);
  });

  it('history keeps an order without a fill for a day, one with a fill for longer', async () => {
    const { client, clock } = await open();
    await client.order({ orderLinkId: 'filled' });
    await client.order({ orderType: 'Limit', price: '49000', orderLinkId: 'cancelled' });
    await client.post('/v5/order/cancel', { ...BTC, orderLinkId: 'cancelled' });
    clock.nowMs += DAY_MS - 1;
    expect(await history(client)).toHaveLength(2);
    clock.nowMs += 1;
    expect(await history(client)).toMatchObject([{ orderLinkId: 'filled' }]);
    clock.nowMs += 7 * DAY_MS;
    expect(await history(client)).toEqual([]);
    const startTime = String(START_MS);
    expect(await history(client, { startTime })).toMatchObject([{ orderLinkId: 'filled' }]);
  });

  it('history can be late', async () => {
    const { client, venue, clock } = await open();
    venue.lagMs.history = 500;
    await client.order({ orderLinkId: 'filled' });
    expect(await history(client)).toEqual([]);
    clock.nowMs += 500;
    expect(await history(client)).toHaveLength(1);
  });

  it.each(['/v5/order/history', '/v5/execution/list', '/v5/account/transaction-log'])(
    '%s spans a week at most',
    async (path) => {
      const { client } = await open();
      const ask = (endTime: number) =>
        client.get(path, { ...LINEAR, startTime: String(START_MS), endTime: String(endTime) });
      expect((await ask(START_MS + 7 * DAY_MS)).retCode).toBe(0);
      expect((await ask(START_MS + 7 * DAY_MS + 1)).retCode).toBe(10001);
      expect((await ask(START_MS - 1)).retCode).toBe(10001);
    },
  );

  it('fills older than a week must be asked for with a time', async () => {
    const { client, clock } = await open();
    await client.order({});
    clock.nowMs += 7 * DAY_MS + 1;
    expect((await client.get('/v5/execution/list', BTC)).result.list).toEqual([]);
    const query = { ...BTC, startTime: String(START_MS) };
    expect((await client.get('/v5/execution/list', query)).result.list).toHaveLength(1);
  });
});

describe('positions', () => {
  it('are listed flat when asked by contract, and left out when asked by coin', async () => {
    const { client } = await open();
    expect(await position(client)).toMatchObject({ symbol: 'BTCUSDT', side: '', size: '0' });
    const byCoin = async () => (await client.get('/v5/position/list', { ...LINEAR, settleCoin: 'USDT' })).result.list;
    expect(await byCoin()).toEqual([]);
    await client.order({});
    expect(await byCoin()).toMatchObject([{ symbol: 'BTCUSDT', side: 'Buy', size: '0.01', avgPrice: '50000.1' }]);
    expect((await client.get('/v5/position/list', LINEAR)).retCode).toBe(10001);
  });

  it('turn around in one-way mode', async () => {
    const { client } = await open();
    await client.order({});
    await client.order({ side: 'Sell', qty: '0.03' });
    expect(await position(client)).toMatchObject({ side: 'Sell', size: '0.02' });
  });

  it('in hedge mode are two, each with its index', async () => {
    const { client } = await open();
    expect((await client.post('/v5/position/switch-mode', { ...BTC, mode: 3 })).retCode).toBe(0);
    expect((await client.order({})).retCode).toBe(10001);
    expect((await client.order({ positionIdx: 1, reduceOnly: true })).retCode).toBe(110017);
    await client.order({ positionIdx: 1 });
    await client.order({ positionIdx: 2, side: 'Sell', qty: '0.02' });
    expect(await position(client, 1)).toMatchObject({ side: 'Buy', size: '0.01' });
    expect(await position(client, 2)).toMatchObject({ side: 'Sell', size: '0.02' });
    await client.order({ positionIdx: 2, side: 'Buy', qty: '0.02', reduceOnly: true });
    expect(await position(client, 1)).toMatchObject({ size: '0.01' });
    expect(await position(client, 2)).toMatchObject({ size: '0' });
  });

  it('switch their mode only while nothing is held or waits', async () => {
    const { client } = await open();
    const switchTo = async (mode: number) => (await client.post('/v5/position/switch-mode', { ...BTC, mode })).retCode;
    expect(await switchTo(0)).toBe(110025);
    expect(await switchTo(1)).toBe(10001);
    await client.order({ orderType: 'Limit', price: '49000' });
    expect(await switchTo(3)).toBe(110028);
    await client.post('/v5/order/cancel-all', BTC);
    await client.order({});
    expect(await switchTo(3)).toBe(110024);
    await client.order({ side: 'Sell', reduceOnly: true });
    expect(await switchTo(3)).toBe(0);
    expect(await switchTo(3)).toBe(110025);
  });

  it('switch their mode for all contracts of a coin', async () => {
    const { client } = await open();
    await client.post('/v5/position/switch-mode', { ...LINEAR, coin: 'USDT', mode: 3 });
    expect((await client.order({ symbol: 'ETHUSDT', qty: '1' })).retCode).toBe(10001);
  });

  it.each([
    ['what it is', '20', 110043],
    ['the most', '125', 0],
    ['more than the most', '126', 110013],
    ['less than one', '0.5', 10001],
    ['an exponent', '1e1', 10001],
  ])('leverage set to %s', async (_, leverage, retCode) => {
    const { client } = await open();
    const body = { ...BTC, buyLeverage: leverage, sellLeverage: leverage };
    expect((await client.post('/v5/position/set-leverage', body)).retCode).toBe(retCode);
  });

  it('have one leverage for both sides, and it must carry what is held', async () => {
    const { client } = await open();
    const set = async (buyLeverage: string, sellLeverage: string) =>
      (await client.post('/v5/position/set-leverage', { ...BTC, buyLeverage, sellLeverage })).retCode;
    expect(await set('10', '20')).toBe(10001);
    expect(await set('10', '10')).toBe(0);
    expect(await position(client)).toMatchObject({ leverage: '10' });
    await client.order({ qty: '7' });
    expect(await set('125', '125')).toBe(110013);
  });

  it('are liquidated by an order of the venue itself', async () => {
    const { client, venue } = await open({ wallet: '100' });
    await client.order({});
    venue.market.setPrice('BTCUSDT', '40000');
    expect(await position(client)).toMatchObject({ size: '0' });
    expect(await history(client)).toMatchObject([{ createType: 'CreateByLiq', orderLinkId: '' }, {}]);
    const [fill] = (await client.get('/v5/execution/list', BTC)).result.list;
    expect(fill).toMatchObject({ execType: 'BustTrade' });
  });
});

describe('stops', () => {
  const stop = (client: BybitClient, body: object) =>
    client.post('/v5/position/trading-stop', { ...BTC, tpslMode: 'Full', positionIdx: 0, ...body });

  it('of a position are orders that wait, seen in the list of orders and in the position', async () => {
    const { client, venue } = await open();
    await client.order({});
    expect((await stop(client, { stopLoss: '49000', takeProfit: '52000' })).retCode).toBe(0);
    expect(await position(client)).toMatchObject({ stopLoss: '49000', takeProfit: '52000' });
    const waiting = await realtime(client, {});
    expect(waiting).toHaveLength(2);
    expect(waiting).toContainEqual(
      expect.objectContaining({
        stopOrderType: 'StopLoss',
        orderStatus: 'Untriggered',
        triggerPrice: '49000',
        side: 'Sell',
        qty: '0.01',
        reduceOnly: true,
        closeOnTrigger: true,
      }),
    );
    venue.market.setPrice('BTCUSDT', '48990');
    expect(await position(client)).toMatchObject({ size: '0', stopLoss: '', takeProfit: '' });
    expect(await realtime(client, {})).toEqual([]);
    const ended = await history(client);
    expect(ended).toContainEqual(expect.objectContaining({ stopOrderType: 'StopLoss', orderStatus: 'Filled' }));
    expect(ended).toContainEqual(expect.objectContaining({ stopOrderType: 'TakeProfit', orderStatus: 'Deactivated' }));
  });

  it('are moved by setting them again, and taken away by a zero', async () => {
    const { client } = await open();
    await client.order({});
    await stop(client, { stopLoss: '49000', takeProfit: '52000' });
    expect((await stop(client, { stopLoss: '49000' })).retCode).toBe(34040);
    expect((await stop(client, { stopLoss: '49100' })).retCode).toBe(0);
    expect(await position(client)).toMatchObject({ stopLoss: '49100', takeProfit: '52000' });
    expect((await stop(client, { stopLoss: '0' })).retCode).toBe(0);
    expect((await stop(client, { stopLoss: '0' })).retCode).toBe(34040);
    expect(await position(client)).toMatchObject({ stopLoss: '', takeProfit: '52000' });
  });

  it('go when the position is closed by hand', async () => {
    const { client } = await open();
    await client.order({});
    await stop(client, { stopLoss: '49000' });
    await stop(client, { tpslMode: 'Partial', stopLoss: '48000', slSize: '0.005' });
    expect(await realtime(client, {})).toHaveLength(2);
    await client.order({ side: 'Sell', reduceOnly: true });
    expect(await realtime(client, {})).toEqual([]);
  });

  it('of a part close a part', async () => {
    const { client, venue } = await open();
    await client.order({});
    await stop(client, { tpslMode: 'Partial', stopLoss: '49000', slSize: '0.004' });
    venue.market.setPrice('BTCUSDT', '49000');
    expect(await position(client)).toMatchObject({ size: '0.006' });
  });

  it.each([
    ['without a position', {}, { stopLoss: '49000' }],
    ['on the wrong side of a long position', { qty: '0.01' }, { stopLoss: '50000' }],
    ['a take profit below a long position', { qty: '0.01' }, { takeProfit: '50000' }],
    ['on the wrong side of a short position', { side: 'Sell', qty: '0.01' }, { stopLoss: '50000' }],
    ['without a mode', { qty: '0.01' }, { stopLoss: '49000', tpslMode: undefined }],
    ['without an index', { qty: '0.01' }, { stopLoss: '49000', positionIdx: undefined }],
    ['with the index of another mode', { qty: '0.01' }, { stopLoss: '49000', positionIdx: 1 }],
    ['without a price', { qty: '0.01' }, {}],
    ['of a part without a size', { qty: '0.01' }, { stopLoss: '49000', tpslMode: 'Partial' }],
    ['of more than there is', { qty: '0.01' }, { stopLoss: '49000', tpslMode: 'Partial', slSize: '0.011' }],
  ])('%s are 10001', async (_, order, body) => {
    const { client, venue } = await open();
    if ('qty' in order) await client.order(order);
    expect((await stop(client, body)).retCode).toBe(10001);
    expect(venue.market.stops.all).toEqual([]);
  });

  it('watch the mark price where told to', async () => {
    const { client, venue } = await open();
    await client.order({});
    await stop(client, { stopLoss: '49000', slTriggerBy: 'MarkPrice' });
    venue.market.setPrice('BTCUSDT', { last: '48900', mark: '49500' });
    expect(await position(client)).toMatchObject({ size: '0.01' });
    venue.market.setPrice('BTCUSDT', { last: '49500', mark: '49000' });
    expect(await position(client)).toMatchObject({ size: '0' });
  });

  it('that come with an order are those of the position once it fills', async () => {
    const { client, venue } = await open();
    await client.order({ orderType: 'Limit', price: '49500', stopLoss: '49000', takeProfit: '51000' });
    expect(await realtime(client, {})).toHaveLength(1);
    venue.market.setPrice('BTCUSDT', '49400');
    expect(await position(client)).toMatchObject({ size: '0.01', stopLoss: '49000', takeProfit: '51000' });
  });

  it('that come with an order which is refused come to nobody', async () => {
    const { client, venue } = await open();
    await client.order({ orderType: 'Limit', price: '49500' });
    expect((await client.order({ qty: '45', stopLoss: '49000' })).retCode).toBe(110007);
    venue.market.setPrice('BTCUSDT', '49400');
    expect(await position(client)).toMatchObject({ size: '0.01', stopLoss: '' });
  });

  it('that come with an order close at once what fills beyond them', async () => {
    const { client, venue } = await open();
    await client.order({ orderType: 'Limit', price: '49500', stopLoss: '49000' });
    venue.market.setPrice('BTCUSDT', '48000');
    expect(await position(client)).toMatchObject({ size: '0' });
    expect(await realtime(client, {})).toEqual([]);
  });

  it('of a conditional order are one order with one id all the way', async () => {
    const { client, venue } = await open();
    const body = { triggerPrice: '51000', triggerDirection: 1, orderLinkId: 'breakout' };
    const { result } = await client.order(body);
    expect(await realtime(client, { orderLinkId: 'breakout' })).toMatchObject([
      { orderId: result.orderId, orderStatus: 'Untriggered', stopOrderType: 'Stop', triggerDirection: 1 },
    ]);
    expect((await client.order({ orderLinkId: 'breakout' })).retCode).toBe(110072);
    venue.market.setPrice('BTCUSDT', '51000');
    expect(await realtime(client, { orderLinkId: 'breakout' })).toMatchObject([
      { orderId: result.orderId, orderStatus: 'Filled', avgPrice: '51000.1' },
    ]);
  });

  it('are listed apart from ordinary orders where that is asked for, and by the coin that they settle in', async () => {
    const { client } = await open();
    await client.order({ triggerPrice: '51000', triggerDirection: 1, orderLinkId: 'breakout' });
    await client.order({ orderType: 'Limit', price: '49500', orderLinkId: 'resting' });
    const names = async (query: Record<string, string>) =>
      (await client.get('/v5/order/realtime', { category: 'linear', ...query })).result.list.map(
        ({ orderLinkId }: { readonly orderLinkId: string }) => orderLinkId,
      );
    expect(await names({ symbol: 'BTCUSDT', orderFilter: 'StopOrder' })).toEqual(['breakout']);
    expect(await names({ symbol: 'BTCUSDT', orderFilter: 'Order' })).toEqual(['resting']);
    expect((await names({ settleCoin: 'USDT' })).toSorted()).toEqual(['breakout', 'resting']);
    expect(await names({ settleCoin: 'USDC' })).toEqual([]);
  });

  it('that are cancelled before their time are deactivated', async () => {
    const { client } = await open();
    await client.order({ triggerPrice: '51000', triggerDirection: 1, orderLinkId: 'breakout' });
    expect((await client.post('/v5/order/cancel', { ...BTC, orderLinkId: 'breakout' })).retCode).toBe(0);
    expect(await realtime(client, { orderLinkId: 'breakout' })).toMatchObject([{ orderStatus: 'Deactivated' }]);
  });

  it('are ten of a contract at most', async () => {
    const { client, clock } = await open();
    for (let n = 0; n < 10; n++) await client.order({ triggerPrice: '51000', triggerDirection: 1 });
    clock.nowMs += 1000;
    expect((await client.order({ triggerPrice: '51000', triggerDirection: 1 })).retCode).toBe(110009);
  });
});

describe('the account', () => {
  it('tells its balance, with what is held and what waits', async () => {
    const { client, venue } = await open({ wallet: '1000' });
    await client.order({});
    await client.order({ orderType: 'Limit', price: '48000' });
    venue.market.setPrice('BTCUSDT', '50100');
    const [row] = (await client.get('/v5/account/wallet-balance', { accountType: 'UNIFIED' })).result.list;
    expect(row).toMatchObject({
      accountType: 'UNIFIED',
      totalWalletBalance: '999.72499945',
      totalPerpUPL: '0.999',
      totalEquity: '1000.72399945',
      totalInitialMargin: '49.05',
      totalAvailableBalance: '951.67399945',
    });
    expect(row.coin).toMatchObject([{ coin: 'USDT', totalOrderIM: '24', totalPositionIM: '25.05' }]);
    expect((await client.get('/v5/account/wallet-balance', { accountType: 'CONTRACT' })).retCode).toBe(10001);
  });

  it('has one margin mode for all contracts', async () => {
    const { client } = await open();
    expect((await client.get('/v5/account/info')).result).toMatchObject({ marginMode: 'REGULAR_MARGIN' });
    await client.post('/v5/account/set-margin-mode', { setMarginMode: 'ISOLATED_MARGIN' });
    expect((await client.get('/v5/account/info')).result).toMatchObject({ marginMode: 'ISOLATED_MARGIN' });
    expect((await client.post('/v5/position/switch-isolated', BTC)).retCode).toBe(100028);
  });

  it('logs funding: received is positive there, and the other way round among the fills', async () => {
    const { client, venue } = await open({ wallet: '1000' });
    await client.order({ side: 'Sell' });
    venue.market.payFunding('BTCUSDT', '0.0001');
    const log = (await client.get('/v5/account/transaction-log', { ...LINEAR, type: 'SETTLEMENT' })).result.list;
    expect(log).toMatchObject([{ symbol: 'BTCUSDT', funding: '0.05', change: '0.05', cashBalance: '999.77500055' }]);
    const all = (await client.get('/v5/account/transaction-log', LINEAR)).result.list;
    expect(all).toMatchObject([{ cashBalance: '999.77500055' }, { type: 'TRADE', cashBalance: '999.72500055' }]);
    const fills = (await client.get('/v5/execution/list', { ...BTC, execType: 'Funding' })).result.list;
    expect(fills).toMatchObject([{ execType: 'Funding', execFee: '-0.05' }]);
    expect((await client.get('/v5/execution/list', { ...BTC, execType: 'Trade' })).result.list).toHaveLength(1);
  });
});

describe('limits of requests', () => {
  it('ten orders in a second, counted in the headers, then 10006 with the time to come again', async () => {
    const { client, clock, venue } = await open();
    const first = await client.order({});
    expect(first.headers.get('x-bapi-limit')).toBe('10');
    expect(first.headers.get('x-bapi-limit-status')).toBe('9');
    for (let n = 0; n < 9; n++) await client.order({});
    const refused = await client.order({ orderLinkId: 'over' });
    expect(refused).toMatchObject({ status: 200, retCode: 10006 });
    expect(refused.headers.get('x-bapi-limit-status')).toBe('0');
    expect(refused.headers.get('x-bapi-limit-reset-timestamp')).toBe(String(START_MS + 1000));
    expect((await client.post('/v5/order/cancel-all', BTC)).retCode).toBe(0);
    clock.nowMs += 1000;
    expect((await client.order({ orderLinkId: 'over' })).retCode).toBe(0);
    expect(venue.market.orders).toHaveLength(11);
  });

  it('six hundred requests of an address in five seconds, then 403 for ten minutes', async () => {
    const { venue, client, clock } = await open();
    const times = Array.from({ length: 600 }, () => fetch(`${venue.baseUrl}/v5/market/time`));
    expect((await Promise.all(times)).every(({ status }) => status === 200)).toBe(true);
    expect((await fetch(`${venue.baseUrl}/v5/market/time`)).status).toBe(403);
    clock.nowMs += 599_999;
    expect((await client.order({})).status).toBe(403);
    clock.nowMs += 1;
    expect((await client.order({})).status).toBe(200);
    expect(venue.market.orders).toHaveLength(1);
  });
});

describe('faults', () => {
  const CREATE = { method: 'POST', path: '/v5/order/create' };

  it('an answer that is lost has made one order, and the second try is a duplicate', async () => {
    const { venue, client } = await open();
    venue.faults.dropAnswerAfterAccept(CREATE);
    await expect(client.order({ orderLinkId: 'lost' })).rejects.toThrow();
    expect((await client.order({ orderLinkId: 'lost' })).retCode).toBe(110072);
    expect(await realtime(client, { orderLinkId: 'lost' })).toMatchObject([{ orderStatus: 'Filled' }]);
  });

  it('a server timeout may have done what was asked, or not', async () => {
    const { venue, client } = await open();
    venue.faults.unknownOutcome(CREATE, true);
    expect((await client.order({ orderLinkId: 'done' })).retCode).toBe(10000);
    venue.faults.unknownOutcome(CREATE, false);
    expect((await client.order({ orderLinkId: 'not' })).retCode).toBe(10000);
    expect(venue.market.orders.map(({ clientOrderId }) => clientOrderId)).toEqual(['done']);
  });

  it('maintenance and bans in its own words', async () => {
    const { venue, client } = await open();
    venue.faults.tooManyRequests(CREATE, 403, 600);
    expect(await client.order({})).toMatchObject({ status: 403, retCode: 10018 });
    venue.faults.tooManyRequests(CREATE, 429, 1);
    expect(await client.order({})).toMatchObject({ status: 429 });
    venue.faults.maintenance = true;
    expect(await client.order({})).toMatchObject({ status: 503, retCode: 10016 });
    expect(venue.market.orders).toEqual([]);
  });
});

describe('the private stream', () => {
  async function signIn(
    { venue, clock }: Opened,
    change: Partial<{ key: string; expires: number; secret: string }> = {},
  ) {
    const stream = await openStream(`${venue.streamUrl}/v5/private`);
    const {
      key = venue.credentials.apiKey,
      expires = clock.nowMs + 10_000,
      secret = venue.credentials.secret,
    } = change;
    stream.say({ op: 'auth', args: [key, expires, hmacSha256Hex(secret, `GET/realtime${expires}`)] });
    const answer = await stream.hear(({ op }) => op === 'auth');
    return { stream, answer };
  }

  const subscribed = async (opened: Opened, ...args: string[]): Promise<StreamClient> => {
    const { stream } = await signIn(opened);
    stream.say({ op: 'subscribe', args, req_id: 'topics' });
    expect(await stream.hear(({ op }) => op === 'subscribe')).toMatchObject({ success: true, req_id: 'topics' });
    return stream;
  };

  it.each([
    ['the key', {}, true],
    ['another key', { key: 'nobody' }, false],
    ['another secret', { secret: 'wrong' }, false],
    ['a signature that has expired', { expires: START_MS }, false],
  ])('answers who signs in with %s', async (_, change, success) => {
    const { answer } = await signIn(await open(), change);
    expect(answer).toMatchObject({ success });
  });

  it('has no other path, and nothing for who has not signed in', async () => {
    const { venue } = await open();
    await expect(openStream(`${venue.streamUrl}/v5/other`)).rejects.toThrow('404');
    const stream = await openStream(`${venue.streamUrl}/v5/private`);
    stream.say({ op: 'subscribe', args: ['order'] });
    expect(await stream.hear(({ op }) => op === 'subscribe')).toMatchObject({ success: false });
  });

  it('refuses topics there are not', async () => {
    const { stream } = await signIn(await open());
    stream.say({ op: 'subscribe', args: ['order', 'orders'] });
    expect(await stream.hear(({ op }) => op === 'subscribe')).toMatchObject({ success: false });
  });

  it('answers pings, and ends a caller who is silent', async () => {
    const { venue } = await open({ silenceMs: 1000 });
    const stream = await openStream(`${venue.streamUrl}/v5/private`);
    for (let n = 0; n < 4; n++) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      stream.say({ op: 'ping', req_id: `p${n}` });
      expect(await stream.hear(({ req_id }) => req_id === `p${n}`)).toMatchObject({ op: 'pong' });
    }
    expect(await stream.closed).toBe(1000);
  });

  it('pushes fills, orders, positions and the wallet to who asked for them', async () => {
    const opened = await open();
    const stream = await subscribed(opened, 'order', 'execution', 'position', 'wallet');
    await opened.client.order({ orderLinkId: 'told' });
    const order = await stream.hear(({ topic, data }) => topic === 'order' && data[0].orderStatus === 'Filled');
    expect(order.data).toMatchObject([{ category: 'linear', orderLinkId: 'told', cumExecQty: '0.01' }]);
    const fill = await stream.hear(({ topic }) => topic === 'execution');
    expect(fill.data).toMatchObject([{ orderLinkId: 'told', execQty: '0.01', execPrice: '50000.1' }]);
    const held = await stream.hear(({ topic }) => topic === 'position');
    expect(held.data).toMatchObject([{ symbol: 'BTCUSDT', side: 'Buy', size: '0.01' }]);
    const wallet = await stream.hear(({ topic }) => topic === 'wallet');
    expect(wallet.data).toMatchObject([{ accountType: 'UNIFIED', coin: [{ coin: 'USDT' }] }]);
  });

  it('pushes only what was asked for, under the name that was asked for', async () => {
    const opened = await open();
    const stream = await subscribed(opened, 'execution.linear');
    await opened.client.order({});
    await stream.hear(({ topic }) => topic === 'execution.linear');
    expect(stream.heard.filter(({ topic }) => topic !== undefined)).toHaveLength(1);
  });

  it('pushes nothing when only the price moves', async () => {
    const opened = await open();
    await opened.client.order({});
    const stream = await subscribed(opened, 'position', 'wallet');
    opened.venue.market.setPrice('BTCUSDT', '50100');
    stream.say({ op: 'ping' });
    await stream.hear(({ op }) => op === 'pong');
    expect(stream.heard.filter(({ topic }) => topic !== undefined)).toEqual([]);
  });

  it('tells of a stop from its placing to its fill', async () => {
    const opened = await open();
    const stream = await subscribed(opened, 'order');
    await opened.client.order({ triggerPrice: '51000', triggerDirection: 1, orderLinkId: 'breakout' });
    await stream.hear(({ data }) => data?.[0].orderStatus === 'Untriggered');
    opened.venue.market.setPrice('BTCUSDT', '51000');
    await stream.hear(({ data }) => data?.[0].orderStatus === 'Filled');
    const states = stream.heard.filter(({ topic }) => topic === 'order').map(({ data }) => data[0].orderStatus);
    expect(states).toEqual(['Untriggered', 'Triggered', 'New', 'Filled']);
  });

  it('loses and repeats events, and is cut, when the test says so; what happens meanwhile is never told', async () => {
    const opened = await open();
    const stream = await subscribed(opened, 'execution');
    opened.venue.faults.loseEvents = 1;
    await opened.client.order({ orderLinkId: 'lost' });
    opened.venue.faults.repeatEvents = 1;
    await opened.client.order({ orderLinkId: 'twice' });
    await expect.poll(() => stream.heard.filter(({ topic }) => topic === 'execution')).toHaveLength(2);
    expect(stream.heard.at(-1)).toEqual(stream.heard.at(-2));
    opened.venue.faults.cutStreams();
    expect(await stream.closed).toBe(1006);
    await opened.client.order({ orderLinkId: 'unheard' });
    const again = await subscribed(opened, 'execution');
    await opened.client.order({ orderLinkId: 'heard' });
    const told = await again.hear(({ topic }) => topic === 'execution');
    expect(told.data).toMatchObject([{ orderLinkId: 'heard' }]);
  });
});
