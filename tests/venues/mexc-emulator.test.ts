// The emulated MEXC keeps MEXC's published rules, and those that are assumed where nothing is published: each has its test,
// through HTTP and WebSocket as a client meets it.

import { describe, expect, it } from 'vitest';
import { closeAtEnd } from '../support/close-at-end.ts';
import { hmacSha256Hex } from '../support/emulated-venues/emulated-venue.ts';
import { MexcClient } from '../support/emulated-venues/mexc/mexc-client.ts';
import { type MexcVenue, type MexcVenueOptions, startMexcVenue } from '../support/emulated-venues/mexc/mexc-venue.ts';
import { openStream, type StreamClient } from '../support/emulated-venues/stream-client.ts';

const START_MS = 1_700_000_000_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Opened {
  readonly venue: MexcVenue;
  readonly client: MexcClient;
  /** The venue's clock, which stands still until it is moved. */
  readonly clock: { nowMs: number };
}

/** Bitcoin at 50000, bid 49999.9, ask 50000.1, in contracts of 0.0001. */
async function open(options: MexcVenueOptions = {}): Promise<Opened> {
  const clock = { nowMs: START_MS };
  const venue = await startMexcVenue({ nowMs: () => clock.nowMs, ...options });
  closeAtEnd(() => venue.close());
  venue.market.setPrice('BTCUSDT', '50000');
  venue.market.setPrice('ETHUSDT', '3000');
  return { venue, client: new MexcClient(venue), clock };
}

const oneWay = async (client: MexcClient) => {
  expect((await client.post('position/change_position_mode', { positionMode: 2 })).code).toBe(0);
};
const byExternalId = (client: MexcClient, oid: string) => client.get(`private/order/external/BTC_USDT/${oid}`);
const positions = async (client: MexcClient) => (await client.get('private/position/open_positions')).data;
const openOrders = async (client: MexcClient) => (await client.get('private/order/list/open_orders/BTC_USDT')).data;

const RARELY = { interval: 300, timeout: 10_000 };

describe('signatures', () => {
  it.each([
    ['signed', {}, 0],
    ['with an unknown key', { apiKey: 'nobody' }, 401],
    ['with another secret', { secret: 'wrong' }, 602],
    ['ten seconds late', { timeMs: START_MS - 10_000 }, 0],
    ['later', { timeMs: START_MS - 10_001 }, 513],
    ['later, in a wider window', { timeMs: START_MS - 10_001, windowS: '20' }, 0],
    ['later than the widest window', { timeMs: START_MS - 60_001, windowS: '90' }, 513],
    ['ten seconds ahead', { timeMs: START_MS + 10_000 }, 0],
    ['further ahead', { timeMs: START_MS + 10_001 }, 513],
  ])('a request %s: code in an answer of status 200', async (_, options, code) => {
    const { client } = await open();
    const answer = await client.get('private/position/leverage', { symbol: 'BTC_USDT' }, options);
    expect(answer).toMatchObject({ status: 200, success: code === 0, code });
  });

  it('cover a query in the order of its names, whatever order it came in', async () => {
    const { venue } = await open();
    const { apiKey, secret } = venue.credentials;
    const Signature = hmacSha256Hex(secret, `${apiKey}${START_MS}page_num=1&page_size=5`);
    const headers = { ApiKey: apiKey, 'Request-Time': String(START_MS), Signature };
    const ask = async (query: string) =>
      (await fetch(`${venue.baseUrl}/api/v1/private/order/list/open_orders?${query}`, { headers })).json();
    expect(await ask('page_size=5&page_num=1')).toMatchObject({ success: true });
    expect(await ask('page_size=6&page_num=1')).toMatchObject({ success: false, code: 602 });
  });

  it('are asked for where they are missing, and an unknown path is 404', async () => {
    const { venue, client } = await open();
    const bare = await fetch(`${venue.baseUrl}/api/v1/private/account/assets`);
    expect(await bare.json()).toMatchObject({ success: false, code: 401 });
    expect((await client.get('private/nothing')).status).toBe(404);
  });
});

describe('keys', () => {
  it.each([
    ['that may not read the account', { lacks: [701] as const }, 701, 'private/account/assets'],
    ['that may not read trades', { lacks: [703] as const }, 703, 'private/position/open_positions'],
    ['that have expired', { isExpired: true }, 402, 'private/account/assets'],
    ['of another address', { ips: ['192.0.2.1'] }, 406, 'private/account/assets'],
    ['of this address', { ips: ['127.0.0.1'] }, 0, 'private/account/assets'],
  ])('%s', async (_, key, code, path) => {
    const { client } = await open({ key });
    expect((await client.get(path)).code).toBe(code);
  });

  it('that may not trade are 704, while reading goes on', async () => {
    const { client, venue } = await open({ key: { lacks: [704] } });
    expect((await client.order()).code).toBe(704);
    expect((await client.get('private/account/assets')).code).toBe(0);
    expect(venue.market.orders).toEqual([]);
  });

  it('of an account without orders through the API are 1002', async () => {
    const { client, venue } = await open({ allowsOrders: false });
    expect((await client.order()).code).toBe(1002);
    expect((await client.get('private/account/assets')).code).toBe(0);
    expect(venue.market.orders).toEqual([]);
  });
});

