// The form of a script's inputs alone in a real browser: every kind of input, values in and out, and what is typed wrong.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compile, declaredInputs } from '../../src/pine/index.ts';
import { startChromium } from '../support/chromium.ts';
import { expectAccessible } from '../support/dashboard-browser.ts';

const SETUP_TIMEOUT_MS = 300_000;
const PANEL = fileURLToPath(new URL('../../dashboard/editor/inputs-panel.tsx', import.meta.url));
const STYLES = ['tokens', 'base'].map((name) =>
  fileURLToPath(new URL(`../../dashboard/styles/${name}.css`, import.meta.url)),
);

const SCRIPT = `//@version=6
indicator("t")
enum Side
    long = "Long only"
    both = "Both sides"
plot(input.int(14, "Length", minval = 2, maxval = 50, tooltip = "Bars to look back."))
plot(input.float(2.5, "Factor", step = 0.5, group = "Band", inline = "x"))
show = input.bool(true, "Show it", group = "Band", inline = "x")
kind = input.string("EMA", "Kind", options = ["EMA", "SMA"])
side = input.enum(Side.long, "Side")
ink = input.color(color.new(#FF9800, 50), "Ink")
plot(input.source(close, "Source"))
frame = input.timeframe("45", "Frame")
other = input.symbol("BTCUSDT", "Market")
hours = input.session("0930-1600", "Hours")
since = input.time(timestamp("2026-01-05T12:00:00Z"), "Since")
stop = input.price(100, "Stop")
note = input.text_area("a note", "Note")
`;

/** A page of its own that shows the panel and keeps what it tells. */
const entry = (inputs: object): string => `
${STYLES.map((path) => `import ${JSON.stringify(path)};`).join('\n')}
import { createElement, render } from 'preact';
import { InputsPanel } from ${JSON.stringify(PANEL)};
const inputs = ${JSON.stringify(inputs)};
globalThis.show = (values) => {
  globalThis.values = values;
  render(createElement(InputsPanel, { inputs, values, onChange: globalThis.show }), document.getElementById('app'));
};
globalThis.show({});
`;

async function bundled(): Promise<{ readonly script: string; readonly styles: string }> {
  const { program } = compile(SCRIPT);
  // Below the packages, where its imports are found.
  const folder = mkdtempSync(fileURLToPath(new URL('../../node_modules/.cache/inputs-panel-', import.meta.url)));
  const file = join(folder, 'entry.js');
  writeFileSync(file, entry(declaredInputs(program?.inputs ?? [])));
  const { build } = await import('vite');
  const built = await build({
    ...{
      root: fileURLToPath(new URL('../../', import.meta.url)),
      configFile: false,
      logLevel: 'error',
      publicDir: false,
    },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: { write: false, cssCodeSplit: false, rolldownOptions: { input: file, output: { format: 'iife' } } },
  });
  rmSync(folder, { recursive: true });
  const { output } = Array.isArray(built)
    ? built[0]!
    : (built as Exclude<typeof built, readonly unknown[] | { on: unknown }>);
  const script = output.find((part) => part.type === 'chunk')!.code;
  const styles = output.find((part) => part.fileName.endsWith('.css'));
  return { script, styles: styles?.type === 'asset' ? String(styles.source) : '' };
}

let browser: Browser;
let page: Page;
beforeAll(async () => {
  browser = await startChromium();
  const { script, styles } = await bundled();
  page = await browser.newPage({ timezoneId: 'Europe/Berlin', viewport: { width: 420, height: 900 } });
  await page.setContent(
    '<!doctype html><html lang="en"><title>Inputs</title><main><h1>Inputs</h1><div id="app"></div></main></html>',
  );
  await page.addStyleTag({ content: styles });
  await page.addScriptTag({ content: script });
}, SETUP_TIMEOUT_MS);
afterAll(() => browser.close());

const values = () => page.evaluate('values');

describe('the form of the inputs', () => {
  test('shows each kind with the script’s own value, in groups and lines', async () => {
    expect(await page.getByLabel('Length').inputValue()).toBe('14');
    await page.getByText('Bars to look back.').waitFor();
    await page.getByRole('group', { name: 'Band' }).getByLabel('Factor').waitFor();
    expect(await page.getByLabel('Show it').isChecked()).toBe(true);
    expect(await page.getByLabel('Kind').inputValue()).toBe('EMA');
    expect(await page.getByLabel('Side').inputValue()).toBe('Long only');
    expect(await page.getByLabel('Ink', { exact: true }).inputValue()).toBe('#ff9800');
    expect(await page.getByLabel('Source').inputValue()).toBe('close');
    expect(await page.getByLabel('Frame').inputValue()).toBe('45');
    expect(await page.getByLabel('Since').inputValue()).toBe('2026-01-05T13:00');
    expect(await page.getByLabel('Note').inputValue()).toBe('a note');
    await expectAccessible(page);
  });

  test('tells what was changed by title, and takes it back', async () => {
    await page.getByLabel('Length').fill('20');
    await page.getByLabel('Factor').fill('3');
    await page.getByLabel('Show it').uncheck();
    await page.getByLabel('Kind').selectOption('SMA');
    await page.getByLabel('Side').selectOption('Both sides');
    await page.getByLabel('Source').selectOption('hlc3');
    await page.getByLabel('Frame').selectOption('4 hours');
    await page.getByLabel('Market').fill('ETHUSDT');
    await page.getByLabel('Hours').fill('0800-1200');
    await page.getByLabel('Since').fill('2026-02-01T00:00');
    await page.getByLabel('Stop').fill('99.5');
    await page.getByLabel('Note').fill('two\nlines');
    await page.getByLabel('Ink', { exact: true }).fill('#00ff00');
    const given = {
      ...{ Length: 20, Factor: 3, 'Show it': false, Kind: 'SMA', Side: 'Both sides', Source: 'hlc3', Frame: '240' },
      ...{ Market: 'ETHUSDT', Hours: '0800-1200', Since: Date.UTC(2026, 0, 31, 23), Stop: 99.5, Note: 'two\nlines' },
      Ink: expect.stringMatching(/^#00FF00[0-9A-F]{2}$/),
    };
    await expect.poll(values).toEqual(given);
    await page.getByRole('button', { name: 'Back to the script’s own' }).click();
    await expect.poll(values).toEqual({});
    expect(await page.getByLabel('Length').inputValue()).toBe('14');
  });

  test('says what is wrong and tells nothing of it', async () => {
    await page.getByLabel('Length').fill('1');
    await page.getByText('At least 2.').waitFor();
    await page.getByLabel('Hours').fill('9-17');
    await page.getByText('A session is written as 0930-1600').waitFor();
    expect(await values()).toEqual({});
    await expectAccessible(page);
    await page.getByLabel('Length').fill('2');
    await expect.poll(values).toEqual({ Length: 2 });
  });
});
