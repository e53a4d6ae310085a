// Signals that bring their stops along: which fields, at which door, and what becomes of them.

import { beforeAll, describe, expect, it } from 'vitest';
import { expectFaults, expectFilled, KEY_1, tradeCount } from '../webhook/answers.ts';
import { openProtected, PRICE, type Protected } from './written-market.ts';

let house: Protected;
beforeAll(async () => {
  house = await openProtected();
});

describe('the fields trailPercent, stopLoss and takeProfit', () => {
  it.each([
    [{ trailPercent: 0 }, ['trailPercent']],
    [{ trailPercent: 0.009 }, ['trailPercent']],
    [{ trailPercent: 99.01 }, ['trailPercent']],
    [{ trailPercent: '2' }, ['trailPercent']],
    [{ trailPercent: null }, ['trailPercent']],
    [{ activationPrice: 55_000 }, ['activationPrice']],
    [{ trailPercent: 1, activationPrice: 0 }, ['activationPrice']],
    [{ trailPercent: 1, activationPrice: 1e-13 }, ['activationPrice']],
    [{ trailPercent: 1, activationPrice: '55000' }, ['activationPrice']],
    [{ trailPercent: 1, trailActivationPrice: 55_000 }, ['trailActivationPrice']],
    [{ action: 'CLOSE_LONG', trailPercent: 1, activationPrice: 55_000 }, ['trailPercent', 'activationPrice']],
    [{ stopLoss: 0 }, ['stopLoss']],
    [{ stopLoss: -1 }, ['stopLoss']],
    [{ stopLoss: '49000' }, ['stopLoss']],
    [{ stopLoss: 1e-13 }, ['stopLoss']],
    [{ takeProfit: 1e16 }, ['takeProfit']],
    [{ takeProfit: 1e-13 }, ['takeProfit']],
    [{ stopLoss: 0, takeProfit: 0, trailPercent: 0 }, ['trailPercent', 'stopLoss', 'takeProfit']],
    [{ action: 'CLOSE_LONG', stopLoss: 1, trailPercent: 1 }, ['trailPercent', 'stopLoss']],
    [{ action: 'CLOSE_SHORT', takeProfit: 1 }, ['takeProfit']],
    [{ stopLoss: 50, takeProfit: 50 }, ['takeProfit']],
    [{ action: 'SHORT', stopLoss: 50, takeProfit: 50 }, ['takeProfit']],
    [{ action: 'SHORT', stopLoss: 40, takeProfit: 50 }, ['takeProfit']],
    [{ price: 100, stopLoss: 100 }, ['stopLoss']],
    [{ price: 100, takeProfit: 100 }, ['takeProfit']],
    [{ action: 'SHORT', price: 100, stopLoss: 99 }, ['stopLoss']],
    [{ action: 'SHORT', price: 100, takeProfit: 101 }, ['takeProfit']],
  ])('of %j are refused by name, and nothing is traded', async (fields, faults) => {
    const before = await tradeCount(house.gateway);
    expectFaults(await house.gateway.send(fields), ...faults);
    expect(await tradeCount(house.gateway)).toBe(before);
  });

  it('of an entry are there as soon as it has filled', async () => {
    const own = await openProtected();
    expectFilled(await own.gateway.send({ trailPercent: 0.01, stopLoss: 40_000, takeProfit: 60_000 }));
    const [stop] = await own.stops();
    const [position] = await own.positions();
    expect(stop).toMatchObject({ trailPercent: 0.01, stopLoss: 40_000, takeProfit: 60_000, status: 'active' });
    expect(stop.peak).toBe(position.entryPrice);
  });

  it('belong to a position: a refused entry leaves none behind', async () => {
    const own = await openProtected();
    await own.gateway.request('PUT', '/admin/kill-switch', { active: true });
    expect((await own.gateway.send({ trailPercent: 2 })).status).toBe(503);
    await own.gateway.request('PUT', '/admin/kill-switch', { active: false });
    expect((await own.gateway.send({ trailPercent: 2, quantity: 0.000001 })).status).toBe(422);
    await own.gateway.send({ idempotencyKey: KEY_1, trailPercent: 2 });
    await own.gateway.send({ action: 'CLOSE_LONG' });
    expect((await own.gateway.send({ idempotencyKey: KEY_1, trailPercent: 2 })).status).toBe(409);
    await own.gateway.send();
    expect(await own.stops()).toEqual([]);
  });

  it.each([
    ['LONG', 'stopLoss', 45_000, 'stop-loss'],
    ['LONG', 'takeProfit', 55_000, 'take-profit'],
    ['SHORT', 'stopLoss', 55_000, 'stop-loss'],
    ['SHORT', 'takeProfit', 45_000, 'take-profit'],
    ['SHORT', 'trailPercent', 2, 'trailing-stop'],
  ])('of a %s close it: %s %d', async (action, field, level, source) => {
    const own = await openProtected();
    await own.gateway.send({ action, [field]: level });
    const reached = field === 'trailPercent' ? 51_100 : level;
    await own.trade(reached > PRICE ? reached - 200 : reached + 200);
    expect(await own.closes()).toEqual([]);
    await own.trade(reached);
    expect(await own.closes()).toMatchObject([{ source, action: `CLOSE_${action}`, status: 'Filled' }]);
    expect(await own.positions()).toEqual([]);
  });

  it('of a limit order wait until it fills, also across a restart', async () => {
    const own = await openProtected();
    const resting = await own.gateway.send({ price: 49_000, stopLoss: 48_000 });
    expect(resting.body.tradeResult.status).toBe('Submitted');
    expect(await own.stops()).toEqual([]);
    const again = await own.restart(5000);
    again.market.trade(48_900);
    await again.gateway.until(resting.body.requestId, 'Filled');
    expect(await again.stops()).toMatchObject([{ stopLoss: 48_000, trailPercent: null, status: 'active' }]);
    await again.trade(47_900);
    expect(await again.closes()).toMatchObject([{ source: 'stop-loss' }]);
  });

  it('that are past when the position is there close it at the market', async () => {
    const own = await openProtected();
    await own.gateway.send({ stopLoss: 49_990 });
    await own.trade(49_989);
    expect([await own.positions(), (await own.closes()).length]).toEqual([[], 1]);
  });

  it('of a reversal protect the new side', async () => {
    const own = await openProtected();
    await own.gateway.send({ trailPercent: 1 });
    await own.gateway.send({ action: 'SHORT', trailPercent: 3 });
    expect(await own.stops()).toMatchObject([{ key: 'binance:BTCUSDT:SHORT', trailPercent: 3 }]);
  });

  it('work in async mode too', async () => {
    const own = await openProtected({ controls: { queueMode: 'async' } });
    const { body } = await own.gateway.send({ stopLoss: 40_000 });
    await own.gateway.until(body.requestId, 'Filled');
    expect(await own.stops()).toMatchObject([{ stopLoss: 40_000 }]);
  });
});