describe('contracts', () => {
  it('tell the time, their rules and their prices to everybody', async () => {
    const { venue } = await open();
    const ask = async (path: string) => (await fetch(`${venue.baseUrl}/api/v1/contract/${path}`)).json();
    expect(await ask('ping')).toEqual({ success: true, code: 0, data: START_MS });
    expect(await ask('detail?symbol=BTC_USDT')).toMatchObject({
      data: {
        symbol: 'BTC_USDT',
        contractSize: 0.0001,
        minVol: 1,
        volUnit: 1,
        priceUnit: 0.1,
        maxLeverage: 125,
        apiAllowed: true,
      },
    });
    expect(await ask('ticker?symbol=BTC_USDT')).toMatchObject({ data: { lastPrice: 50000, bid1: 49999.9 } });
    expect(await ask('ticker?symbol=NO_USDT')).toMatchObject({ success: false, code: 1001 });
  });

  it('that take no orders through the API say so, and refuse with 1002', async () => {
    const { client } = await open({ closedContracts: ['ETH_USDT'] });
    const rows = (await client.get('contract/detail')).data;
    expect(rows.map((row: { apiAllowed: boolean }) => row.apiAllowed)).toEqual([true, false, true]);
    expect((await client.order({ symbol: 'ETH_USDT' })).code).toBe(1002);
    expect((await client.order()).code).toBe(0);
  });

  it('have risk limits for both directions', async () => {
    const { client } = await open();
    const { data } = await client.get('private/account/risk_limit', { symbol: 'BTC_USDT' });
    expect(data.BTC_USDT).toHaveLength(10);
    expect(data.BTC_USDT[0]).toMatchObject({ level: 1, positionType: 1, maxLeverage: 125, maxVol: 60000 });
  });
});

