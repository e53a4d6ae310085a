// What a form of limits changes.

import { expect, test } from 'vitest';
import type { TradeLimits } from '../../server/setup-answers.ts';
import { formOf, type LimitForm, limitChanges } from './limit-changes.ts';

const EMPTY = formOf({});
const typed = (numbers: Partial<LimitForm['numbers']>): LimitForm['numbers'] => ({ ...EMPTY.numbers, ...numbers });
const EVERY_LIMIT: TradeLimits = {
  ...{ largestOrder: 1000, spreadPercent: 0.5, symbols: ['BTCUSDT'], actions: ['LONG'], accounts: ['binance:main'] },
  lockAfterStops: { stops: 3, seconds: 3600 },
  tradingWindows: [
    { days: ['mon', 'fri'], from: '09:30', to: '16:00', zone: 'Europe/Berlin' },
    { from: '22:00', to: '02:00' },
  ],
};

test('nothing where nothing differs, also in the way it is written', () => {
  expect(limitChanges({}, EMPTY)).toEqual({});
  expect(limitChanges(EVERY_LIMIT, formOf(EVERY_LIMIT))).toEqual({});
  const form = { ...formOf(EVERY_LIMIT), numbers: typed({ largestOrder: ' 1000.0 ', spreadPercent: '.5' }) };
  expect(limitChanges(EVERY_LIMIT, form)).toEqual({});
});

test('what was emptied is taken away, what was written is set, what is no number is left to the server', () => {
  const form = { ...EMPTY, numbers: typed({ leverage: '3', rate: 'many' }) };
  expect(limitChanges(EVERY_LIMIT, form)).toEqual({
    ...{ largestOrder: null, spreadPercent: null, symbols: null, actions: null, accounts: null },
    ...{ lockAfterStops: null, tradingWindows: null, leverage: 3, rate: 'many' },
  });
});

test('trading hours are read as they are shown, and what is none is left to the server', () => {
  const windows = 'Mon, tue 09:30-16:00 Europe/Berlin\n\n 22:00–02:00\nwhenever';
  expect(limitChanges({}, { ...EMPTY, windows, lockStops: '3' })).toEqual({
    lockAfterStops: { stops: 3, seconds: '' },
    tradingWindows: [
      { days: ['mon', 'tue'], from: '09:30', to: '16:00', zone: 'Europe/Berlin' },
      { from: '22:00', to: '02:00' },
      { from: 'whenever', to: '' },
    ],
  });
});
