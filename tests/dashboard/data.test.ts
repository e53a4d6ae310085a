// The data in a real browser: statements as people write them, results as table, picture and file, and errors in words.

import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { type DashboardBrowser, expectAccessible, startDashboard } from '../support/dashboard-browser.ts';

const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 30_000 };

let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard({ env: { SERVICES: 'gateway,dashboard' } });
  await dashboard.signal({ strategy: 'trader\'s own, "x"' });
  await dashboard.signal({ symbol: 'ETHUSDT' });
  await dashboard.signal({ symbol: 'ETHUSDT' });
}, SETUP_TIMEOUT_MS);

const open = async (options = {}) => {
  const opened = await dashboard.open({ place: '#/data', ...options });
  await opened.page.getByRole('button', { name: 'Run', exact: true }).waitFor(WAIT);
  return opened;
};

test('runs an example, shows it as a picture and a table, and gives it away as CSV', async () => {
  const { page, complaints } = await open();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('2 rows in').waitFor(WAIT);
  const table = page.getByRole('table', { name: 'Result' });
  await table.getByRole('row', { name: 'ETHUSDT 2' }).waitFor(WAIT);
  expect(await page.getByRole('list', { name: 'trades' }).getByRole('listitem').count()).toBe(2);
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  const path = await (await coming).path();
  expect(readFileSync(path, 'utf8')).toBe('market,trades\r\nETHUSDT,2\r\nBTCUSDT,1');
  expect(complaints).toEqual([]);
});

test('takes text in quotes as values, and tells the server’s own words where a statement is not allowed', async () => {
  const { page } = await open();
  const statement = page.getByLabel('SQL statement');
  await statement.fill("SELECT strategy FROM trades WHERE strategy = 'trader''s own, \"x\"' -- it's mine");
  await statement.press('Control+Enter');
  await page.getByText('1 row in').waitFor(WAIT);
  await page.getByRole('table', { name: 'Result' }).getByText("trader's own").waitFor(WAIT);
  await statement.fill('SELECT * FROM settings');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('alert').getByText('table settings is not known here').waitFor(WAIT);
  await statement.fill('SELECT ? FROM trades');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('alert').getByText('Write the value itself').waitFor(WAIT);
});

test('asks before it changes the signals', async () => {
  const { page, complaints } = await open();
  await page.getByLabel('SQL statement').fill("UPDATE trade_signals SET source = 'archive' WHERE symbol = 'BTCUSDT'");
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const question = page.getByRole('dialog', { name: 'Change the signals?' });
  await question.getByRole('button', { name: 'Leave it' }).click();
  await question.waitFor({ state: 'hidden', ...WAIT });
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await question.getByRole('button', { name: 'Change them' }).click();
  await page.getByText('1 row changed').waitFor(WAIT);
  expect(complaints).toEqual([]);
});

test('shows the tables, and keeps a query in this browser', async () => {
  const { page, complaints } = await open();
  await page.getByText('trade_signals', { exact: true }).click();
  await page.getByRole('button', { name: 'Look into trade_signals' }).click();
  expect(await page.getByLabel('SQL statement').inputValue()).toBe('SELECT *\nFROM trade_signals\nLIMIT 100');
  await page.getByLabel('Save as').fill('my signals');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.reload();
  await page.getByRole('button', { name: 'my signals', exact: true }).click(WAIT);
  expect(await page.getByLabel('SQL statement').inputValue()).toContain('FROM trade_signals');
  await page.getByRole('button', { name: 'Forget my signals' }).click();
  await page.getByRole('button', { name: 'my signals', exact: true }).waitFor({ state: 'hidden', ...WAIT });
  expect(complaints).toEqual([]);
});

test.each([
  ['light', 1440],
  ['dark', 1024],
  ['light', 390],
] as const)('is for everybody: %s, %i px wide', async (colorScheme, width) => {
  const { page, complaints } = await open({ colorScheme, width });
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('table', { name: 'Result' }).waitFor(WAIT);
  await expectAccessible(page);
  expect(await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')).toBe(
    false,
  );
  expect(complaints).toEqual([]);
});