describe('an order', () => {
  it('is answered with its id; its fills are read back', async () => {
    const { client, venue } = await open();
    venue.market.setMaxTrade('BTCUSDT', '0.0006');
    const { data } = await client.order({ externalOid: 'sbx-1' });
    expect(data).toEqual({ orderId: expect.stringMatching(/^\d{18}$/), ts: START_MS });
    expect((await byExternalId(client, 'sbx-1')).data).toMatchObject({
      orderId: data.orderId,
      externalOid: 'sbx-1',
      symbol: 'BTC_USDT',
      side: 1,
      orderType: 5,
      state: 3,
      vol: 10,
      dealVol: 10,
      dealAvgPrice: 50000.1,
      feeCurrency: 'USDT',
    });
    expect((await client.get(`private/order/get/${data.orderId}`)).data).toMatchObject({ externalOid: 'sbx-1' });
    const deals = (await client.get(`private/order/deal_details/${data.orderId}`)).data;
    expect(deals.map((deal: { vol: number }) => deal.vol)).toEqual([6, 4]);
    expect(deals[0]).toMatchObject({ side: 1, price: 50000.1, fee: 0.006000012, taker: true, positionMode: 1 });
    expect((await client.get('private/order/list/order_deals', { symbol: 'BTC_USDT' })).data).toHaveLength(2);
    expect((await client.get('private/order/batch_query', { order_ids: data.orderId })).data).toHaveLength(1);
  });

  it('of the older path is answered with the bare id', async () => {
    const { client } = await open();
    const body = { symbol: 'BTC_USDT', side: 1, type: 5, openType: 2, vol: 10 };
    expect((await client.post('order/submit', body)).data).toMatch(/^\d{18}$/);
  });

  it('counts in contracts', async () => {
    const { client, venue } = await open();
    await client.order({ symbol: 'ETH_USDT', vol: 3 });
    expect(venue.market.account.heldPositions()).toMatchObject([{ symbol: 'ETHUSDT', quantity: 30_000_000_000n }]);
    expect(await positions(client)).toMatchObject([{ symbol: 'ETH_USDT', holdVol: 3 }]);
  });

  it('fills later where the venue takes its time', async () => {
    const { client, venue } = await open();
    venue.market.fillDelayMs = 1000;
    await client.order({ externalOid: 'late' });
    expect((await byExternalId(client, 'late')).data).toMatchObject({ state: 2, dealVol: 0 });
    // Seldom: the clock of the venue stands still, so its limit of requests is used up after twenty.
    await expect.poll(async () => (await byExternalId(client, 'late')).data.state, RARELY).toBe(3);
  });

  it('stays unseen for as long as the lists are late, and its id is taken all the same', async () => {
    const { client, venue, clock } = await open();
    venue.lagMs.orders = 300;
    await client.order({ externalOid: 'unseen' });
    clock.nowMs += 299;
    expect(await byExternalId(client, 'unseen')).toMatchObject({ success: false, code: 2040 });
    expect((await client.order({ externalOid: 'unseen' })).code).toBe(603);
    clock.nowMs += 1;
    expect((await byExternalId(client, 'unseen')).data).toMatchObject({ state: 3 });
  });

  it('has an id of its own for ever', async () => {
    const { client, venue } = await open();
    await client.order({ externalOid: 'once' });
    expect(await client.order({ externalOid: 'once' })).toMatchObject({ status: 200, success: false, code: 603 });
    expect(venue.market.orders).toHaveLength(1);
  });

  it.each([
    ['of an unknown contract', { symbol: 'BTCUSDT' }, 1001],
    ['of no side', { side: 5 }, 2001],
    ['of no type', { type: 7 }, 2029],
    ['of no margin', { openType: 3 }, 2002],
    ['of nothing', { vol: 0 }, 2011],
    ['of half a contract', { vol: 1.5 }, 2015],
    ['of too many contracts', { vol: 10_000_001 }, 2028],
    ['of a word', { vol: 'ten' }, 600],
    ['with a limit and no price', { type: 1 }, 2007],
    ['with a price beside the unit', { type: 1, price: 49000.05 }, 2015],
    ['that buys far over the price', { type: 1, price: 52500.1 }, 2003],
    ['that sells far under the price', { side: 3, type: 1, price: 47499.9 }, 2004],
    ['with an id of 33 letters', { externalOid: 'x'.repeat(33) }, 2030],
    ['in isolated margin without a leverage', { openType: 1 }, 2006],
    ['with too much leverage', { leverage: 126 }, 2006],
    ['with half a leverage', { leverage: 1.5 }, 600],
    ['that the account cannot pay', { vol: 450_000 }, 2005],
    ['over the risk limit', { vol: 70_000, leverage: 125 }, 2031],
    ['that closes a long position there is not', { side: 4 }, 2009],
    ['that closes a short position there is not', { side: 2 }, 2009],
    ['that only reduces, in a hedge account', { reduceOnly: true }, 600],
    ['for another mode than the account has', { positionMode: 2 }, 2022],
  ])('%s is refused, and leaves nothing behind', async (_, body, code) => {
    const { client, venue } = await open();
    expect(await client.order(body)).toMatchObject({ status: 200, success: false, code });
    expect(venue.market.orders).toEqual([]);
    expect(venue.market.account.settings('BTCUSDT')).toEqual({ leverage: 20, marginType: 'CROSSED' });
  });

  it.each([
    ['of one contract', { vol: 1 }],
    ['with the longest id', { externalOid: 'x'.repeat(32) }],
    ['on the limit of prices', { type: 1, price: 52500 }],
    ['at market with a price, which counts for nothing', { price: 1 }],
    ['in isolated margin with a leverage', { openType: 1, leverage: 125 }],
    ['for the mode of the account', { positionMode: 1 }],
  ])('%s is taken', async (_, body) => {
    const { client } = await open();
    expect((await client.order(body)).code).toBe(0);
  });

  it('more than the contract may have open is 2036', async () => {
    const { client, venue } = await open();
    await client.order({ type: 1, price: 49000 });
    const [template] = venue.market.orders;
    const { maxOpenOrders } = venue.market.spec('BTCUSDT');
    for (let n = 1; n < maxOpenOrders; n++) venue.market.orders.push({ ...template!, orderId: template!.orderId + n });
    expect((await client.order({ type: 1, price: 49000 })).code).toBe(2036);
    venue.market.cancel(venue.market.orders[0]!);
    expect((await client.order({ type: 1, price: 49000 })).code).toBe(0);
  });

  it('of a contract that has no price yet is 1002', async () => {
    const { client } = await open();
    expect((await client.order({ symbol: 'DOGE_USDT' })).code).toBe(1002);
    expect((await client.get('contract/ticker', { symbol: 'DOGE_USDT' })).code).toBe(1002);
    expect((await client.get('contract/ticker')).data).toHaveLength(2);
  });

  it('that may only make and would take is taken, and cancelled in the same moment', async () => {
    const { client } = await open();
    expect((await client.order({ type: 2, price: 50000.1, externalOid: 'maker' })).code).toBe(0);
    expect((await byExternalId(client, 'maker')).data).toMatchObject({ state: 4, dealVol: 0 });
    await client.order({ type: 2, price: 50000, externalOid: 'rests' });
    expect((await byExternalId(client, 'rests')).data).toMatchObject({ state: 2 });
  });

  it('that finds too little: cancelled with what it got, or whole, or left to wait', async () => {
    const { client, venue } = await open();
    const place = async (externalOid: string, body: object) => {
      venue.market.setLiquidity('BTCUSDT', '0.0004');
      await client.order({ externalOid, ...body });
      const { state, dealVol } = (await byExternalId(client, externalOid)).data;
      return [state, dealVol];
    };
    expect(await place('market', { type: 5 })).toEqual([4, 4]);
    expect(await place('fill-or-cancel', { type: 3, price: 50100 })).toEqual([4, 4]);
    expect(await place('all-or-nothing', { type: 4, price: 50100 })).toEqual([4, 0]);
    expect(await place('market-to-limit', { type: 6 })).toEqual([2, 4]);
  });

  it('sides: 1 opens long, 4 closes it; 3 opens short, 2 closes it', async () => {
    const { client } = await open();
    await client.order({ side: 1, vol: 10 });
    await client.order({ side: 3, vol: 20 });
    expect(await positions(client)).toMatchObject([
      { positionType: 1, holdVol: 10, state: 1 },
      { positionType: 2, holdVol: 20, state: 1 },
    ]);
    expect((await client.order({ side: 4, vol: 10 })).code).toBe(0);
    expect(await positions(client)).toMatchObject([{ positionType: 2, holdVol: 20 }]);
    expect((await client.order({ side: 4, vol: 10 })).code).toBe(2009);
    expect((await client.order({ side: 2, vol: 20 })).code).toBe(0);
    expect(await positions(client)).toEqual([]);
  });

  it('closes no more than is held and not spoken for', async () => {
    const { client } = await open();
    await client.order({ vol: 10 });
    expect((await client.order({ side: 4, vol: 11 })).code).toBe(2008);
    await client.order({ side: 4, vol: 6, type: 1, price: 51000 });
    expect(await positions(client)).toMatchObject([{ holdVol: 10, frozenVol: 6 }]);
    expect((await client.order({ side: 4, vol: 5 })).code).toBe(2008);
    expect((await client.order({ side: 4, vol: 4 })).code).toBe(0);
  });

  it('closes the position of its id, and no other', async () => {
    const { client } = await open();
    await client.order();
    const [{ positionId }] = await positions(client);
    expect((await client.order({ side: 4, positionId: positionId + 1 })).code).toBe(2009);
    expect((await client.order({ side: 4, positionId })).code).toBe(0);
  });

  it('of other margin or leverage than what is held is refused', async () => {
    const { client } = await open();
    await client.order({ leverage: 10 });
    expect((await client.order({ leverage: 20 })).code).toBe(2021);
    expect((await client.order({ openType: 1, leverage: 10 })).code).toBe(2027);
    expect((await client.order({ leverage: 10 })).code).toBe(0);
    expect((await client.order()).code).toBe(0);
    expect(await positions(client)).toMatchObject([{ holdVol: 30, leverage: 10, openType: 2 }]);
  });
});

