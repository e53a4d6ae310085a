// Stops over a written market: what they see, what they write, what becomes of them when something fails.

import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Trade } from '../books/journal.ts';
import { decimal, ZERO } from '../decimal.ts';
import { askedLike, lookAfter, openStopWorld, type StopWorld, settle, tradePrices } from './testing/stop-world.ts';

const LONG = { exchange: 'binance', account: 'main', market: 'BTCUSDT', side: 'LONG' } as const;
const TWO_PERCENT = { trail: { percent: decimal('2') } };

let world: StopWorld;
beforeEach(async () => {
  world = await openStopWorld('LONG');
});

const trade = (...prices: number[]): void => tradePrices(world, ...prices);
const look = (afterS?: number): Promise<void> => lookAfter(world, afterS);
const stop = () => world.protections.list()[0];
/** Sets a stop at 100, and lets it see these prices. */
const follow = async (...prices: number[]): Promise<void> => {
  trade(100, ...prices);
  await world.protections.set(LONG, askedLike(TWO_PERCENT));
  await look(prices.length + 1);
};

describe('a trailing stop', () => {
  it('follows the best price and fires at its distance from it, not before', async () => {
    await follow(110, 107.81);
    expect([stop()?.peak, stop()?.fired]).toEqual([decimal('110'), undefined]);
    trade(107.8);
    await look();
    expect(stop()?.fired).toMatchObject({ by: 'trailing-stop', level: decimal('107.8') });
    expect(world.closes).toEqual([{ requestId: 'close-1', by: 'trailing-stop', quantity: decimal('1') }]);
    expect(world.alarms).toEqual([
      'BTCUSDT LONG on binance (paper) reached its trailing stop at 107.8 and is being closed',
    ]);
  });

  it('sees a spike between two looks', async () => {
    await follow(101, 98, 101);
    expect(stop()?.fired?.by).toBe('trailing-stop');
  });

  it('begins at the price of the moment when none is given', async () => {
    trade(100);
    const set = await world.protections.set(LONG, askedLike(TWO_PERCENT));
    expect(set).toMatchObject({ isNew: true, protection: { peak: decimal('100') } });
  });

  it('waits for its activation price, and does not fire before', async () => {
    trade(100, 90, 104.9, 90, 105, 103);
    await world.protections.set(LONG, askedLike({ ...TWO_PERCENT, activationPrice: decimal('105') }));
    await look(4);
    expect([stop()?.peak, stop()?.fired]).toEqual([undefined, undefined]);
    await look(1);
    expect([stop()?.peak, stop()?.fired]).toEqual([decimal('105'), undefined]);
    trade(103, 102.9);
    await look(2);
    expect(stop()?.fired?.level).toBe(decimal('102.9'));
  });

  it('that is past its activation price already begins at once', async () => {
    trade(100);
    await world.protections.set(LONG, askedLike({ ...TWO_PERCENT, activationPrice: decimal('99') }));
    expect(stop()?.peak).toBe(decimal('100'));
  });

  it('without a price to begin with begins with the first one it sees', async () => {
    await world.protections.set(LONG, askedLike(TWO_PERCENT));
    expect(stop()?.peak).toBeUndefined();
    trade(100, 120);
    await look(2);
    expect(stop()?.peak).toBe(decimal('120'));
  });

  it('is forgotten when the position closes, and the next position has none', async () => {
    await follow(101);
    world.position('0');
    expect(stop()).toBeUndefined();
    await settle();
    world.position('1');
    await world.restart();
    trade(50);
    await look(2);
    expect([world.protections.list(), world.closes]).toEqual([[], []]);
  });

  it('stays when the position is only made smaller', async () => {
    await follow(101);
    world.position('0.5');
    expect(stop()).toBeDefined();
  });

  it('that fires while its position closes does not close the next one', async () => {
    await follow(110);
    trade(100);
    world.elapsedMs += 1000;
    const looking = world.protections.look();
    world.position('0');
    world.position('1');
    await looking;
    await settle();
    expect([world.closes, world.protections.list()]).toEqual([[], []]);
  });
});

