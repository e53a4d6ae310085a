// Everything a script can draw, on the chart of a real browser, against what the server draws of the same script over the same bars:
// the same strokes at the same places, by the candles and the axes that stand beside them.

import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { BELOW, ON_BARS } from '../../dashboard/chart/testing/every-kind.ts';
import { Recorder, type Stroke } from '../../dashboard/chart/testing/recorder.ts';
import { layoutOf } from '../../src/chart/layout.ts';
import { DEFAULT_CHART } from '../../src/chart/options.ts';
import {
  Canvas,
  type Contents,
  type Context2D,
  contentsOf,
  futureBarsOf,
  paintBehind,
  paintedBars,
  paintInFront,
  Range,
  readColor,
  Slots,
  type Theme,
  valueScale,
  visible,
} from '../../src/chart/painting.ts';
import { panesOf } from '../../src/chart/panes.ts';
import { skia } from '../../src/chart/skia.ts';
import { walk } from '../../src/chart/testing/charts.ts';
import { THEME } from '../../src/chart/theme.ts';
import { type BarColumns, compile, type RunResult } from '../../src/pine/index.ts';
import { type CanvasTape, canvasTapes, recordCanvases } from '../support/canvas-tape.ts';
import { type DashboardBrowser, startDashboard } from '../support/dashboard-browser.ts';
import { type DrawnPane, drawnCandles, drawnPanes, gridScale, type Scale } from '../support/drawn-chart.ts';

/** A first run may have to install the browser. */
const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 30_000 };
const bars = walk(120);
const results = [ON_BARS, BELOW].map(resultOf);

let dashboard: DashboardBrowser;
beforeAll(async () => {
  skia();
  dashboard = await startDashboard();
}, SETUP_TIMEOUT_MS);

/** As the server runs it. */
function resultOf(source: string): RunResult {
  const { program, diagnostics } = compile(source);
  if (program === null) throw new Error(diagnostics.map(({ message }) => message).join('; '));
  return program.run(bars, { timeframe: '60' });
}

/** These bars are all there are, and no live ones come. */
async function serveBars(page: Page, { count, time, open, high, low, close, volume }: BarColumns): Promise<void> {
  const all = Array.from({ length: count }, (_, i) => ({
    ...{ time: time[i]!, open: open[i]!, high: high[i]!, low: low[i]!, close: close[i]! },
    ...{ volume: volume[i]!, closed: true },
  }));
  await page.routeWebSocket(/\/api\/stream/, () => {});
  await page.route(/\/bars\?/, (route) => {
    const query = new URL(route.request().url()).searchParams;
    const [from, to] = [Number(query.get('from') ?? 0), Number(query.get('to') ?? Number.POSITIVE_INFINITY)];
    const asked = all.filter((bar) => bar.time >= from && bar.time < to);
    return route.fulfill({ json: { success: true, requestId: 'test', result: { bars: asked, source: 'simulated' } } });
  });
}

async function openBoth(colorScheme: 'light' | 'dark', width: number) {
  const { page, complaints } = await dashboard.open({ colorScheme, width });
  await recordCanvases(page);
  await serveBars(page, bars);
  const scripts = [
    { id: 'on-bars', name: 'On bars', source: ON_BARS },
    { id: 'below', name: 'Below', source: BELOW },
  ];
  const choice = { symbol: 'BTCUSDT', timeframe: '1h', scripts, stretches: {} };
  await page.evaluate(`localStorage.setItem('signalbox.chart', ${JSON.stringify(JSON.stringify(choice))})`);
  await page.goto(`${dashboard.signalbox.url}/#/chart`);
  await page.reload();
  for (const { name } of scripts)
    await page.locator('.script-line', { hasText: name }).locator('span[title]').first().waitFor(WAIT);
  expect(await page.locator('.trouble').allTextContents()).toEqual([]);
  return { page, complaints };
}

