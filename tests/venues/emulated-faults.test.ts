// What can be made to go wrong at an emulated venue: limits and bans by themselves, and every planned fault.

import { beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type OpenBinance, openBinance } from '../support/emulated-venues/binance/open-binance.ts';
import type { SignedClient } from '../support/emulated-venues/binance/signed-client.ts';
import type { EmulatedBinance } from '../support/emulated-venues/binance/venue.ts';

const ORDER = { method: 'POST', path: '/fapi/v1/order' };

let venue: EmulatedBinance;
let client: SignedClient;
let clock: OpenBinance['clock'];

beforeEach(async () => {
  ({ venue, client, clock } = await openBinance());
});

describe('limits', () => {
  it('count the weight of a minute and tell it with every answer', async () => {
    const { headers } = await client.call('GET', '/fapi/v1/openOrders');
    expect(headers.get('x-mbx-used-weight-1m')).toBe('40');
    expect((await client.order({})).headers.get('x-mbx-used-weight-1m')).toBe('40');
    expect((await client.order({ quantity: '0' })).headers.get('x-mbx-order-count-10s')).toBe('2');
    clock.nowMs += 60_000;
    expect((await client.send('GET', '/fapi/v1/time')).headers.get('x-mbx-used-weight-1m')).toBe('1');
  });

  it('answer 429 until the minute ends, and 418 to those who go on', async () => {
    clock.nowMs += 18_000;
    for (let n = 0; n < 60; n++) expect((await client.call('GET', '/fapi/v1/openOrders')).status).toBe(200);
    const first = await client.send('GET', '/fapi/v1/time');
    expect(first).toMatchObject({ status: 429, body: { code: -1003 } });
    expect(first.headers.get('retry-after')).toBe('42');
    for (let n = 0; n < 19; n++) expect((await client.send('GET', '/fapi/v1/time')).status).toBe(429);
    const banned = await client.send('GET', '/fapi/v1/time');
    expect(banned).toMatchObject({ status: 418, body: { code: -1003 } });
    expect(banned.body.msg).toContain(`banned until ${clock.nowMs + 120_000}`);
    clock.nowMs += 119_999;
    expect((await client.send('GET', '/fapi/v1/time')).headers.get('retry-after')).toBe('1');
    clock.nowMs += 1;
    expect((await client.send('GET', '/fapi/v1/time')).status).toBe(200);
  });

  it('let those who wait go on', async () => {
    venue.limits.weightPerMinute = 10;
    expect((await client.call('GET', '/fapi/v1/openOrders')).status).toBe(429);
    clock.nowMs += 60_000;
    expect((await client.send('GET', '/fapi/v1/time')).status).toBe(200);
  });

  it('count orders for themselves, by ten seconds and by minutes', async () => {
    Object.assign(venue.limits, { ordersPerTenSeconds: 2, ordersPerMinute: 4 });
    for (let n = 0; n < 2; n++) expect((await client.order({})).status).toBe(200);
    const refused = await client.order({});
    expect(refused).toMatchObject({ status: 429, body: { code: -1015 } });
    expect(refused.headers.get('retry-after')).toBe('10');
    clock.nowMs += 10_000;
    expect((await client.order({})).status).toBe(200);
    const long = await client.order({});
    expect(long.body.msg).toBe('Too many new orders; current limit is 4 orders per MINUTE.');
    expect(venue.market.orders).toHaveLength(3);
  });
});

