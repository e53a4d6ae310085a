// Protection of strategies: each strategy's stops close its own share and nobody else's, also where shares stand against each
// other; and the owner sets, moves and takes away what guards a position.

import { describe, expect, it } from 'vitest';
import { expectFaults, expectFilled, expectRefusal } from '../webhook/answers.ts';
import { openProtected, type Protected } from './written-market.ts';

const KEY = 'binance:BTCUSDT:LONG';
const pathOf = (key: string, strategy?: string): string =>
  `/positions/${encodeURIComponent(key)}/protection${strategy === undefined ? '' : `?strategy=${strategy}`}`;
const put = (own: Protected, body: object, strategy?: string, key = KEY) =>
  own.gateway.request('PUT', pathOf(key, strategy), body);
/** `LONG 0.5 = trend LONG 0.5`. */
async function held(own: Protected): Promise<string[]> {
  return (await own.positions()).map(({ side, quantity, strategies }) => {
    const shares = strategies.map(
      (share: Record<string, unknown>) => `${share.strategy ?? '-'} ${share.side} ${share.quantity}`,
    );
    return `${side} ${quantity}${shares.length > 0 ? ` = ${shares.sort().join(', ')}` : ''}`;
  });
}
const closed = async (own: Protected) =>
  (await own.closes()).map(({ source, executedQty, strategy }) => `${source} ${strategy} ${executedQty}`);

describe('two strategies in one market', () => {
  it('have stops of their own, each for its share', async () => {
    const own = await openProtected();
    expectFilled(await own.gateway.send({ quantity: 0.1, strategy: 'trend', stopLoss: 49_000 }));
    expectFilled(await own.gateway.send({ quantity: 0.2, strategy: 'range', stopLoss: 48_000 }));
    expectFilled(await own.gateway.send({ quantity: 0.3 }));
    const [position] = await own.positions();
    expect(position.protection).toBeNull();
    expect(position.protections.map(({ strategy }: { strategy: string }) => strategy).sort()).toEqual([
      'range',
      'trend',
    ]);
    await own.trade(48_900);
    expect(await closed(own)).toEqual(['stop-loss trend 0.1']);
    expect(await held(own)).toEqual(['LONG 0.5 = - LONG 0.3, range LONG 0.2']);
    await own.trade(47_900);
    expect(await held(own)).toEqual(['LONG 0.3 = - LONG 0.3']);
    expect(await closed(own)).toEqual(['stop-loss trend 0.1', 'stop-loss range 0.2']);
  });

  it('that stand against each other are guarded where the account nets them', async () => {
    const own = await openProtected();
    expectFilled(await own.gateway.send({ quantity: 0.1, strategy: 'trend', stopLoss: { percent: 2 } }));
    const short = { action: 'SHORT', quantity: 0.3, strategy: 'range', stopLoss: { percent: 6 } };
    expectFilled(await own.gateway.send(short));
    expect(await held(own)).toEqual(['SHORT 0.2 = range SHORT 0.3, trend LONG 0.1']);
    const [position] = await own.positions();
    expect(position.protections.map(({ key }: { key: string }) => key).sort()).toEqual([
      'binance:BTCUSDT:LONG',
      'binance:BTCUSDT:SHORT',
    ]);
    const again = await own.restart(1000);
    await again.trade(48_500);
    expect([await closed(again), await held(again)]).toEqual([
      ['stop-loss trend 0.1'],
      ['SHORT 0.3 = range SHORT 0.3'],
    ]);
    await again.trade(53_500);
    expect(await held(again)).toEqual([]);
  });

  it('an entry whose orders only reduce the account has its stops all the same', async () => {
    const own = await openProtected();
    expectFilled(await own.gateway.send({ action: 'SHORT', quantity: 0.3, strategy: 'range' }));
    expectFilled(await own.gateway.send({ quantity: 0.1, strategy: 'trend', stopLoss: 49_000 }));
    expect(await held(own)).toEqual(['SHORT 0.2 = range SHORT 0.3, trend LONG 0.1']);
    await own.trade(48_900);
    expect(await held(own)).toEqual(['SHORT 0.3 = range SHORT 0.3']);
  });

  it('a reversal of one leaves the stops of the other', async () => {
    const own = await openProtected();
    await own.gateway.send({ quantity: 0.1, strategy: 'trend', stopLoss: 49_000 });
    await own.gateway.send({ quantity: 0.1, strategy: 'range', stopLoss: 48_000 });
    await own.gateway.send({ action: 'SHORT', quantity: 0.1, strategy: 'trend' });
    const { body } = await own.gateway.request('GET', '/protections');
    expect(body.result).toMatchObject([{ strategy: 'range', stopLoss: { price: 48_000 } }]);
  });
});

