// The emulated Binance refuses what Binance refuses, by code, and keeps an account to the last digit.

import { beforeEach, describe, expect, it } from 'vitest';
import { decimal } from '../../src/trading/decimal.ts';
import {
  expectRefused,
  type OpenBinance,
  openBinance,
  START_MS,
} from '../support/emulated-venues/binance/open-binance.ts';
import type { SignedClient, Values } from '../support/emulated-venues/binance/signed-client.ts';
import type { EmulatedBinance } from '../support/emulated-venues/binance/venue.ts';
import { hmacSha256Hex } from '../support/emulated-venues/emulated-venue.ts';
import { DEFAULT_MARKETS } from '../support/emulated-venues/market-spec.ts';

const DAY_MS = 86_400_000;

let venue: EmulatedBinance;
let client: SignedClient;
let clock: OpenBinance['clock'];

beforeEach(async () => {
  ({ venue, client, clock } = await openBinance());
});

const positions = async (): Promise<Record<string, string>[]> =>
  (await client.call('GET', '/fapi/v3/positionRisk', {})).body;
const positionAmount = async (): Promise<string | undefined> => (await positions())[0]?.positionAmt;
const wallet = async (): Promise<string> => (await client.call('GET', '/fapi/v3/balance')).body[0].balance;

describe('signatures', () => {
  const QUERY =
    'symbol=LTCBTC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=0.1&recvWindow=5000&timestamp=1499827319559';
  const SIGNATURE = 'c8db56825ae71d6d79447849e617115f4a920fa2acdcab2b053c4b2838bd6b71';
  const PUBLISHED_MS = 1_499_827_319_559;

  it('are those of the published example, in the query or in the body', async () => {
    expect(hmacSha256Hex(venue.credentials.secret, QUERY)).toBe(SIGNATURE);
    clock.nowMs = PUBLISHED_MS;
    const form = { headers: { 'X-MBX-APIKEY': venue.credentials.apiKey } };
    const signed = `${QUERY}&signature=${SIGNATURE}`;
    // Both get as far as the market, which is not listed here.
    expectRefused(await client.send('POST', `/fapi/v1/order?${signed}`), -1121);
    expectRefused(await client.send('POST', '/fapi/v1/order', { ...form, body: signed }), -1121);
  });

  it('cover query and body with nothing between them', async () => {
    clock.nowMs = PUBLISHED_MS;
    const query = 'symbol=LTCBTC&side=BUY&type=LIMIT&timeInForce=GTC';
    const body = 'quantity=1&price=0.1&recvWindow=5000&timestamp=1499827319559';
    const signature = '0fd168b8ddb4876a0358a8d14d0c9f3da0e9b20c5d52b2a00fcf7d1c602f9a77';
    const init = { headers: { 'X-MBX-APIKEY': venue.credentials.apiKey }, body: `${body}&signature=${signature}` };
    expectRefused(await client.send('POST', `/fapi/v1/order?${query}`, init), -1121);
    expectRefused(await client.send('POST', `/fapi/v1/order?${query}&x=1`, init), -1022);
  });

  it('are refused when a letter differs, and when they are missing', async () => {
    const query = `timestamp=${clock.nowMs}`;
    const signature = hmacSha256Hex(venue.credentials.secret, query);
    expect((await client.send('GET', `/fapi/v3/balance?${query}&signature=${signature}`)).status).toBe(200);
    expectRefused(await client.send('GET', `/fapi/v3/balance?${query}&recvWindow=5000&signature=${signature}`), -1022);
    expectRefused(await client.send('GET', `/fapi/v3/balance?${query}`), -1102);
  });

  it('cover a parameter only once', async () => {
    const query = `timestamp=${clock.nowMs}&symbol=BTCUSDT&symbol=ETHUSDT`;
    const signature = hmacSha256Hex(venue.credentials.secret, query);
    expectRefused(await client.send('GET', `/fapi/v1/openOrders?${query}&signature=${signature}`), -1101);
  });

  it('need the right key in its header', async () => {
    expectRefused(await client.send('GET', `/fapi/v3/balance?timestamp=${clock.nowMs}`, { headers: {} }), -2014);
    const headers = { 'X-MBX-APIKEY': 'another' };
    expectRefused(await client.send('GET', `/fapi/v3/balance?timestamp=${clock.nowMs}`, { headers }), -2015);
  });

  it.each([
    ['a window old', { timestamp: START_MS - 5_000 }, undefined],
    ['a millisecond older', { timestamp: START_MS - 5_001 }, -1021],
    ['as old as a window of its own', { timestamp: START_MS - 10_000, recvWindow: 10_000 }, undefined],
    ['almost a second ahead', { timestamp: START_MS + 999 }, undefined],
    ['a second ahead', { timestamp: START_MS + 1_000 }, -1021],
    ['with the longest window', { timestamp: START_MS - 60_000, recvWindow: 60_000 }, undefined],
    ['with a window that is too long', { timestamp: START_MS, recvWindow: 60_001 }, -1130],
  ] as const)('count by the venue’s clock: %s', async (_, values, code) => {
    const answer = await client.call('GET', '/fapi/v3/balance', values);
    if (code === undefined) expect(answer.status).toBe(200);
    else expectRefused(answer, code);
  });

  it('can be set right by the public time', async () => {
    expect((await client.send('GET', '/fapi/v1/time')).body).toEqual({ serverTime: clock.nowMs });
  });
});

