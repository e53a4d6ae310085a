// POST, GET and DELETE /agent/trailing-stops through the front door: every field, every rule, every answer.

import { beforeAll, describe, expect, it } from 'vitest';
import { eventually, expectEnvelope, expectFaults, expectRefusal } from '../webhook/answers.ts';
import { forbid } from './forbid.ts';
import { openProtected, PRICE, type Protected } from './written-market.ts';

let house: Protected;
beforeAll(async () => {
  house = await openProtected();
  await house.gateway.send();
  await house.gateway.send({ action: 'SHORT', symbol: 'ETHUSDT', quantity: 1 });
});

describe('POST /agent/trailing-stops', () => {
  it('sets a stop, then replaces it, and tells where it stands', async () => {
    const first = await house.set();
    expect(first.status).toBe(201);
    expectEnvelope(first);
    expect(first.body.result).toEqual({
      ...{
        key: 'binance:BTCUSDT:LONG',
        exchange: 'binance',
        mode: 'paper',
        account: 'main',
        symbol: 'BTCUSDT',
        side: 'LONG',
        strategy: null,
      },
      ...{ status: 'active', trailPercent: 2, trailAmount: null, activationPrice: null },
      ...{ peak: PRICE, stopPrice: 49_000, stopLoss: null, takeProfit: null, closeRequestId: null },
      ...{ prices: 'simulated', createdAt: expect.any(Number) },
    });
    const second = await house.set({ symbol: 'BTC/USDT', trailPercent: undefined, trailAmount: 500.5 });
    expect([second.status, second.body.result.trailPercent, second.body.result.stopPrice]).toEqual([
      200,
      null,
      49499.5,
    ]);
    expect(await house.stops()).toHaveLength(1);
  });

  it('of a short follows above the lowest price', async () => {
    const set = await house.set({ symbol: 'BINANCE:ETHUSDT.P', side: 'SHORT' });
    expect(set.body.result).toMatchObject({ key: 'binance:ETHUSDT:SHORT', stopPrice: 51_000 });
    expect((await house.stops()).map(({ key }) => key)).toEqual(['binance:BTCUSDT:LONG', 'binance:ETHUSDT:SHORT']);
  });

  it('tells the first price of the market at which it fires, on the tick', async () => {
    const long = await house.set({ trailPercent: 1.234567 });
    expect(long.body.result).toMatchObject({ key: 'binance:BTCUSDT:LONG', stopPrice: 49_382.7 });
    const short = await house.set({ symbol: 'ETHUSDT', side: 'SHORT', trailPercent: 1.234567 });
    expect(short.body.result).toMatchObject({ key: 'binance:ETHUSDT:SHORT', stopPrice: 50_617.29 });
  });

  it('waits for an activation price that is not reached', async () => {
    const { result } = (await house.set({ activationPrice: PRICE + 1 })).body;
    expect(result).toMatchObject({ status: 'waiting', activationPrice: PRICE + 1, peak: null, stopPrice: null });
  });

  it.each([
    [{ exchange: 'kraken' }, 'exchange'],
    [{ exchange: undefined }, 'exchange'],
    [{ symbol: 'BTC USDT' }, 'symbol'],
    [{ symbol: undefined }, 'symbol'],
    [{ symbol: '/' }, 'symbol'],
    [{ side: 'long' }, 'side'],
    [{ side: undefined }, 'side'],
    [{ trailPercent: undefined }, 'trailPercent'],
    [{ trailAmount: 5 }, 'trailPercent'],
    [{ trailPercent: '2' }, 'trailPercent'],
    [{ trailPercent: 0 }, 'trailPercent'],
    [{ trailPercent: 0.009 }, 'trailPercent'],
    [{ trailPercent: 99.01 }, 'trailPercent'],
    [{ trailPercent: undefined, trailAmount: 0 }, 'trailAmount'],
    [{ trailPercent: undefined, trailAmount: 1e-13 }, 'trailAmount'],
    [{ trailPercent: undefined, trailAmount: 1e16 }, 'trailAmount'],
    [{ activationPrice: 0 }, 'activationPrice'],
    [{ activationPrice: 1e-13 }, 'activationPrice'],
    [{ activationPrice: '60000' }, 'activationPrice'],
    [{ activation_price: 1 }, 'activation_price'],
  ])('refuses %j and names the field', async (fields, field) => {
    expectFaults(await house.set(fields), field);
  });

  it.each([0.01, 99])('takes the limit itself: %d percent', async (trailPercent) => {
    expect((await house.set({ trailPercent })).status).toBe(200);
  });

  it.each([
    [{ trailPercent: undefined, trailPercnt: 2 }, 'trailPercnt', 'trailPercent'],
    [{ trailPercent: undefined, trailing_stop: 2 }, 'trailing_stop', 'trailPercent'],
    [{ trailPercent: undefined, trail_amount: 5 }, 'trail_amount', 'trailAmount'],
    [{ activationPrce: 5 }, 'activationPrce', 'activationPrice'],
    [{ Side: 'LONG', side: undefined }, 'Side', 'side'],
  ])('says the right name for a misspelled one: %j', async (fields, written, right) => {
    const { status, body } = await house.set(fields);
    expect([status, body.code]).toEqual([400, 'INVALID_PAYLOAD']);
    expect(body.faults).toContain(`${written}: is not a field here, send ${right}`);
  });

  it('refuses a field that is like none of its own', async () => {
    expectFaults(await house.set({ colour: 'red' }), 'body');
    expectFaults(await house.set(JSON.parse('{"__proto__": {}}')), 'body');
  });

  it('lists several faults at once', async () => {
    expectFaults(
      await house.set({ exchange: 'x', side: 'x', activationPrice: -1 }),
      'exchange',
      'side',
      'activationPrice',
    );
  });

  it.each([
    ['no position', { symbol: 'SOLUSDT' }, 'there is no long position in SOLUSDT on binance to protect'],
    ['the other side', { side: 'SHORT' }, 'there is no short position in BTCUSDT'],
    ['another venue', { exchange: 'bybit' }, 'on bybit to protect'],
    ['a distance as large as the price', { trailPercent: undefined, trailAmount: PRICE }, 'could never be reached'],
  ])('answers 409 for %s', async (_, fields, words) => {
    const sent = await house.set(fields);
    expectRefusal(sent, 'STOP_CONFLICT');
    expect(sent.body.error).toContain(words);
  });

  it('is for the owner', async () => {
    const far = { peer: '198.51.100.1' };
    for (const method of ['GET', 'POST'])
      expectRefusal(await house.gateway.request(method, '/agent/trailing-stops', undefined, far), 'UNAUTHORIZED');
    const key = '/agent/trailing-stops/binance:BTCUSDT:LONG';
    expectRefusal(await house.gateway.request('DELETE', key, undefined, far), 'UNAUTHORIZED');
  });

  it('refuses garbage and other methods like every endpoint', async () => {
    expectRefusal(await house.gateway.request('POST', '/agent/trailing-stops', '{'), 'INVALID_JSON');
    expectRefusal(await house.gateway.request('PUT', '/agent/trailing-stops', {}), 'METHOD_NOT_ALLOWED');
    const huge = await house.gateway.request('POST', '/agent/trailing-stops', ' '.repeat(1024 * 1024 + 1));
    expectRefusal(huge, 'PAYLOAD_TOO_LARGE');
  });
});

