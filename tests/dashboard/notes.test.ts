// Notes and tags of trades, and the lists that find them, in a real browser: search, filters and files are the server's.

import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type DashboardBrowser,
  expectAccessible,
  LOST_SERVER,
  REFUSALS,
  startDashboard,
} from '../support/dashboard-browser.ts';

/** A first run may have to install the browser. */
const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 30_000 };
/** More than a list loads at once. */
const MANY = 105;

let dashboard: DashboardBrowser;
const ids: string[] = [];
beforeAll(async () => {
  dashboard = await startDashboard({ env: { WEBHOOK_RATE_PER_MINUTE: '0' } });
  const first = await dashboard.signal({ symbol: 'SOLUSDT', quantity: 2, comment: 'the very first', strategy: 'dawn' });
  ids.push(String(first.requestId));
  await dashboard.signal({ symbol: 'NOPE', comment: 'nothing' });
  for (let sent = 0; sent < MANY; sent++) await dashboard.signal({ symbol: 'BTCUSDT', quantity: 0.001 });
}, SETUP_TIMEOUT_MS);

const story = (): string => `#/trades/${ids[0]}`;
const rowsOf = (page: Page, name: string) => page.getByRole('table', { name, exact: true }).locator('tbody tr');

async function linesOf(page: Page, link: string): Promise<readonly string[]> {
  const [saved] = await Promise.all([
    page.waitForEvent('download', WAIT),
    page.getByRole('link', { name: link, exact: true }).click(WAIT),
  ]);
  return readFileSync(String(await saved.path()), 'utf8')
    .trimEnd()
    .split('\r\n');
}

describe('a note', () => {
  test('is written in place, survives a reload, and another tab sees it', async () => {
    const [{ page, complaints }, { page: other }] = [
      await dashboard.open({ place: story() }),
      await dashboard.open({ place: story() }),
    ];
    await other.getByRole('button', { name: 'Write a note' }).waitFor(WAIT);
    await page.getByRole('button', { name: 'Write a note' }).click(WAIT);
    await page.getByRole('textbox', { name: 'Note' }).fill('entered too late\nnext time wait');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save the note' }).click();
    await page.getByText('next time wait').waitFor(WAIT);
    await other.getByText('next time wait').waitFor(WAIT);
    await page.reload();
    await page.getByText('next time wait').waitFor(WAIT);
    expect(complaints).toEqual([]);
  });

  test('that another tab has changed meanwhile is shown before it is written over', async () => {
    const { page } = await dashboard.open({ expected: REFUSALS, place: story() });
    await page.getByRole('button', { name: 'Edit the note' }).click(WAIT);
    await page.getByRole('textbox', { name: 'Note' }).fill('mine');
    await fetch(`${dashboard.signalbox.url}/trades/${ids[0]}`, {
      ...{ method: 'PATCH', headers: { 'content-type': 'application/json' }, body: '{"note":"theirs"}' },
    });
    await page.getByRole('alert').getByText('theirs').waitFor(WAIT);
    expect(await page.getByRole('textbox', { name: 'Note' }).inputValue()).toBe('mine');
    await page.getByRole('button', { name: 'Leave it' }).click();
    await page.getByText('theirs').waitFor(WAIT);
  });
});

describe('a tag', () => {
  test('is given and taken away, and leads to all trades that have it', async () => {
    const { page, complaints } = await dashboard.open({ place: story() });
    const tags = page.getByRole('list', { name: 'Tags' });
    for (const tag of ['Breakout', 'fomo']) {
      await page.getByLabel('New tag').fill(tag);
      await page.getByLabel('New tag').press('Enter');
      await tags.getByText(tag.toLowerCase()).waitFor(WAIT);
    }
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Take the tag fomo away' }).click();
    await tags.getByText('fomo').waitFor({ state: 'hidden', ...WAIT });
    await tags.getByRole('link', { name: 'breakout' }).click();
    await page.getByText('That is all: 1 trade.').waitFor(WAIT);
    expect(await page.getByLabel('Tag', { exact: true }).inputValue()).toBe('breakout');
    await rowsOf(page, 'Trades').getByText('SOLUSDT').waitFor(WAIT);
    expect(complaints).toEqual([]);
  });

  test('that could not be given stays typed; one that is given before the last is shown takes nothing away', async () => {
    const { page } = await dashboard.open({ expected: [...REFUSALS, ...LOST_SERVER], place: story() });
    const [typed, path] = [page.getByLabel('New tag'), `/trades/${ids[0]}`];
    await typed.fill('hasty', WAIT);
    await page.route(
      ({ pathname }) => pathname === path,
      (route) => void (route.request().method() === 'PATCH' ? route.abort() : route.fallback()),
    );
    await typed.press('Enter');
    await page.getByRole('alert').getByText('may have been done').waitFor(WAIT);
    expect(await typed.inputValue()).toBe('hasty');
    await page.unrouteAll();
    // From here on the page hears nothing of what it has changed.
    await page.route(
      ({ pathname }) => pathname === path,
      (route) => void (route.request().method() === 'GET' || route.fallback()),
    );
    for (const tag of ['hasty', 'hastier']) {
      await typed.fill(tag);
      await typed.press('Enter');
      await expect.poll(() => typed.inputValue(), WAIT).toBe('');
    }
    const response = await fetch(`${dashboard.signalbox.url}${path}`);
    const { result } = (await response.json()) as { result: { tags: readonly string[] } };
    expect(result.tags).toEqual(expect.arrayContaining(['hasty', 'hastier']));
  });

  test('that is none is refused without the names of the interface, and what was typed stays', async () => {
    const { page } = await dashboard.open({ expected: REFUSALS, place: story() });
    await page.getByLabel('New tag').fill('one, two');
    await page.getByLabel('New tag').press('Enter');
    await page
      .getByRole('alert')
      .getByText(/^tag \d: is no tag.* without commas/)
      .waitFor(WAIT);
    expect(await page.getByLabel('New tag').inputValue()).toBe('one, two');
  });
});