describe('permissions of the key', () => {
  it('are told, and without futures nothing can be traded', async () => {
    const told = await client.call('GET', '/sapi/v1/account/apiRestrictions');
    expect(told.body).toMatchObject({ enableWithdrawals: false, enableFutures: true, ipRestrict: true });
    venue.permissions.enableWithdrawals = true;
    venue.permissions.enableFutures = false;
    const changed = await client.call('GET', '/sapi/v1/account/apiRestrictions');
    expect(changed.body).toMatchObject({ enableWithdrawals: true, enableFutures: false });
    expectRefused(await client.order({}), -2015);
    expect((await client.call('GET', '/fapi/v3/balance')).status).toBe(200);
  });
});

describe('filters', () => {
  it('are published', async () => {
    const { symbols } = (await client.send('GET', '/fapi/v1/exchangeInfo')).body;
    const { filters, pricePrecision } = symbols.find(({ symbol }: { symbol: string }) => symbol === 'BTCUSDT');
    expect(pricePrecision).toBe(2);
    expect(filters).toContainEqual({
      filterType: 'PRICE_FILTER',
      minPrice: '556.80',
      maxPrice: '4529764.00',
      tickSize: '0.10',
    });
    expect(filters).toContainEqual({ filterType: 'MIN_NOTIONAL', notional: '100' });
    expect(filters).toContainEqual({ filterType: 'MAX_NUM_ORDERS', limit: 200 });
  });

  it.each([
    ['a quantity with more decimals than the step', { quantity: '0.0101' }, -1111],
    ['a quantity of nothing', { quantity: '0' }, -4003],
    ['a quantity in exponents', { quantity: '1e-2' }, -1100],
    ['a negative quantity', { quantity: '-1' }, -1100],
    ['no quantity', { quantity: '' }, -1102],
    ['more than a market order may have', { quantity: '120.001' }, -4005],
    ['less than the notional', { quantity: '0.001' }, -4164],
    ['an unknown market', { symbol: 'BTCUSD' }, -1121],
    ['no market', { symbol: '' }, -1102],
    ['an unknown side', { side: 'LONG' }, -1117],
    ['an unknown type', { type: 'LIMIT_MAKER' }, -1116],
    ['a price for a market order', { price: '50000' }, -1106],
    ['a time in force for a market order', { timeInForce: 'GTC' }, -1106],
    ['an unknown answer', { newOrderRespType: 'FULL' }, -1136],
    ['the whole position, which only stops can close', { closePosition: true }, -4136],
    ['a flag that is neither true nor false', { reduceOnly: 'yes' }, -1102],
    ['a window that is no number', { recvWindow: '5s' }, -1100],
  ] as const)('refuse %s', async (_, values, code) => {
    expectRefused(await client.order(values), code);
    expect(venue.market.orders).toEqual([]);
  });

  it.each([
    ['a price off the tick', { price: '49000.05' }, -4014],
    ['a price with more decimals than prices have', { price: '49000.001' }, -1111],
    ['a price below the least', { price: '556.7' }, -4013],
    ['a price above the most', { price: '4529764.1' }, -4002],
    ['no price', { price: '' }, -1102],
    ['no time in force', { timeInForce: '' }, -1102],
    ['an unknown time in force', { timeInForce: 'DAY' }, -1115],
    ['a bid more than five percent above the mark price', { price: '52500.1' }, -4016],
    ['an offer more than five percent below it', { side: 'SELL', price: '47499.9' }, -4024],
    ['a post-only order that would take', { price: '50000.1', timeInForce: 'GTX' }, -5022],
    ['more than there may be', { quantity: '1000.001' }, -4005],
  ] as const)('refuse a limit order with %s', async (_, values, code) => {
    expectRefused(await client.limit(values), code);
    expect(venue.market.orders).toEqual([]);
  });

  it('hold quantities to steps and minimums that are no powers of ten', async () => {
    const doge = DEFAULT_MARKETS.find(({ symbol }) => symbol === 'DOGEUSDT')!;
    const coarse = { ...doge, symbol: 'PEPEUSDT', stepSize: decimal('5'), minQuantity: decimal('20') };
    ({ venue, client } = await openBinance([...DEFAULT_MARKETS, coarse]));
    venue.market.setPrice('PEPEUSDT', '0.9');
    const place = (quantity: string) => client.order({ symbol: 'PEPEUSDT', quantity });
    expectRefused(await place('15'), -4004);
    expectRefused(await place('21'), -4023);
    expect((await place('20')).body.status).toBe('FILLED');
  });

  it('keep market orders from prices far off the mark', async () => {
    venue.market.setPrice('BTCUSDT', { last: '50000', ask: '52500.1', bid: '47499.9' });
    for (const side of ['BUY', 'SELL']) expectRefused(await client.order({ side }), -4131);
    venue.market.setPrice('BTCUSDT', { last: '50000', ask: '52500', bid: '47500' });
    for (const side of ['BUY', 'SELL']) expect((await client.order({ side })).status).toBe(200);
  });

  it('let through what just fits', async () => {
    const fitting: Values[] = [
      { price: '52500', quantity: '0.002' },
      { side: 'SELL', price: '47500', quantity: '0.003' },
      { price: '50000', quantity: '0.002', timeInForce: 'GTX' },
      { price: '49000.10', quantity: '0.003' },
      { price: '556.8', quantity: '0.2' },
      { price: '4529764', quantity: '0.001', side: 'SELL' },
    ];
    for (const values of fitting) expect((await client.limit(values)).status).toBe(200);
    // As large as orders may be, but not for this wallet.
    expectRefused(await client.order({ quantity: '120' }), -2019);
    expectRefused(await client.limit({ quantity: '1000' }), -2019);
  });

  it('do not ask for a notional where an order only reduces', async () => {
    await client.order({ quantity: '0.01' });
    expect((await client.order({ side: 'SELL', quantity: '0.001', reduceOnly: true })).body.status).toBe('FILLED');
  });

  it('bound the number of open orders', async () => {
    for (let n = 0; n < 200; n++) venue.market.place(resting(`owner-${n}`));
    expectRefused(await client.limit({ price: '45000', quantity: '0.003' }), -2025);
  });
});

