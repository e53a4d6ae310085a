// The script beside the chart in a real browser: written and run at once, its inputs, saved, deployed, put into templates.

import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type DashboardBrowser,
  expectAccessible,
  type OpenedPage,
  REFUSALS,
  startDashboard,
} from '../support/dashboard-browser.ts';
import { makeScriptKey, pasteScriptKey } from '../support/script-key.ts';

/** A first run may have to install the browser. */
const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 30_000 };
/** A script is given 10 seconds, of a machine that may have others to serve. */

const script = (...lines: readonly string[]): string =>
  ['//@version=6', 'indicator("Height", overlay = true)', ...lines, ''].join('\n');
const HEIGHT = script('height = input.int(100, "Height", minval = 1)', 'plot(height, "Line")');
const ENDLESS = script('s = 0.0', 'for i = 0 to 9000000', '    s += math.sin(i)', 'plot(s)');

let dashboard: DashboardBrowser;
let key: string;
beforeAll(async () => {
  dashboard = await startDashboard();
  key = await makeScriptKey(dashboard.signalbox);
}, SETUP_TIMEOUT_MS);

interface Answer {
  readonly script: { readonly id: string; readonly content: string; readonly revision: number };
  readonly deployments: readonly object[];
}

/** As another program of the same user. */
async function api(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${dashboard.signalbox.url}/api${path}`, {
    ...{ method, headers: { authorization: `Bearer ${key}` } },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Answer;
}

async function openChart(options: Parameters<DashboardBrowser['open']>[0] = {}): Promise<OpenedPage> {
  const opened = await dashboard.open({ place: '#/chart', ...options });
  await barLine(opened.page, 'BTCUSDT').waitFor(WAIT);
  return opened;
}

/** The page has the key already. */
async function openWithKey(place: string, expected: readonly RegExp[] = []): Promise<OpenedPage> {
  const opened = await openChart({ expected });
  await opened.page.evaluate(`localStorage.setItem('signalbox.scriptKey', '${key}')`);
  await opened.page.goto(`${dashboard.signalbox.url}/${place}`);
  await opened.page.reload();
  return opened;
}

const barLine = (page: Page, words: string) => page.locator('.bar-line', { hasText: words });
const scriptLine = (page: Page, name: string) => page.locator('.script-line', { hasText: name });
const panel = (page: Page) => page.getByRole('region', { name: 'Script', exact: true });
const inputs = (page: Page) => page.getByRole('region', { name: 'Inputs' });
const code = (page: Page, name: string) => page.getByRole('textbox', { name: `Code of ${name}` });

/** What a plot has at the newest bar, as a number. */
const shown = async (page: Page, name: string, plot: string): Promise<number> =>
  Number((await scriptLine(page, name).locator(`span[title="${plot}"]`).textContent(WAIT))?.replaceAll(/[^\d.]/g, ''));

async function paste(page: Page, source: string): Promise<void> {
  await page.getByRole('button', { name: 'Indicators' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add an indicator' });
  await dialog.getByLabel('Or paste a Pine script').fill(source);
  await dialog.getByRole('button', { name: 'Add it' }).click();
}

/** Puts a script on the chart and opens it by its name there. */
async function work(page: Page, source: string, name: string): Promise<Locator> {
  await paste(page, source);
  await scriptLine(page, name).getByRole('button', { name, exact: true }).click(WAIT);
  await code(page, name).waitFor(WAIT);
  return code(page, name);
}

/** Another text, pasted over all there is. */
async function rewrite(page: Page, text: Locator, source: string): Promise<void> {
  await text.click();
  await page.keyboard.press('Control+a');
  await page.evaluate(`(() => {
    const content = document.querySelector('.script-panel .code').shadowRoot.querySelector('.cm-content');
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', ${JSON.stringify(source)});
    content.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  })()`);
}

async function choose(page: Page, button: string, dialog: string): Promise<Locator> {
  await page.getByRole('toolbar', { name: 'Chart' }).getByRole('button', { name: button, exact: true }).click();
  return page.getByRole('dialog', { name: dialog });
}

describe('a script that is written beside the chart', () => {
  test('runs as it is written; an error is marked, and what was there stays until it is mended', async () => {
    const { page, complaints } = await openChart();
    const text = await work(page, HEIGHT, 'Height');
    await expect.poll(() => shown(page, 'Height', 'Line')).toBe(100);
    await rewrite(page, text, script('plot(200, "Line")', 'plot(300, "Other")'));
    await expect.poll(() => shown(page, 'Height', 'Line')).toBe(200);
    expect(await shown(page, 'Height', 'Other')).toBe(300);
    await panel(page)
      .getByText(/^Ran over [\d,]+ bars/)
      .waitFor(WAIT);
    await page.keyboard.press('Control+End');
    await page.keyboard.type('plot(clsoe');
    await panel(page).getByRole('button', { name: '1 error' }).waitFor(WAIT);
    await panel(page)
      .getByText(/^Line 5: .*clsoe/)
      .waitFor(WAIT);
    expect(await shown(page, 'Height', 'Line')).toBe(200);
    await page.keyboard.press('Control+.');
    await panel(page).getByText('No problems').waitFor(WAIT);
    await panel(page)
      .getByText(/^Ran over/)
      .waitFor(WAIT);
    // Letters and digits belonged to the code: no market was asked for, and the timeframe is the same.
    await barLine(page, 'BTCUSDT 1h').waitFor(WAIT);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('that fails while it runs has the line marked, until it runs again', async () => {
    const { page, complaints } = await openChart();
    const text = await work(page, HEIGHT, 'Height');
    await panel(page).getByText('No problems').waitFor(WAIT);
    await rewrite(page, text, script('if bar_index == 30', '    runtime.error("no more")', 'plot(close)'));
    await panel(page).getByText('Fails when it runs').waitFor(WAIT);
    await panel(page).getByText('Line 4: no more').waitFor(WAIT);
    const marked = page.locator('.pine-editor .cm-lintRange-error');
    await expect.poll(() => marked.allInnerTexts()).toEqual(['runtime.error("no more")']);
    await expectAccessible(page);
    await rewrite(page, text, script('plot(close)'));
    await panel(page).getByText('No problems').waitFor(WAIT);
    await expect.poll(() => marked.count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('shows what it writes into its log, the newest first, with the bar and the line', async () => {
    const { page, complaints } = await openChart();
    const text = await work(page, HEIGHT, 'Height');
    await panel(page).getByRole('tab', { name: 'Log' }).click();
    const log = page.getByRole('region', { name: 'Log' });
    await log.getByText('Nothing was written.').waitFor(WAIT);
    const writing = script('if bar_index < 250', '    log.warning("bar {0}", bar_index)', 'plot(close)');
    await rewrite(page, text, writing);
    await panel(page).getByRole('tab', { name: 'Log 250' }).waitFor(WAIT);
    const lines = log.getByRole('listitem');
    expect(await lines.count()).toBe(200);
    expect(await lines.first().innerText()).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d line 4\s+warning: bar 249$/);
    await log.getByText('And 50 before them.').waitFor(WAIT);
    await expectAccessible(page);
    await rewrite(page, text, script('plot(clsoe)'));
    await log.getByText('It is known once the script runs.').waitFor(WAIT);
    expect(complaints).toEqual([]);
  });

  test('follows the name that it gives itself, and outlives a reload without being saved', async () => {
    const { page, complaints } = await openChart();
    const text = await work(page, HEIGHT, 'Height');
    await rewrite(page, text, HEIGHT.replace('"Height", overlay', '"Tower", overlay'));
    await scriptLine(page, 'Tower').waitFor(WAIT);
    await panel(page).getByText('not saved').waitFor(WAIT);
    await page.reload();
    await code(page, 'Tower').waitFor(WAIT);
    await expect.poll(() => shown(page, 'Tower', 'Line')).toBe(100);
    expect(complaints).toEqual([]);
  });

  test('that does not come to an end is ended; the chart goes on meanwhile, and the next text runs', async () => {
    const { page, complaints } = await openChart();
    const text = await work(page, HEIGHT, 'Height');
    await rewrite(page, text, ENDLESS);
    await panel(page).getByText('Running…').waitFor(WAIT);
    await page.getByRole('button', { name: '5m', exact: true }).click();
    await barLine(page, 'BTCUSDT 5m').waitFor(WAIT);
    await page.getByRole('button', { name: 'Stop: Running Height' }).click(WAIT);
    await panel(page).getByText('You stopped it.').waitFor(WAIT);
    await rewrite(page, text, script('plot(7, "Line")'));
    await expect.poll(() => shown(page, 'Height', 'Line')).toBe(7);
    expect(complaints).toEqual([]);
  });

  test('goes only after a question when its text stands nowhere else', async () => {
    const { page, complaints } = await openChart();
    await paste(page, HEIGHT);
    await page.getByRole('button', { name: 'Remove Height' }).click(WAIT);
    await scriptLine(page, 'Height').waitFor({ state: 'detached', ...WAIT });
    const text = await work(page, HEIGHT, 'Height');
    await rewrite(page, text, script('plot(8, "Line")'));
    await expect.poll(() => shown(page, 'Height', 'Line')).toBe(8);
    await page.getByRole('button', { name: 'Remove Height' }).click();
    const question = page.getByRole('dialog', { name: 'Take Height off the chart?' });
    await question.getByRole('button', { name: 'Keep it' }).click();
    await scriptLine(page, 'Height').waitFor(WAIT);
    await page.getByRole('button', { name: 'Remove Height' }).click();
    await question.getByRole('button', { name: 'Take it off' }).click();
    await scriptLine(page, 'Height').waitFor({ state: 'detached', ...WAIT });
    await panel(page).getByText('There is no script on this chart yet').waitFor(WAIT);
    await panel(page).getByRole('button', { name: 'New script' }).click();
    await code(page, 'My script').waitFor(WAIT);
    await scriptLine(page, 'My script').locator('span[title]').first().waitFor(WAIT);
    expect(complaints).toEqual([]);
  });
});

describe('inputs', () => {
  test('change the plot at once, are kept, and go back to the script’s own', async () => {
    const { page, complaints } = await openChart();
    await work(page, HEIGHT, 'Height');
    await inputs(page).getByLabel('Height').fill('250', WAIT);
    await expect.poll(() => shown(page, 'Height', 'Line')).toBe(250);
    await page.reload();
    await expect.poll(() => shown(page, 'Height', 'Line')).toBe(250);
    expect(await inputs(page).getByLabel('Height').inputValue(WAIT)).toBe('250');
    await inputs(page).getByLabel('Height').fill('0');
    await inputs(page).getByText('At least 1.').waitFor(WAIT);
    expect(await shown(page, 'Height', 'Line')).toBe(250);
    await inputs(page).getByRole('button', { name: 'Back to the script’s own' }).click();
    await expect.poll(() => shown(page, 'Height', 'Line')).toBe(100);
    expect(complaints).toEqual([]);
  });

  test('that the text loses for a while have their values again when they are back', async () => {
    const { page, complaints } = await openChart();
    const text = await work(page, HEIGHT, 'Height');
    await inputs(page).getByLabel('Height').fill('250', WAIT);
    await expect.poll(() => shown(page, 'Height', 'Line')).toBe(250);
    await rewrite(page, text, script('plot(9, "Line")'));
    await expect.poll(() => shown(page, 'Height', 'Line')).toBe(9);
    await inputs(page).getByText('This script has no inputs.').waitFor(WAIT);
    await rewrite(page, text, HEIGHT);
    await expect.poll(() => shown(page, 'Height', 'Line')).toBe(250);
    expect(complaints).toEqual([]);
  });
});

describe('the library', () => {
  test('gets a new version with each save, and shows both texts where somebody else was faster', async () => {
    const { id } = (await api('POST', '/scripts', { name: 'Kept', content: HEIGHT })).script;
    const { page, complaints } = await openWithKey(`#/library/${id}`, REFUSALS);
    await page.getByRole('link', { name: 'On the chart' }).click(WAIT);
    const text = code(page, 'Kept');
    await panel(page).getByText('v1 · saved').waitFor(WAIT);
    await rewrite(page, text, script('plot(2, "Line")'));
    await panel(page).getByText('v1 · changed').waitFor(WAIT);
    await page.keyboard.press('Control+s');
    await panel(page).getByText('v2 · saved').waitFor(WAIT);
    expect((await api('GET', `/scripts/${id}`)).script).toMatchObject({
      content: script('plot(2, "Line")'),
      revision: 2,
    });

    await api('PUT', `/scripts/${id}`, { name: 'Kept', content: script('plot(3, "Line")') });
    await rewrite(page, text, script('plot(4, "Line")'));
    await panel(page).getByRole('button', { name: 'Save', exact: true }).click();
    const conflict = page.getByRole('region', { name: 'Conflict' });
    await conflict.getByRole('row', { name: 'removed: plot(3, "Line")' }).waitFor(WAIT);
    await expectAccessible(page);
    expect((await api('GET', `/scripts/${id}`)).script.revision).toBe(3);
    await conflict.getByRole('button', { name: 'Save mine over it' }).click();
    await panel(page).getByText('v4 · saved').waitFor(WAIT);
    expect((await api('GET', `/scripts/${id}`)).script.content).toBe(script('plot(4, "Line")'));

    await api('PUT', `/scripts/${id}`, { name: 'Kept', content: script('plot(5, "Line")') });
    await rewrite(page, text, script('plot(6, "Line")'));
    await page.keyboard.press('Control+s');
    await conflict.getByRole('button', { name: 'Take theirs, drop mine' }).click(WAIT);
    await expect.poll(() => shown(page, 'Kept', 'Line')).toBe(5);
    await panel(page).getByText('v5 · saved').waitFor(WAIT);
    // A refused save the browser writes down too.
    expect(complaints.filter((complaint) => !complaint.includes('409'))).toEqual([]);
  });

  test('shows theirs on the chart too where mine had not run yet', async () => {
    const { id } = (await api('POST', '/scripts', { name: 'Hasty', content: script('plot(1, "Line")') })).script;
    const { page } = await openWithKey(`#/chart?script=${id}`, REFUSALS);
    await panel(page).getByText('v1 · saved').waitFor(WAIT);
    await api('PUT', `/scripts/${id}`, { name: 'Hasty', content: script('plot(5, "Line")') });
    // What is written waits for a pause of the writer, which here lasts until it is said to be over.
    await page.evaluate(() => {
      const wait = globalThis.setTimeout;
      const paused: (() => void)[] = [];
      Object.assign(globalThis, {
        setTimeout: (act: () => void, ms?: number) => (ms === 300 ? paused.push(act) : wait(act, ms)),
        endPause: () => {
          for (const act of paused.splice(0)) act();
        },
      });
    });
    await rewrite(page, code(page, 'Hasty'), script('plot(6, "Line")'));
    await page.keyboard.press('Control+s');
    await page
      .getByRole('region', { name: 'Conflict' })
      .getByRole('button', { name: 'Take theirs, drop mine' })
      .click(WAIT);
    await expect.poll(() => shown(page, 'Hasty', 'Line'), WAIT).toBe(5);
    await page.evaluate('endPause()');
    const kept = await page.evaluate("localStorage.getItem('signalbox.chart')");
    expect(String(kept)).not.toContain('plot(6');
  });

  test('that has lost the script leaves the copy on the chart to be worked on', async () => {
    const { id } = (await api('POST', '/scripts', { name: 'Going', content: HEIGHT })).script;
    const { page } = await openWithKey(`#/chart?script=${id}`, REFUSALS);
    await panel(page).getByText('v1 · saved').waitFor(WAIT);
    await api('DELETE', `/scripts/${id}`, { revision: 1 });
    await page.reload();
    await panel(page).getByText('There is no such script any more.').waitFor(WAIT);
    await panel(page).getByRole('button', { name: 'Go on with the copy on this chart' }).click();
    await code(page, 'Going').getByText('height = input.int').waitFor(WAIT);
    await panel(page).getByText('not saved').waitFor(WAIT);
  });
});

