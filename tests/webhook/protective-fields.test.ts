// Fields that protect or size a trade are never dropped in silence, and nothing is sent that would undo itself at once.

import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { openProtected, PRICE, type Protected } from '../protection/written-market.ts';
import { expectFaults, expectFilled, expectRefusal, KEY_1, tradeCount } from './answers.ts';

let house: Protected;
beforeAll(async () => {
  house = await openProtected();
});

const RESULTS = ['tradeResult', 'notificationResult'] as const;
let markets = 0;
const fresh = (): { symbol: string } => ({ symbol: `NEW${++markets}USDT` });
const held = async (symbol: string): Promise<string[]> =>
  (await house.positions())
    .filter(({ market }) => market === symbol)
    .map(({ side, quantity }) => `${side} ${quantity}`);

const NEAR_MISSES: readonly (readonly [string, string])[] = [
  ...(['stop_loss', 'sl', 'stopLossPrice', 'StopLoss', 'stop-loss'] as const).map(
    (name) => [name, 'stopLoss'] as const,
  ),
  ...(['take_profit', 'tp'] as const).map((name) => [name, 'takeProfit'] as const),
  ...(['trailing', 'trail_percent'] as const).map((name) => [name, 'trailPercent'] as const),
  ...(['qty', 'amount', 'size'] as const).map((name) => [name, 'quantity'] as const),
  ...(['quantity_type', 'qtyType', 'quantityType'] as const).map((name) => [name, 'quantityType'] as const),
  ['reduceOnly', 'CLOSE_LONG'],
  ['orderType', 'price'],
  ['type', 'price'],
  ['lev', 'leverage'],
  ...(['stop', 'stopPrice', 'stop_price', 'slPrice', 'sl_price', 'stop loss', 'stopLoss ', ' SL '] as const).map(
    (name) => [name, 'stopLoss'] as const,
  ),
  ...(['stopLos', 'stopLosss', 'sotpLoss', 'stpoLoss', 'stopLoss1'] as const).map(
    (name) => [name, 'stopLoss'] as const,
  ),
  ...(['tp1', 'target', 'profitTarget', 'takeProfitt', 'tkeProfit'] as const).map(
    (name) => [name, 'takeProfit'] as const,
  ),
  ...(['trailingStop', 'trailing_stop', 'trailingPercent', 'trailPct', 'trialPercent'] as const).map(
    (name) => [name, 'trailPercent'] as const,
  ),
  ...(['Price', 'limitPrice', 'limit_price', 'limit', 'prise'] as const).map((name) => [name, 'price'] as const),
  ...(['quantitiy', 'quantty'] as const).map((name) => [name, 'quantity'] as const),
  ['levrage', 'leverage'],
  ['idempotency_key', 'idempotencyKey'],
];

/** What templates carry for the sake of a chat message. */
const INFORMING = [
  ...['close', 'open', 'high', 'low', 'volume', 'time', 'timenow', 'Ticker', 'interval'],
  ...['message', 'bar', 'Contracts', 'position_size', 'orderPrice', 'order_price', 'entryPrice', 'ts', 'side', 'id'],
  ...['avgPrice', 'average', 'profit', 'quality'],
];

describe('a near miss of a field that protects or sizes', () => {
  it.each(NEAR_MISSES)('%s is refused and %s is named, at every door', async (name, right) => {
    const before = await tradeCount(house.gateway);
    const plain = await house.gateway.send({ [name]: 5 });
    expectFaults(plain, name);
    expect(plain.body.error).toContain(right);
    const alert = { ...house.gateway.signal(), action: 'buy', marketPosition: 'long', [name]: '5' };
    expectFaults(await house.gateway.request('POST', '/webhook/tradingview', alert), name);
    const { apiKey: _, ...mail } = house.gateway.signal({ [name]: 5 }) as Record<string, unknown>;
    expectFaults(await house.gateway.request('POST', '/email-signal', { text: JSON.stringify(mail) }), name);
    expect(await tradeCount(house.gateway)).toBe(before);
  });

  it('is told together with every other fault', async () => {
    const { quantity: _, ...signal } = house.gateway.signal({ qty: 1, exchange: 'nowhere' }) as Record<string, unknown>;
    expectFaults(await house.gateway.request('POST', '/webhook', signal), 'exchange', 'quantity', 'qty');
  });

  it('is found among any number of other fields', async () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`note${index}`, 1]));
    expectFaults(await house.gateway.send({ ...many, sl: 1 }), 'body');
  });
});

