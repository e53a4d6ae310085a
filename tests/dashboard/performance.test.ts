// Performance in a real browser: figures, curves, groups that lead to their lists, the calendar, and a file for a spreadsheet.

import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import {
  type DashboardBrowser,
  expectAccessible,
  type OpenedPage,
  REFUSALS,
  startDashboard,
} from '../support/dashboard-browser.ts';

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
  expect(await account.getAttribute('href')).toBe('#/performance/trades?exchange=binance&account=main');
  await page.getByRole('button', { name: 'market', exact: true }).click();
  await groups.getByRole('link', { name: 'SOLUSDT' }).click(WAIT);
  // As many as the group has.
  await page.getByText('That is all: 1 closed trade.').waitFor(WAIT);
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

/** Whether the lowest value of a curve stands clear of its line. */
const isLowBelow = (page: OpenedPage['page'], label: RegExp): Promise<boolean> =>
  page.getByRole('img', { name: label }).evaluate((line) => {
    const low = line.parentElement?.querySelector('.low');
    return low !== undefined && low !== null && low.getBoundingClientRect().top >= line.getBoundingClientRect().bottom;
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
  await page.route(/\/performance(?:\/(?:drawdown|latency|trades))?\?/, async (route) => {
    const url = route.request().url().replace('mode=live', 'mode=paper');
    await route.fulfill({ response: await route.fetch({ url }) });
  });
  await page.evaluate("location.hash = '#/performance?mode=live'");
  await page.getByRole('img', { name: 'Equity: 1,000.00 at first, 990.00 now' }).waitFor(WAIT);
  await page.getByRole('img', { name: 'Drawdown: 0.00 % at first, −10.00 % now' }).waitFor(WAIT);
  expect([await isLowBelow(page, /^Equity:/), await isLowBelow(page, /^Drawdown:/)]).toEqual([true, true]);
  const twins = page.getByRole('table', { name: 'Paper twins' });
  await twins.getByText('−3.50').waitFor(WAIT);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  expect(complaints).toEqual([]);
});

interface Closed {
  readonly id: string;
  readonly requestId: string;
  readonly entryRequestId: string;
  readonly r: number | null;
}
// biome-ignore lint/suspicious/noExplicitAny: a test reads any field
const get = async (path: string): Promise<any> =>
  ((await (await fetch(`${dashboard.signalbox.url}${path}`)).json()) as { result: unknown }).result;
const shown = (value: number): string => {
  const text = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(
    Math.abs(value),
  );
  return /[1-9]/.test(text) && value < 0 ? `−${text}` : text;
};
const signed = (value: number): string => (/^[^−]*[1-9]/.test(shown(value)) ? `+${shown(value)}` : shown(value));

test('draws the result, its drawdown and how long trades took by the server’s own figures', async () => {
  const { page, complaints } = await dashboard.open({ place: '#/performance' });
  const [{ points }] = await get('/performance/drawdown?mode=paper');
  const last = points.at(-1);
  const result = `Result: 0.00 at first, ${signed(last.net)} now`;
  await page.getByRole('img', { name: result, exact: true }).waitFor(WAIT);
  const falls = `Drawdown of the result: 0.00 at first, ${shown(-last.drawdown)} now`;
  await page.getByRole('img', { name: falls }).waitFor(WAIT);
  const deepest = Math.max(...points.map(({ drawdown }: { drawdown: number }) => drawdown));
  expect(deepest).toBeGreaterThan(0);
  await page.locator('.fall .low').getByText(shown(-deepest), { exact: true }).waitFor(WAIT);
  const { steps } = await get('/performance/latency?mode=paper');
  for (const [choice, word] of [
    ['signal to fill', 'received_to_filled'],
    ['signal to order', 'received_to_sent'],
  ] as const) {
    await page.getByRole('button', { name: choice, exact: true }).click(WAIT);
    const { count, counts } = steps.find(({ step }: { step: string }) => step === word);
    await page.getByText(`${count} trades: half within`).waitFor(WAIT);
    const bars = page.getByRole('list', { name: 'Trades at binance by how long they took' }).getByRole('listitem');
    const texts = await bars.locator('.sr-only').allTextContents();
    expect(texts.map((text) => Number(text.split(' ')[0]))).toEqual(counts);
    const heights = await bars
      .locator('rect')
      .evaluateAll((all) => all.map((bar) => Number(bar.getAttribute('height'))));
    expect(heights.map((height) => height > 0)).toEqual(counts.map((value: number) => value > 0));
  }
  expect(complaints).toEqual([]);
});