/** The colors of the page, for what a script leaves to it. */
async function themeOf(page: Page, name: 'light' | 'dark'): Promise<Theme> {
  const token = async (token: string): Promise<number> =>
    readColor(await page.evaluate(`getComputedStyle(document.documentElement).getPropertyValue('--${token}').trim()`));
  return {
    ...{ background: await token('surface'), grid: await token('sunken'), frame: await token('line') },
    ...{ faint: await token('ink-2'), ink: await token('ink'), line: await token('accent') },
    ...{ up: await token('up'), down: await token('down'), leastContrast: THEME[name].leastContrast },
  };
}

/** Where a pane of the page stands, for the server to paint it there. */
interface Ground {
  readonly place: 'price' | 'below';
  readonly width: number;
  readonly height: number;
  /** Of bars, and of values. */
  readonly x: Scale;
  readonly y: Scale;
  readonly legendHeight: number;
  readonly theme: Theme;
}

/** All bars as the server places them, between the edges at which they have these places. */
function slotsOf({ x }: Ground, contents: Contents): Slots {
  const future = futureBarsOf(contents, bars);
  const left = x.at(-0.5);
  return Slots.all(bars.count, future, left, left + (bars.count + future) * x.perUnit);
}

/** What the server draws there: of each script what lies behind the bars, and then of each what lies over them. */
function serverLayers(ground: Ground): readonly (readonly Stroke[])[] {
  const { place, width, height, y, legendHeight, theme } = ground;
  const range = new Range();
  range.addAll([-y.at(0) / y.perUnit, (height - y.at(0)) / y.perUnit]);
  const drawn = results
    .map((result) => contentsOf({ result }))
    .filter((contents) => contents[place].outputs.length + contents[place].drawings.length > 0);
  return [paintBehind, paintInFront].flatMap((paint) =>
    drawn.map((contents) => {
      const recorder = new Recorder();
      const canvas = new Canvas(recorder as unknown as Context2D, width, height);
      const box = { left: 0, top: 0, right: width, bottom: height };
      const scale = valueScale(range, 0, height);
      const pane = { box, scale, content: contents[place], isPrice: place === 'price', legendHeight };
      const scene = { canvas, theme, bars, slots: slotsOf(ground, contents), contents };
      canvas.clipped(box, () => paint(scene, pane));
      return recorder.strokes;
    }),
  );
}

/** Whole pixels are rounded from places that are known to a part of one. */
const TOLERANCE_PX = 1.25;
/** How many numbers of a stroke are places or sizes; all others are as they are. */
const PLACES: Readonly<Record<string, number>> = { move: 2, line: 2, rect: 4, round: 4, arc: 2, fillRect: 4, text: 2 };

const isSame = ([name, ...found]: Stroke, [wantedName, ...wanted]: Stroke): boolean =>
  name === wantedName &&
  found.length === wanted.length &&
  wanted.every((value, i) => {
    if (typeof value !== 'number') return plainColor(`${found[i]}`) === plainColor(value);
    const isPlace = i < (PLACES[name] ?? 0) || (name === 'fill' && found[0] === 'gradient');
    return Math.abs(Number(found[i]) - value) <= (isPlace ? TOLERANCE_PX : 0.01);
  });