describe('the list of trades', () => {
  test('finds by search what was not loaded, and a file has the same rows', async () => {
    const { page, complaints } = await dashboard.open({ place: '#/trades', height: 500 });
    await page.getByText(/^100 shown/).waitFor(WAIT);
    await page.getByLabel('Search').fill('very first');
    await page.getByLabel('Search').press('Enter');
    await page.getByText('That is all: 1 trade.').waitFor(WAIT);
    await rowsOf(page, 'Trades').getByText('SOLUSDT').waitFor(WAIT);
    const found = await linesOf(page, 'CSV');
    expect(found).toHaveLength(2);
    expect(found[1]).toContain(ids[0]);
    await page.getByRole('link', { name: 'Show all' }).click();
    await page.getByText(/^100 shown/).waitFor(WAIT);
    // All of them, not only those that are loaded.
    expect(await linesOf(page, 'CSV')).toHaveLength(1 + MANY + 1);
    expect(complaints).toEqual([]);
  });

  test('is narrowed to days of the reader’s calendar', async () => {
    const { page } = await dashboard.open({ expected: REFUSALS, place: '#/trades?market=SOLUSDT' });
    await page.getByText('That is all: 1 trade.').waitFor(WAIT);
    const today = String(await page.evaluate("new Date().toLocaleDateString('sv')"));
    await page.getByLabel('From').fill(today);
    await page.getByText('That is all: 1 trade.').waitFor(WAIT);
    await page.getByLabel('To', { exact: true }).fill('2020-01-01');
    await page.getByRole('alert').getByText('from').waitFor(WAIT);
    await page.getByLabel('From').fill('2019-12-31');
    await page.getByText('No trade fits').waitFor(WAIT);
  });

  test('cancels all only where that cancels what is listed', async () => {
    await dashboard.signal({ symbol: 'ETHUSDT', quantity: 0.1, price: 500, comment: 'resting one' });
    await dashboard.signal({ symbol: 'ETHUSDT', quantity: 0.1, price: 400 });
    const { page } = await dashboard.open({ expected: REFUSALS, place: '#/trades' });
    await page.getByRole('button', { name: 'Cancel all 2…' }).waitFor(WAIT);
    await page.getByLabel('Search').fill('resting one');
    await page.getByLabel('Search').press('Enter');
    await page.getByText('That is all: 1 trade.').waitFor(WAIT);
    await expect.poll(() => rowsOf(page, 'Open orders').count(), WAIT).toBe(1);
    expect(await page.getByRole('button', { name: /Cancel all/ }).count()).toBe(0);
    expect(await linesOf(page, 'Orders, CSV')).toHaveLength(2);
  });
});

describe('the list of signals', () => {
  test('finds by search what traded and what was refused, with a file of each', async () => {
    const { page, complaints } = await dashboard.open({ place: '#/signals?search=sol' });
    await page.getByText('That is all: 1 signal.').waitFor(WAIT);
    await page.getByLabel('Search').fill('nope');
    await page.getByLabel('Search').press('Enter');
    await rowsOf(page, 'Signals').getByText('refused').waitFor(WAIT);
    expect(await linesOf(page, 'Refused, CSV')).toHaveLength(2);
    expect(await linesOf(page, 'Traded, CSV')).toHaveLength(1);
    expect(complaints).toEqual([]);
  });

  test('finds a refusal by its market behind a hundred others', async () => {
    const { page } = await dashboard.open({ place: '#/signals?market=NOPE&account=main' });
    await rowsOf(page, 'Signals').getByText('refused').waitFor(WAIT);
    await page.getByText('That is all: 1 signal.').waitFor(WAIT);
  });
});

test.each([
  ['light', 1440],
  ['dark', 1024],
  ['dark', 390],
] as const)('the story is for everybody: %s, %i px wide', async (colorScheme, width) => {
  const { page, complaints } = await dashboard.open({ colorScheme, width, place: story() });
  await page.getByRole('list', { name: 'Tags' }).getByText('breakout').waitFor(WAIT);
  await expectAccessible(page);
  expect(await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')).toBe(
    false,
  );
  expect(complaints).toEqual([]);
});
