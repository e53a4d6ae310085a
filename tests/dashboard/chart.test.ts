// The chart in a real browser: markets and timeframes, scripts that run beside it, stops that are moved, replay, and a server that goes.

import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { BELOW, ON_BARS } from '../../dashboard/chart/testing/every-kind.ts';
import { barColumns, compile } from '../../src/pine/index.ts';
import {
  type DashboardBrowser,
  expectAccessible,
  LOST_SERVER,
  type OpenedPage,
  REFUSALS,
  startDashboard,
} from '../support/dashboard-browser.ts';
import { startProcess } from '../support/process.ts';

/** A first run may have to install the browser. */
const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 30_000 };

let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard();
}, SETUP_TIMEOUT_MS);

async function openChart(options: Parameters<DashboardBrowser['open']>[0] = {}): Promise<OpenedPage> {
  const opened = await dashboard.open({ place: '#/chart', ...options });
  await barLine(opened.page, 'BTCUSDT').waitFor(WAIT);
  return opened;
}

/** The market, the timeframe and the prices of a bar, over the chart. */
const barLine = (page: Page, words: string) => page.locator('.bar-line', { hasText: words });
const scriptLine = (page: Page, name: string) => page.locator('.script-line', { hasText: name });
const pane = (page: Page, name: string) => page.locator('.legend', { has: scriptLine(page, name) });