test('a script may import a library that was published with the same key', async () => {
  const content = '//@version=6\nlibrary("Tools")\nexport twice(float x) =>\n    x * 2\n';
  await api('POST', '/libraries', { content });
  const source = script('import me/Tools/1 as tools', 'plot(tools.twice(21), "Line")');
  const { id } = (await api('POST', '/scripts', { name: 'Importing', content: source })).script;
  const { page, complaints } = await openWithKey(`#/chart?script=${id}`);
  await expect.poll(() => shown(page, 'Importing', 'Line')).toBe(42);
  await panel(page).getByText('No problems').waitFor(WAIT);
  expect(complaints).toEqual([]);
});

test('a strategy is deployed from the chart as a dry run, with its market, timeframe and inputs', async () => {
  const { page, complaints } = await openChart();
  await page.getByRole('button', { name: 'Indicators' }).click();
  await page.getByRole('dialog').locator('.examples button', { hasText: 'EMA cross strategy' }).click();
  await page.getByRole('button', { name: '4h', exact: true }).click();
  await scriptLine(page, 'EMA cross strategy').getByRole('button', { name: 'EMA cross strategy', exact: true }).click();
  await inputs(page).getByLabel('Fast length').fill('10', WAIT);
  await panel(page).getByRole('button', { name: 'Deploy…' }).click();
  await pasteScriptKey(page, key);
  const naming = page.getByRole('dialog', { name: 'Save it before it is deployed' });
  await naming.getByLabel('Name').fill('Crossing', WAIT);
  await naming.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog', { name: 'Deploy a script' });
  await dialog.getByLabel('Webhook key').fill(dashboard.signalbox.apiKey ?? '', WAIT);
  await expect.poll(() => dialog.locator('select option:checked').first().textContent()).toBe('Crossing');
  expect(await dialog.getByLabel('Market').inputValue()).toBe('BTCUSDT');
  expect(await dialog.getByLabel('Bars of').inputValue()).toBe('4h');
  await dialog.getByText('Inputs').click(WAIT);
  expect(await dialog.getByLabel('Fast length').inputValue()).toBe('10');
  // What is wrong is led to, also where it is folded away, and nothing is deployed.
  await dialog.getByLabel('Fast length').fill('0');
  await dialog.getByText('Inputs').click();
  await dialog.getByRole('button', { name: 'Deploy' }).click();
  await dialog.getByText('At least 1.').waitFor(WAIT);
  expect(await dialog.getByLabel('Fast length').evaluate('document.activeElement.value')).toBe('0');
  await dialog.getByLabel('Fast length').fill('10');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Deploy' }).click();
  await page.getByRole('table', { name: 'What it did' }).getByText('created').waitFor(WAIT);
  expect((await api('GET', '/deployments')).deployments).toMatchObject([
    { symbol: 'BTCUSDT', interval: '4h', mode: 'dry-run', inputs: { 'Fast length': 10 } },
  ]);
  expect(complaints).toEqual([]);
});

