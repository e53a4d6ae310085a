// What a TradingView strategy says it held is compared with its share before each order: told, refused or caught up.

import { describe, expect, it } from 'vitest';
import { decimal, toNumber, ZERO } from '../../src/trading/decimal.ts';
import type { GatewayOptions, Sent, TestGateway } from '../support/gateway.ts';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import { createStrategy, type StrategyAlert } from '../support/tradingview-strategy.ts';
import { eventually, expectFaults, expectFilled, expectRefusal, freshGateway } from './answers.ts';

const RESULTS = ['tradeResult', 'notificationResult'] as const;
const refusedAs = (sent: Sent): void => expectRefusal(sent, 'POSITION_DIFFERS', ...RESULTS);

/** A gateway and a strategy of ETHUSDT, whose alerts may be missed. */
async function open(options: GatewayOptions, start = 0) {
  const gateway = await freshGateway(options);
  const strategy = createStrategy(start);
  const send = (alert: StrategyAlert, more: object = {}): Promise<Sent> =>
    gateway.request('POST', '/webhook/tradingview', {
      ...{ apiKey: gateway.apiKey, exchange: 'binance', ticker: 'ETHUSDT.P', ...alert, ...more },
    });
  return {
    gateway,
    send,
    miss: (to: number): void => void strategy.moveTo(to),
    /** The alert of its next order, which leads there, arrives. */
    goTo: (to: number, more: object = {}): Promise<Sent> => send(strategy.moveTo(to), more),
  };
}

/** Long positive; `long/short` on a hedge account that holds both. */
async function heldIn(gateway: TestGateway): Promise<number | string> {
  const { body } = await gateway.request('GET', '/positions');
  const held = body.result.map(({ side, quantity }: { side: string; quantity: number }) =>
    side === 'LONG' ? quantity : -quantity,
  );
  return held.length > 1 ? held.sort().reverse().join('/') : (held[0] ?? 0);
}

interface ShownOrder {
  readonly leg: string;
  readonly side: string;
  readonly quantity: number;
}
const ordersOf = async (gateway: TestGateway, sent: Sent): Promise<readonly string[]> =>
  (await gateway.trade(sent.body.requestId)).orders.map(
    ({ leg, side, quantity }: ShownOrder) => `${leg} ${side} ${quantity}`,
  );

describe('as long as the two agree', () => {
  it.each(['off', 'alarm', 'refuse', 'catch_up'] as const)('%s changes nothing', async (positionCheck) => {
    const { gateway, goTo } = await open({ positionCheck });
    for (const to of [1, 2, 1.5, -1, -2, -0.5, 0, -1, 1, 0]) {
      const sent = await goTo(to);
      expectFilled(sent);
      expect(sent.body).not.toHaveProperty('warnings');
      expect(sent.body.tradeResult).not.toHaveProperty('catchUp');
      expect(await heldIn(gateway)).toBe(to);
    }
    expect(gateway.deskAlarms).toEqual([]);
  });

  it('the trade shows what the alert said', async () => {
    const { gateway, goTo } = await open({});
    await goTo(1);
    const sent = await goTo(1.5);
    const shown = await gateway.trade(sent.body.requestId);
    expect(shown).toMatchObject({ prevMarketPosition: 'long', prevMarketPositionSize: 1 });
  });

  it.each([
    ['below a step', '0.0109', true],
    ['exactly a step', '0.011', false],
    ['exactly a step the other way', '0.009', false],
    ['below a step the other way', '0.0091', true],
  ])('a difference of %s', async (_, believed, agrees) => {
    const { gateway, send } = await open({ positionCheck: 'refuse' });
    expectFilled(await send(createStrategy().moveTo(0.01)));
    const sent = await send(createStrategy(Number(believed)).moveTo(Number(believed) + 0.01));
    if (agrees) expectFilled(sent);
    else refusedAs(sent);
    expect(await heldIn(gateway)).toBe(agrees ? 0.02 : 0.01);
  });
});

it.each(['1e400', 1e300, '1000000000000001'])('a size of %s before the order is refused', async (size) => {
  const { send } = await open({});
  const sent = await send(
    { ...createStrategy(1).moveTo(2) },
    { prevMarketPositionSize: size, marketPositionSize: undefined },
  );
  expectFaults(sent, 'prevMarketPositionSize');
});