async function paste(page: Page, source: string): Promise<void> {
  await page.getByRole('button', { name: 'Indicators' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add an indicator' });
  await dialog.getByLabel('Or paste a Pine script').fill(source);
  await dialog.getByRole('button', { name: 'Add it' }).click();
}

async function addExample(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Indicators' }).click();
  await page.getByRole('dialog').locator('.examples button', { hasText: name }).first().click();
  await scriptLine(page, name).locator('span[title]').first().waitFor(WAIT);
}

/** Where a line that can be taken is: the pointer says so. */
async function findLine(page: Page): Promise<{ x: number; y: number }> {
  const box = (await page.locator('.chart-place').boundingBox())!;
  const x = box.x + box.width / 2;
  for (let y = box.y + 5; y < box.y + box.height; y += 3) {
    await page.mouse.move(x, y);
    if ((await page.locator('.chart-place.grabs').count()) > 0) return { x, y };
  }
  throw new Error('no line can be taken');
}

/** What a run that takes its time shows: for how long it runs, or how far it has come. */
const UNDER_WAY = /^[1-9]\d* s$|^\d+ %/;

describe('the chart', () => {
  test('shows live bars, changes market and timeframe by hand and by key, and remembers them', async () => {
    const { page, complaints } = await openChart({ timezoneId: 'America/New_York' });
    await page.getByText('Streaming · simulated prices').waitFor(WAIT);
    await page.keyboard.press('2');
    await barLine(page, 'BTCUSDT 5m').waitFor(WAIT);
    await page.getByRole('button', { name: '1d', exact: true }).click();
    // Its day is that of the exchange, not the evening before on the reader's clock.
    const today = barLine(page, 'BTCUSDT 1d').locator('.time', { hasText: /^\d{4}-\d\d-\d\d$/ });
    expect(await today.innerText(WAIT)).toBe(new Date().toISOString().slice(0, 10));
    await page.getByRole('button', { name: '4h', exact: true }).click();
    await barLine(page, 'BTCUSDT 4h').waitFor(WAIT);
    await page.keyboard.press('e');
    const dialog = page.getByRole('dialog', { name: 'Choose a market' });
    await dialog.getByRole('button', { name: /^ETHUSDT/ }).waitFor(WAIT);
    await dialog.getByLabel('Find').fill('eth');
    await page.keyboard.press('Enter');
    await barLine(page, 'ETHUSDT 4h').waitFor(WAIT);
    await page.reload();
    await barLine(page, 'ETHUSDT 4h').waitFor(WAIT);
    const footer = page.getByRole('link', { name: /TradingView/ });
    expect(await footer.getAttribute('href')).toBe('https://www.tradingview.com/');
    expect(complaints).toEqual([]);
  });

  test('opens an order with the market that it shows', async () => {
    const { page, complaints } = await openChart();
    await page.getByRole('toolbar', { name: 'Chart' }).getByRole('button', { name: 'Order…' }).click();
    const ticket = page.getByRole('dialog', { name: 'New order' });
    await ticket.waitFor(WAIT);
    expect(await ticket.getByLabel('Market').inputValue()).toBe('BTCUSDT');
    expect(complaints).toEqual([]);
  });

  test('has on a bar the values that the server’s own run of the script has there', async () => {
    const { page, complaints } = await openChart();
    await addExample(page, 'EMA cross');
    const box = (await page.locator('.chart-place').boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const timeframe = barLine(page, 'BTCUSDT 1h');
    await timeframe.waitFor(WAIT);
    const time = await page.locator('.bar-line .time').textContent();
    const shown = await scriptLine(page, 'EMA cross').locator('span[title]').allTextContents();
    const answer = await fetch(`${dashboard.signalbox.url}/bars?symbol=BTCUSDT&timeframe=1h&limit=1500`);
    const { result } = (await answer.json()) as { result: { bars: Parameters<typeof barColumns>[0] } };
    const source = `//@version=6\nindicator("x")\nplot(ta.ema(close, 8), "Fast")\nplot(ta.ema(close, 21), "Slow")\n`;
    const { series } = compile(source).program!.run(barColumns(result.bars));
    const atMs = await page.evaluate((text) => new Date(text.replace(' ', 'T')).getTime(), String(time));
    const index = result.bars.findIndex((bar) => bar.time === atMs);
    expect(index).toBeGreaterThan(1000);
    expect(shown).toEqual(['Fast', 'Slow'].map((name) => series.get(name)![index]!.toFixed(2)));
    expect(complaints).toEqual([]);
  });

  test('gives a script its own pane, keeps it over a reload, and takes it away', async () => {
    const { page, complaints } = await openChart();
    await addExample(page, 'Momentum');
    await pane(page, 'Momentum').waitFor(WAIT);
    const top = await pane(page, 'Momentum').evaluate((element) => element.getBoundingClientRect().top);
    expect(top).toBeGreaterThan(400);
    // The line above it is dragged, and moved with a key; where it stands is kept with the chart, and with a layout.
    const line = page.getByRole('separator', { name: 'Height of Momentum' });
    const height = async (): Promise<number> => Number(await line.getAttribute('aria-valuenow'));
    const first = await height();
    const { x, y, width } = (await line.boundingBox())!;
    await page.mouse.move(x + width / 2, y);
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y - 70, { steps: 4 });
    await page.mouse.up();
    await expect.poll(height, WAIT).toBe(first + 70);
    expect(await pane(page, 'Momentum').evaluate((element) => element.getBoundingClientRect().top)).toBeCloseTo(
      top - 70,
      -1,
    );
    const layouts = page.getByRole('dialog', { name: 'Layouts' });
    await page.getByRole('button', { name: 'Layouts' }).click();
    await layouts.getByLabel('Save this chart as').fill('Tall');
    await layouts.getByRole('button', { name: 'Save', exact: true }).click();
    await layouts.getByRole('button', { name: /^Tall/ }).waitFor(WAIT);
    await layouts.getByRole('button', { name: 'Close' }).click();
    await line.focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(height, WAIT).toBe(first + 46);
    await page.reload();
    await scriptLine(page, 'Momentum').locator('span[title]').first().waitFor(WAIT);
    await expect.poll(async () => Math.abs((await height()) - first - 46), WAIT).toBeLessThan(2);
    await page.getByRole('button', { name: 'Layouts' }).click();
    await layouts.getByRole('button', { name: /^Tall/ }).click(WAIT);
    await expect.poll(async () => Math.abs((await height()) - first - 70), WAIT).toBeLessThan(2);
    await page.getByRole('button', { name: 'Remove Momentum' }).click();
    await scriptLine(page, 'Momentum').waitFor({ state: 'detached', ...WAIT });
    expect(complaints).toEqual([]);
  });

  test('keeps the panes of scripts in their order, whichever of them is ready first', async () => {
    const { page, complaints } = await openChart();
    const slow = 'var s = 0.0\nif barstate.isfirst\n    for i = 0 to 2000000\n        s += math.sin(i)';
    await paste(page, `//@version=6\nindicator("Slow")\n${slow}\nplot(close + s)\n`);
    await paste(page, '//@version=6\nindicator("Quick")\nplot(close)\n');
    const names = (): Promise<string[]> => page.locator('.legend .name').allTextContents();
    const values = (): Promise<number> => page.locator('.script-line span[title]').count();
    await expect.poll(values, WAIT).toBe(2);
    for (const turn of ['as added', 'loaded again']) {
      if (turn === 'loaded again') await page.reload();
      await expect.poll(values, WAIT).toBe(2);
      expect(await names()).toEqual(['Slow', 'Quick']);
      expect(await page.locator('.legend').count()).toBe(3);
    }
    expect(complaints).toEqual([]);
  });

  test('draws everything a script can say, without a complaint', async () => {
    const { page, complaints } = await openChart();
    const before = await page.locator('.chart-place').screenshot();
    await paste(page, ON_BARS);
    await paste(page, BELOW);
    await scriptLine(page, 'On bars').locator('span[title]').first().waitFor(WAIT);
    await scriptLine(page, 'Below').locator('span[title]').first().waitFor(WAIT);
    expect(await page.locator('.trouble').allTextContents()).toEqual([]);
    expect(await page.locator('.chart-place').screenshot()).not.toEqual(before);
    expect(complaints).toEqual([]);
  });

  test('says where a script is wrong, and ends one that does not come to an end', async () => {
    const { page, complaints } = await openChart();
    await paste(page, '//@version=6\nindicator("Wrong")\nplot(clse)\n');
    await scriptLine(page, 'Wrong')
      .getByText(/line 3: .*clse/)
      .waitFor(WAIT);
    await paste(
      page,
      '//@version=6\nindicator("Endless")\ns = 0.0\nfor i = 0 to 9000000\n    s += math.sin(i)\nplot(s)\n',
    );
    const endless = scriptLine(page, 'Endless');
    await endless.getByText(/^[1-9]\d* s$/).waitFor(WAIT);
    await expectAccessible(page);
    await endless.getByRole('button', { name: 'Stop: Running Endless' }).click();
    await endless.getByText('You stopped it.').waitFor(WAIT);
    // Nothing else is held up by it.
    await addExample(page, 'Distribution');
    expect(complaints).toEqual([]);
  });

  test('opens again after a script has ended its page twice, and runs that one only when it is asked otherwise', async () => {
    const { page } = await openChart();
    await paste(page, '//@version=6\nindicator("Hog")\nfor i = 0 to 9000000\n    math.sin(i)\nplot(close)\n');
    const again = async (): Promise<Page> => {
      const next = await page.context().newPage();
      await next.goto(`${dashboard.signalbox.url}/#/chart`);
      return next;
    };
    let last = page;
    for (let ended = 0; ended < 2; ended++) {
      await scriptLine(last, 'Hog').getByText(UNDER_WAY).waitFor(WAIT);
      // As the browser ends a page that has no memory left.
      const crash = new Promise((resolve) => last.once('crash', resolve));
      void last.goto('chrome://crash').catch(() => undefined);
      await crash;
      last = await again();
    }
    await scriptLine(last, 'Hog').getByText('Twice in turn this page ended').waitFor(WAIT);
    await last.reload();
    await scriptLine(last, 'Hog').getByText('Twice in turn this page ended').waitFor(WAIT);
    await last.getByRole('button', { name: '4h', exact: true }).click();
    await scriptLine(last, 'Hog').getByText(UNDER_WAY).waitFor(WAIT);
  });

  test('replays bars one by one and comes back to now', async () => {
    const { page, complaints } = await openChart();
    await addExample(page, 'EMA cross strategy');
    await page.getByRole('button', { name: 'Replay' }).click();
    const bar = page.getByRole('toolbar', { name: 'Replay' });
    const time = bar.locator('.mono');
    const first = String(await time.textContent());
    await bar.getByRole('button', { name: 'Next bar' }).click();
    await expect.poll(() => time.textContent()).not.toBe(first);
    await bar.getByLabel('Speed').selectOption('30');
    await bar.getByRole('button', { name: 'Play' }).click();
    await expect.poll(async () => String(await time.textContent()) > `${first.slice(0, 10)} 24`).toBe(true);
    await bar.getByRole('button', { name: 'Back to now' }).click();
    await bar.waitFor({ state: 'detached', ...WAIT });
    expect(complaints).toEqual([]);
  });

  test('saves a layout and opens it again', async () => {
    const { page, complaints } = await openChart();
    await addExample(page, 'Levels');
    await page.getByRole('button', { name: 'Layouts' }).click();
    const dialog = page.getByRole('dialog', { name: 'Layouts' });
    await dialog.getByLabel('Save this chart as').fill('Pivots');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Remove Levels' }).click();
    await page.keyboard.press('1');
    await barLine(page, 'BTCUSDT 1m').waitFor(WAIT);
    await page.getByRole('button', { name: 'Layouts' }).click();
    await dialog.getByRole('button', { name: /^Pivots/ }).click();
    await barLine(page, 'BTCUSDT 1h').waitFor(WAIT);
    await scriptLine(page, 'Levels').waitFor(WAIT);
    expect(complaints).toEqual([]);
  });

  test('has the layouts of every browser, and moves those that this one kept by itself', async () => {
    const kept = { symbol: 'ETHUSDT', timeframe: '4h', scripts: [], stretches: {} };
    const path = `${dashboard.signalbox.url}/admin/layouts/layout/${encodeURIComponent('Old one')}`;
    const body = JSON.stringify({ content: { ...kept, timeframe: '1d' }, about: 'of another browser' });
    expect((await fetch(path, { method: 'PUT', body })).status).toBe(200);
    const { page, complaints } = await openChart();
    const layouts = JSON.stringify([
      { ...kept, name: 'Old one' },
      { ...kept, name: 'Mine' },
    ]);
    await page.evaluate(`localStorage.setItem('signalbox.chart.layouts', ${JSON.stringify(layouts)})`);
    const dialog = page.getByRole('dialog', { name: 'Layouts' });
    const names = (): Promise<string[]> => dialog.locator('.saved-names strong').allTextContents();
    await page.getByRole('button', { name: 'Layouts' }).click();
    await expect.poll(names, WAIT).toEqual(expect.arrayContaining(['Mine', 'Old one', 'Old one (2)']));
    expect(await page.evaluate(`localStorage.getItem('signalbox.chart.layouts')`)).toBe('[]');
    await expectAccessible(page);
    const other = await openChart({ width: 390, height: 844, colorScheme: 'dark' });
    await other.page.getByRole('button', { name: 'Layouts' }).click();
    const there = other.page.getByRole('dialog', { name: 'Layouts' });
    await there.getByRole('button', { name: /^Mine/ }).waitFor(WAIT);
    await expectAccessible(other.page);
    await there.getByRole('button', { name: /^Mine/ }).click();
    await barLine(other.page, 'ETHUSDT 4h').waitFor(WAIT);
    const question = page.getByRole('dialog', { name: 'Delete Mine?' });
    await dialog.getByRole('button', { name: 'Delete Mine' }).click();
    await expectAccessible(page);
    await question.getByRole('button', { name: 'Keep it' }).click();
    await question.waitFor({ state: 'detached', ...WAIT });
    expect(await names()).toContain('Mine');
    await dialog.getByRole('button', { name: 'Delete Mine' }).click();
    await question.getByRole('button', { name: 'Delete it' }).click();
    await expect.poll(names, WAIT).not.toContain('Mine');
    expect([...complaints, ...other.complaints]).toEqual([]);
  });

  test('moves what it kept under names that are refused now too, and goes on behind one that cannot be moved, which it names', async () => {
    const kept = { symbol: 'ETHUSDT', timeframe: '4h', scripts: [], stretches: {} };
    const { page } = await openChart({ expected: REFUSALS });
    const script = { id: 'a', name: 'Long', source: `// ${'x'.repeat(300_000)}`, inputs: {} };
    const layouts = JSON.stringify([
      { ...kept, name: 'Too large', scripts: [script] },
      { ...kept, name: '..' },
      { ...kept, name: 'two  bl\u200banks' },
      { ...kept, name: 'Behind them' },
    ]);
    await page.evaluate(`localStorage.setItem('signalbox.chart.layouts', ${JSON.stringify(layouts)})`);
    const dialog = page.getByRole('dialog', { name: 'Layouts' });
    await page.getByRole('button', { name: 'Layouts' }).click();
    await dialog.getByText(/could not be moved to the server: Too large \(.*\)$/).waitFor(WAIT);
    const names = (): Promise<string[]> => dialog.locator('.saved-names strong').allTextContents();
    await expect.poll(names, WAIT).toEqual(expect.arrayContaining(['Behind them', 'Layout ..', 'two blanks']));
    const left = `JSON.parse(localStorage.getItem('signalbox.chart.layouts')).map(({ name }) => name)`;
    expect(await page.evaluate(left)).toEqual(['Too large']);
    await expectAccessible(page);
  });

  test('does not save over what another browser has saved meanwhile, nor over what it has not opened, unless it is told to', async () => {
    const { page } = await openChart({ expected: REFUSALS });
    await page.getByRole('button', { name: 'Layouts' }).click();
    const dialog = page.getByRole('dialog', { name: 'Layouts' });
    const save = async (name = 'Both'): Promise<void> => {
      await dialog.getByLabel('Save this chart as').fill(name);
      await dialog.getByRole('button', { name: 'Save' }).click();
    };
    const path = (name = 'Both'): string => `${dashboard.signalbox.url}/admin/layouts/layout/${name}`;
    const stored = async (name?: string) =>
      ((await (await fetch(path(name))).json()) as { result: { revision: number; content: unknown } }).result;
    const theirs = { symbol: 'SOLUSDT', timeframe: '1m', scripts: [], stretches: {} };
    const saveElsewhere = (name?: string) =>
      fetch(path(name), { method: 'PUT', body: JSON.stringify({ content: theirs, about: 'of another browser' }) });
    await save();
    await dialog.getByRole('button', { name: 'Delete Both' }).waitFor(WAIT);
    const [own] = [await stored()];
    await save();
    await expect.poll(async () => (await stored()).revision > own.revision, WAIT).toBe(true);
    for (const name of ['Both', 'Theirs']) {
      await saveElsewhere(name);
      // The list knows it by now; this page has not opened it.
      await dialog.locator('li', { hasText: name }).getByText('of another browser').waitFor(WAIT);
      await save(name);
      await dialog.getByText(`${name} is there already`).waitFor(WAIT);
      expect(await stored(name)).toMatchObject({ content: theirs });
      await dialog.getByRole('button', { name: 'Replace' }).click();
      await expect.poll(() => stored(name), WAIT).toMatchObject({ content: { symbol: 'BTCUSDT' } });
    }
    await expectAccessible(page);
    await save('..');
    await dialog.getByText('A name needs more than dots').waitFor(WAIT);
  });

  test('moves a stop only after it was asked', async () => {
    const { page } = await openChart({ expected: REFUSALS });
    const stopOf = async (): Promise<number | null | undefined> => {
      const { result } = (await (await fetch(`${dashboard.signalbox.url}/positions`)).json()) as {
        result: readonly { protection: { stopLoss: number | null } | null }[];
      };
      return result[0]?.protection?.stopLoss;
    };
    const close = Number(
      (await page.locator('.bar-line').textContent())?.match(/C ([\d,.]+)/)?.[1]?.replaceAll(',', ''),
    );
    const stop = Math.round(close * 0.985);
    await dashboard.signal({ stopLoss: stop });
    await page.getByRole('button', { name: /^stop .*: move it$/ }).waitFor(WAIT);
    const dialog = page.getByRole('dialog', { name: 'Move the stop of LONG BTCUSDT?' });
    const drag = async (): Promise<void> => {
      const { x, y } = await findLine(page);
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x, y + 20, { steps: 4 });
      await page.mouse.up();
    };
    await drag();
    await dialog.getByRole('button', { name: /^Leave it at/ }).click(WAIT);
    expect(await stopOf()).toBe(stop);
    await drag();
    const wanted = Number(await dialog.getByLabel('New price').inputValue());
    expect(wanted).toBeLessThan(stop);
    await dialog.getByRole('button', { name: 'Move it' }).click();
    await dialog.waitFor({ state: 'detached', ...WAIT });
    expect(await stopOf()).toBe(wanted);
    // By the keyboard, and to where it cannot stand.
    await page.getByRole('button', { name: /^stop .*: move it$/ }).click();
    await dialog.getByLabel('New price').fill(String(close * 2));
    await page.keyboard.press('Enter');
    await dialog.locator('.error').waitFor(WAIT);
    expect(await stopOf()).toBe(wanted);
    await page.keyboard.press('Escape');
  });

  test.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
    ['dark', 390],
  ] as const)('is for everybody: %s, %i px wide', async (colorScheme, width) => {
    const { page, complaints } = await openChart({ colorScheme, width });
    await addExample(page, 'Momentum');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Indicators' }).click();
    await expectAccessible(page);
    const isTooWide = await page.evaluate(
      'document.documentElement.scrollWidth > document.documentElement.clientWidth',
    );
    expect(isTooWide).toBe(false);
    expect(complaints).toEqual([]);
  });

  test('of a market that is not there says so', async () => {
    const { page } = await dashboard.open({ expected: REFUSALS, place: '#/chart/NOPEUSDT/1h' });
    await page.getByText(/has no NOPEUSDT/).waitFor(WAIT);
  });

  test('of a server that is not ready yet waits for it', async () => {
    const { page } = await dashboard.open({ expected: REFUSALS });
    let isReady = false;
    await page.route('**/bars?*', (route) => {
      if (isReady) return route.continue();
      isReady = true;
      return route.fulfill({ status: 503, json: { success: false, error: 'It starts.', code: 'NOT_READY' } });
    });
    await page.getByRole('link', { name: 'Chart' }).click();
    await page.getByText('It starts.').waitFor(WAIT);
    await barLine(page, 'BTCUSDT').waitFor(WAIT);
    await page.getByText('It starts.').waitFor({ state: 'detached', ...WAIT });
  });

  test('makes functions of text in the worker alone', async () => {
    const { page } = await openChart();
    await addExample(page, 'EMA cross');
    const files = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    const workers = files.filter((name) => name.includes('/app/engine-worker-'));
    expect(workers).not.toEqual([]);
    const policyOf = async (url: string) => (await fetch(url)).headers.get('content-security-policy');
    expect(await policyOf(workers[0]!)).toContain('unsafe-eval');
    // What a script is made into reaches nobody, whatever it should manage.
    expect(await policyOf(workers[0]!)).not.toContain('connect-src');
    for (const name of files.filter((file) => file.endsWith('.js') && !workers.includes(file)))
      expect(await policyOf(name)).not.toContain('unsafe-eval');
    // In a turn of its own: what the debugger evaluates is let through.
    const attempt = "try { new Function('1'); done('made') } catch { done('refused') }";
    expect(await page.evaluate(`new Promise((done) => setTimeout(() => { ${attempt} }, 0))`)).toBe('refused');
  });
});

