// Tests of how a chart looks: nothing flattened, nothing cut, short numbers, and a head that says what it is.

import { describe, expect, it } from 'vitest';
import type { BarColumns } from '../pine/index.ts';
import { drawChart } from './chart.ts';
import { SMALL, TITLE } from './fonts.ts';
import type { ChartModel } from './model.ts';
import type { Picture } from './picture.ts';
import { barsOf, modelOf, type Place, placesOf, runScript } from './testing/charts.ts';
import { textWidth } from './text.ts';
import { THEME } from './theme.ts';

const UP = 0x26a69a;
const RED = 0xff0000;
const FRAME = THEME.dark.frame >>> 8;
const BELOW = 'indicator("Test")';
const bare = { show_volume: false };
/** Prices around 60,000 with a range of 1,200. */
const bars = barsOf(60, (i) => {
  const open = 60_000 + 500 * Math.sin(i / 5);
  return { open, high: open + 100, low: open - 100, close: open + 50 };
});

const picture = (from: BarColumns, lines: string, declaration?: string, more: Partial<ChartModel> = {}) =>
  drawChart({ ...modelOf(from, runScript(from, lines, declaration), bare), ...more });

function extentOf(places: readonly Place[]) {
  const [xs, ys] = [places.map(({ x }) => x), places.map(({ y }) => y)];
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
}

const heightOf = (canvas: Picture, color: number, isCounted: (place: Place) => boolean = () => true) => {
  const { top, bottom } = extentOf(
    placesOf(canvas, color).filter(({ x, y }) => x < 700 && y > 44 && isCounted({ x, y })),
  );
  return bottom - top;
};

describe('values far away', () => {
  const plain = heightOf(picture(bars, 'plot(close)'), UP);

  it('of a plot that stays near the bars do not flatten them, at its start or later', () => {
    expect(plain).toBeGreaterThan(250);
    for (const far of ['bar_index < 10 ? 0', 'bar_index % 20 == 0 ? 0', 'bar_index == 0 ? 1e12'])
      expect(heightOf(picture(bars, `plot(${far} : close)`), UP)).toBeGreaterThan(plain * 0.9);
  });

  it('leave at least a third of the pane to the bars where they are within reach', () => {
    expect(heightOf(picture(bars, 'plot(bar_index < 10 ? 58500 : close)'), UP)).toBeGreaterThan(plain / 3);
  });

  it('are shown where most of a plot is there', () => {
    const canvas = picture(bars, 'plot(30000, color = #ff0000, linewidth = 2)');
    expect(placesOf(canvas, RED).length).toBeGreaterThan(500);
    expect(heightOf(canvas, UP)).toBeLessThan(plain / 5);
  });

  it('on the first bars do not flatten a pane of its own, and later ones are shown', () => {
    const wave = (value: string) =>
      picture(bars, `plot(${value} : 50 + 10 * math.sin(bar_index), color = #ff0000, linewidth = 3)`, BELOW);
    const isWave = ({ x, y }: Place) => x > 200 && y > 280;
    const settled = heightOf(wave('false ? 0'), RED, isWave);
    expect(settled).toBeGreaterThan(60);
    expect(heightOf(wave('bar_index < 5 ? 100000'), RED, isWave)).toBeGreaterThan(settled * 0.9);
    // The wave is a flat line beside a spike in the middle, which is seen.
    const spiked = placesOf(wave('bar_index == 30 ? 100000'), RED).filter(({ x, y }) => x > 450 && x < 700 && y > 280);
    expect(extentOf(spiked).bottom - extentOf(spiked).top).toBeLessThan(10);
  });
});

describe('a label', () => {
  const drawn = (index: string, style: string, text = 'A label of some length', y = 'close') =>
    placesOf(
      picture(
        bars,
        `if barstate.islast\n    label.new(${index}, ${y}, "${text}", color = #ff0000, textcolor = #ff0000, style = label.style_${style})`,
      ),
      RED,
    );

  it.each(['label_down', 'label_up', 'label_left', 'label_center', 'label_lower_left', 'none'])(
    'of style %s on the last bar is as whole as in the middle',
    (style) => {
      const [last, middle] = [extentOf(drawn('bar_index', style)), extentOf(drawn('30', style))];
      expect(Math.abs(last.right - last.left - (middle.right - middle.left))).toBeLessThanOrEqual(6);
    },
  );

  it.each([
    ['0', 'close'],
    ['bar_index', 'high'],
    ['30', '60680'],
    ['30', '59330'],
  ])('at bar %s and price %s is as wide as its words and as high as its line', (index, y) => {
    for (const style of ['label_down', 'label_up']) {
      const { left, right, top, bottom } = extentOf(drawn(index, style, 'A label of some length', y));
      expect(right - left).toBeGreaterThanOrEqual(textWidth('A label of some length', { px: 12, isBold: false }) + 8);
      expect(bottom - top).toBeGreaterThanOrEqual(18);
      expect(top).toBeGreaterThanOrEqual(24);
    }
  });

  it('that points at what is not shown is left out', () => {
    expect(drawn('30', 'label_down', 'x', '1000')).toEqual([]);
    expect(drawn('30', 'label_down', 'x', 'na')).toEqual([]);
  });

  it('beyond the last bar has room made for it', () => {
    const places = drawn('bar_index + 10', 'label_center', 'x');
    expect(places.length).toBeGreaterThan(50);
    expect(extentOf(places).left).toBeGreaterThan(590);
  });
});

describe('an axis', () => {
  /** Where the panes end: the frame's line beside the axis, at the height of the lower pane. */
  const axisWidthOf = (canvas: Picture) =>
    canvas.width -
    Math.min(
      ...placesOf(canvas, FRAME)
        .filter(({ y }) => y === 330)
        .map(({ x }) => x),
    );

  it('of millions is as narrow as 2M', () => {
    const small = barsOf(40, () => ({ open: 10, high: 12, low: 8, close: 11 }));
    const width = axisWidthOf(picture(small, 'plot(bar_index * 50000)', BELOW));
    expect(width).toBe(textWidth('2M') + 14);
    expect(width).toBeLessThan(textWidth('1500000') + 14);
  });
});

describe('the head', () => {
  const FAINT = THEME.dark.faint >>> 8;
  const wordsIn = (canvas: Picture) => placesOf(canvas, FAINT).filter(({ y, x }) => y < 24 && x < 400);

  it('names the timeframe beside the title', () => {
    const titled = (timeframe?: string) => picture(bars, 'plot(close)', undefined, { title: 'BTCUSDT', timeframe });
    expect(wordsIn(titled())).toEqual([]);
    const words = wordsIn(titled('240'));
    const named = extentOf(words);
    expect(words.length).toBeGreaterThan(5);
    const start = 8 + textWidth('BTCUSDT', TITLE);
    expect(named.left).toBeGreaterThan(start);
    expect(named.right).toBeLessThanOrEqual(start + 14 + textWidth('4h', SMALL));
  });
});

describe('the legend', () => {
  /** The pixels of its first 200 columns. */
  const legend = (value: string) => {
    const canvas = picture(bars, `plot(${value}, "Up", color = #ff0000, style = plot.style_linebr)`);
    const rows = canvas.pixels().subarray(28 * canvas.width * 4, 44 * canvas.width * 4);
    return rows.filter((_, at) => (at / 4) % canvas.width < 200);
  };

  it('has no value for a plot that has none on the last bar, whatever it was before', () => {
    const nothing = legend('float(na)');
    expect(legend('bar_index < 59 ? 59600 : na')).toEqual(nothing);
    expect(legend('bar_index == 59 ? 59600 : na')).not.toEqual(nothing);
  });
});