describe('at the other doors', () => {
  it('TradingView may quote them', async () => {
    const own = await openProtected();
    const sent = await own.gateway.request('POST', '/webhook/tradingview', {
      ...{ apiKey: own.gateway.apiKey, exchange: 'BINANCE', ticker: 'BTCUSDT.P', action: 'buy', contracts: '0.01' },
      ...{ marketPosition: 'long', prevMarketPosition: 'flat' },
      ...{ trailPercent: '1.5', stopLoss: '40000', takeProfit: 60_000 },
    });
    expectFilled(sent);
    expect(await own.stops()).toMatchObject([{ trailPercent: 1.5, stopLoss: 40_000, takeProfit: 60_000 }]);
  });

  it('TradingView sends them with exits too, where they mean nothing', async () => {
    const own = await openProtected();
    await own.gateway.send();
    const sent = await own.gateway.request('POST', '/webhook/tradingview', {
      ...{ apiKey: own.gateway.apiKey, exchange: 'BINANCE', ticker: 'BTCUSDT', action: 'sell', contracts: '0.01' },
      ...{ marketPosition: 'flat', prevMarketPosition: 'long', trailPercent: 2, stopLoss: 'NaN' },
    });
    expectFilled(sent);
    expect([await own.positions(), await own.stops()]).toEqual([[], []]);
  });

  it('TradingView is told of an empty plot', async () => {
    const sent = await house.gateway.request('POST', '/webhook/tradingview', {
      ...{ apiKey: house.gateway.apiKey, exchange: 'BINANCE', ticker: 'BTCUSDT', action: 'LONG', contracts: 1 },
      ...{ stopLoss: 'NaN' },
    });
    expectFaults(sent, 'stopLoss');
  });

  it('a mail may name them on lines of their own, or in JSON', async () => {
    const own = await openProtected();
    const lines =
      'exchange: binance\naction: LONG\nsymbol: BTCUSDT\nquantity: 0.01\nStop Loss: 40000\ntrail-percent: 2';
    const post = (text: string) =>
      own.gateway.request('POST', '/email-signal', { text: `${text}\napiKey: ${own.gateway.apiKey}` });
    expectFilled(await post(lines));
    expect(await own.stops()).toMatchObject([{ trailPercent: 2, stopLoss: 40_000 }]);
    const json = { exchange: 'binance', action: 'SHORT', symbol: 'ETHUSDT', quantity: 1, takeProfit: 40_000 };
    expectFilled(await post(JSON.stringify(json)));
    expect((await own.stops())[1]).toMatchObject({ key: 'binance:ETHUSDT:SHORT', takeProfit: 40_000 });
    expectFaults(await post(lines.replace('40000', 'soon')), 'stopLoss');
  });
});
