// /docs in a real browser: its search, its forms, and every curl line of it copied and run.

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkAnswer } from '../support/check-answers.ts';
import { startChromium } from '../support/chromium.ts';
import { curlEnvironment } from '../support/find-curl.ts';
import { type RunningProcess, startProcess } from '../support/process.ts';

const ADMIN_TOKEN = 'the-admin-token-of-the-docs-test';
const INTERNAL_TOKEN = 'the-internal-token-of-the-docs-test';
/** A first run may have to install the browser. */
const SETUP_TIMEOUT_MS = 300_000;

/** Code hosts and venues are out of reach: what goes to them ends at a port where nobody listens. */
const NO_WAY_OUT = {
  ...{ NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1,localhost' },
  BINANCE_BASE_URL: 'http://127.0.0.1:9',
};

/** What lines answer that do not succeed on a fresh start, though nothing is wrong with them. */
const NOT_CONFIGURED = { status: 503, because: /NOT_CONFIGURED/ };
const OUT_OF_REACH = { status: 502, because: /OAUTH_UPSTREAM/ };
/** There is no live account to be asked. */
const ON_PAPER = { status: 422, because: /UNKNOWN_ACCOUNT/ };
const OTHERWISE: Readonly<Record<string, { status: number; because: RegExp }>> = {
  'POST /agent/chat': NOT_CONFIGURED,
  'POST /agent/vision': NOT_CONFIGURED,
  'POST /wallet/status': NOT_CONFIGURED,
  'POST /wallet/balance': NOT_CONFIGURED,
  'POST /wallet/quote': NOT_CONFIGURED,
  'POST /wallet/swap': NOT_CONFIGURED,
  'POST /wallet/approve': NOT_CONFIGURED,
  'POST /wallet/transfer': NOT_CONFIGURED,
  'POST /wallet/send': NOT_CONFIGURED,
  // Its venue ends at that port too.
  'POST /admin/accounts': { status: 500, because: /VENUE_UNREACHABLE/ },
  'DELETE /admin/accounts/{exchange}/{account}': ON_PAPER,
  'POST /admin/accounts/confirm': ON_PAPER,
  'POST /admin/accounts/test': ON_PAPER,
  'POST /admin/backup': { status: 409, because: /NO_BACKUP_FOLDER/ },
  'DELETE /orders/{clientOrderId}': { status: 404, because: /ORDER_NOT_FOUND/ },
  // What the line of POST /api/scripts makes is an indicator.
  'GET /admin/deployments/{id}/compare': { status: 422, because: /an indicator/ },
  'GET /api/deployments/{id}/compare': { status: 400, because: /an indicator/ },
  // Its names change with every build.
  'GET /app/{file}': { status: 404, because: /NOT_FOUND/ },
  'POST /refusals/{id}/resend': { status: 404, because: /REFUSAL_NOT_FOUND/ },
  // The protection it is a part of was removed by a line before.
  'DELETE /agent/trailing-stops/{key}': { status: 404, because: /STOP_NOT_FOUND/ },
  // No app has made the code of the line.
  'PUT /session/totp': { status: 401, because: /LOGIN_FAILED/ },
  'DELETE /session/totp': { status: 409, because: /TOTP_CONFLICT/ },
  'POST /api/git/oauth/device/start': OUT_OF_REACH,
  'POST /api/git/oauth/device/poll': OUT_OF_REACH,
};

/** What others need comes first, what takes something away last. */
const FIRST = [
  'PUT /session/password',
  'POST /webhook',
  'POST /api/scripts',
  'POST /agent/trailing-stops',
  'PUT /admin/layouts/{kind}/{name}',
];
const LAST = ['DELETE /api/scripts/{id}', 'POST /admin/script-keys/renew'];

interface Line {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly text: string;
}

const rank = ({ name, method }: Line): number => {
  if (FIRST.includes(name)) return FIRST.indexOf(name) - FIRST.length;
  if (LAST.includes(name)) return 2 + LAST.indexOf(name);
  return method === 'DELETE' ? 1 : 0;
};

interface OpenDocs {
  readonly signalbox: RunningProcess;
  readonly page: Page;
  /** What the browser complained about, and what it asked of other servers. */
  readonly complaints: string[];
}

let browser: Browser;
let shell: Record<string, string>;
const open: OpenDocs[] = [];

async function openDocs(env: Record<string, string>): Promise<OpenDocs> {
  const signalbox = await startProcess({ env: { ADMIN_TOKEN, ...NO_WAY_OUT, ...env } });
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!/^(data:|blob:)/.test(request.url()) && !request.url().startsWith(signalbox.url))
      complaints.push(request.url());
  });
  await page.goto(`${signalbox.url}/docs`);
  await page.waitForSelector('article');
  const docs = { signalbox, page, complaints };
  open.push(docs);
  return docs;
}

