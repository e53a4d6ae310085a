// The contract of the public charting client, kept in a real browser: a page on another port can do all of it.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startChromium } from '../support/chromium.ts';
import { type RunningProcess, startProcess } from '../support/process.ts';
import { openPage, type PageServer, servePage, type WebPage } from './page.ts';

const ADMIN_TOKEN = 'admin-token-of-the-browser-test';
const FOREIGN_HOST = 'somebody-else.example';
const LISTED_HOST = 'charts.example';
/** A first run may have to install the browser. */
const SETUP_TIMEOUT_MS = 300_000;

const SCRIPT = `//@version=6
indicator("Average", overlay = true)
length = input.int(3, "Length")
plot(ta.sma(close, length), "Average")
`;
/** What a chart draws beside lines: a band between two of them, a background, and figures placed by bars. */
const DRAWN = `//@version=6
indicator("Drawn", overlay = true)
upper = plot(high, "Upper")
lower = plot(low, "Lower")
fill(upper, lower, close > 125 ? #2962FF33 : na, "Band")
bgcolor(bar_index == 49 ? #FF000033 : na, title = "Newest")
if barstate.islast
    line.new(0, 100, bar_index, 150)
    label.new(bar_index, 150, "last")
    box.new(10, 120, 20, 110)
    polyline.new(array.from(chart.point.from_index(0, 100), chart.point.now(150)))
`;
const FAULTY = '//@version=6\nindicator("Faulty")\nplot(clsoe)\n';
const BARS = Array.from({ length: 50 }, (_, n) => ({
  ...{ time: 1_700_000_000_000 + n * 60_000, open: 100 + n, high: 102 + n, low: 99 + n, close: 101 + n, volume: 10 },
}));
/** The same while the market moves: the client counts seconds, and says of every bar whether it is closed. */
const LIVE_BARS = BARS.map((bar, n) => ({ ...bar, time: bar.time / 1000, closed: n < BARS.length - 1 }));

let browser: Browser;
let signalbox: RunningProcess;
let pages: PageServer;
let page: WebPage;
let key: string;

const open = (host: string): Promise<WebPage> => openPage(browser, `http://${host}:${pages.port}`, signalbox.url);

beforeAll(async () => {
  pages = await servePage();
  browser = await startChromium({ localNames: [FOREIGN_HOST, LISTED_HOST] });
  const ALLOWED_ORIGINS = `http://${LISTED_HOST}:${pages.port}`;
  signalbox = await startProcess({ env: { ADMIN_TOKEN, ALLOWED_ORIGINS } });
  page = await open('localhost');
  const made = await fetch(`${signalbox.url}/api/keys?action=create`, {
    method: 'POST',
    headers: { 'X-Admin-Token': ADMIN_TOKEN },
    body: '{"tier":"pro"}',
  });
  key = ((await made.json()) as { api_key: string }).api_key;
}, SETUP_TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  await signalbox?.stop();
  await pages?.close();
});

