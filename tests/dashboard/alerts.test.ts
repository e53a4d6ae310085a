// Alerts and keys in a real browser: whatever is changed there is asked for again at the doors that signals come through.

import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { deliver, mailPort } from '../mail/post-office.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { DashboardBrowser, expectAccessible, REFUSALS, startDashboard } from '../support/dashboard-browser.ts';
import { startProcess } from '../support/process.ts';
import { makeScriptKey } from '../support/script-key.ts';

const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 30_000 };
const ADMIN_TOKEN = 'an-admin-token-for-tests-01';

let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard({ env: { ADMIN_TOKEN } });
}, SETUP_TIMEOUT_MS);

const open = async (options = {}) => {
  const opened = await dashboard.open({ place: '#/alerts', ...options });
  await opened.page.getByRole('table', { name: 'Webhook keys' }).waitFor(WAIT);
  return opened;
};
const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name });

/** Makes a key as a user does, and returns it. */
async function makeKey(page: Page, label: string, { symbols = '' } = {}): Promise<string> {
  await page.getByRole('button', { name: 'New key…' }).click();
  const dialog = dialogOf(page, 'New webhook key');
  await dialog.getByLabel('Name').fill(label);
  await dialog.getByLabel('binance').check();
  await dialog.getByLabel('Markets it may trade').fill(symbols);
  await dialog.getByRole('button', { name: 'Make it' }).click();
  const shown = dialogOf(page, `The key of ${label}`);
  const apiKey = (await shown.getByRole('region', { name: 'the key' }).innerText()).trim();
  await shown.getByRole('button', { name: 'I have it' }).click();
  return apiKey;
}

/** The message on the page, as TradingView would send it. */
async function rendered(page: Page, values: Readonly<Record<string, string>>): Promise<object> {
  const text = await page.getByRole('region', { name: 'the alert message' }).innerText();
  return JSON.parse(text.replace(/\{\{([\w.]+)\}\}/g, (_, name: string) => values[name] ?? `unknown ${name}`));
}

const send = async (path: string, body: object) => {
  const response = await fetch(`${dashboard.signalbox.url}${path}`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  });
  return (await response.json()) as Record<string, unknown>;
};

const BAR_CLOSE = { ticker: 'BTCUSDT', interval: '60', timenow: '2026-11-17T19:00:00Z' };

