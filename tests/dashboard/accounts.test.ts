// Accounts in a real browser, one of them live at an emulated exchange: testing it, confirming it, and comparing the books.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DashboardBrowser, expectAccessible, startDashboard } from '../support/dashboard-browser.ts';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import type { EmulatedVenue } from '../support/emulated-venues/emulated-venue.ts';
import { tradeByHand } from '../support/emulated-venues/owner.ts';

const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 30_000 };

let emulated: EmulatedVenue;
let dashboard: DashboardBrowser;
beforeAll(async () => {
  emulated = await startBinance();
  emulated.market.setPrice('BTCUSDT', '50000');
  const { apiKey, secret } = emulated.credentials;
  dashboard = await startDashboard({
    env: {
      ...{ SERVICES: 'gateway,dashboard', BINANCE_MODE: 'live', BINANCE_BASE_URL: emulated.baseUrl },
      ...{ BINANCE_API_KEY: apiKey, BINANCE_API_SECRET: secret },
    },
  });
}, SETUP_TIMEOUT_MS);
afterAll(() => emulated.close());

const open = async (options = {}) => {
  const opened = await dashboard.open({ place: '#/accounts', ...options });
  await opened.page.getByRole('table', { name: 'Accounts' }).waitFor(WAIT);
  return opened;
};

test('lists each with its money, and tests the one that has a key', async () => {
  const { page, complaints } = await open();
  const live = page.getByRole('row', { name: /^binance:main/ });
  await live.getByText('LIVE', { exact: true }).waitFor(WAIT);
  await live.getByText(`${emulated.credentials.apiKey.slice(0, 4)}… from the environment`).waitFor(WAIT);
  const paper = page.getByRole('row', { name: /^bybit:main/ });
  await paper.getByText('PAPER').waitFor(WAIT);
  await paper.getByText('100,000.00').waitFor(WAIT);
  expect(await paper.getByRole('button').count()).toBe(0);
  await live.getByRole('button', { name: 'Test binance:main' }).click();
  const dialog = page.getByRole('dialog', { name: 'binance:main at its venue' });
  await dialog.getByText('one-way').waitFor(WAIT);
  await dialog.getByText('not withdraw').waitFor(WAIT);
  await expectAccessible(page);
  expect(await page.content()).not.toContain(emulated.credentials.secret);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Check all' }).click();
  await page.getByRole('list', { name: 'What was found' }).getByRole('listitem').first().waitFor(WAIT);
  expect(complaints).toEqual([]);
});

test('opens nothing with real money before its name was typed', async () => {
  const { page, complaints } = await open();
  expect(await dashboard.signal({ quantity: 0.01 })).toMatchObject({ code: 'LIVE_NOT_CONFIRMED' });
  const live = page.getByRole('row', { name: /^binance:main/ });
  await live.getByText('waits for your word').waitFor(WAIT);
  await live.getByRole('button', { name: 'Confirm binance:main' }).click();
  const question = page.getByRole('dialog', { name: 'Trade with real money?' });
  const yes = question.getByRole('button', { name: 'Trade with real money' });
  expect(await yes.isDisabled()).toBe(true);
  await question.getByLabel('Type binance:main').fill('binance');
  expect(await yes.isDisabled()).toBe(true);
  await question.getByLabel('Type binance:main').fill('binance:main');
  await yes.click();
  await live.getByText('trading').waitFor(WAIT);
  expect(await dashboard.signal({ quantity: 0.01 })).toMatchObject({ success: true, tradeResult: { mode: 'live' } });
  expect(complaints).toEqual([]);
});

test('shows what was bought by hand as soon as the books are compared', async () => {
  const { page, complaints } = await open();
  tradeByHand(emulated, { exchange: 'binance', symbol: 'BTCUSDT', side: 'BUY', quantity: '0.25' });
  const compared = page.getByRole('region', { name: 'binance:main' });
  // What was traded a moment ago is left for the next comparison: so somebody may have to ask twice.
  await expect
    .poll(
      async () => {
        await page.getByRole('button', { name: 'Compare now' }).click(WAIT);
        await page.getByRole('button', { name: 'Compare now' }).waitFor(WAIT);
        return compared.innerText();
      },
      { timeout: 60_000, interval: 1_000 },
    )
    .toMatch(/0\.2[56]/);
  await compared.getByText('taken into our books').first().waitFor(WAIT);
  expect(complaints).toEqual([]);
}, 120_000);

test('gives the lines that add an account, and says where a name is none', async () => {
  const { page } = await open();
  await page.getByLabel('Name').fill('My account');
  await page.getByText('Small letters, digits').waitFor(WAIT);
  await page.getByLabel('Name').fill('scalp');
  await page.getByLabel('Money').selectOption('live');
  await page.getByText('npx signalbox accounts add binance:scalp --mode live').waitFor(WAIT);
});

test.each([
  ['light', 1440],
  ['dark', 1024],
  ['light', 390],
] as const)('is for everybody: %s, %i px wide', async (colorScheme, width) => {
  const { page, complaints } = await open({ colorScheme, width });
  await page.getByRole('region', { name: 'binance:main' }).waitFor(WAIT);
  await expectAccessible(page);
  expect(await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')).toBe(
    false,
  );
  expect(complaints).toEqual([]);
});
