// timeInForce, postOnly and cancelAfterSeconds through every door, on a paper account.

import { beforeAll, describe, expect, it } from 'vitest';
import type { RangeSource } from '../../src/market-data/price-source.ts';
import { VenueError } from '../../src/trading/venue.ts';
import type { Sent, TestGateway } from '../support/gateway.ts';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import { eventually, expectFaults, expectRefusal, freshGateway } from '../webhook/answers.ts';

/** A market that stands still at 100. */
const AT_100: RangeSource = {
  label: 'simulated',
  lastPrice: async () => '100',
  bars: async () => [],
  range: async () => undefined,
};
const [BELOW, ABOVE] = [{ price: 90 }, { price: 110 }];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await freshGateway({ prices: AT_100 });
});

const alerted = (fields: object): Promise<Sent> =>
  gateway.request('POST', '/webhook/tradingview', {
    ...{ apiKey: gateway.apiKey, exchange: 'BINANCE', ticker: 'BTCUSDT', action: 'LONG', quantity: '2' },
    ...fields,
  });
const mailed = (...lines: string[]): Promise<Sent> =>
  gateway.request('POST', '/email-signal', {
    text: ['exchange: binance', 'action: LONG', 'symbol: BTCUSDT', 'quantity: 2', ...lines].join('\n'),
  });
const storyOf = (sent: Sent) => gateway.trade(sent.body.requestId);
const expectExpired = (sent: Sent): void => {
  expectRefusal(sent, 'ORDER_REJECTED', 'tradeResult', 'notificationResult');
  expect(sent.body.tradeResult).toMatchObject({ status: 'Expired', executedQty: 0 });
  expect(sent.body.error).toContain('nothing was filled');
};

describe('timeInForce', () => {
  it.each(['IOC', 'FOK'])('%s fills what crosses at once, and what does not expires', async (timeInForce) => {
    const crossed = await gateway.send({ ...ABOVE, quantity: 2, timeInForce });
    expect(crossed.body.tradeResult).toMatchObject({ status: 'Filled', executedQty: 2 });
    const story = await storyOf(crossed);
    expect(story).toMatchObject({ timeInForce, postOnly: false, cancelAfterSeconds: null });
    const missed = await gateway.send({ ...BELOW, quantity: 2, timeInForce });
    expectExpired(missed);
    expect(await storyOf(missed)).toMatchObject({ status: 'Expired', timeInForce });
    expect((await gateway.request('GET', '/orders')).body.result).toEqual([]);
  });

  it('GTC waits, as an order without it does', async () => {
    for (const terms of [{}, { timeInForce: 'GTC' }]) {
      const sent = await gateway.send({ ...BELOW, quantity: 2, ...terms });
      expect(sent.body.tradeResult.status).toBe('Submitted');
      expect(await storyOf(sent)).toMatchObject({ timeInForce: 'GTC' });
    }
    expect((await storyOf(await gateway.send({ quantity: 2 }))).timeInForce).toBeNull();
    await gateway.request('POST', '/orders/cancel', { all: true });
  });
});

describe('postOnly', () => {
  it('that would trade at once is refused in words, and one that waits is taken', async () => {
    const sent = await gateway.send({ ...ABOVE, quantity: 2, postOnly: true });
    expectRefusal(sent, 'ORDER_REJECTED', 'tradeResult', 'notificationResult');
    expect(sent.body.error).toContain('postOnly: at 110 the order would trade at once');
    const waits = await gateway.send({ ...BELOW, quantity: 2, postOnly: true });
    expect(waits.body.tradeResult.status).toBe('Submitted');
    expect(await storyOf(waits)).toMatchObject({ postOnly: true });
    await gateway.request('POST', '/orders/cancel', { all: true });
  });
});

describe('what cannot be meant', () => {
  it.each([
    ['timeInForce', { timeInForce: 'IOC' }],
    ['postOnly', { postOnly: true }],
    ['cancelAfterSeconds', { cancelAfterSeconds: 60 }],
  ])('%s of a market order is refused with the remedy', async (field, terms) => {
    const sent = await gateway.send(terms);
    expectFaults(sent, field);
    expect(sent.body.error).toContain('is for a limit order, send price too, or remove it');
  });

  it.each([
    ['postOnly', { timeInForce: 'IOC', postOnly: true }],
    ['cancelAfterSeconds', { timeInForce: 'FOK', cancelAfterSeconds: 60 }],
    ['timeInForce', { timeInForce: 'GTX' }],
    ['postOnly', { postOnly: 'maybe' }],
    ['cancelAfterSeconds', { cancelAfterSeconds: 0 }],
    ['cancelAfterSeconds', { cancelAfterSeconds: 2_592_001 }],
    ['cancelAfterSeconds', { cancelAfterSeconds: 1.5 }],
    ['tif', { tif: 'IOC' }],
    ['post_only', { post_only: true }],
  ])('%s in %j is refused', async (field, terms) => {
    expectFaults(await gateway.send({ ...BELOW, ...terms }), field);
  });

  it('postOnly that is false is nothing', async () => {
    expect((await gateway.send({ quantity: 2, postOnly: false })).body.tradeResult.status).toBe('Filled');
  });
});