describe('a one-way account', () => {
  it('has one position, which turns around', async () => {
    const { client } = await open();
    expect((await client.get('private/position/position_mode')).data).toBe(1);
    await oneWay(client);
    expect((await client.get('private/position/position_mode')).data).toBe(2);
    await client.order({ side: 1, vol: 10 });
    const [first] = await positions(client);
    await client.order({ side: 3, vol: 30 });
    const [second, ...none] = await positions(client);
    expect(none).toEqual([]);
    expect(second).toMatchObject({ positionType: 2, holdVol: 20 });
    expect(second.positionId).not.toBe(first.positionId);
  });

  it('takes reduceOnly, and a closing side that never turns it around', async () => {
    const { client } = await open();
    await oneWay(client);
    await client.order({ side: 1, vol: 10 });
    expect((await client.order({ side: 3, vol: 11, reduceOnly: true })).code).toBe(2008);
    expect((await client.order({ side: 3, vol: 4, reduceOnly: true })).code).toBe(0);
    expect((await client.order({ side: 2, vol: 6 })).code).toBe(2009);
    expect((await client.order({ side: 4, vol: 6 })).code).toBe(0);
    expect((await client.order({ side: 3, vol: 1, reduceOnly: true })).code).toBe(2009);
    expect(await positions(client)).toEqual([]);
  });

  it('becomes one only while nothing is held and nothing waits', async () => {
    const { client } = await open();
    const change = async () => (await client.post('position/change_position_mode', { positionMode: 2 })).code;
    expect((await client.post('position/change_position_mode', { positionMode: 3 })).code).toBe(600);
    await client.order({ type: 1, price: 49000 });
    expect(await change()).toBe(2019);
    await client.post('order/cancel_all', {});
    await client.order();
    expect(await change()).toBe(2019);
    await client.order({ side: 4 });
    expect(await change()).toBe(0);
  });
});

describe('cancelling', () => {
  it('by a list of ids says something of every one', async () => {
    const { client } = await open();
    const filled = (await client.order()).data.orderId;
    const resting = (await client.order({ type: 1, price: 49000 })).data.orderId;
    expect((await client.post('order/cancel', [filled, resting, '1'])).data).toEqual([
      { orderId: filled, errorCode: 2041, errorMsg: 'order state cannot be cancelled' },
      { orderId: resting, errorCode: 0, errorMsg: 'success' },
      { orderId: '1', errorCode: 2040, errorMsg: 'order not exist' },
    ]);
    expect((await client.post('order/cancel', [])).code).toBe(600);
    const many = (count: number) => Array.from({ length: count }, (_, n) => String(n));
    expect((await client.post('order/cancel', many(50))).code).toBe(0);
    expect((await client.post('order/cancel', many(51))).code).toBe(2013);
  });

  it('by the external id', async () => {
    const { client } = await open();
    await client.order({ type: 1, price: 49000, externalOid: 'mine' });
    const cancel = async (externalOid: string) =>
      (await client.post('order/cancel_with_external', { symbol: 'BTC_USDT', externalOid })).code;
    expect(await cancel('mine')).toBe(0);
    expect((await byExternalId(client, 'mine')).data).toMatchObject({ state: 4 });
    expect(await cancel('mine')).toBe(2041);
    expect(await cancel('never')).toBe(2040);
  });

  it('all of one contract, or all', async () => {
    const { client } = await open();
    await client.order({ type: 1, price: 49000 });
    await client.order({ symbol: 'ETH_USDT', type: 1, price: 2900 });
    await client.post('order/cancel_all', { symbol: 'ETH_USDT' });
    expect(await openOrders(client)).toHaveLength(1);
    await client.post('order/cancel_all', {});
    expect(await openOrders(client)).toEqual([]);
  });
});

describe('the lists', () => {
  it('open orders come in pages of twenty, the history with its states', async () => {
    const { client, clock } = await open();
    await client.order({ externalOid: 'filled' });
    for (let n = 0; n < 21; n++) {
      await client.order({ type: 1, price: 49000 });
      clock.nowMs += 1000;
    }
    expect(await openOrders(client)).toHaveLength(20);
    const second = await client.get('private/order/list/open_orders/BTC_USDT', { page_num: '2', page_size: '20' });
    expect(second.data).toHaveLength(1);
    expect((await client.get('private/order/list/open_orders', { page_size: '100' })).data).toHaveLength(21);
    expect((await client.get('private/order/list/open_orders', { page_size: '101' })).data).toHaveLength(20);
    await client.post('order/cancel_all', {});
    const history = async (query: Record<string, string>) =>
      (await client.get('private/order/list/history_orders', { page_size: '100', ...query })).data.length;
    expect([await history({}), await history({ states: '3' }), await history({ states: '4' })]).toEqual([22, 1, 21]);
  });

  it('the history goes back a week unless said, and spans 90 days at most', async () => {
    const { client, clock } = await open();
    await client.order();
    clock.nowMs += 7 * DAY_MS + 1;
    const ask = (query: Record<string, string>) => client.get('private/order/list/history_orders', query);
    expect((await ask({})).data).toEqual([]);
    expect((await ask({ start_time: String(START_MS) })).data).toHaveLength(1);
    const end_time = String(START_MS + 90 * DAY_MS);
    expect((await ask({ start_time: String(START_MS), end_time })).code).toBe(0);
    expect((await ask({ start_time: String(START_MS - 1), end_time })).code).toBe(6003);
  });

  it('what never was is 2040', async () => {
    const { client } = await open();
    expect((await byExternalId(client, 'never')).code).toBe(2040);
    expect((await client.get('private/order/get/1')).code).toBe(2040);
    const ask = (count: number) =>
      client.get('private/order/batch_query', { order_ids: Array.from({ length: count }, (_, n) => n).join(',') });
    expect(await ask(50)).toMatchObject({ code: 0, data: [] });
    expect((await ask(51)).code).toBe(2034);
    expect((await client.get('private/order/deal_details/1')).code).toBe(2040);
  });
});

