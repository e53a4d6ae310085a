// Limits, pauses and kill switches of single keys, strategies, accounts and markets in a real browser: set, told and lifted there.

import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type DashboardBrowser, expectAccessible, REFUSALS, startDashboard } from '../support/dashboard-browser.ts';

const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 30_000 };

let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard();
}, SETUP_TIMEOUT_MS);

const call = async (method: string, path: string, body?: object) => {
  const response = await fetch(`${dashboard.signalbox.url}${path}`, {
    ...{ method, headers: { 'content-type': 'application/json' } },
    ...(body && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field
  return ((await response.json()) as { result: any }).result;
};
const restricted = async (kind: string, name: string) =>
  ((await call('GET', '/admin/restrictions')) as readonly { kind: string; name: string }[]).find(
    (each) => each.kind === kind && each.name === name,
  );
const makeKey = async (label: string): Promise<string> => (await call('POST', '/admin/webhook-keys', { label })).apiKey;

const open = async (place = '#/limits', options = {}) => {
  const opened = await dashboard.open({ place, ...options });
  await opened.page.getByRole('region', { name: 'Limit, pause or stop one' }).waitFor(WAIT);
  return opened;
};
const one = (page: Page) => page.getByRole('region', { name: 'Limit, pause or stop one' });
const choose = async (page: Page, kind: string, name: string): Promise<void> => {
  await one(page).getByLabel('Whose').selectOption({ label: kind });
  await one(page).getByLabel('Name').fill(name);
};
const rowOf = (page: Page, name: string) => page.getByRole('row', { name });

describe('the kill switch of a key', () => {
  test('is thrown alone, leads from the overview and from what it refused to where it is lifted, and is lifted there', async () => {
    const apiKey = await makeKey('scalper');
    const { page, complaints } = await open();
    await choose(page, 'Key', 'scalper');
    await one(page).getByRole('button', { name: 'Stop…' }).click();
    const question = page.getByRole('dialog', { name: 'Stop key scalper?' });
    await question.getByLabel('Reason').fill('too wild');
    await expectAccessible(page);
    await question.getByRole('button', { name: 'Stop it' }).click();
    await question.waitFor({ state: 'hidden', ...WAIT });
    await rowOf(page, 'key scalper').getByText('too wild').waitFor(WAIT);
    expect(await dashboard.signal({ apiKey })).toMatchObject({ code: 'KILL_SWITCH_ACTIVE' });
    expect(await dashboard.signal({})).toMatchObject({ success: true });

    await page.goto(`${dashboard.signalbox.url}/#/`);
    const runs = page.getByRole('region', { name: 'How it runs' });
    await runs.getByText('stopped for key scalper (too wild)').waitFor(WAIT);
    expect(await runs.getByRole('link', { name: 'Trading' }).getAttribute('href')).toBe('#/limits');

    await page.goto(`${dashboard.signalbox.url}/#/signals`);
    await rowOf(page, 'kill switch of key').getByRole('button').first().click(WAIT);
    await page.getByText('The kill switch of key scalper is on').waitFor(WAIT);
    expect(await page.getByText('Lift the kill switch above').count()).toBe(0);
    await page.getByRole('link', { name: 'Lift the switch of key scalper' }).click();
    expect(await one(page).getByLabel('Name').inputValue()).toBe('scalper');
    await one(page).getByRole('button', { name: 'Lift…' }).click(WAIT);
    const lift = page.getByRole('dialog', { name: 'Let key scalper trade again?' });
    await lift.getByText('too wild').waitFor(WAIT);
    await lift.getByRole('button', { name: 'Trade again' }).click();
    await lift.waitFor({ state: 'hidden', ...WAIT });
    expect(await dashboard.signal({ apiKey })).toMatchObject({ success: true });
    expect(complaints).toEqual([]);
  });

  test('stands beside the key with its reason, and is lifted there too', async () => {
    await makeKey('night');
    await call('PUT', '/admin/restrictions/key/night/kill-switch', {
      active: true,
      scope: 'entries',
      reason: 'asleep',
    });
    const { page } = await dashboard.open({ place: '#/alerts' });
    await rowOf(page, 'night').getByRole('link', { name: 'entries stopped asleep' }).waitFor(WAIT);
    await rowOf(page, 'night').getByRole('button', { name: 'Lift night' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Trade again' }).click();
    await rowOf(page, 'night').getByText('active').waitFor(WAIT);
    expect(await restricted('key', 'night')).toBeUndefined();
  });
});

describe('limits and pauses', () => {
  test('of an account are all set, shown and changed', async () => {
    const { page } = await open('#/limits/account/binance%3Amain', { expected: REFUSALS });
    await one(page).getByRole('button', { name: 'Limit…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Limits of account binance:main' });
    await dialog.getByLabel('Largest order, USDT').fill('500');
    await dialog.getByLabel('Widest spread, %').fill('0.5');
    await dialog.getByLabel('Markets').fill('BTCUSDT, ETHUSDT');
    await dialog.getByRole('checkbox', { name: 'LONG', exact: true }).check();
    await dialog.getByLabel('Locked after so many stops').fill('3');
    await dialog.getByLabel('within, and for, s').fill('3600');
    await dialog.getByLabel('Trading hours').fill('mon fri 09:30–16:00 Europe/Berlin\nwhenever');
    await dialog.getByRole('button', { name: 'Set them' }).click();
    await dialog.getByRole('alert').getByText('write it as 09:30').first().waitFor(WAIT);
    await dialog.getByLabel('Trading hours').fill('mon fri 09:30–16:00 Europe/Berlin');
    await dialog.getByRole('button', { name: 'Set them' }).click();
    await dialog.waitFor({ state: 'hidden', ...WAIT });
    expect(await restricted('account', 'binance:main')).toMatchObject({
      limits: {
        ...{ largestOrder: 500, spreadPercent: 0.5, symbols: ['BTCUSDT', 'ETHUSDT'], actions: ['LONG'] },
        lockAfterStops: { stops: 3, seconds: 3600 },
        tradingWindows: [{ days: ['mon', 'fri'], from: '09:30', to: '16:00', zone: 'Europe/Berlin' }],
      },
    });
    const row = rowOf(page, 'account binance:main');
    await row.getByText('only BTCUSDT, ETHUSDT; largest order 500 USDT').waitFor(WAIT);
    await row.getByRole('button', { name: 'Limit account binance:main' }).click();
    for (const label of ['Largest order, USDT', 'Widest spread, %', 'Markets', 'Trading hours'])
      await dialog.getByLabel(label).fill('');
    for (const label of ['Locked after so many stops', 'within, and for, s']) await dialog.getByLabel(label).fill('');
    await dialog.getByRole('checkbox', { name: 'LONG', exact: true }).uncheck();
    await dialog.getByRole('button', { name: 'Set them' }).click();
    await row.waitFor({ state: 'hidden', ...WAIT });
    expect(await restricted('account', 'binance:main')).toBeUndefined();
  });

  test('of a strategy and a market are told with what may not be meant, refuse, and are resumed', async () => {
    const { page, complaints } = await open();
    await choose(page, 'Strategy', 'new-one');
    await one(page).getByRole('button', { name: 'Pause…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause it' }).click();
    await page.getByRole('status').getByText('new-one').waitFor(WAIT);
    await choose(page, 'Market', 'SOLUSDT');
    await one(page).getByRole('button', { name: 'Pause…' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('listing news');
    await page.getByRole('dialog').getByRole('button', { name: 'Pause it' }).click();
    await rowOf(page, 'market SOLUSDT').getByText('listing news').waitFor(WAIT);
    await expectAccessible(page);
    expect(await dashboard.signal({ symbol: 'SOLUSDT' })).toMatchObject({ code: 'SYMBOL_PAUSED' });
    expect(await dashboard.signal({ strategy: 'new-one' })).toMatchObject({ code: 'STRATEGY_PAUSED' });
    for (const name of ['market SOLUSDT', 'strategy new-one']) {
      await rowOf(page, name)
        .getByRole('button', { name: `Resume ${name}` })
        .click();
      await page.getByRole('dialog').getByRole('button', { name: 'Go on' }).click();
      await rowOf(page, name).waitFor({ state: 'hidden', ...WAIT });
    }
    expect(await dashboard.signal({ symbol: 'SOLUSDT', quantity: 1 })).toMatchObject({ success: true });
    expect(complaints).toEqual([]);
  });

  test('of what there is not are refused in the server’s own words', async () => {
    const { page } = await open('#/limits', { expected: REFUSALS });
    await choose(page, 'Market', 'BTCUSDR');
    await one(page).getByRole('button', { name: 'Pause…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause it' }).click();
    await page.getByRole('dialog').getByRole('alert').getByText('BTCUSDR').waitFor(WAIT);
    expect(await restricted('symbol', 'BTCUSDR')).toBeUndefined();
  });
});

test.each([
  ['light', 1440],
  ['dark', 1024],
  ['dark', 390],
] as const)('is for everybody: %s, %i px wide', async (colorScheme, width) => {
  const stop = { active: true, scope: 'entries', reason: 'the news of today, and what comes of it' };
  await call('PUT', '/admin/restrictions/strategy/ema-cross/kill-switch', stop);
  await call('PUT', '/admin/restrictions/strategy/ema-cross/limits', { largestOrder: 1000, openPositions: 3 });
  const { page, complaints } = await open('#/limits', { colorScheme, width });
  await rowOf(page, 'strategy ema-cross').waitFor(WAIT);
  await expectAccessible(page);
  expect(await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')).toBe(
    false,
  );
  for (const name of ['Limit', 'Stop']) {
    await choose(page, 'Account', 'binance:main');
    await one(page)
      .getByRole('button', { name: `${name}…` })
      .click();
    await page.getByRole('dialog').waitFor(WAIT);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
  }
  expect(complaints).toEqual([]);
});