describe('a field that we do not know', () => {
  it('is ignored and listed in warnings, at every door', async () => {
    const warning = 'strategyName: is not known and was ignored';
    const sent = await house.gateway.send({ ...fresh(), strategyName: 'x' });
    expectFilled(sent);
    expect(sent.body.warnings).toEqual([warning]);
    const alert = { ...house.gateway.signal(fresh()), action: 'buy', marketPosition: 'long', strategyName: 'x' };
    expect((await house.gateway.request('POST', '/webhook/tradingview', alert)).body.warnings).toEqual([warning]);
    const { apiKey: _, ...mail } = house.gateway.signal({ ...fresh(), strategyName: 'x' }) as Record<string, unknown>;
    const mailed = await house.gateway.request('POST', '/email-signal', { text: JSON.stringify(mail) });
    expect(mailed.body.warnings).toEqual([warning]);
  });

  it.each(INFORMING)('%s, which only informs, does not keep a signal from trading', async (name) => {
    const warnings = [`${name}: is not known and was ignored`];
    expect(await house.gateway.send({ ...fresh(), [name]: '5' })).toMatchObject({ status: 200, body: { warnings } });
    const alert = { ...house.gateway.signal(fresh()), action: 'buy', marketPosition: 'long', [name]: '5' };
    const sent = await house.gateway.request('POST', '/webhook/tradingview', alert);
    expect(sent).toMatchObject({ status: 200, body: { warnings } });
  });

  it('is told when it stands in notify', async () => {
    const { body } = await house.gateway.send({ ...fresh(), notify: { chat_id: '1', message: 'x' } });
    expect(body.warnings).toEqual(['notify.chat_id: is not known and was ignored']);
  });

  it('is a field of ours in another spelling, so it is refused', async () => {
    const alert = { ...house.gateway.signal(), action: 'buy', marketPosition: 'long', PrevMarketPosition: 'short' };
    expectFaults(await house.gateway.request('POST', '/webhook/tradingview', alert), 'PrevMarketPosition');
  });

  it('leaves no trace where there is none', async () => {
    expect(await house.gateway.send(fresh())).not.toHaveProperty('body.warnings');
  });
});

describe('contracts beside quantity', () => {
  it.each([
    ['0.01', '5', ['contracts: was ignored because quantity is given; send one of them']],
    ['0.01', 0.01, undefined],
    [undefined, '0.01', undefined],
  ])('of %s and %s trades the quantity, and says so', async (quantity, contracts, warnings) => {
    const signal = house.gateway.signal(fresh());
    const alert = { ...signal, action: 'buy', marketPosition: 'long', quantity, contracts };
    const sent = await house.gateway.request('POST', '/webhook/tradingview', alert);
    expectFilled(sent);
    expect([sent.body.tradeResult.executedQty, sent.body.warnings]).toEqual([0.01, warnings]);
  });
});

