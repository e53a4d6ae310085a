// Tests of a strategy's trades on the bars.

import { expect, it } from 'vitest';
import type { AnswerTrade } from '../../src/pine/light.ts';
import { tradeMarksOf } from './trade-marks.ts';

const trade = (over: Partial<AnswerTrade>): AnswerTrade =>
  ({
    entry_id: 'L',
    direction: 'long',
    entry_bar: 2,
    entry_price: 100,
    exit_bar: 5,
    exit_price: 110,
    profit: 10,
    profit_percent: 10,
    ...over,
  }) as AnswerTrade;

it('marks entry and exit of a long with what it earned', () => {
  expect(tradeMarksOf([trade({})])).toEqual({
    marks: [
      { bar: 2, isBuy: true, arrows: ['line'], words: 'L', tone: 'line' },
      { bar: 5, isBuy: false, arrows: ['up'], words: '+10.00 (+10.00 %)', tone: 'up' },
    ],
    lines: [{ from: 2, to: 5, fromPrice: 100, toPrice: 110, isGain: true }],
  });
});

it('a reversal is one mark: the loss of the one and the entry of the other', () => {
  const short = trade({ direction: 'short', entry_id: 'S', entry_bar: 5, exit_bar: null, exit_price: null });
  const { marks, lines } = tradeMarksOf([trade({ profit: -3, profit_percent: -3 }), short]);
  expect(marks.at(-1)).toEqual({
    bar: 5,
    isBuy: false,
    arrows: ['down', 'line'],
    words: '−3.00 (−3.00 %)',
    tone: 'down',
  });
  expect(lines).toHaveLength(1);
});

it('several exits of one bar are told by their sum', () => {
  const { marks } = tradeMarksOf([trade({ profit: 4 }), trade({ profit: -10 })]);
  expect(marks.at(-1)).toMatchObject({ words: '−6.00', tone: 'down', arrows: ['up', 'down'] });
});
