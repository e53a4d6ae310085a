// Deployments in a real browser: a script is deployed as a dry run, paused, resumed, let trade, and stopped.

import { beforeAll, describe, expect, test } from 'vitest';
import { type DashboardBrowser, expectAccessible, startDashboard } from '../support/dashboard-browser.ts';
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

let dashboard: DashboardBrowser;
let key: string;
beforeAll(async () => {
  dashboard = await startDashboard();
  key = await makeScriptKey(dashboard.signalbox);
  await fetch(`${dashboard.signalbox.url}/api/scripts`, {
    ...{ method: 'POST', headers: { authorization: `Bearer ${key}` } },
    body: JSON.stringify({ name: 'Trend', content: STRATEGY }),
  });
}, SETUP_TIMEOUT_MS);

interface Deployed {
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
    const { page, complaints } = await dashboard.open({ place: '#/deployments' });
    await pasteScriptKey(page, key);
    await page.getByText('Nothing runs live yet').waitFor(WAIT);
    await page.getByRole('button', { name: 'Deploy a script…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Deploy a script' });
    await dialog.getByLabel('Script').selectOption('Trend', WAIT);
    await dialog.getByLabel('Webhook key').fill(dashboard.signalbox.apiKey ?? '');
    await dialog.getByText('Inputs').click(WAIT);
    await dialog.getByLabel('Length').fill('30');
    await dialog.getByLabel('Capital it begins with').fill('5000');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Deploy' }).click();
    await page.getByRole('table', { name: 'What it did' }).getByText('created').waitFor(WAIT);
    expect(await deployed()).toMatchObject([
      { mode: 'dry-run', state: 'running', inputs: { Length: 30 }, initialCapital: 5000 },
    ]);

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
    await question.getByLabel('Webhook key').fill('whk_wrong');
    await question.getByRole('button', { name: 'Let it trade' }).click();
    await expect.poll(() => question.locator('.error').innerText()).toContain('key');
    expect(await deployed()).toMatchObject([{ mode: 'dry-run' }]);
    await question.getByLabel('Webhook key').fill(dashboard.signalbox.apiKey ?? '');
    await question.getByRole('button', { name: 'Let it trade' }).click();
    await page.getByText('trades', { exact: true }).waitFor(WAIT);
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
    expect(complaints.filter((complaint) => !/status of 4\d\d/.test(complaint))).toEqual([]);
  });

  test.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)('are for everybody: %s, %i px wide', async (colorScheme, width) => {
    await fetch(`${dashboard.signalbox.url}/api/deployments`, {
      ...{ method: 'POST', headers: { authorization: `Bearer ${key}` } },
      body: JSON.stringify({
        ...{ scriptId: await scriptId(), name: 'Looked at', symbol: 'ETHUSDT', interval: '1h' },
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

async function scriptId(): Promise<string> {
  const response = await fetch(`${dashboard.signalbox.url}/api/scripts`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return ((await response.json()) as { scripts: readonly { id: string }[] }).scripts[0]!.id;
}