const resting = (clientOrderId: string) => ({
  clientOrderId,
  symbol: 'BTCUSDT',
  side: 'BUY' as const,
  positionSide: 'BOTH' as const,
  quantity: decimal('0.003'),
  price: decimal('40000'),
  timeInForce: 'GTC' as const,
  reduceOnly: false,
});

describe('client order ids', () => {
  it('must have the published shape', async () => {
    expectRefused(await client.order({ newClientOrderId: 'a'.repeat(37) }), -4015);
    expectRefused(await client.order({ newClientOrderId: 'a b' }), -1100);
    const id = `sbx.:/_-${'A'.repeat(28)}`;
    expect(id).toHaveLength(36);
    expect((await client.order({ newClientOrderId: id })).body.clientOrderId).toBe(id);
  });

  it('are unique among open orders only: after its end an id makes a second trade', async () => {
    await client.limit({ newClientOrderId: 'sbx-1' });
    expectRefused(await client.limit({ newClientOrderId: 'sbx-1' }), -4116);
    await client.call('DELETE', '/fapi/v1/order', { symbol: 'BTCUSDT', origClientOrderId: 'sbx-1' });
    const first = await client.order({ newClientOrderId: 'sbx-1' });
    const second = await client.order({ newClientOrderId: 'sbx-1' });
    expect(second.body.orderId).not.toBe(first.body.orderId);
    expect(await positionAmount()).toBe('0.020');
    const found = await client.call('GET', '/fapi/v1/order', { symbol: 'BTCUSDT', origClientOrderId: 'sbx-1' });
    expect(found.body.orderId).toBe(second.body.orderId);
  });
});