describe('a key and its alert', () => {
  test('is made, shown once, filled into the alert of an indicator, and that alert trades within its scope', async () => {
    const { page, complaints } = await open();
    await page.getByText('TradingView cannot reach 127.0.0.1').waitFor(WAIT);
    const apiKey = await makeKey(page, 'chart', { symbols: 'BTCUSDT' });
    expect(apiKey).toMatch(/^whk_[\w-]{43}$/);
    const row = page.getByRole('row', { name: /^chart/ });
    await row.getByText('BTCUSDT on binance').waitFor(WAIT);
    await page.getByLabel('What fires').selectOption('indicator');
    await page.getByText('Give a quantity').waitFor(WAIT);
    await page.getByLabel('Quantity').fill('0.01');
    await page.getByLabel('Stop loss').fill('2%');
    await page.getByLabel('Strategy', { exact: true }).fill('ema');
    const alert = await rendered(page, BAR_CLOSE);
    expect(alert).toMatchObject({ apiKey, strategy: 'ema', stopLoss: { percent: 2 } });
    expect(await send('/webhook', alert)).toMatchObject({ success: true });
    expect(await send('/webhook', alert)).toMatchObject({ success: false, code: 'DUPLICATE_SIGNAL' });
    await page.getByLabel('Action', { exact: true }).selectOption('CLOSE_LONG');
    const exit = await rendered(page, BAR_CLOSE);
    expect(exit).toMatchObject({ action: 'CLOSE_LONG' });
    expect(exit, 'what an entry alone may have').not.toHaveProperty('stopLoss');
    expect(await send('/webhook', exit), 'another alert that fires in the same second').toMatchObject({
      success: true,
    });
    const other = await rendered(page, { ...BAR_CLOSE, ticker: 'ETHUSDT', timenow: '2026-11-17T19:00:01Z' });
    expect(await send('/webhook', other)).toMatchObject({ success: false, code: 'KEY_OUT_OF_SCOPE' });
    await row.locator('time').waitFor(WAIT);
    expect(complaints).toEqual([]);
  });

  test('of a strategy is understood at its door: entry, then flat', async () => {
    const { page, complaints } = await open();
    const apiKey = await makeKey(page, 'strategist');
    await page.getByRole('region', { name: 'the alert message' }).getByText(apiKey).waitFor(WAIT);
    const address = await page.getByRole('region', { name: 'the webhook address' }).innerText();
    expect(address.trim()).toBe(`${dashboard.signalbox.url}/webhook/tradingview`);
    const order = (action: string, before: string, after: string) => ({
      ...{
        ticker: 'ETHUSDT',
        interval: '60',
        timenow: action,
        'strategy.order.id': 'x',
        'strategy.order.action': action,
      },
      ...{
        'strategy.order.contracts': '0.5',
        'strategy.market_position': after,
        'strategy.prev_market_position': before,
      },
      'strategy.market_position_size': after === 'flat' ? '0' : '0.5',
      'strategy.prev_market_position_size': before === 'flat' ? '0' : '0.5',
    });
    const entry = await send('/webhook/tradingview', await rendered(page, order('buy', 'flat', 'long')));
    expect(entry).toMatchObject({ success: true, tradeResult: { executedQty: 0.5 } });
    const exit = await send('/webhook/tradingview', await rendered(page, order('sell', 'long', 'flat')));
    expect(exit).toMatchObject({ success: true, tradeResult: { executedQty: 0.5 } });
    expect(complaints).toEqual([]);
  });

  test('is limited, paused, resumed, rotated with a grace time and revoked, each after a question', async () => {
    const { page, complaints } = await open({ expected: REFUSALS });
    const apiKey = await makeKey(page, 'busy');
    const signal = (key = apiKey) => dashboard.signal({ apiKey: key });
    const row = page.getByRole('row', { name: /^busy/ });

    await row.getByRole('button', { name: 'Limit busy' }).click();
    await dialogOf(page, 'Limits of busy').getByLabel('Largest order, USDT').fill('5');
    await dialogOf(page, 'Limits of busy').getByRole('button', { name: 'Set them' }).click();
    await row.getByText('largest order 5 USDT').waitFor(WAIT);
    expect(await signal()).toMatchObject({ code: 'LIMIT_LARGEST_ORDER' });
    await row.getByRole('button', { name: 'Limit busy' }).click();
    await dialogOf(page, 'Limits of busy').getByLabel('Largest order, USDT').fill('');
    await dialogOf(page, 'Limits of busy').getByLabel('Leverage, times').fill('many');
    await dialogOf(page, 'Limits of busy').getByRole('button', { name: 'Set them' }).click();
    await dialogOf(page, 'Limits of busy').getByRole('alert').getByText('leverage').waitFor(WAIT);
    await dialogOf(page, 'Limits of busy').getByLabel('Leverage, times').fill('');
    await dialogOf(page, 'Limits of busy').getByRole('button', { name: 'Set them' }).click();
    await row.getByText('none').waitFor(WAIT);

    await row.getByRole('button', { name: 'Pause busy' }).click();
    await dialogOf(page, 'Pause busy?').getByLabel('Reason').fill('holiday');
    await dialogOf(page, 'Pause busy?').getByRole('button', { name: 'Pause it' }).click();
    await row.getByText('paused').waitFor(WAIT);
    expect(await signal()).toMatchObject({ success: false, error: expect.stringContaining('holiday') });
    await row.getByRole('button', { name: 'Resume busy' }).click();
    await dialogOf(page, 'Let busy go on?').getByText('holiday').waitFor(WAIT);
    await dialogOf(page, 'Let busy go on?').getByRole('button', { name: 'Go on' }).click();
    await row.getByText('active').waitFor(WAIT);

    await row.getByRole('button', { name: 'Rotate busy' }).click();
    await dialogOf(page, 'Rotate busy?').getByLabel('The old key ends').selectOption('3600');
    await dialogOf(page, 'Rotate busy?').getByRole('button', { name: 'Rotate it' }).click();
    const shown = dialogOf(page, 'The key of busy');
    const next = (await shown.getByRole('region', { name: 'the key' }).innerText()).trim();
    await shown.getByRole('button', { name: 'I have it' }).click();
    await row.getByText('old one until').waitFor(WAIT);
    expect([await signal(), await signal(next)]).toMatchObject([{ success: true }, { success: true }]);

    await row.getByRole('button', { name: 'Revoke busy' }).click();
    await dialogOf(page, 'Revoke busy?').getByRole('button', { name: 'Leave it' }).click();
    expect(await signal(next)).toMatchObject({ success: true });
    await row.getByRole('button', { name: 'Revoke busy' }).click();
    await dialogOf(page, 'Revoke busy?').getByRole('button', { name: 'Revoke it' }).click();
    await row.waitFor({ state: 'hidden', ...WAIT });
    expect(await signal(next)).toMatchObject({ code: 'AUTHENTICATION_FAILED' });
    await page.getByRole('button', { name: 'Show 1 revoked' }).click();
    await row.getByText('revoked').waitFor(WAIT);
    // The one limit that was no number.
    expect(complaints).toEqual([expect.stringContaining('400 (Bad Request)')]);
  }, 120_000);
});