describe('alarm', () => {
  it('trades as asked, warns the sender and tells the owner what is expected and what is held', async () => {
    const { gateway, goTo, miss } = await open({});
    expectFilled(await goTo(1, { strategy: 'trend' }));
    miss(2);
    const sent = await goTo(3, { strategy: 'trend' });
    expectFilled(sent);
    const words =
      'the alert says that strategy "trend" was long 2 in ETHUSDT before this order, but on binance its share is long 1';
    expect(sent.body.warnings).toEqual([`prevMarketPosition: ${words}`]);
    expect(gateway.deskAlarms).toEqual([
      `A position differs: ${words}. The order goes on as it was asked for; compare the two.`,
    ]);
    const { events } = await gateway.trade(sent.body.requestId);
    expect(events).toContainEqual(expect.objectContaining({ kind: 'position-differs', detail: words }));
    expect(await heldIn(gateway)).toBe(2);
  });

  it('a missed entry and its exit: there is nothing to close, as ever', async () => {
    const { gateway, goTo, miss } = await open({});
    miss(1);
    expectRefusal(await goTo(0), 'ORDER_REJECTED', ...RESULTS);
    expect(gateway.deskAlarms[0]).toContain('what signals without a strategy hold is nothing');
  });

  it('off says nothing at all', async () => {
    const { gateway, goTo, miss } = await open({ positionCheck: 'off' });
    miss(1);
    const sent = await goTo(2);
    expect(sent.body).not.toHaveProperty('warnings');
    expect(gateway.deskAlarms).toEqual([]);
    expect(await heldIn(gateway)).toBe(1);
  });
});

describe('refuse', () => {
  it.each([
    ['an entry that was missed, then a larger one', [], [1, 2], 0],
    ['an entry that was missed, then a reversal', [], [1, -1], 0],
    ['an entry that was missed, then its exit', [], [1, 0], 0],
    ['an entry that was missed, then an exit of a part', [1], [3, 2], 1],
    ['an exit that was missed, then an entry', [1], [0, 1], 1],
    ['an exit of a part that was missed, then another', [3], [2, 1], 3],
    ['a reversal that was missed, then its exit', [1], [-1, 0], 1],
  ])('%s', async (_, arrived, [missed, next], held) => {
    const { gateway, goTo, miss } = await open({ positionCheck: 'refuse' });
    for (const to of arrived) expectFilled(await goTo(to));
    miss(missed as number);
    const sent = await goTo(next as number, { idempotencyKey: crypto.randomUUID() });
    refusedAs(sent);
    expect(sent.body.error).toContain('nothing was sent');
    expect(await ordersOf(gateway, sent)).toEqual([]);
    expect(await heldIn(gateway)).toBe(held);
  });

  it('says what is expected, what is held, where, whose, and what to do', async () => {
    const { goTo, miss } = await open({ positionCheck: 'refuse' });
    miss(-2);
    const { error } = (await goTo(-3, { strategy: 'range' })).body;
    for (const part of ['"range"', 'short 2', 'its share is nothing', 'ETHUSDT', 'binance', 'catch_up'])
      expect(error).toContain(part);
  });

  it('gives the idempotency key back', async () => {
    const { gateway, send } = await open({ positionCheck: 'refuse' });
    const alert = { ...createStrategy(1).moveTo(2), idempotencyKey: crypto.randomUUID() };
    refusedAs(await send(alert));
    expectFilled(await gateway.send({ symbol: 'ETHUSDT', quantity: 1 }));
    expectFilled(await send(alert));
    expect(await heldIn(gateway)).toBe(2);
  });

  it('lets an exit to flat through that finds a part: after it the two agree', async () => {
    const { gateway, goTo, miss } = await open({ positionCheck: 'refuse' });
    expectFilled(await goTo(1));
    miss(2);
    const sent = await goTo(0);
    expectFilled(sent);
    expect(sent.body.warnings[0]).toContain('was long 2');
    expect(await heldIn(gateway)).toBe(0);
  });

  it('holds nothing against another strategy of the same market', async () => {
    const { gateway, goTo } = await open({ positionCheck: 'refuse' });
    expectFilled(await gateway.send({ symbol: 'ETHUSDT', quantity: 4, strategy: 'other' }));
    expectFilled(await goTo(-1, { strategy: 'mine' }));
    expectFilled(await goTo(-2, { strategy: 'mine' }));
    expect(await heldIn(gateway)).toBe(2);
  });
});

