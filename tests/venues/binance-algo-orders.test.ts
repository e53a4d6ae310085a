// Conditional orders of the emulated Binance: their own interface, their triggers, and what becomes of them.

import { beforeEach, describe, expect, it } from 'vitest';
import { expectRefused, openBinance } from '../support/emulated-venues/binance/open-binance.ts';
import type { SignedClient, Values } from '../support/emulated-venues/binance/signed-client.ts';
import type { EmulatedBinance } from '../support/emulated-venues/binance/venue.ts';

let venue: EmulatedBinance;
let client: SignedClient;

beforeEach(async () => {
  ({ venue, client } = await openBinance());
});

const queried = async (clientAlgoId: string) => (await client.call('GET', '/fapi/v1/algoOrder', { clientAlgoId })).body;
const held = (): string => String(venue.market.account.position('BTCUSDT', 'BOTH').quantity / 10n ** 9n);
const STOP: Values = { clientAlgoId: 'sbx-stop', triggerPrice: '49000', quantity: '0.01', reduceOnly: true };

describe('conditional orders', () => {
  it.each(['STOP', 'STOP_MARKET', 'TAKE_PROFIT', 'TAKE_PROFIT_MARKET', 'TRAILING_STOP_MARKET'])(
    'are refused at the old address: %s',
    async (type) => {
      expectRefused(await client.order({ type, stopPrice: '49000' }), -4120);
    },
  );

  it('cannot be seen or cancelled as ordinary orders', async () => {
    await client.order({});
    const placed = await client.algo(STOP);
    expect(placed.body).toMatchObject({ clientAlgoId: 'sbx-stop', algoStatus: 'NEW', actualOrderId: '' });
    const by = { symbol: 'BTCUSDT', origClientOrderId: 'sbx-stop' };
    expectRefused(await client.call('GET', '/fapi/v1/order', by), -2013);
    expectRefused(await client.call('DELETE', '/fapi/v1/order', by), -2011);
    expect((await client.call('GET', '/fapi/v1/openOrders', { symbol: 'BTCUSDT' })).body).toEqual([]);
    await client.call('DELETE', '/fapi/v1/allOpenOrders', { symbol: 'BTCUSDT' });
    const open = await client.call('GET', '/fapi/v1/openAlgoOrders', { symbol: 'BTCUSDT' });
    expect(open.body).toMatchObject([{ algoId: placed.body.algoId, orderType: 'STOP_MARKET' }]);
  });

  it('are found and cancelled by either id', async () => {
    await client.order({});
    const { algoId } = (await client.algo(STOP)).body;
    expect((await client.call('GET', '/fapi/v1/algoOrder', { algoId })).body.clientAlgoId).toBe('sbx-stop');
    expectRefused(await client.call('GET', '/fapi/v1/algoOrder', { algoId: 1 }), -2013);
    expectRefused(await client.call('GET', '/fapi/v1/algoOrder'), -1102);
    const cancelled = await client.call('DELETE', '/fapi/v1/algoOrder', { clientAlgoId: 'sbx-stop' });
    expect(cancelled.body).toEqual({ algoId, clientAlgoId: 'sbx-stop', code: '200', msg: 'success' });
    expect(await queried('sbx-stop')).toMatchObject({ algoStatus: 'CANCELED' });
    expectRefused(await client.call('DELETE', '/fapi/v1/algoOrder', { algoId }), -2011);
    await client.algo({ ...STOP, clientAlgoId: 'sbx-other' });
    await client.call('DELETE', '/fapi/v1/algoOpenOrders', { symbol: 'BTCUSDT' });
    const all = await client.call('GET', '/fapi/v1/allAlgoOrders', { symbol: 'BTCUSDT' });
    expect(all.body.map(({ algoStatus }: { algoStatus: string }) => algoStatus)).toEqual(['CANCELED', 'CANCELED']);
    const since = await client.call('GET', '/fapi/v1/allAlgoOrders', { symbol: 'BTCUSDT', algoId: algoId + 1 });
    expect(since.body).toMatchObject([{ clientAlgoId: 'sbx-other' }]);
  });

  it.each([
    ['no kind of algo', { algoType: '' }, -1102],
    ['another kind of algo', { algoType: 'VP' }, -1130],
    ['an ordinary type', { type: 'MARKET' }, -1116],
    ['no trigger', { triggerPrice: '' }, -1102],
    ['a trigger of nothing', { triggerPrice: '0' }, -4006],
    ['a trigger with more decimals than prices have', { triggerPrice: '49000.001' }, -1111],
    ['a trigger that is reached', { triggerPrice: '50000' }, -2021],
    ['a take profit that is reached', { type: 'TAKE_PROFIT_MARKET', triggerPrice: '50000' }, -2021],
    ['an unknown price to watch', { workingType: 'INDEX' }, -4031],
    ['no quantity', { quantity: '' }, -1102],
    ['less than the notional, where it opens', { quantity: '0.001', reduceOnly: false }, -4164],
    ['a limit without a price', { type: 'STOP' }, -1102],
    ['an id that is too long', { clientAlgoId: 'a'.repeat(37) }, -4015],
    ['a quantity beside the whole position', { closePosition: true, reduceOnly: '' }, -4137],
    ['reduceOnly beside the whole position', { closePosition: true, quantity: '' }, -1106],
    ['the whole position by a limit', { type: 'STOP', price: '48000', closePosition: true }, -4136],
    ['a callback that is too wide', { type: 'TRAILING_STOP_MARKET', callbackRate: '10.1' }, -2007],
    ['a side in one-way mode', { positionSide: 'LONG' }, -4061],
  ] as const)('are refused with %s', async (_, values, code) => {
    await client.order({});
    expectRefused(await client.algo({ ...STOP, ...values }), code);
    expect(venue.market.stops.all).toEqual([]);
  });

  it('need not stand on the tick', async () => {
    await client.order({});
    expect((await client.algo({ ...STOP, triggerPrice: '49000.05' })).body.triggerPrice).toBe('49000.05');
  });

  it('have ids that are unique among those that wait', async () => {
    await client.order({});
    await client.algo(STOP);
    expectRefused(await client.algo(STOP), -4116);
    await client.call('DELETE', '/fapi/v1/algoOrder', { clientAlgoId: 'sbx-stop' });
    expect((await client.algo(STOP)).status).toBe(200);
  });

  it('are two hundred in a market at most', async () => {
    await client.order({});
    const { body } = await client.algo(STOP);
    const [first] = venue.market.stops.all;
    for (let n = 1; n < 200; n++) venue.market.placeStop({ ...first!, clientStopId: `owner-${n}` });
    expectRefused(await client.algo({ ...STOP, clientAlgoId: 'one-more' }), -4045);
    await client.call('DELETE', '/fapi/v1/algoOrder', { algoId: body.algoId });
    expect((await client.algo({ ...STOP, clientAlgoId: 'one-more' })).status).toBe(200);
  });

  it('trigger by the price they watch, and leave an ordinary order with the same id', async () => {
    await client.order({});
    await client.algo({ ...STOP, workingType: 'MARK_PRICE' });
    venue.market.setPrice('BTCUSDT', { last: '48000', mark: '49000.1' });
    expect(await queried('sbx-stop')).toMatchObject({ algoStatus: 'NEW', triggerTime: 0 });
    venue.market.setPrice('BTCUSDT', { last: '48000', mark: '49000' });
    const stop = await queried('sbx-stop');
    expect(stop).toMatchObject({ algoStatus: 'FINISHED', actualPrice: '47999.90' });
    const by = { symbol: 'BTCUSDT', origClientOrderId: 'sbx-stop' };
    const order = (await client.call('GET', '/fapi/v1/order', by)).body;
    expect(order).toMatchObject({ status: 'FILLED', type: 'MARKET', reduceOnly: true });
    expect(String(order.orderId)).toBe(stop.actualOrderId);
    expect(held()).toBe('0');
  });

  it.each([
    ['a long position', 'BUY', 'SELL', '49000', '51000'],
    ['a short position', 'SELL', 'BUY', '51000', '49000'],
  ] as const)('stop and take profit of %s', async (_, opens, closes, stop, profit) => {
    for (const [type, price] of [
      ['STOP_MARKET', stop],
      ['TAKE_PROFIT_MARKET', profit],
    ] as const) {
      venue.market.setPrice('BTCUSDT', '50000');
      await client.order({ side: opens });
      await client.algo({ ...STOP, side: closes, type, triggerPrice: price, clientAlgoId: type });
      expect((await queried(type)).algoStatus).toBe('NEW');
      venue.market.setPrice('BTCUSDT', price);
      expect((await queried(type)).algoStatus).toBe('FINISHED');
      expect(held()).toBe('0');
    }
  });

  it('may fill in part', async () => {
    await client.order({});
    await client.algo(STOP);
    venue.market.setLiquidity('BTCUSDT', '0.004');
    venue.market.setPrice('BTCUSDT', '48000');
    const { actualOrderId: orderId } = await queried('sbx-stop');
    const order = await client.call('GET', '/fapi/v1/order', { symbol: 'BTCUSDT', orderId });
    expect(order.body).toMatchObject({ status: 'EXPIRED', executedQty: '0.004' });
    expect(held()).toBe('6');
  });

  it('that only reduce are rejected when they find nothing; those that do not open a position', async () => {
    await client.order({});
    await client.algo(STOP);
    await client.algo({ ...STOP, clientAlgoId: 'orphan', reduceOnly: false });
    await client.order({ side: 'SELL', reduceOnly: true });
    expect(await queried('sbx-stop')).toMatchObject({ algoStatus: 'NEW' });
    venue.market.setPrice('BTCUSDT', '48000');
    expect(await queried('sbx-stop')).toMatchObject({ algoStatus: 'REJECTED', actualOrderId: '' });
    expect(await queried('orphan')).toMatchObject({ algoStatus: 'FINISHED' });
    expect(held()).toBe('-10');
  });

  it('become limit orders where they have a price', async () => {
    await client.order({});
    await client.algo({ ...STOP, type: 'STOP', price: '48500' });
    venue.market.setPrice('BTCUSDT', '48000');
    expect(await queried('sbx-stop')).toMatchObject({ algoStatus: 'TRIGGERED' });
    expect((await client.call('GET', '/fapi/v1/openOrders')).body).toMatchObject([
      { price: '48500.00', status: 'NEW' },
    ]);
    venue.market.setPrice('BTCUSDT', '48600');
    expect(await queried('sbx-stop')).toMatchObject({ algoStatus: 'FINISHED', actualPrice: '48500.00' });
  });

  it('trail by a tenth of a percent at least and ten at most', async () => {
    await client.order({});
    const trail = (callbackRate: string) =>
      client.algo({ type: 'TRAILING_STOP_MARKET', quantity: '0.01', reduceOnly: true, callbackRate });
    for (const rate of ['0.09', '10.01']) expectRefused(await trail(rate), -2007);
    for (const rate of ['0.1', '10']) expect((await trail(rate)).status).toBe(200);
  });

  it('follow the price once they are active', async () => {
    await client.order({});
    const { callbackRate, activatePrice } = (
      await client.algo({
        type: 'TRAILING_STOP_MARKET',
        quantity: '0.01',
        reduceOnly: true,
        callbackRate: '2',
        activatePrice: '51000',
        clientAlgoId: 'trail',
      })
    ).body;
    expect({ callbackRate, activatePrice }).toEqual({ callbackRate: '2', activatePrice: '51000.00' });
    for (const price of ['48000', '51000', '52000', '50960.1']) venue.market.setPrice('BTCUSDT', price);
    expect((await queried('trail')).algoStatus).toBe('NEW');
    venue.market.setPrice('BTCUSDT', '50960');
    expect((await queried('trail')).algoStatus).toBe('FINISHED');
  });
});

