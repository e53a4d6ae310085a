// What every page has, in a real browser: the palette, the keys, the theme, and the pages on a phone.

import { beforeAll, describe, expect, test } from 'vitest';
import { type DashboardBrowser, expectAccessible, startDashboard } from '../support/dashboard-browser.ts';
import { makeScriptKey } from '../support/script-key.ts';

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

  test('finds a market and opens the chart on it, also on a chart that is open', async () => {
    const { page, complaints } = await dashboard.open();
    await page.getByText('All systems well').waitFor(WAIT);
    const go = async (letters: string, title: string): Promise<void> => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type(letters);
      await page.getByRole('option', { name: `${title} market` }).waitFor(WAIT);
      await page.keyboard.press('Enter');
    };
    const barLine = (words: string) => page.locator('.bar-line', { hasText: words });
    await go('ethus', 'ETHUSDT');
    await barLine('ETHUSDT 1h').waitFor(WAIT);
    await go('solus', 'SOLUSDT');
    await barLine('SOLUSDT 1h').waitFor(WAIT);
    // The same once more, after another one was chosen by hand.
    await page.keyboard.press('b');
    const dialog = page.getByRole('dialog', { name: 'Choose a market' });
    await dialog.getByRole('button', { name: /^BTCUSDT/ }).click(WAIT);
    await barLine('BTCUSDT 1h').waitFor(WAIT);
    await go('solus', 'SOLUSDT');
    await barLine('SOLUSDT 1h').waitFor(WAIT);
    await page.reload();
    await barLine('SOLUSDT 1h').waitFor(WAIT);
    expect(complaints).toEqual([]);
  });

  test('finds the scripts of the library where the page has its key, and none where it has not', async () => {
    const key = await makeScriptKey(dashboard.signalbox);
    const made = await fetch(`${dashboard.signalbox.url}/api/scripts`, {
      ...{ method: 'POST', headers: { authorization: `Bearer ${key}` } },
      body: JSON.stringify({ name: 'trend/Slow turtle', content: '//@version=6\nindicator("t")\nplot(close)\n' }),
    });
    const { script } = (await made.json()) as { script: { id: string } };
    const { page, complaints } = await dashboard.open();
    await page.getByText('All systems well').waitFor(WAIT);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('turtle');
    await page.getByText('Nothing fits').waitFor(WAIT);
    await page.evaluate(`localStorage.setItem('signalbox.scriptKey', '${key}')`);
    await page.reload();
    await page.getByText('All systems well').waitFor(WAIT);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('turtle');
    await page.getByRole('option', { name: 'trend/Slow turtle script' }).waitFor(WAIT);
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('location.hash')).toBe(`#/library/${script.id}`);
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

test('what is pressed before the browser has drawn anything counts: a link, a key, and the letters after it', async () => {
  const { page } = await dashboard.open();
  // A machine so busy that a picture takes two seconds: what waits for one comes that late.
  await page.addInitScript(() => {
    const wait = globalThis.setTimeout;
    const later = (act: () => void): number => wait(act, 2_000) as unknown as number;
    Object.assign(globalThis, {
      requestAnimationFrame: later,
      setTimeout: (act: () => void, ms = 0) => (ms > 0 && ms <= 100 ? later(act) : wait(act, ms)),
    });
  });
  await page.reload();
  await page.evaluate("location.hash = '#/performance'");
  await page.getByRole('heading', { name: 'Performance', level: 1 }).waitFor(WAIT);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('stop tr');
  const field = page.getByRole('combobox', { name: 'Go to a page or do something' });
  expect(await field.inputValue()).toBe('stop tr');
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

test('g and a letter goes to a page, also from the chart, where any other letter asks for a market', async () => {
  const { page } = await dashboard.open({ place: '#/chart' });
  await page.locator('.bar-line', { hasText: 'BTCUSDT' }).waitFor(WAIT);
  const dialog = page.getByRole('dialog', { name: 'Choose a market' });
  await page.keyboard.press('g');
  await page.keyboard.press('p');
  await page.getByRole('heading', { name: 'Positions', level: 1 }).waitFor(WAIT);
  expect(await dialog.count()).toBe(0);
  await page.keyboard.press('g');
  await page.keyboard.press('c');
  await page.locator('.bar-line', { hasText: 'BTCUSDT' }).waitFor(WAIT);
  await page.keyboard.press('p');
  await dialog.waitFor(WAIT);
});

test('the bar leads on: equity and today to what made them, the chip to how it runs, as often as it is pressed', async () => {
  const { page } = await dashboard.open({ place: '#/trades', width: 390, height: 844 });
  const head = page.getByRole('banner');
  const panel = page.getByRole('region', { name: 'How it runs' });
  for (let times = 0; times < 2; times++) {
    await head.getByRole('link', { name: 'All systems well' }).click(WAIT);
    await expect.poll(() => panel.getByText('are well').isVisible(), WAIT).toBe(true);
    await expect.poll(() => page.evaluate('document.activeElement?.className'), WAIT).toBe('running');
    await page.evaluate('document.querySelector("main").scrollTo(0, 0); document.activeElement.blur()');
  }
  await head.getByRole('link', { name: /^Today/ }).click();
  await page.getByText(`Only ${new Date().toISOString().slice(0, 10)}`).waitFor(WAIT);
  await head.getByRole('link', { name: /^Equity/ }).click();
  await page.getByText(/^Only/).waitFor({ state: 'hidden', ...WAIT });
});

test('equity and today are of the money that stands beside them, and never add real money to play money', async () => {
  const { page } = await dashboard.open();
  const nothing = { realizedToday: 0, feesToday: 0, fundingToday: 0 };
  await page.route(/\/account$/, async (route) => {
    const answer = await (await route.fetch()).json();
    const withReal = (each: { exchange: string }) =>
      each.exchange === 'binance'
        ? { ...each, ...nothing, equity: 7, realizedToday: 2 }
        : { ...each, ...nothing, mode: 'live', equity: 1000, realizedToday: 500 };
    await route.fulfill({ json: { ...answer, result: answer.result.map(withReal) } });
  });
  await page.reload();
  const bar = page.getByRole('banner');
  await bar.getByText('PAPER').waitFor(WAIT);
  await bar.getByRole('link', { name: 'Equity 7.00' }).waitFor(WAIT);
  await bar.getByRole('link', { name: 'Today +2.00' }).waitFor(WAIT);
});

test('who has no pointer gets past the rail with one key', async () => {
  const { page } = await dashboard.open();
  await page.getByText('All systems well').waitFor(WAIT);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await page.evaluate('document.activeElement?.id')).toBe('main');
});

test.each([390, 1440])('only the page scrolls, never what is always in view: %i px wide', async (width) => {
  const { page, complaints } = await dashboard.open({ width, height: 844, place: '#/alerts' });
  const table = page.locator('main').getByRole('table').first();
  await table.waitFor(WAIT);
  await page.evaluate('window.scrollTo(0, 10_000)');
  expect(await page.evaluate('document.documentElement.scrollHeight - innerHeight')).toBe(0);
  expect(await page.evaluate('scrollY')).toBe(0);
  expect(complaints).toEqual([]);
});

test.each([768, 834, 1000, 1024])(
  'whether all is well is never cut beside the rest of the bar: %i px wide',
  async (width) => {
    const { page } = await dashboard.open({ width, height: 844, place: '#/trades' });
    const chip = page.getByRole('banner').getByRole('link', { name: 'All systems well' }).locator('.chip');
    await chip.waitFor(WAIT);
    await page
      .getByRole('banner')
      .getByText(/^Equity [\d,.]+$/)
      .waitFor(WAIT);
    expect(await chip.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBeLessThanOrEqual(0);
  },
);

test('a phone has equity and today in the head of every page, and nothing of it beyond the edge', async () => {
  const { page, complaints } = await dashboard.open({ width: 390, height: 844, place: '#/trades' });
  const head = page.getByRole('banner');
  await head.getByText(/^Equity [\d,.]+$/).waitFor(WAIT);
  await head.getByText(/^Today [−+]?[\d,.]+$/).waitFor(WAIT);
  await head.getByText('PAPER').waitFor(WAIT);
  await head.getByRole('button', { name: 'Stop trading…' }).waitFor(WAIT);
  await expectAccessible(page);
  expect(await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')).toBe(
    false,
  );
  expect(complaints).toEqual([]);
});