describe('a page on another port of this machine', () => {
  it('asks /health and learns that sockets are served', async () => {
    const { status, body } = await page.answer('/health');
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: true, status: 'healthy', websocket: true });
  });

  it.each(['127.0.0.1', 'localhost', LISTED_HOST])('may have the address %s', async (host) => {
    const { body } = await (await open(host)).answer('/run', { method: 'POST', body: { script: SCRIPT, data: BARS } });
    expect(body).toMatchObject({ status: 'success' });
  });

  it('runs a script with POST /run?mode=auto', async () => {
    const body = { script: SCRIPT, data: BARS, symbol: 'BTCUSDT', timeframe: '1', inputs: { Length: 5 } };
    const answer = await page.answer('/run?mode=auto', { method: 'POST', body });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ status: 'success', count: 50, meta: { script_type: 'indicator' } });
    expect(answer.body.series.Average).toHaveLength(50);
    expect(answer.body.series.Average.at(-1)).toBe(148);
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('reads what is wrong with a script', async () => {
    const answer = await page.answer('/run?mode=auto', { method: 'POST', body: { script: FAULTY, data: BARS } });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ status: 'error', code: 'SCRIPT_ERROR', diagnostics: [{ line: 3 }] });
    expect(answer.body.message).toContain('line 3: clsoe is not declared');
  });

  it.each(['/run?mode=interpret', '/ws/run'])('draws a live chart with what %s answers', async (path) => {
    const request = { script: DRAWN, data: LIVE_BARS, mode: 'interpret' };
    const { series, meta, drawings } =
      path === '/ws/run'
        ? (await page.talk(path, [{ type: 'run', id: 'r3', symbol: 'CHART', ...request }], ['result'])).frames[0]
        : (await page.answer(path, { method: 'POST', body: request })).body;
    // As the client does: every series is looked up in meta.plot_meta, and drawn by its kind.
    const kinds = Object.keys(series).map((title) => [title, meta.plot_meta[title].kind]);
    expect(kinds).toEqual([
      ['Upper', 'plot'],
      ['Lower', 'plot'],
      ['Band', 'fill'],
      ['Newest', 'bgcolor'],
    ]);
    for (const values of Object.values(series)) expect(values).toHaveLength(50);
    const { plot1, plot2 } = meta.plot_meta.Band;
    expect([series[plot1].at(-1), series[plot2].at(-1)]).toEqual([151, 148]);
    expect([series.Band[0], series.Band[49], series.Newest[48], series.Newest[49]]).toEqual([
      ...[null, '#2962FF33', null, '#FF000033'],
    ]);
    const [first, last] = [LIVE_BARS[0]?.time, LIVE_BARS[49]?.time];
    const byType = Object.fromEntries(drawings.map((drawing: { type: string }) => [drawing.type, drawing]));
    expect(byType.line).toMatchObject({ t1: first, p1: 100, t2: last, p2: 150 });
    expect(byType.label).toMatchObject({ t1: last, p1: 150, text: 'last' });
    expect(byType.box).toMatchObject({ t1: LIVE_BARS[10]?.time, p1: 120, t2: LIVE_BARS[20]?.time, p2: 110 });
    expect(byType.polyline.points).toMatchObject([
      { time: first, price: 100 },
      { time: last, price: 150 },
    ]);
  });

  it('shows its key in the two headers in which the client sends it', async () => {
    const headers = { Authorization: `Bearer ${key}`, 'X-API-Key': key };
    for (const path of ['/run', '/api/run'])
      expect((await page.answer(path, { method: 'POST', headers, body: { script: SCRIPT, data: BARS } })).status).toBe(
        200,
      );
  });

  it('runs live bars with its key at /api/run too', async () => {
    const headers = { Authorization: `Bearer ${key}` };
    const answer = await page.answer('/api/run', { method: 'POST', headers, body: { script: DRAWN, data: LIVE_BARS } });
    expect(answer).toMatchObject({ status: 200, body: { meta: { plot_meta: { Band: { kind: 'fill' } } } } });
  });

  it('finds its whole library in one page', async () => {
    const headers = { Authorization: `Bearer ${key}` };
    for (let n = 0; n < 120; n += 1) {
      const body = { id: `many-${n}`, name: `Script ${n}`, content: SCRIPT };
      await fetch(`${signalbox.url}/api/scripts`, { method: 'POST', headers, body: JSON.stringify(body) });
    }
    const { body } = await page.answer('/api/scripts', { headers });
    expect([body.scripts.length, body.nextCursor]).toEqual([120, null]);
    for (let n = 0; n < 120; n += 1)
      await fetch(`${signalbox.url}/api/scripts/many-${n}`, { method: 'DELETE', headers });
  });

  it('runs scripts over WS /ws/run', async () => {
    const { frames, closeCode } = await page.talk(
      '/ws/run',
      [
        { type: 'ping', id: 'p1' },
        { type: 'run', id: 'r1', script: SCRIPT, data: BARS, mode: 'auto' },
        { type: 'run', id: 'r2', script: FAULTY, data: BARS },
      ],
      ['pong', 'result', 'error'],
    );
    const frameOf = (type: string) => frames.find((frame) => frame.type === type);
    expect(frameOf('pong')).toEqual({ type: 'pong', id: 'p1' });
    expect(frameOf('result')).toMatchObject({ id: 'r1', status: 'success', count: 50 });
    expect(frameOf('result').series.Average.at(-1)).toBe(149);
    expect(frameOf('error')).toMatchObject({ id: 'r2', code: 'SCRIPT_ERROR', status: 400 });
    expect(closeCode).toBe(1000);
  });

  it('has its editor helped by /lsp/completion, hover and diagnostics', async () => {
    const place = { source: SCRIPT, line: 3, character: 'plot(ta.sm'.length };
    const completion = await page.answer('/lsp/completion', { method: 'POST', body: place });
    expect(completion.body).toMatchObject({ status: 'success' });
    expect(completion.body.items.map(({ label }: { label: string }) => label)).toContain('sma');
    const hover = await page.answer('/lsp/hover', { method: 'POST', body: place });
    expect(hover.body.hover.contents).toContain('sma');
    const fine = await page.answer('/lsp/diagnostics', { method: 'POST', body: { source: SCRIPT } });
    expect(fine.body).toEqual({ status: 'success', ok: true, diagnostics: [] });
    const faulty = await page.answer('/lsp/diagnostics', { method: 'POST', body: { source: FAULTY } });
    expect(faulty.body).toMatchObject({ ok: false, diagnostics: [{ line: 3, character: 5, severity: 'error' }] });
  });

  it('keeps scripts in the library: creates, reads, lists, changes and deletes them', async () => {
    const headers = { Authorization: `Bearer ${key}` };
    const first = { name: 'Average', content: SCRIPT };
    const made = await page.answer('/api/scripts', { method: 'POST', headers, body: first });
    expect(made.status).toBe(201);
    const { id, revision } = made.body.script;
    expect(made.headers.location).toBe(`/api/scripts/${id}`);
    const read = await page.answer(`/api/scripts/${id}`, { headers });
    expect(read.body.script).toMatchObject({ ...first, id, revision });
    expect(read.headers.etag).toBe(`"${revision}"`);
    const list = await page.answer('/api/scripts', { headers });
    expect(list.body.scripts).toMatchObject([{ id, name: 'Average' }]);

    const put = { method: 'PUT', headers: { ...headers, 'If-Match': read.headers.etag ?? '' } };
    const changed = await page.answer(`/api/scripts/${id}`, { ...put, body: { ...first, name: 'Mean' } });
    expect(changed.body.script).toMatchObject({ id, name: 'Mean', revision: revision + 1 });
    const late = await page.answer(`/api/scripts/${id}`, { ...put, body: { ...first, name: 'Late' } });
    expect(late.status).toBe(409);
    expect(late.body).toMatchObject({ status: 'error', code: 'CONFLICT', remoteRevision: revision + 1 });

    const gone = await page.answer(`/api/scripts/${id}`, { method: 'DELETE', headers });
    expect(gone.status).toBe(200);
    expect((await page.answer(`/api/scripts/${id}`, { headers })).status).toBe(404);
  });

  it('is told in words when its key is missing or wrong', async () => {
    const without = await page.answer('/api/scripts');
    expect(without).toMatchObject({ status: 401, body: { status: 'error', code: 'NO_KEY' } });
    const headers = { Authorization: `Bearer pn_${'0'.repeat(48)}` };
    expect(await page.answer('/api/scripts', { headers })).toMatchObject({
      status: 401,
      body: { code: 'INVALID_KEY' },
    });
  });

  it('reads how long to wait after too many runs', async () => {
    const run = { method: 'POST', headers: { Authorization: `Bearer ${key}` }, body: {} };
    const answers = [];
    for (let i = 0; i < 31; i += 1) answers.push(await page.answer('/api/run', run));
    const last = answers.at(-1);
    expect(last).toMatchObject({ status: 429, body: { code: 'RATE_LIMIT' } });
    expect(Number(last?.headers['retry-after'])).toBeGreaterThan(0);
    expect(last?.headers.ratelimit).toContain('r=0');
    expect(last?.headers['ratelimit-policy']).toContain('q=30');
  });

  it('watches a market over WS /api/stream without a key', async () => {
    const { frames, closeCode } = await page.talk('/api/stream?symbol=BTCUSDT&interval=1m', [], ['status', 'kline']);
    const kline = frames.find(({ type }) => type === 'kline');
    expect(kline).toMatchObject({ symbol: 'BTCUSDT', interval: '1m' });
    const { bar, k } = kline;
    expect(bar.low).toBeLessThanOrEqual(bar.high);
    // The same once more, with prices as texts, as Binance writes them.
    expect({ t: k.t, o: Number(k.o), x: k.x }).toEqual({ t: bar.time, o: bar.open, x: bar.closed });
    expect(closeCode).toBe(1000);
  });

  it('reads nothing of the trading gateway', async () => {
    const local = await openPage(browser, `http://127.0.0.1:${pages.port}`, signalbox.url);
    for (const path of ['/trades', '/positions', '/signals', '/admin/kill-switch', '/ready', '/metrics', '/nowhere']) {
      expect(await local.call(path), path).toContain('Failed to fetch');
    }
    expect(await local.call('/webhook', { method: 'POST', body: {} })).toContain('Failed to fetch');
  });
});

