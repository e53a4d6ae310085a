// Levels that are measured from the fill: in percent and in ticks, at every door, on both sides; what is wrong with them is
// refused by name, and nothing is traded.

import { beforeAll, describe, expect, it } from 'vitest';
import { expectFaults, expectFilled, expectRefusal, tradeCount } from '../webhook/answers.ts';
import { openProtected, PRICE, type Protected } from './written-market.ts';

let house: Protected;
beforeAll(async () => {
  house = await openProtected();
});

const target = (percent: number, share: number) => ({ percent, share });
const guardOf = async (own: Protected) => (await own.gateway.request('GET', '/protections')).body.result[0];

describe('what is refused', () => {
  it.each([
    [{ stopLoss: {} }, ['stopLoss']],
    [{ stopLoss: { price: 1, percent: 2 } }, ['stopLoss']],
    [{ stopLoss: { pips: 2 } }, ['stopLoss', 'stopLoss']],
    [{ stopLoss: { percent: '2' } }, ['stopLoss.percent']],
    [{ stopLoss: { percent: 0 } }, ['stopLoss.percent']],
    [{ stopLoss: { percent: 1000.5 } }, ['stopLoss.percent']],
    [{ stopLoss: { percent: 100 } }, ['stopLoss']],
    [{ action: 'SHORT', takeProfit: { percent: 100 } }, ['takeProfit']],
    [{ stopLoss: { ticks: 1.5 } }, ['stopLoss.ticks']],
    [{ takeProfit: { percent: 1e-13 } }, ['takeProfit']],
    [{ trail: { percent: 0.009 } }, ['trail.percent']],
    [{ trail: { percent: 2 }, trailPercent: 2 }, ['trail']],
    [{ trail: 2 }, ['trail']],
    [{ targets: [] }, ['targets']],
    [{ targets: Array.from({ length: 6 }, (_, at) => target(at + 1, 0.1)) }, ['targets']],
    [{ targets: [target(1, 0)] }, ['targets.0.share']],
    [{ targets: [target(1, 1.01)] }, ['targets.0.share']],
    [{ targets: [target(1, 0.6), target(2, 0.41)] }, ['targets']],
    [{ targets: [target(2, 0.5), target(2, 0.5)] }, ['targets.1']],
    [{ targets: [target(2, 0.5), target(1, 0.5)] }, ['targets.1']],
    [
      {
        action: 'SHORT',
        targets: [
          { price: 10, share: 0.5 },
          { price: 11, share: 0.5 },
        ],
      },
      ['targets.1'],
    ],
    [{ targets: [{ share: 0.5 }] }, ['targets.0']],
    [{ targets: [target(1, 0.5)], takeProfit: 60_000 }, ['targets']],
    [{ breakEvenAfter: 1 }, ['breakEvenAfter']],
    [{ breakEvenAfter: 2, targets: [target(1, 1)] }, ['breakEvenAfter']],
    [{ breakEvenAfter: 0, targets: [target(1, 1)] }, ['breakEvenAfter']],
    [{ maxHoldSeconds: 0 }, ['maxHoldSeconds']],
    [{ maxHoldSeconds: 31_536_001 }, ['maxHoldSeconds']],
    [{ price: 100, targets: [{ price: 99, share: 1 }] }, ['targets.0']],
    [{ stopLoss: 50, targets: [{ price: 49, share: 1 }] }, ['targets.0']],
    [{ action: 'CLOSE_LONG', targets: [target(1, 1)], maxHoldSeconds: 5 }, ['targets', 'maxHoldSeconds']],
  ])('%j names its fields', async (fields, faults) => {
    const before = await tradeCount(house.gateway);
    expectFaults(await house.gateway.send(fields), ...faults);
    expect(await tradeCount(house.gateway)).toBe(before);
  });

  it.each([
    [{ targets: [{ price: PRICE - 1, share: 1 }] }, 'targets'],
    [{ targets: [target(2, 0.5), { price: PRICE * 1.01, share: 0.5 }] }, 'targets'],
    [{ stopLoss: { ticks: 600_000 } }, 'never be reached'],
    [{ trail: { price: PRICE } }, 'never be reached'],
    [{ trail: { price: PRICE - 0.01 } }, 'the trail comes to 0.01'],
    [{ stopLoss: 1e-9 }, 'stopLoss comes to 0.000000001, where no price is: the lowest is one tick of the market'],
    [{ stopLoss: { percent: 99.9999999 } }, 'stopLoss comes to 0.00005'],
    [{ price: 49_000, stopLoss: { percent: 99.9999999 } }, 'stopLoss comes to 0.000049'],
    [{ action: 'SHORT', takeProfit: 1e-9 }, 'takeProfit comes to'],
    [{ action: 'SHORT', targets: [target(2, 0.5), target(99.9999999, 0.5)] }, 'targets: comes to'],
    [{ action: 'SHORT', targets: [{ price: PRICE, share: 1 }] }, 'targets'],
  ])('%j is on the wrong side of the market', async (fields, words) => {
    const before = await tradeCount(house.gateway);
    const sent = await house.gateway.send(fields);
    expectRefusal(sent, 'STOP_WRONG_SIDE', 'tradeResult', 'notificationResult');
    expect(sent.body.error).toContain(words);
    expect((await house.positions()).length).toBe(0);
    expect(await tradeCount(house.gateway)).toBe(before + 1);
  });
});

