// The signals in a real browser: teaching where there are none, what became of each, refusals in their place, filters behind the hash,
// and a list of ten thousand that scrolls smoothly.

import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type DashboardBrowser, expectAccessible, startDashboard } from '../support/dashboard-browser.ts';

/** A first run may have to install the browser. */
const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 30_000 };

let dashboard: DashboardBrowser;
beforeAll(async () => {
  // A slow machine may take longer than the minute after which a signal is too old to be sent again.
  dashboard = await startDashboard({ env: { SIGNAL_MAX_AGE_S: '3600' } });
}, SETUP_TIMEOUT_MS);

const signalsOf = (page: Page) => page.getByRole('table', { name: 'Signals' });
const firstRow = (page: Page) => signalsOf(page).locator('tbody tr').first();

describe('without a signal', () => {
  test('the page has the alert template to copy, and sends a test signal under the key it is given', async () => {
    const { page, complaints } = await dashboard.open({ place: '#/signals' });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByText('No signal has come in yet').waitFor(WAIT);
    await page.getByRole('button', { name: 'Copy the alert template' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('{{strategy.order.action}}');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Send a test signal…' }).click();
    const question = page.getByRole('dialog', { name: 'Send a test signal?' });
    await question.getByText('PAPER money').waitFor(WAIT);
    expect(await question.getByRole('button', { name: 'Send it' }).isDisabled()).toBe(true);
    await question.getByLabel('Webhook key').fill(String(dashboard.signalbox.apiKey));
    await question.getByRole('button', { name: 'Send it' }).click();
    await page.getByRole('list', { name: 'Timeline' }).getByText('Filled').waitFor(WAIT);
    expect(page.url()).toContain('#/trades/');
    expect(complaints).toEqual([]);
  });
});

describe('the list', () => {
  test('shows a signal within seconds, and leads from it to the story of its trade', async () => {
    const { page, complaints } = await dashboard.open({ place: '#/signals' });
    await signalsOf(page).waitFor(WAIT);
    const { requestId } = await dashboard.signal({ symbol: 'ETHUSDT', quantity: 0.5, strategy: 'ema-cross' });
    await firstRow(page).getByText('ETHUSDT').waitFor(WAIT);
    await firstRow(page).getByRole('link').click();
    await page.getByRole('list', { name: 'Timeline' }).waitFor(WAIT);
    expect(page.url()).toContain(`#/trades/${requestId}`);
    expect(complaints).toEqual([]);
  });

  test('opens a refusal in its place, with what was sent and what to do, under an address that can be sent', async () => {
    await dashboard.signal({ symbol: 'NOPE' });
    const { page, complaints } = await dashboard.open({ place: '#/signals' });
    await firstRow(page).getByText('NOPE', { exact: true }).waitFor(WAIT);
    await firstRow(page).getByRole('button').click();
    const opened = signalsOf(page).locator('.opened');
    await opened.getByText('binance has no market NOPE').waitFor(WAIT);
    await opened.getByText('What to do:').waitFor(WAIT);
    await opened.getByText('"symbol": "NOPE"').waitFor(WAIT);
    await expectAccessible(page);
    const link = new URL(page.url()).hash;
    const { page: second } = await dashboard.open({ place: link });
    await second.getByText('What to do:').waitFor(WAIT);
    await firstRow(page).getByRole('button').click();
    await opened.waitFor({ state: 'hidden', ...WAIT });
    // Further down than a low window shows: the link brings it into view.
    for (let turn = 0; turn < 12; turn += 1) await dashboard.signal({ symbol: 'AVAXUSDT', quantity: 10 });
    const { page: low } = await dashboard.open({ place: link, height: 360 });
    await low.locator('.opened').waitFor(WAIT);
    await expect.poll(() => low.evaluate("document.querySelector('main').scrollTop"), WAIT).toBeGreaterThan(100);
    expect(complaints).toEqual([]);
  });

  test('sends a refused signal again once its cause is mended, and it trades once', async () => {
    const { page } = await dashboard.open({ place: '#/signals' });
    const killSwitch = (active: boolean) =>
      fetch(`${dashboard.signalbox.url}/admin/kill-switch`, {
        ...{ method: 'PUT', headers: { 'content-type': 'application/json' } },
        body: JSON.stringify({ active }),
      });
    await killSwitch(true);
    try {
      await dashboard.signal({ symbol: 'SOLUSDT', quantity: 3 });
    } finally {
      await killSwitch(false);
    }
    await firstRow(page).getByText('SOLUSDT').waitFor(WAIT);
    await firstRow(page).getByRole('button').click();
    await page.getByRole('button', { name: 'Send again…' }).click(WAIT);
    await page.getByRole('dialog').getByRole('button', { name: 'Send again', exact: true }).click();
    await page.getByRole('list', { name: 'Timeline' }).getByText('Filled').waitFor(WAIT);
    await page.goBack();
    await page.getByText('It was sent again').waitFor(WAIT);
  });

  test('says why a signal cannot be sent again, and leaves the question open', async () => {
    await dashboard.signal({ symbol: 'NOPE' });
    const { page } = await dashboard.open({ place: '#/signals' });
    await firstRow(page).getByText('NOPE', { exact: true }).waitFor(WAIT);
    await firstRow(page).getByRole('button').click();
    await page.getByRole('button', { name: 'Send again…' }).click(WAIT);
    const question = page.getByRole('dialog');
    await question.getByRole('button', { name: 'Send again', exact: true }).click();
    await question.getByRole('alert').getByText('no market NOPE').waitFor(WAIT);
    await question.getByRole('button', { name: 'Leave it' }).click();
    await question.waitFor({ state: 'hidden', ...WAIT });
  });

  test('is narrowed by filters that stand behind the hash, and back is back', async () => {
    const idempotencyKey = crypto.randomUUID();
    for (let turn = 0; turn < 2; turn += 1) await dashboard.signal({ idempotencyKey, symbol: 'ETHUSDT', quantity: 1 });
    const { page, complaints } = await dashboard.open({ place: '#/signals' });
    const outcomes = () => signalsOf(page).locator('tbody tr:not(.opened) .chip').allTextContents();
    await expect.poll(async () => new Set(await outcomes()), WAIT).toEqual(new Set(['filled', 'refused', 'duplicate']));
    await page.getByLabel('Outcome').selectOption('refused');
    await expect.poll(async () => new Set(await outcomes()), WAIT).toEqual(new Set(['refused']));
    expect(page.url()).toContain('outcome=refused');
    await page.getByLabel('Outcome').selectOption('duplicate');
    await expect.poll(async () => new Set(await outcomes()), WAIT).toEqual(new Set(['duplicate']));
    await page.getByLabel('Outcome').selectOption('Filled');
    await page.getByLabel('Market').fill('BINANCE:ETHUSDT');
    await page.getByLabel('Market').press('Enter');
    await expect.poll(async () => new Set(await outcomes()), WAIT).toEqual(new Set(['filled']));
    expect(await signalsOf(page).locator('tbody tr').count()).toBe(2);
    await page.goBack();
    expect(await page.getByLabel('Market').inputValue()).toBe('');
    await page.getByRole('link', { name: 'Show all' }).click();
    await expect.poll(async () => (await outcomes()).length, WAIT).toBeGreaterThan(5);
    await page.getByLabel('Key').selectOption('default');
    await expect.poll(() => page.url(), WAIT).toContain('key=default');
    expect(complaints).toEqual([]);
  });

  test('says what is wrong with a filter, and what fits none', async () => {
    const { page } = await dashboard.open({ place: '#/signals?exchange=bybit&outcome=Filled' });
    await page.getByText('No signal fits').waitFor(WAIT);
    await page.getByRole('link', { name: 'Show all' }).click();
    await page.getByLabel('Market').fill('---');
    await page.getByLabel('Market').press('Enter');
    await page.getByRole('alert').getByText('names no market').waitFor(WAIT);
  });

  test.each([
    ['light', 1440],
    ['dark', 1024],
    ['dark', 390],
  ] as const)('is for everybody: %s, %i px wide', async (colorScheme, width) => {
    const { page, complaints } = await dashboard.open({ colorScheme, width, place: '#/signals' });
    await firstRow(page).waitFor(WAIT);
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')).toBe(
      false,
    );
    expect(complaints).toEqual([]);
  });

  test('on a phone reaches the other pages behind "More"', async () => {
    const { page } = await dashboard.open({ width: 390, height: 800, place: '#/signals' });
    await page.getByRole('link', { name: 'Performance' }).waitFor({ state: 'hidden', ...WAIT });
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('link', { name: 'Performance' }).click(WAIT);
    await page.getByRole('heading', { name: 'Performance' }).waitFor(WAIT);
    await page.getByRole('link', { name: 'Performance' }).waitFor({ state: 'hidden', ...WAIT });
  });
});

describe('ten thousand trades', () => {
  const [COUNT, FIRST_PAGE] = [10_000, 100];
  const FRAMES = 60;
  /** Of the page's own thread. The aim is below 10 ms on a machine without other work; on a busy one it took 30 to 60. */
  const MOST_MS_A_FRAME = 120;
  const SCROLL = `new Promise((done) => {
    let frame = 0;
    const step = () => {
      document.querySelector('main').scrollTo(0, frame * 300);
      frame += 1;
      if (frame < ${FRAMES}) requestAnimationFrame(step);
      else done();
    };
    requestAnimationFrame(step);
  })`;

  test('are drawn as they come into view, and scrolling costs little', async () => {
    const { page, complaints } = await dashboard.open();
    await dashboard.signal({});
    const { result } = (await (await fetch(`${dashboard.signalbox.url}/trades?limit=1`)).json()) as {
      result: object[];
    };
    const newestAt = Date.now();
    const numbered = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => ({
        ...result[0],
        requestId: `00000000-0000-4000-8000-${String(from + index).padStart(12, '0')}`,
        receivedAt: newestAt - (from + index) * 1000,
      }));
    await page.route(/\/trades\?/, (route) => {
      const isFirst = !new URL(route.request().url()).searchParams.has('before');
      const rows = isFirst ? numbered(0, FIRST_PAGE) : numbered(FIRST_PAGE, COUNT);
      return route.fulfill({ json: { success: true, requestId: 'x', result: rows } });
    });
    await page.evaluate("location.hash = '#/trades'");
    const table = page.getByRole('table', { name: 'Trades' });
    const rowCount = async () => Number(await table.getAttribute('aria-rowcount')) - 1;
    await expect.poll(rowCount, WAIT).toBe(FIRST_PAGE);
    await page.evaluate("document.querySelector('main').scrollTo(0, 1e9)");
    await expect.poll(rowCount, WAIT).toBe(COUNT);
    await page.getByText('That is all: 10000 trades').waitFor(WAIT);
    expect(await table.locator('tbody tr').count()).toBeLessThan(80);
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Performance.enable');
    const busySeconds = async () => {
      const { metrics } = await cdp.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'ThreadTime')?.value ?? 0;
    };
    const before = await busySeconds();
    await page.evaluate(SCROLL);
    const costMs = (((await busySeconds()) - before) * 1000) / FRAMES;
    expect(costMs).toBeLessThan(MOST_MS_A_FRAME);
    expect(complaints).toEqual([]);
  });
});