describe('the panel', () => {
  test('is resized by drag and by key, remembered, and shut by its button and a key', async () => {
    const { page, complaints } = await openChart();
    await work(page, HEIGHT, 'Height');
    const width = async (): Promise<number> => Math.round((await panel(page).boundingBox())?.width ?? 0);
    const line = page.getByRole('separator', { name: 'Width of the script panel' });
    const before = await width();
    const { x, y } = (await line.boundingBox())!;
    await page.mouse.move(x, y + 300);
    await page.mouse.down();
    await page.mouse.move(x - 60, y + 300, { steps: 3 });
    await page.mouse.up();
    await expect.poll(width).toBe(before + 60);
    await line.focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(width).toBe(before + 84);
    expect(await line.getAttribute('aria-valuenow')).toBe(String(before + 84));
    await page.reload();
    await code(page, 'Height').waitFor(WAIT);
    expect(await width()).toBe(before + 84);
    await page.keyboard.press('Control+b');
    await panel(page).waitFor({ state: 'detached', ...WAIT });
    await page.reload();
    await scriptLine(page, 'Height').waitFor(WAIT);
    expect(await panel(page).count()).toBe(0);
    await page.getByRole('button', { name: 'Script', exact: true }).click();
    await code(page, 'Height').click(WAIT);
    await page.keyboard.press('Control+b');
    await panel(page).waitFor({ state: 'detached', ...WAIT });
    // Whoever was inside goes on at the button that opens it again.
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Script');
    await page.keyboard.press('Control+b');
    await panel(page).getByRole('button', { name: 'Close the script panel' }).click(WAIT);
    await panel(page).waitFor({ state: 'detached', ...WAIT });
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('Ctrl B').waitFor(WAIT);
    expect(complaints).toEqual([]);
  });

  test('folds away on a phone, so that the chart is seen while it is open, and keeps its text', async () => {
    const { page, complaints } = await openChart({ width: 390, height: 844 });
    const text = await work(page, HEIGHT, 'Height');
    await rewrite(page, text, script('plot(200, "Line")'));
    await panel(page).getByRole('button', { name: 'Show the chart' }).click();
    expect(await text.isVisible()).toBe(false);
    const [sheet, chart] = [(await panel(page).boundingBox())!, (await page.locator('.chart-place').boundingBox())!];
    expect(sheet.height).toBeLessThan(60);
    expect(sheet.y - chart.y).toBeGreaterThan(300);
    await expect.poll(() => shown(page, 'Height', 'Line')).toBe(200);
    await expectAccessible(page);
    await panel(page).getByRole('button', { name: 'Show the code' }).click();
    await text.getByText('plot(200').waitFor(WAIT);
    await panel(page).getByRole('button', { name: 'Close the script panel' }).click();
    await panel(page).waitFor({ state: 'detached', ...WAIT });
    expect(complaints).toEqual([]);
  });

  test('goes from one script of the chart to another', async () => {
    const { page, complaints } = await openChart();
    await paste(page, HEIGHT);
    await work(page, HEIGHT.replace('"Height", overlay', '"Second", overlay').replace('100', '5'), 'Second');
    await panel(page).getByLabel('Script on this chart').selectOption('Height');
    await code(page, 'Height').getByText('input.int(100').waitFor(WAIT);
    await inputs(page).getByLabel('Height').fill('11', WAIT);
    await expect.poll(() => shown(page, 'Height', 'Line')).toBe(11);
    expect(await shown(page, 'Second', 'Line')).toBe(5);
    expect(complaints).toEqual([]);
  });

  test.each([
    ['light', 1440],
    ['dark', 1024],
    ['light', 390],
    ['dark', 390],
  ] as const)('is for everybody: %s, %i px wide', async (colorScheme, width) => {
    const { page, complaints } = await openChart({ colorScheme, width });
    await work(page, HEIGHT, 'Height');
    await inputs(page).getByLabel('Height').waitFor(WAIT);
    await panel(page).getByText('No problems').waitFor(WAIT);
    await page.getByRole('toolbar', { name: 'Chart' }).getByText('Streaming · simulated').waitFor(WAIT);
    await expectAccessible(page);
    // On a phone it lies over the chart, whose upper part stays in view.
    const box = (await panel(page).boundingBox())!;
    const chart = (await page.locator('.chart-place').boundingBox())!;
    const isSheet = box.x === 0 && box.width === width && box.y > chart.y + 80;
    expect(isSheet).toBe(width === 390);
    const isTooWide = await page.evaluate(
      'document.documentElement.scrollWidth > document.documentElement.clientWidth',
    );
    expect(isTooWide).toBe(false);
    expect(complaints).toEqual([]);
  });
});

