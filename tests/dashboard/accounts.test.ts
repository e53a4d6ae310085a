// Accounts in a real browser, some of them live at emulated exchanges: adding one with its credentials, testing it, confirming it, and
// comparing the books.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DashboardBrowser, expectAccessible, REFUSALS, startDashboard } from '../support/dashboard-browser.ts';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import { startBybitVenue } from '../support/emulated-venues/bybit/bybit-venue.ts';
import type { EmulatedVenue } from '../support/emulated-venues/emulated-venue.ts';
import { tradeByHand } from '../support/emulated-venues/owner.ts';

const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 30_000 };

let emulated: EmulatedVenue;
/** The venue of an account that is added. */
let other: EmulatedVenue;
let dashboard: DashboardBrowser;
beforeAll(async () => {
  emulated = await startBinance();
  other = await startBybitVenue();
  emulated.market.setPrice('BTCUSDT', '50000');
  const { apiKey, secret } = emulated.credentials;
  dashboard = await startDashboard({
    env: {
      ...{ SERVICES: 'gateway,dashboard', BINANCE_MODE: 'live', BINANCE_BASE_URL: emulated.baseUrl },
      ...{ BINANCE_API_KEY: apiKey, BINANCE_API_SECRET: secret, BYBIT_BASE_URL: other.baseUrl },
    },
  });
}, SETUP_TIMEOUT_MS);
afterAll(() => Promise.all([emulated.close(), other.close()]));

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

test('has a red edge around every page while real money is traded, and none without', async () => {
  const edge = (page: Page): Promise<string> =>
    page.evaluate(`(() => {
      const { content, borderTopWidth, borderTopColor, position } = getComputedStyle(document.querySelector('.app'), '::after');
      return content === 'none' ? 'none' : [position, borderTopWidth, borderTopColor].join(' ');
    })()`);
  const red = 'fixed 2px rgb(196, 43, 35)';
  const { page, complaints } = await open();
  for (const title of ['Accounts', 'Overview', 'Chart', 'Settings']) {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: title }).click();
    await page.getByRole('heading', { name: title, level: 1 }).waitFor(WAIT);
    await expect.poll(() => edge(page), WAIT).toBe(red);
  }
  await page.getByText('LIVE · real money').waitFor(WAIT);
  // As the server tells of play money.
  await page.route(/\/health$/, async (route) => {
    const json = (await (await route.fetch()).text()).replaceAll('"live"', '"paper"');
    await route.fulfill({ json: JSON.parse(json) });
  });
  await page.reload();
  await expect.poll(() => edge(page), WAIT).toBe('none');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
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

test('stores credentials once the venue has answered for them, says what is left to do, and takes them away again', async () => {
  const { page, complaints } = await open({ expected: REFUSALS });
  const { apiKey, secret } = other.credentials;
  const form = page.getByRole('region', { name: 'Add an account' });
  const store = form.getByRole('button', { name: 'Test and store' });
  await form.getByLabel('Exchange').selectOption('bybit');
  await form.getByLabel('Name').fill('My account');
  await form.getByText('Small letters, digits').waitFor(WAIT);
  expect(await store.isDisabled()).toBe(true);
  await form.getByLabel('Name').fill('scalp');
  await form.getByLabel('Money').selectOption('live');
  await form.getByLabel('API key').fill(apiKey);
  await form.getByLabel('Secret').fill('a-secret-that-is-wrong');
  await store.click();
  await form.getByRole('alert').waitFor(WAIT);
  await form.getByLabel('Secret').fill(secret);
  await store.click();
  const stored = form.getByRole('region', { name: 'What was stored' });
  await stored.getByText(`key ${apiKey.slice(0, 4)}…, sealed with master.key in the data folder`).waitFor(WAIT);
  await stored.getByText('set BYBIT_MODE=live and restart').waitFor(WAIT);
  await stored.getByText('not withdraw').waitFor(WAIT);
  expect([await form.getByLabel('API key').inputValue(), await form.getByLabel('Secret').inputValue()]).toEqual([
    '',
    '',
  ]);
  await expectAccessible(page);
  const row = page.getByRole('row', { name: /^bybit:scalp/ });
  await row.getByText('not traded').waitFor(WAIT);
  await row.getByText(`${apiKey.slice(0, 4)}… sealed in the data folder`).waitFor(WAIT);
  expect(await page.content()).not.toContain(secret);
  expect(await page.content()).not.toContain(apiKey);

  await row.getByRole('button', { name: 'Remove bybit:scalp' }).click();
  const question = page.getByRole('dialog', { name: 'Remove bybit:scalp?' });
  await question.getByRole('button', { name: 'Leave it' }).click();
  await row.waitFor(WAIT);
  await row.getByRole('button', { name: 'Remove bybit:scalp' }).click();
  await question.getByRole('button', { name: 'Remove it' }).click();
  await page.getByText('Removed bybit:scalp. Restart Signalbox').waitFor(WAIT);
  await row.waitFor({ state: 'hidden', ...WAIT });
  // The one secret that was wrong; and a venue that is slow for a moment makes /ready say so.
  expect(complaints.filter((complaint) => !/status of (?:422|503)/.test(complaint))).toEqual([]);
}, 120_000);

test('keeps the lines of a private key that is pasted', async () => {
  const { page } = await open({ expected: REFUSALS });
  const sent: string[] = [];
  await page.route('**/admin/accounts', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    sent.push((route.request().postDataJSON() as { secret: string }).secret);
    await route.fulfill({ status: 422, json: { success: false, error: 'no', code: 'ACCOUNT_REFUSED' } });
  });
  const form = page.getByRole('region', { name: 'Add an account' });
  await form.getByLabel('API key').fill('an-api-key-of-this-test');
  const id = await form.getByLabel('Secret').getAttribute('id');
  await page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text', '-----BEGIN PRIVATE KEY-----\\r\\nMC4CAQAwBQYDK2Vw\\r\\n-----END PRIVATE KEY-----\\r\\n');
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    document.getElementById('${id}').dispatchEvent(event);
  })()`);
  await form.getByRole('button', { name: 'Test and store' }).click();
  await form.getByRole('alert').waitFor(WAIT);
  expect(sent).toEqual(['-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2Vw\n-----END PRIVATE KEY-----']);
});

test('gives the lines that add an account on the machine itself', async () => {
  const { page } = await open();
  await page.getByLabel('Name').fill('scalp');
  await page.getByLabel('Money').selectOption('live');
  await page.getByText('On the machine itself instead').click();
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
