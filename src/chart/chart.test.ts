// Tests of whole charts, from real scripts to the pixels of the PNG.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawChart } from './chart.ts';
import { renderChart } from './index.ts';
import { barsOf, modelOf, type Place, placesOf, runScript, START_MS, walk } from './testing/charts.ts';
import { readPng } from './testing/read-png.ts';

const NA = Number.NaN;
const DARK = 0x131722;
const UP = 0x26a69a;
const DOWN = 0xef5350;
const RED = 0xff0000;
const LIME = 0x00ff00;
const flat = barsOf(40, () => ({ open: 10, high: 12, low: 8, close: 11 }));
const below = 'indicator("Test")';
const bare = { show_volume: false };

/** Rows and columns a color is found in. */
function extentOf(places: readonly Place[]) {
  const [xs, ys] = [places.map(({ x }) => x), places.map(({ y }) => y)];
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
}

type Parts = Parameters<typeof modelOf>;
const pictureOf = (...parts: Parts) => drawChart(modelOf(...parts));
const pngOf = (...parts: Parts) => renderChart(modelOf(...parts));
const drawn = (lines: string, declaration?: string) => pictureOf(flat, runScript(flat, lines, declaration), bare);

describe('a chart', () => {
  it('has the size that was asked for and the background of its theme', () => {
    for (const [width, height] of [
      [64, 48],
      [800, 400],
      [1200, 600],
    ] as const)
      for (const [theme, background] of [
        ['dark', DARK],
        ['light', 0xffffff],
      ] as const) {
        const picture = readPng(pngOf(flat, undefined, { width, height, theme }));
        expect([picture.width, picture.height, picture.at(0, height - 1)]).toEqual([width, height, background]);
      }
  });

  it('is the same, byte for byte, for the same bars and script', () => {
    const bars = walk(200);
    const result = runScript(bars, 'plot(ta.sma(close, 9))\nplotshape(close > open, text = "up")');
    expect(Buffer.compare(pngOf(bars, result), pngOf(bars, result))).toBe(0);
    expect(Buffer.compare(pngOf(bars, result), pngOf(bars))).not.toBe(0);
  });

  it('draws rising and falling candles, from low to high', () => {
    const bars = barsOf(2, (i) =>
      i === 0 ? { open: 10, high: 20, low: 0, close: 15 } : { open: 15, high: 20, low: 0, close: 5 },
    );
    const picture = pictureOf(bars, undefined, { width: 150, height: 100 });
    const [up, down] = [extentOf(placesOf(picture, UP)), extentOf(placesOf(picture, DOWN))];
    expect(up.right).toBeLessThan(down.left);
    expect([up.top, up.bottom]).toEqual([down.top, down.bottom]);
    expect(up.bottom - up.top).toBeGreaterThan(80);
  });

  it('draws a line of closes in the color of the option', () => {
    const places = placesOf(pictureOf(walk(100), undefined, { ...bare, type: 'line', color: '#ff0000' }), RED);
    expect(extentOf(places).right - extentOf(places).left).toBeGreaterThan(700);
  });

  it('has a band of volume where there is one and it is wanted', () => {
    const bars = barsOf(10, (i) => ({ volume: i }));
    const withVolume = pngOf(bars);
    expect(Buffer.compare(withVolume, pngOf(bars, undefined, bare))).not.toBe(0);
    expect(Buffer.compare(pngOf(flat), pngOf(flat, undefined, bare))).toBe(0);
  });
});

describe('the panes', () => {
  it('are one for a script on the bars and two for one with a pane of its own', () => {
    const onBars = extentOf(placesOf(drawn('plot(10, color = #ff0000, linewidth = 2)'), RED));
    const apart = extentOf(placesOf(drawn('plot(10, color = #ff0000, linewidth = 2)', below), RED));
    expect(onBars.bottom).toBeLessThan(260);
    expect(apart.top).toBeGreaterThan(260);
  });

  it('take force_overlay and barcolor to the bars', () => {
    const lines = 'plot(10, color = #ff0000, linewidth = 2, force_overlay = true)\nbarcolor(#00ff00)';
    const picture = drawn(lines, below);
    expect(placesOf(picture, RED).length).toBeGreaterThan(500);
    expect(placesOf(picture, LIME).length).toBeGreaterThan(500);
    expect(placesOf(picture, UP).every(({ x }) => x > 700)).toBe(false);
  });

  it('leave out what is shown elsewhere or nowhere', () => {
    for (const display of ['display.none', 'display.data_window', 'display.all - display.pane'])
      expect(
        placesOf(drawn(`plot(10, color = #ff0000, linewidth = 3, display = ${display})`), RED).length,
      ).toBeLessThan(60);
  });
});