describe('the owner', () => {
  it('sets, moves and takes away parts of what guards a position', async () => {
    const own = await openProtected();
    expectRefusal(await put(own, { stopLoss: 49_000 }), 'STOP_CONFLICT');
    await own.gateway.send({ quantity: 0.1 });
    const [{ entryPrice }] = await own.positions();
    const set = await put(own, { stopLoss: { percent: 1 }, targets: [{ percent: 1, share: 0.5 }], breakEvenAfter: 1 });
    expect([set.status, set.body.result]).toMatchObject([
      200,
      { strategy: null, requestId: null, entryPrice, stopLoss: { asked: { percent: 1 } }, breakEvenAfter: 1 },
    ]);
    const moved = await put(own, { stopLoss: 49_800, maxHoldSeconds: 900 });
    expect(moved.body.result).toMatchObject({
      stopLoss: { price: 49_800 },
      targets: [{ share: 0.5 }],
      maxHoldSeconds: 900,
    });
    expect((await own.gateway.request('GET', pathOf(KEY))).body.result).toEqual([moved.body.result]);
    const again = await own.restart(0);
    expect((await again.gateway.request('GET', pathOf(KEY))).body.result).toEqual([moved.body.result]);
    const profit = await put(again, { takeProfit: 55_000 });
    expect(profit.body.result).toMatchObject({ targets: [], breakEvenAfter: null, takeProfit: { price: 55_000 } });
    const less = await put(again, { takeProfit: null, maxHoldSeconds: null });
    expect(less.body.result).toMatchObject({ takeProfit: null, maxHoldSeconds: null, stopLoss: { price: 49_800 } });
    const none = await put(again, { stopLoss: null });
    expect([none.status, none.body.result]).toEqual([200, null]);
    expectRefusal(await again.gateway.request('GET', pathOf(KEY)), 'STOP_NOT_FOUND');
    expectRefusal(await again.gateway.request('DELETE', pathOf(KEY)), 'STOP_NOT_FOUND');
    await put(again, { trail: { percent: 5 }, activationPrice: 52_000 });
    expect((await again.stops())[0]).toMatchObject({ trailPercent: 5, activationPrice: 52_000, status: 'waiting' });
    expect((await again.gateway.request('DELETE', pathOf(KEY))).body.result.trail.asked).toEqual({ percent: 5 });
    expect(await again.stops()).toEqual([]);
  });

  it.each([
    [{}, 'body'],
    [{ stopLoss: 'soon' }, 'stopLoss'],
    [{ stop_loss: 1 }, 'stop_loss'],
    [{ activationPrice: 5 }, 'activationPrice'],
    [{ takeProfit: 60_000, targets: [{ percent: 1, share: 1 }] }, 'targets'],
    [{ breakEvenAfter: 1 }, 'breakEvenAfter'],
    [{ takeProfit: null }, 'there are no stops'],
  ])('is told what is wrong with %j', async (body, words) => {
    const own = await openProtected();
    await own.gateway.send({ quantity: 0.1 });
    const sent = await put(own, body);
    expect([sent.status, sent.body.code, sent.body.error]).toEqual([
      400,
      'INVALID_PAYLOAD',
      expect.stringContaining(words),
    ]);
    if (words === 'targets') expectFaults(sent, 'targets');
  });

  it('may not put a level where the market has been', async () => {
    const own = await openProtected();
    await own.gateway.send({ quantity: 0.1, stopLoss: 40_000 });
    for (const body of [{ stopLoss: 50_000 }, { takeProfit: 50_000 }, { targets: [{ price: 49_000, share: 1 }] }])
      expectRefusal(await put(own, body), 'STOP_WRONG_SIDE');
    expect((await own.gateway.request('GET', pathOf(KEY))).body.result[0].stopLoss.price).toBe(40_000);
  });

  it('names the strategy where several hold a share, and needs no name where one does', async () => {
    const own = await openProtected();
    await own.gateway.send({ quantity: 0.1, strategy: 'trend' });
    expect((await put(own, { stopLoss: 49_000 })).body.result.strategy).toBe('trend');
    await own.gateway.send({ quantity: 0.1, strategy: 'range' });
    const unclear = await put(own, { stopLoss: 48_000 });
    expectRefusal(unclear, 'STOP_CONFLICT');
    expect(unclear.body.error).toContain('"trend", "range"');
    expectRefusal(await put(own, { stopLoss: 48_000 }, 'other'), 'STOP_CONFLICT');
    expect((await put(own, { stopLoss: 48_000 }, 'range')).body.result.strategy).toBe('range');
    expectRefusal(await own.gateway.request('DELETE', pathOf(KEY)), 'STOP_CONFLICT');
    expect((await own.gateway.request('DELETE', pathOf(KEY, 'trend'))).status).toBe(200);
    expect((await own.gateway.request('DELETE', pathOf(KEY))).body.result.strategy).toBe('range');
    await own.gateway.send({ quantity: 0.1 });
    expect((await put(own, { stopLoss: 48_000 })).body.result.strategy).toBeNull();
  });

  it('comes too late for a stop that the market has reached already, and closes', async () => {
    const own = await openProtected();
    expectFilled(await own.gateway.send({ quantity: 0.1, stopLoss: 49_000 }));
    own.market.trade(48_900);
    own.gateway.clock.offsetMs += 2000;
    own.market.trade(50_000);
    expectRefusal(await put(own, { stopLoss: 48_000 }), 'STOP_CONFLICT');
    await own.trade(50_000);
    expect([await closed(own), await held(own)]).toEqual([['stop-loss null 0.1'], []]);
  });

  it('names positions as everywhere, and is told of keys that name none', async () => {
    const own = await openProtected();
    await own.gateway.send({ quantity: 0.1 });
    expect((await put(own, { stopLoss: 49_000 }, undefined, 'binance:main:btc/usdt:long')).status).toBe(200);
    for (const key of ['btc', 'binance:BTCUSDT', 'binance:BTCUSDT:BOTH'])
      expectRefusal(await put(own, { stopLoss: 49_000 }, undefined, key), 'STOP_NOT_FOUND');
    expectRefusal(await put(own, { stopLoss: 49_000 }, undefined, 'binance:nobody:BTCUSDT:LONG'), 'UNKNOWN_ACCOUNT');
    expectRefusal(await own.gateway.request('PUT', `${pathOf(KEY)}?x=1`, { stopLoss: 49_000 }), 'INVALID_QUERY');
  });
});
