// What every page has, in a real browser: the palette, the keys, the theme, and the pages on a phone.

import { beforeAll, describe, expect, test } from 'vitest';
import { type DashboardBrowser, expectAccessible, startDashboard } from '../support/dashboard-browser.ts';

const WAIT = { timeout: 30_000 };

let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard();
}, 300_000);

describe('the palette', () => {
  test('opens by a key, finds by a few letters, goes by the arrows, and stops trading', async () => {
    const { page, complaints } = await dashboard.open();
    await page.getByText('All systems well').waitFor(WAIT);
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Go to a page or do something' });
    await palette.waitFor(WAIT);
    await expectAccessible(page);
    await page.keyboard.type('xyzzy');
    await page.getByText('Nothing fits').waitFor(WAIT);
    for (let typed = 0; typed < 5; typed++) await page.keyboard.press('Backspace');
    await page.keyboard.type('stop tr');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Stop trading' }).waitFor(WAIT);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Stop trading' }).waitFor({ state: 'hidden', ...WAIT });
    expect(complaints).toEqual([]);
  });

  test('chooses the theme, which a reload keeps', async () => {
    const { page } = await dashboard.open();
    const ground = (): Promise<unknown> => page.evaluate('getComputedStyle(document.body).backgroundColor');
    await page.getByText('All systems well').waitFor(WAIT);
    expect(await ground()).toBe('rgb(246, 247, 249)');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('theme: dark');
    await page.keyboard.press('Enter');
    await expect.poll(ground).toBe('rgb(14, 17, 22)');
    await page.reload();
    await expect.poll(ground).toBe('rgb(14, 17, 22)');
  });
});

test('the keys are listed by a question mark, but not while somebody types', async () => {
  const { page } = await dashboard.open();
  await page.getByText('All systems well').waitFor(WAIT);
  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: 'Keys' });
  await keys.getByText('g o').waitFor(WAIT);
  await page.keyboard.press('Escape');
  await keys.waitFor({ state: 'hidden', ...WAIT });
  await page.getByRole('button', { name: 'Stop trading…' }).click();
  await page.getByLabel('Reason (kept in the audit)').fill('why');
  await page.keyboard.press('?');
  expect(await page.getByLabel('Reason (kept in the audit)').inputValue()).toBe('why?');
  expect(await keys.isVisible()).toBe(false);
});

test('who has no pointer gets past the rail with one key', async () => {
  const { page } = await dashboard.open();
  await page.getByText('All systems well').waitFor(WAIT);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await page.evaluate('document.activeElement?.id')).toBe('main');
});
