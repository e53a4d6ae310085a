// A picture of every page in light and dark, and of some on a phone.

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import type { Stage } from './stage.ts';

const SIZE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
/** Longer than a page takes to have everything; a chart runs its scripts first. */
const SETTLED_MS = 3_000;
const RUN_MS = 10_000;
const PATIENCE = { timeout: 30_000 };

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
  { viewport: PHONE, colorScheme: 'light', suffix: '-phone', only: ['overview', 'chart', 'positions'] },
];

const QUESTION = 'How did the week go, and what should I look at?';
const ANSWER = `The week ended well: most of the closed trades won, and the fees are a small part of the result.

Three things to look at:
1. BTCUSDT long, 0.4: its trailing stop of 1.2 % rises with the price. It is the largest position.
2. ETHUSDT short, 6: a stop at 1.5 % and a target at 3 %, so it risks one to make two.
3. AVAXUSDT short, 400: it has a target and no stop. I would give it one.`;

/** What a page is before its picture; those that are left out are shown as they open. */
const PREPARED: Readonly<Record<string, (page: Page, stage: Stage) => Promise<void>>> = {
  async chart(page) {
    await page.locator('.script-line span[title]').first().waitFor(PATIENCE);
    await sleep(RUN_MS);
  },
  async workbench(page) {
    await page.keyboard.press('Control+b');
    await page.locator('.cm-content').first().waitFor(PATIENCE);
    await sleep(RUN_MS);
  },
  async library(page) {
    await page.getByText('Bands').first().click();
    await page.locator('.cm-content').first().waitFor(PATIENCE);
  },
  async agent(page, { model }) {
    model.next({ kind: 'answer', tools: [{ name: 'get_positions', args: '{}' }], tokensIn: 1_840, tokensOut: 31 });
    model.next({ kind: 'answer', text: ANSWER, tokensIn: 3_120, tokensOut: 168 });
    await page.getByLabel('Your question').fill(QUESTION);
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByText('I would give it one.').waitFor(PATIENCE);
  },
  async data(page) {
    await page.getByRole('button', { name: 'Profit and fees by day' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('table', { name: 'Result' }).waitFor(PATIENCE);
  },
};

/** Pages that follow another in the rail's order: the same page with more of it open. */
const ALSO: Readonly<Record<string, readonly string[]>> = { chart: ['workbench'], deployments: ['deployment'] };

async function show(page: Page, stage: Stage, name: string): Promise<void> {
  const place = name === 'deployment' ? `deployments/${stage.deploymentId}` : name;
  if (name !== 'workbench') await page.goto(`${stage.signalbox.url}/#/${place}`);
  await PREPARED[name]?.(page, stage);
  await sleep(SETTLED_MS);
}

/** `isWanted` leaves out all others. */
export async function takePictures(
  browser: Browser,
  stage: Stage,
  folder: string,
  isWanted: (file: string) => boolean = () => true,
): Promise<void> {
  for (const { viewport, colorScheme, suffix, only } of LOOKS) {
    const page = await browser.newPage({ viewport, colorScheme });
    await page.goto(stage.signalbox.url);
    await page.evaluate((entries) => {
      for (const [name, value] of Object.entries(entries)) localStorage.setItem(name, value);
    }, stage.remembered);
    await page.reload();
    await page.getByText('All systems well').first().waitFor(PATIENCE);
    const links = await page
      .locator('.rail li a')
      .evaluateAll((all) => all.map((link) => (link.getAttribute('href') ?? '').replace(/^#\//, '')));
    const names = only ?? links.flatMap((name) => [name, ...(ALSO[name] ?? [])]);
    for (const name of names) {
      const file = `${name}${suffix}.png`;
      if (!isWanted(file) && !isWanted(`${ALSO[name]?.[0]}${suffix}.png`)) continue;
      await show(page, stage, name);
      await page.screenshot({ path: join(folder, file) });
      console.log(file);
    }
    await page.close();
  }
}
