// Trades and orders in a real browser: one trade's whole life, the list with its filters, and taking orders back.

import { beforeAll, describe, expect, test } from 'vitest';
import { type DashboardBrowser, expectAccessible, REFUSALS, startDashboard } from '../support/dashboard-browser.ts';

/** A first run may have to install the browser. */
const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 30_000 };
/** Far below the simulated market: such an order rests. */
const FAR_PRICES = { BTCUSDT: 40_000, ETHUSDT: 1_000 };

let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard();
}, SETUP_TIMEOUT_MS);

const rest = async (fields: { symbol?: keyof typeof FAR_PRICES; quantity?: number } = {}) => {
  const answer = await dashboard.signal({ price: FAR_PRICES[fields.symbol ?? 'BTCUSDT'], ...fields });
  expect(answer).toMatchObject({ success: true });
  return answer.requestId;
};

describe("a trade's story", () => {
  test('tells its life step by step, with its orders, fills, fees and stops, and every id can be copied', async () => {
    const { requestId } = await dashboard.signal({ strategy: 'ema-cross', stopLoss: 60_000, comment: 'a breakout' });
    const { page, complaints } = await dashboard.open({ place: `#/trades/${requestId}` });
    const timeline = page.getByRole('list', { name: 'Timeline' });
    await timeline.getByText('Protected').waitFor(WAIT);
    const steps = await timeline.getByRole('listitem').locator('strong').allTextContents();
    expect(steps).toEqual(['Received', 'Passed the gates', 'Asks for stops', 'Sent', 'Filled', 'Protected']);
    expect(await timeline.locator('.since').nth(3).textContent()).toMatch(/^\+[\d.]+ m?s$/);
    await page.getByText('a breakout').waitFor(WAIT);
    expect(await page.getByRole('table', { name: 'Orders' }).getByText('opens long').count()).toBe(1);
    expect(await page.getByRole('table', { name: 'Fills' }).locator('tbody tr').count()).toBe(1);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy the id of the trade' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(requestId);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'ema-cross' }).click();
    await page.getByText('That is all: 1 trade.').waitFor(WAIT);
    expect(complaints).toEqual([]);
  });

  test('that adds to a guarded position counts from its own signal, and tells only its own stops', async () => {
    const held = { symbol: 'DOGEUSDT', quantity: 500, exchange: 'bybit' };
    await dashboard.signal({ ...held, trailPercent: 20 });
    const { requestId } = await dashboard.signal({ ...held, stopLoss: { percent: 9 } });
    const { page, complaints } = await dashboard.open({ place: `#/trades/${requestId}` });
    const timeline = page.getByRole('list', { name: 'Timeline' });
    await timeline.getByText('Changed the stops of all that is held').waitFor(WAIT);
    const steps = await timeline.getByRole('listitem').locator('strong').allTextContents();
    expect(steps[0]).toBe('Received');
    expect(steps.indexOf('Changed the stops of all that is held')).toBeGreaterThan(steps.indexOf('Sent'));
    const signal = page.getByRole('region', { name: 'The signal' });
    await signal.getByText('stop 9 %').waitFor(WAIT);
    expect(await signal.getByText('trailing').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('of a signal that was refused leads to the signals', async () => {
    const { requestId } = await dashboard.signal({ symbol: 'NOPE' });
    const { page } = await dashboard.open({ expected: REFUSALS, place: `#/trades/${requestId}` });
    await page.getByText('a signal that was refused has none').waitFor(WAIT);
    await page.getByRole('link', { name: 'Look among the signals' }).click();
    await page.getByText('What to do:').waitFor(WAIT);
  });
});

describe('open orders', () => {
  test('are counted in the rail, one is kept after a question and then taken back', async () => {
    await rest();
    const { page, complaints } = await dashboard.open({ place: '#/trades' });
    await page.getByRole('link', { name: 'Trades & orders 1 open orders' }).waitFor(WAIT);
    const orders = page.getByRole('table', { name: 'Open orders' });
    await orders.getByRole('button', { name: 'Cancel BUY BTCUSDT' }).click(WAIT);
    const question = page.getByRole('dialog', { name: 'Cancel BUY BTCUSDT?' });
    await question.getByText('PAPER money').waitFor(WAIT);
    await question.getByRole('button', { name: 'Keep it' }).click();
    await question.waitFor({ state: 'hidden', ...WAIT });
    await orders.getByRole('button', { name: 'Cancel BUY BTCUSDT' }).click();
    await question.getByRole('button', { name: 'Cancel it' }).click();
    await page.getByText('Nothing rests at a venue').waitFor(WAIT);
    await page.getByRole('table', { name: 'Trades' }).getByText('canceled').waitFor(WAIT);
    expect(complaints).toEqual([]);
  });

  test('that the filters leave are taken back together, and no others', async () => {
    await rest();
    await rest({ symbol: 'ETHUSDT', quantity: 0.1 });
    await rest({ symbol: 'ETHUSDT', quantity: 0.2 });
    const { page, complaints } = await dashboard.open({ place: '#/trades?market=ETHUSDT' });
    await page.getByRole('button', { name: 'Cancel all 2…' }).click(WAIT);
    const question = page.getByRole('dialog', { name: 'Cancel these orders?' });
    await question.getByText('all that the filters above leave').waitFor(WAIT);
    await question.getByRole('button', { name: 'Cancel 2' }).click();
    await page.getByText('Nothing rests at a venue').waitFor(WAIT);
    await page.getByRole('link', { name: 'Show all' }).click();
    await page.getByRole('button', { name: 'Cancel all 1…' }).click(WAIT);
    await page
      .getByRole('dialog', { name: 'Cancel every open order?' })
      .getByRole('button', { name: 'Cancel 1' })
      .click();
    await page.getByText('Nothing rests at a venue').waitFor(WAIT);
    expect(complaints).toEqual([]);
  });

  test('that nobody could ask about are not told as none', async () => {
    const { page } = await dashboard.open({ expected: REFUSALS });
    await page.route(/\/orders\?/, (route) => route.fulfill({ status: 500, json: { error: 'the disk is full' } }));
    await page.goto(`${dashboard.signalbox.url}/#/trades?market=XRPUSDT`);
    const orders = page.getByRole('region', { name: 'Open orders' });
    await orders.getByText('is not known: the disk is full').waitFor(WAIT);
    expect(await page.getByText('Nothing rests at a venue').count()).toBe(0);
  });

  test('that has ended meanwhile says so in the question', async () => {
    await rest();
    const { page } = await dashboard.open({ expected: REFUSALS, place: '#/trades' });
    await page.getByRole('button', { name: 'Cancel BUY BTCUSDT' }).click(WAIT);
    await fetch(`${dashboard.signalbox.url}/orders/cancel`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"all":true}' },
    });
    await page.getByRole('button', { name: 'Cancel it' }).click();
    await page.getByRole('dialog').getByRole('alert').getByText('there is nothing to cancel').waitFor(WAIT);
  });

  test('are taken back from the story of their trade too', async () => {
    const { page, complaints } = await dashboard.open({ place: `#/trades/${await rest()}` });
    await page.getByRole('button', { name: 'Cancel BUY BTCUSDT' }).click(WAIT);
    await page.getByRole('dialog', { name: 'Cancel BUY BTCUSDT?' }).getByRole('button', { name: 'Cancel it' }).click();
    await page.locator('.headline').getByText('canceled').waitFor(WAIT);
    expect(await page.getByRole('button', { name: 'Cancel BUY BTCUSDT' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});

describe('the list', () => {
  test('adds up what it shows, and is narrowed by outcome', async () => {
    await dashboard.signal({ symbol: 'SOLUSDT', quantity: 5, exchange: 'mexc', strategy: 'scalper' });
    await dashboard.signal({
      ...{ symbol: 'SOLUSDT', quantity: 5, exchange: 'mexc', strategy: 'scalper', action: 'CLOSE_LONG' },
    });
    const { page, complaints } = await dashboard.open({ place: '#/trades?exchange=mexc' });
    await page.getByText(/PAPER: 2, realized/).waitFor(WAIT);
    await page.getByLabel('Outcome').selectOption('Canceled');
    await page.getByText('No trade fits').waitFor(WAIT);
    expect(complaints).toEqual([]);
  });

  test('tells what was filled, and what was asked where that is something else: here, on its story and on every list', async () => {
    await dashboard.signal({ symbol: 'XRPUSDT', quantity: 50, exchange: 'bybit' });
    const sent = { symbol: 'XRPUSDT', quantity: 700, exchange: 'bybit', action: 'CLOSE_LONG' };
    const { requestId } = await dashboard.signal(sent);
    const { page, complaints } = await dashboard.open({ place: '#/trades?market=XRPUSDT' });
    await page.getByRole('table', { name: 'Trades' }).getByTitle('50 filled (700 asked)').waitFor(WAIT);
    expect(await page.getByRole('table', { name: 'Trades' }).getByTitle('50', { exact: true }).count()).toBe(1);
    await page.goto(`${dashboard.signalbox.url}/#/signals?market=XRPUSDT`);
    await page.getByRole('table', { name: 'Signals' }).getByText('50 (700 asked)').waitFor(WAIT);
    await page.goto(`${dashboard.signalbox.url}/#/`);
    await page.getByRole('table', { name: 'Latest signals' }).getByText('50 (700 asked)').waitFor(WAIT);
    await page.goto(`${dashboard.signalbox.url}/#/trades/${requestId}`);
    const timeline = page.getByRole('list', { name: 'Timeline' });
    await timeline.getByText(/^50 at [\d.]+ \(700 asked\)$/).waitFor(WAIT);
    // The file has both.
    const file = await (await fetch(`${dashboard.signalbox.url}/trades?format=csv&symbol=XRPUSDT`)).text();
    const [names, closed] = file.split('\r\n').map((line) => line.split(','));
    const cell = (name: string) => closed?.[names?.indexOf(name) ?? -1];
    expect([cell('quantity'), cell('quantityType'), cell('executedQty')]).toEqual(['700', 'base', '50']);
    expect(complaints).toEqual([]);
  });

  test('goes by its own room: in a narrow place of a wide window it is cards, and columns again', async () => {
    const { page } = await dashboard.open({ place: '#/trades' });
    const columns = page.getByRole('table', { name: 'Trades' }).getByRole('columnheader', { name: 'Price' });
    await columns.waitFor(WAIT);
    const widen = (width: string) => page.evaluate(`document.querySelector('.list').style.width = '${width}'`);
    await widen('500px');
    await columns.waitFor({ state: 'detached', ...WAIT });
    await widen('');
    await columns.waitFor(WAIT);
  });

  test.each([
    ['light', 1440],
    ['dark', 1024],
    ['light', 390],
  ] as const)('is for everybody: %s, %i px wide', async (colorScheme, width) => {
    await rest();
    const { page, complaints } = await dashboard.open({ colorScheme, width, place: '#/trades' });
    await page.getByRole('table', { name: 'Trades' }).locator('tbody tr').first().waitFor(WAIT);
    await page.getByRole('table', { name: 'Open orders' }).waitFor(WAIT);
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')).toBe(
      false,
    );
    expect(complaints).toEqual([]);
  });
});