test('simulated prices are warned of where a real account is traded beside them, with the remedy, and nowhere else', async () => {
  const { page, complaints } = await openChart({ width: 390 });
  const warning = page.getByRole('note').filter({ hasText: 'These prices are made up' });
  await page.getByRole('status').getByText('Streaming · simulated').waitFor(WAIT);
  expect(await warning.count()).toBe(0);
  await page.route('**/health', async (route) => {
    const health = await (await route.fetch()).json();
    await route.fulfill({ json: { ...health, mode: 'live', venues: { ...health.venues, bybit: 'live' } } });
  });
  await warning.getByText('set MARKET_DATA=bybit and start again').waitFor(WAIT);
  await expectAccessible(page);
  expect(await page.locator('.feed').textContent()).not.toContain('Live');
  expect(complaints).toEqual([]);
});

test('a server that goes is told, and bars are live again without a reload when it is back', async () => {
  const { signalbox } = dashboard;
  const { page } = await openChart({ expected: LOST_SERVER });
  await page.getByText('Streaming · simulated prices').waitFor(WAIT);
  const { port } = new URL(signalbox.url);
  await signalbox.stop();
  await page.getByText('Stream lost, trying again…').waitFor(WAIT);
  const again = await startProcess({ dataDir: signalbox.dataDir, env: { PORT: port } });
  try {
    await page.getByText('Streaming · simulated prices').waitFor(WAIT);
  } finally {
    await again.stop();
  }
}, 120_000);
