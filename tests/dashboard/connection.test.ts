// What the page says while it hears nothing: of a server that stands still, of a network that goes, and of prices that do not come.

import { beforeAll, expect, test } from 'vitest';
import { type DashboardBrowser, LOST_SERVER, startDashboard } from '../support/dashboard-browser.ts';

const WAIT = { timeout: 30_000 };
const LOST = 'Connection lost, trying again…';

let dashboard: DashboardBrowser;
beforeAll(async () => {
  // Nobody answers there.
  const env = {
    MARKET_DATA: 'binance',
    MARKET_DATA_REST_URL: 'http://127.0.0.1:9',
    MARKET_DATA_WS_URL: 'ws://127.0.0.1:9',
  };
  dashboard = await startDashboard({ env });
}, 300_000);

test('a server that takes questions and answers none is lost within seconds, not only when the others give up', async () => {
  const { page } = await dashboard.open({ place: '#/access' });
  await page.clock.install();
  await page.reload();
  const chip = page.getByRole('banner').getByRole('status');
  await chip.getByText('All systems well').waitFor(WAIT);
  await page.route('**/*', () => {});
  await page.clock.pauseAt(Date.now() + 60_000);
  // Asked every three seconds, and waited for four.
  await page.clock.runFor(8_000);
  await chip.getByText(LOST).waitFor(WAIT);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.clock.resume();
  await chip.getByText('All systems well').waitFor(WAIT);
});

test('a network that goes is noticed by itself, and so is its return', async () => {
  const { page } = await dashboard.open({ place: '#/access', expected: LOST_SERVER });
  // Nothing is asked every so often: what is noticed is noticed by the network's own word.
  await page.addInitScript(() => Object.assign(globalThis, { setInterval: () => 0 }));
  await page.reload();
  const chip = page.getByRole('banner').getByRole('status');
  await chip.getByText('All systems well').waitFor(WAIT);
  await page.context().setOffline(true);
  await chip.getByText(LOST).waitFor(WAIT);
  await page.context().setOffline(false);
  await chip.getByText('All systems well').waitFor(WAIT);
});

test('prices that do not come mark their row, beside the warning in its own words', async () => {
  const { page } = await dashboard.open({ place: '#/' });
  await dashboard.signal({});
  const panel = page.getByRole('region', { name: 'How it runs' });
  await panel.locator('div', { hasText: 'Prices' }).getByText('binance, see the warning').waitFor(WAIT);
  await panel
    .getByRole('list', { name: 'Warnings' })
    .getByText('The market data of binance does not answer')
    .waitFor(WAIT);
  expect(await panel.locator('dd.unwell').count()).toBe(1);
});
