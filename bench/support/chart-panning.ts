// Moves a chart of the dashboard to and fro in a real browser and reads off how long its main thread was busy for each frame.

import type { Browser, Page } from 'playwright-core';

export interface PanningOptions {
  readonly url: string;
  readonly bars: number;
  readonly marks: number;
  /** Moves of the pointer, each of which makes the chart draw a frame. */
  readonly moves: number;
  /** Zoomed out as far as it goes: thousands of bars are in view. */
  readonly isZoomedOut: boolean;
  /** Candles and volume alone, as the library draws them: what everything else is compared with. */
  readonly isBare: boolean;
}

export interface PanningFigures {
  readonly frames: number;
  /** Script, style, layout and paint, by the main thread's own clock: what other programs take does not count. */
  readonly meanMs: number;
  readonly p95Ms: number;
  /** Beside it, pixels of the canvases: that is the main thread's work only where there is no graphics card. */
  readonly pixelsMs: number;
}

const HOUR_MS = 3_600_000;
const WARM_UP_MOVES = 60;
/** A busy machine takes its time to run five scripts. */
const SLOW_MS = 180_000;
const AVERAGES = [10, 20, 50, 100] as const;

/** Five scripts: averages, one of them in two colors, and one that marks so many bars. */
const scriptsOf = (bars: number, marks: number) => [
  ...AVERAGES.map((length) => ({
    id: `average-${length}`,
    name: `Average ${length}`,
    source: `//@version=6\nindicator("Average ${length}", overlay = true)\nplot(ta.ema(close, ${length}), "EMA", ${length === 10 ? 'close > open ? color.teal : color.orange' : 'color.purple'})\n`,
  })),
  {
    id: 'marks',
    name: 'Marks',
    source: `//@version=6\nindicator("Marks")\nr = ta.rsi(close, 14)\nplot(r, "RSI")\nplotshape(bar_index % ${Math.floor(bars / marks)} == 0, "Mark", shape.triangleup, location.belowbar, color.green, force_overlay = true)\n`,
  },
];

/** A walk that is the same in every run. */
function walk(count: number): object[] {
  const lastMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  let [seed, price] = [7, 60_000];
  const random = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  return Array.from({ length: count }, (_, i) => {
    const open = price;
    price = open * (1 + (random() - 0.5) * 0.01);
    const [high, low] = [Math.max(open, price) * 1.002, Math.min(open, price) * 0.998];
    const time = lastMs - (count - 1 - i) * HOUR_MS;
    return { time, open, high, low, close: price, volume: 100 * random(), closed: i < count - 1 };
  });
}

export async function measurePanning(browser: Browser, options: PanningOptions): Promise<PanningFigures> {
  const { url, bars, marks, isBare } = options;
  const scripts = isBare ? [] : scriptsOf(bars, marks);
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  try {
    const source = 'simulated';
    const head = { exchange: null, symbol: 'BTCUSDT', timeframe: '1h', source, gaps: [], next: null };
    let isAnswered = false;
    await page.route('**/bars?*', (route) => {
      const result = { ...head, bars: isAnswered ? [] : walk(bars) };
      isAnswered = true;
      return route.fulfill({ json: { success: true, requestId: 'x', result } });
    });
    // Live prices are another cost, and come as often as the machine is slow.
    await page.routeWebSocket(/\/api\/stream/, () => {});
    const choice = { symbol: 'BTCUSDT', timeframe: '1h', scripts, stretches: {} };
    await page.addInitScript((text) => localStorage.setItem('signalbox.chart', text), JSON.stringify(choice));
    await page.goto(`${url}/#/chart`);
    await page.locator('.bar-line').waitFor({ timeout: SLOW_MS });
    // All scripts have said something: each has a value in its legend.
    const values = page.locator('.script-line span[title]');
    if (!isBare) await values.nth(scripts.length - 1).waitFor({ timeout: SLOW_MS });
    return await traced(browser, page, options);
  } finally {
    await page.close();
  }
}

async function traced(browser: Browser, page: Page, { moves, isZoomedOut }: PanningOptions): Promise<PanningFigures> {
  const place = await page.locator('.chart-place').boundingBox();
  if (place === null) throw new Error('the chart has no place');
  const [y, left, right] = [place.y + place.height / 3, place.x + 100, place.x + place.width - 200];
  await page.mouse.move((left + right) / 2, y);
  if (isZoomedOut) for (let i = 0; i < 20; i += 1) await page.mouse.wheel(0, 400);
  await page.mouse.move(left, y);
  await page.mouse.down();
  // What is drawn for the first time is compiled for it; that is not what moving costs.
  for (let i = 0; i < WARM_UP_MOVES; i += 1) await page.mouse.move(left + i * 3, y);
  await browser.startTracing(page, { categories: ['toplevel', 'cc', 'devtools.timeline', '__metadata'] });
  for (let i = 0; i < moves; i += 1) {
    const share = Math.abs(((i / 40) % 2) - 1);
    await page.mouse.move(right - share * (right - left), y);
  }
  const trace = JSON.parse(String(await browser.stopTracing())) as { readonly traceEvents: readonly TraceEvent[] };
  await page.mouse.up();
  return figuresOf(trace.traceEvents);
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  /** Of the thread's own clock, in millionths of a second. */
  readonly tdur?: number;
  readonly dur?: number;
  readonly args?: { readonly data?: { readonly type?: string } };
}

/** Where Chromium fills the canvases without a graphics card. */
const PIXELS = 'LayerTreeHost::DoUpdateLayers';
const msOf = ({ tdur, dur }: TraceEvent): number => (tdur ?? dur ?? 0) / 1000;

/** Tasks of the page's main thread from one frame to the next are the cost of that frame; only frames that follow a move count. */
function figuresOf(events: readonly TraceEvent[]): PanningFigures {
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const fired = Map.groupBy(
    events.filter(({ name }) => name === 'FireAnimationFrame'),
    threadOf,
  );
  const [thread] = [...fired].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? [];
  const own = events.filter((event) => event.ph === 'X' && threadOf(event) === thread).toSorted((a, b) => a.ts - b.ts);
  const frames: { readonly ms: number; readonly pixelsMs: number }[] = [];
  let [ms, pixelsMs, hasMoved] = [0, 0, false];
  for (const task of own.filter(({ name }) => name.endsWith('RunTask'))) {
    const inside = own.filter(({ ts }) => ts >= task.ts && ts < task.ts + (task.dur ?? 0));
    const filling = inside.filter(({ name }) => name === PIXELS).reduce((sum, event) => sum + msOf(event), 0);
    ms += msOf(task) - filling;
    pixelsMs += filling;
    hasMoved ||= inside.some(({ args }) => /^(?:mouse|pointer)move$/.test(String(args?.data?.type)));
    if (!inside.some(({ name }) => name === 'FireAnimationFrame')) continue;
    if (hasMoved) frames.push({ ms, pixelsMs });
    [ms, pixelsMs, hasMoved] = [0, 0, false];
  }
  const costs = frames.map((frame) => frame.ms).toSorted((a, b) => a - b);
  const mean = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
  return {
    ...{ frames: frames.length, meanMs: mean(costs), p95Ms: costs[Math.floor(costs.length * 0.95)] ?? Number.NaN },
    pixelsMs: mean(frames.map((frame) => frame.pixelsMs)),
  };
}
