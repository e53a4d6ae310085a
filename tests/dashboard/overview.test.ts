// The overview in a real browser: what is held and what came in, closing, stopping, and a server that goes and comes back.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type DashboardBrowser,
  expectAccessible,
  LOST_SERVER,
  REFUSALS,
  startDashboard,
} from '../support/dashboard-browser.ts';
import { startProcess } from '../support/process.ts';

/** A first run may have to install the browser. */
const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 30_000 };

let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard();
}, SETUP_TIMEOUT_MS);

async function killSwitch(method: 'GET' | 'PUT', body?: object): Promise<object> {
  const response = await fetch(`${dashboard.signalbox.url}/admin/kill-switch`, {
    ...{ method, ...(body && { body: JSON.stringify(body) }) },
  });
  return ((await response.json()) as { result: object }).result;
}

/** The last of its classes, which is the one that gives it its colour. */
const toneOf = async (page: Page, selector: string): Promise<string | undefined> =>
  (await page.locator(selector).getAttribute('class', WAIT))?.split(' ').at(-1);

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

  test('shows what strangers send beside the signals, never among them, and takes none of it for a sign of life', async () => {
    for (let sent = 0; sent < 3; sent++) await dashboard.signal({ apiKey: 'nobody-knows-this-key' });
    const { page } = await dashboard.open();
    const signals = page.getByRole('region', { name: 'Latest signals' });
    const link = signals.getByRole('link', { name: 'Refused without a key of yours' });
    await link.waitFor(WAIT);
    await signals.getByText('No signal has come in yet').waitFor(WAIT);
    await page.getByRole('region', { name: 'How it runs' }).getByText('none yet').waitFor(WAIT);
    await expectAccessible(page);
    await link.click();
    await page.getByText('That is all: 3 signals.').waitFor(WAIT);
    await page.getByLabel('Sender').selectOption('under a key of yours');
    await page.getByText('That is all: 3 signals.').waitFor({ state: 'hidden', ...WAIT });
  });

  test('shows a trade and a refusal within seconds, without a reload, and closes what is held', async () => {
    const { page, complaints } = await dashboard.open();
    await page.getByText('Nothing is held').waitFor(WAIT);
    const runs = page.getByRole('region', { name: 'How it runs' });
    for (const words of ['none yet', 'failover', 'paper', 'simulated', 'are well', 'nobody yet'])
      await runs.getByText(words).first().waitFor(WAIT);
    await dashboard.signal({ strategy: 'ema-cross', stopLoss: 60_000 });
    await dashboard.signal({ symbol: 'NOPE' });
    const signals = page.getByRole('table', { name: 'Latest signals' });
    await signals.getByText('filled').waitFor(WAIT);
    await signals.getByText('refused').waitFor(WAIT);
    await signals.getByText('binance has no market NOPE').waitFor(WAIT);
    const positions = page.getByRole('table', { name: 'Positions' });
    await positions.getByText('stop 60,000').waitFor(WAIT);
    await runs.getByText(/^now$|s ago/).waitFor(WAIT);
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

  test('leads from a refusal that happened to what to do, and from its figures to what is behind them', async () => {
    const { page, complaints } = await dashboard.open();
    await page
      .getByRole('link', { name: /^Refused: .*NOPE/ })
      .first()
      .click(WAIT);
    await page.getByText('What to do:').waitFor(WAIT);
    await page.goBack();
    await page.getByRole('link', { name: 'Closed trades' }).click(WAIT);
    await page.getByText('That is all: 1 closed trade.').waitFor(WAIT);
    await page.goBack();
    await page.getByRole('link', { name: 'Today', exact: true }).click(WAIT);
    await page.getByText(`Only ${new Date().toISOString().slice(0, 10)}`).waitFor(WAIT);
    await page
      .getByRole('table', { name: 'By market' })
      .or(page.getByRole('table', { name: 'By strategy' }))
      .waitFor(WAIT);
    expect(complaints).toEqual([]);
  });

  test('stops trading with a reason, says so in a second tab, and trades again after it has said what resumes', async () => {
    const [first, second] = [await dashboard.open(), await dashboard.open()];
    await first.page.getByRole('button', { name: 'Stop trading…' }).click();
    await first.page.getByLabel('Reason (kept in the audit)').fill('the news');
    await first.page.getByRole('dialog').getByRole('button', { name: 'Stop trading', exact: true }).click();
    await first.page.getByRole('button', { name: 'All trading is stopped…' }).waitFor(WAIT);
    expect(await dashboard.signal({})).toMatchObject({ success: false, code: 'KILL_SWITCH_ACTIVE' });
    // Nothing says that all is well, and the bar and the overview say the same.
    const words = /All trading is stopped since \d\d:\d\d:\d\d: the news/;
    for (const { page } of [first, second]) {
      await page.getByRole('banner').getByRole('status').getByText(words).waitFor(WAIT);
      await page.getByRole('region', { name: 'How it runs' }).getByText(words).waitFor(WAIT);
      expect(await page.getByText(/\bwell$/i).allInnerTexts()).toEqual([expect.stringContaining('are well')]);
    }
    expect(await toneOf(second.page, '.wellness .chip')).toBe('warn');
    expect(await toneOf(second.page, '.top-bar .well .button')).toBe('alarm');
    await expectAccessible(second.page);
    await second.page.getByRole('button', { name: 'All trading is stopped…' }).click(WAIT);
    const dialog = second.page.getByRole('dialog');
    await dialog.getByText(words).waitFor(WAIT);
    await dialog.getByText('Every signal is refused, entries and closes alike.').waitFor(WAIT);
    // Stricter or milder without letting anything in first, and the reason is not lost.
    await dialog.getByRole('button', { name: 'Stop more…' }).click();
    expect(await dialog.getByLabel('Reason (kept in the audit)').inputValue()).toBe('the news');
    await dialog.getByRole('button', { name: 'Leave it as it is' }).waitFor(WAIT);
    await dialog.getByRole('radio', { name: /Entries are refused/ }).check();
    await dialog.getByRole('button', { name: 'Stop trading', exact: true }).click();
    await dialog.waitFor({ state: 'hidden', ...WAIT });
    expect(await dashboard.signal({})).toMatchObject({ success: false, code: 'KILL_SWITCH_ACTIVE' });
    await second.page.getByRole('button', { name: 'Entries are stopped…' }).click(WAIT);
    expect(await toneOf(second.page, '.top-bar .well .button')).toBe('warn');
    await dialog.getByText('Entries are refused; signals that close').waitFor(WAIT);
    await dialog.getByRole('button', { name: 'Trade again…' }).click();
    await dialog.getByText('Signals that open a position trade again').waitFor(WAIT);
    await dialog.getByText('are not made up').waitFor(WAIT);
    await expectAccessible(second.page);
    await dialog.getByRole('button', { name: 'Leave it stopped' }).click();
    expect(await killSwitch('GET')).toMatchObject({ active: true, scope: 'entries', reason: 'the news' });
    await second.page.getByRole('button', { name: 'Entries are stopped…' }).click(WAIT);
    await dialog.getByRole('button', { name: 'Trade again…' }).click();
    await dialog.getByRole('button', { name: 'Trade again', exact: true }).click();
    await first.page.getByRole('button', { name: 'Stop trading…' }).waitFor(WAIT);
    await first.page.getByText('All systems well').waitFor(WAIT);
    expect([...first.complaints, ...second.complaints]).toEqual([]);
  });

  test('goes on closing what it closes where it is thrown once more, unless somebody says otherwise', async () => {
    await killSwitch('PUT', { active: true, scope: 'entries', flatten: true, reason: 'the news' });
    const { page, complaints } = await dashboard.open();
    await page.getByRole('button', { name: 'Entries are stopped…' }).click(WAIT);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Stop more…' }).click(WAIT);
    expect(await dialog.getByRole('checkbox', { name: /Close every open position/ }).isChecked()).toBe(true);
    await dialog.getByRole('button', { name: 'Stop and close everything' }).click();
    await dialog.waitFor({ state: 'hidden', ...WAIT });
    expect(await killSwitch('GET')).toMatchObject({ active: true, scope: 'all', flatten: true });
    await killSwitch('PUT', { active: false });
    await page.getByText('All systems well').waitFor(WAIT);
    expect(complaints).toEqual([]);
  });

  test('keeps the form as it is while somebody else throws the switch, and says so', async () => {
    const { page, complaints } = await dashboard.open();
    await page.getByRole('button', { name: 'Stop trading…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Stop trading' });
    await dialog.getByLabel('Reason (kept in the audit)').fill('mine');
    await dialog.getByRole('radio', { name: /Entries are refused/ }).check();
    await killSwitch('PUT', { active: true, scope: 'all', reason: 'somebody else’s' });
    await dialog.getByText(/Changed meanwhile\. Now: All trading is stopped since .*: somebody else’s/).waitFor(WAIT);
    expect(await dialog.getByLabel('Reason (kept in the audit)').inputValue()).toBe('mine');
    expect(await dialog.getByRole('radio', { name: /Entries are refused/ }).isChecked()).toBe(true);
    await dialog.getByRole('button', { name: 'Stop trading', exact: true }).click();
    await dialog.waitFor({ state: 'hidden', ...WAIT });
    expect(await killSwitch('GET')).toMatchObject({ active: true, scope: 'entries', reason: 'mine' });
    await killSwitch('PUT', { active: false });
    await page.getByText('All systems well').waitFor(WAIT);
    expect(complaints).toEqual([]);
  });

  test('stops although nobody says how it stands, and what is sent cannot be left', async () => {
    const { page } = await dashboard.open({ expected: REFUSALS });
    const held: (() => Promise<void>)[] = [];
    await page.route(/\/admin\/kill-switch$/, (route) => {
      if (route.request().method() === 'PUT') held.push(() => route.continue());
    });
    let givenUp = 0;
    await page.reload();
    page.on('requestfailed', (request) => {
      if (request.url().endsWith('/admin/kill-switch')) givenUp++;
    });
    await page.getByRole('button', { name: 'Stop trading…' }).click(WAIT);
    const dialog = page.getByRole('dialog', { name: 'Stop trading' });
    await dialog.waitFor(WAIT);
    // The page still waits to be told.
    expect(givenUp).toBe(0);
    await dialog.getByRole('button', { name: 'Stop trading', exact: true }).click(WAIT);
    await expect.poll(() => held.length, WAIT).toBe(1);
    expect(await dialog.getByRole('button', { name: 'Leave it as it is' }).isDisabled()).toBe(true);
    await held[0]?.();
    await dialog.waitFor({ state: 'hidden', ...WAIT });
    expect(await killSwitch('GET')).toMatchObject({ active: true, scope: 'all' });
    await killSwitch('PUT', { active: false });
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('says before what it would do to orders and positions, and does that', async () => {
    await dashboard.signal({ symbol: 'ETHUSDT', quantity: 0.2, price: 500 });
    await dashboard.signal({ symbol: 'SOLUSDT', quantity: 3 });
    const { page, complaints } = await dashboard.open();
    await page.getByRole('button', { name: 'Stop trading…' }).click(WAIT);
    const dialog = page.getByRole('dialog', { name: 'Stop trading' });
    await dialog.getByText('Takes back 1 resting entry (PAPER): BUY 0.2 ETHUSDT on binance.').waitFor(WAIT);
    await dialog.getByText('1 position (PAPER) stays open.').waitFor(WAIT);
    await dialog.getByRole('checkbox', { name: /resting entries/ }).uncheck();
    await dialog.getByText('1 resting entry (PAPER) stays and may fill: BUY 0.2').waitFor(WAIT);
    await dialog.getByRole('checkbox', { name: /resting entries/ }).check();
    await dialog.getByRole('checkbox', { name: /Close every open position/ }).check();
    await dialog.getByText('Closes 1 position (PAPER) at once: LONG 3 SOLUSDT').waitFor(WAIT);
    // What comes in meanwhile is told too.
    await dashboard.signal({ symbol: 'ETHUSDT', quantity: 0.1, price: 400 });
    await dialog.getByText('Takes back 2 resting entries (PAPER): BUY 0.1 ETHUSDT on binance, BUY 0.2').waitFor(WAIT);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Stop and close everything' }).click();
    await dialog.waitFor({ state: 'hidden', ...WAIT });
    for (const path of ['/orders', '/positions'])
      expect(await (await fetch(`${dashboard.signalbox.url}${path}`)).json()).toMatchObject({ result: [] });
    await page.getByRole('button', { name: 'All trading is stopped…' }).click(WAIT);
    await page.getByRole('button', { name: 'Stop more…' }).click();
    await dialog.getByText('None rests now.').waitFor(WAIT);
    await dialog.getByText('Nothing is held now.').waitFor(WAIT);
    await killSwitch('PUT', { active: false });
    await page.getByText('All systems well').waitFor(WAIT);
    expect(complaints).toEqual([]);
  });

  test('stops although nobody says what rests or is held, and makes nothing up', async () => {
    const { page } = await dashboard.open({ expected: REFUSALS });
    const dialog = page.getByRole('dialog', { name: 'Stop trading' });
    await page.getByRole('button', { name: 'Stop trading…' }).click(WAIT);
    await dialog.getByText('Nothing is held now.').waitFor(WAIT);
    // What was known before is no answer to what would be closed now.
    await page.route(/\/positions$/, (route) => route.fulfill({ status: 500, json: { success: false, error: 'no' } }));
    await dialog.getByText('Not known what is held now.').waitFor(WAIT);
    // And these are never answered.
    await page.route(/\/orders\?/, () => {});
    await page.reload();
    await page.getByRole('button', { name: 'Stop trading…' }).click(WAIT);
    await dialog.getByText('Not known how many rest now.').waitFor(WAIT);
    await dialog.getByText('Not known what is held now.').waitFor(WAIT);
    await dialog.getByRole('button', { name: 'Stop trading', exact: true }).click();
    await dialog.waitFor({ state: 'hidden', ...WAIT });
    expect(await killSwitch('GET')).toMatchObject({ active: true, cancelEntries: true });
    await killSwitch('PUT', { active: false });
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('what is not ready is named, and no part of it is called well', async () => {
    const { page } = await dashboard.open({ expected: REFUSALS });
    const checks = { storage: 'the disk is full', venues: 'ok' };
    await page.route(/\/ready$/, (route) =>
      route.fulfill({ status: 503, json: { status: 'not ready', checks, warnings: [] } }),
    );
    await page.reload();
    await page.getByRole('banner').getByText('Not ready').waitFor(WAIT);
    await page.getByRole('region', { name: 'How it runs' }).getByText('storage: the disk is full').waitFor(WAIT);
    expect(await page.getByText('are well').count()).toBe(0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
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

test('files of the dashboard are kept in the browser, and no answer of the server', async () => {
  const { page } = await dashboard.open({ keepsFiles: true });
  await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null'), WAIT).toBe(true);
  await page.reload();
  await page.getByText('All systems well').waitFor(WAIT);
  await page.evaluate("location.hash = '#/positions'");
  await page.getByRole('heading', { name: 'Positions', level: 1 }).waitFor(WAIT);
  await expect.poll(() => page.evaluate("caches.match('/').then((kept) => kept !== undefined)"), WAIT).toBe(true);
  const kept = (await page.evaluate(`caches.keys()
    .then((names) => Promise.all(names.map(async (name) => (await caches.open(name)).keys())))
    .then((requests) => requests.flat().map(({ url }) => new URL(url).pathname))`)) as string[];
  expect(kept).toContain('/');
  expect(kept.filter((path) => path !== '/' && !path.startsWith('/app/'))).toEqual([]);
});

test('a server that goes is told at once, and all is well without a reload when it is back', async () => {
  const { signalbox } = dashboard;
  const { page } = await dashboard.open({ keepsFiles: true, expected: [...LOST_SERVER, ...REFUSALS] });
  await page.getByText('All systems well').waitFor(WAIT);
  // From the second visit on its files are kept.
  // Asked from here: what waits in the page is made from text each time, which the page's own policy forbids.
  await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null'), WAIT).toBe(true);
  await page.reload();
  await page.getByText('All systems well').waitFor(WAIT);
  await expect.poll(() => page.evaluate("caches.match('/').then((kept) => kept !== undefined)"), WAIT).toBe(true);
  const { port } = new URL(signalbox.url);
  await signalbox.stop();
  await page.getByText('Connection lost, trying again…').waitFor(WAIT);
  await page.reload();
  await page.getByText('Connection lost, trying again…').waitFor(WAIT);
  // A proxy in front of it answers by itself.
  const proxy = createServer((_, response) => void response.writeHead(502).end('Bad Gateway')).listen(Number(port));
  await once(proxy, 'listening');
  await page.reload();
  await page.getByText('Connection lost, trying again…').waitFor(WAIT);
  proxy.closeAllConnections();
  await new Promise((resolve) => proxy.close(resolve));
  const again = await startProcess({ dataDir: signalbox.dataDir, env: { PORT: port } });
  try {
    await dashboard.signal({ symbol: 'ETHUSDT', quantity: 0.7 });
    await page.getByText('All systems well').waitFor(WAIT);
    const news = page.getByText('LONG 0.7 ETHUSDT on binance (paper): Filled');
    await news.waitFor(WAIT);
    await page.getByText('live', { exact: true }).waitFor(WAIT);
    expect(await news.count()).toBe(1);
  } finally {
    await again.stop();
  }
}, 120_000);
