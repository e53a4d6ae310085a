// Rounding to ticks, contract steps and digits: the result lies on the grid, on the right side, and rounding again changes nothing.

import { describe, expect, it } from 'vitest';
import { Grid, inUnits, tenDigits } from './grid.ts';
import { MARKET, randomNumbers } from './testing/random-trader.ts';

const TICKS: readonly (readonly [pricescale: number, minmove: number])[] = [
  [1, 1],
  [100, 1],
  [100, 25],
  [4, 1],
  [1e8, 1],
  [1, 5],
];
const STEPS = [1, 0.1, 0.01, 0.001, 1e-6, 5, 100];

describe.each(TICKS)('prices on a grid of %s and %s', (pricescale, minmove) => {
  const grid = new Grid({ ...MARKET, pricescale, minmove });
  const random = randomNumbers(pricescale + minmove);
  const prices = Array.from({ length: 500 }, () => random() * 10 ** Math.floor(random() * 5));

  it('snap to the tick above or below, never further than a tick', () => {
    for (const price of prices) {
      const [up, down] = [grid.snap(price, 1), grid.snap(price, -1)];
      const near = grid.mintick * 1e-4 + 1e-12;
      expect(up).toBeGreaterThanOrEqual(price - near);
      expect(down).toBeLessThanOrEqual(price + near);
      expect(up - down).toBeLessThanOrEqual(grid.mintick * (1 + 1e-6) + 1e-12);
    }
  });

  it('stay where they are when they are on it', () => {
    for (const price of prices) {
      const up = grid.snap(price, 1);
      expect([grid.snap(up, 1), grid.snap(up, -1), grid.nearest(up)]).toEqual([up, up, up]);
    }
  });

  it('are the double that the decimal text of the tick means', () => {
    for (const price of prices) {
      const up = grid.snap(price, 1);
      if (pricescale <= 100) expect(up).toBe(Number(up.toFixed(2)));
    }
  });
});

describe.each(STEPS)('quantities in steps of %s', (mincontract) => {
  const grid = new Grid({ ...MARKET, mincontract });
  const random = randomNumbers(mincontract * 1e6);

  it('are cut, never raised, by less than a step', () => {
    for (let count = 0; count < 500; count += 1) {
      const quantity = random() * 1000;
      const cut = grid.floor(quantity);
      expect(cut).toBeLessThanOrEqual(quantity * (1 + 1e-9));
      expect(quantity - cut).toBeLessThan(mincontract * (1 + 1e-6));
      expect(grid.floor(cut)).toBe(cut);
    }
  });

  it('stay when they are whole steps, whatever sum they come from', () => {
    for (let steps = 0; steps < 300; steps += 1) {
      expect(grid.floor(steps * mincontract)).toBe(inUnits(steps * mincontract));
      expect(grid.floor(Number((steps * mincontract).toFixed(8)))).toBe(inUnits(steps * mincontract));
    }
  });
});

describe('distances in ticks', () => {
  const grid = new Grid({ ...MARKET, pricescale: 4, minmove: 1 });

  it('count a part of a tick as a whole one where a level is meant', () => {
    expect([0, 1, 1.2, 4].map((count) => grid.ticks(count) + 0)).toEqual([0, 0.25, 0.5, 1]);
    expect(grid.ticks(Number.NaN)).toBeNaN();
  });

  it('leave a part of a tick off where an offset is meant', () => {
    expect([0, 0.9, 1, 1.9, 4].map((count) => grid.wholeTicks(count))).toEqual([0, 0, 0.25, 0.25, 1]);
    expect(grid.wholeTicks(Number.NaN)).toBeNaN();
  });
});

describe('money in ten digits', () => {
  it('is rounded to them, whatever its size and sign', () => {
    expect(tenDigits(12345.678912345)).toBe(12345.67891);
    expect(tenDigits(-12345.678912345)).toBe(-12345.67891);
    expect(tenDigits(0.00012345678912345)).toBe(0.0001234567891);
    expect(tenDigits(0)).toBe(0);
    expect(tenDigits(Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY);
    expect(tenDigits(Number.NaN)).toBeNaN();
  });

  it('stays when it has no more', () => {
    for (const amount of [1, 0.1, 1000, 999999.9999, 1e-7, 123456789]) expect(tenDigits(amount)).toBe(amount);
  });
});