describe('orders', () => {
  it('are acknowledged by default and answered whole with RESULT', async () => {
    const acknowledged = await client.order({ newOrderRespType: 'ACK' });
    expect(acknowledged.body).toMatchObject({ status: 'NEW', executedQty: '0.000', avgPrice: '0.00' });
    const whole = await client.order({});
    expect(whole.body).toMatchObject({
      status: 'FILLED',
      executedQty: '0.010',
      cumQuote: '500.00100000',
      avgPrice: '50000.10',
    });
  });

  it('are found and cancelled by either id, and in no other market', async () => {
    const placed = await client.limit({ newClientOrderId: 'sbx-2' });
    const byClientId = { symbol: 'BTCUSDT', origClientOrderId: 'sbx-2' };
    expect((await client.call('GET', '/fapi/v1/order', byClientId)).body).toMatchObject({
      status: 'NEW',
      type: 'LIMIT',
    });
    const byId = { symbol: 'BTCUSDT', orderId: placed.body.orderId };
    expect((await client.call('GET', '/fapi/v1/order', byId)).body.clientOrderId).toBe('sbx-2');
    expectRefused(await client.call('GET', '/fapi/v1/order', { ...byClientId, symbol: 'ETHUSDT' }), -2013);
    expectRefused(await client.call('GET', '/fapi/v1/order', { symbol: 'BTCUSDT' }), -1102);
    expect((await client.call('DELETE', '/fapi/v1/order', byClientId)).body.status).toBe('CANCELED');
    expectRefused(await client.call('DELETE', '/fapi/v1/order', byClientId), -2011);
    expectRefused(await client.call('DELETE', '/fapi/v1/order', { symbol: 'BTCUSDT', orderId: 1 }), -2011);
  });

  it('rest until the price comes, and fill at their own as makers', async () => {
    await client.limit({ newClientOrderId: 'sbx-3' });
    expect((await client.call('GET', '/fapi/v1/openOrders', { symbol: 'BTCUSDT' })).body).toHaveLength(1);
    venue.market.setPrice('BTCUSDT', { last: '49000', ask: '49000.1', bid: '48999.9' });
    expect((await client.call('GET', '/fapi/v1/openOrders')).body).toHaveLength(1);
    venue.market.setPrice('BTCUSDT', { last: '48999', ask: '49000', bid: '48998' });
    expect((await client.call('GET', '/fapi/v1/openOrders')).body).toEqual([]);
    const [trade] = (await client.call('GET', '/fapi/v1/userTrades', { symbol: 'BTCUSDT' })).body;
    expect(trade).toMatchObject({
      price: '49000.00',
      qty: '0.010',
      commission: '0.09800000',
      maker: true,
      buyer: true,
    });
  });

  it('fill in part where there is not more; the rest of a market order expires, that of a limit rests', async () => {
    venue.market.setLiquidity('BTCUSDT', '0.004');
    expect((await client.order({})).body).toMatchObject({ status: 'EXPIRED', executedQty: '0.004' });
    venue.market.setLiquidity('BTCUSDT', '0.003');
    const limit = await client.limit({ price: '50000.1', newClientOrderId: 'sbx-4' });
    expect(limit.body).toMatchObject({ status: 'PARTIALLY_FILLED', executedQty: '0.003' });
    venue.market.setLiquidity('BTCUSDT');
    const found = await client.call('GET', '/fapi/v1/order', { symbol: 'BTCUSDT', origClientOrderId: 'sbx-4' });
    expect(found.body).toMatchObject({ status: 'FILLED', executedQty: '0.010' });
  });

  it('fill in several trades', async () => {
    venue.market.setMaxTrade('BTCUSDT', '0.004');
    const { orderId } = (await client.order({})).body;
    const trades = (await client.call('GET', '/fapi/v1/userTrades', { symbol: 'BTCUSDT', orderId })).body;
    expect(trades.map(({ qty }: { qty: string }) => qty)).toEqual(['0.004', '0.004', '0.002']);
  });

  it('may fill a while after their answer', async () => {
    venue.market.fillDelayMs = 20;
    expect((await client.order({ newClientOrderId: 'sbx-5' })).body).toMatchObject({
      status: 'NEW',
      executedQty: '0.000',
    });
    const status = async () =>
      (await client.call('GET', '/fapi/v1/order', { symbol: 'BTCUSDT', origClientOrderId: 'sbx-5' })).body.status;
    await expect.poll(status).toBe('FILLED');
  });

  it('that must fill whole or not at all, or at once, keep their word', async () => {
    venue.market.setLiquidity('BTCUSDT', '0.004');
    expectRefused(await client.limit({ price: '50000.1', timeInForce: 'FOK' }), -5021);
    const now = await client.limit({ price: '50000.1', timeInForce: 'IOC' });
    expect(now.body).toMatchObject({ status: 'EXPIRED', executedQty: '0.004' });
  });

  it('can be tested without being placed', async () => {
    const values = { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.01' };
    expect((await client.call('POST', '/fapi/v1/order/test', values)).body).toEqual({});
    expectRefused(await client.call('POST', '/fapi/v1/order/test', { ...values, quantity: '0.001' }), -4164);
    expectRefused(await client.call('POST', '/fapi/v1/order/test', { ...values, quantity: '100' }), -2019);
    expect(venue.market.orders).toEqual([]);
  });

  it('can be amended while they rest', async () => {
    const by = { symbol: 'BTCUSDT', side: 'BUY', origClientOrderId: 'sbx-6' };
    await client.limit({ newClientOrderId: 'sbx-6' });
    expectRefused(await client.call('PUT', '/fapi/v1/order', { ...by, quantity: '0.01', price: '49000' }), -5027);
    const amended = await client.call('PUT', '/fapi/v1/order', { ...by, quantity: '0.02', price: '49500' });
    expect(amended.body).toMatchObject({ origQty: '0.020', price: '49500.00', status: 'NEW' });
    venue.market.setLiquidity('BTCUSDT', '0.015');
    venue.market.setPrice('BTCUSDT', '49400');
    const smaller = await client.call('PUT', '/fapi/v1/order', { ...by, quantity: '0.015', price: '49400' });
    expect(smaller.body).toMatchObject({ executedQty: '0.015', status: 'CANCELED' });
    expectRefused(await client.call('PUT', '/fapi/v1/order', { ...by, quantity: '0.03', price: '49500' }), -2013);
  });

  it('may be invisible for a while after they were taken', async () => {
    venue.orders.queryDelayMs = 2_000;
    await client.order({ newClientOrderId: 'sbx-7' });
    const by = { symbol: 'BTCUSDT', origClientOrderId: 'sbx-7' };
    clock.nowMs += 1_999;
    expectRefused(await client.call('GET', '/fapi/v1/order', by), -2013);
    clock.nowMs += 1;
    expect((await client.call('GET', '/fapi/v1/order', by)).body.status).toBe('FILLED');
  });

  it('are forgotten: unfilled ones after three days, filled ones after ninety', async () => {
    await client.limit({ newClientOrderId: 'gone' });
    await client.call('DELETE', '/fapi/v1/allOpenOrders', { symbol: 'BTCUSDT' });
    await client.order({ newClientOrderId: 'kept' });
    const ask = (origClientOrderId: string) =>
      client.call('GET', '/fapi/v1/order', { symbol: 'BTCUSDT', origClientOrderId });
    clock.nowMs += 3 * DAY_MS;
    expect((await ask('gone')).status).toBe(200);
    clock.nowMs += 1;
    expectRefused(await ask('gone'), -2013);
    expect((await ask('kept')).status).toBe(200);
    clock.nowMs += 87 * DAY_MS;
    expectRefused(await ask('kept'), -2013);
  });

  it('and their trades are listed a week at a time', async () => {
    await client.order({ newClientOrderId: 'old' });
    clock.nowMs += 8 * DAY_MS;
    await client.order({ newClientOrderId: 'new' });
    const list = async (path: string, values: Values = {}) =>
      (await client.call('GET', path, { symbol: 'BTCUSDT', ...values })).body;
    expect(await list('/fapi/v1/allOrders')).toMatchObject([{ clientOrderId: 'new' }]);
    const [newest] = await list('/fapi/v1/allOrders');
    expect(await list('/fapi/v1/allOrders', { orderId: newest.orderId })).toHaveLength(1);
    expect(await list('/fapi/v1/allOrders', { orderId: 1, limit: 1 })).toMatchObject([{ clientOrderId: 'old' }]);
    expect(await list('/fapi/v1/userTrades')).toHaveLength(1);
    expect(await list('/fapi/v1/userTrades', { startTime: START_MS })).toMatchObject([{ time: START_MS }]);
    expect(await list('/fapi/v1/userTrades', { fromId: 1 })).toHaveLength(2);
    expect(
      await list('/fapi/v1/userTrades', { startTime: START_MS, endTime: START_MS + 7 * DAY_MS + 1 }),
    ).toMatchObject({
      code: -4165,
    });
    expect(await list('/fapi/v1/userTrades', { fromId: 1, startTime: START_MS })).toMatchObject({ code: -1128 });
    expect(await list('/fapi/v1/allOrders', { startTime: START_MS, endTime: START_MS })).toHaveLength(1);
    expect(await list('/fapi/v1/allOrders', { startTime: START_MS + 1, endTime: START_MS })).toMatchObject({
      code: -1023,
    });
    expect(await list('/fapi/v1/allOrders', { limit: 1001 })).toMatchObject({ code: -1130 });
  });
});

describe('positions', () => {
  it('pay for what they gain, lose and cost, exactly', async () => {
    await client.order({ quantity: '0.03' });
    venue.market.setPrice('BTCUSDT', '51000');
    await client.order({ quantity: '0.01' });
    // (0.03 × 50000.1 + 0.01 × 51000.1) ÷ 0.04
    expect((await positions())[0]).toMatchObject({ positionAmt: '0.040', entryPrice: '50250.1' });
    const sold = await client.order({ side: 'SELL', quantity: '0.02', reduceOnly: true });
    const [trade] = (await client.call('GET', '/fapi/v1/userTrades', { symbol: 'BTCUSDT', orderId: sold.body.orderId }))
      .body;
    expect(trade).toMatchObject({ price: '50999.90', realizedPnl: '14.99600000', commission: '0.50999900' });
    // 10000 + 14.996 − (1500.003 + 510.001 + 1019.998) × 0.0005
    expect(await wallet()).toBe('10013.48099900');
    expect((await positions())[0]?.unRealizedProfit).toBe('14.99800000');
  });

  it('turn around in one-way mode, unless the order only reduces', async () => {
    await client.order({ quantity: '0.01' });
    const closed = await client.order({ side: 'SELL', quantity: '0.03', reduceOnly: true });
    expect(closed.body).toMatchObject({ status: 'FILLED', origQty: '0.010', executedQty: '0.010' });
    expect(await positions()).toEqual([]);
    await client.order({ quantity: '0.01' });
    await client.order({ side: 'SELL', quantity: '0.03' });
    expect(await positionAmount()).toBe('-0.020');
  });

  it('cannot be reduced where there is nothing, or where other orders do it already', async () => {
    expectRefused(await client.order({ side: 'SELL', reduceOnly: true }), -2022);
    await client.order({});
    expectRefused(await client.order({ side: 'BUY', reduceOnly: true }), -2022);
    await client.limit({ side: 'SELL', price: '51000', reduceOnly: true });
    expectRefused(await client.order({ side: 'SELL', reduceOnly: true }), -4118);
    await client.call('DELETE', '/fapi/v1/allOpenOrders', { symbol: 'BTCUSDT' });
    expect((await client.order({ side: 'SELL', reduceOnly: true })).body.status).toBe('FILLED');
  });

  it('take their resting reducing orders with them', async () => {
    await client.order({ quantity: '0.02' });
    await client.limit({ side: 'SELL', price: '51000', reduceOnly: true, newClientOrderId: 'take-profit' });
    await client.order({ side: 'SELL', quantity: '0.02' });
    const by = { symbol: 'BTCUSDT', origClientOrderId: 'take-profit' };
    expect((await client.call('GET', '/fapi/v1/order', by)).body.status).toBe('EXPIRED');
  });

  it('need margin, of which leverage decides', async () => {
    await client.call('POST', '/fapi/v1/leverage', { symbol: 'BTCUSDT', leverage: 1 });
    expectRefused(await client.order({ quantity: '0.2' }), -2019);
    expect((await client.order({ quantity: '0.199' })).status).toBe(200);
    await client.call('POST', '/fapi/v1/leverage', { symbol: 'ETHUSDT', leverage: 100 });
    expectRefused(await client.order({ symbol: 'ETHUSDT', quantity: '100' }), -2019);
  });

  it('may not be larger than their leverage allows', async () => {
    venue.market.deposit('1000000');
    await client.call('POST', '/fapi/v1/leverage', { symbol: 'BTCUSDT', leverage: 125 });
    expectRefused(await client.order({ quantity: '6' }), -2027);
    await client.call('POST', '/fapi/v1/leverage', { symbol: 'BTCUSDT', leverage: 20 });
    expect((await client.order({ quantity: '20' })).body.status).toBe('FILLED');
    expectRefused(await client.call('POST', '/fapi/v1/leverage', { symbol: 'BTCUSDT', leverage: 100 }), -2027);
  });

  it('pay funding, which is told as income', async () => {
    await client.order({ quantity: '0.1' });
    clock.nowMs += 1_000;
    venue.market.payFunding('BTCUSDT', '0.0001');
    const income = await client.call('GET', '/fapi/v1/income', { incomeType: 'FUNDING_FEE', symbol: 'BTCUSDT' });
    expect(income.body).toMatchObject([{ income: '-0.5', asset: 'USDT', time: clock.nowMs }]);
    expect(await wallet()).toBe('9996.99999500');
  });

  it.each(['CROSSED', 'ISOLATED'] as const)('are liquidated, %s, at the price that was told', async (marginType) => {
    if (marginType === 'ISOLATED')
      await client.call('POST', '/fapi/v1/marginType', { symbol: 'BTCUSDT', marginType: 'ISOLATED' });
    await client.order({ quantity: '1' });
    const told = Number((await positions())[0]?.liquidationPrice);
    expect(told).toBeGreaterThan(marginType === 'ISOLATED' ? 47_000 : 39_000);
    venue.market.setPrice('BTCUSDT', String(Math.ceil(told) + 1));
    expect(await positionAmount()).toBe('1.000');
    venue.market.setPrice('BTCUSDT', String(Math.floor(told) - 1));
    expect(await positions()).toEqual([]);
    const forced = await client.call('GET', '/fapi/v1/forceOrders');
    expect(forced.body).toMatchObject([
      { side: 'SELL', executedQty: '1.000', clientOrderId: `autoclose-${clock.nowMs}` },
    ]);
  });
});

describe('hedge mode', () => {
  beforeEach(async () => {
    await client.call('POST', '/fapi/v1/positionSide/dual', { dualSidePosition: true });
  });

  it('holds both sides at once', async () => {
    await client.order({ positionSide: 'LONG', quantity: '0.03' });
    await client.order({ side: 'SELL', positionSide: 'SHORT', quantity: '0.01' });
    expect(await positions()).toMatchObject([
      { positionSide: 'LONG', positionAmt: '0.030' },
      { positionSide: 'SHORT', positionAmt: '-0.010' },
    ]);
    expectRefused(await client.order({ positionSide: 'SHORT', quantity: '0.011' }), -2022);
    const closed = await client.order({ positionSide: 'SHORT', quantity: '0.01' });
    expect(closed.body).toMatchObject({ status: 'FILLED', executedQty: '0.010' });
    expect((await positions()).map(({ positionAmt }) => positionAmt)).toEqual(['0.030', '0.000']);
  });

  it('wants a side, and refuses reduceOnly', async () => {
    expectRefused(await client.order({}), -4061);
    expectRefused(await client.order({ positionSide: 'BOTH' }), -4061);
    expectRefused(await client.order({ positionSide: 'UP' }), -4060);
    expectRefused(await client.order({ positionSide: 'LONG', reduceOnly: true }), -1106);
    expectRefused(await client.order({ positionSide: 'LONG', side: 'SELL' }), -2022);
  });

  it('closes less than the minimum, but opens no less', async () => {
    await client.order({ positionSide: 'LONG' });
    expectRefused(await client.order({ positionSide: 'LONG', quantity: '0.001' }), -4164);
    expect((await client.order({ positionSide: 'LONG', side: 'SELL', quantity: '0.001' })).status).toBe(200);
  });

  it('refuses a close that a resting order makes already', async () => {
    await client.order({ positionSide: 'LONG' });
    await client.limit({ positionSide: 'LONG', side: 'SELL', price: '51000' });
    expectRefused(await client.order({ positionSide: 'LONG', side: 'SELL' }), -2022);
  });
});

describe('settings', () => {
  const set = (path: string, values: Values) => client.call('POST', path, values);

  it('of leverage are bounded, and may be set again', async () => {
    for (const leverage of [0, 126])
      expectRefused(await set('/fapi/v1/leverage', { symbol: 'BTCUSDT', leverage }), -4028);
    for (const leverage of [125, 125, 1])
      expect((await set('/fapi/v1/leverage', { symbol: 'BTCUSDT', leverage })).body).toMatchObject({ leverage });
    const config = await client.call('GET', '/fapi/v1/symbolConfig', { symbol: 'BTCUSDT' });
    expect(config.body).toMatchObject([{ leverage: 1, marginType: 'CROSSED' }]);
    const brackets = await client.call('GET', '/fapi/v1/leverageBracket', { symbol: 'BTCUSDT' });
    expect(brackets.body[0].brackets[1]).toMatchObject({ initialLeverage: 100, notionalFloor: 300_000, cum: 300 });
  });

  it('of leverage cannot be lowered under an isolated position, nor below what the account can bear', async () => {
    await set('/fapi/v1/marginType', { symbol: 'BTCUSDT', marginType: 'ISOLATED' });
    expect((await set('/fapi/v1/leverage', { symbol: 'BTCUSDT', leverage: 15 })).status).toBe(200);
    await client.order({ quantity: '0.1' });
    expectRefused(await set('/fapi/v1/leverage', { symbol: 'BTCUSDT', leverage: 14 }), -4161);
    expect((await set('/fapi/v1/leverage', { symbol: 'BTCUSDT', leverage: 15 })).status).toBe(200);
    expect((await set('/fapi/v1/leverage', { symbol: 'BTCUSDT', leverage: 50 })).status).toBe(200);
    await client.order({ symbol: 'ETHUSDT', quantity: '10' });
    expectRefused(await set('/fapi/v1/leverage', { symbol: 'ETHUSDT', leverage: 1 }), -2028);
  });

  it('of the margin type change only in a quiet market', async () => {
    expectRefused(await set('/fapi/v1/marginType', { symbol: 'BTCUSDT', marginType: 'CROSSED' }), -4046);
    expectRefused(await set('/fapi/v1/marginType', { symbol: 'BTCUSDT', marginType: 'cross' }), -1130);
    await client.limit({ newClientOrderId: 'rests' });
    expectRefused(await set('/fapi/v1/marginType', { symbol: 'BTCUSDT', marginType: 'ISOLATED' }), -4047);
    await client.call('DELETE', '/fapi/v1/order', { symbol: 'BTCUSDT', origClientOrderId: 'rests' });
    await client.order({});
    expectRefused(await set('/fapi/v1/marginType', { symbol: 'BTCUSDT', marginType: 'ISOLATED' }), -4048);
  });

  it('of the position mode change only where nothing is held or ordered', async () => {
    const dual = (dualSidePosition: boolean) => set('/fapi/v1/positionSide/dual', { dualSidePosition });
    expect((await client.call('GET', '/fapi/v1/positionSide/dual')).body).toEqual({ dualSidePosition: false });
    expectRefused(await dual(false), -4059);
    await client.limit({ newClientOrderId: 'rests' });
    expectRefused(await dual(true), -4067);
    await client.call('DELETE', '/fapi/v1/allOpenOrders', { symbol: 'BTCUSDT' });
    await client.order({});
    expectRefused(await dual(true), -4068);
    await client.order({ side: 'SELL' });
    expect((await dual(true)).body).toEqual({ code: 200, msg: 'success' });
  });

  it('of the assets exclude isolated margin', async () => {
    const multi = (multiAssetsMargin: boolean) => set('/fapi/v1/multiAssetsMargin', { multiAssetsMargin });
    expectRefused(await multi(false), -4171);
    expect((await multi(true)).status).toBe(200);
    expect((await client.call('GET', '/fapi/v1/multiAssetsMargin')).body).toEqual({ multiAssetsMargin: true });
    expectRefused(await set('/fapi/v1/marginType', { symbol: 'BTCUSDT', marginType: 'ISOLATED' }), -4168);
    await multi(false);
    await set('/fapi/v1/marginType', { symbol: 'BTCUSDT', marginType: 'ISOLATED' });
    expectRefused(await multi(true), -4167);
  });
});

describe('accounts', () => {
  it('tell their sums', async () => {
    await client.order({ quantity: '0.1' });
    await client.limit({ quantity: '0.1', price: '48000' });
    venue.market.setPrice('BTCUSDT', '50100.1');
    const { body } = await client.call('GET', '/fapi/v3/account');
    expect(body).toMatchObject({
      totalWalletBalance: '9997.49999500',
      totalUnrealizedProfit: '10.00000000',
      totalMarginBalance: '10007.49999500',
      totalInitialMargin: '490.50050000',
      totalPositionInitialMargin: '250.50050000',
      totalOpenOrderInitialMargin: '240.00000000',
      availableBalance: '9516.99949500',
    });
    expect(body.assets[0]).toMatchObject({ asset: 'USDT', walletBalance: '9997.49999500' });
    expect(body.positions).toMatchObject([{ symbol: 'BTCUSDT', positionAmt: '0.100', maintMargin: '20.04004000' }]);
  });

  it('tell what is bound to isolated positions apart', async () => {
    await client.call('POST', '/fapi/v1/marginType', { symbol: 'ETHUSDT', marginType: 'ISOLATED' });
    await client.order({ symbol: 'ETHUSDT', quantity: '1' });
    await client.order({ quantity: '0.1' });
    venue.market.setPrice('ETHUSDT', '3010.01');
    venue.market.setPrice('BTCUSDT', '49900.1');
    const { body: account } = await client.call('GET', '/fapi/v3/account');
    expect(account.positions).toMatchObject([
      { symbol: 'ETHUSDT', isolatedWallet: '150.00050000', isolatedMargin: '160.00050000' },
      { symbol: 'BTCUSDT', isolatedWallet: '0.00000000', isolatedMargin: '0.00000000' },
    ]);
    const { body: balances } = await client.call('GET', '/fapi/v3/balance');
    // 10000 − 1.500005 − 2.500005, of which 150.0005 are bound.
    expect(balances[0]).toMatchObject({
      balance: '9995.99999000',
      crossWalletBalance: '9845.99949000',
      crossUnPnl: '-10.00000000',
      availableBalance: '9586.49899000',
    });
    const { body: risks } = await client.call('GET', '/fapi/v2/positionRisk');
    expect(risks).toMatchObject([
      { symbol: 'BTCUSDT', marginType: 'cross', leverage: '20', isolatedMargin: '0.00000000' },
      { symbol: 'ETHUSDT', marginType: 'isolated', leverage: '20', isolatedMargin: '160.00050000' },
      { symbol: 'DOGEUSDT', marginType: 'cross', positionAmt: '0' },
    ]);
  });

  it('tell income by its kind, market and time', async () => {
    await client.order({});
    clock.nowMs += 1;
    await client.order({ symbol: 'ETHUSDT', quantity: '1' });
    const income = async (values: Values): Promise<{ symbol: string }[]> =>
      (await client.call('GET', '/fapi/v1/income', values)).body;
    expect(await income({})).toMatchObject([{ symbol: 'BTCUSDT', incomeType: 'COMMISSION' }, { symbol: 'ETHUSDT' }]);
    expect(await income({ symbol: 'ETHUSDT' })).toHaveLength(1);
    expect(await income({ incomeType: 'REALIZED_PNL' })).toEqual([]);
    expect(await income({ limit: 1 })).toMatchObject([{ symbol: 'ETHUSDT' }]);
    expect(await income({ limit: 1, startTime: START_MS })).toMatchObject([{ symbol: 'BTCUSDT' }]);
    expect(await income({ startTime: START_MS + 1 })).toMatchObject([{ symbol: 'ETHUSDT' }]);
    expect(await income({ endTime: START_MS })).toMatchObject([{ symbol: 'BTCUSDT' }]);
  });
});
