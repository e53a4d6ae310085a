// What a chart costs: bounded by its picture, however many bars, cells and drawings lie behind it.

import { expect, it } from 'vitest';
import { quickestMs } from '../../tests/support/quickest.ts';
import { renderChart } from './index.ts';
import { modelOf, runScript, walk } from './testing/charts.ts';

const STUDY =
  'b = ta.sma(close, 20)\nd = ta.stdev(close, 20)\nu = plot(b + d)\nl = plot(b - d)\nfill(u, l, color.new(color.blue, 80))\nplotshape(close > b + d, text = "S")';

const chartMs = (count: number, lines: string, declaration?: string) => {
  const bars = walk(count);
  const model = modelOf(bars, runScript(bars, lines, declaration));
  return quickestMs(() => renderChart(model));
};

/** The yardstick: an ordinary chart of the same size on the same machine. */
const ordinaryMs = chartMs(1000, STUDY);

it('fifty times the bars cost a few times as much, not fifty times', () => {
  // About 1.5 times on a quiet machine.
  expect(chartMs(50_000, STUDY) / ordinaryMs).toBeLessThan(10);
});

it('a table of a million cells costs no more than what there is room for', () => {
  const table = `if barstate.islast
    t = table.new(position.top_left, 1000, 1000)
    for i = 0 to 19000
        t.cell(i % 1000, int(i / 1000), "text " + str.tostring(i), bgcolor = #ff0000)`;
  expect(chartMs(40, table) / ordinaryMs).toBeLessThan(50);
});

it('drawings that cover the chart hundreds of times are bounded', () => {
  const lines = `var points = array.from(chart.point.from_index(0, 0))
if bar_index == 0
    for i = 0 to 5000
        points.push(chart.point.from_index(i % 300, i % 2 == 0 ? 0 : 1000))
box.new(0, 1000, bar_index, 0, bgcolor = color.new(color.red, 50))
polyline.new(points, fill_color = color.new(color.red, 50), line_width = 5)`;
  const much = 'indicator("Much", overlay = true, max_boxes_count = 500)';
  expect(chartMs(60, lines, much) / ordinaryMs).toBeLessThan(100);
});