describe('the ways in', () => {
  test('the list of senders shuts out and lets in, and says what is wrong with an entry', async () => {
    const { page, complaints } = await open({ expected: REFUSALS });
    await page.getByRole('button', { name: 'Add TradingView' }).click();
    await dialogOf(page, 'Shut out everybody else?').getByRole('button', { name: 'Only these' }).click();
    await page.getByText('its four published addresses').waitFor(WAIT);
    expect(await dashboard.signal({})).toMatchObject({ code: 'ADDRESS_BLOCKED' });
    await page.getByLabel('Address or range').fill('nowhere');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('alert').getByText('nowhere').waitFor(WAIT);
    await page.getByLabel('Address or range').fill('127.0.0.1');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name: 'Remove 127.0.0.1' }).waitFor(WAIT);
    expect(await dashboard.signal({})).toMatchObject({ success: true });
    await page.getByRole('button', { name: 'Remove tradingview' }).click();
    await page.getByText('1 on the list').waitFor(WAIT);
    await page.getByRole('button', { name: 'Remove 127.0.0.1' }).click();
    await page.getByText('anybody with a key').waitFor(WAIT);
    // The one entry that was no address.
    expect(complaints).toEqual([expect.stringContaining('400 (Bad Request)')]);
  });

  test('rates are set, and names of charts are mapped and taken off again', async () => {
    const { page } = await open({ expected: REFUSALS });
    await page.getByLabel('Signals of a key, a minute').fill('500');
    await page.getByRole('button', { name: 'Set the limits' }).click();
    await expect.poll(ratePerMinute, WAIT).toBe(500);
    await page.getByLabel('Name on the chart').fill('NQ1!');
    await page.getByLabel('Market traded').fill('NOSUCH');
    await page.getByRole('button', { name: 'Map it' }).click();
    await page.getByRole('alert').getByText('NOSUCH').waitFor(WAIT);
    await page.getByLabel('Market traded').fill('BTCUSDT');
    await page.getByRole('button', { name: 'Map it' }).click();
    await page.getByRole('table', { name: 'Symbol map' }).getByText('NQ1!').waitFor(WAIT);
    expect(await dashboard.signal({ symbol: 'NQ1!' })).toMatchObject({ success: true });
    await page.getByRole('button', { name: 'Remove NQ1!' }).click();
    await page.getByRole('table', { name: 'Symbol map' }).waitFor({ state: 'hidden', ...WAIT });
    await page.getByText('Mail can bring signals too').waitFor(WAIT);
  });

  test('mail has an address for each key, at which a mail trades under it', async () => {
    const { page: other } = await open();
    const signalbox = await startProcess({
      env: {
        ...{ SERVICES: 'gateway,dashboard', BASE_URL: 'https://signals.example', SMTP_PORT: '0' },
        ...{ SMTP_ALLOWED_SENDERS: 'me@example.com', SMTP_AUTH_POLICY: 'off' },
      },
    });
    closeAtEnd(async () => void (await signalbox.stop()));
    const mailing = new DashboardBrowser(signalbox, other.context().browser()!);
    const { page, complaints } = await mailing.open({ place: '#/alerts' });
    const panel = page.getByRole('region', { name: 'Signals by mail' });
    await panel.getByText('From me@example.com alone').waitFor(WAIT);
    const to = (await panel.getByRole('region', { name: 'the mail address of default' }).innerText()).trim();
    expect(to).toBe('signals+default@signals.example');
    const example = await panel.getByText(/^LONG .* on binance$/).innerText();
    const mail = { from: 'me@example.com', to, messageId: '<one@example.com>', text: example };
    expect(await deliver(mailPort(signalbox), mail)).toMatchObject({ code: 250 });
    await page.goto(`${signalbox.url}/#/trades`);
    await page.getByRole('table', { name: 'Trades' }).getByText('BTCUSDT').waitFor(WAIT);
    expect(complaints).toEqual([]);
  });

  test('every key of the analysis and of the script library stands against its quota, and none can be ended here', async () => {
    const scriptKey = await makeScriptKey(dashboard.signalbox);
    const made = await fetch(`${dashboard.signalbox.url}/auth/create_key`, {
      ...{ method: 'POST', body: JSON.stringify({ tier: 'hobby' }) },
      headers: { 'content-type': 'application/json', 'x-admin-token': ADMIN_TOKEN },
    });
    const { api_key: key, key_id: keyId } = (await made.json()) as { api_key: string; key_id: string };
    const data = [1, 2].map((time) => ({ time: time * 60_000, open: 1, high: 2, low: 1, close: 2 }));
    const called = await fetch(`${dashboard.signalbox.url}/backtest/quick`, {
      ...{ method: 'POST', headers: { authorization: `Bearer ${key}` } },
      body: JSON.stringify({ script: '//@version=6\nstrategy("x")\nplot(close)', data, initial_capital: 1000 }),
    });
    expect(called.status).toBe(200);
    const { page, complaints } = await open();
    const panel = page.getByRole('region', { name: 'Analysis and script keys' });
    await panel
      .getByRole('row', { name: new RegExp(`^${keyId}`) })
      .getByText('1 of 5,000')
      .waitFor(WAIT);
    await panel
      .getByRole('row', { name: new RegExp(`^${scriptKey.slice(0, 9)}`) })
      .getByText('never')
      .waitFor(WAIT);
    expect(await panel.getByRole('button').count()).toBe(0);
    expect(await page.content()).not.toContain(scriptKey);
    expect(complaints).toEqual([]);
  });
});

