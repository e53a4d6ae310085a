// The agent in a real browser, with a model that answers as the test says: streaming, looks, a chart, failures, and no model at all.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DashboardBrowser, expectAccessible, REFUSALS, startDashboard } from '../support/dashboard-browser.ts';
import { KEY, type ModelServer, startModelServer } from '../support/model-servers/model-server.ts';
import { openaiProtocol } from '../support/model-servers/openai-protocol.ts';

const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 30_000 };
/** One pixel. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('with a model', () => {
  let model: ModelServer;
  let dashboard: DashboardBrowser;
  beforeAll(async () => {
    model = await startModelServer(openaiProtocol);
    const agent = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: model.url };
    dashboard = await startDashboard({ env: { SERVICES: 'gateway,dashboard', ...agent } });
  }, SETUP_TIMEOUT_MS);
  afterAll(() => model.close());

  const open = async (options = {}) => {
    const opened = await dashboard.open({ place: '#/agent', ...options });
    await opened.page.getByLabel('Your question').waitFor(WAIT);
    return opened;
  };
  const askFor = async (page: Page, text: string): Promise<void> => {
    await page.getByLabel('Your question').fill(text);
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
  };

  test('answers word by word, shows what it looked at, remembers what was said, and counts the cost', async () => {
    const { page, complaints } = await open();
    model.next({ kind: 'answer', tools: [{ name: 'get_positions', args: '{}' }] });
    model.next({ kind: 'answer', text: 'You hold nothing at all.', tokensIn: 100, tokensOut: 10, gapMs: 50 });
    await askFor(page, 'What do I hold?');
    const log = page.getByRole('log', { name: 'Conversation' });
    await log.getByText('You hold nothing at all.').waitFor(WAIT);
    await log.getByRole('list', { name: 'What it looked at' }).getByText('get_positions').waitFor(WAIT);
    await log.getByText('openai, gpt').waitFor(WAIT);
    await expectAccessible(page);
    model.next({ kind: 'answer', text: 'As I said.' });
    await page.getByLabel('It may look at my positions').uncheck();
    await askFor(page, 'Are you sure?');
    await log.getByText('As I said.').waitFor(WAIT);
    const sent = model.requests.at(-1)?.text ?? '';
    for (const text of ['What do I hold?', 'You hold nothing at all.', 'Are you sure?']) expect(sent).toContain(text);
    expect(sent).not.toContain('get_positions');
    await page.getByRole('table', { name: 'Providers' }).getByText('answers').waitFor(WAIT);
    expect(complaints).toEqual([]);
  });

  test('looks at a chart that was chosen, with the question that was asked', async () => {
    const { page, complaints } = await open();
    const buffer = Buffer.from(PICTURE, 'base64');
    await page.locator('input[type=file]').setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer });
    await page.getByRole('alert').getByText('no PNG, JPEG, WebP or GIF').waitFor(WAIT);
    await page.locator('input[type=file]').setInputFiles({ name: 'chart.png', mimeType: 'image/png', buffer });
    await page.getByRole('img', { name: 'The chart to be looked at' }).waitFor(WAIT);
    model.next({ kind: 'answer', text: 'Support is at 60000.' });
    await askFor(page, 'Where is support?');
    await page.getByText('Support is at 60000.').waitFor(WAIT);
    expect(model.requests.at(-1)?.text).toContain(PICTURE);
    expect(complaints).toEqual([]);
  });

  /** A file as it comes from the clipboard, or from another window. */
  const handOver = (page: Page, kind: 'paste' | 'drop', type: string): Promise<unknown> =>
    page.evaluate(`(() => {
      const data = new DataTransfer();
      const bytes = Uint8Array.from(atob('${PICTURE}'), (char) => char.charCodeAt(0));
      data.items.add(new File([bytes], 'handed', { type: '${type}' }));
      const options = { bubbles: true, cancelable: true, clipboardData: data, dataTransfer: data };
      const [Kind, place] = '${kind}' === 'paste' ? [ClipboardEvent, 'textarea'] : [DragEvent, 'h1, main'];
      const event = new Kind('${kind}', options);
      document.querySelector(place).dispatchEvent(event);
      return event.defaultPrevented;
    })()`);

  test.each(['paste', 'drop'] as const)('looks at a chart by %s, and says what is none', async (kind) => {
    const { page, complaints } = await open();
    const picture = page.getByRole('img', { name: 'The chart to be looked at' });
    await handOver(page, kind, 'text/plain');
    await page.getByRole('alert').getByText('no PNG, JPEG, WebP or GIF').waitFor(WAIT);
    expect(await picture.count()).toBe(0);
    const isOurs = await handOver(page, kind, 'image/png');
    // What is dropped beside the form must not be opened in the place of the page.
    if (kind === 'drop') expect(isOurs).toBe(true);
    await picture.waitFor(WAIT);
    expect(await page.getByRole('alert').count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Take it away' }).click();
    expect(await picture.count()).toBe(0);
    await handOver(page, kind, 'image/png');
    await picture.waitFor(WAIT);
    model.next({ kind: 'answer', text: `Seen by ${kind}.` });
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByText(`Seen by ${kind}.`).waitFor(WAIT);
    expect(model.requests.at(-1)?.text).toContain(PICTURE);
    expect(complaints).toEqual([]);
  });

  test('words that are pasted stay words', async () => {
    const { page, complaints } = await open();
    const field = page.getByLabel('Your question');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate("navigator.clipboard.writeText('Where is support?')");
    await field.press('Control+v');
    await expect.poll(() => field.inputValue(), WAIT).toBe('Where is support?');
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('the page and /agent/usage tell the same', async () => {
    const { page } = await open();
    model.next({ kind: 'answer', text: 'Counted.', tokensIn: 1_000_000, tokensOut: 500_000 });
    await askFor(page, 'What does this cost?');
    await page.getByText('Counted.').waitFor(WAIT);
    const { totalRequests, totalCostUsd, byProvider } = await usage();
    expect(totalCostUsd).toBeGreaterThan(1);
    const panel = page.getByRole('region', { name: 'Usage and cost' });
    await panel.getByText(`${totalCostUsd.toFixed(4)} USD`).waitFor(WAIT);
    const models = panel.getByRole('table', { name: 'Models' });
    await models.getByRole('row', { name: /gpt/ }).getByText(totalCostUsd.toFixed(4)).waitFor(WAIT);
    expect(byProvider.openai?.requests).toBe(totalRequests);
  });

  const usage = async () => {
    const response = await fetch(`${dashboard.signalbox.url}/agent/usage`);
    return (await response.json()) as {
      readonly totalRequests: number;
      readonly totalCostUsd: number;
      readonly byProvider: Readonly<Record<string, { readonly requests: number }>>;
    };
  };

  test('can be stopped, and tells a failure in words', async () => {
    const { page } = await open({ expected: REFUSALS });
    model.next({ kind: 'hang' });
    await askFor(page, 'Take your time');
    await page.getByRole('button', { name: 'Stop', exact: true }).click(WAIT);
    await page.getByText('You stopped it here.').waitFor(WAIT);
    model.next({ kind: 'status', status: 401, message: 'no such key' });
    await askFor(page, 'And now?');
    await page.getByRole('alert').getByText('no provider answered').waitFor(WAIT);
  });

  test.each([
    ['light', 1440],
    ['light', 1024],
    ['dark', 390],
  ] as const)('is for everybody: %s, %i px wide', async (colorScheme, width) => {
    const { page, complaints } = await open({ colorScheme, width });
    await page.getByRole('table', { name: 'Providers' }).waitFor(WAIT);
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')).toBe(
      false,
    );
    expect(complaints).toEqual([]);
  });
});

test('without a model says how to connect one, and asks nobody', async () => {
  const dashboard = await startDashboard({ env: { SERVICES: 'gateway,dashboard' } });
  const { page, complaints } = await dashboard.open({ place: '#/agent' });
  await page.getByText('No model is connected').waitFor(WAIT);
  await page.getByText('OPENAI_API_KEY=sk-…').waitFor(WAIT);
  expect(await page.getByLabel('Your question').count()).toBe(0);
  await expectAccessible(page);
  expect(complaints).toEqual([]);
}, 120_000);
