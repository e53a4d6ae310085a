// `npm run screenshots`: starts a Signalbox of its own, trades a little on paper, and takes a picture of every page for the docs.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startChromium } from './chromium.ts';
import { type RunningProcess, startProcess } from './process.ts';

const FOLDER = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));
const SIZE = { width: 1440, height: 900 };
/** A sample of equity is taken after every fill: some of them make a curve. */
const TRADED_FOR_MS = 200_000;

const SIGNALS: readonly object[] = [
  {
    strategy: 'ema-cross',
    symbol: 'BTCUSDT',
    action: 'LONG',
    quantity: 0.4,
    stopLossPercent: 1.5,
    takeProfitPercent: 3,
  },
  { strategy: 'breakout', symbol: 'ETHUSDT', action: 'SHORT', quantity: 6, exchange: 'bybit' },
  { strategy: 'breakout', symbol: 'SOLUSDT', action: 'LONG', quantity: 120, trailPercent: 1.2 },
  { symbol: 'NOPE' },
  { strategy: 'ema-cross', symbol: 'BTCUSDT', action: 'CLOSE_LONG' },
  { strategy: 'ema-cross', symbol: 'BTCUSDT', action: 'LONG', quantity: 0.3, trailPercent: 1 },
  { strategy: 'mean', symbol: 'AVAXUSDT', action: 'SHORT', quantity: 400, exchange: 'mexc' },
  { strategy: 'breakout', symbol: 'ETHUSDT', action: 'CLOSE_SHORT', exchange: 'bybit' },
  { strategy: 'mean', symbol: 'BTCUSDT', action: 'LONG', quantity: 0.2, price: 50_000, exchange: 'bybit' },
];

async function trade({ url, apiKey }: RunningProcess): Promise<void> {
  const pauseMs = TRADED_FOR_MS / SIGNALS.length;
  for (const fields of SIGNALS) {
    const body = { apiKey, exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01, ...fields };
    await fetch(`${url}/webhook`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
    });
    await sleep(pauseMs);
  }
}

const signalbox = await startProcess();
const browser = await startChromium();
try {
  await trade(signalbox);
  mkdirSync(FOLDER, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ viewport: SIZE, colorScheme });
    await page.goto(signalbox.url);
    await page.getByText('All systems well').waitFor();
    const links = await page
      .locator('.rail li a')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    for (const link of links) {
      await page.goto(`${signalbox.url}/${link}`);
      await sleep(2_000);
      const name = `${link.replace(/^#\//, '')}${colorScheme === 'dark' ? '-dark' : ''}.png`;
      await page.screenshot({ path: join(FOLDER, name) });
      console.log(`docs/screenshots/${name}`);
    }
  }
} finally {
  await browser.close();
  await signalbox.stop();
}
