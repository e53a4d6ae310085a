// A server that refuses, or takes a question and never answers: every page says so, and no question is closed before it is known
// what became of it.

import type { Page, Route } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type DashboardBrowser, expectAccessible, REFUSALS, startDashboard } from '../support/dashboard-browser.ts';

const WAIT = { timeout: 60_000 };
const WORDS = 'The disk has gone away for this test.';

let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard();
}, 300_000);

const refuse = (route: Route): Promise<void> =>
  route.fulfill({ status: 503, json: { success: false, error: WORDS, code: 'STORAGE_UNKNOWN' } });

/** Loads a page whose questions to these paths are answered like this. */
async function openWith(place: string, paths: readonly string[], answer: (route: Route) => unknown): Promise<Page> {
  const { page } = await dashboard.open({ place, expected: REFUSALS });
  await page.route(
    ({ pathname }) => paths.includes(pathname),
    (route) => void answer(route),
  );
  await page.reload();
  return page;
}

describe('a page whose questions are refused says why', () => {
  test.each<[place: string, path: string, panels: readonly string[]]>([
    ['#/', '/positions', ['Positions']],
    ['#/', '/refusals', ['Latest signals']],
    ['#/positions', '/positions', []],
    ['#/performance', '/health', []],
    ['#/agent', '/agent/status', []],
    ['#/agent', '/usage', ['Usage and cost']],
    ['#/wallet', '/admin/settings', []],
    ['#/accounts', '/accounts', []],
    ['#/accounts', '/reconciliation', ['Books and venues']],
    ['#/alerts', '/admin/webhook-keys', []],
    ['#/limits', '/admin/restrictions', []],
    ['#/data', '/query/tables', ['Tables']],
    ['#/access', '/sessions', ['Logged in']],
    ['#/settings', '/admin/settings', ['Settings in force', 'Backup']],
    ['#/settings', '/admin/notifiers', ['Who is told']],
    ['#/settings', '/admin/queue-mode', ['Queue mode']],
    ['#/settings', '/admin/audit', ['Who changed what']],
    ['#/settings', '/health', ['This Signalbox']],
  ])('%s without %s', async (place, path, panels) => {
    const page = await openWith(place, [path], refuse);
    for (const name of panels.length === 0 ? [undefined] : panels) {
      const where = name === undefined ? page.getByRole('main') : page.getByRole('region', { name });
      await where.getByText(WORDS).first().waitFor(WAIT);
    }
    await expectAccessible(page);
  });
});

test.each([
  ['/reconciliation', 'Books and venues'],
  ['/admin/notifiers', 'Told'],
])('without %s nothing is called well: the overview says that it is not known, and why', async (path, title) => {
  const page = await openWith('#/', [path], refuse);
  const panel = page.getByRole('region', { name: 'How it runs' });
  await panel.locator('div', { hasText: title }).getByText(`not known: ${WORDS}`).waitFor(WAIT);
  await page.getByRole('banner').getByText('1 to look at').waitFor(WAIT);
  expect(await page.getByText('All systems well').count()).toBe(0);
  await expectAccessible(page);
});

test.each<[path: string, titles: readonly string[]]>([
  ['/admin/queue-mode', ['Queue']],
  ['/refusals', ['Last signal']],
  ['/trades', ['Last signal']],
  ['/ready', ['Parts']],
  ['/admin/kill-switch', ['Trading']],
  ['/health', ['Venues and prices']],
])('without %s the panel stays, and says what is not known', async (path, titles) => {
  const page = await openWith('#/', [path], refuse);
  const panel = page.getByRole('region', { name: 'How it runs' });
  for (const title of titles)
    await panel.locator('div', { hasText: title }).getByText(`not known: ${WORDS}`).waitFor(WAIT);
  expect(await page.getByText('not known: ').count()).toBe(titles.length);
});