/** A browser writes a color in its own way: #rrggbb, or its parts with a share. */
function plainColor(text: string): string {
  const parts = /^rgba\((\d+), (\d+), (\d+), ([\d.]+)\)$/.exec(text)?.slice(1).map(Number);
  if (parts === undefined) return /^#[0-9a-f]{6}$/.test(text) ? `${text}ff` : text;
  const bytes = [...parts.slice(0, 3), Math.round(parts[3]! * 255)];
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** The first stroke of a layer that differs, in words; undefined where all are the same. */
function differenceOf(found: readonly Stroke[] = [], wanted: readonly Stroke[]): string | undefined {
  const at = wanted.findIndex((stroke, i) => found[i] === undefined || !isSame(found[i], stroke));
  if (at < 0 && found.length === wanted.length) return undefined;
  const place = at < 0 ? wanted.length : at;
  const words = (strokes: readonly Stroke[]) => strokes.slice(place, place + 4).map((stroke) => stroke.join(' '));
  return `stroke ${place} of ${wanted.length}: ${words(found).join(', ')}; the server has ${words(wanted).join(', ')}`;
}

/** Names and values over a pane: what is drawn below them begins here, by the lines there are. */
async function legendHeights(page: Page): Promise<readonly number[]> {
  const lines = await page
    .locator('.legend')
    .evaluateAll((legends) => legends.map((legend) => legend.querySelectorAll('p').length));
  return lines.map((count) => 6 + 20 * count);
}

async function groundsOf(page: Page, tapes: readonly CanvasTape[], theme: Theme) {
  const [price, below] = drawnPanes(tapes) as [DrawnPane, DrawnPane];
  const candles = drawnCandles(price, bars);
  const heights = await legendHeights(page);
  const common = { x: candles.bars, theme };
  const ground = (place: Ground['place'], { tape: { width, height } }: DrawnPane, y: Scale, i: number): Ground => ({
    ...common,
    ...{ place, width, height, y, legendHeight: heights[i]! },
  });
  return {
    ...{ panes: [price, below] as const, candles },
    grounds: [ground('price', price, candles.prices, 0), ground('below', below, gridScale(below, tapes), 1)] as const,
  };
}

/** The candles of the server's picture, which barcolor() may have painted. */
function serverCandleColors({ x, theme }: Ground): readonly string[] {
  const painted = results.map((result) => {
    const contents = contentsOf({ result });
    return paintedBars({ slots: Slots.all(bars.count, 0, 0, bars.count * x.perUnit), contents });
  });
  return Array.from({ length: bars.count }, (_, i) => {
    const color = painted.map((colors) => colors[i]!).findLast((own) => !Number.isNaN(own));
    const plain = bars.close[i]! >= bars.open[i]! ? theme.up : theme.down;
    return `#${(color === undefined ? plain : visible(color, theme)).toString(16).padStart(8, '0')}`;
  });
}

/** From the lowest to the highest value that the server's picture of a script shows on a pane. */
function serverRange(result: RunResult, place: Ground['place']): readonly [number, number] {
  const [options, contents] = [DEFAULT_CHART, contentsOf({ result })];
  const layout = layoutOf(options.height, { volume: false, below: true });
  const { scale } = panesOf({ bars, options, result }, contents, layout, '').list[place === 'price' ? 0 : 1]!;
  return [scale.min, scale.max];
}

describe('every kind of output and drawing, in a real browser', () => {
  test.each([
    ['light', 1440],
    ['dark', 1024],
  ] as const)('stands where the server draws it: %s, %i px wide', async (colorScheme, width) => {
    const { page, complaints } = await openBoth(colorScheme, width);
    const theme = await themeOf(page, colorScheme);
    const look = async () => groundsOf(page, await canvasTapes(page, '.chart-place'), theme);
    await expect
      .poll(async () => {
        const { panes, grounds } = await look();
        return grounds.flatMap((ground, i) => {
          const { layers } = panes[i]!;
          const wanted = serverLayers(ground);
          if (layers.length !== wanted.length) return `${layers.length} layers instead of ${wanted.length}`;
          return wanted.flatMap((strokes, layer) => differenceOf(layers[layer]!, strokes) ?? []);
        });
      }, WAIT)
      .toEqual([]);

    const { panes, candles, grounds } = await look();
    const [price, below] = grounds;
    expect(panes.map(({ layers }) => layers.map(({ length }) => length > 100))).toEqual([]);
    // The candles themselves stand at their bars and prices, in their colors, before one half of the layers and behind the other.
    for (const { farthestPx } of [price.x, price.y, below.y]) expect(farthestPx).toBeLessThan(TOLERANCE_PX);
    expect(candles.colors.map(plainColor)).toEqual(serverCandleColors(price));
    expect(candles.layersBefore).toEqual([2, 2]);
    for (const [ground, result] of [[price, results[0]!] as const, [below, results[1]!] as const]) {
      const [lowest, highest] = serverRange(result, ground.place);
      expect(ground.y.at(highest)).toBeGreaterThanOrEqual(0);
      expect(ground.y.at(lowest)).toBeLessThanOrEqual(ground.height);
    }
    expect(complaints).toEqual([]);
  });
});
