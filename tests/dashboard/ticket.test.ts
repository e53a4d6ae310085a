// The order ticket in a real browser: what would happen is said first, by the server's own rules, and only what was seen is sent.

import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type DashboardBrowser,
  expectAccessible,
  LOST_SERVER,
  REFUSALS,
  startDashboard,
} from '../support/dashboard-browser.ts';
import { loseNextAnswer } from '../support/lost-answer.ts';

/** A first run may have to install the browser. */
const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 30_000 };

let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard();
}, SETUP_TIMEOUT_MS);

// biome-ignore lint/suspicious/noExplicitAny: a test reads any field
const get = async (path: string): Promise<any> =>
  ((await (await fetch(`${dashboard.signalbox.url}${path}`)).json()) as { result: unknown }).result;

const killSwitch = (active: boolean) =>
  fetch(`${dashboard.signalbox.url}/admin/kill-switch`, {
    ...{ method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ active }) },
  });

const ticketOf = (page: Page) => page.getByRole('dialog', { name: 'New order' });
const look = (page: Page) => ticketOf(page).getByRole('button', { name: /See what it would do|Look again/ });
const sendButton = (page: Page) => ticketOf(page).getByRole('button', { name: /^Send it/ });

async function openTicket(options: Parameters<DashboardBrowser['open']>[0] = {}) {
  const opened = await dashboard.open({ place: '#/positions', ...options });
  await opened.page.getByRole('button', { name: 'New order…' }).click(WAIT);
  await ticketOf(opened.page).waitFor(WAIT);
  return opened;
}

async function type(page: Page, market: string, size: string): Promise<void> {
  await ticketOf(page).getByLabel('Market').fill(market);
  await ticketOf(page).getByLabel('Size', { exact: true }).fill(size);
}