describe('a stop on the wrong side of the market', () => {
  it.each([
    [{ stopLoss: PRICE }, 'stopLoss'],
    [{ stopLoss: PRICE * 2 }, 'stopLoss'],
    [{ takeProfit: PRICE }, 'takeProfit'],
    [{ action: 'SHORT', stopLoss: PRICE }, 'stopLoss'],
    [{ action: 'SHORT', stopLoss: PRICE / 2 }, 'stopLoss'],
    [{ action: 'SHORT', takeProfit: PRICE * 1.1 }, 'takeProfit'],
    // A limit beyond the market fills at the market, so that is what the stop is compared with.
    [{ price: PRICE * 1.1, stopLoss: PRICE * 1.05 }, 'stopLoss'],
    [{ action: 'SHORT', price: PRICE * 0.9, stopLoss: PRICE * 0.95 }, 'stopLoss'],
  ])('of %j is refused before anything is sent, and its idempotency key is free again', async (fields, name) => {
    const market = fresh();
    const sent = await house.gateway.send({ ...market, ...fields, idempotencyKey: KEY_1 });
    expectRefusal(sent, 'STOP_WRONG_SIDE', ...RESULTS);
    expect(sent.body.error).toContain(name);
    expect(await held(market.symbol)).toEqual([]);
    const again = await house.gateway.send({ ...market, ...fields, idempotencyKey: KEY_1 });
    expectRefusal(again, 'STOP_WRONG_SIDE', ...RESULTS);
  });

  it.each([
    { stopLoss: PRICE - 100, takeProfit: PRICE + 100 },
    { action: 'SHORT', stopLoss: PRICE + 100, takeProfit: PRICE - 100 },
    { price: PRICE * 0.9, stopLoss: PRICE * 0.8, takeProfit: PRICE * 0.95 },
    { action: 'SHORT', price: PRICE * 1.1, stopLoss: PRICE * 1.2, takeProfit: PRICE * 1.05 },
  ])('is not what %j is', async (fields) => {
    expect((await house.gateway.send({ ...fresh(), ...fields })).status).toBe(200);
  });
});

describe('a limit signal against the other side of a one-way account', () => {
  it.each([
    ['LONG', 'SHORT', PRICE * 1.1],
    ['SHORT', 'LONG', PRICE * 0.9],
    ['LONG', 'SHORT', PRICE * 0.9],
  ])('that holds a %s is refused, and the position stays as it is', async (first, second, price) => {
    const market = fresh();
    expectFilled(await house.gateway.send({ ...market, action: first, quantity: 0.1 }));
    const signal = { ...market, action: second, quantity: 0.1, price, idempotencyKey: randomUUID() };
    const sent = await house.gateway.send(signal);
    expectRefusal(sent, 'OPPOSITE_POSITION', ...RESULTS);
    for (const way of [
      `CLOSE_${first}`,
      'leave out price',
      'hedge mode',
      'PAPER_POSITION_MODE=hedge',
      'nothing was sent',
    ])
      expect(sent.body.error).toContain(way);
    expect(await held(market.symbol)).toEqual([`${first} 0.1`]);
    const detail = await house.gateway.request('GET', `/trades/${sent.body.requestId}`);
    expect(detail.body.result.orders).toEqual([]);
    // Nothing was sent, so the same key may be used once the way is free.
    expectFilled(await house.gateway.send({ ...market, action: `CLOSE_${first}`, quantity: 0.1 }));
    expect((await house.gateway.send(signal)).status).toBe(200);
  });

  it('is a reversal still, at market', async () => {
    const market = fresh();
    expectFilled(await house.gateway.send({ ...market, action: 'SHORT', quantity: 0.1 }));
    expectFilled(await house.gateway.send({ ...market, action: 'LONG', quantity: 0.2 }));
    expect(await held(market.symbol)).toEqual(['LONG 0.2']);
  });
});

describe('a leverage above what the market allows', () => {
  it('is lowered, and the answer says to what', async () => {
    const { body } = await house.gateway.send({ ...fresh(), leverage: 100_000 });
    const { leverage } = body.tradeResult;
    expect(leverage).toBeGreaterThan(1);
    expect(body.warnings).toEqual([expect.stringContaining(`leverage: 100000 was lowered to ${leverage}`)]);
  });

  it('is told without a warning where it was granted', async () => {
    const { body } = await house.gateway.send({ ...fresh(), leverage: 3 });
    expect([body.tradeResult.leverage, body.warnings]).toEqual([3, undefined]);
  });
});
