// The signals in a real browser: teaching where there are none, what became of each, refusals in their place, filters behind the hash.

import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type DashboardBrowser,
  expectAccessible,
  LOST_SERVER,
  REFUSALS,
  startDashboard,
} from '../support/dashboard-browser.ts';

/** A first run may have to install the browser. */
const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 30_000 };
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let dashboard: DashboardBrowser;
beforeAll(async () => {
  // A slow machine may take longer than the minute after which a signal is too old to be sent again.
  dashboard = await startDashboard({ env: { SIGNAL_MAX_AGE_S: '3600' } });
}, SETUP_TIMEOUT_MS);

const signalsOf = (page: Page) => page.getByRole('table', { name: 'Signals' });
const firstRow = (page: Page) => signalsOf(page).locator('tbody tr').first();

describe('without a signal', () => {
  test('the page has the alert template to copy, and sends a test signal under the key it is given', async () => {
    const { page, complaints } = await dashboard.open({ place: '#/signals', expected: LOST_SERVER });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByText('No signal has come in yet').waitFor(WAIT);
    await page.getByRole('button', { name: 'Copy the alert template' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('{{strategy.order.action}}');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Send a test signal…' }).click();
    const question = page.getByRole('dialog', { name: 'Send a test signal?' });
    expect(await question.getByRole('button', { name: 'Send it' }).isDisabled()).toBe(true);
    await question.getByLabel('Webhook key').fill('whk_nobody');
    await question.getByText('apiKey is not known or was revoked').waitFor(WAIT);
    expect(await question.getByRole('button', { name: 'Send it' }).isDisabled()).toBe(true);
    await question.getByLabel('Webhook key').fill(String(dashboard.signalbox.apiKey));
    await question.getByText('With this key it trades on binance with PAPER money.').waitFor(WAIT);
    await expectAccessible(page);
    expect(complaints).toEqual([]);
    // What may have arrived is sent again under the same key.
    const keys: unknown[] = [];
    await page.route(/\/webhook$/, async (route) => {
      keys.push((route.request().postDataJSON() as { idempotencyKey: unknown }).idempotencyKey);
      return keys.length === 1 ? route.abort() : route.fallback();
    });
    await question.getByRole('button', { name: 'Send it' }).click();
    await question.getByRole('alert').getByText('does not answer').waitFor(WAIT);
    await question.getByRole('button', { name: 'Send it' }).click();
    await page.getByRole('list', { name: 'Timeline' }).getByText('Filled').waitFor(WAIT);
    expect(page.url()).toContain('#/trades/');
    expect(keys).toEqual([expect.stringMatching(UUID), keys[0]]);
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
    const { page } = await dashboard.open({ expected: REFUSALS, place: '#/signals' });
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
    const { page } = await dashboard.open({ expected: REFUSALS, place: '#/signals' });
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
    const { page } = await dashboard.open({ expected: REFUSALS, place: '#/signals?exchange=bybit&outcome=Filled' });
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
