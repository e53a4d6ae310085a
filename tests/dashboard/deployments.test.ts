// Deployments in a real browser: a script is deployed as a dry run, paused, resumed, let trade, and stopped.

import { beforeAll, describe, expect, test } from 'vitest';
import {
  type DashboardBrowser,
  expectAccessible,
  LOST_SERVER,
  REFUSALS,
  startDashboard,
} from '../support/dashboard-browser.ts';
import { loseNextAnswer } from '../support/lost-answer.ts';
import { makeScriptKey, pasteScriptKey } from '../support/script-key.ts';

/** A first run may have to install the browser. */
const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 30_000 };
const STRATEGY = `//@version=6
strategy("Trend")
length = input.int(20, "Length", minval = 2)
if ta.crossover(close, ta.ema(close, length))
    strategy.entry("L", strategy.long)
`;

const INDICATOR = '//@version=6\nindicator("x")\nplot(close)';
/** An alert at every close, with a name that ends with the time of its bar. */
const EVERY_BAR =
  'alertcondition(close > 0, "Up", \'{"exchange":"binance","action":"LONG","symbol":"{{ticker}}","quantity":0.01,"alertId":"up-{{time}}"}\')';
/** So shortly before the end of a bar, the one after it is meant. */
const SLOW_DEPLOY_MS = 20_000;
/** A bar of a minute ends. */
const A_BAR = { timeout: 150_000 };

let dashboard: DashboardBrowser;
let key: string;
/** The id of a script. */
let trend: string;
beforeAll(async () => {
  dashboard = await startDashboard();
  key = await makeScriptKey(dashboard.signalbox);
  trend = await storeScript('Trend', STRATEGY);
}, SETUP_TIMEOUT_MS);

interface Deployed {
  readonly id: string;
  readonly name: string;
  readonly mode: string;
  readonly state: string;
  readonly inputs: object;
}

