// Settings in a real browser: what is in force, a test of the channels, the queue mode, the audit, and the theme.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DashboardBrowser, expectAccessible, startDashboard } from '../support/dashboard-browser.ts';
import { startWebReceiver, type WebReceiver } from '../support/notice-receivers.ts';

const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 30_000 };
const SECRET = 'the-secret-of-the-webhook-0815-4711';

let receiver: WebReceiver;
let dashboard: DashboardBrowser;
beforeAll(async () => {
  receiver = await startWebReceiver();
  dashboard = await startDashboard({
    env: {
      ...{ SERVICES: 'gateway,dashboard', ENVIRONMENT: 'staging' },
      ...{ NOTIFY_WEBHOOK_URL: `${receiver.url}/notices`, NOTIFY_WEBHOOK_SECRET: SECRET },
    },
  });
}, SETUP_TIMEOUT_MS);
afterAll(() => receiver.close());

const open = async (options = {}) => {
  const opened = await dashboard.open({ place: '#/settings', ...options });
  await opened.page.getByRole('table', { name: 'Settings in force' }).waitFor(WAIT);
  return opened;
};

test('shows what is set and from where, finds the others, and keeps secrets', async () => {
  const { page, complaints } = await open();
  await page.getByText('staging', { exact: true }).first().waitFor(WAIT);
  const table = page.getByRole('table', { name: 'Settings in force' });
  const row = table.getByRole('row', { name: /^ENVIRONMENT/ });
  await row.getByText('environment', { exact: true }).waitFor(WAIT);
  expect(await table.getByRole('row', { name: /^LOG_LEVEL/ }).count()).toBe(0);
  await page.getByLabel('Search').fill('how much is logged');
  await table.getByRole('row', { name: /^LOG_LEVEL/ }).waitFor(WAIT);
  await page.getByLabel('Search').fill('nothing has these words');
  await page.getByText('No setting has these words.').waitFor(WAIT);
  await page.getByLabel('Search').fill('');
  await page.getByLabel('Show defaults too').check();
  await table.getByRole('row', { name: /^LOG_LEVEL/ }).waitFor(WAIT);
  expect(await page.content()).not.toContain(SECRET);
  await page.getByText(`npx signalbox backup --data-dir "${dashboard.signalbox.dataDir}" --encrypt`).waitFor(WAIT);
  expect(complaints).toEqual([]);
});

test('sends a test notice, and says whether it arrived', async () => {
  const { page, complaints } = await open();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('The test has arrived.').waitFor(WAIT);
  expect(receiver.received.some(({ body }) => body.includes('"topic":"test"'))).toBe(true);
  receiver.answers.set('/notices', { status: 404 });
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('The test has not arrived').waitFor(WAIT);
  expect(complaints).toEqual([]);
});

test('changes the queue mode, which the audit tells in words', async () => {
  const { page, complaints } = await open();
  await page.getByRole('radio', { name: 'async' }).check();
  const audit = page.getByRole('table', { name: 'Audit' });
  await audit
    .getByRole('row', { name: /queueMode/ })
    .first()
    .waitFor(WAIT);
  expect(await dashboard.signal({})).toMatchObject({ status: 'Enqueued' });
  await page.getByRole('radio', { name: 'failover' }).check();
  await audit.getByText('async → failover').waitFor(WAIT);
  expect(complaints).toEqual([]);
});

test('the theme is kept in this browser', async () => {
  const { page, complaints } = await open({ colorScheme: 'light' });
  await page.getByRole('radio', { name: 'Dark' }).check();
  expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
  await page.reload();
  await page.getByRole('table', { name: 'Settings in force' }).waitFor(WAIT);
  expect(await page.getByRole('radio', { name: 'Dark' }).isChecked()).toBe(true);
  await page.getByRole('radio', { name: 'As this machine prefers' }).check();
  expect(await page.evaluate('document.documentElement.dataset.theme ?? null')).toBeNull();
  expect(complaints).toEqual([]);
});

test.each([
  ['light', 1440],
  ['dark', 1024],
  ['light', 390],
] as const)('is for everybody: %s, %i px wide', async (colorScheme, width) => {
  const { page, complaints } = await open({ colorScheme, width });
  await page.getByLabel('Show defaults too').check();
  await expectAccessible(page);
  expect(await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')).toBe(
    false,
  );
  expect(complaints).toEqual([]);
});
