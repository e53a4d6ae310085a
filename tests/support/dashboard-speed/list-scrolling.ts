// Scrolls a list of ten thousand trades in a real browser and reads off how long its main thread was busy for each frame.

import type { Page } from 'playwright-core';
import { mainThreadMs } from './main-thread.ts';

export const TRADES = 10_000;
const FIRST_PAGE = 100;
const FRAMES = 60;
const WAIT = { timeout: 60_000 };

/** Opens the list of trades with so many copies of one, as if the server had them, and reads it to its end. */
export async function openManyTrades(page: Page, url: string, trade: object): Promise<void> {
  const newestAt = Date.now();
  const numbered = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => ({
      ...trade,
      requestId: `00000000-0000-4000-8000-${String(from + index).padStart(12, '0')}`,
      receivedAt: newestAt - (from + index) * 1000,
    }));
  await page.route(/\/trades\?/, (route) => {
    const isFirst = !new URL(route.request().url()).searchParams.has('before');
    const result = isFirst ? numbered(0, FIRST_PAGE) : numbered(FIRST_PAGE, TRADES);
    return route.fulfill({ json: { success: true, requestId: 'x', result } });
  });
  await page.goto(`${url}/#/trades`);
  await page.locator('.virtual-table [role="row"], .virtual-table tr').first().waitFor(WAIT);
  await page.evaluate("document.querySelector('main').scrollTo(0, 1e9)");
  await page.getByText(`That is all: ${TRADES} trades`).waitFor(WAIT);
}

/** The mean of so many frames, each so many pixels further down. */
export async function measureScrolling(page: Page, pxAFrame: number): Promise<number> {
  const scroll = `new Promise((done) => {
    const main = document.querySelector('main');
    let frame = 0;
    const step = () => {
      main.scrollTo(0, frame * ${pxAFrame});
      frame += 1;
      if (frame <= ${FRAMES}) requestAnimationFrame(step);
      else done();
    };
    requestAnimationFrame(step);
  })`;
  return (await mainThreadMs(page, () => page.evaluate(scroll))) / FRAMES;
}

/** A trade as the server tells it: one signal is sent for it. */
export async function tradeOnce(url: string, apiKey: string): Promise<object> {
  const signal = { apiKey, exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
  const headers = { 'content-type': 'application/json' };
  await fetch(`${url}/webhook`, { method: 'POST', headers, body: JSON.stringify(signal) });
  const { result } = (await (await fetch(`${url}/trades?limit=1`)).json()) as { readonly result: readonly object[] };
  if (result[0] === undefined) throw new Error('the signal became no trade');
  return result[0];
}