describe('stops of the whole position', () => {
  const WHOLE: Values = { triggerPrice: '49000', closePosition: true };

  it('need a position, and are the only ones of their kind', async () => {
    expectRefused(await client.algo(WHOLE), -4509);
    await client.order({});
    expect((await client.algo(WHOLE)).body).toMatchObject({ closePosition: true, timeInForce: 'GTE_GTC' });
    expectRefused(await client.algo({ ...WHOLE, triggerPrice: '48000' }), -4130);
    expect((await client.algo({ ...WHOLE, type: 'TAKE_PROFIT_MARKET', triggerPrice: '52000' })).status).toBe(200);
  });

  it('close what there is when they trigger, past resting orders, and go with the position', async () => {
    await client.order({});
    await client.algo({ ...WHOLE, clientAlgoId: 'stop' });
    await client.algo({ ...WHOLE, type: 'TAKE_PROFIT_MARKET', triggerPrice: '52000', clientAlgoId: 'profit' });
    await client.order({ quantity: '0.02' });
    await client.limit({ side: 'SELL', price: '51000', quantity: '0.03', reduceOnly: true });
    venue.market.setPrice('BTCUSDT', '48999');
    expect(held()).toBe('0');
    expect((await queried('stop')).algoStatus).toBe('FINISHED');
    expect((await queried('profit')).algoStatus).toBe('EXPIRED');
    expect((await client.call('GET', '/fapi/v1/openOrders')).body).toEqual([]);
  });
});