describe('catch_up', () => {
  it.each<[string, readonly number[], readonly [number, number], readonly string[]]>([
    ['an entry that was missed, then a larger one', [], [1, 2], ['catch_up_open BUY 1', 'open BUY 1']],
    ['the same short', [], [-1, -2], ['catch_up_open SELL 1', 'open SELL 1']],
    ['a part of it that was missed', [1], [3, 4], ['catch_up_open BUY 2', 'open BUY 1']],
    ['an entry that was missed, then a reversal: it is not bought to be sold again', [], [1, -1], ['open SELL 1']],
    ['an exit that was missed, then an entry', [1], [0, 2], ['catch_up_close SELL 1', 'open BUY 2']],
    ['an exit that was missed, then an entry the other way', [1], [0, -2], ['catch_up_close SELL 1', 'open SELL 2']],
    ['an exit of a part that was missed, then an entry', [3], [1, 2], ['catch_up_close SELL 2', 'open BUY 1']],
    [
      'a reversal that was missed, then a larger entry',
      [-1],
      [1, 2],
      ['catch_up_close BUY 1', 'catch_up_open BUY 1', 'open BUY 1'],
    ],
    ['a reversal that was missed, then one back', [1], [-1, 2], ['catch_up_close SELL 1', 'open BUY 2']],
    ['a reversal of another size', [1], [3, -1], ['flatten SELL 1', 'open SELL 1']],
    ['an entry that was missed, then an exit of a part of all', [1], [3, 0], ['close SELL 1']],
    ['less is held than the exit of a part believes', [1.5], [3, 1], ['close SELL 0.5']],
    ['more is held than the exit of a part believes', [3], [2, 1], ['close SELL 2']],
    ['a reversal that was missed, then its exit: the other side is closed', [1], [-1, 0], ['catch_up_close SELL 1']],
    ['an entry that was missed, then an exit of a part', [1], [3, 2], ['catch_up_open BUY 1']],
    [
      'a reversal that was missed, then an exit of a part',
      [-1],
      [2, 1],
      ['catch_up_close BUY 1', 'catch_up_open BUY 1'],
    ],
  ])('%s', async (_, arrived, [missed, next], orders) => {
    const { gateway, goTo, miss } = await open({ positionCheck: 'catch_up' });
    for (const to of arrived) expectFilled(await goTo(to));
    miss(missed);
    const sent = await goTo(next);
    expectFilled(sent);
    expect(await ordersOf(gateway, sent)).toEqual(orders);
    expect(sent.body.warnings[0]).toContain('the alert says that its strategy was');
    expect(await heldIn(gateway)).toBe(next);
    expectFilled(await goTo(next === 0 ? 1 : 0));
    expect(await heldIn(gateway)).toBe(next === 0 ? 1 : 0);
  });

  it('an exit of what was missed altogether is refused, and nothing is bought to be sold again', async () => {
    const { gateway, goTo, miss } = await open({ positionCheck: 'catch_up' });
    miss(1);
    const sent = await goTo(0);
    expectRefusal(sent, 'ORDER_REJECTED', ...RESULTS);
    expect(await ordersOf(gateway, sent)).toEqual([]);
  });

  it('an exit of a part that finds what is left after it sends nothing', async () => {
    const { gateway, goTo, miss } = await open({ positionCheck: 'catch_up' });
    expectFilled(await goTo(2));
    miss(3);
    const sent = await goTo(2);
    refusedAs(sent);
    expect(await heldIn(gateway)).toBe(2);
  });

  it('the answer, the events and the notice name what was sent first', async () => {
    const { gateway, goTo, miss } = await open({ positionCheck: 'catch_up' });
    miss(1);
    const sent = await goTo(3, { notify: {} });
    const { orders, events } = await gateway.trade(sent.body.requestId);
    const { catchUp, executedQty } = sent.body.tradeResult;
    expect(executedQty).toBe(2);
    expect(catchUp).toEqual([
      { clientOrderId: orders[0].clientOrderId, side: 'BUY', executedQty: 1, price: orders[0].averagePrice },
    ]);
    expect(orders[0].clientOrderId).not.toBe(orders[1].clientOrderId);
    expect(events).toContainEqual(expect.objectContaining({ kind: 'position-differs' }));
    expect(gateway.notices[0]?.text).toContain('after BUY 1 to catch up with its strategy');
  });

  it('a share of a strategy is caught up against the positions of others', async () => {
    const { gateway, goTo, miss } = await open({ positionCheck: 'catch_up' });
    expectFilled(await gateway.send({ action: 'SHORT', symbol: 'ETHUSDT', quantity: 1.5, strategy: 'other' }));
    miss(1);
    const sent = await goTo(2, { strategy: 'mine' });
    expectFilled(sent);
    expect(await ordersOf(gateway, sent)).toEqual(['catch_up_close BUY 1', 'flatten BUY 0.5', 'open BUY 0.5']);
    expect(await heldIn(gateway)).toBe(0.5);
    const { body } = await gateway.request('GET', '/positions');
    expect(body.result[0].strategies).toContainEqual(expect.objectContaining({ strategy: 'mine', quantity: 2 }));
  });

  it('less than the market takes is not sent, and does not stop the entry', async () => {
    const { gateway, send } = await open({ positionCheck: 'catch_up' });
    expectFilled(await send(createStrategy().moveTo(0.01)));
    const sent = await send(createStrategy(0.012).moveTo(0.032));
    expectFilled(sent);
    expect(sent.body.warnings[0]).toContain('that could not be caught up: an order of');
    expect(await heldIn(gateway)).toBe(0.03);
  });

  it('without a size only what needs none is sent', async () => {
    const { gateway, goTo, miss, send } = await open({ positionCheck: 'catch_up' });
    const sizeless = { prevMarketPositionSize: undefined };
    expectFilled(await goTo(2));
    miss(0);
    expectFilled(await goTo(1, sizeless));
    expect(await heldIn(gateway)).toBe(1);
    const sent = await send(createStrategy(-1).moveTo(-2), sizeless);
    refusedAs(sent);
    expect(sent.body.error).toContain('prevMarketPositionSize');
    expect(await heldIn(gateway)).toBe(1);
  });

  it('sizes that count something else than the orders are not compared', async () => {
    const { gateway, goTo, miss } = await open({ positionCheck: 'catch_up' });
    expectFilled(await goTo(10, { contracts: undefined, quantity: 0.5 }));
    miss(20);
    expectFilled(await goTo(30, { contracts: undefined, quantity: 0.5 }));
    expectFilled(await goTo(40, { quantityType: 'quote', quantity: 3600 }));
    expect(await heldIn(gateway)).toBeGreaterThan(1.5);
    expect(await heldIn(gateway)).toBeLessThan(3);
  });

  it('each account of a route is caught up by its own multiplier', async () => {
    const { gateway, goTo, miss } = await open({ positionCheck: 'catch_up', accounts: ['half'] });
    const { keyId } = gateway.keys.list()[0] as { keyId: string };
    await gateway.keys.route(keyId, [
      { account: 'main', multiplier: 1 },
      { account: 'half', multiplier: 0.5 },
    ]);
    await goTo(1);
    expectFilled(await gateway.send({ symbol: 'ETHUSDT', quantity: 1, account: 'main' }));
    miss(2);
    const sent = await goTo(3);
    expect(sent.body.tradeResults.map((each: Sent['body']) => each.catchUp?.[0].executedQty)).toEqual([undefined, 0.5]);
    const { body } = await gateway.request('GET', '/positions');
    expect(body.result.map(({ quantity }: { quantity: number }) => quantity).sort()).toEqual([1.5, 3]);
  });

  it('an order that waits counts as on its way', async () => {
    const { gateway, goTo, miss } = await open({ positionCheck: 'catch_up' });
    const resting = await goTo(1, { price: '100' });
    expect(resting.body.tradeResult.status).toBe('Submitted');
    const sent = await goTo(2);
    expect(await ordersOf(gateway, sent)).toEqual(['open BUY 1']);
    miss(4);
    const more = await goTo(5);
    expect(await ordersOf(gateway, more)).toEqual(['catch_up_open BUY 2', 'open BUY 1']);
  });

  it('its stops guard what was caught up as well, by the average of both', async () => {
    const { gateway, goTo, miss } = await open({ positionCheck: 'catch_up' });
    miss(1);
    expectFilled(await goTo(2, { stopLoss: { percent: '5' } }));
    const [guard] = (await gateway.request('GET', '/protections')).body.result;
    const [{ entryPrice }] = (await gateway.request('GET', '/positions')).body.result;
    expect(guard.stopLoss.price / entryPrice).toBeCloseTo(0.95, 4);
  });

  it('an alert that was refused at a gate is sent again with what it said', async () => {
    const { gateway, send } = await open({ positionCheck: 'catch_up' });
    await gateway.request('PUT', '/admin/kill-switch', { active: true, scope: 'all' });
    const refused = await send(createStrategy(1).moveTo(2));
    await gateway.request('PUT', '/admin/kill-switch', { active: false });
    const id = refused.body.requestId;
    await eventually(
      () => gateway.refusals.find(id),
      (refusal) => refusal !== undefined,
    );
    const again = await gateway.request('POST', `/refusals/${id}/resend`);
    expectFilled(again);
    expect(await ordersOf(gateway, again)).toEqual(['catch_up_open BUY 1', 'open BUY 1']);
  });
});

