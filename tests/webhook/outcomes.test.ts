// What becomes of an accepted signal at the venue: refusals in words, closes that never flip, reversals, resting orders.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANSWER_DEADLINE_MS } from '../../src/trading/execution/dispatch.ts';
import { VenueError } from '../../src/trading/venue.ts';
import { type GatewayOptions, openGateway, type Sent, type TestGateway } from '../support/gateway.ts';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import { expectFilled, expectRefusal, freshGateway } from './answers.ts';

function expectVenueRefusal(sent: Sent, words: string): void {
  expectRefusal(sent, 'ORDER_REJECTED', 'tradeResult', 'notificationResult');
  expect(sent.status).toBe(422);
  expect(sent.body.error).toContain(words);
  expect(sent.body.tradeResult).toEqual({
    success: false,
    orderId: '',
    status: 'Rejected',
    executedQty: 0,
    price: expect.any(Number),
    queued: false,
    mode: 'paper',
    account: 'main',
  });
  expect(sent.body.notificationResult).toBe(null);
}

describe('on paper', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await openGateway();
  });
  afterAll(() => gateway.close());
  const held = async () =>
    (await gateway.request('GET', '/positions')).body.result.map(
      (position: { market: string; side: string; quantity: number }) =>
        `${position.side} ${position.quantity} ${position.market}`,
    );

  it('a quantity below the step is 422 with the minimum', async () => {
    expectVenueRefusal(await gateway.send({ quantity: 0.0001 }), 'the minimum is 0.001, in steps of 0.001');
  });

  it('an order below the least notional is 422 with the minimum', async () => {
    expectVenueRefusal(
      await gateway.send({ symbol: 'SOLUSDT', quantity: 0.01 }),
      'below the minimum of 5 USDT on SOLUSDT',
    );
  });

  it('an order the account cannot carry is 422 and says how much is there', async () => {
    const sent = await gateway.send({ quantity: 100 });
    expectVenueRefusal(sent, 'insufficient margin');
    expect(sent.body.error).toMatch(/needed at 20x .* USDT available; lower the quantity or raise the leverage/);
  });

  it.each(['CLOSE_LONG', 'CLOSE_SHORT'])('%s with nothing open is 422 and says so', async (action) => {
    const side = action === 'CLOSE_LONG' ? 'long' : 'short';
    expectVenueRefusal(await gateway.send({ action }), `there is no ${side} position in BTCUSDT on binance to close`);
    expect(await held()).toEqual([]);
  });

  it('a refusal is in the journal with its reason', async () => {
    const { body } = await gateway.send({ action: 'CLOSE_LONG' });
    expect(await gateway.trade(body.requestId)).toMatchObject({ status: 'Rejected', error: body.error, orders: [] });
  });

  it('CLOSE_LONG while short is 422 and leaves the short alone', async () => {
    expectFilled(await gateway.send({ action: 'SHORT', symbol: 'ETHUSDT', quantity: 0.1 }));
    expectVenueRefusal(
      await gateway.send({ action: 'CLOSE_LONG', symbol: 'ETHUSDT', quantity: 0.1 }),
      'no long position',
    );
    expect(await held()).toEqual(['SHORT 0.1 ETHUSDT']);
    expectFilled(await gateway.send({ action: 'CLOSE_SHORT', symbol: 'ETHUSDT', quantity: 0.1 }));
  });

  it('a close of less leaves the rest, a close of more closes all there is and never flips', async () => {
    await gateway.send({ action: 'LONG', quantity: 0.05 });
    const part = await gateway.send({ action: 'CLOSE_LONG', quantity: 0.02 });
    expectFilled(part);
    expect(part.body.tradeResult.executedQty).toBe(0.02);
    expect(await held()).toEqual(['LONG 0.03 BTCUSDT']);
    const all = await gateway.send({ action: 'CLOSE_LONG', quantity: 5 });
    expectFilled(all);
    expect(all.body.tradeResult.executedQty).toBe(0.03);
    expect(await held()).toEqual([]);
    const [order] = (await gateway.trade(all.body.requestId)).orders;
    expect(order).toMatchObject({ leg: 'close', side: 'SELL', positionSide: 'LONG', reduceOnly: true, quantity: 0.03 });
  });

  it.each([
    ['LONG', 'SHORT', 'BUY'],
    ['SHORT', 'LONG', 'SELL'],
  ])('%s while the other side is open closes it first, then opens', async (action, opposite, side) => {
    await gateway.send({ action: opposite, quantity: 0.02 });
    const sent = await gateway.send({ action, quantity: 0.01 });
    expectFilled(sent);
    expect(sent.body.tradeResult.executedQty).toBe(0.01);
    const { orders, fills } = await gateway.trade(sent.body.requestId);
    expect(orders).toHaveLength(2);
    expect(orders[0]).toMatchObject({ leg: 'flatten', side, positionSide: opposite, reduceOnly: true, quantity: 0.02 });
    expect(orders[1]).toMatchObject({ leg: 'open', side, positionSide: action, reduceOnly: false, quantity: 0.01 });
    expect(fills.map((fill: { quantity: number }) => fill.quantity)).toEqual([0.02, 0.01]);
    expect(await held()).toEqual([`${action} 0.01 BTCUSDT`]);
    await gateway.send({ action: `CLOSE_${action}`, quantity: 1 });
  });

  it('a limit order away from the market rests as Submitted, and a close cancels it', async () => {
    await gateway.send({ action: 'LONG' });
    const resting = await gateway.send({ action: 'LONG', price: 20_000 });
    expect(resting.status).toBe(200);
    expect(resting.body.tradeResult).toMatchObject({
      success: true,
      status: 'Submitted',
      executedQty: 0,
      price: 20_000,
      queued: false,
    });
    expectFilled(await gateway.send({ action: 'CLOSE_LONG', quantity: 1 }));
    expect((await gateway.until(resting.body.requestId, 'Canceled')).executedQty).toBe(0);
    expect(await held()).toEqual([]);
  });
});

