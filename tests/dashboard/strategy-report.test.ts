// The report of a strategy below the chart, and the search for better inputs, in a real browser: the figures are those of the command line.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { figureLines } from '../../dashboard/pages/chart/report/report-figures.ts';
import type { StrategyAnswer } from '../../src/pine/index.ts';
import {
  type DashboardBrowser,
  expectAccessible,
  type OpenedPage,
  startDashboard,
} from '../support/dashboard-browser.ts';
import { spawnSignalbox } from '../support/process.ts';

/** A first run may have to install the browser. */
const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 30_000 };
const EXAMPLE = readFileSync(new URL('../../examples/pine/ema-cross-strategy.pine', import.meta.url), 'utf8');

let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard();
}, SETUP_TIMEOUT_MS);

const report = (page: Page): Locator => page.getByRole('region', { name: 'Strategy report' });
const tab = (page: Page, name: string | RegExp): Locator => report(page).getByRole('tab', { name });
const figure = (page: Page, title: string): Locator =>
  report(page).locator('.figures-row > div', { hasText: title }).locator('dd').first();

async function paste(page: Page, source: string): Promise<void> {
  await page.getByRole('button', { name: 'Indicators' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add an indicator' });
  await dialog.getByLabel('Or paste a Pine script').fill(source);
  await dialog.getByRole('button', { name: 'Add it' }).click();
}

async function openReport(
  source = EXAMPLE,
  options: Parameters<DashboardBrowser['open']>[0] = {},
): Promise<OpenedPage> {
  const opened = await dashboard.open({ place: '#/chart/BTCUSDT/4h', ...options });
  const { page } = opened;
  await page.locator('.bar-line', { hasText: 'BTCUSDT' }).waitFor(WAIT);
  await paste(page, source);
  return opened;
}

const styleOf = (place: Locator, name: string): Promise<string | undefined> =>
  place.evaluate((element, property) => {
    const page = globalThis as unknown as { getComputedStyle(of: unknown): Readonly<Record<string, string>> };
    return page.getComputedStyle(element)[property];
  }, name);

/** How many bars the report is of. */
const barsOf = async (page: Page): Promise<number> =>
  Number(/([\d,]+) closed bars/.exec(await report(page).locator('.honest').innerText())?.[1]?.replaceAll(',', ''));

interface Backtest {
  readonly summary: StrategyAnswer['metrics'];
  readonly trades: StrategyAnswer['trades'];
  readonly csv: string;
}

/** What the command line says of the same script on the same market. */
async function backtest(bars: number, inputs: readonly string[] = []): Promise<Backtest> {
  const { dataDir, url } = dashboard.signalbox;
  const [script, trades] = [join(dataDir, 'strategy.pine'), join(dataDir, 'trades.csv')];
  writeFileSync(script, EXAMPLE);
  const market = ['--symbol', 'BTCUSDT', '--timeframe', '4h', '--bars', String(bars), '--url', url];
  const given = inputs.flatMap((input) => ['--input', input]);
  const child = spawnSignalbox(['backtest', script, ...market, ...given, '--trades', trades, '--json'], {
    DATA_DIR: dataDir,
  });
  let [output, errors] = ['', ''];
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect([code, code === 0 ? '' : errors]).toEqual([0, '']);
  return { ...(JSON.parse(output) as Omit<Backtest, 'csv'>), csv: readFileSync(trades, 'utf8') };
}

describe('the report', () => {
  test('has the figures, the trades and the file of the command line over the same bars', async () => {
    const { page, complaints } = await openReport();
    await figure(page, 'Net profit, USDT').waitFor(WAIT);
    const said = await backtest(await barsOf(page));
    expect(said.trades.length).toBeGreaterThan(10);
    const net = said.summary.net_profit as number;
    await expect
      .poll(() => figure(page, 'Net profit, USDT').innerText())
      .toBe(
        `${net < 0 ? '−' : '+'}${Math.abs(net).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`,
      );
    const table = report(page).getByRole('table', { name: 'Figures by direction, USDT' });
    const shown = await table
      .locator('tbody tr')
      .evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('td')].map(({ textContent }) => textContent)));
    const answer = { metrics: said.summary } as StrategyAnswer;
    expect(shown).toEqual(figureLines(answer).map(({ name, all, long, short }) => [name, all, long, short]));
    await report(page).getByText('Simulated prices').waitFor(WAIT);
    await report(page)
      .getByRole('img', { name: /^Equity in USDT: 10,000\.00 at first/ })
      .waitFor(WAIT);
    await tab(page, `Trades ${said.trades.length}`).click();
    const rows = report(page).getByRole('table', { name: 'Trades of the strategy' });
    expect(await rows.getAttribute('aria-rowcount')).toBe(String(said.trades.length + 1));
    const isOpen = said.trades.at(-1)?.exit_time === null;
    expect(await rows.locator('tbody tr').first().getByText('open').count()).toBe(isOpen ? 1 : 0);
    const shorts = said.trades.filter(({ direction }) => direction === 'short').length;
    await report(page).getByRole('button', { name: 'Short' }).click();
    await expect.poll(() => rows.getAttribute('aria-rowcount')).toBe(String(shorts + 1));
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      report(page).getByRole('button', { name: 'Save as CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('EMA-cross-strategy-trades.csv');
    expect(readFileSync(await download.path(), 'utf8')).toBe(said.csv);
    expect(complaints).toEqual([]);
  });

  test('puts a trade that is pressed in view on the chart', async () => {
    const { page, complaints } = await openReport();
    await tab(page, /^Trades \d/).click(WAIT);
    const rows = report(page).getByRole('table', { name: 'Trades of the strategy' }).locator('tbody tr');
    const times = await rows
      .nth(6)
      .locator('time')
      .evaluateAll((all) => all.map((time) => time.getAttribute('datetime')));
    await rows
      .nth(6)
      .getByRole('button', { name: /^Show trade/ })
      .click();
    const pointed = async (): Promise<number> => {
      const text = String(await page.locator('.bar-line .time').textContent());
      return await page.evaluate((words) => new Date(words.replace(' ', 'T')).getTime(), text);
    };
    const [entryMs, exitMs] = times.map((time) => new Date(String(time)).getTime());
    await expect.poll(pointed).toBe(entryMs);
    // What lies in the middle of the chart now is between its entry and its exit.
    const scale = (await page.locator('.chart-place table tr').first().locator('td').nth(1).boundingBox())!;
    await page.mouse.move(scale.x + scale.width / 2, scale.y + scale.height / 2);
    const middleMs = (entryMs! + exitMs!) / 2;
    await expect.poll(async () => Math.abs((await pointed()) - middleMs)).toBeLessThanOrEqual(4 * 3_600_000);
    expect(complaints).toEqual([]);
  });

  test('is made larger and smaller, closed and opened, and remembers that', async () => {
    const { page, complaints } = await openReport();
    await figure(page, 'Net profit, USDT').waitFor(WAIT);
    const line = page.getByRole('separator', { name: 'Height of the report' });
    const height = async (): Promise<number> => (await report(page).boundingBox())!.height;
    const first = await height();
    const box = (await line.boundingBox())!;
    await page.mouse.move(box.x + 200, box.y);
    await page.mouse.down();
    await page.mouse.move(box.x + 200, box.y - 90, { steps: 3 });
    await page.mouse.up();
    await expect.poll(height).toBeCloseTo(first + 90, -1);
    await line.focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(height).toBeLessThan(first + 80);
    const left = await height();
    await tab(page, 'Search').click();
    await page.reload();
    await tab(page, 'Search').and(page.locator('[aria-selected=true]')).waitFor(WAIT);
    expect(await height()).toBe(left);
    await page.getByRole('button', { name: 'Close the report' }).click();
    await report(page).waitFor({ state: 'detached', ...WAIT });
    await page.reload();
    await page.getByRole('button', { name: 'Open the report' }).click(WAIT);
    await report(page).waitFor(WAIT);
    expect(complaints).toEqual([]);
  });

  test('of a text that does not run says that it is of the last one that did, without the colours of gain and loss', async () => {
    const { page, complaints } = await openReport();
    await figure(page, 'Net profit, USDT').waitFor(WAIT);
    const before = await figure(page, 'Net profit, USDT').innerText();
    const old = report(page).locator('.of-old');
    expect(await old.count()).toBe(0);
    await page.locator('.script-line').getByRole('button', { name: 'EMA cross strategy', exact: true }).click();
    const code = page.getByRole('textbox', { name: 'Code of EMA cross strategy' });
    await code.click(WAIT);
    await page.keyboard.press('Control+End');
    await page.keyboard.type('plot(nothing)');
    await report(page).getByText('What stands below is of the last version that ran.').waitFor(WAIT);
    expect(await old.locator('.figures-row').innerText()).toContain(before);
    // On a slow machine a part of the word runs first, and the whole of it after that.
    const colourOf = (title: string) => styleOf(figure(page, title), 'color');
    const isPale = async () => (await colourOf('Net profit, USDT')) === (await colourOf('Sharpe ratio'));
    await expect.poll(isPale, WAIT).toBe(true);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Close the report' }).click();
    await page.getByText(', of the last version that ran').waitFor(WAIT);
    await page.getByRole('button', { name: 'Open the report' }).click();
    await code.click();
    await page.keyboard.press('Control+End');
    for (let typed = 0; typed < 13; typed++) await page.keyboard.press('Backspace');
    await expect.poll(() => old.count()).toBe(0);
    await figure(page, 'Net profit, USDT').waitFor(WAIT);
    expect(complaints).toEqual([]);
  });

  test('stands below a legend that has values while a bar forms: those of the last one that ended', async () => {
    const { page, complaints } = await openReport();
    await figure(page, 'Net profit, USDT').waitFor(WAIT);
    const value = page.locator('.script-line span[title="Fast, of the last bar that ended"]');
    await value.waitFor(WAIT);
    expect(await value.innerText()).toMatch(/^[\d,]+\.\d+$/);
    expect(complaints).toEqual([]);
  });

  test('says when there were no trades, when it was cut, and why it does not run', async () => {
    const { page, complaints } = await openReport(
      '//@version=6\nstrategy("Idle", calc_bars_count = 100)\nif input.bool(false, "Fail")\n    runtime.error("asked to")\nplot(close)\n',
    );
    await report(page).getByText('The strategy made no trades on these bars.').waitFor(WAIT);
    await report(page)
      .getByText(/its last 100 bars alone \(calc_bars_count\)/)
      .waitFor(WAIT);
    expect(await barsOf(page)).toBe(100);
    await tab(page, 'Search').click();
    const form = report(page).getByRole('form', { name: 'Parameter search' });
    await form.getByText('Choose at least one input to vary.').waitFor(WAIT);
    await form.getByLabel('Fail').check();
    await form.getByRole('button', { name: 'Start 2 runs' }).click(WAIT);
    await report(page).getByText('2 of 2 runs, 1 failed').waitFor(WAIT);
    await report(page)
      .getByText(/The first that failed: .*asked to/)
      .waitFor(WAIT);
    expect(complaints).toEqual([]);
  });
});

describe('the search', () => {
  const range = async (form: Locator, title: string, values: readonly [string, string, string]): Promise<void> => {
    for (const [index, name] of ['from', 'to', 'step'].entries())
      await form.getByLabel(`${title}, ${name}`).fill(values[index]!);
  };

  test('runs to its end; its best cell has what the command line says of those inputs, and is put on the chart', async () => {
    const { page, complaints } = await openReport();
    await tab(page, 'Search').click(WAIT);
    const form = report(page).getByRole('form', { name: 'Parameter search' });
    await range(form, 'Fast length', ['4', '12', '2']);
    await range(form, 'Slow length', ['14', '29', '5']);
    await form.getByLabel('Trades, at least').fill('5');
    await form.getByRole('button', { name: 'Start 20 runs' }).click(WAIT);
    await report(page).getByText('20 of 20 runs').waitFor(WAIT);
    await report(page)
      .getByText(/^Done in/)
      .waitFor(WAIT);
    const grid = report(page).getByRole('grid', { name: 'Net profit by inputs' });
    const cells = await grid
      .locator('tbody td')
      .evaluateAll((all) => all.map((cell) => cell.getAttribute('aria-label')));
    const profits = cells.map((words) => {
      const [, fast, slow, sign, amount] =
        /^Fast length (\d+), Slow length (\d+): Net profit ([+−]?)([\d,.]+), \d+ trades/.exec(String(words)) ?? [];
      return { words, fast, slow, profit: Number(`${sign === '−' ? '-' : ''}${amount?.replaceAll(',', '')}`) };
    });
    expect(profits).toHaveLength(20);
    const best = profits.reduce((a, b) => (b.profit > a.profit ? b : a));
    expect(best.words).toMatch(/, the best$/);
    const bars = await barsOf(page);
    const said = await backtest(bars, [`Fast length=${best.fast}`, `Slow length=${best.slow}`]);
    expect(best.profit).toBeCloseTo(said.summary.net_profit as number, 2);
    const runs = report(page).getByRole('table', { name: 'Runs, the best first' });
    expect(await runs.locator('tbody tr').first().locator('td').nth(1).textContent()).toBe(best.fast);
    // By the keyboard: to the best cell and into it.
    const place = profits.indexOf(best);
    await grid.locator('tbody td').first().focus();
    for (let step = 0; step < place % 5; step += 1) await page.keyboard.press('ArrowRight');
    for (let step = 0; step < Math.floor(place / 5); step += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await runs.locator('tbody tr').first().getByText('on the chart').waitFor(WAIT);
    await tab(page, 'Report').click();
    const shown = (words: string): number => Number(words.replaceAll(',', '').replace('−', '-'));
    await expect
      .poll(async () => shown(await figure(page, 'Net profit, USDT').innerText()))
      .toBeCloseTo(best.profit, 2);
    // Another one by its row, and the search is still there.
    await tab(page, 'Search').click();
    await runs.getByRole('button', { name: 'Put run 2 on the chart' }).click();
    const second = profits.map(({ profit }) => profit).toSorted((a, b) => b - a)[1]!;
    await tab(page, 'Report').click();
    await expect.poll(async () => shown(await figure(page, 'Net profit, USDT').innerText())).toBeCloseTo(second, 2);
    await page.reload();
    await expect.poll(async () => shown(await figure(page, 'Net profit, USDT').innerText())).toBeCloseTo(second, 2);
    expect(complaints).toEqual([]);
  });

  test('shows what it finds in a narrow panel too, red where money was lost and green where it was won', async () => {
    const { page, complaints } = await openReport(EXAMPLE, { width: 1024 });
    await page.getByRole('button', { name: 'Script', exact: true }).click();
    await tab(page, 'Search').click(WAIT);
    const form = report(page).getByRole('form', { name: 'Parameter search' });
    await range(form, 'Fast length', ['2', '12', '2']);
    await range(form, 'Slow length', ['14', '44', '5']);
    await form.getByRole('button', { name: /^Start \d+ runs$/ }).click(WAIT);
    await report(page)
      .getByText(/^Done in/)
      .waitFor(WAIT);
    const grid = report(page).getByRole('grid', { name: 'Net profit by inputs' });
    const [panel, field] = [(await report(page).boundingBox())!, (await grid.boundingBox())!];
    expect(field.y).toBeLessThan(panel.y + panel.height - 60);
    const cells = await grid
      .locator('tbody td:not(.unknown)')
      .evaluateAll((all) =>
        all.map((cell) => [cell.classList.contains('lost'), cell.getAttribute('aria-label')?.includes('profit −')]),
      );
    expect(cells.length).toBeGreaterThan(20);
    for (const [isLost, isMinus] of cells) expect(isLost).toBe(isMinus);
    const hueOf = (side: string) => styleOf(report(page).locator(`figcaption .${side}`), 'backgroundColor');
    expect(await hueOf('lost')).not.toBe(await hueOf('won'));
    await form.getByLabel('Look for').selectOption('Won, %');
    await report(page).locator('figcaption').getByText('better').waitFor(WAIT);
    await expectAccessible(page);
    // Columns that have no room would stand over each other: each run is a card.
    const runs = report(page).getByRole('table', { name: 'Runs, the best first' });
    await runs.locator('td.card').first().waitFor(WAIT);
    expect(complaints).toEqual([]);
  });

  test('is cancelled, keeps what it has, and leaves the chart alone meanwhile', async () => {
    const { page, complaints } = await openReport();
    await tab(page, 'Search').click(WAIT);
    const form = report(page).getByRole('form', { name: 'Parameter search' });
    await range(form, 'Fast length', ['1', '150', '1']);
    await range(form, 'Slow length', ['1', '200', '1']);
    await form.getByText('These are 30,000 runs, and 20,000 are the most').waitFor(WAIT);
    expect(await form.getByRole('button', { name: 'Start' }).isDisabled()).toBe(true);
    await range(form, 'Fast length', ['1', '100', '1']);
    await form.getByRole('button', { name: 'Start 20,000 runs' }).click(WAIT);
    await report(page)
      .getByText(/ of 20,000 runs, about .* left/)
      .waitFor(WAIT);
    // Two inputs of a hundred values and more share cells of the field, and a third can be looked at instead.
    const grid = report(page).getByRole('grid');
    expect(await grid.locator('tbody tr').count()).toBeLessThanOrEqual(40);
    await page.locator('.chart-toolbar').getByRole('button', { name: 'Layouts' }).click();
    await page.getByRole('dialog', { name: 'Layouts' }).getByRole('button', { name: 'Close' }).click();
    await report(page).getByRole('button', { name: 'Cancel' }).click();
    await report(page).getByText('Stopped: a better one may be among those that were not run.').waitFor(WAIT);
    const counted = await report(page)
      .getByText(/ of 20,000 runs/)
      .innerText();
    expect(Number(counted.split(' ')[0]?.replaceAll(',', ''))).toBeLessThan(20_000);
    await expect
      .poll(() =>
        report(page)
          .getByText(/ of 20,000 runs/)
          .innerText(),
      )
      .toBe(counted);
    expect(complaints).toEqual([]);
  });

  test('says what is wrong with a range before it starts', async () => {
    const { page } = await openReport();
    await tab(page, 'Search').click(WAIT);
    const form = report(page).getByRole('form', { name: 'Parameter search' });
    await form.getByLabel('Fast length, from').fill('0');
    await form.getByText(/"Fast length" cannot be 0/).waitFor(WAIT);
    await form.getByLabel('Fast length, from').fill('x');
    await form.getByText(/not of numbers/).waitFor(WAIT);
    expect(await form.getByRole('button', { name: 'Start' }).isDisabled()).toBe(true);
  });
});

test.each([
  ['light', 1440],
  ['dark', 1440],
  ['light', 390],
  ['dark', 390],
] as const)('the report is for everybody: %s, %i px wide', async (colorScheme, width) => {
  const { page, complaints } = await openReport(EXAMPLE, { colorScheme, width });
  const open = page.getByRole('button', { name: 'Open the report' });
  if (width === 390) await open.click(WAIT);
  await figure(page, 'Net profit, USDT').waitFor(WAIT);
  await expectAccessible(page);
  await tab(page, /^Trades/).click();
  await report(page)
    .getByRole('button', { name: /^Show trade/ })
    .first()
    .waitFor(WAIT);
  await expectAccessible(page);
  await tab(page, 'Search').click();
  await report(page)
    .getByRole('button', { name: /^Start \d+ runs$/ })
    .click(WAIT);
  await report(page)
    .getByText(/^Done in/)
    .waitFor(WAIT);
  await expectAccessible(page);
  const isTooWide = await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
  expect(isTooWide).toBe(false);
  expect(complaints).toEqual([]);
});
