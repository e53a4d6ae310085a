// The page of a backtest in a real browser: it asks nobody for anything, follows the pointer, and fits a phone.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startChromium } from '../support/chromium.ts';
import { runSignalbox } from '../support/process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DESK = { viewport: { width: 1200, height: 900 } };
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true };

let browser: Browser;
let file: string;
beforeAll(async () => {
  file = join(mkdtempSync(join(tmpdir(), 'signalbox-page-')), 'report.html');
  const words = [
    'backtest',
    'examples/pine/ema-cross-strategy.pine',
    '--bars',
    'examples/pine/bars.csv',
    '--report',
    file,
  ];
  const { code, stderr } = await runSignalbox(words, {}, ROOT);
  expect([code, stderr]).toEqual([0, `${file} was written.\n`]);
  browser = await startChromium();
});
afterAll(() => browser.close());

/** What the page asked for besides itself, and what its script or its drawings complained of. */
async function opened(options: BrowserContextOptions): Promise<{ readonly page: Page; readonly heard: string[] }> {
  const page = await browser.newPage(options);
  const heard: string[] = [];
  page.on('request', (request) => heard.push(request.url()));
  page.on('console', (message) => heard.push(message.text()));
  page.on('pageerror', (error) => heard.push(error.message));
  await page.goto(pathToFileURL(file).href);
  return { page, heard: heard.splice(0).filter((text) => text !== pathToFileURL(file).href) };
}

describe('the page of a backtest', () => {
  it.each(['light', 'dark'] as const)(
    'is %s where its reader is, and asks nobody for anything',
    async (colorScheme) => {
      const { page, heard } = await opened({ ...DESK, colorScheme });
      expect(heard).toEqual([]);
      const paper = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      expect(paper).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(17, 21, 28)');
      await page.close();
    },
  );

  it('shows what stood under the pointer', async () => {
    const { page } = await opened(DESK);
    const said: Record<string, string | undefined> = {};
    for (const id of ['price', 'equity', 'drawdown']) {
      await page.hover(`#${id} .plot`, { position: { x: 300, y: 40 } });
      said[id] = await page.evaluate(`document.querySelector('#${id} .cursor').dataset.text`);
    }
    expect(said.price).toMatch(/^2026-02-\d\d \d\d:00\nclose [\d.]+$/);
    expect(said.equity).toMatch(/\nequity 1\d{4}\.\d\d$/);
    expect(said.drawdown).toMatch(/\ndrawdown [\d.]+ %$/);
    await page.close();
  });

  it('makes the price wider, fits its heights to what is seen, and goes back', async () => {
    const { page } = await opened(DESK);
    const viewBox = () => page.getAttribute('#price svg', 'viewBox');
    expect(await viewBox()).toBe('0 0 1000 300');
    await page.check('#price input[value="16"]');
    const [, top = 0, , height = 0] = (await viewBox())?.split(' ').map(Number) ?? [];
    expect([top >= 0, height > 0, height < 150]).toEqual([true, true, true]);
    await page.check('#price input[value="1"]');
    expect(await viewBox()).toBe('0 0 1000 300');
    await page.close();
  });

  it('fits a phone: only tables are wider than it, and they scroll by themselves', async () => {
    const { page } = await opened(PHONE);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(await page.evaluate('document.querySelector(".figures").getBoundingClientRect().width')).toBeLessThan(360);
    await page.close();
  });
});
