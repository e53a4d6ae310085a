// How much a trade was: what has filled, never only what was asked for.

import { expect, test } from 'vitest';
import { sizeOf, sizeWords } from './trade-words.ts';

test.each([
  ['a close of everything that asked for less', { quantity: 0.02, executedQty: 5 }, '5 filled (0.02 asked)'],
  ['a close of more than is held', { quantity: 999, executedQty: 0.02 }, '0.02 filled (999 asked)'],
  ['what filled as it was asked for', { quantity: 1000, executedQty: 1000 }, '1,000'],
  ['a part', { quantity: 3, executedQty: 1 }, '1 filled (3 asked)'],
  ['what rests or was refused', { quantity: 0.2, executedQty: 0 }, '0.2 asked'],
  ['money', { quantity: 500, quantityType: 'quote', executedQty: 0.005 }, '0.005 filled (500 USDT asked)'],
  [
    'the same number of something else',
    { quantity: 2, quantityType: 'percent_equity', executedQty: 2 },
    '2 filled (2 % asked)',
  ],
] as const)('%s', (_, sized, words) => {
  expect(sizeWords(sizeOf({ quantityType: 'base', ...sized }))).toBe(words);
});