describe('the lowest level', () => {
  const KEY = '/positions/binance:BTCUSDT:LONG/protection';
  /** As the refusal of a lower one tells it. */
  const lowestOf = async (own: Protected): Promise<number> => {
    const { body } = await own.gateway.send({ stopLoss: 1e-9 });
    return Number(/one tick of the market, ([\d.]+),/.exec(body.error)?.[1]);
  };

  it('is one tick, on a signal and by hand', async () => {
    const own = await openProtected();
    const tick = await lowestOf(own);
    expectRefusal(
      await own.gateway.send({ stopLoss: tick * 0.9 }),
      'STOP_WRONG_SIDE',
      'tradeResult',
      'notificationResult',
    );
    expectFilled(await own.gateway.send({ stopLoss: tick }));
    expect(await guardOf(own)).toMatchObject({ stopLoss: { price: tick } });
    await own.gateway.request('PUT', KEY, { stopLoss: 40_000 });
    for (const stopLoss of [1e-9, tick * 0.9, { percent: 99.9999999 }]) {
      const sent = await own.gateway.request('PUT', KEY, { stopLoss });
      expectRefusal(sent, 'STOP_WRONG_SIDE');
      expect(sent.body.error).toContain('so it could never be reached; put it nearer; nothing was changed');
    }
    expect(await guardOf(own)).toMatchObject({ stopLoss: { price: 40_000 } });
    expect((await own.gateway.request('PUT', KEY, { stopLoss: tick })).body.result.stopLoss.price).toBe(tick);
  });

  it('is one tick also for what waits, and for the price at which the trail of a short begins', async () => {
    const own = await openProtected();
    await own.gateway.send({ price: 49_000, stopLoss: 40_000 });
    expectRefusal(await own.gateway.request('PUT', KEY, { stopLoss: 1e-9 }), 'STOP_WRONG_SIDE');
    expect(await guardOf(own)).toMatchObject({ stopLoss: { price: 40_000 } });
    await own.gateway.send({ action: 'SHORT', strategy: 's' });
    const short = '/positions/binance:BTCUSDT:SHORT/protection';
    const sent = await own.gateway.request('PUT', short, { trail: { percent: 5 }, activationPrice: 1e-9 });
    expectRefusal(sent, 'STOP_WRONG_SIDE');
    expect(sent.body.error).toContain('activationPrice comes to');
  });
});

