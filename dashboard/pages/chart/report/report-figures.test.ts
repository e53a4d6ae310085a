// Tests of the figures of a report: every one has the value that the engine worked out, with its sign and its unit.

import { expect, it } from 'vitest';
import { barColumns, compile, strategyAnswer, strategyReport } from '../../../../src/pine/index.ts';
import { CROSSING_AVERAGES, wavingBars } from '../../../engine/testing/crossing-averages.ts';
import { figureLines, headFigures } from './report-figures.ts';

function answerOf(source: string) {
  const bars = barColumns(wavingBars(200));
  const result = compile(source).program!.run(bars, { symbol: { ticker: 'BTCUSDT', currency: 'USDT' } });
  return strategyAnswer(strategyReport(result, bars));
}

const answer = answerOf(CROSSING_AVERAGES);
const lines = new Map(figureLines(answer).map(({ name, ...cells }) => [name, cells]));

it('has a value for every figure, of both sides where it has sides', () => {
  const { long } = answer.metrics as { long: Record<string, number> };
  const { net_profit: net, net_profit_percent: share } = answer.metrics as Record<string, number>;
  expect(net).toBeGreaterThan(1);
  expect(lines.get('Net profit')?.all).toBe(`+${net!.toFixed(2)} (+${share!.toFixed(2)} %)`);
  expect(lines.get('Closed trades')?.long).toBe(String(long.total_trades));
  const sides = [...lines].filter(([, { short }]) => short !== '');
  expect(sides.length).toBeGreaterThan(20);
  for (const [name, { all, long: ofLong, short }] of lines)
    expect([name, `${all} ${ofLong} ${short}`]).not.toContainEqual(expect.stringMatching(/NaN|undefined|null/));
  // Nothing that the table names is missing in what the engine says.
  expect([...lines.values()].filter(({ all }) => all.startsWith('–'))).toEqual([]);
});

it('writes losses with a true minus sign', () => {
  const { max_drawdown: deepest, gross_loss: lost } = answer.metrics as Record<string, number>;
  expect(deepest).toBeGreaterThan(0);
  expect(lines.get('Max drawdown')?.all).toContain(`−${deepest!.toFixed(2)} (−`);
  expect(lines.get('Gross loss')?.all).toContain(`−${lost!.toFixed(2)} (−`);
  expect(headFigures(answer)[1]).toMatchObject({ title: 'Max drawdown, USDT', value: `−${deepest!.toFixed(2)}` });
});

it('has no figure where there is none', () => {
  const none = answerOf('//@version=6\nstrategy("None")\nplot(close)\n');
  expect(headFigures(none).map(({ value }) => value)).toEqual(['0.00', '0.00', '–', '–', '–']);
});