/** Without an internal token; the same for the tests that leave it as it was. */
let plain: Promise<OpenDocs> | undefined;
function openPlain(): Promise<OpenDocs> {
  plain ??= openDocs({});
  return plain;
}

beforeAll(async () => {
  shell = await curlEnvironment();
  browser = await startChromium();
}, SETUP_TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  for (const { signalbox } of open) await signalbox.stop();
});

/** Presses the copy button of each block and takes what is in the clipboard then; this runs in the page. */
const COPY_ALL = `async (selector) => {
  const lines = [];
  for (const block of document.querySelectorAll(selector)) {
    const button = block.querySelector('button.copy');
    button.click();
    while (button.textContent !== 'Copied') await new Promise((resolve) => setTimeout(resolve, 1));
    const textOf = (part) => block.querySelector(part)?.textContent ?? '';
    lines.push({ method: textOf('.method'), path: textOf('.path'), text: await navigator.clipboard.readText() });
  }
  return lines;
}`;

const copyAll = (page: Page, selector: string): Promise<readonly Omit<Line, 'name'>[]> =>
  page.evaluate(`(${COPY_ALL})(${JSON.stringify(selector)})`);

/** The lines of all endpoints that have one. */
const curlLines = async (page: Page): Promise<readonly Line[]> =>
  (await copyAll(page, 'article'))
    .filter(({ text }) => text.startsWith('curl'))
    .map((line) => ({ ...line, name: `${line.method} ${line.path}` }));

const run = async (line: string, env: Record<string, string>): Promise<string> =>
  (await promisify(execFile)('sh', ['-c', line], { env, maxBuffer: 64 * 1024 * 1024 })).stdout;

describe('the search', () => {
  it('shows the endpoints with all of its words, in the list and on the page', async () => {
    const { page } = await openPlain();
    const shown = () => page.locator('article:visible h3').allInnerTexts();
    const { version: release } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(await page.locator('#about').innerText()).toContain(`Version 1.0.0 (interface) · program ${release}.`);
    const everything = (await shown()).length;
    expect(everything).toBeGreaterThan(70);
    await page.fill('#search', 'DELETE trailing');
    expect(await shown()).toHaveLength(1);
    expect(await page.locator('#contents a:visible').allInnerTexts()).toEqual([
      expect.stringContaining('/agent/trailing-stops/{key}'),
    ]);
    expect(await page.locator('#contents h2:visible').allInnerTexts()).toHaveLength(1);
    await page.fill('#search', 'kill switch');
    expect((await shown()).length).toBeGreaterThanOrEqual(2);
    // Fields of bodies and answers, codes of refusals, and how keys begin.
    for (const [word, among, without] of [
      ['stopLoss', '/webhook', '/health'],
      ['previousValidUntil', '/admin/webhook-keys', '/webhook'],
      ['ORDER_REJECTED', '/webhook/tradingview', '/run'],
      ['whk_', '/webhook', '/run'],
      ['pyn_', '/preview/chart', '/webhook'],
      ['pn_', '/api/scripts', '/health'],
    ] as const) {
      await page.fill('#search', word);
      const paths = await page.locator('article:visible .path').allInnerTexts();
      expect([word, paths.includes(among), paths.includes(without)]).toEqual([word, true, false]);
    }
    await page.fill('#search', 'no such words anywhere');
    expect(await shown()).toEqual([]);
    expect(await page.locator('#nothing').isVisible()).toBe(true);
    await page.fill('#search', '');
    expect(await shown()).toHaveLength(everything);
  });
});