describe('positions', () => {
  it('tell what they hold, cost and earned, and are gone when they are closed', async () => {
    const { client, venue } = await open({ wallet: '1000' });
    await client.order({ leverage: 10 });
    venue.market.setPrice('BTCUSDT', '51000');
    expect(await positions(client)).toMatchObject([
      { positionType: 1, holdVol: 10, holdAvgPrice: 50000.1, leverage: 10, im: 5.1, closeVol: 0 },
    ]);
    await client.order({ side: 4, vol: 4 });
    expect(await positions(client)).toMatchObject([{ holdVol: 6, closeVol: 4, closeAvgPrice: 50999.9 }]);
    expect((await client.get('private/account/assets')).data).toMatchObject([
      { currency: 'USDT', positionMargin: 3.06, frozenBalance: 0, unrealized: 0.59994 },
    ]);
    expect((await client.get('private/account/asset/USDT')).data).toMatchObject({ currency: 'USDT' });
    expect((await client.get('private/account/asset/BTC')).code).toBe(4001);
  });

  it('can be asked for by contract', async () => {
    const { client } = await open();
    await client.order();
    const ask = (symbol: string) => client.get('private/position/open_positions', { symbol });
    expect((await ask('BTC_USDT')).data).toHaveLength(1);
    expect((await ask('ETH_USDT')).data).toEqual([]);
  });

  it('have their leverage changed by id, and before there is one by contract', async () => {
    const { client } = await open();
    const change = async (body: object) => (await client.post('position/change_leverage', body)).code;
    const byContract = { symbol: 'BTC_USDT', openType: 1, positionType: 1 };
    expect(await change({ ...byContract, leverage: 50 })).toBe(0);
    expect(await change({ ...byContract, leverage: 50 })).toBe(0);
    expect((await client.get('private/position/leverage', { symbol: 'BTC_USDT' })).data).toMatchObject([
      { positionType: 1, leverage: 50, openType: 1 },
      { positionType: 2, leverage: 50 },
    ]);
    expect(await change({ ...byContract, leverage: 126 })).toBe(2006);
    expect(await change({ ...byContract, leverage: 0 })).toBe(2006);
    expect(await change({ ...byContract, openType: 3, leverage: 50 })).toBe(2002);
    expect(await change({ ...byContract, positionType: 3, leverage: 50 })).toBe(2022);
    expect(await change({ positionId: 1, leverage: 50 })).toBe(2009);
    await client.order({ openType: 1, leverage: 50 });
    expect(await change({ ...byContract, leverage: 20 })).toBe(2019);
    const [{ positionId }] = await positions(client);
    expect(await change({ positionId, leverage: 20 })).toBe(0);
    expect(await positions(client)).toMatchObject([{ leverage: 20 }]);
  });

  it('pay and receive funding, received is positive', async () => {
    const { client, venue } = await open();
    await client.order({ side: 3 });
    venue.market.payFunding('BTCUSDT', '0.0001');
    const { data } = await client.get('private/position/funding_records', { symbol: 'BTC_USDT' });
    expect(data).toMatchObject({ totalCount: 1, currentPage: 1 });
    expect(data.resultList).toMatchObject([
      { symbol: 'BTC_USDT', positionType: 2, positionValue: 50, funding: 0.005, rate: 0.0001, settleTime: START_MS },
    ]);
  });

  it('are liquidated by an order of the venue itself', async () => {
    const { client, venue } = await open({ wallet: '10' });
    await client.order();
    venue.market.setPrice('BTCUSDT', '40000');
    expect(await positions(client)).toEqual([]);
    const history = (await client.get('private/order/list/history_orders')).data;
    expect(history[0]).toMatchObject({ category: 2, side: 4, state: 3 });
  });
});

describe('plan orders', () => {
  const PLAN = {
    symbol: 'BTC_USDT',
    side: 1,
    vol: 10,
    openType: 2,
    triggerPrice: 51000,
    triggerType: 1,
    executeCycle: 1,
    orderType: 5,
    trend: 1,
  };
  const plan = (client: MexcClient, body: object = {}) => client.post('planorder/place', { ...PLAN, ...body });
  const list = async (client: MexcClient, query: Record<string, string> = {}) =>
    (await client.get('private/planorder/list/orders', query)).data;

  it('wait for their price, unseen among the orders, and then are an order', async () => {
    const { client, venue } = await open();
    const { data } = await plan(client);
    expect(data).toMatch(/^\d{18}$/);
    expect(await list(client)).toMatchObject([{ id: data, state: 1, triggerPrice: 51000, side: 1, executeCycle: 24 }]);
    expect(await openOrders(client)).toEqual([]);
    venue.market.setPrice('BTCUSDT', '51000');
    const [row] = await list(client, { states: '3' });
    expect((await client.get(`private/order/get/${row.orderId}`)).data).toMatchObject({ state: 3, dealVol: 10 });
    expect(await positions(client)).toMatchObject([{ holdVol: 10 }]);
  });

  it('that close fail where there is nothing to close when the price comes', async () => {
    const { client, venue } = await open();
    expect((await plan(client, { side: 4, triggerType: 2, triggerPrice: 49000 })).code).toBe(0);
    venue.market.setPrice('BTCUSDT', '49000');
    expect(await list(client)).toMatchObject([{ state: 5, errorCode: 2009, orderId: '0' }]);
    expect(await positions(client)).toEqual([]);
  });

  it.each([
    [1, DAY_MS],
    [2, 7 * DAY_MS],
  ])('of cycle %s die after it', async (executeCycle, cycleMs) => {
    const { client, clock, venue } = await open();
    await plan(client, { executeCycle });
    clock.nowMs += cycleMs - 1;
    expect(await list(client)).toMatchObject([{ state: 1 }]);
    clock.nowMs += 1;
    expect(await list(client, { start_time: String(START_MS) })).toMatchObject([{ state: 4 }]);
    venue.market.setPrice('BTCUSDT', '51000');
    expect(venue.market.orders).toEqual([]);
  });

  it('watch the fair price where told to', async () => {
    const { client, venue } = await open();
    await plan(client, { trend: 2 });
    venue.market.setPrice('BTCUSDT', { last: '51000', mark: '50900' });
    expect(await list(client)).toMatchObject([{ state: 1 }]);
    venue.market.setPrice('BTCUSDT', { last: '50900', mark: '51000' });
    expect(await list(client)).toMatchObject([{ state: 3 }]);
  });

  it.each([
    ['of no trend', { trend: 4 }, 3001],
    ['of no trigger type', { triggerType: 3 }, 3002],
    ['of no cycle', { executeCycle: 3 }, 3003],
    ['without a trigger price', { triggerPrice: 0 }, 3004],
    ['whose price is reached', { triggerPrice: 50000 }, 3004],
    ['with a trigger beside the unit', { triggerPrice: 51000.05 }, 2015],
    ['of half a contract', { vol: 0.5 }, 2015],
    ['of no side', { side: 0 }, 2001],
  ])('%s are refused', async (_, body, code) => {
    const { client, venue } = await open();
    expect((await plan(client, body)).code).toBe(code);
    expect(venue.market.stops.all).toEqual([]);
  });

  it('are cancelled by id, or all', async () => {
    const { client } = await open();
    const { data: orderId } = await plan(client);
    await plan(client);
    expect((await client.post('planorder/cancel', [{ symbol: 'BTC_USDT', orderId }])).code).toBe(0);
    expect((await client.post('planorder/cancel', [{ symbol: 'BTC_USDT', orderId }])).code).toBe(2040);
    expect(await list(client, { states: '2' })).toMatchObject([{ id: orderId }]);
    expect((await client.post('planorder/cancel_all', { symbol: 'BTC_USDT' })).code).toBe(0);
    expect(await list(client, { states: '1' })).toEqual([]);
  });
});