describe('catch_up within limits', () => {
  it('a kill switch of entries stops what an exit would open, and lets it close', async () => {
    const { gateway, goTo, miss } = await open({ positionCheck: 'catch_up' });
    expectFilled(await goTo(1));
    miss(3);
    await gateway.request('PUT', '/admin/kill-switch', { active: true, scope: 'entries', cancelEntries: false });
    const opening = await goTo(2);
    refusedAs(opening);
    expect(opening.body.error).toContain('what is missing before this order may not be sent');
    expect(await heldIn(gateway)).toBe(1);
    miss(-1);
    expectFilled(await goTo(0));
    expect(await heldIn(gateway)).toBe(0);
  });

  it.each([
    ['the largest order', 'LIMIT_LARGEST_ORDER', 'largestOrder', 1.9, [2, 2.5]],
    ['the largest position', 'LIMIT_LARGEST_POSITION', 'largestPosition', 2.5, [2, 3]],
  ] as const)('%s of the entry and of what is missing', async (_, code, limit, coins, [missed, next]) => {
    const { gateway, goTo, miss } = await open({ positionCheck: 'catch_up' });
    const { lastPrice } = (await gateway.venues[0]?.market('ETHUSDT')) ?? {};
    const limits = { [limit]: Math.floor(coins * toNumber(lastPrice ?? ZERO)) };
    await gateway.restrictions.setLimits({ kind: 'symbol', name: 'ETHUSDT' }, limits, 'test');
    miss(missed);
    const sent = await goTo(next);
    expectRefusal(sent, code, ...RESULTS);
    expect(await ordersOf(gateway, sent)).toEqual([]);
    expect(await heldIn(gateway)).toBe(0);
  });

  it('prices that are too old stop what an exit would open, and let it close', async () => {
    let [ageMs, looks] = [0, 0];
    const quote = async () => {
      looks++;
      return { bid: decimal(100), ask: decimal(101), atMs: Date.now() - ageMs };
    };
    const venue = Object.assign(createScriptedVenue(), { mode: 'live', quote });
    const { gateway, goTo, miss } = await open({ positionCheck: 'catch_up', venues: [venue] });
    expectFilled(await goTo(1));
    ageMs = 60_000;
    miss(3);
    const opening = await goTo(2);
    expectRefusal(opening, 'STALE_DATA', ...RESULTS);
    expect(opening.body.error).toContain('what is missing before this order may not be sent');
    expect(gateway.deskAlarms).toEqual([
      expect.stringContaining('An entry was refused'),
      expect.stringMatching(/^CLOSE_LONG 1 ETHUSDT.P on binance .* was refused: /),
    ]);
    expect(looks).toBe(2);
    miss(-1);
    expectFilled(await goTo(0));
    expect(looks, 'an exit that only closes does not wait for prices').toBe(2);
    expect(await heldIn(gateway)).toBe(0);
  });

  it('a spread that is too wide stops what an exit would open, and lets it close', async () => {
    const { gateway, goTo, miss } = await open({ positionCheck: 'catch_up' });
    expectFilled(await goTo(1));
    await gateway.restrictions.setLimits({ kind: 'symbol', name: 'ETHUSDT' }, { spreadPercent: 0.000001 }, 'test');
    miss(3);
    expectRefusal(await goTo(2), 'LIMIT_SPREAD', ...RESULTS);
    miss(-1);
    expectFilled(await goTo(0));
    expect(await heldIn(gateway)).toBe(0);
  });

  it('what an exit would open goes by the leverage of its market, whichever the exit names, and it may close', async () => {
    const { gateway, goTo, miss } = await open({ positionCheck: 'catch_up' });
    expectFilled(await goTo(1));
    await gateway.restrictions.setLimits({ kind: 'symbol', name: 'ETHUSDT' }, { leverage: 5 }, 'test');
    miss(3);
    expectRefusal(await goTo(2, { leverage: 1 }), 'LIMIT_LEVERAGE', ...RESULTS);
    miss(-1);
    expectFilled(await goTo(0, { leverage: 10 }));
    expect(await heldIn(gateway)).toBe(0);
  });

  it('an exit asks for no limit where it only closes', async () => {
    const { gateway, goTo, miss } = await open({ positionCheck: 'catch_up' });
    expectFilled(await goTo(3));
    await gateway.restrictions.setLimits(
      { kind: 'symbol', name: 'ETHUSDT' },
      { largestOrder: 1, entriesPerDay: 0 },
      'test',
    );
    miss(2);
    expectFilled(await goTo(1));
    expect(await heldIn(gateway)).toBe(1);
  });
});