describe('a form', () => {
  const formOf = async (page: Page, id: string): Promise<Locator> => {
    const article = page.locator(`article#${id}`);
    await article.locator('.try-it > summary').click();
    return article.locator('form');
  };

  it('sends a paper signal and shows status, headers and body; what was typed is there in the next one', async () => {
    const { page, signalbox, complaints } = await openPlain();
    const webhook = await formOf(page, 'postWebhook');
    await webhook.locator('input[name=WEBHOOK_KEY]').fill(signalbox.apiKey ?? '');
    await webhook.locator('button[type=submit]').click();
    await webhook.locator('.status.good').waitFor();
    expect(await webhook.locator('.status').innerText()).toMatch(/^200 OK · \d+ ms$/);
    const answer = JSON.parse(await webhook.locator('.answer').innerText());
    expect(answer.tradeResult).toMatchObject({ status: 'Filled', mode: 'paper' });
    await webhook.locator('.outcome summary').click();
    expect(await webhook.locator('.outcome').innerText()).toContain(`x-request-id: ${answer.requestId}`);

    const trade = await formOf(page, 'getTradesRequestId');
    // A part of the address is asked for before anything is sent.
    const requestId = trade.locator('input[name=REQUEST_ID]');
    for (const empty of ['', '  ']) {
      await requestId.fill(empty);
      await trade.locator('button[type=submit]').click();
      expect(
        await requestId.evaluate((input) => (input as unknown as { validity: { valid: boolean } }).validity.valid),
      ).toBe(false);
    }
    expect(await trade.locator('.outcome').innerText()).toBe('');
    await trade.locator('input[name=REQUEST_ID]').fill(answer.requestId);
    await trade.locator('button[type=submit]').click();
    await trade.locator('.status.good').waitFor();
    expect(JSON.parse(await trade.locator('.answer').innerText()).result.requestId).toBe(answer.requestId);

    const tradingview = await formOf(page, 'postWebhookTradingview');
    expect(await tradingview.locator('input[name=WEBHOOK_KEY]').inputValue()).toBe(signalbox.apiKey);
    expect(complaints).toEqual([]);
  });

  it('sends parameters and a body as they were changed, with the token that was typed', async () => {
    const { page, complaints } = await openDocs({ INTERNAL_TOKEN });
    const trades = await formOf(page, 'getTrades');
    await trades.locator('button[type=submit]').click();
    await trades.locator('.status.bad').waitFor();
    expect(await trades.locator('.status').innerText()).toMatch(/^401 /);
    await trades.locator('input[name=INTERNAL_TOKEN]').fill(INTERNAL_TOKEN);
    await trades.locator('label', { hasText: 'limit, in the query' }).locator('input').fill('0');
    await trades.locator('button[type=submit]').click();
    await expect.poll(() => trades.locator('.status').innerText()).toMatch(/^400 /);
    expect(await trades.locator('.answer').innerText()).toContain('INVALID_QUERY');

    const mode = await formOf(page, 'putAdminQueueMode');
    await mode.locator('textarea').fill('{"mode":"async"}');
    await mode.locator('button[type=submit]').click();
    await mode.locator('.status.good').waitFor();
    expect(JSON.parse(await mode.locator('.answer').innerText()).result).toEqual({ mode: 'async' });
    // A browser reports every refused request in its console.
    expect(complaints.filter((complaint) => !/status of 40[01]/.test(complaint))).toEqual([]);
  });
});