describe('stop orders', () => {
  async function withPosition(side: 1 | 3 = 1) {
    const opened = await open();
    await opened.client.order({ side });
    const [{ positionId }] = await positions(opened.client);
    const stop = (body: object) => opened.client.post('stoporder/place', { positionId, volType: 2, ...body });
    const waiting = async () => (await opened.client.get('private/stoporder/open_orders')).data;
    return { ...opened, positionId, stop, waiting };
  }

  it('hold two prices of a position, of which the first to come ends the other', async () => {
    const { client, venue, stop, waiting, positionId } = await withPosition();
    const { data: id } = await stop({ stopLossPrice: 49000, takeProfitPrice: 52000 });
    expect(await waiting()).toMatchObject([
      { id, positionId: String(positionId), stopLossPrice: 49000, takeProfitPrice: 52000, state: 1, vol: 10 },
    ]);
    expect(await openOrders(client)).toEqual([]);
    venue.market.setPrice('BTCUSDT', '48990');
    expect(await positions(client)).toEqual([]);
    expect(await waiting()).toEqual([]);
    const [row] = (await client.get('private/stoporder/list/orders', { is_finished: '1' })).data;
    expect(row).toMatchObject({ id, state: 3, triggerSide: 2, realityVol: 10 });
    expect((await client.get(`private/order/get/${row.placeOrderId}`)).data).toMatchObject({ side: 4, state: 3 });
    venue.market.setPrice('BTCUSDT', '52000');
    expect(await positions(client)).toEqual([]);
  });

  it('of the whole position close what it is when the price comes', async () => {
    const { client, venue, stop } = await withPosition();
    await stop({ stopLossPrice: 49000 });
    await client.order({ vol: 5 });
    venue.market.setPrice('BTCUSDT', '49000');
    expect(await positions(client)).toEqual([]);
  });

  it('of a volume close that much', async () => {
    const { client, venue, stop } = await withPosition();
    await stop({ volType: 1, vol: 4, stopLossPrice: 49000 });
    venue.market.setPrice('BTCUSDT', '49000');
    expect(await positions(client)).toMatchObject([{ holdVol: 6 }]);
  });

  it('of a volume with two prices close once', async () => {
    const { client, venue, stop, waiting } = await withPosition();
    await stop({ volType: 1, vol: 4, stopLossPrice: 49000, takeProfitPrice: 52000 });
    venue.market.setPrice('BTCUSDT', '49000');
    expect(await waiting()).toEqual([]);
    venue.market.setPrice('BTCUSDT', '52000');
    expect(await positions(client)).toMatchObject([{ holdVol: 6 }]);
  });

  it('that come with an order which is refused come to nobody', async () => {
    const { client, venue } = await open();
    await client.order({ type: 1, price: 49500 });
    expect((await client.order({ vol: 450_000, stopLossPrice: 49000 })).code).toBe(2005);
    venue.market.setPrice('BTCUSDT', '49400');
    expect(await positions(client)).toMatchObject([{ holdVol: 10 }]);
    expect((await client.get('private/stoporder/open_orders')).data).toEqual([]);
  });

  it('go with the position they belong to, and never touch the next', async () => {
    const { client, venue, stop, waiting } = await withPosition();
    await stop({ stopLossPrice: 49000 });
    await stop({ volType: 1, vol: 4, stopLossPrice: 48000 });
    await client.order({ side: 4 });
    expect(await waiting()).toEqual([]);
    const rows = (await client.get('private/stoporder/list/orders')).data;
    expect(rows.map((row: { state: number }) => row.state)).toEqual([4, 4]);
    await client.order();
    venue.market.setPrice('BTCUSDT', '47000');
    expect(await positions(client)).toMatchObject([{ holdVol: 10 }]);
  });

  it.each([
    ['of no position', 1, { positionId: 1, stopLossPrice: 49000 }, 2009],
    ['without a price', 1, {}, 5001],
    ['with a loss over a long position', 1, { stopLossPrice: 50000 }, 5003],
    ['with a profit under a long position', 1, { takeProfitPrice: 50000 }, 5003],
    ['with a loss under a short position', 3, { stopLossPrice: 50000 }, 5003],
    ['with a profit over a short position', 3, { takeProfitPrice: 50000 }, 5003],
    ['of more than there is', 1, { volType: 1, vol: 11, stopLossPrice: 49000 }, 5004],
    ['of a part without a volume', 1, { volType: 1, stopLossPrice: 49000 }, 2011],
    ['of no trend', 1, { stopLossPrice: 49000, lossTrend: 4 }, 3001],
  ] as const)('%s are refused', async (_, side, body, code) => {
    const { venue, stop } = await withPosition(side);
    expect((await stop(body)).code).toBe(code);
    expect(venue.market.stops.all).toEqual([]);
  });

  it('have their prices changed, and are cancelled by id or all', async () => {
    const { client, stop, waiting } = await withPosition();
    const { data: stopPlanOrderId } = await stop({ stopLossPrice: 49000, takeProfitPrice: 52000 });
    const change = async (body: object) =>
      (await client.post('stoporder/change_plan_price', { stopPlanOrderId, ...body })).code;
    expect(await change({ stopLossPrice: 49500, takeProfitPrice: 53000 })).toBe(0);
    expect(await waiting()).toMatchObject([{ stopLossPrice: 49500, takeProfitPrice: 53000 }]);
    expect(await change({ stopLossPrice: 50500 })).toBe(5003);
    expect(await change({})).toBe(5001);
    expect((await client.post('stoporder/cancel', [{ stopPlanOrderId }])).code).toBe(0);
    expect((await client.post('stoporder/cancel', [{ stopPlanOrderId }])).code).toBe(5002);
    expect(await change({ stopLossPrice: 49500 })).toBe(5002);
    await stop({ stopLossPrice: 49000 });
    expect((await client.post('stoporder/cancel_all', { symbol: 'BTC_USDT' })).code).toBe(0);
    expect(await waiting()).toEqual([]);
  });

  it('that come with an order are there once it has filled, or close it at once when they are too late', async () => {
    const { client, venue } = await open();
    await client.order({ type: 1, price: 49500, stopLossPrice: 49000, takeProfitPrice: 51000 });
    const waiting = async () => (await client.get('private/stoporder/open_orders')).data;
    expect(await waiting()).toEqual([]);
    venue.market.setPrice('BTCUSDT', '49400');
    expect(await waiting()).toMatchObject([{ stopLossPrice: 49000, takeProfitPrice: 51000, vol: 10 }]);
    venue.market.setPrice('BTCUSDT', '48900');
    expect(await positions(client)).toEqual([]);
    await client.order({ type: 1, price: 48500, stopLossPrice: 48000 });
    venue.market.setPrice('BTCUSDT', '47000');
    expect([await positions(client), await waiting()]).toEqual([[], []]);
  });
});

