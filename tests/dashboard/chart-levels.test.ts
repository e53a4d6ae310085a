// The account's lines on the chart in a real browser: whose they are, with which money, and at which price they would really stand.

import { beforeAll, expect, test } from 'vitest';
import { type DashboardBrowser, expectAccessible, startDashboard } from '../support/dashboard-browser.ts';

const WAIT = { timeout: 30_000 };

let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard();
}, 300_000);

test.each([
  ['light', 1440],
  ['dark', 390],
] as const)(
  'paper and live of one market cannot be taken for each other: %s, %i px wide',
  async (colorScheme, width) => {
    await dashboard.signal({ symbol: 'ETHUSDT', quantity: 1, stopLoss: { percent: 5 } });
    await dashboard.signal({ symbol: 'ETHUSDT', quantity: 2, exchange: 'bybit' });
    const { page, complaints } = await dashboard.open({ colorScheme, width });
    await page.route(/\/positions$/, async (route) => {
      const answer = await (await route.fetch()).json();
      const asLive = (each: { exchange: string }) =>
        each.exchange === 'bybit' ? { ...each, account: 'scalp', mode: 'live' } : each;
      await route.fulfill({ json: { ...answer, result: answer.result.map(asLive) } });
    });
    await page.goto(`${dashboard.signalbox.url}/#/chart/ETHUSDT`);
    const held = page.getByRole('list', { name: 'Held in this market' }).getByRole('listitem');
    const paper = held.filter({ hasText: 'binance' });
    await paper.getByText('PAPER', { exact: true }).waitFor(WAIT);
    const live = held.filter({ hasText: 'bybit:scalp' });
    await live.getByText('LIVE', { exact: true }).waitFor(WAIT);
    expect(await paper.getByRole('link', { name: 'set one' }).count()).toBe(0);
    expect(await live.getByRole('link', { name: 'No stop: set one' }).getAttribute('href')).toContain(
      '#/positions/bybit',
    );
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  },
);

test('a typed stop is moved to a price that its own exchange takes, and that price is shown first', async () => {
  await dashboard.signal({ symbol: 'SOLUSDT', exchange: 'bybit', quantity: 1, stopLoss: { percent: 5 } });
  const { page } = await dashboard.open();
  await page.route(/\/markets\?symbol=SOLUSDT/, async (route) => {
    const answer = await (await route.fetch()).json();
    const withTick = (each: { exchange: string }) => ({ ...each, tickSize: each.exchange === 'bybit' ? 0.5 : 0.01 });
    await route.fulfill({ json: { ...answer, result: answer.result.map(withTick) } });
  });
  await page.goto(`${dashboard.signalbox.url}/#/chart/SOLUSDT`);
  const button = page.getByRole('button', { name: /^stop .*: move it$/ });
  await button.click(WAIT);
  const dialog = page.getByRole('dialog', { name: 'Move the stop of LONG SOLUSDT?' });
  await dialog.getByText('PAPER · play money').waitFor(WAIT);
  await dialog.getByLabel('New price').fill('10.3');
  await dialog.getByText('It moves to 10.5, a multiple of 0.5, as bybit takes them.').waitFor(WAIT);
  await dialog.getByText('Closing at 10.5 would come to').waitFor(WAIT);
  await expectAccessible(page);
  const sent = page.waitForRequest((request) => request.method() === 'PUT' && request.url().includes('/protection'));
  await dialog.getByRole('button', { name: 'Move it' }).click();
  expect((await sent).postDataJSON()).toEqual({ stopLoss: 10.5 });
  await dialog.waitFor({ state: 'detached', ...WAIT });
});

test('the stop of what is held keeps its line beside that of an entry that waits, which cannot be taken for it', async () => {
  const held = { symbol: 'XRPUSDT', strategy: 'ema' };
  await dashboard.signal({ ...held, quantity: 100, stopLoss: { percent: 5 } });
  const { entryPrice, stopLoss } = await onlyProtection('XRPUSDT');
  const below = (share: number) => Number((entryPrice * share).toFixed(4));
  await dashboard.signal({ ...held, quantity: 100, price: below(0.9), stopLoss: below(0.8) });
  const { page } = await dashboard.open({ place: '#/chart/XRPUSDT' });
  const bar = page.getByRole('list', { name: 'Held in this market' });
  await bar.getByRole('button', { name: `stop · ema ${stopLoss.price}: move it` }).waitFor(WAIT);
  expect(await bar.getByRole('button', { name: 'move it' }).count()).toBe(1);
});

// biome-ignore lint/suspicious/noExplicitAny: a test reads any field
async function onlyProtection(symbol: string): Promise<any> {
  const answer = await fetch(`${dashboard.signalbox.url}/positions?symbol=${symbol}`);
  // biome-ignore lint/suspicious/noExplicitAny: the same
  const { result } = (await answer.json()) as any;
  return result[0].protections[0];
}