describe.each([
  ['without an internal token', ''],
  ['with an internal token', INTERNAL_TOKEN],
])('every curl line of a fresh start %s', (_, internalToken) => {
  let docs: OpenDocs;
  let lines: readonly Line[];
  let setters: readonly Omit<Line, 'name'>[];
  let variables: Record<string, string>;
  const statuses = new Map<string, { status: number; text: string }>();

  /** By the page's own line for it; what must be known of the server, the reader knows. */
  async function setVariable(name: string): Promise<void> {
    const line = setters.find(({ text }) => text.startsWith(`${name}=`))?.text ?? '';
    variables[name] = (await run(`${line}; printf %s "$${name}"`, { ...shell, ...variables })).trim();
  }

  beforeAll(async () => {
    docs = await openDocs(internalToken === '' ? {} : { INTERNAL_TOKEN: internalToken });
    setters = await copyAll(docs.page, '#variables dd');
    lines = [...(await curlLines(docs.page))].sort((a, b) => rank(a) - rank(b));
    variables = { ...{ INTERNAL_TOKEN: internalToken, ADMIN_TOKEN, WALLET_TOKEN: '' } };
    variables.OWNER_PASSWORD = 'tall green river stones';
    Object.assign(variables, { OAUTH_CLIENT_ID: 'docs-example', DEVICE_CODE: 'docs-example' });
    // The status behind the answer, without a change to the line.
    const CURL_HOME = mkdtempSync(join(tmpdir(), 'curl-home-'));
    writeFileSync(join(CURL_HOME, '.curlrc'), String.raw`write-out = "\n%{http_code} %{content_type}"`);
    for (const { name, method, path, text } of lines) {
      for (const [, variable = ''] of text.matchAll(/\$([A-Z_]+)/g))
        if (!(variable in variables) || (method === 'DELETE' && /_ID$/.test(variable))) await setVariable(variable);
      const answer = await run(text, { ...shell, ...variables, CURL_HOME });
      const [, body = '', status = '', contentType = ''] = /^([\s\S]*)\n(\d+) (.*)$/.exec(answer) ?? [];
      statuses.set(name, { status: Number(status), text: body.slice(0, 500) });
      const filled = path.replace(/\{[^}]+\}/g, 'x');
      await checkAnswer({ method, path: filled, status: Number(status), contentType, text: body });
    }
  }, SETUP_TIMEOUT_MS);

  it('is complete: every endpoint but the WebSockets has one, and none a placeholder', async () => {
    expect(lines).toHaveLength((await docs.page.locator('article').count()) - 2);
    for (const { text } of lines) expect(text).not.toMatch(/(?<!\{)\{\w+\}(?!\})|YOUR_/);
  });

  it('names only variables that the page explains', async () => {
    const named = new Set(lines.flatMap(({ text }) => [...text.matchAll(/\$([A-Z_]+)/g)].map(([, name]) => name)));
    const explained = await docs.page.locator('#variables dt').allTextContents();
    expect([...named].filter((name) => !explained.includes(`$${name}`))).toEqual([]);
  });

  it('succeeds, or says what has to be configured first', () => {
    const surprises = [...statuses].filter(([name, { status, text }]) => {
      const wanted = OTHERWISE[name];
      return wanted === undefined
        ? status < 200 || status > 299
        : status !== wanted.status || !wanted.because.test(text);
    });
    expect(surprises).toEqual([]);
  });

  it('carries the credential that the endpoint asks for: without it the call is refused', async () => {
    // Without an internal token this very machine may do what the owner may.
    const isOpen = (text: string): boolean => internalToken === '' && text.includes('X-Internal-Auth-Key');
    const asking = lines.filter(({ text }) => / -H "/.test(text) && !isOpen(text));
    expect(asking.length).toBeGreaterThan(internalToken === '' ? 20 : 50);
    for (const { name, text } of asking) {
      const bare = text.replace(/ -H "[^"]*"( \\\n)?/g, ' ');
      const answer = await run(bare, { ...shell, ...variables });
      expect([name, JSON.parse(answer).code]).toEqual([
        name,
        expect.stringMatching(/^(UNAUTHORIZED|FORBIDDEN|NO_KEY|INVALID_KEY)$/),
      ]);
    }
  });
});
