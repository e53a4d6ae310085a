// The first steps on the overview: each ticks itself off by what the server says, and they can be put away.

import { beforeAll, expect, test } from 'vitest';
import { type DashboardBrowser, expectAccessible, REFUSALS, startDashboard } from '../support/dashboard-browser.ts';

const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 30_000 };

const OPTIONS = { env: { SERVICES: 'gateway,dashboard', TRUSTED_PROXIES: '127.0.0.1' } };

let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard(OPTIONS);
}, SETUP_TIMEOUT_MS);

test('a key of the test that cannot be revoked is told, also once the signal has traded', async () => {
  const { page } = await (await startDashboard(OPTIONS)).open({ expected: REFUSALS });
  const json = { success: false, error: 'The disk has gone away for this test.', code: 'STORAGE_UNKNOWN' };
  await page.route(/\/admin\/webhook-keys\/[^/]+$/, (route) => route.fulfill({ status: 503, json }));
  await page.getByRole('button', { name: 'Send a test signal' }).click(WAIT);
  await page.getByText('A signal has traded.').waitFor(WAIT);
  const told = page.getByRole('alert').getByText(/could not be revoked: The disk has gone away.* Alerts & keys/);
  await told.waitFor(WAIT);
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  expect(await told.isVisible()).toBe(true);
  await expectAccessible(page);
});

test('a test signal trades on paper and its key is gone; a call of TradingView is noticed; put away is put away', async () => {
  const { page, complaints } = await dashboard.open();
  await page.getByText('0 of 4 done').waitFor(WAIT);
  await expectAccessible(page);
  const sent = page.waitForRequest(/\/webhook$/);
  await page.getByRole('button', { name: 'Send a test signal' }).click();
  expect((await sent).postDataJSON()).toMatchObject({
    ...{ account: 'main', idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/) },
  });
  await page.getByText('1 of 4 done').waitFor(WAIT);
  await page.getByText('A signal has traded.').waitFor(WAIT);
  await page.getByRole('table', { name: 'Positions' }).getByText('BTCUSDT').waitFor(WAIT);
  const keys = (await (await fetch(`${dashboard.signalbox.url}/admin/webhook-keys`)).json()) as {
    result: { label: string; revokedAt: number | null }[];
  };
  expect(keys.result.find(({ label }) => label === 'test signal')?.revokedAt).toBeTypeOf('number');

  const headers = { 'content-type': 'application/json', 'x-forwarded-for': '52.89.214.238' };
  await fetch(`${dashboard.signalbox.url}/webhook`, { method: 'POST', headers, body: '{}' });
  await page.getByText('TradingView has called, from 52.89.214.238.').waitFor(WAIT);
  await page.getByText('2 of 4 done').waitFor(WAIT);
  await page.getByRole('link', { name: 'Look at accounts' }).waitFor(WAIT);

  await page.getByRole('button', { name: 'Put away' }).click();
  await page.getByRole('heading', { name: 'First steps' }).waitFor({ state: 'hidden', ...WAIT });
  await page.reload();
  await page.getByRole('table', { name: 'Positions' }).waitFor(WAIT);
  expect(await page.getByRole('heading', { name: 'First steps' }).count()).toBe(0);
  expect(complaints).toEqual([]);
});
