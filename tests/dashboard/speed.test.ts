// How fast the dashboard is and how little it keeps, in a real browser against the real program. The bounds are three times what it
// shall be, at its best of some tries: machines that test are slow and busy. `npm run bench dashboard-page` has the figures.

import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type DashboardBrowser, startDashboard } from '../support/dashboard-browser.ts';
import { measureScrolling, openManyTrades, tradeOnce } from '../support/dashboard-speed/list-scrolling.ts';
import { HeardEvents, newestCursor, ToldStream, tradeToAndFro } from '../support/dashboard-speed/live-updates.ts';
import { type Held, heldBy } from '../support/dashboard-speed/memory.ts';
import { measureLoad, scriptBytes } from '../support/dashboard-speed/page-load.ts';

/** A first run may have to install the browser. */
const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 60_000 };
const TRIES = 5;

let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard({ env: { WEBHOOK_RATE_PER_MINUTE: '0', LOG_LEVEL: 'error' } });
}, SETUP_TIMEOUT_MS);

/** Of some tries the least, and no more of them than it takes to come below the bound. */
async function best(most: number, measure: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < TRIES && least >= most; turn += 1) least = Math.min(least, await measure());
  return least;
}

const browserOf = (page: Page) => page.context().browser()!;

test('the first page loads less than 130 kB of JavaScript, and is there at once', async () => {
  const { page } = await dashboard.open();
  const load = () => measureLoad(browserOf(page), dashboard.signalbox.url, '');
  const first = await load();
  expect(first.scripts.length).toBeGreaterThan(0);
  expect(await scriptBytes(first)).toBeLessThan(130_000);
  expect(await best(3_000, async () => (await load()).firstPaintMs)).toBeLessThan(3_000);
});

describe('ten thousand trades', () => {
  test('are drawn as they come into view, what stays in view stays, and scrolling costs little', async () => {
    const { page, complaints } = await dashboard.open();
    const { url, apiKey } = dashboard.signalbox;
    await openManyTrades(page, url, await tradeOnce(url, String(apiKey)));
    const rows = page.getByRole('table', { name: 'Trades' }).locator('tbody tr');
    expect(await rows.count()).toBeLessThan(80);
    await page.evaluate("document.querySelector('main').scrollTo(0, 9000)");
    await expect.poll(() => rows.first().getAttribute('aria-rowindex').then(Number), WAIT).toBeGreaterThan(100);
    const kept = (await rows.nth(20).elementHandle())!;
    const shownFirst = await rows.first().getAttribute('aria-rowindex');
    await page.evaluate("document.querySelector('main').scrollBy(0, 200)");
    await expect.poll(() => rows.first().getAttribute('aria-rowindex'), WAIT).not.toBe(shownFirst);
    expect(await kept.evaluate((row) => row.isConnected)).toBe(true);
    expect(await best(30, () => measureScrolling(page, 300))).toBeLessThan(30);
    expect(complaints).toEqual([]);
  });
});

describe('hours of live updates', () => {
  /** A signal is some events; a page that kept one object of each would be far above. */
  const MOST_BYTES_AN_EVENT = 200;
  const [WARM_UP_TIMES, TIMES] = [30, 80];

  test('of signals and fills leave nothing behind', async () => {
    const { page, complaints } = await dashboard.open();
    const { url, apiKey } = dashboard.signalbox;
    const heard = new HeardEvents(page);
    await page.reload();
    const trade = async (times: number): Promise<Held & { readonly events: number }> => {
      await tradeToAndFro(url, String(apiKey), times);
      const cursor = await newestCursor(url);
      await expect.poll(() => heard.cursor, WAIT).toBe(cursor);
      return { ...(await heldBy(page)), events: heard.count };
    };
    const before = await trade(WARM_UP_TIMES);
    const after = await trade(TIMES);
    const events = after.events - before.events;
    expect(events).toBeGreaterThan(2_000);
    expect((after.heapBytes - before.heapBytes) / events).toBeLessThan(MOST_BYTES_AN_EVENT);
    expect(after.nodes - before.nodes).toBeLessThan(400);
    expect(after.listeners - before.listeners).toBeLessThan(40);
    expect(complaints).toEqual([]);
  });

  /** Eight hours of bars of a minute. A bar stays, with what scripts say of it; what was drawn of it does not. */
  const [WARM_UP_BARS, BARS, AT_ONCE] = [40, 480, 40];
  const MOST_BYTES_A_BAR = 4_000;

  test('of a market with two scripts leave its bars behind, and nothing else', async () => {
    const { url } = dashboard.signalbox;
    const { page, complaints } = await dashboard.open();
    const { result } = (await (await fetch(`${url}/bars?symbol=BTCUSDT&timeframe=1m&limit=2`)).json()) as {
      readonly result: { readonly bars: readonly { readonly time: number }[] };
    };
    const stream = new ToldStream(result.bars.at(-1)!.time);
    await stream.attach(page);
    const script = (id: string, line: string) => ({
      id,
      name: id,
      source: `//@version=6\nindicator("${id}")\n${line}\n`,
    });
    const scripts = [
      script('fast', 'plot(ta.ema(close, 10), force_overlay = true)'),
      script('rsi', 'plot(ta.rsi(close, 14))'),
    ];
    const choice = { symbol: 'BTCUSDT', timeframe: '1m', scripts, stretches: {} };
    await page.evaluate((text) => localStorage.setItem('signalbox.chart', text), JSON.stringify(choice));
    await page.reload();
    await page.evaluate("location.hash = '#/chart'");
    await page.locator('.script-line span[title]').nth(1).waitFor(WAIT);
    const live = async (bars: number): Promise<Held> => {
      for (let told = 0; told < bars; told += AT_ONCE) {
        const minute = new Date(stream.tell(AT_ONCE)).getMinutes();
        await page
          .locator('.bar-line .time', { hasText: new RegExp(`:${String(minute).padStart(2, '0')}$`) })
          .waitFor(WAIT);
      }
      return heldBy(page);
    };
    const before = await live(WARM_UP_BARS);
    const after = await live(BARS);
    expect((after.heapBytes - before.heapBytes) / BARS).toBeLessThan(MOST_BYTES_A_BAR);
    expect(after.nodes - before.nodes).toBeLessThan(400);
    expect(after.listeners - before.listeners).toBeLessThan(40);
    expect(complaints).toEqual([]);
  });
});