describe('what reaches the disk', () => {
  it('is one write a look while the peak moves, however many ticks there were, and none while it rests', async () => {
    await follow(101, 102, 103);
    const before = world.store.writes;
    trade(104, 105, 106);
    await look(3);
    expect(world.store.writes).toBe(before + 1);
    trade(106, 105.5, 105.6);
    for (let second = 0; second < 3; second++) await look();
    expect(world.store.writes).toBe(before + 1);
    await look(60);
    expect(world.store.writes).toBe(before + 2);
  });

  it('may be lost with the process: the same prices are seen again', async () => {
    await follow(100);
    world.store.failing = true;
    trade(100, 110, 108);
    await look(3);
    await world.restart();
    world.store.failing = false;
    expect(stop()?.peak).toBe(decimal('100'));
    await look(0);
    expect([stop()?.peak, stop()?.fired]).toEqual([decimal('110'), undefined]);
  });

  it('is everything when the process stops', async () => {
    await follow(110);
    await world.protections.stop();
    await world.restart();
    expect(stop()?.peak).toBe(decimal('110'));
  });

  it('may fail to be written: the stop works from memory, and is written as soon as it can be', async () => {
    await follow(101);
    world.store.failing = true;
    trade(101, 110);
    await look(2);
    expect(world.troubles).toEqual(['the stops are not on disk yet: Error: disk full']);
    world.store.failing = false;
    await look();
    await world.restart();
    expect(stop()?.peak).toBe(decimal('110'));
    world.store.failing = true;
    trade(50);
    await look(2);
    expect(world.closes).toHaveLength(1);
    world.store.failing = false;
    await look();
    await world.restart();
    expect(stop()?.fired).toBeDefined();
  });

  it('is shared by all stops that are reached in one turn', async () => {
    await follow(110);
    trade(110, 100);
    await world.protections.set({ ...LONG, exchange: 'bybit' }, askedLike(TWO_PERCENT));
    const before = world.store.writes;
    await look(2);
    expect(world.closes).toHaveLength(2);
    expect(world.store.writes).toBe(before + 1);
  });

  it('is taken away later when the disk failed at that moment', async () => {
    await follow(101);
    world.store.failing = true;
    world.position('0');
    await settle();
    expect(world.troubles).toEqual(['the stops are not on disk yet: Error: disk full']);
    world.store.failing = false;
    await look();
    world.position('1');
    await world.restart();
    expect(world.protections.list()).toEqual([]);
  });
});

describe('a source that knows whole minutes only', () => {
  beforeEach(() => {
    world.grainMs = 60_000;
  });
  const minutes = (...bars: (readonly [low: number, high: number])[]): void =>
    bars.forEach(([low, high], minute) => {
      for (let second = 0; second < 60; second++) world.cells[minute * 60 + second] = { low: high, high };
      world.cells[minute * 60 + 30] = { low, high };
    });

  it('does not make a stop fire on a drop that may have come before the peak', async () => {
    minutes([100, 100], [99, 103], [102, 103]);
    await world.protections.set(LONG, askedLike(TWO_PERCENT));
    await look(180);
    expect([stop()?.peak, stop()?.fired]).toEqual([decimal('103'), undefined]);
  });

  it('makes it fire on one that surely came after it', async () => {
    minutes([100, 100], [102, 103], [100.9, 102]);
    await world.protections.set(LONG, askedLike(TWO_PERCENT));
    await look(180);
    expect(stop()?.fired?.level).toBe(decimal('100.94'));
  });
});

describe('a market that cannot be seen', () => {
  it('because it hangs does not blind the others, and is looked at once at a time', async () => {
    await follow(110);
    await world.protections.set({ ...LONG, exchange: 'bybit', market: 'SLOWUSDT' }, askedLike(TWO_PERCENT));
    trade(110, 100);
    world.elapsedMs += 2000;
    const looks = [world.protections.look(), world.protections.look()];
    await settle();
    expect(world.closes).toHaveLength(1);
    expect(world.slow).toHaveLength(1);
    world.slow[0]?.();
    await Promise.all(looks);
  });

  it('is told after half a minute, then every minute, and looked at again from where it was lost', async () => {
    await follow(110);
    world.blind = 'all';
    for (let second = 0; second < 31; second++) await look();
    expect(world.troubles).toEqual(['the stops of BTCUSDT cannot see its prices: Error: no stream']);
    await look(59);
    expect(world.troubles).toHaveLength(1);
    await look(2);
    expect(world.troubles).toHaveLength(2);
    world.blind = undefined;
    world.cells[40] = { low: 50, high: 50 };
    await look();
    expect(stop()?.fired).toBeDefined();
  });

  it('is judged by its last price alone as long as that is known', async () => {
    await follow(110);
    world.blind = 'ranges';
    trade(108, 107.9, 107.8);
    await look(1);
    expect([stop()?.peak, stop()?.fired]).toEqual([decimal('110'), undefined]);
    await look(1);
    expect(stop()?.fired).toBeDefined();
  });
});

it('a clock that is set back does not make a stop blind', async () => {
  world.elapsedMs = 7_200_000;
  await follow(110);
  world.elapsedMs = 3_600_000;
  trade(110, 112, 109);
  await look(0);
  await look(2);
  expect(stop()?.peak).toBe(decimal('112'));
  trade(109, 100);
  await look(2);
  expect(stop()?.fired).toBeDefined();
});