describe('plots', () => {
  const area = (style: string, lines = 'bar_index % 10 < 5 ? 11 : na') =>
    placesOf(
      drawn(`plot(${lines}, "", color = #ff0000, linewidth = 3, style = plot.style_${style}, display = display.pane)`),
      RED,
    ).length;

  it.each(['line', 'stepline', 'stepline_diamond', 'histogram', 'columns', 'circles', 'cross', 'area'])(
    'of style %s are seen',
    (style) => {
      expect(area(style)).toBeGreaterThan(30);
    },
  );

  it('of styles with a break have gaps where the others do not', () => {
    for (const style of ['line', 'stepline', 'area']) expect(area(`${style}br`)).toBeLessThan(area(style) * 0.7);
  });

  it('change their color from bar to bar, and na is no color', () => {
    const picture = drawn('plot(10, color = bar_index < 10 ? #ff0000 : bar_index < 30 ? na : #00ff00, linewidth = 3)');
    const [red, lime] = [extentOf(placesOf(picture, RED)), extentOf(placesOf(picture, LIME).filter(({ y }) => y > 60))];
    expect(red.right).toBeLessThan(220);
    expect(lime.left).toBeGreaterThan(500);
  });

  it('are moved by their offset, also beyond the last bar', () => {
    const picture = drawn(
      'plot(10, color = #ff0000, linewidth = 3, offset = 10)\nplot(9, color = #00ff00, linewidth = 3)',
    );
    const lower = (color: number) => extentOf(placesOf(picture, color).filter(({ y }) => y > 60));
    expect(lower(RED).left).toBeGreaterThan(lower(LIME).left + 100);
    expect(lower(RED).right).toBeGreaterThan(lower(LIME).right + 100);
  });
});

describe('behind the plots', () => {
  it('a fill covers the space between its partners, hidden or not', () => {
    const lines = 'a = plot(9, display = display.none)\nb = plot(11, display = display.none)\nfill(a, b, #ff0000)';
    expect(placesOf(drawn(lines), RED).length).toBeGreaterThan(20_000);
  });

  it('a gradient goes from its top color to its bottom color', () => {
    const lines =
      'a = plot(100, color = na)\nb = plot(0, color = na)\nfill(a, b, 100, 0, #ff0000, #0000ff)\nplot(50, color = #00000000)\nhline(0)\nhline(100)';
    const picture = drawn(lines, below);
    const pixels = picture.pixels();
    const column = Array.from({ length: 100 }, (_, i) => pixels[((270 + i) * 800 + 400) * 4]!);
    const reds = column.filter((red) => red > 0x40);
    expect(reds.length).toBeGreaterThan(40);
    expect(reds[0]).toBeGreaterThan(reds.at(-1)! + 100);
  });

  it('levels are solid, dashed or dotted', () => {
    const count = (style: string) =>
      placesOf(drawn(`hline(10, color = #ff0000, linestyle = hline.style_${style})`, below), RED).length;
    expect(count('solid')).toBeGreaterThan(count('dashed') * 1.5);
    expect(count('dashed')).toBeGreaterThan(count('dotted') * 1.5);
    expect(count('dotted')).toBeGreaterThan(100);
  });

  it('a background has its color on its bars only', () => {
    const places = placesOf(drawn('bgcolor(bar_index == 20 ? #ff0000 : na)'), RED);
    expect(extentOf(places).right - extentOf(places).left).toBeLessThan(25);
    expect(extentOf(places).bottom - extentOf(places).top).toBeGreaterThan(300);
  });
});

