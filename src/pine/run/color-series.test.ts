// Fills, backgrounds and colored bars among the series of an answer.

import { expect, it } from 'vitest';
import { answerOf, barColumns, compile } from '../index.ts';

/** Up, up, down. */
const BARS = barColumns(
  [101, 103, 99].map((close, n) => ({ time: n * 60_000, open: 100 + n, high: 110, low: 90, close, volume: 1 })),
);

function answer(...lines: string[]) {
  const { program, diagnostics } = compile(['//@version=6', 'indicator("x")', ...lines].join('\n'));
  if (program === null) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return answerOf(program.run(BARS), BARS);
}

const PLOTS = ['a = plot(open, "Open")', 'b = plot(close, "Close")'];
const [RED, GREEN] = ['#FF0000', '#00FF00'];

it('a background has a color or null for each bar', () => {
  const { series, plot_meta } = answer('bgcolor(close > open ? #FF000080 : na, title = "Up")', 'bgcolor(#00FF00)');
  expect(series).toEqual({ Up: ['#FF000080', '#FF000080', null], Background: [GREEN, GREEN, GREEN] });
  expect(plot_meta).toMatchObject({ Up: { kind: 'bgcolor' }, Background: { kind: 'bgcolor' } });
});

it('a fill has them too, and the titles of its lines', () => {
  const { series, plot_meta } = answer(...PLOTS, 'fill(a, b, close > open ? #00FF00 : #FF0000, "Between")');
  expect(series.Between).toEqual([GREEN, GREEN, RED]);
  expect(plot_meta.Between).toMatchObject({ kind: 'fill', plot1: 'Open', plot2: 'Close' });
});

it('a fill between levels names them in the same way', () => {
  const { series, plot_meta } = answer('a = hline(10, "Low")', 'b = hline(20, "High")', 'fill(a, b, #00FF00)');
  expect(series).toEqual({ Low: [10, 10, 10], High: [20, 20, 20], Fill: [GREEN, GREEN, GREEN] });
  expect(plot_meta.Fill).toMatchObject({ plot1: 'Low', plot2: 'High', hline1: 'Low', hline2: 'High' });
});

it.each([
  ['#FF0000', '#00FF00', '#7F7F00'],
  ['#FF0000', 'color.new(#FF0000, 100)', '#FF000080'],
  ['close > open ? #FF0000 : na', 'na', '#FF000080'],
])('a gradient from %s to %s has the color in the middle', (top, bottom, middle) => {
  const { series } = answer(...PLOTS, `fill(a, b, 110, 90, ${top}, ${bottom}, "Between")`);
  expect((series.Between as string[])[0]).toBe(middle);
});

it('colored bars have theirs', () => {
  const { series, plot_meta } = answer('barcolor(close > open ? na : #FF0000)');
  expect(series).toEqual({ 'Bar color': [null, null, RED] });
  expect(plot_meta['Bar color']).toMatchObject({ kind: 'barcolor' });
});

it('whoever comes second to a title gets a number, so that no series hides another', () => {
  const lines = ['bgcolor(#FF0000, title = "Same")', 'plot(close, "Same")', 'bgcolor(#00FF00, title = "Same")'];
  const { series, plot_meta } = answer(...lines);
  expect(series).toEqual({ Same: [101, 103, 99], 'Same 2': [RED, RED, RED], 'Same 3': [GREEN, GREEN, GREEN] });
  expect(Object.keys(plot_meta)).toHaveLength(3);
});

it('the first series of numbers is plots, wherever the colors stand in the script', () => {
  const { series, plots } = answer('bgcolor(#FF0000)', 'plot(close, "Close")');
  expect(Object.keys(series)).toEqual(['Close', 'Background']);
  expect(plots).toEqual([101, 103, 99]);
  expect(answer('bgcolor(#FF0000)').plots).toEqual([]);
});

it('meta has plot_meta once more', () => {
  const { meta, plot_meta } = answer(...PLOTS, 'fill(a, b, close > open ? #00FF00 : #FF0000)');
  expect(meta.plot_meta).toEqual(plot_meta);
});
