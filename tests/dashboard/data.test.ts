// The data in a real browser: statements as people write them, results as table, picture and file, and errors in words.

import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { type DashboardBrowser, expectAccessible, REFUSALS, startDashboard } from '../support/dashboard-browser.ts';

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
  const { page } = await open({ expected: REFUSALS });
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

const saveAs = async (page: Page, name: string): Promise<void> => {
  await page.getByLabel('Save as').fill(name);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
};
const saved = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const statementOf = (page: Page) => page.getByLabel('SQL statement').inputValue();
const pathOf = (name: string): string => `${dashboard.signalbox.url}/admin/layouts/query/${encodeURIComponent(name)}`;
const stored = async (name: string): Promise<unknown> =>
  ((await (await fetch(pathOf(name))).json()) as { result?: { content: unknown } }).result?.content;

test('shows the tables, and keeps a query for every browser until it is deleted, which is asked; it is saved again after that', async () => {
  const { page, complaints } = await open();
  await page.getByText('trade_signals', { exact: true }).click();
  await page.getByRole('button', { name: 'Look into trade_signals' }).click();
  expect(await statementOf(page)).toBe('SELECT *\nFROM trade_signals\nLIMIT 100');
  await saveAs(page, 'my signals');
  await saved(page, 'my signals').waitFor(WAIT);
  const other = await open({ width: 390, height: 844, colorScheme: 'dark' });
  await saved(other.page, 'my signals').click(WAIT);
  await expect.poll(() => statementOf(other.page), WAIT).toContain('FROM trade_signals');
  await expectAccessible(other.page);
  const question = page.getByRole('dialog', { name: 'Delete my signals?' });
  await page.getByRole('button', { name: 'Delete my signals' }).click();
  await question.getByRole('button', { name: 'Keep it' }).click();
  await question.waitFor({ state: 'detached', ...WAIT });
  expect(await stored('my signals')).toBeDefined();
  await page.getByRole('button', { name: 'Delete my signals' }).click();
  await question.getByRole('button', { name: 'Delete it' }).click();
  await saved(page, 'my signals').waitFor({ state: 'hidden', ...WAIT });
  expect(await stored('my signals')).toBeUndefined();
  await saveAs(page, 'my signals');
  await saved(page, 'my signals').waitFor(WAIT);
  expect([...complaints, ...other.complaints].filter((words) => !words.includes('404'))).toEqual([]);
});

test('moves the queries that this browser kept by itself, and names one that cannot be moved', async () => {
  await fetch(pathOf('Same'), { method: 'PUT', body: JSON.stringify({ content: { sql: 'SELECT 7' } }) });
  const { page } = await open({ expected: REFUSALS });
  const kept = [
    { name: 'Too large', sql: 'x'.repeat(8_193) },
    { name: 'Same', sql: 'SELECT 8' },
    { name: 'Fees', sql: "SELECT 'two\n lines'" },
  ];
  await page.evaluate(`localStorage.setItem('signalbox.queries', ${JSON.stringify(JSON.stringify(kept))})`);
  await page.reload();
  await page.getByText(/could not be moved to the server: Too large \(.*\)$/).waitFor(WAIT);
  await saved(page, 'Fees').click(WAIT);
  await expect.poll(() => statementOf(page), WAIT).toBe("SELECT 'two\n lines'");
  expect([await stored('Same'), await stored('Same (2)')]).toEqual([{ sql: 'SELECT 7' }, { sql: 'SELECT 8' }]);
  const left = `JSON.parse(localStorage.getItem('signalbox.queries')).map(({ name }) => name)`;
  expect(await page.evaluate(left)).toEqual(['Too large']);
  await expectAccessible(page);
});

test('does not save over a query that it has not opened, unless it is told to', async () => {
  const theirs = { sql: 'SELECT 1' };
  await fetch(pathOf('Both'), { method: 'PUT', body: JSON.stringify({ content: theirs }) });
  const { page } = await open({ expected: REFUSALS });
  await page.getByLabel('SQL statement').fill('SELECT 2');
  await saveAs(page, 'Both');
  await page.getByText('Both is there already').waitFor(WAIT);
  expect(await stored('Both')).toEqual(theirs);
  await page.getByRole('button', { name: 'Replace' }).click();
  await expect.poll(() => stored('Both'), WAIT).toEqual({ sql: 'SELECT 2' });
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
