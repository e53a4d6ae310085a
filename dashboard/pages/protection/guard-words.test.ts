// What guards a position, as people read it: every part with where it stands, and what is still to come.

import { describe, expect, test } from 'vitest';
import type { Protection } from '../../server/answers.ts';
import { guardParts, guardWords } from './guard-words.ts';

const NONE = {
  ...{ stopLoss: null, takeProfit: null, trail: null, targets: [], breakEvenAfter: null, maxHoldSeconds: null },
  status: 'active',
};
const protection = (fields: object): Protection => ({ ...NONE, ...fields }) as unknown as Protection;
const stop = (price: number, isBreakEven = false) => ({ price, asked: { price }, isBreakEven });
const target = (price: number, share: number, isHit = false) => ({ price, asked: { price }, share, isHit });

describe('a stop that moves to the entry price', () => {
  const targets = [target(110, 0.5), target(120, 0.07)];

  test('says so before the target that moves it', () => {
    expect(guardParts(protection({ stopLoss: stop(90), targets, breakEvenAfter: 1 }))).toEqual([
      'stop 90',
      'first target 110 closes 50 %',
      'second target 120 closes 7 %',
      'stop moves to entry after the first target',
    ]);
  });

  test('has moved after it, and nothing more is to come', () => {
    const hit = [target(110, 0.5, true), target(120, 0.3)];
    expect(guardParts(protection({ stopLoss: stop(100, true), targets: hit, breakEvenAfter: 1 }))).toEqual([
      'stop 100, moved to entry',
      'first target 110 closed 50 %',
      'second target 120 closes 30 %',
    ]);
  });

  test('waits for the second target where that was asked for', () => {
    const hit = [target(110, 0.5, true), target(120, 0.3)];
    expect(guardParts(protection({ stopLoss: stop(90), targets: hit, breakEvenAfter: 2 })).at(-1)).toBe(
      'stop moves to entry after the second target',
    );
  });
});

describe('a trailing stop', () => {
  const trail = (fields: object) => ({
    asked: { percent: 2 },
    activationPrice: null,
    peak: null,
    stopPrice: null,
    ...fields,
  });

  test('says where it stands now', () => {
    expect(guardWords(protection({ trail: trail({ stopPrice: 98.5 }) }))).toBe('trailing stop 2 % behind, now at 98.5');
  });

  test('says at which price it begins', () => {
    expect(guardWords(protection({ status: 'waiting', trail: trail({ activationPrice: 120 }) }))).toBe(
      'trailing stop 2 % behind, begins at 120',
    );
  });

  test('is as far behind as it was asked for, in its own unit', () => {
    expect(guardWords(protection({ trail: trail({ asked: { ticks: 30 } }) }))).toBe('trailing stop 30 ticks behind');
    expect(guardWords(protection({ trail: trail({ asked: { price: 1.5 } }) }))).toBe('trailing stop 1.5 behind');
  });
});

test('one target alone has no number, and a level that has no price yet is told as it was asked for', () => {
  const asked = { price: null, asked: { percent: 3 } };
  expect(guardWords(protection({ takeProfit: asked, maxHoldSeconds: 7200 }))).toBe('target 3 % · held 2 h at most');
  expect(guardWords(protection({ targets: [{ ...asked, share: 0.5, isHit: false }] }))).toBe('target 3 % closes 50 %');
});

test('what waits for a fill, or is being closed, says so', () => {
  expect(guardWords(protection({ status: 'waiting for the fill', stopLoss: stop(90) }))).toBe(
    'stop 90 (after the fill)',
  );
  expect(guardWords(protection({ status: 'closing', stopLoss: stop(90) }))).toBe('stop 90 (closing now)');
});