describe('limits of requests', () => {
  it('twenty of a path in two seconds, then 510', async () => {
    const { client, clock, venue } = await open();
    for (let n = 0; n < 20; n++) expect((await client.order()).code).toBe(0);
    expect(await client.order()).toMatchObject({ status: 200, success: false, code: 510 });
    expect((await client.get('private/account/assets')).code).toBe(0);
    clock.nowMs += 2000;
    expect((await client.order()).code).toBe(0);
    expect(venue.market.orders).toHaveLength(21);
  });

  it('one list of contracts in five seconds', async () => {
    const { client, clock } = await open();
    expect((await client.get('contract/detail')).code).toBe(0);
    clock.nowMs += 4999;
    expect((await client.get('contract/detail')).code).toBe(510);
    clock.nowMs += 1;
    expect((await client.get('contract/detail')).code).toBe(0);
  });
});

describe('faults', () => {
  const CREATE = { method: 'POST', path: '/api/v1/private/order/create' };

  it('an answer that is lost has made one order, which is found by its id', async () => {
    const { venue, client } = await open();
    venue.faults.dropAnswerAfterAccept(CREATE);
    await expect(client.order({ externalOid: 'lost' })).rejects.toThrow();
    expect((await byExternalId(client, 'lost')).data).toMatchObject({ state: 3 });
    expect((await client.order({ externalOid: 'lost' })).code).toBe(603);
    expect(venue.market.orders).toHaveLength(1);
  });

  it('a busy system may have done what was asked, or not', async () => {
    const { venue, client } = await open();
    venue.faults.unknownOutcome(CREATE, true);
    expect((await client.order({ externalOid: 'done' })).code).toBe(501);
    venue.faults.unknownOutcome(CREATE, false);
    expect((await client.order({ externalOid: 'not' })).code).toBe(501);
    expect(venue.market.orders.map(({ clientOrderId }) => clientOrderId)).toEqual(['done']);
  });

  it('maintenance in its own words', async () => {
    const { venue, client } = await open();
    venue.faults.maintenance = true;
    expect(await client.order()).toMatchObject({ success: false, code: 801 });
    expect(venue.market.orders).toEqual([]);
  });
});