test('a template keeps indicators with their inputs, and puts them on any market', async () => {
  const { page, complaints } = await openChart();
  await work(page, HEIGHT, 'Height');
  await inputs(page).getByLabel('Height').fill('321', WAIT);
  await paste(page, HEIGHT.replace('"Height", overlay', '"Second", overlay'));
  await scriptLine(page, 'Second').waitFor(WAIT);
  const dialog = await choose(page, 'Templates', 'Indicator templates');
  await dialog.getByLabel('Save these indicators as').fill('Two lines');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('button', { name: /^Two lines/ }).waitFor(WAIT);
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Remove Second' }).click();
  await page.goto(`${dashboard.signalbox.url}/#/chart/ETHUSDT/15m`);
  await barLine(page, 'ETHUSDT 15m').waitFor(WAIT);
  await choose(page, 'Templates', 'Indicator templates');
  await dialog.getByRole('button', { name: /^Two lines/ }).click();
  await expect.poll(() => shown(page, 'Height', 'Line')).toBe(321);
  await expect.poll(() => shown(page, 'Second', 'Line')).toBe(100);
  await barLine(page, 'ETHUSDT 15m').waitFor(WAIT);
  await choose(page, 'Templates', 'Indicator templates');
  await dialog.getByRole('button', { name: 'Delete Two lines' }).click();
  await page.getByRole('dialog', { name: 'Delete Two lines?' }).getByRole('button', { name: 'Delete it' }).click();
  await dialog.getByText('None saved yet').waitFor(WAIT);
  expect(complaints).toEqual([]);
});