async function deployed(): Promise<readonly Deployed[]> {
  const response = await fetch(`${dashboard.signalbox.url}/api/deployments`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return ((await response.json()) as { deployments: readonly Deployed[] }).deployments;
}

describe('deployments', () => {
  test('begin as a dry run, are paused and resumed, let trade, and stopped, each after a question', async () => {
    const { page, complaints } = await dashboard.open({
      expected: [...REFUSALS, ...LOST_SERVER],
      place: '#/deployments',
    });
    await pasteScriptKey(page, key);
    await page.getByText('Nothing runs live yet').waitFor(WAIT);
    const dialog = page.getByRole('dialog', { name: 'Deploy a script' });
    const choose = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Deploy a script…' }).click(WAIT);
      await dialog.getByLabel('Script').selectOption('Trend', WAIT);
      await dialog.getByLabel('Webhook key').fill(dashboard.signalbox.apiKey ?? '');
      await dialog.getByText('Inputs').click(WAIT);
      await dialog.getByLabel('Length').fill('30');
      // What the script declares stands there, and so do the account and its money, before anything is pressed.
      await expect.poll(() => dialog.getByLabel('Capital it begins with').inputValue()).toBe('1000000');
      await dialog.getByText('The script declares 1,000,000.').waitFor(WAIT);
      await dialog.getByLabel('Capital it begins with').fill('5000');
    };
    await choose();
    const where = dialog.getByRole('region', { name: 'Account and money' });
    await where.getByText('PAPER · play money').waitFor(WAIT);
    expect(await where.innerText()).toMatch(
      /Exchange\s+binance\s+Account\s+main, 100,000\.00 USDT.*\s+Webhook key\s+\S/,
    );
    await expectAccessible(page);
    // Nobody hears that it was made: the same of a dialog that is opened anew makes no second one.
    await loseNextAnswer(page, 'POST', /\/api\/deployments$/);
    await dialog.getByRole('button', { name: 'Deploy' }).click();
    await dialog.getByText('does not answer').waitFor(WAIT);
    await page.reload();
    await choose();
    await dialog.getByRole('note').getByText('Sent again it is done once at most').waitFor(WAIT);
    await dialog.getByRole('button', { name: 'Deploy' }).click();
    await page.getByRole('table', { name: 'What it did' }).getByText('created').waitFor(WAIT);
    expect(await deployed()).toMatchObject([
      { mode: 'dry-run', state: 'running', inputs: { Length: 30 }, initialCapital: 5000 },
    ]);

    const orders = page.getByRole('region', { name: 'Where its orders go' });
    await orders.getByText('dry run: nothing is sent').waitFor(WAIT);
    await orders.getByText('PAPER · play money').waitFor(WAIT);
    await page.getByRole('region', { name: 'How it is set' }).getByText('5,000.00').waitFor(WAIT);

    await page.getByRole('button', { name: 'Pause…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Let it run' }).click();
    await page.getByRole('button', { name: 'Pause…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause it' }).click();
    await page.getByRole('button', { name: 'Resume…' }).click(WAIT);
    expect(await deployed()).toMatchObject([{ state: 'paused' }]);
    await page.getByRole('dialog').getByRole('button', { name: 'Resume it' }).click();
    await page.getByRole('button', { name: 'Pause…' }).waitFor(WAIT);

    await page.getByRole('button', { name: 'Let it trade…' }).click();
    const question = page.getByRole('dialog', { name: 'Let Trend trade?' });
    const money = question.getByRole('region', { name: 'Account and money' });
    await money.getByText('PAPER · play money').waitFor(WAIT);
    await question.getByLabel('Webhook key').fill('whk_wrong');
    // Of another key than the dry run's nothing is known yet, and nothing is claimed.
    await question.getByRole('button', { name: 'Let it trade, money not known' }).waitFor(WAIT);
    expect(await money.getByText('PAPER').count()).toBe(0);
    await question.getByRole('button', { name: 'Let it trade' }).click();
    await expect.poll(() => question.locator('.error').innerText()).toContain('key');
    expect(await deployed()).toMatchObject([{ mode: 'dry-run' }]);
    await question.getByLabel('Webhook key').fill(dashboard.signalbox.apiKey ?? '');
    await money.getByText('PAPER · play money').waitFor(WAIT);
    // It is deployed, and nobody hears of it: pressed again, it must not be there twice.
    await loseNextAnswer(page, 'POST', /\/api\/deployments$/);
    await question.getByRole('button', { name: 'Let it trade' }).click();
    await question.getByText('does not answer').waitFor(WAIT);
    // The page hears that the dry run is gone, and the question stays.
    await page.getByText('There is no such deployment any more').waitFor(WAIT);
    await question.getByRole('button', { name: 'Let it trade' }).click();
    await page.getByText('trades', { exact: true }).waitFor(WAIT);
    await orders.getByText('they are sent').waitFor(WAIT);
    // The dry run is gone, and what it did is not.
    const log = page.getByRole('table', { name: 'What it did' });
    await log.getByText('takes the place of a dry run').waitFor(WAIT);
    for (const word of ['paused', 'resumed']) await log.getByRole('cell', { name: word, exact: true }).waitFor(WAIT);
    await expect
      .poll(deployed)
      .toMatchObject([{ mode: 'trade', state: 'running', inputs: { Length: 30 }, initialCapital: 5000 }]);

    await page.getByRole('button', { name: 'Compare' }).click();
    const compared = page.getByRole('region', { name: 'Live over backtest' });
    await compared.getByRole('alert').or(compared.getByText('has not filled anything yet')).first().waitFor(WAIT);
    await page.getByRole('button', { name: 'Stop and remove…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop and remove it' }).click();
    await page.getByText('Nothing runs live yet').waitFor(WAIT);
    expect(await deployed()).toEqual([]);
    // What was refused on purpose the browser writes down too.
    expect(complaints.filter((complaint) => !/status of 4\d\d|net::ERR_FAILED/.test(complaint))).toEqual([]);
  });

  test('are given a webhook key of their own with one press, on an account that is named', async () => {
    const { page, complaints } = await dashboard.open({
      expected: [...REFUSALS, ...LOST_SERVER],
      place: '#/deployments',
    });
    await pasteScriptKey(page, key);
    await page.getByRole('button', { name: 'Deploy a script…' }).click(WAIT);
    const dialog = page.getByRole('dialog', { name: 'Deploy a script' });
    const make = dialog.getByRole('button', { name: 'Make a key for it' });
    await dialog.getByLabel('Script').selectOption('Trend', WAIT);
    await make.click(WAIT);
    await dialog.getByText('Made, and filled in.').waitFor(WAIT);
    await dialog.getByRole('region', { name: 'Account and money' }).getByText('Trend', { exact: true }).waitFor(WAIT);
    expect(await make.count()).toBe(0);
    await expectAccessible(page);
    // Deployed from here it is not there twice either.
    await loseNextAnswer(page, 'POST', /\/api\/deployments$/);
    await dialog.getByRole('button', { name: 'Deploy' }).click();
    await dialog.getByText('does not answer').waitFor(WAIT);
    // What was made is not what stands here now: that is said, and nothing else is made.
    await dialog.getByLabel('Capital it begins with').fill('7');
    await dialog.getByRole('button', { name: 'Deploy' }).click();
    await dialog.getByText('It was deployed already, with what stood here before').waitFor(WAIT);
    await dialog.getByLabel('Capital it begins with').fill('1000000');
    await dialog.getByRole('button', { name: 'Deploy' }).click();
    await page.getByRole('table', { name: 'What it did' }).getByText('created').waitFor(WAIT);
    // Unchanged, the capital is what stood there.
    const [made, ...others] = await deployed();
    expect(others).toEqual([]);
    expect(made).toMatchObject({ mode: 'dry-run', initialCapital: 1_000_000, targets: [{ keyLabel: 'Trend' }] });
    await remove(made!.id);
    expect(complaints.filter((complaint) => !/status of 409|net::ERR_FAILED/.test(complaint))).toEqual([]);
  });

  test('are listed with the money that each trades, or would trade', async () => {
    const trade = { type: 'trade', apiKey: dashboard.signalbox.apiKey, exchange: 'binance' };
    const ids = [
      await deploy({ name: 'Trading', mode: 'trade', targets: [trade] }),
      await deploy({ name: 'Rehearsing', mode: 'dry-run', targets: [trade] }),
      await deploy({ name: 'Telling', targets: [{ type: 'signals' }] }),
    ];
    const { page, complaints } = await dashboard.open({ place: '#/deployments' });
    await pasteScriptKey(page, key);
    const money = (name: string) => page.getByRole('row', { name }).getByRole('cell').nth(4);
    const listed = async () => [
      await money('Trading').innerText(),
      await money('Rehearsing').innerText(),
      await money('Telling').innerText(),
    ];
    await expect.poll(listed, WAIT).toEqual(['PAPER', 'would be PAPER', 'none']);
    await expectAccessible(page);
    // The same with real money, as the server would tell of it.
    await page.route(/\/account$/, async (route) => {
      const json = (await (await route.fetch()).text()).replaceAll('"mode":"paper"', '"mode":"live"');
      await route.fulfill({ json: JSON.parse(json) });
    });
    await expect.poll(listed, WAIT).toEqual(['LIVE', 'would be LIVE', 'none']);
    await page.getByRole('link', { name: 'Rehearsing' }).first().click();
    await page.getByRole('button', { name: 'Let it trade…' }).click(WAIT);
    const question = page.getByRole('dialog', { name: 'Let Rehearsing trade?' });
    await question.getByText('LIVE · real money').waitFor(WAIT);
    await question.getByRole('button', { name: 'Let it trade with REAL money' }).waitFor(WAIT);
    await expectAccessible(page);
    // On a phone the way out is not cut off beside the longer words.
    await page.setViewportSize({ width: 390, height: 844 });
    const [frame, wayOut] = [question, question.getByRole('button', { name: 'Leave it a dry run' })];
    expect((await wayOut.boundingBox())?.x).toBeGreaterThan((await frame.boundingBox())?.x ?? 0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    for (const id of ids) await remove(id);
    expect(complaints).toEqual([]);
  });

  test('say what is wrong: an error, books that drift, and each alert of TradingView that did not come', async () => {
    // Not on the bars that it is tried over when it is deployed.
    const nextBarMs = Math.floor((Date.now() + SLOW_DEPLOY_MS) / 60_000) * 60_000;
    const failing = await storeScript(
      'Failing',
      `${INDICATOR}\nif time >= ${nextBarMs}\n    runtime.error("no such thing")`,
    );
    const awaited = await storeScript('Awaited', `${INDICATOR}\n${EVERY_BAR}`);
    const of1m = { interval: '1m', mode: 'trade' };
    const trade = { type: 'trade', apiKey: dashboard.signalbox.apiKey, exchange: 'binance' };
    const opinion = { type: 'second-opinion', apiKey: dashboard.signalbox.apiKey, lateAfterSeconds: 1 };
    const ids = {
      failing: await deploy({ ...of1m, name: 'Failing', scriptId: failing, targets: [{ type: 'signals' }] }),
      drifting: await deploy({ name: 'Drifting', mode: 'dry-run', targets: [trade] }),
      awaited: await deploy({ ...of1m, name: 'Awaited', scriptId: awaited, targets: [opinion] }),
    };
    const { page, complaints } = await dashboard.open({ place: '#/deployments' });
    await pasteScriptKey(page, key);
    const list = page.getByRole('table', { name: 'Deployments' });
    await list
      .getByRole('row', { name: /^Failing/ })
      .getByText('no such thing')
      .waitFor(A_BAR);
    await list.getByRole('link', { name: 'Awaited' }).first().click();
    const opinions = page.getByRole('table', { name: 'TradingView’s opinion' });
    const row = opinions.getByRole('row', { name: /up-\d/ }).first();
    await row.getByRole('cell', { name: 'missing', exact: true }).waitFor(A_BAR);
    await page.getByText(/\d+ missing/).waitFor(WAIT);
    await expectAccessible(page);
    await page.getByRole('link', { name: '← Deployments' }).click();

    await list.getByRole('link', { name: 'Failing' }).first().click();
    await page.getByRole('alert').getByText('Last error: ').waitFor(WAIT);
    expect(await page.getByRole('alert').allInnerTexts()).toEqual([
      expect.stringMatching(/^Last error: .*no such thing/),
    ]);
    await page.getByRole('link', { name: '← Deployments' }).click();

    // Books that differ, as the server would tell of them: to find them it looks twice, half a minute apart.
    const drift = 'The script is long 0.01, the strategy "Drifting" is flat on every account.';
    await page.route(/\/api\/deployments$/, async (route) => {
      const answer = (await (await route.fetch()).json()) as { deployments: Deployed[] };
      const deployments = answer.deployments.map((own) => (own.id === ids.drifting ? { ...own, drift } : own));
      await route.fulfill({ json: { ...answer, deployments } });
    });
    await list
      .getByRole('row', { name: /^Drifting/ })
      .getByText('The script is ')
      .waitFor(A_BAR);
    await list.getByRole('link', { name: 'Drifting' }).first().click();
    await page.getByRole('alert').getByText('Drift: ').waitFor(WAIT);
    const words = await page.getByRole('alert').allInnerTexts();
    expect(words).toEqual([`Drift: ${drift}`]);
    await expectAccessible(page);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    for (const id of Object.values(ids)) await remove(id);
    expect(await deployed()).toEqual([]);
    expect(complaints).toEqual([]);
  }, 300_000);

  test('that watch over TradingView send what is missing when they are let, under the same name', async () => {
    const target = { type: 'second-opinion', apiKey: dashboard.signalbox.apiKey, exchange: 'bybit', sendMissing: true };
    const response = await fetch(`${dashboard.signalbox.url}/api/deployments`, {
      ...{ method: 'POST', headers: { authorization: `Bearer ${key}` } },
      body: JSON.stringify({
        ...{ scriptId: trend, symbol: 'ETHUSDT', interval: '1h', mode: 'dry-run' },
        targets: [target],
      }),
    });
    const { deployment } = (await response.json()) as { deployment: Deployed };
    const { page, complaints } = await dashboard.open({ place: `#/deployments/${deployment.id}` });
    await pasteScriptKey(page, key);
    await page.getByRole('button', { name: 'Let it send…' }).click(WAIT);
    const question = page.getByRole('dialog', { name: 'Let Trend send what is missing?' });
    await question.getByRole('region', { name: 'Account and money' }).getByText('bybit').waitFor(WAIT);
    await question.getByLabel('Webhook key').fill(dashboard.signalbox.apiKey ?? '');
    await expectAccessible(page);
    await question.getByRole('button', { name: 'Let it send' }).click();
    await page.getByText('trades', { exact: true }).waitFor(WAIT);
    const [live] = await deployed();
    expect(live).toMatchObject({
      mode: 'trade',
      targets: [{ alertName: deployment.id.slice(-12), sendMissing: true }],
    });
    await remove(live!.id);
    expect(complaints).toEqual([]);
  });

  test('go to a web address, or watch over TradingView’s alerts, as the server takes them', async () => {
    const { page, complaints } = await dashboard.open({ expected: REFUSALS, place: '#/deployments' });
    await pasteScriptKey(page, key);
    const dialog = page.getByRole('dialog', { name: 'Deploy a script' });
    const deploy = dialog.getByRole('button', { name: 'Deploy' });
    const begin = async (target: string): Promise<void> => {
      await page.getByRole('button', { name: 'Deploy a script…' }).click(WAIT);
      await dialog.getByLabel('Script').selectOption('Trend', WAIT);
      await dialog.getByRole('radio', { name: target }).check();
    };
    await begin('Call a web address');
    await dialog.getByLabel('URL').fill('alerts.example.com');
    expect(await deploy.isDisabled()).toBe(true);
    await dialog.getByLabel('URL').fill('https://alerts.example.com/hook');
    await dialog.getByLabel('Secret').fill('short');
    await deploy.click();
    await dialog.getByRole('alert').getByText('secret').waitFor(WAIT);
    await dialog.getByLabel('Secret').fill('a-secret-of-this-test');
    await dialog.getByLabel('It gets').selectOption('message');
    await expectAccessible(page);
    await deploy.click();
    await page.getByRole('table', { name: 'What it did' }).getByText('created').waitFor(WAIT);
    expect(await deployed()).toMatchObject([
      { targets: [{ type: 'webhook', url: 'https://alerts.example.com/hook', body: 'message', signed: true }] },
    ]);
    await page.getByRole('link', { name: '← Deployments' }).click();

    await begin('Watch over TradingView');
    expect(await deploy.isDisabled()).toBe(true);
    await dialog.getByLabel('Webhook key').fill(dashboard.signalbox.apiKey ?? '');
    await dialog.getByLabel('When an alert is missing').selectOption('send');
    await dialog.getByText('with the money of that key').waitFor(WAIT);
    await dialog.getByLabel('When an alert is missing').selectOption('dry-run');
    await expectAccessible(page);
    await deploy.click();
    const opinion = page.getByRole('region', { name: 'TradingView’s opinion', exact: true });
    await opinion.getByText('{{strategy.order.action}}').waitFor(WAIT);
    await opinion.getByRole('button', { name: 'Copy the text of TradingView’s alert' }).waitFor(WAIT);
    await expectAccessible(page);
    const [newest] = await deployed();
    expect(newest).toMatchObject({ mode: 'dry-run', targets: [{ type: 'second-opinion', sendMissing: true }] });
    for (const { id } of await deployed()) await remove(id);
    // The one secret that was too short.
    expect(complaints).toEqual([expect.stringContaining('400')]);
  }, 120_000);

  test.each([
    ['light', 1440],
    ['light', 1024],
    ['dark', 390],
  ] as const)('are for everybody: %s, %i px wide', async (colorScheme, width) => {
    await fetch(`${dashboard.signalbox.url}/api/deployments`, {
      ...{ method: 'POST', headers: { authorization: `Bearer ${key}` } },
      body: JSON.stringify({
        ...{ scriptId: trend, name: 'Looked at', symbol: 'ETHUSDT', interval: '1h' },
        targets: [{ type: 'signals' }],
      }),
    });
    const { page, complaints } = await dashboard.open({ colorScheme, width, place: '#/deployments' });
    await pasteScriptKey(page, key);
    const list = page.getByRole('table', { name: 'Deployments' });
    await list.getByText('ETHUSDT').first().waitFor(WAIT);
    await expectAccessible(page);
    await list.getByRole('link', { name: 'Looked at' }).first().click();
    await page.getByRole('table', { name: 'What it did' }).waitFor(WAIT);
    await expectAccessible(page);
    const isTooWide = await page.evaluate(
      'document.documentElement.scrollWidth > document.documentElement.clientWidth',
    );
    expect(isTooWide).toBe(false);
    expect(complaints).toEqual([]);
  });
});

async function deploy(fields: object): Promise<string> {
  const response = await fetch(`${dashboard.signalbox.url}/api/deployments`, {
    ...{ method: 'POST', headers: { authorization: `Bearer ${key}` } },
    body: JSON.stringify({ scriptId: trend, symbol: 'BTCUSDT', interval: '1h', ...fields }),
  });
  const { deployment, ...refusal } = (await response.json()) as { deployment?: { id: string } };
  if (deployment === undefined) throw new Error(JSON.stringify(refusal));
  return deployment.id;
}

async function remove(id: string): Promise<void> {
  await fetch(`${dashboard.signalbox.url}/api/deployments/${id}`, {
    ...{ method: 'DELETE', headers: { authorization: `Bearer ${key}` } },
  });
}

async function storeScript(name: string, content: string): Promise<string> {
  const response = await fetch(`${dashboard.signalbox.url}/api/scripts`, {
    ...{ method: 'POST', headers: { authorization: `Bearer ${key}` } },
    body: JSON.stringify({ name, content }),
  });
  return ((await response.json()) as { script: { id: string } }).script.id;
}
