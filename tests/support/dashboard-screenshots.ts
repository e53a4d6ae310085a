// `npm run screenshots`: starts a Signalbox of its own, trades a little on paper, deploys a strategy, and takes a picture of every
// page for the docs.

import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { startChromium } from './chromium.ts';
import { type RunningProcess, startProcess } from './process.ts';

const ROOT = new URL('../../', import.meta.url);
const FOLDER = fileURLToPath(new URL('docs/screenshots/', ROOT));
const SIZE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const ON_PHONES = ['overview', 'chart', 'positions'];
/** Longer than a page takes to have everything; a chart runs its scripts first. */
const SETTLED_MS = 3_000;
const RUN_MS = 12_000;
/** The chart once more, with the code of its strategy beside it. */
const WORKBENCH = 'workbench';
/** A sample of equity is taken after every fill: some of them make a curve. */
const TRADED_FOR_MS = 240_000;

const SIGNALS: readonly object[] = [
  { strategy: 'ema-cross', action: 'LONG', quantity: 0.4, stopLoss: { percent: 1.5 }, takeProfit: { percent: 3 } },
  { strategy: 'breakout', symbol: 'ETHUSDT', action: 'SHORT', quantity: 6, exchange: 'bybit' },
  { strategy: 'breakout', symbol: 'SOLUSDT', action: 'LONG', quantity: 120, trailPercent: 1.2 },
  { strategy: 'mean', symbol: 'DOGE', action: 'LONG', quantity: 10 },
  { strategy: 'ema-cross', action: 'CLOSE_LONG', quantity: 0.4 },
  { strategy: 'mean', symbol: 'AVAXUSDT', action: 'SHORT', quantity: 400, exchange: 'mexc', stopLoss: { percent: 2 } },
  { strategy: 'breakout', symbol: 'ETHUSDT', action: 'CLOSE_SHORT', quantity: 6, exchange: 'bybit' },
  { strategy: 'ema-cross', action: 'LONG', quantity: 0.3, trailPercent: 1 },
  { strategy: 'breakout', symbol: 'SOLUSDT', action: 'CLOSE_LONG', quantity: 120 },
  { strategy: 'breakout', symbol: 'ETHUSDT', action: 'LONG', quantity: 4, exchange: 'bybit', stopLoss: { percent: 1 } },
  { strategy: 'mean', symbol: 'AVAXUSDT', action: 'CLOSE_SHORT', quantity: 400, exchange: 'mexc' },
  { strategy: 'mean', action: 'LONG', quantity: 0.2, price: 50_000, exchange: 'bybit' },
];

const EXAMPLES = [
  ['EMA cross', 'ema-cross-strategy'],
  ['Momentum', 'momentum'],
  ['Levels', 'levels'],
].map(([name = '', file]) => ({
  name,
  content: readFileSync(new URL(`examples/pine/${file}.pine`, ROOT), 'utf8'),
}));
const [STRATEGY, MOMENTUM] = EXAMPLES;

async function post<Answer>(url: string, body: object, key?: string): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify(body),
  });
  if (response.status >= 500 || response.status === 401) throw new Error(`${url}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

async function trade({ url, apiKey }: RunningProcess): Promise<void> {
  for (const fields of SIGNALS) {
    await post(`${url}/webhook`, { apiKey, exchange: 'binance', symbol: 'BTCUSDT', ...fields });
    await sleep(TRADED_FOR_MS / SIGNALS.length);
  }
}

/** A library with the examples, and the first of them deployed; resolves with its key. */
async function fillLibrary({ url, apiKey }: RunningProcess): Promise<string> {
  const { result } = await post<{ result: { apiKey: string } }>(`${url}/admin/script-keys`, {});
  const made: string[] = [];
  for (const { name, content } of EXAMPLES) {
    const { script } = await post<{ script: { id: string } }>(
      `${url}/api/scripts`,
      { name: `Examples/${name}`, content },
      result.apiKey,
    );
    made.push(script.id);
  }
  const targets = [{ type: 'trade', apiKey, exchange: 'binance' }];
  const deployment = { scriptId: made[0], symbol: 'BTCUSDT', interval: '1m', targets };
  await post(`${url}/api/deployments`, deployment, result.apiKey);
  return result.apiKey;
}

/** What a browser remembers that has been used for a while. */
const remembered = (scriptKey: string): Readonly<Record<string, string>> => ({
  'signalbox.scriptKey': scriptKey,
  'signalbox.chart': JSON.stringify({
    ...{ symbol: 'BTCUSDT', timeframe: '1h', stretches: {} },
    scripts: [STRATEGY, MOMENTUM].map((script, index) => ({
      ...{ id: `script-${index}`, name: script?.name, source: script?.content },
    })),
  }),
});

interface Look {
  readonly viewport: { readonly width: number; readonly height: number };
  readonly colorScheme: 'light' | 'dark';
  readonly suffix: string;
  /** All pages, where it is left out. */
  readonly only?: readonly string[];
}

const LOOKS: readonly Look[] = [
  { viewport: SIZE, colorScheme: 'light', suffix: '' },
  { viewport: SIZE, colorScheme: 'dark', suffix: '-dark' },
  { viewport: PHONE, colorScheme: 'light', suffix: '-phone', only: ON_PHONES },
];

async function show(page: Page, url: string, name: string): Promise<void> {
  if (name === WORKBENCH) await page.keyboard.press('Control+b');
  else await page.goto(`${url}/#/${name}`);
  if (name === 'library') await page.getByText('EMA cross').first().click();
  await sleep(name === 'chart' || name === WORKBENCH ? RUN_MS : SETTLED_MS);
}

async function takePictures(browser: Browser, url: string, scriptKey: string): Promise<void> {
  for (const { viewport, colorScheme, suffix, only } of LOOKS) {
    const page = await browser.newPage({ viewport, colorScheme });
    await page.goto(url);
    await page.evaluate((entries) => {
      for (const [name, value] of Object.entries(entries)) localStorage.setItem(name, value);
    }, remembered(scriptKey));
    await page.reload();
    await page.getByText('All systems well').first().waitFor();
    const links = await page
      .locator('.rail li a')
      .evaluateAll((all) => all.map((link) => (link.getAttribute('href') ?? '').replace(/^#\//, '')));
    const names = only ?? links.flatMap((name) => (name === 'chart' ? [name, WORKBENCH] : [name]));
    for (const name of names) {
      await show(page, url, name);
      await page.screenshot({ path: join(FOLDER, `${name}${suffix}.png`) });
      console.log(`docs/screenshots/${name}${suffix}.png`);
    }
    await page.close();
  }
}

const signalbox = await startProcess();
const browser = await startChromium();
try {
  const scriptKey = await fillLibrary(signalbox);
  await trade(signalbox);
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  await takePictures(browser, signalbox.url, scriptKey);
} finally {
  await browser.close();
  await signalbox.stop();
}
