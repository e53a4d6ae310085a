// What the form of the stops sends: only what was changed, and in words what it will do.

import { describe, expect, test } from 'vitest';
import type { Protection } from '../../server/answers.ts';
import { changeOf, type TypedProtection, typedOf } from './protection-change.ts';

const SHARE = { side: 'LONG', quantity: 2, entryPrice: 100 } as const;
const NONE = typedOf(undefined);
const GUARDED = typedOf({
  stopLoss: { price: 90, asked: { price: 90 }, isBreakEven: false },
  takeProfit: { price: 110, asked: { percent: 10 } },
  trail: { asked: { percent: 2 }, activationPrice: 105, peak: null, stopPrice: null },
  targets: [],
  breakEvenAfter: null,
  maxHoldSeconds: 3600,
} as unknown as Protection);

const change = (
  before: TypedProtection,
  fields: Partial<TypedProtection>,
  share: Parameters<typeof changeOf>[2] = SHARE,
) => changeOf(before, { ...before, ...fields }, share);

test('what is not touched is not sent', () => {
  expect(change(GUARDED, {})).toEqual({ body: undefined, words: [], faults: {} });
  // The unit of nothing is nothing.
  expect(change(NONE, { stopLoss: { value: '', unit: 'ticks' } }).body).toBeUndefined();
});

describe('a level', () => {
  test('is set with what closing there would come to', () => {
    expect(change(NONE, { stopLoss: { value: '95', unit: 'price' } })).toMatchObject({
      body: { stopLoss: { price: 95 } },
      words: ['The stop is set to 95, which closes 2 at about −10.00 USDT.'],
    });
  });

  test.each([
    ['LONG', 'stopLoss', '−20.00'],
    ['LONG', 'takeProfit', '+20.00'],
    ['SHORT', 'stopLoss', '−20.00'],
    ['SHORT', 'takeProfit', '+20.00'],
  ] as const)('of 10 percent of a %s is for the %s %s USDT', (side, name, result) => {
    const { words } = change(NONE, { [name]: { value: '10', unit: 'percent' } }, { ...SHARE, side });
    expect(words[0]).toContain(`at about ${result} USDT`);
  });

  test('is moved, also to another unit', () => {
    expect(change(GUARDED, { stopLoss: { value: '92', unit: 'price' } }).words[0]).toContain('moves from 90 to 92');
    expect(change(GUARDED, { stopLoss: { value: '90', unit: 'ticks' } })).toMatchObject({
      body: { stopLoss: { ticks: 90 } },
      words: ['The stop moves from 90 to 90 ticks.'],
    });
    expect(change(GUARDED, { takeProfit: { value: '115', unit: 'price' } }).words[0]).toContain(
      'The target moves from 10 % to 115, which',
    );
  });

  test('is taken away by null', () => {
    expect(change(GUARDED, { takeProfit: { value: ' ', unit: 'percent' } })).toMatchObject({
      body: { takeProfit: null },
      words: ['The target is taken away.'],
    });
  });

  test.each(['-1', '0', 'x', '1e999'])('%s is none, and nothing is sent', (value) => {
    const { body, faults } = change(NONE, { stopLoss: { value, unit: 'price' } });
    expect([body, faults.stopLoss]).toEqual([undefined, 'is no number above 0']);
  });
});

describe('a trail', () => {
  test('is sent with the price that begins it, whichever of the two was changed', () => {
    const trail = { value: '3', unit: 'percent' } as const;
    expect(change(GUARDED, { trail }).body).toEqual({ trail: { percent: 3 }, activationPrice: 105 });
    expect(change(GUARDED, { activationPrice: '106' })).toMatchObject({
      body: { trail: { percent: 2 }, activationPrice: 106 },
      words: ['The trail begins when 106 is reached.'],
    });
  });

  test('is taken away with it', () => {
    const away = { trail: { value: '', unit: 'percent' }, activationPrice: '' } as const;
    expect(change(GUARDED, away)).toMatchObject({ body: { trail: null }, words: ['The trail is taken away.'] });
  });

  test('must be there where a price begins it', () => {
    expect(change(NONE, { activationPrice: '105' }).faults.activationPrice).toContain('there is none');
  });
});

test('a time stop is typed in minutes', () => {
  expect(change(GUARDED, { maxHold: '90' })).toMatchObject({
    body: { maxHoldSeconds: 5400 },
    words: ['It closes after 1 h 30 min at most.'],
  });
  expect(change(GUARDED, { maxHold: '' }).body).toEqual({ maxHoldSeconds: null });
  expect(change(GUARDED, { maxHold: '0' }).body).toBeUndefined();
});

describe('several targets', () => {
  const targets = [
    { value: '2', unit: 'percent', share: '50' },
    { value: '4', unit: 'percent', share: '50' },
  ] as const;
  const taken = { value: '', unit: 'percent' } as const;

  test('take the place of the one there was, with their break-even', () => {
    expect(change(GUARDED, { targets, breakEvenAfter: '1', takeProfit: taken })).toMatchObject({
      body: {
        takeProfit: null,
        targets: [
          { percent: 2, share: 0.5 },
          { percent: 4, share: 0.5 },
        ],
        breakEvenAfter: 1,
      },
      words: [
        'The target is taken away.',
        'Targets: 2 % closes 50 % at about +2.00 USDT, 4 % closes 50 % at about +4.00 USDT.',
        'The stop moves to entry after the first target.',
      ],
    });
  });

  test('that stand are not sent again with another change, and go by null', () => {
    const standing = { ...NONE, targets, breakEvenAfter: '1' };
    expect(change(standing, { maxHold: '1' }).body).toEqual({ maxHoldSeconds: 60 });
    expect(change(standing, { breakEvenAfter: '' }).body).toEqual({
      targets: [
        { percent: 2, share: 0.5 },
        { percent: 4, share: 0.5 },
      ],
    });
    expect(change(standing, { targets: [], breakEvenAfter: '' }).body).toEqual({ targets: null });
  });

  test('that are wrong are named, and nothing is sent', () => {
    const { body, faults } = change(NONE, { targets: [{ value: '', unit: 'price', share: '50' }] });
    expect([body, faults.targets]).toEqual([undefined, 'target 1 needs a number above 0']);
  });
});