it('the same is compared for an alert that comes by mail', async () => {
  const gateway = await freshGateway({ positionCheck: 'refuse' });
  const text = Object.entries({ exchange: 'binance', ticker: 'ETHUSDT.P', ...createStrategy(1).moveTo(2) })
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
  const sent = await gateway.request('POST', '/email-signal', { from: 'a@b.example', subject: 'alert', text });
  expect([sent.status, sent.body.code]).toEqual([422, 'POSITION_DIFFERS']);
});

describe('a strategy that turns around on a hedge account', () => {
  it('closes its old side before it opens the new one', async () => {
    const { gateway, goTo } = await open({ positionMode: 'hedge' });
    expectFilled(await goTo(1));
    const turned = await goTo(-2);
    expectFilled(turned);
    expect(turned.body).not.toHaveProperty('warnings');
    expect(turned.body.tradeResult.executedQty).toBe(2);
    expect(await ordersOf(gateway, turned)).toEqual(['flatten SELL 1', 'open SELL 2']);
    expect(await heldIn(gateway)).toBe(-2);
    expectFilled(await goTo(1.5));
    expect(await heldIn(gateway)).toBe(1.5);
    expectFilled(await goTo(0));
    expect(await heldIn(gateway)).toBe(0);
  });

  it('leaves alone what others hold on both sides, and what it did not say', async () => {
    const { gateway, goTo } = await open({ positionMode: 'hedge' });
    expectFilled(await gateway.send({ symbol: 'ETHUSDT', quantity: 3, strategy: 'other' }));
    expectFilled(await goTo(1, { strategy: 'trend' }));
    const turned = await goTo(-1, { strategy: 'trend' });
    expect(await ordersOf(gateway, turned)).toEqual(['flatten SELL 1', 'open SELL 1']);
    expect(await heldIn(gateway)).toBe('3/-1');
    // A plain signal says nothing of what it held, and a hedge account holds both.
    expectFilled(await gateway.send({ symbol: 'ETHUSDT', quantity: 2, strategy: 'trend' }));
    expect(await heldIn(gateway)).toBe('5/-1');
  });

  it('takes its waiting orders along, and its stops with the old side', async () => {
    const { gateway, goTo } = await open({ positionMode: 'hedge' });
    expectFilled(await goTo(1, { stopLoss: { percent: '5' } }));
    const waiting = await gateway.send({ symbol: 'ETHUSDT', quantity: 1, price: 100 });
    expect(waiting.body.tradeResult.status).toBe('Submitted');
    const turned = await goTo(-1);
    expect(turned.body.tradeResult.canceled).toHaveLength(1);
    expect(await heldIn(gateway)).toBe(-1);
    expect((await gateway.request('GET', '/protections')).body.result).toEqual([]);
    expect((await gateway.request('GET', '/orders')).body.result).toEqual([]);
  });

  it('is limited by what it opens, not by what it leaves', async () => {
    const { gateway, goTo } = await open({ positionMode: 'hedge' });
    expectFilled(await goTo(1));
    const { entryPrice } = (await gateway.request('GET', '/positions')).body.result[0];
    await gateway.request('PUT', '/admin/restrictions/symbol/ETHUSDT/limits', { largestPosition: entryPrice * 1.5 });
    expectFilled(await goTo(-1));
    expect(await heldIn(gateway)).toBe(-1);
  });
});