test('a key is not called active while nobody knows whether it is stopped', async () => {
  const paused = { method: 'PUT', body: JSON.stringify({ paused: true }) };
  await fetch(`${dashboard.signalbox.url}/admin/restrictions/key/default/pause`, paused);
  const page = await openWith('#/alerts', ['/admin/restrictions'], refuse);
  const row = page.getByRole('table', { name: 'Webhook keys' }).getByRole('row', { name: 'default' });
  await row.getByText(`not known: ${WORDS}`).waitFor(WAIT);
  expect(await row.getByText('active').count()).toBe(0);
  await expectAccessible(page);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await row.getByText('paused').waitFor(WAIT);
  // What was known is so no longer where the next question is refused.
  await page.route(({ pathname }) => pathname === '/admin/restrictions', refuse);
  await row.getByText(`not known: ${WORDS}`).waitFor(WAIT);
  const resumed = { method: 'PUT', body: JSON.stringify({ paused: false }) };
  await fetch(`${dashboard.signalbox.url}/admin/restrictions/key/default/pause`, resumed);
});

test('what was well is so no longer where the next question is refused', async () => {
  const { page } = await dashboard.open({ place: '#/', expected: REFUSALS });
  await page.getByText('All systems well').waitFor(WAIT);
  await page.route(({ pathname }) => pathname === '/admin/notifiers', refuse);
  await page.getByText('1 to look at').first().waitFor(WAIT);
  expect(await page.getByText('All systems well').count()).toBe(0);
});

describe('a server that takes a question and never answers', () => {
  test('is waited for in words, and then told', async () => {
    const page = await openWith('#/agent', ['/agent/status'], () => {});
    await page.getByText('Waiting for Signalbox…').waitFor(WAIT);
    await page.getByText('Signalbox did not answer within 20 seconds.').waitFor(WAIT);
  });

  test('shows an outline after a moment, and words only when it takes long', async () => {
    const { page } = await dashboard.open();
    await page.getByText('All systems well').waitFor(WAIT);
    await page.route(/\/trades\/some-trade$/, () => {});
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.evaluate("location.hash = '#/trades/some-trade'");
    await page.getByRole('heading', { name: 'Trades & orders', level: 1 }).waitFor(WAIT);
    const outline = page.locator('main .waiting');
    // Until the page of trades is there.
    await expect
      .poll(async () => {
        await page.clock.runFor(50);
        return outline.count();
      }, WAIT)
      .toBe(1);
    expect(await outline.getByRole('status').count()).toBe(0);
    await page.clock.runFor(1_000);
    await outline.getByText('Waiting for Signalbox…').waitFor(WAIT);
    // What looks for faults waits by the page's own clock.
    await page.clock.resume();
    await expectAccessible(page);
  });

  test('keeps the question open that is being sent, whatever key is pressed', async () => {
    await dashboard.signal({ stopLoss: 60_000 });
    let answer: (() => Promise<void>) | undefined;
    const page = await openWith('#/', ['/positions/close'], (route) => {
      answer = () => refuse(route);
    });
    await page.getByRole('button', { name: 'Close LONG BTCUSDT' }).click(WAIT);
    const question = page.getByRole('dialog', { name: 'Close LONG BTCUSDT?' });
    await question.getByRole('button', { name: 'Close it' }).click();
    await expect.poll(() => answer, WAIT).toBeDefined();
    // A browser closes a dialog on the second Escape whatever the page says to the first.
    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('Escape');
    // The page opens it again, a moment later.
    await expect.poll(() => question.isVisible(), WAIT).toBe(true);
    expect(await question.getByRole('button', { name: 'Keep it' }).isDisabled()).toBe(true);
    await question.getByRole('status').getByText('Waiting for Signalbox…').waitFor(WAIT);
    await answer?.();
    await question.getByText(WORDS).waitFor(WAIT);
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'hidden', ...WAIT });
  });
});

test('the chart tells how many bars have come while an exchange takes its time, and shows those when it is stopped', async () => {
  const { page, complaints } = await dashboard.open();
  let asked = 0;
  await page.route('**/bars?*', async (route) => {
    asked += 1;
    // The third page never comes.
    if (asked === 1 || asked === 2) await route.continue();
  });
  await page.getByRole('link', { name: 'Chart' }).click();
  await page.getByText('1,000 of 1,500 bars').waitFor(WAIT);
  await page.getByRole('progressbar', { name: 'Bars loaded' }).waitFor(WAIT);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Stop loading bars' }).click();
  await page.locator('.bar-line', { hasText: 'BTCUSDT' }).waitFor(WAIT);
  await page.getByText('Streaming · simulated prices').waitFor(WAIT);
  expect(complaints).toEqual([]);
});
