// How fast the dashboard is in a real browser against the real program: every page from an empty cache, typing in a script of five
// hundred lines, scrolling ten thousand trades. `npm run bench dashboard-page -- [--quick]`

import { availableParallelism, loadavg } from 'node:os';
import type { Browser } from 'playwright-core';
import { startChromium } from '../tests/support/chromium.ts';
import { measureScrolling, openManyTrades, tradeOnce } from '../tests/support/dashboard-speed/list-scrolling.ts';
import { measureLoad, type PageLoad, scriptBytes } from '../tests/support/dashboard-speed/page-load.ts';
import { longScript, measureTyping } from '../tests/support/dashboard-speed/typing.ts';
import { type RunningProcess, startProcess } from '../tests/support/process.ts';
import { makeScriptKey, pasteScriptKey } from '../tests/support/script-key.ts';

const isQuick = process.argv.includes('--quick');
const [LOADS, KEYS, SCROLLS] = isQuick ? [1, 4, 1] : [5, 40, 5];
/** Pixels a frame: a turn of the wheel, and a hand that throws the list. */
const SCROLL_SPEEDS = [20, 300] as const;

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

interface Target {
  readonly name: string;
  readonly value: number;
  readonly most: number;
  readonly unit: string;
}

async function placesOf(browser: Browser, url: string): Promise<readonly string[]> {
  const page = await browser.newPage();
  await page.goto(url);
  const links = page.locator('.rail li a');
  await links.first().waitFor();
  const places = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
  await page.close();
  return places;
}

async function loads(browser: Browser, url: string): Promise<readonly Target[]> {
  console.log('page          first paint  largest paint  layout shift  blocking  JavaScript gzipped');
  const targets: Target[] = [];
  for (const [index, place] of (await placesOf(browser, url)).entries()) {
    const tries: PageLoad[] = [];
    for (let turn = 0; turn < LOADS; turn += 1) tries.push(await measureLoad(browser, url, place));
    const middle = (name: 'firstPaintMs' | 'largestPaintMs' | 'layoutShift' | 'blockingMs'): number =>
      medianOf(tries.map((load) => load[name]));
    const bytes = await scriptBytes(tries[0]!);
    const cells = [
      ...[place.replace('#/', '').padEnd(13), `${middle('firstPaintMs').toFixed(0)} ms`.padStart(11)],
      ...[`${middle('largestPaintMs').toFixed(0)} ms`.padStart(14), middle('layoutShift').toFixed(3).padStart(13)],
      ...[`${middle('blockingMs').toFixed(0)} ms`.padStart(9), `${(bytes / 1000).toFixed(1)} kB`.padStart(19)],
    ];
    console.log(cells.join(' '));
    if (index > 0) continue;
    targets.push({ name: 'JavaScript of the first page', value: bytes / 1000, most: 130, unit: 'kB' });
    targets.push({ name: 'first paint of the first page', value: middle('firstPaintMs'), most: 1000, unit: 'ms' });
  }
  return targets;
}

async function typing(browser: Browser, signalbox: RunningProcess): Promise<Target> {
  const key = await makeScriptKey(signalbox);
  await fetch(`${signalbox.url}/api/scripts/_draft`, {
    ...{ method: 'PUT', headers: { authorization: `Bearer ${key}` }, body: JSON.stringify({ content: longScript() }) },
  });
  const page = await browser.newPage();
  await page.goto(`${signalbox.url}/#/library/_draft`);
  await pasteScriptKey(page, key);
  const content = page.getByRole('textbox', { name: 'New script' });
  await page.getByText('No problems').waitFor({ timeout: 60_000 });
  const times = await measureTyping(page, content, ({ length }) => length >= KEYS);
  await page.close();
  return { name: 'diagnostics of 500 lines after a key', value: medianOf(times), most: 100, unit: 'ms' };
}

async function scrolling(browser: Browser, { url, apiKey }: RunningProcess): Promise<readonly Target[]> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await openManyTrades(page, url, await tradeOnce(url, String(apiKey)));
  const targets: Target[] = [];
  for (const px of SCROLL_SPEEDS) {
    const tries: number[] = [];
    for (let turn = 0; turn < SCROLLS; turn += 1) tries.push(await measureScrolling(page, px));
    targets.push({ name: `scrolling ${px} px a frame, main thread`, value: medianOf(tries), most: 10, unit: 'ms' });
  }
  await page.close();
  return targets;
}

const signalbox = await startProcess();
const browser = await startChromium();
try {
  const load = loadavg()[0]!.toFixed(1);
  console.log(
    `load of ${load} on ${availableParallelism()} cores; medians of ${LOADS} loads, ${KEYS} keys, ${SCROLLS} scrolls`,
  );
  const targets = [
    ...(await loads(browser, signalbox.url)),
    await typing(browser, signalbox),
    ...(await scrolling(browser, signalbox)),
  ];
  for (const { name, value, most, unit } of targets)
    console.log(`${name}: ${value.toFixed(1)} ${unit}, target ${most} ${unit}: ${value < most ? 'met' : 'missed'}`);
} finally {
  await browser.close();
  await signalbox.stop();
}