describe('a side of a hedge account that the strategy does not speak of', () => {
  it('is told where its exit was missed', async () => {
    const { gateway, goTo, miss } = await open({ positionMode: 'hedge' });
    expectFilled(await goTo(1));
    miss(0);
    const sent = await goTo(-1);
    expectFilled(sent);
    expect(sent.body.warnings[0]).toContain('was flat in ETHUSDT before this order');
    expect(sent.body.warnings[0]).toContain('hold is long 1');
    expect(await heldIn(gateway)).toBe('1/-1');
  });

  it('refuses an entry, and lets an exit through', async () => {
    const { gateway, goTo, miss, send } = await open({ positionMode: 'hedge', positionCheck: 'refuse' });
    expectFilled(await goTo(1));
    miss(0);
    refusedAs(await goTo(-1));
    expect(await heldIn(gateway)).toBe(1);
    expectFilled(await gateway.send({ action: 'SHORT', symbol: 'ETHUSDT', quantity: 1 }));
    expectFilled(await send(createStrategy(-1).moveTo(0)));
    expect(await heldIn(gateway)).toBe(1);
  });

  it.each<[string, readonly [number, number], readonly string[]]>([
    ['an exit, then an entry the other way', [0, -2], ['flatten SELL 1', 'open SELL 2']],
    ['a reversal, then a larger entry', [-1, -2], ['catch_up_open SELL 1', 'flatten SELL 1', 'open SELL 1']],
    ['a reversal, then its exit', [-1, 0], ['catch_up_close SELL 1']],
    ['a reversal, then an exit of a part', [-3, -2], ['catch_up_close SELL 1', 'catch_up_open SELL 2']],
    ['a reversal, then one back', [-1, 2], ['catch_up_close SELL 1', 'open BUY 2']],
  ])('is caught up after a missed alert: %s', async (_, [missed, next], orders) => {
    const { gateway, goTo, miss } = await open({ positionMode: 'hedge', positionCheck: 'catch_up' });
    expectFilled(await gateway.send({ symbol: 'ETHUSDT', quantity: 3, strategy: 'other' }));
    expectFilled(await goTo(1));
    miss(missed);
    const sent = await goTo(next);
    expectFilled(sent);
    expect((await ordersOf(gateway, sent)).toSorted()).toEqual(orders);
    const sides = { LONG: 3 + Math.max(next, 0), SHORT: Math.max(-next, 0) };
    expect(await heldIn(gateway)).toBe(sides.SHORT === 0 ? sides.LONG : `${sides.LONG}/-${sides.SHORT}`);
  });

  it('is closed before an exit that has something to close', async () => {
    const { gateway, send } = await open({ positionMode: 'hedge', positionCheck: 'catch_up' });
    for (const action of ['LONG', 'SHORT']) await gateway.send({ action, symbol: 'ETHUSDT', quantity: 2 });
    const sent = await send(createStrategy(2).moveTo(0.5));
    expect(await ordersOf(gateway, sent)).toEqual(['catch_up_close BUY 2', 'close SELL 1.5']);
    expect(await heldIn(gateway)).toBe(0.5);
  });
});
