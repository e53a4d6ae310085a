// Drawings as charting clients read them: corners as seconds and prices, wherever and however a script placed them.

import { expect, it } from 'vitest';
import { answerOf, barColumns, compile } from '../index.ts';

const START_S = 1_700_000_000;
/** Four bars, a minute each; after the second one nothing was traded for an hour. */
const TIMES_S = [START_S, START_S + 60, START_S + 3660, START_S + 3720];
const BARS = barColumns(
  TIMES_S.map((seconds, n) => ({
    ...{ time: seconds * 1000, open: 10 + n, high: 15 + n, low: 5 + n, close: 11 + n, volume: 1 },
  })),
);

function drawn(body: string, settings = '', bars = BARS) {
  const { program, diagnostics } = compile(`//@version=6\nindicator("x"${settings})\n${body}`);
  if (program === null) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return answerOf(program.run(bars, { timeframe: '1' }), bars).drawings;
}

const onLast = (call: string) => `if barstate.islast\n    ${call}`;

it('a line by bars has the times of its bars', () => {
  const [line] = drawn(onLast('line.new(1, 7, bar_index, 8, color = #FF0000, width = 2)'));
  expect(line).toMatchObject({
    ...{ type: 'line', t1: TIMES_S[1], p1: 7, t2: TIMES_S[3], p2: 8 },
    ...{ kind: 'line', x1: 1, y1: 7, x2: 3, y2: 8, xloc: 'bar_index', color: '#FF0000FF', width: 2 },
  });
});

it('a line by times has them in whole seconds', () => {
  const [line] = drawn(onLast('line.new(time[1], 7, time + 1999, 8, xloc.bar_time)'));
  expect(line).toMatchObject({ t1: TIMES_S[2], t2: START_S + 3721, x1: START_S * 1000 + 3_660_000 });
});

it('before the first bar and behind the last one, time goes on by the timeframe', () => {
  const [line] = drawn(onLast('line.new(-2, 7, bar_index + 3, 8)'));
  expect(line).toMatchObject({ t1: START_S - 120, t2: START_S + 3720 + 180 });
});

it('bars that a script leaves out count', () => {
  const [line] = drawn(onLast('line.new(0, 7, bar_index, 8)'), ', calc_bars_count = 2');
  expect(line).toMatchObject({ x1: 2, t1: TIMES_S[2], x2: 3, t2: TIMES_S[3] });
});

it('a box has its left top and its right bottom corner', () => {
  const [box] = drawn(onLast('box.new(0, 9, 2, 6)'));
  expect(box).toMatchObject({ type: 'box', t1: TIMES_S[0], p1: 9, t2: TIMES_S[2], p2: 6, left: 0, top: 9 });
});

it('a label has one corner', () => {
  const [label] = drawn(onLast('label.new(2, 9, "here")'));
  expect(label).toMatchObject({ type: 'label', t1: TIMES_S[2], p1: 9, text: 'here' });
  expect(label).not.toHaveProperty('t2');
});

it.each([
  ['label.new(2, na, "x", yloc = yloc.abovebar)', 17],
  ['label.new(2, na, "x", yloc = yloc.belowbar)', 7],
  ['label.new(time[1] + 1, na, "x", xloc.bar_time, yloc.abovebar)', 17],
  ['label.new(time + 86400000, na, "x", xloc.bar_time, yloc.belowbar)', 8],
  ['label.new(time[3] - 1, na, "x", xloc.bar_time, yloc.belowbar)', 5],
])('a label that hangs on its bar has the price of the bar: %s', (call, price) => {
  expect(drawn(onLast(call))).toMatchObject([{ p1: price }]);
});

it('what is nowhere is null', () => {
  expect(drawn(onLast('line.new(na, na, 1, 2)'))).toMatchObject([{ t1: null, p1: null, t2: TIMES_S[1], p2: 2 }]);
});

it('a polyline has its points in seconds, beside the index and the milliseconds of each', () => {
  const points = 'array.from(chart.point.from_index(1, 7), chart.point.new(time, bar_index, 8))';
  const [line] = drawn(onLast(`polyline.new(${points}, line_color = #FF0000, fill_color = #00FF00, line_width = 3)`));
  expect(line).toMatchObject({
    ...{ type: 'polyline', line_color: '#FF0000FF', color: '#FF0000FF', bgcolor: '#00FF00FF', width: 3 },
    points: [
      { time: TIMES_S[1], price: 7, index: 1, time_ms: null },
      { time: TIMES_S[3], price: 8, index: 3, time_ms: (TIMES_S[3] as number) * 1000 },
    ],
  });
});

it('a polyline by times has the times of its points', () => {
  const points = 'array.from(chart.point.from_time(time[2], 7), chart.point.from_time(time, 8))';
  const [line] = drawn(onLast(`polyline.new(${points}, xloc = xloc.bar_time)`));
  expect(line).toMatchObject({ points: [{ time: TIMES_S[1] }, { time: TIMES_S[3] }] });
});

it('tables and fills between lines have their kind as type, and no corners', () => {
  const body = `var t = table.new(position.top_right, 1, 1)
a = line.new(0, 1, 1, 2)
b = line.new(0, 3, 1, 4)
linefill.new(a, b, color.red)`;
  const found = drawn(onLast(body.split('\n').join('\n    ')));
  expect(found.map(({ kind, type }) => [kind, type])).toContainEqual(['linefill', 'linefill']);
  expect(found.map(({ kind, type }) => [kind, type])).toContainEqual(['table', 'table']);
  for (const drawing of found)
    if (drawing.kind !== 'line') expect(Object.keys(drawing).filter((name) => /^[tp]\d$/.test(name))).toEqual([]);
});