describe('percent and ticks', () => {
  it.each([
    ['LONG', 0.98, 1.03],
    ['SHORT', 1.02, 0.97],
  ])('of a %s count from the average price of its fill', async (action, loss, gain) => {
    const own = await openProtected();
    expectFilled(await own.gateway.send({ action, stopLoss: { percent: 2 }, takeProfit: { percent: 3 } }));
    const [{ entryPrice }] = await own.positions();
    const guard = await guardOf(own);
    expect(guard).toMatchObject({ status: 'active', entryPrice });
    expect(guard.stopLoss).toMatchObject({ asked: { percent: 2 }, isBreakEven: false });
    expect(guard.stopLoss.price / entryPrice).toBeCloseTo(loss, 5);
    expect(guard.takeProfit.price / entryPrice).toBeCloseTo(gain, 5);
    await own.trade(guard.stopLoss.price + (action === 'LONG' ? 1 : -1));
    expect(await own.closes()).toEqual([]);
    await own.trade(guard.stopLoss.price);
    expect(await own.closes()).toMatchObject([{ source: 'stop-loss', status: 'Filled' }]);
  });

  it('in ticks are so many of the market, also of a trail', async () => {
    const own = await openProtected();
    expectFilled(await own.gateway.send({ stopLoss: { ticks: 1000 }, trail: { ticks: 500 } }));
    const guard = await guardOf(own);
    const [{ entryPrice }] = await own.positions();
    const tick = (entryPrice - guard.stopLoss.price) / 1000;
    expect(guard.trail).toMatchObject({ asked: { ticks: 500 } });
    expect(guard.trail.peak - guard.trail.stopPrice).toBeCloseTo(tick * 500, 6);
    const again = await own.restart(1000);
    expect(await guardOf(again)).toEqual(guard);
  });

  it('size a risk as a price does', async () => {
    const own = await openProtected();
    const sent = await own.gateway.send({ quantityType: 'risk_percent', quantity: 1, stopLoss: { percent: 2 } });
    expectFilled(sent);
    expect(sent.body.tradeResult.quantity).toBeCloseTo((100_000 * 0.01) / (PRICE * 0.02), 3);
  });

  it('of an entry that fills later move with the average price of its fills', async () => {
    const own = await openProtected();
    const resting = await own.gateway.send({ price: 49_000, stopLoss: { percent: 2 }, maxHoldSeconds: 600 });
    const waiting = await guardOf(own);
    expect(waiting).toMatchObject({
      ...{ status: 'waiting for the fill', requestId: resting.body.requestId, entryPrice: null, closesAt: null },
      stopLoss: { price: null, asked: { percent: 2 } },
    });
    expect((await own.gateway.trade(resting.body.requestId)).protection).toEqual(waiting);
    own.market.trade(48_900);
    await own.gateway.until(resting.body.requestId, 'Filled');
    const guard = await guardOf(own);
    expect(guard).toMatchObject({ status: 'active', entryPrice: 49_000, stopLoss: { price: 48_020 } });
    expect((await own.positions())[0].protections).toEqual([guard]);
    expect((await own.gateway.trade(resting.body.requestId)).protection).toEqual(guard);
  });
});

describe('at the other doors', () => {
  it('an alert may quote every number', async () => {
    const own = await openProtected();
    const alert = {
      ...{ apiKey: own.gateway.apiKey, exchange: 'BINANCE', ticker: 'BTCUSDT.P', action: 'buy', contracts: '0.01' },
      ...{ marketPosition: 'long', prevMarketPosition: 'flat', breakEvenAfter: '1', maxHoldSeconds: '60' },
      ...{ stopLoss: { percent: '2' }, targets: [{ percent: '1.5', share: '0.5' }], trail: { ticks: '5000' } },
    };
    expectFilled(await own.gateway.request('POST', '/webhook/tradingview', alert));
    const guard = await guardOf(own);
    expect(guard).toMatchObject({ breakEvenAfter: 1, maxHoldSeconds: 60, stopLoss: { asked: { percent: 2 } } });
    expect(guard.targets).toMatchObject([{ asked: { percent: 1.5 }, share: 0.5, isHit: false }]);
    const empty = { ...alert, stopLoss: { percent: 'NaN' } };
    expectFaults(await own.gateway.request('POST', '/webhook/tradingview', empty), 'stopLoss.percent');
  });

  it('a mail in JSON has them too', async () => {
    const own = await openProtected();
    const json = { exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01, stopLoss: { percent: 2 } };
    const text = `${JSON.stringify(json)}\napiKey: ${own.gateway.apiKey}`;
    expectFilled(await own.gateway.request('POST', '/email-signal', { text }));
    expect((await guardOf(own)).stopLoss.asked).toEqual({ percent: 2 });
  });
});

