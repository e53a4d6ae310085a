// Performance in a real browser: figures, curves, groups that lead to their lists, the calendar, and a file for a spreadsheet.

import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { type DashboardBrowser, expectAccessible, startDashboard } from '../support/dashboard-browser.ts';

/** A first run may have to install the browser. */
const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 30_000 };

let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard();
}, SETUP_TIMEOUT_MS);

test('before the first trade it says so', async () => {
  const { page, complaints } = await dashboard.open({ place: '#/performance' });
  await page.getByText('Nothing was traded in this time').waitFor(WAIT);
  await expectAccessible(page);
  expect(complaints).toEqual([]);
});

test('groups what was traded by strategy, market, key, account and day, and each line leads to its list', async () => {
  for (const [symbol, strategy] of [
    ['ETHUSDT', 'ema-cross'],
    ['SOLUSDT', 'scalper'],
  ] as const)
    for (const action of ['LONG', 'CLOSE_LONG']) await dashboard.signal({ symbol, strategy, action, quantity: 2 });
  const { page, complaints } = await dashboard.open({ place: '#/performance' });
  const groups = page.getByRole('table', { name: /^By / });
  await groups.getByText('scalper').waitFor(WAIT);
  expect(await groups.locator('tbody tr').count()).toBe(2);
  await page.getByText('0 won, 2 lost').waitFor(WAIT);
  for (const [choice, line] of [
    ['market', 'SOLUSDT'],
    ['key', 'default'],
    ['account', 'binance'],
    ['day', new Date().toISOString().slice(0, 10)],
  ] as const) {
    await page.getByRole('button', { name: choice, exact: true }).click();
    await groups.getByText(line, { exact: true }).waitFor(WAIT);
  }
  await page.getByRole('button', { name: 'account', exact: true }).click();
  const account = groups.getByRole('link', { name: 'binance', exact: true });
  await account.waitFor(WAIT);
  expect(await account.getAttribute('href')).toBe('#/trades?exchange=binance&account=main');
  await page.getByRole('button', { name: 'market', exact: true }).click();
  await groups.getByRole('link', { name: 'SOLUSDT' }).click(WAIT);
  await page.getByText('That is all: 2 trades.').waitFor(WAIT);
  expect(complaints).toEqual([]);
});

test('a day of the calendar leads to what was traded on it, and back to all', async () => {
  const today = new Date().toISOString().slice(0, 10);
  const { page, complaints } = await dashboard.open({ place: '#/performance' });
  await page.locator('.calendar').getByRole('link').click(WAIT);
  await page.getByText(`Only ${today}`).waitFor(WAIT);
  await page.getByRole('table', { name: 'By market' }).getByText('ETHUSDT').waitFor(WAIT);
  await page.getByRole('link', { name: 'All days' }).click();
  await page.locator('.calendar').waitFor(WAIT);
  const { page: empty } = await dashboard.open({ place: '#/performance?day=2020-01-01' });
  await empty.getByText('Nothing was traded in this time').waitFor(WAIT);
  expect(complaints).toEqual([]);
});

test('what is shown can be saved for a spreadsheet', async () => {
  const { page, complaints } = await dashboard.open({ place: '#/performance?by=symbol' });
  await page.getByRole('table', { name: 'By market' }).getByText('ETHUSDT').waitFor(WAIT);
  const [saved] = await Promise.all([
    page.waitForEvent('download', WAIT),
    page.getByRole('button', { name: 'CSV' }).click(),
  ]);
  expect(saved.suggestedFilename()).toBe('performance-by-symbol.csv');
  const [titles, ...lines] = readFileSync(String(await saved.path()), 'utf8')
    .trimEnd()
    .split('\r\n');
  expect(titles).toBe(
    'group,mode,trades,wins,losses,winRate,profitFactor,pnl,fees,funding,net,expectancy,maxDrawdown,averageHoldingSeconds',
  );
  expect(lines.map((line) => line.split(',').slice(0, 3).join(',')).sort()).toEqual([
    'ETHUSDT,paper,1',
    'SOLUSDT,paper,1',
  ]);
  expect(complaints).toEqual([]);
});

test('draws equity and drawdown once there are two samples, and compares a real account with its twin', async () => {
  const { page, complaints } = await dashboard.open();
  const [at, equity] = [Date.now(), [1000, 1100, 990]];
  await page.route(/\/equity\?/, (route) =>
    route.fulfill({
      json: {
        ...{ success: true, requestId: 'x' },
        result: [
          {
            ...{ exchange: 'binance', account: 'main', mode: 'live', prices: 'binance' },
            points: equity.map((value, index) => ({ at: at + index * 60_000, equity: value, balance: value })),
          },
        ],
      },
    }),
  );
  const parts = {
    delay: -1,
    spread: -2,
    impact: 0,
    fees: -0.5,
    funding: 0,
    partialFill: 0,
    refusal: 0,
    unmarked: 0,
    other: 0,
  };
  const report = { exchange: 'binance', account: 'main', mode: 'live', since: null, trades: 7 };
  await page.route(/\/performance\/twin/, (route) =>
    route.fulfill({
      json: {
        ...{ success: true, requestId: 'x' },
        result: [{ ...report, result: { live: 10, twin: 13.5, gap: -3.5, parts } }],
      },
    }),
  );
  // No such account runs here: the real server refuses the mode, and only what a browser draws of it is looked at.
  await page.route(/\/performance\?/, async (route) => {
    const url = route.request().url().replace('mode=live', 'mode=paper');
    await route.fulfill({ response: await route.fetch({ url }) });
  });
  await page.evaluate("location.hash = '#/performance?mode=live'");
  await page.getByRole('img', { name: 'Equity: 1,000.00 at first, 990.00 now' }).waitFor(WAIT);
  await page.getByRole('img', { name: 'Drawdown: 0.00 % at first, −10.00 % now' }).waitFor(WAIT);
  const twins = page.getByRole('table', { name: 'Paper twins' });
  await twins.getByText('−3.50').waitFor(WAIT);
  expect(complaints).toEqual([]);
});

test('a mode without an account is told in the server’s words', async () => {
  const { page } = await dashboard.open({ place: '#/performance?mode=live' });
  await page.getByRole('alert').getByText('in mode live').waitFor(WAIT);
  await page.getByRole('link', { name: 'Show all' }).first().click();
  await page.getByRole('table', { name: 'By strategy' }).waitFor(WAIT);
});

test.each([
  ['light', 1440],
  ['dark', 1024],
  ['light', 390],
] as const)('is for everybody: %s, %i px wide', async (colorScheme, width) => {
  const { page, complaints } = await dashboard.open({ colorScheme, width, place: '#/performance' });
  await page.locator('.calendar').waitFor(WAIT);
  await page.getByRole('table', { name: 'By strategy' }).waitFor(WAIT);
  await expectAccessible(page);
  expect(await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')).toBe(
    false,
  );
  expect(complaints).toEqual([]);
});
