// Targets, the stop at the entry price and the time stop: each closes its part once, the rest is guarded on, over restarts too.

import { describe, expect, it } from 'vitest';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import { expectFilled } from '../webhook/answers.ts';
import { openProtected, PRICE, type Protected } from './written-market.ts';

const HALVES = {
  quantity: 0.1,
  stopLoss: { percent: 2 },
  targets: [
    { percent: 1, share: 0.5 },
    { percent: 2, share: 0.3 },
  ],
};
const open = async (fields: Record<string, unknown>): Promise<Protected> => {
  const own = await openProtected();
  expectFilled(await own.gateway.send(fields));
  return own;
};
const held = async (own: Protected): Promise<number[]> =>
  (await own.positions()).map(({ quantity }: { quantity: number }) => quantity);
const closed = async (own: Protected) =>
  (await own.closes()).map(({ source, executedQty }) => `${source} ${executedQty}`);
const guardOf = async (own: Protected) => (await own.gateway.request('GET', '/protections')).body.result[0];

describe('targets', () => {
  it('close their shares of what the entry filled, and the stop loss what is left', async () => {
    const own = await open(HALVES);
    await own.trade(50_400);
    expect(await closed(own)).toEqual([]);
    await own.trade(50_600);
    expect([await closed(own), await held(own)]).toEqual([['target 0.05'], [0.05]]);
    expect((await guardOf(own)).targets).toMatchObject([{ isHit: true }, { isHit: false }]);
    await own.trade(50_400, 50_600);
    expect(await held(own)).toEqual([0.05]);
    await own.trade(51_100);
    expect([await closed(own), await held(own)]).toEqual([['target 0.05', 'target 0.03'], [0.02]]);
    await own.trade(48_900);
    expect([await closed(own), await held(own)]).toEqual([['target 0.05', 'target 0.03', 'stop-loss 0.02'], []]);
    expect(own.gateway.alarms.join('\n')).toContain('reached target 1 of 2');
  });

  it('reached in one second are closed by one order, and all shares together close everything', async () => {
    const own = await open({
      quantity: 0.1,
      targets: [
        { percent: 1, share: 0.333 },
        { percent: 2, share: 0.333 },
        { percent: 3, share: 0.334 },
      ],
    });
    await own.trade(51_200);
    expect(await closed(own)).toEqual(['target 0.066']);
    await own.trade(51_700);
    expect([await closed(own), await held(own)]).toEqual([['target 0.066', 'target 0.034'], []]);
    expect(await guardOf(own)).toBeUndefined();
  });

  it('of a short are below it', async () => {
    const own = await open({ ...HALVES, action: 'SHORT' });
    await own.trade(49_400);
    expect([await closed(own), await held(own)]).toEqual([['target 0.05'], [0.05]]);
  });

  it('never close more than is left', async () => {
    const own = await open(HALVES);
    expectFilled(await own.gateway.send({ action: 'CLOSE_LONG', quantity: 0.07 }));
    await own.trade(50_600);
    expect([await closed(own), await held(own)]).toEqual([['target 0.03'], []]);
  });

  it('count on after a restart, also for what was traded meanwhile', async () => {
    const own = await open(HALVES);
    await own.trade(50_600);
    own.market.trade(51_200);
    own.gateway.clock.offsetMs += 10_000;
    own.market.trade(48_900);
    const again = await own.restart(5000);
    // The first look finds the target, the next one what came after it.
    for (let looks = 0; looks < 3; looks++) await again.trade(48_900);
    expect([await closed(again), await held(again)]).toEqual([['target 0.05', 'target 0.03', 'stop-loss 0.02'], []]);
  });

  it('leave resting closes alone that still fit', async () => {
    const own = await open(HALVES);
    const far = await own.gateway.send({ action: 'CLOSE_LONG', quantity: 0.04, price: 60_000 });
    await own.trade(50_600);
    expect((await own.gateway.trade(far.body.requestId)).status).toBe('Submitted');
    await own.trade(51_100);
    expect((await own.gateway.trade(far.body.requestId)).status).toBe('Canceled');
  });

  it('that the venue refuses are tried again, then passed over, and the stop loss goes on', async () => {
    const venue = createScriptedVenue();
    const own = await openProtected({ venues: [venue] });
    await own.gateway.send(HALVES);
    for (let tries = 0; tries < 3; tries++) venue.script.push({ fail: 'rejected', message: 'too small' });
    own.market.trade(50_600);
    for (let looks = 0; looks < 80 && !(await guardOf(own)).targets[0].isHit; looks++) {
      own.gateway.clock.offsetMs += 2000;
      await own.gateway.desk.protections.look();
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    const guard = await guardOf(own);
    expect([guard.status, guard.targets[0].isHit]).toEqual(['active', true]);
    expect(own.gateway.alarms.join('\n')).toContain('It is passed over');
    await own.trade(guard.stopLoss.price);
    expect(await held(own)).toEqual([]);
  });

  it('pass the kill switch', async () => {
    const own = await open(HALVES);
    await own.gateway.request('PUT', '/admin/kill-switch', { active: true });
    await own.trade(50_600);
    expect(await closed(own)).toEqual(['target 0.05']);
  });
});

describe('break-even', () => {
  it('moves the stop loss to the entry price after its target, and says so', async () => {
    const own = await open({ ...HALVES, breakEvenAfter: 1 });
    const [{ entryPrice }] = await own.positions();
    expect((await guardOf(own)).stopLoss.isBreakEven).toBe(false);
    await own.trade(50_600);
    expect((await guardOf(own)).stopLoss).toMatchObject({ price: entryPrice, isBreakEven: true });
    const again = await own.restart(1000);
    await again.trade(entryPrice + 10);
    expect(await held(again)).toEqual([0.05]);
    await again.trade(entryPrice);
    expect(await closed(again)).toEqual(['target 0.05', 'break-even 0.05']);
  });

  it('never moves a stop back that stands better', async () => {
    const own = await open({ ...HALVES, breakEvenAfter: 1 });
    await own.trade(50_400);
    const path = '/positions/binance%3ABTCUSDT%3ALONG/protection';
    expect((await own.gateway.request('PUT', path, { stopLoss: 50_200 })).status).toBe(200);
    await own.trade(50_600);
    expect((await guardOf(own)).stopLoss).toMatchObject({ price: 50_200, isBreakEven: false });
  });
});

describe('a stop that stands at the entry price', () => {
  const path = '/positions/binance%3ABTCUSDT%3ALONG/protection';
  const atEntry = async () => {
    const own = await open({ ...HALVES, breakEvenAfter: 1 });
    const [{ entryPrice }] = await own.positions();
    await own.trade(50_600);
    const change = async (fields: object) => {
      expect((await own.gateway.request('PUT', path, fields)).status).toBe(200);
      return (await guardOf(own)).stopLoss;
    };
    return { own, entryPrice, change };
  };

  it.each([
    ['targets go', { targets: null }],
    ['a take profit takes their place', { takeProfit: 53_000 }],
    ['the count goes', { breakEvenAfter: null }],
    ['others come', { targets: [{ price: 52_000, share: 0.5 }] }],
  ])('stays there when %s, over a restart too', async (_, fields) => {
    const { own, entryPrice, change } = await atEntry();
    expect(await change(fields)).toMatchObject({ price: entryPrice, isBreakEven: false });
    const again = await own.restart(1000);
    await again.trade(entryPrice);
    expect(await closed(again)).toEqual(['target 0.05', 'stop-loss 0.05']);
  });

  it('gives way where the owner names another, and is what it was where he changes something else', async () => {
    const { entryPrice, change } = await atEntry();
    expect(await change({ maxHoldSeconds: 3600 })).toMatchObject({ price: entryPrice, isBreakEven: true });
    expect(await change({ stopLoss: 49_500 })).toMatchObject({ price: 49_500, isBreakEven: false });
  });
});

describe('a time stop', () => {
  it('closes what was held so long from its first fill, over a restart, and not a second earlier', async () => {
    const own = await open({ maxHoldSeconds: 3600 });
    const guard = await guardOf(own);
    const again = await own.restart(0);
    expect((await guardOf(again)).closesAt).toBe(guard.closesAt);
    const now = (): number => Date.now() + again.gateway.clock.offsetMs;
    again.gateway.clock.offsetMs += guard.closesAt - now() - 5000;
    await again.trade(PRICE);
    expect(await closed(again)).toEqual([]);
    again.gateway.clock.offsetMs += guard.closesAt - now();
    await again.trade(PRICE);
    expect(await closed(again)).toEqual(['time-stop 0.01']);
    expect(again.gateway.alarms.join('\n')).toContain('held for 3600 seconds');
  });

  it('closes although the market cannot be seen', async () => {
    const own = await open({ maxHoldSeconds: 60 });
    own.gateway.clock.offsetMs += 61_000;
    const silent = own.market;
    await own.gateway.desk.protections.look();
    silent.silent = false;
    await own.trade(PRICE);
    expect(await closed(own)).toEqual(['time-stop 0.01']);
  });

  it('comes after a stop that was reached before it', async () => {
    const own = await open({ stopLoss: 49_000, maxHoldSeconds: 60 });
    own.market.trade(48_900);
    own.gateway.clock.offsetMs += 100_000;
    await own.trade(PRICE);
    expect(await closed(own)).toEqual(['stop-loss 0.01']);
  });
});