describe('the private stream', () => {
  async function logIn(
    { venue, clock }: Opened,
    change: Partial<{ key: string; secret: string; reqTime: number; subscribe: boolean }> = {},
  ) {
    const stream = await openStream(`${venue.streamUrl}/edge`);
    const { apiKey, secret } = venue.credentials;
    const key = change.key ?? apiKey;
    const reqTime = String(change.reqTime ?? clock.nowMs);
    const signature = hmacSha256Hex(change.secret ?? secret, `${key}${reqTime}`);
    const { subscribe } = change;
    stream.say({
      method: 'login',
      ...(subscribe === undefined ? {} : { subscribe }),
      param: { apiKey: key, reqTime, signature },
    });
    const answer = await stream.hear(({ channel }) => channel === 'rs.login' || channel === 'rs.error');
    return { stream, answer };
  }

  const filter = async (stream: StreamClient, filters: object[]) => {
    stream.say({ method: 'personal.filter', param: { filters } });
    await stream.hear(({ channel }) => channel === 'rs.personal.filter');
  };
  const pushed = (stream: StreamClient) =>
    stream.heard.map(({ channel }) => channel as string).filter((channel) => channel.startsWith('push.'));

  it.each([
    ['the key', {}, 'rs.login'],
    ['another key', { key: 'nobody' }, 'rs.error'],
    ['another secret', { secret: 'wrong' }, 'rs.error'],
    ['a signature of long ago', { reqTime: START_MS - 10_001 }, 'rs.error'],
  ])('answers who logs in with %s', async (_, change, channel) => {
    const { answer } = await logIn(await open(), change);
    expect(answer).toMatchObject({ channel });
  });

  it('has no other path, and nothing for who has not logged in', async () => {
    const opened = await open();
    await expect(openStream(`${opened.venue.streamUrl}/other`)).rejects.toThrow('404');
    const stream = await openStream(`${opened.venue.streamUrl}/edge`);
    stream.say({ method: 'personal.filter', param: { filters: [] } });
    expect(await stream.hear(({ channel }) => channel === 'rs.error')).toBeDefined();
    await opened.client.order();
    stream.say({ method: 'ping' });
    await stream.hear(({ channel }) => channel === 'pong');
    expect(pushed(stream)).toEqual([]);
  });

  it('answers pings with the time, and ends a caller who does not ping, whatever else is said', async () => {
    const { venue } = await open({ silenceMs: 1000 });
    const stream = await openStream(`${venue.streamUrl}/edge`);
    for (let n = 1; n <= 4; n++) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      stream.say({ method: 'ping' });
      await expect.poll(() => stream.heard.filter(({ channel }) => channel === 'pong')).toHaveLength(n);
    }
    expect(stream.heard[0]).toMatchObject({ data: START_MS });
    const talking = setInterval(() => stream.say({ method: 'login' }), 100);
    expect(await stream.closed).toBe(1000);
    clearInterval(talking);
  });

  it('pushes everything personal after the login', async () => {
    const opened = await open();
    const { stream } = await logIn(opened);
    await opened.client.order({ externalOid: 'told' });
    const order = await stream.hear(({ channel, data }) => channel === 'push.personal.order' && data.state === 3);
    expect(order.data).toMatchObject({ externalOid: 'told', dealVol: 10 });
    expect(await stream.hear(({ channel }) => channel === 'push.personal.order.deal')).toMatchObject({
      data: { externalOid: 'told', vol: 10, price: 50000.1 },
    });
    expect(await stream.hear(({ channel }) => channel === 'push.personal.position')).toMatchObject({
      data: { symbol: 'BTC_USDT', holdVol: 10, state: 1 },
    });
    expect(await stream.hear(({ channel }) => channel === 'push.personal.asset')).toMatchObject({
      data: { currency: 'USDT' },
    });
    await opened.client.order({ side: 4 });
    const over = await stream.hear(({ channel, data }) => channel === 'push.personal.position' && data.state === 3);
    expect(over.data).toMatchObject({ holdVol: 0, closeVol: 10 });
  });

  it('pushes nothing where that was declined, and what filters ask for', async () => {
    const opened = await open();
    const { stream } = await logIn(opened, { subscribe: false });
    await opened.client.order();
    await filter(stream, [{ filter: 'order.deal', rules: ['ETH_USDT'] }, { filter: 'asset' }]);
    expect(pushed(stream)).toEqual([]);
    await opened.client.order();
    await opened.client.order({ symbol: 'ETH_USDT' });
    await stream.hear(({ channel }) => channel === 'push.personal.order.deal');
    await expect
      .poll(() => pushed(stream))
      .toEqual(['push.personal.asset', 'push.personal.order.deal', 'push.personal.asset']);
    stream.say({ method: 'personal.filter', param: { filters: [{ filter: 'orders' }] } });
    expect(await stream.hear(({ channel }) => channel === 'rs.error')).toBeDefined();
  });

  it('pushes nothing when only the price moves', async () => {
    const opened = await open();
    await opened.client.order();
    const { stream } = await logIn(opened);
    opened.venue.market.setPrice('BTCUSDT', '50100');
    stream.say({ method: 'ping' });
    await stream.hear(({ channel }) => channel === 'pong');
    expect(pushed(stream)).toEqual([]);
  });

  it('tells of plan orders and stop orders', async () => {
    const opened = await open();
    const { stream } = await logIn(opened);
    await opened.client.order();
    const [{ positionId }] = await positions(opened.client);
    await opened.client.post('stoporder/place', { positionId, volType: 2, stopLossPrice: 49000 });
    const stop = await stream.hear(({ channel }) => channel === 'push.personal.stop.planorder');
    expect(stop.data).toMatchObject({ stopLossPrice: 49000, state: 1 });
    const body = { symbol: 'BTC_USDT', side: 3, vol: 1, openType: 2, triggerPrice: 49000, triggerType: 2 };
    await opened.client.post('planorder/place', { ...body, executeCycle: 1, orderType: 5, trend: 1 });
    const plan = await stream.hear(({ channel }) => channel === 'push.personal.plan.order');
    expect(plan.data).toMatchObject({ triggerPrice: 49000, state: 1 });
    opened.venue.market.setPrice('BTCUSDT', '49000');
    await stream.hear(({ channel, data }) => channel === 'push.personal.stop.planorder' && data.state === 3);
    await stream.hear(({ channel, data }) => channel === 'push.personal.plan.order' && data.state === 3);
  });

  it('is cut when the test says so; what happens meanwhile is never told', async () => {
    const opened = await open();
    const { stream } = await logIn(opened);
    opened.venue.faults.cutStreams();
    expect(await stream.closed).toBe(1006);
    await opened.client.order({ externalOid: 'unheard' });
    const { stream: again } = await logIn(opened);
    await opened.client.order({ externalOid: 'heard' });
    const first = await again.hear(({ channel }) => channel === 'push.personal.order');
    expect(first.data).toMatchObject({ externalOid: 'heard' });
  });
});