describe('a close', () => {
  beforeEach(() => follow(110));
  const fall = async (): Promise<void> => {
    trade(100);
    await look();
  };

  it('that the venue refuses is tried again with an id of its own, after growing pauses, with an alarm each time', async () => {
    world.fate = 'refused';
    await fall();
    const times: number[] = [];
    for (let second = 1; second <= 200; second++) {
      world.fate = 'refused';
      const before = world.closes.length;
      await look();
      if (world.closes.length > before) times.push(second);
    }
    // A second passes until the refusal is seen, then comes the pause.
    expect(times.slice(0, 6)).toEqual([2, 5, 11, 27, 88, 149]);
    expect(world.closes.slice(0, 3).map(({ requestId }) => requestId)).toEqual(['close-1', 'close-2', 'close-3']);
    expect(world.alarms.filter((text) => text.includes('could NOT be closed. Trying again'))).toHaveLength(7);
    world.fate = undefined;
    await look(60);
    await look(60);
    world.settleTrades();
    expect(world.protections.list()).toEqual([]);
  });

  it('that was refused because the venue has no such position ends the stop', async () => {
    world.fate = 'refused';
    await fall();
    world.held = false;
    await look();
    expect(world.alarms.at(-1)).toContain('has no position at the venue any more; its stop is removed');
    expect(world.protections.list()).toEqual([]);
  });

  it('that left something is followed by another', async () => {
    await fall();
    world.trades.set('close-1', { state: 'filled', executedQuantity: decimal('0.5') } as Trade);
    await look();
    await look();
    expect(world.closes.map(({ requestId }) => requestId)).toEqual(['close-1', 'close-2']);
  });

  it('whose outcome nobody knows yet is not repeated', async () => {
    await fall();
    world.trades.set('close-1', { state: 'unknown', executedQuantity: ZERO } as Trade);
    for (let second = 0; second < 100; second++) await look(10);
    expect(world.closes).toHaveLength(1);
  });

  it('goes on whatever is set, and cannot be taken back', async () => {
    await fall();
    expect(await world.protections.set(LONG, askedLike(TWO_PERCENT))).toMatchObject({
      conflict: expect.stringContaining('is being closed'),
    });
    expect(await world.protections.remove(LONG)).toMatchObject({
      conflict: expect.stringContaining('is being closed'),
    });
  });
});

describe('setting a stop', () => {
  it('or taking it away is refused when that cannot be written down', async () => {
    world.store.failing = true;
    await expect(world.protections.set(LONG, askedLike(TWO_PERCENT))).rejects.toThrow('disk full');
    expect(world.protections.list()).toEqual([]);
    world.store.failing = false;
    await world.protections.set(LONG, askedLike(TWO_PERCENT));
    world.store.failing = true;
    await expect(world.protections.remove(LONG)).rejects.toThrow('disk full');
    expect(world.protections.list()).toHaveLength(1);
  });

  it('whose position closes while the disk is waited for is gone with it', async () => {
    const setting = world.protections.set(LONG, askedLike(TWO_PERCENT));
    await vi.waitFor(() => expect(world.protections.list()).toHaveLength(1));
    world.position('0');
    expect(await setting).toMatchObject({ isNew: true });
    await settle();
    expect([world.protections.list(), (await world.store.load()).protections]).toEqual([[], []]);
  });

  it('that is taken away while the disk fails is in force again', async () => {
    await follow(101);
    world.store.failing = true;
    const removing = world.protections.remove(LONG);
    for (const _ of [1, 2]) await Promise.resolve();
    expect(world.protections.list()).toEqual([]);
    await expect(removing).rejects.toThrow('disk full');
    world.store.failing = false;
    trade(50, 50);
    await look(2);
    expect(stop()?.fired).toBeDefined();
  });

  it('needs a position', async () => {
    world.position('0');
    expect(await world.protections.set(LONG, askedLike(TWO_PERCENT))).toEqual({
      conflict:
        'there is no long position in BTCUSDT on binance to protect; open it first, or send the stops with the entry',
      cause: 'no-position',
    });
  });

  it('takes the place of the trail before, begins anew, and leaves other levels alone', async () => {
    trade(100, 120, 120);
    await world.protections.set(LONG, askedLike({ ...TWO_PERCENT, stopLoss: decimal('90') }));
    await look(2);
    const set = await world.protections.set(LONG, askedLike({ trail: { amount: decimal('5') } }));
    expect(set).toMatchObject({ isNew: false });
    expect(stop()).toMatchObject({ trail: { amount: decimal('5') }, stopLoss: decimal('90'), peak: decimal('120') });
    await world.protections.set(LONG, askedLike({ ...TWO_PERCENT, activationPrice: decimal('200') }));
    expect(stop()?.peak).toBeUndefined();
    await world.protections.set(LONG, askedLike(TWO_PERCENT));
    expect(stop()?.activationPrice).toBeUndefined();
  });

  it.each([
    ['100', true],
    ['99.9', false],
  ])('with a distance of %s from a price of 100 is refused: %s', async (amount, refused) => {
    trade(100);
    const set = await world.protections.set(LONG, askedLike({ trail: { amount: decimal(amount) } }));
    expect('conflict' in set).toBe(refused);
  });

  it.each([
    ['mode', { mode: 'live' }],
    ['account', { account: 'scalp' }],
  ] as const)('of another %s waits until that one is used again', async (_, other) => {
    await follow(101);
    const [protection] = (await world.store.load()).protections;
    if (protection) await world.store.write({ save: [{ ...protection, ...other }], remove: [protection] });
    await world.restart();
    expect([world.protections.list(), (await world.store.load()).protections.length]).toEqual([[], 1]);
  });
});