describe('the price at which the trail of a signal begins', () => {
  const trail = { asked: { percent: 2 }, activationPrice: 51_000, peak: null, stopPrice: null };
  const signal = { exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
  const begins = { trailPercent: 2, activationPrice: 51_000 };

  it('holds it back until then, and a short the other way round', async () => {
    const own = await openProtected();
    expectFilled(await own.gateway.send(begins));
    expect(await guardOf(own)).toMatchObject({ status: 'waiting', trail });
    await own.trade(48_000, 50_900);
    expect(await own.closes()).toEqual([]);
    await own.trade(51_000, 52_000);
    expect((await guardOf(own)).trail).toMatchObject({ peak: 52_000, stopPrice: 50_960 });
    await own.trade(50_960);
    expect(await own.closes()).toMatchObject([{ source: 'trailing-stop', status: 'Filled' }]);
    expectFilled(await own.gateway.send({ action: 'SHORT', trail: { percent: 2 }, activationPrice: 49_000 }));
    await own.trade(52_500, 49_000);
    expect((await guardOf(own)).trail).toMatchObject({ peak: 49_000 });
  });

  it('judges a trail by the price at which it begins, on a signal and by hand', async () => {
    const own = await openProtected();
    const far = (distance: number, activationPrice: number) => ({ trail: { price: distance }, activationPrice });
    expectFilled(await own.gateway.send(far(PRICE + 5000, PRICE + 10_000)));
    expect(await guardOf(own)).toMatchObject({ status: 'waiting', trail: { activationPrice: PRICE + 10_000 } });
    const put = (body: object) => own.gateway.request('PUT', `/positions/binance:BTCUSDT:LONG/protection`, body);
    expect((await put(far(PRICE + 9000, PRICE + 10_000))).status).toBe(200);
    expectRefusal(await put(far(PRICE + 10_000, PRICE + 10_000)), 'STOP_WRONG_SIDE');
    // The market is past it: the trail begins at once, from where the market is.
    expect((await put(far(PRICE - 5000, PRICE - 10_000))).status).toBe(200);
    expectRefusal(await put(far(PRICE, PRICE - 10_000)), 'STOP_WRONG_SIDE');
  });

  it('that the fill has passed already begins the trail at once', async () => {
    const own = await openProtected();
    expectFilled(await own.gateway.send({ trailPercent: 2, activationPrice: 40_000 }));
    expect(await guardOf(own)).toMatchObject({ status: 'active', trail: { activationPrice: 40_000 } });
    expect((await guardOf(own)).trail.peak).toBeGreaterThan(49_000);
  });

  it('waits with its entry, also across a restart', async () => {
    const own = await openProtected();
    const { body } = await own.gateway.send({ price: 49_000, ...begins });
    expect(await guardOf(own)).toMatchObject({ status: 'waiting for the fill', trail });
    const again = await own.restart(1000);
    expect(await guardOf(again)).toMatchObject({ status: 'waiting for the fill', trail });
    again.market.trade(48_900);
    await again.gateway.until(body.requestId, 'Filled');
    expect(await guardOf(again)).toMatchObject({ status: 'waiting', trail });
  });

  it.each([
    [
      'an alert',
      '/webhook/tradingview',
      (apiKey: string) => ({ apiKey, ...signal, trailPercent: '2', activationPrice: '51000' }),
    ],
    [
      'a mail in lines',
      '/email-signal',
      (apiKey: string) => ({
        text: `exchange: binance\naction: LONG\nsymbol: BTCUSDT\nquantity: 0.01\ntrail percent: 2\nactivation price: 51000\napiKey: ${apiKey}`,
      }),
    ],
    [
      'a mail in JSON',
      '/email-signal',
      (apiKey: string) => ({ text: `${JSON.stringify({ ...signal, ...begins })}\napiKey: ${apiKey}` }),
    ],
  ])('is read in %s', async (_, path, bodyOf) => {
    const own = await openProtected();
    expectFilled(await own.gateway.request('POST', path, bodyOf(own.gateway.apiKey)));
    expect(await guardOf(own)).toMatchObject({ status: 'waiting', trail });
  });
});