describe('marks', () => {
  const at = (location: string) => {
    const lines = `plotshape(bar_index == 20 ? 10 : na, style = shape.square, location = location.${location}, color = #ff0000, size = size.normal)`;
    return extentOf(placesOf(drawn(lines), RED));
  };

  it('stand above and below their bar, at a value, and at the edges', () => {
    const places = ['top', 'abovebar', 'absolute', 'belowbar', 'bottom'].map((location) => at(location).top);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(new Set(places).size).toBe(5);
  });

  it.each([
    'xcross',
    'cross',
    'circle',
    'triangleup',
    'triangledown',
    'flag',
    'arrowup',
    'arrowdown',
    'square',
    'diamond',
    'labelup',
    'labeldown',
  ])('of shape %s are seen', (shape) => {
    const picture = drawn(`plotshape(bar_index == 20, style = shape.${shape}, color = #ff0000, size = size.large)`);
    expect(placesOf(picture, RED).length).toBeGreaterThan(15);
  });

  it('of several outputs stack up instead of covering each other', () => {
    const lines =
      'plotshape(bar_index == 20, style = shape.square, color = #ff0000)\nplotshape(bar_index == 20, style = shape.square, color = #00ff00)';
    const picture = drawn(lines);
    expect(extentOf(placesOf(picture, LIME)).bottom).toBeLessThan(extentOf(placesOf(picture, RED)).top);
  });

  it('are characters and arrows too', () => {
    for (const sign of ['W', '▲', '🚀'])
      expect(
        placesOf(drawn(`plotchar(bar_index == 20, char = "${sign}", color = #ff0000, size = size.huge)`), RED).length,
      ).toBeGreaterThan(20);
    const arrows = drawn(
      'plotarrow(bar_index == 20 ? 1 : bar_index == 30 ? -2 : 0, colorup = #00ff00, colordown = #ff0000)',
    );
    const [up, down] = [extentOf(placesOf(arrows, LIME)), extentOf(placesOf(arrows, RED))];
    expect(down.bottom).toBeLessThan(up.top);
    expect(down.bottom - down.top).toBeGreaterThan(up.bottom - up.top);
  });
});

describe('drawings', () => {
  it.each([
    ['a line', 'line.new(5, 9, 30, 11, color = #ff0000, width = 2)', 100],
    [
      'a line by time',
      `line.new(${START_MS}, 9, ${START_MS + 7_200_000}, 11, xloc = xloc.bar_time, color = #ff0000, width = 2)`,
      40,
    ],
    [
      'an arrow to the edge',
      'line.new(5, 9, 6, 9, color = #ff0000, width = 3, extend = extend.both, style = line.style_arrow_both)',
      500,
    ],
    ['a box', 'box.new(5, 11, 30, 9, bgcolor = #ff0000, border_color = #ff0000)', 10_000],
    ['a label', 'label.new(20, 10, "Hello\\nworld", color = #ff0000)', 200],
    [
      'a polyline',
      'polyline.new(array.from(chart.point.from_index(5, 9), chart.point.from_index(20, 11), chart.point.from_index(30, 9)), closed = true, fill_color = #ff0000)',
      5000,
    ],
    [
      'a table',
      'table.cell(table.new(position.middle_center, 1, 1), 0, 0, "Hello\\nworld", bgcolor = #ff0000, width = 20)',
      1000,
    ],
    [
      'the frame of a table',
      'table.cell(table.new(position.top_left, 1, 1, frame_color = #ff0000, frame_width = 2), 0, 0, "x")',
      20,
    ],
    ['the space between lines', 'linefill.new(line.new(5, 9, 30, 9), line.new(5, 11, 30, 11), #ff0000)', 10_000],
  ])('%s is seen', (_, call, least) => {
    expect(placesOf(drawn(`if barstate.islast\n    ${call}`), RED).length).toBeGreaterThan(least);
  });
});