describe('DELETE /agent/trailing-stops/{key}', () => {
  it.each(['binance:BTCUSDT:LONG', 'BINANCE:btcusdt:long', 'binance:BTC%2FUSDT:LONG', 'binance%3ABTCUSDT%3ALONG'])(
    'takes %s away, once',
    async (key) => {
      const { gateway } = house;
      await house.set();
      const removed = await gateway.request('DELETE', `/agent/trailing-stops/${key}`);
      expect([removed.status, removed.body.result.key]).toEqual([200, 'binance:BTCUSDT:LONG']);
      expectRefusal(await gateway.request('DELETE', `/agent/trailing-stops/${key}`), 'STOP_NOT_FOUND');
    },
  );

  it.each([
    'x',
    ':',
    'binance:BTCUSDT',
    'binance:BTCUSDT:UP',
    'kraken:BTCUSDT:LONG',
    `binance:${'A'.repeat(500)}:LONG`,
  ])('knows no %s', async (key) => {
    const sent = await house.gateway.request('DELETE', `/agent/trailing-stops/${key}`);
    expectRefusal(sent, 'STOP_NOT_FOUND');
  });
});

it('a stop that cannot be written is not set, and one that cannot be removed stays', async () => {
  const own = await openProtected();
  await own.gateway.send();
  await own.set();
  for (const change of ['INSERT', 'DELETE']) forbid(own.gateway.dataDir, `BEFORE ${change} ON protections`);
  expectRefusal(await own.set({ trailPercent: 5 }), 'STORAGE_FAILED');
  const key = '/agent/trailing-stops/binance:BTCUSDT:LONG';
  expectRefusal(await own.gateway.request('DELETE', key), 'STORAGE_FAILED');
  expect(await own.stops()).toMatchObject([{ trailPercent: 2 }]);
  await own.trade(48_000);
  await eventually(own.positions, (positions) => positions.length === 0);
});

