// The little of Binance's spot interface that the emulated venue has.

import { beforeEach, describe, expect, it } from 'vitest';
import { expectRefused, openBinance } from '../support/emulated-venues/binance/open-binance.ts';
import type { SignedClient, Values } from '../support/emulated-venues/binance/signed-client.ts';
import type { EmulatedBinance } from '../support/emulated-venues/binance/venue.ts';

let venue: EmulatedBinance;
let client: SignedClient;

beforeEach(async () => {
  ({ venue, client } = await openBinance());
});

const order = (values: Values) =>
  client.call('POST', '/api/v3/order', { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.1', ...values });
const LIMIT: Values = { type: 'LIMIT', timeInForce: 'GTC' };
const balances = async () => (await client.call('GET', '/api/v3/account')).body.balances;

describe('the spot interface', () => {
  it('buys and sells, with the fee kept back from what is got', async () => {
    const bought = await order({});
    expect(bought.body).toMatchObject({ status: 'FILLED', cummulativeQuoteQty: '5000.01000000' });
    expect(bought.body.fills).toMatchObject([
      { price: '50000.10000000', commission: '0.00010000', commissionAsset: 'BTC' },
    ]);
    expect(await balances()).toEqual([
      { asset: 'USDT', free: '4999.99000000', locked: '0.00000000' },
      { asset: 'BTC', free: '0.09990000', locked: '0.00000000' },
    ]);
    expect((await order({ side: 'SELL', quantity: '0.05' })).body.fills).toMatchObject([{ commissionAsset: 'USDT' }]);
  });

  it('locks what resting orders need, and gives it back', async () => {
    const limit = { type: 'LIMIT', timeInForce: 'GTC', price: '40000', newClientOrderId: 'rests' };
    expect((await order(limit)).body.status).toBe('NEW');
    expect(await balances()).toEqual([{ asset: 'USDT', free: '6000.00000000', locked: '4000.00000000' }]);
    expectRefused(await order(limit), -2010);
    const by = { symbol: 'BTCUSDT', origClientOrderId: 'rests' };
    expect((await client.call('GET', '/api/v3/openOrders')).body).toHaveLength(1);
    expect((await client.call('DELETE', '/api/v3/order', by)).body.status).toBe('CANCELED');
    expectRefused(await client.call('DELETE', '/api/v3/order', by), -2011);
    expect(await balances()).toEqual([{ asset: 'USDT', free: '10000.00000000', locked: '0.00000000' }]);
  });

  it('fills resting orders when the price comes', async () => {
    await order({ type: 'LIMIT', timeInForce: 'GTC', price: '49000', newClientOrderId: 'waits' });
    venue.market.setPrice('BTCUSDT', '48000');
    const by = { symbol: 'BTCUSDT', origClientOrderId: 'waits' };
    const found = await client.call('GET', '/api/v3/order', by);
    expect(found.body).toMatchObject({ status: 'FILLED', cummulativeQuoteQty: '4900.00000000' });
  });

  it.each([
    ['off the step', { quantity: '0.1005' }, -1013, 'Filter failure: LOT_SIZE'],
    ['below the least quantity', { quantity: '0' }, -1013, 'Filter failure: LOT_SIZE'],
    ['below the notional', { quantity: '0.001' }, -1013, 'Filter failure: NOTIONAL'],
    ['off the tick', { ...LIMIT, price: '49000.05' }, -1013, 'Filter failure: PRICE_FILTER'],
    ['below the least price', { ...LIMIT, price: '556.7' }, -1013, 'Filter failure: PRICE_FILTER'],
    ['more than there is', { ...LIMIT, price: '50000', quantity: '0.201' }, -2010, 'Account has insufficient balance'],
    ['what is not there', { side: 'SELL' }, -2010, 'Account has insufficient balance'],
    ['of an unknown type', { type: 'STOP_LOSS' }, -1116, ''],
    ['in an unknown market', { symbol: 'XYZ' }, -1121, ''],
  ] as const)('refuses an order %s', async (_, values, code, words) => {
    const answer = await order(values);
    expectRefused(answer, code);
    expect(answer.body.msg).toContain(words);
    expect(venue.spot.orders).toEqual([]);
  });

  it('takes what just fits', async () => {
    expect((await order({ ...LIMIT, price: '50000', quantity: '0.2' })).body.status).toBe('NEW');
    expect(await balances()).toEqual([{ asset: 'USDT', free: '0.00000000', locked: '10000.00000000' }]);
    venue.market.setPrice('BTCUSDT', { last: '50000', ask: '50000' });
    expect((await client.call('GET', '/api/v3/openOrders')).body).toEqual([]);
    expect((await order({ ...LIMIT, side: 'SELL', price: '100000', quantity: '0.001' })).body.status).toBe('NEW');
    expectRefused(await client.call('GET', '/api/v3/order', { symbol: 'BTCUSDT' }), -1102);
  });

  it('tells its filters, and tests orders', async () => {
    const { symbols } = (await client.send('GET', '/api/v3/exchangeInfo')).body;
    expect(symbols[0].filters).toContainEqual({ filterType: 'NOTIONAL', minNotional: '100', applyMinToMarket: true });
    const values = { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.1' };
    expect((await client.call('POST', '/api/v3/order/test', values)).body).toEqual({});
    expect(venue.spot.orders).toEqual([]);
    expectRefused(await client.call('GET', '/api/v3/order', { symbol: 'BTCUSDT', orderId: 9 }), -2013);
  });
});