test('tells R and how far trades were ahead, of each closed trade and on its story', async () => {
  const entry = { symbol: 'AVAXUSDT', strategy: 'measured', quantity: 10 };
  await dashboard.signal({ ...entry, stopLoss: { percent: 10 } });
  await dashboard.signal({ ...entry, action: 'CLOSE_LONG', quantity: 4 });
  await dashboard.signal({ ...entry, action: 'CLOSE_LONG' });
  const closed: readonly Closed[] = await get('/performance/trades?strategy=measured');
  expect(closed.map(({ r }) => typeof r)).toEqual(['number', 'number']);
  const { page, complaints } = await dashboard.open();
  // No bar lies within the seconds of this test: how far it was ahead and behind is put into the answers of the server.
  await page.route(/\/performance\/trades\?.*excursions=yes/, async (route) => {
    const text = await (await route.fetch()).text();
    await route.fulfill({ body: text.replaceAll('"mae":null,"mfe":null', '"mae":-12.34,"mfe":56.78') });
  });
  await page.evaluate("location.hash = '#/performance'");
  await page.getByText('of 2 that had a stop').waitFor(WAIT);
  const newest = page.getByRole('table', { name: 'Closed last' });
  await newest.getByText('+56.78').first().waitFor(WAIT);
  await newest
    .getByText(`${signed(closed[0]?.r ?? 0)} R`)
    .first()
    .waitFor(WAIT);
  await page.getByRole('link', { name: 'Closed trades' }).click();
  await page.getByText('That is all: 4 closed trades.').waitFor(WAIT);
  const note = page.getByText('Measured on the position of the account.');
  expect(await note.count()).toBe(0);
  await page.getByLabel('Strategy').fill('measured');
  await page.getByLabel('Strategy').press('Enter');
  await page.getByText('That is all: 2 closed trades.').waitFor(WAIT);
  await note.waitFor(WAIT);
  const [saved] = await Promise.all([
    page.waitForEvent('download', WAIT),
    page.getByRole('link', { name: 'CSV', exact: true }).click(),
  ]);
  const lines = readFileSync(String(await saved.path()), 'utf8')
    .trimEnd()
    .split('\r\n');
  expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(closed.map(({ id }) => id));
  await expectAccessible(page);
  // From the closed trade to its story, from there to its entry, and back to either close.
  await page.getByRole('table', { name: 'Closed trades' }).getByRole('link').first().click();
  const story = page.getByRole('table', { name: 'What it came to' });
  await story.getByText('−12.34').waitFor(WAIT);
  await story.getByText('+56.78').waitFor(WAIT);
  await story.getByRole('link').click(WAIT);
  await expect.poll(() => page.url(), WAIT).toContain(String(closed[0]?.entryRequestId));
  await expect.poll(() => story.locator('tbody tr').count(), WAIT).toBe(2);
  await page.getByText(/of [\d,.]+ at risk/).waitFor(WAIT);
  await story.getByRole('link').last().click();
  await expect.poll(() => page.url(), WAIT).toContain(String(closed[1]?.requestId));
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  expect(complaints).toEqual([]);
});

test('a mode without an account is told in the server’s words', async () => {
  const { page } = await dashboard.open({ expected: REFUSALS, place: '#/performance?mode=live' });
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
  const net = page.locator('.calendar .net').first();
  for (const widest of ['−88.88', '−8,888', '−88.8k', '+888M']) {
    const isCut = net.evaluate((place: { textContent: string; scrollWidth: number; clientWidth: number }, words) => {
      place.textContent = words;
      return place.scrollWidth > place.clientWidth;
    }, widest);
    expect(await isCut, `${widest} is cut`).toBe(false);
  }
  expect(complaints).toEqual([]);
});

test('groups by tag: a trade with two counts for both, and a line leads to the closed trades behind it', async () => {
  const { requestId } = await dashboard.signal({ symbol: 'XRPUSDT', quantity: 100 });
  await dashboard.signal({ symbol: 'XRPUSDT', quantity: 100, action: 'CLOSE_LONG' });
  await fetch(`${dashboard.signalbox.url}/trades/${requestId}`, {
    ...{ method: 'PATCH', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ tags: ['breakout', 'a-setup'] }),
  });
  const { page, complaints } = await dashboard.open({ place: '#/performance?by=tag' });
  const groups = page.getByRole('table', { name: 'By tag' });
  await groups.getByText('a-setup').waitFor(WAIT);
  await page.getByText('with two tags, for both').waitFor(WAIT);
  expect(await groups.locator('tbody tr').count()).toBe(3);
  await expectAccessible(page);
  await groups.getByRole('link', { name: 'no tag' }).click();
  const untagged: readonly Closed[] = await get('/performance/trades?tag=');
  await page.getByText(`That is all: ${untagged.length} closed trades.`).waitFor(WAIT);
  await page.goBack();
  await groups.getByRole('link', { name: 'breakout' }).click(WAIT);
  await page.getByText('That is all: 1 closed trade.').waitFor(WAIT);
  await page.getByRole('table', { name: 'Closed trades' }).getByText('XRPUSDT').waitFor(WAIT);
  expect(complaints).toEqual([]);
});