describe.concurrent('at a venue', () => {
  const withVenue = async (positionMode: 'one-way' | 'hedge' = 'one-way', options: GatewayOptions = {}) => {
    const venue = createScriptedVenue('binance', positionMode);
    return { venue, gateway: await freshGateway({ venues: [venue], ...options }) };
  };

  it('a refusal is told in its own words', async () => {
    const { venue, gateway } = await withVenue();
    venue.script.push({ fail: 'rejected', message: 'reduce-only order is refused' });
    expectVenueRefusal(await gateway.send(), 'reduce-only order is refused');
  });

  it('an acknowledgement is Submitted, and becomes Filled by the report alone', async () => {
    const { venue, gateway } = await withVenue();
    venue.script.push({ rest: true });
    const sent = await gateway.send({ price: 90 });
    expect(sent.body.tradeResult).toMatchObject({ status: 'Submitted', success: true, executedQty: 0, price: 90 });
    venue.fill(venue.sent[0]?.clientOrderId as string);
    const filled = await gateway.until(sent.body.requestId, 'Filled');
    expect(filled).toMatchObject({ executedQty: 0.01, averagePrice: 100 });
    expect(filled.fills).toHaveLength(1);
  });

  it('a resting order is still followed after a restart', async () => {
    const { venue, gateway } = await withVenue();
    venue.script.push({ rest: true });
    const sent = await gateway.send({ price: 90 });
    await gateway.close();
    const again = await freshGateway({ venues: [venue], dataDir: gateway.dataDir });
    expect((await again.trade(sent.body.requestId)).status).toBe('Submitted');
    venue.fill(venue.sent[0]?.clientOrderId as string);
    await again.until(sent.body.requestId, 'Filled');
    expect(venue.sent).toHaveLength(1);
  });

  it('a quantity goes down to the step and a price to the nearest tick, and answer and journal say so', async () => {
    const { venue, gateway } = await withVenue();
    const { body } = await gateway.send({ quantity: 0.0599, price: 99.96 });
    expect(body.tradeResult.executedQty).toBe(0.059);
    expect(body.warnings).toEqual([
      'quantity: 0.0599 was cut to 0.059: BTCUSDT trades in steps of 0.001',
      'price: 99.96 was moved to 100, the nearest tick: BTCUSDT trades in ticks of 0.1',
    ]);
    const trade = await gateway.trade(body.requestId);
    expect(trade.orders[0]).toMatchObject({ quantity: 0.059, price: 100 });
    expect(trade.events).toContainEqual({
      at: expect.any(Number),
      kind: 'quantity-rounded',
      detail: '0.0599 to 0.059',
    });
    expect(trade.events).toContainEqual({ at: expect.any(Number), kind: 'price-rounded', detail: '99.96 to 100' });
    expect(venue.sent).toHaveLength(1);
  });

  it('leverage beyond the market is clamped, and the journal says so', async () => {
    const { venue, gateway } = await withVenue();
    const { body } = await gateway.send({ leverage: 100 });
    expect(venue.leverages).toEqual([50]);
    const kinds = (await gateway.trade(body.requestId)).events.map((event: { kind: string }) => event.kind);
    expect(kinds).toContain('leverage-clamped');
  });

  it('leverage that cannot be set sends no order', async () => {
    const { venue, gateway } = await withVenue();
    venue.ensureLeverage = async () => {
      throw new VenueError('rejected', 'leverage is locked');
    };
    expectVenueRefusal(await gateway.send({ leverage: 5 }), 'leverage is locked');
    expect(venue.sent).toEqual([]);
  });

  it.each([
    ['a pause', '/admin/restrictions/symbol/BTCUSDT/pause', { paused: true }, /paused.*the new one was not opened/],
    ['a kill switch', '/admin/kill-switch', { active: true }, /kill switch.*the new one was not opened/i],
  ])('%s that comes between the two orders of a reversal stops the second', async (_, path, body, words) => {
    const { venue, gateway } = await withVenue();
    expectFilled(await gateway.send({ quantity: 1 }));
    const changes = async () => (await gateway.request('GET', '/admin/audit')).body.result.length;
    const before = await changes();
    const { placeOrder } = venue;
    venue.placeOrder = async (request) => {
      const report = await placeOrder(request);
      if (!request.reduceOnly) return report;
      void gateway.request('PUT', path, body);
      await expect.poll(changes).toBeGreaterThan(before);
      return report;
    };
    const turned = await gateway.send({ action: 'SHORT', quantity: 1 });
    expect(turned.body.error).toMatch(words);
    expect(venue.sent.map(({ reduceOnly }) => reduceOnly)).toEqual([false, true]);
    expect((await gateway.request('GET', '/positions')).body.result).toEqual([]);
  });

  it('in hedge mode both sides are held, and a signal closes only its own', async () => {
    const { venue, gateway } = await withVenue('hedge');
    expectFilled(await gateway.send({ action: 'SHORT', quantity: 2 }));
    expectFilled(await gateway.send({ action: 'LONG', quantity: 1 }));
    expectFilled(await gateway.send({ action: 'CLOSE_LONG', quantity: 5 }));
    expect(venue.sent.map((order) => [order.side, order.positionSide, order.reduceOnly])).toEqual([
      ['SELL', 'SHORT', false],
      ['BUY', 'LONG', false],
      ['SELL', 'LONG', true],
    ]);
  });

  it('a reversal whose close does not end flat opens nothing', async () => {
    const { venue, gateway } = await withVenue();
    venue.hold('SHORT', '1');
    const place = venue.placeOrder;
    venue.placeOrder = async (request) => ({ ...(await place(request)), status: 'canceled' });
    const sent = await gateway.send();
    expectRefusal(sent, 'ORDER_REJECTED', 'tradeResult', 'notificationResult');
    expect(sent.body.error).toContain('so the new one was not opened');
    expect(venue.sent).toHaveLength(1);
  });

  it('a reversal whose close is only acknowledged waits for its end, and then opens', async () => {
    const { venue, gateway } = await withVenue('one-way', { answerDeadlineMs: ANSWER_DEADLINE_MS });
    venue.hold('SHORT', '1');
    venue.script.push({ rest: true });
    const sent = await gateway.send();
    expect(sent.status).toBe(202);
    expect(venue.sent).toHaveLength(1);
    venue.fill(venue.sent[0]?.clientOrderId as string);
    const { orders } = await gateway.until(sent.body.requestId, 'Filled');
    expect(orders.map(({ leg }: { leg: string }) => leg)).toEqual(['flatten', 'open']);
  });
});