describe('the other doors', () => {
  it('TradingView takes them quoted and in any case', async () => {
    expectExpired(await alerted({ price: '90', timeInForce: 'ioc' }));
    const sent = await alerted({ price: '90', timeInForce: '', postOnly: 'true', cancelAfterSeconds: '600' });
    expect(await storyOf(sent)).toMatchObject({ timeInForce: 'GTC', postOnly: true, cancelAfterSeconds: 600 });
    expectFaults(await alerted({ price: '90', postOnly: 'maybe' }), 'postOnly');
    await gateway.request('POST', '/orders/cancel', { all: true });
  });

  it('a mail takes them as lines', async () => {
    expectExpired(await mailed('price: 90', 'time in force: fok'));
    const sent = await mailed('price: 90', 'post only: yes', 'cancel after seconds: 600');
    expect(await storyOf(sent)).toMatchObject({ postOnly: true, cancelAfterSeconds: 600 });
    expectFaults(await mailed('price: 90', 'post only: perhaps'), 'postOnly');
    await gateway.request('POST', '/orders/cancel', { all: true });
  });
});

describe('cancelAfterSeconds', () => {
  it('cancels when its time has come, also after a restart, and the story says why', async () => {
    const first = await freshGateway({ prices: AT_100 });
    const { body } = await first.send({ ...BELOW, quantity: 2, cancelAfterSeconds: 3600 });
    expect(body.tradeResult.status).toBe('Submitted');
    await first.desk.canceler.cancelDue(Date.now() + 3_500_000);
    expect((await first.trade(body.requestId)).status).toBe('Submitted');
    await first.close();
    const next = await freshGateway({ prices: AT_100, dataDir: first.dataDir });
    next.clock.offsetMs = 3_601_000;
    const ended = await next.until(body.requestId, 'Canceled');
    expect(ended.error).toBe('canceled by Signalbox: cancelAfterSeconds has passed');
    expect((await next.request('GET', '/orders')).body.result).toEqual([]);
  });

  it('is tried again while the venue cannot be reached, and not before half a minute has passed', async () => {
    const venue = createScriptedVenue();
    const scripted = await freshGateway({ venues: [venue] });
    venue.script.push({ rest: true });
    const { body } = await scripted.send({ ...BELOW, cancelAfterSeconds: 3600 });
    const { cancelOrder } = venue;
    let asked = 0;
    venue.cancelOrder = () => {
      asked++;
      return Promise.reject(new VenueError('not-sent', 'no network'));
    };
    const dueMs = Date.now() + 3_700_000;
    const { canceler } = scripted.desk;
    expect(await canceler.cancelDue(dueMs)).toMatchObject([{ outcome: 'unreachable' }]);
    expect(await canceler.cancelDue(dueMs + 29_999)).toEqual([]);
    expect(asked).toBe(1);
    expect((await scripted.trade(body.requestId)).status).toBe('Submitted');
    venue.cancelOrder = cancelOrder;
    expect(await canceler.cancelDue(dueMs + 30_000)).toMatchObject([{ outcome: 'canceled' }]);
    expect(await canceler.cancelDue(dueMs + 90_000)).toEqual([]);
  });

  it('that passed while the signal waited sends nothing', async () => {
    const venue = createScriptedVenue();
    const scripted = await freshGateway({ venues: [venue], signalMaxAgeMs: 7_200_000 });
    venue.down = 'not-sent';
    const { body } = await scripted.send({ ...BELOW, cancelAfterSeconds: 60 });
    scripted.clock.offsetMs = 61_000;
    venue.down = undefined;
    const ended = await scripted.until(body.requestId, 'Expired');
    expect(ended.error).toContain('cancelAfterSeconds had passed');
    await eventually(
      () => scripted.desk.backlog(),
      (backlog) => backlog === 0,
    );
    expect(venue.sent).toEqual([]);
  });
});