it('twenty stops for one position at once leave one, the last', async () => {
  const own = await openProtected();
  await own.gateway.send();
  const sent = await Promise.all(Array.from({ length: 20 }, (_, index) => own.set({ trailPercent: index + 1 })));
  expect(sent.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(sent.filter(({ status }) => status === 200)).toHaveLength(19);
  const stops = await own.stops();
  expect(stops).toHaveLength(1);
  expect((await (await own.restart()).stops())[0].trailPercent).toBe(stops[0].trailPercent);
});

describe('a stop that is reached', () => {
  it('closes the whole position with a reduce-only order, once, and is gone', async () => {
    const own = await openProtected();
    await own.gateway.send({ quantity: 0.013 });
    await own.set();
    await own.trade(51_000, 50_500, 49_980);
    const [close, ...more] = await own.closes();
    expect(more).toEqual([]);
    expect(close).toMatchObject({
      source: 'trailing-stop',
      action: 'CLOSE_LONG',
      status: 'Filled',
      executedQty: 0.013,
    });
    const { orders } = await own.gateway.trade(close.requestId);
    expect(orders).toMatchObject([{ reduceOnly: true, side: 'SELL', leg: 'close' }]);
    expect([await own.positions(), await own.stops()]).toEqual([[], []]);
    expect((await own.gateway.request('GET', '/signals?source=trailing-stop')).body.result).toHaveLength(1);
    await own.trade(40_000);
    expect(await own.closes()).toHaveLength(1);
  });

  it.each(['all', 'entries'] as const)('closes also while the kill switch is on for %s', async (scope) => {
    const own = await openProtected();
    await own.gateway.send();
    await own.set();
    await own.gateway.request('PUT', '/admin/kill-switch', { active: true, scope });
    await own.trade(48_000);
    expect(await own.closes()).toMatchObject([{ status: 'Filled' }]);
  });

  it('can be set and taken away while the kill switch is on', async () => {
    const own = await openProtected();
    await own.gateway.send();
    await own.gateway.request('PUT', '/admin/kill-switch', { active: true });
    expect((await own.set()).status).toBe(201);
    expect((await own.gateway.request('DELETE', '/agent/trailing-stops/binance:BTCUSDT:LONG')).status).toBe(200);
  });

  it('goes off by itself, without anybody looking', async () => {
    const own = await openProtected();
    await own.gateway.send();
    await own.set();
    own.market.trade(48_000);
    await eventually(own.positions, (positions) => positions.length === 0);
    expect(await own.closes()).toHaveLength(1);
  });

  it('protects what was added to the position, too', async () => {
    const own = await openProtected();
    await own.gateway.send();
    await own.set();
    await own.gateway.send({ quantity: 0.02 });
    await own.trade(48_000);
    expect([await own.positions(), (await own.closes())[0].executedQty]).toEqual([[], 0.03]);
  });

  it('cancels resting entries of that side first, so that none fills afterwards', async () => {
    const own = await openProtected();
    await own.gateway.send();
    const resting = await own.gateway.send({ price: 40_000 });
    await own.set();
    await own.trade(48_000);
    expect((await own.gateway.until(resting.body.requestId, 'Canceled')).status).toBe('Canceled');
  });
});

describe('a stop is forgotten', () => {
  it('when the position is closed by a signal, and does not close the next position', async () => {
    const own = await openProtected();
    await own.gateway.send();
    await own.set();
    await own.gateway.send({ action: 'CLOSE_LONG' });
    expect(await own.stops()).toEqual([]);
    await own.gateway.send();
    await own.trade(40_000);
    expect([(await own.closes()).length, (await own.positions()).length]).toEqual([0, 1]);
  });

  it('when the position is reversed', async () => {
    const own = await openProtected();
    await own.gateway.send();
    await own.set();
    await own.gateway.send({ action: 'SHORT' });
    expect(await own.stops()).toEqual([]);
  });

  it('but not when it is only made smaller', async () => {
    const own = await openProtected();
    await own.gateway.send({ quantity: 0.02 });
    await own.set();
    await own.gateway.send({ action: 'CLOSE_LONG', quantity: 0.005 });
    await own.trade(48_000);
    expect((await own.closes())[0].executedQty).toBe(0.015);
  });
});

describe('after a restart', () => {
  it('a stop stands where it stood, with its peak', async () => {
    const own = await openProtected();
    await own.gateway.send();
    await own.set();
    await own.trade(52_000);
    const again = await own.restart();
    expect(await again.stops()).toMatchObject([{ peak: 52_000, stopPrice: 50_960 }]);
    await again.trade(50_970);
    expect(await again.closes()).toEqual([]);
    await again.trade(50_960);
    expect(await again.closes()).toMatchObject([{ status: 'Filled' }]);
  });

  it('it sees what was traded while nobody looked: a new peak, and a drop from it', async () => {
    const own = await openProtected();
    await own.gateway.send();
    await own.set();
    await own.trade(PRICE);
    await own.gateway.close();
    const offsetMs = own.gateway.clock.offsetMs;
    const at = (seconds: number, price: number): void => {
      own.market.nowMs = () => Date.now() + offsetMs + seconds * 1000;
      own.market.trade(price);
    };
    at(10, 60_000);
    at(600, 58_000);
    at(601, 59_900);
    const again = await own.restart(700_000);
    await again.gateway.desk.protections.look();
    await eventually(again.positions, (positions) => positions.length === 0);
    expect(await again.closes()).toMatchObject([{ source: 'trailing-stop' }]);
  });
});
