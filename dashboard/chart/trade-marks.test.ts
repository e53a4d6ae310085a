// Tests of a strategy's trades on the bars.

import { expect, it } from 'vitest';
import type { Context2D } from '../../src/chart/painting.ts';
import { walk } from '../../src/chart/testing/charts.ts';
import { THEME } from '../../src/chart/theme.ts';
import type { AnswerTrade } from '../../src/pine/light.ts';
import { paintTrades, tradeMarksOf } from './trade-marks.ts';

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

it('words of a mark at the edge of the chart stay whole', () => {
  const written: [text: string, x: number][] = [];
  const context = new Proxy({} as Record<string, unknown>, {
    get: (had, name: string) => had[name] ?? (name === 'fillText' ? note : () => {}),
  });
  const note = (text: string, x: number) => void written.push([text, x]);
  const bars = walk(10);
  const prices = [...bars.close.slice(0, bars.count)];
  const sight = {
    ...{ width: 400, height: 300, from: 0, to: 9, xOfFirst: 2, pxPerBar: 44 },
    ...{ topPrice: Math.max(...prices) * 1.1, bottomPrice: Math.min(...prices) * 0.9 },
  };
  const trades = tradeMarksOf([
    trade({ entry_bar: 0, exit_bar: 4, entry_id: 'Short side' }),
    trade({ entry_bar: 9, exit_bar: null }),
  ]);
  paintTrades(context as unknown as Context2D, sight, bars, trades, { theme: THEME.light, font: 'Inter' });
  expect(written.map(([text]) => text)).toEqual(['Short side', '+10.00 (+10.00 %)', 'L']);
  for (const [text, x] of written) {
    expect(x).toBeGreaterThan(0);
    expect(x + text.length * 5.6).toBeLessThan(400);
  }
});