describe('before anything is sent', () => {
  test('a refusal is told with its remedy and the gate, and cannot be sent', async () => {
    await killSwitch(true);
    try {
      const { page, complaints } = await openTicket();
      expect(await look(page).isDisabled()).toBe(true);
      await type(page, 'BTCUSDT', '0.01');
      await look(page).click();
      await ticketOf(page).getByText('would be refused').waitFor(WAIT);
      await ticketOf(page).getByText('What to do:').waitFor(WAIT);
      await ticketOf(page).getByText('then refused: kill switch').click();
      await ticketOf(page).getByText('not reached').first().waitFor(WAIT);
      expect(await sendButton(page).count()).toBe(0);
      await expectAccessible(page);
      expect(await get('/trades')).toEqual([]);
      expect(complaints).toEqual([]);
    } finally {
      await killSwitch(false);
    }
  });

  test('what is wrong with a field is told in the server’s own words', async () => {
    const { page } = await openTicket({ expected: REFUSALS });
    await type(page, 'BTCUSDT', '0.01');
    await ticketOf(page).getByLabel('Unit of the size').selectOption('risk_percent');
    await look(page).click();
    await ticketOf(page).getByRole('alert').getByText('stop loss: is missing').waitFor(WAIT);
    await ticketOf(page).getByLabel('Size', { exact: true }).fill('x');
    await ticketOf(page).getByText('is no number above 0').waitFor(WAIT);
    expect(await look(page).isDisabled()).toBe(true);
  });

  test('what the account cannot carry is refused before it is sent, and nothing says that it would pass', async () => {
    const { page, complaints } = await openTicket();
    await type(page, 'BTCUSDT', '100');
    await look(page).click();
    await ticketOf(page).getByText('would be refused').waitFor(WAIT);
    await ticketOf(page).getByRole('alert').getByText('insufficient margin').waitFor(WAIT);
    await ticketOf(page).getByText('Let in by the gates, refused as an order').waitFor(WAIT);
    expect(await ticketOf(page).getByText('gates passed').count()).toBe(0);
    expect(await sendButton(page).count()).toBe(0);
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test('a far stop, a large loss and a size many times the account are said plainly', async () => {
    const { page, complaints } = await openTicket();
    await type(page, 'BTCUSDT', '600');
    await ticketOf(page).getByLabel('Unit of the size').selectOption('percent_equity');
    await ticketOf(page).getByLabel('Stop loss', { exact: true }).fill('30');
    await ticketOf(page).getByLabel('Unit of the stop loss').selectOption('percent');
    await look(page).click();
    const care = ticketOf(page).getByRole('list', { name: 'Take care' });
    await care.getByText(/^The stop is 30 % away/).waitFor(WAIT);
    await care.getByText(/^At its stop .*liquidated before that\.$/).waitFor(WAIT);
    await care.getByText(/^The order is worth .* times what the account is worth/).waitFor(WAIT);
    await sendButton(page).waitFor(WAIT);
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test('a changed field asks for another look', async () => {
    const { page } = await openTicket();
    await type(page, 'BTCUSDT', '0.01');
    await look(page).click();
    await sendButton(page).waitFor(WAIT);
    await ticketOf(page).getByLabel('Size', { exact: true }).fill('0.02');
    await sendButton(page).waitFor({ state: 'hidden', ...WAIT });
    // Enter in a field looks, and never sends.
    await ticketOf(page).getByLabel('Size', { exact: true }).press('Enter');
    await ticketOf(page).getByText('BUY 0.02 at the market').waitFor(WAIT);
    await ticketOf(page).getByLabel('Size', { exact: true }).press('Enter');
    await ticketOf(page).getByText('BUY 0.02 at the market').waitFor(WAIT);
    expect(await get('/trades')).toEqual([]);
  });

  test('live money is named where it cannot be missed', async () => {
    const { page, complaints } = await dashboard.open();
    const asLive = (json: string): unknown => JSON.parse(json.replaceAll('"mode":"paper"', '"mode":"live"'));
    for (const path of [/\/account$/, /\/orders$/])
      await page.route(path, async (route) => route.fulfill({ json: asLive(await (await route.fetch()).text()) }));
    await page.evaluate("location.hash = '#/positions'");
    await page.getByRole('button', { name: 'New order…' }).click(WAIT);
    await ticketOf(page).getByText('LIVE: real money.').waitFor(WAIT);
    await type(page, 'BTCUSDT', '0.01');
    await look(page).click();
    await ticketOf(page).getByRole('button', { name: 'Send it with REAL money' }).waitFor(WAIT);
    await ticketOf(page).getByText('LIVE money', { exact: true }).waitFor(WAIT);
    await expectAccessible(page);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    expect(await get('/trades')).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

describe('an order', () => {
  test('with a stop and two targets is foreseen, sent, and shown as filled with them', async () => {
    const { page, complaints } = await openTicket();
    await type(page, 'ethusdt', '1000');
    await ticketOf(page)
      .getByText(/^last [\d,.]+, step/)
      .waitFor(WAIT);
    await ticketOf(page).getByLabel('Unit of the size').selectOption('quote');
    await ticketOf(page).getByLabel('Stop loss', { exact: true }).fill('10');
    await ticketOf(page).getByLabel('Unit of the stop loss').selectOption('percent');
    await ticketOf(page).getByRole('button', { name: 'Several targets' }).click();
    for (const [index, percent] of ['20', '40'].entries()) {
      await ticketOf(page)
        .getByLabel(`Target ${index + 1}`, { exact: true })
        .fill(percent);
      await ticketOf(page)
        .getByLabel(`Unit of the target ${index + 1}`)
        .selectOption('percent');
    }
    await look(page).click();
    const foreseen = page.getByRole('region', { name: 'What would happen' });
    await foreseen.getByText(/^BUY [\d.]+ at the market, opens long$/).waitFor(WAIT);
    await foreseen.getByText(/worth about [\d,.]+ USDT/).waitFor(WAIT);
    await foreseen
      .getByText(
        /^stop [\d,.]+ \(−10\.0\d %\) · target [\d,.]+ \(\+20\.0\d %\) for 50 % · target [\d,.]+ \(\+40\.0\d %\) for 50 %$/,
      )
      .waitFor(WAIT);
    await foreseen.getByText(/^about [\d.]+ USDT at 20×; [\d,.]+ USDT are free$/).waitFor(WAIT);
    await foreseen.getByText(/^about 0\.\d\d USDT$/).waitFor(WAIT);
    await foreseen.getByText(/^about (?:99|100)\.\d\d USDT, 0\.10 % of the account, before fees$/).waitFor(WAIT);
    await foreseen.getByText('All 13 gates passed').waitFor(WAIT);
    await ticketOf(page).getByRole('button', { name: 'Send it with PAPER money' }).click();
    await page.getByRole('list', { name: 'Timeline' }).getByText('Filled').waitFor(WAIT);
    await page.getByText('an order of your own').waitFor(WAIT);
    const [trade] = await get('/trades');
    expect(trade).toMatchObject({ source: 'ticket', status: 'Filled', market: 'ETHUSDT', quantityType: 'quote' });
    expect(page.url()).toContain(`#/trades/${trade.requestId}`);
    const [{ protections }] = await get('/positions?symbol=ETHUSDT');
    expect(protections[0].targets.map(({ share }: { share: number }) => share)).toEqual([0.5, 0.5]);
    expect(complaints).toEqual([]);
  });

  test('that is refused after the look says so in place of what was foreseen', async () => {
    const { page } = await openTicket({ expected: REFUSALS });
    await type(page, 'XRPUSDT', '100');
    await look(page).click();
    await sendButton(page).waitFor(WAIT);
    await killSwitch(true);
    try {
      await sendButton(page).click();
      const refused = page.getByRole('region', { name: 'Refused' });
      await refused.getByText('was refused').waitFor(WAIT);
      await refused.getByText('What to do:').waitFor(WAIT);
      expect(await ticketOf(page).getByText('would trade').count()).toBe(0);
      expect(await sendButton(page).count()).toBe(0);
      await expectAccessible(page);
    } finally {
      await killSwitch(false);
    }
    await look(page).click();
    await sendButton(page).click(WAIT);
    await page.getByRole('list', { name: 'Timeline' }).getByText('Filled').waitFor(WAIT);
    expect(await get('/trades?symbol=XRPUSDT')).toHaveLength(1);
  });

  test('whose sending failed and whose next look is refused shows why of the look, and nothing of the sending', async () => {
    const { page } = await openTicket({ expected: [...REFUSALS, ...LOST_SERVER] });
    const alert = (words: string) => ticketOf(page).getByRole('alert').getByText(words);
    await type(page, 'LTCUSDT', '1');
    await look(page).click();
    await sendButton(page).waitFor(WAIT);
    await page.route(/\/orders$/, (route) => {
      const isLook = (route.request().postDataJSON() as { dryRun?: boolean } | null)?.dryRun === true;
      const json = { success: false, error: 'No look for this test.', code: 'STORAGE_UNKNOWN' };
      return isLook ? route.fulfill({ status: 503, json }) : route.abort();
    });
    await sendButton(page).click();
    await alert('does not answer').waitFor(WAIT);
    await look(page).click();
    await alert('No look for this test.').waitFor(WAIT);
    expect(await alert('does not answer').count()).toBe(0);
    await sendButton(page).click();
    await alert('does not answer').waitFor(WAIT);
    expect(await alert('No look for this test.').count()).toBe(0);
    await expectAccessible(page);
    expect(await get('/trades?symbol=LTCUSDT')).toEqual([]);
  });

  test('that is on its way is waited for in words, and nothing says any more that it was not sent', async () => {
    const { page } = await openTicket({ expected: REFUSALS });
    await type(page, 'ADAUSDT', '100');
    await look(page).click();
    await ticketOf(page).getByText('nothing was sent').waitFor(WAIT);
    let answer: (() => Promise<void>) | undefined;
    await page.route(/\/orders$/, (route) => {
      answer = () => route.fulfill({ status: 502, body: 'a proxy that nobody asked' });
    });
    await sendButton(page).click(WAIT);
    await ticketOf(page).getByRole('status').getByText('Waiting for Signalbox…').waitFor(WAIT);
    expect(await ticketOf(page).getByText('nothing was sent').count()).toBe(0);
    await answer?.();
    // It may have been done all the same.
    await ticketOf(page).getByRole('alert').waitFor(WAIT);
    expect(await ticketOf(page).getByText('nothing was sent').count()).toBe(0);
    await page.unroute(/\/orders$/);
    await look(page).click();
    await ticketOf(page).getByText('nothing was sent').waitFor(WAIT);
  });

  test('that closes more than is held says what it closes', async () => {
    await dashboard.signal({ symbol: 'DOGEUSDT', quantity: 200 });
    const { page } = await openTicket();
    await ticketOf(page).getByRole('button', { name: 'Close long' }).click();
    await ticketOf(page).getByLabel('Unit of the size').selectOption('base');
    await type(page, 'DOGEUSDT', '5000');
    await look(page).click();
    await ticketOf(page).getByText('SELL 200 at the market, closes long').waitFor(WAIT);
    const warned = ticketOf(page).getByRole('list', { name: 'Worth knowing' });
    await warned.getByText('5000 were to be closed and only 200 are held').waitFor(WAIT);
    await sendButton(page).click();
    const story = page.getByRole('list', { name: 'Timeline' });
    await story.getByText('Closes all that is held').waitFor(WAIT);
    await story.getByText('200 are held, 5000 were named').waitFor(WAIT);
  });

  test('with a price rests, and is among the open orders', async () => {
    const { page } = await openTicket();
    await type(page, 'BTCUSDT', '0.01');
    await ticketOf(page).getByRole('button', { name: 'limit', exact: true }).click();
    await ticketOf(page).getByLabel('Limit price').fill('10000');
    await ticketOf(page).getByLabel('Canceled after, minutes').fill('90');
    await look(page).click();
    await ticketOf(page).getByText('BUY 0.01 limit 10,000, opens long').waitFor(WAIT);
    await sendButton(page).click();
    await page.getByRole('list', { name: 'Timeline' }).getByText('Resting at the venue').waitFor(WAIT);
    const [order] = await get('/orders');
    expect(order).toMatchObject({ market: 'BTCUSDT', price: 10_000, status: 'Submitted' });
  });

  test('whose answer was lost is sent once, however often it is pressed', async () => {
    const { page } = await openTicket({ expected: [...REFUSALS, ...LOST_SERVER] });
    await type(page, 'SOLUSDT', '3');
    await look(page).click();
    await sendButton(page).waitFor(WAIT);
    await loseNextAnswer(page, 'POST', /\/orders$/);
    await sendButton(page).click();
    await ticketOf(page).getByRole('alert').getByText('does not answer').waitFor(WAIT);
    // Another order is not taken for it, nor sent beside it.
    await type(page, 'SOLUSDT', '4');
    await look(page).click();
    await sendButton(page).click(WAIT);
    await ticketOf(page).getByRole('alert').getByText('before you changed it').waitFor(WAIT);
    await type(page, 'SOLUSDT', '3');
    await look(page).click();
    await sendButton(page).waitFor(WAIT);
    const answered = page.waitForResponse(/\/orders$/);
    await sendButton(page).click();
    expect((await answered).status()).toBe(409);
    // That it was done already is no refusal: it leads to what was done.
    await ticketOf(page).waitFor({ state: 'hidden', ...WAIT });
    const [traded, ...others] = (await get('/trades?symbol=SOLUSDT')) as readonly { requestId: string }[];
    expect(others).toEqual([]);
    expect(page.url()).toContain(`#/trades/${traded?.requestId}`);
  });

  test('whose answer was lost is sent once also from a ticket opened anew, after the page was loaded again', async () => {
    const { page } = await openTicket({ expected: [...REFUSALS, ...LOST_SERVER] });
    const write = async (): Promise<void> => {
      await type(page, 'ADAUSDT', '300');
      await look(page).click();
      await sendButton(page).waitFor(WAIT);
    };
    await write();
    await loseNextAnswer(page, 'POST', /\/orders$/);
    await sendButton(page).click();
    await ticketOf(page).getByRole('alert').getByText('You can send it again from this tab').waitFor(WAIT);
    await ticketOf(page).getByRole('button', { name: 'Leave it' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'New order…' }).click(WAIT);
    await write();
    await ticketOf(page).getByRole('note').getByText('Sent again it is done once at most').waitFor(WAIT);
    await expectAccessible(page);
    await sendButton(page).click();
    await ticketOf(page).waitFor({ state: 'hidden', ...WAIT });
    const [traded, ...others] = (await get('/trades?symbol=ADAUSDT')) as readonly { requestId: string }[];
    expect(others).toEqual([]);
    expect(page.url()).toContain(`#/trades/${traded?.requestId}`);
    // It is certain now: the same order once more is another one.
    await page.goto(`${dashboard.signalbox.url}/#/positions`);
    await page.getByRole('button', { name: 'New order…' }).click(WAIT);
    await write();
    expect(await ticketOf(page).getByText('Sent again it is done once at most').count()).toBe(0);
    await sendButton(page).click();
    await ticketOf(page).waitFor({ state: 'hidden', ...WAIT });
    expect(await get('/trades?symbol=ADAUSDT')).toHaveLength(2);
  });
});

test('a position is added to and reduced, each begun with what it holds', async () => {
  await dashboard.signal({ symbol: 'AVAXUSDT', quantity: 10, strategy: 'ema-cross' });
  const place = `#/positions/${encodeURIComponent('binance:AVAXUSDT:LONG')}`;
  const { page, complaints } = await dashboard.open({ place });
  await page.getByRole('button', { name: 'Add…' }).click(WAIT);
  expect(await ticketOf(page).getByLabel('Market').inputValue()).toBe('AVAXUSDT');
  expect(await ticketOf(page).getByLabel('Strategy').inputValue()).toBe('ema-cross');
  await ticketOf(page).getByLabel('Size', { exact: true }).fill('10');
  await look(page).click();
  await sendButton(page).click(WAIT);
  await page.getByRole('list', { name: 'Timeline' }).getByText('Filled').waitFor(WAIT);
  await page.goto(`${dashboard.signalbox.url}/${place}`);
  await page.getByRole('button', { name: 'Reduce…' }).click(WAIT);
  await look(page).click();
  await ticketOf(page).getByText('SELL 10 at the market, closes long').waitFor(WAIT);
  await sendButton(page).click();
  await page.getByRole('list', { name: 'Timeline' }).getByText('Filled').waitFor(WAIT);
  const [{ quantity }] = await get('/positions?symbol=AVAXUSDT');
  expect(quantity).toBe(10);
  expect(complaints).toEqual([]);
});

test('an order of a position goes to no other account where its own is not open any more', async () => {
  await dashboard.signal({ exchange: 'bybit', symbol: 'LINKUSDT', quantity: 2 });
  const { page } = await dashboard.open({ place: `#/positions/${encodeURIComponent('bybit:LINKUSDT:LONG')}` });
  await page.route(/\/account$/, async (route) => {
    const answer = await (await route.fetch()).json();
    const result = answer.result.filter(({ exchange }: { exchange: string }) => exchange !== 'bybit');
    await route.fulfill({ json: { ...answer, result } });
  });
  await page.reload();
  await page.getByRole('button', { name: 'Add…' }).click(WAIT);
  await ticketOf(page).getByText('bybit:main is not open now').waitFor(WAIT);
  await ticketOf(page).getByLabel('Size', { exact: true }).fill('10');
  expect(await look(page).isDisabled()).toBe(true);
  await expectAccessible(page);
  await ticketOf(page).getByLabel('Account').selectOption('binance:main');
  await look(page).click();
  await sendButton(page).waitFor(WAIT);
});

test.each([
  ['light', 1440],
  ['dark', 1024],
  ['dark', 390],
] as const)('is for everybody: %s, %i px wide', async (colorScheme, width) => {
  const { page, complaints } = await dashboard.open({ colorScheme, width, height: 800 });
  await page.getByText('All systems well').waitFor(WAIT);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go to a page or do something' }).fill('new order', WAIT);
  await page.getByRole('option', { name: 'New order…' }).click(WAIT);
  await ticketOf(page).waitFor(WAIT);
  await type(page, 'BTCUSDT', '0.01');
  await ticketOf(page).getByRole('button', { name: 'Several targets' }).click();
  await ticketOf(page).getByRole('button', { name: 'Remove target 2' }).click();
  await ticketOf(page).getByRole('button', { name: 'Remove target 1' }).click();
  await look(page).click();
  await sendButton(page).waitFor(WAIT);
  await expectAccessible(page);
  const box = await ticketOf(page).boundingBox();
  if (width === 390)
    expect([box?.x, box?.width, Math.round((box?.y ?? 0) + (box?.height ?? 0))]).toEqual([0, 390, 800]);
  expect(await ticketOf(page).evaluate((dialog) => dialog.scrollWidth > dialog.clientWidth)).toBe(false);
  expect(complaints).toEqual([]);
});
