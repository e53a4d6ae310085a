// The overview in a real browser: what is held and what came in, closing, stopping, and a server that goes and comes back.

import { beforeAll, describe, expect, test } from 'vitest';
import { type DashboardBrowser, expectAccessible, startDashboard } from '../support/dashboard-browser.ts';
import { startProcess } from '../support/process.ts';

/** A first run may have to install the browser. */
const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 30_000 };

let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard();
}, SETUP_TIMEOUT_MS);

describe('the overview', () => {
  test('teaches where there is nothing yet', async () => {
    const { page, complaints } = await dashboard.open();
    await page.getByText('No signal has come in yet').waitFor(WAIT);
    await page.getByText('Nothing is held').waitFor(WAIT);
    await page.getByText('PAPER · simulated prices').waitFor(WAIT);
    await page.getByText('All systems well').waitFor(WAIT);
    expect(await page.title()).toBe('Overview · Signalbox');
    expect(complaints).toEqual([]);
  });

  test('shows a trade and a refusal within seconds, without a reload, and closes what is held', async () => {
    const { page, complaints } = await dashboard.open();
    await page.getByText('Nothing is held').waitFor(WAIT);
    await dashboard.signal({ strategy: 'ema-cross', stopLoss: 60_000 });
    await dashboard.signal({ symbol: 'NOPE' });
    const signals = page.getByRole('table', { name: 'Latest signals' });
    await signals.getByText('filled').waitFor(WAIT);
    await signals.getByText('refused').waitFor(WAIT);
    await signals.getByText('binance has no market NOPE').waitFor(WAIT);
    const positions = page.getByRole('table', { name: 'Positions' });
    await positions.getByText('stop 60,000').waitFor(WAIT);
    await page.getByRole('button', { name: 'Close LONG BTCUSDT' }).click();
    const question = page.getByRole('dialog', { name: 'Close LONG BTCUSDT?' });
    await question.getByRole('button', { name: 'Keep it' }).click();
    await question.waitFor({ state: 'hidden', ...WAIT });
    await positions.waitFor(WAIT);
    await page.getByRole('button', { name: 'Close LONG BTCUSDT' }).click();
    await question.getByRole('button', { name: 'Close it' }).click();
    await page.getByText('Nothing is held').waitFor(WAIT);
    expect(complaints).toEqual([]);
  });

  test('stops trading with a reason, says so in a second tab, and trades again', async () => {
    const [first, second] = [await dashboard.open(), await dashboard.open()];
    await first.page.getByRole('button', { name: 'Stop trading…' }).click();
    await first.page.getByLabel('Reason (kept in the audit)').fill('the news');
    await first.page.getByRole('dialog').getByRole('button', { name: 'Stop trading', exact: true }).click();
    await first.page.getByRole('button', { name: 'Trading is stopped…' }).waitFor(WAIT);
    expect(await dashboard.signal({})).toMatchObject({ success: false, code: 'KILL_SWITCH_ACTIVE' });
    await second.page.getByRole('button', { name: 'Trading is stopped…' }).click(WAIT);
    await second.page.getByText('Reason: the news').waitFor(WAIT);
    await second.page.getByRole('button', { name: 'Trade again' }).click();
    await first.page.getByRole('button', { name: 'Stop trading…' }).waitFor(WAIT);
    expect([...first.complaints, ...second.complaints]).toEqual([]);
  });

  test.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 1024],
    ['light', 390],
    ['dark', 390],
  ] as const)('is for everybody: %s, %i px wide', async (colorScheme, width) => {
    await dashboard.signal({ stopLoss: 60_000 });
    const { page, complaints } = await dashboard.open({ colorScheme, width });
    await page.getByRole('table', { name: 'Positions' }).waitFor(WAIT);
    await page.getByRole('table', { name: 'Latest signals' }).waitFor(WAIT);
    await expectAccessible(page);
    const isTooWide = await page.evaluate(
      'document.documentElement.scrollWidth > document.documentElement.clientWidth',
    );
    expect(isTooWide).toBe(false);
    expect(complaints).toEqual([]);
  });

  test('of an unknown place says so and leads back', async () => {
    const { page } = await dashboard.open({ place: '#/nowhere' });
    await page.getByRole('link', { name: 'Go to the overview' }).click(WAIT);
    await page.getByText('PAPER · simulated prices').waitFor(WAIT);
  });
});

test('a server that goes is told at once, and all is well without a reload when it is back', async () => {
  const { signalbox } = dashboard;
  const { page } = await dashboard.open({ keepsFiles: true });
  await page.getByText('All systems well').waitFor(WAIT);
  // From the second visit on its files are kept.
  await page.waitForFunction('navigator.serviceWorker.controller !== null', undefined, WAIT);
  await page.reload();
  await page.getByText('All systems well').waitFor(WAIT);
  await page.waitForFunction("caches.match('/').then((kept) => kept !== undefined)", undefined, WAIT);
  const { port } = new URL(signalbox.url);
  await signalbox.stop();
  await page.getByText('Connection lost, trying again…').waitFor(WAIT);
  await page.reload();
  await page.getByText('Connection lost, trying again…').waitFor(WAIT);
  const again = await startProcess({ dataDir: signalbox.dataDir, env: { PORT: port } });
  try {
    await page.getByText('All systems well').waitFor(WAIT);
  } finally {
    await again.stop();
  }
}, 120_000);
