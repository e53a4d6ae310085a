// Everything a script can draw, on the chart of a real browser, against what the server draws of the same script over the same bars:
// the same strokes at the same places, by the candles and the axes that stand beside them.

import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { BELOW, ON_BARS } from '../../dashboard/chart/testing/every-kind.ts';
import { readColor, type Theme } from '../../src/chart/painting.ts';
import { skia } from '../../src/chart/skia.ts';
import { walk } from '../../src/chart/testing/charts.ts';
import { THEME } from '../../src/chart/theme.ts';
import { type BarColumns, compile, type RunResult } from '../../src/pine/index.ts';
import { type CanvasTape, canvasTapes, recordCanvases } from '../support/chart-strokes/canvas-tape.ts';
import { differenceOf, plainColor, TOLERANCE_PX } from '../support/chart-strokes/differences.ts';
import {
  type DrawnPane,
  drawnCandles,
  drawnPanes,
  gridScale,
  type Scale,
} from '../support/chart-strokes/drawn-chart.ts';
import { type Ground, serverCandleColors, serverLayers, serverRange } from '../support/chart-strokes/server-strokes.ts';
import { type DashboardBrowser, startDashboard } from '../support/dashboard-browser.ts';

/** A first run may have to install the browser. */
const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 30_000 };
/** So many that all of them are in view, as they are in the server's picture. */
const bars = walk(100);
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
    return route.fulfill({
      json: { success: true, requestId: 'test', result: { bars: asked, gaps: [], source: 'simulated' } },
    });
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
          const wanted = serverLayers(ground, bars, results);
          if (layers.length !== wanted.length) return `${layers.length} layers instead of ${wanted.length}`;
          return wanted.flatMap((strokes, layer) => differenceOf(layers[layer]!, strokes) ?? []);
        });
      }, WAIT)
      .toEqual([]);

    const { panes, candles, grounds } = await look();
    const [price, below] = grounds;
    // Of the second script there is next to nothing behind the bars.
    const sizes = panes.map(({ layers }) => layers.map(({ length }) => length > 100));
    expect(sizes).toEqual([
      [true, false, true, true],
      [true, true],
    ]);
    // The candles themselves stand at their bars and prices, in their colors, before one half of the layers and behind the other.
    for (const { farthestPx } of [price.x, price.y, below.y]) expect(farthestPx).toBeLessThan(TOLERANCE_PX);
    expect(candles.colors.map(plainColor)).toEqual(serverCandleColors(price, bars, results));
    expect(candles.layersBefore).toEqual([2, 2]);
    for (const [ground, result] of [[price, results[0]!] as const, [below, results[1]!] as const]) {
      const [lowest, highest] = serverRange(bars, result, ground.place);
      expect(ground.y.at(highest)).toBeGreaterThanOrEqual(0);
      expect(ground.y.at(lowest)).toBeLessThanOrEqual(ground.height);
    }
    expect(complaints).toEqual([]);
  });
});