describe('the checker', () => {
  const checker = (page: Page) => page.getByRole('region', { name: 'Check an alert' });
  const gate = (page: Page, name: string) => checker(page).getByRole('list', { name: 'Gates' }).getByText(name);

  test('says what an alert would trade, gate by gate, and trades nothing', async () => {
    const { page, complaints } = await open();
    const apiKey = await makeKey(page, 'checked', { symbols: 'BTCUSDT' });
    const before = await tradeCount();
    const body = {
      apiKey,
      exchange: 'binance',
      action: 'LONG',
      symbol: 'BTCUSDT',
      quantity: 0.0104,
      stopLoss: { percent: 2 },
    };
    await checker(page).getByLabel('Alert text').fill(JSON.stringify(body));
    await checker(page).getByRole('button', { name: 'Check it' }).click();
    await checker(page).getByText('It would trade').waitFor(WAIT);
    await checker(page).getByText('by the key checked, sent to /webhook').waitFor(WAIT);
    const account = checker(page).getByRole('region', { name: 'On binance:main' });
    await account.getByText('PAPER').waitFor(WAIT);
    await account.getByText('BUY 0.01 at the market, opens long').waitFor(WAIT);
    await account.getByText(/^stop \d/).waitFor(WAIT);
    expect(await checker(page).getByText('refuses').count()).toBe(0);
    expect(await checker(page).getByText('passes').count()).toBe(13);
    await checker(page).getByText('How each field was read').first().click();
    await checker(page).getByRole('table', { name: 'How each field was read' }).getByText('"***"').waitFor(WAIT);
    await expectAccessible(page);
    expect(await tradeCount()).toBe(before);

    await checker(page)
      .getByLabel('Alert text')
      .fill(JSON.stringify({ ...body, symbol: 'ETHUSDT' }));
    await checker(page).getByRole('button', { name: 'Check it' }).click();
    await checker(page).getByText('It would be refused').waitFor(WAIT);
    await checker(page).getByText('What to do:').waitFor(WAIT);
    await checker(page).getByText('This key is for other markets').waitFor(WAIT);
    await gate(page, 'Limits and pauses').waitFor(WAIT);
    expect(await checker(page).getByText('refuses').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  test('fills in what TradingView would, and lets it be changed: the alert of the template, a strategy, a mail', async () => {
    const { page, complaints } = await open();
    const before = await tradeCount();
    await page.getByRole('button', { name: 'Check this alert' }).click();
    await checker(page).getByText('It would trade').waitFor(WAIT);
    await checker(page).getByText('sent to /webhook/tradingview').waitFor(WAIT);
    await checker(page).getByLabel('{{strategy.order.contracts}}').fill('0.02');
    await checker(page).getByRole('button', { name: 'Check it' }).click();
    await checker(page).getByText('BUY 0.02 at the market').waitFor(WAIT);
    await checker(page).getByLabel('{{ticker}}').fill('NOSUCHUSDT');
    await checker(page).getByRole('button', { name: 'Check it' }).click();
    await checker(page).getByText('It would be refused').waitFor(WAIT);
    await checker(page).getByText('Write the market as the exchange does').waitFor(WAIT);

    await checker(page).getByLabel('Alert text').fill('LONG 0.01 BTCUSDT on binance');
    await checker(page).getByLabel('Sent to').selectOption('');
    await checker(page).getByRole('button', { name: 'Check it' }).click();
    await checker(page).getByText('A webhook takes JSON alone').waitFor(WAIT);
    await checker(page).getByRole('button', { name: 'Check it as a mail' }).click();
    await checker(page).getByText('It would trade').waitFor(WAIT);
    await checker(page).getByText('sent to /email-signal').waitFor(WAIT);

    const lines = 'exchange: binance\naction: LONG\nsymbol: BTCUSDT\nquantity: 0.01';
    await checker(page).getByLabel('Alert text').fill(lines);
    await checker(page).getByLabel('Sent to').selectOption({ label: 'Mail' });
    await checker(page).getByRole('button', { name: 'Check it' }).click();
    await checker(page).getByText('BUY 0.01 at the market').waitFor(WAIT);
    expect(await tradeCount()).toBe(before);
    expect(complaints).toEqual([]);
  });
});

test.each([
  ['light', 1440],
  ['dark', 1440],
  ['light', 1024],
  ['light', 390],
  ['dark', 390],
] as const)('is for everybody: %s, %i px wide', async (colorScheme, width) => {
  const { page, complaints } = await open({ colorScheme, width });
  await page.getByText('Mail can bring signals too').waitFor(WAIT);
  await page.getByRole('button', { name: 'Check this alert' }).click();
  await page.getByRole('list', { name: 'Gates' }).waitFor(WAIT);
  await expectAccessible(page);
  expect(await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')).toBe(
    false,
  );
  await page.getByRole('button', { name: 'Limit default' }).click();
  await dialogOf(page, 'Limits of default').waitFor(WAIT);
  await expectAccessible(page);
  expect(complaints).toEqual([]);
});

async function tradeCount(): Promise<number> {
  const response = await fetch(`${dashboard.signalbox.url}/trades?limit=100`);
  return ((await response.json()) as { result: readonly unknown[] }).result.length;
}

async function ratePerMinute(): Promise<unknown> {
  const response = await fetch(`${dashboard.signalbox.url}/admin/limits`);
  return ((await response.json()) as { result: { webhookRatePerMinute: number } }).result.webhookRatePerMinute;
}