describe('a table', () => {
  const cells = (position: string, more = '') => `if barstate.islast
    t = table.new(position.${position}, 2, 3)
    t.cell(0, 0, "a", bgcolor = #ff0000)
    t.cell(1, 0, "a longer text", bgcolor = #00ff00)
    ${more}`;
  const right = 730;

  it.each([
    ['top_left', (x: number, y: number) => x < 20 && y < 70],
    ['top_right', (x: number, y: number) => x > right - 120 && y < 70],
    ['bottom_left', (x: number, y: number) => x < 20 && y > 320],
    ['middle_center', (x: number, y: number) => x > 250 && x < 450 && y > 150 && y < 250],
  ])('stands at %s', (position, isThere) => {
    const { left, top } = extentOf(placesOf(drawn(cells(position)), RED));
    expect(isThere(left, top)).toBe(true);
  });

  it('gives each column the room of its words, in rows beside each other', () => {
    const picture = drawn(cells('top_left'));
    const [first, second] = [extentOf(placesOf(picture, RED)), extentOf(placesOf(picture, LIME))];
    expect(second.left).toBe(first.right + 1);
    expect([second.top, second.bottom]).toEqual([first.top, first.bottom]);
    expect(second.right - second.left).toBeGreaterThan(3 * (first.right - first.left));
  });

  it('draws merged cells as one, and nothing of those inside', () => {
    const more =
      't.merge_cells(0, 1, 1, 2)\n    t.cell(0, 1, "", bgcolor = #ff00ff)\n    t.cell(1, 2, "", bgcolor = #ffff00)';
    const picture = drawn(cells('top_left', more));
    const [merged, hidden] = [placesOf(picture, 0xff00ff), placesOf(picture, 0xffff00)];
    expect(extentOf(merged).right).toBe(extentOf(placesOf(picture, LIME)).right);
    expect(hidden).toEqual([]);
  });

  it('has a pane of its own when its script has one', () => {
    const onBars = extentOf(placesOf(drawn(cells('top_left')), RED)).top;
    expect(extentOf(placesOf(drawn(cells('top_left'), below), RED)).top).toBeGreaterThan(onBars + 100);
  });

  it('of a million cells is drawn as far as there is room', () => {
    const much = `if barstate.islast
    t = table.new(position.top_left, 1000, 1000)
    for i = 0 to 19000
        t.cell(i % 1000, int(i / 1000), "text " + str.tostring(i), bgcolor = #ff0000)`;
    expect(pictureOf(flat, runScript(flat, much)).height).toBe(400);
  });
});

describe('whatever the numbers are', () => {
  const wild = fc.oneof(
    fc.double(),
    fc.constantFrom(NA, 0, -0, 1e-8, -5, 1e308, -1e308, 5e-324, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
  );
  const wildBar = fc.record({ open: wild, high: wild, low: wild, close: wild, volume: wild, time: wild });
  const script = `plot(close * volume)\np = plot(high, style = plot.style_area)\nq = plot(open - low, style = plot.style_columns)
fill(p, q, high, low, color.red, color.green)\nplotshape(close, location = location.absolute)\nplotarrow(close - open)
plotcandle(open, high, low, close)\nline.new(bar_index, high, bar_index, low, extend = extend.both)\nbox.new(0, close, bar_index, open)
label.new(time, volume, "x", xloc = xloc.bar_time)`;

  it('there is a chart', () => {
    fc.assert(
      fc.property(
        fc.array(wildBar, { maxLength: 12 }),
        fc.boolean(),
        fc.constantFrom('line', 'candles'),
        fc.integer({ min: 64, max: 300 }),
        fc.integer({ min: 48, max: 250 }),
        (rows, overlay, type, width, height) => {
          const bars = barsOf(rows.length, (i) => rows[i]!);
          const result = runScript(bars, script, `indicator("Wild", overlay = ${overlay})`);
          expect(readPng(pngOf(bars, result, { type, width, height })).width).toBe(width);
        },
      ),
      { numRuns: 25 },
    );
  });

  it.each([0, 1, 2])('there is a chart of %d bars', (count) => {
    const bars = walk(count);
    for (const declaration of [below, undefined])
      expect(pictureOf(bars, runScript(bars, 'plot(close)\nplot(float(na))', declaration)).height).toBe(400);
  });
});
