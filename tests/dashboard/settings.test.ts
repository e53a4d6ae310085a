// Settings in a real browser: what is in force, a test of the channels, the queue mode, the audit, the theme, and a backup made now.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DashboardBrowser, expectAccessible, REFUSALS, startDashboard } from '../support/dashboard-browser.ts';
import { startWebReceiver, type WebReceiver } from '../support/notice-receivers.ts';
import { freshDataDir } from '../support/process.ts';

const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 30_000 };
const BACKUP_DIR = join(freshDataDir(), 'backups');
const SECRET = 'the-secret-of-the-webhook-0815-4711';

let receiver: WebReceiver;
let dashboard: DashboardBrowser;
beforeAll(async () => {
  receiver = await startWebReceiver();
  dashboard = await startDashboard({
    env: {
      ...{ SERVICES: 'gateway,dashboard', ENVIRONMENT: 'staging' },
      ...{ NOTIFY_WEBHOOK_URL: `${receiver.url}/notices`, NOTIFY_WEBHOOK_SECRET: SECRET },
      BACKUP_DIR,
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
    .getByRole('row', { name: /queue mode/ })
    .first()
    .waitFor(WAIT);
  expect(await dashboard.signal({})).toMatchObject({ status: 'Enqueued' });
  await page.getByRole('radio', { name: 'failover' }).check();
  await audit.getByText('async → failover').waitFor(WAIT);
  // Every other one, as far back as there are any.
  const search = page.getByLabel('Search the audit');
  await search.fill('nobody-did-this');
  await page.getByText('No change fits.').waitFor(WAIT);
  await search.fill('QUEUE');
  await page.getByText('That is all: 2 changes.').waitFor(WAIT);
  expect(complaints).toEqual([]);
});

test('makes a backup now, says where it is, and lists it; one that another makes is waited for', async () => {
  const { page, complaints } = await open();
  const panel = page.getByRole('region', { name: 'Backup' });
  await panel.getByText('There is no backup yet.').waitFor(WAIT);
  await panel.getByText('They are not encrypted').waitFor(WAIT);
  await panel.getByRole('button', { name: 'Back up now' }).click();
  await panel.getByRole('button', { name: 'Backing up…' }).waitFor(WAIT);
  await panel.getByRole('status').getByText('The backup is made, and was read back').waitFor(WAIT);
  const [name = ''] = readdirSync(BACKUP_DIR);
  const file = join(BACKUP_DIR, name);
  await panel.getByRole('status').getByText(file).waitFor(WAIT);
  const row = panel.getByRole('table', { name: 'Backups' }).getByRole('row', { name });
  expect(await row.innerText()).toContain(`${Math.round(statSync(file).size / 1024)} KiB`);

  await page.route('**/admin/backups', (route) =>
    route.fulfill({ json: { success: true, result: { folder: BACKUP_DIR, isRunning: true, backups: [] } } }),
  );
  const busy = panel.getByRole('button', { name: 'Backing up…' });
  await busy.waitFor(WAIT);
  expect(await busy.isDisabled()).toBe(true);
  expect(complaints).toEqual([]);
});

test('a backup that is refused is told in the words of the server', async () => {
  const { page } = await open({ expected: REFUSALS });
  const error = 'no backup was made: the disk is full';
  await page.route('**/admin/backup', (route) =>
    route.fulfill({ status: 500, json: { success: false, code: 'BACKUP_FAILED', error } }),
  );
  const panel = page.getByRole('region', { name: 'Backup' });
  await panel.getByRole('button', { name: 'Back up now' }).click();
  expect(await panel.getByRole('alert').innerText()).toContain('the disk is full');
  await panel.getByRole('button', { name: 'Back up now' }).waitFor(WAIT);
});

test.each([
  ['light', 1440],
  ['dark', 390],
] as const)('guides are read here, and lead to each other: %s, %i px wide', async (colorScheme, width) => {
  const { page, complaints } = await open({ colorScheme, width });
  await page.getByRole('link', { name: 'All of them' }).click();
  await page.getByRole('region', { name: 'Documentation' }).getByRole('link', { name: 'Paper trading' }).click(WAIT);
  const guide = page.getByRole('region', { name: 'Paper trading' });
  await guide.getByRole('heading', { name: 'Leverage and margin' }).waitFor(WAIT);
  await expectAccessible(page);
  expect(await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')).toBe(
    false,
  );
  // As the figure of a margin leads to it: the heading that is meant comes into view.
  await page.goto(`${dashboard.signalbox.url}/#/guides/paper-trading?at=liquidation`);
  const isInView = `document.getElementById('guide-liquidation').getBoundingClientRect().top < innerHeight`;
  await expect.poll(() => page.evaluate(isInView), WAIT).toBe(true);
  await page.goto(`${dashboard.signalbox.url}/#/guides/none`);
  await page.getByRole('alert').getByRole('link', { name: 'All guides' }).waitFor(WAIT);
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
