// Several targets: what is shown of those there are, what is sent, and what is wrong with them.

import { describe, expect, test } from 'vitest';
import { sentTargets, targetWords, typedTargets, withOneMore } from './typed-targets.ts';

const at = (value: string, share: string) => ({ value, unit: 'percent', share }) as const;

test('those that were hit are over, and the others close shares of what is left', () => {
  const target = (percent: number, share: number, isHit: boolean) => ({ price: 1, asked: { percent }, share, isHit });
  expect(typedTargets([target(1, 0.5, true), target(2, 0.3, false), target(3, 0.2, false)])).toEqual([
    at('2', '60'),
    at('3', '40'),
  ]);
});

test('one more closes what the others leave', () => {
  expect(withOneMore([at('2', '50'), at('3', '20')]).at(-1)).toEqual(at('', '30'));
  expect(withOneMore([at('2', '100')]).at(-1)).toEqual(at('', ''));
});

describe('what is sent', () => {
  test('are levels with shares of one', () => {
    expect(sentTargets([at('2', '50'), { value: '70000', unit: 'price', share: '33.3' }])).toEqual([
      { percent: 2, share: 0.5 },
      { price: 70_000, share: 0.333 },
    ]);
  });

  test.each([
    [[at('', '50')], 'target 1 needs a number above 0'],
    [[at('2', '50'), at('3', '101')], 'the share of target 2 is no percentage up to 100'],
    [[at('2', '60'), at('3', '60')], 'the targets close 120 % together, and 100 % is all there is'],
  ])('is nothing where something is wrong: %#', (targets, words) => {
    expect(sentTargets(targets)).toBe(words);
  });

  test('three thirds are all of it', () => {
    expect(sentTargets([at('1', '33.34'), at('2', '33.33'), at('3', '33.33')])).toHaveLength(3);
  });
});

test('the words say what each would come to, and what stays open', () => {
  const share = { side: 'SHORT', quantity: 2, entryPrice: 100 } as const;
  expect(targetWords([at('10', '50'), { value: '5', unit: 'ticks', share: '30' }], share)).toBe(
    'Targets: 10 % closes 50 % at about +10.00 USDT, 5 ticks closes 30 %; 20 % stays open.',
  );
});