describe('planned faults', () => {
  const placed = (): number => venue.market.orders.length;

  it('drop a request before it is read', async () => {
    venue.faults.dropBefore(ORDER);
    await expect(client.order({})).rejects.toThrow();
    expect(placed()).toBe(0);
    expect(venue.requests.at(-1)).toMatchObject({ method: 'POST', path: '/fapi/v1/order', status: undefined });
    expect((await client.order({})).status).toBe(200);
  });

  it('drop the answer after the order was taken', async () => {
    venue.faults.dropAnswerAfterAccept(ORDER);
    await expect(client.order({ newClientOrderId: 'sbx-lost' })).rejects.toThrow();
    const by = { symbol: 'BTCUSDT', origClientOrderId: 'sbx-lost' };
    expect((await client.call('GET', '/fapi/v1/order', by)).body.status).toBe('FILLED');
    expect(placed()).toBe(1);
  });

  it('answer 5xx although, or because, it was not taken', async () => {
    venue.faults.statusAfterAccept(ORDER, 502);
    expect((await client.order({})).status).toBe(502);
    venue.faults.unknownOutcome(ORDER, true);
    const unknown = await client.order({});
    expect(unknown.status).toBe(503);
    expect(unknown.body).toEqual({
      timestamp: clock.nowMs,
      path: '/fapi/v1/order',
      msg: 'Unknown error, please check your request or try again later.',
    });
    venue.faults.unknownOutcome(ORDER, false);
    expect((await client.order({})).status).toBe(503);
    expect(placed()).toBe(2);
  });

  it('limit and ban without a count', async () => {
    venue.faults.tooManyRequests(ORDER, 418, 7, 2);
    for (let n = 0; n < 2; n++) {
      const refused = await client.order({});
      expect(refused).toMatchObject({ status: 418, body: { code: -1003 } });
      expect(refused.headers.get('retry-after')).toBe('7');
    }
    expect((await client.order({})).status).toBe(200);
    expect(placed()).toBe(1);
  });

  it('answer what the test says', async () => {
    venue.faults.answerInstead(ORDER, 503, { code: -1008, msg: 'Request throttled by system-level protection.' });
    expect(await client.order({})).toMatchObject({ status: 503, body: { code: -1008 } });
    expect(placed()).toBe(0);
  });

  it('hold a request or its answer back', async () => {
    venue.faults.delay(ORDER, 500, 'before');
    const early = client.order({});
    await expect.poll(() => venue.requests.length, { interval: 5 }).toBe(1);
    clock.nowMs += 5_001;
    expect((await early).body).toMatchObject({ code: -1021 });
    venue.faults.delay(ORDER, 500);
    const late = client.order({});
    await expect.poll(placed, { interval: 5 }).toBe(1);
    expect(venue.requests.at(-1)?.status).toBeUndefined();
    expect((await late).status).toBe(200);
  });

  it('garble an answer', async () => {
    venue.faults.garbage(ORDER, true);
    await expect(client.order({})).rejects.toThrow(SyntaxError);
    expect(placed()).toBe(1);
  });

  it('hand a request in twice', async () => {
    venue.faults.duplicateAnswer(ORDER);
    expect((await client.limit({ newClientOrderId: 'sbx-twice' })).body).toMatchObject({ code: -4116 });
    expect(placed()).toBe(1);
  });

  it('meet only the requests that are meant, as often as planned', async () => {
    venue.faults.tooManyRequests({ method: 'GET', path: '/fapi/v3/*' }, 429, 1, 2);
    expect((await client.send('GET', '/fapi/v1/time')).status).toBe(200);
    expect((await client.call('GET', '/fapi/v3/balance')).status).toBe(429);
    expect((await client.call('GET', '/fapi/v3/account')).status).toBe(429);
    expect((await client.call('GET', '/fapi/v3/account')).status).toBe(200);
    venue.faults.tooManyRequests({ path: '/fapi/v1/order' }, 429, 1);
    expect((await client.order({})).status).toBe(429);
    venue.faults.tooManyRequests(ORDER, 429, 1);
    expect((await client.call('GET', '/fapi/v1/order', { symbol: 'BTCUSDT', orderId: 1 })).status).toBe(400);
    venue.faults.dropBefore({}, 100);
    venue.faults.clear();
    expect((await client.send('GET', '/fapi/v1/time')).status).toBe(200);
  });

  it('close the venue for maintenance, its streams too', async () => {
    venue.faults.maintenance = true;
    expect(await client.order({})).toMatchObject({ status: 503, body: { code: -1016 } });
    const socket = new WebSocket(`${venue.streamUrl}/private/ws/any`);
    await expect(new Promise((_, reject) => socket.once('error', reject))).rejects.toThrow('503');
    venue.faults.maintenance = false;
    expect((await client.order({})).status).toBe(200);
    expect(placed()).toBe(1);
  });
});