describe('a page of a site that nobody listed', () => {
  let foreign: WebPage;

  beforeAll(async () => {
    foreign = await open(FOREIGN_HOST);
  });

  it.each(['/health', '/run', '/lsp/diagnostics', '/api/scripts', '/api/usage'])(
    'reads nothing at %s',
    async (path) => {
      expect(await foreign.call(path)).toContain('Failed to fetch');
      expect(await foreign.call(path, { method: 'POST', body: {} })).toContain('Failed to fetch');
      expect(await foreign.call(path, { headers: { Authorization: `Bearer ${key}` } })).toContain('Failed to fetch');
    },
  );

  it.each(['/ws/run', '/api/stream?symbol=BTCUSDT&interval=1m'])('gets no socket at %s', async (path) => {
    expect(await foreign.talk(path, [], ['status'])).toEqual({ frames: [], closeCode: 1006 });
  });
});

describe('when Signalbox stops', () => {
  it('a page on a socket is told so, and the process does not wait for it', async () => {
    const talks = [
      page.talk('/api/stream?symbol=BTCUSDT&interval=1m', [], ['never']),
      page.talk('/ws/run', [], ['never']),
    ];
    // Those of earlier tests may still be closing.
    await until(async () => (await metric('sockets_open')) >= 2);
    const startedMs = performance.now();
    expect(await signalbox.stop()).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(5000);
    for (const talk of talks) expect((await talk).closeCode).toBe(1001);
  });
});

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${signalbox.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + 10_000;
  while (!(await isTrue())) {
    if (performance.now() > deadlineMs) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
