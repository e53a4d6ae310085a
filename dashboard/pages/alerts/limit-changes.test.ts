// What a form of limits changes.

import { expect, test } from 'vitest';
import { limitChanges } from './limit-changes.ts';

const EMPTY = {
  ...{ largestOrder: '', largestPosition: '', openPositions: '', leverage: '' },
  ...{ dailyLoss: '', entriesPerDay: '', rate: '', cooldownSeconds: '', symbols: '' },
};

test('nothing where nothing differs, also in the way it is written', () => {
  expect(limitChanges({}, EMPTY)).toEqual({});
  const now = { largestOrder: 1000, symbols: ['BTCUSDT', 'ETHUSDT'] };
  expect(limitChanges(now, { ...EMPTY, largestOrder: ' 1000.0 ', symbols: 'BTCUSDT ETHUSDT' })).toEqual({});
});

test('what was emptied is taken away, what was written is set, what is no number is left to the server', () => {
  const now = { largestOrder: 1000, symbols: ['BTCUSDT'] };
  expect(limitChanges(now, { ...EMPTY, leverage: '3', rate: 'many' })).toEqual({
    ...{ largestOrder: null, symbols: null, leverage: 3, rate: 'many' },
  });
});
