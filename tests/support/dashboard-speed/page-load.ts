// How a page of the dashboard comes up in a browser that has nothing of it yet: when something is painted, how much moves afterwards,
// how long a hand would have waited, and how much JavaScript it took.

import { get } from 'node:http';
import type { Browser } from 'playwright-core';
import { until } from './until.ts';

export interface PageLoad {
  readonly firstPaintMs: number;
  readonly largestPaintMs: number;
  /** The sum of all shifts, which is never less than the worst window of them that Lighthouse looks for. */
  readonly layoutShift: number;
  /** Of every task longer than 50 ms, what is beyond them. */
  readonly blockingMs: number;
  readonly scripts: readonly string[];
}

/** What still moves after so long is no longer part of the load. */
const SETTLED_MS = 1_500;

const WATCH = `
  globalThis.seen = { firstPaintMs: NaN, largestPaintMs: NaN, layoutShift: 0, blockingMs: 0 };
  const watch = (type, each) =>
    new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({ type, buffered: true });
  watch('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') seen.firstPaintMs = startTime;
  });
  watch('largest-contentful-paint', ({ startTime }) => { seen.largestPaintMs = startTime; });
  watch('layout-shift', ({ value, hadRecentInput }) => { if (!hadRecentInput) seen.layoutShift += value; });
  watch('longtask', ({ duration }) => { seen.blockingMs += duration - 50; });
`;

/** `place` is behind the address, such as #/trades. */
export async function measureLoad(browser: Browser, url: string, place: string): Promise<PageLoad> {
  // A context of its own: nothing is kept from before, and no service worker answers.
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers: 'block' });
  try {
    const page = await context.newPage();
    const scripts = new Set<string>();
    page.on('request', (request) => {
      if (new URL(request.url()).pathname.endsWith('.js')) scripts.add(request.url());
    });
    await page.addInitScript(WATCH);
    await page.goto(`${url}/${place}`);
    await until(page, 'Number.isFinite(seen.largestPaintMs)');
    await page.waitForTimeout(SETTLED_MS);
    const seen = (await page.evaluate('seen')) as Omit<PageLoad, 'scripts'>;
    return { ...seen, scripts: [...scripts] };
  } finally {
    await context.close();
  }
}

/** Of a file as it comes over the wire. */
export const gzippedBytes = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': 'gzip' } }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('end', () => {
        if (response.headers['content-encoding'] === 'gzip') resolve(bytes);
        else reject(new Error(`${url} does not come compressed: status ${response.statusCode}`));
      });
    }).on('error', reject);
  });

export async function scriptBytes({ scripts }: PageLoad): Promise<number> {
  const sizes = await Promise.all(scripts.map(gzippedBytes));
  return sizes.reduce((sum, size) => sum + size, 0);
}
